"""How many tests each Ascend C call has: counted from what pytest collects, by the `api` marker.

`python tests/facts/coverage.py` prints the table.
"""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest


class _Collector:
    """Pytest plugin that counts the names in `api` markers."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            names = {name for marker in item.iter_markers("api") for name in marker.args}
            self.counts.update(names)


def tests_by_api() -> dict[str, int]:
    """Number of collected tests by name of the call, sorted by name.

    Raises:
        RuntimeError: Pytest could not collect the tests.
    """
    collector = _Collector()
    with redirect_stdout(StringIO()):  # pytest lists what it collects
        status = pytest.main(["--collect-only", str(Path(__file__).parent)], plugins=[collector])
    if status != pytest.ExitCode.OK:
        raise RuntimeError(f"collecting {Path(__file__).parent} ended with {status}: run pytest there to see why")
    return dict(sorted(collector.counts.items()))


if __name__ == "__main__":
    table = tests_by_api()
    sys.stdout.write("".join(f"{name:32} {count}\n" for name, count in table.items()))
    sys.stdout.write(f"{len(table)} calls\n")
