"""Run official answers: host code, tiling, variant, launch, and both judgements, one case after another."""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from agentkernel.bench.npukernelbench import tensors
from agentkernel.bench.npukernelbench.arguments import BoundCall, bind
from agentkernel.bench.npukernelbench.cases import Row
from agentkernel.bench.npukernelbench.checkout import Checkout, TaskFolder
from agentkernel.bench.npukernelbench.device import SMALLER_CHIP, Answer, DeviceRun, DeviceSide
from agentkernel.bench.npukernelbench.judging import Output, judge_outputs
from agentkernel.bench.npukernelbench.machinery import Machinery, Replies
from agentkernel.bench.npukernelbench.recorded import MappingError, OtherOperatorError, Recorded
from agentkernel.bench.npukernelbench.records import CaseRecord, Status
from agentkernel.bench.npukernelbench.worker import JobEnded
from agentkernel.diagnostic import Diagnostic, Level
from agentkernel.errors import TaskError, ToolchainError
from agentkernel.shared_arrays import memory_base

_NO_AUTOSYNC = re.compile(r"--cce-auto-sync\s*=\s*off")
_GENERATOR_STEPS = ("inputs",)
_PAST_THE_END = frozenset({"gm-out-of-bounds"})
"""Findings after which a second look is taken."""
_WITHOUT_EFFECT = _PAST_THE_END | {"out-of-bounds", "ub-overflow", "init-buffer-empty"}
"""Limits that a kernel may overstep without harm on a card: past the end of a tensor in global memory or in UB, and
buffers beyond UB or of no bytes that it never uses. A run that comes to its end did no more than that; where the result
is right, too, the harm is none. The same holds for copies of bytes that nobody has written (`_without_effect`).
"""


