"""Random straight-line kernels: whatever instructions, scalar accesses, flags and barriers in whatever order.

They need not be right: the question is only whether detector and explorer say the same. Every id is used once, and
nearly every wait stands behind its set, so that few hang: a wait before its set holds its pipe while the program runs
on. Everything is defined before and stored behind, so that little is dead.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from agentkernel.testing.hazard_proof.kernel import MarkedKernel, statements, tbufs

EARLY_WAITS = 0.15
"""Part of the waits that stand before their set."""
_BUFFERS = "abc"
_EVENTS = ("MTE2_V", "V_MTE2", "MTE3_V", "V_MTE3", "MTE3_MTE2", "MTE2_MTE3", "S_V", "V_S", "S_MTE2", "MTE2_S", "S_MTE3",
           "MTE3_S")  # fmt: skip


@dataclass
class _Writer:
    """Writes one kernel."""

    random: random.Random
    values: int = 0

    def part(self, tensor: str | None = None) -> tuple[str, int]:
        """A tensor from a multiple of 8 elements on, and how many elements there are."""
        name = tensor or self.random.choice(_BUFFERS)
        start = self.random.choice((0, 0, 0, 8, 32))
        return (f"{name}[{start}]" if start else name), 64 - start

    def count(self, most: int) -> int:
        """A multiple of 8 elements."""
        return min(most, self.random.choice((8, 32, 64)))

    def statement(self) -> str:
        """One statement that does something to memory."""
        dst, room = self.part()
        kind = self.random.choice(("load", "load", "store", "store", "one", "two", "fill", "get", "set", "again"))
        if kind in ("load", "store", "again"):
            n = self.count(room)
            shift = self.random.choice((0, 8, 64))
            away = {"load": f"{self.random.choice('xz')}", "store": "y", "again": "y"}[kind]
            outside = f"{away}[{shift}]" if shift else away
            return f"DataCopy({outside}, {dst}, {n});" if kind == "store" else f"DataCopy({dst}, {outside}, {n});"
        if kind == "get":
            self.values += 1
            return f"float v{self.values} = {self.random.choice(_BUFFERS)}.GetValue({self.random.randrange(64)});"
        if kind == "set":
            return f"{self.random.choice(_BUFFERS)}.SetValue({self.random.randrange(64)}, {self.values}.0f);"
        (src, other), n = self.part(), self.count(room)
        n = min(n, other, self.random.choice((4, 64)))
        if kind == "fill":
            return f"Duplicate({dst}, {self.random.randrange(9)}.0f, {n});"
        if kind == "one":
            operand = f"v{self.random.randint(1, self.values)}" if self.values else "2.0f"
            return f"Adds({dst}, {src}, {operand}, {n});"
        second, third = self.part()
        return f"Add({dst}, {src}, {second}, {min(n, third)});"

    def body(self, length: int) -> list[str]:
        """Statements with flags and barriers between them."""
        rows = [self.statement() for _ in range(length)]
        ids: dict[str, int] = {}
        for _ in range(self.random.randint(0, 2 * length)):
            event = self.random.choice(_EVENTS)
            number = ids[event] = ids.get(event, -1) + 1
            if number > 7:
                continue
            first = self.random.randint(0, len(rows))
            second = min(len(rows), first + self.random.choice((0, 0, 1, 3)))
            pair = [f"SetFlag<HardEvent::{event}>({number});", f"WaitFlag<HardEvent::{event}>({number});"]
            if self.random.random() < EARLY_WAITS:
                pair.reverse()
            rows.insert(second, pair[1])
            rows.insert(first, pair[0])
        for _ in range(self.random.randint(0, length // 2)):
            pipe = self.random.choice(("V", "V", "MTE2", "MTE3", "ALL"))
            rows.insert(self.random.randint(0, len(rows)), f"PipeBarrier<PIPE_{pipe}>();")
        return rows


def random_kernel(seed: int) -> MarkedKernel:
    """The kernel of a seed."""
    chance = random.Random(seed)
    before = [
        "DataCopy(a, x, N);",
        "DataCopy(b, z, N);",
        "DataCopy(c, x[64], N);",
        "PipeBarrier<PIPE_ALL>();",
        "DataCopy(y, a, N);",
        "DataCopy(y[64], b, N);",
        "PipeBarrier<PIPE_ALL>();",
    ]
    behind = ["PipeBarrier<PIPE_ALL>();", *(f"DataCopy(y[{128 + 64 * i}], {t}, N);" for i, t in enumerate(_BUFFERS))]
    return MarkedKernel(
        name=f"random_{seed}",
        family="random",
        declarations=tuple(tbufs(" ".join(_BUFFERS))),
        body=statements([*before, *_Writer(chance).body(chance.randint(2, 7)), *behind]),
        autosync=chance.random() < 0.5,
        reference=lambda x, z: x,
        written=320,
    )


_SIGNALS = ("", "SyncAll();", "CrossCoreSetFlag<0, PIPE_{}>({});\nCrossCoreWaitFlag({});")
"""What stands between two phases of a kernel of several cores."""


def random_cores(seed: int) -> MarkedKernel:
    """A kernel of two or three cores: phases of copies and stores, with or without a synchronisation between them."""
    chance = random.Random(seed)
    blocks = chance.choice((2, 2, 3))
    rows = ["DataCopy(a, x[me * N], N);", "DataCopy(b, z[me * N], N);", "PipeBarrier<PIPE_ALL>();",
            "DataCopy(w[me * N], a, N);", "PipeBarrier<PIPE_ALL>();", "SyncAll();"]  # fmt: skip
    for phase in range(chance.randint(2, 4)):
        for core in range(blocks):
            rows += [f"if (me == {core}) {{", *_phase(chance, blocks), "}"]
        signal = chance.choice(_SIGNALS)
        rows += signal.format(chance.choice(("MTE3", "MTE3", "MTE2", "V")), phase, phase).splitlines()
    rows += ["PipeBarrier<PIPE_ALL>();", "SyncAll();", "if (me == 0) {"]
    for tile in range(blocks):
        rows += [f"DataCopy(c, w[{tile} * N], N);", "PipeBarrier<PIPE_ALL>();", f"DataCopy(y[{tile} * N], c, N);",
                 "PipeBarrier<PIPE_ALL>();"]  # fmt: skip
    return MarkedKernel(
        name=f"random_cores_{seed}",
        family="random cores",
        declarations=(*tbufs("a b c"), "const int32_t me = GetBlockIdx();"),
        body=statements([*rows, "}"]),
        autosync=True,
        reference=lambda x, z: x,
        written=blocks * 64,
        blocks=blocks,
    )


def _phase(chance: random.Random, blocks: int) -> list[str]:
    rows = []
    for _ in range(chance.randint(0, 2)):
        tensor, tile = chance.choice("ab"), chance.randrange(blocks)
        rows.append(chance.choice((f"DataCopy({tensor}, w[{tile} * N], N);", f"DataCopy(w[{tile} * N], {tensor}, N);")))
        if chance.random() < 0.7:
            rows.append(f"PipeBarrier<PIPE_{chance.choice(('ALL', 'ALL', 'MTE2', 'MTE3'))}>();")
    return rows
