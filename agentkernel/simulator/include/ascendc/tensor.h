// LocalTensor and GlobalTensor: handles of bytes in a local memory or in global memory.
#pragma once
#include "akrt/abi_core.h"
#include "akrt/abi_vec.h"
#include "ascendc/dtype.h"
#include "ascendc/params.h"

namespace AscendC {

template <typename T>
class LocalTensor;

// What `a + b` and the like stand for until they are assigned to a tensor, whose size then is the element count.
enum class OverrideOp : uint8_t { kAdd, kSub, kMul, kDiv, kAnd, kOr };
template <typename T>
struct SymbolOverride {
  OverrideOp op;
  akrt::Local src0;
  akrt::Local src1;
};
template <typename T>
struct SymbolOverrideCompare {
  CMPMODE mode;
  akrt::Local src0;
  akrt::Local src1;
};

template <typename T>
class LocalTensor {
 public:
  using PrimType = PrimT<T>;

  LocalTensor() = default;
  AK_API LocalTensor(TPosition position, uint32_t address, uint32_t elements)
      : local_{address, static_cast<uint32_t>(akc::Bytes<T>(elements)), static_cast<uint8_t>(position),
               akc::kDType<T>} {}

  // Tensors of a TensorTrait: the trait has the position, the layout the size.
  template <typename U = T, typename = std::enable_if_t<is_tensorTrait_v<U>>>
  AK_API LocalTensor(uint32_t address)  // NOLINT: implicit by intent
      : LocalTensor(U::tPos, address, akc::SizeOfLayout(typename U::LiteLayoutType{})) {}
  template <typename L, typename U = T, typename = std::enable_if_t<is_tensorTrait_v<U>>>
  AK_API LocalTensor(uint32_t address, const L& layout) : LocalTensor(U::tPos, address, akc::SizeOfLayout(layout)) {}

  // Host address of the bytes, as a number: cast it to `__ubuf__ T*` with a C cast, as device programs do.
  uint64_t GetPhyAddr() const { return GetPhyAddr(0); }
  AK_API uint64_t GetPhyAddr(const uint32_t offset) const {
    const uint8_t* memory = akrt_memory(static_cast<uint8_t>(akrt::space_of(local_.position)));
    return reinterpret_cast<uint64_t>(memory) + local_.addr + akc::Bytes<T>(offset);
  }

  AK_API PrimType GetValue(const uint32_t index) const {
    return akc::FromRaw<PrimType>(
        akrt_local_get(local_, static_cast<int64_t>(akc::Bytes<T>(index)), sizeof(PrimType), "GetValue", AK_SITE));
  }
  AK_API PrimType& operator()(const uint32_t index) const {
    return *static_cast<PrimType*>(
        akrt_local_ref(local_, static_cast<int64_t>(akc::Bytes<T>(index)), sizeof(PrimType), AK_SITE));
  }
  template <typename S>
  AK_API void SetValue(const uint32_t index, const S value) const {
    akrt_local_set(local_, static_cast<int64_t>(akc::Bytes<T>(index)), sizeof(PrimType),
                   akc::Raw<PrimType>(static_cast<PrimType>(value)), "SetValue", AK_SITE);
  }

  // The tensor from element `offset` on.
  AK_API LocalTensor operator[](const uint32_t offset) const {
    const uint64_t bytes = akc::Bytes<T>(offset);
    if (bytes > local_.bytes || static_cast<uint64_t>(offset) * akc::kBits<T> % 8 != 0)
      akrt_bad_offset(local_, offset, akc::kBits<T>, AK_SITE);
    LocalTensor result = *this;
    result.local_.addr += static_cast<uint32_t>(bytes);
    result.local_.bytes = bytes > local_.bytes ? 0 : local_.bytes - static_cast<uint32_t>(bytes);
    return result;
  }

  template <typename U>
  LocalTensor<U> ReinterpretCast() const {
    LocalTensor<U> result;
    result.AkSet(local_);
    return result;
  }

  uint32_t GetSize() const { return static_cast<uint32_t>(local_.bytes * 8ull / akc::kBits<T>); }
  uint32_t GetLength() const { return local_.bytes; }
  void SetSize(const uint32_t elements) { local_.bytes = static_cast<uint32_t>(akc::Bytes<T>(elements)); }
  void SetBufferLen(uint32_t bytes) { local_.bytes = bytes; }
  int32_t GetPosition() const { return local_.position; }
  void SetUserTag(const int32_t tag) { tag_ = tag; }
  int32_t GetUserTag() const { return tag_; }
  void SetShapeInfo(const ShapeInfo& shape) { shape_ = shape; }
  ShapeInfo GetShapeInfo() const { return shape_; }
  template <typename S>
  void SetAddrWithOffset(LocalTensor<S>& src, uint32_t offset) {
    akrt::Local from = src.AkLocal();
    from.addr += static_cast<uint32_t>(akc::Bytes<T>(offset));
    AkSet(from);
  }

