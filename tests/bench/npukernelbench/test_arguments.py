"""A recorded call fills the parameters of an operator's definition."""

import numpy as np
import pytest

from agentkernel.bench.npukernelbench.arguments import bind
from agentkernel.bench.npukernelbench.recorded import MappingError, OtherOperatorError, Recorded
from agentkernel.simulator.host import Attribute, OpDescription, Parameter

X = np.arange(4, dtype=np.float16)


def parameter(name, option="required", **more):
    return Parameter(name=name, option=option, dtypes=("float16",), **more)


def operator(inputs, outputs, attrs=(), op_type="Op"):
    return OpDescription(type=op_type, defined=True, inputs=tuple(inputs), outputs=tuple(outputs), attrs=tuple(attrs))


def attribute(name, kind):
    return Attribute(name=name, kind=kind, required=False)


def test_inputs_then_attributes_then_outputs():
    op = operator(
        [parameter("x"), parameter("bias", "optional")],
        [parameter("y")],
        [attribute("eps", "float"), attribute("axis", "int")],
    )
    values = (("tensor", X), ("tensor", None), ("float", 0.5), ("int", -1), ("tensor", X))
    bound = bind(op, [Recorded(kind, value) for kind, value in values])
    assert [slot.present for slot in bound.inputs] == [True, False]
    assert bound.attrs == {"eps": 0.5, "axis": -1}
    assert bound.outputs[0].position == 4


def test_an_output_in_place_is_passed_once():
    op = operator([parameter("x"), parameter("z")], [parameter("x", in_place=True), parameter("y")])
    bound = bind(op, [Recorded("tensor", X), Recorded("tensor", X), Recorded("tensor", X)])
    assert [slot.position for slot in bound.outputs] == [0, 2]


def test_another_number_of_arguments_is_refused_with_both():
    op = operator([parameter("x")], [parameter("y")])
    with pytest.raises(MappingError, match=r"passes 1 arguments.*takes 2"):
        bind(op, [Recorded("tensor", X)])


def test_lists_of_tensors_keep_their_order():
    op = operator([parameter("x", "dynamic")], [parameter("y", "dynamic")])
    bound = bind(op, [Recorded("tensors", [X, X + 1]), Recorded("tensors", [X, X])])
    assert [float(array[0]) for array in bound.inputs[0].arrays] == [0.0, 1.0]
    assert bound.inputs[0].is_list


@pytest.mark.parametrize(
    ("torch_type", "more", "dtype"),
    [
        ("Double", {}, "float32"),
        ("Double", {"to_name": "x"}, "float32"),
        ("Half", {}, "float16"),
        ("Long", {}, "int64"),
        ("Long", {"to_name": "x"}, "float16"),
        ("Int", {"to_dtype": "float32"}, "float32"),
    ],
)
def test_the_type_of_a_scalar(torch_type, more, dtype):
    """A double is a float, whatever the definition says; other scalars are converted where it says so."""
    op = operator([parameter("x"), parameter("s", scalar=True, **more)], [parameter("y")])
    bound = bind(op, [Recorded("tensor", X), Recorded("scalar", [2, torch_type]), Recorded("tensor", X)])
    (value,) = bound.inputs[1].arrays
    assert (value.dtype.name, value.shape, float(value)) == (dtype, (), 2.0)
    assert bound.inputs[1].host


def test_an_empty_list_of_scalars_is_left_out():
    op = operator([parameter("s", scalar_list=True)], [parameter("y")])
    assert not bind(op, [Recorded("scalars", []), Recorded("tensor", X)]).inputs[0].present


def test_lists_of_integers_are_host_tensors():
    op = operator([parameter("dims", value_depend=True)], [parameter("y")])
    slot = bind(op, [Recorded("ints", [2, 3]), Recorded("tensor", X)]).inputs[0]
    assert slot.arrays[0].tolist() == [2, 3] and slot.arrays[0].dtype == np.int64 and slot.host


def test_a_tensor_in_an_attributes_place_is_refused():
    op = operator([parameter("x")], [parameter("y")], [attribute("eps", "float")])
    with pytest.raises(MappingError, match="eps"):
        bind(op, [Recorded("tensor", X), Recorded("tensor", X), Recorded("tensor", X)])


