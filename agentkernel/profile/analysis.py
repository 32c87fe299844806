"""From a trace to a profile: bound, bubbles, roofline, and bounds on what changes could give."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from agentkernel.diagnostic import Diagnostic
from agentkernel.profile.trace import PIPES, Event, Trace
from agentkernel.verdict import Estimate

LARGE_COPY = 16 * 1024
"""Bytes per transfer from which the documentation calls bandwidth good."""
BUBBLES = 4
"""Bubbles of a pipe that are kept, the longest ones."""
WORTH = 0.01
"""Part of the kernel's time that a change has to give to be named."""
BUSY = 0.5
"""Part of the core's time below which no pipe counts as the bound; the kernel then waits more than it works."""


class Bubble(BaseModel):
    """Time in which a pipe stood still, all for the same reason at the same place."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    us: float = Field(ge=0)
    times: int = Field(ge=1)
    before: str
    """Call that had to wait."""
    line: int | None = None
    on: str
    """Pipe that it waited for."""
    held: Literal["issue", "flag", "barrier", "result", "cores"]
    """What held it; `issue`: the scalar program had not come to the call."""
    by: str = ""
    """Call that waited for the flag or barrier (DeQue, AllocTensor, WaitFlag, PipeBarrier, ...)."""
    by_line: int | None = None


class PipeProfile(BaseModel):
    """One pipe of the core that was looked at."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pipe: str
    busy_us: float = Field(ge=0)
    """Time in which it worked; loads count until their data are there."""
    share: float = Field(ge=0)
    """Of the core's time."""
    instructions: int = Field(ge=0)
    work_us: float = Field(ge=0)
    """Part of its time at full rate."""
    conflict_us: float = Field(ge=0)
    """Part of its time that bank conflicts cost."""
    overhead_us: float = Field(ge=0)
    """The rest: issue of instructions, pieces of strided copies, unaligned addresses."""
    waited_us: float = Field(ge=0)
    """Time in which it stood still before an instruction."""
    bubbles: tuple[Bubble, ...] = ()


class Roofline(BaseModel):
    """What the launch could not go below, with this chip and this traffic."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    memory_us: float = Field(ge=0)
    """Bytes that memory moves, at the chip's bandwidth."""
    vector_us: float = Field(ge=0)
    """Elements of the core that ends last, at full rate."""
    cube_us: float = Field(default=0.0, ge=0)
    """Products of the core that ends last, at full rate."""
    limit_us: float = Field(ge=0)
    """The largest of them."""
    distance: float = Field(ge=0)
    """Kernel time over the limit; 0 where there is no limit."""


class Gain(BaseModel):
    """A change, and the most that it could give: computed from the trace, an estimate of a bound."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    change: str
    saves_us: float = Field(ge=0)
    """At best."""
    kernel_us: float = Field(ge=0)
    """Kernel time at best, with this change alone."""
    why: str


class Profile(BaseModel):
    """Where the time of one launch goes. All times are simulated microseconds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    provenance: Literal["simulated"] = "simulated"
    task: str
    case: str
    chip: str
    ran: bool
    """Whether the kernel compiled and ran to its end; without that there are only diagnostics."""
    diagnostics: tuple[Diagnostic, ...] = ()
    kernel_us: float = Field(default=0.0, ge=0)
    launch_us: float = Field(default=0.0, ge=0)
    """Part of it before and after the cores run."""
    core: int = 0
    """The core that was looked at: the one that ends last."""
    core_us: float = Field(default=0.0, ge=0)
    """Its time."""
    cores: int = Field(default=0, ge=0)
    """Cores that ran."""
    bound: str = ""
    """Pipe, `GM` (the chip's memory bandwidth), `launch`, or `latency` where no pipe is busy half of the time."""
    pipes: tuple[PipeProfile, ...] = ()
    roofline: Roofline | None = None
    gains: tuple[Gain, ...] = ()
    """Largest first."""
    complete: bool = True
    """Whether the trace holds the whole launch."""


def analyse(trace: Trace, estimate: Estimate, *, task: str, case: str, diagnostics: Sequence[Diagnostic]) -> Profile:
    """The profile of a launch.

    Args:
        trace: What ran when.
        estimate: The clock's summary of the same launch.
        task: Name of the task.
        case: Name of the case.
        diagnostics: Findings of the run, errors and notes.
    """
    core = trace.longest_core
    events = trace.of_core(core)
    core_us = max((e.end for e in events), default=0.0)
    pipes = tuple(_pipe(name, events, estimate, core_us) for name in PIPES if any(e.pipe == name for e in events))
    vector, cube = (sum(p.work_us for p in pipes if p.pipe == name) for name in ("V", "M"))
    limit = max(trace.memory_us, vector, cube)
    return Profile(
        task=task,
        case=case,
        chip=estimate.chip,
        ran=True,
        diagnostics=tuple(diagnostics),
        kernel_us=trace.kernel_us,
        launch_us=trace.launch_us,
        core=core,
        core_us=core_us,
        cores=trace.cores,
        bound=_bound(estimate, pipes),
        pipes=pipes,
        roofline=Roofline(
            memory_us=trace.memory_us,
            vector_us=vector,
            cube_us=cube,
            limit_us=limit,
            distance=trace.kernel_us / limit if limit else 0.0,
        ),
        gains=_gains(trace, events, pipes, core_us),
        complete=trace.complete,
    )


