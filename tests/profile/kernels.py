"""Kernels whose profiles are known: an Add tile by tile, with small or large tiles, one buffer or two."""

from __future__ import annotations

from agentkernel.kernel import Kernel
from agentkernel.task import Case, Reference, Task, TensorSpec

ELEMENTS = 65536


def task() -> Task:
    """The sum of two tensors, over two cores."""
    from agentkernel.dtypes import DType

    tensors = [TensorSpec(name=n, dtype=DType.FLOAT32, shape=("n",)) for n in ("x", "y", "z")]
    return Task(
        name="add",
        description="Element by element, z = x + y.",
        level="L1",
        entry="add",
        inputs=tuple(tensors[:2]),
        outputs=tuple(tensors[2:]),
        cases=(Case(name="small", dims={"n": ELEMENTS // 4}), Case(name="large", dims={"n": ELEMENTS})),
        reference=Reference(formula="z = x + y"),
        block_dim=2,
    )


def add(*, tile: int, buffers: int) -> Kernel:
    """Line 21 adds, lines 15 and 16 load, line 26 stores."""
    return Kernel.from_source(
        f"""#include "kernel_operator.h"
using namespace AscendC;
constexpr uint32_t T = {tile};
extern "C" __global__ __aicore__ void add(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {{
  GET_TILING_DATA(sizes, tiling);
  GlobalTensor<float> gx, gy, gz;
  gx.SetGlobalBuffer((__gm__ float*)x), gy.SetGlobalBuffer((__gm__ float*)y), gz.SetGlobalBuffer((__gm__ float*)z);
  TPipe pipe;
  TQue<QuePosition::VECIN, {buffers}> inX, inY;
  TQue<QuePosition::VECOUT, {buffers}> out;
  for (auto* queue : {{&inX, &inY}}) pipe.InitBuffer(*queue, {buffers}, T * 4);
  pipe.InitBuffer(out, {buffers}, T * 4);
  for (uint32_t at = GetBlockIdx() * T; at < sizes.n; at += GetBlockNum() * T) {{
    LocalTensor<float> a = inX.AllocTensor<float>(), b = inY.AllocTensor<float>();
    DataCopy(a, gx[at], T);
    DataCopy(b, gy[at], T);
    inX.EnQue(a), inY.EnQue(b);
    a = inX.DeQue<float>();
    b = inY.DeQue<float>();
    LocalTensor<float> c = out.AllocTensor<float>();
    Add(c, a, b, T);
    out.EnQue(c);
    inX.FreeTensor(a);
    inY.FreeTensor(b);
    c = out.DeQue<float>();
    DataCopy(gz[at], c, T);
    out.FreeTensor(c);
  }}
}}
""",
        "add",
    )
