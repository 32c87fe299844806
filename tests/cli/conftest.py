"""A kernel to call commands with."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentkernel.bench.suites import load_task
from agentkernel.composer import compose


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    composed = compose(load_task("relu-float32")).kernel
    path = tmp_path / "relu.cpp"
    path.write_text(composed.files[composed.main_file])
    return path
