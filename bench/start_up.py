"""Wall time of `agentkernel --help` and of `import agentkernel`, against a bare interpreter, in one run.

python -m agentkernel.bench.start_up [--rounds 15]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

SUBJECTS = {
    "bare interpreter": ["-c", "pass"],
    "import agentkernel": ["-c", "import agentkernel"],
    "agentkernel --help": ["-m", "agentkernel", "--help"],
}


def seconds(arguments: list[str]) -> float:
    """Wall time of one interpreter."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main() -> None:
    """Print the median and minimum of every subject."""
    parser = argparse.ArgumentParser(description="start-up times")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    times: dict[str, list[float]] = {name: [] for name in SUBJECTS}
    for _ in range(options.rounds):
        for name, arguments in SUBJECTS.items():
            times[name].append(seconds(arguments))
    for name, column in times.items():
        print(f"{name:<20} median {statistics.median(column):.3f} s  min {min(column):.3f} s")


if __name__ == "__main__":
    main()
