"""Reductions: tree order, index ties, NaN, layouts of the results, masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.dtypes import DType
from agentkernel.toolchains.simulator import SimulatorToolchain

from .harness import codes_by_statement, run


def tree(values: NDArray[Any]) -> Any:
    """Sum as a binary tree over adjacent elements, in the values' own precision."""
    width = 1 << int(np.ceil(np.log2(max(len(values), 1))))
    level = np.full(width, values.dtype.type(-0.0))
    level[: len(values)] = values
    while len(level) > 1:
        level = (level[0::2] + level[1::2]).astype(values.dtype)
    return level[0]


def lanes_of(dtype: str) -> int:
    return 256 // np.dtype(dtype).itemsize


def samples(dtype: str, n: int, seed: int) -> NDArray[Any]:
    return np.random.default_rng(seed).uniform(-100, 100, n).astype(dtype)


DTYPES = pytest.mark.parametrize("dtype", ["float16", "float32"])


@DTYPES
def test_whole_reduce_sum_is_a_tree(toolchain: SimulatorToolchain, dtype: str) -> None:
    lanes = lanes_of(dtype)
    x = samples(dtype, 4 * lanes, 60)
    body = (
        f"    WholeReduceSum(full, x, {lanes}, 4, 1, 1, 8);\n    WholeReduceSum(part, x, 10, 4, 2, 1, 8);\n"
        f"    RepeatReduceSum(old, x, 4, {lanes}, 0, 1, 1, 8);\n"
        f"    ReduceRepeat<ReduceType::SUM>(neu, x, {lanes}, 4, 1, 1, 8);"
    )
    outputs = {"full": ((4,), dtype), "part": ((8,), dtype), "old": ((4,), dtype), "neu": ((4,), dtype)}
    done = run(body, {"x": x}, outputs, toolchain=toolchain)
    rows = x.reshape(4, lanes)
    expected = np.array([tree(r) for r in rows])
    assert np.array_equal(done.outputs["full"], expected)
    assert np.array_equal(done.outputs["old"], expected) and np.array_equal(done.outputs["neu"], expected)
    assert np.array_equal(done.outputs["part"][::2], np.array([tree(r[:10]) for r in rows]))


