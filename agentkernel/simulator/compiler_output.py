"""What g++ and clang++ print, as data: errors with the notes and instantiation traces that belong to them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

_PLACE = r"^(?P<file>[^:\n]+):(?P<line>\d+):(?:(?P<column>\d+):)?"
_MESSAGE = re.compile(_PLACE + r" (?P<kind>fatal error|error|note): (?P<text>.*)$")
_LOOSE = re.compile(r"^(?:[\w./+-]+: )?(?:fatal error|error|internal compiler error|virtual memory exhausted)\b.*$")
_FUNCTION = re.compile(r"^(?P<file>[^:\n]+): In (?:instantiation|substitution) of '(?P<text>.*)':$")
_REQUIRED = re.compile(_PLACE + r"\s+(?:recursively )?required (?:from '(?P<text>.*)'|from here|by .*)")
_CLANG_TRACE = re.compile(r"^in instantiation of .*? '(?P<text>.*)' requested here$")
_LINKER = re.compile(r"^(?:\S*/)?(?:ld|collect2|lld|ld\.lld|clang(?:\+\+)?|g\+\+)(?:-\d+)?: .*")
_HEADER = re.compile(r"^(?P<depth>\.+) (?P<path>.+)$")


class Place(BaseModel):
    """A position that the compiler prints. Columns count bytes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str
    line: int
    column: int | None = None
    function: str = ""
    """What is called there, in an instantiation trace."""


class Note(BaseModel):
    """A note under an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    place: Place
    text: str


class CompilerError(BaseModel):
    """One error with everything that was printed about it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    place: Place | None
    """None for what the driver or the linker says."""
    text: str
    trace: tuple[Place, ...] = ()
    """Instantiations that led there, innermost first; each names the function that was called at its place."""
    notes: tuple[Note, ...] = ()


def opened_headers(output: str) -> Iterator[tuple[int, str]]:
    """(depth, path) of every header that was opened, from what `-H` prints; depth 1 is included by the main file."""
    for line in output.splitlines():
        match = _HEADER.match(line)
        if match:
            yield len(match["depth"]), match["path"]


def parse(output: str) -> list[CompilerError]:
    """Errors in order of printing. Lines that are none, and warnings, are passed over."""
    parser = _Parser()
    for line in output.splitlines():
        parser.feed(line)
    return parser.finish()


class _Parser:
    """g++ prints the trace before its error and clang after it, as notes."""

    def __init__(self) -> None:
        self._done: list[CompilerError] = []
        self._current: CompilerError | None = None
        self._pending: list[Place] = []
        self._function = ""

    def feed(self, line: str) -> None:
        if match := _FUNCTION.match(line):
            self._pending = []
            self._function = match["text"]
        elif match := _REQUIRED.match(line):
            self._pending.append(_place(match, self._function))
            self._function = match["text"] or ""
        elif match := _MESSAGE.match(line):
            self._message(match)
        elif _LOOSE.match(line) or _LINKER.match(line):
            self._begin(CompilerError(place=None, text=line))
        elif self._current is not None and line.startswith("  ") and self._current.notes:
            self._continue_note(line)

    def finish(self) -> list[CompilerError]:
        self._flush()
        return self._done

    def _message(self, match: re.Match[str]) -> None:
        place = _place(match, "")
        if match["kind"] != "note":
            self._begin(CompilerError(place=place, text=match["text"], trace=tuple(self._pending)))
        elif self._current is not None:
            called = _CLANG_TRACE.match(match["text"])
            if called:
                step = place.model_copy(update={"function": called["text"]})
                self._current = self._current.model_copy(update={"trace": (*self._current.trace, step)})
            else:
                note = Note(place=place, text=match["text"].strip())
                self._current = self._current.model_copy(update={"notes": (*self._current.notes, note)})
        self._pending = []
        self._function = ""

    def _continue_note(self, line: str) -> None:
        assert self._current is not None
        *before, last = self._current.notes
        longer = last.model_copy(update={"text": f"{last.text} {line.strip()}"})
        self._current = self._current.model_copy(update={"notes": (*before, longer)})

    def _begin(self, error: CompilerError) -> None:
        self._flush()
        self._current = error

    def _flush(self) -> None:
        if self._current is not None:
            self._done.append(self._current)
        self._current = None


def _place(match: re.Match[str], function: str) -> Place:
    column = match["column"]
    return Place(
        file=match["file"].strip(),
        line=int(match["line"]),
        column=int(column) if column and int(column) else None,
        function=function,
    )
