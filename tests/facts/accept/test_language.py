"""Kernel entries, qualifiers, macros and the parts of C++ around the calls."""

from __future__ import annotations

import pytest

from agentkernel.kernel import Kernel
from agentkernel.testing.simulate import snippet_task
from agentkernel.toolchains.base import Build
from agentkernel.toolchains.simulator import SimulatorToolchain

INCLUDE = '#include "kernel_operator.h"\n'
ENTRY = 'extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR workspace) {\n'

LEGAL = {
    # semantics 19: qualifiers of kernels
    "plain entry": INCLUDE + ENTRY + "}",
    "without extern C": INCLUDE + "__global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR workspace) {}",
    "vector entry": INCLUDE + 'extern "C" __global__ __vector__ void kernel(GM_ADDR y, GM_ADDR workspace) {}',
    "mix entry": INCLUDE + "__mix__(0, 1) __global__ void kernel(GM_ADDR y, GM_ADDR workspace) {}",
    "gm pointers": INCLUDE
    + 'extern "C" __global__ __aicore__ void kernel(__gm__ uint8_t* y, __gm__ uint8_t* __restrict__ workspace) {}',
    # overloads 1.1, 1.2: names and macros that answers use
    "literal attributes": INCLUDE
    + "[aicore] inline int32_t twice(int32_t v) { return 2 * v; }\n"
    + "[host, aicore] inline int32_t thrice(int32_t v) { return 3 * v; }\n"
    + ENTRY
    + "int32_t v = twice(1) + thrice(1); }",
    "kernel type": INCLUDE + ENTRY + "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY); }",
    "kernel type of a key": INCLUDE + ENTRY + "KERNEL_TASK_TYPE(0, KERNEL_TYPE_MIX_AIV_1_0); }",
    "core type": INCLUDE
    + "template <int32_t core = g_coreType> __aicore__ inline int32_t type() { return core; }\n"
    + ENTRY
    + "if ASCEND_IS_AIV { type(); } if (g_coreType == AscendC::AIC) { type<AscendC::AIV>(); } }",
    "assert": INCLUDE + ENTRY + 'ASSERT(1 < 2 && "one is less"); }',
    "likely": INCLUDE + ENTRY + "if (likely(AscendC::GetBlockIdx() == 0)) return; if (unlikely(false)) return; }",
    "aliases": INCLUDE
    + ENTRY
    + "float16_t h = static_cast<float16_t>(1.0f); float32_t f = static_cast<float32_t>(h); }",
    "traits": INCLUDE
    + ENTRY
    + "using T = AscendC::Conditional<AscendC::IsSameType<half, float>::value, half, float>::type; T v = 1.0f; }",
    "bfloat16": INCLUDE
    + ENTRY
    + "bfloat16_t b = AscendC::ToBfloat16(1.0f); float f = AscendC::ToFloat(b); AscendC::LocalTensor<bfloat16_t> t; }",
    "own DivCeil": INCLUDE
    + "template <typename T> __aicore__ inline T DivCeil(T a, T b) { return (a + b - 1) / b; }\n"
    + "using namespace AscendC;\n"
    + ENTRY
    + "int64_t v = ::DivCeil<int64_t>(5, 2); }",
    # overloads 1.4, 2.8: names of positions and shapes of queues
    "qualified names": INCLUDE
    + ENTRY
    + "AscendC::TPipe pipe; AscendC::TQue<AscendC::QuePosition::VECIN, 2> in[2]; pipe.InitBuffer(in[0], 2, 256);\n"
    + "AscendC::TBuf<AscendC::TPosition::LCM> buf; pipe.InitBuffer(buf, 32); }",
    "class of a kernel": INCLUDE
    + "using namespace AscendC;\nconstexpr int32_t BUFFER_NUM = 2;\n"
    + "template <typename T> class Op {\n public:\n  __aicore__ inline Op() {}\n"
    + "  __aicore__ inline void Init(GM_ADDR y, TPipe* pipe) {\n"
    + "    gm.SetGlobalBuffer((__gm__ T*)y + GetBlockIdx(), 1); pipe->InitBuffer(que, BUFFER_NUM, 32 * sizeof(T)); }\n"
    + "  __aicore__ inline void Process() {\n"
    + "    LocalTensor<T> t = que.template AllocTensor<T>(); Duplicate(t, static_cast<T>(1.0f), 32);\n"
    + "    que.template EnQue<T>(t); t = que.template DeQue<T>(); que.FreeTensor(t); }\n"
    + " private:\n  GlobalTensor<T> gm;\n  TQue<QuePosition::VECOUT, BUFFER_NUM> que;\n};\n"
    + ENTRY
    + "TPipe pipe; Op<half> op; op.Init(y, &pipe); op.Process(); }",
    "templates and lambdas": INCLUDE
    + "using namespace AscendC;\ntemplate <typename T> struct Square {\n"
    + "  __aicore__ inline void operator()(LocalTensor<T> d, LocalTensor<T> s) const { Mul(d, s, s, 8); }\n"
    + "};\ntemplate <typename F, typename T> __aicore__ inline void Apply(F f, LocalTensor<T> t) { f(t, t); }\n"
    + ENTRY
    + "LocalTensor<float> t; auto twice = [](LocalTensor<float> v) { Adds(v, v, 1.0f, 8); };\n"
    + "if (workspace == nullptr) { Apply(Square<float>{}, t); twice(t); } }",
    # semantics 5: the assertion against it is one of debug builds, and answers have such queues
    "queue of VECCALC": INCLUDE
    + "using namespace AscendC;\n"
    + ENTRY
    + "TPipe pipe; TQue<TPosition::VECCALC, 1> q; pipe.InitBuffer(q, 1, 64); }",
    "bfloat16 branch of a template": INCLUDE
    + "using namespace AscendC;\ntemplate <typename T> __aicore__ inline float Scalar(T x) {\n"
    + "  if (IsSameType<T, bfloat16_t>::value) { float s = T(x); return s; }\n  return static_cast<float>(x); }\n"
    + ENTRY
    + "float v = Scalar(bfloat16_t(1)) + Scalar(half(1)) + Scalar(1); }",
    "structs of plain data": INCLUDE
    + "struct Tiling { uint32_t n; float eps; };\n"
    + "__aicore__ inline uint32_t Length(const __gm__ Tiling* t) { return t->n; }\n"
    + ENTRY
    + "Tiling t; t.n = 1; }",
}

