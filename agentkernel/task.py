"""Task: what to write. Everything a model, a toolchain and a judge need to know about one operator."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Literal, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    model_validator,
)

from agentkernel.dtypes import DType
from agentkernel.parameters import (
    LIST_TYPES,
    AttrSpec,
    AttrValue,
    Axes,
    CaseTensor,
    Dim,
    SizeRange,
    TensorSpec,
    is_absent,
)

__all__ = [
    "AttrSpec",
    "AttrValue",
    "Case",
    "CaseTensor",
    "Dim",
    "External",
    "Fill",
    "Path",
    "Reference",
    "ShapeMode",
    "SizeRange",
    "Task",
    "TensorSpec",
    "Tolerance",
]

T = TypeVar("T")


class ShapeMode(StrEnum):
    """Whether sizes are known when the kernel is written (NPUKernelBench's `static_shape_mode`)."""

    STATIC = "static"
    """One set of sizes; the kernel may hold them as constants and gets no tiling argument."""
    DYNAMIC = "dynamic"
    """Sizes arrive at run time in the tiling structure."""


class Path(StrEnum):
    """Which part the model writes (NPUKernelBench's `kernel_only_mode`)."""

    DEVICE = "device"
    """Only the kernel; launch and tiling data are ours."""
    FULL = "full"
    """Host tiling and kernel."""


class Fill(BaseModel):
    """How the values of one input are drawn for a case."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["uniform", "normal", "constant", "specials", "integers"] = "uniform"
    """`specials` mixes +-0, +-inf, NaN, subnormals, the largest and smallest finite values into uniform ones."""
    low: float = -1.0
    """Smallest value; mean minus three standard deviations for `normal`; the value itself for `constant`."""
    high: float = 1.0
    """Largest value (inclusive for `integers`); mean plus three standard deviations for `normal`."""


class Case(BaseModel):
    """One set of sizes, attribute values and input values."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]*$")
    dims: dict[str, int] = Field(default_factory=dict)
    """Value of every size name of the task, each >= 1."""
    shapes: dict[str, tuple[Axes, ...]] = Field(default_factory=dict, exclude_if=is_absent)
    """For every `*name` of the task's lists, the axes of each tensor: as many entries as the list has tensors."""
    absent: tuple[str, ...] = Field(default=(), exclude_if=is_absent)
    """Optional inputs and outputs that this case leaves out; the kernel gets a null address."""
    attrs: dict[str, AttrValue] = Field(default_factory=dict)
    """Overrides of attribute defaults."""
    fills: dict[str, Fill] = Field(default_factory=dict)
    """By input name; an input without an entry is drawn uniformly from [-1, 1] (integers: [-100, 100])."""
    seed: int = 0


class Tolerance(BaseModel):
    """Overrides of the precision standard; by default the threshold follows each output's dtype."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    threshold: dict[DType, Annotated[float, Field(ge=0)]] = Field(default_factory=dict)
    """Mean-relative-error threshold t by output dtype (the maximum relative error may reach 10 t)."""


class External(BaseModel):
    """Another program that gives the input values and expected values of a task's cases."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    provider: Literal["npukernelbench"]
    """Which kind of source it is."""
    source: dict[str, str]
    """What the provider needs to find the values, e.g. the folder of a task in a user's checkout."""


class Reference(BaseModel):
    """The operator's mathematical meaning; exactly one of the three forms."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    formula: str | None = None
    """Statements of the formula language (`agentkernel.formula`), evaluated in float64; assigns every output. With
    lists of tensors it says what becomes of the tensors in one place of all lists."""
    python: str | None = None
    """Source of `def reference(inputs: dict, attrs: dict) -> dict` over float64 / int64 NumPy arrays, for what the
    formula language cannot say; a list of tensors is a list of arrays, an absent tensor None. Task files are trusted
    input: this runs in the caller's process."""
    external: External | None = Field(default=None, exclude_if=is_absent)
    """A public benchmark's own generator and reference, which stay where they are; fills of cases are not used."""
    note: str = ""
    """Where the chip's documented rule differs from the operator's meaning, and which one the reference follows."""

    @model_validator(mode="after")
    def _one_form(self) -> Reference:
        if sum(form is not None for form in (self.formula, self.python, self.external)) != 1:
            raise ValueError("a reference is either a formula or python source or external")
        return self


