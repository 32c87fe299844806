"""Errors and means of the clock's report, and that the kernels run on the simulator."""

from __future__ import annotations

import pytest

from agentkernel.bench.clock.report import Compared, compare, document, mean_error, summary
from agentkernel.bench.clock.rows import load_rows
from agentkernel.bench.clock.simulate import Simulator
from agentkernel.simulator.chips import load_chip
from agentkernel.toolchains.simulator import SimulatorToolchain

ROWS = load_rows()


def figure(role: str, measured: float, simulated: float) -> Compared:
    return Compared.model_validate(
        {"row": "r", "figure": "cycles", "role": role, "measured": measured, "simulated": simulated}
    )


def test_errors_are_signed_and_means_are_not() -> None:
    both = [figure("check", 100, 90), figure("check", 100, 130), figure("fit", 100, 100)]
    assert [round(one.error) for one in both] == [-10, 30, 0]
    assert mean_error(both, "check") == pytest.approx(20)
    assert "check: mean error 20.0 % over 2 measured figures of 1 rows, 1 within 20 %" in summary(both)


def test_documented_rules_count_in_no_mean() -> None:
    rule = figure("check", 4, 40).model_copy(update={"documented": True})
    assert mean_error([figure("check", 100, 90), rule], "check") == pytest.approx(10)


def test_a_role_without_figures_has_no_mean() -> None:
    with pytest.raises(ValueError, match="no measured figure"):
        mean_error([figure("fit", 1, 1)], "check")


def test_every_figure_of_every_row_is_reported_misses_included() -> None:
    compared = compare(ROWS, lambda row: {name: 3 * value for name, value in row.figures.items()})
    text = document(compared, ROWS, load_chip("ascend910b"))
    assert text.count(" | +200.0 % |") == sum(len(row.figures) for row in ROWS)


def test_a_figure_that_was_not_simulated_is_an_error() -> None:
    with pytest.raises(KeyError):
        compare(ROWS[:1], lambda row: {})


@pytest.mark.parametrize(
    "name",
    [
        "add-vector-1-core",
        "load-64x64",
        "banks-block-stride-8",
        "reduce-whole-twice",
        "sum-by-repeats",
        "mask-registers",
    ],
)
def test_small_rows_run_and_give_every_figure(name: str) -> None:
    row = next(row for row in ROWS if row.name == name)
    with SimulatorToolchain(timeout=60) as toolchain:
        figures = Simulator(toolchain, load_chip("ascend910b")).figures(row)
    assert all(figures[figure] > 0 for figure in row.figures)
