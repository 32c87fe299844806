"""What a call of host code is given, and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field, field_validator

from agentkernel.diagnostic import Diagnostic
from agentkernel.simulator.chips import Chip
from agentkernel.simulator.host.ge_types import FORMATS, type_named

AttributeValue = bool | int | float | str | Sequence[bool | int | float] | Sequence[Sequence[int]]


class _Noun(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class HostTensor(_Noun):
    """A tensor as the host side sees it."""

    shape: tuple[int, ...]
    dtype: str
    """E.g. `float16`, `bfloat16`, `int64`, `bool`."""
    format: str = "ND"
    data: bytes | None = None
    """Its values, where the host may see them: value-dependent inputs, scalars, lists of integers."""

    @field_validator("dtype")
    @classmethod
    def _known_type(cls, name: str) -> str:
        try:
            type_named(name)
        except KeyError:
            raise ValueError(f"there is no element type {name!r}") from None
        return name

    @field_validator("format")
    @classmethod
    def _known_format(cls, name: str) -> str:
        if name not in FORMATS:
            raise ValueError(f"there is no format {name!r}")
        return name


Argument = HostTensor | tuple[HostTensor, ...] | None
"""One tensor; the tensors of a dynamic parameter; None for an optional one that the call leaves out."""


class OperatorCall(_Noun):
    """One call of an operator."""

    inputs: tuple[Argument, ...]
    """In the order of the definition."""
    outputs: tuple[Argument, ...]
    attrs: Mapping[str, AttributeValue] = Field(default_factory=dict)
    """By name; what is left out has the definition's default."""
    deterministic: bool = False


class Platform(_Noun):
    """The chip that host code is told it runs for."""

    soc: str = "Ascend910B"
    """Short name, as PlatformAscendC::GetSocVersion reads it."""
    arch: int = 2201
    vector_cores: int = Field(default=48, ge=1)
    cube_cores: int = Field(default=24, ge=1)
    ub_bytes: int = 196608
    """Whole size; GetCoreMemSize answers 256 less for this memory and L1 on Ascend 910B."""
    l1_bytes: int = 524288
    l0a_bytes: int = 65536
    l0b_bytes: int = 65536
    l0c_bytes: int = 131072
    l2_bytes: int = 201326592
    bt_bytes: int = 1024
    fb_bytes: int = 2048
    hbm_bytes: int = 64 << 30
    l2_bytes_per_cycle: int = 110
    hbm_bytes_per_cycle: int = 32

    @classmethod
    def of_chip(cls, chip: Chip, *, vector_cores: int | None = None) -> Platform:
        """The platform of a simulated chip; by default with all of its vector cores, and half as many cube cores."""
        cores = vector_cores if vector_cores is not None else chip.vector_cores
        value = {name: int(parameter.value) for name, parameter in chip.params.items()}
        return cls(
            arch=chip.arch,
            vector_cores=cores,
            cube_cores=max(1, cores // 2),
            ub_bytes=value["ub_bytes"],
            l1_bytes=value["l1_bytes"],
            l0a_bytes=value["l0a_bytes"],
            l0b_bytes=value["l0b_bytes"],
            l0c_bytes=value["l0c_bytes"],
            l2_bytes=value["l2_bytes"],
            bt_bytes=value["bt_bytes"],
            l2_bytes_per_cycle=value["core_l2_bytes_per_cycle"],
            hbm_bytes_per_cycle=value["core_read_bytes_per_cycle"],
        )


class _Outcome(_Noun):
    diagnostics: tuple[Diagnostic, ...] = ()
    printed: str = ""
    """What the host code wrote to its standard streams, at most 64 KiB."""
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether nothing went wrong."""
        return not any(diagnostic.is_error for diagnostic in self.diagnostics)


class TilingOutcome(_Outcome):
    """What a tiling function set. Where `ok` is false the values are as far as it came."""

    block_dim: int = 0
    tiling_key: int = 0
    workspaces: tuple[int, ...] = ()
    """Bytes of each workspace; nothing is added to what the function asked for."""
    data: bytes = b""
    """The tiling data."""
    schedule_mode: int = 0
    """1: all blocks run at once, as SyncAll needs it."""
    local_memory: int = 0
    atomic: bool = False

    @property
    def workspace_bytes(self) -> int:
        """All workspaces together."""
        return sum(self.workspaces)


class ShapeOutcome(_Outcome):
    """Shapes of the outputs, by instance."""

    shapes: tuple[tuple[int, ...], ...] = ()


class DtypeOutcome(_Outcome):
    """Element types of the outputs, by instance; `undefined` where the function set none."""

    dtypes: tuple[str, ...] = ()
