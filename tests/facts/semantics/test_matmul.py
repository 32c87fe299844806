"""Products of the Matmul library (facts: `Matmul*` rows of ascendc_api.csv; semantics, section 22).

C = A B + bias by base blocks, from row blocks of two cores. Factors are small whole numbers, so every sum is exact.
"""

from __future__ import annotations

import numpy as np
import pytest

from .batch import explain
from .cube import INT8, in_columns
from .marks import api
from .matmul import ALL, END, KINDS, ROWS, Kernel, Shape, same, wide
from .values import BF16, FLOAT, HALF, INT32

SHAPE = Shape()
"""No base block divides it."""


@api("MatmulType", "REGIST_MATMUL_OBJ", "TCubeTiling")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("dtype", "bias", "to"),
    [
        (HALF, FLOAT, FLOAT),
        (HALF, HALF, HALF),
        (HALF, FLOAT, BF16),
        (BF16, FLOAT, FLOAT),
        (BF16, FLOAT, HALF),
        (FLOAT, FLOAT, FLOAT),
        (FLOAT, FLOAT, HALF),
        (INT8, INT32, INT32),
    ],
    ids=str,
)
def test_types_of_factors_bias_and_result(dtype: np.dtype, bias: np.dtype, to: np.dtype, kind: str) -> None:
    steps = (ROWS, "    mm.SetBias(gmBias);", ALL, END)
    a, b, added = *SHAPE.factors(dtype), SHAPE.bias(bias)
    kernel = Kernel(steps, dtype, to, bias, kind=kind)
    got = kernel.result((a, b, added), SHAPE.tiling(dtype, isBias=1), (2 * SHAPE.m, SHAPE.n))
    same(got, wide(a) @ wide(b) + wide(added), to)


@api("MatmulType", "REGIST_MATMUL_OBJ")
@pytest.mark.parametrize("kind", KINDS)
def test_declared_transposition_is_chosen_by_call(kind: str) -> None:
    shape = Shape(32, 64, 32, cores=2)
    steps = [
        line
        for i, (first, second) in enumerate(((0, 0), (0, 1), (1, 0), (1, 1)))
        for line in (
            f"    mm.SetTensorA(gmA[me * {shape.m * shape.k}], {('false', 'true')[first]});",
            f"    mm.SetTensorB(gmB[{second * shape.k * shape.n}], {('false', 'true')[second]});",
            f"    mm.IterateAll(gmC[{i * 2 * shape.m * shape.n} + me * {shape.m * shape.n}]);",
        )
    ]
    a, b = shape.factors()
    both = np.concatenate([b.ravel(), b.T.ravel()])
    # Each core's factor is square, so the same memory is also the transposed one.
    parts = wide(a).reshape(2, shape.m, shape.k)
    want = np.stack([np.concatenate([p @ wide(b) for p in (parts.transpose(0, 2, 1) if t else parts)]) for t in (0, 1)])
    kernel = Kernel([*steps, END], transpose=(True, True), kind=kind)
    # With one row block a core, M is a core's rows: a transposed A has rows of that length.
    got = kernel.result((a, both, SHAPE.bias()), shape.tiling(M=shape.m), (4, 2 * shape.m, shape.n))
    same(got, want[[0, 0, 1, 1]], FLOAT)


@api("MatmulType", "REGIST_MATMUL_OBJ")
@pytest.mark.parametrize("kind", KINDS)
def test_transposed_factors_with_tails(kind: str) -> None:
    a, b = SHAPE.factors()
    steps = (f"    mm.SetTensorA(gmA[me * {SHAPE.m}], true);", "    mm.SetTensorB(gmB, true);", ALL, END)
    kernel = Kernel(steps, transpose=(True, True), kind=kind)
    inputs = (np.ascontiguousarray(a.T), np.ascontiguousarray(b.T), SHAPE.bias())
    same(kernel.result(inputs, SHAPE.tiling(), (2 * SHAPE.m, SHAPE.n)), wide(a) @ wide(b), FLOAT)


