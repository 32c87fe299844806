// Host side of the normalisations: scratch sizes in bytes, and the tiling structures of a shape.
//
// A structure is one of AscendC::tiling, or the class of the same name in optiling. Maxima are the minimum for every row
// at once: more is of no use.
#pragma once
#include <cstdint>

#include "tiling/library_structs.h"

namespace AscendC {

// ---- LayerNorm, DeepNorm, RmsNorm, Normalize -----------------------------------------------------------------------
inline void GetLayerNormMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool,
                                      uint32_t& maxValue, uint32_t& minValue) {
  const akshared::Bsh x = akshared::bsh_of(srcShape);
  akshared::range(akshared::norm_row_scratch(x.h, typeSize), x.b * x.s, maxValue, minValue);
}
// The [A, R] form.
inline void GetLayerNormMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, const bool,
                                      const bool, uint32_t& maxValue, uint32_t& minValue) {
  const uint32_t columns = akshared::whole_blocks(uint64_t{akshared::last_dim(srcShape)} * typeSize) / typeSize;
  akshared::range(akshared::norm_row_scratch(columns, typeSize), akshared::rows_of(srcShape), maxValue, minValue);
}
template <class Tiling>
void GetLayerNormNDTilingInfo(const ge::Shape& srcShape, const uint32_t stackBufferSize, const uint32_t, const bool,
                              Tiling& tiling) {
  akshared::keep(tiling, akshared::row_tiling(akshared::bsh_of(srcShape), stackBufferSize));
}
template <class Tiling>
void GetLayerNormNDTillingInfo(const ge::Shape& srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                               const bool isReuseSource, Tiling& tilling) {
  GetLayerNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, tilling);
}
template <class Tiling>
void GetLayerNormNDTilingInfo(const ge::Shape& srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                              const bool, const bool, Tiling& tiling) {
  const uint32_t used = akshared::last_dim(srcShape);
  const uint32_t columns = akshared::whole_blocks(uint64_t{used} * typeSize) / typeSize;
  akshared::keep(tiling, tiling::LayerNormSeparateTiling{akshared::rows_of(srcShape), used, columns, stackBufferSize});
}
inline void GetNormalizeMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t, const uint32_t typeSizeT, const bool,
                                      const bool, const bool, uint32_t& maxValue, uint32_t& minValue) {
  const uint32_t columns = akshared::whole_blocks(uint64_t{akshared::last_dim(srcShape)} * typeSizeT) / typeSizeT;
  akshared::range(akshared::norm_row_scratch(columns, typeSizeT), akshared::rows_of(srcShape), maxValue, minValue);
}
inline bool GetDeepNormMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                     const bool, uint32_t& maxValue, uint32_t& minValue) {
  GetLayerNormMaxMinTmpSize(srcShape, typeSize, isReuseSource, maxValue, minValue);
  return akshared::bsh_of(srcShape).h <= 2040;
}
template <class Tiling>
bool GetDeepNormTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape, const uint32_t stackBufferSize,
                           const uint32_t typeSize, const bool, const bool, Tiling& tiling) {
  const akshared::Bsh x = akshared::bsh_of(srcShape, originSrcShape);
  const tiling::LayerNormTiling rows = akshared::row_tiling(x, stackBufferSize);
  akshared::keep(tiling, tiling::DeepNormTiling{rows.bLength, rows.sLength, rows.hLength, rows.originalHLength,
                                                rows.inputXSize, rows.meanVarSize, rows.tmpBufSize});
  return x.h <= 2040 && stackBufferSize >= akshared::norm_row_scratch(x.h, typeSize);
}
inline bool GetRmsNormMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                    uint32_t& minValue, const bool = false) {
  GetLayerNormMaxMinTmpSize(srcShape, typeSize, false, maxValue, minValue);
  return true;
}
template <class Tiling>
bool GetRmsNormTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                          const uint32_t stackBufferByteSize, const uint32_t typeSize, Tiling& tiling,
                          const bool = false) {
  const akshared::Bsh x = akshared::bsh_of(srcShape, originSrcShape);
  akshared::keep(tiling, tiling::RmsNormTiling{x.b, x.s, x.h, x.used, x.b * x.s * x.h, stackBufferByteSize});
  return stackBufferByteSize >= akshared::norm_row_scratch(x.h, typeSize);
}

