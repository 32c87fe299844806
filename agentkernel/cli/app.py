"""The command tree, and the one place where errors become exit statuses.

Only Typer is imported here: every command imports what it needs when it runs, so that `--help` answers at once.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from agentkernel.cli import bench, doctor, export, harvest, judge, profile, session, solve

INTERRUPTED = 130
"""128 + SIGINT, as shells report it."""

app = typer.Typer(
    name="agentkernel",
    help="Write Ascend C kernels with language models; judge them on a CPU simulator or on a card.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
bench_app = typer.Typer(help="Task suites: list and validate them.", no_args_is_help=True, rich_markup_mode=None)
app.command("solve")(solve.solve)
app.command("verify")(judge.verify)
app.command("profile")(profile.profile)
app.command("repair")(session.repair)
app.command("harvest")(harvest.harvest)
app.command("export")(export.export)
app.add_typer(bench_app, name="bench")
bench_app.command("list")(bench.list_tasks)
bench_app.command("validate")(bench.validate)
bench_app.command("draw")(bench.draw)
app.command("doctor")(doctor.doctor)


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Write Ascend C kernels with language models; judge them on a CPU simulator or on a card."""
    if version:
        from agentkernel import __version__

        typer.echo(f"agentkernel {__version__}")
        raise typer.Exit


def run(argv: list[str] | None = None) -> int:
    """Run one command and return its exit status; errors of this library end in one clear line on stderr."""
    from agentkernel.errors import AgentKernelError

    try:
        status = app(args=argv, standalone_mode=False)
    except typer.TyperException as error:
        text = error.format_message()
        if text.startswith("Usage:"):  # a bare `agentkernel`
            print(text, file=sys.stderr)
        else:
            print(f"agentkernel: {text}\n  -> `agentkernel COMMAND --help` shows what a command takes", file=sys.stderr)
        return error.exit_code
    except AgentKernelError as error:
        print(f"agentkernel: {error.message}", file=sys.stderr)
        if error.hint:
            print(f"  -> {error.hint}", file=sys.stderr)
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        print("agentkernel: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone; nothing is left to say
        return 0
    return status if isinstance(status, int) else 0
