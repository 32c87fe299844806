"""A toolchain without a compiler: it does what marks in the source say, so that loops are tested in milliseconds.

A mark is a comment on a line of its own meaning: `// toy: unknown-api`, `// toy: syntax`, `// toy: wrong-tail`,
`// toy: missing-sync`. The line that carries it is the line of the finding. A source without marks is right.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel.diagnostic import Diagnostic, Level, Location
from agentkernel.dtypes import DType
from agentkernel.kernel import Kernel
from agentkernel.task import Case, Reference, Task, TensorSpec
from agentkernel.toolchains.base import Arrays, Build, Run
from agentkernel.verdict import Estimate

_MARK = re.compile(r"// toy: ([a-z-]+)")


def toy_task() -> Task:
    """Z = x + y over one dimension, float32, with an aligned and an unaligned size."""
    tensor: dict[str, Any] = {"dtype": DType.FLOAT32, "shape": ("n",)}
    return Task(
        name="toy-add",
        description="Elementwise sum of two vectors.",
        level="L1",
        entry="toy_add",
        inputs=(TensorSpec(name="x", **tensor), TensorSpec(name="y", **tensor)),
        outputs=(TensorSpec(name="z", **tensor),),
        cases=(Case(name="aligned", dims={"n": 64}), Case(name="tail", dims={"n": 67})),
        reference=Reference(formula="z = x + y"),
        block_dim=1,
    )


def toy_source(*marks: str) -> str:
    """A source with marks, one a line from line 4 on."""
    body = "".join(f"    Step{i}(z, x, y, n);  // toy: {mark}\n" for i, mark in enumerate(marks))
    signature = 'extern "C" __global__ __aicore__ void toy_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w, GM_ADDR t)'
    return f'#include "kernel_operator.h"\n{signature}\n{{\n{body}}}\n'


def toy_answer(*marks: str) -> str:
    """A model's answer that holds the source."""
    return f"The kernel:\n\n```cpp\n{toy_source(*marks)}```\n"


def toy_check(kernel: Kernel, task: Task) -> tuple[Diagnostic, ...]:
    """The API oracle's part: `unknown-api` marks."""
    return tuple(_finding(place, mark, Level.API, apis=("Add",)) for place, mark in _marks(kernel, "unknown-api"))


class ToyToolchain:
    """Toolchain that obeys marks.

    Args:
        on_call: Called with `build` or `run` before each call: a test counts, waits or kills here.
    """

    def __init__(self, on_call: Callable[[str], None] | None = None) -> None:
        self.calls: list[str] = []
        """`build` and `run` in the order of the calls."""
        self._on_call = on_call
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """`toy`."""
        return "toy"

    @property
    def versions(self) -> dict[str, str]:
        """Nothing decides results here but this module."""
        return {"toy": "1"}

    def build(self, kernel: Kernel, task: Task) -> Build:
        """Fails on `syntax` marks."""
        self._called("build")
        found = tuple(_finding(place, mark, Level.API) for place, mark in _marks(kernel, "syntax"))
        return Build(ok=not found, kernel=kernel, task=task, artifact="" if found else "toy", diagnostics=found)

    def run(self, build: Build, case: Case, inputs: Arrays) -> Run:
        """The sum, wrong in the elements beyond the last whole 32 bytes under `wrong-tail`."""
        self._called("run")
        z: NDArray[Any] = np.asarray(inputs["x"] + inputs["y"])
        if _marks(build.kernel, "wrong-tail") and z.size % 8:
            z[-(z.size % 8) :] = 0
        found = tuple(_finding(place, mark, Level.HAZARD) for place, mark in _marks(build.kernel, "missing-sync"))
        estimate = Estimate(provenance="simulated", kernel_us=1.0 + z.size / 64, bound="MTE2", chip="toy")
        return Run(completed=True, outputs={"z": z}, diagnostics=found, estimate=estimate)

    def _called(self, what: str) -> None:
        with self._lock:
            self.calls.append(what)
        if self._on_call is not None:
            self._on_call(what)


def _marks(kernel: Kernel, kind: str) -> list[tuple[Location, str]]:
    lines = kernel.files[kernel.main_file].split("\n")
    found = [(number, m) for number, line in enumerate(lines, start=1) if (m := _MARK.search(line))]
    return [(Location(file=kernel.main_file, line=n, column=5), m[1]) for n, m in found if m[1] == kind]


def _finding(place: Location, mark: str, level: Level, apis: tuple[str, ...] = ()) -> Diagnostic:
    message = f"the source asks for {mark} here"
    return Diagnostic(code=mark, level=level, message=message, location=place, hint="take the mark out", apis=apis)
