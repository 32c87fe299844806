"""Values of compile-time conditions over types: `if constexpr (IsSameType<T, half>::value)`, `sizeof(T) == 2`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentkernel.knowledge.oracle.cpptypes import size_of
from agentkernel.knowledge.oracle.symbols import walk_named
from agentkernel.knowledge.oracle.typenames import Context, Types

if TYPE_CHECKING:
    from tree_sitter import Node

_DEPTH = 32
_SAME = frozenset({"is_same", "IsSameType", "is_same_v"})


class Conditions:
    """Evaluates conditions where the types in them are known."""

    def __init__(self, types: Types) -> None:
        self._types = types

    def truth(self, node: Node, ctx: Context, depth: int = 0) -> bool | None:  # noqa: PLR0911
        """Value of a compile-time condition over types; None where it is not known."""
        kind = node.type
        if depth > _DEPTH:
            return None
        if kind == "condition_clause":
            value = node.child_by_field_name("value")
            return self.truth(value, ctx, depth + 1) if value is not None else None
        if kind == "parenthesized_expression" and len(node.named_children) == 1:
            return self.truth(node.named_children[0], ctx, depth + 1)
        if kind in {"true", "false"}:
            return kind == "true"
        if kind == "unary_expression":
            inner = node.child_by_field_name("argument")
            truth = self.truth(inner, ctx, depth + 1) if inner is not None else None
            return None if truth is None else not truth
        if kind == "binary_expression":
            return self._truth_binary(node, ctx, depth)
        text = ctx.file.text_of(node)
        match = re.fullmatch(r"(?:\w+::)*(\w+)\s*<(.*)>\s*(?:::\s*value|\{\s*\}|\(\s*\))?", text, re.DOTALL)
        if match and match.group(1) in _SAME:
            listed = next((c for c in walk_named(node) if c.type == "template_argument_list"), None)
            args = [self._types.template_argument(a, ctx) for a in listed.named_children] if listed is not None else []
            if len(args) == 2 and args[0] is not None and args[1] is not None:
                return args[0] == args[1]
        return None

    def _truth_binary(self, node: Node, ctx: Context, depth: int) -> bool | None:
        operator = node.child_by_field_name("operator")
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if operator is None or left is None or right is None:
            return None
        if operator.type in {"&&", "||"}:
            values = self.truth(left, ctx, depth + 1), self.truth(right, ctx, depth + 1)
            decisive = operator.type == "||"
            if decisive in values:
                return decisive
            return None if None in values else not decisive
        if operator.type in {"==", "!="}:
            sizes = [self._constant(side, ctx) for side in (left, right)]
            if None not in sizes:
                return (sizes[0] == sizes[1]) == (operator.type == "==")
        return None

    def _constant(self, node: Node, ctx: Context) -> int | None:
        text = ctx.file.text_of(node)
        if node.type == "number_literal":
            match = re.fullmatch(r"(\d+)[uUlL]*", text)
            return int(match.group(1)) if match else None
        if node.type == "sizeof_expression":
            name = re.fullmatch(r"sizeof\s*\(\s*(\w+)\s*\)", text)
            type_ = self._types.named(name.group(1), ctx) if name else None
            return size_of(type_) if type_ is not None else None
        return None
