"""`agentkernel repair`: mend a kernel together with a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentkernel.cli.options import (
    ModelOption,
    RunsOption,
    ToolchainOption,
    VerboseOption,
    configure_logging,
    make_toolchain,
    read_kernel,
)

if TYPE_CHECKING:
    from agentkernel.solve import SolveResult
    from agentkernel.toolchains.base import Toolchain


def repair(
    kernel: Annotated[
        Path | None,
        typer.Argument(help="A .cpp file or a folder of sources; not needed with --resume.", show_default=False),
    ] = None,
    task: Annotated[
        str | None, typer.Option("--task", "-t", help="A task of the shipped suite, a YAML file, or FILE.yaml#NAME.")
    ] = None,
    model: ModelOption = "composer",
    toolchain: ToolchainOption = "simulator",
    seed: Annotated[int, typer.Option("--seed", help="Sampling seed.")] = 0,
    resume: Annotated[
        str | None, typer.Option("--resume", help="Go on with a session that was left, by its id.")
    ] = None,
    runs: RunsOption = Path("runs"),
    verbose: VerboseOption = False,
) -> int:
    """Mend a kernel in a session: see the verdict, give a hint, edit, let the model try, accept or stop."""
    from agentkernel.bench.suites import load_task
    from agentkernel.errors import ConfigError
    from agentkernel.session import RepairSession
    from agentkernel.terminal import RepairTerminal

    configure_logging(verbose)
    tools = make_toolchain(toolchain)
    if resume is not None:
        return RepairTerminal(
            lambda tell: RepairSession.resume(
                resume, task=task, finish_step=False, model=model, toolchain=tools, runs=runs, on_event=tell
            ),
            origin=kernel,
        ).run()
    if kernel is None or task is None:
        raise ConfigError("a session needs a kernel and --task", hint="or --resume RUN_ID to go on with one")
    spec = load_task(task)
    candidate = read_kernel(kernel, spec)
    return RepairTerminal(
        lambda tell: RepairSession.start(
            candidate, spec, origin=kernel, seed=seed, model=model, toolchain=tools, runs=runs, on_event=tell
        ),
        origin=kernel,
    ).run()


def continue_by_hand(result: SolveResult, *, model: str, toolchain: Toolchain, runs: Path) -> int:
    """Open a session on the best kernel of an unsolved `solve`."""
    from agentkernel.session import RepairSession
    from agentkernel.terminal import RepairTerminal

    if result.kernel is None or result.kernel_path is None:
        return 1
    kernel, origin, task = result.kernel, result.kernel_path, result.trajectories[0].header.task
    return RepairTerminal(
        lambda tell: RepairSession.start(
            kernel, task, origin=origin, model=model, toolchain=toolchain, runs=runs, on_event=tell
        ),
        origin=origin,
    ).run()
