"""What the author declared: names by kind, classes with their members, templates and how they are instantiated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentkernel.knowledge.oracle.source import SourceFile

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMED = frozenset({"identifier", "field_identifier", "type_identifier", "namespace_identifier", "destructor_name"})
_DECLARATORS = frozenset(
    {
        *("pointer_declarator", "reference_declarator", "array_declarator", "init_declarator", "function_declarator"),
        *("parenthesized_declarator", "attributed_declarator", "structured_binding_declarator"),
    }
)
_DEPTH = 100
"""Levels of nesting that are looked into; a hostile text must not exhaust the stack."""


@dataclass
class Member:
    """A data member or variable: the node of its type, and what its declarator adds."""

    file: SourceFile
    type_node: Node
    declarator: Node
    value: Node | None = None


@dataclass
class TypeParam:
    """A template parameter of the author's."""

    name: str
    is_type: bool
    default: Node | None = None


@dataclass
class Function:
    """A function or method of the author's."""

    name: str
    file: SourceFile
    node: Node
    """The function_definition or declaration."""
    type_node: Node | None
    declarator: Node
    """The function_declarator."""
    owner: str = ""
    """Class it belongs to; empty for a free function."""
    template: tuple[TypeParam, ...] = ()
    body: Node | None = None


@dataclass
class UserClass:
    """A class or structure of the author's."""

    name: str
    file: SourceFile
    node: Node
    template: tuple[TypeParam, ...] = ()
    members: dict[str, Member] = field(default_factory=dict)
    methods: dict[str, list[Function]] = field(default_factory=dict)
    aliases: dict[str, tuple[SourceFile, Node]] = field(default_factory=dict)
    bases: list[Node] = field(default_factory=list)
    ambiguous: set[str] = field(default_factory=set)
    """Members declared twice (under different `#if`): their types are not known."""


@dataclass
class Symbols:
    """Everything declared in the kernel's files."""

    names: set[str] = field(default_factory=set)
    """Every name that any declaration introduces anywhere: enough to say that a name is not an invention."""
    macros: set[str] = field(default_factory=set)
    classes: dict[str, UserClass] = field(default_factory=dict)
    doubled: set[str] = field(default_factory=set)
    """Classes with two definitions (specialisations, `#if` variants): their members are not judged."""
    functions: dict[str, list[Function]] = field(default_factory=dict)
    globals: dict[str, Member] = field(default_factory=dict)
    aliases: dict[str, tuple[SourceFile, Node, tuple[TypeParam, ...]]] = field(default_factory=dict)
    ambiguous: set[str] = field(default_factory=set)
    """Globals declared twice: their types are not known."""
    enums: set[str] = field(default_factory=set)
    pasting: bool = False
    """Whether a macro glues tokens, so that names may exist that the text does not show."""

    def is_user(self, name: str) -> bool:
        """Whether the author declared the name."""
        return name in self.names or name in self.macros


def declared_name(node: Node) -> Node | None:
    """The identifier inside a declarator."""
    while node is not None:
        if node.type in _NAMED or node.type == "operator_name":
            return node
        if node.type in {"qualified_identifier", "template_function"}:
            inner = node.child_by_field_name("name")
        else:
            inner = node.child_by_field_name("declarator")
            if inner is None:
                inner = next((c for c in node.named_children if c.type in _DECLARATORS or c.type in _NAMED), None)
        if inner is None:
            return None
        node = inner
    return None


def function_declarator(node: Node) -> Node | None:
    """The function_declarator inside a declarator, looking through pointers and references."""
    current: Node | None = node
    while current is not None and current.type != "function_declarator":
        if current.type not in _DECLARATORS:
            return None
        inner = current.child_by_field_name("declarator")
        if inner is None:
            inner = next((c for c in current.named_children if c.type in _DECLARATORS), None)
        current = inner
    return current


def template_params(node: Node, file: SourceFile) -> tuple[TypeParam, ...]:
    """Parameters of a template_declaration."""
    listed = node.child_by_field_name("parameters")
    found = []
    for child in listed.named_children if listed is not None else ():
        kind = child.type
        if kind in {"type_parameter_declaration", "optional_type_parameter_declaration"}:
            name = child.child_by_field_name("name") or next(
                (c for c in child.named_children if c.type == "type_identifier"), None
            )
            default = child.child_by_field_name("default_type")
            found.append(TypeParam(file.text_of(name) if name is not None else "", True, default))
        elif kind in {"parameter_declaration", "optional_parameter_declaration"}:
            declarator = child.child_by_field_name("declarator")
            name = declared_name(declarator) if declarator is not None else None
            found.append(TypeParam(file.text_of(name) if name is not None else "", False))
        else:
            found.append(TypeParam(file.text_of(child).split()[-1].strip("."), True))
    return tuple(found)


