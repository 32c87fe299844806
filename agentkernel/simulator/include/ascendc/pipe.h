// TPipe, TQueBind, TQue, TBuf, TBufPool: views of the buffers and queues that the runtime keeps.
#pragma once
#include "ascendc/tensor.h"

namespace AscendC {

enum class TBufState : uint8_t { FREE = 0, OCCUPIED, ENQUE, DEQUE };

namespace akc {
// The position that tensors of a bound queue carry: the local end, or the source where both are local.
constexpr TPosition UserOf(TPosition src, TPosition dst) { return src == TPosition::GM ? dst : src; }
constexpr TPosition SrcOf(TPosition pos) {
  switch (pos) {
    case TPosition::VECOUT: return TPosition::VECOUT;
    case TPosition::A2: return TPosition::A1;
    case TPosition::B2: return TPosition::B1;
    case TPosition::C2: return TPosition::C1;
    case TPosition::CO1: return TPosition::CO1;
    case TPosition::CO2: return TPosition::CO2;
    case TPosition::C2PIPE2GM: return TPosition::B1;
    case TPosition::SPM: return TPosition::VECOUT;
    default: return TPosition::GM;
  }
}
constexpr TPosition DstOf(TPosition pos) {
  switch (pos) {
    case TPosition::CO1: return TPosition::CO2;
    case TPosition::VECOUT:
    case TPosition::CO2:
    case TPosition::SPM: return TPosition::GM;
    default: return pos;
  }
}
constexpr uint8_t Pos(TPosition pos) { return static_cast<uint8_t>(pos); }
}  // namespace akc

template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
 public:
  static constexpr TPosition srcPosition = src;
  static constexpr TPosition dstPosition = dst;

