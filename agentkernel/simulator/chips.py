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
    based_on: str = ""
    """Another chip, whose numbers hold where this one has none of its own."""
    simulated: bool = True
    """Whether kernels run on it. Of the others only some numbers are documented: they are here to be read."""
    params: dict[str, Parameter] = Field(min_length=1)

    @property
    def vector_cores(self) -> int:
        """Physical vector cores; more blocks than these run in rounds."""
        return int(self.params["vector_cores"].value)

    @property
    def cube_cores(self) -> int:
        """Physical cube cores."""
        return int(self.params["cube_cores"].value)


def described_chips() -> tuple[Chip, ...]:
    """Every chip that data are shipped for, by name, whether it is simulated or not."""
    return tuple(_read(path.stem) for path in sorted(FOLDER.glob("*.json")))


def chip_names() -> tuple[str, ...]:
    """Names of the chips that kernels run on."""
    return tuple(chip.name for chip in described_chips() if chip.simulated)


def load_chip(name: str) -> Chip:
    """The data of a chip.

    Raises:
        ConfigError: There is no such chip, it is not simulated, or its file is damaged.
    """
    if name not in {path.stem for path in FOLDER.glob("*.json")}:
        raise ConfigError(f"there is no chip {name!r} in the simulator", hint=f"known: {', '.join(chip_names())}")
    chip = _read(name)
    if not chip.simulated:
        raise ConfigError(
            f"the chip {name!r} is not simulated: {chip.description}. Not documented: {', '.join(_undocumented(chip))}",
            hint=f"known: {', '.join(chip_names())}",
        )
    lacking = [one for one in ("vector_cores", "cube_cores") if one not in chip.params]
    if lacking:
        raise ConfigError(f"the data of chip {name!r} lack {lacking[0]}", hint="reinstall agentkernel")
    return chip


def _undocumented(chip: Chip) -> tuple[str, ...]:
    """Parameters that a chip on which kernels run has and this one has not."""
    needed = {name: None for one in described_chips() if one.simulated for name in one.params}
    return tuple(name for name in needed if name not in chip.params)


def _read(name: str) -> Chip:
    try:
        chip = Chip.model_validate_json((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValidationError) as error:
        raise ConfigError(f"the data of chip {name!r} are damaged: {error}", hint="reinstall agentkernel") from error
    if not chip.based_on:
        return chip
    base = _read(chip.based_on)
    return chip.model_copy(update={"params": {**base.params, **chip.params}})
