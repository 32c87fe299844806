"""A file as the oracle reads it: prepared text, syntax tree, and exact places in the author's text."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from agentkernel.diagnostic import Location

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Tree

# Words of the device language that C++ does not know. They say nothing about names, types or calls, so they become
# spaces of equal length before parsing.
_QUALIFIERS = re.compile(
    r"\b(?:__(?:global|aicore|gm|ubuf|cbuf|ca|cb|cc|fbuf|biasbuf|ssbuf|local_mem|inline|forceinline|restrict|host|vector"
    r"|cube|simd_vf|simd_callee|simt_vf|simt_callee|callee)__|__restrict\b|__(?:inout|in|out)_pipe__\s*\(\s*\w*\s*\)"
    r"|__attribute__\s*\(\([^()]*(?:\([^()]*\)[^()]*)*\)\))"
)
_CORE_CONDITION = re.compile(r"\bASCEND_IS_AI[VC]\b")


class SourceFile:
    """One file with its tree.

    Args:
        name: Path inside the kernel.
        text: Prepared text (`source_pass.prepare`), without what was appended behind the author's last line.
    """

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self.data = blank_qualifiers(text).encode()
        self.tree: Tree = _parser().parse(self.data)
        self._ascii = text.isascii()

    @property
    def root(self) -> Node:
        """The translation unit."""
        return self.tree.root_node

    def text_of(self, node: Node) -> str:
        """Source text of a node."""
        return self.data[node.start_byte : node.end_byte].decode()

    def location(self, node: Node) -> Location:
        """Place of a node, with its end where it stays on one line."""
        row, column = node.start_point
        end_row, end_column = node.end_point
        if not self._ascii:
            column = self._characters(row, column)
            end_column = self._characters(end_row, end_column)
        end = end_column + 1 if end_row == row and end_column > column else None
        return Location(file=self.name, line=row + 1, column=column + 1, end_column=end)

    def _characters(self, row: int, column: int) -> int:
        """Column in characters of a column in bytes."""
        line = self.data.split(b"\n")[row]
        return len(line[:column].decode(errors="replace"))


def blank_qualifiers(text: str) -> str:
    """Replace device qualifiers by spaces, and the core conditions by an equally long `(true)`."""
    text = _QUALIFIERS.sub(lambda m: re.sub(r"[^\n\r\t]", " ", m.group()), text)
    return _CORE_CONDITION.sub(lambda m: "(true)".ljust(len(m.group())), text)


@cache
def _parser() -> Parser:
    import tree_sitter_cpp
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_cpp.language()))
