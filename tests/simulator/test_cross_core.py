"""Kernels whose cores wait for each other, from source text to findings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.testing.simulate import Simulation, simulate
from agentkernel.toolchains.simulator import SimulatorToolchain

BLOCKS = 8
TILE = 64

KERNEL = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR w) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    GlobalTensor<float> gx, gy, gw;
    GlobalTensor<int32_t> slots;
    gx.SetGlobalBuffer((__gm__ float*)x);
    gy.SetGlobalBuffer((__gm__ float*)y);
    gw.SetGlobalBuffer((__gm__ float*)w);
    slots.SetGlobalBuffer((__gm__ int32_t*)(w + 65536));
    TPipe pipe;
    TBuf<> data, scratch;
    pipe.InitBuffer(data, 256);
    pipe.InitBuffer(scratch, 4096);
    LocalTensor<float> a = data.Get<float>();
    LocalTensor<int32_t> s = scratch.Get<int32_t>();
    const int32_t me = GetBlockIdx(), n = GetBlockNum();
    DataCopy(a, gx[me * 64], 64);
    SetFlag<HardEvent::MTE2_V>(0); WaitFlag<HardEvent::MTE2_V>(0);
    Muls(a, a, 2.0f, 64);
    SetFlag<HardEvent::V_MTE3>(0); WaitFlag<HardEvent::V_MTE3>(0);
    DataCopy(gw[me * 64], a, 64);
    SetFlag<HardEvent::MTE3_MTE2>(0); WaitFlag<HardEvent::MTE3_MTE2>(0);
    @SYNC@
    DataCopy(a, gw[(me + 1) % n * 64], 64);
    SetFlag<HardEvent::MTE2_MTE3>(0); WaitFlag<HardEvent::MTE2_MTE3>(0);
    DataCopy(gy[me * 64], a, 64);
}
"""
SYNC_LINE = 1 + KERNEL[: KERNEL.index("@SYNC@")].count("\n")
ZERO = """Duplicate(s, 0, 1024);
    SetFlag<HardEvent::V_MTE3>(1); WaitFlag<HardEvent::V_MTE3>(1);
    DataCopy(slots, s, 1024);
    SetFlag<HardEvent::MTE3_V>(1); WaitFlag<HardEvent::MTE3_V>(1);
    PipeBarrier<PIPE_ALL>();
    """


def run(simulator: SimulatorToolchain, sync: str, blocks: int = BLOCKS) -> Simulation:
    x = np.arange(TILE * blocks, dtype=np.float32)
    return simulate(
        KERNEL.replace("@SYNC@", sync),
        {"x": x},
        {"y": ((TILE * blocks,), "float32")},
        blocks=blocks,
        toolchain=simulator,
    )


def expected(blocks: int = BLOCKS) -> NDArray[Any]:
    x = np.arange(TILE * blocks, dtype=np.float32).reshape(blocks, TILE)
    return np.roll(2 * x, -1, axis=0).reshape(-1)


@pytest.mark.parametrize(
    "sync",
    [
        pytest.param("SyncAll();", id="hard"),
        pytest.param(ZERO + "SyncAll(slots, s);", id="soft"),
        pytest.param("CrossCoreSetFlag<0, PIPE_MTE3>(8); CrossCoreWaitFlag(8);", id="flag"),
        pytest.param("CrossCoreSetFlag<0x0, PIPE_MTE3>(8); CrossCoreWaitFlag<0x0, PIPE_MTE2>(8);", id="flag-named"),
        pytest.param(
            "set_ffts_base_addr(0); ffts_cross_core_sync(PIPE_MTE3, 0x1 | 0 << 4 | 8 << 8); wait_flag_dev(8);",
            id="flag-raw",
        ),
        pytest.param(
            ZERO + "SyncAll(); IBSet(slots, s, me, 0); IBWait(slots, s, (me + 1) % n, 0);", id="slots behind a barrier"
        ),
    ],
)
def test_synchronised_cores_see_each_other(simulator: SimulatorToolchain, sync: str) -> None:
    done = run(simulator, sync)
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["y"], expected())


