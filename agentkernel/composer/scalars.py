"""Scalar expressions as C++ text."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping

from agentkernel.composer.ir import Scalar, ScalarOp, Storage


def literal(number: float | int, storage: Storage) -> str:
    """A literal of a storage type; infinities and NaN by their bits."""
    if storage is Storage.FLOAT:
        return real(float(number))
    if storage is Storage.HALF:
        return f"static_cast<half>({real(float(number))})"
    return str(int(number)) if storage is Storage.INT32 else f"static_cast<{storage.ctype}>({int(number)})"


def real(number: float) -> str:
    """A float literal, as short as float32 allows."""
    if not math.isfinite(number) or abs(number) > 3.4028235e38:
        bits = 0x7FC00000 if math.isnan(number) else 0x7F800000 if number > 0 else 0xFF800000
        return f"FloatFromBits(0x{bits:08X})"
    single = struct.unpack("<f", struct.pack("<f", number))[0]
    text = next(t for t in (f"{single:.{digits}g}" for digits in range(1, 10)) if _single(float(t)) == single)
    if "e" in text:
        mantissa, exponent = text.split("e")
        return f"{mantissa}e{int(exponent)}f"
    return f"{text}f" if "." in text else f"{text}.0f"


def _single(number: float) -> float:
    return float(struct.unpack("<f", struct.pack("<f", number))[0])


class ScalarText:
    """Writes scalar expressions.

    Args:
        variable: Expression of a size, attribute or one-element tensor in the kernel's code.
        types: Type that each of those has there.
        row: Expression of the current row's element of a ROW value.
    """

    def __init__(
        self,
        variable: Callable[[ScalarOp, str], str],
        types: Mapping[str, str],
        row: Callable[[Scalar], str],
    ) -> None:
        self._variable = variable
        self._types = types
        self._row = row

    def __call__(self, scalar: Scalar) -> str:
        """The expression's text."""
        return self._text(scalar, outer=True)

    def _text(self, s: Scalar, *, outer: bool = False) -> str:
        match s.op:
            case ScalarOp.CONST:
                return literal(s.number, s.storage)
            case ScalarOp.ROW:
                return self._row(s)
            case ScalarOp.ATTR | ScalarOp.SIZE | ScalarOp.ELEMENT:
                name = self._variable(s.op, s.name)
                wanted = s.storage.ctype
                return name if self._types[s.name] == wanted else f"static_cast<{wanted}>({name})"
            case ScalarOp.NEG:
                return f"-{self._text(s.args[0])}"
            case ScalarOp.MAX | ScalarOp.MIN:
                a, b = (self._text(arg) for arg in s.args)
                return f"({a} {'>' if s.op is ScalarOp.MAX else '<'} {b} ? {a} : {b})"
        a, b = (self._text(arg) for arg in s.args)
        return f"{a} {s.op} {b}" if outer else f"({a} {s.op} {b})"
