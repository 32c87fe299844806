"""`agentkernel export`: text, JSON, exit statuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentkernel.cli.app import run


def test_text_lists_what_was_written(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", str(kernel), "--task", "relu-float32", "--out", "project"]) == 0
    text = capsys.readouterr().out
    assert "op_host/relu_custom.cpp" in text
    assert Path("project/op_kernel/relu_custom.cpp").read_text() == kernel.read_text()


def test_json_is_one_document(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--form", "direct", "--case", "one", "--out", "project", "--json"]
    assert run(["export", str(kernel), "--task", "relu-float32", *arguments]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["form"] == "direct"
    assert all(Path(name).exists() for name in found["files"])


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--form", "zip"], "no form 'zip'"),
        (["--form", "direct", "--case", "none"], "no case 'none'"),
        ([], "is there"),
    ],
)
def test_wrong_options_are_status_2(
    kernel: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], word: str
) -> None:
    assert run(["export", str(kernel), "--task", "relu-float32", "--out", str(kernel.parent), *arguments]) == 2
    assert word in capsys.readouterr().err
