"""The expression graph that a formula parses to: frozen nodes in topological order, shared by index.

A graph is a tuple of nodes. A node names its operands by their position in that tuple, always a smaller one, so that
one pass from the front evaluates or compiles everything. Equal expressions are one node (common subexpressions are
shared by construction), and only nodes that an output needs are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from agentkernel.dtypes import DType
from agentkernel.task import AttrSpec, Dim, TensorSpec

NodeId = int
"""Position of a node in `Graph.nodes`."""

Shape = tuple[Dim, ...]
"""Symbolic sizes, outermost first; 1 where a node does not vary along a dimension. Broadcasting aligns at the right."""


class Kind(StrEnum):
    """What a node's values are."""

    FLOAT = "float"
    """Real numbers; float64 in the evaluator, whatever precision a compiler chooses elsewhere."""
    INT = "int"
    BOOL = "bool"


class Extent(StrEnum):
    """How far a node reaches over the iteration space (`Graph.space`), the class that a tiling is chosen by."""

    FULL = "full"
    """One value per element."""
    ROW = "row"
    """One value per row: size 1 in the last dimension, full elsewhere (what a reduction gives)."""
    VECTOR = "vector"
    """One row shared by all rows: full in the last dimension, size 1 or absent elsewhere (gamma of a layer norm)."""
    SCALAR = "scalar"
    """One value."""
    OTHER = "other"
    """Anything else."""


class UnaryOp(StrEnum):
    """Elementwise functions of one operand."""

    NEG = "neg"
    ABS = "abs"
    EXP = "exp"
    LOG = "log"
    """Natural logarithm."""
    SQRT = "sqrt"
    RSQRT = "rsqrt"
    RELU = "relu"
    SIGMOID = "sigmoid"
    TANH = "tanh"
    ERF = "erf"
    FLOOR = "floor"
    CEIL = "ceil"
    ROUND = "round"
    """To the nearest integer, ties to even."""
    TRUNC = "trunc"
    NOT = "not"
    """Logical on booleans, bitwise on integers."""


class BinaryOp(StrEnum):
    """Elementwise functions of two operands of the same kind."""

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    """True division, floats only."""
    POW = "pow"
    """Floats only; small constant whole exponents are already expanded into products."""
    MAXIMUM = "maximum"
    """NaN if either is NaN."""
    MINIMUM = "minimum"
    AND = "and"
    """Logical on booleans, bitwise on integers; likewise OR and XOR."""
    OR = "or"
    XOR = "xor"
    SHL = "shl"
    SHR = "shr"
    """Arithmetic on signed integers, logical on unsigned ones."""


class CompareOp(StrEnum):
    """Comparisons; the result is BOOL. NaN compares as IEEE 754 says."""

    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    EQ = "eq"
    NE = "ne"


class ReduceOp(StrEnum):
    """Reductions; the reduced dimensions stay with size 1."""

    SUM = "sum"
    MEAN = "mean"
    MAX = "max"
    MIN = "min"


@dataclass(frozen=True, kw_only=True)
class Node:
    """What every node has. Not made by itself."""

    kind: Kind
    dtype: DType | None = None
    """INT: the width that results wrap to, None for an untyped scalar (literal, size, attribute). FLOAT: the storage
    type of an Input or Cast, None for a computed value. BOOL: None, or DType.BOOL for an Input or Cast."""
    shape: Shape = ()
    extent: Extent = Extent.SCALAR

    @property
    def operands(self) -> tuple[NodeId, ...]:
        """Positions of the operands, in order."""
        return ()


@dataclass(frozen=True, kw_only=True)
class Input(Node):
    """An input tensor of the task."""

    name: str


@dataclass(frozen=True, kw_only=True)
class Attr(Node):
    """A scalar attribute. FLOAT for a `float`, BOOL for a `bool`, INT or FLOAT for an `int` as its use demands."""

    name: str


