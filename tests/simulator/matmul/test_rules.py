"""Matmul objects used against their rules: what is said, and at which line; forms that are not simulated."""

from __future__ import annotations

import pytest

from agentkernel.testing.simulate import Simulation, simulate
from agentkernel.toolchains.simulator import SimulatorToolchain

from .product import SET, Product


def launch(product: Product, toolchain: SimulatorToolchain, old: str = "", new: str = "") -> Simulation:
    text = product.source
    assert old in text
    a, b = product.arrays()
    outputs = {"c": ((product.m, product.n), product.out)}
    return simulate(text.replace(old, new), {"a": a, "b": b}, outputs, toolchain=toolchain)


ALL = SET + "mm.IterateAll(gc);"
BIAS = "GlobalTensor<Bias> x; x.SetGlobalBuffer((__gm__ Bias*)a, N); mm.SetBias(x);"
BROKEN = {
    "transpose-not-declared": (
        Product(run=ALL.replace("@B_T@", "true")), "matmul-use", "SetTensorB with a transposed matrix"),
    "nothing-iterated": (Product(run=SET + "mm.GetTensorC(gc);"), "matmul-use", "no block waits for it"),
    "all-and-block": (Product(run=ALL + "mm.GetTensorC(gc);"), "matmul-use", "no block waits for it"),
    "block-and-all": (Product(run=SET + "mm.Iterate(); mm.IterateAll(gc);"), "matmul-use", "waits for GetTensorC"),
    "no-b": (Product(run="mm.SetTensorA(ga); mm.IterateAll(gc);"), "matmul-use", "before SetTensorB"),
    "nothing-to-wait-for": (Product(run=SET + "mm.WaitIterateAll();"), "matmul-use", "no IterateAll<false>"),
    "no-place-for-blocks": (Product(run=SET + "mm.Iterate<false>();"), "matmul-use", "without SetWorkspace"),
    "partial": (Product(run=SET + "mm.Iterate(true);"), "matmul-use", "enPartialSum on more than one block"),
    "atomic": (Product(run=SET + "mm.IterateAll(gc, 7);"), "illegal-argument", "enAtomic 7"),
    "empty": (Product(run=SET + "mm.SetTail(0);"), "illegal-argument", "SetTail with M 0"),
    "bias": (Product(run=BIAS), "matmul-use", "without a bias"),
    "base": (Product(tiling="tiling.baseM = 24;"), "matmul-tiling", "baseM 24, which is no multiple of 16"),
    "zero": (Product(tiling="tiling.dbL0C = 0;"), "matmul-tiling", "dbL0C 0"),
    "depth": (Product(tiling="tiling.depthA1 = 3;"), "matmul-tiling", "depthA1 3, which is neither"),
    "l0c": (Product(tiling="tiling.baseM = 512; tiling.baseN = 128;"), "matmul-tiling", "of L0C"),
    "l0a": (Product(tiling="tiling.baseM = 256; tiling.baseK = 128;"), "matmul-tiling", "of L0A"),
    "l1": (Product(tiling="tiling.stepKa = 128; tiling.depthA1 = 256;"), "matmul-tiling", "of L1"),
}  # fmt: skip


@pytest.mark.parametrize(("product", "code", "words"), BROKEN.values(), ids=BROKEN)
def test_a_broken_rule_has_a_message_and_a_line(
    product: Product, code: str, words: str, toolchain: SimulatorToolchain
) -> None:
    done = launch(product, toolchain)
    found = [d for d in done.diagnostics if d.code == code and words in d.message]
    assert found, done.diagnostics
    assert found[0].location is not None and found[0].hint
    line = product.source.splitlines()[found[0].location.line - 1]
    assert "mm" in line


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        pytest.param("REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);", "if ASCEND_IS_AIC return;",
                     "REGIST_MATMUL_OBJ never saw", id="not-registered"),
        pytest.param(", mm, &tiling);", ", mm);", "has no tiling", id="no-tiling"),
        pytest.param("REGIST", "TBuf<> early; pipe.InitBuffer(early, 64); REGIST", "comes after InitBuffer", id="late"),
        pytest.param("SetSysWorkspace(workspace);", "", "GetSysWorkSpacePtr() is null", id="no-workspace"),
    ],
)  # fmt: skip
def test_a_registration_has_its_order(old: str, new: str, words: str, toolchain: SimulatorToolchain) -> None:
    done = launch(Product(), toolchain, old, new)
    assert any(d.code == "matmul-use" and words in d.message and d.location is not None for d in done.diagnostics), (
        done.diagnostics
    )


def test_a_kernel_of_one_type_of_core_says_so(toolchain: SimulatorToolchain) -> None:
    for type_, words in (("KERNEL_TYPE_AIV_ONLY", "no cube core"), ("KERNEL_TYPE_AIC_ONLY", "none runs")):
        done = launch(Product(type_=type_), toolchain)
        (found,) = [d for d in done.diagnostics if d.code == "wrong-core"]
        assert words in found.message and "ASCENDC_CUBE_ONLY" in found.hint


def test_reaching_out_of_a_matrix_is_out_of_bounds(toolchain: SimulatorToolchain) -> None:
    done = Product(run="mm.SetTensorA(ga[8]); mm.SetTensorB(gb); mm.IterateAll(gc);").launch(toolchain)
    assert "gm-out-of-bounds" in done.codes, done.diagnostics


@pytest.mark.parametrize(
    ("product", "words"),
    [
        pytest.param(Product(run=SET + "mm.IterateBatch(gc, 1, 1, false);"), "Matmul::IterateBatch", id="batch"),
        pytest.param(Product(run=SET + "mm.SetBatchNum(1, 1);"), "Matmul::SetBatchNum", id="batch-number"),
        pytest.param(Product(run="mm.SetTensorA((half)1);"), "Matmul::SetTensorA", id="number"),
        pytest.param(Product(config=", CFG_IBSHARE_NORM"), "IBSHARE", id="shared"),
        pytest.param(Product(positions=("TSCM", "GM", "GM")), "at this position is not simulated", id="l1"),
        pytest.param(Product(dtype="float32", out="int32"), "dtypes of A, B and C", id="dtypes"),
    ],
)
def test_what_is_not_simulated_does_not_compile(product: Product, words: str, toolchain: SimulatorToolchain) -> None:
    done = launch(product, toolchain)
    assert not done.compiled
    assert any(words in d.message for d in done.diagnostics), done.diagnostics
    assert all(d.location is not None for d in done.diagnostics)


def test_names_come_by_the_header_alone(toolchain: SimulatorToolchain) -> None:
    done = launch(Product(), toolchain, '#include "lib/matmul_intf.h"', "")
    assert not done.compiled


def test_the_library_has_the_names_that_programs_use(toolchain: SimulatorToolchain) -> None:
    text = """
constexpr MatmulConfig CFG_OWN = GetNormalConfig(true);
__aicore__ constexpr const MatmulConfig& Own() { return CFG_OWN; }
template <typename C, const MatmulConfig& config, typename A, typename B, typename D>
__aicore__ void Use(matmul::Matmul<A, B, C, D, config>& object) { object.DisableBias(); }
using OtherA = matmul::MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::NONE, false>;
using Other = matmul::Matmul<OtherA, OtherA, matmul::MatmulType<TPosition::GM, CubeFormat::NZ, float>, OtherA, Own()>;
"""
    done = launch(
        Product(before="Other other; Use(other); Use(mm);"),
        toolchain,
        "constexpr int32_t M",
        text + "constexpr int32_t M",
    )
    assert done.completed and not done.diagnostics, done.diagnostics
