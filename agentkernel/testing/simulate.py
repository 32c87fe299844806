"""Run a snippet of Ascend C on given arrays: the shortest way from source text to values and findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from agentkernel.diagnostic import Diagnostic
from agentkernel.dtypes import DType
from agentkernel.kernel import Kernel
from agentkernel.task import Case, Reference, ShapeMode, Task, TensorSpec
from agentkernel.toolchains.base import Toolchain
from agentkernel.verdict import Estimate


class Simulation(BaseModel):
    """What came out of one launch."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    compiled: bool
    completed: bool
    """Whether the launch ran to its end."""
    outputs: dict[str, NDArray[Any]]
    unwritten: dict[str, int]
    diagnostics: tuple[Diagnostic, ...]
    """Findings of compiling and running, warnings and notes included."""
    estimate: Estimate | None = None

    @property
    def codes(self) -> tuple[str, ...]:
        """Codes of the errors, in order, doubles removed."""
        return tuple(dict.fromkeys(d.code for d in self.diagnostics if d.is_error))

    @property
    def lines(self) -> tuple[int, ...]:
        """Lines of the errors that have a place, in order."""
        return tuple(d.location.line for d in self.diagnostics if d.is_error and d.location is not None)


def snippet_task(
    inputs: Mapping[str, NDArray[Any]],
    outputs: Mapping[str, tuple[tuple[int, ...], str]],
    *,
    entry: str = "kernel",
    blocks: int = 1,
) -> Task:
    """A static task whose arguments are the given arrays; its reference is never evaluated."""
    return Task(
        name="snippet",
        description="A snippet under test.",
        level="L1",
        entry=entry,
        inputs=tuple(TensorSpec(name=n, dtype=DType.from_numpy(a.dtype), shape=a.shape) for n, a in inputs.items()),
        outputs=tuple(TensorSpec(name=n, dtype=DType(dtype), shape=shape) for n, (shape, dtype) in outputs.items()),
        cases=(Case(name="only"),),
        reference=Reference(python="def reference(inputs, attrs): raise AssertionError('a snippet has no reference')"),
        shape_mode=ShapeMode.STATIC,
        block_dim=blocks,
    )


def simulate(
    source: str,
    inputs: Mapping[str, NDArray[Any]],
    outputs: Mapping[str, tuple[tuple[int, ...], str]],
    *,
    entry: str = "kernel",
    blocks: int = 1,
    toolchain: Toolchain | None = None,
) -> Simulation:
    """Compile and launch a snippet.

    The entry is called as `entry(GM_ADDR input..., GM_ADDR output..., GM_ADDR workspace)`, in the mappings' order.

    Args:
        source: Text of one file; it includes "kernel_operator.h" itself.
        inputs: Arrays by argument name.
        outputs: (shape, dtype name) by argument name.
        entry: Name of the kernel function.
        blocks: Number of blocks that are launched.
        toolchain: The simulator with its defaults where none is given.

    Raises:
        ToolchainError: There is no compiler, or the runtime cannot be built.
    """
    if toolchain is None:
        from agentkernel.toolchains.simulator import SimulatorToolchain

        toolchain = SimulatorToolchain()
    task = snippet_task(inputs, outputs, entry=entry, blocks=blocks)
    build = toolchain.build(Kernel.from_source(source, entry), task)
    if not build.ok:
        return Simulation(compiled=False, completed=False, outputs={}, unwritten={}, diagnostics=build.diagnostics)
    run = toolchain.run(build, task.cases[0], inputs)
    return Simulation(
        compiled=True,
        completed=run.completed,
        outputs=run.outputs,
        unwritten=run.unwritten,
        diagnostics=build.diagnostics + run.diagnostics,
        estimate=run.estimate,
    )
