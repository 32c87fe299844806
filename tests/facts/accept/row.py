"""One check of the table, and the C++ that it becomes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from string import Template
from typing import NamedTuple

DTYPES = {
    "half": "half",
    "float": "float",
    "bf16": "bfloat16_t",
    "f64": "double",
    "bool": "bool",
    "i4": "int4b_t",
    "i8": "int8_t",
    "u8": "uint8_t",
    "i16": "int16_t",
    "u16": "uint16_t",
    "i32": "int32_t",
    "u32": "uint32_t",
    "i64": "int64_t",
    "u64": "uint64_t",
}
"""C++ names by the short names that tensors of a call text carry."""

COMMON = ("half", "float", "bf16", "i8", "u8", "i16", "u16", "i32", "u32", "i64")
"""Element types that each dtype rule is tried with."""

_TENSOR = re.compile(r"\bg?(%s)_\d\b" % "|".join(DTYPES))


class Row(NamedTuple):
    """One call and whether the device's compiler takes it.

    In the text `half_0`, `half_1` ... are local tensors and `ghalf_0` ... global tensors, by short dtype names.
    """

    api: str
    """Name that a rejection must say."""
    form: str
    types: str
    """Element types, or what stands for them."""
    text: str
    """Statements, on one line."""
    legal: bool
    fact: str
    alternatives: tuple[str, ...] = ()
    """Legal element types that a rejection must list, as short names."""
    detail: str = ""
    """RoundMode or template arguments, where the check is about them."""

    def __str__(self) -> str:
        parts = (self.api, self.form, self.types, self.detail, "accept" if self.legal else "reject")
        return " ".join(part for part in parts if part)


def accept(api: str, form: str, types: str, text: str, fact: str, detail: str = "") -> Row:
    return Row(api, form, types, text, True, fact, detail=detail)


def reject(
    api: str, form: str, types: str, text: str, fact: str, *, alternatives: tuple[str, ...] = (), detail: str = ""
) -> Row:
    return Row(api, form, types, text, False, fact, alternatives, detail)


def by_dtype(
    apis: Iterable[str], form: str, text: str, legal: tuple[str, ...], fact: str, tried: tuple[str, ...] = COMMON
) -> tuple[Row, ...]:
    """One row for each API and element type; `$api` and `$t` of the text are filled in."""
    return tuple(
        accept(api, form, t, call, fact) if t in legal else reject(api, form, t, call, fact, alternatives=legal)
        for api in apis
        for t in tried
        for call in [Template(text).substitute(api=api, t=t, c=DTYPES[t])]
    )


def function(name: str, row: Row) -> str:
    """One line of C++: a function that is never called and does what the row says."""
    tensors = sorted({match.group(0) for match in _TENSOR.finditer(row.text)})
    declared = " ".join(
        f"{'GlobalTensor' if t.startswith('g') else 'LocalTensor'}<{DTYPES[t.removeprefix('g').split('_')[0]]}> {t};"
        for t in tensors
    )
    return f"__aicore__ inline void {name}() {{ {declared} {row.text} }}"


HEAD = """#include "kernel_operator.h"
using namespace AscendC;
template <typename T> using UnaryOp = void(const LocalTensor<T>&, const LocalTensor<T>&, const int32_t&);
template <typename T> using BinaryOp = void(const LocalTensor<T>&, const LocalTensor<T>&, const LocalTensor<T>&, const int32_t&);
template <typename T> using ScalarOp = void(const LocalTensor<T>&, const LocalTensor<T>&, const T&, const int32_t&);
template <typename T, UnaryOp<T>* op> __aicore__ inline void Unary(LocalTensor<T> d, LocalTensor<T> s) { op(d, s, 8); }
template <typename T, BinaryOp<T>* op> __aicore__ inline void Binary(LocalTensor<T> d, LocalTensor<T> s) { op(d, s, s, 8); }
template <typename T, ScalarOp<T>* op> __aicore__ inline void Scalar(LocalTensor<T> d, LocalTensor<T> s, T v) { op(d, s, v, 8); }
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {}
"""
"""First lines of each translation unit: an empty kernel and helpers that take an API as a template argument."""


def unit(rows: Iterable[Row]) -> tuple[str, dict[int, Row]]:
    """Source text of one translation unit, and the row of each line."""
    lines = HEAD.splitlines()
    places: dict[int, Row] = {}
    for row in rows:
        lines.append(function(f"row{len(places)}", row))
        places[len(lines)] = row
    return "\n".join(lines) + "\n", places
