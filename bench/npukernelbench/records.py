"""What became of a case, and the journal that keeps it while a run goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from agentkernel.errors import ConfigError


class Status(StrEnum):
    """Outcome of one case."""

    PASS = "pass"
    """It ran, nothing was found, and both judgements say that it is right."""
    FAIL = "fail"
    """A rule of the device was broken, or the numbers are wrong by one of the judgements."""
    OVERRUN = "overrun"
    """Right by both judgements, but it reads or writes past the end of a tensor, within the room of 512 bytes that
    allocators leave there."""
    HAZARD = "hazard"
    """Right by both judgements, but an ordering that it relies on is not guaranteed."""
    HOST_ERROR = "host error"
    """Host code did not compile, or tiling failed, or the call fits no variant."""
    COMPILE_ERROR = "compile error"
    """Device code did not compile."""
    UNSUPPORTED = "unsupported API"
    """It needs an API that the simulator does not have."""
    GENERATOR_ERROR = "generator error"
    """The benchmark's generator does not make the inputs on a CPU."""
    REFERENCE_ERROR = "reference error"
    """The benchmark's reference, bindings or checker raised."""
    TIME_LIMIT = "time limit"
    """The simulator did not come to an end in time."""
    SIMULATOR_ERROR = "simulator error"
    """The simulator itself failed."""
    NO_ANSWER = "no answer"
    """The benchmark has no official answer, or its answer has no part in this case."""


class CaseRecord(BaseModel):
    """One row of the table."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    """E.g. `level1/Math/Sqrt`."""
    case: int
    elements: int = -1
    """Of all inputs; -1 where they cannot be made."""
    status: Status
    official: bool | None = None
    """The benchmark's own checker; None where it did not come to that."""
    ours: bool | None = None
    """Our judgement of the numbers alone."""
    code: str = ""
    """Code of the first error."""
    reason: str = ""
    place: str = ""
    """Where it was found, e.g. `op_kernel/sqrt.cpp:40`."""
    second_look: str = ""
    """Under which conditions it ran to its end, where it did not as it is."""
    notes: str = ""
    dtypes: str = ""
    """Variant: element types of inputs and outputs."""
    tiling_key: int | None = None
    blocks: int | None = None
    reference: str = ""
    """`double` or `native`."""
    kernel_us: float | None = None
    """Simulated microseconds."""
    seconds: float = 0.0
    """Wall time of the case on this machine."""

    @property
    def key(self) -> tuple[str, int]:
        """Task and case."""
        return self.task, self.case


class Journal:
    """Records of a run, one line each, written as they come: what is there survives whatever happens next.

    Args:
        path: The file; it is made when the first record comes.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[tuple[str, int], CaseRecord]:
        """The last record of every case. A line that was cut off by the end of its writer is left out.

        Raises:
            ConfigError: A line is no record.
        """
        if not self._path.exists():
            return {}
        found: dict[tuple[str, int], CaseRecord] = {}
        lines = self._path.read_text(encoding="utf-8").split("\n")
        for number, line in enumerate(lines, start=1):
            if not line:
                continue
            try:
                record = CaseRecord.model_validate_json(line)
            except ValidationError as error:
                if number == len(lines):
                    break
                raise ConfigError(f"{self._path}:{number} is no record", hint="remove the file or the line") from error
            found[record.key] = record
        return found

    def add(self, record: CaseRecord) -> None:
        """Write a record; it is on the disk when this returns."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a+b") as file:
            file.seek(0)
            written = file.read()
            if not written.endswith(b"\n"):  # the end of a writer that was stopped
                file.truncate(written.rfind(b"\n") + 1)
            file.write(record.model_dump_json().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())


class Sizes:
    """Measured sizes of cases, kept beside the journal: measuring runs the benchmark's generators.

    Args:
        path: A JSON file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, int] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def get(self, task: str, case: int) -> int | None:
        """Elements of a case's inputs, None where they were not measured; -1 where they cannot be made."""
        return self._known.get(f"{task}/{case}")

    def add(self, measured: Iterable[tuple[str, int, int]]) -> None:
        """Keep sizes: task, case, elements."""
        self._known.update({f"{task}/{case}": elements for task, case, elements in measured})
        self._path.parent.mkdir(parents=True, exist_ok=True)
        new = self._path.with_suffix(".new")
        new.write_text(json.dumps(self._known), encoding="utf-8")
        os.replace(new, self._path)
