"""One argument of a call through the benchmark's bindings, and what goes wrong where calls do not fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class MappingError(Exception):
    """A call does not fit the operator's definition."""


class OtherOperatorError(MappingError):
    """The layer above gives the call to an operator that is not the answer's."""


@dataclass(frozen=True)
class Recorded:
    """One argument of a recorded call: its kind (see `recorder.Argument`) and its value, tensors as arrays."""

    kind: str
    value: Any
    zeroed: bool = False
    """Whether the binding has set a tensor to zero, as it does for an output that a kernel adds to."""
