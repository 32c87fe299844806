"""A run that is killed at any point ends as the unbroken one, and asks the model no more often."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

DRIVER = Path(__file__).parent / "kill_driver.py"


def tried(folder: Path, what: str, which: str) -> dict[str, Any]:
    command = [sys.executable, str(DRIVER), str(folder), what, which]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.parametrize("what", ["1", "session"])
def test_killed_at_every_kind_of_call_it_ends_as_the_unbroken_run(tmp_path: Path, what: str) -> None:
    report = tried(tmp_path, what, "kinds")
    assert report["wrong"] == []
    # a call of every node and every write was among the points
    assert {"check", "build", "run", "before journal", "after journal", "before append"} <= set(report["kinds"])
    assert {"before aput", "after aput", "before aput_writes", "after finish"} <= set(report["kinds"])


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("what", ["1", "2", "session"])
def test_killed_at_every_single_call_it_ends_as_the_unbroken_run(tmp_path: Path, what: str) -> None:
    report = tried(tmp_path, what, "all")
    assert report["wrong"] == []
    assert report["tried"] > 100
