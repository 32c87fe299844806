"""The record file of `akhost`, read with the distrust that its place deserves: host code shares the process."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from agentkernel.simulator.host.description import (
    OPTIONS,
    Attribute,
    Config,
    OpDescription,
    Parameter,
    TilingClass,
    TilingField,
)
from agentkernel.simulator.host.ge_types import format_numbered, type_numbered

MAX_BYTES = 32 << 20

T = TypeVar("T")


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RawParameter(_Record):
    """A parameter with the numbers of the host interface."""

    name: str
    option: int
    types: tuple[int, ...]
    types_are_list: bool
    formats: tuple[int, ...]
    formats_are_list: bool
    value_depend: int
    scalar: bool
    scalar_list: bool
    to_name: str
    to_type: int
    init_value: int | None
    shape_depends_on_compute: bool
    follows: str


class RawConfig(_Record):
    """A chip's configuration."""

    soc: str
    inputs: tuple[RawParameter, ...]
    outputs: tuple[RawParameter, ...]
    settings: dict[str, str]


class RawOp(_Record):
    """An operator."""

    t: Literal["op"]
    type: str
    defined: bool
    inputs: tuple[RawParameter, ...] = ()
    outputs: tuple[RawParameter, ...] = ()
    attrs: tuple[dict[str, Any], ...] = ()
    configs: tuple[RawConfig, ...] = ()
    launches_empty: bool = False
    has_tiling: bool
    has_infer_shape: bool
    has_infer_dtype: bool
    has_tiling_parse: bool
    data_inputs: tuple[int, ...]
    computed_outputs: tuple[int, ...]

    def description(self) -> OpDescription:
        """The same in our words."""
        seen = {index for index in self.data_inputs if index >= 0}
        computed = set(self.computed_outputs)
        names = {p.name for p in self.inputs}
        return OpDescription(
            type=self.type,
            defined=self.defined,
            inputs=tuple(_parameter(p, sees=i in seen) for i, p in enumerate(self.inputs)),
            outputs=tuple(
                _parameter(p, in_place=p.name in names, computed=i in computed) for i, p in enumerate(self.outputs)
            ),
            attrs=tuple(_attribute(a) for a in self.attrs),
            configs=tuple(
                Config(
                    soc=c.soc,
                    inputs=tuple(map(_parameter, c.inputs)),
                    outputs=tuple(_parameter(p, in_place=p.name in names) for p in c.outputs),
                    settings=c.settings,
                )
                for c in self.configs
            ),
            has_tiling=self.has_tiling,
            has_tiling_parse=self.has_tiling_parse,
            has_infer_shape=self.has_infer_shape,
            has_infer_dtype=self.has_infer_dtype,
            launches_empty=self.launches_empty,
        )


def _parameter(raw: RawParameter, *, sees: bool = False, in_place: bool = False, computed: bool = False) -> Parameter:
    return Parameter(
        name=raw.name,
        option=OPTIONS.get(raw.option, "required"),
        dtypes=tuple(type_numbered(n).name for n in raw.types),
        dtypes_are_list=raw.types_are_list,
        formats=tuple(format_numbered(n) for n in raw.formats),
        formats_are_list=raw.formats_are_list,
        value_depend=sees or raw.value_depend != 0,
        scalar=raw.scalar,
        scalar_list=raw.scalar_list,
        to_name=raw.to_name,
        to_dtype="" if raw.to_type < 0 else type_numbered(raw.to_type).name,
        init_value=raw.init_value,
        shape_depends_on_compute=computed or raw.shape_depends_on_compute,
        follows=raw.follows,
        in_place=in_place,
    )


def _attribute(raw: dict[str, Any]) -> Attribute:
    default = raw.get("default")
    kind = str(raw.get("kind"))
    if kind == "float" and isinstance(default, list):
        default = default[0]
    elif kind == "list_bool" and isinstance(default, list):
        default = [bool(value) for value in default]
    return Attribute(name=str(raw["name"]), kind=kind, required=bool(raw["required"]), default=default)


class RawClass(_Record):
    """A structure of tiling data."""

    t: Literal["tiling_class"]
    registered: str
    name: str
    size: int
    fields: tuple[TilingField, ...]

    def description(self) -> TilingClass:
        """The same without its tag."""
        return TilingClass(registered=self.registered, name=self.name, size=self.size, fields=self.fields)


class Tiling(_Record):
    """What a tiling function set."""

    t: Literal["tiling"]
    status: int
    block_dim: int
    key: int
    size: int
    workspaces: tuple[int, ...]
    schedule_mode: int
    local_memory: int
    atomic: bool
    data: str = Field(pattern=r"^([0-9a-f]{2})*$")


class Shapes(_Record):
    """What shape inference set."""

    t: Literal["shapes"]
    status: int
    shapes: tuple[tuple[int, ...], ...]


class Dtypes(_Record):
    """What type inference set."""

    t: Literal["dtypes"]
    status: int
    dtypes: tuple[int, ...]


class Crash(_Record):
    """A signal."""

    t: Literal["crash"]
    signal: int
    stage: str
    address: int
    stack: bool
    call: str
    sites: tuple[int, ...]


class Thrown(_Record):
    """An exception that nothing caught."""

    t: Literal["exception"]
    stage: str
    type: str
    what: str
    sites: tuple[int, ...]


class Status(_Record):
    """A function before the one that was asked for failed."""

    t: Literal["status"]
    stage: str
    status: int


class Missing(_Record):
    """The function that was asked for is not registered."""

    t: Literal["missing"]
    what: str


class Unloadable(_Record):
    """The object cannot be loaded."""

    t: Literal["unloadable"]
    why: str
    symbol: str


class Mark(_Record):
    """Start: loading begins. End: all is done."""

    t: Literal["start", "end"]


Record = Annotated[
    RawOp | RawClass | Tiling | Shapes | Dtypes | Crash | Thrown | Status | Missing | Unloadable | Mark,
    Field(discriminator="t"),
]
_ADAPTER: TypeAdapter[Any] = TypeAdapter(Record)


class Records(BaseModel):
    """Everything that a process wrote."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    all: tuple[Any, ...] = ()
    started: bool = False
    ended: bool = False
    damage: str = ""
    """What is not as akhost writes it; empty where all is."""

    def one(self, kind: type[T]) -> T | None:
        """The last record of a kind."""
        return next((record for record in reversed(self.all) if isinstance(record, kind)), None)

    def every(self, kind: type[T]) -> Iterable[T]:
        """All records of a kind."""
        return (record for record in self.all if isinstance(record, kind))


def read_records(path: Path) -> Records:
    """Read a record file. What is not in form is named in `damage`; what stands before it is kept.

    Raises:
        OSError: It cannot be read.
    """
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        return Records(started=True, damage=f"it is longer than {MAX_BYTES} bytes")
    found: list[Any] = []
    started = ended = False
    damage = ""
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line:
            continue
        try:
            record = _ADAPTER.validate_json(line)
        except ValidationError as error:
            damage = f"line {number} is not a record ({error.errors()[0]['msg']})"
            break
        if ended:
            damage = f"line {number} follows the end"
            break
        if isinstance(record, Mark):
            started = started or record.t == "start"
            ended = record.t == "end"
        else:
            found.append(record)
    return Records(all=tuple(found), started=started, ended=ended, damage=damage)
