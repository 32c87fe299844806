"""Products of the cube core (facts: semantics, section 18)."""

from __future__ import annotations

import numpy as np
import pytest

from agentkernel.testing.simulate import simulate

from .batch import Array, explain
from .cube import BIASED, INT8, ONCE, RESULT, TWICE, Product, fractals, in_columns, rows
from .marks import api
from .values import BF16, CTYPE, FLOAT, HALF, INT32, assert_same

FACTORS = (INT8, HALF, BF16, FLOAT)


def _checked(product: Product, store: str, want: Array, multiply: str = ONCE) -> None:
    simulation = product.run(store, want.shape, want.dtype, multiply=multiply)
    assert simulation.completed, explain(simulation)
    assert not simulation.codes, explain(simulation)
    assert_same(simulation.outputs["c"], want, zero_sign=False, context=str(product))


@api("Mmad", "LoadData", "Fixpipe")
@pytest.mark.parametrize("dtype", FACTORS, ids=str)
def test_product_starts_from_zero_the_old_sum_or_the_bias(dtype: np.dtype) -> None:
    product = Product(dtype)
    exact, total = product.exact(), RESULT[dtype]
    store = rows(total, total)
    _checked(product, store, exact.astype(total))
    _checked(product, store, (2 * exact).astype(total), TWICE)
    _checked(product, store, (exact + product.arrays()[2].astype(np.float64)).astype(total), BIASED)


