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

_TENSOR = re.compile(rf"\bg?({'|'.join(DTYPES)})_\d\b")
_SCALARS = {
    "mask": "uint64_t mask = 32;",
    "bits": "uint64_t bits[2] = {1, 0};",
    "constBits": "const uint64_t constBits[2] = {1, 0};",
    "address": "GM_ADDR address = nullptr;",
    "pipe": "TPipe pipe;",
    "que": "TQue<TPosition::VECIN, 1> que;",
    "inPlace": "TQue<TPosition::VECIN, 0> inPlace;",
    "bind": "TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> bind;",
    "buf": "TBuf<TPosition::VECCALC> buf;",
}
"""Other names that a text may use, with their declarations."""


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

    def __str__(self) -> str:
        return (
            f"{'accept' if self.legal else 'reject'} {self.api}, {self.form}, {self.types}: {self.text} ({self.fact})"
        )


def table(fact: str, lines: str) -> tuple[Row, ...]:
    """Rows of `+ api : form : types : text` (legal) and `- api : form : types : text` (illegal) lines."""
    rows = []
    for line in filter(None, map(str.strip, lines.splitlines())):
        verdict, _, rest = line.partition(" ")
        api, form, types, text = (part.strip() for part in rest.split(" : ", 3))
        assert verdict in {"+", "-"}, line
        rows.append(Row(api, form, types, text, verdict == "+", fact))
    return tuple(rows)


def by_dtype(
    fact: str, form: str, text: str, apis: Iterable[str], legal: tuple[str, ...], *, tried: tuple[str, ...] = COMMON
) -> tuple[Row, ...]:
    """One row for each API and element type; the text has `$api`, `$t` (short name) and `$c` (C++ name)."""
    return tuple(
        Row(api, form, t, call, t in legal, fact, () if t in legal else legal)
        for api in apis
        for t in tried
        for call in [Template(text).substitute(api=api, t=t, c=DTYPES[t])]
    )


def function(name: str, row: Row) -> str:
    """One line of C++: a function that is never called and does what the row says."""
    tensors = sorted({match.group(0) for match in _TENSOR.finditer(row.text)})
    declared = [
        f"{'GlobalTensor' if t.startswith('g') else 'LocalTensor'}<{DTYPES[t.removeprefix('g').split('_')[0]]}> {t};"
        for t in tensors
    ]
    declared += [text for word, text in _SCALARS.items() if re.search(rf"\b{word}\b", row.text)]
    return f"__aicore__ inline void {name}() {{ {' '.join(declared)} {row.text} }}"


HEAD = """#include "kernel_operator.h"
using namespace AscendC;
template <typename T> using Tensor = const LocalTensor<T>&;
template <typename T> using UnaryOp = void(Tensor<T>, Tensor<T>, const int32_t&);
template <typename T> using BinaryOp = void(Tensor<T>, Tensor<T>, Tensor<T>, const int32_t&);
template <typename T> using ScalarOp = void(Tensor<T>, Tensor<T>, const T&, const int32_t&);
template <typename T, UnaryOp<T>* op> __aicore__ inline void Unary(Tensor<T> d, Tensor<T> s) { op(d, s, 8); }
template <typename T, BinaryOp<T>* op> __aicore__ inline void Binary(Tensor<T> d, Tensor<T> s) { op(d, s, s, 8); }
template <typename T, ScalarOp<T>* op> __aicore__ inline void Scalar(Tensor<T> d, Tensor<T> s, T v) { op(d, s, v, 8); }
extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR workspace) {}
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
