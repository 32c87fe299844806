// Calls that the device compiler accepts. Each line is one property of the overload sets; the file has to compile.
#include "kernel_operator.h"
using namespace AscendC;

struct Tiling {
  uint32_t n;
  float scale;
};

// The address of an API is a template argument in programs that run one operation over tensor lists.
using Scalar = void(const LocalTensor<float>&, const LocalTensor<float>&, const float&, const int32_t&);
using Unary = void(const LocalTensor<float>&, const LocalTensor<float>&, const int32_t&);
using Binary = void(const LocalTensor<float>&, const LocalTensor<float>&, const LocalTensor<float>&, const int32_t&);
template <Scalar* op>
void ApplyScalar(const LocalTensor<float>& x) {
  op(x, x, 2.0f, 8);
}
template <Unary* op>
void ApplyUnary(const LocalTensor<float>& x) {
  op(x, x, 8);
}
template <Binary* op>
void ApplyBinary(const LocalTensor<float>& x) {
  op(x, x, x, 8);
}
// A template argument of core type has to be a constant.
template <int32_t core = g_coreType>
int32_t CoreOf() {
  return core;
}
// User templates of these names win over the library's functions.
template <typename T>
T CeilDivide(T a, T b) {
  return (a + b - 1) / b;
}

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  SetSysWorkspace(workspace);
  GET_TILING_DATA_WITH_STRUCT(Tiling, data, tiling);
  REGISTER_TILING_DEFAULT(Tiling);
  GET_TILING_DATA(again, tiling);
  GET_TILING_DATA_MEMBER(Tiling, scale, scale, tiling);
  if (TILING_KEY_IS(0)) again.n = data.n;
  if ASCEND_IS_AIV again.n = CoreOf();
  if (g_coreType == AIC) return;
  ASSERT(data.n > 0 && "n must be positive");
  if (unlikely(block_idx != GetBlockIdx()) || likely(block_num == 0)) return;
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 2> out;
  TQue<QuePosition::VECIN, 0> inPlace;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> bind;
  TBuf<> calc;
  TBufPool<TPosition::VECCALC> pool;
  int64_t bytes = 4096;
  pipe.InitBuffer(in, 2, bytes);
  pipe.InitBuffer(out, 2, bytes);
  pipe.InitBuffer(inPlace, 2, bytes);
  pipe.InitBuffer(bind, 1, bytes);
  pipe.InitBuffer(calc, bytes);
  pipe.InitBufPool(pool, 8192);
  GlobalTensor<float> gx, gy;
  gx.SetGlobalBuffer((__gm__ float*)x);
  gy.SetGlobalBuffer((__gm__ float*)y + 8, data.n);
  gx.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
  LocalTensor<float> a = in.AllocTensor<float>();
  LocalTensor<float> b;
  inPlace.AllocTensor(b);
  LocalTensor<half> h = calc.Get<half>();
  LocalTensor<half> part = calc.GetWithOffset<half>(64, 256);
  part.SetSize(32);
  LocalTensor<int32_t> i = h.ReinterpretCast<int32_t>();
  LocalTensor<uint8_t> bits = h.ReinterpretCast<uint8_t>();
  LocalTensor<bfloat16_t> bf = h.template ReinterpretCast<bfloat16_t>();
  uint64_t mask[2] = {1, 2};
  const uint64_t fixedMask[2] = {1, 2};
  uint64_t one = 64;
  size_t wide = 100;
  int64_t repeat = 4;

  // Brace lists choose overloads by their number of values; wider integers narrow.
  DataCopy(a, gx, {1, static_cast<uint16_t>(repeat), 0, 0});
  DataCopy(a, gx[wide], wide);
  DataCopy(gy, a, {});
  DataCopyPad(a, gx, {1, 20, 0, 0}, {false, 0, 0, 0});
  DataCopyPad(a, gx, {1, 20, 0, 0, 0}, {true, 0, 3, 0});
  DataCopyPad(bf, GlobalTensor<bfloat16_t>(), {1, 20, 0, 0, 0}, {true, 0, 3, 0});
  DataCopyPad(gy, a, {1, 20, 0, 0});
  DataCopyPad(gy, a, {1, 20, 0, 0, 0});
  DataCopyPad(a, gx, {repeat, repeat, bytes, repeat, 0}, {false, 0, repeat, 0});
  struct DataCopyParams elaborated;
  DataCopy(a, gx, elaborated);

  Add(a, a, a, wide);
  Add(a, a, a, one, repeat, {1, 1, 1, 8, 8, 8});
  Add(a, a, a, mask, 4, {1, 1, 1, 8, 8, 8});
  Add<float, false>(a, a, a, MASK_PLACEHOLDER, 4, {1, 1, 1, 8, 8, 8});
  Adds(a, a, 1.0f, 8);
  Adds<half>(h, h, 1.0f, 8);
  Adds<float, false>(a, a, 1.0f, 8);
  Muls(h, h, static_cast<half>(0.5), one, 1, {1, 1, 8, 8});
  ShiftRight(i, i, 2, one, 1, {1, 1, 8, 8}, true);
  ShiftRight(i, i, 2, 64);
  Axpy(a, h, (half)1.0, 8);
  Axpy<float, float>(a, a, 1.0f, 8);
  MulAddDst(a, h, h, fixedMask, 1, {1, 1, 1, 8, 4, 4});
  Exp<float>(a, a, 8);
  Exp(a, a, one, 1, {1, 1, 8, 8});
  Duplicate(h, (half)0, 8);
  Duplicate<half>(h, 0, 8);
  Duplicate(a, 0.0f, one, 1, 1, 8);
  Cast(a, h, RoundMode::CAST_NONE, 8);
  Cast<float, half, false>(a, h, RoundMode::CAST_NONE, MASK_PLACEHOLDER_LIST, 1, {1, 1, 8, 4});
  Cast(h, a, AscendC::RoundMode::CAST_RINT, fixedMask, 1, {1, 1, 4, 8});
  Compare(bits, a, a, CMPMODE::LT, 64);
  Compare<float, uint8_t>(bits, a, a, CMPMODE::LT, one, 1, {1, 1, 1, 8, 8, 8});
  Compare(a, a, CMPMODE::GE, fixedMask, {1, 1, 1, 8, 8, 8});
  CompareScalar(bits, a, 1.0f, CMPMODE::GT, 64);
  Compares(bits, h, (half)1, CMPMODE::EQ, 128);
  Select(a, bits, a, a, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
  Select(a, bits, a, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, one, 1, {1, 1, 1, 8, 8, 8});
  bits = a > a;
  a = a * a;
  ReduceSum(a, a, a, 8);
  ReduceSum<float, true>(a, a, a, 8);
  ReduceSum(a, a, a, 64, 2, 8);
  ReduceMax(a, a, a, 8, true);
  ReduceMin(a, a, a, fixedMask, 2, 8, true);
  WholeReduceSum<float>(a, a, 64, 1, 1, 1, 8);
  WholeReduceMax(a, a, 64, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
  BlockReduceSum<float, false>(a, a, 1, MASK_PLACEHOLDER_LIST, 1, 1, 8);
  PairReduceSum(a, a, 1, 64, 1, 1, 8);
  ReduceRepeat<ReduceType::MAX>(a, a, 64, 1, 1, 1, 8);
  uint64_t raw = GetAccVal();
  float typed = GetAccVal<float>() + raw;
  Gather(a, a, i.ReinterpretCast<uint32_t>(), (uint32_t)0, 8);
  uint64_t kept = 0;
  GatherMask(a, a, 1, false, 0, {1, 1, 8, 8}, kept);
  GatherMask(a, a, i.ReinterpretCast<uint32_t>(), true, 70, GatherMaskParams(1, 1, 8, 8), kept);
  Brcb(a, a, 1, {1, 8});
  Copy(a, a, one, 1, {1, 1, 8, 8});
  CreateVecIndex(i, (int32_t)0, 64);
  CreateVecIndex(i[8], (int32_t)0, 8u);

  event_t id = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE2_V));
  SetFlag<HardEvent::MTE2_V>(id);
  WaitFlag<HardEvent::MTE2_V>(id);
  TEventID ids[2] = {EVENT_ID0, EVENT_ID1};
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, id);
  pipe_barrier(PIPE_ALL);
  PipeBarrier<PIPE_V>();
  TQueSync<PIPE_V, PIPE_S> sync;
  sync.SetFlag(ids[0]);
  auto own = pipe.AllocEventID<HardEvent::V_S>();
  pipe.ReleaseEventID<HardEvent::V_S>(own);
  set_vector_mask((uint64_t)-1, (uint64_t)-1);
  set_mask_norm();
  SetVectorMask<float>(0, 1);
  SetVectorMask<float, MaskMode::COUNTER>(100);
  AscendCUtils::SetMask<float>(64);
  SetAtomicAdd<float>();
  SetAtomicNone();

  __ubuf__ float* pointer = (__ubuf__ float*)a.GetPhyAddr();
  vcadd(nullptr, pointer, 1, 1, 1, 8, true);
  vector_dup(pointer, 1.0f, 1, 1, 1, 8, 8);
  vor((__ubuf__ uint16_t*)pointer, (__ubuf__ uint16_t*)pointer, (__ubuf__ uint16_t*)pointer, 1, 1, 1, 1, 8, 8, 8);
  copy_ubuf_to_ubuf(pointer, pointer + 64, 0, 1, 8, 0, 0);

  a.SetValue(0, 1);
  a(1) = a.GetValue(0) + typed + scale;
  gy.SetValue(0, gx.GetValue(1));
  gy(2) = 3.0f;
  uint32_t shape[] = {4, 8};
  a.SetShapeInfo(ShapeInfo(2, shape, DataFormat::ND));
  b.SetShapeInfo(ShapeInfo(ASCENDC_SHAPE(2, 4, 8)));
  DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(gx);
  in.EnQue(a);
  bind.EnQue<TPosition::GM, TPosition::VECIN>(a);
  inPlace.EnQue(b);
  inPlace.DeQue<float>(b);
  TBufHandle handle = out.DeQue();
  out.FreeBuffer(handle);
  a = in.DeQue<float>();
  in.FreeTensor(a);
  if (out.HasTensorInQue() && in.VacantInQue()) pipe.Reset();

  ApplyScalar<Muls>(a);
  ApplyScalar<Maxs>(a);
  ApplyUnary<Exp>(a);
  ApplyBinary<Div>(a);
  uint32_t up = AlignUp(wide, 32) + DivCeil(repeat, 2) + CeilDivide(7, 2);
  Tanh(a, a, up);
  Tanh<float, false>(a, a, bits, up);
  Sigmoid(a, a, bits, up);
  Power(a, a, 2.0f, up);
  Transpose(h, h);
  SyncAll();
  CrossCoreWaitFlag(0);
  half small = (half)1.5f;
  bfloat16_t coarse = ToBfloat16(small);
  a.SetValue(0, ToFloat(coarse));
}
