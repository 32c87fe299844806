"""Products of the Matmul library (facts: `Matmul*` rows of ascendc_api.csv; semantics, section 22).

C = A B + bias by base blocks, from row blocks of two cores. Factors are small whole numbers, so every sum is exact.
"""

from __future__ import annotations

import numpy as np
import pytest

from .batch import Array
from .cube import INT8
from .marks import api
from .matmul import ALL, END, KINDS, ROWS, Kernel, Shape, wide
from .values import BF16, FLOAT, HALF, INT32, assert_same

SHAPE = Shape()
"""No base block divides it."""


def _same(got: Array, exact: Array, dtype: np.dtype, context: str = "") -> None:
    assert_same(got, exact.astype(dtype), zero_sign=False, context=context)


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
    _same(got, wide(a) @ wide(b) + wide(added), to)


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
    _same(got, want[[0, 0, 1, 1]], FLOAT)


@api("MatmulType", "REGIST_MATMUL_OBJ")
@pytest.mark.parametrize("kind", KINDS)
def test_transposed_factors_with_tails(kind: str) -> None:
    a, b = SHAPE.factors()
    steps = (f"    mm.SetTensorA(gmA[me * {SHAPE.m}], true);", "    mm.SetTensorB(gmB, true);", ALL, END)
    kernel = Kernel(steps, transpose=(True, True), kind=kind)
    inputs = (np.ascontiguousarray(a.T), np.ascontiguousarray(b.T), SHAPE.bias())
    _same(kernel.result(inputs, SHAPE.tiling(), (2 * SHAPE.m, SHAPE.n)), wide(a) @ wide(b), FLOAT)


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
    _same(got, want.reshape(2, 6, 32, 32), FLOAT)


@api("MatmulType", "REGIST_MATMUL_OBJ")
@pytest.mark.parametrize("kind", KINDS)
def test_blocks_go_to_their_places(kind: str) -> None:
    a, b = SHAPE.factors()
    place = "        mm.GetTensorC(gmC[me * tiling.singleCoreM * tiling.N]);"
    kernel = Kernel((ROWS, "    while (mm.Iterate()) {", place, "    }", END), kind=kind)
    got = kernel.result((a, b, SHAPE.bias()), SHAPE.tiling(), (2 * SHAPE.m, SHAPE.n))
    _same(got, wide(a) @ wide(b), FLOAT)


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
    _same(got, np.stack([product + wide(longer[:-8]), product + wide(longer[8:]), product]), FLOAT)


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
    _same(got[: SHAPE.m], wide(a[: SHAPE.m]) @ wide(b), FLOAT)
    rest = a[SHAPE.m : SHAPE.m + m, :k]
    _same(got[SHAPE.m :, :n], wide(rest) @ wide(b[:k, :n]), FLOAT)


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
    _same(got, wide(a[:, :k]) @ wide(b), FLOAT)


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
    _same(got, np.stack([old + new, np.maximum(old, new), np.minimum(old, new)]), dtype)


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
    _same(got, wide(a) @ (wide(b) + wide(second[shape.k :])), FLOAT)


@api("MatmulType", "REGIST_MATMUL_OBJ")
@pytest.mark.parametrize("kind", KINDS)
def test_one_scale_dequantises(kind: str) -> None:
    a, b = SHAPE.factors(INT8)
    bits = int(np.float32(0.25).view(np.uint32))
    kernel = Kernel((ROWS, f"    mm.SetQuantScalar({bits}ull);", ALL, END), INT8, HALF, INT32, kind=kind)
    got = kernel.result((a, b, SHAPE.bias(INT32)), SHAPE.tiling(INT8), (2 * SHAPE.m, SHAPE.n))
    _same(got, wide(a) @ wide(b) * 0.25, HALF)


_CONFIGS = (
    ("CFG_NORM", "GetNormalConfig()", "CFG_MDL", "GetMDLConfig()"),
    ("GetSpecialMDLConfig()", "GetBasicConfig(32, 32, 32)", "Own()", "GetNormalConfig(true)"),
)
"""At most four objects a kernel."""

