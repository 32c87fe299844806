"""Programs that are legal by construction pass; what should not be is found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from agentkernel.testing.fuzz import legal
from agentkernel.testing.fuzz.bench import Bench
from agentkernel.testing.fuzz.elements import Array
from agentkernel.testing.fuzz.generate import program
from agentkernel.testing.fuzz.program import EXACT, Line, Program
from agentkernel.testing.fuzz.tally import Tally


def compared() -> Program:
    """A program with an output that is compared bit for bit."""
    found = (program(f"test/{i}") for i in range(100))
    return next(
        p for p in found if EXACT in p.quality.values() and p.outputs[0].name == "y" and p.quality["y"] == EXACT
    )


def test_legal_programs_pass_with_the_right_values(bench: Bench) -> None:
    tally = Tally()
    for outcome in legal.outcomes(bench, 1, range(15)):
        tally.add(outcome)
    assert [str(outcome.finding) for outcome in tally.findings] == []
    assert tally.programs == 15 and tally.blocks > 0 and tally.compared > 0 and tally.functions > 10


def test_a_wrong_value_and_a_false_report_are_findings(bench: Bench) -> None:
    right = compared()

    def wrong(arrays: Mapping[str, Array]) -> dict[str, Array]:
        return {name: values + values.dtype.type(1) for name, values in right.model(arrays).items()}

    hangs = replace(right, lines=(*right.lines, Line("WaitFlag<HardEvent::V_S>(EVENT_ID3);")))
    refused = replace(right, lines=(*right.lines, Line("NoSuchFunction(1);")))
    done = list(legal.judge(bench, {0: right, 1: replace(right, model=wrong), 2: hangs}))
    assert done[0].finding is None
    assert done[1].finding is not None and "instead of" in done[1].finding.reason
    assert done[2].finding is not None and "deadlock" in str(done[2].finding)
    (found,) = legal.judge(bench, {3: refused})
    assert found.finding is not None and found.finding.diagnostics


def test_a_seed_gives_one_program() -> None:
    assert program("test/1").source == program("test/1").source
    assert len({program(f"test/{i}").source for i in range(20)}) == 20
