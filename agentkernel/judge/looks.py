"""What wrong values look like: zeros, a constant factor, a shift, an exchanged operand, lost precision, ..."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from agentkernel.dtypes import DType

Array = NDArray[Any]

POISON = b"\xab\xff"
"""What the toolchain fills outputs with before a run, repeated; still there means never written."""

_MOST = 0.95
"""Share of the bad elements that a look must explain."""
_OPERATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "{} + {}": np.add,
    "{} - {}": np.subtract,
    "{} * {}": np.multiply,
    "{} / {}": np.divide,
    "the larger of {} and {}": np.maximum,
    "the smaller of {} and {}": np.minimum,
}

_SAMPLE = 4096
"""Bad elements that are looked at; they are spread evenly over all of them."""
_LEAST = 3
"""Bad elements below which ratios, offsets and shifts say nothing."""


class Look(StrEnum):
    """What wrong values look like."""

    UNWRITTEN = "unwritten"
    """They still hold the poison that outputs are filled with."""
    NAN = "nan"
    """NaN where a number is expected."""
    LOST_NAN = "lost-nan"
    """A number where NaN is expected."""
    OVERFLOW = "overflow"
    """Infinite where a finite number is expected."""
    ZEROS = "zeros"
    INPUT = "input"
    """A copy of an input."""
    SWAPPED = "swapped"
    """What the operator gives with two inputs exchanged."""
    COMBINED = "combined"
    """Another operation of two inputs, e.g. their difference."""
    SIGN = "sign"
    """The expected values, negated."""
    SHIFTED = "shifted"
    """The expected values of other positions, at a fixed distance."""
    FACTOR = "factor"
    """The expected values times a constant."""
    OFFSET = "offset"
    """The expected values plus a constant."""
    ROUNDING = "rounding"
    """Integers that are one too large or too small."""
    CONSTANT = "constant"
    """One and the same value."""
    PRECISION = "precision"
    """Close to the expected values, but not close enough."""
    OTHER = "other"


class Appearance(BaseModel):
    """What the wrong values look like."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    look: Look
    text: str
    """The same in words, with `they` as the subject, e.g. `are all zero`."""
    value: float | None = None
    """The factor, offset or constant; the distance of a shift in elements."""
    inputs: tuple[str, ...] = ()
    """Inputs that are copied or exchanged."""


