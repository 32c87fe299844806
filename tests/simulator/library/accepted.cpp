#include "kernel_operator.h"
using namespace AscendC;
// The library's forms, in the shapes that programs use.
extern "C" __global__ __aicore__ void library(LocalTensor<float>& f, LocalTensor<half>& h, LocalTensor<bfloat16_t>& bf,
                                              LocalTensor<int16_t>& s, LocalTensor<int32_t>& i, LocalTensor<uint8_t>& u,
                                              LocalTensor<int8_t>& b) {
  Tanh(f, f, 64); Tanh(h, h, u, 64); Tanh(f, f); Tanh(h, h, u); Sigmoid(f, f, u, 64); Sigmoid<half, false>(h, h, 3);
  Sin(f, f, 64); Cos<float, false>(f, f, u, 64); Erf(f, f, 64); Log(f, f, 64); Log(f, f); Log2(h, h, u, 64); Log2(h, h, 64); Log10(f, f, 8);
  Floor(f, f, 64); Ceil(f, f, u, 64); Round(h, h, 64); Trunc(f, f, 8); Frac(f, f, 8); Sign(f, f, 8);
  Gelu(f, f, 64); Gelu<half, true, false>(h, h, u, 64); FasterGelu<half, false, true>(h, h, 64); FasterGeluV2(f, f, 64); Silu(f, f, 64);
  Swish(h, h, 64, half(1.5f)); Swish<float>(f, f, 64, 1.5f); ClampMax(f, f, 1.0f, 64); ClampMin(h, h, u, half(1), 64);
  Exp<float, 12>(f, f, 64); Exp<float, 0, true>(f, f, u, 64); Exp(f, f, 64); Axpy<float, half, false>(f, h, half(2), u, 64);
  Axpy(f, f, 2.0f, 64); Fmod(f, f, f, 8); Xor(s, s, s, u, 8); GeGLU(f, f, f, 8); ReGlu(bf, bf, bf, 8);
  float beta = 1.0f; SwiGLU(f, f, f, beta, 8); SwiGLU<half, false>(h, h, h, beta, u, 8);
  Power(f, f, f, 8); Power(f, f, 2.0f, 8); Power(f, 2.0f, f, 8); Power(i, i, i, u, 8); Power<float, false>(f, f, f, u); Power<half>(h, h, half(2));
  Arange(f, 0.0f, 1.0f, 8); ArithProgression<int32_t>(i, 0, 1, 8);
  Sum(f, f, {1, 8, 8}); Sum(h, h, u, SumParams{1, 16, 8}); Mean<half, float>(h, h, u, MeanParams{1, 16, 8}); Mean(f, f, {1, 8, 8});
  uint32_t shape[2] = {2, 8}; const uint32_t one[2] = {1, 8};
  ReduceSum<float, Pattern::Reduce::AR>(f, f, shape, true); ReduceMax<half, Pattern::Reduce::RA, true>(h, h, u, shape, true); ReduceAny<uint8_t, Pattern::Reduce::AR>(u, u, shape, true);
  ReduceSum(f, f, f, 64); ReduceSum<float, true>(f, f, f, 64); ReduceXorSum(s, s, s, 8); CumSumInfo info{1, 8}; CumSum(f, f, f, info); CumSum(f, f, f, u, {1, 8});
  static constexpr CumSumConfig rows{false, false, true}; CumSum<float, rows>(f, f, f, info);
  BroadCast<float, 2, 0>(f, f, shape, one); Broadcast<half, 1, 0>(h, h, shape, one, u); BroadCast<int8_t, 2, 1, false>(b, b, shape, one, u);
  SelectWithBytesMaskShapeInfo mask; Select(f, f, 0.0f, u, u, mask); SelectWithBytesMask(h, half(0), h, b, u, mask); Select<float, uint8_t, false>(f, 1.0f, f, u, u, {1, 8, 32});
  Select(f, u, f, f, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
  SoftMaxTiling t; SoftMaxShapeInfo m = {8, 8, 8, 8};
  SoftMax<float>(f, f, f, f, t, m); SoftMax<half>(h, f, f, h, t); SoftMax<float, false, false>(f, f, u, t, m); SoftMax<float>(f, f, t, m); SoftMax<half, true>(h, h, h, h, u, t, m);
  static constexpr SoftmaxConfig c = {false};
  SoftmaxFlashV2<float, true, true, false, false, c>(f, f, f, f, f, f, f, u, t, m); SoftmaxFlashV2<half, false>(h, f, f, h, h, f, f, t, m); SoftmaxFlash<float>(f, f, f, f, f, f, f, t, true, m);
  SoftmaxGrad<float>(f, f, f, u, t, false, m); SoftmaxGradFront<half>(h, h, h, t, m); SimpleSoftMax<float>(f, f, f, f, t, m);
  static constexpr SoftMaxTiling flash = SoftMaxFlashV2TilingFunc({8, 64, 8, 64}, 4, 4, 8192, true, false);
  static_assert(SoftMaxFlashV2TilingFuncImpl(8, 64, 4, 4, 2048).splitM == 8 && flash.splitK == 64);
  if (AdjustSoftMaxRes<float, float>(f, f, 0xFF7FFFFF, 0.0f, m)) AdjustSoftMaxRes(h, f, 0, half(1), m);
  Lgamma(f, f, 8); Digamma(h, h, u, 8);
  AscendQuant(b, f, 2.0f, 0.5f, 64); AscendQuant<half>(b, h, u, 2.0f, 0.5f); AscendQuant<int8_t, half, false>(b, h, 1.0f, 0.0f, 64);
  AscendQuant(b, h, u, h, half(1), 32, 64); AscendQuant(b, f, f, f, 32, 32, 64); AscendQuant(b, h, h, half(0)); AscendQuant<float>(b, f, u, f, f);
  LocalTensor<uint64_t> q; AscendDequant(h, i, q, DequantParams{2, 8, 8}); AscendDequant<float, float>(f, i, f, u, {1, 16, 8}); AscendDequant(h, i, 2.0f, {1, 8, 8}); AscendDequant(bf, i, bf, u, 64); AscendDequant(f, i, f);
  AscendAntiQuant<int8_t, half, false>(h, b, h, h, u, 32); AscendAntiQuant<int8_t, half, true>(h, b, half(1), half(2), 32); AscendAntiQuant<int8_t, bfloat16_t, false>(bf, b, bf, u, 64, {});
  LocalTensor<uint32_t> w; LocalTensor<float> c0; Concat(c0, f, f, 2); Sort<float, true>(f, c0, w, f, 2); Extract(f, w, f, 2); uint32_t n = GetSortLen<half>(32) + GetSortOffset<float>(4);
  Arange(i, 0, static_cast<int32_t>(n), 8);
}
extern "C" __global__ __aicore__ void normalisations(LocalTensor<float>& f, LocalTensor<half>& h, LocalTensor<int32_t>& i, LocalTensor<uint8_t>& u) {
  LayerNormTiling ln; LayerNorm(f, f, f, f, f, f, u, 1e-5f, ln); LayerNorm<half, false>(h, h, h, h, h, h, half(1e-5), ln);
  LayerNormSeparateTiling sp; LayerNormPara p{2, 8, 8}; LayerNorm<float, half>(h, f, f, h, f, f, 1e-5f, u, p, sp); static constexpr LayerNormConfig c{true}; LayerNorm<float, float, true, c>(f, f, f, f, f, f, 1e-5f, p, sp);
  NormalizePara n{2, 8, 8}; Normalize<half, half>(h, f, f, f, h, h, h, u, 1e-5f, n); Normalize<float, float>(f, f, f, f, f, f, f, 1e-5f, n);
  RmsNormTiling rms; RmsNorm(f, f, f, u, 1e-5f, rms); RmsNorm<half, true>(h, h, h, half(1), rms);
  DeepNormTiling deep; DeepNorm(f, f, f, f, f, f, f, u, 0.5f, 1e-5f, deep); DeepNorm<half>(h, h, h, h, h, h, h, half(1), half(1), deep);
  BatchNormTiling bn; BatchNorm(f, f, f, f, f, f, 1e-5f, bn); BatchNorm<half, true, true>(h, h, h, h, h, h, u, half(1), bn);
  GroupNormTiling gn; GroupNorm(f, f, f, f, f, f, u, 1e-5f, gn); GroupNorm<half>(h, h, h, h, h, h, half(1), gn);
  LayerNormGradTiling gt; LayerNormGrad(f, f, f, f, f, f, f, u, 1e-5f, gt); LayerNormGrad<half>(h, h, h, h, h, h, h, half(1), gt, {DataFormat::ND});
  LayerNormGradBetaTiling bt; LayerNormGradBeta(f, f, f, f, u, bt); LayerNormGradBeta<half, true>(h, h, h, h, bt);
  WelfordUpdateParam w{1, 16, 16, 0.5f}; WelfordUpdate<half, float>(f, f, f, f, h, u, w); WelfordUpdate<float, float>(f, f, f, f, f, w);
  WelfordFinalizePara e{2, 8, 2, 8, 0, 0, 0.125f, 0.0625f}; WelfordFinalize(f, f, f, f, e); WelfordFinalize<false>(f, f, f, f, i, u, e); WelfordFinalize(f, f, f, f, u, e); WelfordFinalize(f, f, f, f, i, e);
}
extern "C" __global__ __aicore__ void layouts(LocalTensor<float>& f, LocalTensor<half>& h, LocalTensor<int16_t>& s, LocalTensor<int32_t>& i, LocalTensor<uint8_t>& u) {
  TopkTiling top; TopKInfo info{1, 32, 32}; LocalTensor<bool> b; TopK<float>(f, i, f, i, b, 3, top, info); TopK<half, true, true, false, TopKMode::TOPK_NORMAL>(h, i, h, i, b, u, 3, top, info, false);
  DropOutShapeInfo d; d.firstAxis = 1; DropOut(f, f, u, 0.5f, d); DropOut<half, false, DROPOUT_MODE_BIT_ALIGN>(h, h, u, u, 0.5f, d);
  PadTiling pt; PadParams pp{0, 1, 0}; Pad(f, f, pp, u, pt); Pad(s, s, pp, pt); UnPadTiling ut; UnPadParams up{0, 1}; UnPad(h, h, up, u, ut); UnPad(i, i, up, ut);
  static constexpr TransDataConfig to{DataFormat::NCDHW, DataFormat::FRACTAL_Z_3D}; auto l = MakeLayout(MakeShape(1, 16, 1, 4, 4), MakeStride(1, 1, 1, 1, 1)); TransDataParams<decltype(l), decltype(l)> tp{l, l};
  TransData<to, half>(h, h, tp); TransData<to, int16_t>(s, s, u, tp);
  ConfusionTransposeTiling ct; Transpose(h, h, TransposeType::TRANSPOSE_ND2ND_ONLY, ct); Transpose(f, f, u, TransposeType::TRANSPOSE_NZ2ND_0213, ct); ConfusionTranspose(h, h, u, TransposeType::TRANSPOSE_NZ2NZ_0213, ct);
  LocalTensor<AscendC::tiling::SoftMaxTiling>* none = nullptr; static_cast<void>(none); AscendC::tiling::LogSoftMaxTiling log; static_cast<void>(log);
}
extern "C" __global__ __aicore__ void more(LocalTensor<float>& f, LocalTensor<half>& h, LocalTensor<uint8_t>& u, LocalTensor<uint32_t>& w, LocalTensor<int16_t>& s, LocalTensor<int8_t>& b, GlobalTensor<float>& g) {
  SoftMaxTiling t; SoftMaxShapeInfo m{16, 16, 16, 16}; SoftMaxParams v3{8, 512, 8, 512, 1, 8, 0.9375f};
  SoftMax<half, false, false, true>(h, h, h, h, t, m); LogSoftMaxTiling lt; LogSoftMax<float, false, true>(f, f, f, f, u, lt, m); SoftmaxGrad<float, false, true>(f, f, f, t, false, m); SoftmaxGradFront<half, false, true>(h, h, h, u, t, m);
  SoftmaxFlashV2<float, true>(f, f, f, f, f, f, f, f, t, m); SoftmaxFlashV2<half, false>(h, h, h, h, h, h, h, h, u, t, m); SoftmaxFlashV2<half, true, false, false, true>(h, f, f, h, h, f, f, t, m);
  SoftmaxFlashV3<half, float>(h, f, f, f, h, h, f, f, f, t, v3); SoftmaxFlashV3<half, float, true>(h, f, f, f, h, h, f, f, f, u, t, v3);
  AdjustSoftMaxRes<half, float, false, 1>(h, f, 0, half(0), m); if (IsBasicBlockInSoftMax(t)) AdjustSoftMaxRes<float, float, true>(f, f, 0, 0.0f, m);
  uint64_t bits[2] = {1, 0}; BilinearInterpolation(h, h, w, h, 128, 1, false, 1, 128, 1, u); BilinearInterpolation(h, h, w, h, bits, 1, true, 1, 128, 1, u);
  SetDeqScale(1.0f, 3, true); VdeqInfo vdeq; SetDeqScale(w, vdeq); CastDeq<int8_t, int16_t, false>(b, s, 64); CastDequant<int8_t, int16_t, true, true, false>(b, s, 64, 1, {1, 1, 8, 8}); CastDeq(u, s, 64);
  SliceInfo to[] = {{0, 15, 0, 2, 16}}; SliceInfo from[] = {{16, 31, 0, 2, 64}}; DataCopy(f, g, to, from); DataCopy(g, f, from, to, 1);
  SetAtomicType<half>(); uint16_t type, op; GetStoreAtomicConfig(type, op); DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_UB>(f);
  Select<float, SELMODE::VSEL_TENSOR_TENSOR_MODE>(f, f, f, 1, BinaryRepeatParams());
  DumpAccChkPoint(f, 1, 0, 8); DumpAccChkPoint(g, 1, 0, 8); CheckLocalMemoryIA({0, 0, 1}); TRACE_START(0x1); TRACE_STOP(0x1); ASC_CPU_LOG_INFO("x %d", 1); asc_prof_start(); asc_prof_stop(); asc_time_stamp(1); asc_dump((float*)f.GetPhyAddr(), 1u, 8u);
  printf("%d", 1); DumpTensor(f, 1, 8); uint64_t cycles = clock(); static_cast<void>(cycles);
}
__aicore__ inline void twice(LocalTensor<float> x) { Adds(x, x, 1.0f, 8); }
extern "C" __global__ __aicore__ void traits(LocalTensor<float>& f) {
  Async<EngineType::AIV, twice>(f); Async<EngineType::AIC, twice>(f);
  auto shape = MakeShape(4, MakeShape(2, 8)); auto layout = MakeLayout(shape, MakeStride(16, MakeStride(8, 1))); static_assert(is_layout_v<decltype(layout)> && !is_layout_v<int>);
  static_assert(Crd2Idx(MakeCoord(1, 2), MakeShape(4, 8), MakeStride(8, 1)) == 10 && MakeLayout(MakeShape(4, 8), MakeStride(8, 1))(MakeCoord(3, 7)) == 31);
  auto trait = MakeTensorTrait<half, TPosition::VECIN>(layout); trait.SetLayout(layout); static_assert(is_tensorTrait<decltype(trait)>::value); auto inner = Std::get<1>(layout.GetStride()); static_cast<void>(inner);
  using Fixed = Layout<Shape<Std::Int<4>, Std::Int<16>>, Stride<Std::Int<16>, Std::Int<1>>>; using Trait = TensorTrait<half, TPosition::VECCALC, Fixed>;
  LocalTensor<Trait> a(0u), b(128u, Fixed{}); Adds(a, b, half(1), 64); LocalMemAllocator<Hardware::UB> room; LocalTensor<Trait> c = room.Alloc<Trait>(); Add(a, b, c, 64); static_cast<void>(trait.GetLayout());
}
template <TPosition pos, uint32_t ids>
class OwnPool {
 public:
  __aicore__ inline OwnPool() { Init(); }
  template <class Q> __aicore__ inline bool InitBuffer(Q& que, uint8_t num, uint32_t len) {
    len = (len + 31) / 32 * 32; auto handle = GetBufHandle(GetCurBufSize()); que.InitStartBufHandle(handle, num, len);
    for (uint8_t i = 0; i < num; i++) que.InitBufHandle(this, i, handle + i, GetCurAddr() + i * len, len);
    SetCurAddr(GetCurAddr() + num * len); SetCurBufSize(GetCurBufSize() + num); return true;
  }
  EXTERN_IMPL_BUFPOOL(OwnPool, pos, ids)
};
extern "C" __global__ __aicore__ void pools(GM_ADDR x) {
  TPipe pipe; OwnPool<TPosition::VECCALC, 8> pool; pipe.InitBufPool(pool, 4096); TQue<TPosition::VECIN, 1> q; TBuf<TPosition::VECCALC> t; pool.InitBuffer(q, 2, 256); pool.InitBuffer(t, 1, 64); pool.Reset();
  GlobalTensor<float> g; g.SetGlobalBuffer((__gm__ float*)x); pipe.InitSpmBuffer(g, 1024); auto f = pipe.GetAbsAddr<TPosition::VECCALC, float>(0, 64); pipe.WriteSpmBuffer(f, 64); pipe.ReadSpmBuffer(f, DataCopyParams(1, 8, 0, 0), 32); pipe.WriteSpmBuffer(f, DataCopyParams(1, 8, 0, 0)); pipe.ReadSpmBuffer(f, 64, 0); TBuffAddr where = pipe.GetAbsAddr<TPosition::VECIN>(32, 64); static_cast<void>(where);
}
