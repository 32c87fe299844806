// Host side of the vector libraries: scratch sizes, and the tiling structures of a shape.
//
// Plain inline functions of C++17, for the host's tiling headers. `Dims` is any shape with GetDimNum() and GetDim(i);
// `Tiling` is a structure of tiling_structs.h, or a class with a setter set_<field> for each of its fields. Maxima are the
// minimum for every row at once: more is of no use.
#pragma once
#include <cstddef>

#include "shared/library_scratch.h"
#include "shared/tiling_structs.h"

namespace akshared {

template <class Dims>
uint32_t dim(const Dims& shape, size_t index) {
  return static_cast<uint32_t>(shape.GetDim(index));
}
template <class Dims>
uint32_t last_dim(const Dims& shape) {
  return shape.GetDimNum() == 0 ? 0 : dim(shape, shape.GetDimNum() - 1);
}
// Rows of a shape: the product of all dimensions but the last.
template <class Dims>
uint32_t rows_of(const Dims& shape) {
  uint32_t rows = 1;
  for (size_t i = 0; i + 1 < shape.GetDimNum(); ++i) rows *= dim(shape, i);
  return rows;
}

// [B, S, H], or [B, S, H in memory, H that is used].
struct Bsh {
  uint32_t b = 0, s = 0, h = 0, used = 0;
};
template <class Dims>
Bsh bsh_of(const Dims& shape) {
  if (shape.GetDimNum() < 3) return {};
  const uint32_t h = dim(shape, 2);
  return {dim(shape, 0), dim(shape, 1), h, shape.GetDimNum() > 3 ? dim(shape, 3) : h};
}
template <class Dims, class Origin>
Bsh bsh_of(const Dims& shape, const Origin& origin) {
  Bsh found = bsh_of(shape);
  if (origin.GetDimNum() >= 3) found.used = dim(origin, 2);
  return found;
}

inline void range(uint32_t least, uint32_t rows, uint32_t& most, uint32_t& minimum) {
  minimum = least;
  most = least * (rows == 0 ? 1 : rows);
}

#define AK_SET_FIELD(field) to.set_##field(from.field);
#define AK_KEEP(Name)                                                                        \
  inline void keep(AscendC::tiling::Name& to, const AscendC::tiling::Name& from) { to = from; } \
  template <class Tiling>                                                                    \
  void keep(Tiling& to, const AscendC::tiling::Name& from) {                                 \
    AK_TILING_FIELDS_##Name(AK_SET_FIELD)                                                    \
  }
AK_TILINGS(AK_KEEP)
#undef AK_KEEP
#undef AK_SET_FIELD

inline AscendC::tiling::LayerNormTiling row_tiling(const Bsh& x, uint32_t scratch) {
  return {x.b, x.s, x.h, x.used, x.b * x.s * x.h, x.b * x.s, scratch};
}

}  // namespace akshared

