// Inside of a Machine: pipe queues, flags, and the order in which observers see an instruction.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "clock.h"
#include "dcache.h"
#include "hazards.h"
#include "launch.h"
#include "machine.h"
#include "tpipe.h"
#include "vclock.h"

namespace akrt {

// What a set flag hands to the one who waits for it.
struct Token {
  VClock clock;
  double time;
};

// One (HardEvent, id). The n-th WaitFlag of the program takes the token of the n-th SetFlag.
struct Flag {
  int64_t sets = 0;   // in program order
  int64_t waits = 0;
  std::vector<Token> tokens;  // set and not yet taken
  const char* set_api = "";
  Site set_site = nullptr;
};

class Core {
 public:
  static constexpr uint32_t kUbShadowPage = 1024;

  Core(Machine& machine, Launch& launch, int32_t block);
  ~Core();

  void issue(const Instr& instr);
  bool touch(const Access& access);
  void set_flag(uint8_t event, int32_t id, const char* api, Site site);
  void wait_flag(uint8_t event, int32_t id, const char* api, Site site);
  void pipe_barrier(Pipe pipe, const char* api, Site site);
  void pipe_barrier_all(const char* api, Site site);
  void stall_for(Pipe pipe, const char* api, Site site);
  // Earlier scalar accesses complete before anything later.
  void order_scalar_accesses(const char* api, Site site);

  // Scalar access of [access.base, ...) in program order. `auto_sync`: the call is one that the compiler synchronises.
  // Returns false when the bytes are not there.
  bool scalar_access(const Access& access, const char* api, Site site, bool auto_sync);

  // End of the block's program: buffers, caches, queues and flags must be at rest.
  void finish();

  void report(const Finding& finding) { launch_.findings().add(finding, block_); }
  [[noreturn]] void fatal(Finding finding);

  Launch& launch() { return launch_; }
  int32_t block() const { return block_; }
  uint32_t seq() const { return seq_; }  // place in the program, 1 for the first call
  TPipe& pipe() { return tpipe_; }
  DCache& dcache() { return dcache_; }
  CoreClock& clock() { return clock_; }
  Hazards& hazards() { return hazards_; }
  LocalMemory& memory() { return *memory_; }
  Machine& machine() { return machine_; }
  std::array<void*, 8>& slots() { return slots_; }

 private:
  enum class Kind : uint8_t { kWork, kSet, kWait, kBarrier };
  struct Entry {
    Kind kind;
    uint8_t event;
    uint8_t id;
    const char* api;
    Site site;
    uint32_t seq;
    VClock issued;
    double time;
    std::unique_ptr<Instr> work;  // kWork only
  };

  std::deque<Entry>& queue(Pipe p) { return queues_[static_cast<size_t>(p)]; }
  Flag& flag(uint8_t event, int32_t id) { return flags_[event * size_t{kEventIds} + static_cast<size_t>(id)]; }
  bool usable(uint8_t event) const;
  bool check_id(uint8_t event, int32_t id, const char* api, Site site);
  void call(const char* api, Site site);

  void submit(Pipe pipe, Entry entry);
  // Runs entries from the head of every queue until each is empty or waits.
  void advance();
  bool take_effect(Pipe pipe, Entry& entry);
  void execute(const Instr& instr, const VClock& issued, double time, uint32_t seq);
  void observe(Executing& e, const Access& access);
  // The scalar program goes on when what the pipes (a bit each) have run is complete.
  void wait_for(uint8_t pipes, const char* api, Site site);
  void close(const Executing& e);
  void set(uint8_t event, int32_t id, const VClock& issued);

  // The scalar program waits until `ready`; deadlock when no core can make it so.
  void stall(const std::function<bool()>& ready, const std::string& waits_for, const char* api, Site site);
  [[noreturn]] void deadlock(const std::string& waits_for, const char* api, Site site);
  bool queued_conflict(const Access& access) const;
  // What auto-sync does to a scalar call: it waits for instructions that are held in a queue and touch the same bytes.
  void await_queued(const Access& access, const char* api, Site site);
  void report_missing(const Executing& e, const Missing& m, bool same_values);

  Machine& machine_;
  Launch& launch_;
  Trace* trace_;  // null unless one is kept
  int32_t block_;
  std::unique_ptr<LocalMemory> memory_;
  Shadow ub_shadow_;
  Shadow spr_shadow_;
  Hazards hazards_;
  CoreClock clock_;
  TPipe tpipe_;
  DCache dcache_;
  std::array<std::deque<Entry>, kPipes> queues_;
  std::vector<Flag> flags_;
  std::array<void*, 8> slots_{};
  uint32_t seq_ = 0;
  Executing* running_ = nullptr;  // the instruction whose body runs, for touch()
  uint32_t running_seq_ = 0;
};

// Checker: whether the bytes of an access exist and may be used so. Reports what is wrong; false when the access must
// not be carried out.
bool check_access(Core& core, Pipe pipe, const char* api, Site site, const Access& access);
// Words for a place: "UB [0, 64)" or "x [0, 64)" for global memory.
std::string place(Launch& launch, Space space, uint64_t begin, uint64_t end);
std::string place_json(Launch& launch, Space space, uint64_t begin, uint64_t end);
const char* event_name(uint8_t event);

}  // namespace akrt
