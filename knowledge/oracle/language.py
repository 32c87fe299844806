"""What C++ a kernel may not hold: constructs without meaning on the device, foreign includes, text that is no C++."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from agentkernel.diagnostic import Diagnostic, Level, Location, Severity
from agentkernel.knowledge.oracle.source import SourceFile
from agentkernel.knowledge.oracle.symbols import Symbols, walk_named
from agentkernel.simulator.screening import STANDARD_HEADERS, Include

if TYPE_CHECKING:
    from tree_sitter import Node

    from agentkernel.simulator.lexer import Lexed

_NODES = {
    "new_expression": ("`new`", "Take buffers from TPipe (`InitBuffer`)."),
    "delete_expression": ("`delete`", "Buffers belong to TPipe; nothing is freed by hand."),
    "try_statement": ("exceptions", "Check values instead; a device has no exceptions."),
    "throw_statement": ("exceptions", "Return early instead; a device has no exceptions."),
    "throw_specifier": ("exceptions", "Leave the specification out."),
    "virtual_specifier": ("virtual functions", "Use a template parameter or overloads."),
    "gnu_asm_expression": ("assembler", "Write the kernel with Ascend C APIs alone."),
}
"""Tree nodes that cannot occur, with their name and the way around."""

_CALLS = {
    "malloc": "Take buffers from TPipe (`InitBuffer`).", "calloc": "Take buffers from TPipe (`InitBuffer`).",
    "realloc": "Take buffers from TPipe (`InitBuffer`).", "free": "Buffers belong to TPipe; nothing is freed by hand.",
    "fopen": "A kernel has no files.", "system": "A kernel has no operating system.", "exit": "Return from the kernel.",
    "abort": "Return from the kernel.", "dlopen": "A kernel has no operating system.",
    "fork": "A kernel has no processes.",
    "getenv": "Pass values through the tiling structure.",
}  # fmt: skip

_STD = frozenset(
    (
        *(
            "vector",
            "string",
            "map",
            "unordered_map",
            "set",
            "unordered_set",
            "list",
            "deque",
            "queue",
            "stack",
            "function",
        ),
        *("shared_ptr", "unique_ptr", "make_shared", "make_unique", "cout", "cerr", "endl", "cin", "sort", "thread"),
        *("mutex", "atomic", "optional", "variant", "any", "ostream", "stringstream", "async", "future", "iostream"),
        *("accumulate", "for_each", "transform", "copy", "string_view", "exception", "runtime_error"),
    )
)
"""Names of the standard library that need the heap, the system or exceptions."""

_ASCENDC_HEADERS = re.compile(
    r"^(?:kernel_\w+\.h|lib/[\w/]+\.h|kernel_tiling/[\w/]+\.h|basic_api/[\w/]+\.h|adv_api/[\w/]+\.h|tiling/[\w/]+\.h"
    r"|impl/[\w/]+\.h|include/[\w/]+\.h|register/[\w/]+\.h|asc_\w+\.h|acl/[\w/]+\.h|tikicpulib\.h|\w+_tiling(?:_data)?\.h"
    r"|interface/[\w/]+\.h|utils/[\w/]+\.h|hccl/[\w/]+\.h|c_api/[\w/]+\.h|simt_api/[\w/]+\.h|aclrtlaunch_\w+\.h)$"
)
_SYSTEM = re.compile(
    r"^(?:iostream|fstream|sstream|iomanip|vector|string|map|set|unordered_map|queue|deque|list|memory|thread|mutex|future"
    r"|atomic|chrono|functional|algorithm|numeric|regex|random|exception|stdexcept|filesystem|cstdio|cstdlib|sys/.*"
    r"|stdio\.h|stdlib\.h|unistd\.h|dlfcn\.h|fcntl\.h|signal\.h|pthread\.h)$"
)


def include_problems(found: Include, files: Mapping[str, str], *, device_only: bool) -> Iterator[Diagnostic]:
    """Findings about one include.

    Args:
        found: The include.
        files: The kernel's own files.
        device_only: Whether the whole kernel is device code, so that nothing of the host belongs in it.
    """
    target = found.target
    if found.form == "computed" or is_own(found, files) or target in STANDARD_HEADERS or _ASCENDC_HEADERS.match(target):
        return
    if found.form == "bracketed" and _SYSTEM.match(target):
        yield _diagnostic(
            "forbidden-include",
            f"`<{target}>` belongs to the host: a device kernel cannot use it.",
            found.location,
            'Include "kernel_operator.h" only.',
            Severity.ERROR if device_only else Severity.WARNING,
        )
    elif found.form == "quoted" and not _SYSTEM.match(target) and device_only:
        yield _diagnostic(
            "unknown-include",
            f"`{target}` is neither a file of the kernel nor a header of Ascend C.",
            found.location,
            'Include "kernel_operator.h", or make the file a part of the kernel (a kernel may be a folder of files).',
            Severity.ERROR,
        )


def is_own(found: Include, files: Mapping[str, str]) -> bool:
    """Whether an include names a file of the kernel itself."""
    return own_path(found, files) is not None


def own_path(found: Include, files: Mapping[str, str]) -> str | None:
    """The kernel's file that an include names."""
    beside = PurePosixPath(found.location.file).parent / found.target
    parts: list[str] = []
    for part in beside.parts:
        if part == ".." and parts:
            parts.pop()
        elif part not in {".", ".."}:
            parts.append(part)
    for path in ("/".join(parts), found.target):
        if path in files:
            return path
    named = [f for f in files if PurePosixPath(f).name == PurePosixPath(found.target).name]
    return named[0] if len(named) == 1 else None


