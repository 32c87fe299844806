"""Saturation mode: CTRL bit 48 off (facts: semantics, section 11; the helper is of the overload list, section 1.2)."""

from __future__ import annotations

import numpy as np
import pytest

from .batch import Batch
from .casting import exact_values, to_float
from .marks import api, each
from .values import BF16, FLOAT, HALF, INT16, INT32, assert_same, special_values

_ON, _OFF = "AscendCUtils::SetOverflow(0);", "AscendCUtils::SetOverflow(1);"


@pytest.mark.parametrize("call", each(["Add", "Sub", "Mul"]))
def test_results_clamp_and_nan_becomes_zero(call: str) -> None:
    sign = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply}[call]
    batch, expected = Batch(), {}
    for dtype in (HALF, INT16, INT32, FLOAT):
        values = special_values(dtype)
        a, b = np.repeat(values, values.size), np.tile(values, values.size)
        x, y, d, e = batch.put(a), batch.put(b), batch.out(np.zeros_like(a)), batch.out(np.zeros_like(a))
        batch.do(_ON, f"{call}({d}, {x}, {y}, {a.size});", _OFF, f"{call}({e}, {x}, {y}, {a.size});")
        with np.errstate(all="ignore"):
            expected[e] = sign(a, b)
            if dtype == FLOAT:
                expected[d] = expected[e]
            elif dtype == HALF:
                clamped = np.clip(expected[e], -65504, 65504)
                expected[d] = np.where(np.isnan(expected[e]), 0, clamped).astype(dtype)
            else:
                wide = sign(a.astype(object), b.astype(object))
                info = np.iinfo(dtype)
                expected[d] = np.array([min(max(v, info.min), info.max) for v in wide], dtype)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, zero_sign=False, context=f"{call} {want.dtype} {name}")


@api("Cast")
@pytest.mark.parametrize("to", (HALF, BF16), ids=str)
def test_casts_to_smaller_floats_clamp(to: np.dtype) -> None:
    values = np.array([1e30, -1e30, 3.4e38, -3.4e38, 70000, -70000, np.inf, -np.inf, np.nan, 1.5], np.float32)
    batch = Batch()
    x, d, e = batch.put(values), batch.out(np.ones(10, to)), batch.out(np.ones(10, to))
    batch.do(
        _ON,
        f"Cast({d}, {x}, RoundMode::CAST_RINT, 10);",
        _OFF,
        f"Cast({e}, {x}, RoundMode::CAST_RINT, 10);",
    )
    got = batch.run()
    assert_same(got[d], to_float(exact_values(values), "CAST_RINT", to, saturate=True), zero_sign=False)
    assert_same(got[e], to_float(exact_values(values), "CAST_RINT", to))


@api("BlockReduceSum")
def test_half_sums_clamp_at_every_node_of_the_tree() -> None:
    batch = Batch()
    a = np.zeros(128, HALF)
    a[:4] = [60000, 60000, -30000, -30000]
    x, d = batch.put(a), batch.out(np.zeros(16, HALF))
    batch.do(_ON, f"BlockReduceSum({d}, {x}, 1, 128, 1, 1, 8);", _OFF)
    with np.errstate(all="ignore"):
        want = np.float16(65504) + np.float16(-60000)
    assert batch.run()[d][0] == want


@pytest.mark.parametrize("call", each(["Adds", "Muls"]))
def test_scalar_forms_clamp(call: str) -> None:
    batch, expected = Batch(), {}
    for dtype, scalar in ((HALF, 60000), (INT16, 30000), (INT32, 2000000000)):
        a = np.array([scalar, -scalar, 3, 0, 1, -1, 20000, -20000], dtype)
        x, s, d = batch.put(a), batch.put(np.array([scalar], dtype)), batch.out(np.zeros_like(a))
        batch.do(_ON, f"{call}({d}, {x}, {s}.GetValue(0), 8);", _OFF)
        number = a[0].item()
        wide = [v.item() + number if call == "Adds" else v.item() * number for v in a]
        low, high = (-65504, 65504) if dtype == HALF else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        expected[d] = np.array([min(max(v, low), high) for v in wide]).astype(dtype)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=f"{call} {want.dtype}")