ILLEGAL = {
    # pitfalls 91: C++ that device code does not have
    "allocation": (INCLUDE + ENTRY + "\nint* p = new int[4];\n}", 4, "new"),
    "exception": (INCLUDE + ENTRY + "\nthrow 1;\n}", 4, "exceptions"),
    "malloc": (INCLUDE + ENTRY + "\nvoid* p = malloc(16);\n}", 4, "malloc"),
    "container": (INCLUDE + "#include <vector>\n" + ENTRY + "}", 2, "vector"),
    "typeid": (INCLUDE + ENTRY + "\nauto& t = typeid(int);\n}", 4, "typeid"),
    # pitfalls 92: kernel parameters
    "number of arguments": (INCLUDE + 'extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {}', 2, "kernel"),
    "other name": (INCLUDE + 'extern "C" __global__ __aicore__ void other(GM_ADDR y, GM_ADDR w) {}', None, "kernel"),
    # no row of that name in ascendc_api.csv
    "invented type": (INCLUDE + "using namespace AscendC;\n" + ENTRY + "\nVecTensor<float> t;\n}", 5, "VecTensor"),
    "invented position": (
        INCLUDE + "using namespace AscendC;\n" + ENTRY + "\nTQue<TPosition::VECTMP, 1> q;\n}",
        5,
        "VECTMP",
    ),
    "host header": (INCLUDE + '#include "register/tilingdata_base.h"\n' + ENTRY + "}", 2, "tilingdata_base.h"),
    "std header": (INCLUDE + "#include <iostream>\n" + ENTRY + "}", 2, "iostream"),
}
"""Source, line of the error (None: no place), and what a rejection says."""


@pytest.fixture(scope="module")
def toolchain() -> SimulatorToolchain:
    return SimulatorToolchain()


def build(toolchain: SimulatorToolchain, source: str) -> Build:
    return toolchain.build(Kernel.from_source(source + "\n", "kernel"), snippet_task({}, {"y": ((1,), "float32")}))


@pytest.mark.parametrize("name", LEGAL)
def test_legal_source_compiles(toolchain: SimulatorToolchain, name: str) -> None:
    result = build(toolchain, LEGAL[name])
    assert result.ok, result.diagnostics


@pytest.mark.parametrize("name", ILLEGAL)
def test_illegal_source_is_rejected(toolchain: SimulatorToolchain, name: str) -> None:
    source, line, word = ILLEGAL[name]
    result = build(toolchain, source)
    assert not result.ok
    told = [(d.location.line if d.location else None, d.message + d.hint) for d in result.diagnostics if d.is_error]
    assert any(word in text for place, text in told if line is None or place == line), result.diagnostics
