"""A kernel that passes runs once more on values that are in no case: one that holds the answers is found out."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from agentkernel.diagnostic import Level
from agentkernel.judge import make_inputs
from agentkernel.kernel import Kernel
from agentkernel.task import Case, External, Fill, Reference, SizeRange, Task
from agentkernel.testing.toy import ToyToolchain, toy_source, toy_task
from agentkernel.toolchains.base import Arrays, Build, Run
from agentkernel.toolchains.simulator import SimulatorToolchain
from agentkernel.unseen import MOST_ELEMENTS, chosen_case, unseen_cases
from agentkernel.verify import verify
from tests.simulator.support import task as copy_task

TASK = toy_task()


class Asked(ToyToolchain):
    """Right everywhere; keeps the inputs that it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.inputs: list[tuple[str, Any]] = []

    def run(self, build: Build, case: Case, inputs: Arrays) -> Run:
        self.inputs.append((case.name, inputs["x"].copy()))
        return super().run(build, case, inputs)


class Holding(ToyToolchain):
    """Gives the outputs of the task's own inputs, whatever it is asked for."""

    def run(self, build: Build, case: Case, inputs: Arrays) -> Run:
        own = next(one for one in TASK.cases if one.name == case.name)
        return super().run(build, case, make_inputs(TASK, own))


class Narrow(ToyToolchain):
    """Right for the task's own inputs alone."""

    def run(self, build: Build, case: Case, inputs: Arrays) -> Run:
        own = next(one for one in TASK.cases if one.name == case.name)
        run = super().run(build, case, inputs)
        if not np.array_equal(inputs["x"], make_inputs(TASK, own)["x"]):
            run.outputs["z"][3] = 0
        return run


def kernel(*marks: str) -> Kernel:
    return Kernel.from_source(toy_source(*marks), "toy_add")


def test_the_smallest_case_is_run_again_with_other_values_of_its_shapes() -> None:
    toolchain = Asked()
    verdict = verify(kernel(), TASK, toolchain)
    assert verdict.passed and verdict.outcome == "pass" and len(verdict.cases) == 2
    assert [name for name, _ in toolchain.inputs] == ["aligned", "tail", "aligned"]
    first, again = toolchain.inputs[0][1], toolchain.inputs[2][1]
    assert first.shape == again.shape and not np.array_equal(first, again)


def test_the_values_belong_to_the_kernels_text() -> None:
    def values(source: Kernel) -> Any:
        toolchain = Asked()
        verify(source, TASK, toolchain)
        return toolchain.inputs[2][1]

    other = Kernel.from_source(toy_source() + "// a comment\n", "toy_add")
    assert np.array_equal(values(kernel()), values(kernel()))
    assert not np.array_equal(values(kernel()), values(other))


def test_held_answers_are_a_verdict_of_their_own() -> None:
    verdict = verify(kernel(), TASK, Holding())
    assert not verdict.passed and verdict.outcome == "cheat" and verdict.failure_level is Level.CHEAT
    (found,) = verdict.all_diagnostics
    assert found.code == "memorised-values" and found.evidence["case"] == "aligned"
    assert [case.passed for case in verdict.cases] == [False, True]


def test_a_kernel_that_fits_the_cases_alone_is_wrong() -> None:
    verdict = verify(kernel(), TASK, Narrow())
    assert verdict.outcome == "fail" and verdict.failure_level is Level.NUMERIC
    (found,) = verdict.all_diagnostics
    assert found.message.startswith("On values that are in no case: ") and found.evidence["values"] == "unseen"


def test_it_can_be_left_out_and_is_where_a_case_fails() -> None:
    assert verify(kernel(), TASK, Holding(), unseen=False).passed
    toolchain = Asked()
    assert not verify(kernel("wrong-tail"), TASK, toolchain, check=False).passed
    assert len(toolchain.inputs) == 2


def test_a_case_with_other_values_is_preferred_and_one_without_is_run_again_as_it_is() -> None:
    fills = {name: Fill(kind="constant", low=1.0) for name in ("x", "y")}
    fixed = Case(name="fixed", dims={"n": 8}, fills=fills)
    both = TASK.model_copy(update={"cases": (fixed, *TASK.cases)})
    assert chosen_case(both, both.cases) == TASK.cases[0]
    toolchain = Asked()
    assert verify(kernel(), both.model_copy(update={"cases": (fixed,)}), toolchain).passed
    assert [name for name, _ in toolchain.inputs] == ["fixed", "fixed"]
    assert np.array_equal(toolchain.inputs[0][1], toolchain.inputs[1][1])