_OWN = """constexpr MatmulConfig Own()
{
    MatmulConfig config = CFG_NORM;
    config.enableSetTail = false;
    config.enableSetBias = false;
    config.iterateOrder = IterateOrder::ORDER_N;
    return config;
}
static_assert(CFG_NORM.doNorm && !CFG_NORM.doMultiDataLoad && !CFG_NORM.doBasicBlock);
static_assert(CFG_MDL.doMultiDataLoad && !CFG_MDL.doNorm);
static_assert(GetBasicConfig(32, 32, 32).doBasicBlock && GetBasicConfig(32, 48, 64).basicN == 48);
static_assert(!GetNormalConfig(false, false, false, BatchMode::BATCH_LESS_THAN_L1, true, IterateOrder::UNDEF,
                               ScheduleType::INNER_PRODUCT, false).enUnitFlag);
static_assert(GetNormalConfig(true).intrinsicsCheck && GetMDLConfig(false, false, 2).doMTE2Preload == 2);
"""


@api("MatmulConfig", "REGIST_MATMUL_OBJ")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("configs", _CONFIGS, ids=str)
def test_configurations_give_the_same_product(kind: str, configs: tuple[str, ...]) -> None:
    shape = Shape(64, 64, 64)
    names = [f"mm{i}" for i in range(len(configs))]
    declared = [f"constexpr MatmulConfig CONFIG{i} = {config};" for i, config in enumerate(configs)]
    objects = [f"    Matmul<TypeA, TypeB, TypeC, TypeBias, CONFIG{i}> {name};" for i, name in enumerate(names)]
    listed = ", ".join(f"{name}, &tiling" for name in names)
    objects.append(f"    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), {listed});")
    size = 2 * shape.m * shape.n
    steps = [
        step.replace("mm.", f"{name}.").replace("gmC[", f"gmC[{i * size} + ")
        for i, name in enumerate(names)
        for step in (ROWS, ALL)
    ]
    steps += [END.replace("mm.", f"{name}.") for name in names]
    kernel = Kernel(steps, kind=kind, declarations="\n".join([_OWN, *declared]), objects="\n".join(objects))
    a, b = shape.factors()
    got = kernel.result((a, b, SHAPE.bias()), shape.tiling(), (len(names), 2 * shape.m, shape.n))
    for i, config in enumerate(configs):
        _same(got[i], wide(a) @ wide(b), FLOAT, config)


@api("REGIST_MATMUL_OBJ", "MatmulType")
@pytest.mark.parametrize("kind", KINDS)
def test_objects_have_the_tilings_behind_them(kind: str) -> None:
    """The second object has tails of its own: a copy of the tiling with fewer rows and columns."""
    objects = (
        "    TCubeTiling less = tiling;\n    less.singleCoreM = 24;\n    less.singleCoreN = 40;\n"
        "    Matmul<TypeA, TypeB, TypeC, TypeBias> mm;\n    Matmul<TypeA, TypeB, TypeC, TypeBias> small;\n"
        "    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling, small, &less);"
    )
    add = ALL.replace("mm.", "small.").replace("]);", "], 1);")
    steps = (ROWS, ALL, ROWS.replace("mm.", "small."), add, END, END.replace("mm.", "small."))
    a, b = SHAPE.factors()
    got = Kernel(steps, kind=kind, objects=objects).result((a, b, SHAPE.bias()), SHAPE.tiling(), (2 * SHAPE.m, SHAPE.n))
    want = (wide(a) @ wide(b)).reshape(2, SHAPE.m, SHAPE.n)
    want[:, :24, :40] *= 2
    _same(got, want.reshape(got.shape), FLOAT)


_WITHOUT_UNIT_FLAG = (
    "GetNormalConfig(false, false, false, BatchMode::BATCH_LESS_THAN_L1, true, IterateOrder::UNDEF, "
    "ScheduleType::INNER_PRODUCT, false)"
)
_CALLBACKS = """
__aicore__ inline void CopyA(const LocalTensor<int8_t>& to, const __gm__ void* gm, int row, int col, int useM, int useK,
                             const uint64_t tilingPtr, const uint64_t dataPtr)
{
    GlobalTensor<half> from;
    from.SetGlobalBuffer((__gm__ half *)dataPtr);
    DataCopy(to.ReinterpretCast<half>(), from, Nd2NzParams(1, useM, useK, 0, 48, 32, 1, 0));
}
__aicore__ inline void CopyB(const LocalTensor<int8_t>& to, const __gm__ void* gm, int row, int col, int useK, int useN,
                             const uint64_t tilingPtr, const uint64_t dataPtr)
{
    GlobalTensor<half> from;
    from.SetGlobalBuffer((__gm__ half *)gm);
    DataCopy(to.ReinterpretCast<half>(), from[16 * 32], Nd2NzParams(1, useK, useN, 0, 32, 48, 1, 0));
}
__aicore__ inline void Out(const __gm__ void* gm, const LocalTensor<int8_t>& sums, const void* params,
                           const uint64_t tilingPtr, const uint64_t dataPtr)
{
    GlobalTensor<float> to;
    to.SetGlobalBuffer((__gm__ float *)gm);
    FixpipeParamsV220 store;
    store.nSize = 32;
    store.mSize = 32;
    store.srcStride = 32;
    store.dstStride = 32;
    store.ndNum = 1;
    store.srcNdStride = 0;
    store.dstNdStride = 0;
    store.quantPre = QuantMode_t::NoQuant;
    store.reluEn = true;
    Fixpipe<float, float, CFG_ROW_MAJOR>(to, sums.ReinterpretCast<float>(), store);
}
constexpr MatmulConfig CONFIG = %s;
"""


