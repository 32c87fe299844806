"""Prompts with the knowledge base in them: for every shipped task they fit, and they name what the task needs."""

import pytest

from agentkernel.bench.suites import shipped_suites, suite
from agentkernel.graphs.library import KnowledgeLibrary, NoLibrary
from agentkernel.prompts import PromptOptions, draft_prompt
from agentkernel.task import Task
from agentkernel.testing.toy import toy_task

TASKS = [task for name in shipped_suites() for task in suite(name)]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_the_draft_of_every_shipped_task_fits_with_its_references(task: Task) -> None:
    passages = KnowledgeLibrary().retrieve(task, PromptOptions().limit // 2)
    prompt = draft_prompt(task, passages)
    assert prompt.tokens <= PromptOptions().limit
    assert prompt.shortened == ()
    assert passages
    assert all(f"## {passage.title}\n" in prompt.messages[1].content for passage in passages)


def test_cards_come_in_the_order_of_the_names_inside_the_budget() -> None:
    library = KnowledgeLibrary()
    cards = library.cards(["DataCopyPad", "Add"], toy_task(), 4000)
    assert [card.title for card in cards] == ["DataCopyPad", "Add"]
    assert library.cards(["Add", "NoSuchName"], toy_task(), 0) == []


def test_a_library_without_books_gives_nothing() -> None:
    assert NoLibrary().retrieve(toy_task(), 1000) == ()
    assert NoLibrary().cards(["Add"], toy_task(), 1000) == ()
