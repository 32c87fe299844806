// Host side of TopK, Pad, UnPad, DropOut and Transpose: scratch sizes in bytes, and the tiling structures of a shape.
#pragma once
#include <cstdint>

#include "tiling/library_structs.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {

enum class TopKMode { TOPK_NORMAL, TOPK_NSMALL };
enum class DataFormat : uint8_t { ND = 0, NZ, NCHW, NC1HWC0, NHWC, NCDHW, NDC1HWC0, FRACTAL_Z_3D };
struct TransDataConfig {
  DataFormat srcFormat;
  DataFormat dstFormat;
};

// ---- TopK, Pad, UnPad, DropOut, Transpose --------------------------------------------------------------------------
inline bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const int32_t inner, const int32_t outter,
                                 const bool, const bool isInitIndex, TopKMode, const bool, const uint32_t,
                                 uint32_t& maxValue, uint32_t& minValue) {
  akshared::range(akshared::topk_scratch(static_cast<uint32_t>(inner), isInitIndex), static_cast<uint32_t>(outter),
                  maxValue, minValue);
  return inner > 0 && outter > 0;
}
template <class Tiling>
bool TopKTilingFunc(const platform_ascendc::PlatformAscendC&, const int32_t inner, const int32_t outter,
                    const int32_t k, const uint32_t, const bool isInitIndex, TopKMode, const bool, Tiling& topKTiling) {
  akshared::keep(topKTiling, tiling::TopkTiling{akshared::topk_scratch(static_cast<uint32_t>(inner), isInitIndex),
                                                static_cast<uint32_t>(inner), static_cast<uint32_t>(outter),
                                                static_cast<uint32_t>(k)});
  return inner > 0 && outter > 0 && k > 0;
}
inline void GetPadMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                uint32_t& minValue) {
  akshared::range(akshared::pad_scratch(akshared::last_dim(srcShape), typeSize), akshared::rows_of(srcShape), maxValue,
                  minValue);
}
template <class Tiling>
void PadTilingFunc(const ge::Shape& srcShape, const ge::Shape& oriSrcShape, const uint32_t stackBufferSize,
                   const uint32_t, Tiling& tiling) {
  akshared::keep(tiling, tiling::PadTiling{akshared::rows_of(srcShape), akshared::last_dim(srcShape),
                                           akshared::last_dim(oriSrcShape), stackBufferSize});
}
inline void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape& srcShape,
                                  const uint32_t typeSize, uint32_t& maxValue, uint32_t& minValue) {
  GetPadMaxMinTmpSize(srcShape, typeSize, maxValue, minValue);
}
template <class Tiling>
void UnPadTilingFunc(const ge::Shape& srcShape, const uint32_t stackBufferSize, const uint32_t, Tiling& tiling) {
  akshared::keep(tiling,
                 tiling::UnPadTiling{akshared::rows_of(srcShape), akshared::last_dim(srcShape), stackBufferSize});
}
inline uint32_t GetDropOutMinTmpSize(const ge::Shape&, const uint32_t, const bool) {
  return akshared::kBlockBytes;
}
inline uint32_t GetDropOutMaxTmpSize(const ge::Shape& srcShape, const uint32_t, const bool) {
  return akshared::whole_blocks(2ull * akshared::last_dim(srcShape));
}
inline void GetDropOutMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                    uint32_t& maxValue, uint32_t& minValue) {
  maxValue = GetDropOutMaxTmpSize(srcShape, typeSize, isReuseSource);
  minValue = GetDropOutMinTmpSize(srcShape, typeSize, isReuseSource);
}
inline void GetConfusionTransposeMaxMinTmpSize(const ge::Shape&, const uint32_t, const uint32_t, uint32_t& maxValue,
                                               uint32_t& minValue) {
  maxValue = minValue = akshared::transpose_scratch();
}
inline void GetTransposeMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                                      const uint32_t transposeTypeIn, uint32_t& maxValue, uint32_t& minValue) {
  GetConfusionTransposeMaxMinTmpSize(srcShape, typeSize, transposeTypeIn, maxValue, minValue);
}
// The shape is [B, N, S, H / N], or [H, W] where only rows and columns change places.
template <class Tiling>
void GetConfusionTransposeTilingInfo(const ge::Shape& srcShape, const uint32_t stackBufferSize, const uint32_t,
                                     const uint32_t transposeTypeIn, Tiling& tiling) {
  uint32_t shape[4] = {0, 0, 0, 0};
  for (size_t i = 0; i < 4 && i < srcShape.GetDimNum(); ++i) shape[i] = akshared::dim(srcShape, i);
  akshared::keep(tiling, tiling::ConfusionTransposeTiling{shape[0], shape[1], shape[2], shape[3], transposeTypeIn,
                                                          stackBufferSize});
}
template <class Tiling>
void GetTransposeTilingInfo(const ge::Shape& srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                            const uint32_t transposeTypeIn, Tiling& tiling) {
  GetConfusionTransposeTilingInfo(srcShape, stackBufferSize, typeSize, transposeTypeIn, tiling);
}
template <class Tiling>
void GetConfusionTransposeOnlyTilingInfo(const ge::Shape& srcShape, const uint32_t stackBufferSize,
                                         const uint32_t typeSize, Tiling& tiling) {
  constexpr uint32_t kOnly = 7;  // TransposeType::TRANSPOSE_ND2ND_ONLY
  GetConfusionTransposeTilingInfo(srcShape, stackBufferSize, typeSize, kOnly, tiling);
}
// False where the pair of formats is none that TransData knows.
inline bool GetTransDataMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape&, const ge::Shape&,
                                      const ge::DataType, const TransDataConfig& config, uint32_t& maxValue,
                                      uint32_t& minValue) {
  maxValue = minValue = akshared::transpose_scratch();
  const DataFormat other = config.srcFormat == DataFormat::NCDHW ? config.dstFormat : config.srcFormat;
  return (config.srcFormat == DataFormat::NCDHW || config.dstFormat == DataFormat::NCDHW) &&
         (other == DataFormat::NDC1HWC0 || other == DataFormat::FRACTAL_Z_3D);
}

}  // namespace AscendC