def test_every_core_of_the_chip_can_take_part(simulator: SimulatorToolchain) -> None:
    done = run(simulator, "SyncAll();", blocks=48)
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["y"], expected(48))


def test_unsynchronised_cores_race(simulator: SimulatorToolchain) -> None:
    assert "gm-race" in run(simulator, "").codes


def test_more_blocks_than_cores_hang(simulator: SimulatorToolchain) -> None:
    done = run(simulator, "SyncAll();", blocks=49)
    assert done.codes == ("deadlock",)
    assert not done.completed
    assert done.lines == (SYNC_LINE,)


def test_an_early_return_before_sync_all_is_named(simulator: SimulatorToolchain) -> None:
    done = run(simulator, "if (me == 3) return;\n    SyncAll();")
    found = next(d for d in done.diagnostics if d.code == "deadlock")
    assert found.location is not None
    assert found.location.line == SYNC_LINE + 1
    assert "blocks 0 to 2, 4 to 7 wait in SyncAll for call 1 of block 3" in found.message
    assert found.evidence["ended"] == [3]
    assert found.evidence["waiting"][0]["line"] == SYNC_LINE + 1


def test_cores_that_hang_in_two_calls_are_both_placed(simulator: SimulatorToolchain) -> None:
    done = run(simulator, "if (me == 3) {\n    CrossCoreWaitFlag(5);\n    }\n    SyncAll();")
    found = next(d for d in done.diagnostics if d.code == "deadlock")
    lines = {entry["api"]: entry["line"] for entry in found.evidence["waiting"]}
    assert lines == {"SyncAll": SYNC_LINE + 3, "CrossCoreWaitFlag": SYNC_LINE + 1}
    assert SYNC_LINE + 1 in {place.line for place, _ in found.related}


def test_the_slowest_core_decides(simulator: SimulatorToolchain) -> None:
    even = run(simulator, "SyncAll();").estimate
    uneven = run(simulator, "if (me == 5) for (int i = 0; i < 200; ++i) Muls(a, a, 1.0f, 64);\n    SyncAll();").estimate
    assert even is not None
    assert uneven is not None
    assert uneven.kernel_us > even.kernel_us + 1


def test_modes_that_need_other_cores_are_told(simulator: SimulatorToolchain) -> None:
    assert "illegal-argument" in run(simulator, "CrossCoreSetFlag<2, PIPE_MTE3>(8);").codes
    assert "illegal-argument" in run(simulator, "CrossCoreSetFlag<1, PIPE_MTE3>(8);").codes


@pytest.mark.parametrize("call", ["CrossCoreSetFlag<0, PIPE_S>(8);", "CrossCoreSetFlag<4, PIPE_V>(8);"])
def test_flags_that_the_chip_lacks_do_not_compile(simulator: SimulatorToolchain, call: str) -> None:
    done = run(simulator, call)
    assert not done.compiled
    assert any("CrossCoreSetFlag" in d.message for d in done.diagnostics)


OTHER = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR w) {
    GlobalTensor<float> gx, gy;
    gx.SetGlobalBuffer((__gm__ float*)x);
    gy.SetGlobalBuffer((__gm__ float*)y);
    @BODY@
}
"""


def other(simulator: SimulatorToolchain, body: str) -> Simulation:
    x = np.arange(64, dtype=np.float32)
    return simulate(OTHER.replace("@BODY@", body), {"x": x}, {"y": ((64,), "float32")}, toolchain=simulator)


COPY = """DataCopy(a, gx, 64);
    SetFlag<HardEvent::MTE2_MTE3>(0); WaitFlag<HardEvent::MTE2_MTE3>(0);
    DataCopy(gy, a, 64);
