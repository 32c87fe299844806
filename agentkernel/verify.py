"""Verification of a kernel without any model: check, compile, run every case, judge.

The steps are functions of their own (`check_step`, `compile_step`, `run_step`), each giving data that the next one and
`conclude` take, so that a graph can run them as separate nodes. A candidate's faults are data in the verdict; failures
of the machine are exceptions and pass through.
"""

from __future__ import annotations

import contextvars
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from agentkernel.diagnostic import Diagnostic
from agentkernel.errors import ConfigError
from agentkernel.kernel import Kernel
from agentkernel.task import Case, Task
from agentkernel.toolchains.base import Build, Run, Toolchain
from agentkernel.verdict import CaseResult, Stage, Verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray


class VerifyEvent(BaseModel):
    """Progress of a verification."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: Stage
    """`check`, `compile` or `run` (which includes the judging of each case)."""
    state: Literal["started", "finished"]
    case: str | None = None
    """Name of a case that finished, None for a whole stage."""
    passed: bool | None = None
    """Whether the stage or case is without error; None when it starts."""
    done: int = Field(default=0, ge=0)
    """Cases finished so far, in the task's order."""
    total: int = Field(default=0, ge=0)
    """Cases to run."""


OnEvent = Callable[[VerifyEvent], None]


class CaseData(BaseModel):
    """Inputs and reference values of one case."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True, extra="forbid")

    inputs: dict[str, Any]
    """Read-only arrays of the declared dtypes."""
    expected: dict[str, Any]
    """float64, int64 or bool arrays by output name; read-only."""


class CaseBank:
    """Keeps inputs and reference values of cases, so that the attempts of a run compute them once. Thread-safe.

    Args:
        max_bytes: Memory to keep; the least recently used cases are given up beyond it.
    """

    def __init__(self, max_bytes: int = 512 * 2**20) -> None:
        self._max_bytes = max_bytes
        self._kept: OrderedDict[tuple[str, str], CaseData] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, task: Task, case: Case) -> CaseData:
        """Inputs and reference values of a case.

        Raises:
            TaskError: The inputs cannot be drawn or the reference cannot be evaluated.
        """
        from agentkernel.judge import case_values

        key = (task.digest, case.name)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        inputs, expected = case_values(task, case)
        for values in expected.values():
            values.flags.writeable = False
        data = CaseData(inputs=inputs, expected=expected)
        with self._lock:
            self._kept[key] = data
            while len(self._kept) > 1 and sum(map(_bytes, self._kept.values())) > self._max_bytes:
                self._kept.popitem(last=False)
        return data


def check_step(kernel: Kernel, task: Task) -> tuple[Diagnostic, ...]:
    """What the API oracle finds in the device sources, before any compiler. Errors among it end the verification."""
    from agentkernel.knowledge.oracle import check

    return tuple(check(kernel.device_side, task))


def compile_step(kernel: Kernel, task: Task, toolchain: Toolchain) -> Build:
    """Compile a kernel; a candidate's faults are diagnostics of the build.

    Raises:
        ToolchainError: The toolchain is missing or broken.
    """
    return toolchain.build(kernel, task)


class CaseRun(BaseModel):
    """One case as it ran and was judged."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    result: CaseResult
    completed: bool
    """Whether the kernel ran to its end."""
    sandbox: tuple[str, ...] = ()


