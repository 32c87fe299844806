// What cores tell each other: who has come to which barrier, which slots and flags are set, and what whoever waits for
// them learns. How a core uses it is in sync_cores.cpp.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "akrt/abi.h"
#include "vclock.h"

namespace akrt {

class Launch;
class Mailbox;

// What a core hands to those that wait for it: what is complete by then, and when in its time that is.
struct Signal {
  KnowledgePtr told;
  double time = 0;  // cycles since the kernel began
  std::string name;  // in a trace
};

// A barrier: the n-th arrival of a core belongs to round n. Who waits says which cores take part.
class Meeting {
 public:
  // Returns the round, from 1 on.
  int64_t arrive(int32_t core, Signal signal);
  // Cores of [first, last) that have not come to the round.
  std::vector<int32_t> lacking(int64_t round, int32_t first, int32_t last) const;
  // The signals of all of them in a round. The last one to leave takes the round away.
  std::vector<Signal> leave(int64_t round, int32_t first, int32_t last);

 private:
  struct Round {
    std::map<int32_t, Signal> arrived;
    int32_t left = 0;
  };
  std::map<int32_t, int64_t> arrivals_;  // by core
  std::map<int64_t, Round> rounds_;
};

// A word in global memory that one core sets and another waits for (IBSet, NotifyNextBlock): the n-th wait meets the
// n-th set.
class Slot {
 public:
  int64_t set(Signal signal) {
    signals_.push_back(std::move(signal));
    return ++sets_;
  }
  int64_t wait() { return ++waits_; }
  bool is_set(int64_t n) const { return sets_ >= n; }
  const Signal& signal(int64_t n) const { return signals_[static_cast<size_t>(n - 1)]; }

 private:
  int64_t sets_ = 0;
  int64_t waits_ = 0;
  std::deque<Signal> signals_;
};

// Who sets a flag together, and whose counters go up when each of them has: what a mode of CrossCoreSetFlag means.
struct Circle {
  int64_t id = 0;  // the same for all senders of a circle
  std::vector<int32_t> senders;
  std::vector<int32_t> receivers;
};
struct LaunchConfig;
// Mode 0: all cores of a type. Mode 1: the vector cores of a block. Mode 2: from the cube core of a block to its vector
// cores, or from these together to the cube core. Nobody receives where the launch has no such cores.
Circle circle_of(const LaunchConfig& config, uint8_t mode, int32_t core);

// Flags of CrossCoreSetFlag: a counter per number and core, whatever the mode.
class CoreFlags {
 public:
  static constexpr int32_t kFlags = 16;
  static constexpr int64_t kMostCount = 15;

  void set(int32_t flag, const Circle& circle, int32_t core, Signal signal);
  bool is_up(int32_t flag, int32_t core) const { return count(flag, core) > 0; }
  // Takes the counter down by one and returns what its rise told.
  std::vector<Signal> take(int32_t flag, int32_t core);
  int64_t count(int32_t flag, int32_t core) const;
  // Cores that have to set the flag before `core` sees it rise: those of a circle that has begun to, else of one that
  // was used before, else of `usual`.
  std::vector<int32_t> lacking(int32_t flag, int32_t core, const Circle& usual) const;
  // Whether a set of the flag by the core has not been used up by a rise.
  bool pending(int32_t flag, int32_t core) const;

 private:
  struct Gathering {
    Circle circle;
    std::map<int32_t, std::deque<Signal>> sets;  // by sender, not used up
    std::vector<int32_t> lacking() const;
  };
  using Rise = std::shared_ptr<const std::vector<Signal>>;
  std::array<std::map<int64_t, Gathering>, kFlags> gatherings_{};      // by circle
  std::array<std::map<int32_t, std::deque<Rise>>, kFlags> counters_{};  // by receiver
};

class CrossCore {
 public:
  CrossCore();
  ~CrossCore();
  // `place` names the barrier or the slot: an address in global memory, or one of the hardware's barriers.
  enum HardBarrier : uint64_t { kVectorCores, kCubeCores, kAllCores };
  Meeting& meeting(uint64_t place) { return meetings_[place]; }
  Slot& slot(uint64_t place, int32_t index) { return slots_[{place, index}]; }
  CoreFlags& flags() { return flags_; }
  // Of a vector core, for its cube core (requests.h).
  Mailbox& mailbox(int32_t core);

  // Calls that use flags by number: SyncAll without workspace takes 11 to 14 for itself.
  struct Use {
    const char* api = nullptr;
    Site site = nullptr;
  };
  std::array<Use, CoreFlags::kFlags>& flag_uses() { return flag_uses_; }
  Use& hard_barrier() { return hard_barrier_; }
  // The registration of Matmul objects that takes most flags for itself, 2 an object from 0 on.
  Use& matmul() { return matmul_; }
  int32_t& matmul_flags() { return matmul_flags_; }

 private:
  std::map<uint64_t, Meeting> meetings_;
  std::map<std::pair<uint64_t, int32_t>, Slot> slots_;
  CoreFlags flags_;
  std::array<Use, CoreFlags::kFlags> flag_uses_{};  // last set
  Use hard_barrier_;
  Use matmul_;
  int32_t matmul_flags_ = 0;
  std::map<int32_t, std::unique_ptr<Mailbox>> mailboxes_;
};

}  // namespace akrt
