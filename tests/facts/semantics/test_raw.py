"""More functions on pointers: moves, conversions, reductions, registers, atomic stores and the data cache.

Argument orders: facts, overloads, section 1.1, and for what it leaves out the pages of the CCE intrinsics.
"""

from __future__ import annotations

import numpy as np
import pytest

from agentkernel.testing.simulate import simulate

from .batch import Array, Batch, explain
from .marks import api, each
from .values import BF16, CTYPE, FLOAT, HALF, INT16, INT32, UINT16, UINT32, assert_same

INT8, UINT8, INT64 = np.dtype(np.int8), np.dtype(np.uint8), np.dtype(np.int64)
_FULL = "set_vector_mask((uint64_t)-1, (uint64_t)-1);"


def _at(name: str, ctype: str) -> str:
    return f"(__ubuf__ {ctype} *){name}.GetPhyAddr()"


def _far(name: str, ctype: str) -> str:
    return f"(__gm__ {ctype} *){name}.GetPhyAddr()"


_PADS = {"b8": (UINT8, 4, 8), "b16": (UINT16, 2, 4), "b32": (UINT32, 1, 2)}
"""Element type, elements of padding on the left and on the right of 20 bytes, up to 32 bytes."""


@pytest.mark.parametrize(
    "width", [pytest.param(w, marks=api(f"copy_gm_to_ubuf_align_{w}", "set_mov_pad_val")) for w in _PADS]
)
def test_copies_from_global_memory_pad_each_burst(width: str) -> None:
    dtype, left, right = _PADS[width]
    batch, c = Batch(), CTYPE[dtype]
    values = np.arange(1, 1 + 3 * 24 // dtype.itemsize).astype(dtype).reshape(3, -1)  # bursts of 20 bytes, 4 between
    g = batch.put_global(values)
    d = batch.out(np.zeros((3, 2, 32 // dtype.itemsize), dtype))
    name = f"copy_gm_to_ubuf_align_{width}"
    batch.do("set_mov_pad_val(7);", f"{name}({_at(d, c)}, {_far(g, c)}, 0, 3, 20, {left}, {right}, 4, 1);")
    got = batch.run()[d]
    for i in range(3):
        want = np.concatenate([np.full(left, 7), values[i, : 20 // dtype.itemsize], np.full(right, 7)]).astype(dtype)
        assert_same(got[i, 0], want)
        assert not got[i, 1].any()


@pytest.mark.parametrize("width", [pytest.param(w, marks=api(f"copy_ubuf_to_gm_align_{w}")) for w in _PADS])
def test_copies_to_global_memory_leave_gaps_of_bytes(width: str) -> None:
    dtype, _, _ = _PADS[width]
    batch, c = Batch(), CTYPE[dtype]
    values = np.arange(1, 1 + 3 * 64 // dtype.itemsize).astype(dtype).reshape(3, -1)
    s = batch.put(values)
    r = batch.out_global(np.zeros((3, 24 // dtype.itemsize), dtype))
    batch.do(f"copy_ubuf_to_gm_align_{width}({_far(r, c)}, {_at(s, c)}, 0, 3, 20, 0, 0, 1, 4);")
    want = np.zeros((3, 24 // dtype.itemsize), dtype)
    want[:, : 20 // dtype.itemsize] = values[:, : 20 // dtype.itemsize]
    assert_same(batch.run()[r], want)


def _lists(*names: tuple[str, str, str]) -> list[str]:
    """Statements that load sixteen addresses into each pair of VA registers: (register, tensor, bytes between)."""
    lines = []
    for number, tensor, pitch in names:
        for i in range(2):
            array = f"list{number}{i}"
            addresses = ", ".join(
                f"(uint64_t)({_at(tensor, 'uint8_t')} + {(i * 8 + j) * int(pitch)})" for j in range(8)
            )
            lines += [f"uint64_t {array}[8] = {{{addresses}}};", f"set_va_reg_sb(VA{int(number) + i}, {array});"]
    return lines


@api("scatter_vnchwconv_b16", "set_va_reg_sb")
def test_squares_of_16_bits_are_scattered() -> None:
    # Eight squares: sources two blocks apart, destinations one, each of the sixteen rows behind the other.
    batch, rng = Batch(), np.random.default_rng(1)
    x = rng.integers(0, 2**16, (16, 16, 16)).astype(UINT16)  # row, block, element
    s, d = batch.put(x), batch.out(np.zeros((16, 8, 16), UINT16))
    batch.do(*_lists(("0", d, "256"), ("2", s, "512")), "scatter_vnchwconv_b16(VA0, VA2, 8, 1, 2);")
    want = np.ascontiguousarray(x[:, ::2].transpose(2, 1, 0))  # element j of row i goes to element i of block j
    assert_same(batch.run()[d], want)


@api("scatter_vnchwconv_b32", "set_va_reg_sb")
def test_squares_of_32_bits_are_scattered() -> None:
    batch, rng = Batch(), np.random.default_rng(2)
    x = rng.integers(0, 2**32, (16, 2, 8), dtype=np.uint64).astype(UINT32)
    s, d = batch.put(x), batch.out(np.zeros((16, 2, 8), UINT32))
    batch.do(*_lists(("0", d, "64"), ("2", s, "64")), "scatter_vnchwconv_b32(VA0, VA2, 2, 1, 1);")
    # A column of sixteen fills two destination blocks.
    want = np.stack([x[:, r].T.reshape(16, 8) for r in range(2)], axis=1)
    assert_same(batch.run()[d], want)


@api("scatter_vnchwconv_b8", "set_va_reg_sb")
@pytest.mark.parametrize(("to", "of"), [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_squares_of_8_bits_are_halves_of_blocks(to: int, of: int) -> None:
    batch, rng = Batch(), np.random.default_rng(3)
    x = rng.integers(0, 2**8, (16, 32)).astype(UINT8)
    s, d = batch.put(x), batch.out(np.zeros((16, 32), UINT8))
    flags = ", ".join(("false", "true")[v] for v in (to, of))
    batch.do(*_lists(("0", d, "32"), ("2", s, "32")), f"scatter_vnchwconv_b8(VA0, VA2, 1, 0, 0, {flags});")
    want = np.zeros((16, 32), UINT8)
    want[:, to * 16 : to * 16 + 16] = x[:, of * 16 : of * 16 + 16].T
    assert_same(batch.run()[d], want)


@api("vconv_f162f32", "vconv_f322f16")
def test_conversions_between_floats() -> None:
    batch, rng = Batch(), np.random.default_rng(4)
    h, f = rng.normal(size=128).astype(HALF), rng.normal(size=128).astype(FLOAT)
    s, t = batch.put(h), batch.put(f)
    d, e = batch.out(np.zeros(128, FLOAT)), batch.out(np.zeros(128, HALF))
    batch.do(_FULL, f"vconv_f162f32({_at(d, 'float')}, {_at(s, 'half')}, 2, 1, 1, 8, 4);")
    batch.do(_FULL, f"vconv_f322f16({_at(e, 'half')}, {_at(t, 'float')}, 2, 1, 1, 4, 8);")
    got = batch.run()
    assert_same(got[d], h.astype(FLOAT))
    assert_same(got[e], f.astype(HALF))


@pytest.mark.parametrize("name", each(("vcmax", "vcmin")))
@pytest.mark.parametrize("dtype", (HALF, FLOAT), ids=str)
def test_extremes_of_a_repeat_come_with_their_index(name: str, dtype: np.dtype) -> None:
    batch, rng = Batch(), np.random.default_rng(5)
    lanes, c = 256 // dtype.itemsize, CTYPE[dtype]
    x = rng.integers(-20, 20, (3, lanes)).astype(dtype)  # with ties: the smallest index counts
    place = x.argmax(axis=1) if name == "vcmax" else x.argmin(axis=1)
    value = x[np.arange(3), place]
    index = place.astype(f"u{dtype.itemsize}").view(dtype)
    s = batch.put(x)
    orders = {
        "VALUE_INDEX": np.stack([value, index], axis=1).ravel(),
        "INDEX_VALUE": np.stack([index, value], axis=1).ravel(),
        "ONLY_VALUE": value,
        "ONLY_INDEX": place.astype(UINT32).view(dtype),
    }
    outs = {}
    for order, want in orders.items():
        d = batch.out(np.zeros(16, dtype))
        batch.do(_FULL, f"{name}({_at(d, c)}, {_at(s, c)}, 3, 1, 1, 8, Order_t::{order});")
        outs[d] = want
    got = batch.run()
    for d, want in outs.items():
        bits = f"u{dtype.itemsize}"
        assert_same(got[d][: want.size].view(bits), want.view(bits))


@api("vbrcb")
@pytest.mark.parametrize("dtype", (UINT16, UINT32), ids=str)
def test_elements_fill_blocks(dtype: np.dtype) -> None:
    batch, c = Batch(), CTYPE[dtype]
    x, lanes = np.arange(1, 17).astype(dtype), 32 // dtype.itemsize
    s, d = batch.put(x), batch.out(np.zeros((16, lanes), dtype))
    batch.do(f"vbrcb({_at(d, c)}, {_at(s, c)}, 1, 8, 2);")
    assert_same(batch.run()[d], np.repeat(x[:, None], lanes, axis=1))


@api("vgather")
@pytest.mark.parametrize("dtype", (UINT16, UINT32), ids=str)
def test_elements_are_gathered_by_addresses(dtype: np.dtype) -> None:
    batch, rng = Batch(), np.random.default_rng(6)
    lanes, c = 256 // dtype.itemsize, CTYPE[dtype]
    x, places = rng.integers(0, 2**16, 512).astype(dtype), rng.integers(0, 512, 2 * lanes)
    s, a, d = batch.put(x), batch.put((places * dtype.itemsize).astype(UINT32)), batch.out(np.zeros(2 * lanes, dtype))
    base = f"static_cast<uint32_t>((uint64_t){s}.GetPhyAddr())"
    batch.do(_FULL, f"vgather({_at(d, c)}, {_at(a, 'uint32_t')}, {base}, 8, 2);")
    assert_same(batch.run()[d], x[places])


@api("vgatherb")
@pytest.mark.parametrize("dtype", (UINT16, UINT32), ids=str)
def test_blocks_are_gathered_by_addresses(dtype: np.dtype) -> None:
    batch, rng = Batch(), np.random.default_rng(7)
    lanes, c = 32 // dtype.itemsize, CTYPE[dtype]
    x, places = rng.integers(0, 2**16, (40, lanes)).astype(dtype), rng.integers(0, 40, 16)
    s, a, d = batch.put(x), batch.put((places * 32).astype(UINT32)), batch.out(np.zeros((16, lanes), dtype))
    base = f"static_cast<uint32_t>((uint64_t){s}.GetPhyAddr())"
    batch.do(f"vgatherb({_at(d, c)}, {_at(a, 'uint32_t')}, {base}, 8, 1, 2);")
    assert_same(batch.run()[d], x[places])


@api("vreducev2")
@pytest.mark.parametrize("dtype", (UINT16, UINT32), ids=str)
def test_patterns_keep_elements(dtype: np.dtype) -> None:
    batch, rng = Batch(), np.random.default_rng(8)
    lanes, c = 256 // dtype.itemsize, CTYPE[dtype]
    x = rng.integers(0, 2**16, 2 * lanes).astype(dtype)
    pattern = rng.integers(0, np.iinfo(dtype).max, 64 // dtype.itemsize, dtype=np.uint64).astype(dtype)
    s, p = batch.put(x), batch.put(pattern)
    bits = np.unpackbits(pattern.view(UINT8), bitorder="little")[:lanes].astype(bool)
    wants = {1: x[::2], 2: x[1::2], 3: x[::4], 4: x[1::4], 5: x[2::4], 6: x[3::4], 7: x}
    wants[0] = x[np.concatenate([bits, bits])]
    outs = {}
    for mode, want in wants.items():
        d = batch.out(np.zeros(2 * lanes, dtype))
        batch.do(f"vreducev2({_at(d, c)}, {_at(s, c)}, {_at(p, c)}, 2, 1, {mode}, 8, 0);")
        outs[d] = want
    got = batch.run()
    for d, want in outs.items():
        assert_same(got[d][: want.size], want)


@api("vsel", "set_cmpmask")
@pytest.mark.parametrize("dtype", (HALF, FLOAT), ids=str)
def test_the_compare_mask_selects(dtype: np.dtype) -> None:
    batch, rng = Batch(), np.random.default_rng(9)
    lanes, c = 256 // dtype.itemsize, CTYPE[dtype]
    x, y = rng.normal(size=(2, lanes)).astype(dtype), rng.normal(size=(2, lanes)).astype(dtype)
    mask = rng.integers(0, 2**8, 32).astype(UINT8)
    s, t, m, d = batch.put(x), batch.put(y), batch.put(mask), batch.out(np.zeros((2, lanes), dtype))
    batch.do(
        _FULL,
        f"set_cmpmask({_at(m, 'uint64_t')});",
        "pipe_barrier(PIPE_V);",
        f"vsel({_at(d, c)}, {_at(s, c)}, {_at(t, c)}, 2, 1, 1, 1, 8, 8, 8, 0);",
    )
    chosen = np.unpackbits(mask, bitorder="little")[:lanes].astype(bool)
    assert_same(batch.run()[d], np.where(chosen, x, y))


@api("get_cmpmask")
def test_the_compare_mask_is_read() -> None:
    batch, rng = Batch(), np.random.default_rng(10)
    x, y = rng.integers(0, 4, 128).astype(HALF), rng.integers(0, 4, 128).astype(HALF)
    s, t, d = batch.put(x), batch.put(y), batch.out(np.zeros(128, UINT8))
    batch.do(f"Compare({s}, {t}, CMPMODE::LT, 128, {{1, 1, 1, 8, 8, 8}});", f"get_cmpmask({_at(d, 'uint64_t')});")
    assert_same(batch.run()[d][:16], np.packbits(x < y, bitorder="little"))


@api("get_ctrl", "set_ctrl", "sbitset0", "sbitset1")
def test_bits_of_the_control_register() -> None:
    batch = Batch()
    s = batch.put(np.full(128, 32767, INT16))
    d, e = batch.out(np.zeros(128, INT16)), batch.out(np.zeros(128, INT16))
    batch.do("set_ctrl(sbitset0(get_ctrl(), 48));", f"Add({d}, {s}, {s}, 128);")  # bit 48: 1 inf/nan, 0 saturation
    batch.do("set_ctrl(sbitset1(get_ctrl(), 48));", f"Add({e}, {s}, {s}, 128);")
    got = batch.run()
    assert (got[d] == 32767).all()
    assert (got[e] == -2).all()


@api("get_imm", "sbitset0", "sbitset1")
def test_immediates_and_bits_of_a_word() -> None:
    batch = Batch()
    d = batch.out(np.zeros(8, INT64))
    words = [
        ("get_imm(0x1234)", 0x1234),
        ("get_imm(0x1234, 0x5678)", 0x56781234),
        ("get_imm(0x1234, 0x5678, 0x9abc)", 0x9ABC56781234),
        ("get_imm(0x1234, 0x5678, 0x9abc, 0xdef0)", 0xDEF09ABC56781234),
        ("sbitset1(static_cast<uint64_t>(5), 40)", 5 | 1 << 40),
        ("sbitset0(static_cast<uint64_t>(5), 2)", 1),
    ]
    batch.do(*(f"{d}.SetValue({i}, static_cast<int64_t>({text}));" for i, (text, _) in enumerate(words)))
    assert batch.run()[d].view(np.uint64)[: len(words)].tolist() == [want for _, want in words]


_ATOMICS = {"f32": FLOAT, "f16": HALF, "bf16": BF16, "s32": INT32, "s16": INT16, "s8": INT8}


@pytest.mark.parametrize("kind", [pytest.param(k, marks=api(f"set_atomic_{k}", "set_atomic_none")) for k in _ATOMICS])
@pytest.mark.parametrize("op", [pytest.param(o, marks=api(f"set_atomic_{o}")) for o in ("add", "max", "min")])
def test_stores_are_atomic(kind: str, op: str) -> None:
    dtype = _ATOMICS[kind]
    batch, rng = Batch(), np.random.default_rng(11)
    x, old = rng.integers(-9, 9, 64).astype(dtype), rng.integers(-9, 9, 64).astype(dtype)
    s, r, q = batch.put(x), batch.out_global(old), batch.out_global(old)
    batch.do(
        f"set_atomic_{kind}();",
        f"set_atomic_{op}();",
        f"DataCopy({r}, {s}, 64);",
        "set_atomic_none();",
        f"DataCopy({q}, {s}, 64);",
    )
    got = batch.run()
    result: Array = {"add": np.add, "max": np.maximum, "min": np.minimum}[op](x, old)
    assert_same(got[r], result.astype(dtype), zero_sign=False)
    assert_same(got[q], x)


_CACHE = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR c, GM_ADDR e, GM_ADDR workspace)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBuffer(buf, 128);
    LocalTensor<int32_t> held = buf.Get<int32_t>();
    GlobalTensor<int32_t> first, second;
    first.SetGlobalBuffer((__gm__ int32_t *)c);
    second.SetGlobalBuffer((__gm__ int32_t *)e);
    for (int i = 0; i < 32; ++i) {
        first.SetValue(i, i * i);
    }
    %s
    SetFlag<HardEvent::S_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::S_MTE2>(EVENT_ID0);
    DataCopy(held, first, 32);
    PipeBarrier<PIPE_ALL>();
    DataCopy(second, held, 32);
}
"""
"""The scalar unit writes two lines of its cache, and MTE2 reads them."""


@api("dcci")
@pytest.mark.parametrize(
    ("flush", "fine"),
    [
        ("dcci((__gm__ void *)c, 0, 2); dcci((__gm__ void *)(c + 64), 0, 2);", True),
        ("dcci((__gm__ void *)c, 0); dcci((__gm__ void *)(c + 64), 0);", True),
        ("dcci((__gm__ void *)c, 1, 2);", True),
        ("dcci((__gm__ void *)c, 1, 0);", True),
        ("dcci((__gm__ void *)c, 0, 2);", False),
        ("", False),
    ],
)
def test_lines_of_the_data_cache_are_written_back(flush: str, fine: bool) -> None:
    simulation = simulate(_CACHE % flush, {}, {"c": ((32,), "int32"), "e": ((32,), "int32")})
    assert simulation.compiled, explain(simulation)
    if fine:
        assert not simulation.codes, explain(simulation)
        assert_same(simulation.outputs["e"], (np.arange(32) ** 2).astype(INT32))
    else:
        assert "dcache-not-flushed" in simulation.codes, explain(simulation)


@api("set_flag", "wait_flag", "pipe_barrier")
@pytest.mark.parametrize("ordered", (True, False))
def test_flags_between_pipes(ordered: bool) -> None:
    flag = "set_flag({0}, EVENT_ID1);\n    wait_flag({0}, EVENT_ID1);" if ordered else ""
    text = f"""#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR a, GM_ADDR c, GM_ADDR workspace)
{{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBuffer(buf, 256);
    LocalTensor<float> held = buf.Get<float>();
    copy_gm_to_ubuf((__ubuf__ float *)held.GetPhyAddr(), (__gm__ float *)a, 0, 1, 8, 0, 0);
    {flag.format("PIPE_MTE2, PIPE_V")}
    Adds(held, held, 1.0f, 64);
    {flag.format("PIPE_V, PIPE_MTE3")}
    copy_ubuf_to_gm((__gm__ float *)c, (__ubuf__ float *)held.GetPhyAddr(), 0, 1, 8, 0, 0);
    pipe_barrier(PIPE_ALL);
}}
"""
    x = np.arange(64, dtype=np.float32)
    simulation = simulate(text, {"a": x}, {"c": ((64,), "float32")})
    assert simulation.compiled, explain(simulation)
    if ordered:
        assert not simulation.codes, explain(simulation)
        assert_same(simulation.outputs["c"], x + 1)
    else:
        assert "missing-sync" in simulation.codes, explain(simulation)
