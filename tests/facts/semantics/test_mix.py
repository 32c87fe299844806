"""Kernels of cube and vector cores (facts: semantics, sections 8 and 19): who they are, and how they wait.

The raw functions `ffts_cross_core_sync` and `wait_flag_dev` are documented with the CCE intrinsics (vec and cube
synchronisation): the setting is 1 | mode << 4 | flag << 8.
"""

from __future__ import annotations

import numpy as np
import pytest

from agentkernel.testing.simulate import Simulation, simulate

from .batch import Array, explain
from .marks import api

_IDS = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR vectors, GM_ADDR cubes, GM_ADDR workspace)
{
    KERNEL_TASK_TYPE_DEFAULT(%(kind)s);
    GlobalTensor<int32_t> line;
    if ASCEND_IS_AIV {
        line.SetGlobalBuffer((__gm__ int32_t *)vectors + GetBlockIdx() * 16, 16);
    } else {
        line.SetGlobalBuffer((__gm__ int32_t *)cubes + GetBlockIdx() * 16, 16);
    }
    const int64_t values[16] = {GetBlockIdx(), GetBlockNum(), GetSubBlockIdx(), GetSubBlockNum(), GetTaskRatio(),
                                get_block_idx(), get_block_num(), block_idx, block_num, get_subblockid(),
                                get_subblockdim(), g_coreType, 0, 0, 0, 7};
    for (int i = 0; i < 16; ++i) {
        line.SetValue(i, static_cast<int32_t>(values[i]));
    }
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(line);
}
"""
_AIC, _AIV = 1, 2
"""Values of g_coreType (facts: overloads, section 1.1)."""


@api(
    *("GetBlockIdx", "GetBlockNum", "GetSubBlockIdx", "GetSubBlockNum", "GetTaskRatio", "get_block_idx"),
    *("get_block_num", "get_subblockid", "get_subblockdim", "KERNEL_TASK_TYPE_DEFAULT"),
)
@pytest.mark.parametrize(
    ("kind", "cubes", "vectors"),
    [("MIX_AIC_1_2", 1, 2), ("MIX_AIC_1_1", 1, 1), ("AIV_ONLY", 0, 1), ("AIC_ONLY", 1, 0), ("MIX_AIV_1_0", 0, 1)],
)
def test_each_core_knows_its_place(kind: str, cubes: int, vectors: int) -> None:
    blocks = 3
    outputs = {"vectors": ((blocks * 2, 16), "int32"), "cubes": ((blocks, 16), "int32")}
    simulation = simulate(_IDS % {"kind": f"KERNEL_TYPE_{kind}"}, {}, outputs, blocks=blocks)
    assert simulation.completed, explain(simulation)
    assert not set(simulation.codes) - {"output-not-written"}, explain(simulation)
    for i in range(blocks * vectors):
        block, sub = divmod(i, vectors)
        got = simulation.outputs["vectors"][i].tolist()
        assert got[:12] == [i, blocks, sub, vectors, vectors, block, blocks, block, blocks, sub, vectors, _AIV], i
    for i in range(blocks * cubes):
        got = simulation.outputs["cubes"][i].tolist()
        assert got[:12] == [i, blocks, 0, 1, 1, i, blocks, i, blocks, 0, 1, _AIC], i


_TEXT = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR a, GM_ADDR first, GM_ADDR second, GM_ADDR c, GM_ADDR workspace)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_%(kind)s);
    TPipe pipe;
    GlobalTensor<float> from, shared, back, to;
    from.SetGlobalBuffer((__gm__ float *)a);
    shared.SetGlobalBuffer((__gm__ float *)first);
    back.SetGlobalBuffer((__gm__ float *)second);
    to.SetGlobalBuffer((__gm__ float *)c);
    const int32_t group = get_block_idx();
    const int32_t me = GetBlockIdx();
    const int32_t groups = GetBlockNum();
    (void)group;
    (void)groups;
    if ASCEND_IS_AIV {
        TBuf<TPosition::VECCALC> values;
        pipe.InitBuffer(values, 256);
        LocalTensor<float> held = values.Get<float>();
        (void)me;
%(vector)s
    } else {
        TBuf<TPosition::A1> values;
        pipe.InitBuffer(values, 512);
        LocalTensor<float> held = values.Get<float>();
        (void)me;
%(cube)s
    }
}
"""


