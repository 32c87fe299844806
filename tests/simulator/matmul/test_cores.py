"""Vector cores that ask the cube core of their block for products: order, waiting, UB, several objects and cores."""

from __future__ import annotations

import numpy as np
import pytest

from agentkernel.testing.simulate import simulate
from agentkernel.toolchains.simulator import SimulatorToolchain

from .product import SET, Product

ROWS = """
    const int32_t rows = (M + GetBlockNum() * GetTaskRatio() - 1) / (GetBlockNum() * GetTaskRatio());
    const int32_t first = GetBlockIdx() * rows, mine = min(rows, M - first);
    if (mine < 1) return;
"""
SHARE = ROWS + "mm.SetTensorA(ga[first * K]); mm.SetTensorB(gb); mm.SetTail(mine); mm.IterateAll(gc[first * N]); "


@pytest.mark.parametrize(("type_", "cores"), [("KERNEL_TYPE_MIX_AIC_1_1", 3), ("KERNEL_TYPE_MIX_AIC_1_2", 6)])
def test_each_vector_core_has_its_own_product(type_: str, cores: int, toolchain: SimulatorToolchain) -> None:
    Product(m=150, type_=type_, run=SHARE, cores=cores).check(toolchain, blocks=3)


@pytest.mark.parametrize("cube", [True, False])
def test_blocks_of_two_vector_cores_in_turn(cube: bool, toolchain: SimulatorToolchain) -> None:
    """Iterate of one core comes between Iterate and GetTensorC of the other."""
    run = ROWS + "mm.SetTensorA(ga[first * K]); mm.SetTensorB(gb); mm.SetTail(mine);"
    Product(m=150, cores=6, cube_only=cube, run=run + "while (mm.Iterate()) mm.GetTensorC(gc[first * N]);").check(
        toolchain, blocks=6 if cube else 3
    )


def test_a_kernel_that_says_nothing_gets_a_cube_core_for_two_vector_cores(toolchain: SimulatorToolchain) -> None:
    product = Product()
    text = product.source.replace("KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);", "")
    a, b = product.arrays()
    done = simulate(text, {"a": a, "b": b}, {"c": ((70, 100), "float32")}, toolchain=toolchain)
    assert done.completed and not done.diagnostics, done.diagnostics
    np.testing.assert_array_equal(done.outputs["c"], product.wanted())


ADD_ONE = """
    TBuf<> buffer; pipe.InitBuffer(buffer, M * 128 * 4); LocalTensor<float> t = buffer.Get<float>();
    mm.SetTensorA(ga); mm.SetTensorB(gb);
    mm.IterateAll<false>(gc, 0, false, true);
    @WAIT@
    DataCopyPad(t, gc, DataCopyExtParams(M, N * 4, 0, 0, 0), DataCopyPadExtParams<float>());
    SetFlag<HardEvent::MTE2_V>(0); WaitFlag<HardEvent::MTE2_V>(0);
    Adds(t, t, 1.0f, M * 104);
    SetFlag<HardEvent::V_MTE3>(0); WaitFlag<HardEvent::V_MTE3>(0);
    DataCopyPad(gc, t, DataCopyExtParams(M, N * 4, 0, 0, 0));
    @AFTER@
"""


def test_what_waits_sees_the_result(toolchain: SimulatorToolchain) -> None:
    run = ADD_ONE.replace("@WAIT@", "mm.WaitIterateAll();").replace("@AFTER@", "")
    done = Product(run=run).launch(toolchain)
    assert done.completed and done.codes == (), done.diagnostics
    np.testing.assert_array_equal(done.outputs["c"], Product().wanted() + 1)


def test_what_does_not_wait_races_with_the_cube_core(toolchain: SimulatorToolchain) -> None:
    run = ADD_ONE.replace("@WAIT@", "").replace("@AFTER@", "mm.WaitIterateAll();")
    done = Product(run=run).launch(toolchain)
    assert {"gm-race", "uninitialised-read"} & set(done.codes), done.diagnostics