def _bound(estimate: Estimate, pipes: Sequence[PipeProfile]) -> str:
    if estimate.bound in ("GM", "launch"):
        return estimate.bound
    busiest = max(pipes, key=lambda p: p.share, default=None)
    return estimate.bound if busiest is None or busiest.share >= BUSY else "latency"


def _pipe(name: str, events: Sequence[Event], estimate: Estimate, core_us: float) -> PipeProfile:
    mine = [e for e in events if e.pipe == name and not e.waiting]
    occupied = sum(e.duration for e in mine)
    known = next((p for p in estimate.pipes if p.pipe == name), None)
    # The clock counts single API calls of the scalar program and the latency of loads, which events do not hold.
    busy = max(occupied, known.busy_us if known is not None else 0.0)
    work = sum(e.work for e in mine) if name != "S" else busy
    conflict = sum(e.conflict for e in mine)
    waits = [e for e in events if e.pipe == name and e.waiting and e.end < core_us]  # its end waits for all
    waited = sum(e.waited for e in mine) + sum(e.duration for e in waits)
    return PipeProfile(
        pipe=name,
        busy_us=busy,
        share=busy / core_us if core_us else 0.0,
        instructions=known.instructions if known is not None else len(mine),
        work_us=work,
        conflict_us=conflict,
        overhead_us=max(0.0, occupied - work - conflict) if name != "S" else 0.0,
        waited_us=waited,
        bubbles=_bubbles([*mine, *waits]),
    )


def _bubbles(events: Sequence[Event]) -> tuple[Bubble, ...]:
    groups: dict[tuple[object, ...], list[Event]] = defaultdict(list)
    for e in events:
        if e.held and (e.waited > 0 or e.waiting):
            groups[e.name, e.line, e.on, e.held, e.held_api, e.held_line].append(e)
    bubbles = [
        Bubble(
            us=sum(e.duration if e.waiting else e.waited for e in group),
            times=len(group),
            before=group[0].name,
            line=group[0].line,
            on=group[0].on,
            held=group[0].held or "issue",
            by=group[0].held_api,
            by_line=group[0].held_line,
        )
        for group in groups.values()
    ]
    return tuple(sorted(bubbles, key=lambda b: -b.us)[:BUBBLES])


def _gains(trace: Trace, events: Sequence[Event], pipes: Sequence[PipeProfile], core_us: float) -> tuple[Gain, ...]:
    found: list[Gain] = []

    def add(change: str, saves: float, why: str) -> None:
        # Nothing brings the cores below what memory needs.
        saves = min(saves, max(0.0, core_us - trace.memory_us))
        if saves > WORTH * trace.kernel_us:
            found.append(Gain(change=change, saves_us=saves, kernel_us=trace.kernel_us - saves, why=why))

    occupied = {p.pipe: p.work_us + p.conflict_us + p.overhead_us for p in pipes if p.pipe != "S"}
    start = next((e.duration for e in events if e.pipe == "S" and e.name == "start of the block"), 0.0)
    scalar = next((p.busy_us for p in pipes if p.pipe == "S"), 0.0)
    longest = max([*occupied.values(), scalar - start], default=0.0)
    which = max(occupied, key=lambda name: occupied[name], default="S")
    add(
        "overlap copies and computation (double buffering: InitBuffer with 2 buffers, loads issued ahead)",
        core_us - start - longest,
        f"if every pipe ran beside the others, {which if occupied.get(which, 0.0) >= scalar - start else 'S'} alone "
        "would be left",
    )
    for name in ("MTE2", "MTE3"):
        copies = [e for e in events if e.pipe == name]
        moved = sum(e.bytes for e in copies)
        fewest = math.ceil(moved / LARGE_COPY)
        overhead = sum(e.duration - e.work for e in copies) - fewest * trace.mte_issue_us
        # Who waits for a load waits for its way from memory too, once a load.
        trips = [min(e.waited, trace.mte_latency_us) for e in events if e.held == "flag" and e.on == name == "MTE2"]
        latency = sum(sorted(trips, reverse=True)[fewest:])
        others = max((us for pipe, us in occupied.items() if pipe != name), default=0.0)
        left = max(others, sum(e.work for e in copies) + fewest * trace.mte_issue_us)
        if copies:
            add(
                f"larger, contiguous, aligned copies on {name} (16 KiB and more, addresses at multiples of 512 bytes)",
                min(overhead + latency, core_us - start - left),
                f"{len(copies)} copies of {moved // len(copies)} bytes on average",
            )
    vector = [e for e in events if e.pipe == "V"]
    add(
        "operands of vector instructions in different bank groups (pad a buffer by 32 to 256 bytes)",
        sum(e.conflict for e in vector),
        "bank conflicts in UB",
    )
    add(
        "fewer, longer vector instructions",
        sum(e.duration - e.work - e.conflict for e in vector),
        f"issue of {len(vector)} vector instructions",
    )
    issue = max((p.waited_us for p in pipes if p.pipe == "V"), default=0.0)
    slow = sum(e.waited for e in events if e.held == "issue" and e.pipe == "V")
    if issue:
        add("less scalar work between instructions", slow, "V waits for the scalar program to come to its instructions")
    return tuple(sorted(found, key=lambda g: -g.saves_us))
