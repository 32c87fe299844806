"""Task: what to write. Everything a model, a toolchain and a judge need to know about one operator."""

from __future__ import annotations

import hashlib
import math
import re
from enum import StrEnum
from random import Random
from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    model_validator,
)

from agentkernel.dtypes import DType

Dim = int | str
"""A fixed size, or the name of a size that each case gives (`rows`)."""

AttrValue = bool | int | float


def _is_absent(value: object) -> bool:
    """A field that says nothing is not written: a task without it has the digest that it had before there was one."""
    return not value


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


class TensorSpec(BaseModel):
    """One input or output tensor: contiguous, row-major, in global memory."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z][a-zA-Z0-9_]*$")
    """Name of the kernel argument and of the variable in the formula."""
    dtype: DType
    shape: tuple[Dim, ...]
    """Elements per dimension, outermost first; names are bound per case."""
    description: str = ""
    on_host: bool = Field(default=False, exclude_if=_is_absent)
    """Whether host tiling of a full-path task may look at its values (a list of axes or sizes); else it sees shapes."""


class AttrSpec(BaseModel):
    """A scalar parameter of the operator (epsilon, alpha, ...)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z][a-zA-Z0-9_]*$")
    type: Literal["float", "int", "bool"]
    default: AttrValue
    description: str = ""


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
    attrs: dict[str, AttrValue] = Field(default_factory=dict)
    """Overrides of attribute defaults."""
    fills: dict[str, Fill] = Field(default_factory=dict)
    """By input name; an input without an entry is drawn uniformly from [-1, 1] (integers: [-100, 100])."""
    seed: int = 0


class SizeRange(BaseModel):
    """Values of a size that a kernel is for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    low: int = Field(default=1, ge=1)
    high: int
    """Inclusive."""
    multiple_of: int = Field(default=1, ge=1)

    @model_validator(mode="after")
    def _holds_something(self) -> SizeRange:
        if self.high // self.multiple_of * self.multiple_of < self.low:
            raise ValueError(f"no multiple of {self.multiple_of} lies between {self.low} and {self.high}")
        return self

    def __contains__(self, value: int) -> bool:
        return self.low <= value <= self.high and value % self.multiple_of == 0

    def __str__(self) -> str:
        values = f"from {self.low} to {self.high}"
        return values if self.multiple_of == 1 else f"{values}, multiples of {self.multiple_of}"

    def draw(self, rng: Random, *, most: int) -> int:
        """A value up to about `most` that is as likely to have few digits as many."""
        least = -(-self.low // self.multiple_of)
        last = max(least, min(self.high, most) // self.multiple_of)
        return self.multiple_of * round(math.exp(rng.uniform(math.log(least), math.log(last))))


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
    """Statements of the formula language (`agentkernel.formula`), evaluated in float64; assigns every output."""
    python: str | None = None
    """Source of `def reference(inputs: dict, attrs: dict) -> dict` over float64 / int64 NumPy arrays, for what the
    formula language cannot say. Task files are trusted input: this runs in the caller's process."""
    external: External | None = Field(default=None, exclude_if=_is_absent)
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
    sizes: dict[str, SizeRange] = Field(default_factory=dict, exclude_if=_is_absent)
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
                if isinstance(dim, str):
                    seen.setdefault(dim)
        return tuple(seen)

    def shape_of(self, tensor: TensorSpec, case: Case) -> tuple[int, ...]:
        """Elements per dimension of a tensor in a case."""
        return tuple(dim if isinstance(dim, int) else case.dims[dim] for dim in tensor.shape)

    def attr_values(self, case: Case) -> dict[str, AttrValue]:
        """Value of every attribute in a case, defaults filled in."""
        return {spec.name: case.attrs.get(spec.name, spec.default) for spec in self.attrs}

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the canonical JSON of the task: equal digests mean equal tasks."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()

    @model_validator(mode="after")
    def _names_are_distinct(self) -> Task:
        names = [t.name for t in (*self.inputs, *self.outputs)] + [a.name for a in self.attrs] + list(self.dim_names)
        doubled = sorted({n for n in names if names.count(n) > 1})
        if doubled:
            raise ValueError(f"{self.name}: the name {doubled[0]!r} is used twice (tensors, attributes, sizes)")
        for reserved in ("workspace", "tiling"):
            if reserved in names:
                raise ValueError(f"{self.name}: {reserved!r} is an argument that the launch adds itself")
        for dim in self.dim_names:
            if not re.fullmatch(r"[a-z][a-zA-Z0-9_]*", dim):
                raise ValueError(f"{self.name}: size name {dim!r} is not an identifier")
        return self

    @model_validator(mode="after")
    def _cases_fit(self) -> Task:
        if len({case.name for case in self.cases}) != len(self.cases):
            raise ValueError(f"{self.name}: two cases have the same name")
        known_attrs = {spec.name for spec in self.attrs}
        known_inputs = {t.name for t in self.inputs}
        for case in self.cases:
            where = f"{self.name}/{case.name}"
            if set(case.dims) != set(self.dim_names):
                raise ValueError(f"{where}: sizes {sorted(case.dims)} are given, {sorted(self.dim_names)} are needed")
            if any(value < 1 for value in case.dims.values()):
                raise ValueError(f"{where}: every size must be at least 1")
            for unknown in sorted(set(case.attrs) - known_attrs):
                raise ValueError(f"{where}: unknown attribute {unknown!r}")
            for unknown in sorted(set(case.fills) - known_inputs):
                raise ValueError(f"{where}: fill of unknown input {unknown!r}")
        for unknown in sorted(set(self.sizes) - set(self.dim_names)):
            raise ValueError(f"{self.name}: range of unknown size {unknown!r}")
        if self.sizes and self.shape_mode is ShapeMode.STATIC:
            raise ValueError(f"{self.name}: a static task has one set of sizes, so `sizes` is for dynamic ones")
        for case in self.cases:
            for size, values in self.sizes.items():
                if case.dims[size] not in values:
                    raise ValueError(f"{self.name}/{case.name}: {size} = {case.dims[size]} is not {values}")
        first = self.cases[0]
        moving = any(case.dims != first.dims or case.attrs != first.attrs for case in self.cases)
        if self.shape_mode is ShapeMode.STATIC and moving:
            raise ValueError(f"{self.name}: all cases of a static task share one set of sizes and attribute values")
        return self
