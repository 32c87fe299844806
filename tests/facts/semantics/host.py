"""What library functions of the host answer: scratch sizes, and tiling structures for kernels of these tests.

Statements are host code of C++ (facts: host_api.md, section 9; `host tiling` rows of ascendc_api.csv). They run in a
tiling function of their own, with `using namespace AscendC` and a `platform_ascendc::PlatformAscendC platform` of
Ascend 910B. Each call of a function here compiles host code once: ask for everything that a test needs in one call.
"""

from __future__ import annotations

import atexit
import functools
from collections.abc import Sequence

from agentkernel.simulator.host import HostSimulator, HostTensor, OperatorCall, Platform

_TEXT = """\
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

using namespace AscendC;

static ge::graphStatus Tiling(gert::TilingContext* context) {
  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  auto* at = static_cast<uint8_t*>(context->GetRawTilingData()->GetData());
  size_t used = 0;
  auto keep = [&](const void* from, size_t bytes) {
    std::memcpy(at + used, from, bytes);
    used += bytes;
  };
  (void)platform;
%s
  context->SetBlockDim(1);
  context->GetRawTilingData()->SetDataSize(used);
  return ge::GRAPH_SUCCESS;
}

namespace ops {
class Probe : public OpDef {
 public:
  explicit Probe(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
    this->AICore().SetTiling(Tiling).AddConfig("ascend910b");
  }
};
OP_ADD(Probe);
}  // namespace ops
"""


@functools.cache
def _simulator() -> HostSimulator:
    simulator = HostSimulator()
    atexit.register(simulator.close)
    return simulator


def _run(steps: Sequence[str]) -> bytes:
    text = _TEXT % "\n".join("  {\n    " + step + "\n  }" for step in steps)
    build = _simulator().build_host({"probe.cpp": text})
    assert build.object is not None, [d.message for d in build.diagnostics]
    tensor = HostTensor(shape=(8,), dtype="float32")
    outcome = _simulator().run_tiling(build, "Probe", OperatorCall(inputs=(tensor,), outputs=(tensor,)), Platform())
    assert not outcome.diagnostics, [d.message for d in outcome.diagnostics]
    return outcome.data


def values_of(*expressions: str) -> list[int]:
    """Values of host expressions that are unsigned numbers: `GetSoftMaxMinTmpSize(ge::Shape({8, 64}), 4, false)`."""
    data = _run(
        [f"const uint32_t value = static_cast<uint32_t>({e}); keep(&value, sizeof value);" for e in expressions]
    )
    return [int.from_bytes(data[4 * i : 4 * i + 4], "little") for i in range(len(expressions))]


def pairs_of(*calls: str) -> list[tuple[int, int]]:
    """The two results of functions whose last arguments are `first` and `second`.

    `GetTanhMaxMinTmpSize(ge::Shape({512}), 4, false, first, second)` gives (maximum, minimum) in bytes;
    `GetTanhTmpBufferFactorSize(4, first, second)` gives (maxLiveNodeCount, extraBuf).
    """
    steps = [
        f"uint32_t first = 0, second = 0; {c}; const uint32_t both[2] = {{first, second}}; keep(both, 8);"
        for c in calls
    ]
    data = _run(steps)
    numbers = [int.from_bytes(data[at : at + 4], "little") for at in range(0, 8 * len(calls), 4)]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def tiling_of(struct: str, call: str, *, plain: bool = False) -> bytes:
    """The bytes of a tiling structure that `call` fills through its argument `tiling`.

    Args:
        struct: `LayerNormTiling` and the like.
        call: e.g. `GetLayerNormNDTilingInfo(ge::Shape({2, 4, 64}), 8192, 4, false, tiling)`.
        plain: Fill the structure `AscendC::tiling::X` instead of the class `optiling::X`.

    `Batch.tiling` hands the bytes to a kernel.
    """
    if plain:
        return _run([f"AscendC::tiling::{struct} tiling; {call}; keep(&tiling, sizeof tiling);"])
    save = "tiling.SaveToBuffer(at, 8192); used = tiling.GetDataSize();"
    return _run([f"optiling::{struct} tiling; {call}; {save}"])
