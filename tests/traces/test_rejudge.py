"""Judging stored kernels again."""

from __future__ import annotations

import pytest

from agentkernel.kernel import Kernel
from agentkernel.testing.samples import sample_header
from agentkernel.testing.toy import ToyToolchain, toy_source, toy_task
from agentkernel.traces import MemoryStore, rejudge
from agentkernel.trajectory import Attempt, Turn
from agentkernel.verdict import Verdict
from agentkernel.verify import verify


def toy_attempt(index: int, source: str, verdict: Verdict | None = None) -> Attempt:
    kernel = Kernel.from_source(source, toy_task().entry)
    judged = verdict or verify(kernel, toy_task(), ToyToolchain(), check=False)
    return Attempt(index=index, turn=Turn.HUMAN, kernel=kernel, verdict=judged)


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore()
    store.begin(sample_header("run", task=toy_task()))
    return store


def test_the_same_toolchain_finds_the_same(store: MemoryStore) -> None:
    for index, marks in enumerate([("syntax",), ("wrong-tail",), ("missing-sync",), ()]):
        store.append("run", toy_attempt(index, toy_source(*marks)))
    again = rejudge(store, "run", ToyToolchain(), check=False)
    assert [one.index for one in again] == [0, 1, 2, 3]
    assert [one.differences for one in again] == [()] * 4
    assert [one.after.passed for one in again] == [False, False, False, True]


def test_attempts_without_a_kernel_are_passed_over(store: MemoryStore) -> None:
    attempt = toy_attempt(0, toy_source()).model_copy(update={"kernel": None})
    store.append("run", attempt)
    assert rejudge(store, "run", ToyToolchain(), check=False) == ()


def test_what_differs_is_named(store: MemoryStore) -> None:
    passed = toy_attempt(0, toy_source()).verdict
    store.append("run", toy_attempt(0, toy_source("wrong-tail"), passed))
    before = store.load("run")
    (again,) = rejudge(store, "run", ToyToolchain(), check=False)
    assert "passed: True before, False now" in again.differences
    assert "case tail passed: True before, False now" in again.differences
    assert any(line.startswith("errors: () before") for line in again.differences)
    assert not any("aligned" in line for line in again.differences)
    assert store.load("run") == before
