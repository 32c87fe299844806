#ifndef SIZES_H
#define SIZES_H

#include <cstdint>

namespace sizes {
constexpr uint32_t kLength = 64;
constexpr int kFactor = 4;
}  // namespace sizes

#endif
