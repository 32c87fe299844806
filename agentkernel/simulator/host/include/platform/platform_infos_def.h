// fe::PlatFormInfos: the numbers of the chip that a tiling function runs for, by label and key.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

// Programs that include this header name these types without their namespace.
using std::map;
using std::string;
using std::vector;

namespace fe {

enum class LocalMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, RESERVED = 7 };

class PlatFormInfos {
 public:
  bool Init() { return true; }
  uint32_t GetCoreNum() const;
  uint32_t GetCoreNumWithLock() const { return GetCoreNum(); }
  void SetCoreNum(const uint32_t& count) { core_count_ = count; }
  // "VectorCore", "AiCore": what GetCoreNum counts from now on.
  void SetCoreNumByCoreType(const std::string& type);
  void GetLocalMemSize(const LocalMemType& type, uint64_t& bytes);
  void GetLocalMemBw(const LocalMemType& type, uint64_t& bytes_per_cycle);
  bool GetPlatformRes(const std::string& label, const std::string& key, std::string& value) const;
  bool GetPlatformRes(const std::string& label, std::map<std::string, std::string>& values) const;
  bool GetPlatformResWithLock(const std::string& label, const std::string& key, std::string& value) const {
    return GetPlatformRes(label, key, value);
  }
  bool GetPlatformResWithLock(const std::string& label, std::map<std::string, std::string>& values) const {
    return GetPlatformRes(label, values);
  }
  void SetPlatformRes(const std::string& label, std::map<std::string, std::string>& values) {
    resources_[label] = values;
  }
  void SetPlatformResWithLock(const std::string& label, std::map<std::string, std::string>& values) {
    SetPlatformRes(label, values);
  }

 private:
  uint64_t Number(const std::string& label, const std::string& key) const;
  std::map<std::string, std::map<std::string, std::string>> resources_;
  uint32_t core_count_ = 0;
};

// Settings of a run that only other tools fill.
class OptionalInfos {};

}  // namespace fe
