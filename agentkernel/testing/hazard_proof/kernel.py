"""A small kernel whose synchronisation statements are marked, so that they can be changed one at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Reference = Callable[[Floats, Floats], NDArray[Any]]
"""What y holds, from x and z."""

TILE = 64
"""Elements of a tile: 256 bytes, one repeat of a float instruction."""
ELEMENTS = 5 * TILE
"""Elements of x and z, and at most of y and of the workspace w."""


def inputs() -> dict[str, Floats]:
    """Arrays x and z: whole numbers, all different, small enough for every sum and product to be exact."""
    i = np.arange(ELEMENTS)
    return {"x": (i + 1).astype(np.float32), "z": (i + 401).astype(np.float32)}


_CORES = {"": 1, "MIX_AIC_1_0": 1, "MIX_AIC_1_1": 2, "MIX_AIC_1_2": 3}
"""Cores of a block, by kernel type."""
MARK = re.compile(r"\s*//~(\S*)\s*$")


@dataclass(frozen=True)
class Line:
    """A statement of a kernel's body, or one end of a block."""

    text: str
    sync: bool = False
    """Whether it is there to order something."""
    edge: str = ""
    """Statements of one name make one edge together (SetFlag and WaitFlag, EnQue and DeQue)."""

    @property
    def is_block(self) -> bool:
        """Whether it opens or closes a block: statements do not move across it."""
        return self.text.endswith(("{", "}"))


@dataclass(frozen=True)
class MarkedKernel:
    """A kernel `y = f(x, z)`, with w as scratch in global memory."""

    name: str
    family: str
    declarations: tuple[str, ...]
    """Buffers, queues and tensors; nothing here is changed."""
    body: tuple[Line, ...]
    autosync: bool
    """Whether it counts on the compiler's automatic synchronisation."""
    reference: Reference
    written: int = 0
    """Elements of y, where `reference` is no reference."""
    blocks: int = 1
    """Blocks that run it."""
    type: str = ""
    """Its kernel type where a block has a cube core, e.g. `MIX_AIC_1_2`; a vector core alone otherwise."""

    @property
    def cores(self) -> int:
        """Cores that run it."""
        return self.blocks * _CORES[self.type]

    def expected(self) -> Floats:
        """What y has to hold, all of it."""
        given = inputs()
        return self.reference(given["x"], given["z"]).astype(np.float32)

    def function(self, name: str) -> str:
        """Text of one function with this kernel's statements, one a line."""
        lines = [
            f"__aicore__ inline void {name}(GM_ADDR gx, GM_ADDR gz, GM_ADDR gy, GM_ADDR gw)",
            "{",
            *(f"    GlobalTensor<float> {t}; {t}.SetGlobalBuffer((__gm__ float*)g{t}, {ELEMENTS});" for t in "xzyw"),
            f"    constexpr uint32_t N = {TILE};",
            "    TPipe pipe;",
            *(f"    {line}" for line in self.declarations),
        ]
        depth = 1
        for line in self.body:
            if line.text.startswith("}"):
                depth -= 1
            lines.append("    " * depth + line.text)
            if line.text.endswith("{"):
                depth += 1
        return "\n".join([*lines, "}"]) + "\n"


def statements(text: str | Iterable[str]) -> tuple[Line, ...]:
    """Lines of a body; `//~edge` at the end of a line marks a synchronisation statement and names its edge."""
    rows = text.splitlines() if isinstance(text, str) else [row for part in text for row in part.splitlines()]
    found = []
    for row in rows:
        mark = MARK.search(row)
        bare = MARK.sub("", row).strip()
        if bare:
            found.append(Line(bare, sync=mark is not None, edge=mark[1] if mark else ""))
    return tuple(found)


def tbufs(names: str, elements: int = TILE) -> list[str]:
    """Declarations of one TBuf and one float tensor per name."""
    lines = []
    for name in names.split():
        lines.append(f"TBuf<TPosition::VECCALC> buf_{name}; pipe.InitBuffer(buf_{name}, {4 * elements});")
        lines.append(f"LocalTensor<float> {name} = buf_{name}.Get<float>();")
    return lines


def queue(name: str, position: str, num: int, depth: int = 1) -> str:
    """Declaration of a queue of tiles."""
    return f"TQue<TPosition::{position}, {depth}> {name}; pipe.InitBuffer({name}, {num}, {4 * TILE});"


def set_flag(event: str, event_id: int, edge: str) -> str:
    """A marked SetFlag."""
    return f"SetFlag<HardEvent::{event}>({event_id});  //~{edge}\n"


def wait_flag(event: str, event_id: int, edge: str) -> str:
    """A marked WaitFlag."""
    return f"WaitFlag<HardEvent::{event}>({event_id});  //~{edge}\n"


def flag(event: str, event_id: int, edge: str) -> str:
    """A marked SetFlag and WaitFlag in a row."""
    return set_flag(event, event_id, edge) + wait_flag(event, event_id, edge)


def barrier(pipe: str, *, when: bool = True) -> str:
    """A marked PipeBarrier, or nothing."""
    return f"PipeBarrier<PIPE_{pipe}>();  //~\n" if when else ""
