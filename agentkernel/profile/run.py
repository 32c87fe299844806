"""Profile a kernel: build it, run one case with a trace, analyse the trace."""

from __future__ import annotations

import math
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from agentkernel.errors import ConfigError, ToolchainError
from agentkernel.kernel import Kernel
from agentkernel.profile.analysis import Profile, analyse
from agentkernel.profile.trace import read_trace
from agentkernel.task import Case, Task

if TYPE_CHECKING:
    from agentkernel.toolchains.base import Build, Run


def profile(
    kernel: Kernel,
    task: Task | str,
    case: str | None = None,
    *,
    timeline: str | Path | None = None,
    png: str | Path | None = None,
) -> Profile:
    """Simulate one launch of a kernel and say where its time goes. What it computes is not judged.

    Args:
        kernel: The kernel.
        task: What it is written for: a task, the name of a shipped one, or a task file.
        case: Name of the case; by default the one with the most elements.
        timeline: Where to write the trace that Perfetto reads.
        png: Where to draw the timeline; needs matplotlib (the extra `plot`).

    Raises:
        ConfigError: There is no such case, a file cannot be written, or matplotlib is missing.
        ToolchainError: The simulator is missing or broken.
        TaskError: There is no such task.
    """
    from agentkernel.judge import case_values
    from agentkernel.profile.picture import plot, require_matplotlib
    from agentkernel.toolchains.simulator import SimulatorToolchain

    if png is not None:
        require_matplotlib()  # before the work, not after it
    if isinstance(task, str):
        from agentkernel.bench.suites import load_task

        task = load_task(task)
    chosen = _chosen(task, case)
    with tempfile.TemporaryDirectory(prefix="profile.") as folder, SimulatorToolchain(timeline=folder) as toolchain:
        build = toolchain.build(kernel, task)
        if not build.ok:
            return _failed(task, chosen, build)
        run = toolchain.run(build, chosen, case_values(task, chosen)[0])
        if not run.completed:
            return _failed(task, chosen, build, run)
        if run.estimate is None or not run.timeline:
            raise ToolchainError("the run left no timeline", hint="the kernel must not touch the process that runs it")
        trace = read_trace(run.timeline)
        result = analyse(
            trace, run.estimate, task=task.name, case=chosen.name, diagnostics=build.diagnostics + run.diagnostics
        )
        if timeline is not None:
            _copy(Path(run.timeline), Path(timeline))
    if png is not None:
        plot(result, trace, png)
    return result


def _chosen(task: Task, name: str | None) -> Case:
    if name is None:
        return max(task.cases, key=lambda case: sum(math.prod(t.shape) for t in task.inputs_of(case)))
    for case in task.cases:
        if case.name == name:
            return case
    names = ", ".join(case.name for case in task.cases)
    raise ConfigError(f"{task.name} has no case {name!r}", hint=f"its cases: {names}")


def _failed(task: Task, case: Case, build: Build, run: Run | None = None) -> Profile:
    diagnostics = build.diagnostics + (run.diagnostics if run is not None else ())
    return Profile(task=task.name, case=case.name, chip=task.target, ran=False, diagnostics=diagnostics)


def _copy(source: Path, target: Path) -> None:
    try:
        shutil.copyfile(source, target)
    except OSError as error:
        raise ConfigError(
            f"cannot write {target}: {error.strerror or error}", hint="name a file in a folder that exists"
        ) from error
