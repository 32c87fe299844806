"""Diagnostic: one finding about a candidate kernel, as typed data."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Level(StrEnum):
    """Family of a finding; decides which repair prompt the model gets."""

    FORMAT = "format"
    """The answer holds no kernel that can be taken out of it (empty, truncated, no code block)."""
    API = "api"
    """The source does not fit the language or the API: unknown name, arity, dtype, forbidden C++, compiler error."""
    HOST = "host"
    """The host side (tiling, registration, shape inference) failed."""
    RUNTIME = "runtime"
    """It compiled, but running it broke a rule: alignment, bounds, capacity, deadlock, crash, limit."""
    HAZARD = "hazard"
    """An ordering that the hardware does not guarantee: two accesses conflict and no synchronisation orders them."""
    NUMERIC = "numeric"
    """It ran to its end and some output value, shape or dtype is wrong."""
    PERFORMANCE = "performance"
    """It is right but wasteful; advice, never a failure by itself."""
    CHEAT = "cheat"
    """It tries to look right without doing the work, or to get at the harness."""


class Severity(StrEnum):
    """Whether a finding fails the candidate."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Location(BaseModel):
    """Place in a candidate's source. Lines and columns are 1-based and count in the file as the author wrote it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str
    """Path of the file inside the kernel, as in `Kernel.files`."""
    line: int = Field(ge=1)
    column: int | None = Field(default=None, ge=1)
    """None where only the line is known (findings of a run come from line tables)."""
    end_column: int | None = Field(default=None, ge=1)
    """One past the last column of the text in question, on the same line."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column is not None else "")


class Diagnostic(BaseModel):
    """One finding about a candidate kernel.

    `code` is a stable kebab-case string (`unknown-api`, `ub-overflow`, `missing-sync`); the list with one line each is
    `agentkernel.codes`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    level: Level
    message: str
    """One or two sentences: what is wrong, with the names and numbers of this case."""
    severity: Severity = Severity.ERROR
    location: Location | None = None
    related: tuple[tuple[Location, str], ...] = ()
    """Further places with what each is, e.g. the other instruction of a hazard."""
    hint: str = ""
    """What to do; for the API level the nearest legal call."""
    apis: tuple[str, ...] = ()
    """Ascend C names that this finding touches; repair prompts show their cards."""
    evidence: dict[str, Any] = Field(default_factory=dict)
    """Further typed facts (JSON values only), e.g. bytes, limits, expected and got."""

    @property
    def is_error(self) -> bool:
        """Whether this finding fails the candidate."""
        return self.severity is Severity.ERROR