@pytest.mark.xfail(reason="a Matmul object with callbacks is refused: they are not simulated", strict=True)
@api("MatmulCallBackFunc", "MatmulType")
@pytest.mark.parametrize("kind", KINDS)
def test_callbacks_replace_the_copies(kind: str) -> None:
    """A comes from the given address, B from 16 rows further on, and C is stored without what is negative."""
    shape = Shape(32, 32, 48, base=(32, 32, 48))
    rng = np.random.default_rng(9)
    a = rng.integers(-4, 5, (4, shape.m, shape.k)).astype(HALF)
    b = rng.integers(-4, 5, (shape.k + 16, shape.n)).astype(HALF)
    size = shape.m * shape.k
    objects = (
        "    Matmul<TypeA, TypeB, TypeC, TypeBias, CONFIG, MatmulCallBackFunc<Out, CopyA, CopyB>> mm;\n"
        "    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);"
    )
    steps = (
        f"    mm.SetSelfDefineData(reinterpret_cast<uint64_t>(a + (2 + me) * {size} * sizeof(half)));",
        ROWS,
        ALL,
        END,
    )
    kernel = Kernel(steps, kind=kind, declarations=_CALLBACKS % _WITHOUT_UNIT_FLAG, objects=objects)
    got = kernel.result((a, b, SHAPE.bias()), shape.tiling(), (2 * shape.m, shape.n))
    _same(got, np.maximum(wide(a[2:]) @ wide(b[16:]), 0).reshape(got.shape), FLOAT)


def _missing(policy: str) -> object:
    reason = f"there is no AscendC::Impl::Detail, where the row of Matmul has its policies, and no {policy} in it"
    return pytest.param(f"Impl::Detail::{policy}", marks=pytest.mark.xfail(reason=reason, strict=True))


@api("MatmulPolicy", "MatmulType")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "policy",
    [
        "MatmulPolicy",
        _missing("MatmulPolicy"),
        _missing("TrianUpperMatmulPolicy"),
        _missing("TrianLowerMatmulPolicy"),
    ],
)
def test_policies_leave_out_a_triangle_of_blocks(kind: str, policy: str) -> None:
    """Base blocks below the diagonal (upper) or above it (lower) are neither computed nor stored."""
    shape = Shape(96, 96, 64)
    objects = (
        "    Matmul<TypeA, TypeB, TypeC, TypeBias, CFG_NORM, MatmulCallBackFunc<nullptr, nullptr, nullptr>,\n"
        f"           {policy}> part;\n"
        "    Matmul<TypeA, TypeB, TypeC, TypeBias> mm;\n"
        "    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling, part, &tiling);"
    )
    # The whole product first, then once more on top of it: the blocks that the policy has are doubled.
    add = ALL.replace("mm.", "part.").replace("]);", "], 1);")
    steps = (ROWS, ALL, ROWS.replace("mm.", "part."), add, END, END.replace("mm.", "part."))
    a, b = shape.factors()
    got = Kernel(steps, kind=kind, objects=objects).result((a, b, SHAPE.bias()), shape.tiling(), (2 * 96, 96))
    row, column = np.indices((96, 96)) // 32
    has = {"MatmulPolicy": row >= 0, "TrianUpperMatmulPolicy": row <= column, "TrianLowerMatmulPolicy": row >= column}
    twice = 1 + has[policy.removeprefix("Impl::Detail::")]
    _same(got, wide(a) @ wide(b) * np.concatenate([twice, twice]), FLOAT)


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
    _same(got, want, FLOAT)
