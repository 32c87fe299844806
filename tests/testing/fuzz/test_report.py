"""Findings are kept as files that say how to repeat them; runs become parts of one document."""

from __future__ import annotations

from pathlib import Path

from agentkernel.testing.fuzz.finding import Finding, Outcome, keep
from agentkernel.testing.fuzz.generate import program
from agentkernel.testing.fuzz.report import part, write
from agentkernel.testing.fuzz.tally import Tally


def outcome(*, found: bool, mutation: str = "") -> Outcome:
    one = program("test/1")
    finding = Finding(one.source, "something is wrong", ()) if found else None
    return Outcome(number=5, program=one, finding=finding, mutation=mutation)


def test_a_finding_is_kept_with_its_command(tmp_path: Path) -> None:
    path = keep(outcome(found=True, mutation="flag set twice"), "illegal", 7, tmp_path / "kept")
    text = path.read_text()
    assert text.startswith("// something is wrong\n// broken rule: flag set twice\n// seed 7, program 5;")
    assert "// repeat: python -m agentkernel.testing.fuzz illegal --seed 7 --only 5\n" in text
    assert text.endswith(program("test/1").source)


def test_each_fuzzer_writes_its_own_part_of_the_document(tmp_path: Path) -> None:
    path = tmp_path / "fuzz.md"
    legal, illegal = Tally(), Tally()
    legal.add(outcome(found=False))
    illegal.add(outcome(found=True, mutation="flag set twice"))
    write(path, part("illegal", illegal, 2, 7))
    write(path, part("legal", legal, 30, 8))
    write(path, part("illegal", illegal, 3, 9))
    text = path.read_text()
    assert "illegal --minutes 2 --seed 7" not in text
    assert text.index("legal --minutes 30 --seed 8`") < text.index("illegal --minutes 3 --seed 9`")
    assert "| flag set twice | flag-already-set | 1 | 0 |" in text and "- program 5: something is wrong" in text
    assert text.count("\n## ") == 3