def forbidden(file: SourceFile, symbols: Symbols, live: _Live) -> Iterator[Diagnostic]:
    """Constructs that device C++ does not have."""
    for node in walk_named(file.root):
        kind = node.type
        message = hint = ""
        if kind in _NODES:
            what, hint = _NODES[kind]
            message = f"Device code has no {what}."
        elif kind == "call_expression":
            callee = node.child_by_field_name("function")
            name = file.text_of(callee) if callee is not None and callee.type == "identifier" else ""
            if name in _CALLS and not symbols.is_user(name):
                message, hint = f"Device code has no `{name}`.", _CALLS[name]
            elif name == "typeid":
                message, hint = "Device code has no run-time type information.", "Use a template parameter."
        elif kind == "qualified_identifier":
            message, hint = _standard_library(node, file)
        elif kind == "template_function" and file.text_of(node).startswith("dynamic_cast"):
            message, hint = "Device code has no run-time type information.", "Use static_cast."
        elif kind in {"field_declaration", "function_definition"} and any(c.type == "virtual" for c in node.children):
            message, hint = "Device code has no virtual functions.", "Use a template parameter or overloads."
        elif kind == "storage_class_specifier" and file.text_of(node) == "thread_local":
            message, hint = "Device code has no threads.", "Use a local variable."
        if message and live(node):
            yield _diagnostic("forbidden-cpp", message, file.location(node), hint, Severity.ERROR)


def _standard_library(node: Node, file: SourceFile) -> tuple[str, str]:
    scope, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
    if scope is None or name is None or file.text_of(scope) != "std":
        return "", ""
    inner = name.child_by_field_name("name") if name.type in {"template_type", "template_function"} else name
    text = file.text_of(inner) if inner is not None else ""
    if text not in _STD:
        return "", ""
    return f"Device code has no `std::{text}`.", "Use fixed arrays, LocalTensor and Ascend C functions."


def recursion(symbols: Symbols, live: _LiveIn) -> Iterator[Diagnostic]:
    """Functions that call themselves, directly or through others, with one definition each."""
    owned = [f for c in symbols.classes.values() for fs in c.methods.values() for f in fs]
    bodies: dict[str, list[tuple[SourceFile, Node]]] = {}
    names: dict[str, int] = {}
    for function in [*owned, *(f for fs in symbols.functions.values() for f in fs)]:
        names[function.name] = names.get(function.name, 0) + (function.body is not None)
        if function.body is not None and not function.template:
            bodies.setdefault(function.name, []).append((function.file, function.body))
    single = {name: found[0] for name, found in bodies.items() if names[name] == 1 and len(found) == 1}
    calls: dict[str, dict[str, tuple[SourceFile, Node]]] = {}
    for name, (file, body) in single.items():
        calls[name] = {}
        if not any(other in single for other in set(re.findall(r"\w+", file.text_of(body)))):
            continue
        for node in walk_named(body):
            callee = node.child_by_field_name("function") if node.type == "call_expression" else None
            target = _plain_callee(callee, file) if callee is not None else ""
            if target in single:
                calls[name].setdefault(target, (file, node))
    for name in sorted(calls):
        path = _cycle(name, calls)
        if not path:
            continue
        file, node = calls[name][path[0]]
        if live(file, node):
            chain = " -> ".join(f"`{n}`" for n in (name, *path))
            yield _diagnostic(
                "forbidden-cpp",
                f"Device code has no recursion: {chain}.",
                file.location(node),
                "Use a loop.",
                Severity.ERROR,
            )


def _plain_callee(callee: Node, file: SourceFile) -> str:
    if callee.type == "identifier":
        return file.text_of(callee)
    base = callee.child_by_field_name("argument") if callee.type == "field_expression" else None
    field = callee.child_by_field_name("field")
    return file.text_of(field) if base is not None and base.type == "this" and field is not None else ""


def _cycle(start: str, calls: Mapping[str, Mapping[str, object]]) -> tuple[str, ...]:
    """Shortest way from a function back to itself; empty where there is none."""
    queue: list[tuple[str, ...]] = [(n,) for n in calls[start]]
    seen: set[str] = set()
    while queue:
        path = queue.pop(0)
        if path[-1] == start:
            return path
        if path[-1] in seen:
            continue
        seen.add(path[-1])
        queue += [(*path, n) for n in calls.get(path[-1], {})]
    return ()


