"""Level-0 forms: random masks, repeats and strides against the address rule (facts: semantics, section 2)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from .addressing import Stride, bitwise, continuous, extent, level0
from .arithmetic import ARITHMETIC, BINARY, SCALAR, quiet
from .batch import Array, Batch
from .marks import api, each
from .values import FLOAT, HALF, INT32, assert_same, random_values

few = settings(
    max_examples=3,
    deadline=None,
    derandomize=True,
    database=None,
    # an example costs a compile, and its cases are named by the assertion: nothing to shrink
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


class Mask(NamedTuple):
    """Argument text and enabled lanes."""

    setup: str
    text: str
    enabled: Array


@st.composite
def masks(draw: st.DrawFn, lanes: int) -> Mask:
    if draw(st.booleans()):
        count = draw(st.integers(0, lanes))
        return Mask("", f"uint64_t({count})", continuous(count, lanes))
    word = st.integers(0, 2**64 - 1)
    low, high = draw(word), draw(word) if lanes > 64 else 0
    return Mask(f"uint64_t mask[2] = {{{low}ull, {high}ull}};", "mask", bitwise(low, high, lanes))


reads = st.builds(Stride, st.integers(0, 3), st.integers(0, 14))


@st.composite
def writes(draw: st.DrawFn) -> Stride:
    """Strides under which no block is written twice."""
    block = draw(st.integers(1, 3))
    return Stride(block, draw(st.integers(7 * block + 1, 7 * block + 6)))


@st.composite
def calls(draw: st.DrawFn, names: tuple[str, ...], sources: int):
    dtype = draw(st.sampled_from(ARITHMETIC))
    mask = draw(masks(256 // dtype.itemsize))
    strides = [draw(reads) for _ in range(sources)]
    return draw(st.sampled_from(names)), dtype, mask, draw(st.integers(0, 3)), draw(writes()), strides


@api("Add", "Sub", "Mul", "Max", "Min")
@few
@given(st.lists(calls(tuple(BINARY), 2), min_size=14, max_size=14), st.integers(0, 2**32 - 1))
def test_two_source_calls(cases, seed: int) -> None:
    rng = np.random.default_rng(seed)
    batch, expected = Batch(), {}
    for call, dtype, mask, repeats, to, (s0, s1) in cases:
        lanes = 256 // dtype.itemsize
        a = random_values(dtype, extent(repeats, s0, dtype.itemsize, lanes), rng)
        b = random_values(dtype, extent(repeats, s1, dtype.itemsize, lanes), rng)
        old = random_values(dtype, extent(repeats, to, dtype.itemsize, lanes), rng)
        x, y, d = batch.put(a), batch.put(b), batch.out(old)
        params = f"{{{to.block}, {s0.block}, {s1.block}, {to.repeat}, {s0.repeat}, {s1.repeat}}}"
        batch.do(mask.setup, f"{call}({d}, {x}, {y}, {mask.text}, {repeats}, {params});")
        want = level0(
            old,
            [a, b],
            BINARY[call],
            enabled=mask.enabled,
            repeats=repeats,
            dst_stride=to,
            source_strides=[s0, s1],
        )
        expected[d] = want, f"{call} {dtype} {mask.text} {repeats} {params}"
    got = batch.run()
    for name, (want, context) in expected.items():
        assert_same(got[name], want, context=context)


@api("Adds", "Muls", "Maxs", "Mins")
@few
@given(st.lists(calls(tuple(SCALAR), 1), min_size=16, max_size=16), st.integers(0, 2**32 - 1))
def test_tensor_scalar_calls(cases, seed: int) -> None:
    rng = np.random.default_rng(seed)
    batch, expected = Batch(), {}
    for call, dtype, mask, repeats, to, (s0,) in cases:
        lanes = 256 // dtype.itemsize
        a = random_values(dtype, extent(repeats, s0, dtype.itemsize, lanes), rng)
        old = random_values(dtype, extent(repeats, to, dtype.itemsize, lanes), rng)
        scalar = random_values(dtype, 1, rng)
        x, s, d = batch.put(a), batch.put(scalar), batch.out(old)
        params = f"{{{to.block}, {s0.block}, {to.repeat}, {s0.repeat}}}"
        batch.do(mask.setup, f"{call}({d}, {x}, {s}.GetValue(0), {mask.text}, {repeats}, {params});")
        want = level0(
            old,
            [a],
            lambda v, f=SCALAR[call], c=scalar[0]: f(v, np.full_like(v, c)),
            enabled=mask.enabled,
            repeats=repeats,
            dst_stride=to,
            source_strides=[s0],
        )
        expected[d] = want, f"{call} {dtype} {mask.text} {repeats} {params}"
    got = batch.run()
    for name, (want, context) in expected.items():
        assert_same(got[name], want, context=context)


@api("Abs", "Relu", "Copy", "Not")
@few
@given(st.lists(calls(("Abs", "Relu"), 1), min_size=16, max_size=16), st.integers(0, 2**32 - 1))
def test_one_source_calls(cases, seed: int) -> None:
    rng = np.random.default_rng(seed)
    batch, expected = Batch(), {}
    oracles = {
        "Abs": quiet(np.abs),
        "Relu": quiet(lambda v: np.maximum(v, v.dtype.type(0))),
        "Not": np.invert,
    }
    for drawn, dtype, mask, repeats, to, (s0,) in cases:
        # int16 has only Not of these three, int32 only Relu
        call = {"int16": "Not", "int32": "Relu"}.get(dtype.name, drawn)
        lanes = 256 // dtype.itemsize
        a = random_values(dtype, extent(repeats, s0, dtype.itemsize, lanes), rng)
        old = random_values(dtype, extent(repeats, to, dtype.itemsize, lanes), rng)
        x, d = batch.put(a), batch.out(old)
        params = f"{{{to.block}, {s0.block}, {to.repeat}, {s0.repeat}}}"
        batch.do(mask.setup, f"{call}({d}, {x}, {mask.text}, {repeats}, {params});")
        want = level0(
            old,
            [a],
            oracles[call],
            enabled=mask.enabled,
            repeats=repeats,
            dst_stride=to,
            source_strides=[s0],
        )
        expected[d] = want, f"{call} {dtype} {mask.text} {repeats} {params}"
    got = batch.run()
    for name, (want, context) in expected.items():
        assert_same(got[name], want, zero_sign=False, context=context)


@api("Add")
def test_a_repeat_stride_of_zero_accumulates() -> None:
    rng = np.random.default_rng(1)
    batch = Batch()
    rows = rng.integers(-50, 50, (5, 64)).astype(np.float32)
    x, d = batch.put(rows), batch.out(np.ones(64, np.float32))
    batch.do(f"Add({d}, {x}, {d}, uint64_t(64), 5, {{1, 1, 1, 0, 8, 0}});")
    assert_same(batch.run()[d], (rows.sum(axis=0) + 1).astype(np.float32))


@api("Adds")
def test_a_destination_repeat_stride_of_zero_keeps_the_last_repeat() -> None:
    batch = Batch()
    rows = np.arange(5 * 128).reshape(5, 128).astype(np.int16)
    x, d = batch.put(rows), batch.out(np.zeros(128, np.int16))
    batch.do(f"Adds({d}, {x}, static_cast<int16_t>(1), uint64_t(128), 5, {{1, 1, 0, 8}});")
    assert_same(batch.run()[d], rows[4] + np.int16(1))


@api("Muls")
def test_255_repeats_in_one_call() -> None:
    batch = Batch()
    values = np.arange(255 * 8, dtype=np.float32)
    x, d = batch.put(values), batch.out(np.zeros(255 * 8, np.float32))
    batch.do(f"Muls({d}, {x}, 3.0f, uint64_t(8), 255, {{1, 1, 1, 1}});")
    assert_same(batch.run()[d], values * 3)


@api("Add")
def test_default_parameters_are_contiguous() -> None:
    batch = Batch()
    values = np.arange(256, dtype=np.int32)
    x, d = batch.put(values), batch.out(np.zeros(256, np.int32))
    batch.do(f"BinaryRepeatParams p; Add({d}, {x}, {x}, uint64_t(64), 4, p);")
    assert_same(batch.run()[d], values * 2)


_ACCUMULATING = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "Max": np.maximum,
    "Min": np.minimum,
    "AddRelu": lambda a, b: np.maximum(a + b, 0),
    "SubRelu": lambda a, b: np.maximum(a - b, 0),
}
"""Calls whose destination may be their second source over all repeats (facts: semantics, section 2.4)."""


@pytest.mark.parametrize("call", each(_ACCUMULATING))
def test_the_second_source_may_be_what_earlier_repeats_wrote(call: str) -> None:
    rng = np.random.default_rng(2)
    batch, expected = Batch(), {}
    for dtype in (HALF, FLOAT) if "Relu" in call else (HALF, FLOAT, INT32):
        lanes = 256 // dtype.itemsize
        for step, second in ((0, 0), (8, 0), (0, 8)):
            a = rng.integers(-3, 4, 4 * lanes).astype(dtype)
            old = rng.integers(-3, 4, 4 * lanes).astype(dtype)
            x, d = batch.put(a), batch.out(old)
            batch.do(f"{call}({d}, {x}, {d}, uint64_t({lanes}), 4, {{1, 1, 1, {step}, 8, {second}}});")
            want = old.copy()
            for r in range(4):
                read = want[r * second * lanes // 8 :][:lanes]
                want[r * step * lanes // 8 :][:lanes] = _ACCUMULATING[call](a[r * lanes :][:lanes], read)
            expected[d] = want, f"{call} {dtype} {step} {second}"
    got = batch.run()
    for name, (want, context) in expected.items():
        assert_same(got[name], want, zero_sign=False, context=context)


@api("Sub", "Muls", "Cast")
def test_level0_calls_in_place_with_strides() -> None:
    rng = np.random.default_rng(3)
    batch, expected = Batch(), {}
    old = rng.integers(-9, 9, 400).astype(np.float32)
    x = batch.put(old[::-1].copy())
    for call in ("Sub({d}, {d}, {x}", "Sub({d}, {x}, {d}"):
        d = batch.out(old)
        batch.do(call.format(d=d, x=x) + ", uint64_t(50), 3, {2, 2, 2, 16, 16, 16});")
        first, second = (old, old[::-1]) if "{d}, {d}" in call else (old[::-1], old)
        stride = Stride(2, 16)
        expected[d] = level0(
            old,
            [first, second],
            lambda a, b: a - b,
            enabled=continuous(50, 64),
            repeats=3,
            dst_stride=stride,
            source_strides=[stride, stride],
        )
    d = batch.out(old)
    batch.do(f"Muls({d}, {d}, 3.0f, uint64_t(50), 3, {{2, 2, 16, 16}});")
    expected[d] = level0(
        old,
        [old],
        lambda a: a * 3,
        enabled=continuous(50, 64),
        repeats=3,
        dst_stride=Stride(2, 16),
        source_strides=[Stride(2, 16)],
    )
    e = batch.out(old)
    batch.do(f"Cast({e}.ReinterpretCast<int32_t>(), {e}, RoundMode::CAST_RINT, 300);")
    expected[e] = np.concatenate([old[:300].astype(np.int32).view(np.float32), old[300:]])
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=name)
