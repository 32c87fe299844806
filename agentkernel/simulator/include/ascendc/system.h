// Synchronisation, registers and identity of the core.
#pragma once
#include "ascendc/walk.h"
#include "ascendc/print.h"

namespace AscendC {

namespace akc {
// The hard event from one pipe to another, for the spellings that name pipes.
inline void Flag(bool set, const char* api, pipe_t src, pipe_t dst, int32_t id, akrt::Site site) {
  const int event = src == PIPE_ALL || dst == PIPE_ALL ? -1 : akrt::event_of(akrt::pipe_of(src), akrt::pipe_of(dst));
  if (event < 0) {
    akrt_argument_error("no-such-event", api, "no hard event joins these two pipes",
                        "use two different pipes that HardEvent has a member for", site);
    return;
  }
  if (set) akrt_set_flag(static_cast<uint8_t>(event), id, site);
  else akrt_wait_flag(static_cast<uint8_t>(event), id, site);
}
}  // namespace akc

template <HardEvent event>
AK_API void SetFlag(int32_t eventID) {
  akrt_set_flag(static_cast<uint8_t>(event), eventID, AK_SITE);
}
template <HardEvent event>
AK_API void WaitFlag(int32_t eventID) {
  akrt_wait_flag(static_cast<uint8_t>(event), eventID, AK_SITE);
}
template <typename T>
AK_API void SetFlag(pipe_t src, pipe_t dst, T id) {
  akc::Flag(true, "SetFlag", src, dst, static_cast<int32_t>(id), AK_SITE);
}
template <typename T>
AK_API void WaitFlag(pipe_t src, pipe_t dst, T id) {
  akc::Flag(false, "WaitFlag", src, dst, static_cast<int32_t>(id), AK_SITE);
}
template <pipe_t pipe>
AK_API void PipeBarrier() {
  static_assert(pipe != PIPE_S, "Ascend C PipeBarrier: PIPE_S is not supported on Ascend 910B; legal: PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX, PIPE_ALL");
  akrt_pipe_barrier(pipe, AK_SITE);
}
template <MemDsbT scope>
AK_API void DataSyncBarrier() {
  akrt_data_sync_barrier(AK_SITE);
}

template <pipe_t src, pipe_t dst>
class TQueSync {
  static_assert(src != dst, "Ascend C TQueSync: the two pipes are the same; legal: two different pipes");

 public:
  AK_API void SetFlag(TEventID id) { akc::Flag(true, "TQueSync::SetFlag", src, dst, id, AK_SITE); }
  AK_API void WaitFlag(TEventID id) { akc::Flag(false, "TQueSync::WaitFlag", src, dst, id, AK_SITE); }
};

// ---- mask ------------------------------------------------------------------------------------------------------
class AscendCUtils {
 public:
  static int32_t GetC0Count(const int32_t dtypeSize) { return 32 / dtypeSize; }
  static int32_t GetC0Size() { return 32; }
  static int32_t GetDefaultBlockNum() { return 8; }
  static int32_t GetBitSize(int32_t bytes) { return 8 * bytes; }
  AK_API static int64_t GetRsvdCnt() { return static_cast<int64_t>(akrt_rsvd_cnt(AK_SITE)); }
  template <typename T, bool isSetMask = true>
  static void SetMask(const uint64_t& high, const uint64_t& low) {
    if constexpr (isSetMask && g_coreType != AIC) akrt_set_mask(high, low);
  }
  template <typename T, bool isSetMask = true>
  static void SetMask(int32_t len) {
    if constexpr (isSetMask && g_coreType != AIC) {
      if (len == 64) akrt_set_mask(0, FULL_MASK);
      else if (len == static_cast<int32_t>(256 / sizeof(PrimT<T>)) || len >= 128) akrt_set_mask(FULL_MASK, FULL_MASK);
      else if (len > 64) akrt_set_mask((1ull << (len - 64)) - 1, FULL_MASK);
      else akrt_set_mask(0, len > 0 ? (1ull << len) - 1 : 0);
    }
  }
  template <bool isSetMask = true>
  static void ResetMask() {
    if constexpr (isSetMask && g_coreType != AIC) akrt_set_mask(FULL_MASK, FULL_MASK);
  }
  template <typename T>
  static void SetMaskCount() {
    akrt_set_mask_mode(true);
  }
  template <typename T>
  static void SetMaskNorm() {
    akrt_set_mask_mode(false);
  }
  static void SetOverflow(uint64_t ctrlValue) { akrt_set_saturation(ctrlValue == 0); }
};

template <typename T, MaskMode mode = MaskMode::NORMAL>
static void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow) {
  if constexpr (g_coreType != AIC) akrt_set_mask(maskHigh, maskLow);
}
template <typename T, MaskMode mode = MaskMode::NORMAL>
static void SetVectorMask(int32_t len) {
  if constexpr (g_coreType == AIC) return;
  if constexpr (mode == MaskMode::COUNTER) akrt_set_mask(0, static_cast<uint64_t>(len));
  else AscendCUtils::SetMask<T>(len);
}
inline void ResetMask() {
  if constexpr (g_coreType != AIC) akrt_set_mask(FULL_MASK, FULL_MASK);
}
inline void SetMaskCount() { akrt_set_mask_mode(true); }
inline void SetMaskNorm() { akrt_set_mask_mode(false); }