namespace AscendC {

// ---- LayerNorm, DeepNorm, RmsNorm, Normalize -----------------------------------------------------------------------
template <class Dims>
void GetLayerNormMaxMinTmpSize(const Dims& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                               uint32_t& minValue) {
  const akshared::Bsh x = akshared::bsh_of(srcShape);
  akshared::range(akshared::norm_row_scratch(x.h, typeSize), x.b * x.s, maxValue, minValue);
}
// The [A, R] form.
template <class Dims>
void GetLayerNormMaxMinTmpSize(const Dims& srcShape, const uint32_t typeSize, const bool, const bool, const bool,
                               uint32_t& maxValue, uint32_t& minValue) {
  const uint32_t columns = akshared::whole_blocks(uint64_t{akshared::last_dim(srcShape)} * typeSize) / typeSize;
  akshared::range(akshared::norm_row_scratch(columns, typeSize), akshared::rows_of(srcShape), maxValue, minValue);
}
template <class Dims, class Tiling>
void GetLayerNormNDTilingInfo(const Dims& srcShape, const uint32_t stackBufferSize, const uint32_t, const bool,
                              Tiling& tiling) {
  akshared::keep(tiling, akshared::row_tiling(akshared::bsh_of(srcShape), stackBufferSize));
}
template <class Dims, class Tiling>
void GetLayerNormNDTillingInfo(const Dims& srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                               const bool isReuseSource, Tiling& tilling) {
  GetLayerNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, tilling);
}
template <class Dims, class Tiling>
void GetLayerNormNDTilingInfo(const Dims& srcShape, const uint32_t stackBufferSize, const uint32_t typeSize, const bool,
                              const bool, Tiling& tiling) {
  const uint32_t used = akshared::last_dim(srcShape);
  const uint32_t columns = akshared::whole_blocks(uint64_t{used} * typeSize) / typeSize;
  akshared::keep(tiling, tiling::LayerNormSeparateTiling{akshared::rows_of(srcShape), used, columns, stackBufferSize});
}
template <class Dims>
void GetNormalizeMaxMinTmpSize(const Dims& srcShape, const uint32_t, const uint32_t typeSizeT, const bool, const bool,
                               const bool, uint32_t& maxValue, uint32_t& minValue) {
  const uint32_t columns = akshared::whole_blocks(uint64_t{akshared::last_dim(srcShape)} * typeSizeT) / typeSizeT;
  akshared::range(akshared::norm_row_scratch(columns, typeSizeT), akshared::rows_of(srcShape), maxValue, minValue);
}
template <class Dims>
bool GetDeepNormMaxMinTmpSize(const Dims& srcShape, const uint32_t typeSize, const bool isReuseSource, const bool,
                              uint32_t& maxValue, uint32_t& minValue) {
  GetLayerNormMaxMinTmpSize(srcShape, typeSize, isReuseSource, maxValue, minValue);
  return akshared::bsh_of(srcShape).h <= 2040;
}
template <class Dims, class Origin, class Tiling>
bool GetDeepNormTilingInfo(const Dims& srcShape, const Origin& originSrcShape, const uint32_t stackBufferSize,
                           const uint32_t typeSize, const bool, const bool, Tiling& tiling) {
  const akshared::Bsh x = akshared::bsh_of(srcShape, originSrcShape);
  const tiling::LayerNormTiling rows = akshared::row_tiling(x, stackBufferSize);
  akshared::keep(tiling, tiling::DeepNormTiling{rows.bLength, rows.sLength, rows.hLength, rows.originalHLength,
                                                rows.inputXSize, rows.meanVarSize, rows.tmpBufSize});
  return x.h <= 2040 && stackBufferSize >= akshared::norm_row_scratch(x.h, typeSize);
}
template <class Dims>
bool GetRmsNormMaxMinTmpSize(const Dims& srcShape, const uint32_t typeSize, uint32_t& maxValue, uint32_t& minValue,
                             const bool = false) {
  GetLayerNormMaxMinTmpSize(srcShape, typeSize, false, maxValue, minValue);
  return true;
}
template <class Dims, class Origin, class Tiling>
bool GetRmsNormTilingInfo(const Dims& srcShape, const Origin& originSrcShape, const uint32_t stackBufferByteSize,
                          const uint32_t typeSize, Tiling& tiling, const bool = false) {
  const akshared::Bsh x = akshared::bsh_of(srcShape, originSrcShape);
  akshared::keep(tiling, tiling::RmsNormTiling{x.b, x.s, x.h, x.used, x.b * x.s * x.h, stackBufferByteSize});
  return stackBufferByteSize >= akshared::norm_row_scratch(x.h, typeSize);
}

