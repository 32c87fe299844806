// Vector libraries: the softmax family.
//
// The tiling argument says how the real library cuts the work into pieces; the values do not depend on it. Only where a
// call passes no SoftMaxShapeInfo is the shape taken from it.
#pragma once
#include "ascendc/library_rows.h"
#include "ascendc/library_tiling.h"


namespace AscendC {

struct SoftMaxShapeInfo {
  uint32_t srcM = 0;
  uint32_t srcK = 0;
  uint32_t oriSrcM = 0;
  uint32_t oriSrcK = 0;
};
struct SoftMaxParams {
  uint32_t srcM = 0;
  uint32_t srcK = 0;
  uint32_t oriSrcM = 0;
  uint32_t oriSrcK = 0;
  uint32_t loopCnt = 1;
  uint32_t splitMeanCnt = 8;
  float alpha = 0.9375f;
};
enum class SoftmaxMode { SOFTMAX_NORMAL = 0, SOFTMAX_OUTPUT_WITHOUT_BRC = 1 };
struct SoftmaxConfig {
  bool isCheckTiling = true;
  uint32_t oriSrcM = 0;
  uint32_t oriSrcK = 0;
  SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
  constexpr SoftmaxConfig(const bool check) : isCheckTiling(check) {}  // NOLINT: implicit by intent
  constexpr SoftmaxConfig(const bool check, const uint32_t m, const uint32_t k)
      : isCheckTiling(check), oriSrcM(m), oriSrcK(k) {}
  constexpr SoftmaxConfig(const bool check, const uint32_t m, const uint32_t k, const SoftmaxMode softmaxMode)
      : isCheckTiling(check), oriSrcM(m), oriSrcK(k), mode(softmaxMode) {}
};
inline constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};

namespace akc {
inline akrt::LibShape SoftShape(const SoftMaxShapeInfo& shape) { return {shape.srcM, shape.srcK, shape.srcK}; }
inline akrt::LibShape SoftShape(const SoftMaxShapeInfo& shape, const SoftMaxTiling& tiling) {
  if (shape.srcM != 0 && shape.srcK != 0) return SoftShape(shape);
  return {tiling.srcM, tiling.srcK, tiling.srcK};
}
}  // namespace akc

#define AK_SHARED const LocalTensor<uint8_t>& sharedTmpBuffer,

// ---- SoftMax, SimpleSoftMax: D is the type of the data, V that of maximum and sum ----------------------------------------
#define AK_SOFT(Api, Op, SumField, D, V, Tmp, ...)                                                                      \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,             \
            const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                                                          \
  AK_API void Api(const LocalTensor<D>& dst, const LocalTensor<V>& sum, const LocalTensor<V>& max,                      \
                  const LocalTensor<D>& src, __VA_ARGS__ const SoftMaxTiling& tiling,                                   \
                  const SoftMaxShapeInfo& softmaxShapeInfo = {}) {                                                      \
    AK_CHECK_DTYPE(Api, T);                                                                                             \
    AK_VECTOR_ONLY;                                                                                                     \
    akrt::SoftCall call{akrt::SoftOp::Op, #Api, AK_SITE, akc::SoftShape(softmaxShapeInfo, tiling), Tmp, false, isBasicBlock}; \
    call.nz = isDataFormatNZ;                                                                                           \
    call.SumField##sum = &sum.AkLocal();                                                                                \
    call.SumField##max = &max.AkLocal();                                                                                \
    akrt_l_softmax(call, dst.AkLocal(), src.AkLocal());                                                                 \
  }
AK_SOFT(SoftMax, kSoftMax, , T, T, nullptr, )
AK_SOFT(SoftMax, kSoftMax, , half, float, nullptr, )
AK_SOFT(SoftMax, kSoftMax, , T, T, AK_TMP, AK_SHARED)
AK_SOFT(SoftMax, kSoftMax, , half, float, AK_TMP, AK_SHARED)
AK_SOFT(SimpleSoftMax, kSimple, in_, T, T, nullptr, )
AK_SOFT(SimpleSoftMax, kSimple, in_, half, float, nullptr, )
AK_SOFT(SimpleSoftMax, kSimple, in_, T, T, AK_TMP, AK_SHARED)
AK_SOFT(SimpleSoftMax, kSimple, in_, half, float, AK_TMP, AK_SHARED)
#undef AK_SOFT
#define AK_SOFT_ALONE(Api, Tmp, ...)                                                                                    \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false,                                          \
            const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                                                          \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& src, __VA_ARGS__ const SoftMaxTiling& tiling,        \
                  const SoftMaxShapeInfo& softmaxShapeInfo = {}) {                                                      \
    AK_CHECK_DTYPE(Api, T);                                                                                             \
    AK_VECTOR_ONLY;                                                                                                     \
    akrt_l_softmax({akrt::SoftOp::kSoftMax, #Api, AK_SITE, akc::SoftShape(softmaxShapeInfo, tiling), Tmp, false, isBasicBlock}, \
                   dst.AkLocal(), src.AkLocal());                                                                       \
  }
AK_SOFT_ALONE(SoftMax, nullptr, )
AK_SOFT_ALONE(SoftMax, AK_TMP, AK_SHARED)
#undef AK_SOFT_ALONE
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
AK_API void LogSoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& sum, const LocalTensor<T>& max,
                       const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer, const LogSoftMaxTiling&,
                       const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
  AK_CHECK_DTYPE(LogSoftMax, T);
  AK_VECTOR_ONLY;
  akrt::SoftCall call{akrt::SoftOp::kLog, "LogSoftMax", AK_SITE, akc::SoftShape(softmaxShapeInfo), AK_TMP};
  call.nz = isDataFormatNZ;
  call.sum = &sum.AkLocal();
  call.max = &max.AkLocal();
  akrt_l_softmax(call, dst.AkLocal(), src.AkLocal());
}

