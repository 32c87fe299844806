"""Kernels of the Matmul library (facts: `Matmul*` rows of ascendc_api.csv; semantics, section 22; host_api, 9.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agentkernel.testing.simulate import Simulation, simulate

from .batch import Array, explain
from .cube import RESULT
from .values import BF16, CTYPE, FLOAT, HALF, INT32, assert_same

KINDS = ("MIX_AIC_1_2", "MIX_AIC_1_1", "AIC_ONLY")
"""AIC_ONLY is ASCENDC_CUBE_ONLY: the cube core calls the object."""

FIELDS = (
    *("usedCoreNum", "M", "N", "Ka", "Kb", "singleCoreM", "singleCoreN", "singleCoreK", "baseM", "baseN", "baseK"),
    *("depthA1", "depthB1", "stepM", "stepN", "isBias", "transLength", "iterateOrder", "shareMode", "shareL1Size"),
    *("shareL0CSize", "shareUbSize", "batchM", "batchN", "singleBatchM", "singleBatchN", "stepKa", "stepKb"),
    *("depthAL1CacheUB", "depthBL1CacheUB", "dbL0A", "dbL0B", "dbL0C"),
)
"""TCubeTiling in its order; 17 words of layouts and batches follow (facts: host_api, section 9.1)."""


@dataclass(frozen=True)
class Shape:
    """What one core computes, [m, k] times [k, n], as one of `cores` row blocks of C; and its base block."""

    m: int = 40
    n: int = 72
    k: int = 100
    base: tuple[int, int, int] = (32, 32, 32)
    cores: int = 2

    def tiling(self, dtype: np.dtype = HALF, **fields: int) -> Array:
        """TCubeTiling, written by hand; `fields` replace what it holds."""
        m, n, k = self.base
        values = {
            "usedCoreNum": self.cores,
            "M": self.m * self.cores,
            "N": self.n,
            "Ka": self.k,
            "Kb": self.k,
            "singleCoreM": self.m,
            "singleCoreN": self.n,
            "singleCoreK": self.k,
            "baseM": m,
            "baseN": n,
            "baseK": k,
            "shareL1Size": (m + n) * k * dtype.itemsize,
            "shareL0CSize": m * n * 4,
            "dbL0A": 2,
            "dbL0B": 2,
        }
        values |= dict.fromkeys(
            ("depthA1", "depthB1", "stepM", "stepN", "batchM", "batchN", "singleBatchM", "singleBatchN"), 1
        )
        values |= {"stepKa": 1, "stepKb": 1, "dbL0C": 1} | fields
        assert values.keys() <= set(FIELDS)
        return np.array([*(values.get(name, 0) for name in FIELDS), *[0] * (50 - len(FIELDS))], INT32)

    def factors(self, dtype: np.dtype = HALF) -> tuple[Array, Array]:
        """A [cores * m, k] and B [k, n] of small whole numbers."""
        rng = np.random.default_rng(self.m * self.n + self.k)
        a = rng.integers(-4, 5, (self.cores * self.m, self.k)).astype(dtype)
        return a, rng.integers(-4, 5, (self.k, self.n)).astype(dtype)

    def bias(self, dtype: np.dtype = FLOAT) -> Array:
        """[n] of whole numbers."""
        return np.random.default_rng(self.n).integers(-50, 50, self.n).astype(dtype)


_TEXT = """%(define)s#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;
using TypeA = MatmulType<TPosition::%(positionA)s, CubeFormat::%(formatA)s, %(from)s, %(transA)s>;
using TypeB = MatmulType<TPosition::GM, CubeFormat::%(formatB)s, %(from)s, %(transB)s>;
using TypeC = MatmulType<TPosition::%(positionC)s, CubeFormat::%(formatC)s, %(to)s>;
using TypeBias = MatmulType<TPosition::GM, CubeFormat::ND, %(bias)s>;
%(declarations)s
extern "C" __global__ __aicore__ void kernel(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR tilings, GM_ADDR c,
                                             GM_ADDR workspace)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_%(kind)s);
    GET_TILING_DATA_WITH_STRUCT(TCubeTiling, tiling, tilings);
