"""An operator with a list, an optional tensor, an update in place, list and text attributes becomes a task."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from agentkernel.bench.npukernelbench.checkout import open_checkout
from agentkernel.bench.npukernelbench.machinery import Machinery
from agentkernel.bench.npukernelbench.provider import provide
from agentkernel.bench.npukernelbench.solutions import official_kernel, solutions, solutions_text
from agentkernel.bench.npukernelbench.tasks import load_benchmark_task, make_tasks
from agentkernel.errors import TaskError
from agentkernel.kernel import Kernel
from agentkernel.models.scripted import ScriptedClient
from agentkernel.solve import solve
from agentkernel.task import Path as TaskPath
from agentkernel.task import Task
from agentkernel.toolchains.simulator import SimulatorToolchain
from agentkernel.verify import CaseBank, verify

ROOT = Path(__file__).parent / "synthetic_lists"
OPS = """
import agentkernel_npukb_recorder as recorder
import torch


def mix_state(tensors, gamma, state):
    y = [torch.empty_like(one) for one in tensors]
    scratch = torch.empty_like(state)
    inputs = [("tensors", tensors), ("tensor", gamma), ("tensor", state)]
    attrs = [("ints", [1, 2]), ("string", "add")]
    recorder.execute("aclnnMixState", [*inputs, *attrs, ("tensors", y), ("tensor", scratch)])
    return [*y, state]
"""


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """Values and definitions are kept where nobody else looks for theirs."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("values")
        patch.setattr("agentkernel.bench.npukernelbench.provider.cache_folder", lambda: folder)
        yield folder


@pytest.fixture(scope="module")
def machinery(worker, tmp_path_factory):
    ops = tmp_path_factory.mktemp("ops") / "ops.py"
    ops.write_text(OPS)
    return Machinery(worker, {"MixState": ops})


@pytest.fixture(scope="module")
def folder():
    return open_checkout(ROOT).find("MixState")


@pytest.fixture(scope="module")
def load(folder, machinery):
    def loaded(words: str = "", told: list[str] | None = None) -> Task:
        told = [] if told is None else told
        task = load_benchmark_task(f"{folder.path}#{words}", machinery, tell=told.append)
        for case in task.cases:  # kept, so that judging needs neither torch nor bindings
            provide(task, case, machinery)
        return task

    return loaded


def answer(folder, *changes: tuple[str, str]) -> Kernel:
    files = official_kernel(folder).files
    for old, new in changes:
        assert any(old in text for text in files.values()), old
        files = {name: text.replace(old, new) for name, text in files.items()}
    return Kernel(files=files, entry=folder.entry)


def test_a_static_task_says_lists_updates_and_attributes(load):
    task = load("full")
    assert [(t.name, t.param_type, t.shape) for t in task.inputs] == [
        ("x", "dynamic", ("*xAxes",)),
        ("gamma", "optional", (4,)),
        ("state", "required", (4,)),
    ]
    assert [(t.name, t.shape, t.compare) for t in task.outputs] == [
        ("y", ("*xAxes",), True),
        ("state", (4,), True),
        ("scratch", (4,), False),
    ]
    assert task.cases[0].shapes == {"xAxes": ((8,), (3, 5))}
    assert [(a.name, a.type, a.default) for a in task.attrs] == [
        ("factors", "list_int", (1, 2)),
        ("mode", "string", "add"),
    ]
    assert task.in_place == {"state"}
    assert task.path is TaskPath.FULL
    assert Task.model_validate_json(task.model_dump_json()) == task


def test_values_of_lists_and_updates_come_from_the_benchmark(load):
    task = load("full")
    inputs, expected = provide(task, task.cases[0])
    assert list(inputs) == ["x[0]", "x[1]", "gamma", "state"]
    assert list(expected) == ["y[0]", "y[1]", "state"]
    np.testing.assert_allclose(expected["y[1]"], 2.0 * inputs["x[1]"], rtol=1e-6)
    np.testing.assert_allclose(expected["state"], inputs["state"].astype(float) + inputs["gamma"], rtol=1e-6)


def test_a_tensor_that_the_call_leaves_out_is_absent(load):
    task = load("2,full")
    assert task.cases[0].absent == ("gamma",)
    assert (task.inputs[1].param_type, str(task.inputs[1].dtype)) == ("optional", "float32")
    assert "gamma" not in provide(task, task.cases[0])[0]