@api("Mmad", "LoadData")
@pytest.mark.parametrize("dtype", FACTORS, ids=str)
def test_product_ignores_what_lies_behind_its_sizes(dtype: np.dtype) -> None:
    product = Product(dtype, m=21, n=16, k=128 // dtype.itemsize - 32 // dtype.itemsize)
    total = RESULT[dtype]
    _checked(product, rows(total, total), product.exact().astype(total))


@api("LoadData")
@pytest.mark.parametrize("dtype", (HALF, BF16), ids=str)
def test_load_transposes_the_fractals_of_a_factor_in_rows(dtype: np.dtype) -> None:
    product = Product(dtype, m=16, n=48, k=32, by_rows=True)
    _checked(product, rows(FLOAT, FLOAT), product.exact().astype(FLOAT))


@api("Fixpipe")
def test_fixpipe_converts_floats() -> None:
    product = Product(HALF)
    exact = product.exact()
    _checked(product, rows(HALF, FLOAT, "F322F16"), exact.astype(HALF))
    _checked(product, rows(BF16, FLOAT, "F322BF16"), exact.astype(BF16))
    _checked(product, rows(FLOAT, FLOAT, "NoQuant", "store.reluEn = true;"), np.maximum(exact, 0).astype(FLOAT))
    signed = int(np.float32(0.25).view(np.uint32)) | 1 << 46
    want = np.clip(np.rint(exact * 0.25), -128, 127).astype(INT8)
    _checked(product, rows(INT8, FLOAT, "QF322B8_PRE", f"store.deqScalar = {signed}ull;"), want)


@api("Fixpipe")
def test_fixpipe_scales_integers() -> None:
    product = Product(INT8)
    exact = product.exact()
    scale = int(np.float32(0.5).view(np.uint32))
    _checked(product, rows(HALF, INT32, "DEQF16", f"store.deqScalar = {scale}ull;"), (exact * 0.5).astype(HALF))
    signed = int(np.float32(0.25).view(np.uint32)) | 1 << 46
    want = np.clip(np.rint(exact * 0.25), -128, 127).astype(INT8)
    _checked(product, rows(INT8, INT32, "REQ8", f"store.deqScalar = {signed}ull;"), want)


@api("Fixpipe")
def test_fixpipe_keeps_fractals_and_splits_their_columns() -> None:
    product = Product(HALF)
    exact = product.exact().astype(FLOAT)
    _checked(product, fractals(FLOAT, FLOAT, product.m * 2), in_columns(exact, 16))
    split = fractals(FLOAT, FLOAT, product.m, "store.isChannelSplit = true;")
    _checked(product, split, in_columns(exact, 8))


@api("Fixpipe", "Mmad")
def test_sizes_of_zero_do_nothing() -> None:
    product = Product(HALF)
    twice = ONCE + "\n    PipeBarrier<PIPE_M>();\n    product.k = 0;\n    Mmad(co, a2, b2, product);"
    nothing = "\n    PipeBarrier<PIPE_FIX>();\n    store.mSize = 0;\n" + rows(FLOAT, FLOAT)
    _checked(product, rows(FLOAT, FLOAT) + nothing, product.exact().astype(FLOAT), twice)


@pytest.mark.parametrize(
    ("event", "name"),
    [
        pytest.param("MTE2_MTE1", "LoadData", marks=api("LoadData")),
        pytest.param("MTE1_M", "Mmad", marks=api("Mmad")),
        pytest.param("M_FIX", "Fixpipe", marks=api("Fixpipe")),
    ],
)
def test_a_missing_event_of_the_cube_is_reported(event: str, name: str) -> None:
    simulation = Product(HALF).run(rows(FLOAT, FLOAT), (32, 32), without=(event,))
    assert simulation.codes == ("missing-sync",), f"{name}: {explain(simulation)}"


_AGAIN = """
%s    LoadData2DParams again;
    again.repeatTimes = 4;
    again.srcStride = 2;
    LoadData(a2, a1, again);"""


@api("LoadData", "Mmad")
def test_a_factor_is_loaded_again_behind_the_product_that_reads_it() -> None:
    unordered = Product(HALF).run(rows(FLOAT, FLOAT), (32, 32), multiply=ONCE + _AGAIN % "")
    assert unordered.codes == ("missing-sync",), explain(unordered)
    # On the cube core a TPipe holds the ids 0 to 2 of this event (facts: semantics, section 5).
    flags = "    SetFlag<HardEvent::M_MTE1>(EVENT_ID3);\n    WaitFlag<HardEvent::M_MTE1>(EVENT_ID3);\n"
    product = Product(HALF)
    _checked(product, rows(FLOAT, FLOAT), product.exact().astype(FLOAT), ONCE + _AGAIN % flags)


@api("Mmad")
def test_small_products_into_one_sum_need_a_barrier() -> None:
    simulation = Product(HALF).run(rows(FLOAT, FLOAT), (32, 32), multiply=TWICE.replace("PipeBarrier<PIPE_M>();", ""))
    assert simulation.codes == ("missing-sync",), explain(simulation)


@api("LoadData")
def test_fractals_of_l0_start_at_512_bytes() -> None:
    load = "\n    PipeBarrier<PIPE_ALL>();\n    LoadData2DParams late;\n    late.repeatTimes = 1;"
    load += "\n    LoadData(a2[128], a1, late);"
    simulation = Product(HALF).run(rows(FLOAT, FLOAT), (32, 32), multiply=ONCE + load)
    assert simulation.codes == ("misaligned-address",), explain(simulation)


@api("InitBuffer")
@pytest.mark.parametrize(
    ("position", "kib"), [("A1", 512), ("A2", 64), ("B2", 64), ("CO1", 128), ("C2", 1), ("C2PIPE2GM", 7)]
)
def test_memories_of_the_cube_have_their_sizes(position: str, kib: int) -> None:
    # The Fixpipe buffer: 2 KiB in the constraints, 7 KiB in all of its parts (facts: hardware, section 1).
    source = f"""#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR a, GM_ADDR c, GM_ADDR workspace)
{{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    TPipe pipe;
    TBuf<TPosition::{position}> all;
    pipe.InitBuffer(all, {kib} * 1024 + 32);
}}
"""
    simulation = simulate(source, {"a": np.zeros(8, np.float32)}, {"c": ((8,), "float32")})
    assert "memory-overflow" in simulation.codes, explain(simulation)


_SQUARES = """
    LoadData2dTransposeParams squares;
    squares.startIndex = 0;
    squares.repeatTimes = {repeat};
    squares.srcStride = {stride};
    squares.dstGap = {gap};
    squares.dstFracGap = {inner};
    for (uint16_t i = 0; i < {steps}; ++i) {{
        LoadDataWithTranspose(b2[i * {to}], b1[i * {of}], squares);
    }}"""


@api("LoadDataWithTranspose")
@pytest.mark.parametrize("dtype", (HALF, BF16, INT8, FLOAT), ids=str)
def test_squares_are_transposed(dtype: np.dtype) -> None:
    if dtype == FLOAT:  # two fractals of 16 rows and 8 columns side by side
        k, load = 16, _SQUARES.format(repeat=4, stride=1, gap=0, inner=3, steps=1, to=0, of=0)
    elif dtype == INT8:  # two fractals of 16 rows and 32 columns one below the other
        k, load = 64, _SQUARES.format(repeat=2, stride=2, gap=1, inner=0, steps=2, to=4 * 512, of=2 * 512)
    else:
        k, load = 32, _SQUARES.format(repeat=4, stride=2, gap=0, inner=0, steps=2, to=4 * 256, of=256)
    product = Product(dtype, m=16, n=64, k=k, load=load)
    total = RESULT[dtype]
    _checked(product, rows(total, total), product.exact().astype(total))


@api("Mmad")
@pytest.mark.parametrize("dtype", (HALF, BF16), ids=str)
def test_one_row_is_a_plain_vector(dtype: np.dtype) -> None:
    product = Product(dtype, m=1, n=32, k=256)
    _checked(product, rows(FLOAT, FLOAT), product.exact().astype(FLOAT))


@api("InitConstValue", "Fill")
def test_l0_is_filled_with_a_constant() -> None:
    product = Product(HALF)
    want = np.repeat(2.0 * product.arrays()[1].astype(np.float64).sum(axis=0)[None], 32, axis=0).astype(FLOAT)
    for name in ("InitConstValue", "Fill"):
        fill = f"""
    PipeBarrier<PIPE_ALL>();
    InitConstValueParams<half> constant;
    constant.repeatTimes = 2;
    constant.blockNum = 4;
    constant.dstGap = 0;
    constant.initValue = static_cast<half>(2.0f);
    {name}(a2, constant);
    PipeBarrier<PIPE_ALL>();
"""
        _checked(product, rows(FLOAT, FLOAT), want, fill + ONCE)


@api("Fixpipe")
def test_each_column_has_its_scale() -> None:
    product = Product(INT8)
    want = (product.exact() * np.exp2(-(np.arange(32) % 3))).astype(HALF)
    take = """    TBuf<TPosition::A1> bufScales;
    pipe.InitBuffer(bufScales, 256);
    LocalTensor<uint64_t> scales = bufScales.Get<uint64_t>();
    GlobalTensor<uint64_t> gmScales;
    gmScales.SetGlobalBuffer((__gm__ uint64_t *)(bias + 128));
    DataCopy(scales, gmScales, 32);
    PipeBarrier<PIPE_ALL>();
"""
    store = rows(HALF, INT32, "VDEQF16").replace("(gmC, co, store)", "(gmC, co, scales, store)")
    _checked(product, take + store, want)


@api("DataCopy", "SetFixpipeNz2ndFlag")
def test_copy_from_l0c_is_the_same_engine() -> None:
    product = Product(HALF)
    store = "    SetFixpipeNz2ndFlag(1, 1, 1);\n"
    store += "    DataCopy(gmC, co, DataCopyCO12DstParams(32, 32, 32, 32, {}, 0, false, true));"
    _checked(product, store.format("QuantMode_t::NoQuant"), product.exact().astype(FLOAT))
    _checked(product, store.format("QuantMode_t::F322F16"), product.exact().astype(HALF))


@api("Fixpipe", "Mmad")
def test_unit_flags_order_a_product_and_its_store() -> None:
    product = Product(HALF)
    store = "    store.unitFlag = 3;\n" + rows(FLOAT, FLOAT)
    simulation = product.run(store, (32, 32), multiply="    product.unitFlag = 3;\n" + ONCE, without=("M_FIX",))
    assert not simulation.codes, explain(simulation)
    assert_same(simulation.outputs["c"], product.exact().astype(FLOAT), zero_sign=False)


@api("DataCopy")
@pytest.mark.parametrize("dtype", FACTORS, ids=str)
def test_rows_become_columns_of_fractals(dtype: np.dtype) -> None:
    c0 = 32 // dtype.itemsize
    width, pitch, columns = c0 + 4, c0 * 2, 2
    source = np.arange(2 * 20 * pitch).astype(dtype)
    size = columns * 16 * c0
    name = CTYPE[dtype]
    text = f"""#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR a, GM_ADDR c, GM_ADDR workspace)
{{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    TPipe pipe;
    TBuf<TPosition::A1> buffer;
    pipe.InitBuffer(buffer, {2 * size * dtype.itemsize});
    LocalTensor<{name}> held = buffer.Get<{name}>();
    GlobalTensor<{name}> from;
    GlobalTensor<{name}> to;
    from.SetGlobalBuffer((__gm__ {name} *)a);
    to.SetGlobalBuffer((__gm__ {name} *)c);
    DataCopy(held, from, Nd2NzParams(2, 16, {width}, {20 * pitch}, {pitch}, 16, 1, {size}));
    PipeBarrier<PIPE_ALL>();
    DataCopy(to, held, {2 * size});
}}
"""
    kind = "bfloat16" if dtype == BF16 else dtype.name
    simulation = simulate(text, {"a": source}, {"c": ((2 * size,), kind)})
    assert not simulation.codes, explain(simulation)
    matrices = source.reshape(2, 20, pitch)[:, :16].copy()
    matrices[:, :, width:] = 0
    want = np.concatenate([in_columns(matrix, c0) for matrix in matrices])
    assert_same(simulation.outputs["c"], want)


@api("SetHF32Mode", "SetHF32TransMode", "SetMMRowMajor", "SetMMColumnMajor", "SetMMLayoutTransform")
def test_modes_leave_small_integers_as_they_are() -> None:
    product = Product(FLOAT, k=32)
    for before, after in (
        (
            "SetHF32Mode(HF32Mode::ENABLE); SetHF32TransMode(HF32TransMode::NEAREST_EVEN);",
            "SetHF32Mode(HF32Mode::DISABLE);",
        ),
        ("SetMMRowMajor();", "SetMMColumnMajor();"),
        ("SetMMLayoutTransform(true);", "SetMMLayoutTransform(false);"),
    ):
        multiply = f"    {before}\n{ONCE}\n    {after}"
        _checked(product, rows(FLOAT, FLOAT), product.exact().astype(FLOAT), multiply)


@api("LoadData")
def test_windows_of_an_image_become_rows() -> None:
    height, width, channels = 4, 8, 16
    product = Product(HALF, m=height * width, n=32, k=9 * channels)
    a, b, _ = product.arrays()
    padded = np.zeros((height + 2, width + 2, channels))
    padded[1:-1, 1:-1] = a[:, :channels].astype(np.float64).reshape(height, width, channels)
    windows = [padded[y : y + height, x : x + width].reshape(-1, channels) for y in range(3) for x in range(3)]
    want = (np.concatenate(windows, axis=1) @ b.astype(np.float64)).astype(FLOAT)
    load = """
    PipeBarrier<PIPE_ALL>();
    LoadData3DParamsV2<half> image;
    for (int i = 0; i < 4; ++i) {
        image.padList[i] = 1;
    }
    image.l1H = 4;
    image.l1W = 8;
    image.channelSize = 16;
    image.kExtension = 144;
    image.mExtension = 32;
    image.kStartPt = 0;
    image.mStartPt = 0;
    image.filterW = 3;
    image.filterH = 3;
    LoadData(a2, a1, image);
    PipeBarrier<PIPE_ALL>();
"""
    _checked(product, rows(FLOAT, FLOAT), want, load + ONCE)


@api("DataCopy", "SetFixpipePreQuantFlag", "SetFixPipeConfig")
def test_copy_from_l0c_takes_its_scales_from_registers() -> None:
    product = Product(INT8)
    copy = """    SetFixpipeNz2ndFlag(1, 1, 1);
    DataCopy(gmC, co, DataCopyCO12DstParams(32, 32, 32, 32, QuantMode_t::%s, 0, false, true));"""
    half = int(np.float32(0.5).view(np.uint32))
    one = f"    SetFixpipePreQuantFlag({half}ull);\n"
    _checked(product, one + copy % "DEQF16", (product.exact() * 0.5).astype(HALF))
    many = """    TBuf<TPosition::A1> bufScales;
    TBuf<TPosition::C2PIPE2GM> bufTable;
    pipe.InitBuffer(bufScales, 256);
    pipe.InitBuffer(bufTable, 256);
    LocalTensor<uint64_t> scales = bufScales.Get<uint64_t>();
    LocalTensor<uint64_t> table = bufTable.Get<uint64_t>();
    GlobalTensor<uint64_t> gmScales;
    gmScales.SetGlobalBuffer((__gm__ uint64_t *)(bias + 128));
    DataCopy(scales, gmScales, 32);
    PipeBarrier<PIPE_ALL>();
    DataCopy(table, scales, 32);
    PipeBarrier<PIPE_ALL>();
    SetFixPipeConfig(table);
"""
    want = (product.exact() * np.exp2(-(np.arange(32) % 3))).astype(HALF)
    _checked(product, many + copy % "VDEQF16", want)
