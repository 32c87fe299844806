// Sort32 and MrgSort: sorting structs of a score and an index.
#pragma once
#include "ascendc/walk.h"

namespace AscendC {

template <typename T>
struct MrgSortSrcList {
  MrgSortSrcList() {}
  MrgSortSrcList(const LocalTensor<T>& s1, const LocalTensor<T>& s2, const LocalTensor<T>& s3,
                 const LocalTensor<T>& s4)
      : src1(s1), src2(s2), src3(s3), src4(s4) {}
  LocalTensor<T> src1;
  LocalTensor<T> src2;
  LocalTensor<T> src3;
  LocalTensor<T> src4;
};

template <typename T>
AK_API void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<uint32_t>& src1,
                   const int32_t repeatTime) {
  AK_CHECK_DTYPE(Sort32, T);
  AK_VECTOR_ONLY;
  akrt_v_sort32("Sort32", dst.AkLocal(), src0.AkLocal(), src1.AkLocal(), repeatTime, AK_SITE);
}

namespace akc {
template <typename T>
void Merge(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src, const MrgSort4Info& info, akrt::Site site) {
  const akrt::Local sources[4] = {src.src1.AkLocal(), src.src2.AkLocal(), src.src3.AkLocal(), src.src4.AkLocal()};
  akrt::MergeCall call;
  for (int i = 0; i < 4; ++i) call.lengths[i] = info.elementLengths[i];
  call.valid = info.validBit;
  call.repeat = info.repeatTimes;
  call.suspend = info.ifExhaustedSuspension;
  akrt_v_merge_sort("MrgSort", dst.AkLocal(), sources, call, site);
}
}  // namespace akc

template <typename T>
AK_API void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src, const MrgSort4Info& params) {
  AK_CHECK_DTYPE(MrgSort, T);
  AK_VECTOR_ONLY;
  akc::Merge(dst, src, params, AK_SITE);
}
// With suspension the counts of what was merged come back, so the scalar program waits for the merge.
template <typename T, bool isExhaustedSuspension = false>
AK_API void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& sortList, const uint16_t elementCountList[4],
                    uint32_t sortedNum[4], uint16_t validBit, const int32_t repeatTime) {
  AK_CHECK_DTYPE(MrgSort, T);
  AK_VECTOR_ONLY;
  akc::Merge(dst, sortList,
             MrgSort4Info(elementCountList, isExhaustedSuspension, validBit, static_cast<uint16_t>(repeatTime)), AK_SITE);
  if constexpr (isExhaustedSuspension) {
    uint16_t counts[4];
    akrt_mrgsort_result(counts, AK_SITE);
    for (int i = 0; i < 4; ++i) sortedNum[i] = counts[i];
  }
}
AK_API inline void GetMrgSortResult(uint16_t& mrgSortList1, uint16_t& mrgSortList2, uint16_t& mrgSortList3,
                                    uint16_t& mrgSortList4) {
  AK_VECTOR_ONLY;
  uint16_t counts[4];
  akrt_mrgsort_result(counts, AK_SITE);
  mrgSortList1 = counts[0];
  mrgSortList2 = counts[1];
  mrgSortList3 = counts[2];
  mrgSortList4 = counts[3];
}

}  // namespace AscendC
