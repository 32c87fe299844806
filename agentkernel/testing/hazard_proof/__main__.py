"""Run the proof: `python -m agentkernel.testing.hazard_proof [--few] [--random N] [--write FILE] [--json FILE]`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from agentkernel.errors import AgentKernelError
from agentkernel.testing.hazard_proof.bench import Bench
from agentkernel.testing.hazard_proof.catalogue import few, kernels
from agentkernel.testing.hazard_proof.proof import check_unchanged, judge_all, judge_random
from agentkernel.testing.hazard_proof.report import document, table


def main() -> int:
    """Exit status 0 where detector and explorer agree on everything, 1 where they do not, 2 where the proof failed."""
    parser = argparse.ArgumentParser(prog="python -m agentkernel.testing.hazard_proof", description=__doc__)
    parser.add_argument("--few", action="store_true", help="a few kernels, in seconds")
    parser.add_argument("--random", type=int, default=1000, metavar="N", help="random kernels beside them (1000)")
    parser.add_argument("--jobs", type=int, default=2, help="launches side by side (2)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the document there")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every outcome there")
    options = parser.parse_args()
    try:
        return _run(options)
    except AgentKernelError as error:
        print(error, file=sys.stderr)
        return error.exit_code


def _run(options: argparse.Namespace) -> int:
    chosen = few() if options.few else kernels()
    start = time.perf_counter()

    def progress(done: int, total: int) -> None:
        print(f"{time.perf_counter() - start:5.0f} s  {done} of {total}", file=sys.stderr)

    with Bench() as bench:
        check_unchanged(chosen, bench)
        mutants = judge_all(chosen, bench, jobs=options.jobs, progress=progress)
        randoms = judge_random(range(options.random), bench, jobs=options.jobs, progress=progress)
    text = document(chosen, mutants, randoms)
    if options.write is not None:
        options.write.write_text(text, encoding="utf-8")
    if options.json is not None:
        outcomes = [outcome.model_dump(mode="json") for outcome in (*mutants, *randoms)]
        options.json.write_text(json.dumps(outcomes, indent=1) + "\n", encoding="utf-8")
    wrong = [outcome for outcome in (*mutants, *randoms) if outcome.disagreements]
    print(f"{len(chosen)} kernels\n{table(mutants)}{len(randoms)} random kernels, {len(wrong)} disagreements")
    for outcome in wrong:
        print(f"{outcome.kernel}, {outcome.kind} {outcome.statement}: {', '.join(outcome.disagreements)}")
        print(outcome.details)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