def test_a_dynamic_task_leaves_out_cases_and_says_so(load):
    told: list[str] = []
    task = load("dynamic,full", told)
    assert [case.name for case in task.cases] == ["case-0", "case-1"]
    assert [len(case.shapes["xAxes"]) for case in task.cases] == [2, 1]
    assert "rand is for floats" in told[0]
    assert "case 3" in told[0]
    assert told[1] == "not in this task, because they differ in more than sizes: case-2 (#2,dynamic)"
    other = load("2,dynamic,full", told)
    assert [case.name for case in other.cases] == ["case-2"]


def test_a_case_that_is_left_out_is_no_dynamic_task(load):
    with pytest.raises(TaskError, match="case 3 is left out"):
        load("3,dynamic")


def test_where_no_case_can_be_made_the_reason_is_the_error(folder, machinery, tmp_path):
    place = tmp_path / "level2" / "Foreach" / "MixState"
    shutil.copytree(folder.path, place)
    table = place / "validation" / "test_cases.csv"
    table.write_text("case_id;shapes;dtype;gamma\n3;[[8]];int32;True\n")
    with pytest.raises(TaskError, match="rand is for floats"):
        load_benchmark_task(f"{place}#dynamic", machinery, tell=lambda _: None)


def test_a_dynamic_kernel_alone_is_told_of_list_attributes_in_words(load):
    task = load("dynamic")
    assert task.attrs == ()
    assert "factors=(1, 2); mode='add'" in task.description


@pytest.mark.parametrize("words", ["full", "2,full", "dynamic,full"])
def test_the_answer_is_a_solution(words, load, folder):
    verdict = verify(answer(folder), load(words))
    assert verdict.passed, verdict.all_diagnostics


def test_a_wrong_update_and_a_wrong_list_are_not(load, folder):
    task = load("full")
    verdict = verify(answer(folder, ("data.adds)", "!data.adds)")), task)
    assert [d.evidence["output"] for d in verdict.all_diagnostics if d.is_error] == ["state"]
    verdict = verify(answer(folder, ("i < from.GetSize()", "i < 1")), task)
    assert "y[1]" in {d.evidence.get("output") for d in verdict.all_diagnostics}


def test_the_same_kernel_solves_the_task_of_the_kernel_alone(load, folder):
    change = (
        "GET_TILING_DATA(data, tiling);",
        "struct { int64_t factor = 2; bool adds = true, hasGamma = true; } data;",
    )
    whole = answer(folder, change, (", GM_ADDR tiling)", ")"))
    kernel = Kernel.from_source(whole.files["op_kernel/mix_state.cpp"], folder.entry)
    verdict = verify(kernel, load(""), bank=CaseBank())
    assert verdict.passed, verdict.all_diagnostics


def test_solve_takes_such_a_task(load, folder):
    kernel = answer(folder)
    text = "\n".join(f"====== {name} ======\n```cpp\n{source}\n```" for name, source in kernel.files.items())
    result = solve(load("full"), model=ScriptedClient([text]))
    assert result.verdict is not None
    assert result.verdict.passed, result.verdict.all_diagnostics


def test_official_answers_are_judged_as_any_kernel_is(folder, machinery):
    with SimulatorToolchain() as toolchain:
        found = list(solutions([folder], most=200, machinery=machinery, toolchain=toolchain))
        tight = list(solutions([folder], most=1, machinery=machinery, toolchain=toolchain))
    assert [(one.key, one.result) for one in found] == [("level2/Foreach/MixState", "pass")]
    assert "lists of tensors" in found[0].kinds
    assert solutions_text(found).splitlines()[-1] == "in all: 1 of 1 answers pass"
    assert [(one.result, one.reason) for one in tight] == [("no task", "none of its 4 cases is small enough")]


def test_values_that_changed_in_number_are_told(load, folder, machinery):
    task = load("full")
    wrong = task.cases[0].model_copy(update={"shapes": {"xAxes": ((8,),)}})
    with pytest.raises(TaskError, match="now gives 2 tensors for x"):
        provide(task, wrong)


def test_make_tasks_without_a_listener_ends_at_the_first_case_that_cannot_be_made(folder, machinery):
    from agentkernel.bench.npukernelbench.cases import read_rows
    from agentkernel.task import ShapeMode

    with pytest.raises(TaskError, match="rand is for floats"):
        list(make_tasks(folder, read_rows(folder.cases_file), mode=ShapeMode.DYNAMIC, machinery=machinery))
