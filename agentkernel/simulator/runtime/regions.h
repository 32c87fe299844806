// The global memory of a launch: one region per kernel argument, each with its own history.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shadow.h"

namespace akrt {

enum class Role : uint8_t { kIn, kOut, kInOut, kWorkspace, kTiling };

struct Region {
  static constexpr uint32_t kShadowPage = 4096;

  Region(std::string region_name, Role region_role, uint8_t* data, uint64_t size)
      : name(std::move(region_name)), role(region_role), begin(reinterpret_cast<uint64_t>(data)), bytes(size),
        shadow(size, kShadowPage) {}

  std::string name;
  Role role;
  uint64_t begin;  // host address
  uint64_t bytes;
  Shadow shadow;   // indexed by offset from begin

  uint64_t end() const { return begin + bytes; }
  bool read_only() const { return role == Role::kIn || role == Role::kTiling; }
  // Whether its bytes have a defined value before the kernel writes them.
  bool initialised() const { return read_only() || role == Role::kInOut; }
  uint8_t* data() const { return reinterpret_cast<uint8_t*>(begin); }
};

class Regions {
 public:
  Region& add(std::string name, Role role, uint8_t* data, uint64_t bytes) {
    all_.push_back(std::make_unique<Region>(std::move(name), role, data, bytes));
    return *all_.back();
  }

  // Region that holds `address` (its end counts, for empty accesses), or null.
  Region* find(uint64_t address) const {
    if (last_ != nullptr && address >= last_->begin && address < last_->end()) return last_;
    for (const auto& r : all_)
      if (address >= r->begin && address < r->end()) return last_ = r.get();
    for (const auto& r : all_)
      if (address == r->end()) return r.get();
    return nullptr;
  }

  const std::vector<std::unique_ptr<Region>>& all() const { return all_; }

 private:
  std::vector<std::unique_ptr<Region>> all_;
  mutable Region* last_ = nullptr;
};

}  // namespace akrt
