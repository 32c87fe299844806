"""Programs with one broken rule are reported, with the right code and line."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from agentkernel.codes import level_of
from agentkernel.testing.fuzz import illegal
from agentkernel.testing.fuzz.bench import Bench
from agentkernel.testing.fuzz.generate import program
from agentkernel.testing.fuzz.mutation import Mutant, Mutation


def test_programs_with_a_broken_rule_are_reported(bench: Bench) -> None:
    count = len(illegal.MUTATIONS)
    done = list(illegal.outcomes(bench, 1, range(0, count, count // 14)))
    assert len(done) >= 15
    assert [f"{o.mutation}: {o.finding}" for o in done if o.finding is not None] == []
    assert len({o.mutation for o in done}) > 10


def test_what_is_not_reported_and_what_is_reported_elsewhere_are_findings(bench: Bench) -> None:
    found = next(c for c in (illegal.candidate(1, n) for n in range(len(illegal.MUTATIONS))) if c.mutation.compiles)
    silent = replace(found, mutant=Mutant(program("test/1"), 1))
    elsewhere = replace(found, mutant=replace(found.mutant, line=1))
    other = replace(found, mutation=replace(found.mutation, codes=frozenset({"stack-overflow"})))
    reasons = [o.finding.reason for o in illegal.judge(bench, [silent, elsewhere, other]) if o.finding is not None]
    assert sorted(reasons) == ["line 1 is not named", "none of stack-overflow is reported", "nothing is reported"]


@pytest.mark.parametrize("mutation", illegal.MUTATIONS, ids=lambda mutation: mutation.name.replace(" ", "-"))
def test_a_rule_can_be_broken_and_its_codes_exist(mutation: Mutation) -> None:
    assert all(level_of(code) is not None for code in mutation.codes)
    changed = 0
    for number in range(600):
        legal = program(f"test/{number}")
        mutant = mutation.apply(legal, random.Random(number))
        if mutant is not None:
            assert mutant.program.source != legal.source
            assert mutant.line is None or mutant.line <= mutant.program.source.count("\n")
            changed += 1
            break
    assert changed


def test_every_rule_has_a_name_of_its_own() -> None:
    assert len({mutation.name for mutation in illegal.MUTATIONS}) == len(illegal.MUTATIONS) >= 70
