// Tiling structures of the vector libraries: plain data that the host fills and the kernel hands to a library call.
//
// Both sides include this header, so both see the same bytes. The real structures hold more fields, which say how the
// work is cut into pieces; values do not depend on them, and programs are told to pass the structures on as they are.
// The fields here are the shape that a call needs and the scratch that it was cut for.
//
// Each structure is a list of fields (all uint32_t): AK_TILING_FIELDS_<Name>(F) expands F(field) for each of them, so
// that a host-side class with setters can be made from the same list. Structures of tiling data fill up to 8 bytes.
#pragma once
#include <cstdint>

#define AK_TILING_FIELDS_SoftMaxTiling(F)                                                                    \
  F(srcM) F(srcK) F(srcSize) F(outMaxM) F(outMaxK) F(outMaxSize) F(splitM) F(splitK) F(splitSize) F(reduceM) \
  F(reduceK) F(reduceSize) F(rangeM) F(tailM) F(tailSplitSize) F(tailReduceSize)
#define AK_TILING_FIELDS_LogSoftMaxTiling(F) AK_TILING_FIELDS_SoftMaxTiling(F)
// Rows of hLength elements in memory, of which originalHLength take part.
#define AK_TILING_FIELDS_LayerNormTiling(F) \
  F(bLength) F(sLength) F(hLength) F(originalHLength) F(inputXSize) F(meanVarSize) F(tmpBufSize)
#define AK_TILING_FIELDS_LayerNormSeparateTiling(F) F(aLength) F(rLength) F(rLengthWithPadding) F(tmpBufSize)
#define AK_TILING_FIELDS_LayerNormGradTiling(F) F(bLength) F(sLength) F(hLength) F(originalHLength) F(stackBufferSize)
#define AK_TILING_FIELDS_LayerNormGradBetaTiling(F) AK_TILING_FIELDS_LayerNormGradTiling(F)
#define AK_TILING_FIELDS_DeepNormTiling(F) AK_TILING_FIELDS_LayerNormTiling(F)
#define AK_TILING_FIELDS_RmsNormTiling(F) F(bLength) F(sLength) F(hLength) F(originalHLength) F(inputXSize) F(tmpBufSize)
#define AK_TILING_FIELDS_BatchNormTiling(F) F(originalBLength) F(meanVarSize) F(tmpBufSize)
#define AK_TILING_FIELDS_GroupNormTiling(F) F(n) F(c) F(hw) F(g) F(d) F(tmpBufSize)
#define AK_TILING_FIELDS_TopkTiling(F) F(tmpLocalSize) F(inner) F(outter) F(k)
#define AK_TILING_FIELDS_PadTiling(F) F(srcHeight) F(srcWidth) F(srcOriWidth) F(tmpBufSize)
#define AK_TILING_FIELDS_UnPadTiling(F) F(srcHeight) F(srcWidth) F(tmpBufSize)
// shape0..3: [B, N, S, H / N], or [H, W] in the scene that only transposes.
#define AK_TILING_FIELDS_ConfusionTransposeTiling(F) F(shape0) F(shape1) F(shape2) F(shape3) F(transposeType) F(tmpBufSize)

#define AK_TILINGS(F)                                                                                              \
  F(SoftMaxTiling) F(LogSoftMaxTiling) F(LayerNormTiling) F(LayerNormSeparateTiling) F(LayerNormGradTiling)        \
  F(LayerNormGradBetaTiling) F(DeepNormTiling) F(RmsNormTiling) F(BatchNormTiling) F(GroupNormTiling) F(TopkTiling) \
  F(PadTiling) F(UnPadTiling) F(ConfusionTransposeTiling)

namespace AscendC::tiling {
#define AK_FIELD(name) uint32_t name = 0;
#define AK_STRUCT(Name)             \
  struct alignas(8) Name {          \
    AK_TILING_FIELDS_##Name(AK_FIELD) \
  };
AK_TILINGS(AK_STRUCT)
#undef AK_STRUCT
#undef AK_FIELD
}  // namespace AscendC::tiling
