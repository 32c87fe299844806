"""The list of codes: each stands at one level, and what the simulator says is in it."""

from __future__ import annotations

import re
from pathlib import Path

from agentkernel.codes import CODES, level_of, meaning
from agentkernel.diagnostic import Level
from agentkernel.simulator import messages

ROOT = Path(__file__).parents[1]


def test_every_level_has_a_place_and_no_code_stands_twice():
    assert set(CODES) == set(Level)
    every = [code for codes in CODES.values() for code in codes]
    assert len(every) == len(set(every))
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code) for code in every)


def test_every_code_has_one_sentence():
    for codes in CODES.values():
        for code, text in codes.items():
            assert text.endswith(".") and "\n" not in text, code


def test_looking_up():
    assert level_of("missing-sync") is Level.HAZARD and meaning("missing-sync")
    assert level_of("no-such-code") is None and meaning("no-such-code") == ""


def test_codes_of_compiler_messages_are_listed():
    assert {code for _, code, _ in messages._RULES} <= set(CODES[Level.API])


def test_codes_in_python_sources_are_listed():
    """`code="..."` is how diagnostics are made."""
    used: dict[str, str] = {}
    for room in ("agentkernel", "graphs", "knowledge", "bench"):
        for path in (ROOT / room).rglob("*.py"):
            if "testing" not in path.parts and "tests" not in path.parts:
                for code in re.findall(r'\bcode="([a-z0-9-]+)"', path.read_text(encoding="utf-8")):
                    used.setdefault(code, str(path.relative_to(ROOT)))
    assert {code: path for code, path in used.items() if level_of(code) is None} == {}


def test_codes_of_the_runtime_are_listed():
    """PROTOCOL.md names every code that the runner may record, by level."""
    text = (ROOT / "agentkernel/simulator/runtime/PROTOCOL.md").read_text(encoding="utf-8")
    section = text.split("## Codes of findings")[1].split("\n## ")[0]
    level, found = None, {}
    for line in section.splitlines():
        if heading := re.search(r"\(level (\w+)", line):
            level = Level(heading.group(1))
        elif line.startswith("    "):
            explained = re.match(r"    ([a-z0-9-]+) {2,}", line)
            for code in [explained.group(1)] if explained else line.split():
                found[code] = level
    assert len(found) > 50
    wrong = {c: (found[c], level_of(c)) for c in found if level_of(c) not in (found[c], Level.CHEAT)}
    assert wrong == {}
