"""Several cores in step (facts: semantics, section 8): every block reads what another block wrote before."""

from __future__ import annotations

import numpy as np
import pytest

from agentkernel.testing.simulate import simulate

from .batch import explain
from .marks import api

_TEXT = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR a, GM_ADDR middle, GM_ADDR state, GM_ADDR c, GM_ADDR workspace)
{
    %(kind)s
    TPipe pipe;
    TBuf<TPosition::VECCALC> values;
    TBuf<TPosition::VECCALC> words;
    pipe.InitBuffer(values, 256);
    pipe.InitBuffer(words, 1024);
    LocalTensor<float> held = values.Get<float>();
    LocalTensor<int32_t> work = words.Get<int32_t>();
    GlobalTensor<float> from;
    GlobalTensor<float> shared;
    GlobalTensor<float> to;
    GlobalTensor<int32_t> slots;
    from.SetGlobalBuffer((__gm__ float *)a);
    shared.SetGlobalBuffer((__gm__ float *)middle);
    to.SetGlobalBuffer((__gm__ float *)c);
    slots.SetGlobalBuffer((__gm__ int32_t *)state);
    const int32_t me = GetBlockIdx();
    const int32_t all = GetBlockNum();
    (void)all;
    %(body)s
}
"""

_EXCHANGE = """
    DataCopy(held, from[me * 64], 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(shared[me * 64], held, 64);
    PipeBarrier<PIPE_ALL>();
    %s
    DataCopy(held, shared[(me + 1) %% all * 64], 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(to[me * 64], held, 64);
"""
_HARD = "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);"
_CLEAR = """
    if (me == 0) {
        Duplicate(work, 0, 256);
        PipeBarrier<PIPE_ALL>();
        DataCopy(slots, work, 256);
        PipeBarrier<PIPE_ALL>();
    }
    SyncAll();
"""


@api("SyncAll")
@pytest.mark.parametrize(
    "sync", ["SyncAll();", "SyncAll<true>();", _CLEAR + "SyncAll(slots, work);", _CLEAR + "SyncAll(slots, work, 4);"]
)
def test_all_cores_meet(sync: str) -> None:
    a = np.arange(256, dtype=np.float32)
    outputs = {"middle": ((256,), "float32"), "state": ((256,), "int32"), "c": ((256,), "float32")}
    text = _TEXT % {"kind": _HARD, "body": _EXCHANGE % sync}
    simulation = simulate(text, {"a": a}, outputs, blocks=4)
    assert simulation.completed, explain(simulation)
    assert not set(simulation.codes) - {"output-not-written"}, explain(simulation)
    np.testing.assert_array_equal(simulation.outputs["c"], np.roll(a, -64))


@api("SyncAll")
def test_cores_that_do_not_meet_race() -> None:
    a = np.arange(256, dtype=np.float32)
    outputs = {"middle": ((256,), "float32"), "state": ((256,), "int32"), "c": ((256,), "float32")}
    simulation = simulate(_TEXT % {"kind": _HARD, "body": _EXCHANGE % ""}, {"a": a}, outputs, blocks=4)
    assert "gm-race" in simulation.codes, explain(simulation)


@api("InitDetermineComputeWorkspace", "WaitPreBlock", "NotifyNextBlock")
def test_blocks_pass_in_their_order() -> None:
    a = np.arange(256, dtype=np.float32)
    body = """
    InitDetermineComputeWorkspace(slots, work);
    WaitPreBlock(slots, work);
    if (me == 0) {
        DataCopy(held, from, 64);
    } else {
        DataCopy(held, shared[(me - 1) * 64], 64);
    }
    PipeBarrier<PIPE_ALL>();
    Adds(held, held, 1.0f, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(shared[me * 64], held, 64);
    PipeBarrier<PIPE_ALL>();
    NotifyNextBlock(slots, work);
    DataCopy(to[me * 64], held, 64);
"""
    outputs = {"middle": ((256,), "float32"), "state": ((256,), "int32"), "c": ((256,), "float32")}
    simulation = simulate(_TEXT % {"kind": _HARD, "body": body}, {"a": a}, outputs, blocks=4)
    assert simulation.completed, explain(simulation)
    assert not set(simulation.codes) - {"output-not-written"}, explain(simulation)
    want = np.concatenate([a[:64] + i + 1 for i in range(4)])
    np.testing.assert_array_equal(simulation.outputs["c"], want)


@api("IBSet", "IBWait")
def test_a_block_waits_for_the_one_before() -> None:
    a = np.arange(128, dtype=np.float32)
    body = (
        _CLEAR
        + """
    if (me == 0) {
        DataCopy(held, from, 64);
        PipeBarrier<PIPE_ALL>();
        DataCopy(shared, held, 64);
        PipeBarrier<PIPE_ALL>();
        IBSet(slots, work, 0, 1);
    } else {
        IBWait(slots, work, 0, 1);
        DataCopy(held, shared, 64);
        PipeBarrier<PIPE_ALL>();
        DataCopy(to, held, 64);
    }
"""
    )
    outputs = {"middle": ((64,), "float32"), "state": ((256,), "int32"), "c": ((64,), "float32")}
    simulation = simulate(_TEXT % {"kind": _HARD, "body": body}, {"a": a}, outputs, blocks=2)
    assert simulation.completed, explain(simulation)
    assert not simulation.codes, explain(simulation)
    np.testing.assert_array_equal(simulation.outputs["c"], a[:64])


@api("CrossCoreSetFlag", "CrossCoreWaitFlag")
def test_flags_of_mode_0_join_all_vector_cores() -> None:
    a = np.arange(256, dtype=np.float32)
    outputs = {"middle": ((256,), "float32"), "state": ((256,), "int32"), "c": ((256,), "float32")}
    sync = "CrossCoreSetFlag<0, PIPE_MTE3>(3);\n    CrossCoreWaitFlag(3);"
    simulation = simulate(_TEXT % {"kind": _HARD, "body": _EXCHANGE % sync}, {"a": a}, outputs, blocks=4)
    assert simulation.completed, explain(simulation)
    assert not set(simulation.codes) - {"output-not-written"}, explain(simulation)
    np.testing.assert_array_equal(simulation.outputs["c"], np.roll(a, -64))