@dataclass(frozen=True, kw_only=True)
class Size(Node):
    """A named size of the task. INT, or FLOAT where it is used in real arithmetic (`sum(x) / cols`)."""

    name: str


@dataclass(frozen=True, kw_only=True)
class Const(Node):
    """A literal, or what constant expressions fold to."""

    value: bool | int | float


@dataclass(frozen=True, kw_only=True)
class Unary(Node):
    """A function of one operand."""

    op: UnaryOp
    x: NodeId

    @property
    def operands(self) -> tuple[NodeId, ...]:
        """The operand."""
        return (self.x,)


@dataclass(frozen=True, kw_only=True)
class Binary(Node):
    """A function of two operands of one kind."""

    op: BinaryOp
    a: NodeId
    b: NodeId

    @property
    def operands(self) -> tuple[NodeId, ...]:
        """Left and right operand."""
        return (self.a, self.b)


@dataclass(frozen=True, kw_only=True)
class Compare(Node):
    """A comparison of two operands of one kind."""

    op: CompareOp
    a: NodeId
    b: NodeId

    @property
    def operands(self) -> tuple[NodeId, ...]:
        """Left and right operand."""
        return (self.a, self.b)


@dataclass(frozen=True, kw_only=True)
class Where(Node):
    """`a` where `cond` holds, else `b`."""

    cond: NodeId
    a: NodeId
    b: NodeId

    @property
    def operands(self) -> tuple[NodeId, ...]:
        """Condition, value where it holds, value elsewhere."""
        return (self.cond, self.a, self.b)


@dataclass(frozen=True, kw_only=True)
class Cast(Node):
    """Conversion to `dtype` (never None here).

    To a float type: rounded to nearest even, overflow to infinity. From a float to an integer: toward zero, saturated,
    NaN to 0. From an integer to a narrower one: saturated. To bool: not equal to zero. Compose with ROUND, FLOOR or
    CEIL for the other rounding modes.
    """

    x: NodeId

    @property
    def operands(self) -> tuple[NodeId, ...]:
        """The operand."""
        return (self.x,)


@dataclass(frozen=True, kw_only=True)
class Reduce(Node):
    """A reduction over some dimensions, which stay with size 1."""

    op: ReduceOp
    x: NodeId
    axes: tuple[int, ...]
    """Reduced dimensions, counted from the right (-1 is the last), ascending; all of them for a whole reduction."""

    @property
    def operands(self) -> tuple[NodeId, ...]:
        """The operand."""
        return (self.x,)


@dataclass(frozen=True)
class Graph:
    """A parsed formula."""

    nodes: tuple[Node, ...]
    """In topological order: operands come before their users."""
    outputs: tuple[tuple[str, NodeId], ...]
    """Every output of the task with its node, in the task's order. A node may serve two outputs."""
    space: Shape
    """The iteration space: the shape that all inputs broadcast to."""
    input_specs: tuple[TensorSpec, ...]
    output_specs: tuple[TensorSpec, ...]
    attr_specs: tuple[AttrSpec, ...] = ()
    names: tuple[tuple[str, NodeId], ...] = ()
    """Names that statements gave to kept nodes, in order; for readable generated code."""
    places: tuple[tuple[int, int], ...] = field(default=(), compare=False)
    """(line, column) in the formula, 1-based, of every node."""

    def __iter__(self) -> Iterator[tuple[NodeId, Node]]:
        return iter(enumerate(self.nodes))

    def __getitem__(self, index: NodeId) -> Node:
        return self.nodes[index]

    def users(self, index: NodeId) -> tuple[NodeId, ...]:
        """Positions of the nodes that read a node (each once)."""
        return tuple(i for i, node in enumerate(self.nodes) if index in node.operands)

    def output_spec(self, name: str) -> TensorSpec:
        """Declaration of an output."""
        return next(spec for spec in self.output_specs if spec.name == name)
