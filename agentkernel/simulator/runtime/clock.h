// When things happen: an event-driven estimate per pipe of a core, and for the chip.
//
// A pipe starts an instruction when it is free, the scalar program has issued it, and every flag it waited for has been
// set. All times of a core are in cycles since its block began.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gm_traffic.h"
#include "machine.h"
#include "timeline.h"

namespace akrt {

class ChipClock;
class Params;
struct LaunchConfig;

// Costs in cycles, taken from the chip parameters once.
struct Costs {
  explicit Costs(const Params& params, int32_t running_cores);
  double clock_mhz;
  double memory_bytes_per_cycle;  // whole chip
  double memory_share;            // of one core, bytes per cycle
  double l2_share;
  double read_bytes_per_cycle;    // what one core can take from memory
  double write_bytes_per_cycle;
  double l2_bytes_per_cycle;      // what one core can take from L2
  double unaligned_rate;          // part of the rate that transfers off 512-byte boundaries reach
  double shared_line_rate;        // part of the rate where other cores want the same lines
  double mte_issue;
  double mte_burst;               // per piece of a strided transfer beyond the first
  double l1_burst;                // the same on the way to L1
  double mte_latency;             // from the end of a load's issue to its data being there
  double l0a_bytes_per_cycle;     // L1 to L0A
  double l0b_bytes_per_cycle;
  double load_latency;            // of LoadData
  double img2col_latency;
  double table_bytes_per_cycle;   // L1 to bias table and Fixpipe buffer
  double table_latency;
  double mmad_issue;
  double macs_per_cycle_half;     // float has a quarter, HF32 half, int8 twice, int4 four times as many
  double fix_elements_per_cycle;
  double fix_latency;
  double v_issue;
  double reduce_latency;          // from the end of a reduction to its result
  double scalar_start;            // what a block does before its first statement
  double scalar_issue;            // scalar program, per API call
  double scalar_access;           // GetValue / SetValue
  double launch_us;               // scheduling, start and report of all cores
};

class CoreClock {
 public:
  CoreClock(ChipClock& chip, int32_t block);

  double scalar_now() const { return scalar_; }
  void scalar_spend(double cycles) { scalar_ += cycles, busy_[0] += cycles; }
  void scalar_call() { scalar_spend(costs_.scalar_issue); }
  void scalar_wait(double until, const Cause& cause);

  // Runs an instruction of a queue that was issued at `issued`.
  void run(const Instr& instr, double issued);
  void scalar_access(const char* api, Site site);
  // Time at which everything that `pipe` has run is complete.
  double done(Pipe pipe) const { return pipe == Pipe::S ? scalar_ : done_[index(pipe)]; }
  double all_done() const;
  // Nothing on `pipe` starts before `time`.
  void hold(Pipe pipe, double time, const Cause& cause);

  double busy(Pipe pipe) const { return busy_[index(pipe)]; }
  uint64_t instructions(Pipe pipe) const { return count_[index(pipe)]; }

 private:
  // What an instruction costs: `cycles` on its pipe, of which `work` at full rate and `conflict` over banks.
  struct Cost {
    double cycles = 0;
    double work = 0;
    double conflict = 0;
  };
  // The last reduction: who reads its result waits for it, with or without a barrier in the program.
  struct Result {
    uint64_t begin = 0;
    uint64_t end = 0;
    double ready = 0;
    const char* api = "";
    Site site = nullptr;
  };

  static size_t index(Pipe p) { return static_cast<size_t>(p); }
  Cost cost(const Instr& instr);
  Cost transfer(const Instr& instr);
  void await_result(const Instr& instr);
  void keep_result(const Instr& instr, double ready);
  void trace(const TimelineEvent& event);

  const Costs& costs_;
  GmTraffic& traffic_;
  int32_t block_;
  std::vector<TimelineEvent>* timeline_;
  double scalar_ = 0;
  std::array<double, kPipes> end_{};   // of the pipe's last instruction
  std::array<double, kPipes> held_{};  // nothing starts before
  std::array<Cause, kPipes> cause_{};
  std::array<double, kPipes> done_{};
  std::array<double, kPipes> busy_{};
  std::array<uint64_t, kPipes> count_{};
  Result result_;
};

class ChipClock {
 public:
  static constexpr size_t kMaxEvents = 200000;

  ChipClock(const LaunchConfig& config, const Params& params, const Regions& regions);
  const Costs& costs() const { return costs_; }
  GmTraffic& traffic() { return traffic_; }
  std::vector<TimelineEvent>* timeline() { return timeline_on_ ? &events_ : nullptr; }
  // Adds a finished block; blocks beyond the physical cores run in rounds on the same core.
  void add(const CoreClock& core, int32_t block);

  std::string record() const;  // the `clock` record
  std::string timeline_json(const SiteMap& sites) const;

 private:
  struct PhysicalCore {
    double cycles = 0;
    std::array<double, kPipes> busy{};
    std::array<uint64_t, kPipes> instructions{};
  };
  const PhysicalCore& longest() const;
  double memory_cycles() const;
  double kernel_us() const;

  // The physical core that a core of the launch runs on, and how a timeline names it.
  int32_t physical(int32_t core) const;
  std::string physical_name(int32_t physical) const;

  const LaunchConfig& config_;
  int32_t resident_;  // blocks that run at once
  Costs costs_;
  GmTraffic traffic_;
  bool timeline_on_;
  std::vector<PhysicalCore> cores_;
  std::vector<double> block_start_;
  std::vector<TimelineEvent> events_;
};

const char* pipe_name(Pipe pipe);

}  // namespace akrt
