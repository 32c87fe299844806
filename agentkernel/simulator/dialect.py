"""What the device's compiler takes and a host's does not, rewritten without moving a line or a column.

The device's is a clang for C++17. Class scope may hold explicit specialisations there, which g++ before 14 refuses:
they become constrained templates. And a class whose constructor is defaulted is still an aggregate, which C++20 ended:
where it has no other constructor, the declaration is blanked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

from agentkernel.simulator.lexer import Lexed, blank, lex, matching

_EMPTY_HEAD = re.compile(r"\btemplate\s*<\s*>")
_CORE = re.compile(r"(?:::\s*)?(?:AscendC\s*::\s*)?AI[CV]$")
_CLASS_HEAD = re.compile(r"^\s*(?:typedef\s+)?(?:struct|class|union)\s+(?:alignas\s*\([^)]*\)\s*)?([A-Za-z_]\w*)")
_DEFAULTED = re.compile(r"(?<![~\w:])([A-Za-z_]\w*)\s*\(\s*(?:void)?\s*\)\s*(?:noexcept\s*)?=\s*default\s*;")
_TYPE_NAME = "AkT"


class Rewritten(BaseModel):
    """A file as the host's compiler can read it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    """Equal lines and columns."""
    defines: str = ""
    """Macros that it needs, to be read before it."""


class _Class(BaseModel):
    """A class in the text: its name, and where its braces stand."""

    model_config = ConfigDict(frozen=True)

    name: str
    head: str
    start: int
    end: int


def adapt(text: str, first: int = 0) -> Rewritten:
    """Rewrite a file.

    Args:
        text: The file, launches and bracket attributes blanked.
        first: Number of the first macro to define; files of one kernel need different ones.
    """
    if not _EMPTY_HEAD.search(text) and not _DEFAULTED.search(text):
        return Rewritten(text=text)
    lexed = lex(text)
    classes = list(_classes(lexed.code))
    edits: list[tuple[int, int, str]] = [(start, end, "") for start, end in _defaulted(lexed.code, classes)]
    defines = ""
    for match in _EMPTY_HEAD.finditer(lexed.code):
        if not any(one.start < match.start() < one.end and _direct(lexed.code, one, match.start()) for one in classes):
            continue
        name = f"AK_S{first + defines.count('#define')}"
        found = _specialised(lexed, match.end())
        if found is None or len(name) > match.end() - match.start():
            continue
        start, end, replacement, head = found
        edits += [(match.start(), match.end(), name), (start, end, replacement)]
        defines += f"#define {name} {head}\n"
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + blank(text[start + len(new) : end]) + text[end:]
    return Rewritten(text=text, defines=defines)


def _classes(code: str) -> Iterator[_Class]:
    for match in re.finditer(r"\{", code):
        head = re.split(r"[;{}]", code[: match.start()])[-1]
        head = re.sub(r"\b(?:public|private|protected)\s*:(?!:)", " ", head)
        named = _CLASS_HEAD.match(_without_template(head))
        end = matching(code, match.start(), "{}") if named is not None else -1
        if named is not None and end > 0:
            yield _Class(name=named.group(1), head=head, start=match.start(), end=end)


def _without_template(head: str) -> str:
    """A declaration without its template heads."""
    while (match := re.match(r"\s*template\s*<", head)) is not None:
        depth, position = 1, match.end()
        while position < len(head) and depth:
            depth += {"<": 1, ">": -1}.get(head[position], 0)
            position += 1
        head = head[position:]
    return head


def _direct(code: str, one: _Class, position: int) -> bool:
    """Whether a place in a class belongs to the class itself, not to something within braces of it."""
    between = code[one.start + 1 : position]
    return between.count("{") == between.count("}")


def _specialised(lexed: Lexed, begin: int) -> tuple[int, int, str, str] | None:
    """What stands behind `template <>`: where its arguments are, what replaces them, and the head that it needs."""
    code = lexed.code
    struct = re.compile(r"\s*(?:struct|class)\s+[A-Za-z_]\w*\s*<").match(code, begin)
    if struct is not None:
        start, end = struct.end() - 1, _closing(code, struct.end() - 1)
        argument = code[start + 1 : end - 1].strip()
        if end < 0 or "," in argument or len(_TYPE_NAME) + 2 > end - start or not argument:
            return None
        return (
            start,
            end,
            f"<{_TYPE_NAME}>",
            f"template <class {_TYPE_NAME}> requires(std::is_same_v<{_TYPE_NAME}, {argument}>)",
        )
    function = re.compile(r"[^;{}()<>]*(?:operator\s*\(\s*\)|[A-Za-z_]\w*)\s*(<)").match(code, begin)
    if function is None:
        return None
    start, end = function.start(1), _closing(code, function.start(1))
    argument = code[start + 1 : end - 1].strip()
    if end < 0 or not _CORE.match(argument):
        return None
    return start, end, "", f"template <int32_t AkV = g_coreType> requires(AkV == ({argument}))"


def _closing(code: str, opening: int) -> int:
    """Past the `>` of a `<` without further operators inside; -1 where there is none."""
    depth = 0
    for position in range(opening, len(code)):
        if code[position] in ";{}":
            return -1
        depth += {"<": 1, ">": -1}.get(code[position], 0)
        if depth == 0:
            return position + 1
    return -1


def _defaulted(code: str, classes: list[_Class]) -> Iterator[tuple[int, int]]:
    """Declarations of defaulted constructors in classes without bases and without other constructors."""
    for match in _DEFAULTED.finditer(code):
        own = [one for one in classes if one.start < match.start() < one.end and _direct(code, one, match.start())]
        if not own or own[-1].name != match.group(1) or re.search(r"(?<!:):(?!:)", own[-1].head):
            continue
        body = code[own[-1].start : own[-1].end]
        others = re.findall(rf"(?<![~\w:.>])(?<!new ){match.group(1)}\s*\(", body)
        if len(others) == 1:
            start = max(code.rfind(c, 0, match.start()) for c in ";{}:") + 1
            yield start, match.end()
