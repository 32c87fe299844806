"""The Toolchain seam: every implementation passes the same suite."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from agentkernel.diagnostic import Diagnostic, Level
from agentkernel.testing import toolchain as suite
from agentkernel.toolchains.base import Toolchain
from agentkernel.toolchains.replay import RecordingToolchain, ReplayToolchain
from agentkernel.toolchains.scripted import Script, ScriptedRun, ScriptedToolchain
from agentkernel.toolchains.simulator import SimulatorToolchain

by_name = pytest.mark.parametrize("check", suite.CHECKS, ids=lambda check: check.__name__)


def scripted() -> ScriptedToolchain:
    unknown = Diagnostic(code="unknown-name", level=Level.API, message="There is no `AddVectors`.")
    runs = {case.name: ScriptedRun(outputs=suite.outputs_of(case)) for case in suite.TASK.cases}
    scripts = {
        suite.GOOD.digest: Script(runs=runs),
        suite.BROKEN.digest: Script(ok=False, diagnostics=(unknown,)),
    }
    return ScriptedToolchain(scripts)


@pytest.fixture(scope="module")
def shared_simulator() -> Iterator[SimulatorToolchain]:
    with SimulatorToolchain() as toolchain:
        yield toolchain


@by_name
def test_simulator(check, shared_simulator):
    @contextmanager
    def make() -> Iterator[Toolchain]:
        yield shared_simulator

    check(make)


@by_name
def test_scripted(check):
    @contextmanager
    def make() -> Iterator[Toolchain]:
        yield scripted()

    check(make)


@by_name
def test_recording_and_replay(check, tmp_path):
    @contextmanager
    def recording() -> Iterator[Toolchain]:
        yield RecordingToolchain(scripted(), tmp_path)

    @contextmanager
    def replay() -> Iterator[Toolchain]:
        yield ReplayToolchain(tmp_path)

    check(recording)
    check(replay)
