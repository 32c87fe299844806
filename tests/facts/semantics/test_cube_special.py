"""Products of 4 bits and of structured sparsity, and the registers of image loads (facts: semantics, section 18)."""

from __future__ import annotations

import numpy as np
import pytest

from agentkernel.testing.simulate import Simulation, simulate

from .batch import Array, explain
from .cube import ONCE, Product, rows
from .marks import api
from .values import FLOAT, HALF, INT32, assert_same

_TEXT = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR a, GM_ADDR b, GM_ADDR index, GM_ADDR c, GM_ADDR workspace)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    TPipe pipe;
    TBuf<TPosition::A1> bufA1;
    TBuf<TPosition::B1> bufB1;
    TBuf<TPosition::B1> bufIndex;
    TBuf<TPosition::A2> bufA2;
    TBuf<TPosition::B2> bufB2;
    TBuf<TPosition::CO1> bufC;
    pipe.InitBuffer(bufA1, 8192);
    pipe.InitBuffer(bufB1, 8192);
    pipe.InitBuffer(bufIndex, 2048);
    pipe.InitBuffer(bufA2, 8192);
    pipe.InitBuffer(bufB2, 8192);
    pipe.InitBuffer(bufC, 8192);
    GlobalTensor<%(type)s> gmA, gmB;
    GlobalTensor<uint8_t> gmIndex;
    GlobalTensor<int32_t> gmC;
    gmA.SetGlobalBuffer((__gm__ %(type)s *)a);
    gmB.SetGlobalBuffer((__gm__ %(type)s *)b);
    gmIndex.SetGlobalBuffer((__gm__ uint8_t *)index);
    gmC.SetGlobalBuffer((__gm__ int32_t *)c);
    LocalTensor<%(type)s> a1 = bufA1.Get<%(type)s>(), b1 = bufB1.Get<%(type)s>();
    LocalTensor<%(type)s> a2 = bufA2.Get<%(type)s>(), b2 = bufB2.Get<%(type)s>();
    LocalTensor<uint8_t> indices = bufIndex.Get<uint8_t>();
    LocalTensor<int32_t> sum = bufC.Get<int32_t>();
%(copy)s
    PipeBarrier<PIPE_ALL>();
