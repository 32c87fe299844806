"""Kernels judged two at a time against one at a time, in one run: the gain in throughput.

    python -m agentkernel.bench.side_by_side [--rounds 3] [--tasks 24]

Composed kernels of shipped tasks, each compiled anew and run on all of its cases. One thread or two share one
toolchain, as the samples of a search do. Rounds alternate the two ways.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from agentkernel.kernel import Kernel
from agentkernel.task import Task

Work = Sequence[tuple[Kernel, Task]]


def composed(count: int) -> Work:
    """The first tasks of the shipped suite that the composer solves, with its kernels."""
    from agentkernel.bench.suites import suite
    from agentkernel.composer import Refusal, compose

    work: list[tuple[Kernel, Task]] = []
    for task in suite("core"):
        try:
            work.append((compose(task).kernel, task))
        except Refusal:
            continue
        if len(work) == count:
            break
    return work


def judge_all(work: Work, threads: int) -> float:
    """Seconds for judging every kernel with so many threads; nothing is cached from before."""
    from agentkernel.toolchains.simulator import SimulatorToolchain
    from agentkernel.verify import verify

    with SimulatorToolchain() as toolchain, ThreadPoolExecutor(threads) as pool:
        start = time.perf_counter()
        verdicts = list(pool.map(lambda pair: verify(pair[0], pair[1], toolchain=toolchain), work))
        seconds = time.perf_counter() - start
    for (_, task), verdict in zip(work, verdicts, strict=True):
        if not verdict.passed:
            raise SystemExit(f"{task.name}: the composed kernel does not pass")
    return seconds


def main() -> None:
    """Print kernels per second of both ways and their ratio."""
    parser = argparse.ArgumentParser(description="two kernels judged side by side against one")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tasks", type=int, default=24)
    options = parser.parse_args()
    work = composed(options.tasks)
    pairs = [(judge_all(work, 1), judge_all(work, 2)) for _ in range(options.rounds + 1)][1:]
    one, two = (statistics.median(seconds) for seconds in zip(*pairs, strict=True))
    gain = statistics.median(a / b for a, b in pairs)
    print(
        f"{len(work)} kernels: one at a time {len(work) / one:.2f} a second, "
        f"two at a time {len(work) / two:.2f} a second, gain median {gain:.2f}"
    )


if __name__ == "__main__":
    main()
