"""The compiler's automatic synchronisation, as flags between entries of a trace.

Facts, section 7: it orders dependent instructions of V among themselves, and of V, MTE2 and MTE3 with scalar accesses,
in both directions, for the scalar calls that it knows. Nothing between MTE2, V and MTE3. How many flags it sets is its
own affair; what can be relied on is one flag per dependence: set right behind the first of the two, awaited right
before the second. A flag takes effect when all that its pipe was given before it is complete, so the latest dependence
on a pipe covers the earlier ones.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from agentkernel.testing.hazard_proof.cells import Effect

_SCALAR_PARTNERS = frozenset({"V", "MTE2", "MTE3"})


class Dependence(BaseModel):
    """The instruction at place `second` waits for the one at place `first` (both count instructions, from 0)."""

    model_config = ConfigDict(frozen=True)

    first: int
    second: int


def conflict(a: Effect, b: Effect) -> bool:
    """Whether two instructions touch a cell that one of them writes; atomic stores do not disturb each other."""
    written = (a.write_cells & (b.read_cells | b.write_cells)) | (a.read_cells & b.write_cells)
    return bool(written - (a.atomic_cells & b.atomic_cells))


def _covered(first: Effect, second: Effect) -> bool:
    pipes = (first.issue.pipe, second.issue.pipe)
    if pipes == ("V", "V"):
        return True
    if pipes[0] == "S":
        return first.issue.auto_sync and pipes[1] in _SCALAR_PARTNERS
    return pipes[1] == "S" and second.issue.auto_sync and pipes[0] in _SCALAR_PARTNERS


def dependences(effects: list[Effect]) -> list[Dependence]:
    """Pairs that the compiler orders: for every instruction the latest it depends on, per pipe."""
    found = []
    for second, effect in enumerate(effects):
        seen: set[str] = set()
        for first in range(second - 1, -1, -1):
            earlier = effects[first]
            if earlier.issue.pipe in seen or not _covered(earlier, effect) or not conflict(earlier, effect):
                continue
            seen.add(earlier.issue.pipe)
            found.append(Dependence(first=first, second=second))
    return found
