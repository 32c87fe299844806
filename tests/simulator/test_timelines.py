"""Timelines keep their places; what is not one is not kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentkernel.simulator.source_pass import prepare
from agentkernel.simulator.timelines import keep
from tests.profile.kernels import add, task


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"traceEvents": [{"args": 1}]}', '{"traceEvents": [{"args": {"site": "x"}}]}']
)
def test_what_a_candidate_left_there_is_not_believed(tmp_path: Path, text: str) -> None:
    (tmp_path / "written").write_text(text)
    prepared = prepare(add(tile=256, buffers=1), task())
    assert not keep(tmp_path / "written", tmp_path / "kept", tmp_path / "object", prepared)
    assert not (tmp_path / "kept").exists()


def test_a_missing_file_is_no_timeline(tmp_path: Path) -> None:
    prepared = prepare(add(tile=256, buffers=1), task())
    assert not keep(tmp_path / "written", tmp_path / "kept", tmp_path / "object", prepared)
