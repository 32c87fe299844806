// Numbers of NPU architectures.
#pragma once
#include <cstdint>

enum class NpuArch : uint32_t {
  DAV_1001 = 1001,  // Ascend 910
  DAV_2002 = 2002,  // Ascend 310P
  DAV_2201 = 2201,  // Atlas A2 and A3
  DAV_3002 = 3002,  // Ascend 310B
  DAV_3510 = 3510,
  DAV_RESV = 0xffffffffu
};
