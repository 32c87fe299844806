"""The runnable blocks of a document.

A fenced block runs when the line before its fence is a comment that says so:

    <!-- run -->                 sh or python, in the document's own folder; must end with status 0
    <!-- run, status 1 -->       must end with that status
    <!-- run with endpoint -->   with a model server at the address that the block itself exports
    <!-- file: NAME -->          is written to NAME first
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^<!-- (?P<what>[^>]*) -->\n```(?P<language>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One fenced block with what its comment asks for."""

    what: str
    language: str
    body: str
    line: int

    @property
    def file(self) -> str:
        """Name of the file to write, empty for a block that runs."""
        return self.what.removeprefix("file:").strip() if self.what.startswith("file:") else ""

    @property
    def status(self) -> int:
        """Exit status that the block must end with."""
        found = re.search(r"status (\d+)", self.what)
        return int(found[1]) if found else 0

    @property
    def endpoint(self) -> bool:
        """Whether a model server must answer."""
        return "with endpoint" in self.what


def blocks(document: Path) -> list[Block]:
    """Runnable blocks in order."""
    text = document.read_text(encoding="utf-8")
    return [
        Block(m["what"], m["language"], m["body"], text.count("\n", 0, m.start()) + 1) for m in _BLOCK.finditer(text)
    ]
