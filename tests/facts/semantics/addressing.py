"""NumPy oracle of repeat, stride and mask addressing (facts: semantics, section 2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from .batch import Array

BLOCK_BYTES = 32
BLOCKS = 8
"""Blocks of a repeat."""

REPEAT_BYTES = BLOCK_BYTES * BLOCKS


class Stride(NamedTuple):
    """Distance between the blocks of a repeat and between repeats, in 32-byte blocks."""

    block: int = 1
    repeat: int = 8


CONTIGUOUS = Stride()


def continuous(count: int, lanes: int) -> Array:
    """Enabled lanes of a mask that names the first `count` elements; above the maximum all are on."""
    return np.arange(lanes) < count


def bitwise(low: int, high: int, lanes: int) -> Array:
    """Enabled lanes of a two-word bit mask."""
    word = low | high << 64
    return np.array([bool(word >> i & 1) for i in range(lanes)])


def indices(repeat: int, stride: Stride, itemsize: int, lanes: int) -> Array:
    """Element index of each lane of one repeat; `lanes` may be fewer than 256 bytes hold (type-changing calls)."""
    per_block = BLOCK_BYTES // itemsize
    lane = np.arange(lanes)
    return (repeat * stride.repeat + lane // per_block * stride.block) * per_block + lane % per_block


def level0(
    dst: Array,
    sources: Sequence[Array],
    function: Callable[..., Array],
    *,
    enabled: Array,
    repeats: int,
    dst_stride: Stride = CONTIGUOUS,
    source_strides: Sequence[Stride] = (),
) -> Array:
    """Contents of `dst` after a level-0 call.

    Args:
        dst: Contents before the call.
        sources: Source tensors.
        function: Takes one array of lanes per source (and the old lanes of dst if it has one argument more).
        enabled: Enabled lanes of one repeat, or of each repeat (repeats x lanes).
        repeats: Number of repeats.
        dst_stride: Stride of the destination.
        source_strides: Stride of each source; default strides where empty.
    """
    result = dst.copy()
    strides = list(source_strides) or [CONTIGUOUS] * len(sources)
    enabled = np.broadcast_to(enabled, (repeats, enabled.shape[-1]))
    for r in range(repeats):
        lanes = np.flatnonzero(enabled[r])
        width = enabled.shape[-1]
        reads = [
            source[indices(r, stride, source.itemsize, width)[lanes]]
            for source, stride in zip(sources, strides, strict=True)
        ]
        places = indices(r, dst_stride, dst.itemsize, width)[lanes]
        result[places] = function(*reads)
    return result


def counter(count: int, lanes: int) -> Array:
    """Enabled lanes of each repeat in counter mode: `count` elements in all."""
    repeats = -(-count // lanes)
    return (np.arange(repeats * lanes) < count).reshape(repeats, lanes)


def extent(repeats: int, stride: Stride, itemsize: int, lanes: int) -> int:
    """Elements that a tensor needs for the call, rounded up to whole blocks."""
    if repeats == 0:
        return BLOCK_BYTES // itemsize
    last = max(int(indices(r, stride, itemsize, lanes).max()) for r in (0, repeats - 1))
    per_block = BLOCK_BYTES // itemsize
    return -(-(last + 1) // per_block) * per_block