  template <typename T>
  AK_API LocalTensor<T> AllocTensor() {
    static_assert(depth != 0, "Ascend C TQue::AllocTensor: a queue of depth 0 hands tensors out in place; legal: AllocTensor(LocalTensor<T>&)");
    return akc::Wrap<T>(akrt_alloc_tensor(AkId(), AK_SITE));
  }
  template <typename T>
  AK_API void AllocTensor(LocalTensor<T>& tensor) {
    static_assert(depth == 0, "Ascend C TQue::AllocTensor: the in-place form needs a queue of depth 0; legal: AllocTensor<T>()");
    tensor = akc::Wrap<T>(akrt_alloc_tensor_in_place(AkId(), AK_SITE));
  }
  template <typename T>
  AK_API void FreeTensor(LocalTensor<T>& tensor) {
    akrt_free_tensor(AkId(), tensor.AkLocal(), AK_SITE);
  }
  template <typename T>
  AK_API bool EnQue(const LocalTensor<T>& tensor) {
    return akrt_enque(AkId(), tensor.AkLocal(), AK_SITE);
  }
  AK_API bool EnQue(TBufHandle handle) { return akrt_enque(AkId(), AkOf(handle, AK_SITE), AK_SITE); }
  template <TPosition srcUser, TPosition dstUser, typename T>
  AK_API bool EnQue(const LocalTensor<T>& tensor) {
    static_assert(depth != 0, "Ascend C TQue::EnQue: user positions need a queue of depth 1 or more; legal: EnQue(tensor)");
    return akrt_enque_as(AkId(), tensor.AkLocal(), akc::Pos(srcUser), akc::Pos(dstUser), AK_SITE);
  }
  template <typename T>
  AK_API LocalTensor<T> DeQue() {
    static_assert(depth != 0, "Ascend C TQue::DeQue: a queue of depth 0 hands tensors out in place; legal: DeQue(LocalTensor<T>&)");
    return akc::Wrap<T>(akrt_deque(AkId(), AK_SITE));
  }
  template <typename T>
  AK_API void DeQue(LocalTensor<T>& tensor) {
    static_assert(depth == 0, "Ascend C TQue::DeQue: the in-place form needs a queue of depth 0; legal: DeQue<T>()");
    tensor = akc::Wrap<T>(akrt_deque_in_place(AkId(), tensor.AkLocal(), AK_SITE));
  }
  AK_API TBufHandle DeQue() { return AkHandle(akrt_deque(AkId(), AK_SITE)); }
  template <TPosition srcUser, TPosition dstUser, typename T>
  AK_API LocalTensor<T> DeQue() {
    static_assert(depth != 0, "Ascend C TQue::DeQue: user positions need a queue of depth 1 or more; legal: DeQue(tensor)");
    return akc::Wrap<T>(akrt_deque_as(AkId(), akc::Pos(srcUser), akc::Pos(dstUser), AK_SITE));
  }
  AK_API bool VacantInQue() {
    static_assert(depth != 0, "Ascend C TQue::VacantInQue: a queue of depth 0 keeps no count of tensors; legal: depth 1 or more");
    return akrt_queue_vacant(AkId(), AK_SITE);
  }
  AK_API bool HasTensorInQue() {
    static_assert(depth != 0, "Ascend C TQue::HasTensorInQue: a queue of depth 0 keeps no count of tensors; legal: depth 1 or more");
    return akrt_queue_count(AkId(), AK_SITE) > 0;
  }
  AK_API int32_t GetTensorCountInQue() {
    static_assert(depth != 0, "Ascend C TQue::GetTensorCountInQue: a queue of depth 0 keeps no count of tensors; legal: depth 1 or more");
    return akrt_queue_count(AkId(), AK_SITE);
  }
  AK_API bool HasIdleBuffer() {
    static_assert(depth != 0, "Ascend C TQue::HasIdleBuffer: a queue of depth 0 keeps no count of tensors; legal: depth 1 or more");
    return akrt_queue_idle(AkId(), AK_SITE);
  }
  AK_API void FreeAllEvent() {
    static_assert(depth != 0, "Ascend C TQue::FreeAllEvent: a queue of depth 0 keeps no count of tensors; legal: depth 1 or more");
    akrt_free_all_event(AkId(), AK_SITE);
  }
  template <typename T>
  AK_API TBufState GetState(const LocalTensor<T>& tensor) const {
    return static_cast<TBufState>(akrt_buffer_state(AkId(), tensor.AkLocal(), AK_SITE));
  }
  AK_API void FreeBuffer(TBufHandle handle) { akrt_free_tensor(AkId(), AkOf(handle, AK_SITE), AK_SITE); }
  // What the InitBuffer of a custom pool calls: the number of buffers, then the place of each.
  AK_API void InitStartBufHandle(TBufHandle, uint8_t num, uint32_t) { AkStart(num); }
  template <typename T>
  AK_API void InitBufHandle(T* bufPool, uint32_t index, TBufHandle, uint32_t curPoolAddr, uint32_t len) {
    if (index == 0)
      id_ = akrt_init_handles(bufPool->AkId(), src == dst && depth == 0, akc::Pos(src), akc::Pos(dst),
                              akc::Pos(akc::UserOf(src, dst)), depth, started_, AK_SITE);
    akrt_place_handle(id_, index, curPoolAddr, len, AK_SITE);
  }

  // Not part of Ascend C: the queue's id in the runtime.
  int32_t AkId() const { return id_; }
  void AkSetId(int32_t id) { id_ = id; }
  static constexpr int32_t kAkDepth = depth;
  static constexpr TPosition kAkSrc = src;
  static constexpr TPosition kAkDst = dst;
  static constexpr TPosition kAkUser = akc::UserOf(src, dst);
  static constexpr bool kAkQueue = true;

 private:
  // A handle is the host address of the buffer.
  static TBufHandle AkHandle(const akrt::Local& local) {
    return akrt_memory(static_cast<uint8_t>(akrt::space_of(local.position))) + local.addr;
  }
  akrt::Local AkOf(TBufHandle handle, akrt::Site site) const {
    const uint8_t* memory = akrt_memory(static_cast<uint8_t>(akrt::space_of(akc::Pos(akc::UserOf(src, dst)))));
    return akrt_buffer_at(id_, static_cast<uint32_t>(handle - memory), site);
  }

  void AkStart(uint8_t num) { started_ = num; }

  int32_t id_ = -1;
  uint8_t started_ = 0;
};