// ---- control registers -----------------------------------------------------------------------------------------
enum class SaturationMode { FLOAT, FLOAT8, INT, CAST };
template <SaturationMode mode>
void SetSaturationFlag(bool enableSat) {
  akrt_set_saturation(enableSat);
}
template <SaturationMode mode>
bool GetSaturationFlag() {
  return akrt_get_saturation();
}
template <int8_t startBit, int8_t endBit>
static void SetCtrlSpr(int64_t value) {
  static_assert(startBit == 48 && endBit == 48,
                "Ascend C SetCtrlSpr: this range of bits is not supported on Ascend 910B; legal: SetCtrlSpr<48, 48>");
  akrt_set_saturation(value == 0);
}
template <int8_t startBit, int8_t endBit>
static int64_t GetCtrlSpr() {
  static_assert(startBit == 48 && endBit == 48,
                "Ascend C GetCtrlSpr: this range of bits is not supported on Ascend 910B; legal: GetCtrlSpr<48, 48>");
  return akrt_get_saturation() ? 0 : 1;
}

#define AK_ATOMIC(Api, Op)                          \
  template <typename T>                             \
  void Api() {                                      \
    AK_CHECK_DTYPE(Api, T);                         \
    akrt_set_atomic(Op, akc::kDType<T>);            \
  }
AK_ATOMIC(SetAtomicAdd, kAkrtAtomicAdd)
AK_ATOMIC(SetAtomicMax, kAkrtAtomicMax)
AK_ATOMIC(SetAtomicMin, kAkrtAtomicMin)
#undef AK_ATOMIC
template <typename T>
void SetAtomicType() {
  AK_CHECK_DTYPE(SetAtomicType, T);
  akrt_set_atomic_type(akc::kDType<T>);
}
inline void SetAtomicNone() { akrt_set_atomic(kAkrtAtomicNone, akrt::DType::kFloat32); }
inline void DisableDmaAtomic() { SetAtomicNone(); }
template <AtomicDtype type, AtomicOp op>
void SetStoreAtomicConfig() {
  constexpr akrt::DType kTypes[] = {akrt::DType::kFloat32, akrt::DType::kFloat32, akrt::DType::kFloat16,
                                    akrt::DType::kInt16,   akrt::DType::kInt32,   akrt::DType::kInt8,
                                    akrt::DType::kBfloat16};
  akrt_set_atomic(type == AtomicDtype::ATOMIC_NONE ? kAkrtAtomicNone : kAkrtAtomicAdd, kTypes[static_cast<int>(type)]);
}

