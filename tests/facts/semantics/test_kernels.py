"""Each kernel meets the precision standard and is clean; without its marked lines the missing order is reported."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agentkernel.testing.simulate import Simulation, simulate

from .batch import explain
from .kernels import CASES, Case
from .standard import assert_meets

HERE = Path(__file__).parents[1] / "kernels"
MARK = "//@"
"""At the end of lines that order pipes or cores and are left out of the wrong version."""

INCLUDE = '#include "tile.h"\n'


def launched(case: Case, *, wrong: bool = False) -> Simulation:
    """Compile and launch a kernel, with or without its marked lines."""
    text = (HERE / case.source).read_text(encoding="utf-8")
    lines = text.replace(INCLUDE, (HERE / "tile.h").read_text(encoding="utf-8")).splitlines()
    if wrong:
        assert any(line.endswith(MARK) for line in lines), case.source
        lines = ["" if line.endswith(MARK) else line for line in lines]
    outputs = {name: (array.shape, array.dtype.name) for name, array in ((*case.wants.items(), *case.scratch.items()))}
    return simulate("\n".join(lines) + "\n", case.inputs, outputs, blocks=case.blocks)


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
    simulation = launched(case, wrong=True)
    assert simulation.compiled, explain(simulation)
    assert set(simulation.codes) & case.missing, explain(simulation)


def test_every_kernel_has_a_wrong_version() -> None:
    assert set(WRONG) == {path.name for path in HERE.glob("*.cpp")}
    assert all(np.size(want.exact) for case in CASES for want in case.wants.values())
