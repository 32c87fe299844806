// The chip's numbers, and the manager that hands them out.
#pragma once
#include "platform/platform_infos_def.h"

namespace fe {

class PlatformInfoManager {
 public:
  static PlatformInfoManager& Instance();
  static PlatformInfoManager& GeInstance() { return Instance(); }
  uint32_t InitRuntimePlatformInfos(const std::string& soc);
  uint32_t GetRuntimePlatformInfosByDevice(const uint32_t& device, PlatFormInfos& infos);
};

}  // namespace fe
