// Synchronisation between cores.
#pragma once
#include "ascendc/system.h"

namespace AscendC {

template <bool isAIVOnly = true>
AK_API void SyncAll() {
  akrt_sync_all(isAIVOnly, AK_SITE);
}
template <bool isAIVOnly = true>
AK_API void SyncAll(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace,
                    const int32_t usedCores = 0) {
  akrt_sync_all_soft(gmWorkspace.AkGlobal(), ubWorkspace.AkLocal(), usedCores, isAIVOnly, AK_SITE);
}

template <bool isAIVOnly = true>
AK_API void IBSet(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace, int32_t blockIdx,
                  int32_t eventID) {
  akrt_block_set(gmWorkspace.AkGlobal(), ubWorkspace.AkLocal(), blockIdx, eventID, isAIVOnly, AK_SITE);
}
template <bool isAIVOnly = true>
AK_API void IBWait(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace, int32_t blockIdx,
                   int32_t eventID) {
  akrt_block_wait(gmWorkspace.AkGlobal(), ubWorkspace.AkLocal(), blockIdx, eventID, isAIVOnly, AK_SITE);
}

// Vector cores one after the other, in the order of their indices.
AK_API inline void InitDetermineComputeWorkspace(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace) {
  akrt_order_init(gmWorkspace.AkGlobal(), ubWorkspace.AkLocal(), AK_SITE);
}
AK_API inline void WaitPreBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace) {
  akrt_order_wait(gmWorkspace.AkGlobal(), ubWorkspace.AkLocal(), AK_SITE);
}
AK_API inline void NotifyNextBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace) {
  akrt_order_notify(gmWorkspace.AkGlobal(), ubWorkspace.AkLocal(), AK_SITE);
}

template <uint8_t modeId, pipe_t pipe>
AK_API void CrossCoreSetFlag(uint16_t flagId) {
  static_assert(modeId <= 2, "Ascend C CrossCoreSetFlag: this modeId is not supported on Ascend 910B; legal: 0, 1, 2");
  static_assert(pipe != PIPE_S && pipe != PIPE_ALL,
                "Ascend C CrossCoreSetFlag: this pipe is not supported on Ascend 910B; legal: PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX");
  akrt_cross_set(modeId, pipe, flagId, AK_SITE);
}
// The chip takes no heed of the template arguments: whatever follows waits, on every pipe.
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
AK_API void CrossCoreWaitFlag(uint16_t flagId) {
  akrt_cross_wait(flagId, AK_SITE);
}

}  // namespace AscendC
