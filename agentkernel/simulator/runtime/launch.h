// What the cores of one launch share: parameters, global memory, findings, signals between cores.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "clock.h"
#include "cores.h"
#include "cross_core.h"
#include "findings.h"
#include "line_owners.h"
#include "local_memory.h"
#include "regions.h"
#include "trace.h"

namespace akrt {

// Parameters of the chip by name (launch file `param`).
class Params {
 public:
  void set(const std::string& name, double value) { values_[name] = value; }
  bool has(const std::string& name) const { return values_.contains(name); }
  // Throws std::out_of_range that names the parameter: the chip file is incomplete.
  double at(const std::string& name) const;

 private:
  std::map<std::string, double> values_;
};

// Names of instructions, interned so that a cell can keep a number.
struct Source {
  const char* api;
  Site site;
};

class Sources {
 public:
  uint32_t intern(const char* api, Site site);
  const Source& operator[](uint32_t index) const { return all_[index]; }

 private:
  struct Key {
    const char* api;
    Site site;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& k) const {
      return (reinterpret_cast<size_t>(k.api) * 31) ^ reinterpret_cast<size_t>(k.site);
    }
  };
  std::vector<Source> all_{{"", nullptr}};
  std::unordered_map<Key, uint32_t, Hash> index_;
  Key last_key_{nullptr, nullptr};
  uint32_t last_ = 0;
};

// The cores of one block.
struct Group {
  int32_t cubes = 0;    // 0 or 1
  int32_t vectors = 1;  // 0, 1 or 2
};

struct LaunchConfig {
  int32_t blocks = 1;
  int32_t cores = 1;  // blocks that run at once
  Group group;
  bool scheduled = true;  // cores can signal each other: SyncAll() and CrossCoreSetFlag have somebody to carry them
  bool autosync = true;
  uint64_t seed = 0;
  uint64_t instruction_limit = UINT64_MAX;
  bool timeline = false;

  // Cores are numbered through: first all vector cores, then all cube cores.
  int32_t vector_cores() const { return blocks * group.vectors; }
  int32_t core_count() const { return blocks * (group.vectors + group.cubes); }
  bool split() const { return group.cubes > 0; }  // cores are named by their type
  CoreType type_of(int32_t core) const { return core < vector_cores() ? CoreType::kVector : CoreType::kCube; }
  // Its number among the cores of its type.
  int32_t index_of(int32_t core) const { return core < vector_cores() ? core : core - vector_cores(); }
  int32_t block_of(int32_t core) const { return core < vector_cores() ? core / group.vectors : core - vector_cores(); }
  int32_t sub_of(int32_t core) const { return core < vector_cores() ? core % group.vectors : 0; }
  int32_t cube_of(int32_t block) const { return vector_cores() + block; }
  // "block 3", "AIV 3", "AIC 1"
  std::string name_of(int32_t core) const;
};

class Launch {
 public:
  Launch(const LaunchConfig& config, const Params& params, Sink& sink);

  const LaunchConfig& config() const { return config_; }
  const Params& params() const { return params_; }
  Regions& regions() { return regions_; }
  Findings& findings() { return findings_; }
  Sources& sources() { return sources_; }
  ChipClock& clock() { return clock_; }
  LocalMemoryPool& local_memories() { return local_memories_; }
  // Null unless a trace is kept.
  Trace* trace() { return trace_.get(); }
  void keep_trace(Trace::Write write) { trace_ = std::make_unique<Trace>(*this, std::move(write)); }

  // Runs `program` once per block, on fresh cores.
  void run(const std::function<void()>& program);
  Cores& cores() { return *cores_; }  // while it runs
  CrossCore& cross_core() { return cross_core_; }
  // Writes the unwritten, clock and end records.
  void finish();

  void count_instruction() {
    if (++instructions_ > config_.instruction_limit) over_limit();
  }
  uint64_t instructions() const { return instructions_; }
  void call_from(const char* api, Site site) { last_api_ = api, last_site_ = site; }
  const char* last_api() const { return last_api_; }
  Site last_site() const { return last_site_; }
  int32_t running_block() const { return running_block_; }
  // The core that runs from now on, or -1, and where its program stands.
  void enter(int32_t block, const char* api, Site site) { running_block_ = block, last_api_ = api, last_site_ = site; }

  // What GetSysWorkSpacePtr answers before a kernel sets it; null: nothing.
  void set_sys_workspace(void* address) { sys_workspace_ = address; }
  void* sys_workspace() const { return sys_workspace_; }

  // Owners of 64-byte lines that scalar stores made dirty, and how many data caches hold dirty lines.
  LineOwners& lines() { return lines_; }

 private:
  void over_limit();
  void report_raw_stores(const std::string& names, uint64_t bytes);

  LaunchConfig config_;
  Params params_;
  Sink& sink_;
  Findings findings_;
  Regions regions_;
  Sources sources_;
  ChipClock clock_;
  LocalMemoryPool local_memories_;
  std::unique_ptr<Trace> trace_;
  LineOwners lines_;
  CrossCore cross_core_;
  std::unique_ptr<Cores> cores_;
  uint64_t instructions_ = 0;
  const char* last_api_ = "";
  Site last_site_ = nullptr;
  int32_t running_block_ = -1;
  void* sys_workspace_ = nullptr;
};

}  // namespace akrt
