// Inside of a Machine: pipe queues, flags, and the order in which observers see an instruction.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "clock.h"
#include "dcache.h"
#include "hazards.h"
#include "launch.h"
#include "machine.h"
#include "tpipe.h"
#include "unit_flags.h"
#include "vclock.h"
#include "watches.h"

namespace akrt {

class Mailbox;
class Server;
struct MatmulRequest;

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
  Core(Machine& machine, Launch& launch, int32_t block, CoreType type);
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
  // `stored`: the bytes that a store will leave there, to tell where another one has left the same. Returns false when
  // the bytes are not there.
  bool scalar_access(const Access& access, const char* api, Site site, bool auto_sync, const uint8_t* stored = nullptr);

  // ---- other cores (sync_cores.cpp). All but cross_set let the pipes come to rest first.
  void sync_all(bool vector_only, Site site);
  void sync_all(const Global& workspace, const Local& scratch, int32_t used_cores, bool vector_only, Site site);
  void block_set(const Global& workspace, const Local& scratch, int32_t block, int32_t event, bool vector_only,
                 Site site);
  void block_wait(const Global& workspace, const Local& scratch, int32_t block, int32_t event, bool vector_only,
                  Site site);
  void order_init(const Global& workspace, const Local& scratch, Site site);
  void order_wait(const Global& workspace, const Local& scratch, Site site);
  void order_notify(const Global& workspace, const Local& scratch, Site site);
  // GroupBarrier (sync_group.cpp).
  void group_arrive(const GroupBarrier& barrier, uint32_t index, Site site);
  void group_wait(const GroupBarrier& barrier, uint32_t index, Site site);
  // Behind everything that `pipe` was given; waits for nothing.
  void cross_set(uint8_t mode, Pipe pipe, int32_t flag, Site site);
  void cross_wait(int32_t flag, Site site);

  // ---- requests from vector cores to their cube core (requests.cpp)
  // What carries them out on this core, a cube core; null until it is needed.
  std::unique_ptr<Server>& server() { return server_; }
  // Of this core, a vector core.
  Mailbox& mailbox();
  // Posts a request to the cube core of the block, behind everything that MTE3 was given; returns its number.
  int64_t ask_cube(MatmulRequest request);
  // Waits until it is done.
  void await_cube(int64_t number, const char* api, Site site);
  // Serves the vector cores of the block until they have ended.
  void serve_vector_cores(Server& server, Site site);

  // A text that the kernel prints: a note of its own, however often one call prints.
  void print(const std::string& text, Site site);
  // A watch of UB (AkrtWatch), and whether an access runs into one.
  void watch(uint32_t slot, uint32_t begin, uint32_t end, uint32_t kinds);
  void check_watches(Pipe pipe, const char* api, Site site, const Access& access);

  // End of the block's program: buffers, caches, queues and flags must be at rest.
  void finish();

  void report(const Finding& finding) { launch_.findings().add(finding, block_); }
  [[noreturn]] void fatal(Finding finding);

  Launch& launch() { return launch_; }
  int32_t block() const { return block_; }
  CoreType type() const { return type_; }
  uint32_t seq() const { return seq_; }  // place in the program, 1 for the first call
  TPipe& pipe() { return tpipe_; }
  DCache& dcache() { return dcache_; }
  CoreClock& clock() { return clock_; }
  Hazards& hazards() { return hazards_; }
  LocalMemory& memory() { return *memory_; }
  Machine& machine() { return machine_; }
  std::array<void*, 8>& slots() { return slots_; }

 private:
  enum class Kind : uint8_t { kWork, kSet, kWait, kBarrier, kSignal, kPost };
  struct Entry {
    Kind kind;
    uint8_t event;
    uint8_t id;
    const char* api;
    Site site;
    uint32_t seq;
    Known issued;
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
  void execute(const Instr& instr, const Known& issued, double time, uint32_t seq);
  void observe(Executing& e, const Access& access);
  // The scalar program goes on when what the pipes (a bit each) have run is complete.
  void wait_for(uint8_t pipes, const char* api, Site site);
  void close(const Executing& e);
  void set(uint8_t event, int32_t id, const Known& issued);