// The values of AtomicDtype and AtomicOp as they stand.
inline void GetStoreAtomicConfig(uint16_t& atomicType, uint16_t& atomicOp) {
  akrt::DType type = akrt::DType::kFloat32;
  const bool on = akrt_get_atomic(&type) != kAkrtAtomicNone;
  AtomicDtype found = AtomicDtype::ATOMIC_F32;
  switch (type) {
    case akrt::DType::kFloat16: found = AtomicDtype::ATOMIC_F16; break;
    case akrt::DType::kInt16: found = AtomicDtype::ATOMIC_S16; break;
    case akrt::DType::kInt32: found = AtomicDtype::ATOMIC_S32; break;
    case akrt::DType::kInt8: found = AtomicDtype::ATOMIC_S8; break;
    case akrt::DType::kBfloat16: found = AtomicDtype::ATOMIC_BF16; break;
    default: break;
  }
  atomicType = static_cast<uint16_t>(on ? found : AtomicDtype::ATOMIC_NONE);
  atomicOp = static_cast<uint16_t>(AtomicOp::ATOMIC_SUM);
}

inline void InitSocState() {
  SetAtomicNone();
  SetMaskNorm();
  ResetMask();
}

// ---- identity --------------------------------------------------------------------------------------------------
inline int64_t GetBlockIdx() { return akrt_core_idx(); }
inline int64_t GetBlockNum() { return akrt_block_num(); }
inline int64_t GetSubBlockIdx() { return akrt_sub_block_idx(); }
inline int64_t GetSubBlockNum() { return akrt_sub_block_num(); }
inline int64_t GetTaskRatio() { return akrt_task_ratio(); }
constexpr int16_t GetDataBlockSizeInBytes() { return 32; }
AK_API inline int64_t GetSystemCycle() { return static_cast<int64_t>(akrt_system_cycle(AK_SITE)); }
AK_API inline int64_t GetProgramCounter() { return static_cast<int64_t>(reinterpret_cast<uint64_t>(AK_SITE)); }
// In hexadecimal: the page's 220 is read with %x.
inline void GetArchVersion(uint32_t& coreVersion) { coreVersion = 0x220; }

// ---- caches and workspace --------------------------------------------------------------------------------------
template <typename T, CacheLine entireType, DcciDst dcciDst>
AK_API void DataCacheCleanAndInvalid(const GlobalTensor<T>& dst) {
  akrt_dcache_clean(dst.AkGlobal().addr, entireType == CacheLine::ENTIRE_DATA_CACHE, AK_SITE);
}
template <typename T, CacheLine entireType>
AK_API void DataCacheCleanAndInvalid(const GlobalTensor<T>& dst) {
  akrt_dcache_clean(dst.AkGlobal().addr, entireType == CacheLine::ENTIRE_DATA_CACHE, AK_SITE);
}
// The scalar unit reaches UB without a cache: nothing to write back, only the time of the instruction.
template <typename T, CacheLine entireType, DcciDst dcciDst>
void DataCacheCleanAndInvalid(const LocalTensor<T>&) {
  akrt_scalar_cycles(1);
}
// Hints that change time only, and that the clock does not model.
template <typename T>
void DataCachePreload(const GlobalTensor<uint64_t>&, const T) {}
inline void ICachePreLoad(const int64_t) {}
inline int64_t GetICachePreloadStatus() { return 0; }

template <typename T>
AK_API T ReadGmByPassDCache(__gm__ T* addr) {
  return akc::FromRaw<T>(akrt_global_get_bypass(reinterpret_cast<uint64_t>(addr), sizeof(T), AK_SITE));
}
template <typename T>
AK_API void WriteGmByPassDCache(__gm__ T* addr, T value) {
  akrt_global_set_bypass(reinterpret_cast<uint64_t>(addr), sizeof(T), akc::Raw<T>(value), AK_SITE);
}

