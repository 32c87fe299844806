"""Library functions on matrices: reductions, Broadcast, Select with a byte mask, CumSum."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel.toolchains.simulator import SimulatorToolchain
from tests.simulator.ops.harness import run


def matrix(rows: int, columns: int, dtype: str, seed: int = 3) -> NDArray[Any]:
    return np.random.default_rng(seed).uniform(-2, 2, (rows, columns)).astype(dtype)


def test_sum_and_mean_take_the_first_elements_of_each_row(toolchain: SimulatorToolchain) -> None:
    x, h = matrix(5, 24, "float32"), matrix(5, 32, "float16", 4)
    body = """
    Sum(s, x, {5, 24, 19}); Sum(sh, h, SumParams{5, 32, 30}); Mean(m, x, {5, 24, 19});
    Mean<half, float>(mh, h, MeanParams{5, 32, 30});"""
    done = run(
        body, {"x": x, "h": h},
        {"s": ((5,), "float32"), "m": ((5,), "float32"), "sh": ((5,), "float16"), "mh": ((5,), "float16")},
        toolchain=toolchain,
    )  # fmt: skip
    assert done.completed and not done.codes, done.diagnostics
    assert np.allclose(done.outputs["s"], x[:, :19].sum(1, dtype=np.float64), rtol=1e-5, atol=1e-6)
    assert np.allclose(done.outputs["m"], x[:, :19].mean(1, dtype=np.float64), rtol=1e-5, atol=1e-6)
    assert np.allclose(done.outputs["sh"], h[:, :30].sum(1, dtype=np.float64), rtol=0, atol=0.03)
    assert np.array_equal(done.outputs["mh"], h[:, :30].mean(1, dtype=np.float64).astype(np.float16))


def test_patterns_reduce_rows_or_columns(toolchain: SimulatorToolchain) -> None:
    x = matrix(6, 16, "float32")
    shape = "    const uint32_t shape[2] = {6, 13};\n"  # rows are padded to 16 elements in memory
    calls, expected, outputs = [], {}, {}
    functions = {"Sum": np.sum, "Max": np.max, "Min": np.min, "Mean": np.mean, "Prod": np.prod}
    for name, function in functions.items():
        for pattern, axis, size in (("AR", 1, 6), ("RA", 0, 13)):
            out = f"{name.lower()}{pattern}"
            calls.append(f"    Reduce{name}<float, Pattern::Reduce::{pattern}>({out}, x, shape, true);")
            expected[out] = function(x[:, :13].astype(np.float64), axis=axis)
            outputs[out] = ((size,), "float32")
    done = run(shape + "\n".join(calls), {"x": x}, outputs, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    for out, values in expected.items():
        assert np.allclose(done.outputs[out], values, rtol=1e-5, atol=1e-6), out


def test_any_and_all_and_the_sum_of_exclusive_ors(toolchain: SimulatorToolchain) -> None:
    bits = (np.random.default_rng(5).uniform(size=(4, 32)) > 0.3).astype(np.uint8)
    bits[1], bits[2] = 0, 1
    s, t = np.arange(64, dtype=np.int16) * 401, np.arange(64, dtype=np.int16) * 77
    body = """
    const uint32_t shape[2] = {4, 32};
    ReduceAny<uint8_t, Pattern::Reduce::AR>(some, b, shape, true);
    ReduceAll<uint8_t, Pattern::Reduce::AR>(every, b, shape, true);
    ReduceXorSum(sum, s, t, 64);"""
    done = run(
        body, {"b": bits, "s": s, "t": t},
        {"some": ((4,), "uint8"), "every": ((4,), "uint8"), "sum": ((1,), "int16")}, toolchain=toolchain,
    )  # fmt: skip
    assert done.completed and not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["some"], bits.any(1)) and np.array_equal(done.outputs["every"], bits.all(1))
    assert done.outputs["sum"][0] == np.clip((s ^ t).astype(int).sum(), -32768, 32767)


def test_broadcast_repeats_a_row_a_column_or_one_element(toolchain: SimulatorToolchain) -> None:
    row, column, one = matrix(1, 16, "float32"), matrix(5, 1, "float16"), np.array([7], np.int8)
    body = """
    const uint32_t d0[2] = {5, 16}, s0[2] = {1, 16}, d1[2] = {5, 13}, s1[2] = {5, 1}, d2[1] = {40}, s2[1] = {1};
    Broadcast<float, 2, 0>(rows, row, d0, s0);
    BroadCast<half, 2, 1>(columns, column, d1, s1);
    Broadcast<int8_t, 1, 0>(ones, one, d2, s2);"""
    done = run(
        body, {"row": row, "column": column, "one": one},
        {"rows": ((5, 16), "float32"), "columns": ((5, 13), "float16"), "ones": ((40,), "int8")}, toolchain=toolchain,
    )  # fmt: skip
    assert done.completed and not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["rows"], np.broadcast_to(row, (5, 16)))
    assert np.array_equal(done.outputs["columns"], np.broadcast_to(column, (5, 13)))
    assert np.array_equal(done.outputs["ones"], np.full(40, 7, np.int8))


def test_a_byte_mask_of_zero_takes_the_first_operand(toolchain: SimulatorToolchain) -> None:
    x = matrix(3, 16, "float32")
    mask = (np.random.default_rng(6).uniform(size=(3, 32)) > 0.5).astype(np.uint8) * 9
    body = """
    LocalTensor<uint8_t> work = workBuffer.Get<uint8_t>();
    Select(a, x, -1.0f, m, work, {3, 16, 32});
    SelectWithBytesMask(b, -1.0f, x, m, work, SelectWithBytesMaskShapeInfo(3, 16, 32));"""
    outputs = {"a": ((3, 16), "float32"), "b": ((3, 16), "float32")}
    done = run(body, {"x": x, "m": mask}, outputs, scratch=1024, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["a"], np.where(mask[:, :16] == 0, x, np.float32(-1)))
    assert np.array_equal(done.outputs["b"], np.where(mask[:, :16] == 0, np.float32(-1), x))


def test_cumulative_sums_run_along_rows_or_columns(toolchain: SimulatorToolchain) -> None:
    x = matrix(4, 16, "float32")
    body = """
    static constexpr CumSumConfig down{false, false, true};
    CumSumInfo info{4, 16};
    LocalTensor<float> a0 = a, b0 = b, l0 = last;
    CumSum(a0, l0, x, info);
    CumSum<float, down>(b0, l0, x, info);"""
    outputs = {"a": ((4, 16), "float32"), "b": ((4, 16), "float32"), "last": ((16,), "float32")}
    done = run(body, {"x": x}, outputs, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    assert np.allclose(done.outputs["a"], x.cumsum(1), rtol=1e-5, atol=1e-6)
    assert np.allclose(done.outputs["b"], x.cumsum(0), rtol=1e-5, atol=1e-6)
    assert np.array_equal(done.outputs["last"], done.outputs["b"][-1])
