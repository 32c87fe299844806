"""A broken rule: a change of a legal program with a known effect."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from agentkernel.testing.fuzz.program import Line, Program

Apply = Callable[[Program, random.Random], "Mutant | None"]
"""How a rule is broken; None where the program has no place for it."""
_TILE = re.compile(r"at \+= (\d+)\)")


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


def tile(program: Program) -> int:
    """Elements of a tile."""
    found = next(m for line in program.lines if (m := _TILE.search(line.text)))
    return int(found[1])


def replaced(kind: str, pattern: str, new: str, *, key: str = "", named: bool = True) -> Apply:
    """Other text in a line of a kind."""

    def apply(program: Program, chance: random.Random) -> Mutant | None:
        found = [i for i in places(program, kind) if re.search(pattern, program.lines[i].text)
                 and (not key or program.lines[i].key in key.split())]  # fmt: skip
        at = some(chance, found)
        if at is None:
            return None
        text = re.sub(pattern, new, program.lines[at].text, count=1)
        return changed(program, at, with_call(program.lines[at], text), named=named)

    return apply


def argument(roles: str, new: str, *, forms: str = "", extra: Callable[[Program, int], bool] | None = None) -> Apply:
    """Another argument in a call; `{}` stands for the old one."""

    def apply(program: Program, chance: random.Random) -> Mutant | None:
        found = [(i, a) for i, a in calls(program, *roles.split(), forms=forms.split())
                 if extra is None or extra(program, i)]  # fmt: skip
        if not found:
            return None
        at, arg = chance.choice(found)
        call = program.lines[at].call
        assert call is not None
        text = new.replace("{}", call.args[arg].text).replace("{room}", str(tile(program)))
        return changed(program, at, with_call(program.lines[at], call.with_arg(arg, text).text()))

    return apply


def removed(kind: str, *, keys: str = "", text: str = "") -> Apply:
    """A line is missing."""

    def apply(program: Program, chance: random.Random) -> Mutant | None:
        found = [i for i in places(program, kind) if (not keys or program.lines[i].key in keys.split())
                 and (not text or re.search(text, program.lines[i].text))]  # fmt: skip
        at = some(chance, found)
        return None if at is None else without(program, at)

    return apply


def doubled(kind: str) -> Apply:
    """A line stands there twice; the second one is named."""

    def apply(program: Program, chance: random.Random) -> Mutant | None:
        at = some(chance, places(program, kind))
        return None if at is None else inserted(program, at + 1, program.lines[at].text)

    return apply


def at_end(text: str, style: str, *, named: bool = True) -> Apply:
    """One more line at the end of the function, in programs that have a line of some kind."""

    def apply(program: Program, chance: random.Random) -> Mutant | None:
        return inserted(program, len(program.lines), text, named=named) if places(program, style) else None

    return apply


def before_loop(text: str) -> Apply:
    """One more line before the loop."""
    return lambda program, chance: inserted(program, places(program, "base")[0], text)


def in_a_run(name: str, codes: str, apply: Apply) -> Mutation:
    """A rule that oracle and compiler let pass; one of some codes, in one text, has to be reported."""
    return Mutation(name, frozenset(codes.split()), apply, compiles=True)
