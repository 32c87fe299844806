"""Template parameters of Matmul objects, several objects of one kernel, and callbacks (facts: ascendc_api.csv).

Factors are small whole numbers, so every sum is exact.
"""

from __future__ import annotations

import numpy as np
import pytest

from .marks import api
from .matmul import ALL, END, KINDS, ROWS, Kernel, Shape, same, wide
from .values import FLOAT, HALF

SHAPE = Shape()


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
        same(got[i], wide(a) @ wide(b), FLOAT, config)


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
    same(got, want.reshape(got.shape), FLOAT)


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
    same(got, np.maximum(wide(a[2:]) @ wide(b[16:]), 0).reshape(got.shape), FLOAT)


def _missing(policy: str) -> object:
    reason = f"{policy} is not simulated: there is no such name"
    return pytest.param(f"Impl::Detail::{policy}", marks=pytest.mark.xfail(reason=reason, strict=True))


@api("MatmulPolicy", "MatmulType")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "policy",
    [
        "MatmulPolicy",
        "Impl::Detail::MatmulPolicy",
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
    same(got, wide(a) @ wide(b) * np.concatenate([twice, twice]), FLOAT)
