// Vector cores that wait for others: GroupBarrier. The workspace is the user's: 512 bytes for each core that waits, zeroed.
#pragma once
#include "ascendc/system.h"

namespace AscendC {

enum class PipeMode : uint8_t { SCALAR_MODE = 0, MTE3_MODE = 1, MAX };

template <PipeMode pipeMode>
class GroupBarrier {
  static_assert(pipeMode == PipeMode::MTE3_MODE,
                "Ascend C GroupBarrier: this PipeMode is not supported on Ascend 910B; legal: PipeMode::MTE3_MODE");

 public:
  __aicore__ inline GroupBarrier(GM_ADDR groupWorkspace, uint32_t arriveSizeIn, uint32_t waitSizeIn)
      : barrier_{reinterpret_cast<uint64_t>(groupWorkspace), arriveSizeIn, waitSizeIn} {}
  AK_API void Arrive(uint32_t arriveIndex) { akrt_group_arrive(barrier_, arriveIndex, AK_SITE); }
  AK_API void Wait(uint32_t waitIndex) { akrt_group_wait(barrier_, waitIndex, AK_SITE); }
  __aicore__ inline uint64_t GetWorkspaceLen() { return uint64_t{barrier_.waiters} * 512; }

 private:
  akrt::GroupBarrier barrier_;
};

}  // namespace AscendC
