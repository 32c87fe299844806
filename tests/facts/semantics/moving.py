"""Oracles of the DataCopy family on byte arrays (facts: semantics, section 15)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .batch import Array

BLOCK = 32


def as_bytes(values: Array) -> Array:
    """A writable copy of the bytes."""
    return np.frombuffer(values.tobytes(), np.uint8).copy()


def bursts(dst: Array, src: Array, *, count: int, length: int, src_pitch: int, dst_pitch: int) -> None:
    """Copies `count` bursts of `length` bytes that start `pitch` bytes apart; works on byte arrays in place."""
    for i in range(count):
        dst[i * dst_pitch : i * dst_pitch + length] = src[i * src_pitch : i * src_pitch + length]


def rounded(length: int) -> int:
    """Bytes of the blocks that a burst touches."""
    return -(-length // BLOCK) * BLOCK


def padded_in(
    dst: Array,
    src: Array,
    *,
    count: int,
    length: int,
    src_gap: int,
    dst_gap: int,
    is_pad: bool,
    left: int,
    right: int,
    value: Any,
) -> None:
    """DataCopyPad from global memory: byte arrays in place; gaps in bytes here and 32-byte blocks there.

    `left` and `right` are bytes. With `is_pad` off both must be 0: the rest of the last block then repeats the
    first element of the burst.
    """
    size = np.asarray(value).itemsize
    whole = rounded(left + length + right)
    for i in range(count):
        burst = src[i * (length + src_gap) :][:length]
        fill = as_bytes(np.asarray(value)) if is_pad else burst[:size]
        row = np.tile(fill, whole // size)
        row[left : left + length] = burst
        at = i * (whole + dst_gap * BLOCK)
        dst[at : at + whole] = row
