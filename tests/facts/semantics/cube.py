"""Kernels of the cube core: whole products from rows in global memory to rows in global memory, and their layouts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from agentkernel.testing.simulate import Simulation, simulate

from .batch import Array
from .values import BF16, CTYPE, FLOAT, HALF, INT32

INT8 = np.dtype(np.int8)
RESULT = {INT8: INT32, HALF: FLOAT, BF16: FLOAT, FLOAT: FLOAT}
"""Type of the product by the type of its factors (facts: semantics, section 18.2)."""

_FLAG = "    SetFlag<HardEvent::%s>(EVENT_ID0);\n    WaitFlag<HardEvent::%s>(EVENT_ID0);\n"

_TEXT = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    TPipe pipe;
    TBuf<TPosition::A1> bufA1;
    TBuf<TPosition::B1> bufB1;
    TBuf<TPosition::C1> bufC1;
    TBuf<TPosition::A2> bufA2;
    TBuf<TPosition::B2> bufB2;
    TBuf<TPosition::C2> bufC2;
    TBuf<TPosition::CO1> bufC;
    pipe.InitBuffer(bufA1, %(sizeA)d);
    pipe.InitBuffer(bufB1, %(sizeB)d);
    pipe.InitBuffer(bufC1, %(sizeBias)d);
    pipe.InitBuffer(bufA2, %(sizeA)d);
    pipe.InitBuffer(bufB2, %(sizeB)d);
    pipe.InitBuffer(bufC2, %(sizeBias)d);
    pipe.InitBuffer(bufC, %(sizeC)d);
    GlobalTensor<%(from)s> gmA;
    GlobalTensor<%(from)s> gmB;
    GlobalTensor<%(sum)s> gmBias;
    GlobalTensor<%(to)s> gmC;
    gmA.SetGlobalBuffer((__gm__ %(from)s *)a);
    gmB.SetGlobalBuffer((__gm__ %(from)s *)b);
    gmBias.SetGlobalBuffer((__gm__ %(sum)s *)bias);
    gmC.SetGlobalBuffer((__gm__ %(to)s *)c);
    LocalTensor<%(from)s> a1 = bufA1.Get<%(from)s>();
    LocalTensor<%(from)s> b1 = bufB1.Get<%(from)s>();
    LocalTensor<%(sum)s> c1 = bufC1.Get<%(sum)s>();
    LocalTensor<%(from)s> a2 = bufA2.Get<%(from)s>();
    LocalTensor<%(from)s> b2 = bufB2.Get<%(from)s>();
    LocalTensor<%(sum)s> c2 = bufC2.Get<%(sum)s>();
    LocalTensor<%(sum)s> co = bufC.Get<%(sum)s>();
%(copyA)s
%(copyB)s
    DataCopy(c1, gmBias, %(n)d);
%(MTE2_MTE1)s
%(loadA)s
%(loadB)s
    DataCopy(c2, c1, %(n)d);
%(MTE1_M)s
    MmadParams product;
    product.m = %(m)d;
    product.n = %(n)d;
    product.k = %(k)d;
%(multiply)s
%(M_FIX)s
    FixpipeParamsV220 store;
    store.nSize = %(n)d;
    store.mSize = %(m)d;
    store.srcStride = %(m16)d;
    store.dstStride = %(n)d;
    store.ndNum = 1;
    store.srcNdStride = 0;
    store.dstNdStride = 0;
%(store)s
}
"""

ONCE = "    product.cmatrixInitVal = true;\n    Mmad(co, a2, b2, product);"
TWICE = (
    ONCE + "\n    PipeBarrier<PIPE_M>();\n    product.cmatrixInitVal = false;\n    product.cmatrixSource = false;\n"
    "    Mmad(co, a2, b2, product);"
)
BIASED = "    product.cmatrixInitVal = false;\n    product.cmatrixSource = true;\n    Mmad(co, a2, b2, c2, product);"
_COPY_FACTOR = "    DataCopy(a1, gmA, Nd2NzParams(1, %(m)d, %(k)d, 0, %(k)d, %(m16)d, 1, 0));"
_LOAD_FACTOR = """    for (uint16_t i = 0; i < %(m16)d / 16; ++i) {
        LoadData2DParams rows;
        rows.startIndex = i;
        rows.repeatTimes = %(kBlocks)d;
        rows.srcStride = %(m16)d / 16;
        rows.dstGap = 0;
        rows.ifTranspose = false;
        LoadData(a2[i * %(kBlocks)d * %(fractal)d], a1, rows);
    }"""
_COPY_VECTOR = "    DataCopy(a1, gmA, %(k)d);"
_LOAD_VECTOR = """    LoadData2DParams whole;
    whole.repeatTimes = %(k)d / %(fractal)d;
    whole.srcStride = 1;
    LoadData(a2, a1, whole);"""
_COPY_COLUMNS = "    DataCopy(b1, gmB, Nd2NzParams(1, %(n)d, %(k)d, 0, %(k)d, %(n)d, 1, 0));"
_LOAD_COLUMNS = """    LoadData2DParams columns;
    columns.startIndex = 0;
    columns.repeatTimes = %(kBlocks)d * %(n)d / 16;
    columns.srcStride = 1;
    columns.dstGap = 0;
    columns.ifTranspose = false;
    LoadData(b2, b1, columns);"""
