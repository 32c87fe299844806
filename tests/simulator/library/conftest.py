"""One toolchain for all tests of the vector libraries, so that the runtime is opened once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from agentkernel.toolchains.simulator import SimulatorToolchain


@pytest.fixture(scope="session")
def toolchain() -> Iterator[SimulatorToolchain]:
    with SimulatorToolchain() as opened:
        yield opened


@pytest.fixture(autouse=True)
def references_may_overflow() -> Iterator[None]:
    """References are computed on infinities and NaN too; NumPy need not remark on them."""
    with np.errstate(all="ignore"):
        yield
