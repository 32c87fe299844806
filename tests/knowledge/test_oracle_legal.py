"""Legal kernels give no findings, however unusual their spelling: a false alarm would cost a turn for nothing."""
# ruff: noqa: E501 (kernels are wider than prose)

from __future__ import annotations

from typing import Any

import pytest

from agentkernel.knowledge.exemplars import Exemplar, load_exemplars
from agentkernel.knowledge.oracle import check

LEGAL = {
    "count forms": """
        Add(h0, h1, h2, 64); Muls(f0, f1, 2.0f, 64); Exp(f0, f1, 64); Adds(i0, i1, 3, 64); Relu(i0, i1, 64);
        Duplicate(b0, static_cast<bfloat16_t>(0), 64); Max(s0, s1, s0, n); Not(s0, s1, 64); ShiftRight(i0, i1, 2, 64);
    """,
    "mask forms with brace lists": """
        Add(h0, h1, h2, mask, 4, {1, 1, 1, 8, 8, 8}); Add(h0, h1, h2, maskBits, 4, BinaryRepeatParams());
        Muls(f0, f1, 2.0f, mask, 1, {1, 1, 8, 8}); Adds<float, false>(f0, f1, 1.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
        Exp<half, false>(h0, h1, MASK_PLACEHOLDER, 1, UnaryRepeatParams(1, 1, 8, 8));
        Duplicate(h0, static_cast<half>(1), mask, 2, 1, 8); Cast(f0, h0, RoundMode::CAST_NONE, mask, 2, {1, 1, 8, 4});
    """,
    "explicit element types": """
        Adds<half>(h0, h1, 1.0f, 64); Duplicate<half>(h0, 0, 64); Muls<float>(f0, f1, 2, 64);
        Cast<float, half>(f0, h0, RoundMode::CAST_NONE, n); ReduceSum<float>(f0, f1, f2, 64); ReduceSum<float, true>(f0, f1, f2, 64);
    """,
    "qualified by namespace": """
        AscendC::LocalTensor<float> a = buf.Get<float>(); AscendC::Add(a, a, a, 64); AscendC::PipeBarrier<PIPE_V>();
        AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0); AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
        AscendC::DataCopyExtParams p{1, 64, 0, 0, 0}; AscendC::Cast(h0, a, AscendC::RoundMode::CAST_RINT, 64);
    """,
    "old and new names": """
        CompareScalar(u0, f0, 0.0f, CMPMODE::GT, 64); Compares(u0, f0, 0.0f, CMPMODE::GT, 64);
        WholeReduceSum(f0, f1, 64, 1, 1, 1, 8); ReduceRepeat<ReduceType::SUM>(f0, f1, 64, 1, 1, 1, 8);
        BlockReduceMax(f0, f1, 1, 64, 1, 1, 8); SetAtomicAdd<float>(); SetAtomicNone(); DisableDmaAtomic();
        WholeReduceMax(h0, h1, maskBits, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
    """,
    "raw intrinsics": """
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1); wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1); pipe_barrier(PIPE_ALL);
        event_t id = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S)); SetFlag<HardEvent::V_S>(id);
        set_vector_mask(0, static_cast<uint64_t>(-1)); set_mask_count(); set_mask_norm();
        vcadd((__ubuf__ float*)f0.GetPhyAddr(), (__ubuf__ float*)f1.GetPhyAddr(), 1, 1, 1, 8, false);
    """,
    "copies of every kind": """
        DataCopy(h0, xGm, 64); DataCopy(yGm[16], h0[16], 32u); DataCopy(h0, h1, 64); DataCopy(h0, xGm, {1, 4, 0, 0});
        DataCopyPad(h0, xGm[n], {1, static_cast<uint32_t>(n * sizeof(half)), 0, 0, 0}, {false, 0, 0, 0});
        DataCopyPad(yGm, h0, {1, 64, 0, 0}); DataCopyPad(h0, xGm, DataCopyParams{1, 64, 0, 0}, DataCopyPadParams());
        DataCopyExtParams ext; ext.blockLen = n; DataCopyPad(yGm, h0, ext); DataCopyParams old; old.srcGap = 1; old.dstStride = 2;
        DataCopyPadExtParams<half> pad{true, 0, 3, (half)0}; pad.paddingValue = 1; DataCopyPad(h0, xGm, ext, pad);
        struct DataCopyParams elaborated; DataCopy(h0, xGm, elaborated);
    """,
    "tensors by every road": """
        auto a = inQue.AllocTensor<half>(); inQue.EnQue(a); auto b = inQue.DeQue<half>(); inQue.FreeTensor(b);
        inQue.EnQue<half>(a); LocalTensor<half> c; inPlace.AllocTensor<half>(c); inPlace.EnQue(c); inPlace.DeQue<half>(c);
        Add(h0[n], h1[16], h2[n + 16], 16); LocalTensor<float> view = h0.ReinterpretCast<float>(); Abs(view, f0, 8);
        LocalTensor<half> list[2]; list[0] = h0; Add(list[0], list[1], h0, 16); inQue.FreeTensor(list[1]);
        LocalTensor<uint8_t> offset = buf.GetWithOffset<uint8_t>(32, 64); half v = h0.GetValue(3); h0.SetValue(2, v);
        f0.SetValue(0, 1.0f); float w = f0(0); f0(1) = w; uint32_t size = f0.GetSize();
    """,
    "operators of tensors": "f0 = f1 + f2; f0 = f1 * f2; u0 = f0 < f1;",
    "compare and select": """
        Compare(u0, h0, h1, CMPMODE::LT, 128); Select(h0, u0, h1, h2, SELMODE::VSEL_TENSOR_TENSOR_MODE, 128);
        Select(h0, u0, h1, (half)0, SELMODE::VSEL_TENSOR_SCALAR_MODE, 128); Compare(u0, i0, i1, CMPMODE::EQ, 64);
        Select(f0, u0, f1, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, mask, 1, {1, 1, 1, 8, 8, 8});
    """,
    "numbers of other types where numbers convert": """
        uint16_t few = 3; size_t many = 64; int64_t far = 16; Add(h0, h1, h2, many); DataCopy(h0, xGm[far], few * 16);
        Adds(h0, h1, h0.GetValue(0), far); constexpr half one = 1.0; Adds(h0, h1, one, 64);
        float scale = 1.0f / static_cast<float>(n); Muls(f0, f0, scale, 64); Muls(f0, f0, -scale, 64); Muls(f0, f0, scale * 2, 64);
        int32_t shift = 3; ShiftLeft(i0, i1, shift, 64); Adds(i0, i1, -1, 64); Adds(s0, s1, static_cast<int16_t>(1), 64);
    """,
    "library calls": """
        Sigmoid(h0, h1, n); Tanh(f0, f1, 64); Silu(h0, h1, n); Erf(f0, f1, u0, 64); Power(f0, f1, f2); Sin(f0, f1, 64);
        Broadcast<float, 2, 1>(f0, f1, shapeA, shapeB); Ln(f0, f1, 64); Log(f0, f1, 64); Exp<float, 10>(f0, f1, 64);
    """,
    "scalar functions and casts": """
        half z = half(1.0f); float y2 = float(z); int32_t k = int32_t(y2); z = (half)(y2); uint32_t c = DivCeil(n, 8);
        float r = ToFloat(b0.GetValue(0)); bfloat16_t q = ToBfloat16(r); float s = sqrt(r); uint32_t m = min(n, c);
        z = static_cast<half>(k); bfloat16_t t = Cast(r); auto u = ScalarCast<float, int32_t, RoundMode::CAST_RINT>(r);
    """,
    "queues by depth": """
        LocalTensor<half> t = inQue.AllocTensor<half>(); inQue.EnQue(t); t = inQue.DeQue<half>(); bool b = inQue.HasTensorInQue();
        inPlace.AllocTensor<half>(t); inPlace.EnQue(t); inPlace.DeQue<half>(t); inPlace.FreeTensor(t);
    """,
    "masks that are const": """
        const uint64_t bits[2] = {1, 0}; Cast(f0, h0, RoundMode::CAST_NONE, bits, 1, {1, 1, 8, 4});
        Copy(h0, h1, bits, 1, {1, 1, 8, 8}); Gather(h0, h1, offsets, 0, bits, 1, 8); WholeReduceSum(f0, f1, 0, 1, 1, 1, 8);
        Exp(h0, h1, static_cast<uint64_t>(0), 1, {1, 1, 8, 8}); uint64_t rsvd = 0;
        GatherMask(h0, h1, 1, false, 0, {1, 1, 8, 8}, rsvd); float a, b2; GetReduceMaxMinCount(a, b2);
    """,
    "conditions on the core": "if ASCEND_IS_AIV { Add(h0, h1, h2, 64); } if (g_coreType == AIV) { Exp(h0, h1, 64); }",
    "masks": """
        SetMaskCount(); SetVectorMask<half, MaskMode::COUNTER>(0, 64); SetMaskNorm(); ResetMask(); SetVectorMask<float>(0, 1);
        AscendCUtils::SetMask<half>(64);
    """,
}


