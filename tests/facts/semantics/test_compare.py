"""Compare, Compares and the CMPMASK register (facts: semantics, section 9)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from .addressing import continuous
from .batch import Array, Batch
from .marks import api, each
from .values import CTYPE, FLOAT, HALF, INT32, assert_same, random_values, special_values, tame_values

_ORDER: dict[str, Callable[[Array, Array], Array]] = {
    "LT": np.less,
    "GT": np.greater,
    "EQ": np.equal,
    "LE": np.less_equal,
    "GE": np.greater_equal,
    "NE": np.not_equal,
}


def truth(mode: str, a: Array, b: Array) -> Array:
    """What Compare says of each element: with a NaN operand every mode is false, NE too."""
    unordered = np.isnan(a) | np.isnan(b)
    return _ORDER[mode](a, b) & ~unordered


def packed(bits: Array) -> Array:
    """Bit i % 8 of byte i // 8 is element i."""
    return np.packbits(bits, bitorder="little")


def _operands(dtype: np.dtype, count: int, rng: np.random.Generator) -> tuple[Array, Array]:
    crossed = np.array(list(product(special_values(dtype), special_values(dtype))), dtype=dtype)
    near = rng.integers(-2, 3, (2, count - len(crossed))).astype(dtype)
    return np.concatenate([crossed[:, 0], near[0]]), np.concatenate([crossed[:, 1], near[1]])


def _modes(dtype: np.dtype) -> tuple[str, ...]:
    return ("EQ",) if dtype == INT32 else tuple(_ORDER)


@api("Compare")
@pytest.mark.parametrize("dtype", (HALF, FLOAT, INT32), ids=str)
def test_compare_packs_one_bit_an_element(dtype: np.dtype) -> None:
    rng = np.random.default_rng(1)
    batch, expected = Batch(), {}
    a, b = _operands(dtype, 384, rng)
    x, y = batch.put(a), batch.put(b)
    lanes = 256 // dtype.itemsize
    for mode in _modes(dtype):
        for to in (np.uint8, np.int8):
            d, e = batch.out(np.full(64, 0x55, to)), batch.out(np.full(64, 0x55, to))
            ctype = np.dtype(to).name + "_t"
            batch.do(f"Compare({d}, {x}, {y}, CMPMODE::{mode}, 384);")
            # the mask of the level-0 form is ignored: a whole repeat is compared
            batch.do(
                f"Compare<{CTYPE[dtype]}, {ctype}>({e}, {x}, {y}, CMPMODE::{mode}, uint64_t({lanes}), {384 // lanes},",
                "    {1, 1, 1, 8, 8, 8});",
            )
            want = np.concatenate([packed(truth(mode, a, b)), np.full(16, 0x55, np.uint8)]).astype(np.uint8).view(to)
            expected[d] = expected[e] = mode, want
    got = batch.run()
    for name, (mode, want) in expected.items():
        assert_same(got[name], want, context=f"{dtype} {mode} {name}")


@api("Compare")
def test_the_level0_form_ignores_its_mask() -> None:
    rng = np.random.default_rng(2)
    batch = Batch()
    a, b = tame_values(FLOAT, 128, rng), tame_values(FLOAT, 128, rng)
    x, y, d = batch.put(a), batch.put(b), batch.out(np.zeros(32, np.uint8))
    batch.do(f"Compare({d}, {x}, {y}, CMPMODE::LT, uint64_t(10), 2, {{1, 1, 1, 8, 8, 8}});")
    assert_same(batch.run()[d][:16], packed(a < b))