class Evidence(BaseModel):
    """What is known of one wrong output; arrays of one shape."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True, extra="forbid")

    expected: Array
    """float64, int64 or bool, rounded to the dtype."""
    got: Array
    """As the kernel gave it."""
    bad: Array
    """bool: which elements are wrong."""
    dtype: DType
    threshold: float
    inputs: Mapping[str, Array]
    swapped: Callable[[str, str], Array | None]
    """Reference of this output with two inputs exchanged, None where that cannot be computed."""


def appearance(evidence: Evidence) -> Appearance:
    """The first look that explains nearly all bad elements."""
    index = np.flatnonzero(evidence.bad.reshape(-1))
    if index.size > _SAMPLE:
        index = index[np.linspace(0, index.size - 1, _SAMPLE).astype(np.int64)]
    with np.errstate(all="ignore"):
        return _Looker(evidence, index).look()


class _Looker:
    def __init__(self, evidence: Evidence, index: Array) -> None:
        self._evidence = evidence
        self._index = index
        self._all_expected = evidence.expected.reshape(-1).astype(np.float64)
        self._expected = self._all_expected[index]
        self._raw = evidence.got.reshape(-1)[index]
        self._got = self._raw.astype(np.float64)
        self._close = 10 * evidence.threshold if evidence.dtype.is_float else 0.0
        self._varied = np.unique(self._expected).size >= min(_LEAST, index.size) and index.size >= _LEAST

    def look(self) -> Appearance:
        """Try the looks in the order of how much they say."""
        return (
            self._unwritten()
            or self._not_finite()
            or self._zeros()
            or self._copied()
            or self._exchanged()
            or self._related()
            or self._combined()
            or self._shifted()
            or self._constant()
            or self._near()
            or Appearance(look=Look.OTHER, text="follow no pattern that is known")
        )

    def _most(self, hits: Array) -> bool:
        return bool(np.mean(hits) >= _MOST)

    def _equal(self, a: Array, b: Array) -> Array:
        both_nan = np.isnan(a) & np.isnan(b)
        near = np.abs(a - b) <= self._close * (np.abs(b) + 1e-7)
        return np.asarray(near | both_nan | (a == b))

    def _unwritten(self) -> Appearance | None:
        size = self._evidence.dtype.itemsize
        words = np.ascontiguousarray(self._raw).view(np.uint8).reshape(self._raw.size, size)
        # one-byte elements see the two poison bytes in turn
        poison = np.frombuffer(POISON, np.uint8)
        if size == 1:
            hits = words[:, 0] == poison[self._index % 2]
        else:
            hits = (words == np.tile(poison, size // 2)).all(axis=1)
        return Appearance(look=Look.UNWRITTEN, text="were never written") if self._most(hits) else None

    def _not_finite(self) -> Appearance | None:
        nan, expected_nan = np.isnan(self._got), np.isnan(self._expected)
        if self._most(nan & ~expected_nan):
            return Appearance(look=Look.NAN, text="are NaN where a number is expected")
        if self._most(expected_nan & ~nan):
            return Appearance(look=Look.LOST_NAN, text="are numbers where NaN is expected")
        if self._most(np.isinf(self._got) & np.isfinite(self._expected)):
            return Appearance(look=Look.OVERFLOW, text="are infinite: an intermediate overflows")
        return None

    def _zeros(self) -> Appearance | None:
        return Appearance(look=Look.ZEROS, text="are zero") if self._most(self._got == 0) else None

    def _copied(self) -> Appearance | None:
        for name, values in self._evidence.inputs.items():
            if values.size == self._all_expected.size and self._varied:
                same = self._equal(self._got, values.reshape(-1)[self._index].astype(np.float64))
                if self._most(same):
                    return Appearance(look=Look.INPUT, text=f"are the input {name} unchanged", inputs=(name,))
        return None

    def _exchanged(self) -> Appearance | None:
        if not self._varied:
            return None
        inputs = list(self._evidence.inputs.items())
        for position, (first, a) in enumerate(inputs):
            for second, b in inputs[position + 1 :]:
                if a.shape != b.shape or a.dtype != b.dtype:
                    continue
                swapped = self._evidence.swapped(first, second)
                if swapped is None:
                    continue
                values = swapped.reshape(-1).astype(np.float64)[self._index]
                if self._most(self._equal(self._got, values)):
                    text = f"are what {first} and {second} give when they are exchanged"
                    return Appearance(look=Look.SWAPPED, text=text, inputs=(first, second))
        return None

    def _combined(self) -> Appearance | None:
        if not self._varied or self._index.size < 8:
            return None
        wide = {
            name: values.reshape(-1)[self._index].astype(np.float64)
            for name, values in self._evidence.inputs.items()
            if values.size == self._all_expected.size
        }
        for (first, a), (second, b) in itertools.permutations(wide.items(), 2):
            for form, function in _OPERATIONS.items():
                if self._most(self._equal(self._got, function(a, b))):
                    words = form.format(first, second)
                    return Appearance(look=Look.COMBINED, text=f"are {words}", inputs=(first, second))
        return None

    def _related(self) -> Appearance | None:
        if not self._varied:
            return None
        if self._most(self._equal(self._got, -self._expected)):
            return Appearance(look=Look.SIGN, text="have the wrong sign", value=-1.0)
        solid = np.isfinite(self._expected) & np.isfinite(self._got) & (np.abs(self._expected) > 1e-6)
        if solid.sum() < max(_LEAST, 0.5 * solid.size):
            return None
        ratio = float(np.median(self._got[solid] / self._expected[solid]))
        if ratio != 0 and self._most(self._equal(self._got, ratio * self._expected)):
            # rounding to the dtype moves the ratio; a tiny factor is lost precision, not a wrong scale
            if abs(ratio - 1) > 4 * self._close:
                return Appearance(look=Look.FACTOR, text=f"are {ratio:.6g} times what they should be", value=ratio)
            return None
        return self._offset(solid)

    def _offset(self, solid: Array) -> Appearance | None:
        difference = self._got[solid] - self._expected[solid]
        offset = float(np.median(difference))
        if not self._evidence.dtype.is_float and abs(offset) == 1 and self._evidence.bad.mean() < _MOST:
            return None  # wrong rounding leaves some elements right; told below
        spread = np.abs(difference - offset)
        if abs(offset) > 1e-3 and self._most(spread <= self._close * (np.abs(self._expected[solid]) + abs(offset))):
            return Appearance(look=Look.OFFSET, text=f"are {offset:+.6g} off", value=offset)
        return None

    def _shifted(self) -> Appearance | None:
        if not self._varied or self._index.size < 8:
            return None
        size = self._all_expected.size
        columns = self._evidence.expected.shape[-1]
        distances = [*range(1, 65), *(2**k for k in range(7, 16)), columns]
        for distance in (d for pair in distances for d in (pair, -pair)):
            source = self._index - distance
            inside = (source >= 0) & (source < size)
            if inside.sum() < 0.5 * inside.size or inside.sum() < 8:
                continue
            theirs = self._all_expected[source[inside]]
            if self._most(self._equal(self._got[inside], theirs)) and np.unique(theirs).size > _LEAST:
                words = "earlier" if distance > 0 else "later"
                text = f"are those that belong {abs(distance)} element(s) {words}"
                return Appearance(look=Look.SHIFTED, text=text, value=float(distance))
        return None

    def _constant(self) -> Appearance | None:
        if self._index.size < 2 or np.unique(self._got).size != 1 or not np.isfinite(self._got[0]):
            return None
        value = float(self._got[0])
        return Appearance(look=Look.CONSTANT, text=f"all have the value {value:.6g}", value=value)

    def _near(self) -> Appearance | None:
        error = np.abs(self._got - self._expected)
        if not self._evidence.dtype.is_float:
            if self._evidence.dtype is not DType.BOOL and self._most(error == 1):
                return Appearance(look=Look.ROUNDING, text="are off by one, as another rounding mode gives")
            return None
        # within a hundred thresholds, but well below what a wrong formula gives
        bound = min(100 * self._evidence.threshold, 0.1)
        sizes = np.abs(self._all_expected[np.isfinite(self._all_expected)])
        scale = np.abs(self._expected) + (0.01 * float(np.median(sizes)) if sizes.size else 0.0)
        if self._most(error <= bound * scale):
            worst = float(np.max(error[np.isfinite(error)], initial=0.0))
            text = f"are close to what is expected (largest error {worst:.3g}) but not close enough"
            return Appearance(look=Look.PRECISION, text=text)
        return None
