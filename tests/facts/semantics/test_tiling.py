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


_OTHER = "struct Other { uint32_t a[16]; };"


def _assert_scaled(source: str) -> None:
    """The kernel reads the sizes and attributes that the case gives it."""
    toolchain = SimulatorToolchain()
    build = toolchain.build(Kernel.from_source(source, "kernel"), _TASK)
    assert build.ok, build.diagnostics
    for case in _TASK.cases:
        attrs = _TASK.attr_values(case)
        x = np.arange(np.prod(list(case.dims.values())), dtype=np.float32).reshape(tuple(case.dims.values()))
        run = toolchain.run(build, case, {"x": x})
        assert run.completed and not [d for d in run.diagnostics if d.is_error], run.diagnostics
        want = (x * attrs["factor"] + attrs["shift"]) * (-1 if attrs["flip"] else 1)
        np.testing.assert_array_equal(run.outputs["y"], want.astype(np.float32))


@pytest.mark.parametrize("read", [*each(n for n in _READS if n != "raw pointer"), "raw pointer"])
def test_sizes_and_attributes_arrive(read: str) -> None:
    before, statement, prefix = _READS[read]
    _assert_scaled(_TEXT % {"before": before, "read": statement, "t": prefix})


@api("REGISTER_TILING_DEFAULT", "REGISTER_TILING_FOR_TILINGKEY", "REGISTER_NONE_TILING")
@pytest.mark.parametrize(
    ("before", "read", "t"),
    [
        ("REGISTER_TILING_DEFAULT(Sizes);", "GET_TILING_DATA(t, tiling);", "t."),
        pytest.param(
            'REGISTER_TILING_DEFAULT(Other); REGISTER_TILING_FOR_TILINGKEY("TILING_KEY_VAR == 0", Sizes);',
            "GET_TILING_DATA(t, tiling);",
            "t.",
        ),
        (
            'REGISTER_TILING_DEFAULT(Sizes); REGISTER_TILING_FOR_TILINGKEY("TILING_KEY_VAR == 7", Other);',
            "GET_TILING_DATA(t, tiling);",
            "t.",
        ),
        ("REGISTER_NONE_TILING;", "GET_TILING_DATA_WITH_STRUCT(Sizes, t, tiling);", "t."),
    ],
    ids=["default", "the key's own", "another key's", "none"],
)
def test_a_structure_is_registered_for_the_key(before: str, read: str, t: str) -> None:
    # Inside of the kernel, as host projects register it.
    _assert_scaled(_TEXT % {"before": _OTHER, "read": f"{before} {read}", "t": t})


@api("COPY_TILING_WITH_STRUCT")
def test_a_structure_inside_of_the_tiling_is_copied() -> None:
    before = """struct Head { uint32_t rows; uint32_t columns; };
struct Tail { float factor; int32_t shift; uint32_t flip; };
struct Whole { Head head; Tail tail; };"""
    read = """GET_TILING_DATA_PTR_WITH_STRUCT(Whole, whole, tiling);
    COPY_TILING_WITH_STRUCT(Head, whole->head, head);
    COPY_TILING_WITH_STRUCT(Tail, whole->tail, tail);
    Sizes t{head->rows, head->columns, tail->factor, tail->shift, tail->flip};"""
    _assert_scaled(_TEXT % {"before": before, "read": read, "t": "t."})


@api("COPY_TILING_WITH_ARRAY")
def test_an_array_inside_of_the_tiling_is_copied() -> None:
    before = "struct Whole { uint32_t sizes[2]; float factor; int32_t flags[2]; };"
    read = """GET_TILING_DATA_PTR_WITH_STRUCT(Whole, whole, tiling);
    COPY_TILING_WITH_ARRAY(uint32_t, 2, whole->sizes, sizes);
    COPY_TILING_WITH_ARRAY(int32_t, 2, whole->flags, flags);
    Sizes t{(*sizes)[0], (*sizes)[1], whole->factor, (*flags)[0], static_cast<uint32_t>((*flags)[1])};"""
    _assert_scaled(_TEXT % {"before": before, "read": read, "t": "t."})


@api("TILING_KEY_LIST")
def test_two_keys_share_a_branch() -> None:
    read = """GET_TILING_DATA_WITH_STRUCT(Sizes, t, tiling);
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
    if ASCEND_IS_AIC { return; }
    if (TILING_KEY_LIST(7, 8)) { t.factor = 0; } else if (TILING_KEY_LIST(%s)) { t.shift += 0; } else { return; }"""
    for keys in ("0, 5", "5, 0"):
        _assert_scaled(_TEXT % {"before": "", "read": read % keys, "t": "t."})


@api("TILING_KEY_IS")
def test_the_default_tiling_key_is_zero() -> None:
    text = _TEXT % {
        "before": "REGISTER_TILING_DEFAULT(Sizes);",
        "read": "GET_TILING_DATA(t, tiling); if (!TILING_KEY_IS(0)) { return; }",
        "t": "t.",
    }
    _assert_scaled(text)
