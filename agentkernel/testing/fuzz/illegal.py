"""The fuzzer of illegal programs: a legal one with exactly one rule broken, which has to be reported."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentkernel.diagnostic import Diagnostic
from agentkernel.kernel import Kernel
from agentkernel.testing.fuzz.bench import Bench
from agentkernel.testing.fuzz.finding import Finding, Outcome
from agentkernel.testing.fuzz.generate import program as generate
from agentkernel.testing.fuzz.mutation import Mutant, Mutation
from agentkernel.testing.fuzz.operand_mutations import MUTATIONS as OF_OPERANDS
from agentkernel.testing.fuzz.order_mutations import MUTATIONS as OF_ORDER
from agentkernel.testing.fuzz.source_mutations import MUTATIONS as IN_THE_TEXT
from agentkernel.verify import check_step

KIND = "illegal"
BATCH = 48
MUTATIONS = (*IN_THE_TEXT, *OF_OPERANDS, *OF_ORDER)
_TRIES = 400
"""Legal programs that are looked at for a place where a rule can be broken."""


@dataclass(frozen=True)
class Candidate:
    """A program to judge."""

    number: int
    mutation: Mutation
    mutant: Mutant


def candidate(seed: int, number: int) -> Candidate:
    """The program of a number: its rule is the number's, in turn."""
    for step in range(len(MUTATIONS)):
        mutation = MUTATIONS[(number + step) % len(MUTATIONS)]
        for again in range(_TRIES):
            name = f"{KIND}/{seed}/{number}/{again}"
            mutant = mutation.apply(generate(name), random.Random(name))
            if mutant is not None:
                return Candidate(number, mutation, mutant)
    raise AssertionError("unreachable: many rules can be broken in any program")


def outcomes(bench: Bench, seed: int, numbers: Sequence[int]) -> Iterator[Outcome]:
    """Judge the programs of some numbers.

    Raises:
        ToolchainError: The machine failed.
    """
    return judge(bench, [candidate(seed, number) for number in numbers])


def judge(bench: Bench, candidates: Sequence[Candidate]) -> Iterator[Outcome]:
    """Judge programs; those that only a run can find wrong are compiled together.

    Raises:
        ToolchainError: The machine failed.
    """
    left = []
    for found in candidates:
        errors = _checked(found.mutant)
        if errors:
            yield _judged(found, errors)
        elif found.mutation.compiles:
            left.append(found)
        else:
            yield _compiled(bench, found)
    yield from _launched(bench, left)


def _checked(mutant: Mutant) -> tuple[Diagnostic, ...]:
    kernel = Kernel.from_source(mutant.program.source, "kernel")
    return tuple(d for d in check_step(kernel, mutant.program.task()) if d.is_error)


def _compiled(bench: Bench, found: Candidate) -> Outcome:
    built, diagnostics = bench.build([found.mutant.program])
    if built is None:
        return _judged(found, tuple(d for d in diagnostics if d.is_error))
    bench.close(built)
    return _judged(found, ())


def _launched(bench: Bench, left: Sequence[Candidate]) -> Iterator[Outcome]:
    if not left:
        return
    built, diagnostics = bench.build([found.mutant.program for found in left])
    if built is None:
        if len(left) == 1:
            yield _judged(left[0], tuple(d for d in diagnostics if d.is_error))
            return
        for found in left:
            yield from _launched(bench, [found])
        return
    try:
        for place, found in enumerate(left):
            program = found.mutant.program
            yield _judged(found, bench.launch(built, place, program, program.arrays()).errors)
    finally:
        bench.close(built)


def _judged(found: Candidate, errors: Sequence[Diagnostic]) -> Outcome:
    mutation, mutant = found.mutation, found.mutant
    right = [d for d in errors if d.code in mutation.codes]
    reason = ""
    if not errors:
        reason = "nothing is reported"
    elif not right:
        reason = f"none of {', '.join(sorted(mutation.codes))} is reported"
    elif mutant.line is not None and not any(_names(d, mutant.line) for d in right):
        reason = f"line {mutant.line} is not named"
    finding = Finding(mutant.program.source, reason, tuple(errors)) if reason else None
    return Outcome(number=found.number, program=mutant.program, finding=finding, mutation=mutation.name)


def _names(diagnostic: Diagnostic, line: int) -> bool:
    lines = [place.line for place, _ in diagnostic.related]
    if diagnostic.location is not None:
        lines.append(diagnostic.location.line)
    # a compiler may notice a missing sign at the beginning of the next line
    return line in lines or (diagnostic.code in ("syntax", "compile-error") and line + 1 in lines)