  // The scalar program waits until `ready`, which only this core's pipes can bring about: else it is a deadlock.
  void stall(const std::function<bool()>& ready, const std::string& waits_for, const char* api, Site site);
  [[noreturn]] void deadlock(const std::string& waits_for, const char* api, Site site);
  // A message that the launch has more blocks than cores: whoever waits for a block that has not begun waits for ever.
  void require_resident(const char* api, Site site);
  void check_scheduled(const char* api, Site site);
  void check_group(const GroupBarrier& barrier, uint32_t index, uint32_t size, const char* api, Site site);
  // Words for the workspaces of a call: what they hold besides `bytes` is not touched.
  void use_workspace(const Global& workspace, uint64_t begin, uint64_t bytes, bool zeroed, const char* api, Site site);
  void use_scratch(const Local& scratch, uint64_t bytes, const char* api, Site site);
  // Lets the pipes come to rest; what the core can then tell.
  Signal at_rest(const char* api, Site site);
  void await_cores(CoreWait wait);
  // Goes on with what the signals told, `cycles` after the last of them.
  void hear(const std::vector<Signal>& signals, double cycles, const char* api, Site site);
  double poll_cycles(uint64_t bytes) const;
  void signal(Pipe pipe, const Entry& entry);
  void post(const Entry& entry);
  bool check_flag(int32_t flag, const char* api, Site site);
  void report_flag_clash(int32_t flag, const CrossCore::Use& use);
  void report_matmul_clash(int32_t flag, const CrossCore::Use& use);
  // Address of the slot of IBSet and IBWait.
  uint64_t block_slot(const Global& workspace, const Local& scratch, int32_t block, int32_t event, bool vector_only,
                      const char* api, Site site);
  uint64_t order_at(const Global& workspace, const Local& scratch, const char* api, Site site);
  // Takes part in a barrier of the cores of [first, last); goes on `cycles` after the last has come.
  void meet(uint64_t place, const std::string& barrier, int32_t first, int32_t last, Signal signal, double cycles,
            const char* api, Site site);
  // How the trace names signals.
  std::string slot_name(uint64_t at, int64_t n) const;
  std::string order_name(uint64_t at, int32_t block, int64_t n) const;
  std::string group_name(const GroupBarrier& barrier, uint32_t index, int64_t n) const;
  static std::string flag_name(int32_t flag, int32_t core, uint32_t seq);
  static std::string request_name(int32_t client, int64_t number);
  static std::string answer_name(int32_t client, int64_t number);
  double cross_core_cycles() const;
  void check_other_caches(const Executing& e, const Access& access);
  bool queued_conflict(const Access& access) const;
  // What auto-sync does to a scalar call: it waits for instructions that are held in a queue and touch the same bytes.
  void await_queued(const Access& access, const char* api, Site site);
  void report_missing(const Executing& e, const Missing& m, bool same_values);

  Machine& machine_;
  Launch& launch_;
  Trace* trace_;  // null unless one is kept
  int32_t block_;
  CoreType type_;
  bool autosync_;  // the compiler synchronises on this core
  std::unique_ptr<LocalMemory> memory_;
  std::array<std::unique_ptr<Shadow>, kSpaces> shadows_;
  Hazards hazards_;
  CoreClock clock_;
  TPipe tpipe_;
  Watches watches_;
  DCache dcache_;
  std::array<std::deque<Entry>, kPipes> queues_;
  std::vector<Flag> flags_;
  std::array<void*, 8> slots_{};
  uint32_t seq_ = 0;
  Executing* running_ = nullptr;  // the instruction whose body runs, for touch()
  uint32_t running_seq_ = 0;
  UnitFlags unit_flags_;
  std::unique_ptr<Server> server_;
  std::map<int32_t, int64_t> answered_;  // requests taken, by vector core
  std::set<uint64_t> ordered_;  // workspaces that InitDetermineComputeWorkspace set up
};

// Checker: whether the bytes of an access exist and may be used so. Reports what is wrong; false when the access must
// not be carried out.
bool check_access(Core& core, Pipe pipe, const char* api, Site site, const Access& access);
// Words for a place: "UB [0, 64)" or "x [0, 64)" for global memory.
std::string place(Launch& launch, Space space, uint64_t begin, uint64_t end);

// An argument that a call does not take.
Finding argument_error(const char* api, Site site, std::string message, std::string hint);
std::string place_json(Launch& launch, Space space, uint64_t begin, uint64_t end);
const char* event_name(uint8_t event);
// Flags between cores that are set when the last core has ended.
void report_flags_left(Launch& launch);

}  // namespace akrt
