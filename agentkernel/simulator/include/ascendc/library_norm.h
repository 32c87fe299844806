// Vector libraries: normalisations and their gradients.
//
// The tiling argument gives the shape; how the real library cuts it into pieces does not change the values.
#pragma once
#include "akrt/abi_norm.h"
#include "ascendc/library_softmax.h"

namespace AscendC {

struct LayerNormPara {
  uint32_t aLength = 0;
  uint32_t rLength = 0;
  uint32_t rLengthWithPadding = 0;
};
struct LayerNormConfig {
  bool isNoBeta = false;
  bool isNoGamma = false;
  bool isOnlyOutput = false;
};
inline constexpr LayerNormConfig LNCFG_NORM{};
struct LayerNormGradShapeInfo {
  DataFormat dataFormat = DataFormat::ND;
};
struct NormalizePara {
  uint32_t aLength = 0;
  uint32_t rLength = 0;
  uint32_t rLengthWithPadding = 0;
};
struct NormalizeConfig {
  int32_t aLength = -1;
  bool isNoBeta = false;
  bool isNoGamma = false;
  bool isOnlyOutput = false;
};
inline constexpr NormalizeConfig NLCFG_NORM{};
struct WelfordUpdateParam {
  uint32_t rnLength = 1;
  uint32_t abLength = 0;
  uint32_t abComputeLength = 0;
  float nRec = 1;
};
struct WelfordUpdateConfig {
  bool isInplace = false;
};
inline constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG{};
struct WelfordFinalizePara {
  uint32_t rnLength = 1;
  uint32_t abLength = 0;
  uint32_t headCount = 0;
  uint32_t headCountLength = 0;
  uint32_t tailCount = 0;
  uint32_t tailCountLength = 0;
  float abRec = 1;
  float rRec = 1;
};
struct WelfordFinalizeConfig {};
inline constexpr WelfordFinalizeConfig WFFINALIZE_DEFAULT_CFG{};

#define AK_SHARED const LocalTensor<uint8_t>&sharedTmpBuffer,
#define AK_LOCAL(tensor) &tensor.AkLocal()
// Gamma and beta are at least as precise as the data.
#define AK_CHECK_AFFINE(Api, U, T)                                                                                  \
  static_assert(akc::kOneOf<PrimT<U>, half, float> && (std::is_same_v<PrimT<U>, PrimT<T>> || std::is_same_v<PrimT<U>, float>), \
                "Ascend C " #Api ": dtype of gamma and beta is not supported on Ascend 910B; legal: half, float")

// ---- LayerNorm --------------------------------------------------------------------------------------------------------
#define AK_LAYER_NORM(Tmp, ...)                                                                                        \
  template <typename T, bool isReuseSource = false>                                                                    \
  AK_API void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,                                \
                        const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,                            \
                        const LocalTensor<T>& gamma, const LocalTensor<T>& beta, __VA_ARGS__ const T epsilon,          \
                        LayerNormTiling& tiling) {                                                                     \
    AK_CHECK_DTYPE(LayerNorm, T);                                                                                      \
    AK_VECTOR_ONLY;                                                                                                    \
    const uint32_t rows = tiling.bLength * tiling.sLength;                                                             \
    akrt::NormCall call{akrt::NormOp::kLayer, "LayerNorm", AK_SITE, {rows, tiling.hLength, tiling.originalHLength}, Tmp}; \
    call.epsilon = static_cast<float>(epsilon);                                                                        \
    call.mean = AK_LOCAL(outputMean), call.spread = AK_LOCAL(outputVariance);                                          \
    call.gamma = AK_LOCAL(gamma), call.beta = AK_LOCAL(beta);                                                          \
    akrt_l_norm(call, output.AkLocal(), inputX.AkLocal());                                                             \
  }
AK_LAYER_NORM(AK_TMP, AK_SHARED)
AK_LAYER_NORM(nullptr, )
#undef AK_LAYER_NORM
// The [A, R] form gives the reciprocal of the standard deviation instead of the variance.
#define AK_LAYER_NORM_AR(Tmp, ...)                                                                                     \
  template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig& config = LNCFG_NORM>            \
  AK_API void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean,                            \
                        const LocalTensor<float>& outputRstd, const LocalTensor<T>& inputX,                            \
                        const LocalTensor<U>& gamma, const LocalTensor<U>& beta, const float epsilon,                  \
                        __VA_ARGS__ const LayerNormPara& para, const LayerNormSeparateTiling&) {                       \
    AK_CHECK_DTYPE(LayerNorm, T);                                                                                      \
    AK_CHECK_AFFINE(LayerNorm, U, T);                                                                                  \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt::NormCall call{akrt::NormOp::kLayerRstd, "LayerNorm", AK_SITE,                                                \
                        {para.aLength, para.rLengthWithPadding, para.rLength}, Tmp};                                   \
    call.epsilon = epsilon;                                                                                            \
    if constexpr (!config.isOnlyOutput) call.mean = AK_LOCAL(outputMean), call.spread = AK_LOCAL(outputRstd);          \
    if constexpr (!config.isNoGamma) call.gamma = AK_LOCAL(gamma);                                                     \
    if constexpr (!config.isNoBeta) call.beta = AK_LOCAL(beta);                                                        \
    akrt_l_norm(call, output.AkLocal(), inputX.AkLocal());                                                             \
  }