def static_initialisers(file: SourceFile, symbols: Symbols, live: _Live) -> Iterator[Diagnostic]:
    """Global objects whose value is computed by a call before the kernel starts."""
    for name, member in symbols.globals.items():
        if member.file is not file or member.value is None:
            continue
        declaration = member.type_node.parent
        words = {file.text_of(c) for c in declaration.named_children} if declaration is not None else set()
        if words & {"constexpr", "constinit", "extern", "consteval"} or "constexpr" in file.text_of(
            declaration or member.type_node
        ):
            continue
        call = next((n for n in [member.value, *walk_named(member.value)] if n.type == "call_expression"), None)
        callee = call.child_by_field_name("function") if call is not None else None
        if call is None or callee is None or callee.type not in {"identifier", "lambda_expression"}:
            continue
        called = file.text_of(callee)
        functions = symbols.functions.get(called, [])
        known = callee.type == "lambda_expression" or any(
            f.body is not None and "constexpr" not in f.file.text_of(f.node).partition("{")[0] for f in functions
        )
        if known and live(call):
            yield _diagnostic(
                "static-initialiser",
                f"The global `{name}` needs a call before the kernel starts; a device has no such moment.",
                file.location(call),
                "Make it constexpr, or compute it inside the kernel.",
                Severity.ERROR,
            )


def syntax(file: SourceFile, live: _Live, last_line: int) -> Iterator[Diagnostic]:
    """Text that cannot be C++: brackets that do not match, and a call of the API without its semicolon.

    The parser's own errors are no proof, because macros may make anything legal; they decide nothing here.
    """
    problem = _unbalanced(file)
    if problem is not None:
        yield problem
        return
    if not file.root.has_error:
        return
    for node in _missing(file.root):
        before = node.prev_sibling
        if node.type != ";" or before is None or before.type != "call_expression" or not live(before):
            continue
        callee = before.child_by_field_name("function")
        name = file.text_of(callee) if callee is not None else ""
        if callee is None or re.fullmatch(r"[A-Z][A-Z0-9_]*|_Pragma", name) or node.start_point[0] + 1 > last_line:
            continue
        end = before.end_point
        location = file.location(before)
        if before.start_point[0] != end[0]:
            location = Location(file=file.name, line=end[0] + 1)
        yield _diagnostic(
            "syntax", f"`;` is missing after the call of `{name}`.", location, "Add the semicolon.", Severity.ERROR
        )


def _missing(root: Node) -> Iterator[Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_missing:
            yield node
        elif node.has_error:
            stack.extend(reversed(node.children))


def _unbalanced(file: SourceFile) -> Diagnostic | None:
    """The first bracket without its partner, outside comments, literals and directives."""
    from agentkernel.simulator.lexer import lex

    lexed = lex(file.text)
    if any(d.name in {"if", "ifdef", "ifndef"} for d in lexed.directives):
        return None  # branches may open or close brackets in turn
    pairs = {")": "(", "]": "[", "}": "{"}
    stack: list[tuple[str, int]] = []
    for match in re.finditer(r"[(){}\[\]]", lexed.code):
        char = match.group()
        if char in "([{":
            stack.append((char, match.start()))
            continue
        if not stack or stack[-1][0] != pairs[char]:
            return _mismatch(file.name, lexed, (char, match.start()), stack[-1] if stack else None)
        stack.pop()
    if not stack:
        return None
    char, at = stack[-1]
    place = Location(file=file.name, line=lexed.line(at), column=lexed.column(at))
    return _diagnostic(
        "syntax", f"`{char}` is never closed.", place, "Balance the brackets; is the file cut off?", Severity.ERROR
    )


def _mismatch(name: str, lexed: Lexed, closing: tuple[str, int], opening: tuple[str, int] | None) -> Diagnostic:
    def place(at: int) -> Location:
        return Location(file=name, line=lexed.line(at), column=lexed.column(at))

    char, at = closing
    hint = "Balance the brackets."
    if opening is None:
        return _diagnostic("syntax", f"`{char}` closes nothing.", place(at), hint, Severity.ERROR)
    if char == "}":  # no statement goes beyond its block: the mistake is where the round or square bracket stands
        message, where = f"`{opening[0]}` is not closed before the block ends.", opening[1]
        related = (place(at), "the block ends here")
    else:
        message, where = f"`{char}` does not close the `{opening[0]}` before it.", at
        related = (place(opening[1]), "opened here")
    found = _diagnostic("syntax", message, place(where), hint, Severity.ERROR)
    return found.model_copy(update={"related": (related,)})


class _Live:
    """Whether a node stands in text that the compiler reads."""

    def __init__(self, ranges: list[tuple[int, int]]) -> None:
        self._ranges = ranges

    def __call__(self, node: Node) -> bool:
        return self.at(node.start_byte)

    def at(self, offset: int) -> bool:
        """The same of a byte offset."""
        return not any(start <= offset < end for start, end in self._ranges)


class _LiveIn:
    """The same over several files."""

    def __init__(self, live: Mapping[str, _Live]) -> None:
        self._live = live

    def __call__(self, file: SourceFile, node: Node) -> bool:
        return self._live[file.name](node)


Live, LiveIn = _Live, _LiveIn


def _diagnostic(code: str, message: str, location: Location, hint: str, severity: Severity) -> Diagnostic:
    return Diagnostic(code=code, level=Level.API, message=message, location=location, hint=hint, severity=severity)
