"""Sets the hazard detector's word beside the explorer's, mutant by mutant."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from typing import TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict

from agentkernel.errors import AgentKernelError
from agentkernel.testing.hazard_proof.bench import Batch, Bench, Launch
from agentkernel.testing.hazard_proof.explorer import Explorer, Verdict
from agentkernel.testing.hazard_proof.kernel import MarkedKernel
from agentkernel.testing.hazard_proof.mutations import Mutant, mutants
from agentkernel.testing.hazard_proof.random_kernels import random_cores, random_kernel
from agentkernel.testing.hazard_proof.schedule_text import describe

T = TypeVar("T")

BATCH = 150
"""Kernels in one translation unit: about three seconds to compile."""
HAZARDS = frozenset({"missing-sync", "gm-race"})
_CONSEQUENCES = frozenset({"uninitialised-read"})
"""Of a race between cores: one reads before the other has written."""
RANDOM = "random"
CORES_EVERY = 4
"""Each n-th random kernel has several cores."""
_FLAG_CODES = {"flag-already-set", "flag-left-set"}


class Column(StrEnum):
    """What became of a mutant."""

    CAUGHT = "racy and reported"
    SILENT = "not racy and not reported"
    FALSE = "false report"
    MISSED = "missed"
    UNCHANGED = "unordered and reported, nothing changes"
    """Random kernels only: both orders leave the same values, or what they leave is overwritten unread."""
    OTHER = "another rule broken"


class Outcome(BaseModel):
    """One mutant."""

    model_config = ConfigDict(frozen=True)

    kernel: str
    family: str
    kind: str
    statement: str
    codes: tuple[str, ...]
    """Errors that the simulator found."""
    completed: bool
    racy: bool
    """Some legal schedule changes what an instruction reads or what memory holds at the end."""
    seen: bool
    """It changes global memory or a scalar read: the kernel's result."""
    unordered: bool
    """Some conflicting accesses come in either order, whether or not that changes anything."""
    stuck: bool
    misuse: tuple[str, ...]
    column: Column
    disagreements: tuple[str, ...]
    """What the simulator and the explorer see differently."""
    details: str = ""
    """Source, findings and both schedules, where they disagree."""


class ProofError(AgentKernelError):
    """A kernel of the proof does not pass unchanged, so that its mutants would prove nothing."""


def _groups(items: Sequence[T], type_of: Callable[[T], str]) -> Iterator[Sequence[T]]:
    """What is compiled together, in order."""
    for _, same in itertools.groupby(items, key=type_of):
        alike = list(same)
        yield from (alike[at : at + BATCH] for at in range(0, len(alike), BATCH))


def check_unchanged(kernels: Sequence[MarkedKernel], bench: Bench) -> None:
    """Every kernel has the right values, no finding, and one result in all its schedules.

    Raises:
        ProofError: One has not.
    """
    for group in _groups(kernels, lambda kernel: kernel.type):
        batch = bench.batch(group)
        for number, kernel in enumerate(group):
            launch = batch.launch(number)
            verdict = Explorer(launch.traces, autosync=kernel.autosync).verdict()
            wrong = [*launch.codes, *verdict.misuse]
            if not launch.completed or launch.y is None or not np.array_equal(launch.y, kernel.expected()):
                wrong.append("wrong values")
            if verdict.racy_inside:
                wrong.append("its schedules differ")
            if verdict.stuck:
                wrong.append("it is stuck")
            if wrong:
                text = kernel.function(kernel.name) + _schedules(batch, number, launch, verdict)
                raise ProofError(f"{kernel.name} does not pass unchanged: {', '.join(wrong)}\n{text}")


def judge_all(
    kernels: Sequence[MarkedKernel],
    bench: Bench,
    *,
    every: int = 1,
    jobs: int = 2,
    progress: Callable[[int, int], None] | None = None,
) -> list[Outcome]:
    """Outcome of every mutant of every kernel.

    Args:
        kernels: Kernels that pass unchanged.
        bench: Where they run.
        every: Take each n-th mutant alone.
        jobs: Launches side by side.
        progress: Called with mutants done and in all.

    Raises:
        ToolchainError: The simulator itself failed.
        TooManySchedulesError: A mutant is too large for the explorer.
    """
    todo = [mutant for kernel in kernels for mutant in mutants(kernel)][::every]
    return _judge_mutants(todo, bench, jobs, progress)


