"""Toolchain: the seam behind which kernels are compiled and run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from agentkernel.diagnostic import Diagnostic
from agentkernel.kernel import Kernel
from agentkernel.task import Case, Task
from agentkernel.verdict import Estimate

Arrays = Mapping[str, NDArray[Any]]
"""Arrays by tensor name."""


class Build(BaseModel):
    """Result of compiling one kernel."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ok: bool
    kernel: Kernel
    task: Task
    artifact: str = ""
    """Absolute path of the built object, empty when `ok` is false. Owned by the toolchain; valid until `close`."""
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds: float = Field(default=0.0, ge=0)


class Run(BaseModel):
    """Result of launching one built kernel on one case."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True, extra="forbid")

    completed: bool
    """Whether the kernel ran to its end; outputs are only meaningful then."""
    outputs: dict[str, NDArray[Any]] = Field(default_factory=dict)
    """By output name, of the declared shape and dtype."""
    unwritten: dict[str, int] = Field(default_factory=dict)
    """Elements of an output that nothing wrote, by output name; absent for 0."""
    diagnostics: tuple[Diagnostic, ...] = ()
    estimate: Estimate | None = None
    seconds: float = Field(default=0.0, ge=0)
    sandbox: tuple[str, ...] = ()
    """Walls that were in force."""
    timeline: str = ""
    """Path of a Perfetto (Chrome trace) JSON file, where one was asked for."""


@runtime_checkable
class Toolchain(Protocol):
    """Compiles and runs Ascend C. Methods block; callers on an event loop use a thread."""

    @property
    def name(self) -> str:
        """`simulator`, `cann`, ..."""
        ...

    @property
    def versions(self) -> dict[str, str]:
        """What decides results here (compiler, runtime, chip data), for trajectory headers."""
        ...

    def build(self, kernel: Kernel, task: Task) -> Build:
        """Compile a kernel for a task. A candidate's faults are diagnostics of the result.

        Raises:
            ToolchainError: The toolchain is missing or broken.
        """
        ...

    def run(self, build: Build, case: Case, inputs: Arrays) -> Run:
        """Launch a built kernel on one case. A candidate's faults are diagnostics of the result.

        Args:
            build: A successful build of this toolchain.
            case: A case of `build.task`.
            inputs: Every input of the task, of the case's shape and the declared dtype; read-only.

        Raises:
            ToolchainError: The toolchain is missing or broken.
        """
        ...
