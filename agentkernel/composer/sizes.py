"""Sizes of a kernel as its code spells them: constants of a static kernel, members of a dynamic one."""

from __future__ import annotations

from agentkernel.composer.buffers import Buffer, Place
from agentkernel.composer.code import Code
from agentkernel.composer.context import Context
from agentkernel.composer.ir import Lane, Scalar, ScalarOp
from agentkernel.composer.passes import Walk
from agentkernel.composer.style import Layout
from agentkernel.composer.tiling import BLOCK_BYTES, Plan
from agentkernel.task import Dim


class Sizes:
    """Names the sizes of one kernel."""

    def __init__(self, context: Context) -> None:
        self._c = context
        self._plan = context.plan

    @property
    def row_length(self) -> str:
        """Elements of a row."""
        if self._plan.is_static:
            return self._c.constant("row length", self.product(self._plan.row_dims))
        return self._c.number("rowLength")

    @property
    def tile(self) -> str:
        """Elements of a tile buffer."""
        return self._c.number("tileLength") if self._plan.runtime_tile else self.max_tile

    @property
    def max_tile(self) -> str:
        """The constant that bounds a tile."""
        words = "max tile length" if self._plan.runtime_tile else "tile length"
        return self._c.constant(words, self._plan.tile)

    @property
    def capacity(self) -> str:
        """Elements that a FULL buffer holds."""
        if self._plan.walk is Walk.SINGLE and not self._plan.is_static:
            return self._c.number("rowAligned")
        return self.tile

    @property
    def pitch(self) -> str:
        """Distance between the rows of a tile (BLOCK)."""
        return self._c.number("pitch")

    @property
    def rows_per_tile(self) -> str:
        """Rows of a full tile (BLOCK)."""
        return self._c.number("rowsPerTile")

    @property
    def mine(self) -> str:
        """Elements or rows of this core, 0 for an idle one."""
        return self._c.number("length" if self._plan.walk is Walk.FLAT else "rowNum")

    @property
    def is_aligned(self) -> bool:
        """Whether all copies of a static task are whole blocks."""
        plan = self._plan
        if not plan.is_static or plan.walk is Walk.BLOCK:
            return False
        length = 1
        for dim in plan.graph.space if plan.walk is Walk.FLAT else plan.row_dims:
            length *= dim if isinstance(dim, int) else plan.task.cases[0].dims[dim]
        tensors = (*plan.task.inputs, *plan.task.outputs)
        has_rows = any(b.is_row and b.place in (Place.IN, Place.OUT) for b in plan.assignment.buffers)
        return not has_rows and all(length * t.dtype.itemsize % BLOCK_BYTES == 0 for t in tensors)

    def product(self, dims: tuple[Dim, ...]) -> str:
        """A product of sizes inside Init."""
        known, parts = 1, []
        for dim in dims:
            text = self._dim(dim)
            if text.isdigit():
                known *= int(text)
            else:
                parts.append(text)
        if known != 1 or not parts:
            parts.insert(0, str(known))
        return " * ".join(parts)

    def declare(self, code: Code, name: str, words: str, dims: tuple[Dim, ...], *, member: bool) -> str:
        """A product of sizes: a named constant of a static kernel, else a variable or member that Init sets."""
        text = self.product(dims)
        if self._plan.is_static:
            return self._c.constant(words, text)
        if member:
            reference = self._c.number(name)
            code.add(f"{reference} = {text};")
            return reference
        local = self._c.names.variable(name)
        code.add(f"const uint32_t {local} = {text};")
        return local

    def _dim(self, dim: Dim) -> str:
        if isinstance(dim, int):
            return str(dim)
        if self._plan.is_static:
            return str(self._plan.task.cases[0].dims[dim])
        if self._c.style.layout is Layout.ENTRY:
            return f"{self._c.names.variable('tilingData')}.{dim}"
        return f"tiling.{dim}" if self._c.style.tiling_by_ref else dim

    def bytes(self, buffer: Buffer) -> str:
        """Size of a buffer."""
        if buffer.is_row:
            return str(self._plan.row_bytes)
        elements = self.pitch if self._plan.walk is Walk.BLOCK and buffer.lane is Lane.VECTOR else self.capacity
        if buffer.storage.bits < 8:
            return f"{elements} / 8"
        return f"{elements} * sizeof({buffer.storage.ctype})"


def scalars_of(plan: Plan) -> list[tuple[ScalarOp, str]]:
    """Sizes, attributes and one-element tensors that instructions read, in order of first use."""
    found: dict[tuple[ScalarOp, str], None] = {}
    for inst in plan.program.insts:
        for arg in inst.args:
            if isinstance(arg, Scalar):
                for part in arg.walk():
                    if part.op in (ScalarOp.ATTR, ScalarOp.SIZE, ScalarOp.ELEMENT):
                        found.setdefault((part.op, part.name))
    return list(found)
