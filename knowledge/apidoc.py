"""The table of Ascend C APIs and what the simulator does with them: `python -m agentkernel.knowledge.apidoc FILE`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from agentkernel.knowledge.index import Api, Index, Status, load_index

_DEFINITION = re.compile(
    r"(?:AK_API|\binline|\bvoid)\b[^;={}()]*?\b(\w+)\("
    r"|^(?: *constexpr|static)? *(?:decltype\(auto\)|[A-Za-z_][\w:<>.]*[&*]?) (\w+)\([^;\n]*(?:$|\{)"
    r"|^struct (\w+)\b[^;]*$|^AK_[A-Z_]+\((\w+)[,)]|^#define (\w+)\(",
    re.MULTILINE,
)
_CONSTANT_MACRO = re.compile(r"^#define (\w+)\b", re.MULTILINE)
_UNSUPPORTED = re.compile(r'\b(?:akrt_unsupported|AK_[A-Z_]+)\((?:\w+, )?"(\w+)(?: ?\(([^)"]*)\))?"')

_HEAD = """\
# Ascend C API support

Target: Atlas A2 (Ascend 910B). Written by `python -m agentkernel.knowledge.apidoc docs/api-support.md` from the API
index and the simulator's headers; do not edit.

- *simulated*: the simulator computes it, checks it and counts its time.
- *partly*: the forms named behind it stop with `unsupported-api`.
- *known*: it exists on the chip and the oracle knows its forms; the simulator does not have it, so that a kernel with
  it does not compile there or stops with `unsupported-api`.
- *other chips*: it does not exist on Atlas A2, or has no function there; the oracle rejects it.

"""


def support_table(index: Index, headers: Mapping[str, str]) -> str:
    """Markdown with one table a category.

    Args:
        index: The chip's index.
        headers: Text of the simulator's headers by name.
    """
    simulated, missing = simulated_names(headers)
    by_category: dict[str, list[Api]] = {}
    for api in index.apis():
        by_category.setdefault(api.category or "other", []).append(api)
    counts = {"simulated": 0, "partly": 0, "known": 0, "other chips": 0}
    sections = []
    for category in sorted(by_category):
        lines = [
            f"## {category[0].upper() + category[1:]}",
            "",
            "| name | forms | element types | |",
            "| --- | --- | --- | --- |",
        ]
        for api in by_category[category]:
            state, note = _state(api, simulated, missing)
            counts[state] += 1
            lines.append(f"| `{api.name}` | {_forms(api)} | {_types(api)} | {state}{note} |")
        sections.append("\n".join(lines) + "\n")
    summary = ", ".join(f"{number} {state}" for state, number in counts.items())
    return _HEAD + f"{sum(counts.values())} names: {summary}.\n\n" + "\n".join(sections)


def simulated_names(headers: Mapping[str, str]) -> tuple[frozenset[str], dict[str, tuple[str, ...]]]:
    """Names that the headers define, and for each the forms that stop with `unsupported-api`."""
    names: set[str] = set()
    missing: dict[str, dict[str, None]] = {}
    for text in headers.values():
        code = re.sub(r"//[^\n]*", "", text)
        joined = code.replace("\\\n", " ")
        for match in _DEFINITION.finditer(joined):
            names.update(name for name in match.groups() if name)
        names.update(_CONSTANT_MACRO.findall(code))
        for name, form in _UNSUPPORTED.findall(code):
            missing.setdefault(name, {})[form] = None
    return frozenset(names), {name: tuple(forms) for name, forms in missing.items()}


def read_headers(root: Path) -> dict[str, str]:
    """The simulator's headers under its include folder, by relative path."""
    return {p.relative_to(root).as_posix(): p.read_text(encoding="utf-8") for p in sorted(root.rglob("*.h"))}


def simulator_headers() -> dict[str, str]:
    """The headers of the installed package."""
    import agentkernel

    return read_headers(Path(agentkernel.__file__).parent / "simulator" / "include")


def _state(api: Api, simulated: Iterable[str], missing: Mapping[str, tuple[str, ...]]) -> tuple[str, str]:
    if api.status is not Status.SUPPORTED:
        return "other chips", f": {api.instead}" if api.instead else ""
    if api.name not in simulated:
        return "known", ""
    forms = [form for form in missing.get(api.name, ()) if form]
    if forms:
        return "partly", f" (not {', '.join(forms)})"
    return ("known", "") if api.name in missing else ("simulated", "")


def _forms(api: Api) -> str:
    own = [o for o in api.overloads if not o.twin]
    levels = {o.level for o in own}
    if levels == {0, 2}:
        return "count, mask"
    if levels == {2}:
        return "count"
    if levels == {0}:
        return "mask"
    return f"{len(own)}" if own else ""


def _types(api: Api) -> str:
    return ", ".join(_shown(api))


def _shown(api: Api) -> Iterator[str]:
    combos = [o.combo for o in api.overloads if o.combo is not None]
    if combos:
        yield from ("/".join(choice) for choice in combos[0].choices)
        return
    yield from api.dtypes


def main(argv: Sequence[str]) -> int:
    """Write the table; exit status 0, or 2 for a wrong call."""
    if len(argv) != 1:
        print("usage: python -m agentkernel.knowledge.apidoc FILE", file=sys.stderr)
        return 2
    Path(argv[0]).write_text(support_table(load_index(), simulator_headers()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
