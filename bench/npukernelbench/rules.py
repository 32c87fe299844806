"""The benchmark's default rule of precision, which most of its tasks and many of its own checkers use.

An element fails when its absolute and its relative error are both above the bounds; a value that is not finite fails;
outputs are compared pairwise up to the shorter list (facts: npukernelbench 7.3). It is kept beside our own judgement
for the sake of comparison and decides nothing here.
"""

from __future__ import annotations

from typing import Any

from agentkernel.bench.npukernelbench.tensors import torch

MAX_ABSOLUTE = 1e-3
MAX_RELATIVE = 1e-3
_EPSILON = 1e-7


def check_precision(expected: Any, got: Any, max_abs_error: float, max_rel_error: float) -> tuple[int, Any, Any]:
    """Compare outputs.

    Returns:
        1 or 0, all absolute errors, all relative errors (flat tensors).
    """
    t = torch()
    right = True
    absolute, relative = [], []
    pairs = zip(
        expected if isinstance(expected, list) else [expected], got if isinstance(got, list) else [got], strict=False
    )
    for wanted, given in pairs:
        if given.dtype == t.bool:
            wanted, given = wanted.to(t.int), given.to(t.int)  # noqa: PLW2901
        off = t.abs(wanted - given)
        share = off / (t.abs(wanted) + _EPSILON)
        finite = all(bool(t.isfinite(values).all()) for values in (wanted, given, off, share))
        right = right and finite and not bool(((off > max_abs_error) & (share > max_rel_error)).any())
        absolute.append(off.reshape(-1))
        relative.append(share.reshape(-1))
    return int(right), t.cat(absolute), t.cat(relative)
