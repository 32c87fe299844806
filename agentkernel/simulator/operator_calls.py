"""Calls of operators with values: what the host side sees of them, and the arguments that the kernel gets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from agentkernel.simulator.gm_buffers import GmArgument, again
from agentkernel.simulator.host import HostTensor, OpDescription, OperatorCall, Parameter, TilingOutcome
from agentkernel.simulator.variants import TILING, WORKSPACE

LIBRARY_WORKSPACE = 16 << 20
"""What GetLibApiWorkSpaceSize answers: the system's part, before the kernel's."""
SHAPE_WORDS = 9
"""Words that a kernel writes for an output whose shape it computes: the number of dimensions, and 8 dimensions."""

Value = NDArray[Any] | tuple[NDArray[Any], ...] | None
"""One tensor; those of a dynamic parameter; None for an optional one that is left out."""


class OutputSpec(BaseModel):
    """An output that is not there yet."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True, extra="forbid")

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


class ArrayCall(BaseModel):
    """A call of an operator with values."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True, extra="forbid")

    inputs: tuple[Value, ...]
    """In the order of the definition."""
    outputs: tuple[OutputSpec | tuple[OutputSpec, ...] | None, ...]
    """Those in place too."""
    attrs: dict[str, Any] = Field(default_factory=dict)
    formats: dict[str, str] = Field(default_factory=dict)
    """By parameter; ND where nothing is said."""
    deterministic: bool = False
    updated: frozenset[str] = frozenset()
    """Inputs that the kernel may write although the definition has no output of their name."""


def host_call_of(op: OpDescription, call: ArrayCall) -> OperatorCall:
    """The call as the host side sees it: shapes and types, and values where the definition lets it see them."""
    seen = set(op.host_inputs())

    def tensor(name: str, shape: tuple[int, ...], dtype: np.dtype[Any], data: bytes | None) -> HostTensor:
        return HostTensor(shape=shape, dtype=dtype.name, format=call.formats.get(name, "ND"), data=data)

    def given(name: str, value: Value) -> HostTensor | tuple[HostTensor, ...] | None:
        if value is None:
            return None
        if isinstance(value, tuple):
            return tuple(tensor(name, one.shape, one.dtype, None) for one in value)
        return tensor(name, value.shape, value.dtype, value.tobytes() if name in seen else None)

    def wanted(name: str, spec: OutputSpec | tuple[OutputSpec, ...] | None) -> Any:
        if spec is None:
            return None
        if isinstance(spec, tuple):
            return tuple(tensor(name, one.shape, one.dtype, None) for one in spec)
        return tensor(name, spec.shape, spec.dtype, None)

    return OperatorCall(
        inputs=tuple(given(name, value) for name, value in zip(_names(op.inputs), call.inputs, strict=False)),
        outputs=tuple(wanted(name, spec) for name, spec in zip(_names(op.outputs), call.outputs, strict=False)),
        attrs=call.attrs,
        deterministic=call.deterministic,
    )


def _names(parameters: Sequence[Parameter]) -> list[str]:
    return [parameter.name for parameter in parameters]


def launch_arguments(op: OpDescription, call: ArrayCall, tiling: TilingOutcome) -> tuple[GmArgument, ...]:
    """The arguments of a kernel: inputs, outputs, shapes of computed outputs, workspace, tiling.

    An input that is updated in place is one memory with two positions; its name in the run's outputs is the input's.
    """
    in_place = {p.name for p in op.outputs if p.in_place} | call.updated
    found = [_input(p, value, p.name in in_place) for p, value in zip(op.inputs, call.inputs, strict=True)]
    known = {argument.name: argument for argument in found}
    for parameter, spec in zip(op.outputs, call.outputs, strict=True):
        if parameter.in_place:
            found.append(again(known[parameter.name], f"{parameter.name}_ref"))
        else:
            found.append(_output(parameter, spec))
    computed = sum(p.shape_depends_on_compute for p in op.outputs)
    if computed:
        found.append(GmArgument.given("output_shapes", np.zeros(SHAPE_WORDS * computed, np.uint64), in_place=True))
    found.append(workspace_argument(tiling.workspace_bytes))
    found.append(GmArgument.tiling(TILING, tiling.data))
    return tuple(found)


def workspace_argument(asked: int) -> GmArgument:
    """The workspace of a kernel whose tiling asked for so many bytes: the library's part stands before the kernel's.

    A tiling function that asks for less than the library's part gets that much behind it.
    """
    own = asked - LIBRARY_WORKSPACE if asked >= LIBRARY_WORKSPACE else asked
    return GmArgument.workspace(WORKSPACE, LIBRARY_WORKSPACE + own, user_offset=LIBRARY_WORKSPACE)


def _input(parameter: Parameter, value: Value, in_place: bool) -> GmArgument:
    if value is None:
        return GmArgument.null(parameter.name)
    if isinstance(value, tuple):
        members = [GmArgument.given("", one, in_place=in_place) for one in value]
        return GmArgument.tensor_list(parameter.name, members)
    return GmArgument.given(parameter.name, value, in_place=in_place)


def _output(parameter: Parameter, spec: OutputSpec | tuple[OutputSpec, ...] | None) -> GmArgument:
    if spec is None:
        return GmArgument.null(parameter.name)
    if isinstance(spec, tuple):
        return GmArgument.tensor_list(parameter.name, [_fresh("", one, parameter.init_value) for one in spec])
    return _fresh(parameter.name, spec, parameter.init_value)


def _fresh(name: str, spec: OutputSpec, initial: int | None) -> GmArgument:
    if initial is None:
        return GmArgument.output(name, spec.shape, spec.dtype)
    return GmArgument.given(name, np.full(spec.shape, initial, spec.dtype), in_place=True)