class Collector:
    """Reads declarations out of files, one after the other."""

    def __init__(self) -> None:
        self.symbols = Symbols()
        self._depth = 0

    def add(self, file: SourceFile) -> None:
        """Collect what one file declares."""
        self._scan(file.root, file, owner=None, template=())

    def _scan(self, node: Node, file: SourceFile, owner: UserClass | None, template: tuple[TypeParam, ...]) -> None:
        if self._depth > _DEPTH:
            return
        self._depth += 1
        for child in node.named_children:
            self._one(child, file, owner, template)
        self._depth -= 1

    def _one(self, node: Node, file: SourceFile, owner: UserClass | None, template: tuple[TypeParam, ...]) -> None:  # noqa: PLR0912
        kind = node.type
        if kind == "template_declaration":
            params = template_params(node, file)
            self.symbols.names.update(p.name for p in params)
            for child in node.named_children:
                if child.type != "template_parameter_list":
                    self._one(child, file, owner, params)
        elif kind in {"class_specifier", "struct_specifier", "union_specifier"}:
            self._class(node, file, template, owner)
        elif kind == "enum_specifier":
            self._enum(node, file)
        elif kind == "function_definition":
            self._function(node, file, owner, template)
        elif kind in {"declaration", "field_declaration"}:
            self._declaration(node, file, owner, template)
        elif kind in {"alias_declaration", "type_definition"}:
            self._alias(node, file, owner, template)
        elif kind in {"preproc_def", "preproc_function_def"}:
            self._macro(node, file)
        elif kind == "namespace_definition":
            name = node.child_by_field_name("name")
            if name is not None:
                self.symbols.names.update(re.findall(r"\w+", file.text_of(name)))
            self._scan(node, file, owner, ())
        elif kind == "namespace_alias_definition":
            self._introduce(node, file)
        elif kind not in {"comment", "string_literal", "preproc_include", "using_declaration"}:
            self._scan(node, file, owner, template)

    def _class(self, node: Node, file: SourceFile, template: tuple[TypeParam, ...], owner: UserClass | None) -> None:
        name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        name = ""
        if name_node is not None:
            inner = name_node.child_by_field_name("name") if name_node.type == "template_type" else name_node
            name = file.text_of(inner if inner is not None else name_node).split("::")[-1]
            self.symbols.names.add(name)
        if body is None:
            return
        made = UserClass(name=name, file=file, node=node, template=template)
        made.bases = [
            c
            for b in node.named_children
            if b.type == "base_class_clause"
            for c in b.named_children
            if c.type != "access_specifier"
        ]
        if name in self.symbols.classes or (name_node is not None and name_node.type == "template_type"):
            self.symbols.doubled.add(name)
        self.symbols.classes.setdefault(name, made)
        self._scan(body, file, made, ())

    def _enum(self, node: Node, file: SourceFile) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None:
            self.symbols.names.add(file.text_of(name))
            self.symbols.enums.add(file.text_of(name))
        for child in body.named_children if body is not None else ():
            label = child.child_by_field_name("name")
            if label is not None:
                self.symbols.names.add(file.text_of(label))

    def _function(self, node: Node, file: SourceFile, owner: UserClass | None, template: tuple[TypeParam, ...]) -> None:
        declarator = node.child_by_field_name("declarator")
        inner = function_declarator(declarator) if declarator is not None else None
        if declarator is None or inner is None:
            self._scan(node, file, owner, template)
            return
        name_node = declared_name(inner)
        name = file.text_of(name_node) if name_node is not None else ""
        self.symbols.names.add(name)
        qualified = inner.child_by_field_name("declarator")
        owned_by = owner.name if owner is not None else ""
        if owner is None and qualified is not None and qualified.type == "qualified_identifier":
            scope = qualified.child_by_field_name("scope")
            scope_name = (
                scope.child_by_field_name("name") if scope is not None and scope.type == "template_type" else scope
            )
            owned_by = file.text_of(scope_name) if scope_name is not None else ""
        made = Function(
            name,
            file,
            node,
            node.child_by_field_name("type"),
            inner,
            owned_by,
            template,
            node.child_by_field_name("body"),
        )
        if owner is not None:
            owner.methods.setdefault(name, []).append(made)
        else:
            self.symbols.functions.setdefault(name, []).append(made)
        if made.body is not None:
            self._locals(made.body, file)

    def _locals(self, node: Node, file: SourceFile) -> None:
        """Names that a body introduces; types inside it are declared like those outside."""
        for child in walk_named(node):
            kind = child.type
            if kind in {"class_specifier", "struct_specifier", "union_specifier"} and child.child_by_field_name("body"):
                self._class(child, file, (), None)
            elif kind == "enum_specifier":
                self._enum(child, file)
            elif kind in {"alias_declaration", "type_definition"}:
                self._alias(child, file, None, ())
            elif kind in {"preproc_def", "preproc_function_def"}:
                self._macro(child, file)
            elif kind == "declaration" or kind in {"parameter_declaration", "for_range_loop"}:
                self._introduce(child, file)

    def _introduce(self, node: Node, file: SourceFile) -> None:
        for declarator in node.children_by_field_name("declarator"):
            name = declared_name(declarator)
            if name is not None:
                self.symbols.names.add(file.text_of(name))
            if declarator.type in {"structured_binding_declarator", "init_declarator"}:
                for part in walk_named(declarator):
                    if part.type == "structured_binding_declarator":
                        self.symbols.names.update(file.text_of(c) for c in part.named_children)
        name = node.child_by_field_name("name")
        if name is not None:
            self.symbols.names.add(file.text_of(name))

    def _declaration(
        self, node: Node, file: SourceFile, owner: UserClass | None, template: tuple[TypeParam, ...]
    ) -> None:
        type_node = node.child_by_field_name("type")
        if type_node is not None and type_node.type in {
            *("class_specifier", "struct_specifier", "union_specifier", "enum_specifier"),
        }:
            self._one(type_node, file, owner, template)
        for declarator in node.children_by_field_name("declarator"):
            name_node = declared_name(declarator)
            if name_node is None:
                continue
            name = file.text_of(name_node)
            self.symbols.names.add(name)
            inner = function_declarator(declarator)
            if inner is not None and type_node is not None and declarator.type != "init_declarator":
                made = Function(name, file, node, type_node, inner, owner.name if owner else "", template)
                (owner.methods if owner else self.symbols.functions).setdefault(name, []).append(made)
                continue
            if type_node is None:
                continue
            value = declarator.child_by_field_name("value") or node.child_by_field_name("default_value")
            member = Member(file, type_node, declarator, value)
            if owner is not None:
                if name in owner.members:
                    owner.ambiguous.add(name)
                owner.members[name] = member
                continue
            if name in self.symbols.globals:
                self.symbols.ambiguous.add(name)
            self.symbols.globals.setdefault(name, member)

    def _alias(self, node: Node, file: SourceFile, owner: UserClass | None, template: tuple[TypeParam, ...]) -> None:
        target = node.child_by_field_name("type")
        if target is not None and target.type in {"struct_specifier", "class_specifier", "enum_specifier"}:
            self._one(target, file, owner, template)
        names = [node.child_by_field_name("name")] if node.type == "alias_declaration" else []
        names += [declared_name(d) for d in node.children_by_field_name("declarator")]
        for name_node in names:
            if name_node is None or target is None:
                continue
            name = file.text_of(name_node)
            self.symbols.names.add(name)
            if target.child_by_field_name("body") is not None and target.type.endswith("_specifier"):
                made = self.symbols.classes.pop("", None)  # typedef struct { ... } Name;
                if made is not None:
                    made.name = name
                    self.symbols.classes[name] = made
            elif owner is not None:
                owner.aliases[name] = (file, target)
            else:
                self.symbols.aliases.setdefault(name, (file, target, template))

    def _macro(self, node: Node, file: SourceFile) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is not None:
            self.symbols.macros.add(file.text_of(name))
        if value is not None:
            text = file.text_of(value)
            self.symbols.pasting = self.symbols.pasting or "##" in text
            # a macro's body may declare anything; what stands in it counts as declared
            self.symbols.names.update(re.findall(r"[A-Za-z_]\w*", text))


def walk_named(node: Node) -> Iterator[Node]:
    """Every named node below, in source order."""
    stack = list(reversed(node.named_children))
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(current.named_children))
