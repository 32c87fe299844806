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
  void set_object(uint64_t begin, uint64_t end) { begin_ = begin, end_ = end; }
  int64_t offset(Site site) const {
    const auto address = reinterpret_cast<uint64_t>(site);
    return address <= begin_ || address > end_ ? 0 : static_cast<int64_t>(address - begin_ - 1);
  }

 private:
  uint64_t begin_ = 0;
  uint64_t end_ = UINT64_MAX;
};

class Findings {
 public:
  static constexpr int kMax = 64;

  explicit Findings(Sink& sink) : sink_(sink) {}

  // Whether add() would drop this one; lets a caller skip the work of wording it.
  bool seen(const char* code, Site site, Site other) const { return seen_.contains({code, site, other}); }
  // Does not return for a fatal finding.
  void add(const Finding& finding, int32_t core);
  // Says how many were dropped by the cap.
  void finish();

  SiteMap& sites() { return sites_; }

 private:
  Sink& sink_;
  SiteMap sites_;
  std::set<std::tuple<std::string_view, Site, Site>> seen_;
  int written_ = 0;
  int dropped_ = 0;
};

}  // namespace akrt
