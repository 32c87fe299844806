// platform_ascendc: what a tiling function asks about its chip.
#pragma once
#include <cstdint>
#include <string>

#include "platform/soc_spec.h"

namespace fe {
class PlatFormInfos;
}

namespace platform_ascendc {

enum class CoreMemType { L0_A = 0, L0_B, L0_C, L1, L2, UB, HBM, FB, BT, RESERVED };

enum class SocVersion {
  ASCEND910 = 0,
  ASCEND910B = 1,
  ASCEND310P = 2,
  ASCEND310B = 3,
  ASCEND950 = 4,
  ASCEND910_95 = 4,
  ASCEND910_55 = 5,
  AS31XM1 = 5,
  ASCEND031 = 6,
  ASCEND035 = 7,
  ASCEND310 = 8,
  ASCEND610 = 9,
  ASCEND610Lite = 10,
  ASCEND910_93 = 11,
  RESERVED_VERSION = 99999
};

enum class ReservedSize : uint8_t { RESERVED_SIZE_8K = 0, RESERVED_SIZE_16K, RESERVED_SIZE_32K };

class PlatformAscendC {
 public:
  PlatformAscendC() = delete;
  // A null pointer ends the process, as it does there.
  explicit PlatformAscendC(fe::PlatFormInfos* infos);

  uint32_t GetCoreNum() const;
  uint32_t GetCoreNumAic() const;
  uint32_t GetCoreNumAiv() const;
  uint32_t GetCoreNumVector() const;
  // Blocks to launch where `slices` vector slices share groups of `aic` cube and `aiv` vector cores.
  uint32_t CalcTschBlockDim(uint32_t slices, uint32_t aic, uint32_t aiv) const;
  uint32_t CalcTschNumBlocks(uint32_t slices, uint32_t aic, uint32_t aiv) const {
    return CalcTschBlockDim(slices, aic, aiv);
  }
  uint32_t GetLibApiWorkSpaceSize() const;
  uint32_t GetResCubeGroupWorkSpaceSize() const;
  uint32_t GetResGroupBarrierWorkSpaceSize() const;
  void GetCoreMemSize(const CoreMemType& type, uint64_t& bytes) const;
  void GetCoreMemBw(const CoreMemType& type, uint64_t& bytes_per_cycle) const;
  SocVersion GetSocVersion() const;
  NpuArch GetCurNpuArch() const;
  uint32_t GetVecRegLen() const { return 0; }
  void ReserveLocalMemory(ReservedSize size);

 private:
  fe::PlatFormInfos* infos_;
  uint64_t reserved_bytes_ = 0;
};

class PlatformAscendCManager {
 public:
  static PlatformAscendC* GetInstance();
  static PlatformAscendC* GetInstance(const char* soc);
};

}  // namespace platform_ascendc
