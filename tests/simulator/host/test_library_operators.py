"""Whole operators: the host fills a library's tiling and sizes its scratch, the kernel hands both to the library."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.simulator.operator_calls import ArrayCall, OutputSpec
from agentkernel.simulator.operators import OperatorSimulator

Array = NDArray[np.float64]

HOST = """\
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ProbeTiling)
TILING_DATA_FIELD_DEF(uint32_t, scratch);
TILING_DATA_FIELD_DEF_STRUCT(%(struct)s, library);
TILING_DATA_FIELD_DEF(uint32_t, length);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Probe, ProbeTiling)

static ge::graphStatus Tiling(gert::TilingContext* context) {
  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  ProbeTiling data;
  uint32_t most = 0, least = 0;
  %(size)s
  %(fill)s
  data.set_scratch(least);
  data.set_length(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
  context->SetBlockDim(1);
  data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(data.GetDataSize());
  (void)platform;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class Probe : public OpDef {
 public:
  explicit Probe(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
    this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b");
  }
};
OP_ADD(Probe);
}  // namespace ops
"""

KERNEL = """\
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  TBuf<TPosition::VECIN> in;
  TBuf<TPosition::VECOUT> out;
  TBuf<TPosition::VECCALC> rest;
  pipe.InitBuffer(in, data.length * 4);
  pipe.InitBuffer(out, %(outputs)d * 4);
  pipe.InitBuffer(rest, data.scratch);
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float*)x, data.length);
  to.SetGlobalBuffer((__gm__ float*)y, %(outputs)d);
  LocalTensor<float> s = in.Get<float>();
  LocalTensor<float> d = out.Get<float>();
  LocalTensor<uint8_t> tmp = rest.Get<uint8_t>();
  DataCopy(s, from, data.length);
  Duplicate(d, 0.0f, %(outputs)d);
  PipeBarrier<PIPE_ALL>();
  %(call)s
  PipeBarrier<PIPE_ALL>();
  DataCopy(to, d, %(outputs)d);
}
"""


@dataclass(frozen=True)
class Probe:
    """One library: statements of host and kernel, and what comes out of its inputs."""

    struct: str
    size: str
    fill: str
    call: str
    expect: Callable[[Array], Array]
    inputs: int


EPSILON = 1e-5
ROWS = "ge::Shape({2, 4, 64})"


def _normal(x: Array) -> Array:
    rows, gamma, beta = x[:512].reshape(8, 64), x[512:576], x[576:]
    mean, variance = rows.mean(1, keepdims=True), rows.var(1, keepdims=True)
    y = (rows - mean) / np.sqrt(variance + EPSILON) * gamma + beta
    return np.concatenate([y.ravel(), mean.ravel(), variance.ravel()])


def _rms(x: Array) -> Array:
    rows = x[:512].reshape(8, 64)
    return (rows / np.sqrt((rows**2).mean(1, keepdims=True) + EPSILON) * x[512:]).ravel()


def _deep(x: Array) -> Array:
    rows = 0.5 * x[:512].reshape(8, 64) + x[512:1024].reshape(8, 64)
    return _normal(np.concatenate([rows.ravel(), x[1024:]]))[:512]


def _groups(x: Array) -> Array:
    image, gamma, beta = x[:512].reshape(2, 2, 128), x[512:516], x[520:524]
    mean, variance = image.mean(2, keepdims=True), image.var(2, keepdims=True)
    y = ((image - mean) / np.sqrt(variance + EPSILON)).reshape(2, 4, 64)
    return (y * gamma[:, None] + beta[:, None]).ravel()


def _batch(x: Array) -> Array:
    rows, gamma, beta = x[:512].reshape(8, 64), x[512:520], x[520:]
    y = (rows - rows.mean(0)) / np.sqrt(rows.var(0) + EPSILON)
    return (y * gamma[:, None] + beta[:, None]).ravel()


def _gradient(x: Array) -> Array:
    """Of the normalised rows; what is kept for gamma is the normalised row."""
    dy, rows = x[:512].reshape(8, 64), x[512:1024].reshape(8, 64)
    variance, mean, gamma = x[1024:1032, None], x[1032:1040, None], x[1040:]
    inverse = 1 / np.sqrt(variance + EPSILON)
    scaled = dy * gamma
    d_variance = (scaled * (rows - mean) * -0.5 * inverse**3).sum(1, keepdims=True)
    d_mean = (-scaled * inverse).sum(1, keepdims=True) + d_variance * (-2 * (rows - mean)).mean(1, keepdims=True)
    dx = scaled * inverse + d_variance * 2 * (rows - mean) / 64 + d_mean / 64
    return np.concatenate([dx.ravel(), ((rows - mean) * inverse).ravel()])


def _softmax(x: Array) -> Array:
    rows = x.reshape(8, 64)
    e = np.exp(rows - rows.max(1, keepdims=True))
    return (e / e.sum(1, keepdims=True)).ravel()


def _log_softmax(x: Array) -> Array:
    return np.log10(_softmax(x))


def _largest(x: Array) -> Array:
    return -np.sort(-x.reshape(4, 64), axis=1)[:, :8].ravel()


def _padded(x: Array) -> Array:
    y = np.full((8, 16), 7.0)
    y[:, :13] = x.reshape(8, 16)[:, :13]
    return y.ravel()


PROBES = {
    "LayerNorm": Probe(
        "LayerNormTiling",
        f"AscendC::GetLayerNormMaxMinTmpSize({ROWS}, 4, false, most, least);",
        f"AscendC::GetLayerNormNDTilingInfo({ROWS}, least, 4, false, data.library);",
        "LayerNorm(d, d[512], d[520], s, s[512], s[576], tmp, 1e-5f, data.library);",
        _normal,
        640,
    ),
    "RmsNorm": Probe(
        "RmsNormTiling",
        f"if (!AscendC::GetRmsNormMaxMinTmpSize({ROWS}, 4, most, least)) return ge::GRAPH_FAILED;",
        f"if (!AscendC::GetRmsNormTilingInfo({ROWS}, {ROWS}, least, 4, data.library)) return ge::GRAPH_FAILED;",
        "RmsNorm(d, s, s[512], tmp, 1e-5f, data.library);",
        _rms,
        576,
    ),
    "DeepNorm": Probe(
        "DeepNormTiling",
        f"if (!AscendC::GetDeepNormMaxMinTmpSize({ROWS}, 4, false, false, most, least)) return ge::GRAPH_FAILED;",
        f"if (!AscendC::GetDeepNormTilingInfo({ROWS}, {ROWS}, least, 4, false, false, data.library)) "
        "return ge::GRAPH_FAILED;",
        "LocalTensor<float> m = s[1152]; LocalTensor<float> v = s[1160];"
        " DeepNorm(d, m, v, s, s[512], s[1088], s[1024], tmp, 0.5f, 1e-5f, data.library);",
        lambda x: _deep(x[:1152]),
        1168,
    ),
    "GroupNorm": Probe(
        "GroupNormTiling",
        "AscendC::GetGroupNormMaxMinTmpSize(ge::Shape({2, 4, 8, 8}), 4, false, 2, most, least);",
        "AscendC::GetGroupNormNDTilingInfo(ge::Shape({2, 4, 8, 8}), least, 4, false, 2, data.library);",
        "GroupNorm(d, s[528], s[536], s, s[512], s[520], tmp, 1e-5f, data.library);",
        _groups,
        544,
    ),
    "BatchNorm": Probe(
        "BatchNormTiling",
        "if (!AscendC::GetBatchNormMaxMinTmpSize(ge::Shape({8, 1, 64}), ge::Shape({8, 1, 64}), 4, false, most, least))"
        " return ge::GRAPH_FAILED;",
        "if (!AscendC::GetBatchNormNDTilingInfo(ge::Shape({8, 1, 64}), ge::Shape({8, 1, 64}), least, 4, false,"
        " data.library)) return ge::GRAPH_FAILED;",
        "BatchNorm(d, s[528], s[592], s, s[512], s[520], tmp, 1e-5f, data.library);",
        lambda x: _batch(x[:528]),
        656,
    ),
    "LayerNormGrad": Probe(
        "LayerNormGradTiling",
        f"AscendC::GetLayerNormGradMaxMinTmpSize({ROWS}, 4, false, most, least);",
        f"AscendC::GetLayerNormGradNDTilingInfo({ROWS}, least, 4, false, data.library);",
        "LayerNormGrad(d, d[512], s, s[512], s[1024], s[1032], s[1040], tmp, 1e-5f, data.library, {DataFormat::ND});",
        _gradient,
        1104,
    ),
    "LayerNormGradBeta": Probe(
        "LayerNormGradBetaTiling",
        f"AscendC::GetLayerNormGradBetaMaxMinTmpSize({ROWS}, 4, false, most, least);",
        f"AscendC::GetLayerNormGradBetaNDTilingInfo({ROWS}, least, 4, false, data.library);",
        "LayerNormGradBeta(d, d[64], s, s[512], tmp, data.library);",
        lambda x: np.concatenate([(x[:512] * x[512:]).reshape(8, 64).sum(0), x[512:].reshape(8, 64).sum(0)]),
        1024,
    ),
    "SoftMax": Probe(
        "SoftMaxTiling",
        "least = AscendC::GetSoftMaxMinTmpSize(ge::Shape({8, 64}), 4, false);",
        "AscendC::SoftMaxTilingFunc(ge::Shape({8, 64}), 4, least, data.library);",
        "SoftMax<float>(d, s, tmp, data.library, {8, 64, 8, 64});",
        _softmax,
        512,
    ),
    "LogSoftMax": Probe(
        "LogSoftMaxTiling",
        "least = AscendC::GetLogSoftMaxMinTmpSize(ge::Shape({8, 64}), 4, false);",
        "AscendC::LogSoftMaxTilingFunc(ge::Shape({8, 64}), 4, least, data.library);",
        "LogSoftMax<float>(d, s[512], s[576], s, tmp, data.library, {8, 64, 8, 64});",
        lambda x: _log_softmax(x[:512]),
        640,
    ),
    "TopK": Probe(
        "TopkTiling",
        "AscendC::GetTopKMaxMinTmpSize(platform, 64, 4, false, false, AscendC::TopKMode::TOPK_NORMAL, true, 4, most,"
        " least);",
        "if (!AscendC::TopKTilingFunc(platform, 64, 4, 8, 4, false, AscendC::TopKMode::TOPK_NORMAL, true,"
        " data.library)) return ge::GRAPH_FAILED; least = data.library.get_tmpLocalSize();",
        "TopKInfo info; info.outter = 4; info.inner = 64; info.n = 64;"
        " LocalTensor<int32_t> i = s[256].ReinterpretCast<int32_t>(); LocalTensor<int32_t> none; LocalTensor<bool> no;"
        " TopK<float>(d, i, s, none, no, tmp, 8, data.library, info, true);",
        lambda x: _largest(x[:256]),
        288,
    ),
    "Pad": Probe(
        "PadTiling",
        "AscendC::GetPadMaxMinTmpSize(ge::Shape({8, 16}), 4, most, least);",
        "AscendC::PadTilingFunc(ge::Shape({8, 16}), ge::Shape({8, 13}), least, 4, data.library);",
        "PadParams p{0, 3, 7}; Pad(d, s, p, tmp, data.library);",
        _padded,
        128,
    ),
    "UnPad": Probe(
        "UnPadTiling",
        "AscendC::GetUnPadMaxMinTmpSize(platform, ge::Shape({8, 16}), 4, most, least);",
        "AscendC::UnPadTilingFunc(ge::Shape({8, 16}), least, 4, data.library);",
        "UnPadParams p{0, 3}; UnPad(d, s, p, tmp, data.library);",
        lambda x: x.reshape(8, 16)[:, :13].ravel(),
        128,
    ),
    "Transpose": Probe(
        "ConfusionTransposeTiling",
        "AscendC::GetTransposeMaxMinTmpSize(ge::Shape({16, 32}), 4, 7, most, least);",
        "AscendC::GetTransposeTilingInfo(ge::Shape({16, 32}), least, 4, 7, data.library);",
        "Transpose(d, s, tmp, TransposeType::TRANSPOSE_ND2ND_ONLY, data.library);",
        lambda x: x.reshape(16, 32).T.ravel(),
        512,
    ),
}


@pytest.fixture(scope="module")
def operators() -> Iterator[OperatorSimulator]:
    with OperatorSimulator() as simulator:
        yield simulator


@pytest.mark.parametrize("name", PROBES)
def test_a_library_computes_with_the_tiling_of_the_host(operators: OperatorSimulator, name: str) -> None:
    """The scratch that the host calls the least is enough; the structure arrives as a member of the tiling data."""
    probe = PROBES[name]
    x = np.random.default_rng(len(name)).uniform(0.25, 2.0, probe.inputs).astype(np.float32)
    want = probe.expect(x.astype(np.float64))
    parts: dict[str, Any] = {**vars(probe), "outputs": -(-want.size // 8) * 8}
    operator, found = operators.open({"probe.cpp": HOST % parts}, {"probe.cpp": KERNEL % parts}, "Probe")
    assert operator is not None, found
    spec = OutputSpec(shape=(parts["outputs"],), dtype=np.dtype(np.float32))
    run = operators.call(operator, ArrayCall(inputs=(x,), outputs=(spec,)))
    assert not run.diagnostics, [d.message for d in run.diagnostics]
    assert run.completed and run.run is not None
    np.testing.assert_allclose(run.run.outputs["y"][: want.size], want, rtol=2e-5, atol=1e-5)
