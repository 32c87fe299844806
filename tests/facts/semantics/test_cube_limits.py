"""Sizes, addresses and orders of the cube core's memories (facts: semantics, sections 1, 6 and 18)."""

from __future__ import annotations

import numpy as np
import pytest

from agentkernel.testing.simulate import Simulation, simulate

from .batch import explain
from .cube import INT8, ONCE, Product, rows
from .marks import api
from .values import FLOAT, HALF, INT32, assert_same

_HEAD = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR a, GM_ADDR c, GM_ADDR workspace)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    TPipe pipe;
"""

FITS = {"A1": 512 * 1024 - 256, "A2": 65536, "B2": 65536, "CO1": 131072, "C2": 1024, "C2PIPE2GM": 2048}
"""Bytes of each memory that a kernel has (facts: semantics, sections 1 and 19; hardware, section 1)."""
NEXT = {"A1": "B1", "A2": "A2", "B2": "B2", "CO1": "CO1", "C2": "C2"}
"""A position that shares the memory."""


def _buffers(*sizes: tuple[str, int]) -> Simulation:
    lines = [f"    TBuf<TPosition::{p}> b{i};\n    pipe.InitBuffer(b{i}, {n});\n" for i, (p, n) in enumerate(sizes)]
    return simulate(_HEAD + "".join(lines) + "}\n", {"a": np.zeros(8, FLOAT)}, {"c": ((8,), "float32")})


@api("InitBuffer")
@pytest.mark.parametrize("position", FITS)
def test_a_buffer_may_fill_its_memory(position: str) -> None:
    simulation = _buffers((position, FITS[position]))
    assert not set(simulation.codes) - {"output-not-written"}, explain(simulation)


@api("InitBuffer")
@pytest.mark.parametrize("position", NEXT)
def test_two_buffers_share_their_memory(position: str) -> None:
    half = FITS[position] // 2
    fine = _buffers((position, half), (NEXT[position], half))
    assert not set(fine.codes) - {"output-not-written"}, explain(fine)
    much = _buffers((position, half), (NEXT[position], FITS[position] - half + 512))
    assert "memory-overflow" in much.codes, explain(much)


@api("LoadData")
@pytest.mark.parametrize("position", ["A2", "B2"])
def test_the_last_fractal_of_l0_is_the_last(position: str) -> None:
    text = (
        _HEAD
        + f"""    TBuf<TPosition::A1> near;
    TBuf<TPosition::{position}> all;
    pipe.InitBuffer(near, 1024);
    pipe.InitBuffer(all, 65536);
    LocalTensor<half> held = near.Get<half>();
    LocalTensor<half> factor = all.Get<half>();
    GlobalTensor<half> from;
    from.SetGlobalBuffer((__gm__ half *)a);
    DataCopy(held, from, 512);
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    LoadData(factor[127 * 256], held, LoadData2DParams(0, %d, 1, 0, 0, false, 0));
}}
"""
    )
    for repeats, fine in ((1, True), (2, False)):
        simulation = simulate(text % repeats, {"a": np.zeros(512, HALF)}, {"c": ((8,), "float32")})
        found = set(simulation.codes) - {"output-not-written"}
        assert found == (set() if fine else {"out-of-bounds"}), explain(simulation)


_ADDRESSES = {
    "Mmad": ("    product.cmatrixInitVal = true;\n    Mmad(co[8], a2, b2, product);", "misaligned-address"),
    "Mmad bias": (
        "    product.cmatrixInitVal = false;\n    product.cmatrixSource = true;\n    Mmad(co, a2, b2, c2[8], product);",
        "misaligned-address",
    ),
    "DataCopy to the bias table": ("    DataCopy(c2[8], c1, 16);\n" + ONCE, "misaligned-address"),
    "DataCopy to L1": ("    DataCopy(a1[8], gmA, 16);\n" + ONCE, "misaligned-address"),
    "LoadData": ("    LoadData(b2[16], b1, LoadData2DParams(0, 1, 1, 0, 0, false, 0));\n" + ONCE, "misaligned-address"),
}
"""Statements with an address that their memory does not take (facts: semantics, section 1), and the report."""


@api("Mmad", "DataCopy", "LoadData")
@pytest.mark.parametrize("name", _ADDRESSES)
def test_addresses_are_aligned(name: str) -> None:
    multiply, code = _ADDRESSES[name]
    barrier = "    PipeBarrier<PIPE_ALL>();\n"
    simulation = Product(HALF).run(rows(FLOAT, FLOAT), (32, 32), multiply=barrier + multiply + "\n" + barrier)
    assert code in simulation.codes, explain(simulation)


@api("Fixpipe")
def test_fixpipe_reads_l0c_at_64_bytes() -> None:
    store = (
        rows(FLOAT, FLOAT)
        .replace("gmC, co,", "gmC, co[8],")
        .replace("    store.quant", "    store.mSize = 16;\n    store.quant", 1)
    )
    simulation = Product(HALF).run(store, (32, 32))
    assert "misaligned-address" in simulation.codes, explain(simulation)


def _ordered(event: str, identifier: int = 0) -> str:
    flag = f"<HardEvent::{event}>(EVENT_ID{identifier});\n"
    return f"    SetFlag{flag}    WaitFlag{flag}"


_COPY_AGAIN = "    DataCopy(a1, gmA, Nd2NzParams(1, 32, 64, 0, 64, 32, 1, 0));\n"
_LOAD_AGAIN = "    LoadData(a2, a1, LoadData2DParams(0, 4, 2, 0, 0, false, 0));\n"
_STORE_ROWS = rows(FLOAT, FLOAT) + "\n"

REUSE = {
    "MTE1 reads L1, MTE2 writes it": (_ordered("MTE1_MTE2"), _COPY_AGAIN),
    "M reads L0A, MTE1 writes it": ("\n" + _ordered("M_MTE1", 3), _LOAD_AGAIN),
    "M reads the bias table, MTE1 writes it": (_ordered("M_MTE1", 3), "    DataCopy(c2[16], c1, 16);\n"),
    "MTE1 reads L1, MTE2 fills it": (
        _ordered("MTE1_MTE2"),
        "    InitConstValue(b1, InitConstValueParams<half>(1, 4, 0, static_cast<half>(0.0f)));\n",
    ),
}
"""What makes a memory free, and the statement behind the product that uses it again."""


@api("DataCopy", "LoadData", "InitConstValue", "SetFlag", "WaitFlag")
@pytest.mark.parametrize("name", REUSE)
def test_a_memory_is_used_again_behind_its_reader(name: str) -> None:
    order, again = REUSE[name]
    biased = (
        "    product.cmatrixInitVal = false;\n    product.cmatrixSource = true;\n    Mmad(co, a2, b2, c2, product);\n"
    )
    fine = Product(HALF).run(_STORE_ROWS, (32, 32), multiply=biased + order + again)
    assert not fine.codes, explain(fine)
    unordered = Product(HALF).run(_STORE_ROWS, (32, 32), multiply=biased + again)
    assert unordered.codes == ("missing-sync",), explain(unordered)


@api("Mmad", "Fixpipe", "SetFlag", "WaitFlag")
def test_a_sum_is_used_again_behind_its_store() -> None:
    product = Product(HALF)
    again = "\n" + ONCE + "\n" + _ordered("M_FIX") + "    PipeBarrier<PIPE_FIX>();\n" + _STORE_ROWS
    fine = product.run(_STORE_ROWS + _ordered("FIX_M") + again, (32, 32))
    assert not fine.codes, explain(fine)
    assert_same(fine.outputs["c"], product.exact().astype(FLOAT), zero_sign=False)
    unordered = product.run(_STORE_ROWS + again, (32, 32))
    assert unordered.codes == ("missing-sync",), explain(unordered)


@api("DataCopy", "PipeBarrier")
def test_copies_over_each_other_need_a_barrier() -> None:
    for barrier, fine in (("    PipeBarrier<PIPE_MTE2>();\n", True), ("", False)):
        multiply = ONCE + "\n" + _ordered("MTE1_MTE2") + _COPY_AGAIN + barrier + _COPY_AGAIN
        simulation = Product(HALF).run(_STORE_ROWS, (32, 32), multiply=multiply)
        assert simulation.codes == (() if fine else ("missing-sync",)), explain(simulation)


@api("Mmad", "Fixpipe")
def test_unit_flags_of_a_sum_of_two_products() -> None:
    product = Product(HALF)
    first, second = ONCE, "    product.cmatrixInitVal = false;\n    Mmad(co, a2, b2, product);"
    both = f"    product.unitFlag = 2;\n{first}\n    PipeBarrier<PIPE_M>();\n    product.unitFlag = 3;\n{second}"
    store = "    store.unitFlag = 3;\n" + rows(FLOAT, FLOAT)
    fine = product.run(store, (32, 32), multiply=both, without=("M_FIX",))
    assert not fine.codes, explain(fine)
    assert_same(fine.outputs["c"], (2 * product.exact()).astype(FLOAT), zero_sign=False)


@api("Mmad", "Fixpipe")
def test_a_unit_flag_of_one_side_orders_nothing() -> None:
    plain = rows(FLOAT, FLOAT)
    alone = Product(HALF).run(plain, (32, 32), multiply="    product.unitFlag = 3;\n" + ONCE, without=("M_FIX",))
    assert alone.codes, explain(alone)


@api("Fixpipe")
def test_fixpipe_to_l1_feeds_the_next_copy() -> None:
    product = Product(HALF)
    text = """    TBuf<TPosition::A1> bufNext;
    pipe.InitBuffer(bufNext, 2048);
    LocalTensor<{to}> next = bufNext.Get<{to}>();
    store.quantPre = QuantMode_t::{mode};
    store.dstStride = 32;
    {more}
    Fixpipe<{to}, {sum}, CFG_NZ>(next, co, store);
{order}    DataCopy(gmC, next, 1024);
"""
    columns = product.exact().reshape(32, 2, 16).transpose(1, 0, 2).astype(HALF).ravel()
    values = {"to": "half", "sum": "float", "mode": "F322F16", "more": "", "order": _ordered("FIX_MTE3")}
    fine = product.run(text.format(**values), (1024,), HALF)
    assert not fine.codes, explain(fine)
    assert_same(fine.outputs["c"], columns, zero_sign=False)
    unordered = product.run(text.format(**values | {"order": ""}), (1024,), HALF)
    assert unordered.codes == ("missing-sync",), explain(unordered)
    # Columns of 32 elements of 8 bits: Fixpipe merges two columns of fractals.
    whole = Product(INT8)
    scale = f"store.deqScalar = {int(np.float32(0.125).view(np.uint32)) | 1 << 46}ull;"
    values |= {"to": "int8_t", "sum": "int32_t", "mode": "REQ8", "more": scale}
    merged = whole.run(text.format(**values), (1024,), INT8)
    assert not merged.codes, explain(merged)
    want = np.clip(np.rint(whole.exact() / 8), -128, 127).astype(INT8).ravel()
    assert_same(merged.outputs["c"], want)


def _scalar(scale: float, *, signed: bool, offset: int = 0) -> str:
    """Fixpipe's scale of 64 bits (facts: semantics, section 18.4)."""
    bits = int(np.float32(scale).view(np.uint32)) | (offset & 0x1FF) << 37 | int(signed) << 46
    return f"store.deqScalar = {bits}ull;"