def test_values_from_elsewhere_and_large_cases_are_not_run_again() -> None:
    external = Reference(external=External(provider="npukernelbench", source={}))
    assert chosen_case(TASK.model_copy(update={"reference": external}), TASK.cases) is None
    assert chosen_case(TASK, [Case(name="large", dims={"n": MOST_ELEMENTS})]) is None


SIZED = TASK.model_copy(update={"sizes": {"n": SizeRange(high=1000)}})


def test_sizes_that_the_kernel_is_for_are_tried_beside_those_of_the_cases() -> None:
    build = ToyToolchain().build(kernel(), SIZED)
    same, other = unseen_cases(build, SIZED.cases[0])
    assert same.dims == SIZED.cases[0].dims
    assert other.dims["n"] in SIZED.sizes["n"] and other.dims not in [case.dims for case in SIZED.cases]
    assert (same, other) == unseen_cases(build, SIZED.cases[0])
    sizes = set()
    for i in range(40):
        text = Kernel.from_source(f"{toy_source()}// {i}\n", "toy_add")
        sizes.add(unseen_cases(ToyToolchain().build(text, SIZED), SIZED.cases[0])[1].dims["n"])
    assert len(sizes) > 10 and min(sizes) < 40


def test_sizes_keep_to_their_multiples() -> None:
    sizes = SizeRange(low=10, high=1000, multiple_of=16)
    drawn = {sizes.draw(random.Random(seed), most=100) for seed in range(200)}
    assert drawn == {16, 32, 48, 64, 80, 96}


class Fitting(ToyToolchain):
    """Right for the sizes of the task's cases alone."""

    def run(self, build: Build, case: Case, inputs: Arrays) -> Run:
        run = super().run(build, case, inputs)
        if case.dims not in [one.dims for one in TASK.cases]:
            run.outputs["z"][0] += 1
        return run


def test_a_kernel_that_fits_the_sizes_of_the_cases_alone_is_wrong() -> None:
    assert verify(kernel(), TASK, Fitting()).passed
    verdict = verify(kernel(), SIZED, Fitting())
    assert verdict.outcome == "fail" and not verdict.passed
    (found,) = verdict.all_diagnostics
    assert found.message.startswith("On sizes that are in no case (n = ")
    assert found.evidence["values"] == "unseen" and found.evidence["sizes"]["n"] in SIZED.sizes["n"]


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"n": {"high": 32}}, "n = 64 is not from 1 to 32"),
        ({"n": {"high": 1000, "multiple_of": 64}}, "is not from 1 to 1000, multiples of 64"),
        ({"m": {"high": 32}}, "range of unknown size 'm'"),
        ({"n": {"low": 5, "high": 7, "multiple_of": 4}}, "no multiple of 4 lies between 5 and 7"),
    ],
)
def test_ranges_that_do_not_fit_are_refused(sizes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Task.model_validate({**TASK.model_dump(), "sizes": sizes})


def test_a_task_without_ranges_is_written_as_before_there_were_any() -> None:
    assert "sizes" not in TASK.model_dump() and "sizes" in SIZED.model_dump()
    assert Task.model_validate_json(SIZED.model_dump_json()) == SIZED


@pytest.fixture(scope="module")
def simulator() -> Iterator[SimulatorToolchain]:
    with SimulatorToolchain() as toolchain:
        yield toolchain


def held_answers(task: Task) -> Kernel:
    """A kernel for y = x that holds the inputs of the task's only case in its text."""
    words = ", ".join(str(word) for word in make_inputs(task, task.cases[0])["x"].view(np.uint32))
    text = f"""#include "kernel_operator.h"
using namespace AscendC;
constexpr uint32_t ANSWERS[64] = {{{words}}};
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{{
    GlobalTensor<uint32_t> to;
    to.SetGlobalBuffer((__gm__ uint32_t*)y, 64);
    for (uint32_t i = 0; i < 64; ++i) to.SetValue(i, ANSWERS[i]);
    DataCacheCleanAndInvalid<uint32_t, CacheLine::ENTIRE_DATA_CACHE>(to);
}}
"""
    return Kernel.from_source(text, "kernel")


def test_a_kernel_that_holds_the_answers_is_found_out(simulator: SimulatorToolchain) -> None:
    task = copy_task()
    assert verify(held_answers(task), task, simulator, check=False, unseen=False).passed
    verdict = verify(held_answers(task), task, simulator, check=False)
    assert verdict.outcome == "cheat" and verdict.all_diagnostics[0].code == "memorised-values"


def test_the_seed_is_the_kernels(simulator: SimulatorToolchain) -> None:
    task = copy_task()
    build = simulator.build(held_answers(task), task)
    assert unseen_cases(build, task.cases[0])[0].seed != task.cases[0].seed
