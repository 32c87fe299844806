// Happens-before over the pipes of one core, checked on every byte that instructions touch.
//
// An instruction starts after what its pipe has waited for and after what the scalar program knew when it issued it.
// It is known to be complete only through a flag, a barrier or, on the vector pipe and for the listed scalar calls, the
// compiler's automatic synchronisation. An access that is not ordered after the last conflicting one is a hazard, even
// if the values came out right. Of other cores a core knows what their signals told it (cross_core.h).
#pragma once
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "launch.h"
#include "shadow.h"
#include "starts.h"
#include "vclock.h"

namespace akrt {

enum class Conflict : uint8_t { kReadAfterWrite, kWriteAfterRead, kWriteAfterWrite };

// A missing edge, gathered over the bytes of one instruction.
struct Missing {
  Conflict kind;
  Stamp other;
  Space space;
  uint64_t begin;  // host address for GM
  uint64_t end;
};

// What an instruction did, as far as the observers need to know.
struct Executing {
  const char* api;
  Site site;
  Pipe pipe;
  bool auto_sync;   // scalar-side call that auto-sync covers
  Stamp stamp;
  Known start;      // what is known to be complete when it starts
  bool hollow = false;  // it copies bytes none of which has a value
};

class Hazards {
 public:
  // `local` has the history of each local memory, null where there is none to keep. `autosync`: the compiler
  // synchronises what the documents say it does.
  Hazards(Launch& launch, int32_t core, const std::array<Shadow*, kSpaces>& local, bool autosync)
      : launch_(launch), core_(core), local_(local), autosync_(autosync) {}

  // What the scalar program passes on to an instruction that it issues.
  const Known& issue_clock() const { return ready(Pipe::S); }

  // Begins an instruction; `seq` is its place in the core's program.
  Executing begin(const char* api, Site site, Pipe pipe, const Known& issued, uint32_t seq, bool auto_sync);
  // The running instruction also comes after what `known` tells.
  void after(Executing& e, const Known& known) { ready(e.pipe).join(known), e.start.join(known); }
  // The hardware itself lets the next instruction of `pipe` wait for the earlier ones.
  void in_order(Pipe pipe) { barrier(pipe); }
  // One access of it. Reads must be told before the writes of the same instruction.
  // Returns how many of its bytes nothing ever wrote (reads and atomic stores; 0 for plain writes).
  uint64_t touch(Executing& e, const Access& access, uint64_t& total_bytes);
  // Missing edges since begin; the caller words them.
  std::vector<Missing>& missing() { return missing_; }

  // Everything that `pipe` has been given so far is complete at this clock.
  Known completion(Pipe pipe) const;
  void wait(Pipe pipe, const Known& token) { ready(pipe).join(token); }
  void barrier(Pipe pipe) { ready(pipe).own[pipe] = now_[pipe]; }
  void barrier_all();
  void order_scalar_stores() { ready(Pipe::S).own[Pipe::S] = now_[Pipe::S]; }

  // `known` as a core tells others: its own part included.
  KnowledgePtr told(const Known& known) const;
  // Everything issued from here on starts after what the signals told.
  void learn(const std::vector<KnowledgePtr>& told);

  // Pipes that auto-sync made the scalar program wait for since the last call (for the clock).
  uint8_t take_auto_waits() { return std::exchange(auto_waits_, uint8_t{0}); }

 private:
  Known& ready(Pipe p) { return ready_[static_cast<size_t>(p)]; }
  const Known& ready(Pipe p) const { return ready_[static_cast<size_t>(p)]; }
  bool ordered(Executing& e, const Stamp& earlier);
  bool auto_edge(Executing& e, const Stamp& earlier);
  // Ordered without what automatic synchronisation would add.
  bool covered(const Executing& e, const Stamp& earlier) const;
  void write(const Executing& e, const Access& a, Cell& cell);
  void keep_reader(const Executing& e, const Cell& cell, const Access& a, uint64_t begin, uint64_t end);
  void miss_kept_readers(const Access& a, uint64_t begin, uint64_t end);
  void miss(Conflict kind, const Stamp& other, const Access& a, uint64_t begin, uint64_t end);
  uint64_t touch_range(Executing& e, const Access& a, Shadow& shadow, uint64_t origin, bool initialised,
                       uint64_t begin, uint64_t end);

  Launch& launch_;
  int32_t core_;
  std::array<Shadow*, kSpaces> local_;
  bool autosync_;
  std::array<Known, kPipes> ready_{};
  std::array<Starts, kPipes> starts_;  // kept with auto-sync only
  VClock now_;
  std::vector<Missing> missing_;
  // Readers whose place the running instruction took by reading the same bytes, and that nothing orders before it:
  // it may write those bytes next.
  std::vector<Missing> kept_readers_;
  uint8_t auto_waits_ = 0;
};

}  // namespace akrt
