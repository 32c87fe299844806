// What normalisations and their gradients share.
#pragma once
#include <vector>

#include "akrt/abi_norm.h"
#include "lib.h"

namespace akrt::lib {

// A tensor of half or float, read and written as floats.
struct View {
  uint32_t addr = 0;
  DType type = DType::kFloat32;
  bool there = false;

  View() = default;
  explicit View(const Local* t) {
    if (t != nullptr) addr = t->addr, type = t->dtype, there = true;
  }
  void get(const uint8_t* ub, size_t first, float* out, size_t n) const {
    load(out, ub + addr + first * dtype_bytes(type), n, type);
  }
  float at(const uint8_t* ub, size_t index) const {
    float value = 0;
    get(ub, index, &value, 1);
    return value;
  }
  void put(uint8_t* ub, size_t first, const float* in, size_t n, bool saturate) const {
    store(ub + addr + first * dtype_bytes(type), in, n, type, saturate);
  }
};

// Sum whose end beyond the largest power of two is added to its start; the rest is halved down to one repeat.
float folded_sum(std::vector<float>& x);

// Rows of whole blocks of which a part is used; false after a finding.
bool check_rows(const char* api, Site site, const LibShape& shape, uint32_t size);

// The elements of each row that take part, and the bytes behind them that a call leaves without defined values.
Access used_part(const Local& tensor, const LibShape& shape);
bool has_padding(const LibShape& shape);
Access padding(const Local& tensor, const LibShape& shape);

// A vector of `count` elements that a call reads or writes lies inside its tensor.
bool holds(const char* api, Site site, const Local* tensor, uint64_t count);

}  // namespace akrt::lib
