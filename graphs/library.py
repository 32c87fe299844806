"""Reference text for prompts, out of the knowledge base."""

from __future__ import annotations

from collections.abc import Sequence

from agentkernel.prompts import Passage
from agentkernel.task import Task


class KnowledgeLibrary:
    """Library over `agentkernel.knowledge`."""

    def retrieve(self, task: Task, budget: int) -> Sequence[Passage]:
        """API cards, pitfalls and kernels to learn from, most useful first."""
        from agentkernel.knowledge.retrieval import retrieve

        return [Passage(title=found.title, text=found.text) for found in retrieve(task, budget)]

    def cards(self, names: Sequence[str], task: Task, budget: int) -> Sequence[Passage]:
        """Cards of Ascend C names, in their order."""
        from agentkernel.knowledge.cards import cards

        return [Passage(title=card.title, text=card.text) for card in cards(names, budget, target=task.target)]


class NoLibrary:
    """A library without books: for a model that reads none, and for prompts as short as they can be."""

    def retrieve(self, task: Task, budget: int) -> Sequence[Passage]:
        """Nothing."""
        return ()

    def cards(self, names: Sequence[str], task: Task, budget: int) -> Sequence[Passage]:
        """Nothing."""
        return ()
