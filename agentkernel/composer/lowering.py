"""Lowering: a formula's graph becomes a list of instructions that Ascend 910B has, with legal types."""

from __future__ import annotations

from collections.abc import Mapping

from agentkernel.composer.builder import Builder, scalar
from agentkernel.composer.conversions import BYTES, Conversions
from agentkernel.composer.errors import Refusal
from agentkernel.composer.fuse import fuse_axpy
from agentkernel.composer.integers import Integers
from agentkernel.composer.ir import (
    Inst,
    Lane,
    Op,
    Operand,
    Program,
    Scalar,
    ScalarOp,
    Storage,
    Value,
    const,
    storage_of,
)
from agentkernel.composer.lanes import lane_of, row_rank
from agentkernel.composer.logic import Logic
from agentkernel.composer.numerics import Numerics
from agentkernel.composer.patterns import find
from agentkernel.composer.precision import is_single_rounding
from agentkernel.composer.reals import ARITHMETIC, ROUND_MODES, Reals
from agentkernel.composer.style import Style
from agentkernel.dtypes import DType
from agentkernel.formula.graph import (
    Attr,
    Binary,
    BinaryOp,
    Cast,
    Compare,
    Const,
    Graph,
    Input,
    Kind,
    Node,
    NodeId,
    Reduce,
    ReduceOp,
    Size,
    Unary,
    Where,
)

_REDUCE = {ReduceOp.SUM: Op.SUM, ReduceOp.MEAN: Op.SUM, ReduceOp.MAX: Op.MAXIMUM, ReduceOp.MIN: Op.MINIMUM}


def lower(graph: Graph, style: Style, fixed: Mapping[str, float] | None = None) -> Program:
    """The instruction list of a graph.

    Args:
        graph: What to compute.
        style: Choices.
        fixed: Values of sizes and attributes that are constants (static tasks).

    Raises:
        Refusal: The graph holds something that the rules do not cover.
    """
    return _Lowering(graph, style, fixed or {}).run()


