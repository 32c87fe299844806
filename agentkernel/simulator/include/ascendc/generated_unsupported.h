// Vector library functions that exist on Atlas A2 and are not simulated: a call compiles and stops with
// `unsupported-api`. Written from the API index by `python -m agentkernel.simulator.unsupported`.
#pragma once
#include "ascendc/library.h"

// clang-format off

namespace AscendC {
struct SoftMaxParams {};

template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG> AK_API void SoftmaxFlashV3(const LocalTensor<T>&, const LocalTensor<U>&, const LocalTensor<U>&, const LocalTensor<U>&, const LocalTensor<T>&, const LocalTensor<T>&, const LocalTensor<U>&, const LocalTensor<U>&, const LocalTensor<U>&, const SoftMaxTiling&, const SoftMaxParams&) { akrt_unsupported("SoftmaxFlashV3", AK_SITE); }
template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG> AK_API void SoftmaxFlashV3(const LocalTensor<T>&, const LocalTensor<U>&, const LocalTensor<U>&, const LocalTensor<U>&, const LocalTensor<T>&, const LocalTensor<T>&, const LocalTensor<U>&, const LocalTensor<U>&, const LocalTensor<U>&, const LocalTensor<uint8_t>&, const SoftMaxTiling&, const SoftMaxParams&) { akrt_unsupported("SoftmaxFlashV3", AK_SITE); }
}  // namespace AscendC
// clang-format on
