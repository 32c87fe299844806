"""Run the packs: `python -m agentkernel.testing.packs [--packs PACKS] [--only NAME] [--write FILE]`."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from pathlib import Path

from agentkernel.errors import AgentKernelError
from agentkernel.testing.packs.kernel import PackKernel, load
from agentkernel.testing.packs.report import document
from agentkernel.testing.packs.run import Outcome, run
from agentkernel.toolchains.simulator import SimulatorToolchain


def main() -> int:
    """Exit status 0 where every kernel held, 1 where one did not, more where the packs could not be run."""
    parser = argparse.ArgumentParser(prog="python -m agentkernel.testing.packs", description=__doc__)
    parser.add_argument(
        "--packs", type=Path, default=Path("tests/packs"), metavar="FOLDER", help="holds wrong/, legal/"
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="kernels whose name holds this text")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the document there")
    options = parser.parse_args()
    try:
        with closing(SimulatorToolchain()) as toolchain:
            packs = {
                pack: [_show(kernel, toolchain) for kernel in load(options.packs / pack) if options.only in kernel.name]
                for pack in ("wrong", "legal")
            }
    except AgentKernelError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    if options.write is not None:
        wrong, legal = ([(o.kernel, o.held) for o in packs[pack]] for pack in ("wrong", "legal"))
        options.write.write_text(document(wrong, legal), encoding="utf-8")
    outcomes = [*packs["wrong"], *packs["legal"]]
    print(f"{sum(o.held for o in outcomes)} of {len(outcomes)} kernels held")
    return 0 if all(o.held for o in outcomes) else 1


def _show(kernel: PackKernel, toolchain: SimulatorToolchain) -> Outcome:
    outcome = run(kernel, toolchain)
    if not outcome.held:
        print(outcome)
    return outcome


if __name__ == "__main__":
    sys.exit(main())