template <TPosition pos, int32_t depth, auto mask = 0>
class TQue : public TQueBind<akc::SrcOf(pos), akc::DstOf(pos), depth, mask> {
 public:
  static constexpr TPosition kAkUser = pos;
};

template <TPosition pos, int32_t depth = 1, auto mask = 0>
using TSCM = TQueBind<pos, TPosition::TSCM, depth, mask>;

template <TPosition pos = TPosition::LCM>
class TBuf : public TQueBind<pos, pos, 0, 0> {
 public:
  template <typename T>
  AK_API LocalTensor<T> Get() {
    return akc::Wrap<T>(akrt_buf_get(this->AkId(), 0, -1, AK_SITE));
  }
  template <typename T>
  AK_API LocalTensor<T> Get(uint32_t elements) {
    return akc::Wrap<T>(akrt_buf_get(this->AkId(), 0, static_cast<int64_t>(akc::Bytes<T>(elements)), AK_SITE));
  }
  template <typename T>
  AK_API LocalTensor<T> GetWithOffset(uint32_t elements, uint32_t byteOffset) {
    return akc::Wrap<T>(
        akrt_buf_get(this->AkId(), byteOffset, static_cast<int64_t>(akc::Bytes<T>(elements)), AK_SITE));
  }
  // Queue-like spellings that do not synchronise.
  template <typename T>
  void EnQue(const LocalTensor<T>&) {}
  template <typename T>
  AK_API LocalTensor<T> DeQue() {
    return akc::Wrap<T>(akrt_buf_get(this->AkId(), 0, -1, AK_SITE));
  }
  template <typename T>
  AK_API LocalTensor<T> AllocTensor() {
    return akc::Wrap<T>(akrt_buf_get(this->AkId(), 0, -1, AK_SITE));
  }
  template <typename T>
  void FreeTensor(LocalTensor<T>&) {}
  template <typename T>
  TBufState GetState(const LocalTensor<T>&) const {
    return TBufState::OCCUPIED;
  }

  static constexpr bool kAkQueue = false;
};

namespace akc {
template <class T, class = void>
inline constexpr bool kQueueOrBuf = false;
template <class T>
inline constexpr bool kQueueOrBuf<T, std::void_t<decltype(T::kAkQueue)>> = true;

template <class Q>
void InitQueue(Q& que, int32_t pool, uint8_t num, uint32_t len, akrt::Site site) {
  static_assert(kQueueOrBuf<Q>,
                "Ascend C TPipe::InitBuffer: only a queue has a number of buffers; legal: InitBuffer(TQue, num, len)");
  if constexpr (kQueueOrBuf<Q>) {
    static_assert(Q::kAkQueue, "Ascend C TPipe::InitBuffer: a TBuf has no buffer number; legal: InitBuffer(TBuf, len)");
    que.AkSetId(akrt_init_queue(pool, Pos(Q::kAkSrc), Pos(Q::kAkDst), Pos(Q::kAkUser), Q::kAkDepth, num, len, site));
  }
}
}  // namespace akc

template <TPosition pos, uint32_t bufIDSize = 4>
class TBufPool {
 public:
  template <class T>
  AK_API bool InitBuffer(T& que, uint8_t num, uint32_t len) {
    akc::InitQueue(que, id_, num, len, AK_SITE);
    return true;
  }
  template <TPosition bufPos>
  AK_API bool InitBuffer(TBuf<bufPos>& buf, uint32_t len) {
    buf.AkSetId(akrt_init_buf(id_, akc::Pos(bufPos), len, AK_SITE));
    return true;
  }
  template <class T>
  AK_API bool InitBufPool(T& pool, uint32_t len) {
    pool.AkSetId(akrt_init_pool(id_, T::kAkPosition, len, -1, T::kAkIds, AK_SITE));
    return true;
  }
  template <class T, class U>
  AK_API bool InitBufPool(T& pool, uint32_t len, U& share) {
    pool.AkSetId(akrt_init_pool(id_, T::kAkPosition, len, share.AkId(), T::kAkIds, AK_SITE));
    return true;
  }
  AK_API void Reset() { akrt_pool_reset(id_, AK_SITE); }