%(load)s
    PipeBarrier<PIPE_ALL>();
    MmadParams product;
    product.m = %(m)d;
    product.n = %(n)d;
    product.k = %(k)d;
    %(multiply)s
    PipeBarrier<PIPE_ALL>();
    FixpipeParamsV220 store;
    store.nSize = %(n)d;
    store.mSize = %(m)d;
    store.srcStride = %(m)d;
    store.dstStride = %(n)d;
    store.quantPre = QuantMode_t::NoQuant;
    Fixpipe<int32_t, int32_t, CFG_ROW_MAJOR>(gmC, sum, store);
}
"""


def _product(a: Array, b: Array, index: Array, sizes: tuple[int, int, int], **parts: str) -> Simulation:
    m, n, k = sizes
    text = _TEXT % {"m": m, "n": n, "k": k, **parts}
    return simulate(text, {"a": a, "b": b, "index": index}, {"c": ((m, n), "int32")})


def _nibbles(values: Array) -> Array:
    """Rows of 4-bit integers, two in a byte, the first in the low half."""
    low, high = values[:, ::2] & 15, values[:, 1::2] & 15
    return (low | high << 4).astype(np.uint8)


@api("Mmad", "LoadData", "DataCopy")
def test_factors_of_4_bits() -> None:
    m, n, k = 32, 16, 128
    rng = np.random.default_rng(4)
    a, b = rng.integers(-8, 8, (m, k)), rng.integers(-8, 8, (n, k))
    simulation = _product(
        _nibbles(a),
        _nibbles(b),
        np.zeros(32, np.uint8),
        (m, n, k),
        type="int4b_t",
        copy=f"""    DataCopy(a1, gmA, Nd2NzParams(1, {m}, {k}, 0, {k}, {m}, 1, 0));
    DataCopy(b1, gmB, Nd2NzParams(1, {n}, {k}, 0, {k}, {n}, 1, 0));""",
        load="""    for (int i = 0; i < 2; ++i) {
        LoadData(a2[i * 2 * 1024], a1, LoadData2DParams(i, 2, 2, 0, 0, false, 0));
    }
    LoadData(b2, b1, LoadData2DParams(0, 2, 1, 0, 0, false, 0));""",
        multiply="Mmad(sum, a2, b2, product);",
    )
    assert not simulation.codes, explain(simulation)
    assert_same(simulation.outputs["c"], (a @ b.T).astype(INT32))


@api("LoadDataWithSparse", "MmadWithSparse")
def test_a_sparse_factor_picks_columns_of_the_other() -> None:
    # Of four values along K two are kept. Here the second of them is zero, so that only the first one's index counts.
    m, n, k = 16, 16, 128
    rng = np.random.default_rng(5)
    a = rng.integers(-9, 10, (m, k)).astype(np.int8)
    values, places = rng.integers(-9, 10, (n, k // 4)), rng.integers(0, 3, (n, k // 4))
    sparse = np.zeros((n, k // 4, 4), np.int64)
    np.put_along_axis(sparse, places[..., None], values[..., None], axis=2)
    dense = np.stack([values, np.zeros_like(values)], axis=2).reshape(n, k // 2).astype(np.int8)
    # Pairs of 2-bit indices, the first in the lowest bits; two groups of four make a byte.
    index = (places[:, ::2] | places[:, 1::2] << 4).astype(np.uint8)
    by_fractals = np.ascontiguousarray(dense.reshape(n, 2, 32).transpose(1, 0, 2))
    index_by_fractals = np.ascontiguousarray(index.reshape(n, 2, 8).transpose(1, 0, 2))
    simulation = _product(
        a,
        by_fractals,
        index_by_fractals,
        (m, n, k),
        type="int8_t",
        copy=f"""    DataCopy(a1, gmA, Nd2NzParams(1, {m}, {k}, 0, {k}, {m}, 1, 0));
    DataCopy(b1, gmB, 1024);
    DataCopy(indices, gmIndex, 256);""",
        load="""    LoadData(a2, a1, LoadData2DParams(0, 4, 1, 0, 0, false, 0));
    LoadDataWithSparse(b2, b1, indices, LoadData2DParams(0, 2, 1, 0, 0, false, 0));""",
        multiply="MmadWithSparse(sum, a2, b2, product);",
    )
    assert not simulation.codes, explain(simulation)
    assert_same(simulation.outputs["c"], (a.astype(np.int64) @ sparse.reshape(n, k).T).astype(INT32))


_KEPT = """
    PipeBarrier<PIPE_ALL>();
    static constexpr IsResetLoad3dConfig kept = {false, false};
    LoadData3DParamsV2<half> image;
    image.channelSize = 16;
    image.kExtension = 144;
    image.mExtension = 32;
    image.filterW = 3;
    image.filterH = 3;
"""
"""An image load that keeps the registers of size, padding and padding value."""


def _windows(image: Array, padding: float) -> Array:
    """Each pixel's 3 x 3 neighbours as one row, [height, width, channels] padded by one pixel."""
    height, width, channels = image.shape
    padded = np.full((height + 2, width + 2, channels), padding)
    padded[1:-1, 1:-1] = image
    parts = [padded[y : y + height, x : x + width].reshape(-1, channels) for y in range(3) for x in range(3)]
    return np.concatenate(parts, axis=1)


def _checked(product: Product, multiply: str, want: Array) -> None:
    simulation = product.run(rows(FLOAT, FLOAT), want.shape, multiply=multiply)
    assert not simulation.codes, explain(simulation)
    assert_same(simulation.outputs["c"], want.astype(FLOAT), zero_sign=False)


