"""One host simulator for the tests of this folder: its runtimes are built once, its builds are shared."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agentkernel.simulator.host import HostSimulator
from agentkernel.simulator.host.process import LIMITS


@pytest.fixture(scope="session")
def host() -> Iterator[HostSimulator]:
    with HostSimulator(limits=LIMITS.model_copy(update={"cpu_seconds": 1})) as simulator:
        yield simulator
