"""Memory of a trace as cells that hold uninterpreted terms.

A cell is a range of bytes that every access of the trace touches whole or not at all. Cells of a memory have one size:
the greatest common divisor of all boundaries in it, so that cell k of one operand stands for the same elements as cell
k of another. A term is a number; equal numbers mean equal bytes whatever the inputs are. What an instruction writes is

- for copies the term that it read,
- for elementwise operations without scalar operands a term of the operation and of the terms of the same elements,
- for everything else a term of the instruction itself and of all that it read.

Atomic stores add a contribution to a bag: their order among themselves does not tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from agentkernel.testing.hazard_proof.trace import Access, Issue, Trace

COPIES = frozenset({"DataCopy", "DataCopyPad", "Copy"})
ELEMENTWISE = frozenset({"Add", "Sub", "Mul", "Div", "Max", "Min", "Abs", "Exp", "Ln", "Sqrt", "Relu"})
"""Their result depends on nothing but the operands' elements. One dtype per trace is assumed."""

Cell = tuple[str, int]
"""Memory and index of the cell in it."""
Term = int


class Terms:
    """Numbers for terms: equal structure, equal number."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[object, ...], Term] = {}
        self._bags: dict[Term, tuple[Term, tuple[Term, ...]]] = {}

    def of(self, *structure: object) -> Term:
        """Number of a structure of strings and numbers of other terms."""
        return self._numbers.setdefault(structure, len(self._numbers))

    def added(self, before: Term, value: Term) -> Term:
        """What an atomic store leaves: a bag of contributions on top of what was there before the first of them."""
        base, bag = self._bags.get(before, (before, ()))
        bag = tuple(sorted((*bag, value)))
        number = self.of("atomic", base, bag)
        self._bags[number] = (base, bag)
        return number


def _is_register(memory: str) -> bool:
    return memory.partition("@")[0] == "SPR"


class Layout:
    """Cell size of every memory of a trace."""

    def __init__(self, trace: Trace) -> None:
        self._size: dict[str, int] = {}
        for access in (a for entry in trace.entries if isinstance(entry, Issue) for a in entry.accesses):
            for begin, end in access.ranges:
                self._size[access.memory] = gcd(self._size.get(access.memory, 0), begin, end)
        local = [size for memory, size in self._size.items() if not _is_register(memory)]
        shared = gcd(*local) if local else 1
        # operands of one operation lie in several memories: one size for all of them
        self._size = {memory: size if _is_register(memory) else shared for memory, size in self._size.items()}

    def cells(self, access: Access) -> tuple[Cell, ...]:
        """Cells of an access, in the order of elements."""
        size = self._size[access.memory]
        return tuple(
            (access.memory, index) for begin, end in access.ranges for index in range(begin // size, end // size)
        )

    def bytes_of(self, cell: Cell) -> tuple[int, int]:
        """Byte range of a cell."""
        size = self._size[cell[0]]
        return cell[1] * size, (cell[1] + 1) * size


class Effect:
    """What one instruction does to memory."""

    def __init__(self, issue: Issue, order: int, layout: Layout) -> None:
        self.issue = issue
        self._order = order
        reads = [layout.cells(access) for access in issue.accesses if not access.write]
        writes = [(layout.cells(access), access.atomic) for access in issue.accesses if access.write]
        self._reads = reads
        self._writes = writes
        self.read_cells = frozenset(cell for cells in reads for cell in cells)
        self.write_cells = frozenset(cell for cells, _ in writes for cell in cells)
        self.atomic_cells = frozenset(cell for cells, atomic in writes if atomic for cell in cells)
        same = bool(reads) and len(writes) == 1 and all(len(cells) == len(writes[0][0]) for cells in reads)
        self._copy = same and len(reads) == 1 and issue.api in COPIES
        self._elementwise = same and issue.api in ELEMENTWISE

    def read(self, memory: dict[Cell, Term], terms: Terms) -> tuple[tuple[Term, ...], ...]:
        """Terms of every operand as memory holds them now."""
        return tuple(tuple(value_at(memory, cell, terms) for cell in cells) for cells in self._reads)

    def write(self, inputs: Sequence[tuple[Term, ...]], memory: dict[Cell, Term], terms: Terms) -> None:
        """Store the results for operands that were read earlier."""
        everything = -1 if self._copy or self._elementwise else terms.of("inputs", *inputs)
        for operand, (cells, atomic) in enumerate(self._writes):
            for k, cell in enumerate(cells):
                if self._copy:
                    value = inputs[0][k]
                elif self._elementwise:
                    value = terms.of(self.issue.api, *(operand_terms[k] for operand_terms in inputs))
                else:
                    value = terms.of(self.issue.api, self._order, operand, k, everything)
                memory[cell] = terms.added(value_at(memory, cell, terms), value) if atomic else value


def value_at(memory: dict[Cell, Term], cell: Cell, terms: Terms) -> Term:
    """Term of a cell; a term of its own where nothing has been written."""
    value = memory.get(cell)
    return terms.of("initial", *cell) if value is None else value
