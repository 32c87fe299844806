"""What a kernel's text may not hold, found before any compiler reads it.

This is the first of three nets. The second is the compiler's own: forbidden names are poisoned, the files it really
opened are compared with what is allowed, and it runs in a jail. The third is the built object (`elf`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from pydantic import BaseModel, ConfigDict

from agentkernel.diagnostic import Diagnostic, Level, Location
from agentkernel.simulator.lexer import Lexed

_STANDARD = """
cfloat climits cmath cstddef cstdint cstring initializer_list limits tuple type_traits utility
float.h limits.h math.h stddef.h stdint.h string.h
"""
STANDARD_HEADERS = frozenset(_STANDARD.split())
"""Standard headers that a kernel may include; all of them are read before it in any case."""

_DIRECTIVES = "define undef if ifdef ifndef elif elifdef elifndef else endif pragma error warning include"
_PRAGMAS = re.compile(r"\b(?:(?:GCC|clang)\s+(?!unroll\b|ivdep\b|loop\b|diagnostic\b)\w+|weak\b|redefine_extname\b)")
_OPERATOR = re.compile(r"\b_Pragma\b(?:\s*\(\s*\"([^\"\\\n]*)\"\s*\))?")
_USE_APIS = "Write the kernel with Ascend C APIs alone."
_FORBIDDEN = (
    (
        re.compile(r"\b(?:asm|__asm|__asm__)\b"),
        "forbidden-cpp",
        Level.API,
        "a kernel holds no assembler.",
        _USE_APIS,
    ),
    # the compiler drops an allocation that nothing uses, so that the object's imports do not always show it
    (
        re.compile(r"\bnew\b|(?<![\w.>:])(?:std::|::)?(?:malloc|calloc|realloc)(?=\s*\()"),
        "forbidden-cpp",
        Level.API,
        "device code has no heap.",
        "Take buffers from TPipe (`InitBuffer`).",
    ),
    (
        re.compile(r"\bvirtual\b"),
        "forbidden-cpp",
        Level.API,
        "device code has no virtual functions.",
        "Use a template parameter or overloads.",
    ),
    (
        re.compile(r"\b(?:__has_include|__has_include_next|__has_embed)\b"),
        "forbidden-directive",
        Level.API,
        "a kernel does not ask which files exist.",
        "Include what the kernel needs, without asking.",
    ),
    (
        re.compile(r"\bakrt(?:_\w+)?\b|\bakc(?=\s*::)"),
        "harness-access",
        Level.CHEAT,
        "this is part of what runs the kernel, not of Ascend C.",
        _USE_APIS,
    ),
)
_SPACE = r"(__gm__|__ubuf__|__cbuf__|__ca__|__cb__|__cc__|__fbuf__)"
_CAST_DECLARATION = re.compile(
    rf"{_SPACE}\s+[\w:<>\s]+?\*\s*(?:const\s+)?(\w+)\s*=\s*"
    rf"(?:\(\s*{_SPACE}|(?:reinterpret|static)_cast\s*<\s*{_SPACE})"
)
_GLOBAL_BUFFER = re.compile(
    rf"\bSetGlobalBuffer\s*\(\s*(?:\(\s*{_SPACE}|(?:reinterpret|static)_cast\s*<\s*{_SPACE})[^()]*"
)
_SPACE_NAMES = {"__gm__": "global memory", "__ubuf__": "the unified buffer", "__cbuf__": "the L1 buffer"}


class Include(BaseModel):
    """One `#include`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    location: Location
    target: str
    """Path between the quotes or brackets; the whole text where it is neither."""
    form: str
    """`quoted`, `bracketed`, or `computed` (the path comes from a macro)."""


def includes(name: str, lexed: Lexed) -> Iterator[Include]:
    """Every `#include` of a file, also those under an `#if` that is not taken."""
    for directive in lexed.directives:
        if directive.name != "include":
            continue
        match = re.fullmatch(r'"([^"]*)"|<([^>]*)>', directive.rest)
        target = directive.rest if match is None else (match.group(1) or match.group(2) or "")
        form = "computed" if match is None else ("quoted" if match.group(1) is not None else "bracketed")
        yield Include(location=Location(file=name, line=lexed.line(directive.start)), target=target, form=form)


