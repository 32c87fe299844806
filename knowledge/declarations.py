"""C++ declarations as text -> typed overloads. Used when the index is built, never while it is read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from agentkernel.knowledge.index import Overload, Param, ParamKind, TemplateParam

ENUMS = frozenset(
    (
        *(
            "CMPMODE",
            "SELMODE",
            "RoundMode",
            "ReduceOrder",
            "TransposeType",
            "HardEvent",
            "pipe_t",
            "event_t",
            "CacheMode",
        ),
        *("CacheRwMode", "QuantMode_t", "BlockMode", "DeqScale", "MaskMode", "FmatrixMode"),
    )
)
_NUMBERS = frozenset(
    (
        *("bool", "char", "int", "unsigned", "float", "double", "half", "bfloat16_t", "int8_t", "uint8_t", "int16_t"),
        *("uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "size_t", "TEventID"),
    )
)
_OPEN, _CLOSE = "(<[{", ")>]}"


def split_top(text: str, separator: str = ",") -> list[str]:
    """Split at a separator that stands outside every bracket; an empty text gives no parts."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        if char in _OPEN:
            depth += 1
        elif char in _CLOSE and not (char == ">" and text[i - 1] in "-="):
            depth -= 1
        elif char == separator and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return [*parts, last] if last or parts else []


def closing(text: str, start: int) -> int:
    """Index of the bracket that closes the one at `start`.

    Raises:
        ValueError: It is never closed.
    """
    depth = 0
    for i in range(start, len(text)):
        if text[i] in _OPEN:
            depth += 1
        elif text[i] in _CLOSE and not (text[i] == ">" and text[i - 1] in "-="):
            depth -= 1
            if depth == 0:
                return i
    raise ValueError(f"unbalanced: {text[start : start + 60]!r}")


def template_params(text: str) -> tuple[TemplateParam, ...]:
    """Parameters between the angle brackets of a template head; enable_if conditions are left out."""
    found = []
    for item in split_top(text):
        if "enable_if" in item:
            continue
        head, _, default = item.partition("=")
        head = head.strip()
        if re.fullmatch(r"[A-Z]\w*", head):
            head = f"typename {head}"
        kind, _, name = head.rpartition(" ")
        kind = kind.strip() or "typename"
        if name.startswith(("&", "*")):
            kind, name = kind + name[0], name[1:]
        kind = "typename" if kind in {"typename", "class"} else kind
        found.append(TemplateParam(name=name, type=kind, default=default.strip() or None))
    return tuple(found)


def parameter(text: str, elements: frozenset[str]) -> Param:
    """One parameter declaration.

    Args:
        text: For example `const LocalTensor<T>& dst` or `uint64_t mask[]`.
        elements: Names of the typename template parameters in scope.
    """
    text = " ".join(text.split())
    head, _, default = text.partition("=")
    head = head.strip()
    array = ""
    bracket = re.search(r"\[[^\]]*\]\s*$", head)
    if bracket:
        array, head = bracket.group().strip(), head[: bracket.start()].strip()
    match = re.fullmatch(r"(.*?[\s&*>])\s*([A-Za-z_]\w*)", head)
    ctype, name = (match.group(1).strip(), match.group(2)) if match else (head, "")
    if not match and re.fullmatch(r"\w+", head) and head not in _NUMBERS and not head[0].isupper():
        ctype, name = "", head  # a macro's parameter has no type
    ctype = re.sub(r"\s+([&*])", r"\1", ctype)
    kind, element = _kind(ctype, array, elements)
    return Param(
        name=name,
        type=ctype + array,
        kind=kind,
        element=element,
        default=default.strip() or None,
        mutable_ref=ctype.endswith("&") and not ctype.endswith("&&") and not ctype.startswith("const "),
    )


def _kind(ctype: str, array: str, elements: frozenset[str]) -> tuple[ParamKind, str]:
    plain = ctype.replace("const ", "").rstrip("&").strip()
    if array:
        return (ParamKind.MASK_ARRAY, "") if plain == "uint64_t" and array == "[]" else (ParamKind.ANY, "")
    tensor = re.fullmatch(r"(LocalTensor|GlobalTensor)<\s*([\w ]+?)\s*>", plain)
    struct = re.fullmatch(r"\w+(Params|Params\w+|Info|SrcList|Full)(<\s*\w+\s*>)?", plain)
    if tensor:
        kind, element = (ParamKind.LOCAL if tensor.group(1) == "LocalTensor" else ParamKind.GLOBAL), tensor.group(2)
    elif plain in {"QUEUE", "BUFFER"}:
        kind, element = ParamKind(plain.lower()), ""
    elif plain in elements:
        kind, element = ParamKind.ELEMENT, plain
    elif plain in _NUMBERS or plain in ENUMS:
        kind, element = (ParamKind.NUMBER if plain in _NUMBERS else ParamKind.ENUM), plain
    else:
        kind, element = (ParamKind.STRUCT, plain) if struct else (ParamKind.ANY, "")
    return kind, element


def level_of(params: Iterable[Param]) -> Literal[0, 2] | None:
    """2 for a form with an element count, 0 for one with mask or repeat, else None."""
    names = {p.name for p in params}
    if names & {"repeatTime", "repeat", "repeatTimes"}:
        return 0
    if names & {"count", "calCount"}:
        return 2
    return 0 if names & {"mask"} else None


def overload(returns: str, template: str, params: str) -> Overload:
    """An overload from its three pieces of text."""
    heads = template_params(template)
    elements = frozenset(t.name for t in heads if t.type == "typename")
    items = () if params.strip() == "void" else tuple(parameter(p, elements) for p in split_top(params))
    items = tuple(p for p in items if p.name or p.type)
    return Overload(returns=returns, template=heads, params=items, level=level_of(items))


def find_overloads(text: str, name: str) -> list[Overload]:
    """Declarations of `name` in free text, in order; what cannot be read is left out."""
    found: list[Overload] = []
    last = 0
    for match in re.finditer(rf"\b{re.escape(name)}\s*\(", text):
        if match.start() < last:
            continue
        open_at = match.end() - 1
        try:
            close_at = closing(text, open_at)
        except ValueError:
            continue
        before = text[last : match.start()].rpartition("||")[2]
        template = ""
        at = before.rfind("template")
        if at >= 0 and "<" in before[at:]:
            start = before.index("<", at)
            try:
                end = closing(before, start)
            except ValueError:
                continue
            template, before = before[start + 1 : end], before[end + 1 :]
        returns = re.sub(
            r"__inout_pipe__\(\w\)|__attribute__\(\(\w+\)\)|\b(static|constexpr|inline)\b|[;|}{]", " ", before
        )
        last = close_at + 1
        if "|" in text[open_at:close_at] or "…" in text[open_at:close_at]:
            continue  # the row abbreviates; an overlay entry spells it out
        found.append(overload(" ".join(returns.split()) or "void", template, text[open_at + 1 : close_at]))
    return found
