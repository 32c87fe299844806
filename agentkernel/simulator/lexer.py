"""A careful look at C++ text: which characters are code, which are comments, literals or directives.

Not a parser. It answers one question for every character, so that the source pass can search code without being
deceived by a comment or a string, and replace text without moving anything.
"""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict

_SPECIAL = re.compile(r"""//|/\*|"|'""")
_RAW_PREFIX = re.compile(r"(?:\b|(?<=\W))(?:u8|u|U|L)?R$")
# a line may be continued anywhere, behind the `#` too; vertical tabs and form feeds are space
_DIRECTIVE = re.compile(
    r"^(?:[ \t\v\f]|\\[ \t]*\r?\n)*(?:#|%:)(?:[ \t\v\f]|\\[ \t]*\r?\n)*([A-Za-z_]\w*|\d+)?", re.MULTILINE
)


class Directive(BaseModel):
    """One preprocessor line, continuation lines included."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    """`include`, `define`, ...; empty for a lone `#`, digits for a line marker."""
    start: int
    """Offset of the line's first character."""
    end: int
    """Offset past its last character, the line break not counted."""
    rest: str
    """Text behind the name, comments removed, continuation lines joined."""


class Lexed(BaseModel):
    """A file with what is not code blanked out. Both texts are as long as the file and keep its line breaks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    """The file as it is."""
    bare: str
    """Comments and the insides of literals blanked."""
    code: str
    """`bare` with directives blanked as well."""
    directives: tuple[Directive, ...]

    def line(self, offset: int) -> int:
        """1-based line of an offset."""
        return self.text.count("\n", 0, offset) + 1

    def column(self, offset: int) -> int:
        """1-based column of an offset, in characters."""
        return offset - (self.text.rfind("\n", 0, offset) + 1) + 1


def lex(text: str) -> Lexed:
    """Classify every character of a C++ file. Never fails: what is cut off is taken to its end."""
    bare = _blank_comments_and_literals(text)
    directives: list[Directive] = []
    code = bare
    for match in _DIRECTIVE.finditer(bare):
        start, end = match.start(), _logical_end(bare, match.end())
        if directives and start < directives[-1].end:
            continue  # a line that continues the directive before it
        rest = _uncommented(text[match.end() : end], bare[match.end() : end])
        directives.append(Directive(name=match.group(1) or "", start=start, end=end, rest=rest))
        code = code[:start] + blank(code[start:end]) + code[end:]
    return Lexed(text=text, bare=bare, code=code, directives=tuple(directives))


def blank(text: str) -> str:
    """The same number of characters, all spaces but the line breaks (and tabs, which set columns)."""
    return re.sub(r"[^\n\r\t]", " ", text)


def matching(code: str, start: int, pair: str = "()") -> int:
    """Offset of the bracket that closes the one at `start`, -1 where none does. `code` has no literals left in it."""
    depth = 0
    for match in re.compile(f"[{re.escape(pair)}]").finditer(code, start):
        depth += 1 if match.group() == pair[0] else -1
        if depth == 0:
            return match.start()
    return -1


def _uncommented(text: str, bare: str) -> str:
    """A directive's rest: literals kept (a path is one), comments gone, continuation lines joined."""
    kept = []
    position = 0
    for match in re.finditer(r'"[^"\n]*"|<[^>\n]*>', text):
        if bare[match.start()] in '"<':  # not inside a comment
            kept.append(bare[position : match.start()])
            kept.append(match.group())
            position = match.end()
    kept.append(bare[position:])
    return re.sub(r"\s+", " ", "".join(kept).replace("\\\n", " ").replace("\\\r\n", " ")).strip()


def _logical_end(text: str, start: int) -> int:
    position = start
    while True:
        end = text.find("\n", position)
        if end < 0:
            return len(text)
        if not text[start:end].rstrip("\r").endswith("\\"):
            return end
        position = end + 1


def _blank_comments_and_literals(text: str) -> str:
    out = []
    position = 0
    while match := _SPECIAL.search(text, position):
        start = match.start()
        token = match.group()
        if token == "'" and _is_digit_separator(text, start):
            out.append(text[position : start + 1])
            position = start + 1
            continue
        out.append(text[position:start])
        if token == "//":
            end = _logical_end(text, start)
            out.append(blank(text[start:end]))
        elif token == "/*":
            close = text.find("*/", start + 2)
            end = len(text) if close < 0 else close + 2
            out.append(blank(text[start:end]))
        else:
            raw = token == '"' and _RAW_PREFIX.search(text[max(0, start - 3) : start]) is not None
            end = _raw_end(text, start) if raw else _literal_end(text, start, token)
            closed = end - start >= 2 and text[end - 1] == token
            out.append(token + (blank(text[start + 1 : end - 1]) + token if closed else blank(text[start + 1 : end])))
        position = end
    out.append(text[position:])
    return "".join(out)


def _is_digit_separator(text: str, quote: int) -> bool:
    """Whether a `'` stands inside a number, as in 1'000."""
    word = re.search(r"[\w.']+$", text[max(0, quote - 40) : quote])
    return word is not None and word.group()[0].isdigit()


def _raw_end(text: str, quote: int) -> int:
    opening = text.find("(", quote)
    if opening < 0 or opening - quote > 17:  # a delimiter has at most 16 characters
        return _literal_end(text, quote, '"')
    close = text.find(")" + text[quote + 1 : opening] + '"', opening)
    return len(text) if close < 0 else close + (opening - quote) + 1


def _literal_end(text: str, quote: int, token: str) -> int:
    position = quote + 1
    while position < len(text):
        character = text[position]
        if character == "\\":
            position += 2
            continue
        if character == token:
            return position + 1
        if character == "\n":
            return position  # a literal ends with its line; `#error don't` is the usual case
        position += 1
    return len(text)
