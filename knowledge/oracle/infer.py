"""What type an expression has, as far as declarations tell. None means: not known, so nothing is said about it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentkernel.knowledge.index import Api
from agentkernel.knowledge.oracle.cpptypes import TENSORS, CppType, arithmetic, canonical, literal, promoted
from agentkernel.knowledge.oracle.symbols import Function
from agentkernel.knowledge.oracle.typenames import Context, Types, pointer_levels

if TYPE_CHECKING:
    from tree_sitter import Node

_CASTS = frozenset({"static_cast", "reinterpret_cast", "const_cast", "bit_cast"})
_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||", "and", "or"})
_DEPTH = 24
"""Levels of nesting after which an expression's type counts as unknown; real kernels stay far below."""


class Infer(Types):
    """Types of expressions."""

    def typeof(self, node: Node, ctx: Context, depth: int = 0) -> CppType | None:  # noqa: PLR0911, PLR0912
        """Type of an expression."""
        if depth > _DEPTH:
            return None
        kind = node.type
        if kind == "identifier":
            return self._variable(ctx.file.text_of(node), ctx)
        if kind == "call_expression":
            return self._call(node, ctx, depth)
        if kind == "number_literal":
            return literal(ctx.file.text_of(node))
        if kind in {"true", "false"}:
            return CppType("bool")
        if kind == "field_expression":
            return self._field(node, ctx, depth)
        if kind == "subscript_expression":
            base = self._child(node, "argument", ctx, depth)
            if base is None or base.is_tensor:
                return base
            return base.pointed(-1) if base.pointers else None
        if kind == "parenthesized_expression":
            inner = node.named_children
            return self.typeof(inner[0], ctx, depth + 1) if len(inner) == 1 else None
        if kind == "cast_expression":
            target = node.child_by_field_name("type")
            return self.resolve(target, ctx) if target is not None else None
        if kind in {"compound_literal_expression"}:
            target = node.child_by_field_name("type")
            return self.resolve(target, ctx) if target is not None else None
        if kind == "unary_expression":
            operator = node.child_by_field_name("operator")
            operand = self._child(node, "argument", ctx, depth)
            return CppType("bool") if operator is not None and operator.type == "!" else promoted(operand)
        if kind == "binary_expression":
            return self._binary(node, ctx, depth)
        if kind == "pointer_expression":
            operand = self._child(node, "argument", ctx, depth)
            operator = node.child_by_field_name("operator")
            if operand is None:
                return None
            if operator is not None and operator.type == "&":
                return operand.pointed(1)
            return operand.pointed(-1) if operand.pointers else None
        if kind == "conditional_expression":
            yes, no = self._child(node, "consequence", ctx, depth), self._child(node, "alternative", ctx, depth)
            return yes if yes == no else arithmetic(yes, no)
        if kind == "sizeof_expression":
            return CppType("uint64_t")
        if kind == "assignment_expression":
            return self._child(node, "left", ctx, depth)
        if kind == "qualified_identifier":
            return self._qualified(node, ctx)
        return None

    def _child(self, node: Node, name: str, ctx: Context, depth: int) -> CppType | None:
        child = node.child_by_field_name(name)
        return self.typeof(child, ctx, depth + 1) if child is not None else None

    def _variable(self, name: str, ctx: Context) -> CppType | None:
        found, type_ = ctx.local(name)
        if found:
            return type_
        if ctx.owner is not None:
            member = self._variable_of_owner(name, ctx)
            if member is not None or name in ctx.owner.members:
                return member
        if self.symbols.is_user(name):
            known = self.symbols.globals.get(name) if name not in self.symbols.ambiguous else None
            return self.declared(known, Context(known.file)) if known is not None else None
        return self._constant(name)

    def _constant(self, name: str) -> CppType | None:
        """Type of a constant or an unscoped enumerator of the index."""
        constant = self.index.constant(name)
        if constant is not None:
            array = re.fullmatch(r"(\w+)\[\d+\]", constant.type)
            if array:
                return CppType(canonical(array.group(1)), (), 1, constant=True)
            return CppType(canonical(constant.type)) if re.fullmatch(r"\w+", constant.type) else None
        enums = (self.index.type(enum) for enum in ("event_t", "pipe_t"))
        return next((CppType(info.name) for info in enums if info is not None and name in info.values), None)

    def _field(self, node: Node, ctx: Context, depth: int) -> CppType | None:
        name = node.child_by_field_name("field")
        base = node.child_by_field_name("argument")
        if name is None or base is None or name.type != "field_identifier":
            return None
        if base.type == "this":
            return self._variable_of_owner(ctx.file.text_of(name), ctx)
        type_ = self.typeof(base, ctx, depth + 1)
        return self.member_type(type_.pointed(-type_.pointers), ctx.file.text_of(name)) if type_ is not None else None

    def _variable_of_owner(self, name: str, ctx: Context) -> CppType | None:
        if ctx.owner is None:
            return None
        own = CppType(ctx.owner.name, tuple(ctx.binding.get(p.name) for p in ctx.owner.template))
        return self.member_type(own, name)

    def _qualified(self, node: Node, ctx: Context) -> CppType | None:
        scope, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
        scope_text = ctx.file.text_of(scope) if scope is not None else ""
        if name is None:
            return None
        if scope_text in {"", "AscendC"}:
            return self.typeof(name, ctx) if name.type in {"identifier", "qualified_identifier"} else None
        if scope_text in self.symbols.names:
            return None
        info = self.index.type(scope_text)
        if info is not None and info.kind == "alias":
            info = self.index.type(info.target)
        return CppType(info.name) if info is not None and info.kind == "enum" else None

    def _binary(self, node: Node, ctx: Context, depth: int) -> CppType | None:
        operator = node.child_by_field_name("operator")
        sign = operator.type if operator is not None else ""
        left, right = self._child(node, "left", ctx, depth), self._child(node, "right", ctx, depth)
        if sign in _COMPARISONS:
            return CppType("bool") if not any(t is not None and t.name in TENSORS for t in (left, right)) else None
        if sign in {"+", "-"} and left is not None and left.pointers:
            return left
        if sign in {"<<", ">>"}:
            return promoted(left)
        return arithmetic(left, right)

    # ---- calls

    def _call(self, node: Node, ctx: Context, depth: int) -> CppType | None:
        callee = node.child_by_field_name("function")
        kind = callee.type if callee is not None else ""
        result: CppType | None = None
        if callee is None:
            pass
        elif kind == "field_expression":
            result = self._method_call(node, callee, ctx, depth)
        elif kind == "primitive_type":
            result = CppType(canonical(ctx.file.text_of(callee)))
        elif kind == "parenthesized_expression":  # (half)(x) reads as a call
            inner = callee.named_children
            result = self.resolve(inner[0], ctx) if len(inner) == 1 and inner[0].type == "identifier" else None
        elif kind == "qualified_identifier":
            scope, name = callee.child_by_field_name("scope"), callee.child_by_field_name("name")
            if name is not None and (scope is None or ctx.file.text_of(scope) == "AscendC"):
                result = self._free_call(node, name, ctx)
        else:
            result = self._free_call(node, callee, ctx)
        return result

    def _free_call(self, node: Node, callee: Node, ctx: Context) -> CppType | None:
        explicit = template_arguments(callee)
        name_node = callee.child_by_field_name("name") if callee.type == "template_function" else callee
        name = ctx.file.text_of(name_node) if name_node is not None else ""
        if name in _CASTS:
            return self.resolve(explicit[0], ctx) if explicit else None
        if name in self.symbols.functions:
            return self._user_return(self.symbols.functions[name], explicit, ctx, {})
        if ctx.owner is not None and name in ctx.owner.methods:
            return self._user_return(ctx.owner.methods[name], explicit, ctx, ctx.binding)
        type_ = self.resolve(callee, ctx)
        if type_ is not None and (type_.is_number or self.user_class(type_) or self.index.type(type_.name)):
            return type_
        api = self.index.api(name)
        return self.returned(api, node, explicit, ctx, {}) if api is not None else None

    def _method_call(self, node: Node, callee: Node, ctx: Context, depth: int) -> CppType | None:
        base, name_node = callee.child_by_field_name("argument"), callee.child_by_field_name("field")
        if base is None or name_node is None:
            return None
        name_node = undressed(name_node)
        explicit = template_arguments(name_node)
        inner = name_node.child_by_field_name("name") if name_node.type == "template_method" else name_node
        name = ctx.file.text_of(inner) if inner is not None else ""
        if base.type == "this":
            methods = ctx.owner.methods.get(name, []) if ctx.owner is not None else []
            return self._user_return(methods, explicit, ctx, ctx.binding)
        type_ = self.typeof(base, ctx, depth + 1)
        if type_ is None:
            return None
        owner = self.user_class(type_)
        if owner is not None:
            return self._user_return(self.methods(type_, name), explicit, ctx, self.class_context(owner, type_).binding)
        info = self.index.type(type_.name) if type_.name not in self.symbols.names else None
        api = info.method(name) if info is not None else None
        if info is None or api is None:
            return None
        outer = {p.name: type_.args[i] if i < len(type_.args) else None for i, p in enumerate(info.template)}
        return self.returned(api, node, explicit, ctx, outer)

    def _user_return(
        self, found: list[Function], explicit: list[Node], ctx: Context, outer: dict[str, CppType | None]
    ) -> CppType | None:
        results = set()
        for function in found:
            if function.type_node is None or function.type_node.type == "placeholder_type_specifier":
                return None
            args = tuple(self.template_argument(a, ctx) for a in explicit)
            binding = outer | self.bind(function.template, args, function.file)
            base = self.resolve(function.type_node, Context(function.file, binding, ctx.owner))
            declarator = function.node.child_by_field_name("declarator")
            results.add(base.pointed(pointer_levels(declarator)) if base is not None else None)
        return results.pop() if len(results) == 1 else None

    def returned(
        self, api: Api, node: Node, explicit: list[Node], ctx: Context, outer: dict[str, CppType | None]
    ) -> CppType | None:
        """What a call of a known function gives back, where its template arguments say so."""
        listed = node.child_by_field_name("arguments")
        count = len(arguments(listed)) if listed is not None else 0
        results: set[CppType | None] = set()
        for overload in api.overloads:
            names = [t.name for t in overload.template]
            given = " ".join(p.element for p in overload.params)
            open_names = [t.name for t in overload.template[len(explicit) :] if t.default is None]
            if not overload.accepts(count) or len(explicit) > len(names):
                continue
            if any(not re.search(rf"\b{n}\b", given) for n in open_names):
                continue  # nothing settles this parameter, so the call is none of this form
            values = dict.fromkeys(names) | dict(outer)
            values |= {n: self.template_argument(e, ctx) for n, e in zip(names, explicit, strict=False)}
            if bool(explicit) == bool(overload.template) or not explicit:
                results.add(_returns(overload.returns, values))
        return results.pop() if len(results) == 1 else None


def arguments(listed: Node) -> list[Node]:
    """Arguments of a call, without comments."""
    return [c for c in listed.named_children if c.type != "comment"]


def undressed(node: Node) -> Node:
    """A member's name without the word `template` before it."""
    if node.type == "dependent_name":
        return next((c for c in node.named_children), node)
    return node


def template_arguments(node: Node) -> list[Node]:
    """Explicit template arguments of a callee."""
    listed = node.child_by_field_name("arguments") if node.type in {"template_function", "template_method"} else None
    return arguments(listed) if listed is not None else []


def _returns(text: str, values: dict[str, CppType | None]) -> CppType | None:
    plain = text.replace("const ", "").replace("__gm__ ", "").strip()
    pointers = plain.count("*")
    plain = plain.rstrip("*& ").strip()
    tensor = re.fullmatch(r"(LocalTensor|GlobalTensor)<(\w+)>", plain)
    if tensor:
        element = tensor.group(2)
        return CppType(tensor.group(1), (values[element] if element in values else CppType(element),))
    if plain in values:
        value = values[plain]
        return value.pointed(pointers) if value is not None else None
    known = canonical(plain)
    return CppType("uint8_t", (), 1) if plain == "GM_ADDR" else CppType(known, (), pointers)
