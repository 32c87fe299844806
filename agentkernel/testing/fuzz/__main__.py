"""Run a fuzzer: `python -m agentkernel.testing.fuzz legal|illegal [--minutes M] [--seed S] [--write FILE]`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from agentkernel.errors import AgentKernelError
from agentkernel.testing.fuzz import illegal, legal, report
from agentkernel.testing.fuzz.bench import Bench
from agentkernel.testing.fuzz.finding import Outcome, keep
from agentkernel.testing.fuzz.tally import Tally


def main() -> int:
    """Exit status 0 without findings, 1 with some, 2 where the run failed."""
    parser = argparse.ArgumentParser(prog="python -m agentkernel.testing.fuzz", description=__doc__)
    parser.add_argument("kind", choices=("legal", "illegal"))
    parser.add_argument("--minutes", type=float, default=30.0, metavar="M", help="how long (30)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="other programs for every seed (0)")
    parser.add_argument("--programs", type=int, metavar="N", help="stop after so many programs")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="one program, and print it")
    parser.add_argument("--keep", type=Path, metavar="DIR", default=Path("fuzz-findings"),
                        help="folder for the programs with findings (fuzz-findings)")  # fmt: skip
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the run's part of the document there")
    options = parser.parse_args()
    try:
        return _run(options)
    except AgentKernelError as error:
        print(error, file=sys.stderr)
        return error.exit_code


def _run(options: argparse.Namespace) -> int:
    tally = Tally()
    start = time.monotonic()
    try:
        with Bench() as bench:
            _fuzz(options, bench, tally, end=start + 60 * options.minutes)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
    minutes = min(options.minutes, round((time.monotonic() - start) / 60, 1))
    print(tally.summary())
    if options.write is not None:
        report.write(options.write, report.part(options.kind, tally, minutes, options.seed))
    return 1 if tally.findings else 0


def _fuzz(options: argparse.Namespace, bench: Bench, tally: Tally, *, end: float) -> None:
    fuzzer = legal if options.kind == "legal" else illegal
    if options.only is not None:
        for outcome in fuzzer.outcomes(bench, options.seed, [options.only]):
            print(outcome.program.source)
            _take(outcome, options, tally)
        return
    number = 0
    while time.monotonic() < end and (options.programs is None or number < options.programs):
        size = fuzzer.BATCH if options.programs is None else min(fuzzer.BATCH, options.programs - number)
        for outcome in fuzzer.outcomes(bench, options.seed, range(number, number + size)):
            _take(outcome, options, tally)
        number += size
        print(f"{tally.programs} programs, {len(tally.findings)} findings", file=sys.stderr)


def _take(outcome: Outcome, options: argparse.Namespace, tally: Tally) -> None:
    tally.add(outcome)
    if outcome.finding is not None:
        path = keep(outcome, options.kind, options.seed, options.keep)
        rule = f" ({outcome.mutation})" if outcome.mutation else ""
        print(f"program {outcome.number}{rule}: {outcome.finding}\n  kept as {path}")


if __name__ == "__main__":
    sys.exit(main())