// ---- flash forms ----------------------------------------------------------------------------------------------------------
#define AK_FLASH_TENSORS(D, V)                                                                                        \
  const LocalTensor<D>&dst, const LocalTensor<V>&sum, const LocalTensor<V>&max, const LocalTensor<D>&src,              \
      const LocalTensor<D>&expMax, const LocalTensor<V>&inSum, const LocalTensor<V>&inMax
#define AK_FLASH_CALL(Api, Op, Update, Packed, Nz, StepMax, Tmp)                                                                     \
  AK_CHECK_DTYPE(Api, T);                                                                                               \
  AK_VECTOR_ONLY;                                                                                                       \
  const akrt::SoftCall call{akrt::SoftOp::Op, #Api, AK_SITE, akc::SoftShape(softmaxShapeInfo, tiling), Tmp, Update,     \
                            isBasicBlock, Packed, &sum.AkLocal(), &max.AkLocal(), &expMax.AkLocal(), &inSum.AkLocal(),  \
                            &inMax.AkLocal(), Nz, StepMax};                                                             \
  akrt_l_softmax(call, dst.AkLocal(), src.AkLocal());
#define AK_FLASH_OLD(Api, D, V, Tmp, ...)                                                                               \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false>                                          \
  AK_API void Api(AK_FLASH_TENSORS(D, V), __VA_ARGS__ const SoftMaxTiling& tiling, bool isUpdate = false,               \
                  const SoftMaxShapeInfo& softmaxShapeInfo = {}) {                                                      \
    AK_FLASH_CALL(Api, kFlash, isUpdate, false, false, nullptr, Tmp)                                                                    \
  }
AK_FLASH_OLD(SoftmaxFlash, T, T, nullptr, )
AK_FLASH_OLD(SoftmaxFlash, half, float, nullptr, )
AK_FLASH_OLD(SoftmaxFlash, T, T, AK_TMP, AK_SHARED)
AK_FLASH_OLD(SoftmaxFlash, half, float, AK_TMP, AK_SHARED)
#undef AK_FLASH_OLD
#define AK_FLASH_HEAD                                                                                                  \
  template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,                  \
            bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
#define AK_FLASH_NEW(Api, D, V, Tmp, ...)                                                                              \
  AK_FLASH_HEAD AK_API void Api(AK_FLASH_TENSORS(D, V), __VA_ARGS__ const SoftMaxTiling& tiling,                       \
                                const SoftMaxShapeInfo& softmaxShapeInfo = {}) {                                       \
    AK_FLASH_CALL(Api, kFlashV2, isUpdate, config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC, isDataFormatNZ, nullptr, Tmp)                \
  }
