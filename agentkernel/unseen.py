"""A kernel that is right on every case is run once more on values that nobody has seen.

The inputs of a case are drawn from a seed that is written in the task, so a kernel could hold the answers instead of
computing them. The values of this run follow from the kernel's own text: the same for the same kernel, and not to be
known while it is written. Where the toolchain can, cores run in another order and its memory is sealed as well.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from agentkernel.diagnostic import Diagnostic, Level
from agentkernel.task import Case, Task
from agentkernel.toolchains.base import Arrays, Build, Run, Toolchain
from agentkernel.verdict import CaseResult

MOST_ELEMENTS = 1 << 20
"""Elements of all inputs and outputs of a case that is run again; where all are larger, none is."""


@runtime_checkable
class StrictToolchain(Protocol):
    """A toolchain that can run a kernel under conditions of which a right one does not depend."""

    def run_strictly(self, build: Build, case: Case, inputs: Arrays) -> Run:
        """As `run`, with cores in another order and what the toolchain itself needs out of the kernel's reach."""
        ...


def chosen_case(task: Task, cases: Sequence[Case]) -> Case | None:
    """The smallest case; None where values come from elsewhere or every case is large."""
    if task.reference.external is not None or not cases:
        return None
    sizes = [(_elements(task, case), index) for index, case in enumerate(cases)]
    size, index = min(sizes)
    return cases[index] if size <= MOST_ELEMENTS else None


def _elements(task: Task, case: Case) -> int:
    return sum(int(np.prod(task.shape_of(spec, case), dtype=np.int64)) for spec in (*task.inputs, *task.outputs))


def unseen(build: Build, case: Case) -> Case:
    """The case with the seed that belongs to the kernel's text."""
    parts = [build.task.digest, *(part for item in sorted(build.kernel.files.items()) for part in item)]
    digest = hashlib.sha256("\0".join(parts).encode()).digest()
    return case.model_copy(update={"seed": int.from_bytes(digest[:4], "little")})


def check_unseen(
    build: Build, toolchain: Toolchain, case: Case, seen: Mapping[str, Any], expected: Mapping[str, Any]
) -> tuple[Diagnostic, ...]:
    """What is wrong with a kernel on values that it has not seen; nothing for a right one.

    Args:
        build: A build whose kernel passes the case.
        toolchain: What built it.
        case: The case.
        seen: Inputs that it was judged with.
        expected: Reference values of these.

    Raises:
        ToolchainError: The toolchain is missing or broken.
        TaskError: The reference cannot be evaluated.
    """
    from agentkernel.judge import case_values, judge

    other = unseen(build, case)
    inputs, reference = case_values(build.task, other)
    if all(np.array_equal(inputs[name], seen[name], equal_nan=inputs[name].dtype.kind in "fc") for name in inputs):
        return ()  # constant fills: there are no other values
    run_it = toolchain.run_strictly if isinstance(toolchain, StrictToolchain) else toolchain.run
    run = run_it(build, other, {name: values.view() for name, values in inputs.items()})
    result = judge(build.task, other, inputs, run, expected=reference)
    if result.passed:
        return ()
    if run.completed and _has(build.task, other, inputs, run, expected):
        return (_memorised(case),)
    return tuple(_worded(d) for d in result.diagnostics if d.is_error)


def amend(results: Sequence[CaseResult], case: Case, found: Sequence[Diagnostic]) -> tuple[CaseResult, ...]:
    """The results with what was found added to its case, which does not pass any more."""
    return tuple(
        one.model_copy(update={"passed": False, "diagnostics": (*one.diagnostics, *found)})
        if found and one.case == case.name
        else one
        for one in results
    )


def _has(task: Task, case: Case, inputs: Mapping[str, Any], run: Run, expected: Mapping[str, Any]) -> bool:
    from agentkernel.judge import judge

    return judge(task, case, dict(inputs), run, expected=dict(expected)).passed


def _memorised(case: Case) -> Diagnostic:
    return Diagnostic(
        code="memorised-values",
        level=Level.CHEAT,
        message=f"On other inputs of case {case.name}'s shapes the kernel gives the outputs of the case's own inputs.",
        hint="compute the outputs from the inputs",
        evidence={"case": case.name, "values": "unseen"},
    )


def _worded(found: Diagnostic) -> Diagnostic:
    return found.model_copy(
        update={
            "message": f"On values that are in no case: {found.message}",
            "evidence": {**found.evidence, "values": "unseen"},
        }
    )