class Task(BaseModel):
    """An operator to implement: tensors, attributes, cases, reference, form of the answer, target and tolerance."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]*$")
    """Unique in its suite, e.g. `add-float16`."""
    description: str
    """What the operator computes, in the words that the model reads."""
    level: Literal["L1", "L2", "L3"]
    """L1 elementwise, L2 common network operators, L3 global dependencies or dynamic control flow."""
    entry: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    """Name of the kernel function (`extern "C" __global__ __aicore__ void entry(...)`)."""
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...] = Field(min_length=1)
    attrs: tuple[AttrSpec, ...] = ()
    cases: tuple[Case, ...] = Field(min_length=1)
    sizes: dict[str, SizeRange] = Field(default_factory=dict, exclude_if=is_absent)
    """Sizes that a kernel has to be right for, by name, in any combination and with any case's attributes and fills; a
    size without an entry takes the values that the cases have."""
    reference: Reference
    path: Path = Path.DEVICE
    shape_mode: ShapeMode = ShapeMode.DYNAMIC
    language: Literal["ascendc"] = "ascendc"
    target: str = "ascend910b"
    """Chip, by the name of its data file in `agentkernel/simulator/chips`."""
    block_dim: int = Field(default=8, ge=1, le=65535)
    """Number of blocks that the kernel is launched with (AIV cores for a vector kernel)."""
    declares_updates: bool = Field(default=True, exclude_if=bool)
    """Whether the definition lists inputs that are updated in place among its outputs too, so that the kernel gets
    their addresses again in the outputs' positions. A few operators just write their inputs: without such arguments."""
    tolerance: Tolerance = Tolerance()
    tags: tuple[str, ...] = ()
    suite: str = ""
    """Suite that the task came from; empty for one built in Python."""

    @property
    def dim_names(self) -> tuple[str, ...]:
        """Names of sizes, in order of first appearance over inputs and outputs."""
        seen: dict[str, None] = {}
        for tensor in (*self.inputs, *self.outputs):
            for dim in tensor.shape:
                if isinstance(dim, str) and not dim.startswith("*"):
                    seen.setdefault(dim)
        return tuple(seen)

    @property
    def in_place(self) -> frozenset[str]:
        """Names of inputs that are outputs too."""
        return frozenset({spec.name for spec in self.inputs} & {spec.name for spec in self.outputs})

    @property
    def beyond_single_tensors(self) -> str:
        """Which of lists, optional tensors, updates in place and list attributes a task has, in words; mostly none."""
        tensors = (*self.inputs, *self.outputs)
        kinds = (
            ("lists of tensors", any(spec.is_list for spec in tensors)),
            ("optional tensors", any(spec.param_type == "optional" for spec in tensors)),
            ("tensors updated in place", bool(self.in_place)),
            ("attributes that are lists or texts", any(a.type == "string" or a.type in LIST_TYPES for a in self.attrs)),
        )
        return ", ".join(words for words, has in kinds if has)

    def shape_of(self, tensor: TensorSpec, case: Case) -> tuple[int, ...]:
        """Elements per dimension of a tensor that is no list in a case."""
        return tuple(dim if isinstance(dim, int) else case.dims[dim] for dim in tensor.shape)

    def tensors_of(self, spec: TensorSpec, case: Case) -> tuple[CaseTensor, ...]:
        """What a parameter is in a case: one tensor, those of a list, or none where it is absent."""
        if spec.name in case.absent:
            return ()
        if not spec.is_list:
            return (CaseTensor(name=spec.name, spec=spec, shape=self.shape_of(spec, case)),)
        return tuple(
            CaseTensor(name=f"{spec.name}[{index}]", spec=spec, shape=self._member_shape(spec, case, axes))
            for index, axes in enumerate(case.shapes[spec.axes_name])
        )

    def inputs_of(self, case: Case) -> tuple[CaseTensor, ...]:
        """Every input array of a case, in order."""
        return tuple(one for spec in self.inputs for one in self.tensors_of(spec, case))

    def outputs_of(self, case: Case) -> tuple[CaseTensor, ...]:
        """Every output array of a case, in order; those in place too."""
        return tuple(one for spec in self.outputs for one in self.tensors_of(spec, case))

    def value_of(self, spec: TensorSpec, case: Case, arrays: Mapping[str, T]) -> T | tuple[T, ...] | None:
        """A parameter's value out of a case's arrays by name: one, those of a list, or None where it is absent."""
        if spec.name in case.absent:
            return None
        values = tuple(arrays[one.name] for one in self.tensors_of(spec, case))
        return values if spec.is_list else values[0]

    def attr_values(self, case: Case) -> dict[str, AttrValue]:
        """Value of every attribute in a case, defaults filled in."""
        return {spec.name: case.attrs.get(spec.name, spec.default) for spec in self.attrs}

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the canonical JSON of the task: equal digests mean equal tasks."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()

    @staticmethod
    def _member_shape(spec: TensorSpec, case: Case, axes: Sequence[int]) -> tuple[int, ...]:
        found: list[int] = []
        for dim in spec.shape:
            if isinstance(dim, int):
                found.append(dim)
            else:
                found.extend(axes if dim.startswith("*") else (case.dims[dim],))
        return tuple(found)

    @model_validator(mode="after")
    def _names_are_distinct(self) -> Task:
        tensors = [t.name for t in self.inputs] + [t.name for t in self.outputs if t.name not in self.in_place]
        axes = {t.axes_name for t in (*self.inputs, *self.outputs) if t.axes_name}
        names = tensors + [a.name for a in self.attrs] + [*self.dim_names, *sorted(axes)]
        doubled = sorted({n for n in names if names.count(n) > 1})
        for group in (self.inputs, self.outputs):
            own = [spec.name for spec in group]
            doubled += sorted({n for n in own if own.count(n) > 1})
        if doubled:
            raise ValueError(f"{self.name}: the name {doubled[0]!r} is used twice (tensors, attributes, sizes)")
        for reserved in ("workspace", "tiling", *(f"{name}_ref" for name in self.in_place)):
            if reserved in names:
                raise ValueError(f"{self.name}: {reserved!r} is an argument that the launch adds itself")
        for dim in self.dim_names:
            if not re.fullmatch(r"[a-z][a-zA-Z0-9_]*", dim):
                raise ValueError(f"{self.name}: size name {dim!r} is not an identifier")
        return self

    @model_validator(mode="after")
    def _parameters_fit(self) -> Task:
        known = {spec.name: spec for spec in self.inputs}
        for spec in self.outputs:
            same = known.get(spec.name, spec)
            if (same.dtype, same.shape, same.param_type) != (spec.dtype, spec.shape, spec.param_type):
                raise ValueError(
                    f"{self.name}: {spec.name!r} is updated in place, so its dtype, shape and param_type must be those "
                    "of the input"
                )
        for spec in self.inputs:
            if not spec.compare:
                raise ValueError(f"{self.name}: `compare` belongs to outputs, {spec.name!r} is an input")
        if not self.declares_updates and not self.in_place:
            raise ValueError(f"{self.name}: declares_updates is about outputs with an input's name, and there are none")
        if self.path is Path.DEVICE and self.shape_mode is ShapeMode.DYNAMIC:
            for attr in self.attrs:
                if attr.type == "string" or attr.type in LIST_TYPES:
                    raise ValueError(
                        f"{self.name}: the attribute {attr.name!r} is a {attr.type}, which tiling data of the device "
                        "path do not carry: make the task static, or path: full"
                    )
        return self

    @model_validator(mode="after")
    def _formula_fits(self) -> Task:
        if self.reference.formula is None:
            return self
        tensors = (*self.inputs, *self.outputs)
        if missing := [spec.name for spec in tensors if spec.param_type == "optional"]:
            raise ValueError(
                f"{self.name}: a formula cannot say what an absent {missing[0]!r} means: write the reference in python"
            )
        if any(spec.is_list for spec in tensors) and (single := [s.name for s in self.outputs if not s.is_list]):
            raise ValueError(
                f"{self.name}: a formula with lists is evaluated once for each place of the lists, so the output "
                f"{single[0]!r} must be a list too: write the reference in python"
            )
        return self

    @model_validator(mode="after")
    def _cases_fit(self) -> Task:
        if len({case.name for case in self.cases}) != len(self.cases):
            raise ValueError(f"{self.name}: two cases have the same name")
        for case in self.cases:
            for problem in self._problems_of(case):
                raise ValueError(f"{self.name}/{case.name}: {problem}")
        for unknown in sorted(set(self.sizes) - set(self.dim_names)):
            raise ValueError(f"{self.name}: range of unknown size {unknown!r}")
        if self.sizes and self.shape_mode is ShapeMode.STATIC:
            raise ValueError(f"{self.name}: a static task has one set of sizes, so `sizes` is for dynamic ones")
        for case in self.cases:
            for size, values in self.sizes.items():
                if case.dims[size] not in values:
                    raise ValueError(f"{self.name}/{case.name}: {size} = {case.dims[size]} is not {values}")
        first = self.cases[0]
        moving = any(
            (case.dims, case.shapes, case.absent, case.attrs) != (first.dims, first.shapes, first.absent, first.attrs)
            for case in self.cases
        )
        if self.shape_mode is ShapeMode.STATIC and moving:
            raise ValueError(f"{self.name}: all cases of a static task share one set of sizes and attribute values")
        return self

    def _problems_of(self, case: Case) -> Iterator[str]:
        """What is wrong with a case."""
        tensors = {spec.name: spec for spec in (*self.inputs, *self.outputs)}
        yield from self._size_problems(case)
        for name in case.absent:
            if name not in tensors:
                yield f"absent {name!r} is no input or output"
            elif tensors[name].param_type != "optional":
                yield f"{name!r} is absent but not optional: give it param_type: optional"
        if all(spec.name in case.absent for spec in self.outputs):
            yield "every output is absent"
        attrs = {spec.name: spec for spec in self.attrs}
        for name, value in sorted(case.attrs.items()):
            if name not in attrs:
                yield f"unknown attribute {name!r}"
            elif problem := attrs[name].problem(value):
                yield f"the attribute {name!r} is of type {attrs[name].type}, but {problem}"
        known = {spec.name for spec in self.inputs}
        for name in sorted(case.fills):
            if name not in known:
                yield f"fill of unknown input {name!r}"
            elif name in case.absent:
                yield f"fill of the absent input {name!r}"

    def _size_problems(self, case: Case) -> Iterator[str]:
        if set(case.dims) != set(self.dim_names):
            yield f"sizes {sorted(case.dims)} are given, {sorted(self.dim_names)} are needed"
        if any(value < 1 for value in case.dims.values()):
            yield "every size must be at least 1"
        axes = {spec.axes_name for spec in (*self.inputs, *self.outputs) if spec.axes_name}
        if set(case.shapes) != axes:
            yield f"shapes of {sorted(case.shapes)} are given, of {sorted(axes)} are needed (the `*names` of lists)"
        yield from (f"the list {name!r} has no tensor" for name, shapes in sorted(case.shapes.items()) if not shapes)
        counts = {name: len(shapes) for name, shapes in sorted(case.shapes.items())}
        if self.reference.formula is not None and len(set(counts.values())) > 1:
            yield f"with a formula all lists have as many tensors, but `shapes` gives {counts}"