def run_step(
    build: Build,
    toolchain: Toolchain,
    *,
    cases: Sequence[str] | None = None,
    stop_early: bool = False,
    workers: int = 1,
    bank: CaseBank | None = None,
    unseen: bool = True,
    on_event: OnEvent | None = None,
) -> tuple[CaseRun, ...]:
    """Run and judge the cases of a build's task; where all pass, once more on values that are in none.

    Args:
        build: A successful build of the toolchain.
        toolchain: What built it.
        cases: Names of the cases to run, None for all. The task's order is kept.
        stop_early: Whether to stop after the first case that fails.
        workers: Cases that run at the same time, on threads. Results do not depend on it.
        bank: Where inputs and reference values are kept.
        unseen: Whether that last run takes place; what it finds belongs to its case (`agentkernel.unseen`).
        on_event: Called after each case, in the task's order, on the calling thread.

    Raises:
        ConfigError: There is no case of a given name.
        ToolchainError: The toolchain is missing or broken.
        TaskError: The reference of a case cannot be evaluated.
    """
    chosen = _chosen(build.task, cases)
    kept = bank if bank is not None else CaseBank()
    done: list[CaseRun] = []
    for one in _in_order(lambda case: _run_case(build, toolchain, case, kept), chosen, workers):
        done.append(one)
        if on_event is not None:
            on_event(
                VerifyEvent(
                    stage=Stage.RUN,
                    state="finished",
                    case=one.result.case,
                    passed=one.result.passed,
                    done=len(done),
                    total=len(chosen),
                )
            )
        if stop_early and not one.result.passed:
            break
    if unseen and all(one.result.passed for one in done):
        return _with_unseen(build, toolchain, chosen, done, kept)
    return tuple(done)


def _with_unseen(
    build: Build, toolchain: Toolchain, cases: Sequence[Case], done: Sequence[CaseRun], bank: CaseBank
) -> tuple[CaseRun, ...]:
    from agentkernel.unseen import check_unseen, chosen_case, failed_by

    case = chosen_case(build.task, cases)
    if case is None:
        return tuple(done)
    data = bank.get(build.task, case)
    found = check_unseen(build, toolchain, case, data.inputs, data.expected)
    results = failed_by([one.result for one in done], case, found)
    return tuple(one.model_copy(update={"result": result}) for one, result in zip(done, results, strict=True))


def conclude(
    toolchain: Toolchain,
    *,
    check: Sequence[Diagnostic] = (),
    build: Build | None = None,
    runs: Sequence[CaseRun] = (),
    seconds: Mapping[str, float] | None = None,
) -> Verdict:
    """The verdict of the steps that were taken.

    Args:
        toolchain: What built and ran.
        check: What the oracle found.
        build: The build, None where an error of the oracle came before it.
        runs: The cases, empty where the build failed.
        seconds: Wall time by stage name.
    """
    diagnostics = (*check, *(build.diagnostics if build is not None else ()))
    if build is None:
        stage = Stage.CHECK
    elif not build.ok:
        stage = Stage.COMPILE
    else:
        stage = Stage.VERIFY if all(one.completed for one in runs) else Stage.RUN
    measured = {r.result.estimate.provenance for r in runs if r.result.estimate is not None}
    clean = not any(d.is_error for d in diagnostics)
    return Verdict(
        passed=stage is Stage.VERIFY and clean and bool(runs) and all(one.result.passed for one in runs),
        stage=stage,
        toolchain=toolchain.name,
        provenance="measured" if "measured" in measured or toolchain.name == "cann" else "simulated",
        diagnostics=diagnostics,
        cases=tuple(one.result for one in runs),
        seconds=dict(seconds or {}),
        sandbox=tuple(dict.fromkeys(wall for one in runs for wall in one.sandbox)),
    )


