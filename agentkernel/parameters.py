"""What the parameters of an operator are: tensors, lists of them, attributes, sizes."""

from __future__ import annotations

import math
import re
from random import Random
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from agentkernel.dtypes import DType

Dim = int | str
"""A fixed size; the name of a size that each case gives (`rows`); or `*parts`, the axes that each case gives for each
tensor of a list."""

AttrValue = bool | int | float | str | tuple[bool | int | float, ...]
"""A scalar, a text, or the values of a list attribute."""

LIST_TYPES = {"list_int": "int", "list_float": "float", "list_bool": "bool"}
_AXES = re.compile(r"\*[a-z][a-zA-Z0-9_]*")


Axes = tuple[Annotated[int, Field(ge=1)], ...]
"""What `*parts` stands for in the shape of one tensor of a list."""


def is_absent(value: object) -> bool:
    """A field that says nothing is not written: a task without it has the digest that it had before there was one."""
    return not value


def _is_required(value: object) -> bool:
    return value == "required"


class TensorSpec(BaseModel):
    """One input or output: a contiguous, row-major tensor in global memory, or a list of such tensors."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z][a-zA-Z0-9_]*$")
    """Name of the kernel argument and of the variable in the formula. An output with the name of an input *is* that
    input, updated in place: the kernel gets the same address in both positions (see `Task.declares_updates`)."""
    dtype: DType
    shape: tuple[Dim, ...]
    """Elements per dimension, outermost first; names are bound per case. Of a list, the shape of each tensor: one entry
    is `*name`, and `Case.shapes` gives what it stands for, tensor by tensor."""
    param_type: Literal["required", "optional", "dynamic"] = Field(default="required", exclude_if=_is_required)
    """ParamType of the operator's definition: `optional` may be absent in a case, `dynamic` is a list of tensors."""
    compare: bool = Field(default=True, exclude_if=bool)
    """Whether an output's values are compared with the reference; of one that is not, shape and type count alone."""
    description: str = ""
    on_host: bool = Field(default=False, exclude_if=is_absent)
    """Whether host tiling of a full-path task may look at its values (a list of axes or sizes); else it sees shapes."""

    @property
    def is_list(self) -> bool:
        """Whether it is a list of tensors."""
        return self.param_type == "dynamic"

    @property
    def axes_name(self) -> str:
        """`parts` where the shape of a list has `*parts`; empty for one tensor."""
        return next((dim[1:] for dim in self.shape if isinstance(dim, str) and dim.startswith("*")), "")

    @model_validator(mode="after")
    def _shape_fits(self) -> TensorSpec:
        stars = [dim for dim in self.shape if isinstance(dim, str) and dim.startswith("*")]
        if self.is_list and len(stars) != 1:
            raise ValueError(
                f"{self.name!r} is a list (dynamic): its shape needs one entry like '*parts' for the axes that a case "
                "gives tensor by tensor in `shapes`"
            )
        if stars and not self.is_list:
            raise ValueError(f"the axes {stars[0]!r} belong to a list: {self.name!r} needs param_type: dynamic")
        if stars and not _AXES.fullmatch(stars[0]):
            raise ValueError(f"{stars[0]!r} is not a star and an identifier")
        return self


class CaseTensor(BaseModel):
    """One array of a case: a tensor, or one tensor of a list."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    """The tensor's name; of a list `x[0]`, `x[1]` and so on."""
    spec: TensorSpec
    shape: tuple[int, ...]

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self.spec.dtype


class AttrSpec(BaseModel):
    """A parameter of the operator that is no tensor (epsilon, alpha, axes, ...)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z][a-zA-Z0-9_]*$")
    type: Literal["float", "int", "bool", "string", "list_int", "list_float", "list_bool"]
    """Type in the operator's definition."""
    default: AttrValue
    description: str = ""

    def problem(self, value: AttrValue) -> str:
        """What is wrong with a value of this attribute; empty where nothing is."""
        if self.type == "string":
            return "" if isinstance(value, str) else f"{value!r} is no text"
        if self.type in LIST_TYPES:
            if not isinstance(value, tuple):
                return f"{value!r} is no list"
            return next((text for one in value if (text := _not_a(LIST_TYPES[self.type], one))), "")
        return _not_a(self.type, value)

    @model_validator(mode="after")
    def _default_fits(self) -> AttrSpec:
        if problem := self.problem(self.default):
            raise ValueError(f"the attribute {self.name!r} is of type {self.type}, but {problem}")
        return self


def _not_a(kind: str, value: AttrValue) -> str:
    if isinstance(value, str | tuple):
        return f"{value!r} is no {kind}"
    # numbers convert as C++ converts them, as they always did; a list element that is not whole is a mistake
    return f"{value!r} is not whole" if kind == "int" and not float(value).is_integer() else ""


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