@api("Compare")
def test_source_strides_of_the_level0_form() -> None:
    rng = np.random.default_rng(3)
    batch = Batch()
    a, b = tame_values(FLOAT, 512, rng), tame_values(FLOAT, 512, rng)
    x, y, d = batch.put(a), batch.put(b), batch.out(np.zeros(32, np.uint8))
    batch.do(f"Compare({d}, {x}, {y}, CMPMODE::GE, uint64_t(64), 2, {{1, 2, 1, 8, 16, 24}});")
    lane = np.arange(64)
    first = np.concatenate([r * 128 + lane // 8 * 16 + lane % 8 for r in range(2)])
    second = np.concatenate([r * 192 + lane for r in range(2)])
    assert_same(batch.run()[d][:16], packed(a[first] >= b[second]))


@pytest.mark.parametrize("call", each(["Compares", "CompareScalar"]))
def test_compare_with_a_scalar(call: str) -> None:
    rng = np.random.default_rng(4)
    batch, expected = Batch(), {}
    for dtype in (HALF, FLOAT, INT32):
        lanes = 256 // dtype.itemsize
        specials = special_values(dtype)
        a = np.concatenate([specials, rng.integers(-2, 3, 2 * lanes - specials.size).astype(dtype)])
        scalars = np.array([1, 0, -2] if dtype == INT32 else [1.0, -0.0, np.inf, np.nan], dtype)
        x, s = batch.put(a), batch.put(scalars)
        for mode, i in product(_modes(dtype), range(scalars.size)):
            d, e = batch.out(np.zeros(32, np.uint8)), batch.out(np.zeros(32, np.uint8))
            batch.do(
                f"{call}({d}, {x}, {s}.GetValue({i}), CMPMODE::{mode}, {a.size});",
                f"{call}({e}, {x}, {s}.GetValue({i}), CMPMODE::{mode}, uint64_t({lanes}), 2, {{1, 1, 8, 8}});",
            )
            want = packed(truth(mode, a, np.full_like(a, scalars[i])))
            expected[d] = expected[e] = f"{call} {dtype} {mode} {scalars[i]}", want
    got = batch.run()
    for name, (context, want) in expected.items():
        assert_same(got[name][: want.size], want, context=context)


@api("Compare")
def test_an_unaligned_tail_is_not_compared() -> None:
    batch = Batch()
    a = np.arange(128, dtype=np.float32)
    x, d = batch.put(a), batch.out(np.full(32, 0x55, np.uint8))
    batch.do(f"Compare({d}, {x}, {x}, CMPMODE::EQ, 100);")
    got = batch.run(errors_allowed=True)[d]
    assert (got[:8] == 0xFF).all()
    assert (got[8:] == 0x55).all()


@api("Compare", "GetCmpMask", "SetVectorMask")
@pytest.mark.parametrize("dtype", (HALF, FLOAT), ids=str)
def test_the_register_form_honours_the_mask(dtype: np.dtype) -> None:
    rng = np.random.default_rng(5)
    batch, expected = Batch(), {}
    lanes = 256 // dtype.itemsize
    a, b = rng.integers(-3, 3, (2, lanes)).astype(dtype)
    a[3] = np.nan
    x, y = batch.put(a), batch.put(b)
    for mode, count in product(_ORDER, (lanes, 13)):
        d = batch.out(np.zeros(128, np.uint8))
        batch.do(
            f"Compare({x}, {y}, CMPMODE::{mode}, uint64_t({count}), {{1, 1, 1, 8, 8, 8}});",
            f"GetCmpMask({d});",
        )
        expected[d] = mode, truth(mode, a, b), continuous(count, lanes)
    got = batch.run()
    for name, (mode, want, enabled) in expected.items():
        bits = np.unpackbits(got[name][:16], bitorder="little").astype(bool)[:lanes]
        assert (bits[enabled] == want[enabled]).all(), f"{dtype} {mode}"


@api("Compare", "Compares")
def test_comparison_operators() -> None:
    rng = np.random.default_rng(6)
    batch, expected = Batch(), {}
    a, b = rng.integers(-3, 3, (2, 128)).astype(np.float32)
    x, y = batch.put(a), batch.put(b)
    for sign, mode in {"<": "LT", ">": "GT", "==": "EQ", "<=": "LE", ">=": "GE", "!=": "NE"}.items():
        d = batch.out(np.zeros(128, np.uint8))
        batch.do(f"{d} = {x} {sign} {y};")
        expected[d] = packed(truth(mode, a, b))
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name][: want.size], want, context=name)


@api("SetCmpMask", "GetCmpMask")
def test_the_compare_mask_register_keeps_128_bits() -> None:
    rng = np.random.default_rng(7)
    batch = Batch()
    words = random_values(np.dtype(np.uint32), 8, rng)
    x, d = batch.put(words), batch.out(np.zeros(32, np.uint32))
    batch.do(f"SetCmpMask({x});", "PipeBarrier<PIPE_V>();", f"GetCmpMask({d});")
    assert_same(batch.run()[d][:4], words[:4])
