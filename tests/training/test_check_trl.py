"""The part of the TRL check that needs no training environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentkernel.training.check_trl import main


def test_a_folder_that_is_no_harvest_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 2
    assert f"{tmp_path} is no harvest" in capsys.readouterr().err
