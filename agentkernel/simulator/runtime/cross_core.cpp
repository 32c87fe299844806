#include "cross_core.h"

#include <algorithm>
#include <numeric>

#include "launch.h"
#include "requests.h"

namespace akrt {

namespace {

std::vector<int32_t> range(int32_t first, int32_t count) {
  std::vector<int32_t> cores(static_cast<size_t>(count));
  std::iota(cores.begin(), cores.end(), first);
  return cores;
}

}  // namespace

CrossCore::CrossCore() = default;
CrossCore::~CrossCore() = default;

Mailbox& CrossCore::mailbox(int32_t core) {
  std::unique_ptr<Mailbox>& box = mailboxes_[core];
  if (box == nullptr) box = std::make_unique<Mailbox>();
  return *box;
}

int64_t Meeting::arrive(int32_t core, Signal signal) {
  const int64_t round = ++arrivals_[core];
  rounds_[round].arrived[core] = std::move(signal);
  return round;
}

std::vector<int32_t> Meeting::lacking(int64_t round, int32_t first, int32_t last) const {
  std::vector<int32_t> found;
  for (int32_t core = first; core < last; ++core) {
    const auto arrived = arrivals_.find(core);
    if (arrived == arrivals_.end() || arrived->second < round) found.push_back(core);
  }
  return found;
}

std::vector<Signal> Meeting::leave(int64_t round, int32_t first, int32_t last) {
  Round& r = rounds_[round];
  std::vector<Signal> signals;
  for (int32_t core = first; core < last; ++core) signals.push_back(r.arrived.at(core));
  if (++r.left == last - first) rounds_.erase(round);
  return signals;
}

Circle circle_of(const LaunchConfig& config, uint8_t mode, int32_t core) {
  const bool cube = config.type_of(core) == CoreType::kCube;
  const int32_t block = config.block_of(core), vectors = config.group.vectors;
  const int64_t own = int64_t{4} * (block + 1);
  Circle circle;
  if (mode == 0) {
    circle.id = cube ? 1 : 0;
    circle.senders = cube ? range(config.vector_cores(), config.blocks) : range(0, config.vector_cores());
    circle.receivers = circle.senders;
    return circle;
  }
  const std::vector<int32_t> pair = range(block * vectors, vectors);
  if (mode == 1) {
    circle.id = own;
    if (cube || vectors < 2) return circle;
    circle.senders = circle.receivers = pair;
    return circle;
  }
  circle.id = own + (cube ? 1 : 2);
  if (vectors == 0 || config.group.cubes == 0) return circle;
  circle.senders = cube ? std::vector<int32_t>{core} : pair;
  circle.receivers = cube ? pair : std::vector<int32_t>{config.cube_of(block)};
  return circle;
}

std::vector<int32_t> CoreFlags::Gathering::lacking() const {
  std::vector<int32_t> found;
  for (const int32_t sender : circle.senders) {
    const auto own = sets.find(sender);
    if (own == sets.end() || own->second.empty()) found.push_back(sender);
  }
  return found;
}

void CoreFlags::set(int32_t flag, const Circle& circle, int32_t core, Signal signal) {
  Gathering& gathering = gatherings_[static_cast<size_t>(flag)][circle.id];
  if (gathering.circle.senders.empty()) gathering.circle = circle;
  gathering.sets[core].push_back(std::move(signal));
  while (gathering.lacking().empty()) {
    auto rise = std::make_shared<std::vector<Signal>>();
    for (auto& [from, signals] : gathering.sets) {
      rise->push_back(std::move(signals.front()));
      signals.pop_front();
    }
    for (const int32_t receiver : circle.receivers) counters_[static_cast<size_t>(flag)][receiver].push_back(rise);
  }
}

int64_t CoreFlags::count(int32_t flag, int32_t core) const {
  const auto& counters = counters_[static_cast<size_t>(flag)];
  const auto own = counters.find(core);
  return own == counters.end() ? 0 : static_cast<int64_t>(own->second.size());
}

std::vector<Signal> CoreFlags::take(int32_t flag, int32_t core) {
  std::deque<Rise>& rises = counters_[static_cast<size_t>(flag)].at(core);
  const Rise rise = std::move(rises.front());
  rises.pop_front();
  return *rise;
}

std::vector<int32_t> CoreFlags::lacking(int32_t flag, int32_t core, const Circle& usual) const {
  const Gathering* used = nullptr;
  for (const auto& [id, gathering] : gatherings_[static_cast<size_t>(flag)]) {
    const auto& receivers = gathering.circle.receivers;
    if (std::find(receivers.begin(), receivers.end(), core) == receivers.end()) continue;
    const std::vector<int32_t> lacking = gathering.lacking();
    if (lacking.size() < gathering.circle.senders.size()) return lacking;
    used = &gathering;
  }
  return used != nullptr ? used->lacking() : usual.senders;
}

bool CoreFlags::pending(int32_t flag, int32_t core) const {
  for (const auto& [id, gathering] : gatherings_[static_cast<size_t>(flag)]) {
    const auto own = gathering.sets.find(core);
    if (own != gathering.sets.end() && !own->second.empty()) return true;
  }
  return false;
}

}  // namespace akrt
