"""The precision standard of results (facts: sockets, section 1.6), against float64."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .batch import Array
from .values import BF16, FLOAT, HALF


class Limits(NamedTuple):
    """One row of the standard."""

    mean: float
    """Mean relative error; ten times it for one element."""
    small: float
    """Below it an absolute error counts."""
    small_error: float
    cancelled: float
    """Results below it may come from cancellation."""


LIMITS = {
    HALF: Limits(2**-10, 2**-11, 2**-16, 2**-5),
    BF16: Limits(2**-7, 2**-8, 2**-16, 2**-3),
    FLOAT: Limits(2**-13, 2**-14, 2**-30, 2**-8),
}
_ERRORS = 2
"""Elements of the small-value and of the cancellation zone that may be off when no other result is at hand."""


def assert_meets(got: Array, exact: Array, context: str = "") -> None:
    """A result meets the standard of its dtype; integers are equal.

    Args:
        got: The kernel's output.
        exact: The same in float64 (or integers), of the same shape.
        context: What to say in front of a failure.
    """
    assert got.shape == exact.shape, f"{context}: shape {got.shape}, expected {exact.shape}"
    if got.dtype not in LIMITS:
        wrong = np.flatnonzero(got.ravel() != exact.ravel())
        assert wrong.size == 0, f"{context}: {wrong.size} of {got.size} differ, first at {wrong[:8]}"
        return
    limits = LIMITS[got.dtype]
    a, g = got.astype(np.float64), exact.astype(got.dtype).astype(np.float64)
    assert np.isfinite(a).all(), f"{context}: not finite at {np.flatnonzero(~np.isfinite(a.ravel()))[:8]}"
    error = np.abs(a - g)
    relative = error / (np.abs(g) + 1e-7)
    if relative.mean() < limits.mean and relative.max() < 10 * limits.mean:
        return
    small = np.abs(g) < limits.small
    cancelled = ~small & (np.abs(a) < limits.cancelled) & (np.abs(g) < limits.cancelled)
    normal = ~small & ~cancelled
    off = relative > 10 * limits.mean
    counts = (int((error[small] > limits.small_error).sum()), int(off[cancelled].sum()), int(off[normal].sum()))
    assert counts[0] <= _ERRORS and counts[1] <= _ERRORS and counts[2] == 0, (
        f"{context}: {counts} elements of the small, cancelled and normal zone are off; mean relative error "
        f"{relative.mean():.3g}, largest {relative.max():.3g} at {int(relative.argmax())}"
    )
