"""A toolchain that answers from a script: for tests of what stands on the seam, without a compiler."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from agentkernel.diagnostic import Diagnostic
from agentkernel.errors import ToolchainError
from agentkernel.kernel import Kernel
from agentkernel.task import Case, Task
from agentkernel.toolchains.base import Arrays, Build, Run
from agentkernel.verdict import Estimate


class ScriptedRun(BaseModel):
    """What a launch gives."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True, extra="forbid")

    completed: bool = True
    outputs: dict[str, NDArray[Any]] = Field(default_factory=dict)
    unwritten: dict[str, int] = Field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    estimate: Estimate | None = None


class Script(BaseModel):
    """What becomes of one kernel."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True, extra="forbid")

    ok: bool = True
    diagnostics: tuple[Diagnostic, ...] = ()
    """Findings of compiling."""
    runs: dict[str, ScriptedRun] = Field(default_factory=dict)
    """By case name."""
    error: str = ""
    """Message of a ToolchainError to raise on building instead; empty for none."""


class ScriptedToolchain:
    """Gives prepared results by kernel digest, and keeps what it was asked.

    Args:
        scripts: What becomes of each kernel, by its digest.
        default: What becomes of any other kernel; without it, asking for one is an error.
    """

    def __init__(self, scripts: Mapping[str, Script], *, default: Script | None = None) -> None:
        self._scripts = dict(scripts)
        self._default = default
        self._lock = threading.Lock()
        self.asked: list[tuple[str, str]] = []
        """(`build` or a case's name, kernel digest) of every call, in order."""

    @property
    def name(self) -> str:
        """`scripted`."""
        return "scripted"

    @property
    def versions(self) -> dict[str, str]:
        """Nothing decides results here but the script."""
        return {"toolchain": "scripted"}

    def build(self, kernel: Kernel, task: Task) -> Build:
        """The scripted build.

        Raises:
            ToolchainError: The script says so, or holds nothing for this kernel.
        """
        self._note("build", kernel)
        script = self._script(kernel)
        if script.error:
            raise ToolchainError(script.error, hint="the script asked for this error")
        artifact = f"scripted:{kernel.digest}" if script.ok else ""
        return Build(ok=script.ok, kernel=kernel, task=task, artifact=artifact, diagnostics=script.diagnostics)

    def run(self, build: Build, case: Case, inputs: Arrays) -> Run:
        """The scripted run.

        Raises:
            ToolchainError: The build is not a successful one, or the script holds nothing for this case.
        """
        self._note(case.name, build.kernel)
        if not build.ok:
            raise ToolchainError("a kernel that did not compile cannot be run", hint="look at the build's diagnostics")
        scripted = self._script(build.kernel).runs.get(case.name)
        if scripted is None:
            raise ToolchainError(f"the script holds no run of case {case.name!r}", hint="add it to the script")
        return Run(
            completed=scripted.completed,
            outputs=dict(scripted.outputs),
            unwritten=dict(scripted.unwritten),
            diagnostics=scripted.diagnostics,
            estimate=scripted.estimate,
        )

    def _script(self, kernel: Kernel) -> Script:
        script = self._scripts.get(kernel.digest, self._default)
        if script is None:
            raise ToolchainError(
                f"the script holds no kernel {kernel.digest[:12]} (entry {kernel.entry})", hint="add it, or a default"
            )
        return script

    def _note(self, what: str, kernel: Kernel) -> None:
        with self._lock:
            self.asked.append((what, kernel.digest))
