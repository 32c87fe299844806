"""From a recorded aclnn call to an operator's inputs, attributes and outputs.

An aclnn function takes the inputs in the order of the definition, then the attributes, then the outputs; an output that
has an input's name is that input, and is not passed again (facts: npukernelbench 1.2). Four operators have a layer of
their own between the call and the kernel; `layers` says what it does with the arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel.bench.npukernelbench.layers import layer_above
from agentkernel.bench.npukernelbench.recorded import MappingError, Recorded
from agentkernel.bench.npukernelbench.tensors import numpy_dtype
from agentkernel.simulator.host import Attribute, OpDescription, Parameter

Array = NDArray[Any]

_TORCH_NAMES = {
    "Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16", "Long": "int64",
    "Int": "int32", "Short": "int16", "Char": "int8", "Byte": "uint8", "Bool": "bool", "ComplexFloat": "complex64",
}  # fmt: skip


@dataclass(frozen=True)
class Slot:
    """One input or output of the operator, as a call fills it."""

    parameter: Parameter
    position: int
    """Which argument of the recorded call it came from; -1 for none."""
    arrays: tuple[Array, ...] = ()
    """One array; several for a dynamic parameter; none where it is left out."""
    present: bool = True
    host: bool = False
    """Whether the host side sees the values (scalars, lists, value-dependent inputs)."""
    zeroed: bool = False
    """Whether an output is zero when the kernel begins, because the binding made it so."""

    @property
    def is_list(self) -> bool:
        """Whether the kernel gets a table of tensors."""
        return self.parameter.option == "dynamic"


@dataclass(frozen=True)
class BoundCall:
    """A call of an operator."""

    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    attrs: dict[str, Any] = field(default_factory=dict)

    @property
    def written(self) -> tuple[Slot, ...]:
        """What the kernel may write: the outputs, or the inputs of an operator that updates them and has no output."""
        return self.outputs or tuple(slot for slot in self.inputs if not slot.host)


def bind(op: OpDescription, arguments: Sequence[Recorded]) -> BoundCall:
    """Fill an operator's parameters from a recorded call.

    Raises:
        MappingError: Number or kinds of arguments do not fit the definition.
    """
    given: Sequence[tuple[int, Recorded]] = list(enumerate(arguments))
    layer = layer_above(op.type)
    if layer is not None:
        given = layer(given)
    own = [parameter for parameter in op.outputs if not parameter.in_place]
    wanted = len(op.inputs) + len(op.attrs) + len(own)
    if len(given) != wanted:
        raise MappingError(
            f"the call passes {len(given)} arguments, the definition of {op.type} takes {wanted} "
            f"({len(op.inputs)} inputs, {len(op.attrs)} attributes, {len(own)} outputs)"
        )
    first, last = len(op.inputs), len(op.inputs) + len(op.attrs)
    inputs = _inputs(op, given[:first])
    attrs: dict[str, Any] = {}
    for attribute, (position, one) in zip(op.attrs, given[first:last], strict=True):
        value = _attribute(attribute, one, f"argument {position}")
        if value is not None:
            attrs[attribute.name] = value
    passed = dict(zip((parameter.name for parameter in own), given[last:], strict=True))
    outputs = []
    for parameter in op.outputs:
        if parameter.in_place:
            same = next(slot for slot in inputs if slot.parameter.name == parameter.name)
            outputs.append(Slot(parameter, same.position, same.arrays, same.present))
        else:
            position, one = passed[parameter.name]
            outputs.append(fill(parameter, position, one))
    return BoundCall(inputs=tuple(inputs), outputs=tuple(outputs), attrs=attrs)


def _inputs(op: OpDescription, given: Sequence[tuple[int, Recorded]]) -> list[Slot]:
    slots: list[Slot] = []
    for parameter, (position, one) in zip(op.inputs, given, strict=True):
        slots.append(fill(parameter, position, one))
    types = {slot.parameter.name: slot.arrays[0].dtype for slot in slots if slot.arrays}
    return [_with_type(slot, types) for slot in slots]


def fill(parameter: Parameter, position: int, one: Recorded) -> Slot:
    """One parameter from one recorded argument.

    Raises:
        MappingError: An argument of this kind is no tensor.
    """
    host = parameter.value_depend or parameter.scalar or parameter.scalar_list
    if one.value is None or (one.kind == "scalars" and not one.value):
        return Slot(parameter, position, present=False, host=host)
    if one.kind in ("tensor", "tensors"):
        arrays = (one.value,) if one.kind == "tensor" else tuple(one.value)
        return Slot(parameter, position, arrays, host=host, zeroed=one.zeroed)
    return Slot(parameter, position, (_host_array(one, f"argument {position} ({parameter.name})"),), host=True)


_HOST_LISTS: dict[str, Any] = {
    "ints": np.int64, "bools": np.bool_, "floats": np.float32, "int": np.int64, "float": np.float32, "bool": np.bool_,
}  # fmt: skip


def _host_array(one: Recorded, where: str) -> Array:
    """A scalar or list of the host as the tensor that operator and kernel see."""
    if one.kind == "scalar":
        return _scalar(*one.value)
    if one.kind == "scalars":
        values = [_scalar(*item) for item in one.value]
        return np.array(values, values[0].dtype)
    if one.kind in _HOST_LISTS:
        return np.array(one.value, _HOST_LISTS[one.kind])
    raise MappingError(f"{where}: a {one.kind} is given where a tensor belongs")


def _scalar(value: Any, torch_name: str) -> Array:
    """A scalar has the type of its torch scalar, but a double becomes a float (facts: host_api 10.3)."""
    dtype = numpy_dtype(_TORCH_NAMES.get(torch_name, "float32"))
    return np.array(value, np.float32 if dtype == np.float64 else dtype)


def _with_type(slot: Slot, types: Mapping[str, np.dtype[Any]]) -> Slot:
    """Scalars that the definition converts: to another input's type or to a fixed one."""
    parameter = slot.parameter
    if not (parameter.scalar or parameter.scalar_list) or not slot.arrays or slot.arrays[0].dtype == np.float32:
        return slot
    dtype = types.get(parameter.to_name) if parameter.to_name else None
    if parameter.to_dtype:
        dtype = numpy_dtype(parameter.to_dtype)
    if dtype is None:
        return slot
    return Slot(parameter, slot.position, (slot.arrays[0].astype(dtype),), slot.present, slot.host)


_LISTS = {"ints": list, "bools": list, "floats": list}


def _attribute(attribute: Attribute, one: Recorded, where: str) -> Any:
    value = one.value[0] if one.kind == "scalar" else one.value
    if value is None:
        return None
    kind = attribute.kind
    convert: dict[str, Callable[[Any], Any]] = {"bool": bool, "int": int, "float": float}
    if kind in convert and one.kind in ("int", "float", "bool", "scalar"):
        return convert[kind](value)
    if kind == "string" and one.kind == "string":
        return value
    if kind.startswith("list_") and one.kind in _LISTS:
        return tuple(value)
    raise MappingError(f"{where} ({attribute.name}): a {one.kind} is given for an attribute of type {kind}")
