"""`agentkernel export`: a kernel as a project of the real toolchain."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agentkernel.cli.options import JsonOption, KernelArgument, TaskOption, read_kernel


def export(
    kernel: KernelArgument,
    task: TaskOption,
    out: Annotated[Path, typer.Option("--out", "-o", help="A new or empty folder.")],
    form: Annotated[str, typer.Option("--form", help="msopgen, direct or cann-bench.")] = "msopgen",
    case: Annotated[
        str | None, typer.Option("--case", help="Case whose values a direct project has; the first by default.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Write a kernel as a project that CANN builds: an operator package, a direct launch or a benchmark submission."""
    import json

    from agentkernel.bench.suites import load_task
    from agentkernel.errors import ConfigError
    from agentkernel.export import Form
    from agentkernel.export import export as write

    if form not in list(Form):
        raise ConfigError(f"there is no form {form!r}", hint=f"forms: {', '.join(Form)}")
    spec = load_task(task)
    written = write(read_kernel(kernel, spec), spec, Form(form), out, case=case)
    if as_json:
        typer.echo(json.dumps({"form": form, "folder": str(out), "files": [str(path) for path in written]}, indent=2))
    else:
        typer.echo(f"{len(written)} files in {out}")
        for path in written:
            typer.echo(f"  {path.relative_to(out)}")
    return 0
