"""Tiling: the kernel reads sizes and attributes from the structure that the launch puts in global memory."""

from __future__ import annotations

import numpy as np
import pytest

from agentkernel.kernel import Kernel
from agentkernel.task import AttrSpec, Case, Reference, Task, TensorSpec
from agentkernel.toolchains.simulator import SimulatorToolchain

from .marks import api, each

_TEXT = """#include "kernel_operator.h"
using namespace AscendC;
struct Sizes {
    uint32_t rows;
    uint32_t columns;
    float factor;
    int32_t shift;
    uint32_t flip;
};
%(before)s
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    %(read)s
    TPipe pipe;
    TBuf<TPosition::VECIN> in;
    TBuf<TPosition::VECOUT> out;
    pipe.InitBuffer(in, 4096);
    pipe.InitBuffer(out, 4096);
    LocalTensor<float> a = in.Get<float>();
    LocalTensor<float> b = out.Get<float>();
    uint32_t size = %(t)srows * %(t)scolumns;
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float *)x, size);
    to.SetGlobalBuffer((__gm__ float *)y, size);
    DataCopy(a, from, size);
    PipeBarrier<PIPE_ALL>();
    Muls(b, a, %(t)sfactor, size);
    Adds(b, b, static_cast<float>(%(t)sshift), size);
    if (%(t)sflip) {
        Muls(b, b, -1.0f, size);
    }
    PipeBarrier<PIPE_ALL>();
    DataCopy(to, b, size);
}
"""

_READS = {
    "GET_TILING_DATA": ("REGISTER_TILING_DEFAULT(Sizes);", "GET_TILING_DATA(t, tiling);", "t."),
    "GET_TILING_DATA_WITH_STRUCT": ("", "GET_TILING_DATA_WITH_STRUCT(Sizes, t, tiling);", "t."),
    "GET_TILING_DATA_PTR_WITH_STRUCT": ("", "GET_TILING_DATA_PTR_WITH_STRUCT(Sizes, t, tiling);", "t->"),
    "raw pointer": ("", "const __gm__ Sizes *t = (const __gm__ Sizes *)tiling;", "t->"),
    "GET_TILING_DATA_MEMBER": (
        "",
        "GET_TILING_DATA_MEMBER(Sizes, rows, rows, tiling); GET_TILING_DATA_MEMBER(Sizes, columns, columns, tiling);"
        " GET_TILING_DATA_MEMBER(Sizes, factor, factor, tiling); GET_TILING_DATA_MEMBER(Sizes, shift, shift, tiling);"
        " GET_TILING_DATA_MEMBER(Sizes, flip, flip, tiling);",
        "",
    ),
}

_TASK = Task(
    name="tiling",
    description="Sizes and attributes reach the kernel.",
    level="L1",
    entry="kernel",
    inputs=(TensorSpec(name="x", dtype="float32", shape=("rows", "columns")),),
    outputs=(TensorSpec(name="y", dtype="float32", shape=("rows", "columns")),),
    attrs=(
        AttrSpec(name="factor", type="float", default=2.5),
        AttrSpec(name="shift", type="int", default=-7),
        AttrSpec(name="flip", type="bool", default=False),
    ),
    cases=(
        Case(name="small", dims={"rows": 2, "columns": 16}),
        Case(name="large", dims={"rows": 9, "columns": 64}, attrs={"factor": -0.5, "shift": 100, "flip": True}),
    ),
    reference=Reference(python="def reference(inputs, attrs): raise AssertionError('not evaluated')"),
    block_dim=1,
)


@pytest.mark.parametrize("read", [*each(n for n in _READS if n != "raw pointer"), "raw pointer"])
def test_sizes_and_attributes_arrive(read: str) -> None:
    before, statement, prefix = _READS[read]
    toolchain = SimulatorToolchain()
    build = toolchain.build(
        Kernel.from_source(_TEXT % {"before": before, "read": statement, "t": prefix}, "kernel"), _TASK
    )
    assert build.ok, build.diagnostics
    for case in _TASK.cases:
        attrs = _TASK.attr_values(case)
        x = np.arange(np.prod(list(case.dims.values())), dtype=np.float32).reshape(tuple(case.dims.values()))
        run = toolchain.run(build, case, {"x": x})
        assert run.completed and not [d for d in run.diagnostics if d.is_error], run.diagnostics
        want = (x * attrs["factor"] + attrs["shift"]) * (-1 if attrs["flip"] else 1)
        np.testing.assert_array_equal(run.outputs["y"], want.astype(np.float32))


@api("TILING_KEY_IS")
def test_the_default_tiling_key_is_zero() -> None:
    text = _TEXT % {
        "before": "REGISTER_TILING_DEFAULT(Sizes);",
        "read": "GET_TILING_DATA(t, tiling); if (!TILING_KEY_IS(0)) { return; }",
        "t": "t.",
    }
    toolchain = SimulatorToolchain()
    build = toolchain.build(Kernel.from_source(text, "kernel"), _TASK)
    assert build.ok, build.diagnostics
    x = np.ones((2, 16), np.float32)
    run = toolchain.run(build, _TASK.cases[0], {"x": x})
    assert run.completed, run.diagnostics
    np.testing.assert_array_equal(run.outputs["y"], x * 2.5 - 7)
