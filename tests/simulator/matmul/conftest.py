"""One toolchain for all tests of the matrix library, so that the runtime is opened once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agentkernel.toolchains.simulator import SimulatorToolchain


@pytest.fixture(scope="session")
def toolchain() -> Iterator[SimulatorToolchain]:
    with SimulatorToolchain() as opened:
        yield opened
