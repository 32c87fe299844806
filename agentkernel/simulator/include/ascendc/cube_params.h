// Parameter structs and enumerations of the cube core. Like those of the vector side they have constructors.
#pragma once
#include "ascendc/params.h"

namespace AscendC {

enum class HF32Mode { DISABLE = 0, ENABLE = 1 };
enum class HF32TransMode { NEAREST_EVEN = 0, NEAREST_ZERO = 1 };
enum class FmatrixMode { FMATRIX_LEFT = 0, FMATRIX_RIGHT = 1 };

struct LoadData2DParams {
  uint16_t startIndex = 0;
  uint16_t dstGap = 0;
  uint16_t srcStride = 0;
  bool ifTranspose = 0;
  uint8_t repeatTimes = 0;
  uint8_t sid = 0;
  uint8_t addrMode = 0;
  LoadData2DParams() {}
  LoadData2DParams(const uint16_t start, const uint8_t repeat, const uint16_t stride, const uint8_t sidIn, const uint16_t gap,
                   const bool transpose, const uint8_t mode)
      : startIndex(start), dstGap(gap), srcStride(stride), ifTranspose(transpose), repeatTimes(repeat), sid(sidIn), addrMode(mode) {}
};

using LoadData2dParams = LoadData2DParams;

struct IsResetLoad3dConfig {
  bool isSetFMatrix = true;
  bool isSetPadding = true;
};
inline constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};

template <typename T>
struct LoadData3DParamsV2 {
  uint8_t padList[4] = {0, 0, 0, 0};
  uint16_t l1H = 0;
  uint16_t l1W = 0;
  uint16_t channelSize = 0;
  uint16_t kExtension = 0;
  uint16_t mExtension = 0;
  uint16_t kStartPt = 0;
  uint16_t mStartPt = 0;
  uint8_t strideW = 1;
  uint8_t strideH = 1;
  uint8_t filterW = 1;
  uint8_t filterH = 1;
  uint8_t dilationFilterW = 1;
  uint8_t dilationFilterH = 1;
  bool enTranspose = false;
  bool enSmallK = false;
  T padValue = 0;
  bool filterSizeW = false;
  bool filterSizeH = false;
  bool fMatrixCtrl = false;
  LoadData3DParamsV2() {}
  LoadData3DParamsV2(const uint8_t pads[4], const uint16_t height, const uint16_t width, const uint16_t channels,
                     const uint16_t kExtent, const uint16_t mExtent, const uint16_t kStart, const uint16_t mStart,
                     const uint8_t strideWidth, const uint8_t strideHeight, const uint8_t filterWidth, const uint8_t filterHeight,
                     const uint8_t dilationWidth, const uint8_t dilationHeight, const bool transpose, const bool smallK,
                     const T pad)
      : padList{pads[0], pads[1], pads[2], pads[3]}, l1H(height), l1W(width), channelSize(channels), kExtension(kExtent),
        mExtension(mExtent), kStartPt(kStart), mStartPt(mStart), strideW(strideWidth), strideH(strideHeight),
        filterW(filterWidth), filterH(filterHeight), dilationFilterW(dilationWidth), dilationFilterH(dilationHeight),
        enTranspose(transpose), enSmallK(smallK), padValue(pad) {}
};

// The same packed into registers; how they are packed is not documented.
struct LoadData3DParamsV2Pro {
  uint16_t channelSize = 0;
  bool enTranspose = false;
  bool enSmallK = false;
  bool filterSizeW = false;
  bool filterSizeH = false;
  bool fMatrixCtrl = false;
  uint64_t extConfig = 0;
  uint64_t filterConfig = 0x10101010101;
};

struct LoadDataRepeatParam {
  uint16_t repeatStride = 0;
  uint8_t repeatTime = 1;
  uint8_t repeatMode = 0;
  uint8_t reserved = 0;
  LoadDataRepeatParam() {}
  LoadDataRepeatParam(const uint16_t stride, const uint8_t time, const uint8_t mode)
      : repeatStride(stride), repeatTime(time), repeatMode(mode) {}
};

