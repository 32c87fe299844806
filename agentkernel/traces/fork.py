"""Forking a run: a new run that shares its first attempts."""

from __future__ import annotations

from datetime import UTC, datetime

from agentkernel.errors import ConfigError, StoreError
from agentkernel.traces.base import TraceStore


def fork(store: TraceStore, run_id: str, at: int, *, new_run_id: str | None = None) -> str:
    """Copy a run up to an attempt into a new run, whose header names the old one as its parent.

    Args:
        store: Holds the run; gets the new one.
        run_id: Run to fork; it is not changed.
        at: Attempts to keep, from 0 (only the header) to all.
        new_run_id: Id of the new run; by default `<run id>.fork<n>` with the first free n.

    Returns:
        Id of the new run, which has no outcome yet.

    Raises:
        ConfigError: The run has fewer attempts than `at`.
        StoreError: There is no such run, the new id is taken, or the store fails.
    """
    run = store.load(run_id)
    if not 0 <= at <= len(run.attempts):
        raise ConfigError(f"{run_id} cannot be forked at {at}", hint=f"it has {len(run.attempts)} attempts")
    taken = set(store.runs())
    name = new_run_id or next(n for i in range(1, len(taken) + 2) if (n := f"{run_id}.fork{i}") not in taken)
    if name in taken:
        raise StoreError(f"the run {name} exists already", hint="choose another run id")
    store.begin(run.header.model_copy(update={"run_id": name, "parent": run_id, "created": datetime.now(UTC)}))
    for attempt in run.attempts[:at]:
        store.append(name, attempt)
    return name
