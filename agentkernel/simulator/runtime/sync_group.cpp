// GroupBarrier: some vector cores wait until each of others has arrived, as often as they have waited themselves.
#include <string>
#include <vector>

#include "access.h"
#include "core.h"

namespace akrt {

namespace {

constexpr uint64_t kMessageBytes = 512;  // of the workspace, for each core that waits
constexpr uint32_t kScratchBytes = 1600;  // at the end of UB

}  // namespace

void Core::check_group(const GroupBarrier& barrier, uint32_t index, uint32_t size, const char* api, Site site) {
  require_resident(api, site);
  if (index >= size)
    fatal(argument_error(api, site, std::string(api) + " with index " + std::to_string(index) + " of a group of " +
                                        std::to_string(size) + " cores.",
                         "The index counts within the group, from 0 on."));
  if (barrier.workspace % kMessageBytes != 0) {
    Finding f;
    f.code = "misaligned-address", f.api = api, f.site = site;
    f.message = "The workspace of GroupBarrier is not aligned to 512 bytes.";
    f.hint = "Give it an address of global memory that is a multiple of 512.";
    report(f);
  }
  const uint64_t bytes = barrier.waiters * kMessageBytes;
  use_workspace(Global{barrier.workspace, bytes, DType::kUint8}, 0, bytes, true, api, site);
  const uint32_t end = memory().capacity(Space::UB);
  const uint32_t used = machine_.free_tail(static_cast<uint8_t>(Position::VECCALC)).addr;
  if (used <= end - kScratchBytes) return;
  Finding f;
  f.code = "scratch-overlap", f.api = api, f.site = site;
  f.message = std::string(api) + " uses the last 1600 bytes of UB, and buffers reach up to " + std::to_string(used) + " of " +
              std::to_string(end) + ".";
  f.hint = "Leave the last 1600 bytes of UB free.";
  report(f);
}

// What is sent goes through MTE3, so that it comes behind the core's earlier stores; nothing is said of other pipes.
void Core::group_arrive(const GroupBarrier& barrier, uint32_t index, Site site) {
  constexpr const char* kApi = "GroupBarrier::Arrive";
  call(kApi, site);
  check_group(barrier, index, barrier.arrivers, kApi, site);
  stall_for(Pipe::MTE3, kApi, site);
  const Costs& costs = launch_.clock().costs();
  clock_.scalar_spend(costs.mte_issue + static_cast<double>(barrier.waiters * kMessageBytes) / costs.write_bytes_per_cycle);
  Signal signal{hazards_.told(hazards_.issue_clock()), clock_.scalar_now(), {}};
  const int64_t n = launch_.cross_core().slot(barrier.workspace, static_cast<int32_t>(index)).set(std::move(signal));
  if (trace_ != nullptr) trace_->signal(group_name(barrier, index, n), pipe_name(Pipe::S), kApi, site, block_);
}

void Core::group_wait(const GroupBarrier& barrier, uint32_t index, Site site) {
  constexpr const char* kApi = "GroupBarrier::Wait";
  call(kApi, site);
  check_group(barrier, index, barrier.waiters, kApi, site);
  CrossCore& cross = launch_.cross_core();
  const int64_t n = cross.slot(barrier.workspace, -1 - static_cast<int32_t>(index)).wait();
  std::vector<Slot*> slots;
  std::vector<std::string> names;
  for (uint32_t i = 0; i < barrier.arrivers; ++i) {
    slots.push_back(&cross.slot(barrier.workspace, static_cast<int32_t>(i)));
    names.push_back(group_name(barrier, i, n));
  }
  if (trace_ != nullptr) trace_->await(names, kApi, site, block_);
  const auto arrived = [&slots, n] {
    for (const Slot* slot : slots)
      if (!slot->is_set(n)) return false;
    return true;
  };
  await_cores({kApi, site, "Arrive number " + std::to_string(n) + " of all " + std::to_string(barrier.arrivers) + " cores",
               arrived, [] { return std::vector<int32_t>{}; }});
  std::vector<Signal> signals;
  for (const Slot* slot : slots) signals.push_back(slot->signal(n));
  hear(signals, poll_cycles(kMessageBytes), kApi, site);
}

std::string Core::group_name(const GroupBarrier& barrier, uint32_t index, int64_t n) const {
  return "Arrive " + place(launch_, Space::GM, barrier.workspace, barrier.workspace) + " #" + std::to_string(n) + " of " +
         std::to_string(index);
}

}  // namespace akrt
