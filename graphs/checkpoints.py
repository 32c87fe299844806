"""Where graph states are checkpointed: a SQLite file, a Postgres database, or memory."""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentkernel.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

FILE = "checkpoints.sqlite"
"""Name of the file in the folder of a run."""

BUSY_SECONDS = 60.0
"""How long to wait for a lock on the file: a busy machine may take seconds to finish another connection's write."""


def is_database(where: str | Path | None) -> bool:
    """Whether checkpoints go to a database server rather than to a file."""
    return isinstance(where, str) and where.startswith(("postgres://", "postgresql://"))


@asynccontextmanager
async def open_checkpoints(where: str | Path | None) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """A checkpointer, opened and closed.

    The state holds strings and numbers only, so the serializer may make no other type: a damaged or forged checkpoint
    cannot run code.

    Args:
        where: Path of a SQLite file (made if it is not there), a `postgresql://` URL, or None for memory.

    Raises:
        ConfigError: The Postgres extra is not installed.
        StoreError: The file is no database, or cannot be opened.
    """
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

    serializer = JsonPlusSerializer(allowed_msgpack_modules=[])
    if where is None:
        from langgraph.checkpoint.memory import InMemorySaver

        yield InMemorySaver(serde=serializer)
    elif is_database(where):
        async with _postgres(str(where), serializer) as saver:
            yield saver
    else:
        async with _sqlite(Path(where), serializer) as saver:
            yield saver


@asynccontextmanager
async def _sqlite(path: Path, serializer: Any) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    import sqlite3

    import aiosqlite
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = await aiosqlite.connect(path, timeout=BUSY_SECONDS)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(
            f"cannot open the checkpoints {path}: {error}", hint="check the folder's permissions"
        ) from error
    try:
        saver = AsyncSqliteSaver(connection, serde=serializer)
        try:
            await saver.setup()
        except sqlite3.Error as error:
            raise StoreError(f"the checkpoints {path} cannot be read: {error}", hint="restore the file") from error
        yield saver
    finally:
        await connection.close()


@asynccontextmanager
async def _postgres(url: str, serializer: Any) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    try:
        module = importlib.import_module("langgraph.checkpoint.postgres.aio")
    except ImportError as error:
        raise ConfigError(
            "checkpoints in Postgres need langgraph-checkpoint-postgres", hint="pip install 'agentkernel[postgres]'"
        ) from error
    async with module.AsyncPostgresSaver.from_conn_string(url, serde=serializer) as saver:
        await saver.setup()
        yield saver
