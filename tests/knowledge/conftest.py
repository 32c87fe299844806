"""What the oracle's tests share: a task, and kernels built around a few lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from agentkernel.diagnostic import Diagnostic
from agentkernel.dtypes import DType
from agentkernel.kernel import Kernel
from agentkernel.knowledge.oracle import check
from agentkernel.launch import signature
from agentkernel.task import Case, Reference, Task, TensorSpec

if TYPE_CHECKING:
    from agentkernel.toolchains.simulator import SimulatorToolchain

TASK = Task(
    name="negate",
    description="y = -x",
    level="L1",
    entry="negate",
    inputs=(TensorSpec(name="x", dtype=DType.FLOAT16, shape=("n",)),),
    outputs=(TensorSpec(name="y", dtype=DType.FLOAT16, shape=("n",)),),
    cases=(Case(name="one", dims={"n": 64}),),
    reference=Reference(formula="y = -x"),
)
ENTRY = signature(TASK)

_CLASS = """\
#include "kernel_operator.h"
using namespace AscendC;
{before}
class Kernel {{
public:
    __aicore__ inline void Run(GM_ADDR x, GM_ADDR y, uint32_t n)
    {{
        LocalTensor<half> h0 = inQue.AllocTensor<half>(), h1 = outQue.AllocTensor<half>(), h2 = buf.Get<half>();
        LocalTensor<float> f0 = buf.Get<float>(), f1 = buf.Get<float>(), f2 = buf.Get<float>(64);
        LocalTensor<int32_t> i0 = buf.Get<int32_t>(), i1 = buf.Get<int32_t>();
        LocalTensor<bfloat16_t> b0 = buf.Get<bfloat16_t>(), b1 = buf.Get<bfloat16_t>();
        LocalTensor<uint8_t> u0 = buf.Get<uint8_t>();
        LocalTensor<uint32_t> offsets = buf.Get<uint32_t>();
        LocalTensor<int16_t> s0 = buf.Get<int16_t>(), s1 = buf.Get<int16_t>();
        uint64_t mask = 64;
        uint64_t maskBits[2] = {{0, 0}};
{body}
    }}
private:
    TPipe* pipe;
    TQue<QuePosition::VECIN, 1> inQue;
    TQue<QuePosition::VECOUT, 1> outQue;
    TQue<QuePosition::VECIN, 0> inPlace;
    TBuf<TPosition::VECCALC> buf;
    GlobalTensor<half> xGm, yGm;
    GlobalTensor<float> fGm;
}};
{entry} {{ Kernel kernel; kernel.Run(x, y, 64); }}
"""


class Bench:
    """Asks the oracle about a few lines inside a kernel."""

    task = TASK
    entry = ENTRY

    def kernel(self, body: str, before: str = "") -> Kernel:
        """A kernel whose method holds `body`, with tensors h0..h2 (half), f0..f2 (float), i, b, u, s and two queues."""
        return Kernel.from_source(_CLASS.format(before=before, body=body, entry=ENTRY), TASK.entry)

    def findings(self, body: str, before: str = "") -> tuple[Diagnostic, ...]:
        """What the oracle says about `body`."""
        return check(self.kernel(body, before), TASK)

    def whole(self, source: str) -> tuple[Diagnostic, ...]:
        """What the oracle says about a whole file, in which ENTRY stands for the entry's signature."""
        return check(Kernel.from_source(source.replace("ENTRY", ENTRY), TASK.entry), TASK)

    def codes(self, body: str, before: str = "") -> list[str]:
        """Codes of the findings, in order of place."""
        return [d.code for d in self.findings(body, before)]

    def only(self, body: str, before: str = "") -> Diagnostic:
        """The one finding about `body`."""
        found = self.findings(body, before)
        assert len(found) == 1, [(d.code, str(d.location), d.message) for d in found]
        return found[0]

    def marked(self, diagnostic: Diagnostic, body: str, before: str = "") -> str:
        """The text that a finding marks."""
        where = diagnostic.location
        assert where is not None and where.column is not None and where.end_column is not None
        line = self.kernel(body, before).files[where.file].split("\n")[where.line - 1]
        return line[where.column - 1 : where.end_column - 1]


@pytest.fixture
def bench() -> Bench:
    """The oracle, ready to be asked."""
    return Bench()


@pytest.fixture(scope="session")
def toolchain() -> Iterator[SimulatorToolchain]:
    """The simulator."""
    from agentkernel.toolchains.simulator import SimulatorToolchain

    made = SimulatorToolchain()
    yield made
    made.close()
