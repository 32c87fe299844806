"""Arguments and positions that the cube's instructions do not take are reported (facts: pitfalls 40, 42, 72 to 76)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from .batch import explain
from .cube import INT8, ONCE, Product, fractals, rows
from .marks import api
from .values import FLOAT, HALF, INT32

_BEHIND = "    PipeBarrier<PIPE_ALL>();\n"
_ROWS = rows(FLOAT, FLOAT)


class Wrong(NamedTuple):
    """Statements in a product that are against one fact."""

    name: str
    api: str
    fact: str
    multiply: str = ONCE
    store: str = _ROWS
    to: np.dtype = FLOAT
    dtype: np.dtype = HALF


def _load(fields: str, call: str = "LoadData(b2, b1, late);") -> str:
    return f"{_BEHIND}    LoadData2DParams late;\n    {fields}\n    {call}\n{_BEHIND}{ONCE}"


WRONG = (
    Wrong("m above 4095", "Mmad", "pitfalls 72", "    product.m = 4096;\n" + ONCE),
    Wrong("k above 4095", "Mmad", "pitfalls 72", "    product.k = 4096;\n" + ONCE),
    Wrong("first factor in L0B", "Mmad", "pitfalls 72", "    Mmad(co, b2, b2, product);"),
    Wrong("second factor in L0A", "Mmad", "pitfalls 72", "    Mmad(co, a2, a2, product);"),
    Wrong("factor in L1", "Mmad", "pitfalls 72", f"{_BEHIND}    Mmad(co, a1, b2, product);"),
    Wrong(
        "bias in L1",
        "Mmad",
        "semantics 18.2",
        f"{_BEHIND}    product.cmatrixSource = true;\n    product.cmatrixInitVal = false;\n"
        "    Mmad(co, a2, b2, c1, product);",
    ),
    Wrong(
        "more fractals than L0B holds", "LoadData", "semantics 1", _load("late.repeatTimes = 255; late.srcStride = 0;")
    ),
    Wrong(
        "L1 to L1",
        "LoadData",
        "semantics 18.3",
        _load("late.repeatTimes = 1; late.srcStride = 1;", "LoadData(b1, a1, late);"),
    ),
    Wrong(
        "transposed bytes",
        "LoadData",
        "semantics 18.3: ifTranspose only b16",
        _load("late.repeatTimes = 1; late.srcStride = 1; late.ifTranspose = true;"),
        store=rows(INT32, INT32),
        to=INT32,
        dtype=INT8,
    ),
    Wrong(
        "transposed floats",
        "LoadData",
        "semantics 18.3: ifTranspose only b16",
        _load("late.repeatTimes = 1; late.srcStride = 1; late.ifTranspose = true;"),
        dtype=FLOAT,
    ),
    Wrong(
        "rows to fractals without a stride",
        "DataCopy",
        "pitfalls 42: strides 1..16384",
        f"{_BEHIND}    DataCopy(a1, gmA, Nd2NzParams(1, 32, 64, 0, 64, 0, 1, 0));\n{_BEHIND}{ONCE}",
    ),
    Wrong(
        "more rows than 16384",
        "DataCopy",
        "pitfalls 42: nValue 0..16384",
        f"{_BEHIND}    DataCopy(a1, gmA, Nd2NzParams(1, 16385, 16, 0, 64, 16384, 1, 0));\n{_BEHIND}{ONCE}",
    ),
    Wrong("half without a mode", "Fixpipe", "pitfalls 76", store=rows(HALF, FLOAT), to=HALF),
    Wrong(
        "half of integers by a mode of floats",
        "Fixpipe",
        "semantics 18.4",
        store=rows(HALF, INT32, "F322F16"),
        to=HALF,
        dtype=INT8,
    ),
    Wrong(
        "bytes of floats by a mode of integers",
        "Fixpipe",
        "semantics 18.4",
        store=rows(INT8, FLOAT, "REQ8", "store.deqScalar = 1065353216;"),
        to=INT8,
    ),
    Wrong(
        "half of floats by the mode of bfloat16",
        "Fixpipe",
        "semantics 18.4",
        store=rows(HALF, FLOAT, "F322BF16"),
        to=HALF,
    ),
    Wrong(
        "fractals of 20 columns",
        "Fixpipe",
        "pitfalls 76: nSize a multiple of 16",
        store=fractals(FLOAT, FLOAT, 64, "store.nSize = 20;"),
    ),
    Wrong(
        "mSize above 8192 as rows",
        "Fixpipe",
        "semantics 18.4: 8192 with NZ2ND",
        store="    store.mSize = 8193;\n" + _ROWS,
    ),
    Wrong(
        "the right feature map",
        "SetFmatrix",
        "ascendc_api.csv: only FMATRIX_LEFT",
        "    const uint8_t edges[4] = {0, 0, 0, 0};\n    SetFmatrix(4, 8, edges, FmatrixMode::FMATRIX_RIGHT);\n" + ONCE,
    ),
    Wrong(
        "a boundary below 1024 bytes",
        "SetLoadDataBoundary",
        "ascendc_api.csv: 1..1023 undefined",
        "    SetLoadDataBoundary(512);\n" + ONCE,
    ),
    Wrong(
        "constant in L0C",
        "InitConstValue",
        "semantics 18.3: L1, L0A, L0B",
        f"{_BEHIND}    InitConstValue(co, InitConstValueParams<float>(1, 1, 0, 0.0f));\n{_BEHIND}{ONCE}",
    ),
    Wrong(
        "constant beyond L0A",
        "InitConstValue",
        "semantics 1",
        f"{_BEHIND}    InitConstValue(a2, InitConstValueParams<half>(2, 200, 0, half(0.0f)));\n{_BEHIND}{ONCE}",
    ),
)


@pytest.mark.parametrize(
    "wrong",
    [pytest.param(w, id=w.name, marks=api(w.api)) for w in WRONG],
)
def test_wrong_arguments_are_reported(wrong: Wrong) -> None:
    product = Product(wrong.dtype)
    simulation = product.run(wrong.store, (32, 32), wrong.to, multiply=wrong.multiply)
    assert simulation.compiled, explain(simulation)
    errors = [d for d in simulation.diagnostics if d.is_error and d.code != "output-not-written"]
    assert errors, f"{wrong.name} ({wrong.fact}) was not reported: {explain(simulation)}"
    assert wrong.api in errors[0].message, explain(simulation)
