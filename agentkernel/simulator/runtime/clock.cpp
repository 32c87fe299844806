#include "clock.h"

#include <algorithm>

#include "access.h"
#include "banks.h"
#include "json.h"
#include "launch.h"

namespace akrt {

const char* pipe_name(Pipe pipe) {
  static constexpr const char* kNames[kPipes] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
  return kNames[static_cast<size_t>(pipe)];
}

Costs::Costs(const Params& p, int32_t running_cores)
    : clock_mhz(p.at("clock_mhz")),
      memory_bytes_per_cycle(p.at("memory_gb_per_s") * 1e3 / clock_mhz),
      memory_share(memory_bytes_per_cycle / running_cores),
      l2_share(p.at("l2_gb_per_s") * 1e3 / clock_mhz / running_cores),
      read_bytes_per_cycle(p.at("core_read_bytes_per_cycle")),
      write_bytes_per_cycle(p.at("core_write_bytes_per_cycle")),
      l2_bytes_per_cycle(p.at("core_l2_bytes_per_cycle")),
      unaligned_rate(p.at("unaligned_rate")),
      shared_line_rate(p.at("shared_line_rate")),
      mte_issue(p.at("mte_issue_cycles")),
      mte_burst(p.at("mte_burst_cycles")),
      l1_burst(p.at("mte_l1_burst_cycles")),
      mte_latency(p.at("mte_latency_cycles")),
      l0a_bytes_per_cycle(p.at("l0a_bytes_per_cycle")),
      l0b_bytes_per_cycle(p.at("l0b_bytes_per_cycle")),
      load_latency(p.at("load_data_latency_cycles")),
      img2col_latency(p.at("load_data_3d_latency_cycles")),
      table_bytes_per_cycle(p.at("table_bytes_per_cycle")),
      table_latency(p.at("table_latency_cycles")),
      mmad_issue(p.at("mmad_issue_cycles")),
      macs_per_cycle_half(p.at("mmad_half_macs_per_cycle")),
      fix_elements_per_cycle(p.at("fix_elements_per_cycle")),
      fix_latency(p.at("fix_latency_cycles")),
      v_issue(p.at("v_issue_cycles")),
      reduce_latency(p.at("v_reduce_latency_cycles")),
      scalar_start(p.at("scalar_start_us") * clock_mhz),
      scalar_issue(p.at("scalar_issue_cycles")),
      scalar_access(p.at("scalar_access_cycles")),
      launch_us(p.at("launch_us") + p.at("launch_core_us") * (running_cores - 1)) {}

CoreClock::CoreClock(ChipClock& chip, int32_t block)
    : costs_(chip.costs()), traffic_(chip.traffic()), block_(block), timeline_(chip.timeline()) {
  if (costs_.scalar_start > 0)
    trace({"start of the block", nullptr, block_, Pipe::S, false, 0, costs_.scalar_start, 0, 0, 0, 0, {}});
  scalar_spend(costs_.scalar_start);
}

// A core asks for its bytes at its own pace, piece by piece; memory and L2 deliver at the core's share of theirs.
// Whichever is slower decides.
CoreClock::Cost CoreClock::transfer(const Instr& instr) {
  const bool load = instr.pipe == Pipe::MTE2;
  Traffic t;
  bool to_l1 = false;
  for (int i = 0; i < instr.accesses; ++i) {
    const Access& a = instr.access[static_cast<size_t>(i)];
    to_l1 = to_l1 || (a.space == Space::L1 && a.write);
    if (a.space == Space::GM && a.write != load) t = load ? traffic_.read(a, block_) : traffic_.write(a, block_);
  }
  const double own = load ? costs_.read_bytes_per_cycle : costs_.write_bytes_per_cycle;
  const double l2 = load ? costs_.l2_bytes_per_cycle : costs_.write_bytes_per_cycle;
  const double cold = static_cast<double>(t.cold);
  const double cached = static_cast<double>(t.cached);
  const double shared = static_cast<double>(t.shared) / costs_.shared_line_rate;
  const double asked = (cold + shared) / own + cached / l2;
  const double delivered = (cold + shared) / costs_.memory_share + cached / costs_.l2_share;
  const double pieces = costs_.mte_issue + (to_l1 ? costs_.l1_burst : costs_.mte_burst) * (t.pieces - 1);
  const double core = pieces + asked / (t.aligned ? 1.0 : costs_.unaligned_rate);
  return {std::max(core, delivered), std::max(asked, delivered), 0};
}

CoreClock::Cost CoreClock::cost(const Instr& instr) {
  switch (instr.pipe) {
    case Pipe::V: {
      const double banks = bank_cycles(instr);
      const double cycles = std::max(instr.cycles, banks);
      return {costs_.v_issue + cycles, instr.cycles, cycles - instr.cycles};
    }
    case Pipe::MTE2:
    case Pipe::MTE3: {
      Cost c = transfer(instr);
      c.cycles += instr.cycles;
      return c;
    }
    case Pipe::FIX: {
      if (instr.bytes_moved == 0) return {instr.cycles, instr.cycles, 0};
      const Cost c = transfer(instr);  // to global memory, while elements are converted
      return {std::max(c.cycles, instr.cycles), std::max(c.work, instr.cycles), 0};
    }
    default: return {instr.cycles, instr.cycles, 0};
  }
}

void CoreClock::run(const Instr& instr, double issued) {
  const size_t p = index(instr.pipe);
  const Cost c = cost(instr);
  ++count_[p];
  if (instr.pipe == Pipe::S) {
    trace({instr.api, instr.site, block_, instr.pipe, false, scalar_, c.cycles, c.work, 0, 0, 0, {}});
    scalar_spend(c.cycles);
    return;
  }
  if (instr.pipe == Pipe::V && result_.ready > end_[p]) await_result(instr);
  Cause cause = held_[p] > end_[p] ? cause_[p] : Cause{};
  double start = std::max(end_[p], held_[p]);
  if (issued > start) start = issued, cause = {Held::kIssue, Pipe::S, "", nullptr};
  const double waited = start - end_[p];
  trace({instr.api, instr.site, block_, instr.pipe, false, start, c.cycles, c.work, c.conflict, instr.bytes_moved,
         waited, waited > 0 ? cause : Cause{}});
  end_[p] = start + c.cycles;
  const double latency = instr.pipe == Pipe::MTE2 ? costs_.mte_latency : instr.reduces ? costs_.reduce_latency : instr.latency;
  const double before = std::max(start, done_[p]);
  done_[p] = std::max(done_[p], end_[p] + latency);
  // A load keeps its pipe busy until its data are there, whatever is on the way at the same time.
  busy_[p] += instr.pipe == Pipe::MTE2 ? done_[p] - before : c.cycles;
  if (instr.reduces) keep_result(instr, done_[p]);
}

void CoreClock::await_result(const Instr& instr) {
  for (int i = 0; i < instr.accesses; ++i) {
    const Access& a = instr.access[static_cast<size_t>(i)];
    const Span span = bounds(a);
    if (a.write || a.space != Space::UB || span.begin >= result_.end || result_.begin >= span.end) continue;
    hold(Pipe::V, result_.ready, {Held::kResult, Pipe::V, result_.api, result_.site});
  }
}

void CoreClock::keep_result(const Instr& instr, double ready) {
  for (int i = 0; i < instr.accesses; ++i) {
    const Access& a = instr.access[static_cast<size_t>(i)];
    if (!a.write || a.space != Space::UB) continue;
    const Span span = bounds(a);
    result_ = {span.begin, span.end, ready, instr.api, instr.site};
  }
}

void CoreClock::scalar_access(const char* api, Site site) {
  ++count_[0];
  trace({api, site, block_, Pipe::S, false, scalar_, costs_.scalar_access, costs_.scalar_access, 0, 0, 0, {}});
  scalar_spend(costs_.scalar_access);
}

void CoreClock::scalar_wait(double until, const Cause& cause) {
  if (until <= scalar_) return;
  trace({cause.api, cause.site, block_, Pipe::S, true, scalar_, until - scalar_, 0, 0, 0, 0, cause});
  scalar_ = until;
}

double CoreClock::all_done() const { return std::max(scalar_, *std::max_element(done_.begin(), done_.end())); }

void CoreClock::hold(Pipe pipe, double time, const Cause& cause) {
  if (pipe == Pipe::S) {
    scalar_wait(time, cause);
  } else if (const size_t p = index(pipe); time > held_[p]) {
    held_[p] = time;
    cause_[p] = cause;
  }
}

void CoreClock::trace(const TimelineEvent& event) {
  if (timeline_ != nullptr && timeline_->size() < ChipClock::kMaxEvents) timeline_->push_back(event);
}

ChipClock::ChipClock(const LaunchConfig& config, const Params& params, const Regions& regions)
    : config_(config),
      resident_(std::min(config.blocks, config.cores)),
      costs_(params, resident_ * std::max(config.group.cubes, config.group.vectors)),
      traffic_(regions, static_cast<uint64_t>(params.at("l2_bytes"))),
      timeline_on_(config.timeline),
      cores_(static_cast<size_t>(resident_ * (config.group.cubes + config.group.vectors))),
      block_start_(static_cast<size_t>(config.core_count())) {}

int32_t ChipClock::physical(int32_t core) const {
  const int32_t place = config_.block_of(core) % resident_;
  if (config_.type_of(core) == CoreType::kCube) return resident_ * config_.group.vectors + place;
  return place * config_.group.vectors + config_.sub_of(core);
}

std::string ChipClock::physical_name(int32_t physical) const {
  if (!config_.split()) return "core " + std::to_string(physical);
  const int32_t vectors = resident_ * config_.group.vectors;
  return physical < vectors ? "AIV " + std::to_string(physical) : "AIC " + std::to_string(physical - vectors);
}

void ChipClock::add(const CoreClock& clock, int32_t block) {
  PhysicalCore& core = cores_[static_cast<size_t>(physical(block))];
  block_start_[static_cast<size_t>(block)] = core.cycles;
  core.cycles += clock.all_done();
  for (int i = 0; i < kPipes; ++i) {
    const auto p = static_cast<size_t>(i);
    core.busy[p] += clock.busy(static_cast<Pipe>(i));
    core.instructions[p] += clock.instructions(static_cast<Pipe>(i));
  }
}

const ChipClock::PhysicalCore& ChipClock::longest() const {
  return *std::max_element(cores_.begin(), cores_.end(),
                           [](const PhysicalCore& a, const PhysicalCore& b) { return a.cycles < b.cycles; });
}

double ChipClock::memory_cycles() const {
  return static_cast<double>(traffic_.memory_bytes()) / costs_.memory_bytes_per_cycle;
}

double ChipClock::kernel_us() const {
  return costs_.launch_us + std::max(longest().cycles, memory_cycles()) / costs_.clock_mhz;
}

std::string ChipClock::record() const {
  const PhysicalCore& core = longest();
  const double body_us = std::max(core.cycles, memory_cycles()) / costs_.clock_mhz;
  const double start_us = costs_.scalar_start / costs_.clock_mhz;
  const size_t busiest = static_cast<size_t>(std::max_element(core.busy.begin(), core.busy.end()) - core.busy.begin());
  const char* bound = pipe_name(static_cast<Pipe>(busiest));
  if (memory_cycles() > core.cycles) bound = "GM";
  if (costs_.launch_us + start_us > body_us - start_us) bound = "launch";
  std::string pipes = "[";
  for (int i = 0; i < kPipes; ++i) {
    const auto p = static_cast<size_t>(i);
    if (core.instructions[p] == 0 && core.busy[p] == 0) continue;
    JsonObject entry;
    entry.text("pipe", pipe_name(static_cast<Pipe>(i))).real("busy_us", core.busy[p] / costs_.clock_mhz);
    entry.number("instructions", static_cast<int64_t>(core.instructions[p]));
    if (pipes.size() > 1) pipes += ',';
    pipes += entry.str();
  }
  JsonObject record;
  record.text("t", "clock").real("kernel_us", kernel_us()).text("bound", bound);
  record.raw("pipes", pipes + "]");
  return record.str();
}

std::string ChipClock::timeline_json(const SiteMap& sites) const {
  TimelineHead head;
  head.clock_mhz = costs_.clock_mhz;
  head.kernel_us = kernel_us();
  head.launch_us = costs_.launch_us;
  head.memory_us = memory_cycles() / costs_.clock_mhz;
  head.mte_issue_us = costs_.mte_issue / costs_.clock_mhz;
  head.mte_latency_us = costs_.mte_latency / costs_.clock_mhz;
  head.running_cores = static_cast<int32_t>(cores_.size());
  for (int32_t i = 0; i < head.running_cores; ++i) head.names.push_back(physical_name(i));
  for (int32_t core = 0; core < config_.core_count(); ++core) head.physical.push_back(physical(core));
  head.complete = events_.size() < kMaxEvents;
  return akrt::timeline_json(head, events_, block_start_, sites);
}

}  // namespace akrt
