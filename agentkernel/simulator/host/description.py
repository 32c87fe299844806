"""What host code defines: operators and structures of tiling data."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

OPTIONS = {1: "optional", 2: "required", 3: "dynamic"}


class _Noun(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Parameter(_Noun):
    """An input or output of the definition."""

    name: str
    option: str
    """`required`, `optional` or `dynamic` (a list of tensors)."""
    dtypes: tuple[str, ...]
    """As given; one per column, unless `dtypes_are_list`."""
    dtypes_are_list: bool = False
    """Given by DataTypeList: every one is combined with every column of the others."""
    formats: tuple[str, ...] = ()
    formats_are_list: bool = False
    value_depend: bool = False
    """Whether the host sees its values."""
    scalar: bool = False
    scalar_list: bool = False
    to_name: str = ""
    """Parameter whose element type a scalar takes."""
    to_dtype: str = ""
    """Element type that a scalar is converted to."""
    init_value: int | None = None
    shape_depends_on_compute: bool = False
    """The kernel writes this output's shape."""
    follows: str = ""
    in_place: bool = False
    """An output with the name of an input: the two are the same memory."""

    @property
    def on_host(self) -> bool:
        """Whether host tiling sees its values."""
        return self.value_depend or self.scalar or self.scalar_list


class Attribute(_Noun):
    """An attribute of the definition."""

    name: str
    kind: str
    """`bool`, `int`, `float`, `string`, `list_bool`, `list_int`, `list_float` or `list_list_int`."""
    required: bool
    default: Any = None


class Config(_Noun):
    """What the definition says for one chip."""

    soc: str
    """E.g. `ascend910b`."""
    inputs: tuple[Parameter, ...] = ()
    """Parameters that differ from the common ones."""
    outputs: tuple[Parameter, ...] = ()
    settings: dict[str, str] = {}


class OpDescription(_Noun):
    """One operator."""

    type: str
    defined: bool
    """Whether OP_ADD names it; otherwise functions alone are registered."""
    inputs: tuple[Parameter, ...] = ()
    outputs: tuple[Parameter, ...] = ()
    attrs: tuple[Attribute, ...] = ()
    configs: tuple[Config, ...] = ()
    has_tiling: bool = False
    has_tiling_parse: bool = False
    has_infer_shape: bool = False
    has_infer_dtype: bool = False
    launches_empty: bool = False
    """Whether it is launched where all outputs are empty."""

    def host_inputs(self) -> tuple[str, ...]:
        """Inputs whose values the host sees."""
        return tuple(p.name for p in self.inputs if p.on_host)


class TilingField(_Noun):
    """A field of tiling data, padding included."""

    name: str
    type: str
    """As the source spells it; a structure's name."""
    form: str
    """`scalar`, `array` or `struct`."""
    length: int = 0
    """Elements of an array."""
    offset: int


class TilingClass(_Noun):
    """A registered structure of tiling data."""

    registered: str
    """Name it was registered under: an operator's type, `Type_KEY` for a tiling key, `XOp` for a member structure X."""
    name: str
    size: int
    """Bytes, a multiple of 8."""
    fields: tuple[TilingField, ...]


class HostDescription(_Noun):
    """Everything that one object registered."""

    operators: tuple[OpDescription, ...] = ()
    classes: tuple[TilingClass, ...] = ()

    def operator(self, op_type: str) -> OpDescription | None:
        """The operator of that type."""
        return next((op for op in self.operators if op.type == op_type), None)
