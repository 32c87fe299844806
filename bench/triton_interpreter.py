"""Simulating a kernel against Triton's CPU interpreter doing the same, side by side in one run.

    pip install 'agentkernel[triton]'
    python -m agentkernel.bench.triton_interpreter [--rounds 3]

float32 vector add and float32 softmax over rows, of the same sizes. Both sides are warm; the interpreter works on
tensors that are there already, the simulator's time has everything: its process, the tensors handed over, all
observers. The interpreter pays by program, so its time depends on the block that a program adds: 1024 is the one of
Triton's own introduction, 4096 the one that favours it most of the two.
"""

from __future__ import annotations

import argparse
import functools
import os
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel.bench.simulator_speed import Subject, Timed, add, softmax
from agentkernel.errors import ConfigError

SUBJECTS = (
    Subject("add-float32", {"n": 1 << 22}, add),
    Subject("softmax-float32", {"rows": 2048, "cols": 1024}, softmax),
)
Arrays = Mapping[str, NDArray[Any]]


def interpreted() -> dict[str, dict[str, Callable[[Arrays], NDArray[Any]]]]:
    """The same two operators as Triton kernels, by name of the task and of the variant.

    Raises:
        ConfigError: Triton is not installed.
    """
    os.environ["TRITON_INTERPRET"] = "1"  # read when a kernel is decorated
    try:
        import torch
        import triton
        import triton.language as tl
    except ImportError as error:
        raise ConfigError("this comparison needs triton and torch", hint="pip install 'agentkernel[triton]'") from error

    @triton.jit  # type: ignore[untyped-decorator, unused-ignore]
    def add_kernel(x, y, out, n, block: tl.constexpr):  # type: ignore[no-untyped-def]
        at = tl.program_id(0) * block + tl.arange(0, block)
        inside = at < n
        tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)

    @triton.jit  # type: ignore[untyped-decorator, unused-ignore]
    def softmax_kernel(x, out, cols, block: tl.constexpr):  # type: ignore[no-untyped-def]
        at = tl.program_id(0) * cols + tl.arange(0, block)
        inside = tl.arange(0, block) < cols
        values = tl.load(x + at, mask=inside, other=-float("inf"))
        powers = tl.exp(values - tl.max(values, axis=0))
        tl.store(out + at, powers / tl.sum(powers, axis=0), mask=inside)

    def run_add(inputs: Arrays, block: int) -> NDArray[Any]:
        x, y = (torch.from_numpy(np.array(inputs[name])) for name in ("x", "y"))
        out = torch.empty_like(x)
        add_kernel[(triton.cdiv(x.numel(), block),)](x, y, out, x.numel(), block=block)
        result: NDArray[Any] = out.numpy()
        return result

    def run_softmax(inputs: Arrays) -> NDArray[Any]:
        x = torch.from_numpy(np.array(inputs["x"]))
        out = torch.empty_like(x)
        rows, cols = x.shape
        softmax_kernel[(rows,)](x, out, cols, block=triton.next_power_of_2(cols))
        result: NDArray[Any] = out.numpy()
        return result

    return {
        "add-float32": {f"blocks of {block}": functools.partial(run_add, block=block) for block in (1024, 4096)},
        "softmax-float32": {"a row a program": run_softmax},
    }


def main() -> None:
    """Print both times and their ratio for every subject."""
    parser = argparse.ArgumentParser(description="simulating a kernel against Triton's CPU interpreter")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    try:
        kernels = interpreted()
    except ConfigError as error:
        raise SystemExit(f"{error}\n  -> {error.hint}") from error
    for subject in SUBJECTS:
        timed = Timed(subject)
        for variant, kernel in kernels[subject.task].items():
            pairs = [(timed.simulate(), _time(kernel, timed)) for _ in range(options.rounds + 1)][1:]
            ours, theirs = (statistics.median(seconds) for seconds in zip(*pairs, strict=True))
            ratio = statistics.median(t / o for o, t in pairs)
            size = " x ".join(str(value) for value in subject.dims.values())
            print(
                f"{subject.task} {size}, {variant}: simulator median {ours:.3f} s, "
                f"interpreter median {theirs:.3f} s, the simulator is {ratio:.0f} times faster"
            )


def _time(kernel: Callable[[Arrays], NDArray[Any]], timed: Timed) -> float:
    start = time.perf_counter()
    got = kernel(timed.inputs)
    seconds = time.perf_counter() - start
    if not np.allclose(got, timed.subject.numpy(timed.inputs), rtol=1e-5, atol=1e-7):
        raise SystemExit(f"{timed.subject.task}: the interpreted kernel is wrong")
    return seconds


if __name__ == "__main__":
    main()
