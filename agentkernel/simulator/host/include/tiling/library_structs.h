// Tiling structures of the libraries as classes with setters, from the lists of fields that the kernel's side has, too.
#pragma once
#include <cstddef>
#include <cstdint>

#include "graph/tensor.h"
#include "register/tilingdata_base.h"
#include "shared/library_scratch.h"
#include "shared/tiling_structs.h"

namespace optiling {

#define AK_FIELD(field) TILING_DATA_FIELD_DEF(uint32_t, field)
#define AK_CLASS(Name) BEGIN_TILING_DATA_DEF(Name) AK_TILING_FIELDS_##Name(AK_FIELD) END_TILING_DATA_DEF
AK_TILINGS(AK_CLASS)
#undef AK_CLASS
#undef AK_FIELD

}  // namespace optiling

namespace AscendC {

using TensorShape = ge::Shape;

}  // namespace AscendC

namespace akshared {

inline uint32_t dim(const ge::Shape& shape, size_t index) {
  return static_cast<uint32_t>(shape.GetDim(index));
}
inline uint32_t last_dim(const ge::Shape& shape) {
  return shape.GetDimNum() == 0 ? 0 : dim(shape, shape.GetDimNum() - 1);
}
// Rows of a shape: the product of all dimensions but the last.
inline uint32_t rows_of(const ge::Shape& shape) {
  uint32_t rows = 1;
  for (size_t i = 0; i + 1 < shape.GetDimNum(); ++i) rows *= dim(shape, i);
  return rows;
}

// [B, S, H], or [B, S, H in memory, H that is used].
struct Bsh {
  uint32_t b = 0, s = 0, h = 0, used = 0;
};
inline Bsh bsh_of(const ge::Shape& shape) {
  if (shape.GetDimNum() < 3) return {};
  const uint32_t h = dim(shape, 2);
  return {dim(shape, 0), dim(shape, 1), h, shape.GetDimNum() > 3 ? dim(shape, 3) : h};
}
inline Bsh bsh_of(const ge::Shape& shape, const ge::Shape& origin) {
  Bsh found = bsh_of(shape);
  if (origin.GetDimNum() >= 3) found.used = dim(origin, 2);
  return found;
}

inline void range(uint32_t least, uint32_t rows, uint32_t& most, uint32_t& minimum) {
  minimum = least;
  most = least * (rows == 0 ? 1 : rows);
}

// One structure into the other, or into the class of the same name.
#define AK_SET_FIELD(field) to.set_##field(from.field);
#define AK_KEEP(Name)                                                                        \
  inline void keep(AscendC::tiling::Name& to, const AscendC::tiling::Name& from) { to = from; } \
  inline void keep(optiling::Name& to, const AscendC::tiling::Name& from) {                  \
    AK_TILING_FIELDS_##Name(AK_SET_FIELD)                                                    \
  }
AK_TILINGS(AK_KEEP)
#undef AK_KEEP
#undef AK_SET_FIELD

inline AscendC::tiling::LayerNormTiling row_tiling(const Bsh& x, uint32_t scratch) {
  return {x.b, x.s, x.h, x.used, x.b * x.s * x.h, x.b * x.s, scratch};
}

}  // namespace akshared