AK_LAYER_NORM_AR(AK_TMP, AK_SHARED)
AK_LAYER_NORM_AR(nullptr, )
#undef AK_LAYER_NORM_AR

#define AK_NORMALIZE(Tmp, ...)                                                                                         \
  template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig& config = NLCFG_NORM>            \
  AK_API void Normalize(const LocalTensor<T>& output, const LocalTensor<float>& outputRstd,                            \
                        const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,                  \
                        const LocalTensor<T>& inputX, const LocalTensor<U>& gamma, const LocalTensor<U>& beta,         \
                        __VA_ARGS__ const float epsilon, const NormalizePara& para) {                                  \
    AK_CHECK_DTYPE(Normalize, T);                                                                                      \
    AK_CHECK_AFFINE(Normalize, U, T);                                                                                  \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt::NormCall call{akrt::NormOp::kNormalize, "Normalize", AK_SITE,                                                \
                        {para.aLength, para.rLengthWithPadding, para.rLength}, Tmp};                                   \
    call.epsilon = epsilon;                                                                                            \
    call.mean = AK_LOCAL(inputMean), call.variance = AK_LOCAL(inputVariance);                                          \
    if constexpr (!config.isOnlyOutput) call.spread = AK_LOCAL(outputRstd);                                            \
    if constexpr (!config.isNoGamma) call.gamma = AK_LOCAL(gamma);                                                     \
    if constexpr (!config.isNoBeta) call.beta = AK_LOCAL(beta);                                                        \
    akrt_l_norm(call, output.AkLocal(), inputX.AkLocal());                                                             \
  }
AK_NORMALIZE(AK_TMP, AK_SHARED)
AK_NORMALIZE(nullptr, )
#undef AK_NORMALIZE

#define AK_RMS_NORM(Tmp, ...)                                                                                          \
  template <typename T, bool isBasicBlock = false>                                                                     \
  AK_API void RmsNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const LocalTensor<T>& gammaLocal, \
                      __VA_ARGS__ const T epsilon, const RmsNormTiling& tiling) {                                      \
    AK_CHECK_DTYPE(RmsNorm, T);                                                                                        \
    AK_VECTOR_ONLY;                                                                                                    \
    const uint32_t rows = tiling.bLength * tiling.sLength;                                                             \
    akrt::NormCall call{akrt::NormOp::kRms, "RmsNorm", AK_SITE, {rows, tiling.hLength, tiling.originalHLength}, Tmp};  \
    call.epsilon = static_cast<float>(epsilon);                                                                        \
    call.basic = isBasicBlock;                                                                                         \
    call.gamma = AK_LOCAL(gammaLocal);                                                                                 \
    akrt_l_norm(call, dstLocal.AkLocal(), srcLocal.AkLocal());                                                         \
  }
AK_RMS_NORM(AK_TMP, AK_SHARED)
AK_RMS_NORM(nullptr, )
#undef AK_RMS_NORM

// LayerNorm of alpha * src + gx.
#define AK_DEEP_NORM(Tmp, ...)                                                                                         \
  template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>                                            \
  AK_API void DeepNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& meanLocal,                                \
                       const LocalTensor<T>& rstdLocal, const LocalTensor<T>& srcLocal, const LocalTensor<T>& gxLocal, \
                       const LocalTensor<T>& betaLocal, const LocalTensor<T>& gammaLocal, __VA_ARGS__ const T alpha,   \
                       const T epsilon, DeepNormTiling& tiling) {                                                      \
    AK_CHECK_DTYPE(DeepNorm, T);                                                                                       \
    AK_VECTOR_ONLY;                                                                                                    \
    const uint32_t rows = tiling.bLength * tiling.sLength;                                                             \
    akrt::NormCall call{akrt::NormOp::kDeep, "DeepNorm", AK_SITE, {rows, tiling.hLength, tiling.originalHLength}, Tmp}; \
    call.epsilon = static_cast<float>(epsilon), call.alpha = static_cast<float>(alpha);                                \
    call.basic = isBasicBlock;                                                                                         \
    call.mean = AK_LOCAL(meanLocal), call.spread = AK_LOCAL(rstdLocal);                                                \
    call.gamma = AK_LOCAL(gammaLocal), call.beta = AK_LOCAL(betaLocal), call.second = AK_LOCAL(gxLocal);               \
    akrt_l_norm(call, dstLocal.AkLocal(), srcLocal.AkLocal());                                                         \
  }
