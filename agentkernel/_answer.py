"""Blocks of code in a text written by a model: fences, headings that name a file, file lines inside a block."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

_FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)$")
# any number of '=' from three up: models miscount the 18 of the template that they were trained on
_RULE = re.compile(
    r"^[ \t]*={3,}[ \t]*(?P<path>[\w./+\\-]*\w\.(?:cpp|cc|cxx|c|h|hpp|hh|inl|asc|cce))[ \t]*={3,}[ \t]*$"
)
_PATH = re.compile(r"[\w./+\\-]*\w\.(?:cpp|cc|cxx|c|h|hpp|hh|inl|asc|cce)\b")
_FILE_LINE = re.compile(
    r"^[ \t]*(?://|/\*|#)[ \t]*(?:file(?:name)?|path)[ \t]*:[ \t]*(?P<path>[\w./+\\-]+)[ \t]*(?:\*/)?[ \t]*$",
    re.IGNORECASE,
)
_BARE_PATH_LINE = re.compile(r"^[ \t]*(?://|/\*)[ \t]*(?P<path>[\w.+-]+(?:/[\w.+-]+)+)[ \t]*(?:\*/)?[ \t]*$")
_CAPTION = re.compile(
    r"^[ \t]*(?:#{1,6}|[-*]|\d+\.)?[ \t]*(?:file(?:name)?|path)?[ \t]*:?[ \t]*"  # list or heading mark, "File:"
    r"[*`\"]*(?P<path>[^\s*`\":]+)[*`\"]*[ \t]*:?[ \t]*$",
    re.IGNORECASE,
)
_SOURCE_LANGUAGES = frozenset(
    {"", "cpp", "c++", "cc", "cxx", "c", "h", "hpp", "ascendc", "ascend-c", "ascend", "asc", "cce", "cuda"}
)
_SOURCE_START = re.compile(
    r"\s*(?:#\s*(?:include|pragma|ifndef|define)\b|//|/\*|using\b|extern\b|namespace\b|constexpr\b|template\b)"
)


class Block(BaseModel):
    """A block of code in an answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    language: str = ""
    """First word of the fence's info string, lower case; empty for an unlabelled fence."""
    path: str = ""
    """File that the answer names for it, empty where it names none."""
    closed: bool = True
    """False where the text ended inside the block."""

    @property
    def is_source(self) -> bool:
        """Whether it may be C++: labelled so, not labelled, or named as a C++ file."""
        return bool(self.path) or self.language in _SOURCE_LANGUAGES


def looks_like_source(text: str) -> bool:
    """Whether a text without any fence is a bare source file rather than prose about one."""
    return _SOURCE_START.match(text) is not None and "__aicore__" in text


def blocks_of(text: str) -> list[Block]:
    """All blocks of a text (LF line ends), in order, each split at file lines inside it."""
    return [piece for block in _fenced_or_ruled(text.split("\n")) for piece in _split_at_file_lines(block)]


def _fenced_or_ruled(lines: list[str]) -> Iterator[Block]:
    heading = ""  # path of the last `==== path ====`, until a block uses it
    caption = ""  # path named by the last line of prose
    loose: list[str] = []  # lines under a heading that has no fence
    at = 0
    while at < len(lines):
        line = lines[at]
        rule, fence = _RULE.match(line), _FENCE.match(line)
        if rule is not None:
            yield from _loose(heading, loose)
            heading, loose = _posix(rule["path"]), []
        elif fence is not None:
            end, following = _closing(lines, at, fence["mark"])
            path = heading or _path_in(fence["info"]) or caption
            body = [_dedent(inner, fence["indent"]) for inner in lines[at + 1 : end]]
            yield Block(text="\n".join(body), language=_language(fence["info"]), path=path, closed=end < len(lines))
            heading, caption, loose, at = "", "", [], following - 1
        elif heading:
            loose.append(line)
        elif line.strip():
            caption = _captioned(line)
        at += 1
    yield from _loose(heading, loose)


def _loose(heading: str, lines: list[str]) -> Iterator[Block]:
    """A file whose code follows its heading without a fence."""
    text = "\n".join(lines)
    if heading and text.strip():
        yield Block(text=text, path=heading)


def _closing(lines: list[str], start: int, mark: str) -> tuple[int, int]:
    """(line after the last of a fence's content, line to read on from); both the number of lines if it is not closed.

    The heading of a next file ends a fence too: it is no C++, and what was forgotten is only the closing mark.
    """
    for at in range(start + 1, len(lines)):
        stripped = lines[at].strip()
        if len(stripped) >= len(mark) and set(stripped) == {mark[0]}:
            return at, at + 1
        if _RULE.match(lines[at]):
            return at, at
    return len(lines), len(lines)


def _language(info: str) -> str:
    word = re.match(r"\s*([^\s:{=]*)", info)
    label = word.group(1).lower() if word else ""
    return "" if _PATH.fullmatch(label) else label


def _path_in(info: str) -> str:
    found = _PATH.search(info)
    return _posix(found.group(0)) if found else ""


def _captioned(line: str) -> str:
    match = _CAPTION.match(line)
    return _posix(match["path"]) if match and _PATH.fullmatch(match["path"]) else ""


def _split_at_file_lines(block: Block) -> Iterator[Block]:
    """Parts of a block that hold a file each; a block without file lines is one part."""
    lines = block.text.split("\n")
    marks = [(at, path) for at, line in enumerate(lines) if (path := _file_line(line, first=at == 0))]
    if not marks:
        yield block
        return
    head = "\n".join(lines[: marks[0][0]])
    if head.strip():
        yield block.model_copy(update={"text": head})
    for (at, path), following in zip(marks, [*(m[0] for m in marks[1:]), len(lines)], strict=True):
        yield block.model_copy(update={"text": "\n".join(lines[at + 1 : following]), "path": path})


def _file_line(line: str, *, first: bool) -> str:
    match = _FILE_LINE.match(line) or (_BARE_PATH_LINE.match(line) if first else None)
    return _posix(match["path"]) if match and _PATH.fullmatch(match["path"]) else ""


def _dedent(line: str, indent: str) -> str:
    """A line of a fence without the fence's own indentation (fences inside list items)."""
    return line[len(indent) :] if indent and line.startswith(indent) else line


def _posix(path: str) -> str:
    return path.replace("\\", "/")
