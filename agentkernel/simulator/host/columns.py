"""Columns of a definition: the combinations of element types and formats that it supports, one kernel binary each."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from agentkernel.diagnostic import Diagnostic, Level
from agentkernel.simulator.host.calls import Argument, HostTensor
from agentkernel.simulator.host.description import OpDescription, Parameter


class Column(BaseModel):
    """One supported combination."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    index: int
    inputs: tuple[tuple[str, str], ...]
    """(element type, format) of each input, in order; an empty type where the definition gives none."""
    outputs: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return ", ".join(dtype or "any" for dtype, _ in (*self.inputs, *self.outputs))


def merged(op: OpDescription, soc: str = "") -> tuple[tuple[Parameter, ...], tuple[Parameter, ...]]:
    """Inputs and outputs for a chip: what its configuration says stands before what is common."""
    config = next((config for config in op.configs if config.soc == soc), None)
    if config is None:
        return op.inputs, op.outputs
    return _merge(op.inputs, config.inputs), _merge(op.outputs, config.outputs)


def _merge(common: Sequence[Parameter], own: Sequence[Parameter]) -> tuple[Parameter, ...]:
    special = {parameter.name: parameter for parameter in own}
    found = []
    for parameter in common:
        other = special.pop(parameter.name, None)
        if other is not None:
            changes: dict[str, object] = {"option": other.option}
            if other.dtypes:
                changes |= {"dtypes": other.dtypes, "dtypes_are_list": other.dtypes_are_list}
            if other.formats:
                changes |= {"formats": other.formats, "formats_are_list": other.formats_are_list}
            found.append(parameter.model_copy(update=changes))
        else:
            found.append(parameter)
    return (*found, *special.values())


def columns_of(op: OpDescription, soc: str = "") -> tuple[tuple[Column, ...], tuple[Diagnostic, ...]]:
    """Every combination of an operator for a chip, the common ones where none is named; and what is wrong with them."""
    inputs, outputs = merged(op, soc)
    everything = [*inputs, *outputs]
    lengths: dict[int, str] = {}
    for parameter in everything:
        for given, is_list in (
            (parameter.dtypes, parameter.dtypes_are_list),
            (parameter.formats, parameter.formats_are_list),
        ):
            if given and not is_list:
                lengths.setdefault(len(given), parameter.name)
    if len(lengths) > 1:
        told = ", ".join(f"`{name}` has {length}" for length, name in sorted(lengths.items()))
        message = f"The parameters of `{op.type}` differ in how many combinations they list: {told}."
        hint = "Give every DataType and Format vector the same number of entries; they are read column by column."
        return (), (Diagnostic(code="host-definition", level=Level.HOST, message=message, hint=hint),)
    rows = next(iter(lengths), 1)
    free = [p.dtypes if p.dtypes_are_list and p.dtypes else ("",) for p in everything]
    free_formats = [p.formats if p.formats_are_list and p.formats else ("",) for p in everything]
    found: list[Column] = []
    for row in range(rows):
        for types in itertools.product(*free):
            for formats in itertools.product(*free_formats):
                pairs = [
                    (chosen or _at(p.dtypes, row), kind or _at(p.formats, row) or "ND")
                    for p, chosen, kind in zip(everything, types, formats, strict=True)
                ]
                pairs = _follow(everything, pairs)
                split = len(inputs)
                found.append(Column(index=len(found), inputs=tuple(pairs[:split]), outputs=tuple(pairs[split:])))
    return tuple(found), ()


def _at(values: Sequence[str], row: int) -> str:
    return values[row] if row < len(values) else ""


def _follow(parameters: Sequence[Parameter], pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Types of parameters that follow another one."""
    known: Mapping[str, tuple[str, str]] = {p.name: pair for p, pair in zip(parameters, pairs, strict=True) if pair[0]}
    return [
        (known.get(p.follows or p.to_name, ("", ""))[0] if not pair[0] else pair[0], pair[1])
        for p, pair in zip(parameters, pairs, strict=True)
    ]


def match_column(columns: Sequence[Column], inputs: Sequence[Argument], outputs: Sequence[Argument]) -> Column | None:
    """The first column that a call's element types fit. What the call leaves out fits every column."""
    for column in columns:
        if _fits(column.inputs, inputs) and _fits(column.outputs, outputs):
            return column
    return None


def _fits(wanted: Sequence[tuple[str, str]], given: Sequence[Argument]) -> bool:
    for (dtype, _), argument in zip(wanted, given, strict=False):
        tensors = (argument,) if isinstance(argument, HostTensor) else (argument or ())
        if dtype and any(tensor.dtype != dtype for tensor in tensors[:1]):
            return False
    return True