// ---- gradients, BatchNorm, GroupNorm, Welford ----------------------------------------------------------------------
template <class Dims>
void GetLayerNormGradMaxMinTmpSize(const Dims& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                   uint32_t& minValue) {
  const akshared::Bsh x = akshared::bsh_of(srcShape);
  akshared::range(akshared::norm_grad_scratch(x.h, typeSize), x.b * x.s, maxValue, minValue);
}
template <class Dims, class Tiling>
void GetLayerNormGradNDTilingInfo(const Dims& srcShape, const uint32_t stackBufferSize, const uint32_t, const bool,
                                  Tiling& tiling) {
  const akshared::Bsh x = akshared::bsh_of(srcShape);
  akshared::keep(tiling, tiling::LayerNormGradTiling{x.b, x.s, x.h, x.used, stackBufferSize});
}
template <class Dims>
void GetLayerNormGradBetaMaxMinTmpSize(const Dims& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                       uint32_t& minValue) {
  const akshared::Bsh x = akshared::bsh_of(srcShape);
  akshared::range(akshared::norm_grad_beta_scratch(x.h, typeSize), x.b * x.s, maxValue, minValue);
}
template <class Dims, class Tiling>
void GetLayerNormGradBetaNDTilingInfo(const Dims& srcShape, const uint32_t stackBufferSize, const uint32_t, const bool,
                                      Tiling& tiling) {
  const akshared::Bsh x = akshared::bsh_of(srcShape);
  akshared::keep(tiling, tiling::LayerNormGradBetaTiling{x.b, x.s, x.h, x.used, stackBufferSize});
}
template <class Dims, class Origin>
bool GetBatchNormMaxMinTmpSize(const Dims& srcShape, const Origin&, const uint32_t typeSize, const bool,
                               uint32_t& maxValue, uint32_t& minValue, const bool = false) {
  const akshared::Bsh x = akshared::bsh_of(srcShape);
  akshared::range(akshared::batch_norm_scratch(x.s * x.h, typeSize), x.b, maxValue, minValue);
  return true;
}
template <class Dims, class Origin, class Tiling>
bool GetBatchNormNDTilingInfo(const Dims& srcShape, const Origin& originSrcShape, const uint32_t stackBufferByteSize,
                              const uint32_t typeSize, const bool, Tiling& tilling, const bool = false) {
  const akshared::Bsh x = akshared::bsh_of(srcShape);
  const uint32_t batches = originSrcShape.GetDimNum() == 0 ? x.b : akshared::dim(originSrcShape, 0);
  akshared::keep(tilling, tiling::BatchNormTiling{batches, x.s * x.h, stackBufferByteSize});
  return stackBufferByteSize >= akshared::batch_norm_scratch(x.s * x.h, typeSize);
}
template <class Dims>
void GetGroupNormMaxMinTmpSize(const Dims& srcShape, const uint32_t typeSize, const bool, const uint32_t groupNum,
                               uint32_t& maxValue, uint32_t& minValue) {
  const bool whole = srcShape.GetDimNum() >= 4 && groupNum != 0;
  const uint32_t row = whole ? akshared::dim(srcShape, 1) / groupNum * akshared::dim(srcShape, 2) * akshared::dim(srcShape, 3) : 0;
  akshared::range(akshared::norm_row_scratch(row, typeSize), whole ? akshared::dim(srcShape, 0) * groupNum : 1, maxValue,
                  minValue);
}
template <class Dims, class Tiling>
void GetGroupNormNDTilingInfo(const Dims& srcShape, const uint32_t stackBufferSize, const uint32_t, const bool,
                              const uint32_t groupNum, Tiling& tiling) {
  tiling::GroupNormTiling made{};
  if (srcShape.GetDimNum() >= 4 && groupNum != 0) {
    const uint32_t channels = akshared::dim(srcShape, 1);
    made = {akshared::dim(srcShape, 0), channels, akshared::dim(srcShape, 2) * akshared::dim(srcShape, 3), groupNum,
            channels / groupNum, stackBufferSize};
  }
  akshared::keep(tiling, made);
}
template <class Dims>
void GetWelfordUpdateMaxMinTmpSize(const Dims& srcShape, const uint32_t typeSizeT, const uint32_t, const bool, const bool,
                                   uint32_t& maxValue, uint32_t& minValue) {
  akshared::range(akshared::welford_update_scratch(akshared::last_dim(srcShape), typeSizeT), 1, maxValue, minValue);
}
template <class Dims>
void GetWelfordFinalizeMaxMinTmpSize(const Dims& srcShape, const uint32_t, const bool, uint32_t& maxValue,
                                     uint32_t& minValue) {
  akshared::range(akshared::welford_finalize_scratch(akshared::last_dim(srcShape)), 1, maxValue, minValue);
}

