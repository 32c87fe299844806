"""The structures of tiling data as the kernel reads them, generated from what the host code registered."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

from agentkernel.diagnostic import Diagnostic, Level
from agentkernel.simulator.host.description import TilingClass
from agentkernel.simulator.host.runtime import SHARED_HEADERS

_FIELD_TYPES = "int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t float bool int uint"
FIELD_TYPES = frozenset(_FIELD_TYPES.split())
"""Spellings that the generator of the real toolchain knows."""


@functools.cache
def library_structs() -> frozenset[str]:
    """Structures that kernel_tiling/kernel_tiling.h brings: they are not generated."""
    texts = (path.read_text(encoding="utf-8") for path in SHARED_HEADERS.glob("*.h"))
    return frozenset(name for text in texts for name in re.findall(r"define AK_TILING_FIELDS_(\w+)", text))


def keyed_class(classes: Sequence[TilingClass], op_type: str, key: int) -> TilingClass | None:
    """The structure that GET_TILING_DATA means for a tiling key: `Type_KEY` where that is registered, else `Type`."""
    registered = {one.registered: one for one in classes}
    return registered.get(f"{op_type}_{key}") or registered.get(op_type)


def tiling_header(classes: Sequence[TilingClass], op_type: str, tiling_key: int = 0) -> str:
    """Device source of every structure, and the role of one of them in GET_TILING_DATA.

    Structures stand in global scope under their own names, members before what holds them, padding spelled out.

    Args:
        classes: What the host code registered.
        op_type: The operator that is compiled.
        tiling_key: The key that it is compiled for.
    """
    ordered: dict[str, TilingClass] = {}

    def add(one: TilingClass) -> None:
        for field in one.fields:
            if field.form == "struct":
                inner = next((other for other in classes if other.name == field.type), None)
                if inner is not None:
                    add(inner)
        ordered.setdefault(one.name, one)

    for one in classes:
        add(one)
    parts = ["#include <stdint.h>\n"]
    if any(field.type in library_structs() for one in classes for field in one.fields):
        parts.append('#include "kernel_tiling/kernel_tiling.h"\n')
    parts += [
        _struct(one, nested=_is_member(one, classes)) for one in ordered.values() if one.name not in library_structs()
    ]
    chosen = keyed_class(classes, op_type, tiling_key)
    if chosen is not None:
        parts.append(f"using AkDefaultTiling = {chosen.name};\n")
    return "".join(parts)


def _is_member(one: TilingClass, classes: Sequence[TilingClass]) -> bool:
    return any(field.form == "struct" and field.type == one.name for other in classes for field in other.fields)


def _struct(one: TilingClass, *, nested: bool) -> str:
    lines = []
    for field in one.fields:
        kind = {"int": "int32_t", "uint": "uint32_t"}.get(field.type, field.type)
        if field.form == "array":
            lines.append(f"  {kind} {field.name}[{field.length}]{' = {}' if nested else ''};\n")
        elif field.form == "struct":
            lines.append(f"  {kind} {field.name};\n")
        else:
            lines.append(f"  {kind} {field.name}{' = 0' if nested else ''};\n")
    return f"class {one.name} {{\n public:\n{''.join(lines)}}};\n"


def check_classes(classes: Sequence[TilingClass]) -> Iterator[Diagnostic]:
    """What the generator of the kernel's structures would refuse."""
    registered = {one.registered for one in classes}
    for one in classes:
        for field in one.fields:
            if field.form == "struct":
                if field.type not in library_structs() and f"{field.type}Op" not in registered:
                    yield Diagnostic(
                        code="host-tiling-struct",
                        level=Level.HOST,
                        message=f"The structure `{field.type}` in `{one.name}` is not registered as `{field.type}Op`.",
                        hint=f"Write REGISTER_TILING_DATA_CLASS({field.type}Op, {field.type}) behind its definition.",
                    )
            elif re.sub(r"\s+", " ", field.type.removeprefix("std::")) not in FIELD_TYPES:
                yield Diagnostic(
                    code="host-tiling-field",
                    level=Level.HOST,
                    message=f"The field `{field.name}` of `{one.name}` has the type `{field.type}`, which a kernel's "
                    "structure cannot have.",
                    hint="Use int8_t to int64_t, uint8_t to uint64_t, float or bool.",
                )
