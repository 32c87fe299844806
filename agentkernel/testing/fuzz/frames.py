"""Frames: buffers, the loop over tiles, copies in and out, and the synchronisation that makes them right."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from agentkernel.testing.fuzz import elements
from agentkernel.testing.fuzz.elements import Array
from agentkernel.testing.fuzz.exchange import exchange, exchanged
from agentkernel.testing.fuzz.program import INPUTS, Arg, Call, Global, Line, Program, State
from agentkernel.testing.fuzz.scope import Scope
from agentkernel.testing.fuzz.transfers import Load, Store, draw_load, draw_store

SCRATCH = 16 << 10
"""Bytes of scratch that library calls get."""
MOST = 150 << 10
"""Bytes of buffers that a program may have: the rest is for what library calls take by themselves."""
_IN = (
    *("half", "float") * 5,
    *("int16_t", "int32_t") * 3,
    "uint16_t",
    "uint32_t",
    "bfloat16_t",
    "int8_t",
    "uint8_t",
    "int64_t",
)
_OUT = (
    *("half", "float") * 4,
    *("int16_t", "int32_t") * 3,
    "uint16_t",
    "uint32_t",
    "bfloat16_t",
    "uint8_t",
    "int8_t",
    "int64_t",
)

_BARRIER = Line("PipeBarrier<PIPE_ALL>();", "barrier", "ALL")


@dataclass
class Frame:
    """How a program moves its tiles."""

    chance: random.Random
    scope: Scope
    style: str
    """`queue`, `flags`, `barrier` (TPipe and PipeBarrier<PIPE_ALL>) or `static` (no TPipe)."""
    blocks: int
    total: int
    """Elements of every output."""
    share: int
    """Elements of a block."""
    loads: tuple[Load, ...]
    stores: tuple[Store, ...]
    exchange: bool
    """Whether the blocks read each other's results behind a SyncAll."""
    events: dict[str, int] = field(default_factory=dict)
    in_place: frozenset[str] = frozenset()
    """Queues of depth 0, whose calls fill a given tensor."""

    @classmethod
    def draw(cls, chance: random.Random) -> Frame:
        """A frame whose scope holds the inputs, defined, and the outputs, undefined."""
        style = chance.choices(("queue", "flags", "barrier", "static"), (55, 25, 8, 12))[0]
        whole = chance.random() < 0.75
        room = chance.choice((256, 256, 512, 512, 768, 1024))
        blocks = chance.choice((1, 1, 2, 2, 3, 4, 8))
        if whole:
            share = room * chance.randint(1, 3)
            total = blocks * share
        else:
            total = chance.randint(1, 3 * room * blocks)
            share = -(-total // blocks)
        scope = Scope(
            chance=chance, room=room, whole=whole, autosync=chance.random() < 0.85,
            specials=chance.random() < 0.3, pool=style != "static",
        )  # fmt: skip
        loads = []
        for name in INPUTS[: chance.choice((1, 2, 2, 3))]:
            dtype = chance.choice(_IN)
            loads.append(draw_load(chance, name, dtype, room, whole=whole))
            scope.types[f"{name}L"] = dtype
            scope.quality[f"{name}L"] = 0
        exchange = whole and blocks > 1 and style in ("queue", "barrier") and chance.random() < 0.25
        stores = []
        for name in ("y",) if exchange or chance.random() < 0.7 else ("y", "z"):
            dtype = chance.choice([load.dtype for load in loads] * 2 + list(_OUT))
            stores.append(draw_store(chance, name, dtype, room, whole=whole))
            scope.types[f"{name}L"] = dtype
        events = {e: chance.randrange(7) for e in ("V_MTE2", "MTE3_V", "MTE2_V", "V_MTE3")}
        return cls(chance, scope, style, blocks, total, share, tuple(loads), tuple(stores), exchange, events,
                   frozenset(n for n in "abcyz" if chance.random() < 0.15))  # fmt: skip

    @property
    def bytes(self) -> int:
        """Local memory of all buffers."""
        work, copies = list(self.scope.work.values()), [c.dtype for c in self._copies]
        each = sum(map(elements.size, [*work, *copies, *copies]))  # queues may have two buffers
        return self.scope.room * each + SCRATCH + 64 * (len(work) + len(copies))

    @property
    def _copies(self) -> list[Load | Store]:
        return [*self.loads, *self.stores]

    def finish(self, name: str) -> Program:
        """The program, with every output written."""
        for store in self.stores:
            self._complete(f"{store.name}L")
        scope = self.scope
        inputs = tuple(
            Global(load.name, load.dtype, load.elements(self.total), seed=self.chance.randrange(1 << 30))
            for load in self.loads
        )
        outputs = [Global(store.name, store.dtype, self.total) for store in self.stores]
        if self.exchange:
            outputs.append(Global("z", self.stores[0].dtype, self.total))
        quality = {store.name: scope.quality[f"{store.name}L"] for store in self.stores}
        if self.exchange:
            quality["z"] = quality["y"]
        return Program(
            name=name,
            lines=tuple(self._lines((*inputs, *outputs))),
            inputs=inputs,
            outputs=tuple(outputs),
            blocks=self.blocks,
            autosync=scope.autosync,
            specials=scope.specials,
            model=partial(_model, self),
            quality=quality,
            used=(*scope.used, *((c.api, c.form, c.dtype) for c in self._copies)),
        )

    def _complete(self, tensor: str) -> None:
        scope = self.scope
        dtype = scope.types[tensor]
        others = [t for t in scope.defined([dtype]) if t != tensor]
        if tensor not in scope.quality or (others and scope.whole and self.chance.random() < 0.3):
            if others and scope.whole:
                self._copy(tensor, self.chance.choice(others))
            else:
                scope.fill(tensor)

    def _copy(self, target: str, source: str) -> None:
        scope = self.scope
        dtype = scope.types[target]
        call = Call("DataCopy", "local", (Arg(target, "dst", dtype), Arg(source, "src", dtype),
                    Arg(str(scope.room), "copy")))  # fmt: skip

        def apply(state: State) -> None:
            state.tensors[target][:] = state.tensors[source]

        scope.emit([call], apply, {target: scope.quality[source]})

    def _lines(self, arguments: tuple[Global, ...]) -> list[Line]:
        lines = []
        for g in arguments:
            lines.append(Line(f"GlobalTensor<{g.dtype}> {g.name}Gm;"))
            lines.append(Line(f"{g.name}Gm.SetGlobalBuffer((__gm__ {g.dtype}*){g.name}, {g.elements});", "gm", g.name))
        lines += self._buffers()
        lines.append(Line(f"uint32_t begin = GetBlockIdx() * {self.share};", "base"))
        if self.scope.whole:
            lines.append(Line(f"uint32_t end = begin + {self.share};"))
        else:
            lines.append(
                Line(f"uint32_t end = begin + {self.share} < {self.total} ? begin + {self.share} : {self.total};")
            )
        flags = self.style in ("flags", "static")
        if flags:
            lines += [self._set("V_MTE2"), self._set("MTE3_V")]
        lines.append(Line(f"for (uint32_t at = begin; at < end; at += {self.scope.room}) {{"))
        if not self.scope.whole:
            lines.append(Line(f"uint32_t n = end - at < {self.scope.room} ? end - at : {self.scope.room};"))
        lines += self._tile()
        lines.append(Line("}"))
        if flags:
            lines += [self._wait("V_MTE2"), self._wait("MTE3_V")]
        if self.exchange:
            lines += exchange(self.stores[0].dtype, self.scope.room, self.share, self.blocks)
        return lines

    def _buffers(self) -> list[Line]:
        scope = self.scope
        if self.style == "static":
            return self._static()
        lines = [Line("TPipe pipe;", "pipe")]
        size = scope.room
        for copy in self._copies:
            position = "VECIN" if isinstance(copy, Load) else "VECOUT"
            length = size * elements.size(copy.dtype)
            if self.style == "queue":
                number = self.chance.choice((1, 2))
                depth = 0 if copy.name in self.in_place else self.chance.choice((1, 1, 2))
                lines.append(Line(f"TQue<TPosition::{position}, {depth}> {copy.name}Que;"))
                lines.append(Line(f"pipe.InitBuffer({copy.name}Que, {number}, {length});", "init", copy.name))
            else:
                lines += _buffer(f"{copy.name}L", copy.dtype, length, position)
        for name, dtype in scope.work.items():
            lines += _buffer(name, dtype, size * elements.size(dtype), "VECCALC")
        if scope.scratch:
            lines += _buffer("scratch", "uint8_t", SCRATCH, "VECCALC")
        return lines

    def _static(self) -> list[Line]:
        scope = self.scope
        tensors = [(f"{c.name}L", c.dtype, scope.room) for c in self._copies]
        tensors += [(name, dtype, scope.room) for name, dtype in scope.work.items()]
        if scope.scratch:
            tensors.append(("scratch", "uint8_t", SCRATCH))
        address = 0
        lines = []
        for name, dtype, many in tensors:
            lines.append(Line(f"LocalTensor<{dtype}> {name}(TPosition::VECCALC, {address}, {many});", "static", name))
            address += many * elements.size(dtype) + 32 * self.chance.randrange(3)
        return lines

    def _tile(self) -> list[Line]:
        leaves = self._queued_departure() if self.style == "queue" else self._departure()
        return [*self._arrival(), *self.scope.lines, *leaves]

    def _arrival(self) -> list[Line]:
        lines: list[Line] = []
        queue = self.style == "queue"
        if self.style in ("flags", "static"):
            lines.append(self._wait("V_MTE2"))
        for load in self.loads:
            if queue:
                lines += self._alloc(load)
            lines += load.lines(f"{load.name}L")
            if queue:
                lines += [Line(f"{load.name}Que.EnQue({load.name}L);", "enque", load.name), self._dequeue(load)]
        if queue:
            for store in self.stores:
                lines += self._alloc(store)
        elif self.style == "barrier":
            lines.append(_BARRIER)
        else:
            lines += [self._set("MTE2_V"), self._wait("MTE2_V"), self._wait("MTE3_V")]
        return lines

    def _queued_departure(self) -> list[Line]:
        freed = [Line(f"{c.name}Que.FreeTensor({c.name}L);", "free", c.name) for c in self.loads]
        early = self.chance.random() < 0.5
        lines = freed if early else []
        for store in self.stores:
            lines += [Line(f"{store.name}Que.EnQue({store.name}L);", "enque", store.name), self._dequeue(store)]
            lines += store.lines(f"{store.name}L")
            lines.append(Line(f"{store.name}Que.FreeTensor({store.name}L);", "free", store.name))
        return lines if early else lines + freed

    def _departure(self) -> list[Line]:
        barrier = self.style == "barrier"
        lines = [_BARRIER] if barrier else [self._set("V_MTE2"), self._set("V_MTE3"), self._wait("V_MTE3")]
        for store in self.stores:
            lines += store.lines(f"{store.name}L")
        return [*lines, _BARRIER if barrier else self._set("MTE3_V")]

    def _alloc(self, copy: Load | Store) -> list[Line]:
        name, dtype = copy.name, copy.dtype
        if name in self.in_place:
            return [
                Line(f"LocalTensor<{dtype}> {name}L;"),
                Line(f"{name}Que.AllocTensor<{dtype}>({name}L);", "alloc-in-place", name),
            ]
        return [Line(f"LocalTensor<{dtype}> {name}L = {name}Que.AllocTensor<{dtype}>();", "alloc", name)]

    def _dequeue(self, copy: Load | Store) -> Line:
        name, dtype = copy.name, copy.dtype
        if name in self.in_place:
            return Line(f"{name}Que.DeQue<{dtype}>({name}L);", "deque-in-place", name)
        return Line(f"{name}L = {name}Que.DeQue<{dtype}>();", "deque", name)

    def _set(self, event: str) -> Line:
        return Line(self._flag("Set", event), "set", event)

    def _wait(self, event: str) -> Line:
        return Line(self._flag("Wait", event), "wait", event)

    def _flag(self, what: str, event: str) -> str:
        """One of the spellings of a flag's call."""
        number = f"EVENT_ID{self.events[event]}"
        source, target = (f"PIPE_{pipe}" for pipe in event.split("_"))
        spellings = (
            f"{what}Flag<HardEvent::{event}>({number});",
            f"{what.lower()}_flag({source}, {target}, {number});",
            f"{what}Flag({source}, {target}, {number});",
            f"TQueSync<{source}, {target}>().{what}Flag({number});",
        )
        return self.chance.choices(spellings, (8, 1, 1, 1))[0]


def _buffer(name: str, dtype: str, length: int, position: str) -> list[Line]:
    return [
        Line(f"TBuf<TPosition::{position}> {name}Buf;"),
        Line(f"pipe.InitBuffer({name}Buf, {length});", "init", f"{name}Buf"),
        Line(f"LocalTensor<{dtype}> {name} = {name}Buf.Get<{dtype}>();", "get", name),
    ]


def _model(frame: Frame, arrays: Mapping[str, Array]) -> dict[str, Array]:
    room = frame.scope.room
    results = {s.name: np.zeros(frame.total, elements.numpy_of(s.dtype)) for s in frame.stores}
    for block in range(frame.blocks):
        begin = block * frame.share
        end = min(begin + frame.share, frame.total)
        for at in range(begin, end, room):
            n = min(room, end - at)
            state = State({t: np.zeros(room, elements.numpy_of(d)) for t, d in frame.scope.types.items()}, n)
            for load in frame.loads:
                state.tensors[f"{load.name}L"][:n] = load.values(arrays[load.name], at, n)
            for step in frame.scope.steps:
                step(state)
            for store in frame.stores:
                results[store.name][at : at + n] = store.values(state.tensors[f"{store.name}L"][:n])
    if frame.exchange:
        results["z"] = exchanged(results["y"], frame.share)
    return results
