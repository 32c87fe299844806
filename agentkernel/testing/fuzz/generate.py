"""The program of a seed: a body of random statements in a frame that moves tiles in and out."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from itertools import count

from agentkernel.testing.fuzz import conversions, elementwise, forms, movement, reductions, unusual
from agentkernel.testing.fuzz.frames import MOST, Frame
from agentkernel.testing.fuzz.program import Program
from agentkernel.testing.fuzz.scope import Scope

Family = Callable[[Scope], bool]

FAMILIES: tuple[tuple[Family, int], ...] = (
    (partial(elementwise.counted, kind="binary"), 4),
    (partial(elementwise.counted, kind="unary"), 3),
    (partial(elementwise.counted, kind="scalar"), 3),
    (partial(elementwise.masked, kind="binary"), 4),
    (partial(elementwise.masked, kind="unary"), 2),
    (partial(elementwise.masked, kind="scalar"), 2),
    (elementwise.counter_mode, 1),
    (elementwise.library, 2),
    (elementwise.operators, 1),
    (partial(conversions.cast, masked=False), 4),
    (partial(conversions.cast, masked=True), 3),
    (conversions.compare_and_select, 2),
    (reductions.per_repeat, 2),
    (reductions.per_block, 2),
    (reductions.complete, 2),
    *((family, 1) for family in (*movement.FAMILIES, *unusual.FAMILIES, *forms.FAMILIES)),
)
"""Families of statements, with how often they come."""


def program(seed: str) -> Program:
    """The legal program of a seed."""
    for again in count():
        frame = _frame(random.Random(f"{seed}.{again}"))
        if frame.bytes <= MOST:
            return frame.finish(seed)
    raise AssertionError("unreachable: small frames fit")


def _frame(chance: random.Random) -> Frame:
    frame = Frame.draw(chance)
    length = chance.randint(2, 9)
    families = [family for family, _ in FAMILIES]
    weights = [weight for _, weight in FAMILIES]
    written = tries = 0
    while written < length and tries < 60:
        tries += 1
        written += chance.choices(families, weights)[0](frame.scope)
    return frame
