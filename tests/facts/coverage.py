"""How many tests each Ascend C call has.

Two counts: tests of the facts, by their `api` marker among what pytest collects; and places in all tests that name the
call (a test function, or a table beside it, counts once). A call that no test of the facts can be about has a reason.

`python tests/facts/coverage.py` prints the table; `--write docs/api-coverage.md` writes it as a document.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest


class _Collector:
    """Pytest plugin that counts the names in `api` markers."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            names = {name for marker in item.iter_markers("api") for name in marker.args}
            self.counts.update(names)


def tests_by_api() -> dict[str, int]:
    """Number of collected tests by name of the call, sorted by name.

    Raises:
        RuntimeError: Pytest could not collect the tests.
    """
    collector = _Collector()
    with redirect_stdout(StringIO()):  # pytest lists what it collects
        status = pytest.main(["--collect-only", str(Path(__file__).parent)], plugins=[collector])
    if status != pytest.ExitCode.OK:
        raise RuntimeError(f"collecting {Path(__file__).parent} ended with {status}: run pytest there to see why")
    return dict(sorted(collector.counts.items()))


TESTS = Path(__file__).parents[1]

REASONS = {
    "GetProgramCounter": "no page says which address an instruction has",
    "LoadImageToLocal": "image preprocessing, which is not simulated: the name does not compile",
    "SelectWithBytesMaskImpl": "inside of SelectWithBytesMask; its arguments are not documented",
    "SetAippFunctions": "image preprocessing, which is not simulated: the name does not compile",
    "set_deqscale": "no page gives its argument, and the name does not compile: SetDeqScale has tests",
    "set_ffts_base_addr": "says where the flags between cores lie, which no kernel can see",
    "vld_va_reg": "no page says which addresses L128 and H128 load",
}
"""Why no test of the facts is about a call: what documentation says decides no value."""

CATEGORY_REASONS = {
    "high-level: HCCL communication": "communication between cards, which is not simulated: the name does not compile",
}
"""The same for whole categories."""


def spelled_by_api(names: Iterable[str], root: Path = TESTS) -> dict[str, int]:
    """Number of places that name each call: functions and tables of Python, whole files of C++."""
    wanted = frozenset(names)
    counts: Counter[str] = Counter()
    for path in sorted(root.rglob("*")):
        if path.suffix in {".py", ".cpp"} and path != Path(__file__):
            text = path.read_text(encoding="utf-8")
            for part in _parts(text) if path.suffix == ".py" else (text,):
                counts.update(wanted & set(re.findall(r"\b([A-Za-z_]\w+)(?=[(<\"'])", part)))
    return dict(counts)


def _parts(text: str) -> Iterable[str]:
    """Source of each top-level statement."""
    return (ast.get_source_segment(text, node) or "" for node in ast.parse(text).body)


def document() -> str:
    """The table of every call that Atlas A2 has, as Markdown."""
    from agentkernel.knowledge.index import Status, load_index

    apis = [api for api in load_index().apis() if api.status is Status.SUPPORTED]
    marked, spelled = tests_by_api(), spelled_by_api(api.name for api in apis)
    reasons = {api.name: REASONS.get(api.name) or CATEGORY_REASONS.get(api.category, "") for api in apis}
    stale = sorted(name for name in REASONS if marked.get(name) or name not in reasons)
    if stale:
        raise ValueError(f"{__file__}: REASONS names what has tests of the facts, or is no call of Atlas A2: {stale}")
    rows = [
        f"| `{api.name}` | {api.category} | {marked.get(api.name, 0)} | {spelled.get(api.name, 0)} |"
        f" {'' if marked.get(api.name) else reasons[api.name]} |"
        for api in apis
    ]
    tested = sum(1 for api in apis if marked.get(api.name))
    reasoned = sum(1 for api in apis if not marked.get(api.name) and reasons[api.name])
    named = sum(1 for api in apis if marked.get(api.name) or spelled.get(api.name))
    head = (
        "# Tests by API\n\nWritten by `python tests/facts/coverage.py --write docs/api-coverage.md`; do not edit.\n\n"
        "*facts*: tests whose expected values come from documentation alone, by their `api` marker. *named*:\n"
        "functions and tables of all tests that name the call, and C++ files that they compile or run.\n"
        "*without, because*: why documentation decides nothing that a test of the facts could ask for.\n\n"
        f"{len(apis)} names of Atlas A2: {tested} with tests of the facts, {reasoned} with a reason,"
        f" {len(apis) - tested - reasoned} without either; {named} with tests of any kind.\n\n"
        "| name | category | facts | named | without, because |\n| --- | --- | --- | --- | --- |\n"
    )
    return head + "\n".join(rows) + "\n"


def main(argv: Sequence[str]) -> int:
    """Prints the counts of the facts tests, or writes the document; exit status 0."""
    parser = argparse.ArgumentParser(description="How many tests each Ascend C call has.")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the table of all calls as Markdown")
    options = parser.parse_args(argv)
    if options.write is not None:
        options.write.write_text(document(), encoding="utf-8")
        return 0
    table = tests_by_api()
    sys.stdout.write("".join(f"{name:32} {count}\n" for name, count in table.items()))
    sys.stdout.write(f"{len(table)} calls\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
