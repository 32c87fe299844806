"""Forking a run."""

from __future__ import annotations

import pytest

from agentkernel.diagnostic import Level
from agentkernel.errors import ConfigError, StoreError
from agentkernel.testing.samples import sample_attempt, sample_header
from agentkernel.traces import MemoryStore, fork
from agentkernel.trajectory import Outcome


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore()
    store.begin(sample_header())
    for index in range(3):
        store.append("run-1", sample_attempt(index, Level.API))
    store.finish("run-1", Outcome.TURNS)
    return store


@pytest.mark.parametrize("at", [0, 2, 3])
def test_a_fork_has_the_first_attempts_and_names_its_parent(store: MemoryStore, at: int) -> None:
    name = fork(store, "run-1", at)
    run, old = store.load(name), store.load("run-1")
    assert run.attempts == old.attempts[:at]
    assert run.header.parent == "run-1"
    assert run.header.task == old.header.task
    assert run.outcome is None
    assert old.outcome is Outcome.TURNS


def test_forks_get_different_names(store: MemoryStore) -> None:
    assert [fork(store, "run-1", 1), fork(store, "run-1", 1)] == ["run-1.fork1", "run-1.fork2"]
    assert fork(store, "run-1", 1, new_run_id="mine") == "mine"
    with pytest.raises(StoreError, match="exists already"):
        fork(store, "run-1", 1, new_run_id="mine")


@pytest.mark.parametrize("at", [-1, 4])
def test_a_run_cannot_be_forked_outside_of_itself(store: MemoryStore, at: int) -> None:
    with pytest.raises(ConfigError, match="it has 3 attempts"):
        fork(store, "run-1", at)
