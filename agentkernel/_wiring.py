"""From what a caller gives (names, paths) to the objects that graphs act through."""

from __future__ import annotations

import asyncio
import os
import platform
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from agentkernel.errors import ConfigError
from agentkernel.models.base import ModelClient
from agentkernel.task import Task
from agentkernel.toolchains.base import Toolchain
from agentkernel.trajectory import TrajectoryHeader

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager
    from typing import Any

    from langgraph.checkpoint.base import BaseCheckpointSaver

    from agentkernel.traces.base import TraceStore

CPUS = max(1, os.cpu_count() or 1)


def task_of(task: Task | str) -> Task:
    """The task itself, or the one of a name or file.

    Raises:
        TaskError: There is no such task, or its file is malformed.
    """
    if isinstance(task, Task):
        return task
    from agentkernel.bench.suites import load_task

    return load_task(task)


def model_of(model: ModelClient | str) -> ModelClient:
    """The client itself, or the one that a specification names (`agentkernel.models.factory`).

    Raises:
        ConfigError: The specification is unknown, or its endpoint is not configured.
    """
    if not isinstance(model, str):
        return model
    from agentkernel.models.factory import make_client

    return make_client(model)


def toolchain_of(toolchain: Toolchain | str) -> Toolchain:
    """The toolchain itself, or the one of a name.

    Raises:
        ConfigError: There is no toolchain of that name.
        ToolchainError: It cannot work on this machine.
    """
    if not isinstance(toolchain, str):
        return toolchain
    if toolchain == "simulator":
        from agentkernel.toolchains.simulator import SimulatorToolchain

        return SimulatorToolchain()
    if toolchain == "cann":
        from agentkernel.toolchains.cann import CannToolchain

        return CannToolchain()
    raise ConfigError(f"there is no toolchain {toolchain!r}", hint="use simulator or cann")


def in_event_loop() -> bool:
    """Whether the caller runs inside an event loop, so that blocking forms cannot be used."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def versions_of(toolchain: Toolchain) -> dict[str, str]:
    """What decides results, for the header of a run."""
    from agentkernel import __version__

    return {"agentkernel": __version__, "python": platform.python_version(), **toolchain.versions}


def new_run_id(task: Task) -> str:
    """Id of a new run: task, time in UTC, and four random hex digits."""
    return f"{task.name}-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def require_same(what: str, given: str, kept: str) -> None:
    """Hold a resumed run to what it was begun with.

    Raises:
        ConfigError: They differ.
    """
    if given != kept:
        raise ConfigError(
            f"the run was begun with the {what} {kept!r} and cannot go on with {given!r}",
            hint=f"give the {what} {kept!r}, or begin a new run",
        )


def require_task(task: Task | None, header: TrajectoryHeader) -> None:
    """Hold a resumed run to its task.

    Raises:
        ConfigError: Another task, or another version of it, was given.
    """
    if task is not None and task.digest != header.task.digest:
        raise ConfigError(
            f"the run {header.run_id} is of the task {header.task.name!r}, and the given task {task.name!r} is another "
            "one or has been changed since",
            hint="leave the task out to go on with the run's own, or begin a new run",
        )


@dataclass(frozen=True)
class Place:
    """Where runs and their checkpoints are kept."""

    runs: Path | None
    """Folder of the runs, None to keep nothing after the call."""
    database: str | None = None
    """`postgresql://` URL for checkpoints instead of a file in each run's folder."""

    @classmethod
    def of(cls, runs: str | Path | None, database: str | None) -> Place:
        """The place that a caller names.

        Raises:
            ConfigError: The database is not a Postgres URL.
        """
        from agentkernel.graphs.checkpoints import is_database

        if database is not None and not is_database(database):
            raise ConfigError(
                f"{database!r} is no checkpoint database", hint="give a postgresql:// URL, or none for SQLite files"
            )
        return cls(runs=None if runs is None else Path(runs), database=database)

    def store(self) -> TraceStore:
        """A store over the folder, or one that lasts as long as the object."""
        if self.runs is None:
            from agentkernel.traces.memory import MemoryStore

            return MemoryStore()
        from agentkernel.traces.store import FolderStore

        return FolderStore(self.runs)

    def folder(self, run_id: str) -> Path | None:
        """Folder of a run, None where nothing is kept."""
        return None if self.runs is None else (self.runs / run_id).absolute()

    def checkpoints(self, run_id: str) -> AbstractAsyncContextManager[BaseCheckpointSaver[Any]]:
        """Opens the checkpoints of a run."""
        from agentkernel.graphs.checkpoints import FILE, open_checkpoints

        folder = self.folder(run_id)
        return open_checkpoints(self.database or (None if folder is None else folder / FILE))

    def has_checkpoints(self, run_id: str) -> bool:
        """Whether anything may have been checkpointed for a run; a database has to be asked."""
        from agentkernel.graphs.checkpoints import FILE

        folder = self.folder(run_id)
        return self.database is not None or (folder is not None and (folder / FILE).is_file())
