"""Reductions of one repeat: whole, block and pair (facts: semantics, section 4)."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from .addressing import Stride, bitwise, continuous, extent
from .batch import Array, Batch
from .marks import api, each
from .reducing import extreme, index_bits, rows, tree_sum
from .values import FLOAT, HALF, assert_same

_TYPES = (HALF, FLOAT)


def _values(dtype: np.dtype, count: int, rng: np.random.Generator) -> Array:
    """Values whose sum depends on the order of additions."""
    return (rng.uniform(-1, 1, count) * 10.0 ** rng.integers(-2, 3, count)).astype(dtype)


def _masks(dtype: np.dtype, rng: np.random.Generator) -> list[tuple[str, Array]]:
    lanes = 256 // dtype.itemsize
    low, high = int(rng.integers(1, 2**63)), int(rng.integers(0, 2**63)) if lanes == 128 else 0
    declaration = f"const uint64_t mask[2] = {{{low}ull, {high}ull}};"
    return [
        (f"const int32_t mask = {lanes};", continuous(lanes, lanes)),
        ("const int32_t mask = 37;", continuous(37, lanes)),
        (declaration, bitwise(low, high, lanes)),
    ]


_STRIDES = (Stride(), Stride(1, 3), Stride(2, 17))


@pytest.mark.parametrize("call", each(["WholeReduceSum", "ReduceRepeat", "RepeatReduceSum"]))
def test_whole_sums_follow_the_tree(call: str) -> None:
    rng = np.random.default_rng(1)
    batch, expected = Batch(), {}
    for dtype in _TYPES:
        for (mask, enabled), stride, gap in product(_masks(dtype, rng), _STRIDES, (1, 3)):
            if call == "RepeatReduceSum" and "uint64_t" in mask:
                continue  # it has no form with a bit mask
            a = _values(dtype, extent(3, stride, dtype.itemsize, 256 // dtype.itemsize), rng)
            old = np.full(16, 9, dtype)
            x, d = batch.put(a), batch.out(old)
            arguments = f"mask, 3, {gap}, {stride.block}, {stride.repeat}"
            if call == "RepeatReduceSum":
                arguments = f"3, mask, 1, {stride.block}, {gap}, {stride.repeat}"
            name = "ReduceRepeat<ReduceType::SUM>" if call == "ReduceRepeat" else call
            batch.do(mask, f"{name}({d}, {x}, {arguments});")
            want = old.copy()
            for r, lanes in enumerate(rows(a, 3, stride)):
                want[r * gap] = tree_sum(lanes, enabled)
            expected[d] = want, f"{call} {dtype} {mask} {stride} {gap}"
    got = batch.run()
    for name, (want, context) in expected.items():
        assert_same(got[name], want, context=context)


_ORDERS = ("ORDER_VALUE_INDEX", "ORDER_INDEX_VALUE", "ORDER_ONLY_VALUE", "ORDER_ONLY_INDEX")


@pytest.mark.parametrize("call", each(["WholeReduceMax", "WholeReduceMin", "ReduceRepeat"]))
@pytest.mark.parametrize("order", _ORDERS)
def test_whole_extremes_in_every_order(call: str, order: str) -> None:
    rng = np.random.default_rng(2)
    batch, expected = Batch(), {}
    spellings = {
        "ReduceRepeat": (("ReduceRepeat<ReduceType::MAX>", True), ("ReduceRepeat<ReduceType::MIN>", False)),
        "WholeReduceMax": (("WholeReduceMax", True),),
        "WholeReduceMin": (("WholeReduceMin", False),),
    }[call]
    for dtype, (spelling, largest) in product(_TYPES, spellings):
        for (mask, enabled), stride, gap in product(_masks(dtype, rng), _STRIDES, (1, 2)):
            a = _values(dtype, extent(3, stride, dtype.itemsize, 256 // dtype.itemsize), rng)
            old = np.full(32, 9, dtype)
            x, d = batch.put(a), batch.out(old)
            batch.do(
                mask, f"{spelling}({d}, {x}, mask, 3, {gap}, {stride.block}, {stride.repeat}, ReduceOrder::{order});"
            )
            values: dict[int, np.generic] = {}
            for r, lanes in enumerate(rows(a, 3, stride)):
                value, at = extreme(lanes, enabled, largest=largest)
                index = index_bits(at, dtype)
                # the unit of the stride: a pair, one value, or the four bytes of an index
                if order == "ORDER_VALUE_INDEX":
                    values |= {2 * r * gap: value, 2 * r * gap + 1: index}
                elif order == "ORDER_INDEX_VALUE":
                    values |= {2 * r * gap: index, 2 * r * gap + 1: value}
                elif order == "ORDER_ONLY_VALUE":
                    values |= {r * gap: value}
                else:
                    values |= {r * gap * 4 // dtype.itemsize: index}
            expected[d] = values, f"{spelling} {dtype} {order} {mask} {stride} {gap}"
    got = batch.run()
    for name, (values, context) in expected.items():
        places = list(values)
        assert_same(got[name][places], np.array(list(values.values()), got[name].dtype), context=context)


@api("WholeReduceMax", "WholeReduceMin")
def test_the_default_order_is_value_then_index() -> None:
    batch = Batch()
    a = np.roll(np.arange(64, dtype=np.float32), 11)
    x, d, e = batch.put(a), batch.out(np.zeros(8, FLOAT)), batch.out(np.zeros(8, FLOAT))
    batch.do(f"WholeReduceMax({d}, {x}, 64, 1, 1, 1, 8);", f"WholeReduceMin({e}, {x}, 64, 1, 1, 1, 8);")
    got = batch.run()
    assert got[d][0] == 63 and got[d].view(np.uint32)[1] == 10
    assert got[e][0] == 0 and got[e].view(np.uint32)[1] == 11


@api("WholeReduceMax", "WholeReduceMin")
def test_ties_give_the_smallest_index_and_nan_wins() -> None:
    batch = Batch()
    tied = np.zeros(64, FLOAT)
    tied[[9, 20, 33]] = 5
    tied[[7, 8, 60]] = -5
    broken = np.arange(64, dtype=np.float32)
    broken[17] = np.nan
    x, y = batch.put(tied), batch.put(broken)
    names = [batch.out(np.zeros(8, FLOAT)) for _ in range(4)]
    batch.do(
        f"WholeReduceMax({names[0]}, {x}, 64, 1, 1, 1, 8);",
        f"WholeReduceMin({names[1]}, {x}, 64, 1, 1, 1, 8);",
        f"WholeReduceMax({names[2]}, {y}, 64, 1, 1, 1, 8);",
        f"WholeReduceMin({names[3]}, {y}, 64, 1, 1, 1, 8);",
    )
    results = batch.run()
    got = [results[name] for name in names]
    assert got[0][0] == 5 and got[0].view(np.uint32)[1] == 9
    assert got[1][0] == -5 and got[1].view(np.uint32)[1] == 7
    assert np.isnan(got[2][0]) and np.isnan(got[3][0])


_BLOCK_CALLS = {
    "BlockReduceSum": "BlockReduceSum({d}, {x}, 3, mask, {gap}, {blk}, {rep});",
    "BlockReduceMax": "BlockReduceMax({d}, {x}, 3, mask, {gap}, {blk}, {rep});",
    "BlockReduceMin": "BlockReduceMin({d}, {x}, 3, mask, {gap}, {blk}, {rep});",
    "ReduceDataBlock": "ReduceDataBlock<ReduceType::SUM>({d}, {x}, mask, 3, {gap}, {blk}, {rep});",
}


@pytest.mark.parametrize("call", each(_BLOCK_CALLS))
def test_block_reductions(call: str) -> None:
    rng = np.random.default_rng(3)
    batch, expected = Batch(), {}
    for dtype in _TYPES:
        per_block, lanes = 32 // dtype.itemsize, 256 // dtype.itemsize
        # the second block has no enabled lane and the fourth one a single one
        on = rng.integers(0, 2, lanes).astype(bool)
        on[per_block : 2 * per_block] = False
        on[3 * per_block : 4 * per_block] = np.arange(per_block) == 5
        word = sum(1 << int(i) for i in np.flatnonzero(on))
        sparse = f"const uint64_t mask[2] = {{{word & 2**64 - 1}ull, {word >> 64}ull}};"
        for (mask, enabled), stride, gap in product([*_masks(dtype, rng), (sparse, on)], _STRIDES, (1, 2)):
            a = _values(dtype, extent(3, stride, dtype.itemsize, lanes), rng)
            old = np.full(64, 9, dtype)
            x, d = batch.put(a), batch.out(old)
            batch.do(mask, _BLOCK_CALLS[call].format(d=d, x=x, gap=gap, blk=stride.block, rep=stride.repeat))
            want = old.copy()
            for r, row in enumerate(rows(a, 3, stride)):
                for block in range(8):
                    part = slice(block * per_block, (block + 1) * per_block)
                    if not enabled[part].any():
                        continue  # nothing is written for a block without lanes
                    want[r * gap * 8 + block] = (
                        extreme(row[part], enabled[part], largest="Max" in call)[0]
                        if call in ("BlockReduceMax", "BlockReduceMin")
                        else tree_sum(row[part], enabled[part])
                    )
            expected[d] = want, f"{call} {dtype} {mask} {stride} {gap}"
    got = batch.run()
    for name, (want, context) in expected.items():
        assert_same(got[name], want, context=context)


@pytest.mark.parametrize(("name", "largest"), [("MAX", True), ("MIN", False)])
@api("ReduceDataBlock")
def test_block_extremes_by_their_new_name(name: str, largest: bool) -> None:
    rng = np.random.default_rng(4)
    batch, expected = Batch(), {}
    for dtype in _TYPES:
        lanes = 256 // dtype.itemsize
        a = _values(dtype, 2 * lanes, rng)
        x, d = batch.put(a), batch.out(np.zeros(16, dtype))
        batch.do(f"ReduceDataBlock<ReduceType::{name}>({d}, {x}, {lanes}, 2, 1, 1, 8);")
        blocks = a.reshape(16, -1)
        expected[d] = blocks.max(axis=1) if largest else blocks.min(axis=1)
    got = batch.run()
    for tensor, want in expected.items():
        assert_same(got[tensor], want, context=str(want.dtype))


@pytest.mark.parametrize("call", each(["PairReduceSum", "ReducePairElem"]))
def test_pair_sums_skip_pairs_without_lanes(call: str) -> None:
    rng = np.random.default_rng(5)
    batch, expected = Batch(), {}
    for dtype in _TYPES:
        lanes = 256 // dtype.itemsize
        for (mask, enabled), stride, gap in product(_masks(dtype, rng), _STRIDES, (1, 2)):
            a = _values(dtype, extent(2, stride, dtype.itemsize, lanes), rng)
            old = np.full(2 * lanes, 9, dtype)
            x, d = batch.put(a), batch.out(old)
            arguments = f"2, mask, {gap}" if call == "PairReduceSum" else f"mask, 2, {gap}"
            name = call if call == "PairReduceSum" else "ReducePairElem<ReduceType::SUM>"
            batch.do(mask, f"{name}({d}, {x}, {arguments}, {stride.block}, {stride.repeat});")
            want = old.copy()
            for r, row in enumerate(rows(a, 2, stride)):
                for pair in range(lanes // 2):
                    both = slice(2 * pair, 2 * pair + 2)
                    if enabled[both].any():
                        want[r * gap * lanes // 2 + pair] = tree_sum(row[both], enabled[both])
            expected[d] = want, f"{call} {dtype} {mask} {stride} {gap}"
    got = batch.run()
    for name, (want, context) in expected.items():
        assert_same(got[name], want, context=context)


@api("WholeReduceSum", "BlockReduceSum")
def test_half_sums_overflow_to_infinity() -> None:
    batch = Batch()
    a = np.zeros(128, HALF)
    a[:2] = 60000
    x, d, e = batch.put(a), batch.out(np.zeros(16, HALF)), batch.out(np.zeros(16, HALF))
    batch.do(f"WholeReduceSum({d}, {x}, 128, 1, 1, 1, 8);", f"BlockReduceSum({e}, {x}, 1, 128, 1, 1, 8);")
    got = batch.run()
    assert np.isposinf(got[d][0])
    assert np.isposinf(got[e][0]) and (got[e][1:8] == 0).all()


@api("WholeReduceSum", "WholeReduceMax", "BlockReduceMax")
def test_no_repeats_change_nothing() -> None:
    batch = Batch()
    x, d = batch.put(np.ones(64, FLOAT)), batch.out(np.full(32, 4, FLOAT))
    batch.do(
        f"WholeReduceSum({d}, {x}, 64, 0, 1, 1, 8);",
        f"WholeReduceMax({d}, {x}, 64, 0, 1, 1, 8);",
        f"BlockReduceMax({d}, {x}, 0, 64, 1, 1, 8);",
    )
    assert (batch.run()[d] == 4).all()


@api("GetReduceMaxMinCount", "WholeReduceMax", "WholeReduceMin")
@pytest.mark.parametrize("dtype", _TYPES, ids=str)
def test_the_register_holds_the_last_extreme(dtype: np.dtype) -> None:
    batch = Batch()
    lanes = 256 // dtype.itemsize
    ctype = "half" if dtype == HALF else "float"
    a = np.roll(np.arange(lanes), 11).astype(dtype)
    x, t, d = batch.put(a), batch.out(np.zeros(16, dtype)), batch.out(np.zeros(16, dtype))
    for call, place in (("WholeReduceMax", 0), ("WholeReduceMin", 2)):
        batch.do(
            f"{call}({t}, {x}, {lanes}, 1, 1, 1, 8);",
            "PipeBarrier<PIPE_ALL>();",
            f"{ctype} value = 0; {ctype} index = 0;",
            f"GetReduceMaxMinCount<{ctype}>(value, index);",
            f"{d}.SetValue({place}, value);",
            f"{d}.SetValue({place + 1}, index);",
        )
    got = batch.run()[d]
    bits = got.view(np.dtype(f"u{dtype.itemsize}"))
    assert (got[0], bits[1], got[2], bits[3]) == (lanes - 1, 10, 0, 11)
