"""The fuzzer of legal programs: accepted, no crash, no hang, no false report, the right values, the same every time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from agentkernel.diagnostic import Diagnostic
from agentkernel.errors import ToolchainError
from agentkernel.kernel import Kernel
from agentkernel.testing.fuzz.bench import Bench, Built, Launch
from agentkernel.testing.fuzz.elements import Array
from agentkernel.testing.fuzz.finding import Finding, Outcome
from agentkernel.testing.fuzz.generate import program as generate
from agentkernel.testing.fuzz.program import CLOSE, EXACT, Program
from agentkernel.verify import check_step

KIND = "legal"
BATCH = 24
"""Programs of one translation unit."""
_LIMITS = {"float": 1e-4, "half": 4e-3, "bfloat16_t": 4e-2}
"""Relative and absolute error of results of a function that is not rounded exactly."""


def outcomes(bench: Bench, seed: int, numbers: Sequence[int]) -> Iterator[Outcome]:
    """Judge the programs of some numbers.

    Raises:
        ToolchainError: The machine failed.
    """
    return judge(bench, {number: generate(f"{KIND}/{seed}/{number}") for number in numbers})


def judge(bench: Bench, numbered: Mapping[int, Program]) -> Iterator[Outcome]:
    """Judge programs, compiled together.

    Raises:
        ToolchainError: The machine failed.
    """
    programs = list(numbered.values())
    built, _ = bench.build(programs)
    try:
        for place, (number, program) in enumerate(numbered.items()):
            finding = _checked(program) or (
                _judged(bench, built, place, program) if built is not None else _alone(bench, program)
            )
            values = sum(quality <= CLOSE for quality in program.quality.values())
            yield Outcome(number=number, program=program, finding=finding, values=values)
    finally:
        if built is not None:
            bench.close(built)


def _checked(program: Program) -> Finding | None:
    found = check_step(Kernel.from_source(program.source, "kernel"), program.task())
    return _report(program, "the oracle reports", [d for d in found if d.is_error])


def _alone(bench: Bench, program: Program) -> Finding | None:
    built, diagnostics = bench.build([program])
    if built is None:
        return _report(program, "the compiler reports", [d for d in diagnostics if d.is_error])
    try:
        return _judged(bench, built, 0, program)
    finally:
        bench.close(built)


def _judged(bench: Bench, built: Built, place: int, program: Program) -> Finding | None:
    arrays = program.arrays()
    first = bench.launch(built, place, program, arrays)
    if first.errors or not first.completed:
        return _report(program, "the run reports", first.errors) or Finding(program.source, "the run does not end", ())
    wrong = _wrong_values(program, first, arrays)
    if wrong is not None:
        return wrong
    again = bench.launch(built, place, program, arrays, seed=1 + place if program.blocks > 1 else 0)
    if again.errors or not again.completed:
        return _report(program, "in another order of the cores the run reports", again.errors)
    for name, values in first.outputs.items():
        if values.tobytes() != again.outputs[name].tobytes():
            what = "in another order of the cores" if program.blocks > 1 else "in a second run"
            return Finding(program.source, f"{name} has other values {what}", ())
    return None


def _report(program: Program, what: str, found: Sequence[Diagnostic]) -> Finding | None:
    return Finding(program.source, what, tuple(found)) if found else None


def _wrong_values(program: Program, launch: Launch, arrays: dict[str, Array]) -> Finding | None:
    expected = program.expected(arrays)
    for output in program.outputs:
        quality = program.quality[output.name]
        if quality > CLOSE:
            continue
        got, right = launch.outputs[output.name], expected[output.name]
        if quality == EXACT:
            same = _equal(got, right)
        else:
            limit = _LIMITS.get(output.dtype)
            if limit is None:
                raise ToolchainError(f"{output.dtype} cannot be close", hint="this is a defect of the generator")
            with np.errstate(all="ignore"):
                wide = got.astype(np.float64), right.astype(np.float64)
                same = np.isclose(*wide, rtol=limit, atol=limit, equal_nan=True)
        if not same.all():
            at = int(np.flatnonzero(~same)[0])
            return Finding(
                program.source,
                f"{output.name}[{at}] is {got[at]} instead of {right[at]} ({(~same).sum()} of {same.size} are wrong)",
                (),
            )
    return None


def _equal(got: Array, right: Array) -> Array:
    with np.errstate(all="ignore"):
        same: Array = got == right
        if got.dtype.kind not in "iu":
            same = same | (np.isnan(got) & np.isnan(right))
    return same
