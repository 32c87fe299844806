"""Every pair of types with every round mode: legal ones run, others are reported with the legal ones."""

from __future__ import annotations

from functools import cache

import pytest

from .mistake import TENSORS, Bodies, assert_clean, describe, findings
from .modes import MODES, PAIRS, Pair


def _body(pair: Pair, mode: str) -> list[str]:
    text = f"""{TENSORS}
        Duplicate(a, 0.0f, 64);
        SetDeqScale(static_cast<half>(1.0f));
        LocalTensor<{pair.source}> s = a.ReinterpretCast<{pair.source}>();
        LocalTensor<{pair.destination}> t = b.ReinterpretCast<{pair.destination}>();
        Cast(t, s, RoundMode::{mode}, {pair.elements}); //@
    """
    return [line for line in map(str.strip, text.splitlines()) if line]


@cache
def kernels() -> Bodies:
    return Bodies({f"{pair} {mode}": _body(pair, mode) for pair in PAIRS for mode in MODES})


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_legal_modes_run(pair: Pair) -> None:
    for mode in pair.modes:
        assert_clean(f"{pair} {mode}", kernels().run(f"{pair} {mode}"))


@pytest.mark.parametrize("pair", [p for p in PAIRS if set(p.modes) != set(MODES)], ids=str)
def test_other_modes_are_reported(pair: Pair) -> None:
    for mode in MODES:
        if mode in pair.modes:
            continue
        name = f"{pair} {mode}"
        found = findings(kernels().run(name))
        told = f"{name}: {[describe(d) for d in found]}"
        assert [d.code for d in found] == ["cast-round-mode"], told
        (report,) = found
        assert report.location is not None, told
        assert {report.location.line} == kernels().marked[name], told
        text = report.message + report.hint
        # messages may write a mode without its prefix
        assert all(legal.removeprefix("CAST_") in text for legal in (mode, *pair.modes)), told
