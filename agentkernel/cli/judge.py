"""`agentkernel verify`: judge a kernel by hand, no model."""

from __future__ import annotations

from typing import Annotated

import typer

from agentkernel.cli.options import (
    JsonOption,
    KernelArgument,
    TaskOption,
    ToolchainOption,
    VerboseOption,
    configure_logging,
    make_toolchain,
    read_kernel,
)


def verify(
    kernel: KernelArgument,
    task: TaskOption,
    toolchain: ToolchainOption = "simulator",
    case: Annotated[list[str] | None, typer.Option("--case", help="Only these cases (repeat the option).")] = None,
    check: Annotated[bool, typer.Option(help="Run the API oracle before the compiler.")] = True,
    unseen: Annotated[bool, typer.Option(help="Run a kernel that passes once more on what is in no case.")] = True,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> int:
    """Compile a kernel, run it on every case of a task and judge what it computes."""
    from agentkernel.bench.suites import load_task
    from agentkernel.render import verdict_for_person
    from agentkernel.verify import verify as judge

    configure_logging(verbose)
    spec = load_task(task)
    candidate = read_kernel(kernel, spec)
    chosen = make_toolchain(toolchain, quiet=as_json)
    verdict = judge(candidate, spec, chosen, cases=case or None, check=check, unseen=unseen)
    typer.echo(verdict.model_dump_json(indent=2) if as_json else verdict_for_person(verdict, candidate))
    return 0 if verdict.passed else 1