AK_FLASH_NEW(SoftmaxFlashV2, T, T, nullptr, )
AK_FLASH_NEW(SoftmaxFlashV2, half, float, nullptr, )
AK_FLASH_NEW(SoftmaxFlashV2, T, T, AK_TMP, AK_SHARED)
AK_FLASH_NEW(SoftmaxFlashV2, half, float, AK_TMP, AK_SHARED)
#undef AK_FLASH_NEW
// The forms that hand out the row maximum of this step besides.
#define AK_FLASH_REDUCE_MAX(Api, Tmp, ...)                                                                             \
  AK_FLASH_HEAD AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& outReduceMax, const LocalTensor<T>& sum, \
                                const LocalTensor<T>& max, const LocalTensor<T>& src, const LocalTensor<T>& expMax,    \
                                const LocalTensor<T>& inSum, const LocalTensor<T>& inMax, __VA_ARGS__                  \
                                const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}) {          \
    AK_FLASH_CALL(Api, kFlashV2, isUpdate, config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC, isDataFormatNZ,     \
                  &outReduceMax.AkLocal(), Tmp)                                                                        \
  }
AK_FLASH_REDUCE_MAX(SoftmaxFlashV2, nullptr, )
AK_FLASH_REDUCE_MAX(SoftmaxFlashV2, AK_TMP, AK_SHARED)
#undef AK_FLASH_REDUCE_MAX
#undef AK_FLASH_CALL
// The form that shifts rows by their means, which are carried on like maximum and sum.
#define AK_FLASH_SHIFTED(Api, Tmp, ...)                                                                                     \
  template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,      \
            bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                            \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<U>& mean, const LocalTensor<U>& sum,                    \
                  const LocalTensor<U>& max, const LocalTensor<T>& src, const LocalTensor<T>& expMax,                  \
                  const LocalTensor<U>& inMean, const LocalTensor<U>& inSum, const LocalTensor<U>& inMax, __VA_ARGS__  \
                  const SoftMaxTiling&, const SoftMaxParams& params) {                                                 \
    static_assert(std::is_same_v<PrimT<T>, half> && std::is_same_v<PrimT<U>, float>,                                   \
                  "Ascend C " #Api ": pair of data and statistics dtypes is not supported on Ascend 910B; legal: half with float"); \
    static_assert(!isDataFormatNZ, "Ascend C " #Api ": NZ is not supported on Ascend 910B; legal: isDataFormatNZ = false"); \
    AK_VECTOR_ONLY;                                                                                                    \
    const akrt::SoftCall call{akrt::SoftOp::kFlashV3, #Api, AK_SITE, {params.srcM, params.srcK, params.srcK}, Tmp,     \
                              isUpdate, false, false, &sum.AkLocal(), &max.AkLocal(), &expMax.AkLocal(),               \
                              &inSum.AkLocal(), &inMax.AkLocal(), false, nullptr, &mean.AkLocal(), &inMean.AkLocal(),  \
                              params.loopCnt, params.splitMeanCnt, params.alpha};                                      \
    akrt_l_softmax(call, dst.AkLocal(), src.AkLocal());                                                                \
  }
AK_FLASH_SHIFTED(SoftmaxFlashV3, nullptr, )
AK_FLASH_SHIFTED(SoftmaxFlashV3, AK_TMP, AK_SHARED)
#undef AK_FLASH_SHIFTED
#undef AK_FLASH_HEAD
#undef AK_FLASH_TENSORS

// ---- gradients ------------------------------------------------------------------------------------------------------------
#define AK_SOFT_GRAD(Api, Tmp, ...)                                                                                     \
  template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>                                        \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& grad, const LocalTensor<T>& src,                     \
                  __VA_ARGS__ const SoftMaxTiling& tiling, bool isFront = false,                                        \
                  const SoftMaxShapeInfo& softmaxShapeInfo = {}) {                                                      \
    AK_CHECK_DTYPE(Api, T);                                                                                             \
    AK_VECTOR_ONLY;                                                                                                     \
    akrt_l_softmax_grad(#Api, dst.AkLocal(), grad.AkLocal(), src.AkLocal(), isFront, isDataFormatNZ,                    \
                        akc::SoftShape(softmaxShapeInfo, tiling), Tmp, AK_SITE);                                        \
  }
AK_SOFT_GRAD(SoftmaxGrad, nullptr, )
AK_SOFT_GRAD(SoftmaxGrad, AK_TMP, AK_SHARED)
#undef AK_SOFT_GRAD
#define AK_SOFT_GRAD_FRONT(Api, Tmp, ...)                                                                               \
  template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>                                         \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& grad, const LocalTensor<T>& src,                     \
                  __VA_ARGS__ const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}) {             \
    AK_CHECK_DTYPE(Api, T);                                                                                             \
    AK_VECTOR_ONLY;                                                                                                     \
    akrt_l_softmax_grad(#Api, dst.AkLocal(), grad.AkLocal(), src.AkLocal(), true, isDataFormatNZ,                       \
                        akc::SoftShape(softmaxShapeInfo, tiling), Tmp, AK_SITE);                                        \
  }
