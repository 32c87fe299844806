// gert::Shape: up to 25 dimensions in place.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "exe_graph/runtime/base_type.h"

namespace gert {

struct Shape {
  static constexpr size_t kMaxDimNum = 25;
  static constexpr int64_t kInvalidDimValue = std::numeric_limits<int64_t>::min();

  Shape() = default;
  // More dimensions than there is room for leave it without any.
  Shape(std::initializer_list<int64_t> dims) {
    if (dims.size() > kMaxDimNum) return;
    for (const int64_t dim : dims) dims_[dim_num_++] = dim;
  }

  bool operator==(const Shape& other) const {
    if (dim_num_ != other.dim_num_) return false;
    for (size_t i = 0; i < dim_num_; ++i)
      if (dims_[i] != other.dims_[i]) return false;
    return true;
  }
  bool operator!=(const Shape& other) const { return !(*this == other); }

  // Product of the dimensions: 1 for a scalar, kInvalidDimValue on overflow.
  int64_t GetShapeSize() const {
    int64_t size = 1;
    for (size_t i = 0; i < dim_num_; ++i)
      if (__builtin_mul_overflow(size, dims_[i], &size)) return kInvalidDimValue;
    return size;
  }
  bool IsScalar() const { return dim_num_ == 0; }
  void SetScalar() { dim_num_ = 0; }
  size_t GetDimNum() const { return dim_num_; }
  void SetDimNum(size_t count) { dim_num_ = count; }
  int64_t GetDim(size_t index) const { return index < kMaxDimNum ? dims_[index] : kInvalidDimValue; }
  const int64_t& operator[](size_t index) const { return dims_[index]; }
  int64_t& operator[](size_t index) { return dims_[index]; }
  void SetDim(size_t index, int64_t value) {
    if (index >= kMaxDimNum) return;
    dims_[index] = value;
    if (dim_num_ < index) dim_num_ = index;
  }
  Shape& AppendDim(int64_t value) {
    if (dim_num_ < kMaxDimNum) dims_[dim_num_++] = value;
    return *this;
  }

 private:
  size_t dim_num_ = 0;
  std::array<int64_t, kMaxDimNum> dims_{};
};

}  // namespace gert
