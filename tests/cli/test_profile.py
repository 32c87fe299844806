"""`agentkernel profile`: text, JSON, files, exit statuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentkernel.cli.app import run


def test_text_says_bound_roofline_bubbles_and_gains(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["profile", str(kernel), "--task", "relu-float32"]) == 0
    text = capsys.readouterr().out
    for words in ("(simulated)", "bound ", "roofline ", "MTE2", "bubbles", "estimates from the trace"):
        assert words in text


def test_json_is_one_document_and_files_are_written(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = ["--timeline", "t.json", "--png", "t.png"]
    assert run(["profile", str(kernel), "--task", "relu-float32", "--case", "aligned", "--json", *files]) == 0
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert (found["provenance"], found["case"], found["ran"]) == ("simulated", "aligned", True)
    assert "written: t.json" in captured.err
    assert json.loads(Path("t.json").read_text())["traceEvents"]
    assert Path("t.png").read_bytes().startswith(b"\x89PNG")


def test_a_kernel_that_does_not_run_is_status_1(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel.write_text("int relu(")
    assert run(["profile", str(kernel), "--task", "relu-float32"]) == 1
    assert "did not run" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--case", "none"], "no case"),
        (["--png", "missing/t.png"], "cannot write"),
        (["--timeline", "missing/t"], "cannot write"),
    ],
)
def test_wrong_options_are_status_2(
    kernel: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], word: str
) -> None:
    assert run(["profile", str(kernel), "--task", "relu-float32", *arguments]) == 2
    assert word in capsys.readouterr().err
