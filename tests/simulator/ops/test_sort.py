"""Sort32 and MrgSort: order, ties, struct layout, repeats, suspension, and what they reject."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.toolchains.simulator import SimulatorToolchain

from .harness import codes_by_statement, run


def structs(scores: NDArray[Any], indices: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """(n, 2) words: the score in the low bytes of the first, the index in the second."""
    low = scores.view(f"u{scores.itemsize}").astype(np.uint32)
    return np.stack([low, indices], axis=1)


def descending(scores: NDArray[Any]) -> NDArray[np.intp]:
    """Stable order, largest first, NaN before everything."""
    key = np.where(np.isnan(scores), np.inf, scores).astype(np.float64)
    return np.lexsort((np.arange(scores.size), -key, ~np.isnan(scores)))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_sort32_sorts_groups_of_32_pairs(toolchain: SimulatorToolchain, dtype: str) -> None:
    rng = np.random.default_rng(90)
    scores = rng.integers(-9, 9, 96).astype(dtype)  # many ties
    scores[:6] = [np.nan, np.inf, -np.inf, 0.0, -0.0, np.nan]
    indices = rng.integers(0, 2**32, 96, dtype=np.uint32)
    size = 96 * 8 // scores.itemsize
    done = run("    Sort32(z, x, i, 3);", {"x": scores, "i": indices}, {"z": ((size,), dtype)}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    expected = []
    for start in range(0, 96, 32):
        order = start + descending(scores[start : start + 32])
        expected.append(structs(scores[order], indices[order]))
    assert np.array_equal(done.outputs["z"].view(np.uint32).reshape(96, 2), np.concatenate(expected))


def queues(lengths: list[int], dtype: str, seed: int) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """Sorted queues one after the other, and the index of each struct, which tells queue and position."""
    rng = np.random.default_rng(seed)
    parts = [np.sort(rng.integers(-20, 20, n).astype(dtype))[::-1] for n in lengths]
    return np.concatenate(parts), np.arange(sum(lengths), dtype=np.uint32)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize(("valid", "lengths"), [(3, [5, 40]), (7, [17, 1, 30]), (15, [8, 24, 3, 64])])
def test_mrgsort_merges_queues_stably(
    toolchain: SimulatorToolchain, dtype: str, valid: int, lengths: list[int]
) -> None:
    scores, indices = queues(lengths, dtype, valid)
    packed = structs(scores, indices).view(dtype).ravel()
    per = 8 // scores.itemsize
    starts = [sum(lengths[:q]) * per if q < len(lengths) else 0 for q in range(4)]
    four = (lengths + [0] * 4)[:4]
    body = (
        f"    const uint16_t lengths[4] = {{{', '.join(map(str, four))}}};\n"
        f"    MrgSort(z, {{{', '.join(f'x[{s}]' for s in starts)}}}, MrgSort4Info(lengths, false, {valid}, 1));\n"
        "    PipeBarrier<PIPE_ALL>();\n    uint16_t a, b, c, d;\n    GetMrgSortResult(a, b, c, d);\n"
        "    n.SetValue(0, a); n.SetValue(1, b); n.SetValue(2, c); n.SetValue(3, d);"
    )
    outputs = {"z": ((packed.size,), dtype), "n": ((4,), "int32")}
    done = run(body, {"x": packed}, outputs, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    order = descending(scores)
    assert np.array_equal(done.outputs["z"].view(np.uint32).reshape(-1, 2), structs(scores[order], indices[order]))
    assert done.outputs["n"].tolist() == four


def test_mrgsort_repeats_over_four_equal_adjoining_queues(toolchain: SimulatorToolchain) -> None:
    scores, indices = queues([16] * 8, "float32", 91)
    packed = structs(scores, indices).view(np.float32).ravel()
    body = (
        "    const uint16_t lengths[4] = {16, 16, 16, 16};\n"
        "    MrgSort(z, {x, x[32], x[64], x[96]}, MrgSort4Info(lengths, false, 15, 2));"
    )
    done = run(body, {"x": packed}, {"z": ((256,), "float32")}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    order = np.concatenate([descending(scores[:64]), 64 + descending(scores[64:])])
    assert np.array_equal(done.outputs["z"].view(np.uint32).reshape(-1, 2), structs(scores[order], indices[order]))


def test_mrgsort_stops_where_a_queue_runs_empty(toolchain: SimulatorToolchain) -> None:
    scores = np.array([9, 7, 5, 3, 8, 6, 1, 0], np.float32)
    packed = structs(scores, np.arange(8, dtype=np.uint32)).view(np.float32).ravel()
    body = (
        "    Duplicate(z, -1.0f, 16);\n    const uint16_t lengths[4] = {4, 4, 0, 0};\n    uint32_t done[4];\n"
        "    MrgSort<float, true>(z, {x, x[8], x, x}, lengths, done, 3, 1);\n"
        "    for (int i = 0; i < 4; ++i) n.SetValue(i, (int32_t)done[i]);"
    )
    outputs = {"z": ((16,), "float32"), "n": ((4,), "int32")}
    done = run(body, {"x": packed}, outputs, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    # 9 8 7 6 5 3, then the first queue is empty.
    assert done.outputs["n"].tolist() == [4, 2, 0, 0]
    assert done.outputs["z"].reshape(8, 2)[:, 0].tolist() == [9, 8, 7, 6, 5, 3, -1, -1]


X = {"x": np.zeros(256, np.float32), "i": np.zeros(64, np.uint32)}
OUT = {"z": ((256,), "float32")}


def test_misuse_is_named(toolchain: SimulatorToolchain) -> None:
    merge = "const uint16_t l[4] = {%s}; MrgSort(z, {x, x[32], x[64], x[96]}, MrgSort4Info(l, false, %d, 1));"
    cases = {
        "Sort32(z, x, i, 256);": "repeat-range",
        "Sort32(z, x, i, -1);": "repeat-range",
        "Sort32(x, x, i, 1);": "operand-overlap",
        "Sort32(z, x, i, 4);": "out-of-bounds",
        "Sort32(z, x[1], i, 1);": "misaligned-address",
        "Sort32(z[4], x, i, 1);": "misaligned-address",
        merge % ("4, 4, 4, 4", 1): "illegal-argument",
        merge % ("4096, 4, 4, 4", 3): "illegal-argument",
        merge % ("64, 64, 4, 4", 15): "out-of-bounds",
        merge.replace("(z, {x,", "(x[64], {x,") % ("16, 16, 16, 16", 15): "operand-overlap",
        merge.replace("{x,", "{x[1],") % ("16, 16, 16, 16", 3): "misaligned-address",
    }
    start = "    uint32_t unused = 0; (void)unused;"
    for (statement, code), found in zip(
        cases.items(), codes_by_statement(tuple(cases), X, OUT, before=start, toolchain=toolchain), strict=True
    ):
        assert code in found, (statement, found)


def test_nothing_happens_without_repeats(toolchain: SimulatorToolchain) -> None:
    body = "    Duplicate(z, 2.0f, 256);\n    Sort32(z, x, i, 0);"
    done = run(body, X, OUT, toolchain=toolchain)
    assert not done.codes and set(done.outputs["z"]) == {2.0}


def test_only_half_and_float_are_sorted(toolchain: SimulatorToolchain) -> None:
    body = (
        "    LocalTensor<int32_t> a = z.ReinterpretCast<int32_t>(), b = x.ReinterpretCast<int32_t>();\n"
        "    Sort32(a, b, i, 1);\n    MrgSort(a, {b, b, b, b}, MrgSort4Info());"
    )
    done = run(body, X, OUT, toolchain=toolchain)
    assert not done.compiled and done.codes == ("dtype-not-supported",)
    assert {d.apis[0] for d in done.diagnostics if d.is_error} == {"Sort32", "MrgSort"}


def test_the_order_of_queue_heads_needs_all_scores(toolchain: SimulatorToolchain) -> None:
    body = (
        "    TBuf<TPosition::VECCALC> other;\n    pipe.InitBuffer(other, 512);\n"
        "    LocalTensor<float> raw = other.Get<float>();\n    Duplicate(raw, 0.0f, 16);\n"
        "    Sort32(z, raw, i, 1);"
    )
    done = run(body, X, OUT, toolchain=toolchain)
    assert "uninitialised-read" in done.codes


def test_a_sort_that_nothing_orders_after_its_load_is_a_hazard(toolchain: SimulatorToolchain) -> None:
    body = (
        "    DataCopy(x, xGlobal, 32);\n    Sort32(z, x, i, 1);\n    PipeBarrier<PIPE_V>();\n"
        "    DataCopy(zGlobal, z, 64);"
    )
    done = run(body, X, OUT, toolchain=toolchain)
    found = {(d.apis[0], d.evidence["kind"]) for d in done.diagnostics if d.code == "missing-sync"}
    assert ("Sort32", "RAW") in found and ("DataCopy", "RAW") in found
