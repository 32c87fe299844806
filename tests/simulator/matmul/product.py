"""A product by the matrix library: the kernel around the calls under test, and the arrays that it works on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from agentkernel.dtypes import DType
from agentkernel.testing.simulate import Simulation, simulate
from agentkernel.toolchains.base import Toolchain

KERNEL = """@DEFINE@
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;
constexpr int32_t M = @M@, N = @N@, K = @K@;
using In = @IN@;
using Out = @OUT@;
using Bias = @BIAS_TYPE@;
extern "C" __global__ __aicore__ void kernel(@ARGUMENTS@, GM_ADDR c, GM_ADDR workspace) {
    KERNEL_TASK_TYPE_DEFAULT(@TYPE@);
    TPipe pipe;
    SetSysWorkspace(workspace);
    TCubeTiling tiling;
    tiling.usedCoreNum = 1, tiling.M = M, tiling.N = N, tiling.Ka = tiling.Kb = K;
    tiling.singleCoreM = @SINGLE_M@, tiling.singleCoreN = N, tiling.singleCoreK = K;
    tiling.baseM = 32, tiling.baseN = 48, tiling.baseK = 32, tiling.stepM = tiling.stepN = 1;
    tiling.stepKa = 2, tiling.stepKb = 1, tiling.depthA1 = 4, tiling.depthB1 = 2;
    tiling.dbL0A = tiling.dbL0B = tiling.dbL0C = 2, tiling.iterateOrder = @ORDER@, tiling.isBias = @HAS_BIAS@;
    @TILING@
    using A = MatmulType<TPosition::@A_AT@, CubeFormat::@A@, In, @A_T@>;
    using B = MatmulType<TPosition::@B_AT@, CubeFormat::@B@, In, @B_T@>;
    using C = MatmulType<TPosition::@C_AT@, CubeFormat::@C@, Out>;
    Matmul<A, B, C, MatmulType<TPosition::@BIAS_AT@, CubeFormat::ND, Bias>@CONFIG@> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);
    GlobalTensor<In> ga, gb;
    GlobalTensor<Out> gc;
    ga.SetGlobalBuffer((__gm__ In*)a, M * K);
    gb.SetGlobalBuffer((__gm__ In*)b, K * N);
    gc.SetGlobalBuffer((__gm__ Out*)c, @SIZE@);
    @BEFORE@
    if (GetBlockIdx() >= @CORES@) return;
    @RUN@
    mm.End();
}
"""
SET = "mm.SetTensorA(ga, @A_T@); mm.SetTensorB(gb, @B_T@);"


@dataclass(frozen=True)
class Product:
    """C = A x B (+ bias) of whole numbers, which every element type here holds exactly."""

    m: int = 70
    n: int = 100
    k: int = 72
    dtype: str = "float16"
    out: str = "float32"
    a_transposed: bool = False
    b_transposed: bool = False
    formats: tuple[str, str, str] = ("ND", "ND", "ND")
    positions: tuple[str, str, str] = ("GM", "GM", "GM")
    cube_only: bool = False
    type_: str = ""
    order: int = 0
    bias: str = ""
    """Element type of a bias; empty: none."""
    bias_position: str = "GM"
    config: str = ""
    tiling: str = ""
    before: str = ""
    run: str = SET + " mm.IterateAll(gc);"
    cores: int = 1
    more: float = 0.0
    """Added to every number of A."""
    single_m: int = 0
    shape: tuple[int, ...] = ()
    """Of the result, where it is not (m, n)."""
    extra: dict[str, NDArray[np.generic]] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """Text of the kernel."""
        shape = self.shape or (self.m, self.n)
        kind = self.type_ or ("KERNEL_TYPE_AIC_ONLY" if self.cube_only else "KERNEL_TYPE_MIX_AIC_1_2")
        arguments = ["a", "b", *(["bias"] if self.bias else []), *self.extra]
        values = {
            "DEFINE": "#define ASCENDC_CUBE_ONLY" if self.cube_only else "",
            "M": self.m, "N": self.n, "K": self.k, "SINGLE_M": self.single_m or self.m, "ORDER": self.order,
            "IN": DType(self.dtype).ascendc, "OUT": DType(self.out).ascendc,
            "BIAS_TYPE": DType(self.bias or "float32").ascendc, "HAS_BIAS": int(bool(self.bias)),
            "ARGUMENTS": ", ".join(f"GM_ADDR {name}" for name in arguments), "TYPE": kind, "TILING": self.tiling,
            "A_AT": self.positions[0], "B_AT": self.positions[1], "C_AT": self.positions[2],
            "BIAS_AT": self.bias_position,
            "A": self.formats[0], "B": self.formats[1], "C": self.formats[2], "CONFIG": self.config,
            "SIZE": int(np.prod(shape)), "BEFORE": self.before, "CORES": self.cores, "RUN": self.run,
            "A_T": str(self.a_transposed).lower(), "B_T": str(self.b_transposed).lower(),
        }  # fmt: skip
        text = KERNEL
        for _ in range(2):  # RUN names A_T and B_T itself
            for name, value in values.items():
                text = text.replace(f"@{name}@", str(value))
        return text

    def arrays(self) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
        """A (m, k) and B (k, n)."""
        random = np.random.default_rng(self.m * 7 + self.n * 3 + self.k)
        dtype = DType(self.dtype).numpy
        return (
            (random.integers(-4, 5, (self.m, self.k)) + self.more).astype(dtype),
            random.integers(-4, 5, (self.k, self.n)).astype(dtype),
        )

    def bias_array(self) -> NDArray[np.generic]:
        """The bias, n numbers."""
        return np.random.default_rng(self.n).integers(-50, 50, self.n).astype(DType(self.bias).numpy)

    def wanted(self) -> NDArray[np.float64]:
        """What is to come out."""
        a, b = self.arrays()
        product = a.astype(np.float64) @ b.astype(np.float64)
        return product + self.bias_array().astype(np.float64) if self.bias else product

    def launch(self, toolchain: Toolchain, *, blocks: int = 1) -> Simulation:
        """Compile and run the kernel."""
        a, b = self.arrays()
        inputs: dict[str, NDArray[np.generic]] = {
            "a": stored(a, self.a_transposed, self.formats[0]),
            "b": stored(b, self.b_transposed, self.formats[1]),
        }
        if self.bias:
            inputs["bias"] = self.bias_array()
        inputs |= self.extra
        outputs = {"c": (self.shape or (self.m, self.n), self.out)}
        return simulate(self.source, inputs, outputs, blocks=blocks, toolchain=toolchain)

    def check(self, toolchain: Toolchain, *, blocks: int = 1) -> Simulation:
        """Launch, and compare with NumPy."""
        done = self.launch(toolchain, blocks=blocks)
        assert done.completed and not done.diagnostics, done.diagnostics
        np.testing.assert_array_equal(done.outputs["c"].astype(np.float64), self.wanted())
        return done

    def with_(self, **changes: object) -> Product:
        """The same with other fields."""
        return replace(self, **changes)  # type: ignore[arg-type]


def stored(matrix: NDArray[np.generic], transposed: bool, form: str) -> NDArray[np.generic]:
    """The matrix as it lies in global memory."""
    as_stored = np.ascontiguousarray(matrix.T) if transposed else matrix
    return to_nz(as_stored) if form == "NZ" else as_stored


def to_nz(matrix: NDArray[np.generic], width: int = 0) -> NDArray[np.generic]:
    """(rows, columns) as (columns / width, rows rounded up to 16, width); width is 32 bytes where it is not given."""
    width = width or 32 // matrix.dtype.itemsize
    rows, columns = matrix.shape
    padded = np.zeros((-(-rows // 16) * 16, -(-columns // width) * width), matrix.dtype)
    padded[:rows, :columns] = matrix
    return np.ascontiguousarray(padded.reshape(padded.shape[0], -1, width).swapaxes(0, 1))
