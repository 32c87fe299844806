"""The `api` marker: which Ascend C calls a test is about (`tests/facts/coverage.py` counts them)."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "api(*names): Ascend C calls that the test is about")