"""


def test_a_destroyed_pipe_serves_again(simulator: SimulatorToolchain) -> None:
    body = "TPipe pipe; TBuf<> first, second; pipe.InitBuffer(first, 196608); pipe.Destroy();\n"
    body += "GetTPipePtr()->InitBuffer(second, 196608); LocalTensor<float> a = second.Get<float>();\n" + COPY
    done = other(simulator, body)
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["y"], np.arange(64))


def test_absolute_addresses_name_the_memory_of_a_position(simulator: SimulatorToolchain) -> None:
    body = "TPipe pipe; TBuf<> buffer; pipe.InitBuffer(buffer, 1024); LocalTensor<float> b = buffer.Get<float>();\n"
    body += "LocalTensor<float> a = pipe.GetAbsAddr<TPosition::VECCALC, float>(512, 64);\n"
    body += "if ((uint64_t)a.GetPhyAddr() - (uint64_t)b.GetPhyAddr() != 512 || a.GetSize() != 64) return;\n" + COPY
    done = other(simulator, body)
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["y"], np.arange(64))


def test_the_workspace_of_a_kernel_is_the_users_part(simulator: SimulatorToolchain) -> None:
    body = "if (GetSysWorkSpacePtr() != nullptr) return;\nSetSysWorkspace(w); SetSysWorkspace(x);\n"
    body += "if (GetSysWorkSpacePtr() != w || GetUserWorkspace(w) != w) return;\nSetSysWorkspaceForce(x);\n"
    body += "if (GetSysWorkSpacePtr() != x) return;\n"
    body += (
        "TPipe pipe; TBuf<> buffer; pipe.InitBuffer(buffer, 256); LocalTensor<float> a = buffer.Get<float>();\n" + COPY
    )
    done = other(simulator, body)
    assert not done.codes, done.diagnostics


def test_a_list_of_tensors_is_read(simulator: SimulatorToolchain) -> None:
    # two tensors: one of shape (4, 16) at x + 128, a scalar at x
    body = """GlobalTensor<uint64_t> block; block.SetGlobalBuffer((__gm__ uint64_t*)w);
    const uint64_t words[] = {40, 2 | 1ull << 32, 4, 16, 1ull << 32, (uint64_t)(x + 128), (uint64_t)x};
    for (int i = 0; i < 7; ++i) block.SetValue(i, words[i]);
    DataCacheCleanAndInvalid<uint64_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(block);
    ListTensorDesc list(w);
    if (list.GetSize() != 2 || list.GetDataPtr<float>(1) != (__gm__ float*)x) return;
    uint64_t shape[8] = {0};
    TensorDesc<float> desc;
    desc.SetShapeAddr(shape);
    list.GetDesc(desc, 0);
    if (desc.GetDim() != 2 || desc.GetIndex() != 0 || desc.GetShape(0) != 4 || desc.GetShape(1) != 16) return;
    GlobalTensor<float> part = desc.GetDataObj();
    list.GetDesc(desc, 1);
    if (desc.GetDim() != 0 || desc.GetIndex() != 1) return;
    TPipe pipe; TBuf<> buffer; pipe.InitBuffer(buffer, 256); LocalTensor<float> a = buffer.Get<float>();
    DataCopy(a, part, 32);
    DataCopy(a[32], gx, 32);
    SetFlag<HardEvent::MTE2_MTE3>(0); WaitFlag<HardEvent::MTE2_MTE3>(0);
    DataCopy(gy, a, 64);
    """
    done = other(simulator, body)
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["y"], np.concatenate([np.arange(32, 64), np.arange(32)]))


def test_a_list_of_tensors_has_bounds(simulator: SimulatorToolchain) -> None:
    body = """GlobalTensor<uint64_t> block; block.SetGlobalBuffer((__gm__ uint64_t*)w);
    const uint64_t words[] = {16, 1ull << 32, (uint64_t)x};
    for (int i = 0; i < 3; ++i) block.SetValue(i, words[i]);
    ListTensorDesc list(w);
    TensorDesc<float> desc;
    list.GetDesc(desc, 0);
    list.GetDataPtr<float>(1);
    """
    found = [d.message for d in other(simulator, body).diagnostics if d.code == "illegal-argument"]
    assert any("no room for the shape" in message for message in found)
    assert any("an index that the list does not have" in message for message in found)
