"""`agentkernel profile`: where a kernel's time goes, as the simulator estimates it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agentkernel.cli.options import (
    JsonOption,
    KernelArgument,
    TaskOption,
    VerboseOption,
    configure_logging,
    read_kernel,
)


def profile(
    kernel: KernelArgument,
    task: TaskOption,
    case: Annotated[str | None, typer.Option("--case", help="The case to run; by default the largest.")] = None,
    timeline: Annotated[
        Path | None, typer.Option("--timeline", help="Write the trace for ui.perfetto.dev here.", dir_okay=False)
    ] = None,
    png: Annotated[
        Path | None, typer.Option("--png", help="Draw the timeline here (needs matplotlib).", dir_okay=False)
    ] = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> int:
    """Simulate one launch: what bounds the kernel, where its pipes wait, what would help. Values are not judged."""
    from agentkernel.bench.suites import load_task
    from agentkernel.profile import for_person
    from agentkernel.profile import profile as measure

    configure_logging(verbose)
    spec = load_task(task)
    found = measure(read_kernel(kernel, spec), spec, case, timeline=timeline, png=png)
    typer.echo(found.model_dump_json(indent=2) if as_json else for_person(found))
    for path in (timeline, png):
        if path is not None and found.ran:
            typer.echo(f"written: {path}", err=True)
    return 0 if found.ran else 1
