"""Every mistake is reported with its code and lines, and its corrected twin is clean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import pytest

from . import access, arguments, automatic, barriers, buffers, cores, flags, orders, queues, states
from .mistake import Bodies, Legal, Mistake, assert_clean, assert_reported, names


class Group:
    """Kernels that share a translation unit, compiled when the first of them is launched."""

    def __init__(
        self, mistakes: Sequence[Mistake], legal: Sequence[Legal], *, blocks: int = 1, autosync: bool = True
    ) -> None:
        names([*mistakes, *legal])
        self.mistakes = mistakes
        self.legal = legal
        bodies = {f"wrong: {m.name}": m.lines(wrong=True) for m in mistakes}
        bodies |= {f"right: {m.name}": m.lines(wrong=False) for m in mistakes}
        bodies |= {f"legal: {k.name}": k.lines() for k in legal}
        self.build: Callable[[], Bodies] = cache(lambda: Bodies(bodies, blocks=blocks, autosync=autosync))


GROUPS = {
    "orders": Group(orders.MISTAKES, orders.LEGAL),
    "not automatic": Group(automatic.NEVER, ()),
    "automatic off": Group(automatic.COVERED, automatic.WITHOUT, autosync=False),
    "flags": Group(flags.MISTAKES, flags.LEGAL),
    "states": Group(states.MISTAKES, ()),
    "buffers": Group(buffers.MISTAKES, ()),
    "queue order": Group(queues.MISTAKES, queues.LEGAL),
    "access": Group(access.MISTAKES, ()),
    "arguments": Group(arguments.MISTAKES, arguments.LEGAL),
    "cache": Group(cores.CACHE, ()),
    "two cores": Group(cores.RACES, cores.LEGAL, blocks=2),
    "synchronised cores": Group(barriers.MISTAKES, barriers.LEGAL, blocks=2),
}

MISTAKES = [
    pytest.param(group, mistake, id=f"{name}: {mistake.name}")
    for name, group in GROUPS.items()
    for mistake in group.mistakes
]
LEGAL = [
    pytest.param(group, kernel, id=f"{name}: {kernel.name}") for name, group in GROUPS.items() for kernel in group.legal
]

AUTOMATIC = Group(automatic.COVERED, ())
"""The texts that need automatic synchronisation, with it."""


def test_number_of_kernels() -> None:
    assert len(MISTAKES) >= 60
    assert len(LEGAL) + len(MISTAKES) + len(AUTOMATIC.mistakes) >= 60


@pytest.mark.parametrize(("group", "mistake"), MISTAKES)
def test_mistake_is_reported(group: Group, mistake: Mistake) -> None:
    kernels = group.build()
    name = f"wrong: {mistake.name}"
    assert_reported(mistake, kernels.run(name), kernels.marked[name])


@pytest.mark.parametrize(("group", "mistake"), MISTAKES)
def test_corrected_twin_is_clean(group: Group, mistake: Mistake) -> None:
    assert_clean(mistake.name, group.build().run(f"right: {mistake.name}"))


@pytest.mark.parametrize(("group", "kernel"), LEGAL)
def test_legal_kernel_is_clean(group: Group, kernel: Legal) -> None:
    assert_clean(kernel.name, group.build().run(f"legal: {kernel.name}"))


@pytest.mark.parametrize("mistake", AUTOMATIC.mistakes, ids=lambda m: m.name)
def test_automatic_synchronisation_makes_the_edge(mistake: Mistake) -> None:
    kernels = AUTOMATIC.build()
    for version in ("wrong", "right"):
        assert_clean(f"{mistake.name} ({version})", kernels.run(f"{version}: {mistake.name}"))
