"""Walks function bodies with the scopes that C++ gives them, and asks the rules about what it meets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from agentkernel.diagnostic import Severity
from agentkernel.knowledge.index import Api, Index, Status
from agentkernel.knowledge.oracle.calls import Argument, Matcher, TemplateArgument, constructor_counts
from agentkernel.knowledge.oracle.casts import cast_problem
from agentkernel.knowledge.oracle.conditions import Conditions
from agentkernel.knowledge.oracle.cpptypes import CppType
from agentkernel.knowledge.oracle.infer import Infer, arguments, template_arguments, undressed
from agentkernel.knowledge.oracle.names import CONSTANT, Names
from agentkernel.knowledge.oracle.preprocessor import branches
from agentkernel.knowledge.oracle.report import Finding, Reporter
from agentkernel.knowledge.oracle.symbols import (
    Function,
    Member,
    Symbols,
    UserClass,
    declared_name,
    function_declarator,
)
from agentkernel.knowledge.oracle.typenames import Context

if TYPE_CHECKING:
    from tree_sitter import Node

_CLASSES = ("class_specifier", "struct_specifier")
_DEPTH = 100
"""Levels of nesting that are looked into. No kernel comes near; a hostile text must not exhaust the stack."""
_FORMS = frozenset({"AllocTensor", "DeQue"})
"""Methods of a queue with an in-place form."""
_BY_DEPTH = _FORMS | {"VacantInQue", "HasTensorInQue", "GetTensorCountInQue", "HasIdleBuffer", "FreeAllEvent"}
"""Methods of a queue that hang on its depth."""
_CALLEES = frozenset({"identifier", "template_function"})


class Walker:
    """Checks bodies of one kernel.

    Args:
        symbols: What the author declared.
        index: The chip's API index.
        open_world: Whether names may exist that the text does not show (a missing include, glued tokens).
        defines: Object-like macros of the author's, for `#if` inside bodies.
    """

    def __init__(self, symbols: Symbols, index: Index, *, open_world: bool, defines: Mapping[str, str | None]) -> None:
        self.symbols = symbols
        self.index = index
        self.reporter = Reporter()
        self.infer = Infer(symbols, index)
        self._names = Names(symbols, index, self.infer, self.reporter, open_world=open_world)
        self._conditions = Conditions(self.infer)
        self._matcher = Matcher(index)
        self._defines = defines
        self._typeless = 0
        self._depth = 0
        self._handlers: dict[str, Callable[[Node, Context], None]] = {
            "compound_statement": self._block,
            "for_statement": self._block,
            "for_range_loop": self._range,
            "if_statement": self._if,
            "lambda_expression": self._lambda,
            "declaration": self._declaration,
            "call_expression": self._call,
            "field_expression": self._field,
            "qualified_identifier": self._qualified,
            "identifier": self._names.constant,
            "template_type": self._type_use,
            "type_identifier": self._type_use,
            "compound_literal_expression": self._literal_struct,
            "assignment_expression": self._assignment,
            "preproc_if": self._conditional,
            "preproc_ifdef": self._conditional,
        }
        # a function inside a body is a construct that was not understood; classes are checked on their own
        for kind in ("preproc_def", "preproc_function_def", "comment", "function_definition", *_CLASSES):
            self._handlers[kind] = self._skip

    # ---- entry points

    def function(self, function: Function, binding: dict[str, CppType | None], owner: UserClass | None) -> None:
        """Check one function body, for one choice of template arguments."""
        if function.body is None:
            return
        ctx = Context(function.file, binding | {p.name: None for p in function.template}, owner, [{}])
        if (
            owner is not None
            and owner.template
            and function.owner
            and not owner.node.start_byte <= function.node.start_byte
        ):
            ctx.binding.update(binding)
        self._parameters(function.declarator, ctx)
        for child in function.node.named_children:
            if child.type == "field_initializer_list":
                self.visit(child, ctx)
        self.visit(function.body, ctx)

    def types_of(self, nodes: Iterable[Node], ctx: Context) -> None:
        """Check type names outside bodies: members, parameters."""
        for node in nodes:
            self.visit(node, ctx)

    def visit(self, node: Node, ctx: Context) -> None:
        """Check a node and what is below it."""
        if self._depth > _DEPTH:
            return
        self._depth += 1
        handler = self._handlers.get(node.type)
        if handler is not None:
            handler(node, ctx)
        else:
            for child in node.named_children:
                self.visit(child, ctx)
        self._depth -= 1

    # ---- structure

    def _children(self, node: Node | None, ctx: Context) -> None:
        for child in node.named_children if node is not None else ():
            self.visit(child, ctx)

    def _skip(self, node: Node, ctx: Context) -> None:
        """Nothing to check here."""

    def _block(self, node: Node, ctx: Context) -> None:
        ctx.blocks.append({})
        self._children(node, ctx)
        ctx.blocks.pop()

    def _range(self, node: Node, ctx: Context) -> None:
        ctx.blocks.append({})
        declarator = node.child_by_field_name("declarator")
        name = declared_name(declarator) if declarator is not None else None
        if name is not None:
            ctx.declare(ctx.file.text_of(name), None)
        for field in ("right", "body"):
            child = node.child_by_field_name(field)
            if child is not None:
                self.visit(child, ctx)
        ctx.blocks.pop()

    def _if(self, node: Node, ctx: Context) -> None:
        condition = node.child_by_field_name("condition")
        yes, no = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
        ctx.blocks.append({})
        if condition is not None:
            self.visit(condition, ctx)
        constant = any(c.type == "constexpr" for c in node.children)
        value = self._conditions.truth(condition, ctx) if constant and condition is not None else None
        unknown = constant and value is None
        # a discarded branch is never instantiated; where we cannot tell which one it is, types say nothing
        self._typeless += unknown
        if yes is not None and value is not False:
            self.visit(yes, ctx)
        if no is not None and value is not True:
            self.visit(no, ctx)
        self._typeless -= unknown
        ctx.blocks.pop()

    def _lambda(self, node: Node, ctx: Context) -> None:
        ctx.blocks.append({})
        declarator, body = node.child_by_field_name("declarator"), node.child_by_field_name("body")
        if declarator is not None:
            self._parameters(declarator, ctx)
        if body is not None:
            self.visit(body, ctx)
        ctx.blocks.pop()

    def _parameters(self, declarator: Node, ctx: Context) -> None:
        listed = declarator.child_by_field_name("parameters")
        for child in listed.named_children if listed is not None else ():
            type_node, inner = child.child_by_field_name("type"), child.child_by_field_name("declarator")
            if type_node is None:
                continue
            self.visit(type_node, ctx)
            name = declared_name(inner) if inner is not None else None
            if name is not None and inner is not None:
                ctx.declare(ctx.file.text_of(name), self.infer.declared(Member(ctx.file, type_node, inner), ctx))

    def _conditional(self, node: Node, ctx: Context) -> None:
        """Code under an `#if` whose value we do not know declares names but is not judged."""
        for body, live in branches(node, ctx.file, self._defines):
            self.reporter.muted += live is None
            for child in body if live is not False else ():
                self.visit(child, ctx)
            self.reporter.muted -= live is None

    # ---- declarations and names

    def _declaration(self, node: Node, ctx: Context) -> None:
        type_node = node.child_by_field_name("type")
        if type_node is None:
            self._children(node, ctx)
            return
        self.visit(type_node, ctx)
        for declarator in node.children_by_field_name("declarator"):
            value = declarator.child_by_field_name("value") if declarator.type == "init_declarator" else None
            if value is not None:
                self.visit(value, ctx)
            name = declared_name(declarator)
            if name is None:
                continue
            type_ = self.infer.declared(Member(ctx.file, type_node, declarator, value), ctx)
            if declarator.type != "init_declarator" and function_declarator(declarator) is not None:
                type_ = self.infer.resolve(type_node, ctx)  # `T x(a);` inside a body declares a variable
            # a declaration that is perhaps not read leaves the variable's type open
            ctx.declare(ctx.file.text_of(name), None if self.reporter.muted else type_)
            if value is not None and value.type in {"initializer_list", "argument_list"}:
                self._construct(type_, value, value, ctx)
            elif value is not None:
                self._convert(type_, value, ctx)

    def _assignment(self, node: Node, ctx: Context) -> None:
        self._children(node, ctx)
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is not None and right is not None and operator is not None and operator.type == "=":
            self._convert(self.infer.typeof(left, ctx), right, ctx)

    def _convert(self, target: CppType | None, value: Node, ctx: Context) -> None:
        """A tensor that is set to a value of another type."""
        given = self.infer.typeof(value, ctx)
        if target is None or given is None or not target.is_tensor or self._typeless:
            return
        handle = given.name == "TBufHandle"
        if not given.is_tensor and not handle:
            return
        known = target.element is not None and given.element is not None
        if not handle and target.name == given.name and (not known or target.element == given.element):
            return
        element = target.element or "T"
        hint = (
            f"Give the element type: `DeQue<{element}>()`."
            if handle
            else (
                f"Take a tensor of {element}, view the bytes with `ReinterpretCast<{element}>()`, or convert with Cast."
            )
        )
        message = f"A {target} cannot be set to a {given}."
        self.reporter.add(value, ctx, Finding("type-conversion", message, hint, (target.name,)))

    def _literal_struct(self, node: Node, ctx: Context) -> None:
        self._children(node, ctx)
        type_node, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        if type_node is not None and value is not None:
            self._construct(self.infer.resolve(type_node, ctx), value, node, ctx)

    def _construct(self, type_: CppType | None, value: Node, span: Node, ctx: Context) -> None:
        """A brace or argument list that initialises a structure of the index."""
        if type_ is None or type_.pointers or type_.name in self.symbols.names:
            return
        counts, given = constructor_counts(self.index, type_.name), arguments(value)
        if counts is None or len(given) in counts or self._spreads(given, ctx):
            return
        if any(g.type in {"initializer_pair", "designated_initializer"} for g in given):
            return
        info = self.index.type(type_.name)
        legal = sorted(counts - {1} if value.type == "initializer_list" else counts)
        forms = (
            [c.signature(type_.name, template=False).replace("void ", "") for c in info.constructors] if info else []
        )
        message = f"`{type_.name}` is initialised with {len(given)} values; it takes {' or '.join(map(str, legal))}."
        hint = f"Legal: `{forms[0]}`." if forms else ""
        evidence = {"given": len(given), "legal": legal}
        self.reporter.add(span, ctx, Finding("wrong-argument-count", message, hint, (type_.name,), evidence=evidence))

    def _type_use(self, node: Node, ctx: Context) -> None:
        name = node.child_by_field_name("name") if node.type == "template_type" else node
        if name is not None and CONSTANT.match(ctx.file.text_of(name)):
            self._names.constant(name, ctx)  # a value as template argument reads as a type
        elif name is not None:
            self._names.type(name, ctx, certain=node.type == "template_type")
        if node.type == "template_type":
            self._children(node.child_by_field_name("arguments"), ctx)

    def _qualified(self, node: Node, ctx: Context) -> None:
        scope, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
        if name is None or scope is None:
            return
        scope_text = ctx.file.text_of(scope)
        if scope.type == "template_type":
            self.visit(scope, ctx)
        elif scope_text != "AscendC":
            self._names.enumerator(scope_text, name, ctx)
        elif name.type == "qualified_identifier":
            self._qualified(name, ctx)
        elif name.type in {"template_type", "type_identifier"}:
            inner = name.child_by_field_name("name") if name.type == "template_type" else name
            if inner is not None:
                self._names.in_namespace(inner, ctx)
            self._children(name.child_by_field_name("arguments"), ctx)
        else:
            self._names.constant(name, ctx)

    def _field(self, node: Node, ctx: Context) -> None:
        base, name = node.child_by_field_name("argument"), node.child_by_field_name("field")
        if base is None:
            return
        self.visit(base, ctx)
        if name is not None and name.type == "field_identifier":
            self._names.member(base, name, ctx, certain=not self._typeless)

    # ---- calls

    def _call(self, node: Node, ctx: Context) -> None:
        callee, listed = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if callee is None or listed is None:
            self._children(node, ctx)
            return
        given = arguments(listed)
        if callee.type == "field_expression":
            self._method_call(callee, given, ctx)
        elif callee.type in _CALLEES:
            self._free_call(node, callee, given, ctx, qualified=False)
        elif callee.type == "qualified_identifier":
            self._qualified_call(node, callee, given, ctx)
        else:
            self.visit(callee, ctx)
        name = ctx.file.text_of(callee)
        if name in self.symbols.macros:
            return  # arguments of the author's macro may be anything
        self._declare_tiling(name, given, ctx)
        for child in given:
            self.visit(child, ctx)

    def _declare_tiling(self, name: str, given: list[Node], ctx: Context) -> None:
        """The tiling macros declare a variable."""
        text = ctx.file.text_of
        if name == "GET_TILING_DATA_WITH_STRUCT" and len(given) == 3:
            ctx.declare(text(given[1]), self.infer.named(text(given[0]), ctx))
        elif name == "GET_TILING_DATA" and given:
            ctx.declare(text(given[0]), None)
        elif name in {"GET_TILING_DATA_MEMBER", "GET_TILING_DATA_PTR_WITH_STRUCT"} and len(given) >= 3:
            ctx.declare(text(given[-2]), None)

    def _qualified_call(self, node: Node, callee: Node, given: list[Node], ctx: Context) -> None:
        scope, name = callee.child_by_field_name("scope"), callee.child_by_field_name("name")
        scope_text = ctx.file.text_of(scope) if scope is not None else ""
        if name is None:
            return
        if scope_text in {"AscendC", ""} and name.type in _CALLEES:
            self._free_call(node, name, given, ctx, qualified=scope_text == "AscendC")
        elif scope_text == "AscendC" and name.type == "qualified_identifier":
            self._qualified_call(node, name, given, ctx)
        elif scope is not None and scope.type == "template_type":
            self.visit(scope, ctx)

    def _free_call(self, node: Node, callee: Node, given: list[Node], ctx: Context, *, qualified: bool) -> None:
        name_node = callee.child_by_field_name("name") if callee.type == "template_function" else callee
        if name_node is None:
            return
        name = ctx.file.text_of(name_node)
        if callee.type == "template_function":
            self._children(callee.child_by_field_name("arguments"), ctx)
        own = name in self.symbols.names or ctx.local(name)[0]
        if name in self.symbols.macros or (own and not qualified):
            return
        api = self.index.api(name)
        if api is not None and api.status is Status.SUPPORTED:
            self._judge(api, callee, given, ctx)
        elif api is not None:
            self._names.elsewhere(api, name_node, ctx)
        elif (info := self.index.type(name)) is not None:
            listed = node.child_by_field_name("arguments")
            if info.kind == "struct" and listed is not None:
                self._construct(CppType(name), listed, node, ctx)
        else:
            self._names.function(name_node, ctx, qualified=qualified)

    def _method_call(self, callee: Node, given: list[Node], ctx: Context) -> None:
        base, field = callee.child_by_field_name("argument"), callee.child_by_field_name("field")
        if base is None or field is None:
            return
        self.visit(base, ctx)
        field = undressed(field)
        if field.type == "template_method":
            self._children(field.child_by_field_name("arguments"), ctx)
        name = field.child_by_field_name("name") if field.type == "template_method" else field
        if name is None or name.type != "field_identifier":
            return
        method = self._names.member(base, name, ctx, certain=not self._typeless)
        type_ = self.infer.typeof(base, ctx) if method is not None else None
        info = self.index.type(type_.name) if type_ is not None else None
        if method is None or type_ is None or info is None:
            return
        outer = {p.name: type_.args[i] if i < len(type_.args) else None for i, p in enumerate(info.template)}
        self._depth_rule(type_, method.name, name, len(given), ctx)
        self._judge(method, field, given, ctx, outer=outer, owner=info.name)

    def _depth_rule(self, type_: CppType, method: str, name: Node, count: int, ctx: Context) -> None:
        """In-place forms need a queue of depth 0, the forms that return a tensor a deeper one."""
        place = {"TQue": 1, "TQueBind": 2}.get(type_.name)
        depth = type_.args[place] if place is not None and place < len(type_.args) else None
        if depth is None or method not in _BY_DEPTH or self._typeless:
            return
        in_place = count == 1 and method in _FORMS
        if in_place != (depth.name == "=0"):
            form = "in-place form" if in_place else "form that returns the tensor" if method in _FORMS else "call"
            needed = "0" if in_place else "at least 1"
            message = f"`{method}`: the {form} needs a queue of depth {needed}, this one has {depth.name.lstrip('=')}."
            hint = "Use the other form, or another depth." if method in _FORMS else "Give the queue a depth of 1."
            self.reporter.add(name, ctx, Finding("illegal-call", message, hint, ("TQue",)))

    def _judge(
        self,
        api: Api,
        callee: Node,
        given: list[Node],
        ctx: Context,
        *,
        outer: Mapping[str, CppType | None] | None = None,
        owner: str = "",
    ) -> None:
        if not api.overloads or self.reporter.muted or self._spreads(given, ctx):
            return
        args = [self._argument(g, ctx) for g in given]
        explicit = [self._template_argument(t, ctx) for t in template_arguments(callee)]
        problem = self._matcher.judge(api, args, explicit, outer or {}, owner)
        if problem is None and api.name == "Cast":
            problem = cast_problem(self.index, args)
        if problem is None or (self._typeless and problem.code != "wrong-argument-count"):
            return
        at = (
            callee
            if callee.type in {"identifier", "field_identifier"}
            else callee.child_by_field_name("name") or callee
        )
        if problem.argument is not None and problem.argument < len(given):
            at = given[problem.argument]
        severity = Severity.ERROR if api.exact else Severity.WARNING
        apis = (owner or api.name,)
        self.reporter.add(
            at, ctx, Finding(problem.code, problem.message, problem.hint, apis, severity, problem.evidence)
        )

    def _spreads(self, given: list[Node], ctx: Context) -> bool:
        """Whether the number of arguments cannot be counted: a pack, or a macro that may expand to several."""
        for node in given:
            if node.type in {"parameter_pack_expansion", "ERROR"} or node.has_error:
                return True
            head = re.match(r"\w+", ctx.file.text_of(node))
            if head and (head.group() in self.symbols.macros or head.group() == "ASCENDC_SHAPE"):
                return True
        return False

    def _argument(self, node: Node, ctx: Context) -> Argument:
        text = " ".join(ctx.file.text_of(node).split())
        if node.type == "initializer_list":
            return Argument(text, listed=len(arguments(node)))
        type_ = self.infer.typeof(node, ctx)
        if type_ is not None and type_.name in self.symbols.names:
            type_ = None  # the author's types may convert to anything
        temporary = node.type in {"number_literal", "true", "false", "binary_expression", "cast_expression"}
        if type_ is not None and type_.is_tensor and node.type in {"subscript_expression", "call_expression"}:
            base = node.child_by_field_name("argument")
            based = self.infer.typeof(base, ctx) if base is not None else None
            # an element of an array of tensors is a variable; a tensor at an offset is not
            temporary = node.type == "call_expression" or (based is not None and based.is_tensor)
        return Argument(text, type_, None, temporary)

    def _template_argument(self, node: Node, ctx: Context) -> TemplateArgument:
        text = ctx.file.text_of(node)
        if node.type != "type_descriptor":
            return TemplateArgument(text, None, False if node.type != "identifier" else None)
        enum = self._names.enum_of(text)
        if enum:
            return TemplateArgument(text, None, False, enum)
        type_ = self.infer.resolve(node, ctx)
        inner = node.child_by_field_name("type")
        plain = inner is not None and inner.type in {"primitive_type", "sized_type_specifier", "template_type"}
        return TemplateArgument(text, type_, True if plain or (type_ is not None and type_.is_number) else None)
