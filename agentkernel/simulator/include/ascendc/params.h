// Parameter structs of vector and data-movement calls. They have constructors, so a brace list must name every value
// that the constructor takes; wider values narrow silently, as device programs rely on.
#pragma once
#include "ascendc/enums.h"

#ifndef K_MAX_SHAPE_DIM
#define K_MAX_SHAPE_DIM 8
#endif

namespace AscendC {

struct DataCopyParams {
  uint16_t blockCount = 1;
  uint16_t blockLen = 0;
  union {
    uint16_t srcGap = 0;
    uint16_t srcStride;
  };
  union {
    uint16_t dstGap = 0;
    uint16_t dstStride;
  };
  DataCopyParams() {}
  DataCopyParams(const uint16_t count, const uint16_t len, const uint16_t src, const uint16_t dst)
      : blockCount(count), blockLen(len), srcGap(src), dstGap(dst) {}
};

struct DataCopyExtParams {
  uint16_t blockCount = 1;
  uint32_t blockLen = 0;
  uint32_t srcStride = 0;
  uint32_t dstStride = 0;
  uint32_t rsv = 0;
  DataCopyExtParams() {}
  DataCopyExtParams(const uint16_t count, const uint32_t len, const uint32_t src, const uint32_t dst,
                    const uint32_t reserved)
      : blockCount(count), blockLen(len), srcStride(src), dstStride(dst), rsv(reserved) {}
};

struct DataCopyPadParams {
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  uint64_t paddingValue = 0;  // bits of the element
  DataCopyPadParams() {}
  DataCopyPadParams(const bool pad, const uint8_t left, const uint8_t right, const uint64_t value)
      : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};

template <typename T>
struct DataCopyPadExtParams {
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  T paddingValue = 0;
  DataCopyPadExtParams() {}
  DataCopyPadExtParams(const bool pad, const uint8_t left, const uint8_t right, T value)
      : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};

struct DataCopyEnhancedParams {
  BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
  DeqScale deqScale = DeqScale::DEQ_NONE;
  uint64_t deqValue = 0;
  uint8_t sidStoreMode = 0;
  bool isRelu = false;
  pad_t padMode = pad_t::PAD_NONE;
  uint64_t padValue = 0;
  uint64_t deqTensorAddr = 0;
  DataCopyEnhancedParams() {}
  DataCopyEnhancedParams(const BlockMode mode, const DeqScale scale, const uint64_t value, const uint8_t sid,
                         const bool relu, const pad_t pad, const uint64_t padBits)
      : blockMode(mode), deqScale(scale), deqValue(value), sidStoreMode(sid), isRelu(relu), padMode(pad),
        padValue(padBits) {}
};

struct DataCopyCO12DstParams {
  uint8_t sid = 0;
  uint16_t nSize = 0;
  uint16_t mSize = 0;
  uint32_t dstStride = 0;
  uint16_t srcStride = 0;
  uint8_t unitFlag = 0;
  uint8_t clipReluPre = 0;
  uint8_t eltWiseOp = 0;
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  uint8_t reluPre = 0;
  bool channelSplit = false;
  bool nz2ndEn = false;
  DataCopyCO12DstParams() {}
  DataCopyCO12DstParams(const uint16_t n, const uint16_t m, const uint32_t dst, const uint16_t src,
                        const QuantMode_t quant, const uint8_t relu, const bool split, const bool nz2nd)
      : nSize(n), mSize(m), dstStride(dst), srcStride(src), quantPre(quant), reluPre(relu), channelSplit(split),
        nz2ndEn(nz2nd) {}
};

struct Nd2NzParams {
  uint16_t ndNum = 0;
  uint16_t nValue = 0;
  uint16_t dValue = 0;
  uint16_t srcNdMatrixStride = 0;
  uint16_t srcDValue = 0;
  uint16_t dstNzC0Stride = 0;
  uint16_t dstNzNStride = 0;
  uint16_t dstNzMatrixStride = 0;
  Nd2NzParams() {}
  Nd2NzParams(const uint16_t num, const uint16_t n, const uint16_t d, const uint16_t srcMatrix, const uint16_t srcD,
              const uint16_t dstC0, const uint16_t dstN, const uint16_t dstMatrix)
      : ndNum(num), nValue(n), dValue(d), srcNdMatrixStride(srcMatrix), srcDValue(srcD), dstNzC0Stride(dstC0),
        dstNzNStride(dstN), dstNzMatrixStride(dstMatrix) {}
};

struct Nz2NdParamsFull {
  uint16_t ndNum = 1;
  uint16_t nValue = 0;
  uint16_t dValue = 0;
  uint16_t srcNdMatrixStride = 1;
  uint16_t srcNStride = 0;
  uint16_t dstDStride = 0;
  uint16_t dstNdMatrixStride = 1;
  Nz2NdParamsFull() {}
  Nz2NdParamsFull(const uint16_t num, const uint16_t n, const uint16_t d, const uint16_t srcMatrix,
                  const uint16_t srcN, const uint16_t dstD, const uint16_t dstMatrix)
      : ndNum(num), nValue(n), dValue(d), srcNdMatrixStride(srcMatrix), srcNStride(srcN), dstDStride(dstD),
        dstNdMatrixStride(dstMatrix) {}
};

struct SliceInfo {
  uint32_t startIndex = 0;
  uint32_t endIndex = ONE_BLK_SIZE - 1;
  uint32_t stride = 0;
  uint32_t burstLen = ONE_BLK_SIZE;
  uint32_t shapeValue = 0;
  SliceInfo() {}
  SliceInfo(const uint32_t start, const uint32_t end, const uint32_t gap, const uint32_t burst,
            const uint32_t shape = 0)
      : startIndex(start), endIndex(end), stride(gap), burstLen(burst), shapeValue(shape) {}
};

struct CopyRepeatParams {
  uint16_t dstStride = 0;
  uint16_t srcStride = 0;
  uint16_t dstRepeatSize = 8;
  uint16_t srcRepeatSize = 8;
  CopyRepeatParams() {}
  CopyRepeatParams(const uint16_t dst, const uint16_t src, const uint16_t dstRepeat, const uint16_t srcRepeat)
      : dstStride(dst), srcStride(src), dstRepeatSize(dstRepeat), srcRepeatSize(srcRepeat) {}
};

struct UnaryRepeatParams {
  uint32_t blockNumber = 8;
  uint16_t dstBlkStride = 1;
  uint16_t srcBlkStride = 1;
  uint8_t dstRepStride = 8;
  uint8_t srcRepStride = 8;
  bool repeatStrideMode = false;
  bool strideSizeMode = false;
  bool halfBlock = false;
  UnaryRepeatParams() {}
  UnaryRepeatParams(const uint16_t dstBlk, const uint16_t srcBlk, const uint8_t dstRep, const uint8_t srcRep)
      : dstBlkStride(dstBlk), srcBlkStride(srcBlk), dstRepStride(dstRep), srcRepStride(srcRep) {}
  UnaryRepeatParams(const uint16_t dstBlk, const uint16_t srcBlk, const uint8_t dstRep, const uint8_t srcRep,
                    const bool upperHalf)
      : dstBlkStride(dstBlk), srcBlkStride(srcBlk), dstRepStride(dstRep), srcRepStride(srcRep),
        halfBlock(upperHalf) {}
};

struct BinaryRepeatParams {
  uint32_t blockNumber = 8;
  uint8_t dstBlkStride = 1;
  uint8_t src0BlkStride = 1;
  uint8_t src1BlkStride = 1;
  uint8_t dstRepStride = 8;
  uint8_t src0RepStride = 8;
  uint8_t src1RepStride = 8;
  bool repeatStrideMode = false;
  bool strideSizeMode = false;
  BinaryRepeatParams() {}
  BinaryRepeatParams(const uint8_t dstBlk, const uint8_t src0Blk, const uint8_t src1Blk, const uint8_t dstRep,
                     const uint8_t src0Rep, const uint8_t src1Rep)
      : dstBlkStride(dstBlk), src0BlkStride(src0Blk), src1BlkStride(src1Blk), dstRepStride(dstRep),
        src0RepStride(src0Rep), src1RepStride(src1Rep) {}
};

struct GatherRepeatParams {
  uint32_t blockNumber = 8;
  uint16_t dstRepStride = 8;
  uint8_t dstBlkStride = 1;
  uint8_t src0BlkStride = 1;
  uint8_t src1BlkStride = 1;
  uint8_t src0RepStride = 8;
  uint8_t src1RepStride = 8;
  bool repeatStrideMode = false;
  bool strideSizeMode = false;
  GatherRepeatParams() {}
  GatherRepeatParams(const uint8_t dstBlk, const uint8_t dstRep) : dstRepStride(dstRep), dstBlkStride(dstBlk) {}
};

struct BrcbRepeatParams {
  uint32_t blockNumber = 8;
  uint16_t dstRepStride = 8;
  uint16_t dstBlkStride = 1;
  uint8_t src0BlkStride = 1;
  uint8_t src1BlkStride = 1;
  uint8_t src0RepStride = 8;
  uint8_t src1RepStride = 8;
  bool repeatStrideMode = false;
  bool strideSizeMode = false;
  BrcbRepeatParams() {}
  BrcbRepeatParams(const uint16_t dstBlk, const uint16_t dstRep) : dstRepStride(dstRep), dstBlkStride(dstBlk) {}
};

struct GatherMaskParams {
  uint8_t src0BlockStride = 1;
  uint16_t repeatTimes = 0;
  uint16_t src0RepeatStride = 8;
  uint8_t src1RepeatStride = 8;
  GatherMaskParams() {}
  GatherMaskParams(const uint8_t src0Block, const uint16_t repeat, const uint16_t src0Repeat,
                   const uint8_t src1Repeat)
      : src0BlockStride(src0Block), repeatTimes(repeat), src0RepeatStride(src0Repeat),
        src1RepeatStride(src1Repeat) {}
};

struct TransDataTo5HDParams {
  bool dstHighHalf = false;
  bool srcHighHalf = false;
  uint8_t repeatTimes = 1;
  uint16_t dstRepStride = 0;
  uint16_t srcRepStride = 0;
  constexpr TransDataTo5HDParams() {}
  constexpr TransDataTo5HDParams(const bool dstHigh, const bool srcHigh, const uint8_t repeat, const uint16_t dstRep,
                                 const uint16_t srcRep)
      : dstHighHalf(dstHigh), srcHighHalf(srcHigh), repeatTimes(repeat), dstRepStride(dstRep), srcRepStride(srcRep) {}
};

struct TransposeParamsExt {
  uint16_t nSize = 0;
  uint16_t cSize = 0;
  uint16_t hSize = 0;
  uint16_t wSize = 0;
  TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
  TransposeParamsExt() {}
  TransposeParamsExt(const uint16_t n, const uint16_t c, const uint16_t h, const uint16_t w, const TransposeType type)
      : nSize(n), cSize(c), hSize(h), wSize(w), transposeType(type) {}
};

struct MrgSort4Info {
  bool ifExhaustedSuspension = false;
  uint16_t validBit = 0;
  uint8_t repeatTimes = 1;
  uint16_t elementLengths[4] = {0, 0, 0, 0};
  MrgSort4Info() {}
  MrgSort4Info(const uint16_t lengths[4], const bool suspend, const uint16_t valid, const uint16_t repeat)
      : ifExhaustedSuspension(suspend), validBit(valid), repeatTimes(static_cast<uint8_t>(repeat)),
        elementLengths{lengths[0], lengths[1], lengths[2], lengths[3]} {}
};

struct VdeqInfo {
  float vdeqScale[16] = {};
  int16_t vdeqOffset[16] = {};
  bool vdeqSignMode[16] = {};
  VdeqInfo() {}
  VdeqInfo(const float scales[16], const int16_t offsets[16], const bool signs[16]) {
    for (int i = 0; i < 16; ++i) {
      vdeqScale[i] = scales[i];
      vdeqOffset[i] = offsets[i];
      vdeqSignMode[i] = signs[i];
    }
  }
};

// The last two arguments of ShapeInfo: `ShapeInfo(ASCENDC_SHAPE(2, 4, 8))` is dimension count and array.
#define ASCENDC_SHAPE(n, ...) n, (const uint32_t[]){__VA_ARGS__}

struct ShapeInfo {
  uint8_t shapeDim = 0;
  uint8_t originalShapeDim = 0;
  uint32_t shape[K_MAX_SHAPE_DIM] = {};
  uint32_t originalShape[K_MAX_SHAPE_DIM] = {};
  DataFormat dataFormat = DataFormat::ND;
  ShapeInfo() {}
  ShapeInfo(const uint8_t dim, const uint32_t dims[], const uint8_t originalDim, const uint32_t originals[],
            const DataFormat format = DataFormat::ND)
      : shapeDim(dim), originalShapeDim(originalDim), dataFormat(format) {
    for (int i = 0; i < dim && i < K_MAX_SHAPE_DIM; ++i) shape[i] = dims[i];
    for (int i = 0; i < originalDim && i < K_MAX_SHAPE_DIM; ++i) originalShape[i] = originals[i];
  }
  ShapeInfo(const uint8_t dim, const uint32_t dims[], const DataFormat format)
      : ShapeInfo(dim, dims, dim, dims, format) {}
  ShapeInfo(const uint8_t dim, const uint32_t dims[]) : ShapeInfo(dim, dims, dim, dims, DataFormat::ND) {}
};

// Elements of the shape.
inline int GetShapeSize(const ShapeInfo& shapeInfo) {
  int size = 1;
  for (int i = 0; i < shapeInfo.shapeDim; ++i) size *= static_cast<int>(shapeInfo.shape[i]);
  return size;
}

struct TQueConfig {
  bool nd2nz = false;
  bool nz2nd = false;
  bool scmBlockGroup = false;
  uint32_t bufferLen = 0;
  uint32_t bufferNumber = 0;
  uint32_t consumerSize = 0;
  TPosition consumer[8] = {};
  bool enableStaticEvtId = false;
  bool enableLoopQueue = false;
};

}  // namespace AscendC
