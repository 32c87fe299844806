"""Hostile kernels and host programs: each is contained and named, and none reads as a failure of the machine.

Every file of `kernels/` and `hosts/` says at its head what its verdict may be (`agentkernel.testing.evil`). A new idea
is a new file. The API oracle, which would turn many of them away before anything is compiled, is left out: the walls
must hold without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentkernel.testing.evil import Program, load, run
from agentkernel.toolchains.simulator import SimulatorToolchain

FOLDER = Path(__file__).parent
MARKER = Path("/dev/shm/agentkernel-evil")
PROGRAMS = load(FOLDER)


@pytest.fixture(scope="module")
def hasty() -> Iterator[SimulatorToolchain]:
    """A simulator whose cases have two seconds of processor time."""
    with SimulatorToolchain(timeout=8.0) as toolchain:
        yield toolchain


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: f"{program.side}-{program.name}")
def test_a_hostile_program_is_contained_and_named(hasty: SimulatorToolchain, program: Program) -> None:
    outcome = run(program, hasty)
    assert outcome.held, str(outcome)
    assert not MARKER.exists()


def test_there_are_programs_for_every_way_that_candidates_cheat() -> None:
    wanted = """
    resources, files, network, processes, signals, corrupting the harness, forged records, constant output,
    stale memory, input mutation, decoy, seed-specific answers, shape-specific answers, host-side computation,
    hidden values, precision downgrade, racy luck, NaN, missing outputs
    """
    found = {program.category for program in PROGRAMS}
    assert {name.strip() for name in wanted.split(",")} <= found
    assert len(PROGRAMS) >= 90
