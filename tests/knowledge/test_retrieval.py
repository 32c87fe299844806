"""Retrieval: passages that matter for a task, inside a budget, never the task's own answer."""

from __future__ import annotations

import pytest

from agentkernel.bench.suites import load_task, suite
from agentkernel.knowledge.exemplars import load_exemplars
from agentkernel.knowledge.retrieval import answers, apis_of, rank_exemplars, retrieve, subjects_of
from agentkernel.prompts.budget import estimate_tokens
from agentkernel.task import Task

TASKS = {task.name: task for task in suite("core")}


@pytest.mark.parametrize("budget", [300, 1500, 4000, 9000])
def test_passages_fit_the_budget(budget: int) -> None:
    for name in ("add-float16", "layer-norm-float32", "cast-int32-to-float32", "argmax-float32"):
        found = retrieve(TASKS[name], budget)
        assert sum(estimate_tokens(p.text) for p in found) <= budget


def test_the_same_task_gives_the_same_passages() -> None:
    task = TASKS["softmax-float16"]
    assert retrieve(task, 5000) == retrieve(task, 5000)


@pytest.mark.parametrize("task", TASKS.values(), ids=lambda t: t.name)
def test_a_task_never_sees_an_answer_to_its_own_operator(task: Task) -> None:
    shown = {e.name for e, _ in rank_exemplars(task)}
    operator = task.entry.replace("_static", "")
    assert not [e.name for e in load_exemplars() if e.name in shown and (operator in e.solves or e.name == operator)]


def test_renaming_does_not_hide_an_equal_operator() -> None:
    task = next(e.task for e in load_exemplars() if e.name == "softsign_half")
    renamed = task.model_copy(
        update={
            "name": "fresh",
            "entry": "fresh",
            "inputs": (task.inputs[0].model_copy(update={"name": "value"}),),
            "reference": task.reference.model_copy(update={"formula": "y = value / (1+abs(value))"}),
        }
    )
    assert [e.name for e in load_exemplars() if answers(e, renamed)] == ["softsign_half"]


@pytest.mark.parametrize(
    ("name", "apis"),
    [
        ("softmax-float32", {"Exp", "ReduceMax", "ReduceSum", "Div"}),
        ("greater-mask-float32", {"Compare", "Select"}),
        ("rsqrt-float16", {"Sqrt", "Div", "Cast"}),
        ("shift-round-int32", {"ShiftRight"}),
    ],
)
def test_cards_are_those_of_the_formulas_functions(name: str, apis: set[str]) -> None:
    assert apis <= set(apis_of(TASKS[name]))
    assert apis <= {p.title for p in retrieve(TASKS[name], 9000) if p.kind == "card"}


def test_subjects_come_from_shapes_dtypes_and_formula() -> None:
    subjects = subjects_of(TASKS["layer-norm-float16"])
    assert {"reduction", "rows", "broadcast", "cast", "float16", "attribute", "tail"} <= set(subjects)
    assert "static" in subjects_of(TASKS["softmax-static-float32"])
    assert "elementwise" in subjects_of(TASKS["add-float32"])


def test_the_nearest_exemplar_comes_first() -> None:
    found = retrieve(TASKS["log-softmax-float32"], 9000)
    assert found[0].kind == "exemplar"
    assert "row" in found[0].title.lower()
    assert found[1].kind == "pitfalls"


def test_a_task_with_lists_sees_a_kernel_with_lists_first() -> None:
    task = load_task("scale-list-operator")
    assert {"tensor-list", "attribute"} <= set(subjects_of(task))
    assert rank_exemplars(task)[0][0].name == "signed_square_list"
    assert "in-place" in subjects_of(load_task("momentum-operator"))
    assert "optional-tensor" in subjects_of(load_task("rms-norm-optional-operator"))
    assert rank_exemplars(TASKS["add-float32"])[0][0].name != "signed_square_list"
