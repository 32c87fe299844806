"""`check`: all rules of the oracle over one kernel."""

from __future__ import annotations

import re

from agentkernel.diagnostic import Diagnostic, Severity
from agentkernel.kernel import Kernel
from agentkernel.knowledge.index import load_index
from agentkernel.knowledge.oracle import language, preprocessor
from agentkernel.knowledge.oracle.cpptypes import CppType
from agentkernel.knowledge.oracle.infer import template_arguments
from agentkernel.knowledge.oracle.source import SourceFile
from agentkernel.knowledge.oracle.symbols import Collector, Function, UserClass, walk_named
from agentkernel.knowledge.oracle.typenames import Context
from agentkernel.knowledge.oracle.walk import Walker
from agentkernel.simulator.source_pass import prepare
from agentkernel.task import Path, Task

_BINDINGS = 6
"""Instantiations of one class template that are checked; further ones seldom say more."""


def check(kernel: Kernel, task: Task) -> tuple[Diagnostic, ...]:
    """Find what a compiler for the task's chip would reject.

    A finding of severity ERROR is certain; what may be legal after all is a WARNING or is not reported.

    Args:
        kernel: The candidate, as its author wrote it.
        task: Says the chip, the entry and its arguments.

    Returns:
        Findings in the order of files and lines, each with its place, a hint and the names that it touches.

    Raises:
        ConfigError: There is no API index for the task's chip.
    """
    return Oracle(kernel, task).run()


