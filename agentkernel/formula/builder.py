"""Building of expression graphs: kinds, dtypes and shapes are inferred, equal nodes shared, constants folded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentkernel.dtypes import DType
from agentkernel.errors import TaskError
from agentkernel.formula import ops, shapes
from agentkernel.formula.graph import (
    Attr,
    Binary,
    BinaryOp,
    Cast,
    Compare,
    CompareOp,
    Const,
    Input,
    Kind,
    Node,
    NodeId,
    Reduce,
    ReduceOp,
    Shape,
    Size,
    Unary,
    UnaryOp,
    Where,
)
from agentkernel.task import AttrSpec, TensorSpec

_ANY_NUMBER = {UnaryOp.NEG, UnaryOp.ABS, UnaryOp.RELU}
_BITWISE = {BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR}
_SHIFTS = {BinaryOp.SHL, BinaryOp.SHR}
_FLOAT_ONLY = {BinaryOp.DIV, BinaryOp.POW}


def kind_of(dtype: DType) -> Kind:
    """What values of a storage type are."""
    if dtype.is_float:
        return Kind.FLOAT
    return Kind.BOOL if dtype is DType.BOOL else Kind.INT


class GraphBuilder:
    """Adds nodes to a growing graph.

    Args:
        space: The iteration space of the formula.
        fail: Makes the error to raise for a message and a hint, at the place that is being read.
    """

    def __init__(self, space: Shape, fail: Callable[[str, str], TaskError]) -> None:
        self.space = space
        self.nodes: list[Node] = []
        self.places: list[tuple[int, int]] = []
        self.place = (1, 1)
        self._known: dict[str, NodeId] = {}
        self._fail = fail

    def input(self, spec: TensorSpec) -> NodeId:
        """An input tensor."""
        return self._add(Input, name=spec.name, kind=kind_of(spec.dtype), dtype=spec.dtype, shape=spec.shape)

    def attr(self, spec: AttrSpec) -> NodeId:
        """A scalar attribute."""
        return self._add(Attr, name=spec.name, kind=Kind(spec.type))

    def size(self, name: str) -> NodeId:
        """A named size."""
        return self._add(Size, name=name, kind=Kind.INT)

    def const(self, value: bool | int | float) -> NodeId:
        """A literal."""
        kind = Kind.BOOL if isinstance(value, bool) else Kind.INT if isinstance(value, int) else Kind.FLOAT
        return self._add(Const, value=value, kind=kind)

    def unary(self, op: UnaryOp, x: NodeId) -> NodeId:
        """A function of one operand."""
        if op is UnaryOp.NOT:
            if self.nodes[x].kind is Kind.FLOAT:
                raise self._fail("~ needs booleans or integers, not real numbers", "compare first: ~(x > 0)")
        elif op in _ANY_NUMBER:
            self._number(x, op)
        else:
            x = self._real(x, op)
        node = self.nodes[x]
        dtype = node.dtype if node.kind is Kind.INT else None
        return self._folded(Unary, op=op, x=x, kind=node.kind, dtype=dtype, shape=node.shape)

    def binary(self, op: BinaryOp, a: NodeId, b: NodeId) -> NodeId:
        """A function of two operands."""
        if op in _BITWISE:
            kinds = {self.nodes[a].kind, self.nodes[b].kind}
            if Kind.FLOAT in kinds or len(kinds) == 2:
                raise self._fail(f"`{op}` needs two booleans or two integers", "compare first: (x > 0) & (y > 0)")
        elif op in _SHIFTS:
            if {self.nodes[a].kind, self.nodes[b].kind} != {Kind.INT}:
                raise self._fail("a shift needs integers", "cast(x, 'int32') first")
        elif op in _FLOAT_ONLY:
            a, b = self._real(a, op), self._real(b, op)
        else:
            self._number(a, op)
            self._number(b, op)
        a, b, dtype = self._same(a, b, op)
        kind = self.nodes[a].kind
        return self._folded(Binary, op=op, a=a, b=b, kind=kind, dtype=dtype, shape=self._joined(a, b))

    def power(self, a: NodeId, b: NodeId) -> NodeId:
        """A power; constant exponents that products, roots and divisions express become those."""
        exponent = self.nodes[b]
        if isinstance(exponent, Const) and not isinstance(exponent.value, bool):
            if exponent.value in (1, 2, 3, 4):
                return self._product(a, int(exponent.value))
            if self.nodes[a].kind is Kind.FLOAT and exponent.value in (-1, -2):
                one = self.const(1.0)
                return self.binary(BinaryOp.DIV, one, self._product(a, -int(exponent.value)))
            if exponent.value == 0.5:
                return self.unary(UnaryOp.SQRT, a)
            if exponent.value == -0.5:
                return self.unary(UnaryOp.RSQRT, a)
        return self.binary(BinaryOp.POW, a, b)

    def compare(self, op: CompareOp, a: NodeId, b: NodeId) -> NodeId:
        """A comparison."""
        a, b, _ = self._same(a, b, op)
        return self._folded(Compare, op=op, a=a, b=b, kind=Kind.BOOL, shape=self._joined(a, b))

    def where(self, cond: NodeId, a: NodeId, b: NodeId) -> NodeId:
        """A selection."""
        if self.nodes[cond].kind is not Kind.BOOL:
            raise self._fail("the condition of where() is not a boolean", "compare: where(x > 0, a, b)")
        a, b, dtype = self._same(a, b, "where")
        shape = self._joined(a, b, cond)
        return self._folded(Where, cond=cond, a=a, b=b, kind=self.nodes[a].kind, dtype=dtype, shape=shape)

    def cast(self, x: NodeId, dtype: DType) -> NodeId:
        """A conversion; one to the type that a value already has is the value itself."""
        node = self.nodes[x]
        if node.dtype is dtype or (node.kind is Kind.BOOL and dtype is DType.BOOL):
            return x
        return self._add(Cast, x=x, kind=kind_of(dtype), dtype=dtype, shape=node.shape)

    def reduce(self, op: ReduceOp, x: NodeId, axes: tuple[int, ...] | None) -> NodeId:
        """A reduction over axes (negative or not), None for all."""
        node = self.nodes[x]
        if op is ReduceOp.MEAN:
            x = self._real(x, op)
        else:
            self._number(x, op)
        rank = len(node.shape)
        if rank == 0:
            raise self._fail(f"{op}() of a scalar", "reduce a tensor")
        wanted = axes if axes is not None else tuple(range(-rank, 0))
        for axis in wanted:
            if not -rank <= axis < rank:
                raise self._fail(
                    f"axis {axis} is out of range for shape {shapes.text(node.shape)}",
                    f"axes run from {-rank} to {rank - 1}",
                )
        from_right = tuple(sorted({axis - rank if axis >= 0 else axis for axis in wanted}))
        if len(from_right) != len(wanted) or not from_right:
            raise self._fail("an axis is given twice, or none is given", "name each axis once")
        dtype = node.dtype if node.kind is Kind.INT else None
        shape = shapes.reduced(node.shape, from_right)
        return self._add(Reduce, op=op, x=x, axes=from_right, kind=self.nodes[x].kind, dtype=dtype, shape=shape)

    def real(self, x: NodeId) -> NodeId:
        """An untyped integer (literal, size, attribute) as a real number; anything else unchanged."""
        node = self.nodes[x]
        if node.kind is not Kind.INT or node.dtype is not None:
            return x
        if isinstance(node, Const):
            return self.const(float(node.value))
        if isinstance(node, Size):
            return self._add(Size, name=node.name, kind=Kind.FLOAT)
        if isinstance(node, Attr):
            return self._add(Attr, name=node.name, kind=Kind.FLOAT)
        return self.cast(x, DType.FLOAT32)

    def _product(self, a: NodeId, times: int) -> NodeId:
        if times == 1:
            return a
        square = self.binary(BinaryOp.MUL, a, a)
        if times == 2:
            return square
        return self.binary(BinaryOp.MUL, square, a if times == 3 else square)

    def _number(self, x: NodeId, op: str) -> None:
        if self.nodes[x].kind is Kind.BOOL:
            raise self._fail(f"`{op}` of a boolean", "where(c, 1.0, 0.0) or cast(c, 'int32') makes it a number")

    def _real(self, x: NodeId, op: str) -> NodeId:
        self._number(x, op)
        node = self.nodes[x]
        if node.kind is Kind.INT and node.dtype is not None:
            raise self._fail(f"`{op}` of {node.dtype} values", "cast(x, 'float32') first")
        return self.real(x)

    def _same(self, a: NodeId, b: NodeId, op: str) -> tuple[NodeId, NodeId, DType | None]:
        kinds = {self.nodes[a].kind, self.nodes[b].kind}
        if kinds == {Kind.FLOAT, Kind.INT}:
            a, b = self.real(a), self.real(b)
            kinds = {self.nodes[a].kind, self.nodes[b].kind}
        if len(kinds) == 2:
            words = " and ".join(_words(self.nodes[i]) for i in (a, b))
            raise self._fail(f"`{op}` mixes {words}", "convert one side with cast(x, 'float32') or another type")
        if kinds != {Kind.INT}:
            return a, b, None
        types = {self.nodes[i].dtype for i in (a, b)} - {None}
        if len(types) == 2:
            raise self._fail(f"`{op}` mixes {' and '.join(sorted(map(str, types)))}", "cast one side to the other type")
        dtype = next(iter(types), None)
        if dtype is not None:
            for i in (a, b):
                self._fits(i, dtype)
        return a, b, dtype

    def _fits(self, x: NodeId, dtype: DType) -> None:
        node = self.nodes[x]
        low, high = ops.int_range(dtype)
        if isinstance(node, Const) and not low <= node.value <= high:
            raise self._fail(f"the constant {node.value} does not fit {dtype}", "cast to a wider type first")

    def _joined(self, *operands: NodeId) -> Shape:
        joined: Shape = ()
        for i in operands:
            wider = shapes.broadcast(joined, self.nodes[i].shape)
            if wider is None:
                raise self._fail(
                    f"shapes {shapes.text(joined)} and {shapes.text(self.nodes[i].shape)} do not broadcast",
                    "sizes must be equal by name, or 1",
                )
            joined = wider
        return joined

    def _folded(self, cls: type[Node], **fields: Any) -> NodeId:
        operands = [fields[name] for name in ("cond", "x", "a", "b") if name in fields]
        values = [node.value for i in operands if isinstance(node := self.nodes[i], Const)]
        if len(values) < len(operands):
            return self._add(cls, **fields)
        try:
            return self.const(ops.fold(fields.get("op", "where"), values, fields["kind"]))
        except (OverflowError, ValueError) as error:
            raise self._fail(f"a constant expression cannot be computed: {error}", "check the constants") from error

    def _add(self, cls: type[Node], **fields: Any) -> NodeId:
        node = cls(**fields, extent=shapes.extent(fields.get("shape", ()), self.space))
        key = repr(node)  # not the node itself: 0.0 == -0.0 and 1 == True, which must stay apart
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = len(self.nodes)
            self.nodes.append(node)
            self.places.append(self.place)
        return found


def _words(node: Node) -> str:
    if node.kind is Kind.FLOAT:
        return "real numbers"
    return "booleans" if node.kind is Kind.BOOL else f"{node.dtype or 'untyped'} integers"
