// Tiling structure of the matrix library: plain data that the host fills and the kernel hands to a Matmul object.
//
// Both sides include this header, so both see the same bytes. All fields are int32_t, in this order.
#pragma once
#include <cstdint>

#define AK_TILING_FIELDS_TCubeTiling(F)                                                                          \
  F(usedCoreNum) F(M) F(N) F(Ka) F(Kb) F(singleCoreM) F(singleCoreN) F(singleCoreK) F(baseM) F(baseN) F(baseK)   \
  F(depthA1) F(depthB1) F(stepM) F(stepN) F(isBias) F(transLength) F(iterateOrder) F(shareMode) F(shareL1Size)   \
  F(shareL0CSize) F(shareUbSize) F(batchM) F(batchN) F(singleBatchM) F(singleBatchN) F(stepKa) F(stepKb)         \
  F(depthAL1CacheUB) F(depthBL1CacheUB) F(dbL0A) F(dbL0B) F(dbL0C) F(ALayoutInfoB) F(ALayoutInfoS)               \
  F(ALayoutInfoN) F(ALayoutInfoG) F(ALayoutInfoD) F(BLayoutInfoB) F(BLayoutInfoS) F(BLayoutInfoN)                \
  F(BLayoutInfoG) F(BLayoutInfoD) F(CLayoutInfoB) F(CLayoutInfoS1) F(CLayoutInfoN) F(CLayoutInfoG)               \
  F(CLayoutInfoS2) F(BatchNum) F(mxTypePara)

namespace AscendC::tiling {
struct TCubeTiling {
#define AK_FIELD(name) int32_t name = 0;
  AK_TILING_FIELDS_TCubeTiling(AK_FIELD)
#undef AK_FIELD
};
static_assert(sizeof(TCubeTiling) == 200);
}  // namespace AscendC::tiling