AK_SOFT_GRAD_FRONT(SoftmaxGradFront, nullptr, )
AK_SOFT_GRAD_FRONT(SoftmaxGradFront, AK_TMP, AK_SHARED)
#undef AK_SOFT_GRAD_FRONT

// ---- rows that were masked out ----------------------------------------------------------------------------------------------
template <typename T1, typename T2, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
AK_API bool AdjustSoftMaxRes(const LocalTensor<T1>& softMaxRes, const LocalTensor<T2>& maxTensor, const uint32_t from,
                             const T1 to, const SoftMaxShapeInfo& softmaxShapeInfo) {
  static_assert(akc::kOneOf<PrimT<T1>, half, float> && akc::kOneOf<PrimT<T2>, half, float>,
                "Ascend C AdjustSoftMaxRes: dtype is not supported on Ascend 910B; legal: half, float");
  AK_VECTOR_ONLY false;
  return akrt_l_adjust_softmax(softMaxRes.AkLocal(), maxTensor.AkLocal(), from, static_cast<float>(to),
                               stepSizeMode != 0, isDataFormatNZ, akc::SoftShape(softmaxShapeInfo), AK_SITE);
}

// ---- tiling computed in the kernel --------------------------------------------------------------------------------------------
// `localWorkSpaceSize` counts floats.
constexpr SoftMaxTiling SoftMaxFlashV2TilingFuncImpl(const uint32_t srcM, const uint32_t srcK, const uint32_t dataTypeSize1,
                                                     const uint32_t dataTypeSize2, const uint32_t localWorkSpaceSize,
                                                     const bool isUpdate = false, const bool isBasicBlock = false,
                                                     const bool isDataFormatNZ = false,
                                                     const bool isFlashOutputBrc = false) {
  static_cast<void>(isUpdate);
  static_cast<void>(isDataFormatNZ);
  const uint32_t block = 32 / dataTypeSize2;
  const bool half = dataTypeSize1 == 2;
  const bool basic = isBasicBlock && srcK % 64 == 0 && srcM % 8 == 0;
  const uint32_t row = basic ? block + (half ? srcK : 0) + (srcK == 1024 ? 128 : 64)
                             : (half ? 2 * block + srcK : block) + 64;
  uint32_t base = localWorkSpaceSize / row;
  if (base > srcM) base = srcM;
  if (basic && base > 8) {
    base = base / 8 * 8;
    while (srcM % base != 0) base -= 8;
    while (base * srcK >= 16384) base /= 2;
  }
  const uint32_t tile = isFlashOutputBrc && half ? 16 : 8;
  if (tile < base && base < srcM) base = base / tile * tile;
  const uint32_t range = base == 0 ? 0 : srcM / base;
  const uint32_t tail = base == 0 ? 0 : srcM % base;
  return {srcM, srcK, srcM * srcK, srcM, block, srcM * block, base, srcK, base * srcK, base, block, base * block, range,
          tail, tail * srcK, tail * block};
}
constexpr SoftMaxTiling SoftMaxFlashV2TilingFunc(const SoftMaxShapeInfo& shapeInfo, const uint32_t dataTypeSize1,
                                                 const uint32_t dataTypeSize2, const uint32_t localWorkSpaceSize,
                                                 const bool isUpdate = false, const bool isBasicBlock = false,
                                                 const bool isDataFormatNZ = false, const bool isFlashOutputBrc = false) {
  return SoftMaxFlashV2TilingFuncImpl(shapeInfo.srcM, shapeInfo.srcK, dataTypeSize1, dataTypeSize2,
                                      localWorkSpaceSize / 4, isUpdate, isBasicBlock, isDataFormatNZ, isFlashOutputBrc);
}
// Whether rows and pieces of a tiling have the shape of basic blocks.
constexpr bool IsBasicBlockInSoftMax(SoftMaxTiling& tiling, const uint32_t dataTypeSize = 2) {
  return tiling.srcK % 64 == 0 && tiling.srcK >= 256 / dataTypeSize && tiling.srcK < 2048 && tiling.splitM % 8 == 0;
}
#undef AK_SHARED

}  // namespace AscendC
