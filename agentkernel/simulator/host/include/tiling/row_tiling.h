// Host side of reductions, quantisations, selection and sorting: scratch sizes in bytes.
//
// Published are the sizes of Mean. The others are taken to keep a row of floats.
#pragma once
#include <algorithm>
#include <cstdint>

#include "tiling/element_tiling.h"
#include "tiling/library_structs.h"
#include "tiling/platform/platform_ascendc.h"

namespace akshared {

inline void float_row_range(const ge::Shape& shape, uint32_t rows, uint32_t& most, uint32_t& least) {
  range(float_rows(rows, std::max(1u, last_dim(shape))), rows_of(shape), most, least);
}

}  // namespace akshared

namespace AscendC {

using TensorDataType = ge::DataType;

enum class ReducePattern : uint32_t {
  AR = 0, RA = 1, R, ARA, ARAR, ARARA, ARARAR, ARARARA, ARARARAR, ARARARARA, RAR, RARA, RARAR, RARARA, RARARAR, RARARARA
};

// ---- reductions ----------------------------------------------------------------------------------------------------
inline void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t srcTypeSize, const uint32_t accTypeSize, const bool,
                                 uint32_t& maxValue, uint32_t& minValue) {
  maxValue = minValue = akshared::mean_scratch(n, srcTypeSize, accTypeSize);
}
// Three rows of half hold the widened one, and what is kept of its repeats.
inline void GetMeanTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  maxLiveNodeCount = typeSize == 2 ? 3 : 1;
  extraBuffer = 128;
}
inline void GetSumMaxMinTmpSize(const uint32_t n, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                uint32_t& minValue) {
  maxValue = minValue = akshared::mean_scratch(n, typeSize, typeSize);
}
// Documented: the two are equal.
#define AK_REDUCE(Name)                                                                                               \
  inline void Get##Name##MaxMinTmpSize(const ge::Shape& srcShape, const ge::DataType, ReducePattern, bool, bool,       \
                                       uint32_t& maxValue, uint32_t& minValue) {                                      \
    maxValue = minValue = akshared::float_rows(1, std::max(1u, akshared::last_dim(srcShape)));                         \
  }
AK_REDUCE(ReduceAll)
AK_REDUCE(ReduceAny)
AK_REDUCE(ReduceMax)
AK_REDUCE(ReduceMean)
AK_REDUCE(ReduceMin)
AK_REDUCE(ReduceProd)
AK_REDUCE(ReduceSum)
#undef AK_REDUCE
inline void GetCumSumMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t, const bool, const bool,
                                   uint32_t& maxValue, uint32_t& minValue) {
  akshared::float_row_range(srcShape, 2, maxValue, minValue);
}

// ---- quantisation --------------------------------------------------------------------------------------------------
inline void GetAscendQuantMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t, uint32_t& maxValue,
                                        uint32_t& minValue) {
  akshared::float_row_range(srcShape, 1, maxValue, minValue);
}
inline void GetAscendQuantTmpBufferFactorSize(uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
  maxLiveNodeCount = 2;
  extraBuf = akshared::kBlockBytes;
}
inline void GetAscendDequantMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t, uint32_t& maxValue,
                                          uint32_t& minValue) {
  akshared::float_row_range(srcShape, 1, maxValue, minValue);
}
inline void GetAscendDequantTmpBufferFactorSize(const ge::Shape&, uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
  maxLiveNodeCount = 1;
  extraBuf = akshared::kBlockBytes;
}
inline uint32_t GetAscendAntiQuantMinTmpSize(const ge::Shape& srcShape, const ge::Shape&, bool, ge::DataType,
                                             ge::DataType) {
  return akshared::float_rows(1, std::max(1u, akshared::last_dim(srcShape)));
}
inline uint32_t GetAscendAntiQuantMaxTmpSize(const ge::Shape& srcShape, const ge::Shape& scaleShape, bool isTranspose,
                                             ge::DataType inputDataType, ge::DataType outputDataType) {
  return GetAscendAntiQuantMinTmpSize(srcShape, scaleShape, isTranspose, inputDataType, outputDataType) *
         std::max(1u, akshared::rows_of(srcShape));
}
inline void GetAscendAntiQuantMaxMinTmpSize(const ge::Shape& srcShape, const ge::Shape& scaleShape, bool isTranspose,
                                            ge::DataType inputDataType, ge::DataType outputDataType, uint32_t& maxValue,
                                            uint32_t& minValue) {
  maxValue = GetAscendAntiQuantMaxTmpSize(srcShape, scaleShape, isTranspose, inputDataType, outputDataType);
  minValue = GetAscendAntiQuantMinTmpSize(srcShape, scaleShape, isTranspose, inputDataType, outputDataType);
}
// The sources are bytes.
inline void GetAscendAntiQuantTmpBufferFactorSize(const ge::Shape&, const ge::Shape&, bool, ge::DataType, ge::DataType,
                                                  uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
  maxLiveNodeCount = 4;
  extraBuf = akshared::kBlockBytes;
}