@api("MatmulType", "REGIST_MATMUL_OBJ")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", (0, 1), ids=("M first", "N first"))
def test_blocks_come_in_the_order_of_the_tiling(kind: str, order: int) -> None:
    """Each Iterate makes one base block; written in sequence, the blocks show their order."""
    shape = Shape(64, 96, 48)
    size = 32 * 32
    steps = (
        ROWS,
        "    uint32_t count = 0;",
        "    while (mm.Iterate()) {",
        f"        mm.GetTensorC(gmC[(me * 6 + count) * {size}], 0, true);",
        "        ++count;",
        "    }",
        END,
    )
    a, b = shape.factors()
    kernel = Kernel(steps, kind=kind)
    got = kernel.result((a, b, SHAPE.bias()), shape.tiling(iterateOrder=order), (2, 6, 32, 32))
    blocks = (wide(a) @ wide(b)).reshape(2, 2, 32, 3, 32).transpose(0, 3, 1, 2, 4)
    want = blocks if order == 0 else blocks.transpose(0, 2, 1, 3, 4)
    same(got, want.reshape(2, 6, 32, 32), FLOAT)


@api("MatmulType", "REGIST_MATMUL_OBJ")
@pytest.mark.parametrize("kind", KINDS)
def test_blocks_go_to_their_places(kind: str) -> None:
    a, b = SHAPE.factors()
    place = "        mm.GetTensorC(gmC[me * tiling.singleCoreM * tiling.N]);"
    kernel = Kernel((ROWS, "    while (mm.Iterate()) {", place, "    }", END), kind=kind)
    got = kernel.result((a, b, SHAPE.bias()), SHAPE.tiling(), (2 * SHAPE.m, SHAPE.n))
    same(got, wide(a) @ wide(b), FLOAT)


@api("MatmulType", "REGIST_MATMUL_OBJ")
@pytest.mark.parametrize("kind", KINDS)
def test_bias_stays_until_it_is_disabled(kind: str) -> None:
    a, b, bias = *SHAPE.factors(), SHAPE.bias()
    size = 2 * SHAPE.m * SHAPE.n
    again = [ALL.replace("gmC[", f"gmC[{i * size} + ") for i in range(3)]
    steps = (ROWS, "    mm.SetBias(gmBias);", again[0], ROWS, "    mm.SetBias(gmBias[8]);", again[1])
    kernel = Kernel((*steps, ROWS, "    mm.DisableBias();", again[2], END), kind=kind)
    longer = np.concatenate([bias, bias[::-1][:8]])
    got = kernel.result((a, b, longer), SHAPE.tiling(isBias=1), (3, 2 * SHAPE.m, SHAPE.n))
    product = wide(a) @ wide(b)
    same(got, np.stack([product + wide(longer[:-8]), product + wide(longer[8:]), product]), FLOAT)


@api("MatmulType", "REGIST_MATMUL_OBJ")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("call", ("SetTail", "SetSingleShape"))
def test_sizes_of_a_call(kind: str, call: str) -> None:
    """The second core computes fewer rows, columns and terms than the tiling says."""
    m, n, k = 23, 50, 70
    steps = (
        ROWS,
        f"    if (me == 1) {{ mm.{call}({m}, {n}, {k}); }}",
        ALL,
        END,
    )
    a, b = SHAPE.factors()
    # What is not computed is not written: the shape of the output leaves out the rows, and columns are not compared.
    simulation = Kernel(steps, kind=kind).run((a, b, SHAPE.bias()), SHAPE.tiling(), (SHAPE.m + m, SHAPE.n))
    assert simulation.completed
    assert not set(simulation.codes) - {"output-not-written"}
    got = simulation.outputs["c"]
    same(got[: SHAPE.m], wide(a[: SHAPE.m]) @ wide(b), FLOAT)
    rest = a[SHAPE.m : SHAPE.m + m, :k]
    same(got[SHAPE.m :, :n], wide(rest) @ wide(b[:k, :n]), FLOAT)


@api("MatmulType", "REGIST_MATMUL_OBJ")
@pytest.mark.parametrize("kind", KINDS)
def test_matrices_may_be_parts_of_wider_ones(kind: str) -> None:
    m, n, k = SHAPE.m, SHAPE.n, SHAPE.k
    wider_n, wider_k = n + 24, k + 28
    rng = np.random.default_rng(7)
    a = rng.integers(-4, 5, (2 * m, wider_k)).astype(HALF)
    b = rng.integers(-4, 5, (k, wider_n)).astype(HALF)
    steps = (
        f"    mm.SetOrgShape({2 * m}, {wider_n}, {wider_k});",
        f"    mm.SetTensorA(gmA[me * {m * wider_k}]);",
        "    mm.SetTensorB(gmB);",
        f"    mm.IterateAll(gmC[me * {m * wider_n}]);",
        "    mm.SetTensorB(gmB[24]);",
        f"    mm.SetTensorA(gmA[me * {m * wider_k}]);",
        f"    mm.IterateAll(gmC[me * {m * wider_n} + 24]);",
        END,
    )
    got = Kernel(steps, kind=kind).result((a, b, SHAPE.bias()), SHAPE.tiling(), (2 * m, wider_n))
    same(got, wide(a[:, :k]) @ wide(b), FLOAT)


