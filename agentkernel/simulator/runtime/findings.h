// Collects findings: drops repetitions, caps their number, and writes each as one line at once.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <set>

#include "machine.h"

namespace akrt {

// Where records go, and how a launch stops. The runner writes to a file and exits; tests collect and throw.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(std::string_view line) = 0;  // one JSON object, without newline
  [[noreturn]] virtual void stop() = 0;           // after a fatal finding
};

// Byte offset of a call in the candidate's object, as records name it; 0 when it lies outside.
class SiteMap {
 public:
  static constexpr int64_t kCubeObject = int64_t{1} << 40;  // added to offsets in the object of cube cores

  void set_object(uint64_t begin, uint64_t end, CoreType type = CoreType::kVector) {
    objects_[static_cast<size_t>(type)] = {begin, end};
  }
  int64_t offset(Site site) const {
    const auto address = reinterpret_cast<uint64_t>(site);
    if (objects_[1].holds(address)) return kCubeObject + static_cast<int64_t>(address - objects_[1].begin - 1);
    return objects_[0].holds(address) ? static_cast<int64_t>(address - objects_[0].begin - 1) : 0;
  }

 private:
  struct Range {
    uint64_t begin;
    uint64_t end;
    bool holds(uint64_t address) const { return address > begin && address <= end; }
  };
  Range objects_[2] = {{0, UINT64_MAX}, {0, 0}};
};

struct LaunchConfig;

class Findings {
 public:
  static constexpr int kMax = 64;

  Findings(Sink& sink, const LaunchConfig& config) : sink_(sink), config_(config) {}

  // Whether add() would drop this one; lets a caller skip the work of wording it.
  bool seen(const char* code, Site site, Site other) const { return seen_.contains({code, site, other}); }
  // Does not return for a fatal finding.
  void add(const Finding& finding, int32_t core);
  // A text that the kernel prints. All of one call are kept, up to a number of texts.
  void print(const std::string& text, Site site, int32_t core);
  // Says how many were dropped by the cap.
  void finish();

  SiteMap& sites() { return sites_; }

 private:
  Sink& sink_;
  const LaunchConfig& config_;
  SiteMap sites_;
  std::set<std::tuple<std::string_view, Site, Site>> seen_;
  void write(const Finding& finding, int32_t core);
  int written_ = 0;
  int printed_ = 0;
  int dropped_ = 0;
};

}  // namespace akrt
