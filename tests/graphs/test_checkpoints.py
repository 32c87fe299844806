"""Checkpoints lie in a file, a database or memory; a damaged file is named; nothing of a run leaves the machine."""

import subprocess
import sys
from pathlib import Path

import pytest

from agentkernel.errors import ConfigError, StoreError
from agentkernel.graphs.checkpoints import is_database, open_checkpoints


async def test_the_file_and_its_folder_are_made(tmp_path: Path) -> None:
    async with open_checkpoints(tmp_path / "runs" / "a" / "checkpoints.sqlite") as saver:
        assert [c async for c in saver.alist(None)] == []
    assert (tmp_path / "runs" / "a" / "checkpoints.sqlite").is_file()


async def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "checkpoints.sqlite"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(StoreError, match=r"checkpoints\.sqlite"):
        async with open_checkpoints(path):
            pass


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot open the checkpoints"):
        async with open_checkpoints(tmp_path / "file" / "checkpoints.sqlite"):
            pass


async def test_postgres_without_its_extra_says_what_to_install() -> None:
    assert is_database("postgresql://localhost/x")
    assert not is_database("runs/checkpoints.sqlite")
    with pytest.raises(ConfigError, match=r"agentkernel\[postgres\]"):
        async with open_checkpoints("postgresql://localhost/x"):
            pass


def test_tracing_that_the_environment_asks_for_sends_nothing() -> None:
    program = """
import os, socket, threading
listener = socket.create_server(("127.0.0.1", 0))
seen = []
def accept():
    while True:
        connection, _ = listener.accept()
        seen.append(connection.recv(100))
        connection.close()
threading.Thread(target=accept, daemon=True).start()
url = f"http://127.0.0.1:{listener.getsockname()[1]}"
os.environ |= {"LANGSMITH_TRACING": "true", "LANGCHAIN_TRACING_V2": "true", "LANGSMITH_API_KEY": "key"}
os.environ |= {"LANGSMITH_ENDPOINT": url, "LANGCHAIN_ENDPOINT": url}
from agentkernel.graphs.library import NoLibrary
from agentkernel.models.scripted import ScriptedClient
from agentkernel.solve import solve
from agentkernel.testing.toy import ToyToolchain, toy_answer, toy_check, toy_task
for samples in (1, 2):
    model = ScriptedClient([toy_answer("syntax"), toy_answer()], by_attempt=True)
    result = solve(toy_task(), model=model, toolchain=ToyToolchain(), check=toy_check, library=NoLibrary(), runs=None,
                   samples=samples)
    assert result.solved
from langsmith import Client
Client().flush()
assert not seen, seen
from langsmith.utils import tracing_is_enabled
assert tracing_is_enabled()  # the environment does ask for it
"""
    subprocess.run([sys.executable, "-c", program], check=True)