inline GM_ADDR GetSysWorkSpacePtr() { return static_cast<uint8_t*>(akrt_slot_get(kAkrtSlotSysWorkspace)); }
inline void SetSysWorkspace(GM_ADDR workspace) {
  if (GetSysWorkSpacePtr() == nullptr) akrt_slot_set(kAkrtSlotSysWorkspace, workspace);
}
inline void SetSysWorkspaceForce(GM_ADDR workspace) { akrt_slot_set(kAkrtSlotSysWorkspace, workspace); }
inline void SetSysWorkSpace(GM_ADDR workspace) { SetSysWorkspace(workspace); }
inline void SetSysWorkSpacePtr(GM_ADDR workspace) { akrt_slot_set(kAkrtSlotSysWorkspace, workspace); }
// What a kernel is given is the user's part already, and asking again does not move it.
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return workspace; }

// ---- scalar helpers --------------------------------------------------------------------------------------------
template <int countValue>
int64_t ScalarGetCountOfValue(uint64_t value) {
  static_assert(countValue == 0 || countValue == 1, "Ascend C GetBitCount: value is not supported; legal: 0, 1");
  return __builtin_popcountll(countValue == 1 ? value : ~value);
}
template <int countValue>
int64_t GetBitCount(uint64_t value) {
  return ScalarGetCountOfValue<countValue>(value);
}
inline int64_t ScalarCountLeadingZero(uint64_t value) { return value == 0 ? 64 : __builtin_clzll(value); }
inline int64_t CountLeadingZero(uint64_t value) { return ScalarCountLeadingZero(value); }
inline int64_t CountBitsCntSameAsSignBit(int64_t value) {
  return value == 0 || value == -1 ? -1 : __builtin_clzll(static_cast<uint64_t>(value < 0 ? ~value : value)) - 1;
}
template <int countValue>
int64_t ScalarGetSFFValue(uint64_t value) {
  static_assert(countValue == 0 || countValue == 1, "Ascend C GetSFFValue: value is not supported; legal: 0, 1");
  return __builtin_ffsll(static_cast<long long>(countValue == 1 ? value : ~value)) - 1;
}
template <int countValue>
int64_t GetSFFValue(uint64_t value) {
  return ScalarGetSFFValue<countValue>(value);
}
constexpr uint32_t DivCeil(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
constexpr uint32_t AlignUp(uint32_t a, uint32_t b) { return DivCeil(a, b) * b; }
constexpr int32_t CeilDivision(int32_t a, int32_t b) { return b == 0 ? 0 : (a + b - 1) / b; }

// ---- utility -----------------------------------------------------------------------------------------------------
// Runs the function in the image of one core type.
template <EngineType engine, auto funPtr, class... Args>
void Async(Args... args) {
  if constexpr (static_cast<int32_t>(engine) == g_coreType) funPtr(args...);
}

AK_API inline void Trap() { akrt_assert_failed("Trap()", nullptr, nullptr, 0, AK_SITE); }

namespace akc {
template <class... Keys>
constexpr bool IsAnyOf(uint64_t key, Keys... keys) {
  return ((static_cast<uint64_t>(keys) == key) || ...);
}
AK_API inline void CopyTiling(void* dst, const void* src, uint64_t bytes) { akrt_copy_tiling(dst, src, bytes, AK_SITE); }
}  // namespace akc

// ---- bump allocator of programs without TPipe --------------------------------------------------------------------
enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };
template <Hardware hard = Hardware::UB>
class LocalMemAllocator {
 public:
  uint32_t GetCurAddr() const { return head_; }
  template <TPosition pos, class DataType>
  LocalTensor<DataType> Alloc(uint32_t tileSize) {
    constexpr uint32_t kUnit = hard == Hardware::L0A || hard == Hardware::L0B ? 512 : 32;
    const LocalTensor<DataType> tensor(pos, head_, tileSize);
    head_ += AlignUp(static_cast<uint32_t>(akc::Bytes<DataType>(tileSize)), kUnit);
    return tensor;
  }
  template <class DataType>
  LocalTensor<DataType> Alloc(uint32_t tileSize) {
    return Alloc<Position(), DataType>(tileSize);
  }
  template <TPosition pos, class DataType, uint32_t tileSize>
  LocalTensor<DataType> Alloc() {
    return Alloc<pos, DataType>(tileSize);
  }
  template <class DataType, uint32_t tileSize>
  LocalTensor<DataType> Alloc() {
    return Alloc<Position(), DataType>(tileSize);
  }
  template <class TensorTraitType>
    requires is_tensorTrait_v<TensorTraitType>
  LocalTensor<TensorTraitType> Alloc() {
    return Alloc<TensorTraitType::tPos, TensorTraitType>(
        akc::SizeOfLayout(typename TensorTraitType::LiteLayoutType{}));
  }

