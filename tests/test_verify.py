"""Verification: the stages, what ends them, what a verdict holds, and that nothing depends on threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

import agentkernel.knowledge.oracle
from agentkernel.diagnostic import Diagnostic
from agentkernel.errors import ConfigError, TaskError, ToolchainError
from agentkernel.kernel import Kernel
from agentkernel.task import Case, Reference, Task
from agentkernel.testing.toy import ToyToolchain, toy_check, toy_source, toy_task
from agentkernel.toolchains.base import Arrays, Build, Run
from agentkernel.verdict import Stage, Verdict
from agentkernel.verify import CaseBank, VerifyEvent, compile_step, conclude, run_step, verify

TASK = toy_task()
WIDE = TASK.model_copy(update={"cases": tuple(Case(name=f"c{n}", dims={"n": n}) for n in (64, 67, 8, 9, 10, 128))})


@pytest.fixture(autouse=True)
def _oracle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agentkernel.knowledge.oracle, "check", toy_check, raising=False)


def kernel(*marks: str) -> Kernel:
    return Kernel.from_source(toy_source(*marks), TASK.entry)


def test_a_right_kernel_passes_at_the_last_stage() -> None:
    verdict = verify(kernel(), TASK, ToyToolchain())
    assert verdict.passed
    assert verdict.stage is Stage.VERIFY
    assert [case.case for case in verdict.cases] == ["aligned", "tail"]
    assert set(verdict.seconds) == {"check", "compile", "run"}
    assert (verdict.toolchain, verdict.provenance) == ("toy", "simulated")
    assert verdict.kernel_us is not None
    assert all(case.seconds > 0 for case in verdict.cases)
    assert Verdict.model_validate_json(verdict.model_dump_json()) == verdict


def test_the_oracle_ends_it_before_the_compiler() -> None:
    toolchain = ToyToolchain()
    verdict = verify(kernel("unknown-api"), TASK, toolchain)
    assert (verdict.passed, verdict.stage) == (False, Stage.CHECK)
    assert [d.code for d in verdict.diagnostics] == ["unknown-api"]
    assert toolchain.calls == []


def test_the_oracle_can_be_left_out() -> None:
    assert verify(kernel("unknown-api"), TASK, ToyToolchain(), check=False).passed


def test_a_failed_build_ends_it_before_the_run() -> None:
    toolchain = ToyToolchain()
    verdict = verify(kernel("syntax"), TASK, toolchain)
    assert (verdict.passed, verdict.stage, verdict.compiled) == (False, Stage.COMPILE, False)
    assert [d.code for d in verdict.diagnostics] == ["syntax"]
    assert toolchain.calls == ["build"]


def test_wrong_numbers_fail_their_case_only() -> None:
    verdict = verify(kernel("wrong-tail"), TASK, ToyToolchain())
    assert (verdict.passed, verdict.stage) == (False, Stage.VERIFY)
    assert [case.passed for case in verdict.cases] == [True, False]
    assert verdict.cases[1].diagnostics[0].evidence["where"]["where"] == "tail"


def test_a_hazard_fails_right_numbers() -> None:
    verdict = verify(kernel("missing-sync"), TASK, ToyToolchain())
    assert not verdict.passed
    assert verdict.failure_level == "hazard"
    assert all(error.mismatched == 0 for case in verdict.cases for error in case.errors)


class Crashing(ToyToolchain):
    """Does not complete one case."""

    def run(self, build: Build, case: Case, inputs: Arrays) -> Run:
        if case.name == "tail":
            return Run(completed=False, diagnostics=(Diagnostic(code="crash", level="runtime", message="m"),))
        return super().run(build, case, inputs)


def test_a_run_that_did_not_complete_ends_at_the_run_stage() -> None:
    verdict = verify(kernel(), TASK, Crashing())
    assert (verdict.passed, verdict.stage, verdict.compiled) == (False, Stage.RUN, True)
    assert [case.passed for case in verdict.cases] == [True, False]


class Broken(ToyToolchain):
    """Fails as a machine fails."""

    def run(self, build: Build, case: Case, inputs: Arrays) -> Run:
        raise ToolchainError("disk full")


@pytest.mark.parametrize("workers", [1, 4])
def test_failures_of_the_machine_pass_through(workers: int) -> None:
    with pytest.raises(ToolchainError, match="disk full"):
        verify(kernel(), TASK, Broken(), workers=workers)


def test_a_wrong_reference_is_not_the_kernels_fault() -> None:
    task = TASK.model_copy(update={"reference": Reference(formula="z = q")})
    with pytest.raises(TaskError, match="unknown name 'q'"):
        verify(kernel(), task, ToyToolchain())


def test_chosen_cases_keep_the_tasks_order() -> None:
    verdict = verify(kernel(), WIDE, ToyToolchain(), cases=["c10", "c67"])
    assert [case.case for case in verdict.cases] == ["c67", "c10"]


@pytest.mark.parametrize(("cases", "message"), [(["c7"], "no case 'c7'.*c64, c67"), ([], "no case is chosen")])
def test_unknown_cases_are_refused_before_anything_runs(cases: list[str], message: str) -> None:
    toolchain = ToyToolchain()
    with pytest.raises(ConfigError, match=message):
        verify(kernel(), WIDE, toolchain, cases=cases)
    assert toolchain.calls == []


@pytest.mark.parametrize("workers", [1, 3])
def test_stopping_early_leaves_out_later_cases(workers: int) -> None:
    verdict = verify(kernel("wrong-tail"), WIDE, ToyToolchain(), stop_early=True, workers=workers)
    assert [(case.case, case.passed) for case in verdict.cases] == [("c64", True), ("c67", False)]


class Slow(ToyToolchain):
    """Later cases finish first."""

    def run(self, build: Build, case: Case, inputs: Arrays) -> Run:
        time.sleep(0.02 if case.name == "c64" else 0)
        return super().run(build, case, inputs)


def test_threads_change_neither_order_nor_results() -> None:
    def shape(verdict: Verdict) -> list[object]:
        return [case.model_copy(update={"seconds": 0.0}) for case in verdict.cases]

    source = kernel("wrong-tail")
    assert shape(verify(source, WIDE, Slow(), workers=4)) == shape(verify(source, WIDE, ToyToolchain()))


def test_events_arrive_in_order_on_the_calling_thread() -> None:
    events: list[VerifyEvent] = []
    threads = set()

    def watch(event: VerifyEvent) -> None:
        events.append(event)
        threads.add(threading.get_ident())

    verify(kernel("wrong-tail"), TASK, ToyToolchain(), workers=2, on_event=watch)
    assert [(e.stage, e.state, e.case, e.passed) for e in events] == [
        (Stage.CHECK, "started", None, None),
        (Stage.CHECK, "finished", None, True),
        (Stage.COMPILE, "started", None, None),
        (Stage.COMPILE, "finished", None, True),
        (Stage.RUN, "started", None, None),
        (Stage.RUN, "finished", "aligned", True),
        (Stage.RUN, "finished", "tail", False),
        (Stage.RUN, "finished", None, False),
    ]
    assert [(e.done, e.total) for e in events if e.case] == [(1, 2), (2, 2)]
    assert threads == {threading.get_ident()}


class Scribbling(ToyToolchain):
    """Writes over its inputs after it has read them."""

    def run(self, build: Build, case: Case, inputs: Arrays) -> Run:
        run = super().run(build, case, inputs)
        inputs["x"][:] = 0
        return run


def test_what_a_toolchain_does_to_its_inputs_reaches_neither_judge_nor_bank() -> None:
    bank = CaseBank()
    before = bank.get(TASK, TASK.cases[0]).inputs["x"].tobytes()
    with pytest.raises(ValueError, match="read-only"):
        verify(kernel(), TASK, Scribbling(), bank=bank)
    assert bank.get(TASK, TASK.cases[0]).inputs["x"].tobytes() == before


def python_task(body: str) -> Task:
    return TASK.model_copy(update={"reference": Reference(python=f"def reference(inputs, attrs):\n    {body}\n")})


def test_a_bank_computes_each_reference_once() -> None:
    task = python_task("np.calls = getattr(np, 'calls', 0) + 1; return {'z': inputs['x'] + inputs['y']}")
    bank = CaseBank()
    try:
        for _ in range(3):
            assert verify(kernel(), task, ToyToolchain(), bank=bank, unseen=False).passed
        assert np.calls == len(task.cases)  # type: ignore[attr-defined]
    finally:
        del np.calls  # type: ignore[attr-defined]


def test_a_bank_tells_tasks_of_one_name_apart() -> None:
    bank = CaseBank()
    verify(kernel(), TASK, ToyToolchain(), bank=bank)
    assert not verify(kernel(), python_task("return {'z': inputs['x']}"), ToyToolchain(), bank=bank).passed


def test_a_bank_stays_within_its_memory() -> None:
    bank = CaseBank(max_bytes=1)
    first = bank.get(TASK, TASK.cases[0])
    assert bank.get(TASK, TASK.cases[0]) is first
    bank.get(TASK, TASK.cases[1])
    assert bank.get(TASK, TASK.cases[0]) is not first


def test_kept_values_are_read_only() -> None:
    data = CaseBank().get(TASK, TASK.cases[0])
    for values in (*data.inputs.values(), *data.expected.values()):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 1


def test_the_steps_give_the_same_verdict_when_taken_one_by_one() -> None:
    toolchain = ToyToolchain()
    source = kernel("wrong-tail")
    build = compile_step(source, TASK, toolchain)
    runs = run_step(build, toolchain)
    by_hand = conclude(toolchain, check=toy_check(source, TASK), build=build, runs=runs)

    def bare(verdict: Verdict) -> Verdict:
        cases = tuple(case.model_copy(update={"seconds": 0.0}) for case in verdict.cases)
        return verdict.model_copy(update={"seconds": {}, "cases": cases})

    assert bare(by_hand) == bare(verify(source, TASK, toolchain))


@pytest.mark.parametrize("stage", ["build", "run"])
def test_an_interrupted_stage_reports_no_end(stage: str) -> None:
    def fail(what: str) -> None:
        if what == stage:
            raise ToolchainError("gone")

    events: list[VerifyEvent] = []
    watch: Callable[[VerifyEvent], None] = events.append
    with pytest.raises(ToolchainError):
        verify(kernel(), TASK, ToyToolchain(on_call=fail), on_event=watch)
    assert events[-1].state == "started"