def _run(cube: str, vector: str, *, kind: str = "MIX_AIC_1_2", blocks: int = 2) -> tuple[Array, Simulation]:
    """Launch on `blocks` groups; each vector core has 64 elements of `a`, `first` and `c`, each cube core 128."""
    a = np.arange(blocks * 128, dtype=np.float32)
    outputs = {name: ((blocks * 128,), "float32") for name in ("first", "second", "c")}
    text = _TEXT % {"kind": kind, "cube": cube, "vector": vector}
    return a, simulate(text, {"a": a}, outputs, blocks=blocks)


def _clean(a: Array, simulation: Simulation, want: Array) -> None:
    assert simulation.completed, explain(simulation)
    assert not set(simulation.codes) - {"output-not-written"}, explain(simulation)
    np.testing.assert_array_equal(simulation.outputs["c"], want)


_SPREAD = """
        DataCopy(held, from[me * 64], 64);
        PipeBarrier<PIPE_ALL>();
        Adds(held, held, 1.0f, 64);
        PipeBarrier<PIPE_ALL>();
        DataCopy(shared[me * 64], held, 64);
"""
"""A vector core writes its part of `a` plus one to `first`."""

_PASS_ON = """
        DataCopy(held, shared[group * 128], 128);
        PipeBarrier<PIPE_ALL>();
        DataCopy(back[group * 128], held, 128);
"""
"""A cube core copies what its two vector cores wrote from `first` to `second`, through L1."""

_COLLECT = """
        DataCopy(held, back[me * 64], 64);
        PipeBarrier<PIPE_ALL>();
        Muls(held, held, 2.0f, 64);
        PipeBarrier<PIPE_ALL>();
        DataCopy(to[me * 64], held, 64);
"""
"""A vector core writes its part of `second` twofold to `c`."""

_RAW = {"set": "ffts_cross_core_sync(PIPE_MTE3, 1 | (2 << 4) | ({} << 8));", "wait": "wait_flag_dev({});"}
_CALL = {"set": "CrossCoreSetFlag<2, PIPE_MTE3>({});", "wait": "CrossCoreWaitFlag({});"}


@api("CrossCoreSetFlag", "CrossCoreWaitFlag")
@pytest.mark.parametrize(
    "spelling", [_CALL, pytest.param(_RAW, marks=api("ffts_cross_core_sync", "wait_flag_dev"))], ids=("call", "raw")
)
def test_mode_2_joins_a_cube_core_and_its_vector_cores(spelling: dict[str, str]) -> None:
    cube = [spelling["wait"].format(3), _PASS_ON, spelling["set"].format(4)]
    vector = [_SPREAD, spelling["set"].format(3), spelling["wait"].format(4), _COLLECT]
    a, simulation = _run("\n".join(cube), "\n".join(vector))
    _clean(a, simulation, (a + 1) * 2)


@api("CrossCoreSetFlag", "CrossCoreWaitFlag")
def test_mode_2_joins_one_cube_and_one_vector_core() -> None:
    cube = ["CrossCoreWaitFlag(3);", _PASS_ON.replace("128", "64"), "CrossCoreSetFlag<2, PIPE_MTE3>(4);"]
    vector = [_SPREAD, "CrossCoreSetFlag<2, PIPE_MTE3>(3);", "CrossCoreWaitFlag(4);", _COLLECT]
    a, simulation = _run("\n".join(cube), "\n".join(vector), kind="MIX_AIC_1_1")
    assert simulation.completed, explain(simulation)
    assert not set(simulation.codes) - {"output-not-written"}, explain(simulation)
    np.testing.assert_array_equal(simulation.outputs["c"][:128], ((a + 1) * 2)[:128])


