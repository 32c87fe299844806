// A launch in a test: chip parameters, global arguments in ordinary memory, records collected, fatal findings thrown.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "akrt/abi_core.h"
#include "check.h"
#include "core.h"
#include "launch.h"

namespace bench {

using akrt::Global;
using akrt::Local;
using akrt::Pipe;
using akrt::Site;

struct Stopped {};

class Collect : public akrt::Sink {
 public:
  void write(std::string_view line) override { lines.emplace_back(line); }
  void stop() override { throw Stopped{}; }
  std::vector<std::string> lines;
};

akrt::Params params(const std::map<std::string, double>& changed = {});

// Call sites are plain numbers; `site` of a record is the number minus one.
inline Site at(uint64_t number) { return reinterpret_cast<Site>(number); }

class Bench {
 public:
  // `changed`: chip parameters that differ from params().
  explicit Bench(akrt::LaunchConfig config = {}, const std::map<std::string, double>& changed = {});

  // Registers an argument of `bytes` bytes (outputs and workspace hold poison).
  Global argument(const std::string& name, akrt::Role role, uint64_t bytes);

  // Runs the program on every block; a fatal finding ends it quietly. Returns whether it ran to its end.
  bool run(const std::function<void()>& program);

  // Codes of the findings so far, in order, joined by spaces.
  std::string codes() const;
  // The first finding with this code, or an empty string.
  std::string finding(const std::string& code) const;
  bool has(const std::string& code) const { return !finding(code).empty(); }

  akrt::Launch& launch() { return launch_; }
  const std::vector<std::string>& lines() const { return sink_.lines; }

 private:
  Collect sink_;
  akrt::Launch launch_;
  std::vector<std::vector<uint8_t>> storage_;
};

// ---- instructions by hand, on the running core; bytes are moved, and Add adds uint8 ------------------------------
Local ub(uint32_t addr, uint32_t bytes);
void load(Local dst, Global src, uint64_t bytes, Site site = at(1));    // DataCopy on MTE2
void store(Global dst, Local src, uint64_t bytes, Site site = at(2));   // DataCopy on MTE3
void add(Local dst, Local a, Local b, uint64_t bytes, Site site = at(3));  // Add on V
void fill(Local dst, uint8_t value, uint64_t bytes, Site site = at(4));    // Duplicate on V
uint8_t event(Pipe src, Pipe dst);
// SetFlag and WaitFlag in a row.
void order(Pipe src, Pipe dst, Site site = at(90));

Local part(Local t, uint32_t offset, uint32_t bytes);
Global part(Global t, uint64_t offset, uint64_t bytes);

// Whether `text` has `word`.
inline bool contains(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

}  // namespace bench
