"""Cast: every legal pair of types with every legal rounding mode; ties, saturation, NaN, infinity, strides."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from .addressing import Stride, bitwise, continuous, extent, level0
from .batch import Array, Batch
from .casting import exact_values, to_float, to_integer, to_whole
from .marks import api
from .values import BF16, FLOAT, HALF, INT16, INT32, assert_same, is_float, random_values, special_values

pytestmark = api("Cast")

INT8, UINT8, INT64 = np.dtype(np.int8), np.dtype(np.uint8), np.dtype(np.int64)

_NONE = ("CAST_NONE",)
_FIVE = ("CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC")

PAIRS: list[tuple[np.dtype, np.dtype, tuple[str, ...]]] = [
    (INT8, HALF, _NONE),
    (UINT8, HALF, _NONE),
    (INT16, HALF, _FIVE + _NONE),
    (INT16, FLOAT, _NONE),
    (HALF, INT8, _FIVE + _NONE),
    (HALF, UINT8, _FIVE + _NONE),
    (HALF, INT16, _FIVE),
    (HALF, INT32, _FIVE),
    (HALF, FLOAT, _NONE),
    (BF16, INT32, _FIVE),
    (BF16, FLOAT, _NONE),
    (INT32, INT16, _NONE),
    (INT32, INT64, _NONE),
    (INT32, FLOAT, _FIVE + _NONE),
    (FLOAT, INT16, _FIVE),
    (FLOAT, INT32, _FIVE),
    (FLOAT, INT64, _FIVE),
    (FLOAT, BF16, _FIVE),
    (FLOAT, FLOAT, _FIVE),
    (FLOAT, HALF, (*_FIVE, "CAST_ODD", "CAST_NONE")),
    (INT64, INT32, _NONE),
    (INT64, FLOAT, _FIVE),
]
"""Facts: semantics, section 10 (int4b_t and int32_t -> half have tests of their own)."""


def _name(pair: tuple[np.dtype, np.dtype, tuple[str, ...]]) -> str:
    return f"{pair[0]}-{pair[1]}"


def _edges(source: np.dtype, to: np.dtype) -> list[float]:
    """Values at which rounding and saturation decide, as far as the source type holds them."""
    if not is_float(source):
        steps = [
            2**11 + 1,
            2**11 + 3,
            2**12 + 2,
            2**12 + 6,
            2**24 + 1,
            2**24 + 3,
            2**25 + 2,
            2**25 + 6,
            2**31 - 65,
            32768,
        ]
        return [float(v) for s in steps for v in (s, -s)]
    values = [0.5, 1.5, 2.5, 0.4999, 0.75, 3.25, 6.5, 7.5, 126.5, 127.5, 128.5, 254.5, 255.5, 256.5, 2049.0, 32766.5]
    values += [32767.5, 32768.0, 40000.0, 65504.0, 65519.0, 65520.0, 65536.0, 1e6, 2147483520.0, 2.0**31, 2.0**33]
    values += [2.0**62, 2.0**63, 2.0**64, 1e30, 3.3e38, 1 + 2.0**-11, 1 + 3 * 2.0**-11, 1 + 2.0**-8, 1 + 3 * 2.0**-8]
    values += [1 + 2.0**-12, 2.0**-14 * 0.7, 2.0**-24, 2.0**-25, 3 * 2.0**-25, 2.0**-26, 2.0**-14 - 2.0**-26, 1e-40]
    return [v for value in values for v in (value, -value)]


def _sources(source: np.dtype, to: np.dtype, rng: np.random.Generator) -> Array:
    with np.errstate(over="ignore"):
        edges = np.array(_edges(source, to))
        if is_float(source):
            fixed = edges.astype(source)
            spread = (rng.uniform(-1, 1, 200) * 10.0 ** rng.integers(-9, 10, 200)).astype(source)
        else:
            info = np.iinfo(source)
            fixed = edges[(edges >= info.min) & (edges <= min(info.max, 2**31 - 1))].astype(source)
            spread = (
                (rng.uniform(-1, 1, 200) * 2.0 ** rng.integers(0, info.bits - 1, 200)).astype(np.int64).astype(source)
            )
    # exact zeros apart from the special values come out of the spread of small numbers only
    return np.concatenate([special_values(source), fixed, random_values(source, 60, rng), spread])


def _converted(values: Array, mode: str, to: np.dtype) -> Array:
    exact = exact_values(values)
    if values.dtype == to:
        return to_whole(exact, mode)
    if not is_float(to):
        return to_integer(exact, mode, to)
    want = to_float(exact, mode, to)
    if is_float(values.dtype):  # zeros keep their sign where nothing is rounded to an integer
        want = np.where(want == 0, np.copysign(0.0, values.astype(np.float64)).astype(to), want)
    return want


@pytest.mark.parametrize("pair", PAIRS, ids=_name)
def test_every_pair_and_mode(pair: tuple[np.dtype, np.dtype, tuple[str, ...]]) -> None:
    source, to, modes = pair
    rng = np.random.default_rng(11)
    batch, expected = Batch(), {}
    values = _sources(source, to, rng)
    x = batch.put(values)
    for mode in modes:
        d = batch.out(np.full(values.size + 3, 3, to))
        batch.do(f"Cast({d}, {x}, RoundMode::{mode}, {values.size});")
        expected[d] = mode, np.concatenate([_converted(values, mode, to), np.full(3, 3, to)])
    got = batch.run()
    for name, (mode, want) in expected.items():
        # whether a value that rounds to zero keeps its sign is stated for float -> float and the source -0 alone
        assert_same(got[name], want, zero_sign=False, context=f"{source} -> {to} {mode}")


@pytest.mark.parametrize("to", [HALF, BF16], ids=str)
def test_zero_keeps_its_sign_where_the_conversion_is_exact(to: np.dtype) -> None:
    batch = Batch()
    zeros = np.array([0.0, -0.0] * 4, np.float32)
    x, d = batch.put(zeros), batch.out(np.ones(8, to))
    back = batch.out(np.ones(8, np.float32))
    batch.do(f"Cast({d}, {x}, RoundMode::CAST_RINT, 8);", f"Cast({back}, {d}, RoundMode::CAST_NONE, 8);")
    got = batch.run()
    assert_same(got[d], zeros.astype(to))
    assert_same(got[back], zeros)


def test_rounding_float_to_float_makes_minus_zero_plus_zero() -> None:
    batch = Batch()
    x, d = batch.put(np.full(8, -0.0, np.float32)), batch.out(np.ones(8, np.float32))
    batch.do(f"Cast({d}, {x}, RoundMode::CAST_RINT, 8);")
    assert_same(batch.run()[d], np.zeros(8, np.float32))


def test_the_largest_int32_rounds_down_to_2147483520() -> None:
    batch = Batch()
    x = batch.put(np.full(8, 2**31 - 1, np.int32))
    names = {mode: batch.out(np.zeros(8, np.float32)) for mode in ("CAST_FLOOR", "CAST_TRUNC", "CAST_RINT")}
    for mode, d in names.items():
        batch.do(f"Cast({d}, {x}, RoundMode::{mode}, 8);")
    got = batch.run()
    assert got[names["CAST_FLOOR"]][0] == np.float32(2147483520)
    assert got[names["CAST_TRUNC"]][0] == np.float32(2147483520)
    assert got[names["CAST_RINT"]][0] == np.float32(2147483648)


@api("SetDeqScale")
def test_int32_to_half_multiplies_by_the_scale_and_ignores_the_mode() -> None:
    rng = np.random.default_rng(12)
    batch, expected = Batch(), {}
    values = rng.integers(-2000, 2000, 100).astype(np.int32)
    x = batch.put(values)
    for scale, mode in ((1.0, "CAST_NONE"), (0.5, "CAST_FLOOR"), (4.0, "CAST_CEIL")):
        d = batch.out(np.zeros(100, HALF))
        batch.do(f"SetDeqScale(static_cast<half>({scale}f));", f"Cast({d}, {x}, RoundMode::{mode}, 100);")
        expected[d] = (values * scale).astype(np.float16)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, zero_sign=False, context=name)


def test_int4_is_packed_low_nibble_first() -> None:
    batch = Batch()
    nibbles = np.arange(-8, 8)
    pairs = nibbles.reshape(8, 2)
    packed = ((pairs[:, 0] & 15) | (pairs[:, 1] & 15) << 4).astype(np.uint8).view(np.int8)
    x, d = batch.put(np.tile(packed, 4)), batch.out(np.zeros(64, HALF))
    batch.do(f"Cast({d}, {x}.ReinterpretCast<int4b_t>(), RoundMode::CAST_NONE, 64);")
    assert_same(batch.run()[d], np.tile(nibbles, 4).astype(np.float16))


def test_half_to_int4_rounds_and_saturates() -> None:
    batch, expected = Batch(), {}
    values = np.array(
        [0.5, 1.5, -0.5, -1.5, 2.4, 6.5, 7.5, 9.0, -7.5, -8.5, -20.0, 3.0, 100.0, -3.7, 3.7, 0.0] * 4, HALF
    )
    x = batch.put(values)
    for mode in _FIVE + _NONE:
        d = batch.out(np.zeros(32, np.int8))
        batch.do(f"Cast({d}.ReinterpretCast<int4b_t>(), {x}, RoundMode::{mode}, 64);")
        nibbles = to_integer(exact_values(values), mode, np.int8, (-8, 7)).astype(np.int64).reshape(32, 2) & 15
        expected[d] = mode, (nibbles[:, 0] | nibbles[:, 1] << 4).astype(np.uint8).view(np.int8)
    got = batch.run()
    for name, (mode, want) in expected.items():
        assert_same(got[name], want, context=mode)


_STRIDED = [(HALF, FLOAT), (FLOAT, HALF), (HALF, INT32), (INT32, FLOAT), (HALF, INT8), (UINT8, HALF), (FLOAT, BF16)]


@pytest.mark.parametrize(("source", "to"), _STRIDED, ids=str)
def test_level0_works_on_as_many_elements_as_the_wider_type_allows(source: np.dtype, to: np.dtype) -> None:
    rng = np.random.default_rng(13)
    batch, expected = Batch(), {}
    wider = max(source.itemsize, to.itemsize)
    lanes = 256 // wider
    mode = "CAST_RINT" if (source, to) in ((FLOAT, HALF), (HALF, INT32), (FLOAT, BF16)) else "CAST_NONE"
    narrow = {1: 4 if wider == 2 else 2, 2: 8 if wider == 2 else 4, 4: 8}
    plain = Stride(1, narrow[to.itemsize]), Stride(1, narrow[source.itemsize])
    loose = Stride(2, 17), Stride(3, 25)
    low, high = int(rng.integers(0, 2**63)), int(rng.integers(0, 2**63)) if lanes > 64 else 0
    for repeats, (ds, ss), enabled, mask in (
        (3, plain, continuous(lanes, lanes), f"uint64_t({lanes})"),
        (2, plain, continuous(19, lanes), "uint64_t(19)"),
        (2, loose, continuous(37, lanes), "uint64_t(37)"),
        (2, plain, bitwise(low, high, lanes), "mask"),
    ):
        values = rng.integers(0, 100, extent(repeats, ss, source.itemsize, lanes)).astype(source)
        old = np.full(extent(repeats, ds, to.itemsize, lanes), 111, to)
        x, d = batch.put(values), batch.out(old)
        batch.do(
            f"uint64_t mask[2] = {{{low}ull, {high}ull}}; (void)mask;",
            f"Cast({d}, {x}, RoundMode::{mode}, {mask}, {repeats},",
            f"    {{{ds.block}, {ss.block}, {ds.repeat}, {ss.repeat}}});",
        )
        expected[d] = level0(
            old,
            [values],
            lambda v: v.astype(np.float64).astype(to),
            enabled=enabled,
            repeats=repeats,
            dst_stride=ds,
            source_strides=[ss],
        )
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=f"{source} -> {to} {name}")


@api("ScalarCast", "ToFloat", "ToBfloat16")
def test_scalar_casts() -> None:
    values = np.array([1.5, 2.5, -2.5, 0.3, 1 + 2.0**-9, 1 + 3 * 2.0**-9, 100.7], np.float32)
    batch = Batch()
    x = batch.put(values)
    ints, halves = batch.out(np.zeros(7, np.int32)), batch.out(np.zeros(7, HALF))
    brains, floats = batch.out(np.zeros(7, BF16)), batch.out(np.zeros(7, np.float32))
    batch.do(
        "for (uint32_t i = 0; i < 7; ++i) {",
        f"    {ints}.SetValue(i, ScalarCast<float, int32_t, RoundMode::CAST_RINT>({x}.GetValue(i)));",
        f"    {halves}.SetValue(i, ScalarCast<float, half, RoundMode::CAST_ODD>({x}.GetValue(i)));",
        f"    {brains}.SetValue(i, ToBfloat16({x}.GetValue(i)));",
        f"    {floats}.SetValue(i, ToFloat({brains}.GetValue(i)));",
        "}",
    )
    got = batch.run()
    exact = exact_values(values)
    assert_same(got[ints], to_integer(exact, "CAST_RINT", np.int32))
    assert_same(got[halves], to_float(exact, "CAST_ODD", np.float16))
    assert_same(got[brains], values.astype(ml_dtypes.bfloat16))
    assert_same(got[floats], values.astype(ml_dtypes.bfloat16).astype(np.float32))