@api("MatmulType", "REGIST_MATMUL_OBJ")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", (FLOAT, HALF), ids=str)
def test_atomic_results(kind: str, dtype: np.dtype) -> None:
    """0 stores, 1 adds, 2 keeps the greater, 3 the smaller of old and new."""
    a, b, bias = *SHAPE.factors(), SHAPE.bias()
    size = 2 * SHAPE.m * SHAPE.n
    steps = []
    for mode in (1, 2, 3):
        place = f"gmC[{(mode - 1) * size} + me * tiling.singleCoreM * tiling.N]"
        steps += [ROWS, "    mm.DisableBias();", f"    mm.IterateAll({place});"]
        steps += [ROWS, "    mm.SetBias(gmBias);", f"    mm.IterateAll({place}, {mode});"]
    tiling = SHAPE.tiling(isBias=1)
    got = Kernel([*steps, END], to=dtype, kind=kind).result((a, b, bias), tiling, (3, 2 * SHAPE.m, SHAPE.n))
    old = wide(a) @ wide(b)
    new = old + wide(bias)
    same(got, np.stack([old + new, np.maximum(old, new), np.minimum(old, new)]), dtype)


@api("MatmulType", "REGIST_MATMUL_OBJ")
@pytest.mark.parametrize("kind", KINDS)
def test_partial_sums(kind: str) -> None:
    """Iterate(true) adds to the block of the Iterate before it."""
    shape = Shape(32, 32, 48)
    a, b = shape.factors()
    second = np.concatenate([b, (b[::-1] * 2).astype(HALF)])
    steps = (
        ROWS,
        "    mm.Iterate();",
        ROWS.replace("gmB", "gmB[tiling.Kb * tiling.N]"),
        "    mm.Iterate(true);",
        "    mm.GetTensorC(gmC[me * tiling.singleCoreM * tiling.N]);",
        END,
    )
    got = Kernel(steps, kind=kind).result((a, second, SHAPE.bias()), shape.tiling(), (2 * shape.m, shape.n))
    same(got, wide(a) @ (wide(b) + wide(second[shape.k :])), FLOAT)


@api("MatmulType", "REGIST_MATMUL_OBJ")
@pytest.mark.parametrize("kind", KINDS)
def test_one_scale_dequantises(kind: str) -> None:
    a, b = SHAPE.factors(INT8)
    bits = int(np.float32(0.25).view(np.uint32))
    kernel = Kernel((ROWS, f"    mm.SetQuantScalar({bits}ull);", ALL, END), INT8, HALF, INT32, kind=kind)
    got = kernel.result((a, b, SHAPE.bias(INT32)), SHAPE.tiling(INT8), (2 * SHAPE.m, SHAPE.n))
    same(got, wide(a) @ wide(b) * 0.25, HALF)


@api("MatmulType", "REGIST_MATMUL_OBJ")
@pytest.mark.parametrize("kind", KINDS)
def test_scales_of_columns_dequantise(kind: str) -> None:
    """The scales lie behind the bias; Fixpipe reads them as the words of floats."""
    shape = Shape(40, 72, 96)
    a, b = shape.factors(INT8)
    scales = np.exp2(-(np.arange(shape.n) % 4)).astype(FLOAT)
    words = scales.view(np.uint32).astype(np.int64)
    give = (
        "    GlobalTensor<uint64_t> scales;",
        f"    scales.SetGlobalBuffer((__gm__ uint64_t *)bias, {shape.n});",
        "    mm.SetQuantVector(scales);",
    )
    kernel = Kernel((*give, ROWS, ALL, END), INT8, HALF, INT32, kind=kind)
    got = kernel.result((a, b, words), shape.tiling(INT8), (2 * shape.m, shape.n))
    same(got, wide(a) @ wide(b) * wide(scales), HALF)


