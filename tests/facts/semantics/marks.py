"""Short spellings of the `api` marker."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def api(*names: str) -> pytest.MarkDecorator:
    """Marks a test as one of these Ascend C calls."""
    return pytest.mark.api(*names)


def each(names: Iterable[str]) -> list[Any]:
    """One parameter per name, marked as a test of that call."""
    return [pytest.param(name, marks=api(name), id=name) for name in names]
