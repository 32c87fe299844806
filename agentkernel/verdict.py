"""Verdict: how far a candidate came, and what was found on the way."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from agentkernel.diagnostic import Diagnostic, Level


class Stage(StrEnum):
    """Steps of judging, in order. A verdict names the step that it ended in."""

    EXTRACT = "extract"
    """Taking the kernel out of a model's answer."""
    CHECK = "check"
    """The API oracle, before any compiler."""
    COMPILE = "compile"
    """The toolchain's compiler."""
    RUN = "run"
    """Executing the cases."""
    VERIFY = "verify"
    """Comparing outputs with the reference."""


class PipeTime(BaseModel):
    """Occupation of one pipe of the busiest core."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pipe: str
    """S, V, M, MTE1, MTE2, MTE3 or FIX."""
    busy_us: float = Field(ge=0)
    """Microseconds in which the pipe worked."""
    instructions: int = Field(ge=0)


class Estimate(BaseModel):
    """Time of one kernel launch as the toolchain gives it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    provenance: Literal["simulated", "measured"]
    """`simulated`: the clock of the CPU simulator. `measured`: a profiler on a card."""
    kernel_us: float = Field(ge=0)
    """Microseconds from launch to the last core's end."""
    bound: str = ""
    """Pipe that is busiest, or `latency` where none is busy for half of the time."""
    pipes: tuple[PipeTime, ...] = ()
    chip: str = ""


class ErrorStats(BaseModel):
    """Distance of one output from its reference."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    output: str
    mean_relative: float
    """MERE: mean over elements of |got - expected| / (|expected| + 1e-7)."""
    max_relative: float
    """MARE: maximum of the same."""
    threshold: float
    """t of the precision standard; MERE < t and MARE < 10 t pass."""
    mismatched: int = Field(ge=0)
    """Elements that fail by themselves."""
    total: int = Field(ge=0)


class CaseResult(BaseModel):
    """Outcome of one case."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    case: str
    passed: bool
    diagnostics: tuple[Diagnostic, ...] = ()
    errors: tuple[ErrorStats, ...] = ()
    estimate: Estimate | None = None
    seconds: float = Field(default=0.0, ge=0)
    """Wall time of running and judging, on this machine."""


class Verdict(BaseModel):
    """Outcome of judging one candidate against one task."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    passed: bool
    stage: Stage
    """Step that judging ended in; `verify` for a pass."""
    toolchain: str
    """Name of the toolchain that judged, e.g. `simulator`."""
    provenance: Literal["simulated", "measured"] = "simulated"
    diagnostics: tuple[Diagnostic, ...] = ()
    """Findings that belong to no case (extract, check, compile)."""
    cases: tuple[CaseResult, ...] = ()
    """Results of the cases that ran, in the task's order; judging runs all of them unless told to stop early."""
    seconds: dict[str, float] = Field(default_factory=dict)
    """Wall time by stage name."""
    sandbox: tuple[str, ...] = ()
    """Walls that were in force while the candidate ran."""

    @property
    def all_diagnostics(self) -> tuple[Diagnostic, ...]:
        """Findings of all stages and cases, in that order."""
        return self.diagnostics + tuple(d for case in self.cases for d in case.diagnostics)

    @property
    def compiled(self) -> bool:
        """Whether the toolchain accepted the sources."""
        return self.stage in (Stage.RUN, Stage.VERIFY)

    @property
    def outcome(self) -> Literal["pass", "fail", "cheat"]:
        """`cheat` where any error is of that level: such a kernel is not wrong by accident."""
        if any(d.is_error and d.level is Level.CHEAT for d in self.all_diagnostics):
            return "cheat"
        return "pass" if self.passed else "fail"

    @property
    def failure_level(self) -> Level | None:
        """Level of the first error, or cheat where one is; None for a pass; decides the kind of repair turn."""
        if self.outcome == "cheat":
            return Level.CHEAT
        return next((d.level for d in self.all_diagnostics if d.is_error), None)

    @property
    def kernel_us(self) -> float | None:
        """Largest estimate over the cases in microseconds, None where no case has one."""
        times = [c.estimate.kernel_us for c in self.cases if c.estimate is not None]
        return max(times) if times else None