def screen(name: str, lexed: Lexed) -> Iterator[Diagnostic]:
    """Findings in one file."""
    yield from _directives(name, lexed)
    yield from _pragma_operators(name, lexed)
    for pattern, code, level, why, hint in _FORBIDDEN:
        for match in pattern.finditer(lexed.bare):
            yield Diagnostic(
                code=code,
                level=level,
                message=f"`{match.group()}`: {why}",
                location=_span(name, lexed, match),
                hint=hint,
            )
    yield from address_spaces(name, lexed)


def address_spaces(name: str, lexed: Lexed) -> Iterator[Diagnostic]:
    """Pointers to one memory that are initialised with a cast to another.

    A host compiler knows no address spaces, so the types cannot carry them. This sees the plain cases only: qualifier
    and cast in one declaration, and a cast in a call of SetGlobalBuffer. A fuller check would follow pointers through
    the oracle's syntax tree and call this place with what it finds.
    """
    for match in _CAST_DECLARATION.finditer(lexed.code):
        declared, cast = match.group(1), match.group(3) or match.group(4)
        if declared != cast:
            memory = _SPACE_NAMES.get(cast, "another memory")
            yield Diagnostic(
                code="address-space",
                level=Level.API,
                message=f"`{match.group(2)}` is declared `{declared}` and set to a `{cast}` address ({memory}).",
                location=_span(name, lexed, match),
                hint="Move data between memories with DataCopy; a pointer cannot change its memory.",
            )
    for match in _GLOBAL_BUFFER.finditer(lexed.code):
        cast = match.group(1) or match.group(2)
        if cast != "__gm__":
            memory = _SPACE_NAMES.get(cast, "another memory")
            yield Diagnostic(
                code="address-space",
                level=Level.API,
                message=f"`SetGlobalBuffer` takes a `__gm__` address, this is a `{cast}` one ({memory}).",
                location=_span(name, lexed, match),
                hint="Give SetGlobalBuffer a kernel argument, cast to `__gm__ T*`.",
            )


def _directives(name: str, lexed: Lexed) -> Iterator[Diagnostic]:
    for include in includes(name, lexed):
        path = PurePosixPath(include.target)
        problem = ""
        if include.form == "computed":
            problem = f"`#include {include.target}`: an include names its file."
        elif path.is_absolute() or "\\" in include.target or _leaves(PurePosixPath(name).parent, path):
            problem = f"`{include.target}` lies outside the kernel's own files."
        if problem:
            yield Diagnostic(
                code="forbidden-include",
                level=Level.API,
                message=problem,
                location=include.location,
                hint='Include "kernel_operator.h" and files of the kernel itself.',
            )
    for directive in lexed.directives:
        problem = ""
        if directive.name and directive.name not in _DIRECTIVES.split():
            problem = f"`#{directive.name}` cannot be used in a kernel."
        elif directive.name == "pragma" and _PRAGMAS.search(directive.rest):
            problem = f"`#pragma {directive.rest}` cannot be used in a kernel."
        if problem:
            location = Location(file=name, line=lexed.line(directive.start), column=lexed.column(directive.start))
            yield Diagnostic(
                code="forbidden-directive", level=Level.API, message=problem, location=location, hint="Remove the line."
            )


def _pragma_operators(name: str, lexed: Lexed) -> Iterator[Diagnostic]:
    for match in _OPERATOR.finditer(lexed.bare):
        whole = _OPERATOR.match(lexed.text, match.start())
        pragma = whole.group(1) if whole is not None else None
        if pragma is None or _PRAGMAS.search(pragma):
            what = "`_Pragma`" if pragma is None else f'`_Pragma("{pragma}")`'
            yield Diagnostic(
                code="forbidden-directive",
                level=Level.API,
                message=f"{what} cannot be used in a kernel.",
                location=_span(name, lexed, match),
                hint="Remove it.",
            )


def _leaves(folder: PurePosixPath, path: PurePosixPath) -> bool:
    depth = len(folder.parts)
    for part in path.parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return True
    return False


def _span(name: str, lexed: Lexed, match: re.Match[str]) -> Location:
    column = lexed.column(match.start())
    end = None if "\n" in match.group() else column + len(match.group())
    return Location(file=name, line=lexed.line(match.start()), column=column, end_column=end)
