"""Inputs, references and judgement of lists, absent tensors and updates in place."""

from typing import Any

import numpy as np
import pytest

from agentkernel.diagnostic import Diagnostic, Level
from agentkernel.errors import TaskError
from agentkernel.judge import judge, make_inputs, reference, same_precision
from agentkernel.task import Task
from agentkernel.toolchains.base import Run

LIST = {"dtype": "float32", "shape": ["*parts"], "param_type": "dynamic"}
SHAPES = {"parts": [[3], [2, 4], [3]]}


def task(**changes: Any) -> Task:
    """y[i] = a * x[i] over a list."""
    data: dict[str, Any] = {
        "name": "t",
        "description": "d",
        "level": "L1",
        "entry": "t",
        "inputs": [{"name": "x", **LIST}],
        "outputs": [{"name": "y", **LIST}],
        "attrs": [{"name": "a", "type": "float", "default": 2.0}],
        "reference": {"formula": "y = a * x"},
        "cases": [{"name": "c", "shapes": SHAPES}],
    }
    return Task.model_validate(data | changes)


def outputs(t: Task, inputs: dict[str, Any]) -> dict[str, Any]:
    return {n: v.astype(np.float32) for n, v in reference(t, t.cases[0], inputs).items()}


def test_every_tensor_of_a_list_has_values_of_its_own() -> None:
    t = task(cases=[{"name": "c", "shapes": SHAPES, "fills": {"x": {"low": 4, "high": 5}}}])
    inputs = make_inputs(t, t.cases[0])
    assert {name: values.shape for name, values in inputs.items()} == {"x[0]": (3,), "x[1]": (2, 4), "x[2]": (3,)}
    assert not np.array_equal(inputs["x[0]"], inputs["x[2]"])
    assert all((values >= 4).all() for values in inputs.values())


def test_a_formula_is_evaluated_for_every_place_of_the_lists() -> None:
    t = task()
    inputs = make_inputs(t, t.cases[0])
    expected = reference(t, t.cases[0], inputs)
    assert list(expected) == ["y[0]", "y[1]", "y[2]"]
    np.testing.assert_array_equal(expected["y[1]"], 2.0 * inputs["x[1]"].astype(np.float64))
    plain = same_precision(t, t.cases[0], inputs, t.outputs[0].dtype)
    assert plain is not None
    assert plain["y[2]"].shape == (3,)


def test_a_formula_knows_sizes_and_reductions_of_a_place() -> None:
    shape = {"dtype": "float32", "shape": ["*parts", "n"], "param_type": "dynamic"}
    t = task(
        inputs=[{"name": "x", **shape}, {"name": "w", "dtype": "float32", "shape": ["n"]}],
        outputs=[{"name": "y", **shape}],
        reference={"formula": "y = x * w / n"},
        attrs=[],
        cases=[{"name": "c", "dims": {"n": 5}, "shapes": SHAPES}],
    )
    inputs = make_inputs(t, t.cases[0])
    expected = reference(t, t.cases[0], inputs)
    wanted = inputs["x[1]"].astype(np.float64) * inputs["w"] / 5
    np.testing.assert_allclose(expected["y[1]"], wanted, rtol=1e-12)


def test_python_gets_lists_and_none() -> None:
    source = """
def reference(inputs, attrs):
    assert isinstance(inputs["x"], list) and inputs["gamma"] is None and attrs["axes"] == (1, 0)
    return {"y": [a + i for i, a in enumerate(inputs["x"])]}
"""
    t = task(
        inputs=[{"name": "x", **LIST}, {"name": "gamma", "dtype": "float32", "shape": [3], "param_type": "optional"}],
        attrs=[{"name": "axes", "type": "list_int", "default": [1, 0]}],
        reference={"python": source},
        cases=[{"name": "c", "shapes": SHAPES, "absent": ["gamma"]}],
        shape_mode="static",
    )
    inputs = make_inputs(t, t.cases[0])
    assert "gamma" not in inputs
    np.testing.assert_array_equal(reference(t, t.cases[0], inputs)["y[2]"], inputs["x[2]"].astype(np.float64) + 2)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("inputs['x'][:2]", r"gives 2 arrays for the list 'y'.*give a list of 3 arrays"),
        ("inputs['x'][0]", r"gives ndarray for the list 'y'"),
        ("[a[:1] for a in inputs['x']]", r"for the output 'y\[0\]'.*of shape \(3,\)"),
    ],
)
def test_a_python_reference_that_gives_other_lists_is_told(given: str, message: str) -> None:
    t = task(reference={"python": f"def reference(inputs, attrs): return {{'y': {given}}}"})
    with pytest.raises(TaskError, match=message):
        reference(t, t.cases[0], make_inputs(t, t.cases[0]))


