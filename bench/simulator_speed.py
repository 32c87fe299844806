"""Simulating a kernel, as a ratio to NumPy doing the same on this machine, in one run.

    python -m agentkernel.bench.simulator_speed [--rounds 5]

Two kernels that the composer wrote: float32 add of 16 M elements, float32 softmax of 4096 x 1024. All observers are on.
Rounds alternate the two sides. The whole run counts on the simulator's side: starting its process, handing the tensors
over and reading the outputs back.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel.task import Case
from agentkernel.toolchains.base import Run

Arrays = dict[str, NDArray[Any]]


def add(inputs: Arrays) -> NDArray[Any]:
    """NumPy's add."""
    result: NDArray[Any] = np.add(inputs["x"], inputs["y"])
    return result


def softmax(inputs: Arrays) -> NDArray[Any]:
    """NumPy's softmax over rows, in place where it can."""
    result: NDArray[Any] = inputs["x"] - inputs["x"].max(axis=-1, keepdims=True)
    np.exp(result, out=result)
    result /= result.sum(axis=-1, keepdims=True)
    return result


@dataclass(frozen=True)
class Subject:
    """One kernel and the NumPy function that does the same."""

    task: str
    dims: dict[str, int]
    numpy: Callable[[Arrays], NDArray[Any]]


SUBJECTS = (
    Subject("add-float32", {"n": 1 << 24}, add),
    Subject("softmax-float32", {"rows": 4096, "cols": 1024}, softmax),
)


class Timed:
    """A subject's kernel, composed and built, and its inputs."""

    def __init__(self, subject: Subject) -> None:
        from agentkernel.bench.suites import load_task
        from agentkernel.composer import compose
        from agentkernel.judge import make_inputs
        from agentkernel.toolchains.simulator import SimulatorToolchain

        self.subject = subject
        self._case = Case(name="timed", dims=subject.dims)
        task = load_task(subject.task).model_copy(update={"cases": (self._case,)})
        self._toolchain = SimulatorToolchain()
        self._build = self._toolchain.build(compose(task).kernel, task)
        self.inputs: Arrays = dict(make_inputs(task, self._case))

    def run(self) -> Run:
        """One whole run."""
        return self._toolchain.run(self._build, self._case, self.inputs)

    def simulate(self) -> float:
        """Seconds of one whole run; its values are compared outside of them."""
        start = time.perf_counter()
        run = self.run()
        seconds = time.perf_counter() - start
        got = next(iter(run.outputs.values()), None)
        if got is None or not run.completed or not np.allclose(got, self._expected(), rtol=1e-5, atol=1e-7):
            raise SystemExit(f"{self.subject.task}: the simulated kernel is wrong")
        return seconds

    def _expected(self) -> NDArray[Any]:
        return self.subject.numpy(self.inputs)

    def compute(self) -> float:
        """Seconds of NumPy."""
        start = time.perf_counter()
        self.subject.numpy(self.inputs)
        return time.perf_counter() - start


def measure(subject: Subject, rounds: int) -> tuple[list[float], list[float]]:
    """Seconds of the simulator and of NumPy, by round; a first round warms up and is dropped."""
    timed = Timed(subject)
    pairs = [(timed.simulate(), timed.compute()) for _ in range(rounds + 1)]
    return [s for s, _ in pairs[1:]], [p for _, p in pairs[1:]]


def main() -> None:
    """Print both times and their ratio for every subject."""
    parser = argparse.ArgumentParser(description="simulating a kernel against NumPy")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    for subject in SUBJECTS:
        simulated, plain = measure(subject, options.rounds)
        ratio = statistics.median(s / p for s, p in zip(simulated, plain, strict=True))
        size = " x ".join(str(value) for value in subject.dims.values())
        print(
            f"{subject.task} {size}: simulator median {statistics.median(simulated):.3f} s, "
            f"NumPy median {statistics.median(plain):.3f} s, ratio median {ratio:.1f}"
        )


if __name__ == "__main__":
    main()
