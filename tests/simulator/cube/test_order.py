"""What the flags of a matrix product are for: each one that is left out is a hazard or a hang."""

from __future__ import annotations

import numpy as np
import pytest

from agentkernel.testing.simulate import Simulation, simulate
from agentkernel.toolchains.simulator import SimulatorToolchain

from .gemm import Gemm
from .test_gemm import exact, operands


def run(gemm: Gemm, source: str, toolchain: SimulatorToolchain) -> Simulation:
    a, b = operands(gemm)
    return simulate(source, {"a": a, "b": b}, {"c": ((gemm.m, gemm.n), gemm.out)}, toolchain=toolchain)


@pytest.mark.parametrize(
    ("event", "other", "api"),
    [
        pytest.param("MTE2_MTE1", "DataCopy", "LoadData", id="load-before-fractals"),
        pytest.param("MTE1_M", "LoadData", "Mmad", id="fractals-before-product"),
        pytest.param("M_FIX", "Mmad", "Fixpipe", id="product-before-store"),
        pytest.param("M_MTE1", "Mmad", "LoadData", id="product-before-next-fractals"),
        pytest.param("MTE1_MTE2", "LoadData", "DataCopy", id="fractals-before-next-load"),
    ],
)
def test_a_missing_flag_is_a_hazard(event: str, other: str, api: str, toolchain: SimulatorToolchain) -> None:
    gemm = Gemm(48, 48, 192, tile=(48, 48, 64))
    source = "\n".join(line for line in gemm.source.splitlines() if f"HardEvent::{event}>" not in line)
    done = run(gemm, source, toolchain)
    assert set(done.codes) == {"missing-sync"}
    assert any({other, api} <= set(d.apis) for d in done.diagnostics)


@pytest.mark.parametrize(
    ("side", "barrier", "codes"),
    [
        pytest.param(48, "", ("missing-sync",), id="small"),
        pytest.param(48, "PipeBarrier<PIPE_M>();", (), id="small-with-barrier"),
        pytest.param(64, "", (), id="large"),
    ],
)
def test_small_products_into_one_result_need_a_barrier(
    side: int, barrier: str, codes: tuple[str, ...], toolchain: SimulatorToolchain
) -> None:
    gemm = Gemm(side, side, 64, tile=(side, side, 64))
    twice = f"{{ Mmad(product, a2, b2, p); {barrier} p.cmatrixInitVal = false; Mmad(product, a2, b2, p); }}"
    source = gemm.source.replace("else Mmad(product, a2, b2, p);", f"else {twice}")
    done = run(gemm, source, toolchain)
    assert done.completed and done.codes == codes
    a, b = operands(gemm)
    np.testing.assert_allclose(done.outputs["c"], 2 * exact(a, b), rtol=1e-5, atol=1e-4)


def test_the_same_bias_may_be_copied_again(toolchain: SimulatorToolchain) -> None:
    """The copy for the second tile of k can run while the first product reads the table: the values are the same."""
    gemm = Gemm(48, 48, 128, tile=(48, 48, 64), bias=np.arange(48, dtype=np.float32))
    copy = "DataCopy(table, extra, DataCopyParams(1, Up(n, 16) / 16, 0, 0));"
    again = f"if (depth != 0) {copy}"
    source = gemm.source.replace("WaitFlag<HardEvent::M_MTE1>(done);\n            for", f"{again}\n@", 1)
    source = source.replace("@", "WaitFlag<HardEvent::M_MTE1>(done);\n            for")
    assert again in source
    a, b = operands(gemm)
    done = simulate(source, {"a": a, "b": b, "bias": gemm.bias}, {"c": ((48, 48), "float32")}, toolchain=toolchain)
    assert done.completed and not done.codes
    assert [d.code for d in done.diagnostics] == ["missing-sync"]


def test_unit_flags_order_product_and_store(toolchain: SimulatorToolchain) -> None:
    gemm = Gemm(96, 96, 64, tile=(48, 96, 64), unit_flags=True)
    done = run(gemm, gemm.source, toolchain)
    assert done.completed and not done.diagnostics


def test_a_store_waits_for_ever_for_a_flag_that_no_product_raises(toolchain: SimulatorToolchain) -> None:
    gemm = Gemm(48, 48, 64, tile=(48, 48, 64), unit_flags=True)
    source = gemm.source.replace("p.unitFlag = depth + TK < K ? 2 : 3;", "p.unitFlag = 2;")
    done = run(gemm, source, toolchain)
    assert done.codes == ("deadlock",)
    assert "unit flags" in done.diagnostics[0].message and "Fixpipe" in done.diagnostics[0].message


@pytest.mark.parametrize("operand", ["a1, ga[row * K + depth]", "b1, gb[depth * N + column]"])
def test_an_operand_that_nothing_was_loaded_into_is_found(operand: str, toolchain: SimulatorToolchain) -> None:
    gemm = Gemm(64, 64, 64, tile=(64, 64, 64))
    (load,) = [line for line in gemm.source.splitlines() if f"DataCopy({operand}" in line]
    done = run(gemm, gemm.source.replace(load, ""), toolchain)
    found = [d for d in done.diagnostics if d.code == "uninitialised-read"]
    assert found and found[0].apis[0] == "Mmad"


def test_rows_that_nothing_was_loaded_into_may_be_multiplied_if_nobody_stores_them(
    toolchain: SimulatorToolchain,
) -> None:
    gemm = Gemm(64, 64, 64, tile=(64, 64, 64))
    source = gemm.source.replace("p.m = m == 1 ? 16 : m", "p.m = 64").replace(
        "Nd2NzParams(1, m, k", "Nd2NzParams(1, 20, k"
    )
    done = run(gemm, source.replace("FixpipeParamsV220 f(n, m,", "FixpipeParamsV220 f(n, 20,"), toolchain)
    assert done.completed and done.codes == ("output-not-written",)
    np.testing.assert_allclose(done.outputs["c"][:20], exact(*operands(gemm))[:20], rtol=1e-5, atol=1e-4)


def test_cube_cores_have_no_automatic_synchronisation(toolchain: SimulatorToolchain) -> None:
    source = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GlobalTensor<half> ga;
    ga.SetGlobalBuffer((__gm__ half*)a);
    GlobalTensor<float> gc;
    gc.SetGlobalBuffer((__gm__ float*)c);
    LocalTensor<half> a1(TPosition::A1, 0, 256);
    DataCopy(a1, ga, 256);
    gc.SetValue(0, (float)a1.GetValue(0));
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(gc);
}
"""
    assert "missing-sync" in run(Gemm(16, 16, 16), source, toolchain).codes