@api("Fixpipe")
@pytest.mark.parametrize("dtype", (INT8, HALF), ids=str)
@pytest.mark.parametrize(("scale", "offset"), [(1.0, 0), (0.25, 0), (0.5, 7), (0.5, -100)])
def test_bytes_saturate(dtype: np.dtype, scale: float, offset: int) -> None:
    product = Product(dtype)
    total = INT32 if dtype == INT8 else FLOAT
    mode = "REQ8" if dtype == INT8 else "QF322B8_PRE"
    exact = np.rint(product.exact() * scale) + offset
    for signed, to, low, high in ((True, INT8, -128, 127), (False, np.dtype(np.uint8), 0, 255)):
        simulation = product.run(rows(to, total, mode, _scalar(scale, signed=signed, offset=offset)), (32, 32), to)
        assert not simulation.codes, explain(simulation)
        assert_same(simulation.outputs["c"], np.clip(exact, low, high).astype(to))


@api("Mmad")
@pytest.mark.parametrize("sign", (1, -1))
def test_sums_of_integers_saturate(sign: int) -> None:
    product = Product(INT8)
    a, b, _ = product.arrays()
    edge = np.iinfo(np.int32).max if sign > 0 else np.iinfo(np.int32).min
    bias = np.full(32, edge, np.int64)
    start = (
        "    product.cmatrixInitVal = false;\n    product.cmatrixSource = true;\n    Mmad(co, a2, b2, c2, product);\n"
    )

    class Edge(Product):
        def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            return a, b, bias.astype(INT32)

    simulation = Edge(INT8).run(rows(INT32, INT32), (32, 32), multiply=start)
    assert not simulation.codes, explain(simulation)
    want = np.clip(product.exact() + edge, np.iinfo(np.int32).min, np.iinfo(np.int32).max).astype(INT32)
    assert_same(simulation.outputs["c"], want)
