"""Lines of C++ with their indentation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Code:
    """A growing piece of source."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._depth = 0

    def add(self, *lines: str) -> Code:
        """Append lines at the current depth."""
        self.lines.extend("    " * self._depth + line if line else "" for line in lines)
        return self

    def include(self, other: Code) -> Code:
        """Append another piece at the current depth."""
        return self.add(*other.lines)

    @contextmanager
    def block(self, head: str, tail: str = "}") -> Iterator[None]:
        """A block in braces: `head {` ... `}`."""
        self.add(f"{head} {{" if head else "{")
        self._depth += 1
        yield
        self._depth -= 1
        self.add(tail)

    def __bool__(self) -> bool:
        return bool(self.lines)

    def __str__(self) -> str:
        return "\n".join(self.lines)
