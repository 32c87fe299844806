"""The simulator's trace of one launch, typed: what ran when on which pipe, and what held it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agentkernel.errors import ToolchainError

PIPES = ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX")
"""Pipes by their number in a trace."""


class Event(BaseModel):
    """One instruction on its pipe, or one wait of the scalar program. Times are microseconds of its core."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    """The call as the author wrote it."""
    pipe: str
    core: int
    block: int
    waiting: bool = False
    """The scalar program waits; nothing runs."""
    start: float
    duration: float = Field(ge=0)
    work: float = 0.0
    """Part of the duration at full rate: elements or bytes."""
    conflict: float = 0.0
    """Part of the duration that bank conflicts cost."""
    bytes: int = 0
    """Of global memory."""
    line: int | None = None
    file: str = ""
    waited: float = 0.0
    """Time between the end of the instruction before it on its pipe and its own start."""
    held: Literal["", "issue", "flag", "barrier", "result", "cores"] = ""
    """What held it: the scalar program had not come to it, a flag, a barrier, a reduction's result, other cores."""
    on: str = ""
    """Pipe that it waited for."""
    held_api: str = ""
    held_line: int | None = None

    @property
    def end(self) -> float:
        """When its pipe is free again."""
        return self.start + self.duration


class Trace(BaseModel):
    """One launch."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kernel_us: float
    """The whole launch."""
    launch_us: float
    """Of it: scheduling, start and report of all cores."""
    memory_us: float
    """Bytes of the launch that memory moves, at the chip's bandwidth."""
    mte_issue_us: float
    """What a transfer costs besides its bytes."""
    mte_latency_us: float
    """From the end of a load to its data being there."""
    clock_mhz: float
    cores: int
    """Cores that ran."""
    complete: bool
    """Whether every event was kept; of a long launch only the first ones are."""
    events: tuple[Event, ...]

    def of_core(self, core: int) -> tuple[Event, ...]:
        """Events of one core by start."""
        return tuple(sorted((e for e in self.events if e.core == core), key=lambda e: e.start))

    @property
    def longest_core(self) -> int:
        """The core that ends last among those that have events."""
        return max(self.events, key=lambda e: e.end).core if self.events else 0


def read_trace(path: str | Path) -> Trace:
    """Read a timeline that the simulator wrote.

    Raises:
        ToolchainError: It cannot be read or is not one.
    """
    try:
        data = json.loads(Path(path).read_bytes())
        head = data["otherData"]
        events = tuple(_event(raw) for raw in data["traceEvents"] if raw["ph"] == "X")
        return Trace(
            kernel_us=head["kernel_us"],
            launch_us=head["launch_us"],
            memory_us=head["memory_us"],
            mte_issue_us=head["mte_issue_us"],
            mte_latency_us=head["mte_latency_us"],
            clock_mhz=head["clock_mhz"],
            cores=head["running_cores"],
            complete=head["complete"],
            events=events,
        )
    except (OSError, ValueError, KeyError, TypeError, IndexError, ValidationError) as error:
        raise ToolchainError(
            f"{path} is not a timeline of the simulator: {error}", hint="profile the kernel again"
        ) from error


_ARGS = ("block", "work", "conflict", "bytes", "line", "file", "waited", "held", "on", "held_api", "held_line")


def _event(raw: dict[str, object]) -> Event:
    args = raw["args"]
    if not isinstance(args, dict):
        raise TypeError("an event without args")
    known = {key: args[key] for key in _ARGS if key in args}
    number = raw["tid"]
    return Event.model_validate(
        {
            "name": raw["name"],
            "pipe": PIPES[number if isinstance(number, int) else -1],
            "core": raw["pid"],
            "waiting": raw["cat"] == "wait",
            "start": raw["ts"],
            "duration": raw["dur"],
            **known,
        }
    )