struct LoadData2dTransposeParams {
  uint16_t startIndex = 0;
  uint8_t repeatTimes = 0;
  uint16_t srcStride = 0;
  uint16_t dstGap = 0;
  uint16_t dstFracGap = 0;
  uint8_t addrMode = 0;
  LoadData2dTransposeParams() {}
  LoadData2dTransposeParams(const uint16_t start, const uint8_t repeat, const uint16_t stride, const uint16_t gap,
                            const uint16_t fracGap, const uint8_t mode)
      : startIndex(start), repeatTimes(repeat), srcStride(stride), dstGap(gap), dstFracGap(fracGap), addrMode(mode) {}
  LoadData2dTransposeParams(const uint16_t start, const uint8_t repeat, const uint16_t stride, const uint16_t gap,
                            const uint16_t fracGap)
      : startIndex(start), repeatTimes(repeat), srcStride(stride), dstGap(gap), dstFracGap(fracGap) {}
};

struct MmadParams {
  uint16_t m = 0;
  uint16_t n = 0;
  uint16_t k = 0;
  bool isBias = false;
  int32_t fmOffset = 0;
  bool enSsparse = false;
  bool enWinogradA = false;
  bool enWinogradB = false;
  uint8_t unitFlag = 0;
  bool kDirectionAlign = false;
  bool cmatrixSource = false;
  bool cmatrixInitVal = true;
  MmadParams() {}
  MmadParams(const uint16_t mSize, const uint16_t nSize, const uint16_t kSize, const bool bias, const int32_t offset,
             const bool sparse, const bool winogradA, const bool winogradB)
      : m(mSize), n(nSize), k(kSize), isBias(bias), fmOffset(offset), enSsparse(sparse), enWinogradA(winogradA),
        enWinogradB(winogradB) {}
  MmadParams(const uint16_t mSize, const uint16_t nSize, const uint16_t kSize, const uint8_t flag, const bool source,
             const bool initVal)
      : m(mSize), n(nSize), k(kSize), unitFlag(flag), cmatrixSource(source), cmatrixInitVal(initVal) {}
};

template <typename T>
struct InitConstValueParams {
  uint16_t repeatTimes = 0;
  uint16_t blockNum = 0;
  uint16_t dstGap = 0;
  T initValue = 0;
  InitConstValueParams() {}
  InitConstValueParams(const uint16_t repeat, const uint16_t blocks, const uint16_t gap, const T value)
      : repeatTimes(repeat), blockNum(blocks), dstGap(gap), initValue(value) {}
  InitConstValueParams(const uint16_t repeat, const T value) : repeatTimes(repeat), initValue(value) {}
};

struct FixpipeConfig {
  CO2Layout format;
};
inline constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
inline constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};

struct FixpipeParamsV220 {
  uint16_t nSize = 0;
  uint16_t mSize = 0;
  uint16_t srcStride = 0;
  uint32_t dstStride = 0;
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  uint64_t deqScalar = 0;
  uint16_t ndNum = 1;
  uint16_t srcNdStride = 0;
  uint16_t dstNdStride = 0;
  bool reluEn = false;
  uint8_t unitFlag = 0;
  bool isChannelSplit = false;
  FixpipeParamsV220() {}
  FixpipeParamsV220(const uint16_t n, const uint16_t m, const uint16_t src, const uint32_t dst, const bool relu)
      : nSize(n), mSize(m), srcStride(src), dstStride(dst), reluEn(relu) {}
  FixpipeParamsV220(const uint16_t n, const uint16_t m, const uint16_t src, const uint32_t dst, const bool relu,
                    const QuantMode_t quant, const int64_t scalar, const uint16_t num, const uint16_t srcNd, const uint16_t dstNd)
      : nSize(n), mSize(m), srcStride(src), dstStride(dst), quantPre(quant), deqScalar(static_cast<uint64_t>(scalar)), ndNum(num),
        srcNdStride(srcNd), dstNdStride(dstNd), reluEn(relu) {}
};

}  // namespace AscendC
