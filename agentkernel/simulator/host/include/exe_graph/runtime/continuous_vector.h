// gert::ContinuousVector: a list attribute; its elements follow the header.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "exe_graph/runtime/base_type.h"

namespace gert {

class ContinuousVector {
 public:
  // A vector of `capacity` elements and size 0 in memory of its own.
  template <class T>
  static std::unique_ptr<uint8_t[]> Create(size_t capacity) {
    auto memory = std::make_unique<uint8_t[]>(sizeof(ContinuousVector) + capacity * sizeof(T));
    new (memory.get()) ContinuousVector(capacity);
    return memory;
  }
  ContinuousVector(const ContinuousVector&) = delete;
  ContinuousVector& operator=(const ContinuousVector&) = delete;

  size_t GetSize() const { return size_; }
  size_t GetCapacity() const { return capacity_; }
  ge::graphStatus SetSize(size_t size) {
    if (size > capacity_) return ge::GRAPH_PARAM_OUT_OF_RANGE;
    size_ = size;
    return ge::GRAPH_SUCCESS;
  }
  const void* GetData() const { return this + 1; }
  void* MutableData() { return this + 1; }

 private:
  explicit ContinuousVector(size_t capacity) : capacity_(capacity) {}
  size_t capacity_ = 0;
  size_t size_ = 0;
};

template <class T>
class TypedContinuousVector : private ContinuousVector {
 public:
  using ContinuousVector::GetCapacity;
  using ContinuousVector::GetSize;
  using ContinuousVector::SetSize;
  const T* GetData() const { return static_cast<const T*>(ContinuousVector::GetData()); }
  T* MutableData() { return static_cast<T*>(ContinuousVector::MutableData()); }
};

// A list of lists.
class ContinuousVectorVector {
 public:
  size_t GetSize() const { return size_; }
  const ContinuousVector* Get(size_t index) const {
    return index < size_ ? reinterpret_cast<const ContinuousVector*>(rows_[index]) : nullptr;
  }

  ContinuousVectorVector(const uint8_t* const* rows, size_t size) : rows_(rows), size_(size) {}

 private:
  const uint8_t* const* rows_;
  size_t size_;
};

}  // namespace gert