class Settings(BaseModel):
    """What decides the results of a run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    vector_cores: int = 48
    timeout: float = 60.0
    """Seconds of one launch of small tensors."""


class _StoppedError(Exception):
    """A case came to its end before its outputs could be judged."""

    def __init__(self, status: Status, reason: str, diagnostic: Diagnostic | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.diagnostic = diagnostic


class Runner:
    """Runs cases of official answers.

    Args:
        checkout: Where they are.
        machinery: Runs the benchmark's own code.
        settings: What decides the results.
        tell: Is told before something takes long.
    """

    def __init__(
        self,
        checkout: Checkout,
        machinery: Machinery,
        *,
        settings: Settings | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self._checkout = checkout
        self._machinery = machinery
        self._settings = settings or Settings()
        self._device = DeviceSide(vector_cores=self._settings.vector_cores, timeout=self._settings.timeout, tell=tell)
        self._answers: dict[str, Answer] = {}

    def measure(self, task: TaskFolder, row: Row) -> int:
        """Elements of all inputs of a case; -1 where they cannot be made."""
        with _folder() as folder:
            ended = self._machinery.worker.do(self._machinery.job("measure", task, row, folder))
        return -1 if ended.result is None or ended.failed else int(ended.result["elements"])

    def run(self, task: TaskFolder, row: Row) -> CaseRecord:
        """Run one case to its end, whatever that is."""
        started = time.perf_counter()
        facts: dict[str, Any] = {"task": task.key, "case": row.case_id}
        try:
            self._case(task, row, facts)
        except _StoppedError as stopped:
            facts |= _failure(stopped)
        except ToolchainError as error:
            # one broken case must not end a run of hours; the table shows it as what it is
            facts |= {"status": Status.SIMULATOR_ERROR, "reason": str(error)}
        return CaseRecord(**facts, seconds=round(time.perf_counter() - started, 2))

    def close(self) -> None:
        """Remove what was built."""
        self._device.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _case(self, task: TaskFolder, row: Row, facts: dict[str, Any]) -> None:
        if task.answer is None:
            raise _StoppedError(Status.NO_ANSWER, "the benchmark has no answer for this task")
        with _folder() as folder:
            ended = self._do("prepare", task, row, folder)
            facts["elements"] = int((ended.result or {}).get("elements", -1))
            prepared = _result(ended)
            answer = self._answer(task)
            calls = list(prepared["calls"])
            replies: list[dict[int, list[dict[str, Any]]]] = []
            found: list[Diagnostic] = []
            while True:
                run, reply = self._launch(answer, calls[-1], folder, facts, len(replies))
                found += run.diagnostics
                replies.append(reply)
                finished = _result(self._do("finish", task, row, folder, replies))
                if "call" not in finished:
                    break
                calls.append(finished["call"])
            double = prepared["double"]
            judgement = judge_outputs(
                _outputs(finished["outputs"], folder),
                _outputs(prepared["native"], folder),
                None if double is None else _outputs(double, folder),
            )
        facts |= {"official": finished["official"], "ours": judgement.passed}
        # what is wrong with the numbers is told even where a broken rule is the first thing to know
        facts["notes"] = "; ".join((*([judgement.reason] if judgement.reason else []), *judgement.notes))
        facts["reference"] = "native" if double is None else "double"
        right = judgement.passed and bool(finished["official"])
        errors, unasked = asked_for(
            [diagnostic for diagnostic in found if diagnostic.is_error], right=right, computed=_computed(answer)
        )
        facts["notes"] = "; ".join((*([facts["notes"]] if facts["notes"] else []), *unasked))
        past = [diagnostic for diagnostic in errors if _without_effect(diagnostic)]
        if errors and len(past) == len(errors) and right:
            raise _StoppedError(Status.OVERRUN, errors[0].message, errors[0])
        others = [diagnostic for diagnostic in errors if diagnostic not in past] or errors
        if others:
            hazard = right and all(diagnostic.level is Level.HAZARD for diagnostic in others)
            raise _StoppedError(Status.HAZARD if hazard else Status.FAIL, others[0].message, others[0])
        if not judgement.passed:
            raise _StoppedError(Status.FAIL, judgement.reason)
        if not finished["official"]:
            worst = f"absolute {finished['absolute']}, relative {finished['relative']}"
            raise _StoppedError(Status.FAIL, f"the benchmark's checker says no ({worst}); ours says yes")
        facts["status"] = Status.PASS

    def _answer(self, task: TaskFolder) -> Answer:
        if task.key not in self._answers:
            assert task.answer is not None
            build_file = task.answer / "CMakeLists.txt"
            text = build_file.read_text(encoding="utf-8", errors="replace") if build_file.is_file() else ""
            self._answers[task.key] = self._device.open(
                task.name,
                task.answer,
                includes=self._checkout.common_includes,
                autosync=not _NO_AUTOSYNC.search(text),
            )
        answer = self._answers[task.key]
        if answer.operator is None:
            first = next(d for d in answer.diagnostics if d.is_error)
            raise _StoppedError(Status.HOST_ERROR, first.message, first)
        return answer

    def _launch(
        self, answer: Answer, call: dict[str, Any], folder: Path, facts: dict[str, Any], number: int
    ) -> tuple[DeviceRun, dict[int, list[dict[str, Any]]]]:
        assert answer.description is not None
        try:
            bound = bind(answer.description, _recorded(call, folder))
        except OtherOperatorError as error:
            raise _StoppedError(Status.NO_ANSWER, str(error)) from error
        except MappingError as error:
            raise _StoppedError(Status.HOST_ERROR, str(error)) from error
        run = self._looked(answer, bound, facts)
        facts |= {"dtypes": run.variant, "tiling_key": run.tiling_key, "blocks": run.blocks}
        facts["kernel_us"] = run.kernel_us
        if not run.completed:
            first = next(d for d in run.diagnostics if d.is_error)
            raise _StoppedError(_status(run, first), first.message, first)
        return run, _reply(bound, run, folder, number)

    def _looked(self, answer: Answer, bound: BoundCall, facts: dict[str, Any]) -> DeviceRun:
        """Run a call, and look again where it goes past the end of a tensor.

        The outputs are those of the look that came to its end; the findings of the first one stay.
        """
        run = self._device.run(answer, bound)
        strict = [d for d in run.diagnostics if d.is_error and d.code in _PAST_THE_END]
        if not strict:
            return run
        for cores, words in ((None, ""), (SMALLER_CHIP, f" with {SMALLER_CHIP} cores")):
            again = self._device.run(answer, bound, cores=cores, padded=True)
            if again.completed and not any(d.is_error and d.code in _PAST_THE_END for d in again.diagnostics):
                facts["second_look"] = f"tensors with room behind them{words}"
                rest = tuple(d for d in again.diagnostics if d.code not in _PAST_THE_END)
                return replace(again, diagnostics=(*strict[:1], *rest))
        return run

    def _do(self, action: str, task: TaskFolder, row: Row, folder: Path, replies: Replies = ()) -> JobEnded:
        try:
            job = self._machinery.job(action, task, row, folder, replies)
        except TaskError as error:
            raise _StoppedError(Status.REFERENCE_ERROR, error.message) from error
        return self._machinery.worker.do(job)


class _folder:  # noqa: N801
    """A folder for the files of one case, in memory where there is some."""

    def __enter__(self) -> Path:
        self._path = Path(tempfile.mkdtemp(prefix="npukb.", dir=memory_base()))
        return self._path

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._path, ignore_errors=True)


def _result(ended: JobEnded) -> dict[str, Any]:
    """What a job gives.

    Raises:
        _StoppedError: It failed.
    """
    if ended.result is None:
        raise _StoppedError(Status.REFERENCE_ERROR, f"reference or generator: {ended.why}")
    if ended.failed:
        status = Status.GENERATOR_ERROR if ended.failed in _GENERATOR_STEPS else Status.REFERENCE_ERROR
        raise _StoppedError(status, f"{ended.failed}: {ended.result['why']}")
    return ended.result


def _outputs(described: list[dict[str, Any]], folder: Path) -> list[Output]:
    return [Output(one["name"], tensors.load(one, folder) if "file" in one else None) for one in described]


def _recorded(call: dict[str, Any], folder: Path) -> list[Recorded]:
    found = []
    for one in call["arguments"]:
        kind, value = one["kind"], one["value"]
        if kind == "tensor" and value is not None:
            value = tensors.load(value, folder)
        elif kind == "tensors":
            value = [tensors.load(item, folder) for item in value]
        found.append(Recorded(kind, value, zeroed=bool(one.get("zeroed"))))
    return found


def _reply(bound: BoundCall, run: DeviceRun, folder: Path, number: int) -> dict[int, list[dict[str, Any]]]:
    """What a run wrote, as files, by position in the recorded call."""
    reply = {}
    for slot, arrays in zip(bound.written, run.outputs, strict=True):
        if slot.present and slot.position >= 0:
            reply[slot.position] = [
                tensors.save(array, folder, f"reply{number}.{slot.position}.{index}")
                for index, array in enumerate(arrays)
            ]
    return reply


def _status(run: DeviceRun, first: Diagnostic) -> Status:
    if first.code == "unsupported-api":
        return Status.UNSUPPORTED
    if first.code == "time-limit":
        return Status.TIME_LIMIT
    if run.stage == "host":
        return Status.HOST_ERROR
    if run.stage == "compile":
        return Status.COMPILE_ERROR
    return Status.HAZARD if first.level is Level.HAZARD else Status.FAIL


def _failure(stopped: _StoppedError) -> dict[str, Any]:
    facts: dict[str, Any] = {"status": stopped.status, "reason": stopped.reason}
    if stopped.diagnostic is not None:
        facts["code"] = stopped.diagnostic.code
        facts["place"] = "" if stopped.diagnostic.location is None else str(stopped.diagnostic.location)
    return facts


def _without_effect(found: Diagnostic) -> bool:
    """Whether a right result shows that a finding did no harm.

    A copy of bytes that nobody wrote is harmless where nobody uses them; memory starts as NaN, so that uses show.
    """
    return found.code in _WITHOUT_EFFECT or (
        found.code == "uninitialised-read" and found.message.startswith("DataCopy")
    )


def _computed(answer: Answer) -> frozenset[str]:
    """Outputs whose shape the kernel computes."""
    parameters = answer.description.outputs if answer.description is not None else ()
    return frozenset(parameter.name for parameter in parameters if parameter.shape_depends_on_compute)


def asked_for(
    errors: Sequence[Diagnostic], *, right: bool, computed: frozenset[str] = frozenset()
) -> tuple[list[Diagnostic], list[str]]:
    """Leave out that a case wrote nothing into memory that its result does not use.

    Operators have outputs that an attribute switches on. Nothing hands on the memory of one that is off, so that a
    result without it can be right; a result with it cannot, because the memory was filled with poison. The same holds
    for the end of an output whose shape the kernel computes: the call gives memory for the largest one.

    Args:
        errors: What was found.
        right: Whether both judgements say that the result is.
        computed: Outputs whose shape the kernel computes.

    Returns:
        The findings that stay, and notes about those that do not.
    """

    def unused(found: Diagnostic) -> bool:
        whole = found.evidence.get("elements") == found.evidence.get("total")
        partly = found.evidence.get("output") in computed
        return right and found.code == "output-not-written" and (whole or partly)

    def note(found: Diagnostic) -> str:
        name = found.evidence["output"]
        return f"output {name} is of computed shape" if name in computed else f"output {name} is not asked for"

    notes = [note(found) for found in errors if unused(found)]
    return [found for found in errors if not unused(found)], notes


def chosen(rows: tuple[Row, ...], sizes: Callable[[Row], int], *, most: int, cases: int | None) -> Iterator[Row]:
    """The cases of a task that are to run: those within the size, the smallest first where only some are wanted.

    A case whose inputs cannot be made has no size (-1). It is kept, because running it says why, but not where only
    some cases are wanted.
    """
    fitting = [row for row in rows if sizes(row) <= most]
    if cases is not None:
        sized = sorted((row for row in fitting if sizes(row) >= 0), key=lambda row: (sizes(row), row.case_id))
        fitting = [row for row in fitting if row in sized[:cases]]
    yield from fitting
