"""A broken rule: a change of a legal program with a known effect."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from agentkernel.testing.fuzz.program import Line, Program


@dataclass(frozen=True)
class Mutant:
    """A program with one broken rule."""

    program: Program
    line: int | None
    """Line of its file that a report has to name; None where the rule concerns no single line."""


@dataclass(frozen=True)
class Mutation:
    """A rule, how to break it, and what has to be reported."""

    name: str
    codes: frozenset[str]
    """Codes of the right family: one of them has to be reported, as an error."""
    apply: Callable[[Program, random.Random], Mutant | None]
    """None where the program has no place for it."""
    compiles: bool
    """Whether oracle and compiler may let it pass: then the run has to report it."""


def changed(program: Program, at: int, *lines: Line, named: bool = True) -> Mutant:
    """The program with other lines in place of one; the report names the first of them."""
    rows = (*program.lines[:at], *lines, *program.lines[at + 1 :])
    return Mutant(replace(program, lines=rows), program.first_line + at if named else None)


def without(program: Program, *places: int) -> Mutant:
    """The program without some lines."""
    rows = tuple(line for i, line in enumerate(program.lines) if i not in places)
    return Mutant(replace(program, lines=rows), None)


def inserted(program: Program, at: int, text: str, *, named: bool = True) -> Mutant:
    """The program with one more line before line `at`."""
    rows = (*program.lines[:at], Line(text), *program.lines[at:])
    return Mutant(replace(program, lines=rows), program.first_line + at if named else None)


def places(program: Program, *kinds: str) -> list[int]:
    """Lines of some kinds."""
    return [i for i, line in enumerate(program.lines) if line.kind in kinds]


def some(chance: random.Random, found: Sequence[int]) -> int | None:
    """One of the places."""
    return chance.choice(found) if found else None


def calls(program: Program, *roles: str, forms: Sequence[str] = ()) -> list[tuple[int, int]]:
    """(line, argument) of every argument of some roles in calls of some forms."""
    return [
        (i, at)
        for i, line in enumerate(program.lines)
        if line.call is not None and (not forms or line.call.form in forms)
        for at in line.call.find(*roles)
    ]


def with_call(line: Line, text: str) -> Line:
    """The line with other text."""
    return replace(line, text=text, call=None)
