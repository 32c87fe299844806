// What a core does to tell others and to hear from them: barriers over all cores, slots in global memory, flags.
#include <algorithm>
#include <string>

#include "access.h"
#include "core.h"
#include "json.h"

namespace akrt {

namespace {

constexpr uint64_t kSlotBytes = 32;
constexpr int32_t kFirstOwnFlag = 11, kLastOwnFlag = 14;  // of SyncAll without workspace

}  // namespace

Finding argument_error(const char* api, Site site, std::string message, std::string hint) {
  Finding f;
  f.code = "illegal-argument", f.api = api, f.site = site;
  f.message = std::move(message), f.hint = std::move(hint);
  return f;
}

void Core::require_resident(const char* api, Site site) {
  const LaunchConfig& config = launch_.config();
  if (config.blocks <= config.cores) return;
  Finding f;
  f.code = "deadlock", f.api = api, f.site = site;
  f.message = "The kernel hangs: " + std::string(api) + " in a launch of " + std::to_string(config.blocks) +
              " blocks on " + std::to_string(config.cores) +
              " cores. A block that waits keeps its core, so the blocks of later rounds never begin.";
  f.hint = "Launch at most as many blocks as there are cores, and let each do more of the work.";
  f.evidence = JsonObject().number("blocks", config.blocks).number("cores", config.cores).str();
  fatal(std::move(f));
}

void Core::check_scheduled(const char* api, Site site) {
  if (launch_.config().scheduled) return;
  const bool cube = type_ == CoreType::kCube;
  Finding f;
  f.code = "no-scheduler", f.api = api, f.site = site;
  f.message = std::string(api) + " in a kernel for " + (cube ? "cube" : "vector") +
              " cores alone: nothing carries signals between its cores.";
  f.hint = cube ? "Declare it __mix__(1, 0) or KERNEL_TYPE_MIX_AIC_1_0." : "Declare it __mix__(0, 1) or KERNEL_TYPE_MIX_AIV_1_0.";
  report(f);
}

void Core::use_workspace(const Global& workspace, uint64_t begin, uint64_t bytes, bool zeroed, const char* api,
                         Site site) {
  Access a = contiguous(workspace, bytes);
  a.base += begin, a.write = true;
  if (!check_access(*this, Pipe::S, api, site, a) || !zeroed) return;
  Region& region = *launch_.regions().find(a.base);
  uint64_t unwritten = 0;
  Stamp foreign;
  region.shadow.visit(a.base - region.begin, a.base + bytes - region.begin, [&](const Cell& cell, uint64_t b, uint64_t e) {
    const Stamp& w = cell.writer;
    if (w.tick == 0) unwritten += e - b;
    else if (w.core != block_ && !hazards_.issue_clock().of_core(w.core, static_cast<Pipe>(w.pipe), w.tick)) foreign = w;
  });
  const auto* data = reinterpret_cast<const uint8_t*>(a.base);
  Finding f;
  f.api = api, f.site = site;
  f.hint = "Every core has to write zeros to the whole workspace before it calls " + std::string(api) +
           " for the first time, and wait for that write.";
  f.evidence = place_json(launch_, Space::GM, a.base, a.base + bytes);
  const std::string where = place(launch_, Space::GM, a.base, a.base + bytes);
  if (unwritten != 0) {
    f.code = "uninitialised-read";
    f.message = std::string(api) + " works on " + where + ", of which " + std::to_string(unwritten) +
                " bytes were never written; it counts on zeros there.";
  } else if (foreign.tick != 0) {
    const Source& source = launch_.sources()[foreign.source];
    f.code = "gm-race", f.level = "hazard", f.other_api = source.api, f.other_site = source.site;
    f.message = std::string(api) + " counts on zeros in " + where + " that " + source.api + " writes on another core (" +
                launch_.config().name_of(static_cast<int32_t>(foreign.core)) + "), and nothing orders the two cores.";
  } else if (std::any_of(data, data + bytes, [](uint8_t byte) { return byte != 0; })) {
    f.code = "illegal-argument";
    f.message = std::string(api) + " counts on zeros in " + where + ", which holds other values.";
  } else {
    return;
  }
  report(f);
}

void Core::use_scratch(const Local& scratch, uint64_t bytes, const char* api, Site site) {
  Access a = contiguous(scratch, bytes);
  a.write = true, a.undefined = true;
  if (!check_access(*this, Pipe::S, api, site, a)) return;
  Executing e = hazards_.begin(api, site, Pipe::S, hazards_.issue_clock(), seq_, false);
  observe(e, a);
  hazards_.missing().clear();  // the pipes are at rest
  hazards_.order_scalar_stores();
}

Signal Core::at_rest(const char* api, Site site) {
  pipe_barrier_all(api, site);
  return {hazards_.told(hazards_.issue_clock()), clock_.scalar_now(), {}};
}

void Core::await_cores(CoreWait wait) { launch_.cores().await(std::move(wait)); }

void Core::hear(const std::vector<Signal>& signals, double cycles, const char* api, Site site) {
  std::vector<KnowledgePtr> told;
  double last = 0;
  for (const Signal& signal : signals) {
    told.push_back(signal.told);
    last = std::max(last, signal.time);
  }
  hazards_.learn(told);
  clock_.scalar_wait(last + cycles, {Held::kCores, Pipe::S, api, site});
}

// The last look at the slots, which finds them set.
double Core::poll_cycles(uint64_t bytes) const {
  const Costs& costs = launch_.clock().costs();
  return costs.mte_issue + static_cast<double>(bytes) / costs.l2_bytes_per_cycle + costs.mte_latency;
}

// ---- barriers over all cores --------------------------------------------------------------------------------------

void Core::sync_all(bool vector_only, Site site) {
  constexpr const char* kApi = "SyncAll";
  check_scheduled(kApi, site);
  require_resident(kApi, site);
  const LaunchConfig& config = launch_.config();
  if (!vector_only && (config.group.cubes == 0 || config.group.vectors == 0)) {
    Finding f;
    f.code = "deadlock", f.api = kApi, f.site = site;
    f.message = std::string("The kernel hangs: SyncAll<false> waits for the ") +
                (config.group.cubes == 0 ? "cube cores, too, and none runs" : "vector cores, too, and none runs") +
                " in this launch.";
    f.hint = "Call SyncAll() in a kernel that has cores of one type only.";
    fatal(std::move(f));
  }
  CrossCore& cross = launch_.cross_core();
  if (cross.hard_barrier().api == nullptr) cross.hard_barrier() = {kApi, site};
  for (int32_t flag = kFirstOwnFlag; flag <= kLastOwnFlag; ++flag) {
    const CrossCore::Use& use = cross.flag_uses()[static_cast<size_t>(flag)];
    if (use.api != nullptr) report_flag_clash(flag, use);
  }
  const bool cube = type_ == CoreType::kCube;
  const int32_t first = vector_only && cube ? config.vector_cores() : 0;
  const int32_t last = vector_only && !cube ? config.vector_cores() : config.core_count();
  const auto place = !vector_only ? CrossCore::kAllCores : cube ? CrossCore::kCubeCores : CrossCore::kVectorCores;
  const char* name = !vector_only ? "SyncAll<false>" : cube ? "SyncAll of AIC" : "SyncAll";
  meet(place, name, first, last, at_rest(kApi, site), cross_core_cycles(), kApi, site);
}

void Core::sync_all(const Global& workspace, const Local& scratch, int32_t used_cores, bool vector_only, Site site) {
  constexpr const char* kApi = "SyncAll";
  require_resident(kApi, site);
  const int32_t all = launch_.config().vector_cores();
  if (used_cores < 0 || used_cores > all || !vector_only || type_ == CoreType::kCube) {
    report(argument_error(kApi, site,
                          !vector_only ? "SyncAll<false> with a workspace: this form is for vector cores only."
                          : type_ == CoreType::kCube
                              ? "SyncAll with a workspace on a cube core: this form is for vector cores only."
                              : "SyncAll over " + std::to_string(used_cores) + " cores in a launch of " +
                                    std::to_string(all) + (launch_.config().split() ? " vector cores." : " blocks."),
                          "usedCores is at most the number of vector cores, and 0 for all of them; cube cores take part "
                          "in SyncAll<false>() only."));
    return;
  }
  const int32_t cores = used_cores == 0 ? all : used_cores;
  if (block_ >= cores) {
    report(argument_error(kApi, site,
                          (launch_.config().split() ? launch_.config().name_of(block_) : "Block " + std::to_string(block_)) +
                              " calls SyncAll over the first " + std::to_string(cores) + " cores.",
                          "Only the cores that take part may call it."));
    return;
  }
  const uint64_t bytes = static_cast<uint64_t>(cores) * kSlotBytes;
  Signal signal = at_rest(kApi, site);
  use_workspace(workspace, 0, bytes, true, kApi, site);
  use_scratch(scratch, bytes, kApi, site);
  const Costs& costs = launch_.clock().costs();
  signal.time += costs.mte_issue + static_cast<double>(kSlotBytes) / costs.write_bytes_per_cycle;
  meet(workspace.addr, "SyncAll " + place(launch_, Space::GM, workspace.addr, workspace.addr + bytes), 0, cores,
       std::move(signal), poll_cycles(bytes), kApi, site);
}

void Core::meet(uint64_t place, const std::string& barrier, int32_t first, int32_t last, Signal signal, double cycles,
                const char* api, Site site) {
  Meeting& meeting = launch_.cross_core().meeting(place);
  const int64_t round = meeting.arrive(block_, std::move(signal));
  if (trace_ != nullptr) {
    const auto name = [&](int32_t core) { return barrier + " #" + std::to_string(round) + " of " + std::to_string(core); };
    std::vector<std::string> awaited;
    for (int32_t core = first; core < last; ++core) awaited.push_back(name(core));
    trace_->signal(name(block_), pipe_name(Pipe::S), api, site, block_);
    trace_->await(awaited, api, site, block_);
  }
  const auto lacking = [&meeting, round, first, last] { return meeting.lacking(round, first, last); };
  await_cores({api, site, "call " + std::to_string(round), [lacking] { return lacking().empty(); }, lacking});
  hear(meeting.leave(round, first, last), cycles, api, site);
}

double Core::cross_core_cycles() const {
  return launch_.params().at("cross_core_flag_us") * launch_.clock().costs().clock_mhz;
}

// ---- slots ---------------------------------------------------------------------------------------------------------

uint64_t Core::block_slot(const Global& workspace, const Local& scratch, int32_t block, int32_t event, bool vector_only,
                          const char* api, Site site) {
  require_resident(api, site);
  const int32_t cores = vector_only ? launch_.config().vector_cores() : launch_.config().blocks * 2;
  if (block < 0 || block >= cores || event < 0) {
    Finding f = argument_error(api, site,
                               std::string(api) + " with blockIdx " + std::to_string(block) + " and eventID " +
                                   std::to_string(event) + " in a launch of " + std::to_string(cores) + " cores.",
                               "blockIdx names a core of the launch, eventID is 0 or more.");
    fatal(std::move(f));
  }
  const uint64_t offset = (static_cast<uint64_t>(cores) * static_cast<uint64_t>(event) + static_cast<uint64_t>(block)) * kSlotBytes;
  use_workspace(workspace, offset, kSlotBytes, true, api, site);
  use_scratch(scratch, kSlotBytes, api, site);
  return workspace.addr + offset;
}

void Core::block_set(const Global& workspace, const Local& scratch, int32_t block, int32_t event, bool vector_only,
                     Site site) {
  constexpr const char* kApi = "IBSet";
  Signal signal = at_rest(kApi, site);
  const uint64_t at = block_slot(workspace, scratch, block, event, vector_only, kApi, site);
  const Costs& costs = launch_.clock().costs();
  clock_.scalar_spend(costs.mte_issue + static_cast<double>(kSlotBytes) / costs.write_bytes_per_cycle);
  signal.time = clock_.scalar_now();
  const int64_t n = launch_.cross_core().slot(at, 0).set(std::move(signal));
  if (trace_ != nullptr) trace_->signal(slot_name(at, n), pipe_name(Pipe::S), kApi, site, block_);
}

void Core::block_wait(const Global& workspace, const Local& scratch, int32_t block, int32_t event, bool vector_only,
                      Site site) {
  constexpr const char* kApi = "IBWait";
  at_rest(kApi, site);
  const uint64_t at = block_slot(workspace, scratch, block, event, vector_only, kApi, site);
  Slot& slot = launch_.cross_core().slot(at, 0);
  const int64_t n = slot.wait();
  if (trace_ != nullptr) trace_->await({slot_name(at, n)}, kApi, site, block_);
  await_cores({kApi, site, "IBSet number " + std::to_string(n) + " of blockIdx " + std::to_string(block) + ", eventID " +
                               std::to_string(event),
               [&slot, n] { return slot.is_set(n); }, [] { return std::vector<int32_t>{}; }});
  hear({slot.signal(n)}, poll_cycles(kSlotBytes), kApi, site);
}

std::string Core::slot_name(uint64_t at, int64_t n) const {
  return "IBSet " + place(launch_, Space::GM, at, at + kSlotBytes) + " #" + std::to_string(n);
}

// ---- one core after the other --------------------------------------------------------------------------------------

void Core::order_init(const Global& workspace, const Local& scratch, Site site) {
  constexpr const char* kApi = "InitDetermineComputeWorkspace";
  require_resident(kApi, site);
  at_rest(kApi, site);
  const uint64_t bytes = static_cast<uint64_t>(launch_.config().vector_cores()) * kSlotBytes;
  use_workspace(workspace, 0, bytes, false, kApi, site);
  use_scratch(scratch, bytes + kSlotBytes, kApi, site);
  ordered_.insert(workspace.addr);
}

uint64_t Core::order_at(const Global& workspace, const Local& scratch, const char* api, Site site) {
  require_resident(api, site);
  const uint64_t bytes = static_cast<uint64_t>(launch_.config().vector_cores()) * kSlotBytes;
  use_scratch(scratch, bytes + kSlotBytes, api, site);
  if (!ordered_.contains(workspace.addr))
    report(argument_error(api, site, std::string(api) + " on a workspace that InitDetermineComputeWorkspace never set up.",
                          "Call InitDetermineComputeWorkspace with the same workspace on every core first."));
  return workspace.addr;
}

void Core::order_wait(const Global& workspace, const Local& scratch, Site site) {
  constexpr const char* kApi = "WaitPreBlock";
  at_rest(kApi, site);
  const uint64_t at = order_at(workspace, scratch, kApi, site);
  CrossCore& cross = launch_.cross_core();
  const int64_t turn = cross.slot(at, 1 + block_).wait();
  // Block 0 begins; its next turn comes when the last block has had one.
  const int32_t before = block_ == 0 ? launch_.config().vector_cores() - 1 : block_ - 1;
  const int64_t n = block_ == 0 ? turn - 1 : turn;
  if (n == 0) return;
  Slot& slot = cross.slot(at, 1 + before);
  if (trace_ != nullptr) trace_->await({order_name(at, before, n)}, kApi, site, block_);
  await_cores({kApi, site, "NotifyNextBlock number " + std::to_string(n), [&slot, n] { return slot.is_set(n); },
               [before] { return std::vector<int32_t>{before}; }});
  hear({slot.signal(n)}, poll_cycles(kSlotBytes), kApi, site);
}

void Core::order_notify(const Global& workspace, const Local& scratch, Site site) {
  constexpr const char* kApi = "NotifyNextBlock";
  Signal signal = at_rest(kApi, site);
  const uint64_t at = order_at(workspace, scratch, kApi, site);
  const Costs& costs = launch_.clock().costs();
  clock_.scalar_spend(costs.mte_issue + static_cast<double>(kSlotBytes) / costs.write_bytes_per_cycle);
  signal.time = clock_.scalar_now();
  const int64_t n = launch_.cross_core().slot(at, 1 + block_).set(std::move(signal));
  if (trace_ != nullptr) trace_->signal(order_name(at, block_, n), pipe_name(Pipe::S), kApi, site, block_);
}

std::string Core::order_name(uint64_t at, int32_t block, int64_t n) const {
  return "NotifyNextBlock " + place(launch_, Space::GM, at, at) + " #" + std::to_string(n) + " of " + std::to_string(block);
}

// ---- flags ---------------------------------------------------------------------------------------------------------

void Core::report_flag_clash(int32_t flag, const CrossCore::Use& use) {
  const CrossCore::Use& barrier = launch_.cross_core().hard_barrier();
  Finding f;
  f.code = "cross-core-flag", f.api = use.api, f.site = use.site, f.other_api = barrier.api, f.other_site = barrier.site;
  f.message = std::string(use.api) + " uses flag " + std::to_string(flag) + ", which SyncAll() takes for itself.";
  f.hint = "Flags 11 to 14 belong to SyncAll without a workspace: use another one.";
  report(f);
}

void Core::report_matmul_clash(int32_t flag, const CrossCore::Use& use) {
  const CrossCore::Use& library = launch_.cross_core().matmul();
  Finding f;
  f.code = "cross-core-flag", f.api = use.api, f.site = use.site, f.other_api = library.api, f.other_site = library.site;
  f.message = std::string(use.api) + " uses flag " + std::to_string(flag) + ", which the Matmul objects of this kernel take for themselves.";
  f.hint = "N Matmul objects use the flags 0 to 2N-1: take one from " + std::to_string(launch_.cross_core().matmul_flags()) + " to 10.";
  report(f);
}

bool Core::check_flag(int32_t flag, const char* api, Site site) {
  if (flag >= 0 && flag < CoreFlags::kFlags) return true;
  Finding f;
  f.code = "cross-core-flag", f.api = api, f.site = site;
  f.message = std::string(api) + " with flag " + std::to_string(flag) + "; flags are 0 to 15.";
  f.hint = "Only the low 4 bits of a flag count: use 0 to 10, the others belong to the library.";
  report(f);
  return false;
}

void Core::cross_set(uint8_t mode, Pipe pipe, int32_t flag, Site site) {
  constexpr const char* kApi = "CrossCoreSetFlag";
  call(kApi, site);
  check_scheduled(kApi, site);
  if (!check_flag(flag, kApi, site)) return;
  if (circle_of(launch_.config(), mode, block_).receivers.empty()) {
    report(argument_error(kApi, site,
                          mode == 1 ? "CrossCoreSetFlag in mode 1 joins the two vector cores of a block, and there are none."
                                    : "CrossCoreSetFlag in mode 2 joins the cube core and the vector cores of a block, and "
                                      "this launch has cores of one type only.",
                          "The kernel's type says which cores a block has: KERNEL_TYPE_MIX_AIC_1_2 for both."));
    return;
  }
  CrossCore& cross = launch_.cross_core();
  cross.flag_uses()[static_cast<size_t>(flag)] = {kApi, site};
  const bool own = flag >= kFirstOwnFlag && flag <= kLastOwnFlag;
  if (own && cross.hard_barrier().api != nullptr) report_flag_clash(flag, {kApi, site});
  if (flag < cross.matmul_flags()) report_matmul_clash(flag, {kApi, site});
  const uint32_t seq = ++seq_;
  if (trace_ != nullptr) {
    const std::vector<int32_t> to = circle_of(launch_.config(), mode, block_).receivers;
    trace_->signal(flag_name(flag, block_, seq), pipe_name(pipe), kApi, site, block_, to);
  }
  submit(pipe, {Kind::kSignal, mode, static_cast<uint8_t>(flag), kApi, site, seq, hazards_.issue_clock(),
                clock_.scalar_now(), nullptr});
}

void Core::signal(Pipe pipe, const Entry& entry) {
  const int32_t flag = entry.id;
  Known known = hazards_.completion(pipe);
  known.join(entry.issued);
  const Circle circle = circle_of(launch_.config(), entry.event, block_);
  CoreFlags& flags = launch_.cross_core().flags();
  Signal signal{hazards_.told(known), clock_.done(pipe), {}};
  if (trace_ != nullptr) signal.name = flag_name(flag, block_, entry.seq);
  flags.set(flag, circle, block_, std::move(signal));
  for (const int32_t core : circle.receivers) {
    if (flags.count(flag, core) <= CoreFlags::kMostCount) continue;
    Finding f;
    f.code = "cross-core-flag", f.api = entry.api, f.site = entry.site;
    f.message = "Flag " + std::to_string(flag) + " of " + launch_.config().name_of(core) +
                " is set a 16th time before that core waits for it: its counter holds at most 15.";
    f.hint = "Let every CrossCoreSetFlag be followed by a CrossCoreWaitFlag of the same flag on each core that it is for.";
    report(f);
    return;
  }
}

void Core::cross_wait(int32_t flag, Site site) {
  constexpr const char* kApi = "CrossCoreWaitFlag";
  call(kApi, site);
  check_scheduled(kApi, site);
  if (!check_flag(flag, kApi, site)) return;
  require_resident(kApi, site);
  CoreFlags& flags = launch_.cross_core().flags();
  const LaunchConfig& config = launch_.config();
  const auto lacking = [&flags, &config, flag, core = block_] {
    // Who sets a flag in mode 2 for a core: the other type's cores of its block.
    Circle usual = circle_of(config, config.split() ? 2 : 0, core);
    if (config.split()) std::swap(usual.senders, usual.receivers);
    return flags.lacking(flag, core, usual);
  };
  await_cores({kApi, site, "CrossCoreSetFlag of flag " + std::to_string(flag),
               [&flags, flag, core = block_] { return flags.is_up(flag, core); }, lacking,
               // In a trace a wait names what it heard. One that hears nothing waits for what nobody tells.
               [this, flag, site] {
                 if (trace_ != nullptr) trace_->await({"flag " + std::to_string(flag) + ", never"}, kApi, site, block_);
               }});
  const std::vector<Signal> told = flags.take(flag, block_);
  if (trace_ != nullptr) {
    std::vector<std::string> awaited;
    for (const Signal& signal : told) awaited.push_back(signal.name);
    trace_->await(awaited, kApi, site, block_);
  }
  hear(told, cross_core_cycles(), kApi, site);
}

std::string Core::flag_name(int32_t flag, int32_t core, uint32_t seq) {
  return "flag " + std::to_string(flag) + " #" + std::to_string(seq) + " of " + std::to_string(core);
}

void report_flags_left(Launch& launch) {
  CrossCore& cross = launch.cross_core();
  for (int32_t flag = 0; flag < CoreFlags::kFlags; ++flag) {
    for (int32_t core = 0; core < launch.config().core_count(); ++core) {
      if (cross.flags().count(flag, core) <= 0 && !cross.flags().pending(flag, core)) continue;
      const CrossCore::Use& use = cross.flag_uses()[static_cast<size_t>(flag)];
      Finding f;
      f.code = "flag-left-set", f.api = use.api, f.site = use.site;
      f.message = "Flag " + std::to_string(flag) + " between cores is still set when the kernel ends (" +
                  launch.config().name_of(core) + "); it would poison the next kernel.";
      f.hint = "Pair every CrossCoreSetFlag with a CrossCoreWaitFlag of the same flag, on all cores alike.";
      launch.findings().add(f, core);
      break;
    }
  }
}

}  // namespace akrt