AK_DEEP_NORM(AK_TMP, AK_SHARED)
AK_DEEP_NORM(nullptr, )
#undef AK_DEEP_NORM

// [N, C, H, W]: the C channels fall into groups, and gamma and beta hold one value a channel.
#define AK_GROUP_NORM(Tmp, ...)                                                                                        \
  template <typename T, bool isReuseSource = false>                                                                    \
  AK_API void GroupNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,                                \
                        const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,                            \
                        const LocalTensor<T>& gamma, const LocalTensor<T>& beta, __VA_ARGS__ const T epsilon,          \
                        GroupNormTiling& tiling) {                                                                     \
    AK_CHECK_DTYPE(GroupNorm, T);                                                                                      \
    AK_VECTOR_ONLY;                                                                                                    \
    const uint32_t row = tiling.d * tiling.hw;                                                                         \
    akrt::NormCall call{akrt::NormOp::kGroup, "GroupNorm", AK_SITE, {tiling.n * tiling.g, row, row}, Tmp};             \
    call.epsilon = static_cast<float>(epsilon);                                                                        \
    call.groups = tiling.g, call.channel = tiling.hw;                                                                  \
    call.mean = AK_LOCAL(outputMean), call.spread = AK_LOCAL(outputVariance);                                          \
    call.gamma = AK_LOCAL(gamma), call.beta = AK_LOCAL(beta);                                                          \
    akrt_l_norm(call, output.AkLocal(), inputX.AkLocal());                                                             \
  }
AK_GROUP_NORM(AK_TMP, AK_SHARED)
AK_GROUP_NORM(nullptr, )
#undef AK_GROUP_NORM

// [B, S, H]: every (s, h) is normalised over B; gamma and beta hold one value for each b.
#define AK_BATCH_NORM(Tmp, ...)                                                                                        \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false>                                         \
  AK_API void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,                                \
                        const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,                            \
                        const LocalTensor<T>& gamm, const LocalTensor<T>& beta, __VA_ARGS__ const T epsilon,           \
                        BatchNormTiling& tiling) {                                                                     \
    AK_CHECK_DTYPE(BatchNorm, T);                                                                                      \
    AK_VECTOR_ONLY;                                                                                                    \
    const uint32_t row = tiling.meanVarSize;                                                                           \
    akrt::NormCall call{akrt::NormOp::kBatch, "BatchNorm", AK_SITE, {tiling.originalBLength, row, row}, Tmp};          \
    call.epsilon = static_cast<float>(epsilon);                                                                        \
    call.basic = isBasicBlock;                                                                                         \
    call.mean = AK_LOCAL(outputMean), call.spread = AK_LOCAL(outputVariance);                                          \
    call.gamma = AK_LOCAL(gamm), call.beta = AK_LOCAL(beta);                                                           \
    akrt_l_norm(call, output.AkLocal(), inputX.AkLocal());                                                             \
  }
AK_BATCH_NORM(AK_TMP, AK_SHARED)
AK_BATCH_NORM(nullptr, )
#undef AK_BATCH_NORM

// ---- gradients --------------------------------------------------------------------------------------------------------
#define AK_LAYER_NORM_GRAD(Tmp, ...)                                                                                   \
  template <typename T, bool isReuseSource = false>                                                                    \
  AK_API void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma,                        \
                            const LocalTensor<T>& inputDy, const LocalTensor<T>& inputX,                               \
                            const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,                      \
                            const LocalTensor<T>& inputGamma, __VA_ARGS__ T epsilon, LayerNormGradTiling& tiling,      \
                            const LayerNormGradShapeInfo& = {}) {                                                      \
    AK_CHECK_DTYPE(LayerNormGrad, T);                                                                                  \
    AK_VECTOR_ONLY;                                                                                                    \
    const uint32_t rows = tiling.bLength * tiling.sLength;                                                             \
    akrt::NormCall call{akrt::NormOp::kLayer, "LayerNormGrad", AK_SITE, {rows, tiling.hLength, tiling.originalHLength}, Tmp}; \
    call.epsilon = static_cast<float>(epsilon);                                                                        \
    call.mean = AK_LOCAL(inputMean), call.variance = AK_LOCAL(inputVariance), call.gamma = AK_LOCAL(inputGamma);       \
    akrt_l_norm_grad(call, outputPdX.AkLocal(), resForGamma.AkLocal(), inputDy.AkLocal(), inputX.AkLocal());           \
  }