  static constexpr uint8_t kAkPosition = akc::Pos(pos);
  static constexpr uint32_t kAkIds = bufIDSize;
  int32_t AkId() const { return id_; }
  void AkSetId(int32_t id) { id_ = id; }

 private:
  int32_t id_ = -2;  // no pool yet; -1 is the TPipe itself
};

// What a custom pool is made of: it hands out addresses itself, inside the bytes that TPipe::InitBufPool gave it.
namespace akc {
class CustomPool {
 public:
  int32_t Id() const { return id_; }
  AK_API void Start(int32_t id) {
    id_ = id;
    addr_ = akrt_pool_begin(id, AK_SITE);
    used_ = 0;
  }
  AK_API void Reset() {
    akrt_pool_reset(id_, AK_SITE);
    Start(id_);
  }
  static TBufHandle Handle(uint8_t offset) { return reinterpret_cast<TBufHandle>(uintptr_t{1} + offset); }

  uint32_t addr_ = 0;
  uint8_t used_ = 0;

 private:
  int32_t id_ = -1;
};
}  // namespace akc
// Stands in the body of the class. Handles count from 0; only the pool and its queues look at them.
#define EXTERN_IMPL_BUFPOOL(EXT_BUFPOOL, POSITION, BUFID_SIZE)                                            \
 private:                                                                                                 \
  ::AscendC::akc::CustomPool akPool_;                                                                     \
                                                                                                          \
 public:                                                                                                  \
  static constexpr uint8_t kAkPosition = static_cast<uint8_t>(POSITION);                                  \
  static constexpr uint32_t kAkIds = BUFID_SIZE;                                                          \
  int32_t AkId() const { return akPool_.Id(); }                                                           \
  void AkSetId(int32_t id) { akPool_.Start(id); }                                                         \
  void Init() { akPool_.used_ = 0; }                                                                      \
  void Reset() { akPool_.Reset(); }                                                                       \
  ::AscendC::TBufHandle GetBufHandle(uint8_t offset) { return akPool_.Handle(offset); }                   \
  void SetCurAddr(uint32_t curAddr) { akPool_.addr_ = curAddr; }                                          \
  uint32_t GetCurAddr() { return akPool_.addr_; }                                                         \
  void SetCurBufSize(uint8_t curBufSize) { akPool_.used_ = curBufSize; }                                  \
  uint8_t GetCurBufSize() { return akPool_.used_; }

struct TBuffAddr {
  uint32_t dataLen = 0;
  uint32_t bufferAddr = 0;
  TBufHandle bufferHandle = nullptr;
  uint8_t logicPos = 0;
};

class TPipe {
 public:
  AK_API TPipe() { AkStart(AK_SITE); }
  AK_API ~TPipe() { akrt_pipe_destroy(true, AK_SITE); }
  TPipe(const TPipe&) = delete;
  TPipe& operator=(const TPipe&) = delete;

  AK_API void Init() { AkStart(AK_SITE); }
  AK_API void Destroy() { akrt_pipe_destroy(true, AK_SITE); }
  AK_API void DestroyWithoutPipeAll() { akrt_pipe_destroy(false, AK_SITE); }
  AK_API void Reset() { akrt_pipe_reset(AK_SITE); }

