"""The files of host code: which of them are compiled, and what may not stand in them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ConfigDict

from agentkernel.diagnostic import Diagnostic, Level, Location
from agentkernel.simulator.lexer import Lexed, lex
from agentkernel.simulator.screening import Include, includes

SUFFIXES = frozenset({".cpp", ".cc", ".cxx"})
HEADER_SUFFIXES = frozenset({".h", ".hpp", ".hh", ".inc"})
MAX_SOURCE_BYTES = 4 << 20

_ACLNN = re.compile(r"(?:.*/)?(?:opdev|aclnn|aclnn_kernels|level0)/")
"""Headers of the layer that a framework calls; hand-written code of it is not part of tiling."""

_CPP = """
algorithm any array atomic bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits clocale cmath
complex condition_variable csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cwchar cwctype deque
exception forward_list fstream functional initializer_list iomanip ios iosfwd iostream istream iterator limits list
locale map memory memory_resource mutex new numeric optional ostream queue random ratio regex scoped_allocator set
shared_mutex sstream stack stdexcept streambuf string string_view strstream system_error thread tuple type_traits
typeindex typeinfo unordered_map unordered_set utility valarray variant vector
assert.h ctype.h errno.h float.h inttypes.h limits.h math.h setjmp.h signal.h stdarg.h stdbool.h stddef.h stdint.h
stdio.h stdlib.h string.h time.h wchar.h
"""
STANDARD_HEADERS = frozenset(_CPP.split())
"""What host code may include beside its own files and the host headers."""

_FORBIDDEN = (
    (
        re.compile(r"\b(?:asm|__asm|__asm__)\b"),
        "host-forbidden-cpp",
        Level.HOST,
        "host code holds no assembler.",
    ),
    (
        re.compile(r"\b(?:__has_include|__has_include_next|__has_embed)\b"),
        "host-forbidden-cpp",
        Level.HOST,
        "host code does not ask which files exist.",
    ),
    (
        re.compile(r"\bakhost(?=\s*::)|\bnamespace\s+akhost\b"),
        "harness-access",
        Level.CHEAT,
        "this is part of what runs the host code, not of its interface.",
    ),
)
_DIRECTIVES = """define undef if ifdef ifndef elif elifdef elifndef else endif pragma error warning include"""


class HostSource(BaseModel):
    """The files of one operator's host side."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    files: dict[str, str]
    """Texts by path."""
    units: tuple[str, ...]
    """Files that are compiled."""
    skipped: tuple[str, ...]
    """Sources of the aclnn layer, which is not simulated."""
    includes: tuple[Include, ...]
    diagnostics: tuple[Diagnostic, ...]

    def locate(self, file: str, line: int, column: int | None = None) -> Location:
        """A place in the author's text."""
        return Location(file=file, line=max(1, line), column=column)

    def own_file(self, path: str) -> str | None:
        """Name of the file that a compiler means by a path relative to the sources; None for other files."""
        name = posixpath.normpath(path)
        return name if name in self.files else None


def read_folder(folder: Path) -> dict[str, str]:
    """Every source and header below a folder, by path.

    Raises:
        OSError: One cannot be read.
    """
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8", errors="replace")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in SUFFIXES | HEADER_SUFFIXES
    }


def prepare_host(files: Mapping[str, str]) -> HostSource:
    """Look through the files before a compiler does."""
    lexed = {name: lex(text) for name, text in files.items()}
    found = {name: list(includes(name, one)) for name, one in lexed.items()}
    diagnostics: list[Diagnostic] = []
    size = sum(len(text.encode()) for text in files.values())
    if size > MAX_SOURCE_BYTES:
        message = f"The host files hold {size} bytes; at most {MAX_SOURCE_BYTES} are compiled."
        diagnostics.append(Diagnostic(code="host-compile-limit", level=Level.HOST, message=message))
    else:
        for name, one in lexed.items():
            diagnostics += _screen(name, one, found[name])
    sources = [name for name in files if PurePosixPath(name).suffix in SUFFIXES]
    skipped = tuple(name for name in sources if _belongs_to_aclnn(name, found))
    units = tuple(name for name in sources if name not in skipped)
    if not units and not diagnostics:
        message = "There is no source file of host code (.cpp) that could be compiled."
        diagnostics.append(Diagnostic(code="host-no-operator", level=Level.HOST, message=message))
    return HostSource(
        files=dict(files),
        units=units,
        skipped=skipped,
        includes=tuple(include for one in found.values() for include in one),
        diagnostics=tuple(diagnostics),
    )


def _belongs_to_aclnn(name: str, found: Mapping[str, list[Include]]) -> bool:
    """Whether a source reaches headers of the aclnn layer, itself or through headers of its own folder."""
    waiting, seen = [name], {name}
    while waiting:
        current = waiting.pop()
        for include in found[current]:
            if _ACLNN.match(include.target):
                return True
            for path in (PurePosixPath(current).parent / include.target, PurePosixPath(include.target)):
                own = posixpath.normpath(path)
                if own in found and own not in seen:
                    seen.add(own)
                    waiting.append(own)
    return False


def _screen(name: str, lexed: Lexed, found: list[Include]) -> Iterator[Diagnostic]:
    for pattern, code, level, why in _FORBIDDEN:
        for match in pattern.finditer(lexed.bare):
            yield Diagnostic(
                code=code,
                level=level,
                message=f"`{match.group()}`: {why}",
                location=Location(file=name, line=lexed.line(match.start()), column=lexed.column(match.start())),
                hint="Compute tiling with the C++ library and the host interface alone.",
            )
    for directive in lexed.directives:
        if directive.name and directive.name not in _DIRECTIVES.split():
            yield Diagnostic(
                code="host-forbidden-cpp",
                level=Level.HOST,
                message=f"`#{directive.name}` cannot be used in host code.",
                location=Location(file=name, line=lexed.line(directive.start)),
                hint="Remove the line.",
            )
    for include in found:
        path = PurePosixPath(include.target)
        if include.form == "computed":
            problem = f"`#include {include.target}`: an include names its file."
        elif path.is_absolute() or "\\" in include.target or _leaves(PurePosixPath(name).parent, path):
            problem = f"`{include.target}` lies outside the operator's own files."
        else:
            continue
        yield Diagnostic(
            code="host-forbidden-include",
            level=Level.HOST,
            message=problem,
            location=include.location,
            hint="Include the host headers, the C++ library and files of the operator itself.",
        )


def _leaves(folder: PurePosixPath, path: PurePosixPath) -> bool:
    depth = len(folder.parts)
    for part in path.parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return True
    return False
