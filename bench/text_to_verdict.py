"""Time from a kernel's text to its verdict, as a ratio to a bare compile of an equivalent C++ file, in one run.

    python -m agentkernel.bench.text_to_verdict [--task add-float32] [--rounds 7]

Both sides start from text and share the compiler: the bare compile is `CXX -O2` of a plain C++ program that does the
same loop over the same number of elements. The runtime and its precompiled header are built before the first round, as
they are once per compiler and machine. Rounds alternate the two sides, so that a busy machine slows both.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from agentkernel.kernel import Kernel
from agentkernel.task import Task

EQUIVALENT = """\
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Tiling { uint32_t n; };

static void kernel(const float* x, const float* y, float* z, const Tiling& tiling, unsigned block, unsigned blocks) {
  const uint32_t share = (tiling.n + blocks - 1) / blocks;
  const uint32_t begin = block * share;
  const uint32_t end = begin + share < tiling.n ? begin + share : tiling.n;
  for (uint32_t i = begin; i < end; ++i) z[i] = x[i] + y[i];
}

int main(int argc, char** argv) {
  for (int a = 1; a < argc; ++a) {
    const uint32_t n = std::strtoul(argv[a], nullptr, 10);
    std::vector<float> x(n, 1.0f), y(n, 2.0f), z(n);
    for (unsigned block = 0; block < 8; ++block) kernel(x.data(), y.data(), z.data(), {n}, block, 8);
    std::printf("%f\\n", static_cast<double>(std::fabs(z[n / 2])));
  }
}
"""


def bare_compile(folder: Path, compiler: tuple[str, ...]) -> float:
    """Seconds for compiling and linking the equivalent program."""
    source = folder / "equivalent.cpp"
    source.write_text(EQUIVALENT)
    start = time.perf_counter()
    subprocess.run([*compiler, "-std=c++17", "-O2", str(source), "-o", str(folder / "equivalent")], check=True)
    return time.perf_counter() - start


def text_to_verdict(task: Task, source: str) -> float:
    """Seconds from the text to the verdict: extract nothing, check, compile, run every case, judge."""
    from agentkernel.toolchains.simulator import SimulatorToolchain
    from agentkernel.verify import verify

    toolchain = SimulatorToolchain()  # fresh: no build of an earlier round is reused
    start = time.perf_counter()
    verdict = verify(Kernel.from_source(source, task.entry), task, toolchain)
    seconds = time.perf_counter() - start
    if not verdict.passed:
        raise SystemExit(f"{task.name}: the kernel does not pass: {verdict.all_diagnostics[0].message}")
    return seconds


def main() -> None:
    """Print both times and their ratio."""
    from agentkernel.bench.suites import load_task
    from agentkernel.composer import compose
    from agentkernel.simulator.compiler import find_compiler

    parser = argparse.ArgumentParser(description="time from text to verdict against a bare compile")
    parser.add_argument("--task", default="add-float32", help="an L1 task of the shipped suite")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    task = load_task(options.task)
    task = task.model_copy(update={"cases": task.cases[:5]})
    source = next(iter(compose(task).kernel.files.values()))
    compiler = find_compiler().command
    text_to_verdict(task, source)  # builds runtime and precompiled header where they are not there yet
    with tempfile.TemporaryDirectory() as folder:
        pairs = [(text_to_verdict(task, source), bare_compile(Path(folder), compiler)) for _ in range(options.rounds)]
    print(f"{task.name}, {len(task.cases)} cases, {options.rounds} rounds, {find_compiler()}")
    for name, column in zip(("text to verdict", "bare compile"), zip(*pairs, strict=True), strict=True):
        print(f"{name:<16} median {statistics.median(column):.3f} s  (min {min(column):.3f}, max {max(column):.3f})")
    print(f"{'ratio':<16} median {statistics.median(v / b for v, b in pairs):.2f}")


if __name__ == "__main__":
    main()
