"""The record file of a run: what the runner says happened, read with the distrust that its place deserves.

The candidate shares the runner's process, so it could write there itself. Values are never taken from here; what is
(findings, coverage, time) must have the exact form, and the end record must stand alone at the end.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from agentkernel.diagnostic import Level

MAX_BYTES = 8 << 20
"""Far more than the runner writes: it caps findings at 64."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Finding(_Record):
    """A broken rule."""

    t: Literal["finding"]
    code: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    gravity: Literal["note", "error", "fatal"]
    level: Level
    api: str = ""
    site: int = Field(default=0, ge=0)
    """Address of the call in the candidate's object; 0 where it is not known."""
    other_api: str = ""
    other_site: int = Field(default=0, ge=0)
    core: int = -1
    """Number of the core among those of its type; -1 where it is none in particular."""
    core_type: Literal["", "AIC", "AIV"] = ""
    """Said where cores of both types, or cube cores, run."""
    message: str
    hint: str = ""
    evidence: dict[str, Any] = Field(default_factory=dict)


class Unwritten(_Record):
    """Bytes of an output that nothing wrote."""

    t: Literal["unwritten"]
    name: str
    elements_bytes: int = Field(ge=0)


class PipeClock(_Record):
    """Occupation of one pipe."""

    pipe: str
    busy_us: float = Field(ge=0, allow_inf_nan=False)
    instructions: int = Field(ge=0)


class Clock(_Record):
    """The simulated time."""

    t: Literal["clock"]
    kernel_us: float = Field(ge=0, allow_inf_nan=False)
    bound: str = ""
    pipes: tuple[PipeClock, ...] = ()


class Start(_Record):
    """The candidate is loaded; what happens from here on is its own doing."""

    t: Literal["start"]


class End(_Record):
    """The last record."""

    t: Literal["end"]
    completed: bool
    instructions: int = Field(ge=0)


Record = Annotated[Start | Finding | Unwritten | Clock | End, Field(discriminator="t")]
_ADAPTER: TypeAdapter[Start | Finding | Unwritten | Clock | End] = TypeAdapter(Record)


class Records(BaseModel):
    """Everything that a run wrote."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    started: bool = False
    """Whether the candidate was loaded and began to run."""
    findings: tuple[Finding, ...] = ()
    unwritten: tuple[Unwritten, ...] = ()
    clock: Clock | None = None
    end: End | None = None
    """None where the run was cut off."""
    damage: str = ""
    """What is not as the runner writes it; empty where all is."""


def read_records(path: Path) -> Records:
    """Read a record file. Anything out of form is named in `damage`; what was in form before it is kept.

    Raises:
        OSError: It cannot be read.
    """
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        # the runner never writes so much: whatever did was started
        return Records(started=True, damage=f"it is longer than {MAX_BYTES} bytes")
    lines = data.split(b"\n")
    cut = lines.pop()  # empty where the last line is whole
    findings: list[Finding] = []
    unwritten: list[Unwritten] = []
    clock: Clock | None = None
    end: End | None = None
    started = False
    damage = ""
    for number, line in enumerate(lines, start=1):
        try:
            record = _ADAPTER.validate_json(line)
        except ValidationError as error:
            damage = f"line {number} is not a record ({error.errors()[0]['msg']})"
            break
        if end is not None:
            damage = f"line {number} follows the end"
            break
        if isinstance(record, Finding):
            findings.append(record)
        elif isinstance(record, Unwritten):
            unwritten.append(record)
        elif isinstance(record, Clock):
            damage = damage or ("two clocks" if clock is not None else "")
            clock = record
        elif isinstance(record, Start):
            damage = damage or ("two starts" if started else "")
            started = True
        else:
            end = record
    if end is not None and cut and not damage:
        damage = "text follows the end"
    return Records(
        started=started,
        findings=tuple(findings),
        unwritten=tuple(unwritten),
        clock=clock,
        end=end,
        damage=damage,
    )