def test_a_formula_reads_the_old_value_until_it_assigns_the_new_one() -> None:
    tensor = {"dtype": "float32", "shape": [4]}
    t = task(
        inputs=[{"name": "x", **tensor}, {"name": "g", **tensor}],
        outputs=[{"name": "x", **tensor}, {"name": "y", **tensor}],
        reference={"formula": "x = x + g\ny = a * x"},
        cases=[{"name": "c"}],
    )
    inputs = make_inputs(t, t.cases[0])
    expected = reference(t, t.cases[0], inputs)
    wanted = inputs["x"].astype(np.float64) + inputs["g"]
    np.testing.assert_array_equal(expected["x"], wanted)
    np.testing.assert_array_equal(expected["y"], 2 * wanted)


def test_a_formula_does_not_read_attributes_that_are_lists() -> None:
    t = task(attrs=[{"name": "a", "type": "list_float", "default": [1.0]}], shape_mode="static")
    with pytest.raises(TaskError, match="the attribute 'a' is a list or a text"):
        reference(t, t.cases[0], make_inputs(t, t.cases[0]))


def test_every_tensor_of_a_list_is_judged() -> None:
    t = task()
    inputs = make_inputs(t, t.cases[0])
    right = outputs(t, inputs)
    result = judge(t, t.cases[0], inputs, Run(completed=True, outputs=right))
    assert result.passed
    assert [stat.output for stat in result.errors] == ["y[0]", "y[1]", "y[2]"]
    wrong = right | {"y[1]": right["y[1]"] + np.float32(1)}
    (found,) = judge(t, t.cases[0], inputs, Run(completed=True, outputs=wrong)).diagnostics
    assert found.evidence["output"] == "y[1]"
    missing = {name: values for name, values in right.items() if name != "y[2]"}
    (found,) = judge(t, t.cases[0], inputs, Run(completed=True, outputs=missing)).diagnostics
    assert (found.code, found.evidence["output"]) == ("missing-output", "y[2]")
    (found,) = judge(t, t.cases[0], inputs, Run(completed=True, outputs=right | {"y[3]": right["y[0]"]})).diagnostics
    assert found.code == "extra-output"


def test_an_update_in_place_that_did_not_happen_is_told() -> None:
    tensor = {"name": "x", "dtype": "float32", "shape": [40]}
    t = task(inputs=[tensor], outputs=[tensor], reference={"formula": "x = a * x"}, cases=[{"name": "c"}])
    inputs = make_inputs(t, t.cases[0])
    (found,) = judge(t, t.cases[0], inputs, Run(completed=True, outputs={"x": inputs["x"].copy()})).diagnostics
    assert "x" in found.message
    assert found.evidence["look"]["look"] == "input"
    assert judge(t, t.cases[0], inputs, Run(completed=True, outputs={"x": 2 * inputs["x"]})).passed


def test_of_an_output_that_is_not_compared_form_alone_counts() -> None:
    tensor = {"dtype": "float32", "shape": [4]}
    t = task(
        inputs=[{"name": "x", **tensor}],
        outputs=[{"name": "y", **tensor}, {"name": "scratch", **tensor, "compare": False}],
        reference={"python": "def reference(inputs, attrs): return {'y': inputs['x']}"},
        cases=[{"name": "c"}],
    )
    inputs = make_inputs(t, t.cases[0])
    anything = np.full(4, np.nan, np.float32)
    hole = Diagnostic(
        code="output-not-written", level=Level.RUNTIME, message="holes", evidence={"output": "scratch", "elements": 4}
    )
    run = Run(
        completed=True,
        outputs={"y": inputs["x"], "scratch": anything},
        unwritten={"scratch": 4},
        diagnostics=(hole,),
    )
    assert judge(t, t.cases[0], inputs, run).passed
    short = run.model_copy(update={"outputs": run.outputs | {"scratch": anything[:2]}})
    assert [d.code for d in judge(t, t.cases[0], inputs, short).diagnostics] == ["wrong-shape"]


def test_a_tensor_without_axes_is_judged() -> None:
    t = task(
        inputs=[{"name": "x", "dtype": "float32", "shape": []}],
        outputs=[{"name": "y", "dtype": "float32", "shape": []}],
        cases=[{"name": "c"}],
    )
    inputs = make_inputs(t, t.cases[0])
    right = outputs(t, inputs)
    assert judge(t, t.cases[0], inputs, Run(completed=True, outputs=right)).passed
    wrong = {"y": np.asarray(right["y"] + np.float32(1))}
    (found,) = judge(t, t.cases[0], inputs, Run(completed=True, outputs=wrong)).diagnostics
    assert "the only element of y is wrong" in found.message
