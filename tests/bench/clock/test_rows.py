"""The published rows: typed, split by the written rule."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from agentkernel.bench.clock.rows import Row, load_rows
from agentkernel.bench.clock.simulate import _HOW, KERNELS

ROWS = {row.name: row for row in load_rows()}


def test_names_are_unique_and_every_row_has_a_kernel() -> None:
    assert len(ROWS) == len(load_rows())
    assert {row.kernel for row in ROWS.values()} <= set(_HOW)


def test_rows_that_parameters_were_fitted_on_are_never_checks() -> None:
    assert all(row.role == "fit" for row in ROWS.values() if row.used_by)


def test_both_sides_of_a_comparison_are_never_free_to_fit() -> None:
    # the pairs that the sources compare; the first rows of each had been fitted on before
    for one, other in (
        ("add-vector-1-core", "add-vector-48-cores"),
        ("add-large-tiles-48-cores", "add-bypass-48-cores"),
        ("load-64x64", "load-4-times"),
        ("banks-block-stride-16", "banks-block-stride-8"),
        ("reduce-block-then-whole", "reduce-whole-twice"),
        ("reduce-block-then-whole", "reduce-block-three-times"),
        ("sum-by-halves", "sum-by-repeats"),
    ):
        assert {ROWS[one].role, ROWS[other].role} == {"fit", "check"}


def test_a_figure_that_repeats_a_fitted_one_is_fit_in_a_check_row() -> None:
    row = ROWS["add-vector-48-cores"]
    assert (row.role_of("vec_us"), row.role_of("task_us")) == ("fit", "check")


def test_parameters_are_fitted_on_fit_rows_only() -> None:
    from agentkernel.simulator.chips import load_chip

    for name, parameter in load_chip("ascend910b").params.items():
        named = [row for row in ROWS.values() if row.name in parameter.source]
        assert all(row.role == "fit" for row in named), name
        if "fitted" in parameter.source:
            assert named, f"{name} does not say which rows it was fitted on"


@pytest.mark.parametrize("change", [{"figures": {"speed": 1.0}}, {"fit_figures": ["ticks"]}, {"role": "train"}])
def test_a_row_out_of_form_is_rejected(change: dict[str, object]) -> None:
    row = {
        "name": "x",
        "table": "1",
        "case": "",
        "kernel": "add",
        "dtype": "half",
        "role": "fit",
        "figures": {"cycles": 1},
    }
    Row.model_validate(row)
    with pytest.raises(ValidationError):
        Row.model_validate(row | change)


def test_every_kernel_of_the_folder_is_used() -> None:
    text = (KERNELS.parent / "simulate.py").read_text(encoding="utf-8")
    assert all(f'kernel="{path.stem}"' in text for path in KERNELS.glob("*.cpp"))
