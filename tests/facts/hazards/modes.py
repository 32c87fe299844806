"""Round modes of Cast by pair of types (semantics 10)."""

from __future__ import annotations

from typing import NamedTuple

MODES = ("CAST_NONE", "CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC", "CAST_ODD")
"""By enumerator value."""

_NONE = ("CAST_NONE",)
_FIVE = ("CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC")
_BYTES = {"half": 2, "float": 4, "bfloat16_t": 2, "int16_t": 2, "int32_t": 4, "int64_t": 8}


class Pair(NamedTuple):
    source: str
    destination: str
    modes: tuple[str, ...]
    """Legal modes."""

    def __str__(self) -> str:
        return f"{self.source} to {self.destination}"

    @property
    def elements(self) -> int:
        """Elements that fit the test's 256-byte tensors on both sides."""
        return 256 // max(_BYTES.get(self.source, 1), _BYTES.get(self.destination, 1))


def _pairs(source: str, destinations: str, modes: tuple[str, ...]) -> tuple[Pair, ...]:
    return tuple(Pair(source, destination, modes) for destination in destinations.split())


PAIRS = (
    *_pairs("int4b_t", "half", _NONE),
    *_pairs("int8_t", "half", _NONE),
    *_pairs("uint8_t", "half", _NONE),
    *_pairs("int16_t", "half", (*_FIVE, *_NONE)),
    *_pairs("int16_t", "float", _NONE),
    *_pairs("half", "int4b_t int8_t uint8_t", (*_FIVE, *_NONE)),
    *_pairs("half", "int16_t int32_t", _FIVE),
    *_pairs("half", "float", _NONE),
    *_pairs("bfloat16_t", "int32_t", _FIVE),
    *_pairs("bfloat16_t", "float", _NONE),
    *_pairs("int32_t", "int16_t int64_t", _NONE),
    # the mode is ignored: every one is legal
    *_pairs("int32_t", "half", MODES),
    *_pairs("int32_t", "float", (*_FIVE, *_NONE)),
    *_pairs("float", "int16_t int32_t int64_t bfloat16_t float", _FIVE),
    *_pairs("float", "half", (*_FIVE, "CAST_ODD", *_NONE)),
    *_pairs("int64_t", "int32_t", _NONE),
    *_pairs("int64_t", "float", _FIVE),
)