 private:
  static constexpr TPosition Position() {
    switch (hard) {
      case Hardware::L1: return TPosition::A1;
      case Hardware::L0A: return TPosition::A2;
      case Hardware::L0B: return TPosition::B2;
      case Hardware::L0C: return TPosition::CO1;
      case Hardware::BIAS: return TPosition::C2;
      case Hardware::FIXBUF: return TPosition::C2PIPE2GM;
      default: return TPosition::VECCALC;
    }
  }
  uint32_t head_ = 0;
};

}  // namespace AscendC

#ifndef assert
#define assert(expr, ...) ::AscendC::akc::Assert(static_cast<bool>(expr), #expr __VA_OPT__(,) __VA_ARGS__)
#endif
#define ascendc_assert(expr, ...) ::AscendC::akc::Assert(static_cast<bool>(expr), #expr __VA_OPT__(,) __VA_ARGS__)

// ---- tiling: structs in read-only global memory, copied to the stack ---------------------------------------------
#define REGISTER_TILING_DEFAULT(TilingStruct) using AkDefaultTiling = TilingStruct
#define REGISTER_TILING_FOR_TILINGKEY(expression, TilingStruct) static_assert(sizeof(TilingStruct) > 0)
#define REGISTER_NONE_TILING static_assert(true)
#define GET_TILING_DATA(tilingData, tilingArg) \
  AkDefaultTiling tilingData;                  \
  ::AscendC::akc::CopyTiling(&tilingData, tilingArg, sizeof(tilingData))
#define GET_TILING_DATA_WITH_STRUCT(TilingStruct, tilingData, tilingArg) \
  TilingStruct tilingData;                                               \
  ::AscendC::akc::CopyTiling(&tilingData, tilingArg, sizeof(tilingData))
#define GET_TILING_DATA_MEMBER(TilingStruct, member, variable, tilingArg)                             \
  decltype(((TilingStruct*)nullptr)->member) variable;                                                \
  ::AscendC::akc::CopyTiling(&variable, (const uint8_t*)(tilingArg) + offsetof(TilingStruct, member), \
                             sizeof(variable))
#define GET_TILING_DATA_PTR_WITH_STRUCT(TilingStruct, dstPtr, tilingPtr) \
  const __gm__ TilingStruct* dstPtr = (const __gm__ TilingStruct*)(tilingPtr)
// Both declare a copy on the stack and `dstPtr`, a pointer to it. `srcPtr` is the member itself.
#define COPY_TILING_WITH_STRUCT(TilingStruct, srcPtr, dstPtr)                    \
  TilingStruct dstPtr##AkCopy;                                                   \
  ::AscendC::akc::CopyTiling(&dstPtr##AkCopy, &(srcPtr), sizeof(dstPtr##AkCopy)); \
  const TilingStruct* dstPtr = &dstPtr##AkCopy
#define COPY_TILING_WITH_ARRAY(ArrayType, count, srcPtr, dstPtr)                  \
  ArrayType dstPtr##AkCopy[count];                                               \
  ::AscendC::akc::CopyTiling(&dstPtr##AkCopy, &(srcPtr), sizeof(dstPtr##AkCopy)); \
  const ArrayType(*dstPtr)[count] = &dstPtr##AkCopy
#ifndef TILING_KEY_VAR
#define TILING_KEY_VAR 0
#endif
#define TILING_KEY_IS(key) ((key) == (TILING_KEY_VAR))
#define TILING_KEY_LIST(...) ::AscendC::akc::IsAnyOf(TILING_KEY_VAR, __VA_ARGS__)