@api("CrossCoreSetFlag", "CrossCoreWaitFlag")
@pytest.mark.parametrize("missing", ["cube", "vector"])
def test_without_a_flag_cube_and_vector_cores_race(missing: str) -> None:
    cube, vector = [_PASS_ON], [_SPREAD, _COLLECT]
    if missing != "cube":
        cube.insert(0, "CrossCoreWaitFlag(3);")
        vector.insert(1, "CrossCoreSetFlag<2, PIPE_MTE3>(3);")
    if missing != "vector":
        cube.append("CrossCoreSetFlag<2, PIPE_MTE3>(4);")
        vector.insert(-1, "CrossCoreWaitFlag(4);")
    _, simulation = _run("\n".join(cube), "\n".join(vector))
    assert "gm-race" in simulation.codes, explain(simulation)


@api("CrossCoreSetFlag", "CrossCoreWaitFlag")
def test_a_flag_behind_another_pipe_does_not_order_the_store() -> None:
    cube = ["CrossCoreWaitFlag(3);", _PASS_ON, "CrossCoreSetFlag<2, PIPE_MTE2>(4);"]
    vector = [_SPREAD, "CrossCoreSetFlag<2, PIPE_MTE3>(3);", "CrossCoreWaitFlag(4);", _COLLECT]
    _, simulation = _run("\n".join(cube), "\n".join(vector))
    assert "gm-race" in simulation.codes, explain(simulation)


@api("CrossCoreSetFlag", "CrossCoreWaitFlag")
def test_both_vector_cores_must_set_to_release_the_cube_core() -> None:
    one = "if (GetSubBlockIdx() == 0) { CrossCoreSetFlag<2, PIPE_MTE3>(3); }"
    _, simulation = _run("CrossCoreWaitFlag(3);" + _PASS_ON, _SPREAD + one)
    assert not simulation.completed
    assert "deadlock" in simulation.codes, explain(simulation)


@api("CrossCoreSetFlag", "CrossCoreWaitFlag")
def test_flags_count() -> None:
    twice = "CrossCoreWaitFlag(3);\nCrossCoreWaitFlag(3);\n"
    cube = [twice, _PASS_ON, "CrossCoreSetFlag<2, PIPE_MTE3>(4);"]
    vector = [
        "CrossCoreSetFlag<2, PIPE_MTE3>(3);",
        _SPREAD,
        "CrossCoreSetFlag<2, PIPE_MTE3>(3);",
        "CrossCoreWaitFlag(4);",
        _COLLECT,
    ]
    a, simulation = _run("\n".join(cube), "\n".join(vector))
    _clean(a, simulation, (a + 1) * 2)
    _, early = _run("CrossCoreWaitFlag(3);\n" + "\n".join(cube[1:]) + "\nCrossCoreWaitFlag(3);", "\n".join(vector))
    assert "gm-race" in early.codes, explain(early)


@api("CrossCoreSetFlag", "CrossCoreWaitFlag")
def test_a_counter_holds_at_most_15() -> None:
    for times, fine in ((15, True), (16, False)):
        vector = f"for (int i = 0; i < {times}; ++i) {{ CrossCoreSetFlag<2, PIPE_MTE3>(3); }}\nCrossCoreWaitFlag(4);"
        waits = f"\nfor (int i = 0; i < {times}; ++i) {{ CrossCoreWaitFlag(3); }}"
        # The cube core waits for nothing until the vector cores have set every flag of the first kind.
        all_set = "CrossCoreSetFlag<2, PIPE_MTE3>(5);\n"
        cube = "CrossCoreWaitFlag(5);\nCrossCoreSetFlag<2, PIPE_MTE3>(4);" + waits
        _, simulation = _run(cube, vector.replace("CrossCoreWaitFlag(4)", all_set + "CrossCoreWaitFlag(4)"))
        assert fine == (not set(simulation.codes) - {"output-not-written"}), f"{times}: {explain(simulation)}"


_NEIGHBOUR = """
        DataCopy(held, shared[%s * 64], 64);
        PipeBarrier<PIPE_ALL>();
        DataCopy(to[me * 64], held, 64);
"""


