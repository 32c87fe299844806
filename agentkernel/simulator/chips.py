"""Chips that the simulator knows: capacities and clock parameters, each with its source."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agentkernel.errors import ConfigError

FOLDER = Path(__file__).parent / "chips"


class Parameter(BaseModel):
    """One number of a chip."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float
    unit: str
    source: str
    """Where the number comes from: documented, fitted to published measurements, or an assumption."""


class Chip(BaseModel):
    """One target of the simulator."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    description: str
    arch: int
    """Value of `__NPU_ARCH__`."""
    params: dict[str, Parameter] = Field(min_length=1)

    @property
    def vector_cores(self) -> int:
        """Physical vector cores; more blocks than these run in rounds."""
        return int(self.params["vector_cores"].value)

    @property
    def cube_cores(self) -> int:
        """Physical cube cores."""
        return int(self.params["cube_cores"].value)


def chip_names() -> tuple[str, ...]:
    """Names of the chips that data are shipped for."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.json")))


def load_chip(name: str) -> Chip:
    """The data of a chip.

    Raises:
        ConfigError: There is no such chip, or its file is damaged.
    """
    if name not in chip_names():
        known = ", ".join(chip_names())
        raise ConfigError(f"there is no chip {name!r} in the simulator", hint=f"known: {known}")
    try:
        chip = Chip.model_validate_json((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValidationError) as error:
        raise ConfigError(f"the data of chip {name!r} are damaged: {error}", hint="reinstall agentkernel") from error
    lacking = [one for one in ("vector_cores", "cube_cores") if one not in chip.params]
    if lacking:
        raise ConfigError(f"the data of chip {name!r} lack {lacking[0]}", hint="reinstall agentkernel")
    return chip
