"""Lowering: a formula's graph becomes a list of instructions that Ascend 910B has, with legal types."""

from __future__ import annotations

from collections.abc import Mapping

from agentkernel.composer.builder import Builder, scalar
from agentkernel.composer.errors import Refusal
from agentkernel.composer.fuse import fuse_axpy
from agentkernel.composer.integers import Integers
from agentkernel.composer.ir import (
    REDUCTIONS,
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
from agentkernel.composer.numerics import Numerics
from agentkernel.composer.patterns import Match, find
from agentkernel.composer.precision import is_single_rounding
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
    UnaryOp,
    Where,
)

_ARITHMETIC = {
    BinaryOp.ADD: Op.ADD,
    BinaryOp.SUB: Op.SUB,
    BinaryOp.MUL: Op.MUL,
    BinaryOp.DIV: Op.DIV,
    BinaryOp.MAXIMUM: Op.MAX,
    BinaryOp.MINIMUM: Op.MIN,
}
_ROUND = {
    UnaryOp.FLOOR: "CAST_FLOOR",
    UnaryOp.CEIL: "CAST_CEIL",
    UnaryOp.ROUND: "CAST_RINT",
    UnaryOp.TRUNC: "CAST_TRUNC",
}
_REDUCE = {ReduceOp.SUM: Op.SUM, ReduceOp.MEAN: Op.SUM, ReduceOp.MAX: Op.MAXIMUM, ReduceOp.MIN: Op.MINIMUM}
_BYTES = (DType.INT8, DType.UINT8, DType.BOOL)


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
        self._build = Builder(double_as_add=style.double_as_add)
        precise = any(spec.dtype is DType.FLOAT32 for spec in graph.output_specs)
        self._math = Numerics(self._build, precise=precise, relu_as_max=style.relu_as_max)
        self._ints = Integers(self._build)
        self._notes: list[str] = []
        self._real = Storage.FLOAT
        if style.native_half and is_single_rounding(graph):
            self._real = Storage.HALF
            self._notes.append("float16 is computed natively: at most one operation rounds")
        self._values: dict[NodeId, Operand] = {}
        self._named = {node: name for name, node in graph.names}
        self._weights = _weights(graph)

    def run(self) -> Program:
        """Lower every output."""
        outputs = list(self._graph.outputs)
        for name, node in outputs:
            self._output(name, node)
        insts = tuple(self._build.insts)
        used = {value for inst in insts for value in inst.values}
        # rewrites may leave instructions that nothing reads
        while any(inst.dst is not None and inst.dst not in used for inst in insts):
            insts = tuple(inst for inst in insts if inst.dst is None or inst.dst in used)
            used = {value for inst in insts for value in inst.values}
        if self._style.axpy:
            insts = fuse_axpy(insts)
        padded = any(value.storage is Storage.MASK for value in used)
        if not any(inst.op is Op.LOAD and inst.lane is Lane.FULL for inst in insts) and self._split:
            raise Refusal("a row kernel without a full-size input", "rows are walked along an input")
        if any(inst.op is Op.CAST and _widths(inst) for inst in insts) and self._real is Storage.FLOAT:
            self._notes.append("16-bit values are computed in float and rounded once at the end")
        return Program(insts, self._split, padded, tuple(self._notes))

    # ---- nodes -------------------------------------------------------------------------------------------------

    def _value(self, index: NodeId) -> Operand:
        if index not in self._values:
            node = self._graph[index]
            self._visit(node)
            self._values[index] = self._lower(index, node)
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

    def _lower(self, index: NodeId, node: Node) -> Operand:
        note = self._named.get(index, "")
        match node:
            case Input():
                return self._input(node)
            case Const(value=number):
                return const(float(number) if node.kind is Kind.FLOAT else int(number), self._storage(node))
            case Attr(name=name) | Size(name=name):
                return self._given(
                    ScalarOp.ATTR if isinstance(node, Attr) else ScalarOp.SIZE, name, self._storage(node)
                )
            case Reduce():
                return self._reduce(node, note)
            case Cast():
                return self._cast(node, note)
            case Compare(op=op, a=a, b=b):
                return self._compare(str(op).upper(), a, b, note)
            case Where():
                return self._where(node, note)
            case Unary(op=UnaryOp.NOT) if node.kind is Kind.BOOL:
                return self._build.bits(Op.NOT, self._tensor(node.x), note=note or "not")
            case Binary() if node.kind is Kind.BOOL:
                return self._logic(node, note)
        if node.kind is Kind.INT:
            assert isinstance(node, Unary | Binary)
            return self._integer(node, note)
        return self._real_node(node, note)

    def _given(self, op: ScalarOp, name: str, storage: Storage) -> Scalar:
        """A size or attribute: a literal where it is fixed."""
        if name in self._fixed:
            number = self._fixed[name]
            return const(float(number) if storage in (Storage.FLOAT, Storage.HALF) else int(number), storage)
        return Scalar(op, storage, name=name)

    def _storage(self, node: Node) -> Storage:
        """Storage that a node's values are computed in."""
        if node.kind is Kind.FLOAT:
            return self._real
        if node.kind is Kind.BOOL:
            return Storage.MASK
        if node.dtype is None:
            return Storage.INT32
        if node.dtype in _BYTES:
            return Storage.HALF
        return storage_of(node.dtype)

    def _input(self, node: Input) -> Operand:
        spec = next(spec for spec in self._graph.input_specs if spec.name == node.name)
        storage = storage_of(spec.dtype)
        lane = lane_of(spec.shape, self._graph.space, self._split)
        if lane is None:
            if spec.dtype is not DType.FLOAT32 and spec.dtype is not DType.INT32:
                raise Refusal(
                    f"the one-element tensor {spec.name!r} of {spec.dtype}", "scalars are read as float or int32"
                )
            return Scalar(ScalarOp.ELEMENT, storage, name=spec.name)
        loaded = self._build.emit(Op.LOAD, storage, lane, (), name=spec.name, note=spec.name)
        if node.kind is Kind.BOOL:
            half = self._build.cast(loaded, Storage.HALF, "CAST_NONE", spec.name)
            return self._build.compare("NE", half, const(0.0, Storage.HALF), f"{spec.name} is set")
        if spec.dtype in _BYTES:
            return self._build.cast(loaded, Storage.HALF, "CAST_NONE", spec.name)
        if node.kind is Kind.FLOAT and storage is not self._real:
            return self._build.cast(loaded, self._real, "CAST_NONE", f"{spec.name} as {self._real}")
        return loaded

    # ---- real numbers ------------------------------------------------------------------------------------------

    def _real_node(self, node: Node, note: str) -> Operand:
        match = find(self._graph, node)
        if match is not None:
            return self._rewrite(match, note)
        if isinstance(node, Binary):
            if node.op is BinaryOp.POW:
                return self._power(node, note)
            return self._build.binary(
                _ARITHMETIC[node.op], self._value(node.a), self._value(node.b), note or str(node.op)
            )
        assert isinstance(node, Unary)
        x = self._value(node.x)
        if isinstance(x, Scalar):
            folded = self._scalar_unary(node.op, x)
            if folded is not None:
                return folded
            x = self._build.fill(x)
        return self._unary(node.op, x, note or f"{node.op}")

    def _scalar_unary(self, op: UnaryOp, x: Scalar) -> Scalar | None:
        zero = const(0.0, x.storage)
        match op:
            case UnaryOp.NEG:
                return scalar(ScalarOp.NEG, x)
            case UnaryOp.ABS:
                return scalar(ScalarOp.MAX, x, scalar(ScalarOp.NEG, x))
            case UnaryOp.RELU:
                return scalar(ScalarOp.MAX, x, zero)
        return None

    def _unary(self, op: UnaryOp, x: Value, note: str) -> Value:
        m = self._math
        if op in _ROUND:
            return m.rounded(x, _ROUND[op], note)
        plain = {UnaryOp.ABS: Op.ABS, UnaryOp.EXP: Op.EXP, UnaryOp.LOG: Op.LN, UnaryOp.SQRT: Op.SQRT}
        if op in plain:
            return self._build.unary(plain[op], x, note=note)
        table = {
            UnaryOp.NEG: m.neg,
            UnaryOp.RSQRT: m.rsqrt,
            UnaryOp.RELU: m.relu,
            UnaryOp.SIGMOID: m.sigmoid,
            UnaryOp.TANH: m.tanh,
            UnaryOp.ERF: m.erf,
        }
        return table[op](x, note)

    def _rewrite(self, match: Match, note: str) -> Operand:
        m, x = self._math, self._tensor(match.x)
        note = note or match.name
        self._remark(match.why)
        match match.name:
            case "softplus":
                small = m.exp(m.neg(self._build.unary(Op.ABS, x)), "exp(-|x|)")
                return m.add(m.relu(x), m.log1p(small), note)
            case "log_sigmoid":
                small = m.exp(m.neg(self._build.unary(Op.ABS, x)), "exp(-|x|)")
                low = self._build.binary(Op.MIN, x, const(0.0, x.storage))
                return m.sub(low, m.log1p(small), note)
            case "log1p":
                return m.log1p(x, note)
            case "expm1":
                return m.expm1(x, note)
            case "one_plus_tanh":
                return m.div(2.0, m.one_plus_exp_neg(m.mul(x, 2.0)), note)
            case "one_minus_tanh":
                return m.div(2.0, m.one_plus_exp_neg(m.mul(x, -2.0)), note)
            case "one_plus_erf":
                return m.erfc(m.neg(x), note)
            case "one_minus_erf":
                return m.erfc(x, note)
            case "one_minus_sigmoid":
                return m.sigmoid(m.neg(x), note)
        assert match.name == "times_sigmoid" and match.y is not None
        return m.div(self._tensor(match.y), m.one_plus_exp_neg(x), note)

    def _remark(self, why: str) -> None:
        if why not in self._notes:
            self._notes.append(why)

    def _power(self, node: Binary, note: str) -> Operand:
        exponent = self._graph[node.b]
        if not isinstance(exponent, Const):
            raise Refusal("a power with a variable exponent", "whole and broken exponents need different code")
        x, y = self._tensor(node.a), float(exponent.value)
        if y != int(y):
            log = self._build.unary(Op.LN, x)
            return self._math.exp(self._math.mul(log, y), note or "power")
        if not 0 < abs(y) <= 64:
            raise Refusal(f"a power with exponent {y:g}", "products are unrolled up to the 64th power")
        result, square, bits = None, x, int(abs(y))
        while bits:
            if bits & 1:
                result = square if result is None else self._math.mul(result, square)
            bits >>= 1
            if bits:
                square = self._math.mul(square, square)
        assert result is not None
        return self._math.div(1.0, result, note) if y < 0 else result

    # ---- booleans and selections -------------------------------------------------------------------------------

    def _compare(self, mode: str, a: NodeId, b: NodeId, note: str) -> Operand:
        left, right = self._value(a), self._value(b)
        note = note or mode.lower()
        storage = (left if isinstance(left, Value) else right).storage
        if isinstance(left, Scalar) and isinstance(right, Scalar):
            raise Refusal("a condition between scalars", "conditions select per element")
        if storage is Storage.MASK:
            return self._equal_masks(mode, self._tensor(a), self._tensor(b))
        if storage in (Storage.INT32, Storage.INT16):
            return self._ints.compare(mode, left, right, note)
        if storage not in (Storage.FLOAT, Storage.HALF):
            raise Refusal(f"a comparison of {storage}", "Compare takes half, float and (EQ) int32 on Ascend 910B")
        if mode == "NE":
            # Compare NE gives 0 where an operand is NaN; the operator means 1
            return self._build.bits(Op.NOT, self._build.compare("EQ", left, right, note), note=note)
        return self._build.compare(mode, left, right, note)

    def _equal_masks(self, mode: str, a: Value, b: Value) -> Value:
        differ = self._xor(a, b)
        if mode == "NE":
            return differ
        if mode == "EQ":
            return self._build.bits(Op.NOT, differ)
        raise Refusal("an order of booleans", "only == and != are composed")

    def _xor(self, a: Value, b: Value) -> Value:
        both = self._build.bits(Op.NOT, self._build.bits(Op.AND, a, b))
        return self._build.bits(Op.AND, self._build.bits(Op.OR, a, b), both, note="xor")

    def _logic(self, node: Binary, note: str) -> Value:
        a, b = self._tensor(node.a), self._tensor(node.b)
        if node.op is BinaryOp.XOR:
            return self._xor(a, b)
        return self._build.bits(Op.AND if node.op is BinaryOp.AND else Op.OR, a, b, note=note or str(node.op))

    def _where(self, node: Where, note: str) -> Operand:
        cond = self._value(node.cond)
        if isinstance(cond, Scalar):
            raise Refusal("a selection by a scalar condition", "conditions select per element")
        a, b = self._value(node.a), self._value(node.b)
        if node.kind is Kind.BOOL:
            first = self._build.bits(Op.AND, cond, self._tensor(node.a))
            second = self._build.bits(Op.AND, self._build.bits(Op.NOT, cond), self._tensor(node.b))
            return self._build.bits(Op.OR, first, second, note=note or "where")
        storage = a.storage
        if storage not in (Storage.FLOAT, Storage.HALF, Storage.INT32, Storage.INT16):
            raise Refusal(f"a selection of {storage}", "Select moves 16 and 32 bit elements")
        return self._build.select(cond, a, b, storage, note or "where")

    # ---- integers ----------------------------------------------------------------------------------------------

    def _integer(self, node: Unary | Binary, note: str) -> Operand:
        if node.dtype is None:
            raise Refusal("arithmetic of untyped integers", "scalars of integer kind are only used as real numbers")
        if node.dtype in _BYTES and isinstance(node, Binary) and node.op in (BinaryOp.MAXIMUM, BinaryOp.MINIMUM):
            # bytes live in half, which holds them exactly
            return self._build.binary(_ARITHMETIC[node.op], self._byte(node.a), self._byte(node.b), note)
        if node.dtype not in (DType.INT32, DType.INT16):
            raise Refusal(
                f"{node.dtype} arithmetic ({node.op})", "vector arithmetic knows int16 and int32 on Ascend 910B"
            )
        storage = storage_of(node.dtype)
        if isinstance(node, Unary):
            return self._ints.unary(node.op, self._typed(node.x, storage), note)
        return self._ints.binary(node.op, self._typed(node.a, storage), self._typed(node.b, storage), note)

    def _typed(self, index: NodeId, storage: Storage) -> Operand:
        """An operand of integer arithmetic; literals take the type of the other side."""
        value = self._value(index)
        if isinstance(value, Scalar) and value.storage is not storage:
            if not value.is_const:
                raise Refusal(f"the scalar {value.name!r} in {storage} arithmetic", "scalars are int32 or float")
            return const(value.number, storage)
        return value

    def _byte(self, index: NodeId) -> Operand:
        value = self._value(index)
        if isinstance(value, Scalar):
            if not value.is_const:
                raise Refusal(f"the scalar {value.name!r} beside 8-bit values", "they are computed in half")
            return const(float(value.number), Storage.HALF)
        return value

    # ---- conversions -------------------------------------------------------------------------------------------

    def _cast(self, node: Cast, note: str) -> Operand:
        source = self._graph[node.x]
        assert node.dtype is not None
        note = note or f"as {node.dtype}"
        if source.kind is Kind.BOOL:
            return self._from_mask(self._tensor(node.x), self._storage(node), note)
        if node.kind is Kind.BOOL:
            x = self._tensor(node.x)
            if x.storage in (Storage.INT32, Storage.INT16):
                return self._ints.compare("NE", x, const(0, x.storage), note)
            equal = self._build.compare("EQ", x, const(0, x.storage))
            return self._build.bits(Op.NOT, equal, note=note)
        if node.kind is Kind.FLOAT:
            return self._to_real(node, source, note)
        if source.kind is Kind.FLOAT:
            return self._real_to_int(node, note)
        return self._ints.convert(self._tensor(node.x), self._storage(node), str(node.dtype), note)

    def _from_mask(self, mask: Value, storage: Storage, note: str) -> Value:
        real = storage if storage in (Storage.HALF, Storage.FLOAT) else Storage.FLOAT
        if storage is Storage.INT16:
            real = Storage.HALF
        ones = self._build.fill(const(1.0, real), mask.lane)
        picked = self._build.select(mask, ones, const(0.0, real), real, note)
        return picked if storage is real else self._build.cast(picked, storage, "CAST_RINT", note)

    def _to_real(self, node: Cast, source: Node, note: str) -> Operand:
        x = self._value(node.x)
        if isinstance(x, Scalar):
            return Scalar(x.op, self._real, x.args, x.number, x.name, x.row)
        if source.kind is Kind.INT:
            x = self._int_to_real(x, source)
        rounded = {DType.FLOAT16: Storage.HALF, DType.BFLOAT16: Storage.BF16}.get(node.dtype or DType.FLOAT32)
        if rounded is None or rounded is self._real:
            return x
        return self._build.cast(self._build.cast(x, rounded, "CAST_RINT", note), self._real, "CAST_NONE", note)

    def _int_to_real(self, x: Value, source: Node) -> Value:
        if x.storage is self._real:
            return x
        if x.storage is Storage.HALF:
            return self._build.cast(x, Storage.FLOAT, "CAST_NONE")
        if self._real is Storage.HALF or x.storage not in (Storage.INT32, Storage.INT16, Storage.INT64):
            raise Refusal(f"a conversion of {source.dtype} to a real number", "Cast has no such pair on Ascend 910B")
        return self._build.cast(
            x, Storage.FLOAT, "CAST_NONE" if x.storage is Storage.INT16 else "CAST_RINT", "as float"
        )

    def _real_to_int(self, node: Cast, note: str) -> Value:
        """To an integer toward zero; a rounding just before decides the mode of the conversion itself."""
        inner, mode = self._graph[node.x], "CAST_TRUNC"
        x = self._tensor(node.x)
        if isinstance(inner, Unary) and inner.op in _ROUND:
            mode, x = _ROUND[inner.op], self._tensor(inner.x)
        storage = storage_of(node.dtype or DType.INT32)
        if storage in (Storage.INT32, Storage.INT16):
            return self._build.cast(x, storage, mode, note)
        if storage is Storage.INT64 and x.storage is Storage.FLOAT:
            return self._build.cast(x, storage, mode, note)
        if storage in (Storage.INT8, Storage.UINT8):
            # int16 saturates and is whole; half keeps what the next conversion needs to saturate again
            whole = self._build.cast(x, Storage.INT16, mode, note)
            narrow = self._build.cast(self._build.cast(whole, Storage.HALF, "CAST_RINT"), storage, "CAST_RINT", note)
            return self._build.cast(narrow, Storage.HALF, "CAST_NONE", note)
        raise Refusal(f"a conversion to {node.dtype}", "Cast has no such pair on Ascend 910B")

    # ---- reductions and outputs --------------------------------------------------------------------------------

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
        count = scalar(ScalarOp.DIV, const(1.0, Storage.FLOAT), self._row_length())
        mean = self._build.binary(Op.MUL, result, count, note or "row mean")
        assert isinstance(mean, Value)
        return mean

    def _row_length(self) -> Scalar:
        dims = self._graph.space[len(self._graph.space) - self._split :]
        parts = [
            const(float(d), Storage.FLOAT) if isinstance(d, int) else self._given(ScalarOp.SIZE, d, Storage.FLOAT)
            for d in dims
        ]
        length = parts[0]
        for part in parts[1:]:
            length = scalar(ScalarOp.MUL, length, part)
        return length

    def _output(self, name: str, index: NodeId) -> None:
        spec = self._graph.output_spec(name)
        lane = lane_of(spec.shape, self._graph.space, self._split)
        if lane is None or lane is Lane.VECTOR:
            raise Refusal(f"the output {name!r}", "an output has the iteration space's size or one value per row")
        storage = storage_of(spec.dtype)
        value = self._value(index)
        if isinstance(value, Scalar) or value.lane is not lane:
            if isinstance(value, Value) and value.storage is Storage.MASK:
                value = self._from_mask(value, Storage.HALF, name)
            value = self._build.spread(value, lane, value.storage)
        value = self._stored(value, storage, spec.dtype, name)
        if self._is_taken(value):
            value = self._build.emit(Op.MOVE, value.storage, value.lane, (value,), name=name, note=name)
        self._build.store(name, value)

    def _stored(self, value: Value, storage: Storage, dtype: DType, name: str) -> Value:
        if value.storage is Storage.MASK:
            value = self._from_mask(value, Storage.HALF, name)
        if value.storage is storage:
            return value
        source = next((inst for inst in self._build.insts if inst.dst is value and inst.op is Op.CAST), None)
        if source is not None and source.args[0].storage is storage and source.mode == "CAST_NONE":
            inner = source.args[0]
            assert isinstance(inner, Value)
            return inner
        if storage is Storage.BF16 or dtype in (*_BYTES, DType.FLOAT16):
            return self._build.cast(value, storage, "CAST_RINT", name)
        if storage is Storage.FLOAT and value.storage is Storage.HALF:
            return self._build.cast(value, storage, "CAST_NONE", name)
        raise Refusal(f"an output of {dtype} from {value.storage}", "Cast has no such pair on Ascend 910B")

    def _is_taken(self, value: Value) -> bool:
        """Whether a value lives in a buffer that cannot also be the output's (an input's, or another output's)."""
        for inst in self._build.insts:
            if inst.op is Op.STORE and value in inst.args:
                return True
            if inst.dst is value and inst.op is Op.LOAD:
                return True
        return False


def _weights(graph: Graph) -> list[int]:
    """Number of nodes under every node, counted as a tree."""
    weights: list[int] = []
    for node in graph.nodes:
        weights.append(1 + min(sum(weights[i] for i in node.operands), 10**6))
    return weights


def _widths(inst: Inst) -> bool:
    return isinstance(inst.args[0], Value) and inst.args[0].storage in (Storage.HALF, Storage.BF16)


__all__ = ["REDUCTIONS", "lower"]
