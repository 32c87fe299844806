"""`agentkernel solve`: let a model write a kernel."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentkernel.cli.options import (
    JsonOption,
    ModelOption,
    RunsOption,
    ToolchainOption,
    VerboseOption,
    configure_logging,
    make_toolchain,
    say,
)

if TYPE_CHECKING:
    from agentkernel.solve import SolveResult


def solve(
    task: Annotated[
        str | None,
        typer.Argument(
            help="A task of the shipped suite, a YAML file, or FILE.yaml#NAME; not needed with --resume.",
            show_default=False,
        ),
    ] = None,
    model: ModelOption = "composer",
    toolchain: ToolchainOption = "simulator",
    samples: Annotated[int, typer.Option("--samples", "-n", min=1, help="Independent runs; the best one counts.")] = 1,
    turns: Annotated[int, typer.Option("--turns", min=1, help="Model calls a run may make.")] = 6,
    tokens: Annotated[int | None, typer.Option("--tokens", min=1, help="Token budget of a run.")] = None,
    seconds: Annotated[float | None, typer.Option("--seconds", min=0.1, help="Wall-time budget of a run.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Sampling seed; style seed of the composer.")] = 0,
    resume: Annotated[str | None, typer.Option("--resume", help="Go on with a run that was killed, by its id.")] = None,
    interactive: Annotated[
        bool, typer.Option("--interactive", "-i", help="If no run solves it, go on together in a repair session.")
    ] = False,
    runs: RunsOption = Path("runs"),
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> int:
    """Draft, check, compile, verify and repair a kernel until it passes or a budget is used up."""
    from agentkernel.bench.suites import load_task
    from agentkernel.cli.progress import Progress
    from agentkernel.errors import AgentKernelError, ConfigError
    from agentkernel.solve import solve as solve_task

    configure_logging(verbose)
    if task is None and resume is None:
        raise ConfigError("no task is given", hint="`agentkernel bench list` names the shipped ones")
    spec = None if task is None else load_task(task)
    tools = make_toolchain(toolchain, quiet=as_json)
    with Progress(quiet=as_json) as progress:
        try:
            result = solve_task(
                spec,
                model=model,
                toolchain=tools,
                samples=samples,
                turns=turns,
                tokens=tokens,
                seconds=seconds,
                seed=seed,
                runs=runs,
                resume=resume,
                on_event=progress,
            )
        except (AgentKernelError, KeyboardInterrupt):
            if progress.begun is not None and not as_json:
                plan = resume or progress.begun.run_id.removesuffix(f"-{progress.begun.sample}" if samples > 1 else "")
                options = {"--model": model, "--toolchain": toolchain, "--runs": str(runs)}
                say(f"the run is kept: {_resuming(plan, options)}", end="")
            raise
    typer.echo(result.model_dump_json(indent=2) if as_json else _for_person(result))
    if interactive and not result.solved and result.kernel is not None:
        from agentkernel.cli.session import continue_by_hand

        return continue_by_hand(result, model=model, toolchain=tools, runs=runs)
    return 0 if result.solved else 1


def _resuming(run_id: str, options: dict[str, str]) -> str:
    """The command that goes on with a run; options at their defaults are left out."""
    usual = {"--model": "composer", "--toolchain": "simulator", "--runs": "runs"}
    words = [word for name, value in options.items() if value != usual[name] for word in (name, value)]
    return shlex.join(["agentkernel", "solve", "--resume", run_id, *words])


def _for_person(result: SolveResult) -> str:
    from agentkernel.render import verdict_for_person

    lines = []
    if result.verdict is not None:
        lines.append(verdict_for_person(result.verdict, result.kernel))
    state = "solved" if result.solved else f"not solved ({result.outcome})"
    lines.append(
        f"{result.task}: {state} in {result.turns} turn{'s' if result.turns != 1 else ''}, model {result.model}"
    )
    if result.kernel_path is not None:
        lines.append(f"kernel  {result.kernel_path}")
    lines.extend(f"run     {path}" for path in result.run_paths)
    return "\n".join(lines)
