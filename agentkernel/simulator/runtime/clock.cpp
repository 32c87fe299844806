#include "clock.h"

#include <algorithm>
#include <set>
#include <utility>

#include "json.h"
#include "launch.h"

namespace akrt {

namespace {

// UB has 16 bank groups of one 32-byte row each; two reads of one instruction in one group take turns.
constexpr uint64_t kBankGroups = 16;

uint64_t bank_group(const Access& a) { return a.base / 32 % kBankGroups; }

// Pieces that a GM transfer is made of.
uint64_t bursts(const Instr& instr) {
  uint64_t most = 1;
  for (int i = 0; i < instr.accesses; ++i) {
    const Access& a = instr.access[static_cast<size_t>(i)];
    most = std::max(most, uint64_t{a.blocks} * a.repeats);
  }
  return most;
}

bool sources_share_banks(const Instr& instr) {
  const Access* first = nullptr;
  for (int i = 0; i < instr.accesses; ++i) {
    const Access& a = instr.access[static_cast<size_t>(i)];
    if (a.write || a.space != Space::UB) continue;
    if (first == nullptr) {
      first = &a;
    } else if (first->base != a.base && bank_group(*first) == bank_group(a)) {
      return true;
    }
  }
  return false;
}

}  // namespace

const char* pipe_name(Pipe pipe) {
  static constexpr const char* kNames[kPipes] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
  return kNames[static_cast<size_t>(pipe)];
}

Costs::Costs(const Params& p, int32_t running_cores)
    : clock_mhz(p.at("clock_mhz")),
      memory_bytes_per_cycle(p.at("memory_gb_per_s") * 1e3 / clock_mhz),
      mte_issue(p.at("mte_issue_cycles")),
      mte_burst(p.at("mte_burst_cycles")),
      mte_latency(p.at("mte_latency_cycles")),
      v_issue(p.at("v_issue_cycles")),
      bank_conflict(p.at("ub_bank_conflict_factor")),
      scalar_issue(p.at("scalar_issue_cycles")),
      scalar_access(p.at("scalar_access_cycles")),
      launch_us(p.at("launch_us")) {
  const double share = memory_bytes_per_cycle / running_cores;
  read_bytes_per_cycle = std::min(p.at("core_read_bytes_per_cycle"), share);
  write_bytes_per_cycle = std::min(p.at("core_write_bytes_per_cycle"), share);
}

double CoreClock::duration(const Instr& instr) const {
  switch (instr.pipe) {
    case Pipe::V:
      return costs_.v_issue + instr.cycles * (sources_share_banks(instr) ? costs_.bank_conflict : 1.0);
    case Pipe::MTE2:
    case Pipe::MTE3: {
      const double rate = instr.pipe == Pipe::MTE2 ? costs_.read_bytes_per_cycle : costs_.write_bytes_per_cycle;
      return costs_.mte_issue + instr.cycles + static_cast<double>(instr.bytes_moved) / rate +
             costs_.mte_burst * static_cast<double>(bursts(instr) - 1);
    }
    default: return instr.cycles;
  }
}

void CoreClock::run(const Instr& instr, double issued) {
  const size_t p = index(instr.pipe);
  const double cycles = duration(instr);
  ++count_[p];
  bytes_ += instr.bytes_moved;
  if (instr.pipe == Pipe::S) {
    trace(instr.api, instr.pipe, scalar_, cycles);
    scalar_spend(cycles);
    return;
  }
  const double start = std::max(free_[p], issued);
  free_[p] = start + cycles;
  const bool moves = instr.pipe == Pipe::MTE2 || instr.pipe == Pipe::MTE3;
  done_[p] = free_[p] + (moves ? costs_.mte_latency : 0.0);
  busy_[p] += cycles;
  trace(instr.api, instr.pipe, start, cycles);
}

void CoreClock::scalar_access(const char* api) {
  ++count_[0];
  trace(api, Pipe::S, scalar_, costs_.scalar_access);
  scalar_spend(costs_.scalar_access);
}

double CoreClock::all_done() const { return std::max(scalar_, *std::max_element(done_.begin(), done_.end())); }

void CoreClock::hold(Pipe pipe, double time) {
  if (pipe == Pipe::S) {
    scalar_wait(time);
  } else {
    free_[index(pipe)] = std::max(free_[index(pipe)], time);
  }
}

void CoreClock::trace(const char* api, Pipe pipe, double start, double cycles) {
  if (timeline_ == nullptr || timeline_->size() >= ChipClock::kMaxEvents) return;
  timeline_->push_back({api, block_, pipe, start, cycles});
}

ChipClock::ChipClock(const LaunchConfig& config, const Params& params)
    : costs_(params, std::min(config.blocks, config.cores)),
      timeline_on_(config.timeline),
      cores_(static_cast<size_t>(std::min(config.blocks, config.cores))),
      block_start_(static_cast<size_t>(config.blocks)) {}

void ChipClock::add(const CoreClock& clock, int32_t block) {
  PhysicalCore& core = cores_[static_cast<size_t>(block) % cores_.size()];
  block_start_[static_cast<size_t>(block)] = core.cycles;
  core.cycles += clock.all_done();
  for (int i = 0; i < kPipes; ++i) {
    const auto p = static_cast<size_t>(i);
    core.busy[p] += clock.busy(static_cast<Pipe>(i));
    core.instructions[p] += clock.instructions(static_cast<Pipe>(i));
  }
  bytes_ += clock.bytes_moved();
}

double ChipClock::core_cycles() const {
  double most = 0;
  for (const PhysicalCore& c : cores_) most = std::max(most, c.cycles);
  return most;
}

std::string ChipClock::record() const {
  const PhysicalCore* longest = &cores_[0];
  for (const PhysicalCore& c : cores_)
    if (c.cycles > longest->cycles) longest = &c;
  const double memory_cycles = static_cast<double>(bytes_) / costs_.memory_bytes_per_cycle;
  const double cycles = std::max(longest->cycles, memory_cycles);
  const double body_us = cycles / costs_.clock_mhz;
  const size_t busiest =
      static_cast<size_t>(std::max_element(longest->busy.begin(), longest->busy.end()) - longest->busy.begin());
  const char* bound = pipe_name(static_cast<Pipe>(busiest));
  if (memory_cycles > longest->cycles) bound = "GM";
  if (costs_.launch_us > body_us) bound = "launch";
  std::string pipes = "[";
  for (int i = 0; i < kPipes; ++i) {
    const auto p = static_cast<size_t>(i);
    if (longest->instructions[p] == 0 && longest->busy[p] == 0) continue;
    JsonObject entry;
    entry.text("pipe", pipe_name(static_cast<Pipe>(i))).real("busy_us", longest->busy[p] / costs_.clock_mhz);
    entry.number("instructions", static_cast<int64_t>(longest->instructions[p]));
    if (pipes.size() > 1) pipes += ',';
    pipes += entry.str();
  }
  JsonObject record;
  record.text("t", "clock").real("kernel_us", costs_.launch_us + body_us).text("bound", bound);
  record.raw("pipes", pipes + "]");
  return record.str();
}

std::string ChipClock::timeline_json() const {
  std::string out = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  std::set<std::pair<int32_t, Pipe>> rows;
  for (const TimelineEvent& e : events_) {
    const int32_t core = e.block % static_cast<int32_t>(cores_.size());
    const double start = block_start_[static_cast<size_t>(e.block)] + e.start;
    rows.insert({core, e.pipe});
    JsonObject event;
    event.text("name", e.api).text("ph", "X").real("ts", start / costs_.clock_mhz);
    event.real("dur", e.cycles / costs_.clock_mhz).number("pid", core).number("tid", static_cast<int>(e.pipe));
    out += event.str() + ",\n";
  }
  // Names of the rows; the viewer accepts them at the end.
  for (const auto& [core, pipe] : rows) {
    JsonObject row;
    row.text("name", "thread_name").text("ph", "M").number("pid", core).number("tid", static_cast<int>(pipe));
    row.raw("args", JsonObject().text("name", pipe_name(pipe)).str());
    out += row.str() + ",\n";
  }
  if (out.back() == '\n') out.resize(out.size() - 2);
  return out + "]}\n";
}

}  // namespace akrt
