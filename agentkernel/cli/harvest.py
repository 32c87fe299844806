"""`agentkernel harvest`: turn runs into training rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agentkernel.cli.options import JsonOption


def harvest(
    runs: Annotated[list[Path], typer.Argument(help="Run folders, as `solve --runs` wrote them.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write the data set to.")] = Path("harvested"),
    exclude_suite: Annotated[
        list[str] | None, typer.Option("--exclude-suite", help="Keep tasks of this suite out of the training split.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Write solved drafts and repairs as SFT rows, and execution preferences as DPO pairs, in TRL's formats."""
    from agentkernel.training.harvest import harvest as harvest_runs

    report = harvest_runs(runs, out, exclude_suites=tuple(exclude_suite or ()))
    typer.echo(report.model_dump_json(indent=2) if as_json else report.for_person())
    return 0
