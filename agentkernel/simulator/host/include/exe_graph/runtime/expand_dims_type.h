// gert::ExpandDimsType: which dimensions were added to reach a format's rank; always none for ND tensors.
#pragma once
#include <cstdint>

namespace gert {

class ExpandDimsType {
 public:
  using AxisIndex = uint64_t;
  ExpandDimsType() = default;
  explicit ExpandDimsType(const int64_t& mask) : mask_(mask) {}
  bool operator==(const ExpandDimsType& other) const { return mask_ == other.mask_; }
  AxisIndex GetFullSize() const { return 0; }
  bool IsExpandIndex(AxisIndex) const { return false; }

 private:
  int64_t mask_ = 0;
};

}  // namespace gert