class _Lowering:
    def __init__(self, graph: Graph, style: Style, fixed: Mapping[str, float]) -> None:
        self._graph = graph
        self._fixed = fixed
        self._style = style
        self._split = row_rank(graph)
        self._notes: list[str] = []
        self._real = Storage.FLOAT
        if style.native_half and is_single_rounding(graph):
            self._real = Storage.HALF
            self._remark("float16 is computed natively: at most one operation rounds")
        self._build = Builder(double_as_add=style.double_as_add)
        precise = any(spec.dtype is DType.FLOAT32 for spec in graph.output_specs)
        math = Numerics(self._build, precise=precise, relu_as_max=style.relu_as_max)
        self._reals = Reals(self._build, math, graph, self._value, self._remark)
        self._ints = Integers(self._build)
        self._logic = Logic(self._build, self._ints)
        self._conversions = Conversions(self._build, self._ints, self._logic, self._real)
        self._values: dict[NodeId, Operand] = {}
        self._named = {node: name for name, node in graph.names}
        self._weights = _weights(graph)

    def run(self) -> Program:
        """Lower every output."""
        for name, node in self._graph.outputs:
            self._output(name, node)
        insts = _without_unused(tuple(self._build.insts))
        if self._style.axpy:
            insts = fuse_axpy(insts)
        if self._split and not any(inst.op is Op.LOAD and inst.lane is Lane.FULL for inst in insts):
            raise Refusal("a row kernel without a full-size input", "rows are walked along an input")
        if self._real is Storage.FLOAT and any(_is_widening(inst) for inst in insts):
            self._remark("16-bit values are computed in float and rounded once at the end")
        padded = any(value.storage is Storage.MASK for inst in insts for value in inst.values)
        return Program(insts, self._split, padded, tuple(self._notes))

    def _remark(self, note: str) -> None:
        if note not in self._notes:
            self._notes.append(note)

    # ---- nodes -------------------------------------------------------------------------------------------------

    def _value(self, index: NodeId) -> Operand:
        if index not in self._values:
            node = self._graph[index]
            self._visit(node)
            self._values[index] = self._lower(node, self._named.get(index, ""))
        return self._values[index]

    def _visit(self, node: Node) -> None:
        """Lower operands in the style's order; the result is the same, the order of instructions is not."""
        if find(self._graph, node) is not None:
            return
        operands = list(node.operands)
        if self._style.order == 1:
            operands.reverse()
        elif self._style.order == 2:
            operands.sort(key=lambda i: -self._weights[i])
        for operand in operands:
            self._value(operand)

    def _tensor(self, index: NodeId) -> Value:
        """A node as a tensor value; a scalar is spread over the tile."""
        value = self._value(index)
        return value if isinstance(value, Value) else self._build.fill(value)

    def _lower(self, node: Node, note: str) -> Operand:
        match node:
            case Input() | Const() | Attr() | Size():
                result = self._leaf(node)
            case Reduce():
                result = self._reduce(node, note)
            case Cast():
                result = self._cast(node, note)
            case Compare(op=op, a=a, b=b):
                result = self._logic.compare(str(op).upper(), *self._alike(a, b), note or str(op))
            case Where(cond=cond, a=a, b=b):
                result = self._logic.where(self._value(cond), *self._alike(a, b), note or "where")
            case Unary() | Binary() if node.kind is Kind.BOOL:
                result = self._boolean(node, note)
            case Unary() | Binary() if node.kind is Kind.INT:
                result = self._integer(node, note)
            case _:
                result = self._reals.node(node, note)
        return result

    def _leaf(self, node: Node) -> Operand:
        if isinstance(node, Input):
            return self._input(node)
        if isinstance(node, Const):
            return _typed_const(node.value, self._storage(node))
        assert isinstance(node, Attr | Size)
        return self._given(ScalarOp.ATTR if isinstance(node, Attr) else ScalarOp.SIZE, node.name, self._storage(node))

    def _given(self, op: ScalarOp, name: str, storage: Storage) -> Scalar:
        """A size or attribute: a literal where it is fixed."""
        if name in self._fixed:
            return _typed_const(self._fixed[name], storage)
        return Scalar(op, storage, name=name)

    def _storage(self, node: Node) -> Storage:
        """Storage that a node's values are computed in."""
        if node.kind is Kind.FLOAT:
            return self._real
        if node.kind is Kind.BOOL:
            return Storage.MASK
        if node.dtype is None:
            return Storage.INT32
        return Storage.HALF if node.dtype in BYTES else storage_of(node.dtype)

    def _input(self, node: Input) -> Operand:
        spec = next(spec for spec in self._graph.input_specs if spec.name == node.name)
        storage = storage_of(spec.dtype)
        lane = lane_of(spec.shape, self._graph.space, self._split)
        if lane is None:
            if spec.dtype not in (DType.FLOAT32, DType.INT32):
                what = f"the one-element tensor {spec.name!r} of {spec.dtype}"
                raise Refusal(what, "scalars are read from global memory as float or int32")
            return Scalar(ScalarOp.ELEMENT, storage, name=spec.name)
        loaded = self._build.emit(Op.LOAD, storage, lane, (), name=spec.name, note=spec.name)
        return self._conversions.loaded(loaded, spec.dtype, spec.name)

    def _boolean(self, node: Unary | Binary, note: str) -> Value:
        if isinstance(node, Unary):
            return self._logic.invert(self._value(node.x), note or "not")
        return self._logic.both(node.op, self._value(node.a), self._value(node.b), note or str(node.op))

    # ---- integers ----------------------------------------------------------------------------------------------

    def _integer(self, node: Unary | Binary, note: str) -> Operand:
        if node.dtype is None:
            raise Refusal("arithmetic of untyped integers", "scalars of integer kind are only used as real numbers")
        if node.dtype in BYTES and isinstance(node, Binary) and node.op in (BinaryOp.MAXIMUM, BinaryOp.MINIMUM):
            half = Storage.HALF
            return self._build.binary(ARITHMETIC[node.op], self._typed(node.a, half), self._typed(node.b, half), note)
        if node.dtype not in (DType.INT32, DType.INT16):
            what = f"{node.dtype} arithmetic ({node.op})"
            raise Refusal(what, "vector arithmetic knows int16 and int32 on Ascend 910B")
        storage = storage_of(node.dtype)
        if isinstance(node, Unary):
            return self._ints.unary(node.op, self._typed(node.x, storage), note)
        return self._ints.binary(node.op, self._typed(node.a, storage), self._typed(node.b, storage), note)

    def _alike(self, a: NodeId, b: NodeId) -> tuple[Operand, Operand]:
        """Two operands in one storage type; a literal takes that of the other side."""
        typed = next((node for node in (self._graph[a], self._graph[b]) if node.dtype is not None), self._graph[a])
        if typed.kind is not Kind.INT:
            return self._value(a), self._value(b)
        storage = self._storage(typed)
        return self._typed(a, storage), self._typed(b, storage)

    def _typed(self, index: NodeId, storage: Storage) -> Operand:
        """An operand of integer arithmetic; literals take the type of the other side."""
        value = self._value(index)
        if isinstance(value, Scalar) and value.storage is not storage:
            if not value.is_const:
                raise Refusal(f"the scalar {value.name!r} in {storage} arithmetic", "scalars are int32 or float")
            return _typed_const(value.number, storage)
        return value

    # ---- conversions and reductions ----------------------------------------------------------------------------

    def _cast(self, node: Cast, note: str) -> Operand:
        source, dtype = self._graph[node.x], node.dtype
        assert dtype is not None
        note = note or f"as {dtype}"
        if node.kind is Kind.FLOAT and source.kind is not Kind.BOOL:
            whole = source.dtype or DType.INT32 if source.kind is Kind.INT else None
            return self._conversions.to_real(self._value(node.x), whole, dtype, note)
        x = self._tensor(node.x)
        if source.kind is Kind.BOOL:
            return self._logic.number(x, self._storage(node), note)
        if node.kind is Kind.BOOL:
            return self._conversions.to_bool(x, note)
        if source.kind is Kind.INT:
            return self._ints.convert(x, self._storage(node), str(dtype), note)
        mode = "CAST_TRUNC"
        if isinstance(source, Unary) and source.op in ROUND_MODES:
            # a rounding just before decides the mode of the conversion itself
            mode, x = ROUND_MODES[source.op], self._tensor(source.x)
        return self._conversions.real_to_int(x, dtype, mode, note)

    def _reduce(self, node: Reduce, note: str) -> Value:
        if node.kind is not Kind.FLOAT:
            raise Refusal(f"a {node.op} reduction of integers", "reductions take half and float only on Ascend 910B")
        x = self._value(node.x)
        if isinstance(x, Scalar) or x.lane is not Lane.FULL:
            raise Refusal(
                f"a {node.op} reduction of a value that does not vary over rows", "it is not computed per row"
            )
        result = self._build.emit(_REDUCE[node.op], x.storage, Lane.ROW, (x,), note=note or f"row {node.op}")
        if node.op is not ReduceOp.MEAN:
            return result
        share = scalar(ScalarOp.DIV, const(1.0, Storage.FLOAT), self._row_length())
        mean = self._build.binary(Op.MUL, result, share, note or "row mean")
        assert isinstance(mean, Value)
        return mean

    def _row_length(self) -> Scalar:
        length = const(1.0, Storage.FLOAT)
        for dim in self._graph.space[len(self._graph.space) - self._split :]:
            part = (
                _typed_const(dim, Storage.FLOAT)
                if isinstance(dim, int)
                else self._given(ScalarOp.SIZE, dim, Storage.FLOAT)
            )
            length = part if length.is_const and length.number == 1 else scalar(ScalarOp.MUL, length, part)
        return length

    # ---- outputs -----------------------------------------------------------------------------------------------

    def _output(self, name: str, index: NodeId) -> None:
        spec = self._graph.output_spec(name)
        lane = lane_of(spec.shape, self._graph.space, self._split)
        if lane is None or lane is Lane.VECTOR:
            raise Refusal(f"the output {name!r}", "an output has the iteration space's size or one value per row")
        value = self._value(index)
        if isinstance(value, Scalar) or value.lane is not lane:
            if isinstance(value, Value) and value.storage is Storage.MASK:
                value = self._logic.number(value, Storage.HALF, name)
            value = self._build.spread(value, lane, value.storage)
        value = self._conversions.stored(value, spec.dtype, name)
        if self._is_taken(value):
            value = self._build.emit(Op.MOVE, value.storage, value.lane, (value,), name=name, note=name)
        self._build.store(name, value)

    def _is_taken(self, value: Value) -> bool:
        """Whether a value lives in a buffer that cannot also be the output's (an input's, or another output's)."""
        if self._build.source(value).op is Op.LOAD:
            return True
        return any(inst.op is Op.STORE and value in inst.args for inst in self._build.insts)


def _typed_const(number: bool | int | float, storage: Storage) -> Scalar:
    return const(float(number) if storage in (Storage.FLOAT, Storage.HALF) else int(number), storage)


def _weights(graph: Graph) -> list[int]:
    """Number of nodes under every node, counted as a tree."""
    weights: list[int] = []
    for node in graph.nodes:
        weights.append(1 + min(sum(weights[i] for i in node.operands), 10**6))
    return weights


def _without_unused(insts: tuple[Inst, ...]) -> tuple[Inst, ...]:
    """Instructions whose results are read; rewrites may leave others."""
    used = {value for inst in insts for value in inst.values}
    kept = tuple(inst for inst in insts if inst.dst is None or inst.dst in used)
    return kept if len(kept) == len(insts) else _without_unused(kept)


def _is_widening(inst: Inst) -> bool:
    """Whether a 16-bit real number becomes a float."""
    if inst.op is not Op.CAST or inst.dst is None or inst.dst.storage is not Storage.FLOAT:
        return False
    source = inst.args[0]
    return isinstance(source, Value) and source.storage in (Storage.HALF, Storage.BF16)
