"""Reference values: the operator's mathematical meaning in float64 and int64, from the dtype-rounded inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel.dtypes import DType
from agentkernel.errors import TaskError
from agentkernel.task import AttrSpec, AttrValue, Case, Task, TensorSpec

Array = NDArray[Any]


def reference(task: Task, case: Case, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """Expected outputs of a case.

    A `python` reference is executed in this process with this process's rights: task files are trusted input. It gets
    the attributes and, under their names, the sizes of the case.

    Args:
        task: The task.
        case: One of its cases.
        inputs: Every input, as `make_inputs` gives them (of the declared dtype, so rounded to it).

    Returns:
        By output name, of the declared shape: float64 for float outputs, int64 for integers, bool for bool.

    Raises:
        TaskError: The reference fails, or what it gives does not fit the declared outputs.
    """
    if task.reference.external is not None:
        raise TaskError(
            f"{task.name}/{case.name}: the values of this task come from {task.reference.external.provider}",
            hint="take inputs and expected values together, from agentkernel.judge.case_values",
        )
    if task.reference.formula is not None:
        from agentkernel.formula import evaluate, parse_task

        return evaluate(parse_task(task), inputs, rounded_attrs(task, case), case.dims)
    exact = {spec.name: exact_values(inputs[spec.name]) for spec in task.inputs}
    return _python(task, case, exact)


def _python(task: Task, case: Case, inputs: dict[str, Array]) -> dict[str, Array]:
    with np.errstate(all="ignore"):
        given = _call(task, inputs, {**rounded_attrs(task, case), **case.dims})
    where = f"{task.name}/{case.name}"
    if not isinstance(given, dict) or set(given) != {spec.name for spec in task.outputs}:
        names = sorted(given) if isinstance(given, dict) else type(given).__name__
        raise TaskError(
            f"{where}: the python reference gives {names}",
            hint=f"return a dict with {sorted(spec.name for spec in task.outputs)}",
        )
    return {spec.name: _fitting(where, spec, given[spec.name], task.shape_of(spec, case)) for spec in task.outputs}


def same_precision(task: Task, case: Case, inputs: Mapping[str, Array], dtype: DType) -> dict[str, Array] | None:
    """Outputs of a plain evaluation in one float type: the second yardstick of the precision standard.

    It says how far a straightforward computation in that type is from the exact one. A formula is evaluated with every
    intermediate rounded to the type. A python reference gets its real inputs in float32, which libraries compute in at
    least, and its outputs are rounded to the type. An external source gives what its own reference computes in the
    precision of the inputs. None where a python reference does not work on float32.
    """
    if task.reference.external is not None:
        from agentkernel.bench.npukernelbench.provider import provide_plain

        return provide_plain(task, case)
    if task.reference.formula is None:
        narrow = {
            name: values.astype(np.float32) if DType.from_numpy(values.dtype).is_float else exact_values(values)
            for name, values in inputs.items()
        }
        try:
            outputs = _python(task, case, narrow)
        except TaskError:
            return None
        with np.errstate(all="ignore"):
            return {
                n: v.astype(dtype.numpy).astype(np.float64) if v.dtype.kind == "f" else v for n, v in outputs.items()
            }
    from agentkernel.formula import evaluate, parse_task

    return evaluate(parse_task(task), inputs, rounded_attrs(task, case), case.dims, precision=dtype)


def exact_values(values: Array) -> Array:
    """A copy in the type that holds every value of the dtype exactly: float64, int64 or bool."""
    if values.dtype == np.bool_:
        return values.copy()
    return values.astype(np.int64 if values.dtype.kind in "iu" else np.float64)


def rounded_attrs(task: Task, case: Case) -> dict[str, AttrValue]:
    """Attribute values as a kernel gets them: floats are float32 in the tiling structure."""
    values = task.attr_values(case)
    return {spec.name: _rounded(spec, values[spec.name]) for spec in task.attrs}


def _rounded(spec: AttrSpec, value: AttrValue) -> AttrValue:
    if spec.type == "float":
        return float(np.float32(value))
    return bool(value) if spec.type == "bool" else int(value)


def _call(task: Task, inputs: dict[str, Array], attrs: dict[str, AttrValue]) -> object:
    space: dict[str, Any] = {"np": np}
    source = task.reference.python or ""
    try:
        exec(compile(source, f"<reference of {task.name}>", "exec"), space)
        function = space["reference"]
    except KeyError:
        raise TaskError(
            f"{task.name}: the python reference defines no function `reference`",
            hint="write def reference(inputs, attrs): ...",
        ) from None
    except Exception as error:
        raise TaskError(f"{task.name}: the python reference does not load: {error!r}", hint="fix its source") from error
    try:
        return function(inputs, attrs)
    except Exception as error:
        line = _line_of(error, f"<reference of {task.name}>")
        raise TaskError(
            f"{task.name}: the python reference fails in line {line}: {error!r}", hint="fix its source"
        ) from error


def _line_of(error: BaseException, filename: str) -> int | str:
    lines = []
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == filename:
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return lines[-1] if lines else "?"


def _fitting(where: str, spec: TensorSpec, values: object, shape: tuple[int, ...]) -> Array:
    array = np.asarray(values)
    wanted = {True: np.float64, False: np.int64}[spec.dtype.is_float] if spec.dtype is not DType.BOOL else np.bool_
    kinds = {np.float64: "f", np.int64: "iu", np.bool_: "b"}[wanted]
    if array.shape != shape or array.dtype.kind not in kinds:
        raise TaskError(
            f"{where}: the python reference gives {array.dtype} {array.shape} for the output {spec.name!r}",
            hint=f"give {np.dtype(wanted)} of shape {shape}",
        )
    return np.array(array, dtype=wanted, order="C")