class Oracle:
    """One check of one kernel."""

    def __init__(self, kernel: Kernel, task: Task) -> None:
        self.task = task
        self.index = load_index(task.target)
        self.prepared = prepare(kernel, task)
        self.files = self._reachable()
        collector = Collector()
        for file in self.files:
            collector.add(file)
        self.symbols = collector.symbols
        if self.prepared.prelude:
            collector.add(SourceFile("TilingData", self.prepared.prelude))
        defines = self._defines()
        self.live = {f.name: language.Live(preprocessor.unread(f.root, f, defines)) for f in self.files}
        open_world = self.symbols.pasting or self._misses_includes()
        self.walker = Walker(self.symbols, self.index, open_world=open_world, defines=defines)

    def run(self) -> tuple[Diagnostic, ...]:
        """All findings, sorted by place."""
        found = [d for d in self.prepared.diagnostics if d.location is None or self._is_checked(d.location.file)]
        device_only = self.task.path is Path.DEVICE
        for include in self.prepared.includes:
            if self._is_checked(include.location.file) and self._is_read(include.location.file, include.location.line):
                found += language.include_problems(include, self.prepared.files, device_only=device_only)
        last = self.prepared.appended_line
        for file in self.files:
            found += language.syntax(file, self.live[file.name], last)
            if device_only:
                found += language.forbidden(file, self.symbols, self.live[file.name])
            found += language.static_initialisers(file, self.symbols, self.live[file.name])
        found += language.recursion(self.symbols, language.LiveIn(self.live))
        if not any(d.code == "syntax" for d in found):
            # after a wrong bracket the tree may put anything anywhere
            self._walk()
            found += self.walker.reporter.diagnostics
        return tuple(sorted(_without_doubles(found), key=_place))

    # ---- files

    def _reachable(self) -> list[SourceFile]:
        """The main file and what it includes of the kernel's own, in order of inclusion."""
        order: list[str] = []
        stack = [self.prepared.main_file]
        while stack:
            name = stack.pop()
            if name in order:
                continue
            order.append(name)
            own = [
                path
                for include in self.prepared.includes
                if include.location.file == name
                and (path := language.own_path(include, self.prepared.files)) is not None
            ]
            stack += reversed(own)
        return [SourceFile(name, self._text(name)) for name in order]

    def _text(self, name: str) -> str:
        text = self.prepared.files[name]
        if name == self.prepared.main_file:
            lines = text.split("\n")
            text = "\n".join(lines[: self.prepared.appended_line - 1])
        return text

    def _is_checked(self, name: str) -> bool:
        return any(f.name == name for f in self.files)

    def _is_read(self, name: str, line: int) -> bool:
        file = next(f for f in self.files if f.name == name)
        start = sum(len(text) + 1 for text in file.data.split(b"\n")[: line - 1])
        return self.live[name].at(start)

    def _misses_includes(self) -> bool:
        return any(
            not language.is_own(i, self.prepared.files)
            and i.form == "quoted"
            and not i.target.startswith("kernel_operator")
            for i in self.prepared.includes
        )

    def _defines(self) -> dict[str, str | None]:
        defines: dict[str, str | None] = {}
        for file in self.files:
            for name, value in re.findall(
                r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?!\()[ \t]*(.*?)[ \t]*$", file.text, re.MULTILINE
            ):
                defines[name] = None if name in defines else value
        return defines

    # ---- bodies

    def _walk(self) -> None:
        instances = self._instances()
        for owner in self.symbols.classes.values():
            live = self.live.get(owner.file.name)
            if owner.name in self.symbols.doubled or live is None or not live(owner.node):
                continue
            for binding in self._bindings(owner, instances.get(owner.name, [])):
                ctx = Context(owner.file, dict(binding), owner, [{}])
                self.walker.types_of((m.type_node for m in owner.members.values()), ctx)
                for functions in owner.methods.values():
                    for function in functions:
                        self._function(function, binding, owner)
        for functions in self.symbols.functions.values():
            for function in functions:
                outer = self.symbols.classes.get(function.owner)
                for binding in [{}] if outer is None else self._bindings(outer, instances.get(outer.name, [])):
                    self._function(function, self._renamed(function, outer, binding), outer)

    def _renamed(
        self, function: Function, owner: UserClass | None, binding: dict[str, CppType | None]
    ) -> dict[str, CppType | None]:
        """A method defined outside its class may call the template's parameters by other names."""
        if owner is None or not owner.template:
            return binding
        values = list(binding.values())
        return {p.name: values[i] if i < len(values) else None for i, p in enumerate(function.template)} or binding

    def _function(self, function: Function, binding: dict[str, CppType | None], owner: UserClass | None) -> None:
        if function.file.name in self.live and self.live[function.file.name](function.node):
            self.walker.function(function, binding, owner)

    def _bindings(self, owner: UserClass, found: list[tuple[CppType | None, ...]]) -> list[dict[str, CppType | None]]:
        infer = self.walker.infer
        made = [infer.bind(owner.template, args, owner.file) for args in dict.fromkeys(found)]
        return made[:_BINDINGS] or [{p.name: None for p in owner.template}]

    def _instances(self) -> dict[str, list[tuple[CppType | None, ...]]]:
        """Template arguments that the author's class templates are used with, where they are concrete."""
        found: dict[str, list[tuple[CppType | None, ...]]] = {}
        templates = {n for n, c in self.symbols.classes.items() if c.template}
        if not templates:
            return found
        for file in self.files:
            ctx = Context(file)
            for node in walk_named(file.root):
                if node.type not in {"template_type", "template_function"}:
                    continue
                name = node.child_by_field_name("name")
                text = file.text_of(name) if name is not None else ""
                if text not in templates or not self.live[file.name](node):
                    continue
                listed = node.child_by_field_name("arguments")
                nodes = template_arguments(node) or ([c for c in listed.named_children] if listed is not None else [])
                found.setdefault(text, []).append(tuple(self.walker.infer.template_argument(a, ctx) for a in nodes))
        return found


def _without_doubles(found: list[Diagnostic]) -> list[Diagnostic]:
    """One finding a place and code; the source pass and the tree may see the same thing."""
    kept: dict[tuple[object, ...], Diagnostic] = {}
    for diagnostic in found:
        where = diagnostic.location
        kept.setdefault((diagnostic.code, where and (where.file, where.line, where.column)), diagnostic)
    return list(kept.values())


def _place(diagnostic: Diagnostic) -> tuple[object, ...]:
    where = diagnostic.location
    place = ("", 0, 0) if where is None else (where.file, where.line, where.column or 0)
    return (*place, diagnostic.severity is not Severity.ERROR, diagnostic.code)
