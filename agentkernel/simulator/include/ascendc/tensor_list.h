// A list of tensors in global memory: how kernels are given arguments of dynamic number.
//
// The block holds the byte offset of its pointers (64 bits), for every tensor its rank and a count of 1 (32 bits each) and
// its dimensions (64 bits each), and at that offset the addresses of the tensors.
#pragma once
#include "ascendc/system.h"

namespace AscendC {

// What ListTensorDesc::GetDesc tells of one tensor.
template <class T>
class TensorDesc {
 public:
  // Room for the dimensions, to be given before GetDesc writes them.
  void SetShapeAddr(uint64_t* shapePtr) { shape_ = shapePtr; }
  uint64_t GetDim() { return rank_; }
  uint64_t GetIndex() { return index_; }
  uint64_t GetShape(uint32_t offset) { return shape_[offset]; }
  T* GetDataPtr() { return data_; }
  GlobalTensor<T> GetDataObj() {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(data_);
    return tensor;
  }

 private:
  friend class ListTensorDesc;
  uint64_t rank_ = 0;
  uint64_t index_ = 0;
  uint64_t* shape_ = nullptr;
  T* data_ = nullptr;
};

class ListTensorDesc {
 public:
  ListTensorDesc() = default;
  AK_API ListTensorDesc(__gm__ void* data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff) {
    AkInit(data, length, shapeSize, AK_SITE);
  }
  AK_API void Init(__gm__ void* data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff) {
    AkInit(data, length, shapeSize, AK_SITE);
  }
  uint32_t GetSize() { return size_; }
  template <class T>
  AK_API T* GetDataPtr(uint32_t index) {
    return AkIndex("ListTensorDesc::GetDataPtr", index, AK_SITE) ? AkPointer<T>(index, AK_SITE) : nullptr;
  }
  template <class T>
  AK_API void GetDesc(TensorDesc<T>& desc, uint32_t index) {
    if (!AkIndex("ListTensorDesc::GetDesc", index, AK_SITE)) return;
    if (desc.shape_ == nullptr) {
      akrt_argument_error("illegal-argument", "ListTensorDesc::GetDesc", "the TensorDesc has no room for the shape",
                          "call TensorDesc::SetShapeAddr with an array of 64-bit numbers first", AK_SITE);
      return;
    }
    int64_t at = kFirst;
    for (uint32_t tensor = 0; tensor < index; ++tensor) at = AkNext(at, AK_SITE);
    desc.rank_ = AkRead(at, 4, AK_SITE);
    desc.index_ = index;
    for (uint64_t i = 0; i < desc.rank_; ++i) desc.shape_[i] = AkRead(at + 8 + static_cast<int64_t>(i) * 8, 8, AK_SITE);
    desc.data_ = AkPointer<T>(index, AK_SITE);
  }

 private:
  static constexpr int64_t kFirst = 8;  // the first tensor's rank

  // Scalar loads, as the chip's: bounds are checked, time is counted.
  uint64_t AkRead(int64_t offset, uint32_t bytes, akrt::Site site) const {
    return akrt_global_get({base_, 0, akrt::DType::kUint8}, offset, bytes, "ListTensorDesc", site);
  }
  int64_t AkNext(int64_t at, akrt::Site site) const { return at + 8 + static_cast<int64_t>(AkRead(at, 4, site)) * 8; }
  template <class T>
  T* AkPointer(uint32_t index, akrt::Site site) const {
    return reinterpret_cast<T*>(AkRead(pointers_ + static_cast<int64_t>(index) * 8, 8, site));
  }
  bool AkIndex(const char* api, uint32_t index, akrt::Site site) const {
    if (index < size_) return true;
    akrt_argument_error("illegal-argument", api, "an index that the list does not have",
                        "indices go from 0 to GetSize() - 1; call Init first", site);
    return false;
  }
  void AkInit(__gm__ void* data, uint32_t length, uint32_t shapeSize, akrt::Site site) {
    base_ = reinterpret_cast<uint64_t>(data);
    pointers_ = static_cast<int64_t>(AkRead(0, 8, site));
    size_ = 0;
    for (int64_t at = kFirst; at < pointers_ && at < length && size_ < shapeSize; at = AkNext(at, site)) ++size_;
  }

  uint64_t base_ = 0;
  int64_t pointers_ = 0;
  uint32_t size_ = 0;
};

}  // namespace AscendC
