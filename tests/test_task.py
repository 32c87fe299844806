"""What a task can say: lists of tensors, optional tensors, updates in place, list attributes, and what it refuses."""

from typing import Any

import pytest
from pydantic import ValidationError

from agentkernel.bench.suites import load_task, suite
from agentkernel.dtypes import DType
from agentkernel.task import Task

AXES = {"axes": [2]}


def data(**changes: Any) -> dict[str, Any]:
    """A list x, an optional gamma, a state that is updated in place."""
    whole: dict[str, Any] = {
        "name": "t",
        "description": "d",
        "level": "L1",
        "entry": "t_custom",
        "path": "full",
        "inputs": [
            {"name": "x", "dtype": "float32", "shape": ["rows", "*parts"], "param_type": "dynamic"},
            {"name": "gamma", "dtype": "float32", "shape": ["rows"], "param_type": "optional"},
            {"name": "state", "dtype": "float16", "shape": ["rows"]},
        ],
        "outputs": [
            {"name": "state", "dtype": "float16", "shape": ["rows"]},
            {"name": "y", "dtype": "float32", "shape": ["rows", "*parts"], "param_type": "dynamic"},
        ],
        "attrs": [{"name": "axes", "type": "list_int", "default": [0, 1]}],
        "reference": {"python": "def reference(inputs, attrs): ..."},
        "cases": [
            {"name": "two", "dims": {"rows": 3}, "shapes": {"parts": [[4], [2, 5]]}},
            {
                "name": "one",
                "dims": {"rows": 2},
                "shapes": {"parts": [[7]]},
                "absent": ["gamma"],
                "attrs": {"axes": [2]},
            },
        ],
    }
    return whole | changes


def refused(**changes: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        Task.model_validate(data(**changes))
    return str(caught.value)


def case(**changes: Any) -> list[dict[str, Any]]:
    return [{"name": "c", "dims": {"rows": 3}, "shapes": {"parts": [[4]]}} | changes]


def test_the_arrays_of_a_case_have_names_and_shapes() -> None:
    task = Task.model_validate(data())
    two, one = task.cases
    assert [(t.name, t.shape) for t in task.inputs_of(two)] == [
        ("x[0]", (3, 4)),
        ("x[1]", (3, 2, 5)),
        ("gamma", (3,)),
        ("state", (3,)),
    ]
    assert [t.name for t in task.outputs_of(one)] == ["state", "y[0]"]
    assert [t.name for t in task.inputs_of(one)] == ["x[0]", "state"]
    assert task.outputs_of(one)[0].dtype is DType.FLOAT16
    assert task.in_place == {"state"}
    arrays = {t.name: t.shape for t in task.inputs_of(one)}
    assert [task.value_of(spec, one, arrays) for spec in task.inputs] == [((2, 7),), None, (2,)]
    assert task.attr_values(one) == {"axes": (2,)}


def test_a_task_is_read_back_from_its_text() -> None:
    task = Task.model_validate(data())
    assert Task.model_validate_json(task.model_dump_json()) == task


def test_a_task_of_single_tensors_is_written_as_before() -> None:
    """Its digest decides which recorded results belong to it."""
    text = load_task("add-float16").model_dump_json()
    for word in ("param_type", "compare", "shapes", "absent", "declares_updates"):
        assert word not in text
    assert not any(task.beyond_single_tensors for task in suite("core"))


def test_what_a_task_has_beyond_single_tensors_is_said_in_words() -> None:
    words = Task.model_validate(data()).beyond_single_tensors
    assert words == "lists of tensors, optional tensors, tensors updated in place, attributes that are lists or texts"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cases": case(shapes={})}, r"t/c: shapes of [] are given, of ['parts'] are needed"),
        ({"cases": case(shapes={"parts": []})}, "t/c: the list 'parts' has no tensor"),
        ({"cases": case(shapes={"parts": [[0]]})}, "greater than or equal to 1"),
        ({"cases": case(absent=["state"])}, "t/c: 'state' is absent but not optional: give it param_type: optional"),
        ({"cases": case(absent=["z"])}, "t/c: absent 'z' is no input or output"),
        ({"cases": case(absent=["gamma"], fills={"gamma": {}})}, "t/c: fill of the absent input 'gamma'"),
        ({"cases": case(attrs={"axes": 1})}, "the attribute 'axes' is of type list_int, but 1 is no list"),
        ({"cases": case(attrs={"axes": [1.5]})}, "the attribute 'axes' is of type list_int, but 1.5 is not whole"),
        ({"cases": case(attrs={"axes": "0"})}, "'0' is no list"),
        ({"shape_mode": "static"}, "all cases of a static task share one set"),
        ({"reference": {"formula": "y = x"}}, "a formula cannot say what an absent 'gamma' means"),
        ({"path": "device"}, "'axes' is a list_int, which tiling data of the device path do not carry"),
        ({"attrs": [{"name": "a", "type": "float", "default": [1]}]}, "is of type float, but (1,) is no float"),
        ({"attrs": [{"name": "a", "type": "string", "default": 1}]}, "is of type string, but 1 is no text"),
        ({"attrs": [{"name": "state_ref", "type": "int", "default": 1}]}, "an argument that the launch adds itself"),
        ({"attrs": [{"name": "parts", "type": "int", "default": 1}]}, "the name 'parts' is used twice"),
    ],
)
def test_what_does_not_fit_is_said_with_its_place(changes: dict[str, Any], message: str) -> None:
    assert message in refused(**changes)