@api("SetFmatrix", "SetLoadDataPaddingValue", "LoadData")
@pytest.mark.parametrize("padding", (0, 2))
def test_image_loads_take_size_and_padding_from_registers(padding: int) -> None:
    product = Product(HALF, m=32, n=32, k=144)
    a, b, _ = product.arrays()
    image = a[:, :16].astype(np.float64).reshape(4, 8, 16)
    load = f"""{_KEPT}
    const uint8_t edges[4] = {{1, 1, 1, 1}};
    SetFmatrix(4, 8, edges, FmatrixMode::FMATRIX_LEFT);
    SetLoadDataPaddingValue<half>(static_cast<half>({padding}.0f));
    LoadData<half, kept>(a2, a1, image);
    PipeBarrier<PIPE_ALL>();
"""
    _checked(product, load + ONCE, _windows(image, padding) @ b.astype(np.float64))


@api("LoadData")
def test_the_padding_value_is_a_parameter_of_image_loads() -> None:
    product = Product(HALF, m=32, n=32, k=144)
    a, b, _ = product.arrays()
    image = a[:, :16].astype(np.float64).reshape(4, 8, 16)
    load = f"""{_KEPT}
    for (int i = 0; i < 4; ++i) {{
        image.padList[i] = 1;
    }}
    image.l1H = 4;
    image.l1W = 8;
    image.padValue = static_cast<half>(3.0f);
    LoadData(a2, a1, image);
    PipeBarrier<PIPE_ALL>();
"""
    load = load.replace("    static constexpr IsResetLoad3dConfig kept = {false, false};\n", "")
    _checked(product, load + ONCE, _windows(image, 3) @ b.astype(np.float64))


_PIXELS = """
    PipeBarrier<PIPE_ALL>();
    LoadData3DParamsV2<half> image;
    for (int i = 0; i < 4; ++i) {
        image.padList[i] = 0;
    }
    image.l1H = %(height)d;
    image.l1W = 8;
    image.channelSize = %(channels)d;
    image.kExtension = %(k)d;
    image.mExtension = %(m)d;
"""


@api("SetLoadDataBoundary")
@pytest.mark.parametrize("boundary", (0, 1024))
def test_an_image_wraps_at_the_boundary_of_l1(boundary: int) -> None:
    product = Product(HALF, m=32, n=32, k=32)
    a, b, _ = product.arrays()
    pixels = a.astype(np.float64).reshape(32, 2, 16).transpose(1, 0, 2).reshape(64, 16)  # as L1 holds them
    want = np.concatenate([pixels[16:32], pixels[:16]]) if boundary else pixels[16:48]
    load = f"""    SetLoadDataBoundary({boundary});
    {_PIXELS % {"height": 4, "channels": 16, "k": 16, "m": 32}}
    LoadData(a2, a1[256], image);
    SetLoadDataBoundary(0);
    PipeBarrier<PIPE_ALL>();
    product.k = 16;
"""
    _checked(product, load + ONCE, want @ b[:16].astype(np.float64))


@api("SetLoadDataRepeat")
@pytest.mark.parametrize(("mode", "m"), [(0, 32), (1, 16)])
def test_image_loads_repeat(mode: int, m: int) -> None:
    # Mode 0 goes on by 16 rows of the matrix, mode 1 by 32 bytes of its columns: two steps make the whole factor.
    product = Product(HALF, m=m, n=32, k=32)
    a, b, _ = product.arrays()
    once = {"m": 16, "k": 32} if mode == 0 else {"m": 16, "k": 16}
    load = f"""    LoadDataRepeatParam repeat;
    repeat.repeatStride = 1;
    repeat.repeatTime = 2;
    repeat.repeatMode = {mode};
    PipeBarrier<PIPE_ALL>();
    InitConstValue(a2, InitConstValueParams<half>(1, {m // 16} * 2, 0, static_cast<half>(0.0f)));
    SetLoadDataRepeat(repeat);
    {_PIXELS % {"height": m // 8, "channels": 32, **once}}
    LoadData(a2, a1, image);
    PipeBarrier<PIPE_ALL>();
"""
    _checked(product, load + ONCE, a.astype(np.float64) @ b.astype(np.float64))
