"""A task as the operator that a project registers: names, types, and where its host side finds sizes."""

from __future__ import annotations

import json
from typing import Any

from agentkernel.dtypes import DType
from agentkernel.errors import ConfigError
from agentkernel.launch import output_arguments, tiling_fields
from agentkernel.operators import ATTR_METHODS, GE_TYPES, literal, operator_name
from agentkernel.task import Path, ShapeMode, Task, TensorSpec

MSOPGEN_TYPES = {
    DType.FLOAT16: "fp16", DType.BFLOAT16: "bf16", DType.FLOAT32: "float", DType.INT8: "int8", DType.UINT8: "uint8",
    DType.INT16: "int16", DType.UINT16: "uint16", DType.INT32: "int32", DType.UINT32: "uint32", DType.INT64: "int64",
    DType.BOOL: "bool",
}  # fmt: skip
TORCH_TYPES = {
    DType.FLOAT16: "at::kHalf", DType.BFLOAT16: "at::kBFloat16", DType.FLOAT32: "at::kFloat", DType.INT8: "at::kChar",
    DType.UINT8: "at::kByte", DType.INT16: "at::kShort", DType.INT32: "at::kInt", DType.INT64: "at::kLong",
    DType.BOOL: "at::kBool",
}  # fmt: skip


def size_sources(task: Task) -> dict[str, tuple[int, int]]:
    """Where the host side reads each size: (index of an input, dimension).

    Raises:
        ConfigError: A size is in no input's shape; a list, or an input that a call may leave out, does not count.
    """
    found: dict[str, tuple[int, int]] = {}
    for index, tensor in enumerate(task.inputs):
        if tensor.param_type != "required":
            continue
        for axis, dim in enumerate(tensor.shape):
            if isinstance(dim, str):
                found.setdefault(dim, (index, axis))
    for name in task.dim_names:
        if name not in found:
            raise ConfigError(
                f"{task.name}: the size {name!r} is in no input's shape, so a host side cannot know it",
                hint="export a task whose sizes are all sizes of inputs",
            )
    return found


def require_single_tensors(task: Task, what: str) -> None:
    """Refuse lists, optional tensors, updates in place and list attributes where a form does not carry them.

    Raises:
        ConfigError: The task has some.
    """
    if task.beyond_single_tensors:
        raise ConfigError(
            f"{task.name} has {task.beyond_single_tensors}, which {what} does not carry",
            hint="solve it with path: full and export the answer with --form msopgen",
        )


def values(task: Task) -> dict[str, Any]:
    """What the templates say about a task.

    Raises:
        ConfigError: The task has no form as an operator.
    """
    sources = {} if task.path is Path.FULL else size_sources(task)
    if task.path is Path.DEVICE:
        for _, spec in output_arguments(task):
            if spec.is_list and _like(task, spec) is None:
                raise ConfigError(
                    f"{task.name}: the list {spec.name!r} has the shapes of no input list, so nothing infers them",
                    hint="solve it with path: full and export the answer with --form msopgen",
                )
    return described(task) | {
        "sizes": [{"name": name, "input": index, "axis": axis} for name, (index, axis) in sources.items()]
    }


def described(task: Task) -> dict[str, Any]:
    """What the templates say about a task whose sizes no host side reads.

    Raises:
        ConfigError: No operator type belongs to the task's entry.
    """
    plain = all(spec.param_type == "required" for spec in (*task.inputs, *task.outputs))
    return {
        "task": task,
        "entry": task.entry,
        "op": operator_name(task.entry),
        "function": task.entry.removesuffix("_custom"),
        "dynamic": task.shape_mode is ShapeMode.DYNAMIC,
        "fields": tiling_fields(task) if task.shape_mode is ShapeMode.DYNAMIC else (),
        "inputs": [_tensor(spec) for spec in task.inputs],
        "outputs": [_tensor(spec) | {"like": _like(task, spec)} for _, spec in output_arguments(task)],
        "plain": plain,
        "input_shape": "GetInputShape" if plain else "GetRequiredInputShape",
        "attrs": [
            {
                "method": ATTR_METHODS[spec.type],
                "name": spec.name,
                "type": spec.type,
                "default": literal(spec.default),
                "python": repr(spec.default),
                "msopgen": json.dumps(spec.default) if isinstance(spec.default, tuple) else literal(spec.default),
            }
            for spec in task.attrs
        ],
    }


def _like(task: Task, spec: TensorSpec) -> int | None:
    """The list among the inputs whose shapes an output list has; None for a tensor, and for a list of other shapes."""
    if not spec.is_list:
        return None
    return next((i for i, one in enumerate(task.inputs) if one.is_list and one.shape == spec.shape), None)


def _tensor(spec: TensorSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "param_type": spec.param_type,
        "shape": spec.shape,
        "ge": GE_TYPES[spec.dtype],
        "msopgen": MSOPGEN_TYPES[spec.dtype],
        "torch": TORCH_TYPES.get(spec.dtype, ""),
        "dtype": str(spec.dtype),
        "itemsize": spec.dtype.itemsize,
    }
