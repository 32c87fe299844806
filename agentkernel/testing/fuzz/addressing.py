"""Masks, strides and repeats of instructions, drawn so that they stay inside of their tensors."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from agentkernel.testing.fuzz import elements
from agentkernel.testing.fuzz.elements import Array

_SOURCES = ((1, 8), (1, 8), (1, 8), (1, 0), (1, 4), (2, 16), (0, 8), (0, 1), (1, 12))
_STARTS = (0, 0, 0, 1, 2, 8)
_TARGETS = ((1, 8), (1, 8), (1, 8), (1, 9), (2, 16), (1, 16))


@dataclass(frozen=True)
class Strides:
    """Of one operand, in blocks of 32 bytes."""

    block: int
    repeat: int
    start: int = 0
    """Of the operand's first block."""

    def reach(self, repeats: int, lanes: int, bytes_each: int) -> int:
        """Elements from the tensor's start to the end of what is touched."""
        each = elements.BLOCK // bytes_each
        blocks = -(-lanes // each)
        return (self.start + (repeats - 1) * self.repeat + (blocks - 1) * self.block + 1) * each

    def indices(self, repeats: int, lanes: int, bytes_each: int) -> Array:
        """Element of every lane: shape (repeats, lanes)."""
        each = elements.BLOCK // bytes_each
        lane = np.arange(lanes)
        inside = (lane // each) * self.block * each + lane % each
        found: Array = (self.start + np.arange(repeats)[:, None] * self.repeat) * each + inside[None, :]
        return found

    def operand(self, tensor: str, bytes_each: int) -> str:
        """The argument of the call."""
        return f"{tensor}[{self.start * elements.BLOCK // bytes_each}]" if self.start else tensor


@dataclass(frozen=True)
class Mask:
    """Lanes that take part."""

    lanes: Array
    """bool by lane."""
    text: str
    """Argument of the call."""
    setup: str
    """Line before it; empty for a count of lanes."""


def source_strides(chance: random.Random, lanes: int, bytes_each: int) -> Strides:
    """Strides of a source; it may read blocks again. Narrower sources touch fewer blocks."""
    block, repeat = chance.choice(_SOURCES)
    return _scaled(block, repeat, lanes, bytes_each, chance.choice(_STARTS))


def target_strides(chance: random.Random, lanes: int, bytes_each: int) -> Strides:
    """Strides of a destination: no element is written twice."""
    block, repeat = chance.choice(_TARGETS)
    return _scaled(block, repeat, lanes, bytes_each, chance.choice(_STARTS))


def _scaled(block: int, repeat: int, lanes: int, bytes_each: int, start: int) -> Strides:
    blocks = -(-lanes * bytes_each // elements.BLOCK)
    step = repeat if blocks == 8 else -(-repeat * blocks // 8) if repeat != 9 else blocks + 1
    return Strides(block, step, start)


def repeats(chance: random.Random, room: int, operands: list[tuple[Strides, int, int]]) -> int:
    """A number of repeats that keeps every operand (strides, lanes, element size) inside of `room` elements; or 0."""
    most = 0
    while most < 32 and all(s.reach(most + 1, lanes, each) <= room for s, lanes, each in operands):
        most += 1
    return chance.randint(1, most) if most else 0


def mask(chance: random.Random, lanes: int, name: str, *, constant: bool, bits: bool | None = None) -> Mask:
    """A mask of some of the lanes.

    Args:
        chance: Where it is drawn from.
        lanes: Elements of a repeat.
        name: Of the array, where it is one.
        constant: Whether the array may be const.
        bits: Whether it is an array; None draws.
    """
    array = chance.random() < 0.35 if bits is None else bits
    if not array:
        count = chance.choice((lanes, lanes, lanes, lanes // 2, 1, 7, chance.randint(1, lanes)))
        return Mask(np.arange(lanes) < count, str(count), "")
    number = chance.choice(((1 << lanes) - 1, chance.getrandbits(lanes) | 1, (1 << lanes) // 3 | 1))
    low, high = number & (2**64 - 1), number >> 64
    on = np.array([number >> i & 1 for i in range(lanes)], dtype=bool)
    const = "const " if constant and chance.random() < 0.5 else ""
    return Mask(on, name, f"{const}uint64_t {name}[2] = {{{low:#x}ULL, {high:#x}ULL}};")
