// When things happen: an event-driven estimate per pipe of a core, and for the chip.
//
// A pipe starts an instruction when it is free, the scalar program has issued it, and every flag it waited for has been
// set. All times of a core are in cycles since its block began.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "machine.h"

namespace akrt {

class Params;
struct LaunchConfig;

// Costs in cycles, taken from the chip parameters once.
struct Costs {
  explicit Costs(const Params& params, int32_t running_cores);
  double clock_mhz;
  double read_bytes_per_cycle;   // one core, after sharing the chip's memory bandwidth
  double write_bytes_per_cycle;
  double memory_bytes_per_cycle; // whole chip
  double mte_issue;
  double mte_burst;              // per piece of a strided transfer beyond the first
  double mte_latency;            // from the end of a transfer's issue to its data being there
  double v_issue;
  double bank_conflict;          // factor on a vector instruction whose two sources share a bank group
  double scalar_issue;           // scalar program, per API call
  double scalar_access;          // GetValue / SetValue
  double launch_us;
};

struct TimelineEvent {
  const char* api;
  int32_t block;
  Pipe pipe;
  double start;  // cycles since the block began
  double cycles;
};

class CoreClock {
 public:
  CoreClock(const Costs& costs, int32_t block, std::vector<TimelineEvent>* timeline)
      : costs_(costs), block_(block), timeline_(timeline) {}

  double scalar_now() const { return scalar_; }
  void scalar_spend(double cycles) { scalar_ += cycles, busy_[0] += cycles; }
  void scalar_call() { scalar_spend(costs_.scalar_issue); }
  void scalar_wait(double until) { scalar_ = std::max(scalar_, until); }

  // Runs an instruction of a queue that was issued at `issued`.
  void run(const Instr& instr, double issued);
  void scalar_access(const char* api);
  // Time at which everything that `pipe` has run is complete.
  double done(Pipe pipe) const { return pipe == Pipe::S ? scalar_ : done_[index(pipe)]; }
  double all_done() const;
  // Nothing on `pipe` starts before `time`.
  void hold(Pipe pipe, double time);

  double busy(Pipe pipe) const { return busy_[index(pipe)]; }
  uint64_t instructions(Pipe pipe) const { return count_[index(pipe)]; }
  uint64_t bytes_moved() const { return bytes_; }

 private:
  static size_t index(Pipe p) { return static_cast<size_t>(p); }
  double duration(const Instr& instr) const;
  void trace(const char* api, Pipe pipe, double start, double cycles);

  const Costs& costs_;
  int32_t block_;
  std::vector<TimelineEvent>* timeline_;
  double scalar_ = 0;
  std::array<double, kPipes> free_{};
  std::array<double, kPipes> done_{};
  std::array<double, kPipes> busy_{};
  std::array<uint64_t, kPipes> count_{};
  uint64_t bytes_ = 0;
};

class ChipClock {
 public:
  static constexpr size_t kMaxEvents = 200000;

  ChipClock(const LaunchConfig& config, const Params& params);
  const Costs& costs() const { return costs_; }
  std::vector<TimelineEvent>* timeline() { return timeline_on_ ? &events_ : nullptr; }
  // Adds a finished block; blocks beyond the physical cores run in rounds on the same core.
  void add(const CoreClock& core, int32_t block);

  std::string record() const;         // the `clock` record
  std::string timeline_json() const;  // Chrome trace

 private:
  struct PhysicalCore {
    double cycles = 0;
    std::array<double, kPipes> busy{};
    std::array<uint64_t, kPipes> instructions{};
  };
  double core_cycles() const;

  Costs costs_;
  bool timeline_on_;
  std::vector<PhysicalCore> cores_;
  std::vector<double> block_start_;
  uint64_t bytes_ = 0;
  std::vector<TimelineEvent> events_;
};

const char* pipe_name(Pipe pipe);

}  // namespace akrt
