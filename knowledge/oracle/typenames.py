"""Types as the author spells them: aliases, template arguments, members, resolved through symbols and the index."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from agentkernel.knowledge.index import Index
from agentkernel.knowledge.oracle.cpptypes import CppType, canonical
from agentkernel.knowledge.oracle.source import SourceFile
from agentkernel.knowledge.oracle.symbols import Function, Member, Symbols, TypeParam, UserClass, function_declarator

if TYPE_CHECKING:
    from tree_sitter import Node

_POINTERS = frozenset(
    {"pointer_declarator", "array_declarator", "abstract_pointer_declarator", "abstract_array_declarator"}
)
_NESTING = 24
"""Levels of aliases and template arguments that are followed; more are a cycle, or nothing that a kernel has."""


@dataclass
class Context:
    """What names mean at a place: template arguments, the class around, local variables by block."""

    file: SourceFile
    binding: dict[str, CppType | None] = field(default_factory=dict)
    owner: UserClass | None = None
    blocks: list[dict[str, CppType | None]] = field(default_factory=list)

    def local(self, name: str) -> tuple[bool, CppType | None]:
        """Whether a local variable has that name, and its type."""
        for block in reversed(self.blocks):
            if name in block:
                return True, block[name]
        return False, None

    def declare(self, name: str, type_: CppType | None) -> None:
        """Add a variable to the innermost block."""
        self.blocks[-1][name] = type_


class Types:
    """Resolves type names over the author's symbols and the API index."""

    def __init__(self, symbols: Symbols, index: Index) -> None:
        self.symbols = symbols
        self.index = index
        self._nesting = 0

    def typeof(self, node: Node, ctx: Context, depth: int = 0) -> CppType | None:
        """Type of an expression; this class knows none, `Infer` does."""
        raise NotImplementedError

    def resolve(self, node: Node, ctx: Context) -> CppType | None:
        """The type that a type node names."""
        if self._nesting > _NESTING:
            return None
        self._nesting += 1
        try:
            return self._resolve(node, ctx)
        finally:
            self._nesting -= 1

    def _resolve(self, node: Node, ctx: Context) -> CppType | None:
        kind = node.type
        result: CppType | None = None
        if kind == "type_descriptor":
            inner = node.child_by_field_name("type")
            base = self.resolve(inner, ctx) if inner is not None else None
            declarator = node.child_by_field_name("declarator")
            result = base.pointed(pointer_levels(declarator)) if base is not None else None
        elif kind in {"primitive_type", "sized_type_specifier"}:
            result = CppType(canonical(ctx.file.text_of(node)))
        elif kind in {"type_identifier", "identifier", "namespace_identifier", "field_identifier"}:
            result = self.named(ctx.file.text_of(node), ctx)
        elif kind in {"template_type", "template_function"}:
            result = self._template(node, ctx)
        elif kind == "qualified_identifier":
            result = self._qualified_type(node, ctx)
        elif kind in {"struct_specifier", "class_specifier", "enum_specifier"}:
            name = node.child_by_field_name("name")
            result = self.resolve(name, ctx) if name is not None else None
        return result

    def named(self, name: str, ctx: Context) -> CppType | None:
        """The type of that name."""
        if name in ctx.binding:
            return ctx.binding[name]
        if ctx.owner is not None and name in ctx.owner.aliases:
            file, target = ctx.owner.aliases[name]
            return self.resolve(target, Context(file, ctx.binding))
        if name in self.symbols.aliases:
            file, target, template = self.symbols.aliases[name]
            return None if template else self.resolve(target, Context(file))
        if name in self.symbols.classes:
            return CppType(name)
        return None if name in self.symbols.macros or name in self.symbols.enums else self._known(name)

    def _known(self, name: str) -> CppType | None:
        """A fundamental type, or one of the index with its alias followed."""
        plain = CppType(canonical(name))
        if plain.name != name or plain.is_number:
            return plain
        info = self.index.type(name)
        if info is None or info.kind != "alias":
            return CppType(name) if info is not None else None
        base = canonical(info.target.replace("__gm__", "").rstrip("*").strip())
        return CppType(base, (), info.target.count("*"))

    def _template(self, node: Node, ctx: Context) -> CppType | None:
        name_node, listed = node.child_by_field_name("name"), node.child_by_field_name("arguments")
        if name_node is None:
            return None
        name = ctx.file.text_of(name_node)
        args = (
            tuple(self.template_argument(a, ctx) for a in listed.named_children if a.type != "comment")
            if listed
            else ()
        )
        if name in self.symbols.aliases:
            file, target, template = self.symbols.aliases[name]
            return self.resolve(target, Context(file, self.bind(template, args, file)))
        if name in self.symbols.classes:
            return CppType(name, args)
        if name in self.symbols.names and not self.index.type(name):
            return None
        info = self.index.type(name)
        return CppType(name, args) if info is not None and info.kind in {"class", "struct"} else None

    def _qualified_type(self, node: Node, ctx: Context) -> CppType | None:
        scope, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
        if name is None:
            return None
        scope_text = ctx.file.text_of(scope) if scope is not None else ""
        if scope_text in {"", "AscendC"}:
            return self.resolve(name, ctx)
        if scope_text == "std":
            plain = canonical(ctx.file.text_of(name))
            return CppType(plain) if CppType(plain).is_number else None
        is_space = scope_text in self.symbols.names and scope_text not in self.symbols.classes
        return self.resolve(name, ctx) if is_space and scope_text not in self.symbols.aliases else None

    def template_argument(self, node: Node, ctx: Context) -> CppType | None:
        """A template argument: a type, a number, or None for what is not known."""
        if node.type == "type_descriptor":
            return self.resolve(node, ctx)
        return CppType("=" + ctx.file.text_of(node)) if node.type == "number_literal" else None

    def bind(
        self, template: tuple[TypeParam, ...], args: tuple[CppType | None, ...], file: SourceFile
    ) -> dict[str, CppType | None]:
        """Template parameters with their arguments, defaults filled in."""
        binding: dict[str, CppType | None] = {}
        for i, param in enumerate(template):
            value = args[i] if i < len(args) else None
            if i >= len(args) and param.default is not None and param.is_type:
                value = self.resolve(param.default, Context(file, dict(binding)))
            binding[param.name] = value
        return binding

    def declared(self, member: Member, ctx: Context) -> CppType | None:
        """Type of a variable from its declaration."""
        declarator = member.declarator
        if self._nesting > _NESTING:
            return None
        if function_declarator(declarator) is not None and declarator.type != "init_declarator":
            return None
        base = self.resolve(member.type_node, ctx)
        if base is None and member.type_node.type == "placeholder_type_specifier" and member.value is not None:
            self._nesting += 1  # `auto a = a;` would never end
            try:
                return self.typeof(member.value, ctx)
            finally:
                self._nesting -= 1
        if base is None:
            return None
        levels = pointer_levels(declarator)
        constant = levels > 0 and any(
            c.type == "type_qualifier" and ctx.file.text_of(c) in {"const", "constexpr"}
            for c in (member.type_node.parent.children if member.type_node.parent is not None else ())
        )
        return replace(base.pointed(levels), constant=constant)

    # ---- members

    def class_context(self, owner: UserClass, type_: CppType) -> Context:
        """Context inside a class of the author's, for one instantiation."""
        return Context(owner.file, self.bind(owner.template, type_.args, owner.file), owner)

    def user_class(self, type_: CppType | None) -> UserClass | None:
        """The author's class behind a type, unless it has several definitions."""
        if type_ is None or type_.name in self.symbols.doubled:
            return None
        return self.symbols.classes.get(type_.name)

    def member_type(self, type_: CppType, name: str, depth: int = 0) -> CppType | None:
        """Type of a data member of an author's class or of a known structure."""
        owner = self.user_class(type_)
        if owner is not None:
            ctx = self.class_context(owner, type_)
            if name in owner.members:
                return None if name in owner.ambiguous else self.declared(owner.members[name], ctx)
            for base in owner.bases if depth < 4 else ():
                base_type = self.resolve(base, ctx)
                found = self.member_type(base_type, name, depth + 1) if base_type is not None else None
                if found is not None:
                    return found
            return None
        info = self.index.type(type_.name) if type_.name not in self.symbols.names else None
        spec = next((f for f in info.fields if f.name == name), None) if info is not None else None
        return CppType(canonical(spec.type)) if spec is not None and re.fullmatch(r"\w+", spec.type) else None

    def methods(self, type_: CppType, name: str, depth: int = 0) -> list[Function]:
        """Methods of an author's class, inherited ones included."""
        owner = self.user_class(type_)
        if owner is None:
            return []
        if name in owner.methods:
            return owner.methods[name]
        ctx = self.class_context(owner, type_)
        for base in owner.bases if depth < 4 else ():
            base_type = self.resolve(base, ctx)
            found = self.methods(base_type, name, depth + 1) if base_type is not None else []
            if found:
                return found
        return []


def pointer_levels(declarator: Node | None) -> int:
    """Levels of pointer or array that a declarator adds to its type."""
    levels = 0
    while declarator is not None:
        if declarator.type in _POINTERS:
            levels += 1
        inner = declarator.child_by_field_name("declarator")
        if inner is None and declarator.type == "reference_declarator":
            inner = next((c for c in declarator.named_children), None)
        declarator = inner
    return levels
