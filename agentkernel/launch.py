"""The device-path launch contract: argument order and tiling structure that a task's kernel is called with.

The host side of a device-path task is ours. A kernel of a *dynamic* task is called as

    entry(GM_ADDR input..., GM_ADDR output..., GM_ADDR workspace, GM_ADDR tiling)

where `tiling` points to one `TilingData` (below) in global memory. A *static* task has the same arguments without
`tiling`: its sizes and attribute values are constants of the task.

A list of tensors is one argument, the address of a block with the shapes and addresses of its tensors
(`ListTensorDesc` reads it). An absent tensor is a null address. An input that is updated in place is passed again in
the output's position, as `x_ref`, unless the task says that its operator declares no such outputs.

A kernel of a full-path task always has the argument; what `tiling` points to is then the business of the host side that
comes with it.
"""

from __future__ import annotations

import struct

from agentkernel.task import AttrSpec, AttrValue, Case, Path, ShapeMode, Task, TensorSpec

_ATTR = {"float": ("float", "f"), "int": ("int32_t", "i"), "bool": ("uint32_t", "I")}


def has_tiling(task: Task) -> bool:
    """Whether the kernel gets a tiling argument."""
    return task.path is Path.FULL or task.shape_mode is ShapeMode.DYNAMIC


def device_task(task: Task) -> Task:
    """A full-path task as the device-path task whose sizes and attributes arrive in `TilingData`."""
    return task.model_copy(update={"path": Path.DEVICE, "shape_mode": ShapeMode.DYNAMIC})


def arguments(task: Task) -> tuple[str, ...]:
    """Names of the kernel's arguments, in order; each is a GM_ADDR."""
    tail = ("workspace", "tiling") if has_tiling(task) else ("workspace",)
    return (*(spec.name for spec in task.inputs), *(name for name, _ in output_arguments(task)), *tail)


def output_arguments(task: Task) -> tuple[tuple[str, TensorSpec], ...]:
    """(argument, output) of every output that has an argument, in order; of one in place the argument is `x_ref`."""
    return tuple(
        (f"{spec.name}_ref" if spec.name in task.in_place else spec.name, spec)
        for spec in task.outputs
        if task.declares_updates or spec.name not in task.in_place
    )


def signature(task: Task) -> str:
    """The declaration that a kernel must define, as one line of C++."""
    args = ", ".join(f"GM_ADDR {name}" for name in arguments(task))
    return f'extern "C" __global__ __aicore__ void {task.entry}({args})'


def tiling_fields(task: Task) -> tuple[tuple[str, str], ...]:
    """(C++ type, name) of every field of `TilingData`: sizes as uint32_t, then attributes."""
    dims = tuple(("uint32_t", name) for name in task.dim_names)
    return dims + tuple((_ATTR[spec.type][0], spec.name) for spec in _scalars(task))


def _scalars(task: Task) -> tuple[AttrSpec, ...]:
    """Attributes that tiling data carry: lists and texts are constants of static tasks, or the host side's business."""
    return tuple(spec for spec in task.attrs if spec.type in _ATTR)


def tiling_struct(task: Task) -> str:
    """C++ definition of `TilingData`; empty for a static task or one with neither sizes nor attributes."""
    if task.shape_mode is ShapeMode.STATIC or not tiling_fields(task):
        return ""
    body = "".join(f"    {ctype} {name};\n" for ctype, name in tiling_fields(task))
    return f"struct TilingData {{\n{body}}};\n"


def tiling_bytes(task: Task, case: Case) -> bytes:
    """The structure's bytes for a case (4-byte little-endian fields), zero-padded to a multiple of 8 bytes."""
    if task.shape_mode is ShapeMode.STATIC:
        return b""
    values = task.attr_values(case)
    data = b"".join(struct.pack("<I", case.dims[name]) for name in task.dim_names)
    data += b"".join(_pack(spec, values[spec.name]) for spec in _scalars(task))
    return data + bytes(-len(data) % 8) if data else bytes(8)


def _pack(spec: AttrSpec, value: AttrValue) -> bytes:
    assert not isinstance(value, str | tuple), "a dynamic device-path task has neither lists nor texts as attributes"
    code = _ATTR[spec.type][1]
    return struct.pack("<" + code, float(value) if code == "f" else int(value))
