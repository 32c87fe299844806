"""Proof of the composer: every composable task of a suite in several styles, judged on the simulator.

    python -m agentkernel.composer.proof [--suite core] [--seeds 8] [--only NAME...] [--json FILE]

Prints a line per task and the counts; the exit status is 0 where every kernel compiled, passed and had no finding of
any kind that counts as an error.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from agentkernel.composer.composition import Composition, compose
from agentkernel.composer.errors import Refusal
from agentkernel.task import Task
from agentkernel.toolchains.base import Toolchain


class Row(BaseModel):
    """What became of one task."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    refusal: str = ""
    """Why it was not composed; empty where it was."""
    kernels: int = 0
    """Composed kernels, one per seed."""
    distinct: int = 0
    """Different sources among them."""
    compiled: int = 0
    passed: int = 0
    findings: tuple[str, ...] = ()
    """`seed code at line: message` of the findings of kernels that failed, and of hazards of any."""


def prove(tasks: Sequence[Task], seeds: int, toolchain: Toolchain, *, workers: int = 2) -> Iterator[Row]:
    """Compose and judge every task in every style.

    Args:
        tasks: What to compose.
        seeds: Styles 0 to seeds - 1.
        toolchain: Where kernels are judged.
        workers: Kernels judged at the same time.
    """
    with ThreadPoolExecutor(max_workers=workers) as pool:
        for task in tasks:
            try:
                compositions = [compose(task, seed) for seed in range(seeds)]
            except Refusal as refusal:
                yield Row(task=task.name, refusal=str(refusal))
                continue
            judged = list(pool.map(lambda c, task=task: _judge(c, task, toolchain), compositions))
            yield Row(
                task=task.name,
                kernels=len(judged),
                distinct=len({c.kernel.digest for c in compositions}),
                compiled=sum(compiled for compiled, _, _ in judged),
                passed=sum(passed for _, passed, _ in judged),
                findings=tuple(line for _, _, lines in judged for line in lines),
            )


def _judge(composition: Composition, task: Task, toolchain: Toolchain) -> tuple[bool, bool, list[str]]:
    from agentkernel.diagnostic import Level
    from agentkernel.verify import verify

    verdict = verify(composition.kernel, task, toolchain)
    shown = [
        f"seed {composition.seed}: {d.code} at {d.location}: {d.message}"
        for d in verdict.all_diagnostics
        if d.is_error or d.level is Level.HAZARD
    ]
    hazard = any(d.level is Level.HAZARD for d in verdict.all_diagnostics)
    return verdict.compiled, verdict.passed and not hazard, shown


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 0 where every composed kernel passes."""
    from agentkernel.bench.suites import suite
    from agentkernel.toolchains.simulator import SimulatorToolchain

    parser = argparse.ArgumentParser(description="judge the composer's kernels on the simulator")
    parser.add_argument("--suite", default="core", help="a shipped suite or a folder of task files")
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--only", nargs="*", default=[], help="names of tasks")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", type=Path, help="write the rows to a file, one JSON object a line")
    options = parser.parse_args(arguments)
    tasks = [task for task in suite(options.suite) if not options.only or task.name in options.only]
    rows = []
    start = time.monotonic()
    with SimulatorToolchain() as toolchain:
        for row in prove(tasks, options.seeds, toolchain, workers=options.workers):
            rows.append(row)
            print(_line(row), flush=True)
            for finding in row.findings[:8]:
                print(f"    {finding}", flush=True)
    composed = [row for row in rows if not row.refusal]
    total = sum(row.kernels for row in composed)
    passed = sum(row.passed for row in composed)
    print(
        f"{len(rows)} tasks, {len(composed)} composed, {len(rows) - len(composed)} refused; {total} kernels, "
        f"{sum(row.distinct for row in composed)} distinct, {sum(row.compiled for row in composed)} compiled, "
        f"{passed} passed without a hazard, {time.monotonic() - start:.0f} s"
    )
    if options.json is not None:
        options.json.write_text("".join(row.model_dump_json() + "\n" for row in rows))
    return 0 if passed == total else 1


def _line(row: Row) -> str:
    if row.refusal:
        return f"{row.task:<28} refused: {row.refusal}"
    state = "ok" if row.passed == row.kernels else "FAILED"
    return f"{row.task:<28} {state:<6} {row.passed}/{row.kernels} passed, {row.distinct} distinct"


if __name__ == "__main__":
    sys.exit(main())