def test_the_layer_above_a_loss_gradient_reorders_its_arguments():
    inputs = [parameter(name) for name in ("predict", "label", "dout")]
    op = operator(inputs, [parameter("y")], [attribute("reduction", "string")], "MseLossGradV2")
    call = [Recorded("tensor", X + k) for k in range(3)] + [Recorded("int", 1), Recorded("tensor", X)]
    bound = bind(op, call)
    assert [float(slot.arrays[0][0]) for slot in bound.inputs] == [1.0, 2.0, 0.0]
    assert bound.attrs == {"reduction": "mean"}


def layer_norm(weight, bias):
    op = operator(
        [parameter("x"), parameter("shape"), parameter("gamma", "optional"), parameter("beta", "optional")],
        [parameter("y")],
        [attribute("epsilon", "float")],
        "LayerNormV4",
    )
    values = (("tensor", X), ("ints", [4]), ("tensor", weight), ("tensor", bias), ("float", 0.5), ("tensor", X))
    return bind(op, [Recorded(kind, value) for kind, value in values])


def test_the_layer_above_a_layer_norm_fills_what_is_absent():
    _, shape, weight, bias = layer_norm(None, np.ones(4, np.float32)).inputs
    assert (shape.arrays[0].dtype.name, shape.arrays[0].tolist()) == ("int32", [4])
    assert (weight.arrays[0].dtype.name, weight.arrays[0].tolist()) == ("float32", [1, 1, 1, 1])
    _, _, weight, bias = layer_norm(X, None).inputs
    assert weight.arrays[0] is X
    assert (bias.arrays[0].dtype.name, bias.arrays[0].tolist()) == ("float16", [0, 0, 0, 0])


def batch_norm(x, weight, training):
    statistics = [parameter("mean"), parameter("var")]
    updated = [p.model_copy(update={"in_place": True}) for p in statistics]
    op = operator(
        [parameter("x"), parameter("w"), parameter("b"), *statistics],
        [parameter("y"), *updated, parameter("m"), parameter("s")],
        [attribute("epsilon", "float"), attribute("momentum", "float"), attribute("is_training", "bool")],
        "BatchNormV3",
    )
    half = np.ones(2, np.float16)
    values = [x, weight, None, half, half]
    given = [Recorded("tensor", value) for value in values]
    given += [Recorded("bool", training), Recorded("float", 0.1), Recorded("float", 0.5)]
    return bind(op, [*given, *(Recorded("tensor", value) for value in (x, half, half))])


@pytest.mark.parametrize(("kind", "kept"), [("float16", "float32"), ("float32", "float32")])
def test_the_layer_above_a_batch_norm_gives_float_statistics_and_four_axes(kind, kept):
    bound = batch_norm(np.ones((3, 2), kind), np.ones(2, np.float16), True)
    assert [slot.arrays[0].dtype.name for slot in bound.inputs] == [kind, kept, kept, "float32", "float32"]
    assert bound.inputs[0].arrays[0].shape == bound.outputs[0].arrays[0].shape == (3, 2, 1, 1)
    assert [slot.position for slot in bound.outputs] == [8, 3, 4, 9, 10]
    assert bound.attrs == {"epsilon": 0.5, "momentum": 0.1, "is_training": True}


def test_the_layer_above_a_batch_norm_gives_evaluation_to_another_operator():
    with pytest.raises(OtherOperatorError):
        batch_norm(np.ones((3, 2), np.float16), None, False)


def test_the_layer_above_a_top_k_gives_this_chip_another_operator():
    op = operator(
        [parameter("x"), parameter("k")],
        [parameter("values"), parameter("indices")],
        [attribute("sorted", "bool"), attribute("dim", "int"), attribute("largest", "bool")],
        "TopKV3",
    )
    call = [Recorded("tensor", X), Recorded("int", 2), Recorded("int", -1), Recorded("bool", True)]
    call += [Recorded("bool", True), Recorded("tensor", X), Recorded("tensor", X.astype(np.int64))]
    with pytest.raises(OtherOperatorError, match="910B"):
        bind(op, call)