@api("CrossCoreSetFlag", "CrossCoreWaitFlag")
def test_mode_1_joins_the_vector_cores_of_a_group() -> None:
    meet = "CrossCoreSetFlag<1, PIPE_MTE3>(2);\nCrossCoreWaitFlag<1>(2);\n"
    a, simulation = _run("", _SPREAD + meet + _NEIGHBOUR % "(me ^ 1)")
    _clean(a, simulation, (a + 1).reshape(2, 2, 64)[:, ::-1].ravel())
    _, unordered = _run("", _SPREAD + _NEIGHBOUR % "(me ^ 1)")
    assert "gm-race" in unordered.codes, explain(unordered)
    _, others = _run("", _SPREAD + meet + _NEIGHBOUR % "(3 - me)")
    assert "gm-race" in others.codes, explain(others)


@api("CrossCoreSetFlag", "CrossCoreWaitFlag")
def test_mode_0_joins_the_vector_cores_of_all_groups() -> None:
    meet = "CrossCoreSetFlag<0, PIPE_MTE3>(2);\nCrossCoreWaitFlag<0>(2);\n"
    a, simulation = _run("", _SPREAD + meet + _NEIGHBOUR % "(3 - me)")
    _clean(a, simulation, (a + 1).reshape(4, 64)[::-1].ravel())


@api("CrossCoreSetFlag", "CrossCoreWaitFlag")
def test_mode_0_joins_the_cube_cores_of_all_groups() -> None:
    to_shared = (
        "DataCopy(held, from[me * 128], 128);\nPipeBarrier<PIPE_ALL>();\nDataCopy(shared[me * 128], held, 128);\n"
    )
    from_other = (
        "DataCopy(held, shared[(1 - me) * 128], 128);\nPipeBarrier<PIPE_ALL>();\nDataCopy(to[me * 128], held, 128);\n"
    )
    free = "PipeBarrier<PIPE_ALL>();\n"
    meet = "CrossCoreSetFlag<0, PIPE_MTE3>(2);\nCrossCoreWaitFlag<0>(2);\n"
    for kind in ("MIX_AIC_1_2", "MIX_AIC_1_0"):
        a, simulation = _run(to_shared + free + meet + from_other, "", kind=kind)
        _clean(a, simulation, a.reshape(2, 128)[::-1].ravel())
    _, unordered = _run(to_shared + free + from_other, "")
    assert "gm-race" in unordered.codes, explain(unordered)


_OF_OTHERS = """
        DataCopy(held, shared[(groups - 1 - group) * 128], 128);
        PipeBarrier<PIPE_ALL>();
        DataCopy(to[group * 128], held, 128);
"""


@api("SyncAll")
def test_all_cores_of_all_groups_meet() -> None:
    a, simulation = _run("SyncAll<false>();" + _OF_OTHERS, _SPREAD + "SyncAll<false>();")
    _clean(a, simulation, (a + 1).reshape(2, 128)[::-1].ravel())
    a, simulation = _run("", _SPREAD + "SyncAll<true>();" + _NEIGHBOUR % "(3 - me)")
    _clean(a, simulation, (a + 1).reshape(4, 64)[::-1].ravel())
    _, vectors_alone = _run(_OF_OTHERS, _SPREAD + "SyncAll<true>();")
    assert "gm-race" in vectors_alone.codes, explain(vectors_alone)
    _, one_side = _run(_OF_OTHERS, _SPREAD + "SyncAll<false>();")
    assert set(one_side.codes) & {"deadlock", "gm-race"}, explain(one_side)


@api("CrossCoreSetFlag", "CrossCoreWaitFlag", "SyncAll")
@pytest.mark.parametrize("call", ["CrossCoreSetFlag<0, PIPE_MTE3>(2);\nCrossCoreWaitFlag(2);", "SyncAll();"])
def test_flags_need_a_kernel_of_a_mixed_type(call: str) -> None:
    _, simulation = _run("", call, kind="AIV_ONLY")
    assert set(simulation.codes) - {"output-not-written"}, explain(simulation)


@api("CrossCoreSetFlag")
def test_ids_of_flags_have_4_bits() -> None:
    _, simulation = _run("CrossCoreWaitFlag(16);", "CrossCoreSetFlag<2, PIPE_MTE3>(16);")
    assert set(simulation.codes) - {"output-not-written"}, explain(simulation)
