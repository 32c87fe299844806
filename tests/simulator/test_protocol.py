"""PROTOCOL.md names what the sources emit."""

import re

from .cpp_build import RUNTIME, SIMULATOR

EMITTED = re.compile(
    r'\b(?:code = |(?:fatal|error|finding|complain|akrt_argument_error)\(\s*)((?:[^;,]*?)"[a-z0-9-]+")'
)
CODE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+|deadlock|crash")


def emitted_codes() -> set[str]:
    codes: set[str] = set()
    for path in [*RUNTIME.glob("*.cpp"), *(SIMULATOR / "include").rglob("*.h")]:
        for match in EMITTED.finditer(path.read_text()):
            codes.update(re.findall(r'"([a-z0-9-]+)"', match[1]))
        if path.name == "missing.cpp":
            codes.update(re.findall(r'cross_core \? "([a-z-]+)" : "([a-z-]+)"', path.read_text())[0])
        if path.name == "tpipe.cpp":
            codes.update(re.findall(r'"([a-z]+-(?:overflow|limit))"', path.read_text()))
        if path.name == "findings.cpp":
            codes.update(re.findall(r'text\("code", "([a-z-]+)"\)', path.read_text()))
    return codes


def documented_codes() -> set[str]:
    section = (RUNTIME / "PROTOCOL.md").read_text().split("## Codes of findings")[1]
    codes: set[str] = set()
    for line in section.splitlines():
        if line.startswith("    "):
            described = re.match(r"    ([a-z0-9-]+) {2,}\S", line)
            codes.update([described[1]] if described else line.split())
    return codes


def test_every_emitted_code_is_documented_and_the_reverse() -> None:
    assert emitted_codes() == documented_codes()


def test_codes_are_kebab_case() -> None:
    assert all(CODE.fullmatch(code) for code in documented_codes())
