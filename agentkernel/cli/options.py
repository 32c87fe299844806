"""Options that several commands share, and how they become objects."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from agentkernel.kernel import Kernel
    from agentkernel.task import Task
    from agentkernel.toolchains.base import Toolchain

TaskOption = Annotated[
    str, typer.Option("--task", "-t", help="A task of the shipped suite, a YAML file, or FILE.yaml#NAME.")
]
KernelArgument = Annotated[Path, typer.Argument(help="A .cpp file or a folder of sources.", show_default=False)]
ToolchainOption = Annotated[str, typer.Option("--toolchain", help="simulator, simulator:CHIP (docs/chips.md) or cann.")]
RunsOption = Annotated[Path, typer.Option("--runs", help="Folder that runs are written to.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
VerboseOption = Annotated[bool, typer.Option("--verbose", "-v", help="Log every step to stderr.")]
ModelOption = Annotated[
    str,
    typer.Option(
        "--model",
        "-m",
        help="composer (default, rules instead of a model), or a model name served at AGENTKERNEL_BASE_URL.",
    ),
]


def say(text: str, end: str = " ...") -> None:
    """One line on stderr about what is going on."""
    typer.echo(f"agentkernel: {text}{end}", err=True)


def make_toolchain(name: str, *, quiet: bool = False) -> Toolchain:
    """The toolchain of a name.

    Args:
        name: `simulator`, `simulator:CHIP` for another chip than the task's target, or `cann`.
        quiet: Do not say on stderr what takes long.

    Raises:
        ConfigError: There is no toolchain of that name.
        ToolchainError: It cannot work on this machine.
    """
    from agentkernel.errors import ConfigError

    kind, _, chip = name.partition(":")
    if kind == "simulator":
        from agentkernel.toolchains.simulator import SimulatorToolchain

        return SimulatorToolchain(chip=chip or None, tell=None if quiet else say)
    if name == "cann":
        from agentkernel.toolchains.cann import CannToolchain

        return CannToolchain()
    raise ConfigError(f"there is no toolchain {name!r}", hint="use --toolchain simulator, simulator:CHIP or cann")


def read_kernel(path: Path, task: Task) -> Kernel:
    """The kernel at a path, with the task's entry."""
    from agentkernel.kernel import Kernel

    return Kernel.from_path(path, task.entry)


def configure_logging(verbose: bool) -> None:
    """Structured logs go to stderr: warnings only, or everything with `--verbose`."""
    import logging
    import sys

    import structlog

    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False),
            structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty()),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG if verbose else logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
    )
