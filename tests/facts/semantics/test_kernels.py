"""Each kernel meets the precision standard and is clean; without its marked lines the missing order is reported."""

from __future__ import annotations

import numpy as np
import pytest

from .batch import explain
from .kernels import CASES, HERE, Case, launched, source_lines
from .standard import assert_meets

MARK = "//@"
"""At the end of lines that order pipes or cores and are left out of the wrong version."""


@pytest.mark.parametrize("case", [pytest.param(c, id=c.name, marks=pytest.mark.api(*c.apis)) for c in CASES])
def test_kernel_meets_the_standard(case: Case) -> None:
    simulation = launched(case)
    assert simulation.completed, explain(simulation)
    allowed = {"output-not-written"} if case.scratch else set()
    assert not set(simulation.codes) - allowed, explain(simulation)
    for name, want in case.wants.items():
        assert_meets(simulation.outputs[name], want.exact, f"{case.name}: {name}")


WRONG = {case.source: case for case in CASES if case.missing}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG)
def test_missing_order_is_reported(case: Case) -> None:
    marked = [number for number, line in enumerate(source_lines(case)) if line.endswith(MARK)]
    assert marked, case.source
    simulation = launched(case, without=marked)
    assert simulation.compiled, explain(simulation)
    assert set(simulation.codes) & case.missing, explain(simulation)


def test_every_kernel_has_a_wrong_version() -> None:
    assert set(WRONG) == {path.name for path in HERE.glob("*.cpp")}
    assert all(np.size(want.exact) for case in CASES for want in case.wants.values())
