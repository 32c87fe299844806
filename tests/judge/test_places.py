"""Where outputs are wrong: every shape of the set of bad elements is recognised from an array made that way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from agentkernel.judge import Where, locate

ROWS, COLUMNS = 16, 125
SIZE = ROWS * COLUMNS


def mask(flat: Iterable[int], shape: tuple[int, ...] = (ROWS, COLUMNS)) -> np.ndarray[Any, Any]:
    bad = np.zeros(shape, np.bool_)
    bad.reshape(-1)[list(flat)] = True
    return bad


def columns(start: int, end: int) -> list[int]:
    return [row * COLUMNS + column for row in range(ROWS) for column in range(start, end)]


def runs(starts: Iterable[int], width: int) -> list[int]:
    return [start + k for start in starts for k in range(width)]


CASES = {
    "all": (range(SIZE), Where.EVERYWHERE, "every element"),
    "nearly all": (range(20, SIZE), Where.EVERYWHERE, "nearly every element"),
    "tail": (range(SIZE - 24, SIZE), Where.TAIL, "the last 24 elements of 2000"),
    "last element": ([SIZE - 1], Where.TAIL, "the last element of 2000"),
    "head": (range(40), Where.HEAD, "the first 40 elements of 2000"),
    "row tail": (columns(120, 125), Where.ROW_TAIL, "the last 5 elements of each row of 125"),
    "last column": (columns(124, 125), Where.EVERY_KTH, "every 125th element, from flat index 124"),
    "columns": (columns(64, 72), Where.COLUMNS, "columns 64 to 71 of each row of 125"),
    "rows": (range(5 * COLUMNS, 7 * COLUMNS - 3), Where.ROWS, "rows 5 to 6 of 16, whole"),
    "two rows": ([*range(COLUMNS), *range(9 * COLUMNS, 10 * COLUMNS)], Where.ROWS, "rows 0, 9 of 16, whole"),
    "one block": (range(500, 750), Where.BLOCKS, "block 2 of 8"),
    "last block": (range(1750, 2000), Where.BLOCKS, "block 7 of 8"),
    "two blocks": ([*range(250, 500), *range(1750, 2000)], Where.BLOCKS, "blocks 1, 7 of 8"),
    "every second": (range(1, SIZE, 2), Where.EVERY_KTH, "every second element, from flat index 1"),
    "every 4th": (range(3, SIZE, 4), Where.EVERY_KTH, "every 4th element, from flat index 3"),
    "every 13th": (range(0, SIZE, 13), Where.EVERY_KTH, "every 13th element"),
    "tile tails": (runs(range(152, SIZE - 8, 160), 8), Where.PERIODIC, "the last 8 elements of every 160"),
    "tile heads": (runs(range(0, SIZE - 8, 160), 8), Where.PERIODIC, "the first 8 elements of every 160"),
    "range": (range(301, 350), Where.RANGE, "flat indices 301 to 349 of 2000"),
    "one": ([77], Where.FEW, "one element, flat index 77"),
    "few": ([3, 77, 1500], Where.FEW, "flat indices 3, 77, 1500"),
    "scattered": (np.random.default_rng(0).permutation(SIZE)[:200], Where.SCATTERED, "200 of 2000 elements, scattered"),
}


@pytest.mark.parametrize(("flat", "where", "text"), CASES.values(), ids=list(CASES))
def test_shapes(flat: Iterable[int], where: Where, text: str) -> None:
    block_dim = 1 if where is Where.ROWS else 8
    place = locate(mask(flat), block_dim)
    assert place.where is where
    assert text in place.text


def test_values_that_are_right_by_chance_do_not_hide_a_tail() -> None:
    bad = mask(range(SIZE - 100, SIZE))
    bad.reshape(-1)[[SIZE - 70, SIZE - 40, SIZE - 39, SIZE - 5]] = False
    place = locate(bad)
    assert (place.where, place.start, place.width) == (Where.TAIL, SIZE - 100, 100)


def test_blocks_of_whole_rows() -> None:
    place = locate(mask(range(4 * COLUMNS, 6 * COLUMNS)), 8)
    assert place.where is Where.BLOCKS
    assert (place.blocks, place.width) == ((2,), 2 * COLUMNS)


def test_blocks_whose_share_is_rounded_up_to_32_bytes() -> None:
    place = locate(mask(range(256, 512), (1000,)), 4)
    assert (place.where, place.blocks, place.width) == (Where.BLOCKS, (1,), 256)


def test_of_several_near_partitions_the_exact_one_is_told() -> None:
    share = 21856  # 1048583 elements on 48 blocks, in steps of 16
    place = locate(mask(range(47 * share, 1048583), (1048583,)), 48)
    assert (place.where, place.width, place.start) == (Where.BLOCKS, share, 47 * share)


def test_a_short_rest_of_the_last_block_is_a_tail() -> None:
    place = locate(mask(range(4992, 5003), (5003,)), 48)
    assert (place.where, place.start, place.width) == (Where.TAIL, 4992, 11)


def test_numbers_of_a_row_tail() -> None:
    place = locate(mask(columns(112, 125)))
    assert (place.start, place.width, place.period) == (112, 13, COLUMNS)


def test_a_scalar_output() -> None:
    assert locate(np.ones((), np.bool_)).text == "the only element"
    assert locate(np.ones((1,), np.bool_)).where is Where.EVERYWHERE


@given(
    npst.arrays(np.bool_, npst.array_shapes(max_dims=3, max_side=12)).filter(lambda bad: bad.any()),
    st.integers(1, 48),
)
def test_every_set_has_a_place_that_holds_its_first_element(bad: np.ndarray[Any, Any], blocks: int) -> None:
    place = locate(bad, blocks)
    assert place.text
    if place.where is Where.EVERY_KTH:
        assert place.start is not None
        assert place.period is not None
        assert all((i - place.start) % place.period == 0 for i in np.flatnonzero(bad))
    if place.where in (Where.TAIL, Where.RANGE, Where.HEAD):
        assert place.start is not None
        assert place.width is not None
        inside = np.flatnonzero(bad)
        assert inside.min() == place.start
        assert inside.max() == place.start + place.width - 1
