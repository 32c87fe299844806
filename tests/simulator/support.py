"""Small tasks and sources for tests of the simulator's Python side."""

from __future__ import annotations

from agentkernel.dtypes import DType
from agentkernel.kernel import Kernel
from agentkernel.simulator.source_pass import PreparedSource, prepare
from agentkernel.task import AttrSpec, Case, Reference, ShapeMode, Task, TensorSpec

HEAD = '#include "kernel_operator.h"\nusing namespace AscendC;\n'
ENTRY = 'extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)'


def task(entry: str = "kernel", *, dynamic: bool = False, size: int = 64, dtype: DType = DType.FLOAT32) -> Task:
    """One input x, one output y."""
    shape: tuple[int | str, ...] = ("n",) if dynamic else (size,)
    return Task(
        name="probe",
        description="A probe.",
        level="L1",
        entry=entry,
        inputs=(TensorSpec(name="x", dtype=dtype, shape=shape),),
        outputs=(TensorSpec(name="y", dtype=dtype, shape=shape),),
        attrs=(AttrSpec(name="alpha", type="float", default=2.0),) if dynamic else (),
        cases=(Case(name="only", dims={"n": size} if dynamic else {}),),
        reference=Reference(formula="y = x"),
        shape_mode=ShapeMode.DYNAMIC if dynamic else ShapeMode.STATIC,
        block_dim=1,
    )


def source(body: str, before: str = "") -> str:
    """A kernel whose entry has this body; the body's first line is line 5 (plus the lines of `before`)."""
    return f"{HEAD}{before}{ENTRY}\n{{\n{body}\n}}\n"


def prepared(text: str, for_task: Task | None = None) -> PreparedSource:
    chosen = for_task or task()
    return prepare(Kernel.from_source(text, chosen.entry), chosen)