def judge_random(
    seeds: Sequence[int], bench: Bench, *, jobs: int = 2, progress: Callable[[int, int], None] | None = None
) -> list[Outcome]:
    """Outcome of the random kernel of every seed; arguments and errors as for `judge_all`."""
    kernels = [random_kernel(seed) if seed % CORES_EVERY else random_cores(seed) for seed in seeds]
    todo = [Mutant(kernel=kernel, kind=RANDOM, statement="", place=0) for kernel in kernels]
    return _judge_mutants(todo, bench, jobs, progress)


def _judge_mutants(
    todo: Sequence[Mutant], bench: Bench, jobs: int, progress: Callable[[int, int], None] | None
) -> list[Outcome]:
    found: list[Outcome] = []
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        for group in _groups(todo, lambda mutant: mutant.kernel.type):
            batch = bench.batch([mutant.kernel for mutant in group])
            found += pool.map(_judge, [batch] * len(group), range(len(group)), group)
            batch.close()
            if progress is not None:
                progress(len(found), len(todo))
    return found


def _judge(batch: Batch, number: int, mutant: Mutant) -> Outcome:
    launch = batch.launch(number)
    verdict = Explorer(launch.traces, autosync=mutant.kernel.autosync).verdict()
    reported = not HAZARDS.isdisjoint(launch.codes)
    expected = HAZARDS | (_CONSEQUENCES if reported and mutant.kernel.blocks > 1 else frozenset())
    others = [code for code in launch.codes if code not in expected]
    disagreements = []
    comparable = launch.completed and not verdict.misuse and not verdict.stuck
    if comparable and verdict.racy_inside != reported:
        if verdict.racy_inside:
            disagreements.append("missed")
        elif mutant.kind != RANDOM or not verdict.unordered:
            disagreements.append("false report")
    if (launch.completed or "deadlock" in launch.codes) and verdict.stuck != ("deadlock" in launch.codes):
        disagreements.append("only the explorer is stuck" if verdict.stuck else "only the simulator is stuck")
    if launch.completed and bool(verdict.misuse) != bool(_FLAG_CODES & set(launch.codes)):
        disagreements.append("misuse of flags")
    if others or not launch.completed:
        column = Column.OTHER
    elif verdict.racy_inside:
        column = Column.CAUGHT if reported else Column.MISSED
    elif not reported:
        column = Column.SILENT
    else:
        column = Column.UNCHANGED if verdict.unordered and mutant.kind == RANDOM else Column.FALSE
    details = ""
    if disagreements:
        findings = "".join(f"{d.code}, line {d.location.line if d.location else '?'}: {d.message}\n"
                           for d in launch.diagnostics if d.is_error)  # fmt: skip
        text = mutant.kernel.function(mutant.kernel.name)
        numbered = "".join(f"{n:3} {line}\n" for n, line in enumerate(text.splitlines(), start=1))
        details = numbered + findings + _schedules(batch, number, launch, verdict)
    return Outcome(
        kernel=mutant.kernel.name,
        family=mutant.kernel.family,
        kind=mutant.kind,
        statement=mutant.statement,
        codes=launch.codes,
        completed=launch.completed,
        racy=verdict.racy_inside,
        seen=verdict.racy,
        unordered=verdict.unordered,
        stuck=verdict.stuck,
        misuse=verdict.misuse,
        column=column,
        disagreements=tuple(disagreements),
        details=details,
    )


def _schedules(batch: Batch, number: int, launch: Launch, verdict: Verdict) -> str:
    lines = batch.lines(number, launch.trace)
    text = "in program order:\n" + describe(verdict.reference, launch.trace, lines)
    if verdict.racy_inside:
        text += "with another result:\n" + describe(verdict.other, launch.trace, lines)
    return text