def test_a_list_needs_axes_and_axes_need_a_list() -> None:
    tensor = {"name": "x", "dtype": "float32", "shape": ["n"], "param_type": "dynamic"}
    assert "'x' is a list (dynamic): its shape needs one entry like '*parts'" in refused(inputs=[tensor])
    tensor = {"name": "x", "dtype": "float32", "shape": ["*parts"]}
    assert "'x' needs param_type: dynamic" in refused(inputs=[tensor])
    tensor = {"name": "x", "dtype": "float32", "shape": ["*Parts"], "param_type": "dynamic"}
    assert "'*Parts' is not a star and an identifier" in refused(inputs=[tensor])


def test_an_update_in_place_has_the_type_and_shape_of_its_input() -> None:
    outputs = data()["outputs"]
    outputs[0] = outputs[0] | {"dtype": "float32"}
    assert "'state' is updated in place, so its dtype, shape and param_type must be those of the input" in refused(
        outputs=outputs
    )
    assert "the name 'state' is used twice" in refused(outputs=[data()["outputs"][0]] * 2)


def test_every_output_cannot_be_absent() -> None:
    outputs = [{"name": "y", "dtype": "float32", "shape": ["rows"], "param_type": "optional"}]
    assert "t/c: every output is absent" in refused(outputs=outputs, cases=case(absent=["y"]))


def test_only_outputs_are_compared_and_only_updates_are_declared() -> None:
    inputs = data()["inputs"]
    assert "`compare` belongs to outputs" in refused(inputs=[*inputs[:2], inputs[2] | {"compare": False}])
    message = "declares_updates is about outputs with an input's name"
    assert message in refused(outputs=data()["outputs"][1:], declares_updates=False)


def test_a_formula_with_lists_gives_lists_of_one_length() -> None:
    lists = [data()["inputs"][0], data()["inputs"][0] | {"name": "w", "shape": ["*others"]}]
    formula = {"formula": "y = x"}
    shapes = {"parts": [[4]], "others": [[4], [4]]}
    message = refused(inputs=lists, outputs=data()["outputs"][1:], reference=formula, cases=case(shapes=shapes))
    assert "with a formula all lists have as many tensors, but `shapes` gives {'others': 2, 'parts': 1}" in message
    single = [{"name": "y", "dtype": "float32", "shape": ["rows"]}]
    assert "the output 'y' must be a list too" in refused(inputs=lists[:1], outputs=single, reference=formula)
