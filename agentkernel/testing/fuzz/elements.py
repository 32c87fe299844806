"""Element types as Ascend C spells them: their NumPy dtypes, random values, literals."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel.dtypes import DType

Array = NDArray[Any]

BY_NAME = {dtype.ascendc: dtype for dtype in DType if dtype is not DType.BOOL}
"""Task's dtype by the name in C++ (`half`, `int32_t`, ...)."""
LOADABLE = ("half", "float", "int16_t", "int32_t", "bfloat16_t", "uint16_t", "uint32_t", "int8_t", "uint8_t", "int64_t")
BLOCK = 32
REPEAT = 256


def size(name: str) -> int:
    """Bytes of an element."""
    return BY_NAME[name].itemsize


def numpy_of(name: str) -> np.dtype[Any]:
    """NumPy dtype."""
    return BY_NAME[name].numpy


def is_float(name: str) -> bool:
    """Whether values have a fraction."""
    return BY_NAME[name].is_float


def values(name: str, count: int, seed: int, *, specials: bool) -> Array:
    """Values of an input.

    Args:
        name: Element type in C++.
        count: Number of elements.
        seed: The same seed gives the same values.
        specials: Whether infinities, zeros of both signs and the ends of the range are among them.
    """
    rng = np.random.default_rng(seed)
    dtype = numpy_of(name)
    if is_float(name):
        found = rng.uniform(-4, 4, count).astype(np.float32)
        if specials:
            few = rng.integers(0, count, max(1, count // 16))
            found[few] = rng.choice(np.array([np.inf, -np.inf, 0.0, -0.0, 65504.0, 1e-7], np.float32), few.size)
        with np.errstate(over="ignore"):
            return found.astype(dtype)
    info = np.iinfo(dtype)
    low, high = (info.min, info.max) if specials else (max(info.min, -100), 100)
    return rng.integers(low, high, count, dtype=dtype, endpoint=True)


def literal(name: str, chance: random.Random) -> tuple[str, Any]:
    """A scalar operand: its text, whose type is exactly the element type, and its value."""
    if is_float(name):
        value = chance.choice((0.5, 1.0, 2.0, -1.5, 3.25))
        return (f"{value}f" if name == "float" else f"static_cast<{name}>({value}f)"), numpy_of(name).type(value)
    whole = chance.choice((1, 2, 3, 7, 100))
    return f"static_cast<{name}>({whole})", numpy_of(name).type(whole)
