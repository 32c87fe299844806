"""The functions of the formula language."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agentkernel.dtypes import DType
from agentkernel.errors import TaskError
from agentkernel.formula.builder import GraphBuilder
from agentkernel.formula.graph import BinaryOp, CompareOp, NodeId, ReduceOp, UnaryOp

Argument = NodeId | str
"""An expression, or the text that names a type."""

_TANH_CUBIC = 0.044715
"""Of the tanh approximation of GELU (Hendrycks and Gimpel, arXiv 1606.08415)."""


@dataclass(frozen=True)
class Call:
    """One call in a formula."""

    build: GraphBuilder
    arguments: Sequence[Argument]
    named: dict[str, object]
    fail: Callable[[str, str], TaskError]


@dataclass(frozen=True)
class Function:
    """A function: what it is called like, and how it becomes nodes."""

    usage: str
    """Signature with a few words of meaning."""
    arity: int
    make: Callable[..., NodeId]
    """Gets the builder and the operands (and, for a reduction or a cast, the call)."""
    form: str = "plain"
    """`plain`, `reduce` (accepts axis=) or `cast` (the last argument is a type)."""

    def __call__(self, call: Call) -> NodeId:
        """The node of a call.

        Raises:
            TaskError: Arguments are missing, too many, or of the wrong kind.
        """
        allowed = {"axis"} if self.form == "reduce" else set()
        if len(call.arguments) != self.arity or set(call.named) - allowed:
            raise call.fail(f"{len(call.arguments)} argument(s) or a wrong name", f"usage: {self.usage}")
        texts = self.arity - 1 if self.form == "cast" else self.arity
        if any(isinstance(argument, str) for argument in call.arguments[:texts]):
            raise call.fail("a text where an expression is needed", f"usage: {self.usage}")
        if self.form == "plain":
            return self.make(call.build, *call.arguments)
        return self.make(call)


def _unary(op: UnaryOp) -> Callable[[GraphBuilder, NodeId], NodeId]:
    return lambda build, x: build.unary(op, x)


def _binary(op: BinaryOp) -> Callable[[GraphBuilder, NodeId, NodeId], NodeId]:
    return lambda build, a, b: build.binary(op, a, b)


def _reduce(op: ReduceOp) -> Callable[[Call], NodeId]:
    def make(call: Call) -> NodeId:
        axis = call.named.get("axis", -1)
        axes = axis if isinstance(axis, tuple) else (axis,)
        if axis is not None and not all(isinstance(a, int) and not isinstance(a, bool) for a in axes):
            raise call.fail("axis must be a whole number, a tuple of them, or None", f"for example {op}(x, axis=-1)")
        x = call.arguments[0]
        assert not isinstance(x, str)
        return call.build.reduce(op, x, None if axis is None else tuple(int(str(a)) for a in axes))

    return make


def _cast(call: Call) -> NodeId:
    x, wanted = call.arguments
    known = ", ".join(DType)
    if not isinstance(wanted, str) or wanted not in set(DType):
        raise call.fail("the type of cast() is not known", f"one of {known}, in quotes")
    assert not isinstance(x, str)
    return call.build.cast(x, DType(wanted))


def _clip(build: GraphBuilder, x: NodeId, low: NodeId, high: NodeId) -> NodeId:
    return build.binary(BinaryOp.MINIMUM, build.binary(BinaryOp.MAXIMUM, x, low), high)


def _silu(build: GraphBuilder, x: NodeId) -> NodeId:
    return build.binary(BinaryOp.MUL, x, build.unary(UnaryOp.SIGMOID, x))


def _half_of_one_plus(build: GraphBuilder, x: NodeId, y: NodeId) -> NodeId:
    half = build.binary(BinaryOp.MUL, build.const(0.5), x)
    return build.binary(BinaryOp.MUL, half, build.binary(BinaryOp.ADD, build.const(1.0), y))


def _gelu(build: GraphBuilder, x: NodeId) -> NodeId:
    scaled = build.binary(BinaryOp.MUL, x, build.const(math.sqrt(0.5)))
    return _half_of_one_plus(build, x, build.unary(UnaryOp.ERF, scaled))


def _gelu_tanh(build: GraphBuilder, x: NodeId) -> NodeId:
    cubic = build.binary(BinaryOp.MUL, build.const(_TANH_CUBIC), build.power(x, build.const(3)))
    inner = build.binary(BinaryOp.MUL, build.const(math.sqrt(2 / math.pi)), build.binary(BinaryOp.ADD, x, cubic))
    return _half_of_one_plus(build, x, build.unary(UnaryOp.TANH, inner))


def _softplus(build: GraphBuilder, x: NodeId) -> NodeId:
    small = build.unary(UnaryOp.EXP, build.unary(UnaryOp.NEG, build.unary(UnaryOp.ABS, x)))
    log = build.unary(UnaryOp.LOG, build.binary(BinaryOp.ADD, build.const(1.0), small))
    return build.binary(BinaryOp.ADD, build.unary(UnaryOp.RELU, x), log)


def _isnan(build: GraphBuilder, x: NodeId) -> NodeId:
    # not x != x: the chip's "not equal" gives 0 for NaN, its "equal" does what IEEE says
    return build.unary(UnaryOp.NOT, build.compare(CompareOp.EQ, x, x))


FUNCTIONS: dict[str, Function] = {
    "exp": Function("exp(x)", 1, _unary(UnaryOp.EXP)),
    "log": Function("log(x), natural", 1, _unary(UnaryOp.LOG)),
    "sqrt": Function("sqrt(x)", 1, _unary(UnaryOp.SQRT)),
    "rsqrt": Function("rsqrt(x) = 1 / sqrt(x)", 1, _unary(UnaryOp.RSQRT)),
    "abs": Function("abs(x)", 1, _unary(UnaryOp.ABS)),
    "relu": Function("relu(x) = maximum(x, 0)", 1, _unary(UnaryOp.RELU)),
    "sigmoid": Function("sigmoid(x) = 1 / (1 + exp(-x))", 1, _unary(UnaryOp.SIGMOID)),
    "tanh": Function("tanh(x)", 1, _unary(UnaryOp.TANH)),
    "erf": Function("erf(x)", 1, _unary(UnaryOp.ERF)),
    "floor": Function("floor(x), still a real number", 1, _unary(UnaryOp.FLOOR)),
    "ceil": Function("ceil(x), still a real number", 1, _unary(UnaryOp.CEIL)),
    "round": Function("round(x), ties to even, still a real number", 1, _unary(UnaryOp.ROUND)),
    "trunc": Function("trunc(x), still a real number", 1, _unary(UnaryOp.TRUNC)),
    "maximum": Function("maximum(a, b), NaN if either is", 2, _binary(BinaryOp.MAXIMUM)),
    "minimum": Function("minimum(a, b), NaN if either is", 2, _binary(BinaryOp.MINIMUM)),
    "clip": Function("clip(x, low, high)", 3, _clip),
    "where": Function("where(cond, a, b)", 3, lambda build, c, a, b: build.where(c, a, b)),
    "silu": Function("silu(x) = x * sigmoid(x)", 1, _silu),
    "gelu": Function("gelu(x) = 0.5 * x * (1 + erf(x / sqrt(2)))", 1, _gelu),
    "gelu_tanh": Function("gelu_tanh(x), the tanh approximation of gelu", 1, _gelu_tanh),
    "softplus": Function("softplus(x) = log(1 + exp(x))", 1, _softplus),
    "isnan": Function("isnan(x)", 1, _isnan),
    "cast": Function("cast(x, 'float16')", 2, _cast, "cast"),
    "sum": Function("sum(x, axis=-1); the axis stays with size 1", 1, _reduce(ReduceOp.SUM), "reduce"),
    "mean": Function("mean(x, axis=-1); the axis stays with size 1", 1, _reduce(ReduceOp.MEAN), "reduce"),
    "max": Function("max(x, axis=-1), a reduction; maximum(a, b) for two operands", 1, _reduce(ReduceOp.MAX), "reduce"),
    "min": Function("min(x, axis=-1), a reduction; minimum(a, b) for two operands", 1, _reduce(ReduceOp.MIN), "reduce"),
}
