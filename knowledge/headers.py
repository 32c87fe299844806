"""The simulator's table of legal element types, written from the index: `python -m agentkernel.knowledge.headers`.

The Ascend C headers of the simulator, the oracle and the documentation all read the same index, so a call that one of
them rejects is rejected by all.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agentkernel.knowledge.index import Api, Index, Overload, ParamKind, Status, load_index

HEADER = Path("simulator") / "include" / "ascendc" / "generated_dtypes.h"
"""Place of the header inside the agentkernel package."""

_LIBRARY = "high-level: "
"""Categories of the vector libraries: the types of their rows are taken as they stand."""

_HEAD = """\
// Element types that each API accepts on Ascend 910B: one line per API (or `Api_operand`), written from the API index
// by `python -m agentkernel.knowledge.headers`; edit knowledge/data/overlay.yaml instead.
//
//   AK_DTYPES_<Api>       the list of types of the tensor operand
//   AK_PAIRS_<Api>(P, S)  the legal (destination, source) pairs, P(dst, src), separated by S
#pragma once

// clang-format off
"""


def generated_dtypes(index: Index | None = None) -> str:
    """Text of `generated_dtypes.h`: a macro for every API whose element types the index knows."""
    index = index or load_index()
    lists: list[str] = []
    pairs: list[str] = []
    for api in index.apis():
        if api.status is not Status.SUPPORTED or not (api.exact or api.category.startswith(_LIBRARY)):
            continue
        lists += [f"#define AK_DTYPES_{name} {', '.join(types)}" for name, types in _lists(api)]
        choices = next((o.combo.choices for o in api.overloads if o.combo is not None), ())
        if choices:
            pairs.append(_pairs(api.name, choices))
    pairs.append(_pairs("Cast", tuple((rule.dst, rule.src) for rule in index.casts)))
    return _HEAD + "\n".join([*lists, "", *sorted(pairs)]) + "\n// clang-format on\n"


def _pairs(name: str, choices: tuple[tuple[str, ...], ...]) -> str:
    return f"#define AK_PAIRS_{name}(P, S) " + " S ".join(f"P({', '.join(choice)})" for choice in choices)


def _lists(api: Api) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(macro suffix, types) of one API: its main operand, and what differs by form or operand."""
    own = [o for o in api.overloads if o.dtypes and not o.twin]
    main = next((o for o in own if "T" in o.dtypes), None)
    if main is None:
        return
    yield api.name, main.dtypes["T"]
    seen = {api.name: main.dtypes["T"]}
    for overload in own:
        for suffix, types in _others(overload, main):
            name = f"{api.name}_{suffix}"
            if seen.setdefault(name, types) is types:
                yield name, types


def _others(overload: Overload, main: Overload) -> Iterator[tuple[str, tuple[str, ...]]]:
    types = overload.dtypes.get("T", ())
    if types and types != main.dtypes["T"]:
        if not any(p.element == "U" for p in overload.params) and any(p.element == "U" for p in main.params):
            yield "register", types
        elif any(t.name == "Pattern" for t in overload.template):
            yield "pattern", types
        elif overload.level == 2:
            yield "count", types
    if "U" in overload.dtypes:
        first = overload.params[0]
        is_first = first.kind is ParamKind.LOCAL and first.element == "U"
        yield ("dst" if is_first else "mask"), overload.dtypes["U"]


def main() -> int:
    """Write the header into the package; exit status 0."""
    import agentkernel

    target = Path(agentkernel.__file__).parent / HEADER
    target.write_text(generated_dtypes(), encoding="utf-8")
    print(target)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
