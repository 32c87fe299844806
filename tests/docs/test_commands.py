"""Every command of README and docs/ works as it is written.

AGENTKERNEL_BIN names the `bin` folder of the installation that is tried, e.g. of a fresh venv that holds the wheel; by
default it is that of the running interpreter.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.docs.blocks import Block, blocks

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BIN = Path(os.environ.get("AGENTKERNEL_BIN", Path(sys.executable).parent))
WRITTEN_ADDRESS = "http://127.0.0.1:8000/v1"
"""Address of an endpoint in the documents; a test's server has a free port of its own."""


def _runnable() -> Iterator[Path]:
    for document in DOCUMENTS:
        if blocks(document):
            yield document


def _answer() -> str:
    from agentkernel.bench.suites import load_task
    from agentkernel.composer.client import ComposerClient
    from agentkernel.models.base import ModelRequest

    request = ModelRequest(messages=(), task=load_task("add-float32"))
    return asyncio.run(ComposerClient().complete(request)).text


def _run(block: Block, folder: Path, body: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", "-euo", "pipefail", "-c", body] if block.language == "sh" else [str(BIN / "python"), "-c", body]
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    hidden = ("AGENTKERNEL_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_KEY")
    env = {k: v for k, v in os.environ.items() if k not in hidden} | {"PATH": path}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("document", list(_runnable()), ids=lambda path: path.name)
def test_every_marked_block_runs_as_written(document: Path, tmp_path: Path) -> None:
    from agentkernel.testing.server import ModelServer

    for block in blocks(document):
        if block.file:
            (tmp_path / block.file).write_text(block.body, encoding="utf-8")
            continue
        with ExitStack() as stack:
            body = block.body
            if block.endpoint:
                server = stack.enter_context(ModelServer([_answer()] * 8))
                body = body.replace(WRITTEN_ADDRESS, server.base_url)
            done = _run(block, tmp_path, body)
        where = f"{document.name}:{block.line}"
        assert done.returncode == block.status, f"{where}: status {done.returncode}\n{done.stdout}\n{done.stderr}"


def test_no_fenced_command_goes_untested() -> None:
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        fenced = sum(text.count(f"\n```{language}\n") for language in ("sh", "python"))
        assert fenced == len([b for b in blocks(document) if b.language in ("sh", "python") and not b.file]), document


def test_documents_link_to_files_that_exist() -> None:
    import re

    for document in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name} -> {target}"
