"""GroupBarrier: vector cores that wait until others have arrived."""

from __future__ import annotations

import numpy as np
import pytest

from agentkernel.testing.simulate import Simulation, simulate
from agentkernel.toolchains.simulator import SimulatorToolchain

KERNEL = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR w) {
    GlobalTensor<float> gx, gy, gw;
    GlobalTensor<int32_t> messages;
    gx.SetGlobalBuffer((__gm__ float*)x);
    gy.SetGlobalBuffer((__gm__ float*)y);
    gw.SetGlobalBuffer((__gm__ float*)w);
    messages.SetGlobalBuffer((__gm__ int32_t*)(w + 65536));
    TPipe pipe;
    TBuf<> data, zeros;
    pipe.InitBuffer(data, @BYTES@);
    pipe.InitBuffer(zeros, 2048);
    LocalTensor<float> a = data.Get<float>();
    LocalTensor<int32_t> zero = zeros.Get<int32_t>();
    const uint32_t me = GetBlockIdx();
    if (me == 0 && @ZEROED@) {
        Duplicate(zero, 0, 512);
        SetFlag<HardEvent::V_MTE3>(1); WaitFlag<HardEvent::V_MTE3>(1);
        DataCopy(messages, zero, 512);
    }
    SyncAll();
    GroupBarrier<PipeMode::@MODE@> barrier(w + @WORKSPACE@, 2, 3);
    for (uint32_t round = 0; round < 2; ++round) {
        const uint32_t part = round * 128;
        if (me < 2) {
            DataCopy(a, gx[part + me * 64], 64);
            SetFlag<HardEvent::MTE2_MTE3>(0); WaitFlag<HardEvent::MTE2_MTE3>(0);
            DataCopy(gw[part + me * 64], a, 64);
            SetFlag<HardEvent::MTE3_MTE2>(0); WaitFlag<HardEvent::MTE3_MTE2>(0);
            @ARRIVE@
        } else {
            @WAIT@
            DataCopy(a, gw[part], 128);
            SetFlag<HardEvent::MTE2_MTE3>(0); WaitFlag<HardEvent::MTE2_MTE3>(0);
            DataCopy(gy[(me - 2) * 256 + part], a, 128);
            SetFlag<HardEvent::MTE3_MTE2>(0); WaitFlag<HardEvent::MTE3_MTE2>(0);
        }
    }
    @END@
}
"""
ARRIVE, WAIT = "barrier.Arrive(me);", "barrier.Wait(me - 2);"


def run(
    simulator: SimulatorToolchain,
    *,
    arrive: str = ARRIVE,
    wait: str = WAIT,
    end: str = "",
    zeroed: bool = True,
    workspace: int = 65536,
    buffer: int = 512,
    mode: str = "MTE3_MODE",
) -> Simulation:
    text = KERNEL.replace("@ARRIVE@", arrive).replace("@WAIT@", wait).replace("@END@", end)
    text = text.replace("@ZEROED@", str(zeroed).lower()).replace("@WORKSPACE@", str(workspace))
    return simulate(
        text.replace("@BYTES@", str(buffer)).replace("@MODE@", mode),
        {"x": np.arange(256, dtype=np.float32)},
        {"y": ((3 * 256,), "float32")},
        blocks=5,
        toolchain=simulator,
    )


def test_those_that_wait_read_what_those_that_arrive_have_stored(simulator: SimulatorToolchain) -> None:
    done = run(simulator)
    assert done.codes == ()
    np.testing.assert_array_equal(done.outputs["y"], np.tile(np.arange(256, dtype=np.float32), 3))


def test_the_workspace_is_512_bytes_for_each_core_that_waits(simulator: SimulatorToolchain) -> None:
    assert run(simulator, end="if (barrier.GetWorkspaceLen() != 1536) gw.SetValue(1 << 40, 0.0f);").codes == ()


@pytest.mark.parametrize(("arrive", "wait"), [("", ""), (ARRIVE, "")])
def test_without_it_the_cores_race(simulator: SimulatorToolchain, arrive: str, wait: str) -> None:
    assert {"gm-race", "uninitialised-read"} & set(run(simulator, arrive=arrive, wait=wait).codes)


def test_arriving_covers_stores_that_were_issued_before_it_alone(simulator: SimulatorToolchain) -> None:
    late = "barrier.Arrive(me); DataCopy(gw[part + me * 64], a, 64); PipeBarrier<PIPE_ALL>();"
    assert "gm-race" in run(simulator, arrive=late).codes


def test_a_core_that_never_arrives_is_a_hang(simulator: SimulatorToolchain) -> None:
    done = run(simulator, arrive="if (me == 0) barrier.Arrive(me);")
    (hang,) = [d for d in done.diagnostics if d.code == "deadlock"]
    assert "Arrive number 1 of all 2 cores" in hang.message


def test_an_index_counts_within_its_group(simulator: SimulatorToolchain) -> None:
    done = run(simulator, wait="barrier.Wait(me);")
    (found,) = [d for d in done.diagnostics if d.code == "illegal-argument"]
    assert "GroupBarrier::Wait with index " in found.message and "of a group of 3 cores" in found.message


def test_its_memory_is_zeroed_aligned_and_left_alone(simulator: SimulatorToolchain) -> None:
    assert "uninitialised-read" in run(simulator, zeroed=False).codes
    assert "misaligned-address" in run(simulator, workspace=65536 + 32).codes
    assert "scratch-overlap" in run(simulator, buffer=192 * 1024 - 2048 - 512).codes


def test_it_speaks_through_mte3_alone(simulator: SimulatorToolchain) -> None:
    done = run(simulator, mode="SCALAR_MODE")
    (found,) = [d for d in done.diagnostics if d.is_error]
    assert "GroupBarrier: this PipeMode is not supported" in found.message and "PipeMode::MTE3_MODE" in found.hint
