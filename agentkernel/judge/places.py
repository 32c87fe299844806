"""Where an output is wrong: the shape of the set of bad elements, as typed data and in words."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

Mask = NDArray[np.bool_]

_DENSE = 0.5
"""Share of a region that must be bad to speak of the region: some wrong values coincide with right ones."""
_FEW = 8
_MANY_ROWS = 2


class Where(StrEnum):
    """Shapes of the set of bad elements."""

    EVERYWHERE = "everywhere"
    BLOCKS = "blocks"
    """The ranges of some blocks, under an even partition over `block_dim`."""
    TAIL = "tail"
    """From one element to the tensor's end."""
    HEAD = "head"
    """From the tensor's start to one element."""
    ROW_TAIL = "row-tail"
    """The same last columns of (nearly) every row."""
    COLUMNS = "columns"
    """The same columns of (nearly) every row, not the last ones."""
    ROWS = "rows"
    """Some whole rows."""
    PERIODIC = "periodic"
    """Runs of the same width at the same distance, e.g. the tail of every tile."""
    EVERY_KTH = "every-kth"
    RANGE = "range"
    """One run in the middle."""
    FEW = "few"
    """Some single elements."""
    SCATTERED = "scattered"


class Place(BaseModel):
    """Where an output is wrong."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    where: Where
    text: str
    """The same in words, e.g. `the last 24 of 1000 elements`."""
    start: int | None = None
    """First flat index of a tail, range or run."""
    width: int | None = None
    """Elements (columns for row tails) of the region or of one run."""
    period: int | None = None
    """Distance of runs, or k of every k-th."""
    blocks: tuple[int, ...] = ()
    """Bad blocks, by index."""
    rows: tuple[int, ...] = Field(default=(), max_length=_FEW)
    """First bad rows."""


def locate(bad: Mask, block_dim: int = 1) -> Place:
    """The first shape that fits the bad elements.

    Args:
        bad: Which elements are wrong, of the output's shape; at least one.
        block_dim: Blocks that the kernel ran on.
    """
    flat = bad.reshape(-1)
    index = np.flatnonzero(flat)
    size, count = flat.size, index.size
    if count >= 0.95 * size:
        words = "every element" if count == size else "nearly every element"
        return Place(where=Where.EVERYWHERE, text=words if size > 1 else "the only element")
    columns = bad.shape[-1] if bad.ndim else 1
    return (
        _every_kth(index, size)
        or _by_block(flat, index, columns, block_dim)
        or _by_row(flat.reshape(-1, columns))
        or _run(index, size)
        or _periodic(index, size)
        or _loose(index, size)
    )


def _every_kth(index: NDArray[Any], size: int) -> Place | None:
    if index.size < 4:
        return None
    step = int(np.gcd.reduce(np.diff(index)))
    start = int(index[0])
    if step < 2 or index.size < _DENSE * len(range(start, size, step)):
        return None
    first = start % step if start < step else start
    return Place(
        where=Where.EVERY_KTH,
        text=f"every {_ordinal(step)} element, from flat index {first}",
        start=first,
        period=step,
    )


def _partitions(size: int, columns: int, blocks: int) -> Iterator[int]:
    """Elements per block that kernels commonly take: even shares, shares in steps of 8 to 32 elements, whole rows."""
    seen = set()
    share = -(-size // blocks)
    rows = -(-(size // columns) // blocks) * columns
    for length in (rows, share, *(-(-share // step) * step for step in (8, 16, 32, 64))):
        if length not in seen and length >= 8 and length < size:
            seen.add(length)
            yield length


def _by_block(flat: Mask, index: NDArray[Any], columns: int, blocks: int) -> Place | None:
    if blocks < 2:
        return None
    found: list[tuple[float, Place]] = []
    for length in _partitions(flat.size, columns, blocks):
        total = -(-flat.size // length)
        counts = np.bincount(index // length, minlength=total)
        lengths = np.full(total, length)
        lengths[-1] = flat.size - (total - 1) * length
        wrong = np.flatnonzero(counts)
        filled = float(np.min(counts[wrong] / lengths[wrong]))
        only_rest = wrong.size == 1 and wrong[0] == total - 1 and lengths[-1] < length / 2  # a tail
        if wrong.size < total and filled >= 0.9 and not only_rest:
            numbers = tuple(int(i) for i in wrong)
            place = Place(
                where=Where.BLOCKS,
                text=f"the whole range of {_list('block', numbers)} of {total} (if each takes {length} elements)",
                start=numbers[0] * length,
                width=length,
                blocks=numbers,
            )
            found.append((filled, place))
    # the partition that the kernel used fits best; several may be near it
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _by_row(table: Mask) -> Place | None:
    rows, columns = table.shape
    if rows < _MANY_ROWS or columns < 2:
        return None
    per_column, per_row = table.sum(axis=0), table.sum(axis=1)
    wrong = np.flatnonzero(per_column)
    start, end = int(wrong[0]), int(wrong[-1]) + 1
    touched = np.flatnonzero(per_row)
    if end - start < columns and touched.size >= max(_DENSE * rows, _MANY_ROWS):
        region = table[:, start:end]
        if region.mean() >= _DENSE:
            return _columns(start, end, columns)
    if touched.size < rows and np.all(per_row[touched] >= 0.9 * columns):
        numbers = tuple(int(i) for i in touched)
        return Place(
            where=Where.ROWS,
            text=f"{_list('row', numbers)} of {rows}, whole",
            start=numbers[0] * columns,
            width=columns,
            rows=numbers[:_FEW],
        )
    return None


def _columns(start: int, end: int, columns: int) -> Place:
    if end == columns:
        width = columns - start
        return Place(
            where=Where.ROW_TAIL,
            text=f"the last {_count(width, 'element')} of each row of {columns}",
            start=start,
            width=width,
            period=columns,
        )
    return Place(
        where=Where.COLUMNS,
        text=f"{_span('column', start, end)} of each row of {columns}",
        start=start,
        width=end - start,
        period=columns,
    )


def _run(index: NDArray[Any], size: int) -> Place | None:
    start, end = int(index[0]), int(index[-1]) + 1
    width = end - start
    spans_all = width > 0.9 * size  # and yet not nearly every element is wrong
    if index.size < _DENSE * width or spans_all or _has_long_gap(index):
        return None
    if end == size:
        return Place(where=Where.TAIL, text=f"the last {_count(width, 'element')} of {size}", start=start, width=width)
    if start == 0:
        return Place(where=Where.HEAD, text=f"the first {_count(width, 'element')} of {size}", start=0, width=width)
    if width == 1:
        return Place(where=Where.FEW, text=f"one element, flat index {start}", start=start, width=1)
    return Place(where=Where.RANGE, text=f"flat indices {start} to {end - 1} of {size}", start=start, width=width)


def _has_long_gap(index: NDArray[Any]) -> bool:
    """Whether right elements stand in a row inside a run of wrong ones, more than coincidence gives."""
    return index.size > 2 and int(np.diff(index).max()) > 8


def _periodic(index: NDArray[Any], size: int) -> Place | None:
    cuts = np.flatnonzero(np.diff(index) > 8)
    if cuts.size < 1:
        return None
    starts = index[np.concatenate(([0], cuts + 1))]
    ends = index[np.concatenate((cuts, [index.size - 1]))] + 1
    width, period = _common(ends - starts), 0
    if starts.size > 2:
        period = _common(np.diff(ends))
    elif starts.size == 2:
        period = int(ends[1] - ends[0])
    fits = np.abs((ends - ends[0]) % period) <= 1 if period else np.zeros(1, bool)
    if not period or fits.mean() < 0.8 or width >= period or index.size < _DENSE * starts.size * width:
        return None
    whole = period * (size // period)
    kind = "the last" if int(ends[0]) % period == 0 else "the first" if int(starts[0]) % period == 0 else ""
    if starts.size < 0.5 * max(whole // period, 1):
        return None
    text = (
        f"{kind} {_count(width, 'element')} of every {period}"
        if kind
        else f"{_count(width, 'element')} in every {period}, from flat index {int(starts[0])}"
    )
    return Place(where=Where.PERIODIC, text=text, start=int(starts[0]), width=width, period=period)


def _loose(index: NDArray[Any], size: int) -> Place:
    if index.size <= _FEW:
        shown = ", ".join(str(int(i)) for i in index)
        return Place(
            where=Where.FEW, text=f"{index.size} of {size} elements, flat indices {shown}", start=int(index[0])
        )
    text = f"{index.size} of {size} elements, scattered from flat index {int(index[0])} to {int(index[-1])}"
    return Place(where=Where.SCATTERED, text=text, start=int(index[0]))


def _common(values: NDArray[Any]) -> int:
    """The most frequent value."""
    found, counts = np.unique(values, return_counts=True)
    return int(found[np.argmax(counts)])


def _count(number: int, noun: str) -> str:
    return noun if number == 1 else f"{number} {noun}s"


def _span(noun: str, start: int, end: int) -> str:
    return f"{noun} {start}" if end - start == 1 else f"{noun}s {start} to {end - 1}"


def _list(noun: str, numbers: tuple[int, ...]) -> str:
    if len(numbers) == 1:
        return f"{noun} {numbers[0]}"
    if numbers == tuple(range(numbers[0], numbers[-1] + 1)):
        return _span(noun, numbers[0], numbers[-1] + 1)
    return f"{noun}s " + ", ".join(map(str, numbers[:_FEW])) + (", ..." if len(numbers) > _FEW else "")


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    if 10 <= number % 100 <= 20:
        ending = "th"
    return "second" if number == 2 else f"{number}{ending}"
