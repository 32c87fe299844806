"""Run the kernels of the published rows and write docs/clock.md.

    python -m agentkernel.bench.clock [--rows NAME...] [--out docs/clock.md]

With `--rows` only those rows run, and nothing is written.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from agentkernel.bench.clock.report import compare, document, summary, table
from agentkernel.bench.clock.rows import load_rows
from agentkernel.errors import ConfigError


def main() -> None:
    """Print the table; write the document where all rows ran."""
    from agentkernel.bench.clock.simulate import Simulator
    from agentkernel.simulator.chips import load_chip
    from agentkernel.toolchains.simulator import SimulatorToolchain

    parser = argparse.ArgumentParser(description="the simulator's clock against published measurements")
    parser.add_argument("--rows", nargs="+", default=[], help="only these rows; nothing is written")
    parser.add_argument("--out", type=Path, default=Path("docs/clock.md"))
    options = parser.parse_args()
    rows = load_rows()
    unknown = sorted(set(options.rows) - {row.name for row in rows})
    if unknown:
        raise ConfigError(f"there is no row {unknown[0]!r}", hint="names are in bench/clock/rows.yaml")
    chosen = tuple(row for row in rows if not options.rows or row.name in options.rows)
    chip = load_chip("ascend910b")
    with SimulatorToolchain(chip=chip.name, timeout=600) as toolchain:
        simulator = Simulator(toolchain, chip)
        compared = compare(chosen, simulator.figures)
    print(table(compared))
    if options.rows:
        return
    print(summary(compared))
    options.out.write_text(document(compared, rows, chip), encoding="utf-8")
    print(f"written: {options.out}", file=sys.stderr)


if __name__ == "__main__":
    main()
