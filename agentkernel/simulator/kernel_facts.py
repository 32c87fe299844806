"""What a kernel says about its tiling keys and core types, read off its preprocessed text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from pydantic import BaseModel, ConfigDict

from agentkernel.diagnostic import Diagnostic, Level
from agentkernel.simulator.core_groups import TYPES, CoreGroup
from agentkernel.simulator.lexer import matching

MARKS = """\
#undef TILING_KEY_IS
#define TILING_KEY_IS(key) AK_MARK_KEY(key)
#undef TILING_KEY_LIST
#define TILING_KEY_LIST(...) AK_MARK_KEY(__VA_ARGS__)
#undef KERNEL_TASK_TYPE_DEFAULT
#define KERNEL_TASK_TYPE_DEFAULT(value) AK_MARK_TYPE(value)
#undef KERNEL_TASK_TYPE
#define KERNEL_TASK_TYPE(key, value) AK_MARK_TYPE_OF(key, value)
"""
"""Macros that keep what a kernel says about its keys and core types, for a look through the preprocessed text."""


class KernelFacts(BaseModel):
    """What a kernel says about its keys, for one combination of types."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    keys: frozenset[int]
    """Arguments of TILING_KEY_IS and TILING_KEY_LIST; key 0 alone where there are none."""
    default_type: str = ""
    """Of KERNEL_TASK_TYPE_DEFAULT, e.g. `KERNEL_TYPE_AIV_ONLY`; empty where it is not said."""
    types: dict[int, str] = {}
    """Of KERNEL_TASK_TYPE, by key."""

    def type_of(self, key: int) -> str:
        """The core type of a key; empty where the kernel leaves it to the compiler."""
        return self.types.get(key, self.default_type)

    def group_of(self, key: int) -> CoreGroup | None:
        """The cores of a block for a key; None where the kernel leaves it to the compiler."""
        return TYPES.get(self.type_of(key))

    def check(self, key: int) -> Diagnostic | None:
        """A finding where the kernel has no entry for a key."""
        if key in self.keys:
            return None
        known = ", ".join(map(str, sorted(self.keys)[:16]))
        return Diagnostic(
            code="host-tiling-key",
            level=Level.HOST,
            message=f"The tiling function set the key {key}, and the kernel has entries for {known}.",
            hint="Every key that SetTilingKey is called with needs its TILING_KEY_IS in the kernel.",
            evidence={"key": key, "known": sorted(self.keys)[:64]},
        )


def facts_of(text: str) -> KernelFacts:
    """Read the marks of preprocessed text."""
    keys: set[int] = set()
    types: dict[int, str] = {}
    default = ""
    for name, arguments in _calls(text):
        if name == "AK_MARK_KEY":
            keys.update(key for key in map(_whole, arguments) if key is not None)
        elif name == "AK_MARK_TYPE":
            default = arguments[-1]
        elif (key := _whole(arguments[0])) is not None:
            types[key] = arguments[-1]
    return KernelFacts(keys=frozenset(keys or {0}), default_type=default, types=types)


def _calls(text: str) -> Iterator[tuple[str, Sequence[str]]]:
    for match in re.finditer(r"\b(AK_MARK_KEY|AK_MARK_TYPE_OF|AK_MARK_TYPE)\s*\(", text):
        close = matching(text, match.end() - 1)
        if close > 0:
            inside = text[match.end() : close]
            yield match.group(1), [" ".join(part.split()) for part in inside.split(",")]


def _whole(text: str) -> int | None:
    """Value of a constant expression of integers; None where it is none."""
    plain = re.sub(r"(?<=[0-9a-fA-F])(?:[uU][lL]{0,2}|[lL]{1,2}[uU]?)\b", "", text)
    try:
        return _evaluate(ast.parse(plain.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError):
        return None


def _evaluate(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return int(node.value)
    if isinstance(node, ast.BinOp):
        left, right = _evaluate(node.left), _evaluate(node.right)
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Sub):
            return left - right
        if isinstance(node.op, ast.Mult):
            return left * right
    raise ValueError("not a sum or product of integers")
