"""Oracles of reductions (facts: semantics, section 4)."""

from __future__ import annotations

import numpy as np

from .addressing import Stride, indices
from .batch import Array


def tree_sum(values: Array, enabled: Array | None = None) -> np.generic:
    """Sum over adjacent pairs, then pairs of those, and so on, each rounded to the type; other lanes take no part."""
    on = np.ones(values.size, bool) if enabled is None else enabled
    level: list[np.generic | None] = [v if e else None for v, e in zip(values, on, strict=True)]
    with np.errstate(all="ignore"):
        while len(level) > 1:
            level += [None] * (len(level) % 2)
            level = [_plus(a, b) for a, b in zip(level[::2], level[1::2], strict=True)]
    assert level[0] is not None, "a sum of no lanes has no value"
    return level[0]


def _plus(a: np.generic | None, b: np.generic | None) -> np.generic | None:
    if a is None or b is None:
        return b if a is None else a
    return a + b  # type: ignore[operator]


def extreme(values: Array, enabled: Array, *, largest: bool) -> tuple[np.generic, int]:
    """Value and smallest lane of the extreme among the enabled lanes; NaN wins."""
    lanes = np.flatnonzero(enabled)
    chosen = values[lanes]
    at = int(np.argmax(chosen) if largest else np.argmin(chosen))
    return chosen[at], int(lanes[at])


def rows(source: Array, repeats: int, stride: Stride) -> list[Array]:
    """The lanes of each repeat."""
    lanes = 256 // source.itemsize
    return [source[indices(r, stride, source.itemsize, lanes)] for r in range(repeats)]


def index_bits(index: int, dtype: np.dtype) -> np.generic:
    """An index stored as bits in an element of the type."""
    return np.array([index], np.dtype(f"u{dtype.itemsize}")).view(dtype)[0]
