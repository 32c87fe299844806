#include "cross_core.h"

#include <algorithm>

namespace akrt {

int64_t Meeting::arrive(int32_t core, Signal signal) {
  const int64_t round = ++arrivals_[core];
  rounds_[round].arrived[core] = std::move(signal);
  return round;
}

std::vector<int32_t> Meeting::lacking(int64_t round, int32_t cores) const {
  std::vector<int32_t> found;
  for (int32_t core = 0; core < cores; ++core) {
    const auto arrived = arrivals_.find(core);
    if (arrived == arrivals_.end() || arrived->second < round) found.push_back(core);
  }
  return found;
}

std::vector<Signal> Meeting::leave(int64_t round, int32_t cores) {
  Round& r = rounds_[round];
  std::vector<Signal> signals;
  for (int32_t core = 0; core < cores; ++core) signals.push_back(r.arrived.at(core));
  if (++r.left == cores) rounds_.erase(round);
  return signals;
}

void CoreFlags::set(int32_t number, int32_t core, int32_t cores, Signal signal) {
  Flag& flag = flags_[static_cast<size_t>(number)];
  flag.sets[core].push_back(std::move(signal));
  const auto ready = [&] {
    return flag.sets.size() == static_cast<size_t>(cores) &&
           std::all_of(flag.sets.begin(), flag.sets.end(), [](const auto& s) { return !s.second.empty(); });
  };
  while (ready()) {
    std::vector<Signal> rise;
    for (auto& [from, signals] : flag.sets) {
      rise.push_back(std::move(signals.front()));
      signals.pop_front();
    }
    flag.rises.push_back(std::move(rise));
  }
}

int64_t CoreFlags::count(int32_t number, int32_t core) const {
  const Flag& flag = flags_[static_cast<size_t>(number)];
  const auto taken = flag.taken.find(core);
  return flag.raised() - (taken == flag.taken.end() ? 0 : taken->second);
}

std::vector<Signal> CoreFlags::take(int32_t number, int32_t core) {
  Flag& flag = flags_[static_cast<size_t>(number)];
  const int64_t rise = flag.taken[core]++;
  std::vector<Signal> told = flag.rises[static_cast<size_t>(rise - flag.gone)];
  // What every core has taken is over.
  int64_t least = flag.raised();
  for (const auto& [from, signals] : flag.sets) {
    const auto taken = flag.taken.find(from);
    least = std::min(least, taken == flag.taken.end() ? 0 : taken->second);
  }
  for (; flag.gone < least; ++flag.gone) flag.rises.pop_front();
  return told;
}

std::vector<int32_t> CoreFlags::lacking(int32_t number, int32_t core, int32_t cores) const {
  const Flag& flag = flags_[static_cast<size_t>(number)];
  const auto taken = flag.taken.find(core);
  const int64_t rise = (taken == flag.taken.end() ? 0 : taken->second) + 1;
  std::vector<int32_t> found;
  for (int32_t other = 0; other < cores; ++other)
    if (flag.raised() + pending(number, other) < rise) found.push_back(other);
  return found;
}

int64_t CoreFlags::pending(int32_t number, int32_t core) const {
  const Flag& flag = flags_[static_cast<size_t>(number)];
  const auto sets = flag.sets.find(core);
  return sets == flag.sets.end() ? 0 : static_cast<int64_t>(sets->second.size());
}

}  // namespace akrt