IN_UB = """
    TQue<QuePosition::VECIN, 1> in; TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, 32 * 64 * 4); pipe.InitBuffer(out, 1, 32 * 64 * 4);
    mm.SetTensorA(ga); mm.SetTensorB(gb);
    int32_t block = 0;
    while (mm.Iterate()) {
        const int32_t m = block % 2 * 32, n = block / 2 * 48; ++block;
        LocalTensor<float> t = out.AllocTensor<float>();
        mm.GetTensorC(t, 0, true);
        Adds(t, t, 1.0f, 32 * 48);
        out.EnQue(t); t = out.DeQue<float>();
        DataCopy(gc[m * N + n], t, DataCopyParams(32, 6, 0, (N - 48) / 8));
        out.FreeTensor(t);
    }
"""


def test_blocks_come_into_ub(toolchain: SimulatorToolchain) -> None:
    done = Product(m=64, n=96, positions=("GM", "GM", "VECIN"), run=IN_UB).launch(toolchain)
    assert done.completed and done.codes == (), done.diagnostics
    np.testing.assert_array_equal(done.outputs["c"], Product(m=64, n=96).wanted() + 1)


LATER = """
    GlobalTensor<float> cache; cache.SetGlobalBuffer((__gm__ float*)(workspace + (1 << 20)), 4 * 32 * 48);
    TQue<QuePosition::VECOUT, 1> out; pipe.InitBuffer(out, 1, 32 * 64 * 4);
    mm.SetWorkspace(cache); mm.SetTensorA(ga); mm.SetTensorB(gb);
    mm.template Iterate<false>();
    for (int32_t block = 0; block < 4; ++block) {
        const int32_t m = block % 2 * 32, n = block / 2 * 48;
        LocalTensor<float> t = out.AllocTensor<float>();
        @FETCH@
        Adds(t, t, 1.0f, 32 * 48);
        out.EnQue(t); t = out.DeQue<float>();
        DataCopy(gc[m * N + n], t, DataCopyParams(32, 6, 0, (N - 48) / 8));
        out.FreeTensor(t);
    }
"""


@pytest.mark.parametrize("fetch", ["mm.GetTensorC<false>(t);", "mm.AsyncGetTensorC(t); mm.WaitGetTensorC();"])
def test_blocks_are_computed_ahead_and_fetched_later(fetch: str, toolchain: SimulatorToolchain) -> None:
    run = LATER.replace("@FETCH@", fetch)
    done = Product(m=64, n=96, positions=("GM", "GM", "VECIN"), run=run).launch(toolchain)
    assert done.completed and done.codes == (), done.diagnostics
    np.testing.assert_array_equal(done.outputs["c"], Product(m=64, n=96).wanted() + 1)


FROM_UB = """
    TQue<QuePosition::VECIN, 1> in; TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, M * K * 2); pipe.InitBuffer(out, 1, M * K * 2);
    LocalTensor<half> x = in.AllocTensor<half>(); DataCopy(x, ga, M * K); in.EnQue(x); x = in.DeQue<half>();
    LocalTensor<half> y = out.AllocTensor<half>(); Muls(y, x, (half)2, M * K); out.EnQue(y); in.FreeTensor(x);
    y = out.DeQue<half>();
    mm.SetTensorA(y); mm.SetTensorB(gb); @FETCH@
    out.FreeTensor(y);
"""


@pytest.mark.parametrize("fetch", ["mm.IterateAll(gc);", "while (mm.Iterate()) mm.GetTensorC(gc);"])
def test_an_operand_from_ub(fetch: str, toolchain: SimulatorToolchain) -> None:
    product = Product(m=64, k=80, positions=("VECOUT", "GM", "GM"), run=FROM_UB.replace("@FETCH@", fetch))
    done = product.launch(toolchain)
    assert done.completed and done.codes == (), done.diagnostics
    np.testing.assert_array_equal(done.outputs["c"], 2 * product.wanted())


