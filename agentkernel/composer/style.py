"""Style: every choice that leaves the kernel correct, drawn from the task and a seed.

The same task and seed give the same style on every machine (Python's Mersenne Twister seeded with a string). Choices
that change a kernel most (its layout, how work is divided, how rows are walked) rotate with the seed, so that a few
seeds in a row already cover them; the rest is drawn.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum


class Layout(StrEnum):
    """What the kernel's code is arranged in."""

    CLASS = "class"
    """A class with Init, Process, CopyIn, Compute, CopyOut."""
    COMPACT = "compact"
    """A class with Init and Process only."""
    FUNCTIONS = "functions"
    """A struct of buffers and free functions."""
    ENTRY = "entry"
    """Everything in the kernel function."""


class Split(StrEnum):
    """How work is divided among the cores."""

    CHUNK = "chunk"
    """Equal contiguous parts, rounded up; the last cores may get less or nothing."""
    BALANCED = "balanced"
    """Contiguous parts that differ by at most one unit."""
    STRIDED = "strided"
    """Tile after tile in turn."""


class Rows(StrEnum):
    """How a row kernel walks its rows, where the sizes leave a choice."""

    SINGLE = "single"
    """One row at a time, whole in local memory."""
    BLOCK = "block"
    """Several rows at a time."""
    CHUNKED = "chunked"
    """Rows in pieces, several passes."""


class Copies(StrEnum):
    """How tails are copied."""

    PAD = "pad"
    """DataCopyPad always."""
    BRANCH = "branch"
    """DataCopy where the length allows, DataCopyPad for the tail."""
    HELPER = "helper"
    """The same, in two helper functions."""


class Comments(StrEnum):
    """How much the code says about itself."""

    NONE = "none"
    BRIEF = "brief"
    RICH = "rich"


@dataclass(frozen=True)
class Naming:
    """How identifiers are spelled."""

    member: str
    """Format of a class member, e.g. `{}_`."""
    queue_in: str
    """Format of an input queue, given the tensor's name with a capital."""
    queue_out: str
    local: str
    """Format of a local tensor, given the name."""
    gm: str
    """Format of a global tensor, given the name with a capital or plain."""
    temp: str
    """Format of a temporary, given its number."""
    kernel: str
    """Format of the class, given the operator's name in Pascal case."""
    constant: str
    """`UPPER`, `kCamel` or `UPPER_SHORT`: spelling of constants."""
    snake: bool
    """Whether composed variable names use underscores."""


_NAMINGS = (
    Naming("{}", "inQueue{}", "outQueue{}", "{}Local", "{}Gm", "tmp{}", "Kernel{}", "UPPER", False),
    Naming("{}_", "{}InQueue", "{}OutQueue", "{}Local", "{}Global", "calc{}", "{}Kernel", "kCamel", False),
    Naming("m_{}", "que{}", "que{}", "{}Ub", "gm{}", "work{}", "{}Op", "UPPER", False),
    Naming("{}_", "in_queue_{}", "out_queue_{}", "{}_local", "{}_gm", "tmp_{}", "{}Kernel", "kCamel", True),
    Naming("{}", "{}Que", "{}Que", "{}Lt", "{}Gt", "buf{}", "Vec{}", "UPPER", False),
    Naming("m{}", "InQue{}", "OutQue{}", "{}Tensor", "{}Gm", "temp{}", "Kernel{}", "kCamel", False),
)


@dataclass(frozen=True)
class Style:
    """One set of choices."""

    layout: Layout
    split: Split
    rows: Rows
    naming: Naming
    qualified: bool
    """Whether names carry `AscendC::` instead of `using namespace AscendC`."""
    buffers_in: int
    """Buffers of an input queue: 2 is double buffering."""
    buffers_out: int
    tile: float
    """Part of the largest possible tile that is used."""
    one_buffer: bool
    """Temporaries are parts of one TBuf instead of TBufs of their own."""
    in_place: bool
    """A result may take the buffer of an operand that dies with it."""
    repeats: bool
    """Some instructions in their mask and repeat form."""
    new_names: bool
    """Names of newer CANN versions where they differ."""
    copies: Copies
    comments: Comments
    hoist: bool
    """Constant tensors are filled once, not per tile."""
    free_early: bool
    """Input tensors are freed after their last use, not at the end of Compute."""
    order: int
    """Which operand of an instruction is computed first: 0 left, 1 right, 2 the costlier one."""
    native_half: bool
    """float16 arithmetic where a single rounding allows it, instead of a detour through float."""
    axpy: bool
    """x * c + y as one Axpy."""
    fold: bool
    """Rows are folded elementwise first (lane by lane, or piece by piece) and reduced at the end."""
    brcb: bool
    """Row scalars are spread with Brcb where several rows are walked at once."""
    tiling_by_ref: bool
    """Init takes the tiling structure instead of single sizes."""
    task_type: bool
    """The kernel states its type (vector cores only)."""
    relu_as_max: bool
    double_as_add: bool
    fill_tail: bool
    """Where counts are rounded up, the undefined rest of a tail is filled with zeros before the copy."""
    event_load: bool
    """What is loaded once comes through a TBuf and an explicit event instead of a queue."""
    scalar_event: bool
    """The scalar unit waits for the vector unit with an explicit event, although the compiler would see to it."""
    deep_queues: bool
    """The depth of a queue is its number of buffers instead of 1."""
    queue_temps: bool
    """Scratch comes from queues of its own instead of TBufs, where the events suffice."""
    runtime_tile: bool
    """The tile of a dynamic flat kernel is no longer than the core's part, found at run time."""
    last_first: bool
    """Output buffers are set up before input buffers."""
    while_loop: bool


def style_for(key: str, seed: int) -> Style:
    """The style of a task (its digest as `key`) and a seed."""
    turn = random.Random(f"style {key}")
    layouts = turn.sample(list(Layout), len(Layout))
    splits = turn.sample(list(Split), len(Split))
    rows = turn.sample(list(Rows), len(Rows))
    draw = random.Random(f"style {key} {seed}")

    def yes(probability: float) -> bool:
        return draw.random() < probability

    return Style(
        layout=layouts[seed % len(layouts)],
        split=splits[(seed // 2) % len(splits)],
        rows=rows[seed % len(rows)],
        naming=draw.choice(_NAMINGS),
        qualified=yes(0.25),
        buffers_in=draw.choice((1, 2, 2, 2)),
        buffers_out=draw.choice((1, 2, 2, 2)),
        tile=draw.choice((1.0, 1.0, 0.5, 0.25)),
        one_buffer=yes(0.3),
        in_place=yes(0.7),
        repeats=yes(0.3),
        new_names=yes(0.3),
        copies=draw.choice(list(Copies)),
        comments=draw.choice((Comments.NONE, Comments.BRIEF, Comments.BRIEF, Comments.RICH)),
        hoist=yes(0.6),
        free_early=yes(0.4),
        order=draw.choice((0, 1, 2)),
        native_half=yes(0.6),
        axpy=yes(0.5),
        fold=yes(0.5),
        brcb=yes(0.5),
        tiling_by_ref=yes(0.4),
        task_type=yes(0.3),
        relu_as_max=yes(0.2),
        double_as_add=yes(0.3),
        fill_tail=yes(0.3),
        event_load=yes(0.4),
        scalar_event=yes(0.25),
        deep_queues=yes(0.3),
        queue_temps=yes(0.2),
        runtime_tile=yes(0.3),
        last_first=yes(0.2),
        while_loop=yes(0.15),
    )
