"""Every way to end: exit status, one clear line on stderr, nothing but the result on stdout."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agentkernel.cli.app import run
from agentkernel.testing.server import ModelServer, Silence, unauthorized, unknown_model


@pytest.fixture(autouse=True)
def _clean_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("AGENTKERNEL_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_KEY", "AGENTKERNEL_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def _one_error(capsys: pytest.CaptureFixture[str], *words: str) -> None:
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    lines = [line for line in captured.err.splitlines() if not line.startswith("agentkernel: the run is kept: ")]
    first = [line for line in lines if line.startswith("agentkernel: ")]
    assert len(first) == 1, captured.err
    for word in words:
        assert word in captured.err


def test_a_solved_task_is_status_0_and_says_where_everything_is(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(["solve", "relu-float32"]) == 0
    captured = capsys.readouterr()
    kernel = next(line.split(maxsplit=1)[1] for line in captured.out.splitlines() if line.startswith("kernel "))
    assert Path(kernel).is_file()
    assert Path(kernel).is_relative_to(tmp_path / "runs")
    assert "simulated" in captured.out


def test_json_is_one_document_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["solve", "relu-float32", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["solved"] is True
    assert captured.err == ""


def test_a_task_that_cannot_be_composed_is_status_1_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["solve", "cumsum-float32"]) == 1
    assert "refused" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["solve", "relu-flaot32"], "relu-float32"),
        (["solve"], "no task"),
        (["solve", "absent.yaml"], "absent.yaml"),
        (["solve", "relu-float32", "--model", "some-model"], "AGENTKERNEL_BASE_URL"),
        (["solve", "relu-float32", "--toolchain", "gpu"], "simulator"),
        (["verify", "absent.cpp", "--task", "relu-float32"], "absent.cpp"),
        (["bench", "list", "--suite", "nope"], "core"),
        (["harvest", "absent-runs"], "absent-runs"),
        (["repair"], "--task"),
    ],
)
def test_wrong_usage_is_status_2_and_says_what_to_do(
    arguments: list[str], word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) in (2, 5)
    _one_error(capsys, word)


def test_cann_without_cann_says_what_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert run(["solve", "relu-float32", "--toolchain", "cann"]) == 3
    _one_error(capsys, "ASCEND_HOME_PATH", "bisheng")


def test_no_compiler_says_what_to_install(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "/nonexistent/g++")
    assert run(["solve", "relu-float32"]) == 3
    _one_error(capsys, "/nonexistent/g++")


@pytest.mark.parametrize(
    ("behaviour", "word"), [(unauthorized(), "API_KEY"), (unknown_model(), "some-model")], ids=["key", "model"]
)
def test_an_endpoint_that_refuses_is_status_4(
    behaviour: object, word: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with ModelServer([behaviour] * 3) as server:
        monkeypatch.setenv("AGENTKERNEL_BASE_URL", server.base_url)
        assert run(["solve", "relu-float32", "--model", "some-model"]) == 4
        assert len(server.requests) == 1
        kept = server.requests and list(Path("runs").glob("relu-*"))
    assert kept
    _one_error(capsys, word, f"agentkernel solve --resume {kept[0].name} --model some-model")


def test_a_bad_task_file_names_file_and_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("name: x\ninputs: [\n")
    assert run(["solve", "bad.yaml"]) == 2
    _one_error(capsys, "bad.yaml:3")


def test_a_folder_that_cannot_be_written_is_status_5(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    assert run(["solve", "relu-float32", "--runs", "file"]) == 5
    _one_error(capsys, "file")


def test_ctrl_c_is_status_130_and_the_run_goes_on_later(tmp_path: Path) -> None:
    with ModelServer([Silence()] * 3) as server:
        env = os.environ | {"AGENTKERNEL_BASE_URL": server.base_url}
        words = [sys.executable, "-m", "agentkernel", "solve", "relu-float32", "--model", "some-model"]
        process = subprocess.Popen(words, cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while not server.requests and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    run_id = next(path.name for path in (tmp_path / "runs").iterdir() if (path / "header.json").is_file())
    assert f"agentkernel solve --resume {run_id} --model some-model" in err

    from agentkernel.bench.suites import load_task
    from agentkernel.composer import compose

    source = next(iter(compose(load_task("relu-float32")).kernel.files.values()))
    with ModelServer([f"```cpp\n{source}\n```"]) as server:
        env = os.environ | {"AGENTKERNEL_BASE_URL": server.base_url}
        words = [sys.executable, "-m", "agentkernel", "solve", "--resume", run_id, "--model", "some-model"]
        done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_help_imports_nothing_heavy() -> None:
    probe = (
        "import sys\n"
        "from agentkernel.cli.app import run\n"
        "run(['--help'])\n"
        "heavy = {'langgraph', 'openai', 'numpy', 'pydantic', 'tree_sitter', 'jinja2', 'rich'}\n"
        "print('heavy:', sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert "heavy: []" in done.stdout


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    from agentkernel import __version__

    assert run(["--version"]) == 0
    assert capsys.readouterr().out.strip() == f"agentkernel {__version__}"
