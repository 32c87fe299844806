"""Runs marked kernels in the simulator, many of them in one translation unit, and keeps the trace of each launch."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from agentkernel.diagnostic import Diagnostic
from agentkernel.dtypes import DType
from agentkernel.errors import ToolchainError
from agentkernel.kernel import Kernel
from agentkernel.simulator.cache import open_runtime
from agentkernel.simulator.chips import load_chip
from agentkernel.simulator.compile import compile_candidate
from agentkernel.simulator.compiler import find_compiler
from agentkernel.simulator.core_groups import Images
from agentkernel.simulator.runner import Candidate, Machine, Options, run_case
from agentkernel.simulator.sandbox import probe
from agentkernel.simulator.source_pass import PreparedSource, prepare
from agentkernel.simulator.symbolise import resolve_images
from agentkernel.task import Case, Reference, ShapeMode, Task, TensorSpec
from agentkernel.testing.hazard_proof.kernel import ELEMENTS, Floats, MarkedKernel, inputs
from agentkernel.testing.hazard_proof.trace import Trace, joined, read_traces

HEAD = '#include "kernel_operator.h"\nusing namespace AscendC;\n'
SECONDS = 20.0


@dataclass(frozen=True)
class Launch:
    """One launch of one kernel."""

    completed: bool
    y: Floats | None
    diagnostics: tuple[Diagnostic, ...]
    """Findings; their lines count within the kernel's own function (its first line is 1)."""
    traces: tuple[Trace, ...]
    """One for each core."""

    @property
    def trace(self) -> Trace:
        """The entries of all cores."""
        return joined(self.traces)

    @property
    def codes(self) -> tuple[str, ...]:
        """Codes of the errors, doubles removed."""
        return tuple(dict.fromkeys(d.code for d in self.diagnostics if d.is_error))


def _task(written: int, blocks: int = 1) -> Task:
    tensor = TensorSpec(name="x", dtype=DType.FLOAT32, shape=(ELEMENTS,))
    return Task(
        name="hazard_proof",
        description="Small kernels, chosen by `which`.",
        level="L1",
        entry="kernel",
        inputs=(
            tensor,
            tensor.model_copy(update={"name": "z"}),
            TensorSpec(name="which", dtype=DType.INT32, shape=(1,)),
        ),
        outputs=(tensor.model_copy(update={"name": "y", "shape": (written,)}),),
        cases=(Case(name="only"),),
        reference=Reference(python="def reference(inputs, attrs): raise AssertionError('judged elsewhere')"),
        shape_mode=ShapeMode.STATIC,
        block_dim=blocks,
    )


class Bench:
    """A simulator for batches of marked kernels; everything on disk goes with it."""

    def __init__(self) -> None:
        runtime = open_runtime(find_compiler())
        walls = probe(runtime)
        walls.require(insecure=False)
        self._machine = Machine(runtime=runtime, walls=walls, chip=load_chip("ascend910b"))
        self._scratch = tempfile.TemporaryDirectory(prefix="hazard-proof-")
        self.folder = Path(self._scratch.name)
        self.folder.chmod(0o711)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._scratch.cleanup()

    def batch(self, kernels: Sequence[MarkedKernel]) -> Batch:
        """Compile kernels of one type into one object.

        Raises:
            ToolchainError: They do not compile; the message holds the first error.
        """
        (kind,) = {kernel.type for kernel in kernels}
        type_ = f"    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_{kind});\n" if kind else ""
        text = HEAD
        starts = []
        for number, kernel in enumerate(kernels):
            starts.append(text.count("\n"))
            text += kernel.function(f"kernel_{number}")
        cases = "".join(f"    case {n}: kernel_{n}(x, z, y, w); break;\n" for n in range(len(kernels)))
        text += (
            'extern "C" __global__ __aicore__ void kernel('
            "GM_ADDR x, GM_ADDR z, GM_ADDR which, GM_ADDR y, GM_ADDR w)\n"
            "{\n" + type_ + "    switch (*reinterpret_cast<__gm__ int32_t*>(which)) {\n" + cases + "    }\n}\n"
        )
        prepared = prepare(Kernel.from_source(text, "kernel"), _task(ELEMENTS))
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        folder.chmod(0o755)
        compiled = compile_candidate(prepared, self._machine.runtime, self._machine.walls, folder)
        if compiled.images is None:
            first = next(d for d in compiled.diagnostics if d.is_error)
            line = 0 if first.location is None else first.location.line
            context = "\n".join(text.splitlines()[max(0, line - 3) : line + 2])
            raise ToolchainError(f"a marked kernel does not compile: {first.message}\n{context}")
        compiled.images.share()
        return Batch(self._machine, compiled.images, prepared, kernels, starts)


class Batch:
    """Kernels that share an object."""

    def __init__(
        self,
        machine: Machine,
        images: Images,
        prepared: PreparedSource,
        kernels: Sequence[MarkedKernel],
        starts: Sequence[int],
    ) -> None:
        self._machine = machine
        self._images = images
        self._target = images.main
        self._prepared = prepared
        self._kernels = kernels
        self._starts = starts

    def launch(self, number: int) -> Launch:
        """Run one of the kernels in a process of its own.

        Raises:
            ToolchainError: The runner failed.
        """
        kernel = self._kernels[number]
        task = _task(kernel.written or kernel.expected().size, kernel.blocks)
        trace = self._target.parent / f"trace.{number}"
        run = run_case(
            Candidate(images=self._images, prepared=self._prepared, task=task),
            task.cases[0],
            {**inputs(), "which": np.array([number], np.int32)},
            machine=self._machine,
            options=Options(autosync=kernel.autosync, timeout=SECONDS, trace=trace),
            base=self._target.parent,
        )
        read = read_traces(trace, kernel.cores)
        start = self._starts[number]
        own = tuple(
            d if d.location is None
            else d.model_copy(update={"location": d.location.model_copy(update={"line": d.location.line - start})})
            for d in run.diagnostics
        )  # fmt: skip
        return Launch(
            completed=run.completed,
            y=run.outputs["y"] if run.completed else None,
            diagnostics=own,
            traces=read,
        )

    def close(self) -> None:
        """Remove it from disk."""
        shutil.rmtree(self._target.parent, ignore_errors=True)

    def lines(self, number: int, trace: Trace) -> dict[int, int]:
        """Line within a kernel's function by the call site of its trace."""
        places = resolve_images(self._images, (entry.site for entry in trace.entries), self._prepared)
        return {site: place.line - self._starts[number] for site, place in places.items()}
