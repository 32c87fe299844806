"""Diagnostics are shown with the line they point at, to a model and to a person."""

import pytest

from agentkernel.diagnostic import Diagnostic, Level, Location, Severity
from agentkernel.kernel import Kernel
from agentkernel.render import case_lines, findings_of, for_model, for_person, verdict_for_person
from agentkernel.verdict import CaseResult, ErrorStats, Estimate, Stage, Verdict

FILE = "op_kernel/add.cpp"
KERNEL = Kernel(files={FILE: "void f()\n{\n\tAddd(z, x, y, n);\n\tDataCopy(g, z, n);\n}\n"}, entry="f")
UNKNOWN = Diagnostic(
    code="unknown-api",
    level=Level.API,
    message="Addd is not an Ascend C function.",
    location=Location(file=FILE, line=3, column=2, end_column=6),
    hint="use Add(dst, src0, src1, count)",
    apis=("Add",),
    evidence={"nearest": ["Add", "Adds"]},
)
HAZARD = Diagnostic(
    code="missing-sync",
    level=Level.HAZARD,
    message="MTE3 reads what V writes.",
    location=Location(file=FILE, line=4),
    related=((Location(file=FILE, line=3), "the write by V"),),
)


def test_the_model_reads_place_line_words_hint_and_facts() -> None:
    assert for_model([UNKNOWN, HAZARD], KERNEL) == (
        "1. error unknown-api (api) at op_kernel/add.cpp:3:2\n"
        "   3 | \tAddd(z, x, y, n);\n"
        "   Addd is not an Ascend C function.\n"
        "   Hint: use Add(dst, src0, src1, count)\n"
        "   nearest: [Add, Adds]\n"
        "\n"
        "2. error missing-sync (hazard) at op_kernel/add.cpp:4\n"
        "   4 | \tDataCopy(g, z, n);\n"
        "   MTE3 reads what V writes.\n"
        "   See op_kernel/add.cpp:3: the write by V\n"
        "   3 | \tAddd(z, x, y, n);"
    )


def test_the_person_sees_a_caret_under_the_columns_also_behind_a_tab() -> None:
    assert for_person([UNKNOWN], KERNEL) == (
        "error[unknown-api]: Addd is not an Ascend C function.\n"
        "  --> op_kernel/add.cpp:3:2\n"
        "  |\n"
        "3 | \tAddd(z, x, y, n);\n"
        "  | \t^^^^\n"
        "  nearest: [Add, Adds]\n"
        "  hint: use Add(dst, src0, src1, count)"
    )


@pytest.mark.parametrize(
    "location",
    [Location(file=FILE, line=99), Location(file="other.h", line=1), Location(file=FILE, line=3, column=80)],
)
def test_a_place_outside_the_source_is_named_without_an_excerpt(location: Location) -> None:
    text = for_person([UNKNOWN.model_copy(update={"location": location})], KERNEL)
    assert f"--> {location}" in text
    assert "^" not in text


def test_evidence_is_written_as_a_person_would_and_not_told_twice() -> None:
    element = {"index": [6, 4], "expected": -0.6920947432518005, "got": 0.0}
    facts = {
        "case": "tail",
        "threshold": 0.1,
        "first": [element, element],
        "edge": "V->MTE3",
        "only": False,
        "at": None,
    }
    text = for_model([UNKNOWN.model_copy(update={"evidence": facts, "hint": ""})])
    assert text.split("\n")[2:] == [
        "   first: [6, 4] expected -0.692095, got 0; [6, 4] expected -0.692095, got 0",
        "   edge: V->MTE3",
    ]
    long = for_model([UNKNOWN.model_copy(update={"evidence": {"log": "x" * 5000}})])
    assert "(5000 characters)" in long
    assert len(long) < 600


def test_findings_beyond_the_limit_are_counted_and_not_dropped() -> None:
    text = for_model([UNKNOWN, HAZARD, HAZARD, UNKNOWN], KERNEL, limit=1)
    assert text.endswith("... and 3 more: missing-sync x 2, unknown-api x 1.")


