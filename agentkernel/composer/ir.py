"""The composer's instruction list: single-assignment values of a storage type, produced by Ascend C instructions.

A program has values of three lanes. A FULL value has one number per element of a tile, a ROW value one per row of it, a
VECTOR value one per column, the same for all rows. Scalars are no values but small expressions (`Scalar`) that the
scalar unit evaluates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from agentkernel.dtypes import DType


class Lane(StrEnum):
    """How far a value reaches over a tile."""

    FULL = "full"
    ROW = "row"
    VECTOR = "vector"


class Storage(StrEnum):
    """Element type of a value in local memory: a C++ type name, or packed comparison bits."""

    HALF = "half"
    FLOAT = "float"
    BF16 = "bfloat16_t"
    INT8 = "int8_t"
    UINT8 = "uint8_t"
    INT16 = "int16_t"
    UINT16 = "uint16_t"
    INT32 = "int32_t"
    UINT32 = "uint32_t"
    INT64 = "int64_t"
    MASK = "mask"
    """One bit per element, least significant first, in uint8_t."""

    @property
    def bits(self) -> int:
        """Bits per element."""
        return _BITS[self]

    @property
    def ctype(self) -> str:
        """C++ element type of the tensor that holds it."""
        return "uint8_t" if self is Storage.MASK else self.value


_BITS = {
    Storage.HALF: 16, Storage.FLOAT: 32, Storage.BF16: 16, Storage.INT8: 8, Storage.UINT8: 8, Storage.INT16: 16,
    Storage.UINT16: 16, Storage.INT32: 32, Storage.UINT32: 32, Storage.INT64: 64, Storage.MASK: 1,
}  # fmt: skip


def storage_of(dtype: DType) -> Storage:
    """Storage type of a tensor's elements."""
    return Storage(dtype.ascendc)


@dataclass(frozen=True)
class Value:
    """One value of the program."""

    id: int
    storage: Storage
    lane: Lane
    note: str = field(default="", compare=False)
    """What it is, in words of the formula (`exp(-x)`); for comments."""


class ScalarOp(StrEnum):
    """What a scalar expression is made of."""

    CONST = "const"
    ATTR = "attr"
    SIZE = "size"
    ELEMENT = "element"
    """The only element of an input tensor of one element, read from global memory."""
    ROW = "row"
    """The current row's element of a ROW value."""
    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    NEG = "neg"
    MAX = "max"
    MIN = "min"


@dataclass(frozen=True)
class Scalar:
    """An expression of the scalar unit."""

    op: ScalarOp
    storage: Storage
    """FLOAT, HALF, or an integer type."""
    args: tuple[Scalar, ...] = ()
    number: float | int = 0
    """Of a CONST."""
    name: str = ""
    """Of an ATTR, SIZE or ELEMENT."""
    row: Value | None = None
    """Of a ROW."""

    @property
    def is_const(self) -> bool:
        """Whether it is a literal."""
        return self.op is ScalarOp.CONST

    def walk(self) -> Iterator[Scalar]:
        """This expression and all its parts."""
        yield self
        for arg in self.args:
            yield from arg.walk()


def const(number: float | int, storage: Storage) -> Scalar:
    """A literal."""
    return Scalar(ScalarOp.CONST, storage, number=number)


Operand = Value | Scalar


class Op(StrEnum):
    """Instructions, by the name of the Ascend C call, and a few that the emitter expands."""

    LOAD = "Load"
    """Global tensor `Inst.name` -> value."""
    STORE = "Store"
    """Value -> global tensor `Inst.name`; has no result."""
    MOVE = "Move"
    """Copy inside local memory."""
    EXP = "Exp"
    LN = "Ln"
    ABS = "Abs"
    SQRT = "Sqrt"
    RELU = "Relu"
    NOT = "Not"
    ADD = "Add"
    SUB = "Sub"
    MUL = "Mul"
    DIV = "Div"
    MAX = "Max"
    MIN = "Min"
    AND = "And"
    OR = "Or"
    ADDS = "Adds"
    MULS = "Muls"
    MAXS = "Maxs"
    MINS = "Mins"
    SHIFT_LEFT = "ShiftLeft"
    SHIFT_RIGHT = "ShiftRight"
    DUPLICATE = "Duplicate"
    CAST = "Cast"
    COMPARE = "Compare"
    COMPARES = "CompareScalar"
    SELECT = "Select"
    """(mask, a, b): a where the bit is set; b may be a scalar."""
    AXPY = "Axpy"
    """(accumulator, x, scalar): accumulator + scalar * x, in the accumulator's buffer."""
    SUM = "ReduceSum"
    """FULL -> ROW."""
    MAXIMUM = "ReduceMax"
    MINIMUM = "ReduceMin"


REDUCTIONS = frozenset({Op.SUM, Op.MAXIMUM, Op.MINIMUM})
BINARY = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.MAX, Op.MIN, Op.AND, Op.OR})
WITH_SCALAR = frozenset({Op.ADDS, Op.MULS, Op.MAXS, Op.MINS, Op.SHIFT_LEFT, Op.SHIFT_RIGHT})
UNARY = frozenset({Op.EXP, Op.LN, Op.ABS, Op.SQRT, Op.RELU, Op.NOT})


@dataclass(frozen=True)
class Inst:
    """One instruction."""

    op: Op
    dst: Value | None
    args: tuple[Operand, ...] = ()
    mode: str = ""
    """RoundMode of a CAST, CMPMODE of a comparison."""
    view: Storage | None = None
    """Type as which operands and result are reinterpreted; the element count scales with it."""
    name: str = ""
    """Tensor of a LOAD or STORE."""

    @property
    def values(self) -> tuple[Value, ...]:
        """Values that it reads, those inside scalar expressions included."""
        found: dict[Value, None] = {}
        for arg in self.args:
            if isinstance(arg, Value):
                found.setdefault(arg)
            else:
                for part in arg.walk():
                    if part.row is not None:
                        found.setdefault(part.row)
        return tuple(found)

    @property
    def lane(self) -> Lane:
        """The lane that it works on: its operand's for a reduction, else its result's."""
        if self.op in REDUCTIONS or self.dst is None:
            first = self.args[0]
            assert isinstance(first, Value)
            return first.lane
        return self.dst.lane


@dataclass(frozen=True)
class Program:
    """A lowered formula."""

    insts: tuple[Inst, ...]
    """In an order that can be executed."""
    split: int
    """Number of trailing dimensions of the iteration space that make up a row; 0 for a flat program."""
    padded: bool
    """Whether some instruction computes whole repeats only (Compare), so that counts are rounded up to 256 bytes."""
    notes: tuple[str, ...] = ()
    """Decisions worth telling: precision paths, rewrites."""

    @property
    def is_flat(self) -> bool:
        """Whether all values are FULL, so that the tensors can be walked as one line of elements."""
        return self.split == 0

    @property
    def values(self) -> tuple[Value, ...]:
        """All values, in order of definition."""
        return tuple(inst.dst for inst in self.insts if inst.dst is not None)
