"""One bench for the fuzzers' tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agentkernel.testing.fuzz.bench import Bench


@pytest.fixture(scope="session")
def bench() -> Iterator[Bench]:
    with Bench() as one:
        yield one
