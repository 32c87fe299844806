"""Kernels whose blocks are a cube core with its vector cores: images, identity, flags between the types, names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.testing.simulate import Simulation, simulate
from agentkernel.toolchains.simulator import SimulatorToolchain

HEAD = '#include "kernel_operator.h"\nusing namespace AscendC;\n'

# Each block: the cube core multiplies 32 rows of `a` with `b` and hands them to its vector cores, which add one and,
# where there are two, share the rows.
PRODUCT = """
constexpr int32_t M = 32, N = 32, K = 32;
class OnCube {
 public:
    __aicore__ inline void Run(GM_ADDR a, GM_ADDR b, GM_ADDR w) {
        ga.SetGlobalBuffer((__gm__ half*)a + GetBlockIdx() * M * K, M * K);
        gb.SetGlobalBuffer((__gm__ half*)b, K * N);
        gw.SetGlobalBuffer((__gm__ float*)w + GetBlockIdx() * M * N, M * N);
        pipe.InitBuffer(a1, M * K * 2); pipe.InitBuffer(b1, K * N * 2); pipe.InitBuffer(a2, M * K * 2);
        pipe.InitBuffer(b2, K * N * 2); pipe.InitBuffer(co, M * N * 4);
        LocalTensor<half> la = a1.Get<half>(), lb = b1.Get<half>(), l0a = a2.Get<half>(), l0b = b2.Get<half>();
        LocalTensor<float> c = co.Get<float>();
        DataCopy(la, ga, Nd2NzParams(1, M, K, 0, K, M, 1, 0));
        DataCopy(lb, gb, Nd2NzParams(1, K, N, 0, N, K, 1, 0));
        SetFlag<HardEvent::MTE2_MTE1>(0); WaitFlag<HardEvent::MTE2_MTE1>(0);
        for (int i = 0; i < M / 16; ++i)
            LoadData(l0a[i * 16 * K], la[i * 256], LoadData2DParams(0, K / 16, M / 16, 0, 0, false, 0));
        for (int i = 0; i < K / 16; ++i)
            LoadData(l0b[i * 16 * N], lb[i * 256], LoadData2DParams(0, N / 16, K / 16, 0, 0, true, 0));
        SetFlag<HardEvent::MTE1_M>(0); WaitFlag<HardEvent::MTE1_M>(0);
        MmadParams p; p.m = M; p.n = N; p.k = K;
        Mmad(c, l0a, l0b, p);
        SetFlag<HardEvent::M_FIX>(0); WaitFlag<HardEvent::M_FIX>(0);
        FixpipeParamsV220 f(N, M, M, N, false);
        Fixpipe(gw, c, f);
    }
 private:
    TPipe pipe;
    GlobalTensor<half> ga, gb; GlobalTensor<float> gw;
    TBuf<TPosition::A1> a1; TBuf<TPosition::B1> b1; TBuf<TPosition::A2> a2; TBuf<TPosition::B2> b2;
    TBuf<TPosition::CO1> co;
};
class OnVector {
 public:
    __aicore__ inline void Run(GM_ADDR w, GM_ADDR y) {
        const int32_t mine = M * N / GetSubBlockNum();
        gw.SetGlobalBuffer((__gm__ float*)w + GetBlockIdx() * mine, mine);
        gy.SetGlobalBuffer((__gm__ float*)y + GetBlockIdx() * mine, mine);
        pipe.InitBuffer(buffer, mine * 4);
        LocalTensor<float> t = buffer.Get<float>();
        DataCopy(t, gw, mine);
        SetFlag<HardEvent::MTE2_V>(0); WaitFlag<HardEvent::MTE2_V>(0);
        Adds(t, t, 1.0f, mine);
        SetFlag<HardEvent::V_MTE3>(0); WaitFlag<HardEvent::V_MTE3>(0);
        DataCopy(gy, t, mine);
    }
 private:
    TPipe pipe;
    GlobalTensor<float> gw, gy;
    TBuf<> buffer;
};
"""
ENTRY = """extern "C" __global__ @QUALIFIER@ void kernel(GM_ADDR a, GM_ADDR b, GM_ADDR y, GM_ADDR w) {
    @TYPE@
    if ASCEND_IS_AIC { OnCube op; op.Run(a, b, w); @SET@ }
    if ASCEND_IS_AIV { @WAIT@ OnVector op; op.Run(w, y); }
}
"""
SET, WAIT = "CrossCoreSetFlag<2, PIPE_FIX>(3);", "CrossCoreWaitFlag(3);"


def product(
    simulator: SimulatorToolchain,
    *,
    qualifier: str = "__mix__(1, 2)",
    type_: str = "",
    set_: str = SET,
    wait: str = WAIT,
    blocks: int = 3,
) -> tuple[Simulation, NDArray[np.float32]]:
    text = (
        ENTRY.replace("@QUALIFIER@", qualifier).replace("@TYPE@", type_).replace("@SET@", set_).replace("@WAIT@", wait)
    )
    generator = np.random.default_rng(0)
    a = generator.integers(-4, 5, (blocks * 32, 32)).astype(np.float16)
    b = generator.integers(-4, 5, (32, 32)).astype(np.float16)
    done = simulate(
        HEAD + PRODUCT + text,
        {"a": a, "b": b},
        {"y": ((blocks * 32, 32), "float32")},
        blocks=blocks,
        toolchain=simulator,
    )
    return done, a.astype(np.float32) @ b.astype(np.float32) + 1


@pytest.mark.parametrize(
    ("qualifier", "type_"),
    [
        ("__mix__(1, 2)", ""),
        ("__mix__(1, 1)", ""),
        ("__aicore__", "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);"),
        ("__aicore__", "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);"),
        ("__aicore__", ""),  # both core types have work: two vector cores for each cube core
    ],
)
def test_a_product_goes_from_the_cube_core_to_its_vector_cores(
    simulator: SimulatorToolchain, qualifier: str, type_: str
) -> None:
    done, wanted = product(simulator, qualifier=qualifier, type_=type_)
    assert done.codes == ()
    np.testing.assert_array_equal(done.outputs["y"], wanted)


def test_more_blocks_than_groups_run_in_rounds_without_waiting_for_each_other(simulator: SimulatorToolchain) -> None:
    done, _ = product(simulator, blocks=30)
    assert done.codes == ("deadlock",)
    assert any("30 blocks on 24 cores" in d.message for d in done.diagnostics)


def test_without_a_wait_the_vector_cores_race_with_the_cube_core(simulator: SimulatorToolchain) -> None:
    done, _ = product(simulator, wait="", set_="")
    assert "gm-race" in done.codes or "uninitialised-read" in done.codes


def test_a_flag_covers_only_what_its_pipe_was_given(simulator: SimulatorToolchain) -> None:
    done, _ = product(simulator, set_="CrossCoreSetFlag<2, PIPE_MTE2>(3);")
    assert "gm-race" in done.codes


def test_a_wait_that_nobody_ends_names_cores_by_their_type(simulator: SimulatorToolchain) -> None:
    done, _ = product(simulator, set_="", blocks=1)
    (hang,) = [d for d in done.diagnostics if d.code == "deadlock"]
    assert "AIV 0, 1 wait in CrossCoreWaitFlag for CrossCoreSetFlag of flag 3 of AIC 0" in hang.message
    assert "AIC 0 has come to the end without it" in hang.message
    assert hang.location is not None and hang.evidence["core_type"] == "AIV"


def test_a_finding_on_the_cube_core_has_its_line(simulator: SimulatorToolchain) -> None:
    done, _ = product(simulator, set_="CrossCoreSetFlag<1, PIPE_FIX>(3);", blocks=1)
    found = next(d for d in done.diagnostics if d.code == "illegal-argument")
    assert found.location is not None and found.location.line == 1 + (HEAD + PRODUCT).count("\n") + 2
    assert found.evidence["core_type"] == "AIC" and "mode 1" in found.message


IDENTITY = """extern "C" __global__ __mix__(1, @VECTORS@) void kernel(GM_ADDR y, GM_ADDR w) {
    GlobalTensor<int32_t> gy;
    gy.SetGlobalBuffer((__gm__ int32_t*)y);
    const int32_t line = (g_coreType == AIC ? 2 * @BLOCKS@ + GetBlockIdx() : GetBlockIdx()) * 16;
    gy.SetValue(line, GetBlockIdx()); gy.SetValue(line + 1, GetSubBlockIdx());
    gy.SetValue(line + 2, GetSubBlockNum()); gy.SetValue(line + 3, GetTaskRatio());
    gy.SetValue(line + 4, GetBlockNum()); gy.SetValue(line + 5, get_block_idx());
    gy.SetValue(line + 6, g_coreType);
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(gy[line]);
}
"""


def identity(simulator: SimulatorToolchain, vectors: int, blocks: int) -> NDArray[Any]:
    text = HEAD + IDENTITY.replace("@VECTORS@", str(vectors)).replace("@BLOCKS@", str(blocks))
    done = simulate(text, {}, {"y": ((3 * blocks, 16), "int32")}, blocks=blocks, toolchain=simulator)
    assert done.codes in ((), ("output-not-written",))
    return done.outputs["y"][:, :7]


def test_cores_know_their_place_in_a_group_of_three(simulator: SimulatorToolchain) -> None:
    found = identity(simulator, 2, 3)
    vectors = [[i, i % 2, 2, 2, 3, i // 2, 2] for i in range(6)]
    cubes = [[i, 0, 1, 1, 3, i, 1] for i in range(3)]
    assert found.tolist() == vectors + cubes


def test_cores_know_their_place_in_a_group_of_two(simulator: SimulatorToolchain) -> None:
    found = identity(simulator, 1, 2)
    assert found[:2].tolist() == [[i, 0, 1, 1, 2, i, 2] for i in range(2)]
    assert found[4:].tolist() == [[i, 0, 1, 1, 2, i, 1] for i in range(2)]


# Every vector core writes a tile; after the synchronisation another one of the kernel reads it.
EXCHANGE = """extern "C" __global__ __mix__(1, 2) void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR w) {
    if ASCEND_IS_AIV {
        GlobalTensor<float> gx, gy, gw;
        gx.SetGlobalBuffer((__gm__ float*)x); gy.SetGlobalBuffer((__gm__ float*)y);
        gw.SetGlobalBuffer((__gm__ float*)w);
        TPipe pipe; TBuf<> data; pipe.InitBuffer(data, 256);
        LocalTensor<float> a = data.Get<float>();
        const int32_t me = GetBlockIdx(), n = GetBlockNum() * 2, from = @FROM@;
        DataCopy(a, gx[me * 64], 64);
        SetFlag<HardEvent::MTE2_MTE3>(0); WaitFlag<HardEvent::MTE2_MTE3>(0);
        DataCopy(gw[me * 64], a, 64);
        SetFlag<HardEvent::MTE3_MTE2>(0); WaitFlag<HardEvent::MTE3_MTE2>(0);
        @SYNC@
        DataCopy(a, gw[from * 64], 64);
        SetFlag<HardEvent::MTE2_MTE3>(0); WaitFlag<HardEvent::MTE2_MTE3>(0);
        DataCopy(gy[me * 64], a, 64);
    }
    if ASCEND_IS_AIC { @CUBE@ }
}
"""
AROUND = """CrossCoreSetFlag<2, PIPE_MTE3>(1); CrossCoreWaitFlag(2);"""
MIDDLE = """CrossCoreWaitFlag(1); CrossCoreSetFlag<0, PIPE_FIX>(5); CrossCoreWaitFlag(5);
    CrossCoreSetFlag<2, PIPE_FIX>(2);"""


@pytest.mark.parametrize(
    ("sync", "cube", "source", "codes"),
    [
        ("SyncAll<false>();", "SyncAll<false>();", "(me + 3) % n", ()),
        ("SyncAll();", "", "(me + 3) % n", ()),
        ("CrossCoreSetFlag<0, PIPE_MTE3>(4); CrossCoreWaitFlag(4);", "", "(me + 3) % n", ()),
        ("CrossCoreSetFlag<1, PIPE_MTE3>(4); CrossCoreWaitFlag(4);", "", "me ^ 1", ()),
        ("CrossCoreSetFlag<1, PIPE_MTE3>(4); CrossCoreWaitFlag(4);", "", "(me + 3) % n", ("gm-race",)),
        ("ffts_cross_core_sync(PIPE_MTE3, 1 | 1 << 4 | 4 << 8); wait_flag_dev(4);", "", "me ^ 1", ()),
        (AROUND, MIDDLE, "(me + 3) % n", ()),
        (AROUND, "CrossCoreWaitFlag(1); CrossCoreSetFlag<2, PIPE_FIX>(2);", "me ^ 1", ()),
        (AROUND, "CrossCoreWaitFlag(1); CrossCoreSetFlag<2, PIPE_FIX>(2);", "(me + 3) % n", ("gm-race",)),
        ("SyncAll<false>();", "", "(me + 3) % n", ("deadlock",)),
    ],
)
def test_what_orders_the_vector_cores_of_a_mixed_kernel(
    simulator: SimulatorToolchain, sync: str, cube: str, source: str, codes: tuple[str, ...]
) -> None:
    x = np.arange(6 * 64, dtype=np.float32)
    text = HEAD + EXCHANGE.replace("@SYNC@", sync).replace("@CUBE@", cube).replace("@FROM@", source)
    done = simulate(text, {"x": x}, {"y": ((6 * 64,), "float32")}, blocks=3, toolchain=simulator)
    assert tuple(c for c in done.codes if c != "uninitialised-read") == codes
    if not codes:
        order = [i ^ 1 if "^" in source else (i + 3) % 6 for i in range(6)]
        np.testing.assert_array_equal(done.outputs["y"], x.reshape(6, 64)[order].reshape(-1))


def test_a_timeline_names_cores_by_their_type(tmp_path: Path) -> None:
    with SimulatorToolchain(timeline=tmp_path) as simulator:
        done, _ = product(simulator, blocks=1)
    assert done.completed
    (written,) = tmp_path.glob("*.json")
    events = json.loads(written.read_text())["traceEvents"]
    names = {e["args"]["name"] for e in events if e["name"] == "process_name"}
    assert names == {"AIV 0", "AIV 1", "AIC 0"}
    assert any(e["name"] == "Mmad" and "line" in e["args"] for e in events)


@pytest.mark.parametrize(
    ("qualifier", "type_", "allowed"),
    [
        ("__aicore__", "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);", False),
        ("__vector__", "", False),
        ("__aicore__", "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);", True),
        ("__mix__(0, 1)", "", True),
        ("__aicore__", "", True),
        ("__aicore__", "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);", False),
        ("__cube__", "", False),
        ("__aicore__", "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_0);", True),
        ("__mix__(1, 0)", "", True),
    ],
)
@pytest.mark.parametrize("call", ["SyncAll();", "CrossCoreSetFlag<0, PIPE_MTE2>(3); CrossCoreWaitFlag(3);"])
def test_signals_between_cores_need_a_kernel_type_that_carries_them(
    simulator: SimulatorToolchain, qualifier: str, type_: str, allowed: bool, call: str
) -> None:
    text = (
        f'{HEAD}extern "C" __global__ {qualifier} void kernel(GM_ADDR a, GM_ADDR y, GM_ADDR w) {{ {type_} {call} }}\n'
    )
    done = simulate(text, {"a": np.zeros(8, np.float32)}, {"y": ((8,), "float32")}, blocks=2, toolchain=simulator)
    assert ("no-scheduler" in done.codes) is not allowed
    assert set(done.codes) <= {"no-scheduler", "output-not-written"}
