"""References are evaluated in float64 from the dtype-rounded inputs; wrong ones are errors of the task."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agentkernel.dtypes import DType
from agentkernel.errors import TaskError
from agentkernel.judge import make_inputs, reference, same_precision
from agentkernel.task import AttrSpec, Case, Reference, Task, TensorSpec


def task(ref: Reference, out: str = "float32", shape: tuple[int | str, ...] = ("n",)) -> Task:
    return Task(
        name="op",
        description="op",
        level="L1",
        entry="op",
        inputs=(TensorSpec(name="x", dtype=DType.FLOAT16, shape=("n",)),),
        outputs=(TensorSpec(name="y", dtype=DType(out), shape=shape),),
        attrs=(AttrSpec(name="eps", type="float", default=0.1), AttrSpec(name="k", type="int", default=3)),
        cases=(Case(name="one", dims={dim: 4 for dim in ("n", *shape) if isinstance(dim, str)}),),
        reference=ref,
    )


def python(body: str) -> Reference:
    return Reference(python=f"def reference(inputs, attrs):\n    {body}\n")


def run(t: Task) -> np.ndarray[Any, Any]:
    return reference(t, t.cases[0], make_inputs(t, t.cases[0]))["y"]


def test_attributes_are_rounded_as_the_kernel_gets_them() -> None:
    assert run(task(Reference(formula="y = 0 * x + eps")))[0] == float(np.float32(0.1))
    assert run(task(python("return {'y': 0 * inputs['x'] + attrs['eps']}")))[0] == float(np.float32(0.1))


def test_inputs_are_float64_of_the_rounded_values() -> None:
    t = task(python("assert inputs['x'].dtype == np.float64; return {'y': inputs['x'] / 3}"))
    x = make_inputs(t, t.cases[0])["x"]
    np.testing.assert_array_equal(run(t), x.astype(np.float64) / 3)


def test_python_references_know_sizes() -> None:
    assert run(task(python("return {'y': np.full(attrs['m'], float(attrs['n']))}"), shape=("m",))).tolist() == [4.0] * 4


def test_python_references_cannot_change_the_inputs() -> None:
    t = task(python("inputs['x'][:] = 0; return {'y': inputs['x']}"))
    inputs = make_inputs(t, t.cases[0])
    before = inputs["x"].tobytes()
    reference(t, t.cases[0], inputs)
    assert inputs["x"].tobytes() == before


@pytest.mark.parametrize(
    ("ref", "message"),
    [
        (python("return {'z': inputs['x']}"), r"gives \['z'\]"),
        (python("return inputs['x']"), "gives ndarray"),
        (python("return {'y': inputs['x'][:1]}"), r"float64 \(1,\)"),
        (python("return {'y': np.zeros(4, np.int32)}"), "int32"),
        (python("pass\n    return {'y': inputs['q']}"), "fails in line 3: KeyError"),
        (Reference(python="def reference(:"), "does not load: SyntaxError"),
        (Reference(python="x = 1"), "defines no function `reference`"),
        (Reference(formula="y = z"), "op: formula line 1, column 5: unknown name 'z'"),
    ],
)
def test_wrong_references_are_errors_of_the_task(ref: Reference, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        run(task(ref))


def test_kinds_of_outputs() -> None:
    assert run(task(python("return {'y': np.arange(4, dtype=np.int32)}"), "int16")).dtype == np.int64
    assert run(task(python("return {'y': inputs['x'] > 0}"), "bool")).dtype == np.bool_


def test_same_precision_of_a_formula_and_of_python() -> None:
    t = task(Reference(formula="y = (x + 1000) - 1000"))
    inputs = make_inputs(t, t.cases[0])
    coarse = same_precision(t, t.cases[0], inputs, DType.FLOAT16)
    assert coarse is not None
    assert np.all(coarse["y"] * 2 == np.rint(coarse["y"] * 2))
    t = task(python("return {'y': (inputs['x'] + 1000) - 1000}"))
    plain = same_precision(t, t.cases[0], inputs, DType.FLOAT32)
    assert plain is not None and plain["y"].dtype == np.float64
    assert np.array_equal(plain["y"], ((inputs["x"].astype(np.float32) + np.float32(1000)) - np.float32(1000)))
    t = task(python("assert inputs['x'].dtype == np.float64\n    return {'y': inputs['x']}"))
    assert same_precision(t, t.cases[0], inputs, DType.FLOAT16) is None
