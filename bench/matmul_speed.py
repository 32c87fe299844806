"""A matrix product on the simulated cube cores, as a ratio to NumPy's float32 product, in one run.

    python -m agentkernel.bench.matmul_speed [--size 1024] [--rounds 5]

The kernel is the shipped exemplar: half operands, float32 sums, 24 blocks, with all observers on. Rounds alternate the
two sides. The whole run counts on the simulator's side, from the start of its process to the outputs.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np


def measure(size: int, rounds: int) -> tuple[list[float], list[float]]:
    """Seconds of the simulator and of NumPy, by round; a first round warms up and is dropped."""
    from agentkernel.judge import make_inputs
    from agentkernel.knowledge.exemplars import load_exemplars
    from agentkernel.task import Case
    from agentkernel.toolchains.simulator import SimulatorToolchain

    exemplar = next(one for one in load_exemplars() if one.name == "matmul")
    case = Case(name="timed", dims={"m": size, "k": size, "n": size})
    task = exemplar.task.model_copy(update={"cases": (case,)})
    inputs = dict(make_inputs(task, case))
    left, right = (inputs[name].astype(np.float32) for name in ("a", "b"))
    simulated, plain = [], []
    with SimulatorToolchain() as toolchain:
        build = toolchain.build(exemplar.kernel, task)
        for _ in range(rounds + 1):
            start = time.perf_counter()
            run = toolchain.run(build, case, inputs)
            middle = time.perf_counter()
            product = left @ right
            plain.append(time.perf_counter() - middle)
            simulated.append(middle - start)
            got = run.outputs.get("c")
            if got is None or not np.allclose(got, product, rtol=1e-4, atol=1e-3):
                raise SystemExit("the simulated kernel is wrong")
    return simulated[1:], plain[1:]


def main() -> None:
    """Print both times and their ratio."""
    parser = argparse.ArgumentParser(description="a simulated matrix product against NumPy")
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    simulated, plain = measure(options.size, options.rounds)
    ratio = statistics.median(s / p for s, p in zip(simulated, plain, strict=True))
    print(
        f"half product {options.size}^3: simulator median {statistics.median(simulated):.3f} s, "
        f"NumPy float32 median {statistics.median(plain):.3f} s, ratio median {ratio:.1f}"
    )


if __name__ == "__main__":
    main()
