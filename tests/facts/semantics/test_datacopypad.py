"""DataCopyPad: byte lengths, gaps, padding and dummy fill (facts: semantics, section 15)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from agentkernel.testing.simulate import simulate

from .batch import Batch, explain
from .marks import api
from .moving import BLOCK, as_bytes, bursts, padded_in, rounded
from .test_addressing import few
from .values import CTYPE, FLOAT, HALF, INT32, assert_same, random_values

pytestmark = api("DataCopyPad")

INT8, INT64 = np.dtype(np.int8), np.dtype(np.int64)
_TYPES = (INT8, HALF, FLOAT, INT32, INT64)


class Inward(NamedTuple):
    """One copy from global memory. Lengths and paddings in elements, the source gap in bytes."""

    dtype: np.dtype
    count: int
    length: int
    src_gap: int
    dst_gap: int
    is_pad: bool
    left: int
    right: int


@st.composite
def inward(draw: st.DrawFn) -> Inward:
    dtype = draw(st.sampled_from(_TYPES))
    is_pad = draw(st.booleans())
    most = BLOCK // dtype.itemsize if is_pad else 0
    return Inward(
        dtype,
        draw(st.integers(1, 4)),
        draw(st.integers(1, 80 // dtype.itemsize)),
        draw(st.integers(0, 40)),
        draw(st.integers(0, 2)),
        is_pad,
        draw(st.integers(0, most)),
        draw(st.integers(0, most)),
    )


def _pad_value(dtype: np.dtype) -> Any:
    return np.array(0 if dtype == INT64 else 77, dtype)


@few
@given(st.lists(inward(), min_size=16, max_size=16), st.integers(0, 2**32 - 1))
def test_copies_from_global_memory(cases: list[Inward], seed: int) -> None:
    rng = np.random.default_rng(seed)
    batch, expected = Batch(), {}
    for case in cases:
        size = case.dtype.itemsize
        length = case.length * size
        whole = rounded((case.left + case.length + case.right) * size)
        total = case.count * (whole + case.dst_gap * BLOCK)
        a = random_values(case.dtype, -(-case.count * (length + case.src_gap) // size), rng)
        old = random_values(case.dtype, total // size, rng)
        g, x, d = batch.put_global(a), batch.put(old), batch.out(old)
        value = _pad_value(case.dtype)
        flag = "true" if case.is_pad else "false"
        ctype = CTYPE[case.dtype]
        scalar = f"static_cast<{ctype}>({int(value)})"
        batch.do(
            f"DataCopyExtParams shape{{{case.count}, {length}, {case.src_gap}, {case.dst_gap}, 0}};",
            f"DataCopyPadExtParams<{ctype}> pad{{{flag}, {case.left}, {case.right}, {scalar}}};",
            f"DataCopyPad({x}, {g}, shape, pad);",
        )
        batch.do(f"DataCopy({d}, {x}, {old.size});")
        want = as_bytes(old)
        padded_in(
            want,
            as_bytes(a),
            count=case.count,
            length=length,
            src_gap=case.src_gap,
            dst_gap=case.dst_gap,
            is_pad=case.is_pad,
            left=case.left * size,
            right=case.right * size,
            value=value,
        )
        expected[d] = want.view(case.dtype), str(case)
    got = batch.run()
    for name, (want, context) in expected.items():
        assert_same(got[name], want, context=context)


def test_the_older_parameters_count_bytes_too() -> None:
    rng = np.random.default_rng(1)
    batch, expected = Batch(), {}
    for dtype, bits in ((HALF, 0x4248), (INT32, 77), (INT8, 5)):
        size = dtype.itemsize
        count, length, src_gap, dst_gap, left, right = 3, 9 * size, 2 * size, 1, 2, 3
        whole = rounded(length + (left + right) * size)
        a = random_values(dtype, count * (length + src_gap) // size, rng)
        old = random_values(dtype, count * (whole + BLOCK) // size, rng)
        g, x, d = batch.put_global(a), batch.put(old), batch.out(old)
        batch.do(
            f"DataCopyPad({x}, {g}, DataCopyParams{{{count}, {length}, {src_gap}, {dst_gap}}},",
            f"    DataCopyPadParams{{true, {left}, {right}, {bits}}});",
        )
        batch.do(f"DataCopy({d}, {x}, {old.size});")
        want = as_bytes(old)
        padded_in(
            want,
            as_bytes(a),
            count=count,
            length=length,
            src_gap=src_gap,
            dst_gap=dst_gap,
            is_pad=True,
            left=left * size,
            right=right * size,
            value=np.array([bits], np.dtype(f"u{size}")).view(dtype)[0],
        )
        expected[d] = want.view(dtype)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=str(want.dtype))


def test_unspecified_padding_does_not_touch_the_data() -> None:
    batch = Batch()
    a = np.arange(1, 41, dtype=np.float32)
    g, x = batch.put_global(a), batch.put(np.zeros(64, FLOAT))
    r = batch.out_global(np.zeros(64, FLOAT))
    batch.do(
        "DataCopyExtParams shape{2, 20, 4, 0, 0};",
        "DataCopyPadExtParams<float> pad{false, 1, 1, 0.0f};",
        f"DataCopyPad({x}, {g}, shape, pad);",
        "PipeBarrier<PIPE_ALL>();",
        f"{r}.SetValue(0, {x}.GetValue(1)); {r}.SetValue(1, {x}.GetValue(5));",
        f"{r}.SetValue(2, {x}.GetValue(9)); {r}.SetValue(3, {x}.GetValue(13));",
        f"DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>({r});",
    )
    got = batch.run()[r]
    assert got[:4].tolist() == [1, 5, 7, 11]


@api("SetPadValue")
def test_the_pad_register_fills_where_padding_has_no_value() -> None:
    batch = Batch()
    a = np.arange(1, 41, dtype=np.int32)
    g, x, d = batch.put_global(a), batch.put(np.zeros(64, INT32)), batch.out(np.zeros(64, INT32))
    batch.do(
        "SetPadValue<int32_t>(123);",
        "DataCopyExtParams shape{2, 20, 4, 0, 0};",
        "DataCopyPadExtParams<int32_t> pad{false, 1, 0, 0};",
        f"DataCopyPad({x}, {g}, shape, pad);",
    )
    batch.do(f"DataCopy({d}, {x}, 64);")
    row = [123, 1, 2, 3, 4, 5, 123, 123, 123, 7, 8, 9, 10, 11, 123, 123]
    assert batch.run(errors_allowed=True)[d][:16].tolist() == row


class Outward(NamedTuple):
    """One copy to global memory. The length and the destination gap in bytes."""

    dtype: np.dtype
    count: int
    length: int
    src_gap: int
    dst_gap: int
    extended: bool


outward = st.builds(
    Outward,
    st.sampled_from(_TYPES),
    st.integers(1, 4),
    st.integers(1, 100),
    st.integers(0, 2),
    st.integers(0, 40),
    st.booleans(),
)


@few
@given(st.lists(outward, min_size=16, max_size=16), st.integers(0, 2**32 - 1))
def test_copies_to_global_memory_write_only_their_bytes(cases: list[Outward], seed: int) -> None:
    rng = np.random.default_rng(seed)
    batch, expected = Batch(), {}
    for case in cases:
        size = case.dtype.itemsize
        pitch = rounded(case.length) + case.src_gap * BLOCK
        a = random_values(case.dtype, case.count * pitch // size, rng)
        old = random_values(case.dtype, -(-case.count * (case.length + case.dst_gap) // size), rng)
        d, r = batch.out(a), batch.out_global(old)
        values = f"{case.count}, {case.length}, {case.src_gap}, {case.dst_gap}"
        shape = f"DataCopyExtParams{{{values}, 0}}" if case.extended else f"DataCopyParams{{{values}}}"
        batch.do(f"DataCopyPad({r}, {d}, {shape});")
        want = as_bytes(old)
        bursts(
            want,
            as_bytes(a),
            count=case.count,
            length=case.length,
            src_pitch=pitch,
            dst_pitch=case.length + case.dst_gap,
        )
        expected[r] = want[: old.nbytes].view(case.dtype), str(case)
    got = batch.run()
    for name, (want, context) in expected.items():
        assert_same(got[name], want, context=context)


def test_global_memory_may_start_at_any_byte() -> None:
    batch = Batch()
    a = np.arange(1, 97).astype(np.int8)
    g, r = batch.put_global(a), batch.out_global(np.zeros(96, INT8))
    x, d = batch.put(np.zeros(64, INT8)), batch.out(a[:64].copy())
    e = batch.out(np.zeros(64, INT8))
    batch.do(
        f"DataCopyPad({x}, {g}[7], DataCopyExtParams{{1, 33, 0, 0, 0}},",
        "    DataCopyPadExtParams<int8_t>{true, 0, 0, 0});",
        f"DataCopyPad({r}[13], {d}, DataCopyExtParams{{1, 35, 0, 0, 0}});",
    )
    batch.do(f"DataCopy({e}, {x}, 64);")
    got = batch.run()
    assert_same(got[e], np.concatenate([a[7:40], np.zeros(31)]).astype(np.int8))
    assert_same(got[r], np.concatenate([np.zeros(13), a[:35], np.zeros(48)]).astype(np.int8))


def test_a_store_of_a_tail_leaves_its_neighbours_unwritten() -> None:

    text = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR workspace)
{
    TPipe pipe;
    TBuf<TPosition::VECOUT> out;
    pipe.InitBuffer(out, 256);
    LocalTensor<half> a = out.Get<half>();
    GlobalTensor<half> gy;
    gy.SetGlobalBuffer((__gm__ half *)y, 100);
    Duplicate(a, static_cast<half>(2.0f), 128);
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(gy[3], a, DataCopyExtParams{2, 26, 0, 34, 0});
}
"""
    result = simulate(text, {}, {"y": ((100,), "float16")})
    assert result.completed, explain(result)
    assert result.unwritten == {"y": 74}
    written = np.zeros(100, bool)
    written[3:16] = written[33:46] = True
    assert (result.outputs["y"][written] == 2).all()