@api("MatmulType", "REGIST_MATMUL_OBJ")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("formats", ("NZ ND ND", "ND NZ ND", "ND ND NZ", "NZ NZ NZ"))
def test_matrices_in_columns_of_fractals(kind: str, formats: str) -> None:
    """NZ is [columns / 16, rows, 16] for half and for the sums of Fixpipe (facts: semantics, section 18)."""
    shape = Shape(48, 80, 64)
    a, b = shape.factors()
    of_a, of_b, of_c = (name == "NZ" for name in formats.split())
    steps = (
        f"    mm.SetTensorA(gmA[me * {shape.m} * {16 if of_a else shape.k}]);",
        "    mm.SetTensorB(gmB);",
        f"    mm.IterateAll(gmC[me * {shape.m} * {16 if of_c else shape.n}]);",
        END,
    )
    inputs = (in_columns(a, 16) if of_a else a, in_columns(b, 16) if of_b else b, SHAPE.bias())
    got = Kernel(steps, kind=kind, formats=formats).result(inputs, shape.tiling(), (2 * shape.m * shape.n,))
    want = wide(a) @ wide(b)
    same(got, in_columns(want, 16) if of_c else want.ravel(), FLOAT)


_AHEAD = """
    TBuf<TPosition::VECIN> buffer;
    pipe.InitBuffer(buffer, 32 * 32 * sizeof(float));
    LocalTensor<float> block = buffer.Get<float>();
    GlobalTensor<float> kept;
    kept.SetGlobalBuffer((__gm__ float *)c + (2 + me) * 4 * 32 * 32, 4 * 32 * 32);
    mm.SetWorkspace(kept);
    mm.SetTensorA(gmA[me * tiling.singleCoreM * tiling.Ka]);
    mm.SetTensorB(gmB);
    mm.template Iterate<false>();
    for (int32_t i = 0; i < 4; ++i) {
%s
        PipeBarrier<PIPE_ALL>();
        DataCopy(gmC[(me * 4 + i) * 32 * 32], block, 32 * 32);
        PipeBarrier<PIPE_ALL>();
    }"""


@api("MatmulType", "REGIST_MATMUL_OBJ")
@pytest.mark.parametrize("kind", KINDS[:2])
@pytest.mark.parametrize(
    "fetch",
    (
        "        mm.template GetTensorC<false>(block, 0, true);",
        "        mm.AsyncGetTensorC(block);\n        mm.WaitGetTensorC();",
    ),
    ids=("GetTensorC", "AsyncGetTensorC"),
)
def test_blocks_are_computed_ahead(kind: str, fetch: str) -> None:
    shape = Shape(64, 64, 48)
    a, b = shape.factors()
    kernel = Kernel((_AHEAD % fetch, END), kind=kind, positions=("GM", "VECIN"))
    simulation = kernel.run((a, b, SHAPE.bias()), shape.tiling(), (4, 4, 32, 32))
    assert simulation.completed, explain(simulation)
    assert not set(simulation.codes) - {"output-not-written"}, explain(simulation)  # the workspace need not be full
    want = (wide(a) @ wide(b)).reshape(2, 2, 32, 2, 32).transpose(0, 3, 1, 2, 4).reshape(2, 4, 32, 32)
    same(simulation.outputs["c"][:2], want, FLOAT)


_THROUGH_UB = """
    TQue<TPosition::VECOUT, 1> factor;
    TQue<TPosition::VECIN, 1> block;
    pipe.InitBuffer(factor, 1, 32 * 48 * sizeof(half));
    pipe.InitBuffer(block, 1, 32 * 32 * sizeof(float));
    LocalTensor<half> rows = factor.AllocTensor<half>();
    DataCopy(rows, gmA[me * 32 * 48], 32 * 48);
    PipeBarrier<PIPE_ALL>();
    mm.SetTensorA(rows);
    mm.SetTensorB(gmB);
    uint32_t count = 0;
    while (mm.Iterate()) {
        LocalTensor<float> result = block.AllocTensor<float>();
        mm.GetTensorC(result, 0, true);
        block.EnQue(result);
        result = block.DeQue<float>();
        Muls(result, result, 3.0f, 32 * 32);
        PipeBarrier<PIPE_ALL>();
        DataCopy(gmC[(me * 2 + count) * 32 * 32], result, 32 * 32);
        PipeBarrier<PIPE_ALL>();
        block.FreeTensor(result);
        ++count;
    }
    factor.FreeTensor(rows);"""


@api("MatmulType", "REGIST_MATMUL_OBJ")
@pytest.mark.parametrize("kind", KINDS[:2])
def test_factor_and_result_in_ub(kind: str) -> None:
    shape = Shape(32, 64, 48)
    a, b = shape.factors()
    kernel = Kernel((_THROUGH_UB, END), kind=kind, positions=("VECOUT", "VECIN"))
    got = kernel.result((a, b, SHAPE.bias()), shape.tiling(), (2, 2, 32, 32))
    want = (wide(a) @ wide(b) * 3).reshape(2, 32, 2, 32).transpose(0, 2, 1, 3)
    same(got, want, FLOAT)