// ---- gradients, BatchNorm, GroupNorm, Welford ----------------------------------------------------------------------
inline void GetLayerNormGradMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool,
                                          uint32_t& maxValue, uint32_t& minValue) {
  const akshared::Bsh x = akshared::bsh_of(srcShape);
  akshared::range(akshared::norm_grad_scratch(x.h, typeSize), x.b * x.s, maxValue, minValue);
}
template <class Tiling>
void GetLayerNormGradNDTilingInfo(const ge::Shape& srcShape, const uint32_t stackBufferSize, const uint32_t, const bool,
                                  Tiling& tiling) {
  const akshared::Bsh x = akshared::bsh_of(srcShape);
  akshared::keep(tiling, tiling::LayerNormGradTiling{x.b, x.s, x.h, x.used, stackBufferSize});
}
inline void GetLayerNormGradBetaMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool,
                                              uint32_t& maxValue, uint32_t& minValue) {
  const akshared::Bsh x = akshared::bsh_of(srcShape);
  akshared::range(akshared::norm_grad_beta_scratch(x.h, typeSize), x.b * x.s, maxValue, minValue);
}
template <class Tiling>
void GetLayerNormGradBetaNDTilingInfo(const ge::Shape& srcShape, const uint32_t stackBufferSize, const uint32_t,
                                      const bool, Tiling& tiling) {
  const akshared::Bsh x = akshared::bsh_of(srcShape);
  akshared::keep(tiling, tiling::LayerNormGradBetaTiling{x.b, x.s, x.h, x.used, stackBufferSize});
}
inline bool GetBatchNormMaxMinTmpSize(const ge::Shape& srcShape, const ge::Shape&, const uint32_t typeSize, const bool,
                                      uint32_t& maxValue, uint32_t& minValue, const bool = false) {
  const akshared::Bsh x = akshared::bsh_of(srcShape);
  akshared::range(akshared::batch_norm_scratch(x.s * x.h, typeSize), x.b, maxValue, minValue);
  return true;
}
template <class Tiling>
bool GetBatchNormNDTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                              const uint32_t stackBufferByteSize, const uint32_t typeSize, const bool, Tiling& tilling,
                              const bool = false) {
  const akshared::Bsh x = akshared::bsh_of(srcShape);
  const uint32_t batches = originSrcShape.GetDimNum() == 0 ? x.b : akshared::dim(originSrcShape, 0);
  akshared::keep(tilling, tiling::BatchNormTiling{batches, x.s * x.h, stackBufferByteSize});
  return stackBufferByteSize >= akshared::batch_norm_scratch(x.s * x.h, typeSize);
}
inline void GetGroupNormMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool,
                                      const uint32_t groupNum, uint32_t& maxValue, uint32_t& minValue) {
  const bool whole = srcShape.GetDimNum() >= 4 && groupNum != 0;
  const uint32_t plane = whole ? akshared::dim(srcShape, 2) * akshared::dim(srcShape, 3) : 0;
  const uint32_t row = whole ? akshared::dim(srcShape, 1) / groupNum * plane : 0;
  const uint32_t rows = whole ? akshared::dim(srcShape, 0) * groupNum : 1;
  akshared::range(akshared::norm_row_scratch(row, typeSize), rows, maxValue, minValue);
}
template <class Tiling>
void GetGroupNormNDTilingInfo(const ge::Shape& srcShape, const uint32_t stackBufferSize, const uint32_t, const bool,
                              const uint32_t groupNum, Tiling& tiling) {
  tiling::GroupNormTiling made{};
  if (srcShape.GetDimNum() >= 4 && groupNum != 0) {
    const uint32_t channels = akshared::dim(srcShape, 1);
    made = {akshared::dim(srcShape, 0), channels, akshared::dim(srcShape, 2) * akshared::dim(srcShape, 3), groupNum,
            channels / groupNum, stackBufferSize};
  }
  akshared::keep(tiling, made);
}
inline void GetWelfordUpdateMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSizeT, const uint32_t,
                                          const bool, const bool, uint32_t& maxValue, uint32_t& minValue) {
  akshared::range(akshared::welford_update_scratch(akshared::last_dim(srcShape), typeSizeT), 1, maxValue, minValue);
}
inline void GetWelfordFinalizeMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t, const bool, uint32_t& maxValue,
                                            uint32_t& minValue) {
  akshared::range(akshared::welford_finalize_scratch(akshared::last_dim(srcShape)), 1, maxValue, minValue);
}

}  // namespace AscendC