  template <class T>
  AK_API bool InitBuffer(T& que, uint8_t num, uint32_t len) {
    akc::InitQueue(que, -1, num, len, AK_SITE);
    return true;
  }
  template <TPosition pos>
  AK_API bool InitBuffer(TBuf<pos>& buf, uint32_t len) {
    buf.AkSetId(akrt_init_buf(-1, akc::Pos(pos), len, AK_SITE));
    return true;
  }
  template <class T, class U, class V, class... Addrs>
  AK_API bool InitBuffer(T& que, const Std::tuple<U, V>& addr0, const Addrs&... addrs) {
    static_assert(akc::kQueueOrBuf<T>,
                  "Ascend C TPipe::InitBuffer: only a queue has buffers at given addresses; legal: InitBuffer(TQue, tuple(addr, len), ...)");
    if constexpr (akc::kQueueOrBuf<T>) {
      static_assert(T::kAkQueue, "Ascend C TPipe::InitBuffer: a TBuf has no buffers at given addresses; legal: InitBuffer(TBuf, len)");
      constexpr uint32_t kBuffers = 1 + sizeof...(Addrs);
      uint32_t pairs[2 * kBuffers] = {static_cast<uint32_t>(Std::get<0>(addr0)), static_cast<uint32_t>(Std::get<1>(addr0))};
      uint32_t at = 2;
      ((pairs[at] = static_cast<uint32_t>(Std::get<0>(addrs)), pairs[at + 1] = static_cast<uint32_t>(Std::get<1>(addrs)),
        at += 2),
       ...);
      que.AkSetId(akrt_init_queue_at(akc::Pos(T::kAkSrc), akc::Pos(T::kAkDst), akc::Pos(T::kAkUser), T::kAkDepth, kBuffers,
                                     pairs, AK_SITE));
    }
    return true;
  }
  template <class T>
  AK_API bool InitBufPool(T& pool, uint32_t len) {
    pool.AkSetId(akrt_init_pool(-1, T::kAkPosition, len, -1, T::kAkIds, AK_SITE));
    return true;
  }
  template <class T, class U>
  AK_API bool InitBufPool(T& pool, uint32_t len, U& share) {
    pool.AkSetId(akrt_init_pool(-1, T::kAkPosition, len, share.AkId(), T::kAkIds, AK_SITE));
    return true;
  }

  template <HardEvent event>
  AK_API TEventID AllocEventID() {
    return static_cast<TEventID>(akrt_alloc_event(static_cast<uint8_t>(event), AK_SITE));
  }
  template <HardEvent event>
  AK_API void ReleaseEventID(TEventID id) {
    akrt_release_event(static_cast<uint8_t>(event), id, AK_SITE);
  }
  template <HardEvent event>
  AK_API TEventID FetchEventID() {
    return static_cast<TEventID>(akrt_fetch_event(static_cast<uint8_t>(event), AK_SITE));
  }
  AK_API TEventID FetchEventID(HardEvent event) {
    return static_cast<TEventID>(akrt_fetch_event(static_cast<uint8_t>(event), AK_SITE));
  }

  // The tensor at a byte address of the memory behind `pos`, whoever owns it.
  template <TPosition pos, typename T>
  AK_API LocalTensor<T> GetAbsAddr(int32_t offset, int32_t size) const {
    return akc::Wrap<T>(AkAbsolute(pos, offset, static_cast<int64_t>(akc::Bytes<T>(static_cast<uint32_t>(size))), AK_SITE));
  }
  // Host address of byte 0 of the memory behind a position.
  uint8_t* GetBaseAddr(int8_t logicPos) const {
    return akrt_memory(static_cast<uint8_t>(akrt::space_of(static_cast<uint8_t>(logicPos))));
  }
  template <TPosition pos>
  TBuffAddr GetAbsAddr(int32_t offset, int32_t len) const {
    return {static_cast<uint32_t>(len), static_cast<uint32_t>(offset), nullptr, akc::Pos(pos)};
  }

