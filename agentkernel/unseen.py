"""A kernel that is right on every case is run once more on values, and where it can be on sizes, that nobody has seen.

The inputs of a case are drawn from a seed that is written in the task, so a kernel could hold the answers instead of
computing them, or be right for the sizes of the cases alone. The values of this run, and its sizes where the task says
which ones a kernel is for (`Task.sizes`), follow from the kernel's own text: the same for the same kernel, and unknown
while it is written. Where the toolchain can, cores run in another order and its memory is sealed as well.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from agentkernel.diagnostic import Diagnostic, Level
from agentkernel.task import Case, Fill, Task
from agentkernel.toolchains.base import Arrays, Build, Run, Toolchain
from agentkernel.verdict import CaseResult

MOST_ELEMENTS = 1 << 20
"""Elements of all inputs and outputs of a case that is run again; where all are larger, none is."""
MOST_ELEMENTS_OF_OTHER_SIZES = 1 << 18
_TRIES = 32


@runtime_checkable
class StrictToolchain(Protocol):
    """A toolchain that can run a kernel under conditions of which a right one does not depend."""

    def run_strictly(self, build: Build, case: Case, inputs: Arrays) -> Run:
        """As `run`, with cores in another order and what the toolchain itself needs out of the kernel's reach."""
        ...


def chosen_case(task: Task, cases: Sequence[Case]) -> Case | None:
    """The smallest case that has other values, else the smallest.

    None where values come from elsewhere or every case is large.
    """
    if task.reference.external is not None:
        return None
    small = [case for case in cases if _elements(task, case) <= MOST_ELEMENTS]
    return min(small, key=lambda case: (not _varies(task, case), _elements(task, case)), default=None)


def _varies(task: Task, case: Case) -> bool:
    return any(case.fills.get(spec.name, Fill()).kind != "constant" for spec in task.inputs)


def _elements(task: Task, case: Case) -> int:
    return sum(math.prod(one.shape) for one in (*task.inputs_of(case), *task.outputs_of(case)))


def unseen_cases(build: Build, case: Case) -> tuple[Case, ...]:
    """The case with the seed that belongs to the kernel's text; then with sizes that do, where the task has ranges."""
    task = build.task
    parts = [task.digest, *(part for item in sorted(build.kernel.files.items()) for part in item)]
    seed = int.from_bytes(hashlib.sha256("\0".join(parts).encode()).digest()[:4], "little")
    same = case.model_copy(update={"seed": seed})
    dims = _other_sizes(task, case, random.Random(seed)) if task.sizes else None
    return (same,) if dims is None else (same, same.model_copy(update={"dims": dims}))


def _other_sizes(task: Task, case: Case, rng: random.Random) -> dict[str, int] | None:
    """Sizes of the task's ranges that no case has; small ones and large ones alike, as far as they stay quick."""
    most = {name: max(one.dims[name] for one in task.cases) for name in task.sizes}
    for _ in range(_TRIES):
        dims = dict(case.dims)
        for name, sizes in task.sizes.items():
            dims[name] = sizes.draw(rng, most=4 * most[name])
        if all(one.dims != dims for one in task.cases):
            other = case.model_copy(update={"dims": dims})
            if _elements(task, other) <= MOST_ELEMENTS_OF_OTHER_SIZES:
                return dims
    return None


def check_unseen(
    build: Build, toolchain: Toolchain, case: Case, seen: Mapping[str, Any], expected: Mapping[str, Any]
) -> tuple[Diagnostic, ...]:
    """What is wrong with a kernel on values and sizes that it has not seen; nothing for a right one.

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

    run_it = toolchain.run_strictly if isinstance(toolchain, StrictToolchain) else toolchain.run
    for other in unseen_cases(build, case):
        inputs, reference = case_values(build.task, other)
        run = run_it(build, other, {name: values.view() for name, values in inputs.items()})
        result = judge(build.task, other, inputs, run, expected=reference)
        if result.passed:
            continue
        comparable = run.completed and other.dims == case.dims and not _same(inputs, seen)
        if comparable and judge(build.task, other, inputs, run, expected=dict(expected)).passed:
            return (_memorised(case),)
        return tuple(_worded(found, case, other) for found in result.diagnostics if found.is_error)
    return ()


def failed_by(results: Sequence[CaseResult], case: Case, found: Sequence[Diagnostic]) -> tuple[CaseResult, ...]:
    """The results with what was found added to its case, which does not pass any more."""
    return tuple(
        one.model_copy(update={"passed": False, "diagnostics": (*one.diagnostics, *found)})
        if found and one.case == case.name
        else one
        for one in results
    )


def _same(inputs: Mapping[str, Any], seen: Mapping[str, Any]) -> bool:
    return all(np.array_equal(inputs[name], seen[name], equal_nan=inputs[name].dtype.kind in "fc") for name in inputs)


def _memorised(case: Case) -> Diagnostic:
    return Diagnostic(
        code="memorised-values",
        level=Level.CHEAT,
        message=f"On other inputs of case {case.name}'s shapes the kernel gives the outputs of the case's own inputs.",
        hint="compute the outputs from the inputs",
        evidence={"case": case.name, "values": "unseen"},
    )


def _worded(found: Diagnostic, case: Case, other: Case) -> Diagnostic:
    where = "values that are in no case"
    if other.dims != case.dims:
        where = "sizes that are in no case (" + ", ".join(f"{name} = {size}" for name, size in other.dims.items()) + ")"
    evidence = {**found.evidence, "values": "unseen", "sizes": other.dims}
    return found.model_copy(update={"message": f"On {where}: {found.message}", "evidence": evidence})