%(workspace)s
    TPipe pipe;
    GlobalTensor<%(from)s> gmA;
    GlobalTensor<%(from)s> gmB;
    GlobalTensor<%(bias)s> gmBias;
    GlobalTensor<%(to)s> gmC;
    gmA.SetGlobalBuffer((__gm__ %(from)s *)a);
    gmB.SetGlobalBuffer((__gm__ %(from)s *)b);
    gmBias.SetGlobalBuffer((__gm__ %(bias)s *)bias);
    gmC.SetGlobalBuffer((__gm__ %(to)s *)c);
%(objects)s
    const int32_t me = GetBlockIdx();
    (void)me;
%(steps)s
}
"""

OBJECT = """    Matmul<TypeA, TypeB, TypeC, TypeBias, %s> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);"""

ROWS = """    mm.SetTensorA(gmA[me * tiling.singleCoreM * tiling.Ka]);
    mm.SetTensorB(gmB);"""
"""A core's rows of A, and all of B."""

ALL = "    mm.IterateAll(gmC[me * tiling.singleCoreM * tiling.N]);"
END = "    mm.End();"


@dataclass(frozen=True)
class Kernel:
    """A kernel with one Matmul object `mm`, or with those that `objects` declares."""

    steps: Sequence[str]
    dtype: np.dtype = HALF
    to: np.dtype | None = None
    bias: np.dtype | None = None
    transpose: tuple[bool, bool] = (False, False)
    """What MatmulType declares for A and B."""
    config: str = "CFG_NORM"
    kind: str = "MIX_AIC_1_2"
    positions: tuple[str, str] = ("GM", "GM")
    """Of A and C."""
    formats: str = "ND ND ND"
    """Of A, B and C."""
    declarations: str = ""
    objects: str = ""
    workspace: str = "    SetSysWorkspace(workspace);"
    """What a kernel does that no host part prepared."""

    def run(self, inputs: tuple[Array, Array, Array], tiling: Array, shape: tuple[int, ...]) -> Simulation:
        """Launch on two cores that have a Matmul object; inputs are A, B, bias."""
        cube_only = self.kind.startswith("AIC")
        to, bias = self.to or RESULT[self.dtype], self.bias or RESULT[self.dtype]
        source = _TEXT % {
            "define": "#define ASCENDC_CUBE_ONLY\n" if cube_only else "",
            "from": CTYPE[self.dtype],
            "to": CTYPE[to],
            "bias": CTYPE[bias],
            "transA": str(self.transpose[0]).lower(),
            "transB": str(self.transpose[1]).lower(),
            "positionA": self.positions[0],
            "positionC": self.positions[1],
            **dict(zip(("formatA", "formatB", "formatC"), self.formats.split(), strict=True)),
            "kind": self.kind,
            "workspace": self.workspace,
            "declarations": self.declarations,
            "objects": self.objects or OBJECT % self.config,
            "steps": "\n".join(self.steps),
        }
        a, b, added = inputs
        name = "bfloat16" if to == BF16 else to.name
        arguments = {"a": a, "b": b, "bias": added, "tilings": tiling}
        blocks = 1 if self.kind == "MIX_AIC_1_2" else 2
        return simulate(source, arguments, {"c": (shape, name)}, blocks=blocks)

    def result(self, inputs: tuple[Array, Array, Array], tiling: Array, shape: tuple[int, ...]) -> Array:
        """The output of a launch that has to be clean."""
        simulation = self.run(inputs, tiling, shape)
        assert simulation.compiled and simulation.completed, explain(simulation)
        assert not simulation.codes, explain(simulation)
        return simulation.outputs["c"]


def wide(array: Array) -> Array:
    """As float64."""
    return array.astype(np.float64)


def same(got: Array, exact: Array, dtype: np.dtype, context: str = "") -> None:
    """The result is the exact value, rounded to its type."""
    assert_same(got, exact.astype(dtype), zero_sign=False, context=context)