def test_a_burst_longer_than_16_bits_count() -> None:
    batch = Batch()
    a = np.arange(20000, dtype=np.int32)
    g, x = batch.put_global(a), batch.put(np.zeros(20000, INT32))
    n = batch.out(np.zeros(8, INT32))
    batch.do(
        f"DataCopyPad({x}, {g}, DataCopyExtParams{{1, 79996, 0, 0, 0}},",
        "    DataCopyPadExtParams<int32_t>{true, 0, 0, -5});",
        "PipeBarrier<PIPE_ALL>();",
        f"for (uint32_t i = 0; i < 4; ++i) {{ {n}.SetValue(i, {x}.GetValue(i * 6666)); }}",
        f"{n}.SetValue(4, {x}.GetValue(19999));",
    )
    assert batch.run()[n][:5].tolist() == [0, 6666, 13332, 19998, -5]


@api("InitOutput")
def test_init_output_fills_any_number_of_elements() -> None:
    text = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    GlobalTensor<float> gy;
    GlobalTensor<half> gz;
    gy.SetGlobalBuffer((__gm__ float *)y, 10003);
    gz.SetGlobalBuffer((__gm__ half *)z, 7);
    InitOutput<float>(gy, 10003, 2.5f);
    PipeBarrier<PIPE_ALL>();
    InitOutput<half>(gz, 7);
}
"""
    result = simulate(text, {}, {"y": ((10003,), "float32"), "z": ((7,), "float16")})
    assert result.completed, explain(result)
    assert result.codes == (), explain(result)
    assert (result.outputs["y"] == 2.5).all() and (result.outputs["z"] == 0).all()
    assert result.unwritten == {}
