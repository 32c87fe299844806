"""Tilings that the host computes for the Matmul library (facts: host_api, section 9.1; TCubeTiling)."""

from __future__ import annotations

import numpy as np
import pytest

from . import host
from .batch import Array
from .cube import INT8, RESULT
from .marks import api
from .matmul import END, FIELDS, KINDS, Kernel, Shape, wide
from .values import BF16, FLOAT, HALF, INT32, assert_same

_NAMES = {HALF: "DT_FLOAT16", BF16: "DT_BF16", FLOAT: "DT_FLOAT", INT8: "DT_INT8", INT32: "DT_INT32"}

M, N, K = 150, 132, 200


def _set(dtype: np.dtype, more: str, biased: bool = True) -> str:
    factor, result = _NAMES[dtype], _NAMES[RESULT[dtype]]
    place = "matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::"
    return (
        f"api.SetAType({place}{factor}); api.SetBType({place}{factor}); api.SetCType({place}{result});"
        f" api.SetBiasType({place}{result}); {more} api.SetOrgShape({M}, {N}, {K}); api.SetShape({M}, {N}, {K});"
        f" api.SetBias({str(biased).lower()}); api.SetBufferSpace(-1, -1, -1);"
        " if (api.GetTiling(tiling) == -1) { return ge::GRAPH_FAILED; }"
    )


def _tiling(call: str) -> dict[str, int]:
    words = np.frombuffer(host.tiling_of("TCubeTiling", call), INT32)
    assert words.size == 50
    return dict(zip(FIELDS, map(int, words), strict=False))


def _keeps_the_limits(t: dict[str, int], dtype: np.dtype) -> None:
    size = dtype.itemsize
    assert t["baseM"] % 16 == t["baseN"] % 16 == t["baseK"] % (32 // size) == 0
    assert t["baseM"] * t["baseK"] * size * t["dbL0A"] <= 64 * 1024
    assert t["baseN"] * t["baseK"] * size * t["dbL0B"] <= 64 * 1024
    assert t["baseM"] * t["baseN"] * 4 * t["dbL0C"] <= 128 * 1024
    assert t["baseN"] * 4 <= 1024 or not t["isBias"]
    assert t["depthA1"] in {t["stepM"] * t["stepKa"] * n for n in (1, 2)}
    assert t["depthB1"] in {t["stepN"] * t["stepKb"] * n for n in (1, 2)}
    loaded = t["depthA1"] * t["baseM"] * t["baseK"] + t["depthB1"] * t["baseN"] * t["baseK"]
    assert loaded * size <= 512 * 1024
    assert t["transLength"] == t["shareMode"] == 0 and t["iterateOrder"] in {0, 1}
    assert t["batchM"] == t["batchN"] == t["singleBatchM"] == t["singleBatchN"] == 1


_STEPS = """    const int32_t rows = (tiling.M + tiling.singleCoreM - 1) / tiling.singleCoreM;
    const int32_t i = me % rows * tiling.singleCoreM;
    const int32_t j = me / rows * tiling.singleCoreN;
    if (me < tiling.usedCoreNum) {
        mm.SetTensorA(gmA[i * tiling.Ka]);
        mm.SetTensorB(gmB[j]);
        if (tiling.isBias) {
            mm.SetBias(gmBias[j]);
        }
        mm.SetTail(tiling.M - i < tiling.singleCoreM ? tiling.M - i : tiling.singleCoreM,
                   tiling.N - j < tiling.singleCoreN ? tiling.N - j : tiling.singleCoreN);
        mm.IterateAll(gmC[i * tiling.N + j]);
    }"""
"""Cores in columns of row blocks, with the last of them smaller."""


def _run(tiling: dict[str, int], dtype: np.dtype, kind: str) -> None:
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-4, 5, shape).astype(dtype) for shape in ((M, K), (K, N)))
    bias = Shape(n=N).bias(RESULT[dtype])
    words = np.array([*tiling.values(), *[0] * (50 - len(FIELDS))], INT32)
    got: Array = Kernel((_STEPS, END), dtype, kind=kind).result((a, b, bias), words, (M, N))
    want = wide(a) @ wide(b) + tiling["isBias"] * wide(bias)
    assert_same(got, want.astype(RESULT[dtype]), zero_sign=False)