def test_two_objects_share_the_cube_core(toolchain: SimulatorToolchain) -> None:
    product = Product()
    text = product.source.replace("REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);", """
        decltype(mm) other; TCubeTiling second = tiling; second.singleCoreM = 40;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling, other, &second);""")  # fmt: skip
    text = text.replace(
        "mm.IterateAll(gc);",
        """
        other.SetTensorA(ga[30 * K]); other.SetTensorB(gb);
        mm.SetTail(30); mm.IterateAll<false>(gc, 0, false, true); other.IterateAll<false>(gc[30 * N], 0, false, true);
        mm.WaitIterateAll(); other.WaitIterateAll();""",
    )
    a, b = product.arrays()
    done = simulate(text, {"a": a, "b": b}, {"c": ((70, 100), "float32")}, toolchain=toolchain)
    assert done.completed and not done.diagnostics, done.diagnostics
    np.testing.assert_array_equal(done.outputs["c"], product.wanted())


def test_a_tiling_may_come_later(toolchain: SimulatorToolchain) -> None:
    product = Product(before="mm.Init(&tiling);")
    text = product.source.replace(", mm, &tiling);", ", mm);")
    a, b = product.arrays()
    done = simulate(text, {"a": a, "b": b}, {"c": ((70, 100), "float32")}, toolchain=toolchain)
    assert done.completed and not done.diagnostics, done.diagnostics
    np.testing.assert_array_equal(done.outputs["c"], product.wanted())


def test_the_vector_core_waits_while_the_cube_core_works(toolchain: SimulatorToolchain) -> None:
    small, large = (Product(m=64, n=96, k=k).check(toolchain) for k in (64, 2048))
    assert small.estimate is not None and large.estimate is not None
    assert large.estimate.kernel_us > small.estimate.kernel_us + 1


def test_a_flag_of_the_library_is_not_the_kernels(toolchain: SimulatorToolchain) -> None:
    run = SET + "mm.IterateAll(gc); CrossCoreSetFlag<1, PIPE_MTE3>(1); CrossCoreWaitFlag(1);"
    done = Product(run=run, cores=2).launch(toolchain)
    assert "cross-core-flag" in done.codes
    assert any("Matmul objects" in d.message for d in done.diagnostics)


def test_a_core_that_never_comes_is_named(toolchain: SimulatorToolchain) -> None:
    done = Product(run="CrossCoreWaitFlag(9);").launch(toolchain)
    (hang,) = [d for d in done.diagnostics if d.code == "deadlock"]
    assert "AIC 0 waits in REGIST_MATMUL_OBJ for calls of Matmul objects of AIV 0" in hang.message


APART = """
    if ASCEND_IS_AIC {
        mm.SetTensorA(ga); mm.SetTensorB(gb); mm.IterateAll(gc);
        CrossCoreSetFlag<2, PIPE_FIX>(0);
    }
    if ASCEND_IS_AIV {
        CrossCoreWaitFlag(0);
        if (GetSubBlockIdx() == 1) return;
        TBuf<> buffer; pipe.InitBuffer(buffer, M * 128 * 4); LocalTensor<float> t = buffer.Get<float>();
        DataCopyPad(t, gc, DataCopyExtParams(M, N * 4, 0, 0, 0), DataCopyPadExtParams<float>());
        SetFlag<HardEvent::MTE2_V>(0); WaitFlag<HardEvent::MTE2_V>(0);
        Adds(t, t, 1.0f, M * 104);
        SetFlag<HardEvent::V_MTE3>(0); WaitFlag<HardEvent::V_MTE3>(0);
        DataCopyPad(gc, t, DataCopyExtParams(M, N * 4, 0, 0, 0));
        return;
    }
"""


def test_cube_and_vector_work_kept_apart_by_hand(toolchain: SimulatorToolchain) -> None:
    """ASCENDC_CUBE_ONLY in a mixed kernel: no messages, the program's own flags, which the library does not take."""
    product = Product(cube_only=True, type_="KERNEL_TYPE_MIX_AIC_1_2", cores=2, run=APART)
    done = product.launch(toolchain)
    assert done.completed and done.codes == (), done.diagnostics
    np.testing.assert_array_equal(done.outputs["c"], product.wanted() + 1)
