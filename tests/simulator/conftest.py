"""One simulator for the tests of this folder: its runtime is built once, its builds are shared."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agentkernel.toolchains.simulator import SimulatorToolchain


@pytest.fixture(scope="session")
def simulator() -> Iterator[SimulatorToolchain]:
    with SimulatorToolchain(timeout=30.0) as toolchain:
        yield toolchain
