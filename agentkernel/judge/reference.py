"""Reference values: the operator's mathematical meaning in float64 and int64, from the dtype-rounded inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel.dtypes import DType
from agentkernel.errors import TaskError
from agentkernel.task import AttrSpec, AttrValue, Case, CaseTensor, Task

Array = NDArray[Any]


def reference(task: Task, case: Case, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """Expected outputs of a case.

    A `python` reference is executed in this process with this process's rights: task files are trusted input. It gets
    the attributes and, under their names, the sizes of the case; a list of tensors is a list there, an absent one None.

    Args:
        task: The task.
        case: One of its cases.
        inputs: Every input, as `make_inputs` gives them (of the declared dtype, so rounded to it); of a tensor that is
            updated in place, its values before.

    Returns:
        By name of each output that is compared (`y[0]` in a list), of the declared shape: float64 for float outputs,
        int64 for integers, bool for bool.

    Raises:
        TaskError: The reference fails, or what it gives does not fit the declared outputs.
    """
    if task.reference.external is not None:
        raise TaskError(
            f"{task.name}/{case.name}: the values of this task come from {task.reference.external.provider}",
            hint="take inputs and expected values together, from agentkernel.judge.case_values",
        )
    if task.reference.formula is not None:
        return _formula(task, case, inputs)
    exact = {tensor.name: exact_values(inputs[tensor.name]) for tensor in task.inputs_of(case)}
    return _python(task, case, exact)


def _formula(task: Task, case: Case, inputs: Mapping[str, Array], precision: DType | None = None) -> dict[str, Array]:
    """A formula's outputs; with lists of tensors it is evaluated for each place of them."""
    from agentkernel.formula import evaluate, parse_place, parse_task

    scalars = rounded_attrs(task, case).items()
    attrs = {name: value for name, value in scalars if not isinstance(value, str | tuple)}
    if not any(spec.is_list for spec in (*task.inputs, *task.outputs)):
        return evaluate(parse_task(task), inputs, attrs, case.dims, precision=precision)
    found: dict[str, Array] = {}
    for place in range(len(next(iter(case.shapes.values())))):
        given = {spec.name: inputs[f"{spec.name}[{place}]" if spec.is_list else spec.name] for spec in task.inputs}
        outputs = evaluate(parse_place(task, case, place), given, attrs, case.dims, precision=precision)
        found |= {f"{name}[{place}]": values for name, values in outputs.items()}
    return found


def _python(task: Task, case: Case, inputs: Mapping[str, Array]) -> dict[str, Array]:
    grouped = {spec.name: task.value_of(spec, case, inputs) for spec in task.inputs}
    as_lists = {name: list(value) if isinstance(value, tuple) else value for name, value in grouped.items()}
    with np.errstate(all="ignore"):
        given = _call(task, as_lists, {**rounded_attrs(task, case), **case.dims})
    where = f"{task.name}/{case.name}"
    wanted = {s.name: task.tensors_of(s, case) for s in task.outputs if s.name not in case.absent and s.compare}
    others = {spec.name for spec in task.outputs} - set(wanted)
    if not isinstance(given, dict) or set(given) - others != set(wanted):
        names = sorted(given) if isinstance(given, dict) else type(given).__name__
        raise TaskError(
            f"{where}: the python reference gives {names}",
            hint=f"return a dict with {sorted(wanted)}",
        )
    found: dict[str, Array] = {}
    for spec in task.outputs:
        for index, tensor in enumerate(wanted.get(spec.name, ())):
            value = given[spec.name]
            if spec.is_list:
                if not isinstance(value, list | tuple) or len(value) != len(wanted[spec.name]):
                    what = f"{len(value)} arrays" if isinstance(value, list | tuple) else type(value).__name__
                    raise TaskError(
                        f"{where}: the python reference gives {what} for the list {spec.name!r}",
                        hint=f"give a list of {len(wanted[spec.name])} arrays",
                    )
                value = value[index]
            found[tensor.name] = _fitting(where, tensor, value)
    return found


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
    return _formula(task, case, inputs, dtype)


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
    if spec.type == "float" and not isinstance(value, str | tuple):
        return float(np.float32(value))
    if spec.type == "list_float" and isinstance(value, tuple):
        return tuple(float(np.float32(one)) for one in value)
    if isinstance(value, str | tuple):
        return value
    return bool(value) if spec.type == "bool" else int(value)


def _call(task: Task, inputs: Mapping[str, object], attrs: dict[str, AttrValue]) -> object:
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


def _fitting(where: str, spec: CaseTensor, values: object) -> Array:
    array, shape = np.asarray(values), spec.shape
    wanted = {True: np.float64, False: np.int64}[spec.dtype.is_float] if spec.dtype is not DType.BOOL else np.bool_
    kinds = {np.float64: "f", np.int64: "iu", np.bool_: "b"}[wanted]
    if array.shape != shape or array.dtype.kind not in kinds:
        raise TaskError(
            f"{where}: the python reference gives {array.dtype} {array.shape} for the output {spec.name!r}",
            hint=f"give {np.dtype(wanted)} of shape {shape}",
        )
    return np.array(array, dtype=wanted, order="C")