@DTYPES
def test_whole_reduce_max_gives_value_and_first_index(toolchain: SimulatorToolchain, dtype: str) -> None:
    lanes = lanes_of(dtype)
    x = samples(dtype, 3 * lanes, 61)
    x[5] = x[20] = 500  # equal maxima: the first wins
    kind, index = DType(dtype).ascendc, np.dtype(f"u{np.dtype(dtype).itemsize}")
    body = (
        f"    WholeReduceMax(vi, x, {lanes}, 3, 1, 1, 8);\n"
        f"    WholeReduceMin(iv, x, {lanes}, 3, 1, 1, 8, ReduceOrder::ORDER_INDEX_VALUE);\n"
        f"    WholeReduceMax(v, x, {lanes}, 3, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);\n"
        f"    WholeReduceMax(i.ReinterpretCast<{kind}>(), x, {lanes}, 3, 1, 1, 8, ReduceOrder::ORDER_ONLY_INDEX);"
    )
    outputs = {"vi": ((6,), dtype), "iv": ((6,), dtype), "v": ((3,), dtype), "i": ((3,), "uint32")}
    done = run(body, {"x": x}, outputs, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    rows = x.reshape(3, lanes)
    assert np.array_equal(done.outputs["vi"][0::2], rows.max(axis=1))
    assert np.array_equal(done.outputs["vi"][1::2].view(index), rows.argmax(axis=1))
    assert np.array_equal(done.outputs["iv"][1::2], rows.min(axis=1))
    assert np.array_equal(done.outputs["iv"][0::2].view(index), rows.argmin(axis=1))
    assert np.array_equal(done.outputs["v"], rows.max(axis=1))
    assert np.array_equal(done.outputs["i"], rows.argmax(axis=1))


@DTYPES
def test_block_reduce(toolchain: SimulatorToolchain, dtype: str) -> None:
    lanes, per = lanes_of(dtype), 32 // np.dtype(dtype).itemsize
    x = samples(dtype, 2 * lanes, 62)
    kind = DType(dtype).ascendc
    body = (
        f"    BlockReduceSum(s, x, 2, {lanes}, 1, 1, 8);\n    BlockReduceMax(mx, x, 2, {lanes}, 1, 1, 8);\n"
        f"    BlockReduceMin(mn, x, 2, {lanes}, 1, 1, 8);\n    Duplicate(part, ({kind})7, 16);\n"
        f"    ReduceDataBlock<ReduceType::SUM>(part, x, {per + 2}, 1, 1, 1, 8);"
    )
    outputs = {name: ((16,), dtype) for name in ("s", "mx", "mn", "part")}
    done = run(body, {"x": x}, outputs, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    blocks = x.reshape(16, per)
    assert np.array_equal(done.outputs["s"], np.array([tree(b) for b in blocks]))
    assert np.array_equal(done.outputs["mx"], blocks.max(axis=1))
    assert np.array_equal(done.outputs["mn"], blocks.min(axis=1))
    # A block without an enabled element keeps its old result.
    partial = [tree(blocks[0]), tree(blocks[1][:2])] + [7] * 14
    assert np.array_equal(done.outputs["part"], np.array(partial, dtype))


@DTYPES
def test_pair_reduce(toolchain: SimulatorToolchain, dtype: str) -> None:
    lanes = lanes_of(dtype)
    x = samples(dtype, 2 * lanes, 63)
    kind = DType(dtype).ascendc
    body = (
        f"    PairReduceSum(s, x, 2, {lanes}, 1, 1, 8);\n    Duplicate(part, ({kind})7, {lanes});\n"
        f"    ReducePairElem<ReduceType::SUM>(part, x, 5, 1, 1, 1, 8);"
    )
    done = run(body, {"x": x}, {"s": ((lanes,), dtype), "part": ((lanes,), dtype)}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["s"], x[0::2] + x[1::2])
    expected = np.full(lanes, 7, dtype)
    expected[:3] = [x[0] + x[1], x[2] + x[3], x[4]]
    assert np.array_equal(done.outputs["part"], expected)


@DTYPES
@pytest.mark.parametrize("n", [1, 50, 128, 1000])
def test_reduce_sum_adds_repeats_in_order(toolchain: SimulatorToolchain, dtype: str, n: int) -> None:
    lanes = lanes_of(dtype)
    x = samples(dtype, n, 64)
    body = (
        f"    ReduceSum(z, x, work, {n});\n    {DType(dtype).ascendc} acc = GetAccVal<{DType(dtype).ascendc}>();\n"
        "    a.SetValue(0, acc);"
    )
    done = run(body, {"x": x}, {"z": ((1,), dtype), "work": ((64,), dtype), "a": ((1,), dtype)}, toolchain=toolchain)
    assert not [c for c in done.codes if c != "uninitialised-read"], done.diagnostics
    total = tree(x[:lanes])
    for at in range(lanes, n, lanes):
        total = x.dtype.type(total + tree(x[at : at + lanes]))
    assert done.outputs["z"][0] == total and done.outputs["a"][0] == total


@DTYPES
def test_reduce_sum_of_repeats_is_a_tree_of_trees(toolchain: SimulatorToolchain, dtype: str) -> None:
    lanes = lanes_of(dtype)
    x = samples(dtype, 8 * lanes, 65)
    body = f"    ReduceSum(z, x, work, {lanes}, 8, 8);"
    done = run(body, {"x": x}, {"z": ((1,), dtype), "work": ((64,), dtype)}, toolchain=toolchain)
    partial = np.array([tree(r) for r in x.reshape(8, lanes)])
    assert done.outputs["z"][0] == tree(partial)


@DTYPES
@pytest.mark.parametrize("n", [1, 64, 777])
def test_reduce_max_and_min_with_index(toolchain: SimulatorToolchain, dtype: str, n: int) -> None:
    x = samples(dtype, n, 66)
    if n > 500:
        x[300] = x[500] = 200
        x[301] = x[501] = -200
    index = np.dtype(f"u{np.dtype(dtype).itemsize}")
    body = (
        f"    ReduceMax(mx, x, work, {n}, true);\n    ReduceMin(mn, x, work, {n}, true);\n"
        f"    ReduceMax(only, x, work, {n});"
    )
    outputs = {"mx": ((2,), dtype), "mn": ((2,), dtype), "only": ((1,), dtype), "work": ((256,), dtype)}
    done = run(body, {"x": x}, outputs, toolchain=toolchain)
    assert not [c for c in done.codes if c != "uninitialised-read"], done.diagnostics
    assert done.outputs["mx"][0] == x.max() and done.outputs["mx"][1:].view(index)[0] == x.argmax()
    assert done.outputs["mn"][0] == x.min() and done.outputs["mn"][1:].view(index)[0] == x.argmin()
    assert done.outputs["only"][0] == x.max()


def test_nan_wins_every_extreme(toolchain: SimulatorToolchain) -> None:
    x = samples("float32", 256, 67)
    x[100] = np.nan
    body = (
        "    ReduceMax(mx, x, work, 256);\n    ReduceMin(mn, x, work, 256);\n    WholeReduceMax(w, x, 64, 4, 1, 1, 8);"
    )
    outputs = {"mx": ((1,), "float32"), "mn": ((1,), "float32"), "w": ((8,), "float32"), "work": ((64,), "float32")}
    done = run(body, {"x": x}, outputs, toolchain=toolchain)
    assert np.isnan(done.outputs["mx"][0]) and np.isnan(done.outputs["mn"][0])
    assert np.isnan(done.outputs["w"][2]) and not np.isnan(done.outputs["w"][[0, 4, 6]]).any()


def test_extreme_of_all_repeats_is_left_in_a_register(toolchain: SimulatorToolchain) -> None:
    x = samples("float32", 256, 68)
    body = (
        "    WholeReduceMax(w, x, 64, 4, 1, 1, 8);\n    float value = 0, index = 0;\n"
        "    GetReduceMaxMinCount<float>(value, index);\n    z.SetValue(0, value);\n    z.SetValue(1, index);"
    )
    done = run(body, {"x": x}, {"z": ((2,), "float32"), "w": ((8,), "float32")}, toolchain=toolchain)
    assert done.outputs["z"][0] == x.max() and done.outputs["z"][1:].view(np.uint32)[0] == x.argmax()


def test_half_sums_overflow_to_infinity(toolchain: SimulatorToolchain) -> None:
    x = np.full(128, 1000, np.float16)
    done = run("    WholeReduceSum(z, x, 128, 1, 1, 1, 8);", {"x": x}, {"z": ((1,), "float16")}, toolchain=toolchain)
    assert np.isposinf(done.outputs["z"][0])


MISUSE = {
    "ReduceMax(z, x, small, 1024, true);": "work-too-small",
    "WholeReduceSum(z, x, 64, 256, 1, 1, 0);": "repeat-range",
    "WholeReduceSum(z, x, 64, 1, 1, 1, -8);": "stride-range",
    "WholeReduceSum(z, x, -1, 1, 1, 1, 8);": "mask-range",
    "ReduceSum(z, x, small, -4);": "count-range",
}


def test_misuse_is_named(toolchain: SimulatorToolchain) -> None:
    outputs = {"z": ((8,), "float32"), "small": ((8,), "float32")}
    start = "    Duplicate(z, 0.0f, 8); Duplicate(small, 0.0f, 8);"
    x = samples("float32", 1024, 69)
    found = codes_by_statement(list(MISUSE), {"x": x}, outputs, before=start, toolchain=toolchain)
    for (statement, code), codes in zip(MISUSE.items(), found, strict=True):
        assert code in codes, statement