@pytest.mark.parametrize("name", LEGAL)
def test_legal_calls_give_no_findings(bench: Any, name: str) -> None:
    before = "uint32_t shapeA[2] = {2, 8}; uint32_t shapeB[2] = {2, 1};" if "library" in name else ""
    found = bench.findings(LEGAL[name], before)
    assert not found, [(d.code, str(d.location), d.message) for d in found]


@pytest.mark.parametrize("exemplar", load_exemplars(), ids=lambda e: e.name)
def test_exemplars_give_no_findings(exemplar: Exemplar) -> None:
    found = check(exemplar.kernel, exemplar.task)
    assert not found, [(d.code, str(d.location), d.message) for d in found]


NOT_SIMULATED = {"library calls", "scalar functions and casts"}
"""Snippets with functions that the chip has and the simulator has not."""


def test_the_simulators_headers_take_what_these_tests_call_legal(bench: Any, toolchain: Any) -> None:
    body = "\n".join(f"{{ {LEGAL[name]} }}" for name in sorted(set(LEGAL) - NOT_SIMULATED))
    build = toolchain.build(bench.kernel(body), bench.task)
    assert build.ok, [(str(d.location), d.message) for d in build.diagnostics]


WHOLE = {
    "macros, lambdas, templates": """
#include "kernel_operator.h"
#define LOCAL(T, name, buffer) LocalTensor<T> name = buffer.Get<T>()
#define APPLY(op, ...) op(__VA_ARGS__)
#ifndef TILE
#define TILE 64
#endif
using namespace AscendC;
namespace mine {
template <typename T, int32_t N = 2> struct Pair { LocalTensor<T> first, second; };
template <typename T> __aicore__ inline T Larger(T a, T b) { return a > b ? a : b; }
template <typename... Args> __aicore__ inline void Forward(Args... args) { Add(args...); }
using Buffer = TBuf<TPosition::VECCALC>;
}
enum class Mode : uint8_t { FAST, SLOW };
template <typename OP, typename T> class Apply {
public:
    __aicore__ inline void Run(OP op, LocalTensor<T>& a) { op(a, a, 64); }
};
struct ExpOp { template <typename T> __aicore__ inline void operator()(const LocalTensor<T>& d, const LocalTensor<T>& s, int n) const { Exp(d, s, n); } };
template <typename T, void (*F)(const LocalTensor<T>&, const LocalTensor<T>&, const int32_t&)>
__aicore__ inline void Call(const LocalTensor<T>& d) { F(d, d, 64); }
ENTRY
{
    TPipe pipe;
    mine::Buffer buf;
    pipe.InitBuffer(buf, TILE * sizeof(float));
    _Pragma("unroll")
    for (int i = 0; i < 4; ++i) {
    }
    LOCAL(float, a, buf);
    APPLY(Exp, a, a, TILE);
    auto twice = [&](LocalTensor<float>& t, float by) { Muls(t, t, by, TILE); };
    twice(a, 2.0f);
    mine::Pair<float> pair{a, a};
    Add(pair.first, pair.second, a, mine::Larger(1, 2));
    mine::Forward(a, a, a, 64);
    Apply<ExpOp, float> apply;
    apply.Run(ExpOp(), a);
    Mode mode = Mode::FAST;
    for (uint32_t i = 0; i < 3; i++) { if (mode == Mode::SLOW) break; }
}
""",
    "a template for several types": """
#include "kernel_operator.h"
template <typename T> class Op {
public:
    __aicore__ inline void Run()
    {
        AscendC::LocalTensor<T> x = que.template AllocTensor<T>();
        if constexpr (std::is_same<T, bfloat16_t>::value) {
            AscendC::LocalTensor<float> f = buf.template Get<float>();
            AscendC::Cast(f, x, AscendC::RoundMode::CAST_NONE, 64);
            AscendC::Exp(f, f, 64);
            AscendC::Cast(x, f, AscendC::RoundMode::CAST_RINT, 64);
        } else if constexpr (AscendC::IsSameType<T, int32_t>::value) {
            AscendC::Adds(x, x, static_cast<T>(1), 64);
        } else {
            AscendC::Exp(x, x, 64);
        }
        if constexpr (sizeof(T) == 4) { AscendC::Adds(x, x, (T)2, 64); }
        que.FreeTensor(x);
    }
private:
    AscendC::TQue<AscendC::TPosition::VECIN, 1> que;
    AscendC::TBuf<> buf;
};
ENTRY { Op<bfloat16_t> a; a.Run(); Op<int32_t> b; b.Run(); Op<half> c; c.Run(); Op<float> d; d.Run(); }
""",
    "methods outside the class, inheritance, statics": """
#include "kernel_operator.h"
using namespace AscendC;
template <typename T> class Base {
protected:
    __aicore__ inline void Load(uint32_t n);
    TQue<QuePosition::VECIN, 2> que;
    GlobalTensor<T> gm;
};
template <typename T> __aicore__ inline void Base<T>::Load(uint32_t n) { LocalTensor<T> x = que.template AllocTensor<T>(); DataCopy(x, gm, n); que.EnQue(x); }
class Derived : public Base<float> {
public:
    __aicore__ inline void Run() { Load(64); auto x = que.DeQue<float>(); Helper(x); que.FreeTensor(x); this->Finish(); }
    __aicore__ inline void Finish();
    static constexpr uint32_t SIZE = 3;
private:
    static __aicore__ inline void Helper(const LocalTensor<float>& t) { Exp(t, t, SIZE); }
};
__aicore__ inline void Derived::Finish() { PipeBarrier<PIPE_ALL>(); }
ENTRY { Derived d; if (TILING_KEY_IS(1)) { d.Run(); } else if (TILING_KEY_IS(2)) { d.Finish(); } }
""",
    "branches of the preprocessor": """
#include "kernel_operator.h"
using namespace AscendC;
#if __CCE_AICORE__ == 220
#define WIDE 1
#else
#define WIDE 0
#endif
#ifdef __CCE_KT_TEST__
#include <iostream>
#endif
#if defined(SOME_FEATURE)
__aicore__ inline void Feature(LocalTensor<float> x) { NotThere(x); }
#endif
#if __CCE_AICORE__ < 220
__aicore__ inline void Old(LocalTensor<float> x) { OnlyThere(x); throw 1; }
#endif
ENTRY {
    TBuf<TPosition::VECCALC> buf;
#if WIDE
    LocalTensor<float> t = buf.Get<float>();
#else
    LocalTensor<bfloat16_t> t = buf.Get<bfloat16_t>();
#endif
    Exp(t, t, 64);
#ifdef OTHER
    Gone(t);
#endif
}
#ifndef __CCE_KT_TEST__
void negate_do(uint32_t blocks, void* stream, uint8_t* x, uint8_t* y, uint8_t* w, uint8_t* t) { negate<<<blocks, nullptr, stream>>>(x, y, w, t); }
#endif
""",
    "attributes in brackets and gnu style": """
#include "kernel_operator.h"
using namespace AscendC;
[aicore] inline __attribute__((always_inline)) float Twice(float x) { return x * 2; }
[host, aicore] constexpr uint32_t Up(uint32_t a) { return (a + 31) / 32 * 32; }
__aicore__ __attribute__((noinline)) void Fill(__gm__ uint8_t* __restrict__ p, [[maybe_unused]] int n) { p[0] = Up(n); }
ENTRY { float f = Twice(1.0f); Fill(x, 3); assert(f > 0); }
""",
    "static tensors without a pipe": """
#include "kernel_operator.h"
using namespace AscendC;
ENTRY {
    InitSocState();
    LocalTensor<float> a(TPosition::VECIN, 0, 64);
    LocalMemAllocator<Hardware::UB> allocator;
    LocalTensor<half> b = allocator.Alloc<half, 64>();
    Add(a, a, a, 64);
}
""",
    "the author's own functions of the library's names": """
#include "kernel_operator.h"
namespace own { template <typename T> __aicore__ inline T Max(T a, T b) { return a > b ? a : b; } }
using namespace own;
__aicore__ inline uint32_t CeilDiv(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
__aicore__ inline uint32_t AlignUp(uint32_t a) { return CeilDiv(a, 32) * 32; }
ENTRY { uint32_t n = Max(1u, 2u); n = AlignUp(n); }
""",
}  # fmt: skip


@pytest.mark.parametrize("name", WHOLE)
def test_unusual_but_legal_kernels_give_no_findings(bench: Any, name: str) -> None:
    found = bench.whole(WHOLE[name])
    assert not found, [(d.code, str(d.location), d.message, d.hint) for d in found]