  AK_API void operator=(const SymbolOverride<T>& e);
  AK_API void operator=(const SymbolOverrideCompare<float>& e);
  AK_API void operator=(const SymbolOverrideCompare<half>& e);
  SymbolOverride<T> operator+(const LocalTensor& b) const { return {OverrideOp::kAdd, local_, b.local_}; }
  SymbolOverride<T> operator-(const LocalTensor& b) const { return {OverrideOp::kSub, local_, b.local_}; }
  SymbolOverride<T> operator*(const LocalTensor& b) const { return {OverrideOp::kMul, local_, b.local_}; }
  SymbolOverride<T> operator/(const LocalTensor& b) const { return {OverrideOp::kDiv, local_, b.local_}; }
  SymbolOverride<T> operator&(const LocalTensor& b) const { return {OverrideOp::kAnd, local_, b.local_}; }
  SymbolOverride<T> operator|(const LocalTensor& b) const { return {OverrideOp::kOr, local_, b.local_}; }
  SymbolOverrideCompare<T> operator<(const LocalTensor& b) const { return {CMPMODE::LT, local_, b.local_}; }
  SymbolOverrideCompare<T> operator>(const LocalTensor& b) const { return {CMPMODE::GT, local_, b.local_}; }
  SymbolOverrideCompare<T> operator==(const LocalTensor& b) const { return {CMPMODE::EQ, local_, b.local_}; }
  SymbolOverrideCompare<T> operator<=(const LocalTensor& b) const { return {CMPMODE::LE, local_, b.local_}; }
  SymbolOverrideCompare<T> operator>=(const LocalTensor& b) const { return {CMPMODE::GE, local_, b.local_}; }
  SymbolOverrideCompare<T> operator!=(const LocalTensor& b) const { return {CMPMODE::NE, local_, b.local_}; }

  // Not part of Ascend C: what the runtime sees.
  const akrt::Local& AkLocal() const { return local_; }
  void AkSet(const akrt::Local& local) {
    local_ = local;
    local_.dtype = akc::kDType<T>;
  }

 private:
  akrt::Local local_{0, 0, 0, akc::kDType<T>};
  int32_t tag_ = 0;
  ShapeInfo shape_;
};

template <typename T>
class GlobalTensor {
 public:
  using PrimType = PrimT<T>;

  GlobalTensor() = default;

  void SetGlobalBuffer(__gm__ PrimType* buffer) { SetGlobalBuffer(buffer, 0); }
  void SetGlobalBuffer(__gm__ PrimType* buffer, uint64_t elements) {
    address_ = buffer;
    elements_ = elements;
  }
  const __gm__ PrimType* GetPhyAddr() const { return address_; }
  __gm__ PrimType* GetPhyAddr(const uint64_t offset) const { return address_ + offset; }

  AK_API PrimType GetValue(const uint64_t offset) const {
    return akc::FromRaw<PrimType>(
        akrt_global_get(AkGlobal(), static_cast<int64_t>(akc::Bytes<T>(offset)), sizeof(PrimType), "GetValue", AK_SITE));
  }
  AK_API __gm__ PrimType& operator()(const uint64_t offset) const {
    return *static_cast<PrimType*>(
        akrt_global_ref(AkGlobal(), static_cast<int64_t>(akc::Bytes<T>(offset)), sizeof(PrimType), AK_SITE));
  }
  AK_API void SetValue(const uint64_t offset, PrimType value) {
    akrt_global_set(AkGlobal(), static_cast<int64_t>(akc::Bytes<T>(offset)), sizeof(PrimType), akc::Raw<PrimType>(value),
                    "SetValue", AK_SITE);
  }
  uint64_t GetSize() const { return elements_; }
  GlobalTensor operator[](const uint64_t offset) const {
    GlobalTensor result = *this;
    result.address_ = reinterpret_cast<PrimType*>(reinterpret_cast<uint64_t>(address_) + akc::Bytes<T>(offset));
    result.elements_ = offset < elements_ ? elements_ - offset : 0;
    return result;
  }
  void SetShapeInfo(const ShapeInfo& shape) { shape_ = shape; }
  ShapeInfo GetShapeInfo() const { return shape_; }
  template <CacheRwMode rw = CacheRwMode::RW>
  // Counts for the clock: an argument that is not kept leaves room in L2 for the others.
  void SetL2CacheHint(CacheMode mode) {
    if (mode == CacheMode::CACHE_MODE_DISABLE) akrt_bypass_l2(AkGlobal());
  }

  // Not part of Ascend C: what the runtime sees.
  akrt::Global AkGlobal() const {
    return {reinterpret_cast<uint64_t>(address_), akc::Bytes<T>(elements_), akc::kDType<T>};
  }

 private:
  PrimType* address_ = nullptr;
  uint64_t elements_ = 0;
  ShapeInfo shape_;
};

namespace akc {
template <typename T>
LocalTensor<T> Wrap(const akrt::Local& local) {
  LocalTensor<T> tensor;
  tensor.AkSet(local);
  return tensor;
}
}  // namespace akc

}  // namespace AscendC
