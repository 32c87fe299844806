"""Types as far as the oracle follows them. What it cannot tell is None everywhere, and None fits anything."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

TENSORS = frozenset({"LocalTensor", "GlobalTensor"})
QUEUES = frozenset({"TQue", "TQueBind", "TSCM"})
FLOATS = ("half", "bfloat16_t", "float", "double")
_INTEGERS = {
    "bool": (1, False), "char": (1, True), "int8_t": (1, True), "uint8_t": (1, False), "int16_t": (2, True),
    "uint16_t": (2, False), "int32_t": (4, True), "uint32_t": (4, False), "int64_t": (8, True), "uint64_t": (8, False),
}  # fmt: skip
"""Size in bytes and sign of every integer type, by canonical name."""

_SPELLINGS = {
    "int": "int32_t", "signed int": "int32_t", "signed": "int32_t", "unsigned": "uint32_t", "unsigned int": "uint32_t",
    "short": "int16_t", "short int": "int16_t", "unsigned short": "uint16_t", "unsigned short int": "uint16_t",
    "signed char": "int8_t", "unsigned char": "uint8_t", "long": "int64_t", "long int": "int64_t",
    "long long": "int64_t", "long long int": "int64_t", "unsigned long": "uint64_t", "unsigned long int": "uint64_t",
    "unsigned long long": "uint64_t", "size_t": "uint64_t", "float16_t": "half", "float32_t": "float",
    "uint": "uint32_t", "TEventID": "int8_t",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CppType:
    """A type: name, template arguments, levels of pointer or array.

    A template argument that is a number stands as a type whose name is `=` and the number.
    """

    name: str
    args: tuple[CppType | None, ...] = ()
    pointers: int = 0
    constant: bool = field(default=False, compare=False)
    """Of an array or pointer: whether what it points to is const."""

    @property
    def is_number(self) -> bool:
        """Whether it is an arithmetic type."""
        return self.pointers == 0 and (self.name in _INTEGERS or self.name in FLOATS)

    @property
    def is_integer(self) -> bool:
        """Whether it is an integer or bool."""
        return self.pointers == 0 and self.name in _INTEGERS

    @property
    def is_tensor(self) -> bool:
        """Whether it is a LocalTensor or GlobalTensor."""
        return self.pointers == 0 and self.name in TENSORS

    @property
    def element(self) -> CppType | None:
        """Element type of a tensor; None where it is not known."""
        return self.args[0] if self.args else None

    def pointed(self, levels: int) -> CppType:
        """The type with more (or fewer) levels of pointer."""
        return replace(self, pointers=self.pointers + levels)

    def __str__(self) -> str:
        args = ", ".join("..." if a is None else str(a).lstrip("=") for a in self.args)
        return self.name + (f"<{args}>" if self.args else "") + "*" * self.pointers


def canonical(spelling: str) -> str:
    """One name for the many spellings of a fundamental type; another name comes back as it is."""
    words = " ".join(w for w in spelling.split() if w not in {"const", "volatile", "constexpr", "static"})
    return _SPELLINGS.get(words, words)


def literal(text: str) -> CppType | None:
    """Type of a number literal as C++ has it: 1.0f float, 1.0 double, 1 int, 1u unsigned, ..."""
    digits = text.replace("'", "").lower()
    if digits.startswith("0x") and "p" not in digits:
        suffix = re.search(r"[ul]*$", digits)
        return _integer(digits, suffix.group() if suffix else "")
    if re.search(r"[.ep]", digits):
        if digits.endswith("f"):
            return CppType("float")
        return None if digits.endswith("l") else CppType("double")
    suffix = re.search(r"[a-z]*$", digits)
    return _integer(digits, suffix.group() if suffix else "")


def _integer(digits: str, suffix: str) -> CppType | None:
    if set(suffix) - set("ul"):
        return None  # a user-defined literal, or 1f
    try:
        value = int(re.sub(r"[ul]+$", "", digits), 0)
    except ValueError:
        return CppType("int32_t")  # octal such as 010
    wide = (
        "l" in suffix
        or value > 0xFFFFFFFF
        or (value > 0x7FFFFFFF and "u" not in suffix and not digits.startswith("0x"))
    )
    unsigned = "u" in suffix or (digits.startswith("0x") and 0x7FFFFFFF < value <= 0xFFFFFFFF)
    return CppType(("uint" if unsigned else "int") + ("64_t" if wide else "32_t"))


def arithmetic(left: CppType | None, right: CppType | None) -> CppType | None:
    """Result type of + - * / of two arithmetic operands (C++ usual conversions).

    16-bit floats give None: compilers differ in what they promote them to.
    """
    if left is None or right is None or not left.is_number or not right.is_number:
        return None
    names = {left.name, right.name}
    if names & {"half", "bfloat16_t"}:
        return None
    for kind in ("double", "float"):
        if kind in names:
            return CppType(kind)
    (size, signed), (other, other_signed) = _promoted(left.name), _promoted(right.name)
    if size == other:
        return CppType(("int" if signed and other_signed else "uint") + ("64_t" if size == 8 else "32_t"))
    wide, sign = (size, signed) if size > other else (other, other_signed)
    return CppType(("int" if sign else "uint") + ("64_t" if wide == 8 else "32_t"))


def promoted(operand: CppType | None) -> CppType | None:
    """Type after integral promotion (unary -, +, ~ and shifts)."""
    if operand is None or not operand.is_number:
        return None
    if operand.name in FLOATS:
        return operand if operand.name in {"float", "double"} else None
    size, signed = _promoted(operand.name)
    return CppType(("int" if signed else "uint") + ("64_t" if size == 8 else "32_t"))


def size_of(type_: CppType) -> int | None:
    """Size in bytes of an arithmetic type."""
    floats = {"half": 2, "bfloat16_t": 2, "float": 4, "double": 8}
    if type_.pointers:
        return None
    return floats.get(type_.name) or (_INTEGERS[type_.name][0] if type_.name in _INTEGERS else None)


def _promoted(name: str) -> tuple[int, bool]:
    size, signed = _INTEGERS[name]
    return (4, True) if size < 4 else (size, signed)