@api("TCubeTiling", "MatmulApiTiling::GetTiling")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", (HALF, BF16, FLOAT, INT8), ids=str)
def test_tiling_of_one_core(dtype: np.dtype, kind: str) -> None:
    tiling = _tiling(f"matmul_tiling::MatmulApiTiling api(platform); {_set(dtype, '')}")
    assert (tiling["usedCoreNum"], tiling["isBias"]) == (1, 1)
    assert [tiling[name] for name in ("M", "N", "Ka", "Kb")] == [M, N, K, K]
    assert [tiling[name] for name in ("singleCoreM", "singleCoreN", "singleCoreK")] == [M, N, K]
    _keeps_the_limits(tiling, dtype)
    _run(tiling, dtype, kind)


@api("TCubeTiling", "MatmulApiTiling::SetDim")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", (HALF, INT8), ids=str)
def test_tiling_of_two_cores(dtype: np.dtype, kind: str) -> None:
    tiling = _tiling(f"matmul_tiling::MultiCoreMatmulTiling api(platform); {_set(dtype, 'api.SetDim(2);', False)}")
    assert [tiling[name] for name in ("M", "N", "Ka", "Kb")] == [M, N, K, K]
    assert 1 <= tiling["usedCoreNum"] <= 2 and tiling["isBias"] == 0
    shares = [-(-tiling[whole] // tiling[f"singleCore{whole}"]) for whole in "MN"]
    assert shares[0] * shares[1] == tiling["usedCoreNum"]
    _keeps_the_limits(tiling, dtype)
    _run(tiling, dtype, kind)


@api("TCubeTiling", "MatmulApiTiling::SetFixSplit", "MatmulApiTiling::SetTraverse")
def test_base_blocks_and_order_may_be_fixed() -> None:
    more = "api.SetFixSplit(48, 64, 32); api.SetTraverse(matmul_tiling::MatrixTraverse::FIRST%s);"
    for axis, order in (("M", 0), ("N", 1)):
        tiling = _tiling(f"matmul_tiling::MatmulApiTiling api(platform); {_set(HALF, more % axis)}")
        assert [tiling[name] for name in ("baseM", "baseN", "baseK", "iterateOrder")] == [48, 64, 32, order]
        _keeps_the_limits(tiling, HALF)
        _run(tiling, HALF, KINDS[0])


@api("MatmulApiTiling::SetFixSplit", "MatmulApiTiling::SetBufferSpace")
def test_what_the_host_refuses() -> None:
    place = "matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16"
    make = f"[&] {{ matmul_tiling::MatmulApiTiling api(platform); api.SetAType({place}); return api.%s + 1; }}()"
    # 0 stands for -1: the call is refused; 1 for 0: it is taken.
    calls = {
        "SetFixSplit(32, 32, 32)": 1,
        "SetFixSplit(-1, 64, -1)": 1,
        "SetFixSplit(20, 32, 32)": 0,
        "SetFixSplit(32, 40, 32)": 0,
        "SetFixSplit(32, 32, 24)": 0,
        "SetFixSplit(0, 32, 32)": 0,
        "SetBufferSpace(-1, -1, -1)": 1,
        "SetBufferSpace(-2, -1, -1)": 0,
        "SetBufferSpace(1048576, -1, -1)": 0,
        "SetBufferSpace(-1, 65536, -1)": 1,
        "SetBufferSpace(-1, 262144, -1)": 0,
    }
    assert dict(zip(calls, host.values_of(*(make % call for call in calls)), strict=True)) == calls
