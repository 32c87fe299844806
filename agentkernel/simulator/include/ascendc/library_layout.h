// Vector libraries that choose, pad and rearrange: TopK, DropOut, Pad, UnPad, TransData, the layout scenes of Transpose.
#pragma once
#include "akrt/abi_layout.h"
#include "ascendc/library_quant.h"

namespace AscendC {

enum class TopKMode { TOPK_NORMAL, TOPK_NSMALL };
struct TopKInfo {
  int32_t outter = 1;
  int32_t inner;
  int32_t n;
};
struct DropOutShapeInfo {
  uint32_t firstAxis = 0;
  uint32_t srcLastAxis = 0;
  uint32_t maskLastAxis = 0;
  DropOutShapeInfo() {}
};
inline constexpr uint32_t DROPOUT_MODE_BYTE_MISALIGN = 1;
inline constexpr uint32_t DROPOUT_MODE_BYTE_ALIGN = 2;
inline constexpr uint32_t DROPOUT_MODE_BIT_ALIGN = 3;
inline constexpr uint32_t DROPOUT_MODE_BIT_MISALIGN = 4;
struct PadParams {
  uint16_t leftPad = 0;
  uint16_t rightPad = 0;
  int32_t padValue = 0;
};
struct UnPadParams {
  uint16_t leftPad = 0;
  uint16_t rightPad = 0;
};
struct TransDataConfig {
  DataFormat srcFormat;
  DataFormat dstFormat;
};
template <typename T, typename U>
struct TransDataParams {
  T srcLayout;
  U dstLayout;
};

#define AK_SHARED const LocalTensor<uint8_t>&sharedTmpBuffer,

#define AK_TOP_K(Tmp, ...)                                                                                             \
  template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,                   \
            enum TopKMode topkMode = TopKMode::TOPK_NORMAL>                                                            \
  AK_API void TopK(const LocalTensor<T>& dstValueLocal, const LocalTensor<int32_t>& dstIndexLocal,                     \
                   const LocalTensor<T>& srcLocal, const LocalTensor<int32_t>& srcIndexLocal,                          \
                   const LocalTensor<bool>& finishLocal, __VA_ARGS__ const int32_t k, const TopkTiling&,               \
                   const TopKInfo& topKInfo, const bool isLargest = true) {                                            \
    AK_CHECK_DTYPE(TopK, T);                                                                                           \
    static_assert(!isHasfinish || topkMode == TopKMode::TOPK_NORMAL,                                                   \
                  "Ascend C TopK: isHasfinish is not supported with TOPK_NSMALL on Ascend 910B; legal: TOPK_NORMAL");  \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_l_top_k({"TopK", AK_SITE, static_cast<uint32_t>(topKInfo.outter), static_cast<uint32_t>(topKInfo.inner),      \
                  static_cast<uint32_t>(topKInfo.n), k, isLargest, topkMode == TopKMode::TOPK_NSMALL, isInitIndex,     \
                  isHasfinish ? &finishLocal.AkLocal() : nullptr, Tmp},                                                \
                 dstValueLocal.AkLocal(), dstIndexLocal.AkLocal(), srcLocal.AkLocal(), srcIndexLocal.AkLocal());       \
  }
AK_TOP_K(nullptr, )
AK_TOP_K(&tmpLocal.AkLocal(), const LocalTensor<uint8_t>& tmpLocal, )
#undef AK_TOP_K

#define AK_DROP_OUT(Tmp, ...)                                                                                          \
  template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>                                          \
  AK_API void DropOut(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,                                  \
                      const LocalTensor<uint8_t>& maskLocal, __VA_ARGS__ const float keepProb,                         \
                      const DropOutShapeInfo& info) {                                                                  \
    AK_CHECK_DTYPE(DropOut, T);                                                                                        \
    static_assert(dropOutMode <= DROPOUT_MODE_BIT_MISALIGN,                                                            \
                  "Ascend C DropOut: dropOutMode is not supported on Ascend 910B; legal: 0, 1, 2, 3, 4");              \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_l_drop_out({"DropOut", AK_SITE, info.firstAxis, info.srcLastAxis, info.maskLastAxis,                          \
                     static_cast<akrt::KeepMode>(dropOutMode), keepProb, Tmp},                                         \
                    dstLocal.AkLocal(), srcLocal.AkLocal(), maskLocal.AkLocal());                                      \
  }
AK_DROP_OUT(nullptr, )
AK_DROP_OUT(AK_TMP, AK_SHARED)
#undef AK_DROP_OUT

#define AK_PAD(Tmp, ...)                                                                                               \
  template <typename T>                                                                                                \
  AK_API void Pad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, PadParams& padParams,              \
                  __VA_ARGS__ PadTiling& tiling) {                                                                     \
    AK_CHECK_DTYPE(Pad, T);                                                                                            \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_l_pad({"Pad", AK_SITE, tiling.srcHeight, tiling.srcWidth, tiling.srcOriWidth, padParams.leftPad,              \
                padParams.rightPad, padParams.padValue, Tmp},                                                          \
               dstTensor.AkLocal(), srcTensor.AkLocal());                                                              \
  }
