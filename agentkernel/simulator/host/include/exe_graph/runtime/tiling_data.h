// gert::TilingData: the bytes that the kernel will read.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "exe_graph/runtime/base_type.h"

namespace gert {

class TilingData {
 public:
  TilingData(void* data, size_t capacity) : capacity_(capacity), data_(data) {}

  size_t GetCapacity() const { return capacity_; }
  size_t GetDataSize() const { return size_; }
  void SetDataSize(size_t size) { size_ = size; }
  void* GetData() { return data_; }
  const void* GetData() const { return data_; }
  template <class T>
  ge::graphStatus Append(const T& value) {
    return Append(&value, 1);
  }
  template <class T>
  ge::graphStatus Append(const T* values, size_t count) {
    const size_t bytes = sizeof(T) * count;
    if (size_ > capacity_ || bytes > capacity_ - size_) return ge::GRAPH_FAILED;
    std::memcpy(static_cast<uint8_t*>(data_) + size_, values, bytes);
    size_ += bytes;
    return ge::GRAPH_SUCCESS;
  }
  // Room for `bytes` behind what is there; null where there is not enough.
  void* Expand(size_t bytes) {
    if (size_ > capacity_ || bytes > capacity_ - size_) return nullptr;
    void* begin = static_cast<uint8_t*>(data_) + size_;
    size_ += bytes;
    return begin;
  }

 private:
  size_t capacity_;
  size_t size_ = 0;
  void* data_;
};

template <class T>
TilingData& operator<<(TilingData& data, const T& value) {
  data.Append(value);
  return data;
}

}  // namespace gert
