"""Our own judgement of what an operator gave back, beside the benchmark's.

Outputs are compared with the reference in float64 where it can be had (the reference model on float64 inputs), else
with the reference model as it is, by the precision standard of `agentkernel.judge`. The shapes and types of outputs are
made by the benchmark's bindings, not by the answer: where they differ from the reference's in form alone it is a note.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel.dtypes import DType
from agentkernel.judge import compare

Array = NDArray[Any]

_HALVES: dict[np.dtype[Any], np.dtype[Any]] = {
    np.dtype(np.complex64): np.dtype(np.float32),
    np.dtype(np.complex128): np.dtype(np.float64),
}


@dataclass(frozen=True)
class Output:
    """One value of a model's result."""

    name: str
    """Its place in the result, e.g. `0` or `1.2`; empty for a single one."""
    array: Array | None
    """None where it is no tensor."""


@dataclass(frozen=True)
class Judgement:
    """What we find."""

    passed: bool
    reason: str = ""
    """Why not: the first output that is wrong."""
    notes: tuple[str, ...] = ()
    max_relative: float = 0.0
    """Largest relative error of all outputs."""


def judge_outputs(got: Sequence[Output], native: Sequence[Output], double: Sequence[Output] | None) -> Judgement:
    """Compare a model's results with the reference's.

    Args:
        got: What the model on the kernel gave.
        native: What the reference gave.
        double: What the reference gave on float64 inputs, None where it takes none.
    """
    notes: list[str] = []
    if not got and native:
        return Judgement(False, f"no output instead of {len(native)}")
    if len(got) < len(native):
        # the bindings choose what they hand on, and the benchmark's checkers go up to the shorter list
        notes.append(f"{len(got)} outputs instead of {len(native)}")
    if len(got) > len(native):
        notes.append(f"{len(got) - len(native)} outputs have no reference")
    wide = double if double is not None and len(double) == len(native) else [None] * len(native)
    reason, worst = "", 0.0
    for mine, plain, exact in zip(got, native, wide, strict=False):
        if mine.array is None or plain.array is None:
            if (mine.array is None) != (plain.array is None):
                reason = reason or f"output {mine.name or '0'} is {'missing' if mine.array is None else 'not expected'}"
            continue
        if mine.array.size != plain.array.size:
            shapes = f"{list(mine.array.shape)} instead of {list(plain.array.shape)}"
            reason = reason or f"output {mine.name or '0'} has shape {shapes}"
            continue
        notes += _form(mine, plain.array)
        text, largest = _numbers(mine, plain.array, None if exact is None else exact.array)
        reason, worst = reason or text, max(worst, largest)
    return Judgement(not reason, reason, tuple(dict.fromkeys(notes)), worst)


def _form(mine: Output, plain: Array) -> list[str]:
    assert mine.array is not None
    found = []
    if mine.array.shape != plain.shape:
        found.append(f"shape {list(mine.array.shape)} for {list(plain.shape)}")
    if mine.array.dtype != plain.dtype:
        found.append(f"type {mine.array.dtype.name} for {plain.dtype.name}")
    return found


def _numbers(mine: Output, plain: Array, exact: Array | None) -> tuple[str, float]:
    """Why an output is wrong (empty where it is right), and its largest relative error."""
    assert mine.array is not None
    given = mine.array
    if given.dtype.kind == "c" and plain.dtype.kind != "c":
        given = given.real  # the bindings give a real result the type of a complex input
    got, native = _real(given).reshape(-1), _real(plain).reshape(-1)
    dtype = _judged_as(got.dtype)
    # rounding decides integers and truth values: there the reference's own precision is part of its meaning
    wider = "c" if plain.dtype.kind == "c" else "f"
    use = exact is not None and exact.size == plain.size and dtype.is_float and exact.dtype.kind == wider
    expected = _real(exact).reshape(-1) if use and exact is not None else native
    if got.size == 0:
        return "", 0.0
    wide = expected.astype(np.float64) if dtype.is_float else expected
    if not dtype.is_float and wide.dtype.kind not in "iub":
        wide = np.rint(wide.astype(np.float64)).astype(np.int64)
    result = compare(wide, got.astype(dtype.numpy), dtype, same=lambda: native.astype(np.float64) if use else None)
    if result.passed:
        return "", result.max_relative
    bad = int(np.count_nonzero(result.bad))
    first = int(np.flatnonzero(result.bad)[0]) if bad else 0
    what = f"output {mine.name or '0'}: {bad} of {got.size} elements wrong, MERE {result.mean_relative:.2g}"
    what += f" MARE {result.max_relative:.2g} (t {result.threshold:.2g})"
    return f"{what}; at {first}: {got[first]} for {expected[first]}", result.max_relative


def _real(array: Array) -> Array:
    """Complex values as pairs of real ones."""
    half = _HALVES.get(array.dtype)
    return np.ascontiguousarray(array).view(half) if half is not None else array


def _judged_as(dtype: np.dtype[Any]) -> DType:
    """The type whose bounds apply: a double is judged as a float, types without bounds of their own exactly."""
    if dtype == np.float64:
        return DType.FLOAT32
    if dtype.name in ("uint64",):
        return DType.INT64
    return DType.from_numpy(dtype)
