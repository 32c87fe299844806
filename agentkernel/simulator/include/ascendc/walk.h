// From the arguments of a call to the runtime's description of its repeats, strides and mask.
#pragma once
#include "ascendc/tensor.h"

namespace AscendC::akc {

inline akrt::Walk Count(int64_t count, bool setMask = true) {
  akrt::Walk w;
  w.mask[0] = static_cast<uint64_t>(count);
  w.keep_mask = !setMask;
  return w;
}
inline akrt::Walk Masked(uint64_t mask, int32_t repeat, bool setMask) {
  akrt::Walk w;
  w.form = akrt::Walk::kFirst;
  w.keep_mask = !setMask;
  w.repeat = repeat;
  w.mask[0] = mask;
  return w;
}
inline akrt::Walk Masked(const uint64_t* mask, int32_t repeat, bool setMask) {
  akrt::Walk w;
  w.form = akrt::Walk::kBits;
  w.keep_mask = !setMask;
  w.repeat = repeat;
  if (setMask) {
    w.mask[0] = mask[0];
    w.mask[1] = mask[1];
  }
  return w;
}
// An int32_t mask as the hardware sees it: negative values are reported by the runtime as out of range.
inline akrt::Walk MaskedInt(int32_t mask, int32_t repeat, bool setMask) {
  return Masked(static_cast<uint64_t>(static_cast<int64_t>(mask)), repeat, setMask);
}
inline akrt::Walk MaskedInt(const uint64_t* mask, int32_t repeat, bool setMask) { return Masked(mask, repeat, setMask); }
inline akrt::Walk Strided(akrt::Walk w, const UnaryRepeatParams& p) {
  w.block[0] = p.dstBlkStride;
  w.block[1] = p.srcBlkStride;
  w.stride[0] = p.dstRepStride;
  w.stride[1] = p.srcRepStride;
  return w;
}
inline akrt::Walk Strided(akrt::Walk w, const BinaryRepeatParams& p) {
  w.block[0] = p.dstBlkStride;
  w.block[1] = p.src0BlkStride;
  w.block[2] = p.src1BlkStride;
  w.stride[0] = p.dstRepStride;
  w.stride[1] = p.src0RepStride;
  w.stride[2] = p.src1RepStride;
  return w;
}
inline akrt::Walk Strided(akrt::Walk w, int32_t dstRepeat, int32_t srcBlock, int32_t srcRepeat) {
  w.block[1] = srcBlock;
  w.stride[0] = dstRepeat;
  w.stride[1] = srcRepeat;
  return w;
}

}  // namespace AscendC::akc
