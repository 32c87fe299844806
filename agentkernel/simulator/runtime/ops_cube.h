// What the instructions of the cube core share: fractals, their elements, and whether a call runs at all.
#pragma once
#include <cstdint>

#include "akrt/abi_cube.h"
#include "ops.h"

namespace akrt::cube {

inline constexpr uint32_t kFractal = 512;  // bytes
inline constexpr uint32_t kSide = 16;      // rows of a fractal

using ops::ceil_div;
using ops::round_up;
// Columns of a fractal in L0A and L1, elements of a row of 32 bytes.
constexpr uint32_t columns_of(DType t) { return 256 / ops::bits_of(t); }

// Whether the core has the cube's units. A vector core ignores their instructions; where no core of the launch has
// them, that is reported.
bool runs(Machine& m, const char* api, Site site);

// Reports a position that the call does not take; false then.
bool require_space(const char* api, Site site, const Local& tensor, std::initializer_list<Space> legal, const char* what);

// Reports a value outside of [least, most]; false then.
bool in_range(const char* api, Site site, const char* name, uint64_t value, uint64_t least, uint64_t most);

// Part of a tensor that starts `bytes` further on.
Local from(const Local& l, uint64_t bytes);
Global from(const Global& g, uint64_t bytes);

}  // namespace akrt::cube