AK_LAYER_NORM_GRAD(AK_TMP, LocalTensor<uint8_t>& sharedTmpBuffer, )
AK_LAYER_NORM_GRAD(nullptr, )
#undef AK_LAYER_NORM_GRAD

#define AK_LAYER_NORM_GRAD_BETA(Tmp, Const, ...)                                                                       \
  template <typename T, bool isReuseSource = false>                                                                    \
  AK_API void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta,               \
                                const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,                      \
                                __VA_ARGS__ Const LayerNormGradBetaTiling& tiling) {                                   \
    AK_CHECK_DTYPE(LayerNormGradBeta, T);                                                                              \
    AK_VECTOR_ONLY;                                                                                                    \
    const uint32_t rows = tiling.bLength * tiling.sLength;                                                             \
    akrt_l_norm_grad_beta({akrt::NormOp::kLayer, "LayerNormGradBeta", AK_SITE,                                         \
                           {rows, tiling.hLength, tiling.originalHLength}, Tmp},                                       \
                          outputPdGamma.AkLocal(), outputPdBeta.AkLocal(), resForGamma.AkLocal(), inputDy.AkLocal());  \
  }
AK_LAYER_NORM_GRAD_BETA(AK_TMP, const, AK_SHARED)
AK_LAYER_NORM_GRAD_BETA(nullptr, , )
#undef AK_LAYER_NORM_GRAD_BETA

// ---- Welford: mean and sum of squares that grow piece by piece, and what they come to --------------------------------------
#define AK_WELFORD_UPDATE(Tmp, ...)                                                                                    \
  template <typename T, typename U, bool isReuseSource = false, const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG> \
  AK_API void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,                    \
                            const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance,                      \
                            const LocalTensor<T>& inputX, __VA_ARGS__ const WelfordUpdateParam& para) {                \
    AK_CHECK_DTYPE(WelfordUpdate, T);                                                                                  \
    static_assert(std::is_same_v<PrimT<U>, float>,                                                                     \
                  "Ascend C WelfordUpdate: dtype of mean and variance is not supported on Ascend 910B; legal: float"); \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_l_welford_update({"WelfordUpdate", AK_SITE, para.rnLength, para.abLength, para.abComputeLength, para.nRec,      \
                           config.isInplace, Tmp},                                                                     \
                          outputMean.AkLocal(), outputVariance.AkLocal(), inputMean.AkLocal(),                         \
                          inputVariance.AkLocal(), inputX.AkLocal());                                                  \
  }
AK_WELFORD_UPDATE(AK_TMP, AK_SHARED)
AK_WELFORD_UPDATE(nullptr, )
#undef AK_WELFORD_UPDATE

#define AK_WELFORD_FINALIZE(Tmp, Counts, ...)                                                                          \
  template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>                  \
  AK_API void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,          \
                              const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,            \
                              __VA_ARGS__ WelfordFinalizePara& para) {                                                 \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_l_welford_finalize({"WelfordFinalize", AK_SITE, para.rnLength, para.abLength, para.headCount,                 \
                             para.headCountLength, para.tailCount, para.tailCountLength, para.abRec, para.rRec, Tmp,   \
                             Counts},                                                                                  \
                            outputMean.AkLocal(), outputVariance.AkLocal(), inputMean.AkLocal(), inputVariance.AkLocal()); \
  }
AK_WELFORD_FINALIZE(AK_TMP, nullptr, AK_SHARED)
AK_WELFORD_FINALIZE(AK_TMP, AK_LOCAL(counts), const LocalTensor<int32_t>& counts, AK_SHARED)
AK_WELFORD_FINALIZE(nullptr, nullptr, )
AK_WELFORD_FINALIZE(nullptr, AK_LOCAL(counts), const LocalTensor<int32_t>& counts, )
#undef AK_WELFORD_FINALIZE
#undef AK_CHECK_AFFINE
#undef AK_LOCAL
#undef AK_SHARED

}  // namespace AscendC
