"""Lowering of nodes of real numbers: rewrites first, then functions and arithmetic."""

from __future__ import annotations

from collections.abc import Callable

from agentkernel.composer.builder import Builder, scalar
from agentkernel.composer.errors import Refusal
from agentkernel.composer.ir import Op, Operand, Scalar, ScalarOp, Value, const
from agentkernel.composer.numerics import Numerics
from agentkernel.composer.patterns import Match, find
from agentkernel.formula.graph import Binary, BinaryOp, Const, Graph, Node, NodeId, Unary, UnaryOp

ARITHMETIC = {
    BinaryOp.ADD: Op.ADD,
    BinaryOp.SUB: Op.SUB,
    BinaryOp.MUL: Op.MUL,
    BinaryOp.DIV: Op.DIV,
    BinaryOp.MAXIMUM: Op.MAX,
    BinaryOp.MINIMUM: Op.MIN,
}
ROUND_MODES = {
    UnaryOp.FLOOR: "CAST_FLOOR",
    UnaryOp.CEIL: "CAST_CEIL",
    UnaryOp.ROUND: "CAST_RINT",
    UnaryOp.TRUNC: "CAST_TRUNC",
}
_INSTRUCTIONS = {UnaryOp.ABS: Op.ABS, UnaryOp.EXP: Op.EXP, UnaryOp.LOG: Op.LN, UnaryOp.SQRT: Op.SQRT}
_MOST_PRODUCTS = 64


class Reals:
    """Builds nodes of real numbers.

    Args:
        build: Where instructions go.
        math: Functions of one operand.
        graph: The formula.
        value: Lowers an operand.
        remark: Takes decisions worth telling.
    """

    def __init__(
        self,
        build: Builder,
        math: Numerics,
        graph: Graph,
        value: Callable[[NodeId], Operand],
        remark: Callable[[str], None],
    ) -> None:
        self._b = build
        self._m = math
        self._graph = graph
        self._value = value
        self._remark = remark
        self._rewrites: dict[str, Callable[[Value, str], Value]] = {
            "softplus": self._softplus,
            "log_sigmoid": self._log_sigmoid,
            "log1p": math.log1p,
            "expm1": math.expm1,
            "one_plus_tanh": lambda x, note: math.div(2.0, math.one_plus_exp_neg(math.mul(x, 2.0)), note),
            "one_minus_tanh": lambda x, note: math.div(2.0, math.one_plus_exp_neg(math.mul(x, -2.0)), note),
            "one_plus_erf": lambda x, note: math.erfc(math.neg(x), note),
            "one_minus_erf": math.erfc,
            "one_minus_sigmoid": lambda x, note: math.sigmoid(math.neg(x), note),
        }
        self._functions: dict[UnaryOp, Callable[[Value, str], Value]] = {
            UnaryOp.NEG: math.neg,
            UnaryOp.RSQRT: math.rsqrt,
            UnaryOp.RELU: math.relu,
            UnaryOp.SIGMOID: math.sigmoid,
            UnaryOp.TANH: math.tanh,
            UnaryOp.ERF: math.erf,
        }

    def node(self, node: Node, note: str) -> Operand:
        """A unary or binary node of kind FLOAT."""
        match = find(self._graph, node)
        if match is not None:
            return self._rewrite(match, note)
        if isinstance(node, Binary):
            if node.op is BinaryOp.POW:
                return self._power(node, note)
            left, right = self._value(node.a), self._value(node.b)
            return self._b.binary(ARITHMETIC[node.op], left, right, note or str(node.op))
        assert isinstance(node, Unary)
        x = self._value(node.x)
        folded = self._scalar_unary(node.op, x) if isinstance(x, Scalar) else None
        return folded if folded is not None else self._unary(node.op, self._spread(x), note or str(node.op))

    def _spread(self, x: Operand) -> Value:
        return x if isinstance(x, Value) else self._b.fill(x)

    def _scalar_unary(self, op: UnaryOp, x: Scalar) -> Scalar | None:
        """What the scalar unit computes itself."""
        match op:
            case UnaryOp.NEG:
                return scalar(ScalarOp.NEG, x)
            case UnaryOp.ABS:
                return scalar(ScalarOp.MAX, x, scalar(ScalarOp.NEG, x))
            case UnaryOp.RELU:
                return scalar(ScalarOp.MAX, x, const(0.0, x.storage))
        return None

    def _unary(self, op: UnaryOp, x: Value, note: str) -> Value:
        if op in ROUND_MODES:
            return self._m.rounded(x, ROUND_MODES[op], note)
        if op in _INSTRUCTIONS:
            return self._b.unary(_INSTRUCTIONS[op], x, note=note)
        return self._functions[op](x, note)

    def _rewrite(self, match: Match, note: str) -> Operand:
        x = self._spread(self._value(match.x))
        self._remark(match.why)
        note = note or match.name
        if match.y is not None:
            return self._m.div(self._spread(self._value(match.y)), self._m.one_plus_exp_neg(x), note)
        return self._rewrites[match.name](x, note)

    def _exp_of_minus_abs(self, x: Value) -> Value:
        return self._m.exp(self._m.neg(self._b.unary(Op.ABS, x)), "exp(-|x|)")

    def _softplus(self, x: Value, note: str) -> Value:
        return self._m.add(self._m.relu(x), self._m.log1p(self._exp_of_minus_abs(x)), note)

    def _log_sigmoid(self, x: Value, note: str) -> Value:
        low = self._b.binary(Op.MIN, x, const(0.0, x.storage))
        return self._m.sub(low, self._m.log1p(self._exp_of_minus_abs(x)), note)

    def _power(self, node: Binary, note: str) -> Operand:
        exponent = self._graph[node.b]
        if not isinstance(exponent, Const):
            raise Refusal("a power with a variable exponent", "whole and broken exponents need different code")
        x, y = self._spread(self._value(node.a)), float(exponent.value)
        if y != int(y):
            return self._m.exp(self._m.mul(self._b.unary(Op.LN, x), y), note or "power")
        if not 0 < abs(y) <= _MOST_PRODUCTS:
            raise Refusal(f"a power with exponent {y:g}", f"products are unrolled up to the power {_MOST_PRODUCTS}")
        result, square, bits = None, x, int(abs(y))
        while bits:
            if bits & 1:
                result = square if result is None else self._m.mul(result, square)
            bits >>= 1
            if bits:
                square = self._m.mul(square, square)
        assert result is not None
        return self._m.div(1.0, result, note) if y < 0 else result
