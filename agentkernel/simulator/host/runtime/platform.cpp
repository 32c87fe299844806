#include "platform.h"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "platform/platform_info.h"
#include "tiling/platform/platform_ascendc.h"

namespace akhost {

fe::PlatFormInfos& platform() {
  static fe::PlatFormInfos instance;
  return instance;
}

}  // namespace akhost

namespace fe {

namespace {

const char* name_of(LocalMemType type) {
  switch (type) {
    case LocalMemType::L0_A: return "l0_a";
    case LocalMemType::L0_B: return "l0_b";
    case LocalMemType::L0_C: return "l0_c";
    case LocalMemType::L1: return "l1";
    case LocalMemType::L2: return "l2";
    case LocalMemType::UB: return "ub";
    case LocalMemType::HBM: return "ddr";
    default: return "";
  }
}

}  // namespace

uint64_t PlatFormInfos::Number(const std::string& label, const std::string& key) const {
  std::string text;
  return GetPlatformRes(label, key, text) ? std::strtoull(text.c_str(), nullptr, 10) : 0;
}

bool PlatFormInfos::GetPlatformRes(const std::string& label, const std::string& key, std::string& value) const {
  const auto group = resources_.find(label);
  if (group == resources_.end()) return false;
  const auto found = group->second.find(key);
  if (found == group->second.end()) return false;
  value = found->second;
  return true;
}

bool PlatFormInfos::GetPlatformRes(const std::string& label, std::map<std::string, std::string>& values) const {
  const auto group = resources_.find(label);
  if (group == resources_.end()) return false;
  values = group->second;
  return true;
}

uint32_t PlatFormInfos::GetCoreNum() const { return core_count_; }

void PlatFormInfos::SetCoreNumByCoreType(const std::string& type) {
  const char* key = type == "VectorCore" ? "vector_core_cnt" : type == "CubeCore" ? "cube_core_cnt" : "ai_core_cnt";
  core_count_ = static_cast<uint32_t>(Number("SoCInfo", key));
}

void PlatFormInfos::GetLocalMemSize(const LocalMemType& type, uint64_t& bytes) {
  if (type == LocalMemType::L2 || type == LocalMemType::HBM)
    bytes = Number("SoCInfo", type == LocalMemType::L2 ? "l2_size" : "memory_size");
  else
    bytes = Number("AICoreSpec", std::string(name_of(type)) + "_size");
}

void PlatFormInfos::GetLocalMemBw(const LocalMemType& type, uint64_t& bytes_per_cycle) {
  bytes_per_cycle = Number("AICoreMemoryRates", std::string(name_of(type)) + "_rate");
}

PlatformInfoManager& PlatformInfoManager::Instance() {
  static PlatformInfoManager instance;
  return instance;
}

uint32_t PlatformInfoManager::InitRuntimePlatformInfos(const std::string&) { return 0; }

uint32_t PlatformInfoManager::GetRuntimePlatformInfosByDevice(const uint32_t&, PlatFormInfos& infos) {
  infos = akhost::platform();
  return 0;
}

}  // namespace fe

namespace platform_ascendc {

namespace {

// What the system keeps of UB and L1 on the split chips.
constexpr uint64_t kReservedBytes = 256;
constexpr uint32_t kLibraryWorkspace = 16u << 20;
constexpr uint32_t kResourceWorkspace = 1u << 20;

uint32_t number(const fe::PlatFormInfos& infos, const char* label, const char* key) {
  std::string text;
  return infos.GetPlatformRes(label, key, text) ? static_cast<uint32_t>(std::strtoul(text.c_str(), nullptr, 10)) : 0;
}

}  // namespace

PlatformAscendC::PlatformAscendC(fe::PlatFormInfos* infos) : infos_(infos) {
  if (infos != nullptr) return;
  std::fprintf(stderr, "PlatformAscendC: the platform's information is null\n");
  std::abort();
}

uint32_t PlatformAscendC::GetCoreNum() const { return infos_->GetCoreNum(); }
uint32_t PlatformAscendC::GetCoreNumAic() const { return number(*infos_, "SoCInfo", "cube_core_cnt"); }
uint32_t PlatformAscendC::GetCoreNumAiv() const { return number(*infos_, "SoCInfo", "vector_core_cnt"); }
uint32_t PlatformAscendC::GetCoreNumVector() const { return 0; }

uint32_t PlatformAscendC::CalcTschBlockDim(uint32_t slices, uint32_t aic, uint32_t aiv) const {
  if (aic == 0 || aiv == 0 || aic > aiv) return slices;
  const uint32_t ratio = aiv / aic;
  const uint32_t blocks = (slices + ratio - 1) / ratio;
  return ratio == 2 && blocks > aic ? 0 : blocks;
}

uint32_t PlatformAscendC::GetLibApiWorkSpaceSize() const { return kLibraryWorkspace; }
uint32_t PlatformAscendC::GetResCubeGroupWorkSpaceSize() const { return kResourceWorkspace; }
uint32_t PlatformAscendC::GetResGroupBarrierWorkSpaceSize() const { return kResourceWorkspace; }

void PlatformAscendC::GetCoreMemSize(const CoreMemType& type, uint64_t& bytes) const {
  if (type == CoreMemType::FB || type == CoreMemType::BT) {
    bytes = number(*infos_, "AICoreSpec", type == CoreMemType::FB ? "fb0_size" : "bt_size");
    return;
  }
  infos_->GetLocalMemSize(static_cast<fe::LocalMemType>(type), bytes);
  if ((type == CoreMemType::UB || type == CoreMemType::L1) && GetSocVersion() == SocVersion::ASCEND910B)
    bytes -= kReservedBytes;
  if (type == CoreMemType::UB) bytes -= reserved_bytes_;
}

void PlatformAscendC::GetCoreMemBw(const CoreMemType& type, uint64_t& bytes_per_cycle) const {
  infos_->GetLocalMemBw(static_cast<fe::LocalMemType>(type), bytes_per_cycle);
}

SocVersion PlatformAscendC::GetSocVersion() const {
  static const std::map<std::string, SocVersion> known = {
      {"Ascend910", SocVersion::ASCEND910},      {"Ascend910B", SocVersion::ASCEND910B},
      {"Ascend910_93", SocVersion::ASCEND910B},  {"Ascend310P", SocVersion::ASCEND310P},
      {"Ascend310B", SocVersion::ASCEND310B},    {"Ascend910_95", SocVersion::ASCEND910_95},
      {"Ascend310", SocVersion::ASCEND310},      {"Ascend610", SocVersion::ASCEND610},
      {"Ascend610Lite", SocVersion::ASCEND610Lite}};
  std::string text;
  if (!infos_->GetPlatformRes("version", "Short_SoC_version", text)) return SocVersion::RESERVED_VERSION;
  const auto found = known.find(text);
  return found == known.end() ? SocVersion::RESERVED_VERSION : found->second;
}

NpuArch PlatformAscendC::GetCurNpuArch() const {
  const uint32_t arch = number(*infos_, "version", "NpuArch");
  return arch == 0 ? NpuArch::DAV_RESV : static_cast<NpuArch>(arch);
}

void PlatformAscendC::ReserveLocalMemory(ReservedSize size) {
  reserved_bytes_ = (uint64_t{8} << 10) << static_cast<unsigned>(size);
}

PlatformAscendC* PlatformAscendCManager::GetInstance() {
  static PlatformAscendC instance(&akhost::platform());
  return &instance;
}

PlatformAscendC* PlatformAscendCManager::GetInstance(const char*) { return GetInstance(); }

}  // namespace platform_ascendc