def verify(
    kernel: Kernel,
    task: Task | str,
    toolchain: Toolchain | None = None,
    *,
    cases: Sequence[str] | None = None,
    check: bool = True,
    stop_early: bool = False,
    workers: int = 1,
    bank: CaseBank | None = None,
    unseen: bool = True,
    on_event: OnEvent | None = None,
) -> Verdict:
    """Judge a kernel against a task: check, compile, run every case, compare.

    Args:
        kernel: The candidate.
        task: What it should compute: a task, the name of a shipped one, or a task file.
        toolchain: Compiles and runs; the simulator by default.
        cases: Names of the cases to run, None for all.
        check: Whether the API oracle reads the sources first.
        stop_early: Whether to stop after the first case that fails.
        workers: Cases that run at the same time, on threads.
        bank: Keeps reference values between calls.
        unseen: Whether a kernel that passes is run once more on values that are in no case.
        on_event: Called as stages start and finish and cases finish.

    Raises:
        ConfigError: There is no case of a given name.
        ToolchainError: The toolchain is missing or broken.
        TaskError: There is no such task, or the reference of a case cannot be evaluated.
    """
    if isinstance(task, str):
        from agentkernel.bench.suites import load_task

        task = load_task(task)
    total = len(_chosen(task, cases))
    if toolchain is None:
        from agentkernel.toolchains.simulator import SimulatorToolchain

        with closing(SimulatorToolchain()) as own:
            return verify(
                kernel,
                task,
                own,
                cases=cases,
                check=check,
                stop_early=stop_early,
                workers=workers,
                bank=bank,
                unseen=unseen,
                on_event=on_event,
            )
    seconds: dict[str, float] = {}
    timed = _Timer(seconds, on_event, total)
    findings: tuple[Diagnostic, ...] = ()
    if check:
        with timed(Stage.CHECK) as stage:
            findings = check_step(kernel, task)
            stage.passed = not any(d.is_error for d in findings)
        if not stage.passed:
            return conclude(toolchain, check=findings, seconds=seconds)
    with timed(Stage.COMPILE) as stage:
        build = compile_step(kernel, task, toolchain)
        stage.passed = build.ok
    if not build.ok:
        return conclude(toolchain, check=findings, build=build, seconds=seconds)
    with timed(Stage.RUN) as stage:
        runs = run_step(
            build,
            toolchain,
            cases=cases,
            stop_early=stop_early,
            workers=workers,
            bank=bank,
            unseen=unseen,
            on_event=on_event,
        )
        stage.passed = all(one.result.passed for one in runs)
    return conclude(toolchain, check=findings, build=build, runs=runs, seconds=seconds)


class _Timer:
    """Context of one stage: measures it and reports its start and end."""

    passed: bool

    def __init__(self, seconds: dict[str, float], on_event: OnEvent | None, total: int) -> None:
        self._seconds = seconds
        self._on_event = on_event
        self._total = total
        self._stage = Stage.CHECK
        self._started = 0.0

    def __call__(self, stage: Stage) -> _Timer:
        self._stage = stage
        return self

    def __enter__(self) -> _Timer:
        self.passed = False
        self._started = time.perf_counter()
        self._report("started", None)
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._seconds[self._stage.value] = time.perf_counter() - self._started
        if kind is None:
            self._report("finished", self.passed)

    def _report(self, state: Literal["started", "finished"], passed: bool | None) -> None:
        if self._on_event is not None:
            self._on_event(VerifyEvent(stage=self._stage, state=state, passed=passed, total=self._total))


def _chosen(task: Task, names: Sequence[str] | None) -> tuple[Case, ...]:
    if names is None:
        return task.cases
    known = [case.name for case in task.cases]
    for name in names:
        if name not in known:
            raise ConfigError(f"{task.name} has no case {name!r}", hint="its cases are " + ", ".join(known))
    if not names:
        raise ConfigError("no case is chosen", hint="leave the choice out to run all cases")
    return tuple(case for case in task.cases if case.name in names)


def _in_order(function: Callable[[Case], CaseRun], cases: Sequence[Case], workers: int) -> Iterator[CaseRun]:
    """Results in the order of the cases. Work that has not started when the caller stops is not begun."""
    if workers <= 1 or len(cases) == 1:
        yield from map(function, cases)
        return
    with ThreadPoolExecutor(max_workers=workers) as pool:
        # the context tells the threads when nobody waits any more (`agentkernel.cancel`)
        waiting = [pool.submit(contextvars.copy_context().run, function, case) for case in cases]
        try:
            for future in waiting:
                yield future.result()
        finally:
            for future in waiting:
                future.cancel()


def _run_case(build: Build, toolchain: Toolchain, case: Case, bank: CaseBank) -> CaseRun:
    from agentkernel.judge import judge

    started = time.perf_counter()
    data = bank.get(build.task, case)
    # read-only, so that a toolchain that changes them fails and touches neither the judging nor later cases
    run: Run = toolchain.run(build, case, {name: values.view() for name, values in data.inputs.items()})
    result = judge(build.task, case, data.inputs, run, expected=data.expected)
    taken = result.model_copy(update={"seconds": time.perf_counter() - started})
    return CaseRun(result=taken, completed=run.completed, sandbox=run.sandbox)


def _bytes(data: CaseData) -> int:
    arrays: list[NDArray[Any]] = [*data.inputs.values(), *data.expected.values()]
    return sum(values.nbytes for values in arrays)
