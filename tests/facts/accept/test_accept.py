"""Every row of the table: legal calls compile, illegal ones are rejected on their line and by name."""

from __future__ import annotations

import pytest

from agentkernel.diagnostic import Diagnostic
from agentkernel.kernel import Kernel
from agentkernel.testing.simulate import snippet_task
from agentkernel.toolchains.simulator import SimulatorToolchain

from .compound import COMPOUND, DUPLICATE, OTHER_CHIPS
from .control import CONTROL
from .cube import CUBE_STRUCTS, L1_COPIES, LOADS, MISMATCHES, MMADS, STORES
from .elementwise import BINARY, SCALAR, UNARY
from .movement import DATA_COPY, GATHER, STRUCTS
from .objects import QUEUES, TENSORS
from .reductions import REDUCTIONS
from .row import DTYPES, Row, unit
from .select import CASTS, COMPARES, SELECTS

TABLE = {
    "unary": UNARY,
    "binary": BINARY,
    "scalar": SCALAR,
    "compound": COMPOUND,
    "duplicate": DUPLICATE,
    "other chips": OTHER_CHIPS,
    "cast": CASTS,
    "compare": COMPARES,
    "select": SELECTS,
    "reductions": REDUCTIONS,
    "data copy": DATA_COPY,
    "structs": STRUCTS,
    "gather": GATHER,
    "cube loads": LOADS,
    "cube products": MMADS,
    "cube stores": STORES,
    "cube copies": L1_COPIES,
    "cube structs": CUBE_STRUCTS,
    "cube mismatches": MISMATCHES,
    "control": CONTROL,
    "queues": QUEUES,
    "tensors": TENSORS,
}
"""Rows by family."""

WAVE = 8
"""Rejected calls of one translation unit: a build tells of its first errors only."""


@pytest.fixture(scope="module")
def toolchain() -> SimulatorToolchain:
    return SimulatorToolchain()


def errors_by_line(toolchain: SimulatorToolchain, source: str) -> dict[int, list[Diagnostic]]:
    """Errors of compiling a source, by line; 0 stands for errors without a place."""
    build = toolchain.build(Kernel.from_source(source, "kernel"), snippet_task({}, {"y": ((1,), "float32")}))
    found: dict[int, list[Diagnostic]] = {}
    for diagnostic in build.diagnostics:
        if diagnostic.is_error:
            found.setdefault(diagnostic.location.line if diagnostic.location else 0, []).append(diagnostic)
    assert build.ok != bool(found)
    return found


def waves(rows: list[Row]) -> list[list[Row]]:
    """Rows in groups where no API is met twice with the same types: a compiler tells of one instantiation once."""
    groups: list[list[Row]] = []
    for row in rows:
        for group in groups:
            if len(group) < WAVE and all((row.api, row.types) != (other.api, other.types) for other in group):
                group.append(row)
                break
        else:
            groups.append([row])
    return groups


LEGAL = [row for rows in TABLE.values() for row in rows if row.legal]
ILLEGAL = waves([row for rows in TABLE.values() for row in rows if not row.legal])


def said(found: list[Diagnostic]) -> str:
    return "\n".join(" ".join((d.code, d.message, d.hint, *d.apis)) for d in found)


def unnamed(row: Row, text: str) -> list[str]:
    """What a rejection of the row should have said and did not."""
    return [word for word in (row.api, *(DTYPES[t] for t in row.alternatives)) if word not in text]


def test_size_of_the_table() -> None:
    assert len(LEGAL) + sum(map(len, ILLEGAL)) >= 250


def about(rows: list[Row]) -> pytest.MarkDecorator:
    """The marker of the calls that rows are about."""
    return pytest.mark.api(*sorted({row.api for row in rows if row.api.isidentifier()}))


@pytest.mark.parametrize("family", [pytest.param(name, marks=about(list(rows))) for name, rows in TABLE.items()])
def test_legal_calls_compile(toolchain: SimulatorToolchain, family: str) -> None:
    source, places = unit(row for row in TABLE[family] if row.legal)
    found = errors_by_line(toolchain, source)
    assert not [f"{places.get(line)}\n    {said(f)}" for line, f in found.items()]


@pytest.mark.parametrize("wave", [pytest.param(wave, marks=about(wave)) for wave in ILLEGAL], ids=lambda w: w[0].api)
def test_illegal_calls_are_rejected(toolchain: SimulatorToolchain, wave: list[Row]) -> None:
    assert_rejected(toolchain, wave)


def assert_rejected(toolchain: SimulatorToolchain, wave: list[Row]) -> None:
    """Each row is an error on its own line that says what it must, and nothing else is an error."""
    source, places = unit(wave)
    found = errors_by_line(toolchain, source)
    accepted = [str(row) for line, row in places.items() if line not in found]
    assert not accepted
    silent = [
        f"{row}\n    does not say {missing}:\n    {said(found[line])}"
        for line, row in places.items()
        if (missing := unnamed(row, said(found[line])))
    ]
    assert not silent
    assert set(found) <= set(places)