AK_PAD(AK_TMP, AK_SHARED)
AK_PAD(nullptr, )
#undef AK_PAD
#define AK_UNPAD(Tmp, ...)                                                                                             \
  template <typename T>                                                                                                \
  AK_API void UnPad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, UnPadParams& unPadParams,        \
                    __VA_ARGS__ UnPadTiling& tiling) {                                                                 \
    AK_CHECK_DTYPE(UnPad, T);                                                                                          \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_l_unpad({"UnPad", AK_SITE, tiling.srcHeight, tiling.srcWidth, tiling.srcWidth, unPadParams.leftPad,           \
                  unPadParams.rightPad, 0, Tmp},                                                                       \
                 dstTensor.AkLocal(), srcTensor.AkLocal());                                                            \
  }
AK_UNPAD(AK_TMP, LocalTensor<uint8_t>& sharedTmpBuffer, )
AK_UNPAD(nullptr, )
#undef AK_UNPAD

// The layout of the NCDHW side gives the shape.
namespace akc {
template <typename LayoutType>
akrt::VolumeCall VolumeOf(const LayoutType& layout, bool to_blocks, bool fractal, const akrt::Local* tmp, akrt::Site site) {
  const auto length = [](const auto& part) { return static_cast<uint32_t>(SizeOf(part)); };
  return {"TransData", site, length(layout.template GetShape<0>()), length(layout.template GetShape<1>()),
          length(layout.template GetShape<2>()), length(layout.template GetShape<3>()),
          length(layout.template GetShape<4>()), to_blocks, fractal, tmp};
}
}  // namespace akc
#define AK_TRANS_DATA(Tmp, ...)                                                                                        \
  template <const TransDataConfig& config, typename T, typename U, typename S>                                         \
  AK_API void TransData(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                              \
                        __VA_ARGS__ const TransDataParams<U, S>& params) {                                             \
    AK_CHECK_DTYPE(TransData, T);                                                                                      \
    constexpr bool kTo = config.srcFormat == DataFormat::NCDHW;                                                        \
    constexpr DataFormat kOther = kTo ? config.dstFormat : config.srcFormat;                                           \
    static_assert((kTo || config.dstFormat == DataFormat::NCDHW) &&                                                    \
                      (kOther == DataFormat::NDC1HWC0 || kOther == DataFormat::FRACTAL_Z_3D),                          \
                  "Ascend C TransData: pair of formats is not supported on Ascend 910B; legal: NCDHW with NDC1HWC0, "  \
                  "NCDHW with FRACTAL_Z_3D");                                                                          \
    AK_VECTOR_ONLY;                                                                                                    \
    constexpr bool kFractal = kOther == DataFormat::FRACTAL_Z_3D;                                                      \
    if constexpr (kTo)                                                                                                 \
      akrt_l_trans_data(akc::VolumeOf(params.srcLayout, kTo, kFractal, Tmp, AK_SITE), dstTensor.AkLocal(),             \
                        srcTensor.AkLocal());                                                                          \
    else                                                                                                               \
      akrt_l_trans_data(akc::VolumeOf(params.dstLayout, kTo, kFractal, Tmp, AK_SITE), dstTensor.AkLocal(),             \
                        srcTensor.AkLocal());                                                                          \
  }
AK_TRANS_DATA(AK_TMP, AK_SHARED)
AK_TRANS_DATA(nullptr, )
#undef AK_TRANS_DATA

// ConfusionTranspose is the old spelling.
#define AK_CONFUSION(Api, Tmp, ...)                                                                                    \
  template <typename T>                                                                                                \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& src, __VA_ARGS__ TransposeType transposeType,       \
                  ConfusionTransposeTiling& tiling) {                                                                  \
    static_assert(akc::kOneOf<PrimT<T>, int16_t, uint16_t, half, int32_t, uint32_t, float>,                            \
                  "Ascend C " #Api ": dtype is not supported on Ascend 910B; legal: int16_t, uint16_t, half, int32_t, " \
                  "uint32_t, float");                                                                                  \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_l_confusion({#Api, AK_SITE, static_cast<uint8_t>(transposeType), tiling.transposeType,                        \
                      {tiling.shape0, tiling.shape1, tiling.shape2, tiling.shape3}, Tmp},                              \
                     dst.AkLocal(), src.AkLocal());                                                                    \
  }
AK_CONFUSION(Transpose, AK_TMP, AK_SHARED)
AK_CONFUSION(Transpose, nullptr, )
AK_CONFUSION(ConfusionTranspose, AK_TMP, AK_SHARED)
AK_CONFUSION(ConfusionTranspose, nullptr, )
#undef AK_CONFUSION
#undef AK_SHARED

}  // namespace AscendC
