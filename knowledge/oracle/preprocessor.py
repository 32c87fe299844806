"""Which parts of a file the compiler reads on Atlas A2, as far as `#if` conditions can be decided."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from agentkernel.knowledge.oracle.source import SourceFile

if TYPE_CHECKING:
    from tree_sitter import Node

CONDITIONALS = frozenset({"preproc_if", "preproc_ifdef", "preproc_elif", "preproc_elifdef", "preproc_else"})
_VALUES = {"__CCE_AICORE__": 220, "__NPU_ARCH__": 2201, "__DAV_C220__": 1, "__cplusplus": 201703}
_UNDEFINED = frozenset(
    {"__CCE_KT_TEST__", "ASCENDC_CPU_DEBUG", "__DAV_C310__", "__DAV_M200__", "__DAV_M300__", "__DAV_C100__", "__HOST__"}
)
_TOKENS, _BRACKETS = 96, 12
"""Longest condition that is decided; no kernel has a longer one, and a hostile one must not exhaust the stack."""
_TOKEN = re.compile(r"\s*(defined\s*\(\s*\w+\s*\)|defined\s+\w+|\d\w*|[A-Za-z_]\w*|&&|\|\||[=!<>]=|[-+*/%<>!()])")


def evaluate(text: str, defines: Mapping[str, str | None]) -> bool | None:
    """Value of an `#if` condition; None where it hangs on something we do not know.

    Args:
        text: The condition.
        defines: Object-like macros of the author's with their text; None for one with several definitions.
    """
    text = re.sub(r"/\*.*?\*/|//.*|\\\n", " ", text, flags=re.DOTALL).strip()
    tokens: list[str] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            return None
        tokens.append(match.group(1))
        position = match.end()
    if len(tokens) > _TOKENS or tokens.count("(") > _BRACKETS:
        return None
    try:
        value = _Condition(tokens, defines).value()
    except _UnknownError:
        return None
    return bool(value)


class _UnknownError(Exception):
    """The value hangs on something that we do not know, or the text is no condition."""


class _Condition:
    """Recursive descent over the tokens of one condition."""

    _LEVELS = (("||",), ("&&",), ("==", "!="), ("<", ">", "<=", ">="), ("+", "-"), ("*",))
    _APPLY: Mapping[str, Callable[[int, int], int]] = MappingProxyType(
        {
            "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, ">": lambda a, b: a > b,
            "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b, "+": lambda a, b: a + b, "-": lambda a, b: a - b,
            "*": lambda a, b: a * b,
        }
    )  # fmt: skip

    def __init__(self, tokens: list[str], defines: Mapping[str, str | None]) -> None:
        self._tokens = tokens
        self._defines = defines
        self._at = 0

    def value(self) -> int:
        found = self._level(0)
        if self._at != len(self._tokens) or found is None:
            raise _UnknownError
        return found

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self._at += 1
        return token

    def _level(self, level: int) -> int | None:
        if level == len(self._LEVELS):
            return self._unary()
        left = self._level(level + 1)
        while self._peek() in self._LEVELS[level]:
            operator = self._next()
            right = self._level(level + 1)
            if operator in {"||", "&&"}:
                # one known operand may decide alone
                decisive = operator == "||"
                known = [bool(v) for v in (left, right) if v is not None]
                left = int(decisive) if decisive in known else None if len(known) < 2 else int(not decisive)
            else:
                left = None if left is None or right is None else int(self._APPLY[operator](left, right))
        return left

    def _unary(self) -> int | None:
        token = self._next()
        if token in {"!", "-", "+"}:
            inner = self._unary()
            return inner if inner is None or token == "+" else int(not inner) if token == "!" else -inner
        if token == "(":
            inner = self._level(0)
            if self._next() != ")":
                raise _UnknownError
            return inner
        return self._atom(token)

    def _atom(self, token: str) -> int | None:
        if token.startswith("defined"):
            known = _is_defined(re.sub(r"defined|[\s()]", "", token), self._defines)
            return None if known is None else int(known)
        if re.fullmatch(r"(?:0[xX][\da-fA-F]+|\d+)[uUlL]*", token):
            digits = token.rstrip("uUlL")
            return int(digits, 16 if digits[:2].lower() == "0x" else 10)
        if not re.fullmatch(r"[A-Za-z_]\w*", token):
            raise _UnknownError
        if token in _VALUES or token in _UNDEFINED:
            return _VALUES.get(token, 0)
        value = self._defines.get(token)
        return int(value) if value is not None and re.fullmatch(r"\d+", value) else None


def _is_defined(name: str, defines: Mapping[str, str | None]) -> bool | None:
    if name in _VALUES or name in defines:
        return True
    return False if name in _UNDEFINED else None


def condition(node: Node, file: SourceFile, defines: Mapping[str, str | None]) -> bool | None:
    """Whether the compiler reads the first branch of a conditional."""
    if node.type in {"preproc_if", "preproc_elif"}:
        test = node.child_by_field_name("condition")
        return evaluate(file.text_of(test), defines) if test is not None else None
    if node.type == "preproc_else":
        return True
    name = node.child_by_field_name("name")
    if name is None:
        return None
    text = file.text_of(name)
    negated = any(c.type in {"#ifndef", "#elifndef"} for c in node.children)
    if negated and any(
        c.type == "preproc_def" and (n := c.child_by_field_name("name")) is not None and file.text_of(n) == text
        for c in node.named_children[1:3]
    ):
        return True  # an include guard
    known = _is_defined(text, {} if negated else defines)
    return None if known is None else known != negated


def branches(node: Node, file: SourceFile, defines: Mapping[str, str | None]) -> list[tuple[list[Node], bool | None]]:
    """Bodies of a conditional with whether each is read: True, False, or None where we do not know."""
    found: list[tuple[list[Node], bool | None]] = []
    state: bool | None = True
    current: Node | None = node
    while current is not None:
        value = condition(current, file, defines)
        alternative = current.child_by_field_name("alternative")
        skipped = {current.child_by_field_name("condition"), current.child_by_field_name("name"), alternative}
        body = [c for c in current.named_children if c not in skipped]
        live = False if state is False else value if state else (None if value is not False else False)
        found.append((body, live))
        if value is True:
            state = False
        elif value is None:
            state = None if state is not False else False
        current = alternative
    return found


def unread(root: Node, file: SourceFile, defines: Mapping[str, str | None]) -> list[tuple[int, int]]:
    """Byte ranges that the compiler does not read, or perhaps not."""
    ranges: list[tuple[int, int]] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in {"preproc_if", "preproc_ifdef"}:
            for body, live in branches(node, file, defines):
                if not body:
                    continue
                if live:
                    stack.extend(body)
                else:
                    ranges.append((body[0].start_byte, body[-1].end_byte))
        elif b"#" in file.data[node.start_byte : node.end_byte]:
            stack.extend(node.named_children)
    return ranges
