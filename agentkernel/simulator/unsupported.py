"""Declarations of the library functions that are not simulated: `python -m agentkernel.simulator.unsupported`.

A legal call of such a function compiles, and stops at run time as `unsupported-api` with the function's name; an
illegal element type is rejected at compile time as everywhere. Signatures come from the API index.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from agentkernel.knowledge.index import Api, Index, Overload, Status, load_index

HEADERS = Path(__file__).parent / "include" / "ascendc"
TARGET = HEADERS / "generated_unsupported.h"

CATEGORIES = (
    "high-level: activation",
    "high-level: filter",
    "high-level: index",
    "high-level: index (old name)",
    "high-level: math",
    "high-level: normalization",
    "high-level: quantization",
    "high-level: reduce",
    "high-level: sort",
    "high-level: tensor transform",
)
"""Vector libraries. What belongs to the cube (matrix, Matmul, convolution) and to communication is not declared."""

BY_HAND = frozenset({"Axpy", "Exp", "ReduceMax", "ReduceMin", "ReduceSum", "Select", "Fill", "MrgSort", "Transpose"})
"""Names that also have overloads outside the libraries: their library forms are written by hand."""

_DECLARED = re.compile(r"^AK_[A-Z_]+\(([A-Z]\w+)[,)]|\b(?:void|bool|uint32_t) ([A-Z]\w+)\(", re.MULTILINE)


def by_hand() -> frozenset[str]:
    """Names whose declarations stand in the headers `library_*.h`, next to what simulates them."""
    found = {
        next(filter(None, match))
        for header in HEADERS.glob("library_*.h")
        for match in _DECLARED.findall(header.read_text(encoding="utf-8"))
    }
    return BY_HAND | found


_HEAD = """\
// Vector library functions that exist on Atlas A2 and are not simulated: a call compiles and stops with
// `unsupported-api`. Written from the API index by `python -m agentkernel.simulator.unsupported`.
#pragma once
#include "ascendc/library.h"

// clang-format off
{tilings}
namespace AscendC {{
"""
_TAIL = "\n}  // namespace AscendC\n// clang-format on\n"

_WORDS = re.compile(r"[A-Za-z_]\w*")
_BUILTIN = frozenset(
    _WORDS.findall(
        "bool int void float double auto class typename const constexpr enum struct unsigned signed char short long "
        "half bfloat16_t int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t true false nullptr"
    )
)


def declarations(index: Index | None = None) -> str:
    """Text of `generated_unsupported.h`."""
    index = index or load_index()
    known = _declared_words()
    written = by_hand()
    functions: list[str] = []
    configs: dict[str, str] = {}
    opaque: set[str] = set()
    for api in index.apis():
        if api.category not in CATEGORIES or api.status is not Status.SUPPORTED or api.name in written:
            continue
        for overload in api.overloads:
            named = {t.name for t in overload.template}
            own_configs = dict(_configs(overload))
            words = set(_type_words(overload))
            unknown = words - known - named - _BUILTIN - set(own_configs) - set(own_configs.values())
            if any(t.type.startswith("const ") and t.default is None for t in overload.template) or words & _FOREIGN:
                continue  # forms with a policy that only other chips have
            if overload.returns not in _BUILTIN:
                continue  # tiling functions: the structure they return comes from the host's headers
            configs.update(own_configs)
            opaque |= unknown
            functions.append(_definition(api, overload))
    lines = [f"struct {name} {{}};" for name in sorted(opaque) if not name.endswith("Tiling")]
    for name, instance in sorted(configs.items()):
        if name not in known:
            lines.append(f"struct {name} {{}};")
        if instance not in known:
            lines.append(f"inline constexpr {name} {instance}{{}};")
    # Tiling structures are global, and a program may bring its own definition.
    tilings = "".join(f"struct {name};\n" for name in sorted(opaque) if name.endswith("Tiling"))
    return _HEAD.format(tilings=tilings) + "\n".join([*lines, "", *functions]) + _TAIL


_FOREIGN = frozenset(
    {"fp8_e8m0_t", "optiling", "tiling", "AscendQuantPolicy", "AscendDeQuantPolicy", "AscendAntiQuantPolicy"}
)


def _declared_words() -> set[str]:
    """Every word of the headers that are written by hand: what they declare is among them."""
    words: set[str] = set()
    for header in HEADERS.glob("*.h"):
        if header != TARGET:
            text = re.sub(r"//[^\n]*", "", header.read_text(encoding="utf-8"))
            words.update(_WORDS.findall(text))
    return words


def _type_words(overload: Overload) -> Iterator[str]:
    for param in overload.params:
        yield from _WORDS.findall(re.sub(r"\[\w*\]", "", param.type))
    for template in overload.template:
        yield from _WORDS.findall(re.sub(r"\b\w+::\w+", "", f"{template.type} {template.default or ''}"))


def _configs(overload: Overload) -> Iterator[tuple[str, str]]:
    """(type, default object) of the template parameters `const XConfig& config = default`."""
    for template in overload.template:
        found = re.fullmatch(r"const (\w+)\s*&", template.type)
        if found and template.default:
            yield found[1], template.default


def _definition(api: Api, overload: Overload) -> str:
    head = overload.signature(api.name).partition(f"{overload.returns} {api.name}(")[0]
    params = ", ".join(p.type + (f" = {p.default}" if p.default is not None else "") for p in overload.params)
    checks = "".join(
        f" static_assert(akc::kOneOf<PrimT<{name}>, {', '.join(types)}>, "
        f'"Ascend C {api.name}: dtype is not supported on Ascend 910B; legal: {", ".join(types)}");'
        for name, types in overload.dtypes.items()
        if any(t.name == name and t.type in ("typename", "class") for t in overload.template)
    )
    inline = "" if overload.template else "inline "
    call = f'akrt_unsupported("{api.name}", AK_SITE);'
    return f"{head}AK_API {inline}{overload.returns} {api.name}({params}) {{{checks} {call} }}"


def main() -> int:
    """Write the header into the package; exit status 0."""
    TARGET.write_text(declarations(), encoding="utf-8")
    print(f"wrote {TARGET}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