_COPY_ROWS = "    DataCopy(b1, gmB, Nd2NzParams(1, %(k)d, %(n)d, 0, %(n)d, %(k16)d, 1, 0));"
_LOAD_ROWS = """    for (uint16_t i = 0; i < %(k16)d / 16; ++i) {
        LoadData2DParams columns;
        columns.startIndex = i;
        columns.repeatTimes = %(n)d / 16;
        columns.srcStride = %(k16)d / 16;
        columns.dstGap = 0;
        columns.ifTranspose = true;
        LoadData(b2[i * %(n)d * 16], b1, columns);
    }"""


@dataclass(frozen=True)
class Product:
    """One product of random small integers, [m, k] times [k, n] plus a bias [n]; n is a multiple of 16."""

    dtype: np.dtype
    m: int = 32
    n: int = 32
    k: int = 64
    by_rows: bool = False
    """Whether the second factor lies as [k, n] (16-bit types only: its fractals are transposed by LoadData)."""
    load: str = ""
    """Other statements than LoadData's that load the second factor, which lies as [k, n]."""

    def arrays(self) -> tuple[Array, Array, Array]:
        """First factor [m, k], second factor [k, n], bias [n]."""
        rng = np.random.default_rng(self.m * 64 + self.n + self.k)
        a = rng.integers(-4, 5, (self.m, self.k)).astype(self.dtype)
        b = rng.integers(-4, 5, (self.k, self.n)).astype(self.dtype)
        return a, b, rng.integers(-50, 50, self.n).astype(RESULT[self.dtype])

    def scales(self) -> Array:
        """One scale a column as Fixpipe reads it, [n] of uint64: they lie behind the bias in global memory."""
        factors = np.exp2(-(np.arange(self.n) % 3)).astype(np.float32)
        return factors.view(np.uint32).astype(np.uint64)

    def exact(self) -> Array:
        """The product as float64, exact for these factors."""
        a, b, _ = self.arrays()
        return a.astype(np.float64) @ b.astype(np.float64)

    def run(
        self,
        store: str,
        shape: tuple[int, ...],
        to: np.dtype | None = None,
        *,
        multiply: str = ONCE,
        without: tuple[str, ...] = (),
    ) -> Simulation:
        """Launch it; `store` are the statements behind Fixpipe's parameters, `without` names events left out."""
        a, b, bias = self.arrays()
        total, result = RESULT[self.dtype], to or RESULT[self.dtype]
        by_rows = self.by_rows or bool(self.load)
        per_block = 32 // self.dtype.itemsize
        k_blocks = -(-self.k // per_block)
        k16, m16 = -(-self.k // 16) * 16, -(-self.m // 16) * 16
        values: dict[str, object] = {
            "from": CTYPE[self.dtype],
            "sum": CTYPE[total],
            "to": CTYPE[result],
            "m": self.m,
            "n": self.n,
            "k": self.k,
            "m16": m16,
            "k16": k16,
            "kBlocks": k_blocks,
            "fractal": 16 * per_block,
            "sizeA": m16 * k_blocks * 32,
            "sizeB": max(self.n * k_blocks * 32, k16 * self.n * self.dtype.itemsize),
            "sizeC": m16 * self.n * 4,
            "sizeBias": self.n * 4,
            "multiply": multiply,
            "store": store,
        }
        for event in ("MTE2_MTE1", "MTE1_M", "M_FIX"):
            values[event] = "" if event in without else _FLAG % (event, event)
        values["copyA"] = (_COPY_VECTOR if self.m == 1 else _COPY_FACTOR) % values
        values["loadA"] = (_LOAD_VECTOR if self.m == 1 else _LOAD_FACTOR) % values
        values["copyB"] = (_COPY_ROWS if by_rows else _COPY_COLUMNS) % values
        values["loadB"] = self.load or (_LOAD_ROWS if by_rows else _LOAD_COLUMNS) % values
        inputs: Mapping[str, Array] = {
            "a": a,
            "b": b if by_rows else np.ascontiguousarray(b.T),
            "bias": np.concatenate([bias, self.scales().view(bias.dtype)]),
        }
        return simulate(_TEXT % values, inputs, {"c": (shape, _name(result))})


def _name(dtype: np.dtype) -> str:
    return "bfloat16" if dtype == BF16 else dtype.name


def rows(dtype: np.dtype, total: np.dtype, mode: str = "NoQuant", *more: str) -> str:
    """Statements that store rows (the default layout of Fixpipe)."""
    lines = [f"store.quantPre = QuantMode_t::{mode};", *more]
    call = f"Fixpipe<{CTYPE[dtype]}, {CTYPE[total]}, CFG_ROW_MAJOR>(gmC, co, store);"
    return "\n".join("    " + line for line in (*lines, call))


def fractals(dtype: np.dtype, total: np.dtype, stride: int, *more: str) -> str:
    """Statements that store columns of fractals; `stride` counts 32-byte blocks between columns."""
    lines = ["store.quantPre = QuantMode_t::NoQuant;", f"store.dstStride = {stride};", *more]
    call = f"Fixpipe<{CTYPE[dtype]}, {CTYPE[total]}, CFG_NZ>(gmC, co, store);"
    return "\n".join("    " + line for line in (*lines, call))


def in_columns(values: Array, width: int) -> Array:
    """[m, n] as [n / width, m, width]: columns of fractals, flat."""
    m, n = values.shape
    return np.ascontiguousarray(values.reshape(m, n // width, width).transpose(1, 0, 2)).ravel()
