"""Run the measurements and write docs/measurements.md: `python docs/measure.py` (minutes).

Figures are ratios of two sides timed in one run, or counts; absolute times are of the machine that the head names.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

COMMANDS = (
    ("Text to verdict", "python -m agentkernel.bench.text_to_verdict"),
    ("Simulating against NumPy", "python -m agentkernel.bench.simulator_speed"),
    ("Matrix product against NumPy", "python -m agentkernel.bench.matmul_speed"),
    ("Two kernels side by side", "python -m agentkernel.bench.side_by_side"),
    ("Memory", "python -m agentkernel.bench.memory"),
    ("Simulating against Triton's CPU interpreter", "python -m agentkernel.bench.triton_interpreter"),
    ("Composer x tasks x 8 style seeds", "python -m agentkernel.composer.proof --seeds 8"),
    ("Start of the command line", "python -m agentkernel.bench.start_up"),
)

NEEDS = {"triton_interpreter": "triton"}
"""Package that a command needs beside the library's own, by module."""


def missing(command: str) -> str:
    """The extra that a command needs and that is not installed, or nothing."""
    extra = NEEDS.get(command.split()[2].rpartition(".")[2], "")
    return extra if extra and importlib.util.find_spec(extra) is None else ""


def run(command: str) -> str:
    """Standard output of a command; a failure ends the measurement."""
    if extra := missing(command):
        return f"not measured: needs pip install 'agentkernel[{extra}]'"
    words = [sys.executable, *command.split()[1:]]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=HERE.parent)
    if done.returncode:
        raise SystemExit(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def revision() -> str:
    """Commit that is measured, marked when the tree differs from it."""
    words = ["git", "describe", "--always", "--dirty"]
    return subprocess.run(words, capture_output=True, text=True, check=True, cwd=HERE).stdout.strip()


def main() -> None:
    """Measure and write."""
    head = f"Python {platform.python_version()}, {os.cpu_count()} CPUs, commit {revision()}"
    lines = ["# Measurements", "", f"Written by `python docs/measure.py`. {head}.", ""]
    for title, command in COMMANDS:
        print(command, file=sys.stderr, flush=True)
        lines += [f"## {title}", "", f"    $ {command}", *(f"    {line}" for line in run(command).splitlines()), ""]
    (HERE / "measurements.md").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
