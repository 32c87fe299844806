"""Run the hostile programs: `python -m agentkernel.testing.evil [--programs FOLDER] [--only TEXT] [--write FILE]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from agentkernel.errors import AgentKernelError
from agentkernel.testing.evil.program import load
from agentkernel.testing.evil.report import document
from agentkernel.testing.evil.run import run
from agentkernel.toolchains.simulator import SimulatorToolchain

SECONDS = 8.0
"""Wall time of a small case: enough for all that end by themselves."""


def main() -> int:
    """Exit status 0 where every program held, 1 where one did not, more where they could not be run."""
    parser = argparse.ArgumentParser(prog="python -m agentkernel.testing.evil", description=__doc__)
    parser.add_argument(
        "--programs", type=Path, default=Path("tests/evil"), metavar="FOLDER", help="holds kernels/, hosts/"
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="programs whose name holds this text")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the document there")
    options = parser.parse_args()
    outcomes = []
    try:
        with SimulatorToolchain(timeout=SECONDS) as toolchain:
            for program in load(options.programs):
                if options.only in program.name:
                    outcomes.append(run(program, toolchain))
                    if not outcomes[-1].held:
                        print(outcomes[-1], flush=True)
    except AgentKernelError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    if options.write is not None:
        options.write.write_text(document(outcomes), encoding="utf-8")
    held = sum(one.held for one in outcomes)
    print(f"{held} of {len(outcomes)} programs held")
    return 0 if held == len(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
