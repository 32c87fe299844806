"""The hazard detector against the explorer: a few kernels in the gate, all of them in the long run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from agentkernel.testing.hazard_proof.bench import Bench
from agentkernel.testing.hazard_proof.catalogue import FEW, few, kernels
from agentkernel.testing.hazard_proof.kernel import statements
from agentkernel.testing.hazard_proof.mutations import mutants
from agentkernel.testing.hazard_proof.proof import (
    Column,
    Outcome,
    ProofError,
    check_unchanged,
    judge_all,
    judge_random,
)
from agentkernel.testing.hazard_proof.report import document


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with Bench() as made:
        yield made


def disagreements(outcomes: list[Outcome]) -> list[str]:
    return [f"{o.kernel}, {o.kind} {o.statement}: {o.disagreements}\n{o.details}" for o in outcomes if o.disagreements]


def test_detector_and_explorer_agree_on_some_mutants_of_a_few_kernels(bench: Bench) -> None:
    chosen = few()
    check_unchanged(chosen, bench)
    outcomes = judge_all(chosen, bench, every=7)
    assert disagreements(outcomes) == []
    columns = {outcome.column for outcome in outcomes}
    assert columns == {Column.CAUGHT, Column.SILENT, Column.OTHER}


def test_detector_and_explorer_agree_on_random_kernels(bench: Bench) -> None:
    assert disagreements(judge_random(range(40), bench)) == []


def test_kernel_that_does_not_pass_unchanged_is_refused(bench: Bench) -> None:
    kernel = next(kernel for kernel in few() if kernel.name == "chain_3_off")
    broken = next(m.kernel for m in mutants(kernel) if m.kind == "edge removed")
    with pytest.raises(ProofError, match="missing-sync"):
        check_unchanged([broken], bench)
    wrong = replace(kernel, reference=lambda x, z: x[:64])
    with pytest.raises(ProofError, match="wrong values"):
        check_unchanged([wrong], bench)


def test_document_shows_a_disagreement_with_source_and_schedules(bench: Bench) -> None:
    """Two identical loads of one buffer: an edge is missing, no value changes. For a mutant that is a false report."""
    kernel = next(kernel for kernel in kernels() if kernel.name == "chain_1_off")
    twice = ["DataCopy(a, x, N);", "PipeBarrier<PIPE_MTE2>();  //~", "DataCopy(a, x, N);"]
    doubled = replace(kernel, body=(*statements(twice), *kernel.body[1:]))
    outcomes = judge_all([doubled], bench)
    false = [o for o in outcomes if o.column is Column.FALSE]
    assert [o.kind for o in false if o.statement == "PipeBarrier<PIPE_MTE2>();"] == [
        "removed", "earlier", "later", "other pipe",
    ]  # fmt: skip
    text = document([doubled], outcomes, [])
    assert "### chain_1_off, removed: `PipeBarrier<PIPE_MTE2>();`: false report" in text
    assert "DataCopy(a, x, N);" in text
    assert "in program order:" in text


def test_kernels_are_many_and_named_once() -> None:
    names = [kernel.name for kernel in kernels()]
    assert len(names) == len(set(names))
    assert len(names) >= 100
    assert set(FEW) <= set(names)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_detector_and_explorer_agree_on_every_mutant_and_on_many_random_kernels(bench: Bench) -> None:
    chosen = kernels()
    check_unchanged(chosen, bench)
    assert disagreements(judge_all(chosen, bench)) == []
    assert disagreements(judge_random(range(1000), bench)) == []