  // A spill area in global memory. Lengths and offsets are whole blocks of 32 bytes; sizes count elements, offsets bytes.
  template <typename T>
  void InitSpmBuffer(const GlobalTensor<T>& workspace, const int32_t bufferSize) {
    spill_ = workspace.AkGlobal();
    spill_.bytes = static_cast<uint64_t>(bufferSize);
  }
  AK_API void InitSpmBuffer(const int32_t) { akrt_unsupported("TPipe::InitSpmBuffer(L1)", AK_SITE); }
  template <typename T>
  AK_API void WriteSpmBuffer(const LocalTensor<T>& writeBuffer, const DataCopyParams& copyParams, int32_t writeOffset = 0) {
    AkSpill(HardEvent::V_MTE3, AK_SITE);
    akrt_d_store("WriteSpmBuffer", AkSpilled<T>(writeOffset), writeBuffer.AkLocal(),
                 AkBlocks(copyParams, copyParams.dstStride, copyParams.srcStride), AK_SITE);
    AkSpill(HardEvent::MTE3_V, AK_SITE);
  }
  template <typename T>
  AK_API void WriteSpmBuffer(const LocalTensor<T>& writeBuffer, const int32_t writeSize, int32_t writeOffset = 0) {
    AkSpill(HardEvent::V_MTE3, AK_SITE);
    akrt_d_store("WriteSpmBuffer", AkSpilled<T>(writeOffset), writeBuffer.AkLocal(), AkWhole<T>(writeSize), AK_SITE);
    AkSpill(HardEvent::MTE3_V, AK_SITE);
  }
  // What was written is there: the copy waits for the one that spilled.
  template <typename T>
  AK_API void ReadSpmBuffer(const LocalTensor<T>& readBuffer, const DataCopyParams& copyParams, int32_t readOffset = 0) {
    AkSpill(HardEvent::MTE3_MTE2, AK_SITE);
    AkSpill(HardEvent::V_MTE2, AK_SITE);
    akrt_d_load("ReadSpmBuffer", readBuffer.AkLocal(), AkSpilled<T>(readOffset),
                AkBlocks(copyParams, copyParams.srcStride, copyParams.dstStride), AK_SITE);
    AkSpill(HardEvent::MTE2_V, AK_SITE);
  }
  template <typename T>
  AK_API void ReadSpmBuffer(const LocalTensor<T>& readBuffer, const int32_t readSize, int32_t readOffset = 0) {
    AkSpill(HardEvent::MTE3_MTE2, AK_SITE);
    AkSpill(HardEvent::V_MTE2, AK_SITE);
    akrt_d_load("ReadSpmBuffer", readBuffer.AkLocal(), AkSpilled<T>(readOffset), AkWhole<T>(readSize), AK_SITE);
    AkSpill(HardEvent::MTE2_V, AK_SITE);
  }

 private:
  void AkStart(akrt::Site site) {
    akrt_pipe_create(site);
    akrt_slot_set(kAkrtSlotPipe, this);
  }
  static akrt::Local AkAbsolute(TPosition pos, int32_t offset, int64_t bytes, akrt::Site site) {
    if (offset < 0 || bytes < 0)
      akrt_argument_error("illegal-argument", "TPipe::GetAbsAddr", "a negative offset or size",
                          "offset is in bytes from the start of the memory, size in elements", site);
    return {static_cast<uint32_t>(offset), static_cast<uint32_t>(bytes), akc::Pos(pos), akrt::DType::kUint8};
  }
  void AkSpill(HardEvent event, akrt::Site site) {
    const int32_t id = akrt_fetch_event(static_cast<uint8_t>(event), site);
    akrt_set_flag(static_cast<uint8_t>(event), id, site);
    akrt_wait_flag(static_cast<uint8_t>(event), id, site);
  }
  template <typename T>
  akrt::Global AkSpilled(int32_t offset) const {
    const auto at = static_cast<uint64_t>(offset);
    return {spill_.addr + at, spill_.bytes > at ? spill_.bytes - at : 0, akc::kDType<T>};
  }
  static akrt::Burst AkBlocks(const DataCopyParams& p, uint16_t globalGap, uint16_t localGap) {
    akrt::Burst b;
    b.count = p.blockCount;
    b.bytes = p.blockLen * 32u;
    b.global_gap = globalGap * 32ll;
    b.local_gap = localGap;
    return b;
  }
  template <typename T>
  static akrt::Burst AkWhole(int32_t elements) {
    akrt::Burst b;
    b.bytes = static_cast<uint32_t>(akc::Bytes<T>(static_cast<uint64_t>(elements)));
    return b;
  }

  akrt::Global spill_{0, 0, akrt::DType::kUint8};
};

inline TPipe* GetTPipePtr() { return static_cast<TPipe*>(akrt_slot_get(kAkrtSlotPipe)); }

// The rest of the memory behind `pos`, from the end of TPipe's allocations.
template <typename T, TPosition pos>
AK_API bool PopStackBuffer(LocalTensor<T>& buffer) {
  buffer = akc::Wrap<T>(akrt_pop_stack(akc::Pos(pos), AK_SITE));
  return true;
}

}  // namespace AscendC

// Programs name it without its namespace too.
using AscendC::GetTPipePtr;
