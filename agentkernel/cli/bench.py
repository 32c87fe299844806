"""`agentkernel bench`: the shipped task suites."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from agentkernel.cli.options import JsonOption

SuiteOption = Annotated[str, typer.Option("--suite", help="Name of a shipped suite, or a folder of task files.")]


def list_tasks(suite: SuiteOption = "core", as_json: JsonOption = False) -> int:
    """List the tasks of a suite."""
    from agentkernel.bench.suites import suite as load_suite

    tasks = load_suite(suite)
    if as_json:
        typer.echo(json.dumps([task.model_dump(mode="json") for task in tasks], indent=2))
        return 0
    width = max(len(task.name) for task in tasks)
    for task in tasks:
        kinds = " ".join(sorted({str(t.dtype) for t in (*task.inputs, *task.outputs)}))
        more = f"  ({task.beyond_single_tensors})" if task.beyond_single_tensors else ""
        typer.echo(
            f"{task.name:<{width}}  {task.level}  {task.shape_mode:<7}  {len(task.cases):>2} cases  {kinds}{more}"
        )
    typer.echo(f"\n{len(tasks)} tasks in suite {suite!r}.")
    return 0


def validate(suite: SuiteOption = "core", as_json: JsonOption = False) -> int:
    """Check every task of a suite: the reference evaluates on every case with the declared shapes and dtypes."""
    from agentkernel.bench.suites import suite as load_suite
    from agentkernel.bench.suites import validate as validate_tasks

    problems = validate_tasks(load_suite(suite))
    if as_json:
        typer.echo(
            json.dumps({"ok": not problems, "problems": [p.model_dump(mode="json") for p in problems]}, indent=2)
        )
        return 1 if problems else 0
    for problem in problems:
        typer.echo(f"{problem.task}: {problem.message}")
    typer.echo(f"{len(problems)} problems." if problems else f"Suite {suite!r} is valid.")
    return 1 if problems else 0


def draw(
    suite: SuiteOption = "core",
    seed: Annotated[int | None, typer.Option("--seed", help="The same seed draws the same task.")] = None,
) -> int:
    """Print the name of a task drawn from a suite, one that the composer can write."""
    from agentkernel.bench.draw import draw as draw_task
    from agentkernel.bench.suites import suite as load_suite

    typer.echo(draw_task(load_suite(suite), seed).name)
    return 0
