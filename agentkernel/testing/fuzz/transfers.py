"""Copies of tiles between global memory and the unified buffer."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from agentkernel.testing.fuzz import elements
from agentkernel.testing.fuzz.elements import Array
from agentkernel.testing.fuzz.program import Line

_ATOMIC = ("int16_t", "half", "int32_t", "float")


@dataclass(frozen=True)
class Load:
    """How a tile of an input comes in."""

    name: str
    dtype: str
    room: int
    form: str
    """`count`, `params`, `pad`, `pad-old`, `pad-rows` (padded on both sides), `strided`, `strided-pad` or `tail`
    (DataCopyPad of n elements)."""
    rows: int
    pad: bool
    """Whether `tail` fills the last block with zeros."""
    lead: int = 0
    """Elements of the argument before the first tile: global memory needs no alignment."""

    @property
    def api(self) -> str:
        """Function that copies."""
        return "DataCopyPad" if "pad" in self.form or self.form == "tail" else "DataCopy"

    @property
    def spread(self) -> int:
        """Elements in global memory for one of the tile."""
        return 2 if self.form.startswith("strided") else 1

    @property
    def pitch(self) -> int:
        """Elements of a row of `pad-rows` in the tile."""
        return self.room // self.rows

    @property
    def sides(self) -> tuple[int, int, int]:
        """Elements of padding, of data and of padding in a row of `pad-rows`; the last block is filled up."""
        most = 32 // elements.size(self.dtype)
        left, right = min(most, 1 + self.lead), most // 2
        return left, self.pitch - left - right - (most // 4), right

    def elements(self, total: int) -> int:
        """Size of the argument."""
        if self.form == "pad-rows":
            return total // self.pitch * self.sides[1] + self.lead
        return total * self.spread + self.lead

    def lines(self, tensor: str) -> list[Line]:
        """Statements."""
        each = elements.size(self.dtype)
        length = self.room * each // self.rows
        source = f"{self.name}Gm[{'2 * ' if self.spread == 2 else ''}at{f' + {self.lead}' if self.lead else ''}]"
        if self.form == "pad-rows":
            left, middle, right = self.sides
            fill = f"DataCopyPadExtParams<{self.dtype}>(true, {left}, {right}, static_cast<{self.dtype}>({self.fill}))"
            start = f"{self.name}Gm[at / {self.pitch} * {middle} + {self.lead}]"
            rows = f"DataCopyExtParams({self.rows}, {middle * each}, 0, 0, 0)"
            return [Line(f"DataCopyPad({tensor}, {start}, {rows}, {fill});", "load", self.name)]
        pad = f"DataCopyPadExtParams<{self.dtype}>({str(self.pad).lower()}, 0, 0, static_cast<{self.dtype}>(0))"
        text = {
            "count": f"DataCopy({tensor}, {source}, {self.room});",
            "params": f"DataCopy({tensor}, {source}, {{{self.rows}, {length // 32}, 0, 0}});",
            "strided": f"DataCopy({tensor}, {source}, DataCopyParams({self.rows}, {length // 32}, {length // 32}, 0));",
            "pad": f"DataCopyPad({tensor}, {source}, DataCopyExtParams({self.rows}, {length}, 0, 0, 0), {pad});",
            "strided-pad":
                f"DataCopyPad({tensor}, {source}, DataCopyExtParams({self.rows}, {length}, {length}, 0, 0), {pad});",
            "pad-old": f"DataCopyPad({tensor}, {source}, {{{self.rows}, {length}, 0, 0}}, {{false, 0, 0, 0}});",
            "tail": f"DataCopyPad({tensor}, {source}, "
                    f"DataCopyExtParams(1, n * sizeof({self.dtype}), 0, 0, 0), {pad});",
        }[self.form]  # fmt: skip
        return [Line(text, "load", self.name)]

    @property
    def fill(self) -> int:
        """Value of the padding; elements of 8 bytes can only have 0."""
        return 0 if elements.size(self.dtype) in (1, 8) else 3

    def values(self, array: Array, at: int, n: int) -> Array:
        """Elements of the tile that starts at element `at`."""
        array = array[self.lead :]
        if self.form == "pad-rows":
            left, middle, _ = self.sides
            tile = np.full((self.rows, self.pitch), self.fill, array.dtype)
            start = at // self.pitch * middle
            tile[:, left : left + middle] = array[start : start + self.rows * middle].reshape(self.rows, middle)
            padded: Array = tile.reshape(-1)
            return padded
        if self.spread == 1:
            return array[at : at + n]
        found: Array = array[2 * at : 2 * (at + n)].reshape(self.rows, 2, -1)[:, 0].reshape(-1)
        return found


@dataclass(frozen=True)
class Store:
    """How a tile of an output goes out."""

    name: str
    dtype: str
    room: int
    form: str
    """`count`, `params`, `pad`, `pad-old`, `atomic` (stored, then added to itself) or `tail`."""
    rows: int

    @property
    def api(self) -> str:
        """Function that copies."""
        return "DataCopyPad" if "pad" in self.form or self.form == "tail" else "DataCopy"

    def lines(self, tensor: str) -> list[Line]:
        """Statements."""
        length = self.room * elements.size(self.dtype) // self.rows
        target = f"{self.name}Gm[at]"
        plain = f"DataCopy({target}, {tensor}, {self.room});"
        if self.form == "atomic":
            return [
                Line(plain, "store", self.name),
                Line("PipeBarrier<PIPE_MTE3>();", "barrier", "MTE3"),
                Line(f"SetAtomicAdd<{self.dtype}>();", "atomic"),
                Line(plain, "store", self.name),
                Line("SetAtomicNone();", "atomic"),
            ]
        text = {
            "count": plain,
            "params": f"DataCopy({target}, {tensor}, {{{self.rows}, {length // 32}, 0, 0}});",
            "pad": f"DataCopyPad({target}, {tensor}, DataCopyExtParams({self.rows}, {length}, 0, 0, 0));",
            "pad-old": f"DataCopyPad({target}, {tensor}, {{{self.rows}, {length}, 0, 0}});",
            "tail": f"DataCopyPad({target}, {tensor}, DataCopyExtParams(1, n * sizeof({self.dtype}), 0, 0, 0));",
        }[self.form]
        return [Line(text, "store", self.name)]

    def values(self, tile: Array) -> Array:
        """What is in global memory."""
        with np.errstate(all="ignore"):
            return tile + tile if self.form == "atomic" else tile


def draw_load(chance: random.Random, name: str, dtype: str, room: int, *, whole: bool) -> Load:
    """A way for tiles to come in."""
    forms = ("count", "count", "params", "pad", "pad-old", "pad-rows", "strided", "strided-pad") if whole else ("tail",)
    return Load(name, dtype, room, chance.choice(forms), chance.choice((1, 2, 4)), chance.random() < 0.5,
                chance.choice((0, 0, 0, 1, 3, 16)))  # fmt: skip


def draw_store(chance: random.Random, name: str, dtype: str, room: int, *, whole: bool) -> Store:
    """A way for tiles to go out."""
    forms = ["count", "count", "params", "pad", "pad-old"] if whole else ["tail"]
    if whole and dtype in _ATOMIC:
        forms.append("atomic")
    return Store(name, dtype, room, chance.choice(forms), chance.choice((1, 2, 4)))