def test_control_characters_of_a_candidate_reach_neither_terminal_nor_prompt() -> None:
    hostile = Kernel(files={FILE: "a\x1b[2J\n\n\u202eb\n\n"}, entry="f")
    found = UNKNOWN.model_copy(update={"message": "bell \x07", "hint": "\x9b31m", "evidence": {"got": "\x1b]0;x\x07"}})
    for text in (for_person([found], hostile), for_model([found], hostile)):
        assert text.isprintable() or all(c.isprintable() or c == "\n" for c in text)
        assert "\\x1b" in text
        assert "\\u202e" in text


def case(name: str, *diagnostics: Diagnostic, passed: bool = False) -> CaseResult:
    error = ErrorStats(
        output="z", mean_relative=0.25, max_relative=2.0, threshold=2**-10, mismatched=0 if passed else 3, total=64
    )
    estimate = Estimate(provenance="simulated", kernel_us=3.5, bound="MTE2")
    return CaseResult(case=name, passed=passed, diagnostics=diagnostics, errors=(error,), estimate=estimate)


def wrong(message: str) -> Diagnostic:
    return Diagnostic(code="wrong-values", level=Level.NUMERIC, message=message)


def test_one_finding_in_several_cases_is_shown_once_with_their_names() -> None:
    warning = UNKNOWN.model_copy(update={"severity": Severity.WARNING})
    cases = tuple(case(f"c{i}", HAZARD, wrong(f"case {i % 2}")) for i in range(6))
    verdict = Verdict(passed=False, stage=Stage.VERIFY, toolchain="simulator", diagnostics=(warning,), cases=cases)
    found = findings_of(verdict)
    assert [f.diagnostic.code for f in found] == ["missing-sync", "wrong-values", "wrong-values", "unknown-api"]
    assert [len(f.cases) for f in found] == [6, 3, 3, 0]
    assert "Cases: c0, c1, c2, c3 and 2 more" in for_model(found)


def test_a_verdict_ends_with_its_result_and_where_its_times_are_from() -> None:
    failed = Verdict(
        passed=False,
        stage=Stage.VERIFY,
        toolchain="simulator",
        cases=(case("small", passed=True), case("tail", HAZARD, wrong("values"))),
    )
    text = verdict_for_person(failed, KERNEL)
    assert "small  passed  3.50 us simulated  z: MERE 2.50e-01, MARE 2.00e+00 (t 9.77e-04)" in text
    assert "tail   FAILED" in text
    assert "3 of 64 elements wrong" in text
    assert text.endswith("failed at comparing with the reference, 1 of 2 cases passed (simulator, simulated)")
    good = Verdict(passed=True, stage=Stage.VERIFY, toolchain="simulator", cases=(case("small", passed=True),))
    assert verdict_for_person(good).endswith("passed: 1 of 1 cases (simulator, simulated, 3.50 us)")
    assert case_lines(failed)[1].startswith("tail: FAILED")
    hasty = case("small", HAZARD, passed=True).model_copy(update={"passed": False})
    hazard = Verdict(passed=False, stage=Stage.VERIFY, toolchain="simulator", cases=(hasty,))
    assert verdict_for_person(hazard).endswith(
        "failed by missing-sync (the values agree with the reference), 0 of 1 cases passed (simulator, simulated)"
    )
    gaps = Diagnostic(code="output-not-written", level=Level.RUNTIME, message="8 of 64 elements were never written.")
    unwritten = hazard.model_copy(update={"cases": (hasty.model_copy(update={"diagnostics": (gaps,)}),)})
    assert "failed by output-not-written, 0 of 1" in verdict_for_person(unwritten)
    early = Verdict(passed=False, stage=Stage.CHECK, toolchain="simulator", diagnostics=(UNKNOWN,))
    assert verdict_for_person(early, KERNEL).endswith("failed at the API check (simulator, simulated)")
