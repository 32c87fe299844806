"""Products of the matrix library in both kinds of kernels: types, transposes, formats, bias, ways to fetch C."""

from __future__ import annotations

import numpy as np
import pytest

from agentkernel.toolchains.simulator import SimulatorToolchain

from .product import SET, Product, to_nz

MODES = [pytest.param(True, id="cube"), pytest.param(False, id="mix")]
TYPES = [
    ("float16", "float32"),
    ("bfloat16", "float32"),
    ("float32", "float32"),
    ("int8", "int32"),
    ("float16", "float16"),
]
SINGLE_BUFFERS = "tiling.dbL0A = tiling.dbL0B = tiling.dbL0C = 1;"
ONE_PART = "tiling.stepKa = tiling.depthA1 = tiling.stepKb = tiling.depthB1 = 1;"
BIASES = [("float16", "float32", "float32"), ("float16", "float32", "float16"), ("bfloat16", "float32", "float32"),
          ("int8", "int32", "int32")]  # fmt: skip
GIVE_BIAS = "GlobalTensor<Bias> gbias; gbias.SetGlobalBuffer((__gm__ Bias*)bias, N); mm.SetBias(gbias);"
BLOCKS = "while (mm.Iterate()) mm.GetTensorC(gc);"


@pytest.mark.parametrize("cube_only", MODES)
@pytest.mark.parametrize("transposed", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize(("dtype", "out"), TYPES)
def test_types_and_transposes(
    dtype: str, out: str, transposed: tuple[bool, bool], cube_only: bool, toolchain: SimulatorToolchain
) -> None:
    a, b = transposed
    Product(dtype=dtype, out=out, a_transposed=a, b_transposed=b, cube_only=cube_only, order=int(a)).check(toolchain)


@pytest.mark.parametrize("cube_only", MODES)
@pytest.mark.parametrize(
    "product",
    [
        pytest.param(Product(m=1), id="one-row"),
        pytest.param(Product(m=33, n=17, k=19), id="small-tails"),
        pytest.param(Product(m=64, n=96, k=640), id="deep"),
        pytest.param(Product(m=200, n=180, k=300, order=1), id="many-blocks"),
        pytest.param(Product(run=SET + BLOCKS), id="block-by-block"),
        pytest.param(Product(order=1, run=SET + BLOCKS), id="block-by-block-along-n"),
        pytest.param(Product(config=", CFG_MDL", tiling="tiling.stepKb = 2; tiling.depthB1 = 4;"), id="mdl"),
        pytest.param(Product(tiling=SINGLE_BUFFERS), id="single-buffers"),
        pytest.param(Product(tiling=ONE_PART), id="one-part-in-l1"),
        pytest.param(Product(tiling="tiling.baseK = 16;", dtype="float16"), id="shallow-steps"),
    ],
)
def test_shapes_and_blocks(product: Product, cube_only: bool, toolchain: SimulatorToolchain) -> None:
    product.with_(cube_only=cube_only).check(toolchain)


@pytest.mark.parametrize("transposed", [(False, False), (True, True)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "int8"])
def test_operands_in_fractals(dtype: str, transposed: tuple[bool, bool], toolchain: SimulatorToolchain) -> None:
    Product(
        m=64, n=96, k=64, dtype=dtype, out="int32" if dtype == "int8" else "float32", formats=("NZ", "NZ", "ND"),
        a_transposed=transposed[0], b_transposed=transposed[1], tiling="tiling.baseN = 32;",
    ).check(toolchain)  # fmt: skip


@pytest.mark.parametrize("out", ["float32", "float16"])
def test_a_result_in_fractals(out: str, toolchain: SimulatorToolchain) -> None:
    product = Product(m=64, n=96, formats=("ND", "ND", "NZ"), out=out, shape=(6, 64, 16))
    done = product.launch(toolchain)
    assert done.completed and not done.diagnostics, done.diagnostics
    np.testing.assert_array_equal(done.outputs["c"], to_nz(product.wanted().astype(out), 16))


@pytest.mark.parametrize("cube_only", MODES)
@pytest.mark.parametrize(("dtype", "out", "bias"), BIASES)
def test_a_bias_is_added_to_every_row(
    dtype: str, out: str, bias: str, cube_only: bool, toolchain: SimulatorToolchain
) -> None:
    Product(
        dtype=dtype, out=out, bias=bias, cube_only=cube_only,
        run=SET + GIVE_BIAS + "mm.IterateAll(gc);",
    ).check(toolchain)  # fmt: skip


def test_without_its_bias_a_product_is_plain(toolchain: SimulatorToolchain) -> None:
    product = Product(
        bias="float32",
        run=SET + GIVE_BIAS + "mm.DisableBias(); mm.IterateAll(gc);",
    )
    done = product.launch(toolchain)
    assert done.completed and not done.diagnostics, done.diagnostics
    np.testing.assert_array_equal(done.outputs["c"], product.with_(bias="").wanted())


def test_parts_of_larger_matrices(toolchain: SimulatorToolchain) -> None:
    """SetOrgShape says how the matrices lie, SetSingleShape and SetTail how much of them counts."""
    product = Product(
        run="mm.SetOrgShape(M, N, K, K, N); mm.SetTensorA(ga[8 * K + 4]); mm.SetTensorB(gb[4 * N + 20]);"
        "mm.SetSingleShape(40, 50, 60); mm.SetTail(-1, -1, 30); mm.IterateAll(gc[8 * N + 20]);"
    )
    done = product.launch(toolchain)
    assert done.completed, done.diagnostics
    a, b = (x.astype(np.float32) for x in product.arrays())
    np.testing.assert_array_equal(done.outputs["c"][8:48, 20:70], a[8:48, 4:34] @ b[4:34, 20:70])
    assert done.unwritten["c"] == (70 * 100 - 40 * 50)


def test_rows_of_another_length_in_the_result(toolchain: SimulatorToolchain) -> None:
    product = Product(run="mm.SetOrgShape(M, N, K, K, 128);" + SET + "mm.IterateAll(gc);", shape=(70, 128))
    done = product.launch(toolchain)
    np.testing.assert_array_equal(done.outputs["c"][:, :100], product.wanted())


def test_sums_into_what_is_there(toolchain: SimulatorToolchain) -> None:
    run = SET + "mm.IterateAll(gc);" + SET + "mm.IterateAll(gc, 1);"
    done = Product(run=run).launch(toolchain)
    assert done.completed and not done.diagnostics, done.diagnostics
    np.testing.assert_array_equal(done.outputs["c"], 2 * Product().wanted())


def test_blocks_one_after_the_other(toolchain: SimulatorToolchain) -> None:
    """enSequentialWrite: each block of baseM x baseN for itself, in the order of the iteration."""
    product = Product(m=64, n=96, run=SET + "mm.IterateAll(gc, 0, true);", shape=(4, 32, 48))
    done = product.launch(toolchain)
    assert done.completed and not done.diagnostics, done.diagnostics
    wanted = product.wanted()
    for i in range(4):
        np.testing.assert_array_equal(done.outputs["c"][i], wanted[i % 2 * 32 :, i // 2 * 48 :][:32, :48])


@pytest.mark.parametrize("cube_only", MODES)
def test_partial_sums_stay_in_l0c(cube_only: bool, toolchain: SimulatorToolchain) -> None:
    product = Product(
        m=32, n=48, k=64, cube_only=cube_only,
        run="mm.SetTail(-1, -1, 32); mm.SetTensorA(ga); mm.SetTensorB(gb); mm.Iterate();"
        "mm.SetTensorA(ga[32]); mm.SetTensorB(gb[32 * N]); mm.Iterate(true); mm.GetTensorC(gc);",
    )  # fmt: skip
    product.check(toolchain)


def test_hf32_rounds_the_operands(toolchain: SimulatorToolchain) -> None:
    """HF32 does not keep the 2^-18 that is added to the numbers of A."""
    exact = Product(dtype="float32", more=8 + 2.0**-18).launch(toolchain).outputs["c"]
    rounded = Product(dtype="float32", more=8 + 2.0**-18, run=SET + "mm.SetHF32(true, 1); mm.IterateAll(gc);").launch(
        toolchain
    )
    np.testing.assert_array_equal(rounded.outputs["c"], Product(more=8).wanted())
    assert (exact != rounded.outputs["c"]).any()


@pytest.mark.parametrize("vector", [False, True])
def test_int8_to_half_by_a_parameter(vector: bool, toolchain: SimulatorToolchain) -> None:
    scales = np.float32([0.5] * 100) if not vector else np.float32([0.25, 0.5] * 50)
    bits = scales.view(np.int32).astype(np.int64)
    call = (
        "GlobalTensor<uint64_t> gq; gq.SetGlobalBuffer((__gm__ uint64_t*)q, N); mm.SetQuantVector(gq);"
        if vector
        else f"mm.SetQuantScalar({int(bits[0])}u);"
    )
    product = Product(dtype="int8", out="float16", extra={"q": bits}, run=SET + call + "mm.IterateAll(gc);")
    done = product.launch(toolchain)
    assert done.completed and not done.diagnostics, done.diagnostics
    np.testing.assert_array_equal(done.outputs["c"], (product.wanted() * scales).astype(np.float16))
