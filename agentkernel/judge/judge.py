"""Judging of one run: structure first, then every output against its reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel.diagnostic import Diagnostic, Level
from agentkernel.errors import TaskError, ToolchainError
from agentkernel.judge.mismatch import describe
from agentkernel.judge.precision import compare
from agentkernel.judge.reference import reference, same_precision
from agentkernel.task import Case, CaseTensor, Task
from agentkernel.toolchains.base import Arrays, Run
from agentkernel.verdict import CaseResult, ErrorStats

Array = NDArray[Any]


def judge(task: Task, case: Case, inputs: Arrays, run: Run, *, expected: Arrays | None = None) -> CaseResult:
    """The result of a case.

    A case passes when the kernel ran to its end, every output has been written completely with the declared shape and
    dtype and is right by the precision standard, and nothing that the run reports is an error (a hazard fails a case
    whose numbers came out right). Of an output that is not compared shape and dtype count alone.

    Args:
        task: The task.
        case: The case that ran.
        inputs: What the kernel was given (the caller's own copy).
        run: What the toolchain reports.
        expected: Reference values, where the caller has them already.

    Raises:
        TaskError: The reference cannot be evaluated.
        ToolchainError: The run did not complete, and nothing says why.
    """
    if not run.completed:
        if not any(d.is_error for d in run.diagnostics):
            raise ToolchainError(
                f"the run of {task.name}/{case.name} did not complete and gave no reason",
                hint="this is a defect of the toolchain: please report it with the kernel",
            )
        return CaseResult(case=case.name, passed=False, diagnostics=run.diagnostics, seconds=run.seconds)
    reported = tuple(d for d in run.diagnostics if not _concerns_free_output(task, case, d))
    known = {(d.code, d.evidence.get("output")) for d in reported}
    found = [d for d in _structure(task, case, run) if (d.code, d.evidence.get("output")) not in known]
    stats: list[ErrorStats] = []
    unfit = {d.evidence.get("output") for d in found if d.code != "output-not-written"}
    values = expected if expected is not None else reference(task, case, inputs)
    for spec in task.outputs_of(case):
        if spec.name not in unfit and spec.spec.compare:
            diagnostic, stat = _numbers(task, case, spec, inputs=inputs, expected=values[spec.name], run=run)
            stats.append(stat)
            found += [diagnostic] if diagnostic is not None else []
    diagnostics = (*reported, *found)
    return CaseResult(
        case=case.name,
        passed=not any(d.is_error for d in diagnostics),
        diagnostics=diagnostics,
        errors=tuple(stats),
        estimate=run.estimate,
        seconds=run.seconds,
    )


def _concerns_free_output(task: Task, case: Case, found: Diagnostic) -> bool:
    """Whether a finding is that an output was not written whose values nobody compares."""
    free = {tensor.name for tensor in task.outputs_of(case) if not tensor.spec.compare}
    return found.code == "output-not-written" and found.evidence.get("output") in free


def _structure(task: Task, case: Case, run: Run) -> list[Diagnostic]:
    """Faults that need no numbers."""
    found = []
    for spec in task.outputs_of(case):
        shape = spec.shape
        evidence: dict[str, Any] = {"case": case.name, "output": spec.name}
        got = run.outputs.get(spec.name)
        if got is None:
            message = f"In case {case.name}, the output {spec.name} is missing."
            found.append(_numeric("missing-output", message, "every output of the task must be returned", evidence))
            continue
        if got.shape != shape:
            message = f"In case {case.name}, the output {spec.name} has shape {got.shape} instead of {shape}."
            shapes = {"expected": list(shape), "got": list(got.shape)}
            found.append(_numeric("wrong-shape", message, "give the declared shape", evidence | shapes))
        elif got.dtype != spec.dtype.numpy:
            message = f"In case {case.name}, the output {spec.name} is {got.dtype} instead of {spec.dtype}."
            dtypes = {"expected": str(spec.dtype), "got": str(got.dtype)}
            found.append(_numeric("wrong-dtype", message, "give the declared element type", evidence | dtypes))
        missing = run.unwritten.get(spec.name, 0) if spec.spec.compare else 0
        if missing:
            found.append(_unwritten(case, spec, missing, int(np.prod(shape, dtype=np.int64)), evidence))
    for name in sorted(set(run.outputs) - {spec.name for spec in task.outputs_of(case)}):
        message = f"In case {case.name}, there is an output {name} that the task does not have."
        evidence = {"case": case.name, "output": name}
        found.append(_numeric("extra-output", message, "return the outputs of the task and nothing else", evidence))
    return found


def _unwritten(case: Case, spec: CaseTensor, missing: int, total: int, evidence: dict[str, Any]) -> Diagnostic:
    which = "no element was" if missing == total else f"{missing} of {total} elements were never"
    return Diagnostic(
        code="output-not-written",
        level=Level.RUNTIME,
        message=f"In case {case.name}, {which} written to the output {spec.name}.",
        hint="cover the whole tensor: blocks times tiles times tile length, and the tail that is left over",
        evidence=evidence | {"unwritten": missing, "total": total},
    )


def _numeric(code: str, message: str, hint: str, evidence: dict[str, Any]) -> Diagnostic:
    return Diagnostic(code=code, level=Level.NUMERIC, message=message, hint=hint, evidence=evidence)


def _numbers(
    task: Task, case: Case, spec: CaseTensor, *, inputs: Arrays, expected: Array, run: Run
) -> tuple[Diagnostic | None, ErrorStats]:
    got = run.outputs[spec.name]
    result = compare(
        expected,
        got,
        spec.dtype,
        threshold=task.tolerance.threshold.get(spec.dtype),
        same=_same(task, case, spec, inputs),
    )
    stat = ErrorStats(
        output=spec.name,
        mean_relative=result.mean_relative,
        max_relative=result.max_relative,
        threshold=result.threshold,
        mismatched=int(np.count_nonzero(result.bad)),
        total=int(result.bad.size),
    )
    if result.passed:
        return None, stat
    diagnostic = describe(
        task=task,
        case=case,
        spec=spec,
        result=result,
        got=got,
        inputs=inputs,
        swapped=_swapped(task, case, spec, inputs),
    )
    return diagnostic, stat


def _same(task: Task, case: Case, spec: CaseTensor, inputs: Arrays) -> Callable[[], Array | None]:
    def compute() -> Array | None:
        values = same_precision(task, case, inputs, spec.dtype)
        return None if values is None else values[spec.name]

    return compute


def _swapped(task: Task, case: Case, spec: CaseTensor, inputs: Mapping[str, Array]) -> Callable[[str, str], Any]:
    def compute(first: str, second: str) -> Array | None:
        exchanged = {**inputs, first: inputs[second], second: inputs[first]}
        try:
            return reference(task, case, exchanged)[spec.name]
        except TaskError:
            return None  # a python reference may rightly refuse exchanged inputs; then there is nothing to see

    return compute
