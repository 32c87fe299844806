"""Inputs are drawn from seeds by name, in the declared dtype, with every special value where asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agentkernel.dtypes import DType
from agentkernel.errors import TaskError
from agentkernel.judge import make_inputs, special_values
from agentkernel.judge.limits import LIMITS
from agentkernel.task import Case, Fill, Reference, Task, TensorSpec


def task(dtype: str = "float32", fill: Fill | None = None, n: int = 1000, **case: Any) -> Task:
    spec = TensorSpec(name="x", dtype=DType(dtype), shape=("n",))
    other = spec.model_copy(update={"name": "w"})
    return Task(
        name="copy",
        description="copy",
        level="L1",
        entry="copy",
        inputs=(spec, other),
        outputs=(spec.model_copy(update={"name": "y"}),),
        cases=(Case(name="one", dims={"n": n}, fills={"x": fill} if fill else {}, **case),),
        reference=Reference(formula="y = x"),
    )


def drawn(t: Task) -> np.ndarray[Any, Any]:
    return make_inputs(t, t.cases[0])["x"]


def test_the_same_case_gives_the_same_values() -> None:
    assert drawn(task()).tobytes() == drawn(task()).tobytes()


def test_values_depend_on_the_input_and_the_seed_but_not_on_order() -> None:
    first = task()
    inputs = make_inputs(first, first.cases[0])
    turned = first.model_copy(update={"inputs": tuple(reversed(first.inputs))})
    again = make_inputs(turned, turned.cases[0])
    assert list(again) == ["w", "x"]
    assert inputs["x"].tobytes() == again["x"].tobytes()
    assert inputs["x"].tobytes() != inputs["w"].tobytes()
    assert drawn(task(seed=1)).tobytes() != inputs["x"].tobytes()


def test_inputs_are_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        drawn(task())[0] = 1


@pytest.mark.parametrize("dtype", list(DType))
def test_every_dtype_has_a_default_fill(dtype: DType) -> None:
    values = drawn(task(dtype.value))
    assert values.dtype == dtype.numpy
    wide = values.astype(np.float64)
    bound = 1 if dtype.is_float or dtype is DType.BOOL else 100
    assert wide.min() >= -bound
    assert wide.max() <= bound
    assert np.unique(wide).size > 1


@pytest.mark.parametrize("dtype", [DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32, DType.INT8, DType.INT32, DType.UINT16])
def test_specials_hold_every_special_value(dtype: DType) -> None:
    specials = special_values(dtype)
    low = 0 if dtype is DType.UINT16 else -1
    values = drawn(task(dtype.value, Fill(kind="specials", low=low, high=1), n=100))
    assert {v.tobytes() for v in specials} <= {v.tobytes() for v in values}
    assert values.size - sum(v.tobytes() in {s.tobytes() for s in specials} for v in values) > 50 or not dtype.is_float


def test_specials_of_a_single_element() -> None:
    assert drawn(task(fill=Fill(kind="specials"), n=1)).size == 1


@pytest.mark.parametrize("dtype", list(LIMITS))
def test_limits_of_float_types(dtype: DType) -> None:
    import ml_dtypes

    known: Any = ml_dtypes.finfo(dtype.numpy)
    limits = LIMITS[dtype]
    assert limits.largest == float(known.max)
    assert limits.smallest_normal == float(known.tiny)
    assert limits.smallest_subnormal == float(known.smallest_subnormal)


def test_normal_fill_has_its_mean_and_three_deviations() -> None:
    values = drawn(task(fill=Fill(kind="normal", low=-1, high=5), n=20000))
    assert abs(values.mean() - 2) < 0.05
    assert abs(values.std() - 1) < 0.05


def test_constant_and_integer_fills() -> None:
    assert set(drawn(task(fill=Fill(kind="constant", low=2.5))).tolist()) == {2.5}
    assert set(drawn(task(fill=Fill(kind="integers", low=0, high=3))).tolist()) == {0.0, 1.0, 2.0, 3.0}
    assert set(drawn(task("int8", Fill(kind="uniform", low=0, high=1))).tolist()) == {0, 1}


@pytest.mark.parametrize(
    ("dtype", "fill", "message"),
    [
        ("uint8", Fill(kind="integers", low=-1, high=5), "uint8 cannot hold"),
        ("int8", Fill(kind="constant", low=300), "int8 cannot hold"),
        ("bool", Fill(kind="integers", low=0, high=2), "bool cannot hold"),
        ("float32", Fill(low=1, high=0), "low > high"),
    ],
)
def test_fills_must_fit(dtype: str, fill: Fill, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        drawn(task(dtype, fill))