// ---- Broadcast, Select with a mask of bytes, Sort ------------------------------------------------------------------
// A block of every row.
inline void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape&,
                                      const ge::Shape& dstShape, uint32_t, const bool, uint32_t& maxValue,
                                      uint32_t& minValue) {
  minValue = akshared::kRepeatBytes;
  maxValue = std::max(minValue, akshared::rows_of(dstShape) * akshared::kBlockBytes);
}
// A row of the mask as half.
inline uint32_t GetSelectWithBytesMaskMinTmpSize(const ge::Shape&, const ge::Shape&, const uint32_t,
                                                 const ge::Shape& maskShape, const uint32_t, const bool) {
  return std::max(akshared::kRepeatBytes, akshared::whole_blocks(2ull * akshared::last_dim(maskShape)));
}
inline uint32_t GetSelectWithBytesMaskMaxTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape,
                                                 const uint32_t srcTypeSize, const ge::Shape& maskShape,
                                                 const uint32_t maskTypeSize, const bool isReuseMask) {
  return std::max(1u, akshared::rows_of(maskShape)) *
         GetSelectWithBytesMaskMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask);
}
inline void GetSelectWithBytesMaskMaxMinTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape,
                                                const uint32_t srcTypeSize, const ge::Shape& maskShape,
                                                const uint32_t maskTypeSize, const bool isReuseMask, uint32_t& maxValue,
                                                uint32_t& minValue) {
  minValue = GetSelectWithBytesMaskMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask);
  maxValue = GetSelectWithBytesMaskMaxTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask);
}
inline uint32_t GetSelectMinTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape, const uint32_t srcTypeSize,
                                    const ge::Shape& maskShape, const uint32_t maskTypeSize, const bool isReuseMask) {
  return GetSelectWithBytesMaskMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask);
}
inline uint32_t GetSelectMaxTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape, const uint32_t srcTypeSize,
                                    const ge::Shape& maskShape, const uint32_t maskTypeSize, const bool isReuseMask) {
  return GetSelectWithBytesMaskMaxTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask);
}
inline void GetSelectMaxMinTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape, const uint32_t srcTypeSize,
                                   const ge::Shape& maskShape, const uint32_t maskTypeSize, const bool isReuseMask,
                                   uint32_t& maxValue, uint32_t& minValue) {
  GetSelectWithBytesMaskMaxMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask, maxValue,
                                      minValue);
}
// Pairs of 8 bytes, whatever the type of the scores.
inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC&, const uint32_t elemCount, const uint32_t) {
  return akshared::whole_blocks(uint64_t{8} * elemCount);
}
inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform, const uint32_t elemCount,
                                 const uint32_t dataTypeSize) {
  return GetSortTmpSize(ascendcPlatform, elemCount, dataTypeSize);
}

}  // namespace AscendC
