// Gathers by byte offset and compaction by mask.
#pragma once
#include "ascendc/walk.h"

namespace AscendC {

#define AK_GATHER(MaskType)                                                                                            \
  template <typename T>                                                                                                \
  AK_API void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,     \
                     const uint32_t srcBaseAddr, MaskType, const uint8_t repeatTime, const uint16_t dstRepStride) {    \
    AK_CHECK_DTYPE(Gather, T);                                                                                         \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt::Walk walk = akc::Masked(mask, repeatTime, true);                                                             \
    walk.stride[0] = dstRepStride;                                                                                     \
    akrt_v_gather("Gather", dst.AkLocal(), src.AkLocal(), srcOffset.AkLocal(), srcBaseAddr, walk, AK_SITE);            \
  }
AK_GATHER(const uint64_t mask)
AK_GATHER(const uint64_t mask[])
#undef AK_GATHER
template <typename T>
AK_API void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
                   const uint32_t srcBaseAddr, const uint32_t count) {
  AK_CHECK_DTYPE(Gather, T);
  AK_VECTOR_ONLY;
  akrt_v_gather("Gather", dst.AkLocal(), src.AkLocal(), srcOffset.AkLocal(), srcBaseAddr, akc::Count(count), AK_SITE);
}

template <typename T>
AK_API void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<uint32_t>& offset,
                    const uint8_t repeatTime, const GatherRepeatParams& repeatParams) {
  AK_CHECK_DTYPE(Gatherb, T);
  AK_VECTOR_ONLY;
  akrt::Walk walk;
  walk.form = akrt::Walk::kFirst;
  walk.repeat = repeatTime;
  walk.block[0] = repeatParams.dstBlkStride;
  walk.stride[0] = repeatParams.dstRepStride;
  akrt_v_gatherb("Gatherb", dst.AkLocal(), src0.AkLocal(), offset.AkLocal(), walk, AK_SITE);
}

namespace akc {
inline akrt::GatherMaskCall Compaction(bool counted, uint32_t mask, const GatherMaskParams& p, uint8_t pattern) {
  return {counted, mask, p.repeatTimes, p.src0BlockStride, p.src0RepeatStride, p.src1RepeatStride, pattern};
}
}  // namespace akc

template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
AK_API void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<U>& src1Pattern,
                       const bool reduceMode, const uint32_t mask, const GatherMaskParams& gatherMaskParams,
                       uint64_t& rsvdCnt) {
  AK_CHECK_PAIR(GatherMask, T, U);
  AK_VECTOR_ONLY;
  rsvdCnt = akrt_v_gather_mask("GatherMask", dst.AkLocal(), src0.AkLocal(), &src1Pattern.AkLocal(),
                               akc::Compaction(reduceMode, mask, gatherMaskParams, 0), AK_SITE);
}
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
AK_API void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const uint8_t src1Pattern,
                       const bool reduceMode, const uint32_t mask, const GatherMaskParams& gatherMaskParams,
                       uint64_t& rsvdCnt) {
  AK_CHECK_DTYPE(GatherMask, T);
  AK_VECTOR_ONLY;
  rsvdCnt = akrt_v_gather_mask("GatherMask", dst.AkLocal(), src0.AkLocal(), nullptr,
                               akc::Compaction(reduceMode, mask, gatherMaskParams, src1Pattern), AK_SITE);
}

// Blocks of src0 by byte offset, times weights, summed over hRepeat; vRepeat results.
#define AK_BILINEAR(MaskType)                                                                                          \
  template <typename T>                                                                                                \
  AK_API void BilinearInterpolation(const LocalTensor<T>& dst, const LocalTensor<T>& src0,                             \
                                    const LocalTensor<uint32_t>& src0Offset, const LocalTensor<T>& src1, MaskType,     \
                                    uint8_t hRepeat, bool repeatMode, uint16_t dstBlkStride, uint16_t vROffset,        \
                                    uint8_t vRepeat, const LocalTensor<uint8_t>& sharedTmpBuffer) {                    \
    static_assert(std::is_same_v<PrimT<T>, half>,                                                                      \
                  "Ascend C BilinearInterpolation: dtype is not supported on Ascend 910B; legal: half");               \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_bilinear({hRepeat, vRepeat, repeatMode, dstBlkStride, vROffset}, dst.AkLocal(), src0.AkLocal(),             \
                    src0Offset.AkLocal(), src1.AkLocal(), sharedTmpBuffer.AkLocal(), akc::Masked(mask, 1, true), AK_SITE); \
  }
AK_BILINEAR(uint64_t mask[])
AK_BILINEAR(uint64_t mask)
#undef AK_BILINEAR

}  // namespace AscendC
