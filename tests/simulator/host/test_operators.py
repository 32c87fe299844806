"""Whole operators: the host side's tiling, a kernel per types and key, and a launch with lists and updates in place."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from agentkernel.simulator.host import HostTensor, columns_of, match_column
from agentkernel.simulator.operator_calls import ArrayCall, OutputSpec, Value
from agentkernel.simulator.operators import Operator, OperatorSimulator
from agentkernel.simulator.variants import entry_names, facts_of, type_macros
from tests.simulator.host.operators import ADD_FILES, ADD_HOST

SIZE = 64


@pytest.fixture(scope="module")
def simulator() -> Iterator[OperatorSimulator]:
    with OperatorSimulator() as opened:
        yield opened


@pytest.fixture(scope="module")
def add_many(simulator: OperatorSimulator) -> Operator:
    operator, problems = simulator.open({"add_many.cpp": ADD_HOST}, ADD_FILES, "AddMany")
    assert operator is not None and problems == ()
    return operator


def call(dtype: type = np.float32, scale: Value = None, count: int = 3, **attrs: int) -> ArrayCall:
    rng = np.random.default_rng(7)
    tensors = tuple(rng.integers(-8, 8, SIZE).astype(dtype) for _ in range(count))
    acc = rng.integers(-8, 8, SIZE).astype(dtype)
    spec = OutputSpec(shape=(SIZE,), dtype=np.dtype(dtype))
    return ArrayCall(inputs=(tensors, acc, scale), outputs=(spec, (spec,) * count), attrs=attrs)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_a_call_runs_through_its_own_tiling(simulator: OperatorSimulator, add_many: Operator, dtype: type) -> None:
    """Lists arrive with their tensors, an update in place comes back, an optional argument may be absent."""
    given = call(dtype)
    run = simulator.call(add_many, given)
    assert run.diagnostics == () and run.run is not None and run.completed
    tensors, acc, _ = given.inputs
    assert isinstance(tensors, tuple) and isinstance(acc, np.ndarray)
    assert np.array_equal(run.run.outputs["acc"], acc + sum(tensors))
    for i, tensor in enumerate(tensors):
        assert np.array_equal(run.run.outputs[f"copies[{i}]"], tensor)


def test_the_host_sees_the_value_of_a_scalar(simulator: OperatorSimulator, add_many: Operator) -> None:
    """A Scalar() input has its data in the tiling function."""
    given = call(scale=np.array(2.0, np.float32))
    run = simulator.call(add_many, given)
    tensors, acc, _ = given.inputs
    assert isinstance(tensors, tuple) and run.run is not None
    assert np.array_equal(run.run.outputs["acc"], acc + 2 * sum(tensors))


def test_a_key_without_entry_is_named(simulator: OperatorSimulator, add_many: Operator) -> None:
    """Keys are read from the preprocessed kernel, macros expanded; another one fails before the launch."""
    run = simulator.call(add_many, call(mode=5))
    assert [d.code for d in run.diagnostics] == ["host-tiling-key"]
    assert "key 5" in run.diagnostics[0].message and "1, 12" in run.diagnostics[0].message
    assert run.run is None


def test_types_that_no_column_lists_are_named(simulator: OperatorSimulator, add_many: Operator) -> None:
    """The definition's combinations are all that there is."""
    run = simulator.call(add_many, call(np.int32))
    assert [d.code for d in run.diagnostics] == ["host-no-variant"]


def test_macros_name_the_types_of_every_parameter(add_many: Operator) -> None:
    """DTYPE_, ORIG_DTYPE_ and FORMAT_ by parameter; outputs in place have their own."""
    columns, problems = columns_of(add_many.description, "ascend910b")
    macros = dict(type_macros(add_many.description, columns[0]))
    assert problems == () and len(columns) == 2
    assert (macros["DTYPE_X"], macros["ORIG_DTYPE_X"], macros["FORMAT_X"]) == ("half", "DT_FLOAT16", "FORMAT_ND")
    assert macros["DTYPE_ACC"] == macros["DTYPE_ACC_REF"] == "half"
    assert macros["DTYPE_SCALE"] == "float"


def test_an_absent_tensor_fits_every_column(add_many: Operator) -> None:
    """A column is chosen by what the call has."""
    columns, _ = columns_of(add_many.description)
    tensor = HostTensor(shape=(SIZE,), dtype="float32")
    found = match_column(columns, ((tensor,), tensor, None), (tensor, (tensor,)))
    assert found is not None and found.index == 1


def test_names_of_entries_follow_the_operators_name() -> None:
    """An underscore before every capital; runs of capitals have a second spelling."""
    assert entry_names("AddLayerNormGrad") == ("add_layer_norm_grad",)
    assert entry_names("MSELoss") == ("m_s_e_loss", "mse_loss")


def test_marks_are_read_with_suffixes_and_sums() -> None:
    """Keys are integers after expansion; task types belong to a key or to all of them."""
    text = (
        "if (AK_MARK_KEY(10000000000000000001UL)) {} else if (AK_MARK_KEY((20 + 3))) {}\n"
        "AK_MARK_TYPE(KERNEL_TYPE_AIV_ONLY); AK_MARK_TYPE_OF(23, KERNEL_TYPE_MIX_AIC_1_2);"
    )
    facts = facts_of(text)
    assert facts.keys == {10000000000000000001, 23}
    assert facts.type_of(23) == "KERNEL_TYPE_MIX_AIC_1_2" and facts.type_of(1) == "KERNEL_TYPE_AIV_ONLY"
    assert facts_of("int x;").keys == {0}
