"""Names that neither the author nor Ascend C declares: functions, types, members, enumerators."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentkernel.knowledge.index import Api, Index, Status, TypeInfo
from agentkernel.knowledge.oracle.infer import Infer
from agentkernel.knowledge.oracle.report import Finding, Reporter, either
from agentkernel.knowledge.oracle.suggest import nearest, nearest_api
from agentkernel.knowledge.oracle.symbols import Symbols
from agentkernel.knowledge.oracle.typenames import Context

if TYPE_CHECKING:
    from tree_sitter import Node

# Names that need no declaration in a kernel, or that another rule speaks about.
_FREE = frozenset(
    (
        *("min", "max", "abs", "fabs", "sqrt", "exp", "log", "pow", "ceil", "floor", "round", "trunc", "fmax", "fmin"),
        *("sin", "cos", "tan", "tanh", "log2", "exp2", "isnan", "isinf", "isfinite", "memcpy", "memset", "memmove"),
        *("strlen", "sizeof", "alignof", "decltype", "static_assert", "defined", "offsetof", "typeid", "swap", "move"),
        *("malloc", "calloc", "realloc", "free", "forward", "get", "make_pair", "make_tuple", "tie", "declval"),
        *(
            "static_cast",
            "reinterpret_cast",
            "const_cast",
            "dynamic_cast",
            "bit_cast",
            "printf",
            "exit",
            "abort",
            "assert",
            "fopen",
            "system",
            "dlopen",
            "fork",
            "getenv",
        ),
    )
)
CONSTANT = re.compile(r"^(?:PIPE_[A-Z0-9]+|EVENT_ID\d+)$")
"""Spellings of the unscoped constants that are checked one by one."""


class Names:
    """Rules about names.

    Args:
        symbols: What the author declared.
        index: The chip's names.
        infer: Types of expressions, for members.
        reporter: Takes the findings.
        open_world: Whether names may exist that the text does not show; then an unknown one proves nothing.
    """

    def __init__(self, symbols: Symbols, index: Index, infer: Infer, reporter: Reporter, *, open_world: bool) -> None:
        self.symbols = symbols
        self.index = index
        self._infer = infer
        self._reporter = reporter
        self._open_world = open_world
        self._nearest: dict[str, tuple[str, ...]] = {}

    def type(self, node: Node, ctx: Context, *, certain: bool) -> None:
        """A name that stands where a type stands.

        Args:
            node: The name.
            ctx: Its surroundings.
            certain: Whether it can be nothing else (it has template arguments).
        """
        name = ctx.file.text_of(node)
        if self._is_known(name, ctx) or self._open_world or name.isupper() or self._reporter.closed:
            return
        if not certain and (node.parent is None or node.parent.type not in {"declaration", "field_declaration"}):
            return  # arguments of a macro may read as types
        types = [n for n in self.index.type_names if (info := self.index.type(n)) and info.kind in {"class", "struct"}]
        near = nearest(name, types, cutoff=0.8)
        if certain or near:
            hint = f"Did you mean {either(near)}?" if near else "Use LocalTensor, GlobalTensor, TPipe, TQue or TBuf."
            message = f"`{name}` is not a type of Ascend C, and the kernel does not define it."
            self._reporter.add(node, ctx, Finding("unknown-api", message, hint, near[:1]))

    def constant(self, node: Node, ctx: Context) -> None:
        """A name that is spelled like a pipe or an event id."""
        name = ctx.file.text_of(node)
        if not CONSTANT.match(name) or self.symbols.is_user(name) or ctx.local(name)[0] or self._open_world:
            return
        info = self.index.type("pipe_t" if name.startswith("PIPE_") else "event_t")
        if info is not None and name not in info.values:
            legal = f"Legal: {', '.join(info.values)}."
            self._reporter.add(node, ctx, Finding("unknown-enum", f"`{name}` does not exist.", legal))

    def enumerator(self, scope: str, name: Node, ctx: Context) -> None:
        """What stands behind `RoundMode::` and its like."""
        if self.symbols.is_user(scope) or name.type not in {"identifier", "type_identifier"}:
            return
        info = self._enum(scope)
        label = ctx.file.text_of(name)
        if info is None or label in info.values or not info.exact:
            return
        near = nearest(label, info.values, cutoff=0.5) or tuple(info.values)
        legal = "Legal: " + ", ".join(f"`{scope}::{n}`" for n in near[:7]) + "."
        message = f"`{scope}` has no enumerator `{label}`."
        self._reporter.add(
            name, ctx, Finding("unknown-enum", message, legal, (), evidence={"legal": list(info.values)})
        )

    def in_namespace(self, name: Node, ctx: Context) -> None:
        """A type or constant behind `AscendC::`."""
        text = ctx.file.text_of(name)
        if text in self.index or self.symbols.is_user(text) or self._open_world:
            return
        near = nearest(text, self.index.type_names) or nearest_api(text, self.index)
        hint = f"Did you mean {either(near)}?" if near else ""
        self._reporter.add(name, ctx, Finding("unknown-api", f"Ascend C has no `{text}`.", hint, near[:1]))

    def member(self, base: Node, name: Node, ctx: Context, *, certain: bool) -> Api | None:
        """The method of a known class that a member expression names; reports a member that is not there.

        Args:
            base: The object.
            name: The member's name.
            ctx: Surroundings.
            certain: Whether the object's type is certain here.
        """
        type_ = self._infer.typeof(base, ctx) if base.type != "this" else None
        info = self.index.type(type_.name) if type_ is not None and type_.name not in self.symbols.names else None
        if info is None or info.kind not in {"class", "struct"}:
            return None
        label = ctx.file.text_of(name)
        method = info.method(label)
        if method is not None or any(f.name == label for f in info.fields):
            return method
        if info.exact and certain:
            members = [m.name for m in info.methods] + [f.name for f in info.fields]
            near = nearest(label, members, cutoff=0.5, words=True)
            hint = f"Did you mean {either(near)}?" if near else f"{info.name} has: {', '.join(members[:12])}."
            message = f"`{info.name}` has no member `{label}`."
            self._reporter.add(
                name, ctx, Finding("unknown-member", message, hint, (info.name,), evidence={"legal": members})
            )
        return None

    def function(self, node: Node, ctx: Context, *, qualified: bool) -> None:
        """A called name that is no function of the index and none of the author's.

        Args:
            node: The name.
            ctx: Surroundings.
            qualified: Whether `AscendC::` stands before it.
        """
        name = ctx.file.text_of(node)
        if self._is_known(name, ctx) or self._open_world or self._reporter.closed:
            return
        own = [n for n in self.symbols.functions if n] + (list(ctx.owner.methods) if ctx.owner is not None else [])
        if name not in self._nearest:
            self._nearest[name] = nearest_api(name, self.index, own)
        near = self._nearest[name]
        if name.islower() and not near and not qualified:
            return  # may be a built-in of the device compiler
        hint = f"Did you mean {either(near)}?" if near else "Use functions of Ascend C or of the kernel itself."
        code = "unknown-name" if near and near[0] in own else "unknown-api"
        message = f"`{name}` is not a function of Ascend C, and the kernel does not define it."
        apis = tuple(n for n in near if n not in own)
        evidence = {"name": name, "nearest": list(near)}
        self._reporter.add(node, ctx, Finding(code, message, hint, apis, evidence=evidence))

    def elsewhere(self, api: Api, node: Node, ctx: Context) -> None:
        """A function that the chip does not have."""
        if self._open_world:
            return
        where = (
            "is declared for every chip, but has no function"
            if api.status is Status.DECLARED_ONLY
            else "does not exist"
        )
        hint = f"Instead: {api.instead}." if api.instead else ""
        near = tuple(n for n in re.findall(r"\b[A-Z]\w+", api.instead) if self.index.api(n) is not None)
        message = f"`{api.name}` {where} on Ascend 910B."
        self._reporter.add(node, ctx, Finding("other-chip-api", message, hint, (api.name, *near[:2])))

    def enum_of(self, text: str) -> str:
        """The enum of an enumerator that is written out as a template argument; empty where it is not one."""
        if CONSTANT.match(text) and not self.symbols.is_user(text):
            return "pipe_t" if text.startswith("PIPE_") else "event_t"
        match = re.fullmatch(r"(?:AscendC\s*::\s*)?(\w+)\s*::\s*\w+", text)
        info = self._enum(match.group(1)) if match and not self.symbols.is_user(match.group(1)) else None
        return info.name if info is not None else ""

    def _enum(self, scope: str) -> TypeInfo | None:
        info = self.index.type(scope)
        if info is not None and info.kind == "alias":
            info = self.index.type(info.target)
        return info if info is not None and info.kind == "enum" else None

    def _is_known(self, name: str, ctx: Context) -> bool:
        if name.startswith("_") or name in _FREE or name in ctx.binding or ctx.local(name)[0]:
            return True
        return self.symbols.is_user(name) or name in self.index