// ---- TopK, Pad, UnPad, DropOut, Transpose --------------------------------------------------------------------------
template <class Platform, class Mode>
bool GetTopKMaxMinTmpSize(const Platform&, const int32_t inner, const int32_t outter, const bool, const bool isInitIndex,
                          Mode, const bool, const uint32_t, uint32_t& maxValue, uint32_t& minValue) {
  akshared::range(akshared::topk_scratch(static_cast<uint32_t>(inner), isInitIndex), static_cast<uint32_t>(outter), maxValue,
                  minValue);
  return inner > 0 && outter > 0;
}
template <class Platform, class Mode, class Tiling>
bool TopKTilingFunc(const Platform&, const int32_t inner, const int32_t outter, const int32_t k, const uint32_t,
                    const bool isInitIndex, Mode, const bool, Tiling& topKTiling) {
  akshared::keep(topKTiling, tiling::TopkTiling{akshared::topk_scratch(static_cast<uint32_t>(inner), isInitIndex),
                                                static_cast<uint32_t>(inner), static_cast<uint32_t>(outter),
                                                static_cast<uint32_t>(k)});
  return inner > 0 && outter > 0 && k > 0;
}
template <class Dims>
void GetPadMaxMinTmpSize(const Dims& srcShape, const uint32_t typeSize, uint32_t& maxValue, uint32_t& minValue) {
  akshared::range(akshared::pad_scratch(akshared::last_dim(srcShape), typeSize), akshared::rows_of(srcShape), maxValue,
                  minValue);
}
template <class Dims, class Origin, class Tiling>
void PadTilingFunc(const Dims& srcShape, const Origin& oriSrcShape, const uint32_t stackBufferSize, const uint32_t,
                   Tiling& tiling) {
  akshared::keep(tiling, tiling::PadTiling{akshared::rows_of(srcShape), akshared::last_dim(srcShape),
                                           akshared::last_dim(oriSrcShape), stackBufferSize});
}
template <class Platform, class Dims>
void GetUnPadMaxMinTmpSize(const Platform&, const Dims& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                           uint32_t& minValue) {
  GetPadMaxMinTmpSize(srcShape, typeSize, maxValue, minValue);
}
template <class Dims, class Tiling>
void UnPadTilingFunc(const Dims& srcShape, const uint32_t stackBufferSize, const uint32_t, Tiling& tiling) {
  akshared::keep(tiling, tiling::UnPadTiling{akshared::rows_of(srcShape), akshared::last_dim(srcShape), stackBufferSize});
}
template <class Dims>
uint32_t GetDropOutMinTmpSize(const Dims&, const uint32_t, const bool) {
  return akshared::kBlockBytes;
}
template <class Dims>
uint32_t GetDropOutMaxTmpSize(const Dims& srcShape, const uint32_t, const bool) {
  return akshared::whole_blocks(2ull * akshared::last_dim(srcShape));
}
template <class Dims>
void GetDropOutMaxMinTmpSize(const Dims& srcShape, const uint32_t typeSize, const bool isReuseSource, uint32_t& maxValue,
                             uint32_t& minValue) {
  maxValue = GetDropOutMaxTmpSize(srcShape, typeSize, isReuseSource);
  minValue = GetDropOutMinTmpSize(srcShape, typeSize, isReuseSource);
}
template <class Dims>
void GetConfusionTransposeMaxMinTmpSize(const Dims&, const uint32_t, const uint32_t, uint32_t& maxValue,
                                        uint32_t& minValue) {
  maxValue = minValue = akshared::transpose_scratch();
}
template <class Dims>
void GetTransposeMaxMinTmpSize(const Dims& srcShape, const uint32_t typeSize, const uint32_t transposeTypeIn,
                               uint32_t& maxValue, uint32_t& minValue) {
  GetConfusionTransposeMaxMinTmpSize(srcShape, typeSize, transposeTypeIn, maxValue, minValue);
}
// The shape is [B, N, S, H / N], or [H, W] where only rows and columns change places.
template <class Dims, class Tiling>
void GetConfusionTransposeTilingInfo(const Dims& srcShape, const uint32_t stackBufferSize, const uint32_t,
                                     const uint32_t transposeTypeIn, Tiling& tiling) {
  uint32_t shape[4] = {0, 0, 0, 0};
  for (size_t i = 0; i < 4 && i < srcShape.GetDimNum(); ++i) shape[i] = akshared::dim(srcShape, i);
  akshared::keep(tiling, tiling::ConfusionTransposeTiling{shape[0], shape[1], shape[2], shape[3], transposeTypeIn,
                                                          stackBufferSize});
}
template <class Dims, class Tiling>
void GetTransposeTilingInfo(const Dims& srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                            const uint32_t transposeTypeIn, Tiling& tiling) {
  GetConfusionTransposeTilingInfo(srcShape, stackBufferSize, typeSize, transposeTypeIn, tiling);
}
template <class Dims, class Tiling>
void GetConfusionTransposeOnlyTilingInfo(const Dims& srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                                         Tiling& tiling) {
  constexpr uint32_t kOnly = 7;  // TransposeType::TRANSPOSE_ND2ND_ONLY
  GetConfusionTransposeTilingInfo(srcShape, stackBufferSize, typeSize, kOnly, tiling);
}

}  // namespace AscendC
