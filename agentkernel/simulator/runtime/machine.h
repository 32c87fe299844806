// One simulated core: scalar program, pipe queues, local memories, and the observers that watch every instruction.
//
// An API call becomes an `Instr`: the pipe it runs on, the bytes it reads and writes, what it costs, and a function
// that computes its result. `Machine::issue` appends it to its pipe's queue. A queue is in-order: an instruction takes
// effect (exec is called, observers see it) when it reaches the head. Behind an unsatisfied WaitFlag the queue holds
// while the scalar program runs on, as on the card.
//
// The observers see an instruction once, at the moment it takes effect:
//   checker  positions, bounds, uninitialised reads         hazards  happens-before over pipes
//   clock    when it starts and ends on its pipe
//
// How an op is written (runtime/ops_*.cpp):
//   Machine& m = Machine::current();
//   Instr i(Pipe::V, "Add", site);
//   i.reads(contiguous(src0, bytes)); i.reads(contiguous(src1, bytes)); i.writes(contiguous(dst, bytes));
//   i.cycles = ...;
//   i.run([](Machine& m, const AddPayload& p) { ... m.at(Space::UB, p.dst) ... }, payload);
//   m.issue(i);
// Registers (mask, atomic mode, ...) are read when the op is issued and travel in the payload.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>

#include "akrt/abi.h"
#include "akrt/events.h"

namespace akrt {

// Bytes that an instruction touches in one memory: `repeats` x `blocks` pieces of `piece` bytes.
// Piece (r, b) starts at base + r * repeat_stride + b * block_stride (bytes). A contiguous range is {base, n, 1, 1}.
struct Access {
  Space space = Space::UB;
  bool write = false;
  // A read whose bytes may legally never have been written (e.g. the padding of a rounded-up block).
  bool any_value = false;
  // A read all of whose bytes decide the result (a reduction): none of them may be unwritten.
  bool decides = false;
  // A write of bytes without a defined value (padding that nobody chose): they still count as never written.
  bool undefined = false;
  // GM read-modify-write by an atomic store: atomic stores of different cores do not race with each other.
  bool atomic = false;
  uint16_t align = 32;   // required alignment of base in bytes; 1 where the API relaxes it (reduce destinations, GM)
  uint8_t lane_bytes = 0;  // 0: every byte of a piece. Else `lanes` says which elements of each repeat are touched
  uint8_t position = 0;    // TPosition of the operand, for messages
  uint64_t base = 0;     // offset in a local memory; host address for GM
  uint32_t piece = 0;
  uint32_t blocks = 1;
  uint32_t repeats = 1;
  int64_t block_stride = 0;
  int64_t repeat_stride = 0;
  // Extent of the operand's tensor in the same coordinates as base; end 0 where it is not known.
  uint64_t begin = 0;
  uint64_t end = 0;
  // With lane_bytes: bit i of {lanes[1], lanes[0]} enables element i of a repeat, counted over its pieces in order
  // (piece / lane_bytes elements a piece).
  uint64_t lanes[2] = {0, 0};

  Access& aligned(uint16_t bytes) { align = bytes; return *this; }
  Access& unchecked() { any_value = true; return *this; }
  Access& masked(uint64_t high, uint64_t low, uint32_t element_bytes) {
    lanes[0] = low, lanes[1] = high, lane_bytes = static_cast<uint8_t>(element_bytes);
    return *this;
  }
};

// `bytes` from the start of a tensor.
Access contiguous(const Local& tensor, uint64_t bytes);
Access contiguous(const Global& tensor, uint64_t bytes);  // align 1
// blocks x repeats pieces from the start of a tensor; strides in bytes.
Access strided(const Local& tensor, uint32_t piece, uint32_t blocks, int64_t block_stride, uint32_t repeats = 1,
               int64_t repeat_stride = 0);
Access strided(const Global& tensor, uint32_t piece, uint32_t blocks, int64_t block_stride, uint32_t repeats = 1,
               int64_t repeat_stride = 0);

class Machine;

// Mmad and Fixpipe can hand L0C over block by block: Mmad waits until the flag of each block is down, Fixpipe until it is
// up; `flips` turns them over when the instruction is done.
struct UnitFlag {
  static constexpr uint32_t kBlock = 512;  // bytes of L0C to a flag
  bool on = false;
  bool flips = false;
  bool clears = false;  // all flags go down
  uint32_t begin = 0;   // bytes of L0C: `columns` ranges of `bytes`, `stride` apart
  uint32_t bytes = 0;
  uint32_t columns = 0;
  uint32_t stride = 0;
};

struct Instr {
  static constexpr int kMaxAccesses = 8;
  static constexpr int kPayload = 192;

  Pipe pipe = Pipe::V;
  const char* api = "";  // static string, as the user wrote the call, e.g. "Add"
  Site site = nullptr;
  double cycles = 0;        // time the pipe is occupied by the work itself
  uint64_t bytes_moved = 0; // GM traffic, for the clock's bandwidth model; 0 for compute
  double latency = 0;       // cycles from the end of the work to the result being there
  // The hardware orders it after what its pipe was given before, without a barrier.
  bool in_order = false;
  // Unit flags of blocks of L0C that it waits for, and what it leaves there.
  UnitFlag unit;
  bool reduces = false;     // Pipe::V only: the result is there some time after the pipe is free
  bool auto_sync = false;   // Pipe::S only: a scalar-side call that the compiler's auto-sync covers
  bool fills = false;       // what it writes is one value that no memory decides
  int accesses = 0;
  std::array<Access, kMaxAccesses> access;
  void (*exec)(Machine&, const void* payload) = nullptr;
  alignas(16) unsigned char payload[kPayload];  // trivially copyable description owned by exec

  Instr(Pipe p, const char* name, Site s) : pipe(p), api(name), site(s) {}

  void reads(const Access& a) { add(a, false); }
  void writes(const Access& a) { add(a, true); }
  // What is read so far decides the result as a whole.
  void reads_decide() {
    for (int i = 0; i < accesses; ++i)
      if (!access[static_cast<size_t>(i)].write) access[static_cast<size_t>(i)].decides = true;
  }

  // Stores `p` and calls `body(machine, p)` when the instruction takes effect. `body` must not capture.
  template <typename P, typename F>
  void run(F, const P& p) {
    static_assert(std::is_trivially_copyable_v<P> && sizeof(P) <= kPayload && alignof(P) <= 16);
    static_assert(std::is_empty_v<F>, "the body may not capture: put what it needs into the payload");
    std::memcpy(payload, &p, sizeof(P));
    exec = [](Machine& m, const void* bytes) { F{}(m, *static_cast<const P*>(bytes)); };
  }

 private:
  void add(const Access& a, bool write) {
    if (accesses == kMaxAccesses) __builtin_trap();
    access[static_cast<size_t>(accesses)] = a;
    access[static_cast<size_t>(accesses++)].write = write;
  }
};

// How bad a finding of a run is: a fatal one ends the launch at once.
enum class Gravity : uint8_t { kNote, kError, kFatal };

// One broken rule. Strings named `code` and `level` are the Diagnostic's; `evidence` is a JSON object or empty.
struct Finding {
  const char* code = "";
  Gravity gravity = Gravity::kError;
  const char* level = "runtime";
  const char* api = "";
  Site site = nullptr;
  const char* other_api = "";
  Site other_site = nullptr;
  std::string message;
  std::string hint;
  std::string evidence;
};

// Registers of the core. The first part is scalar state: written by S when the call is made, read by ops at issue.
// The second part is written and read by pipes when instructions take effect.
struct Registers {
  uint64_t mask[2] = {~0ull, ~0ull};  // {low, high}
  bool counter_mode = false;
  bool saturate = false;  // CTRL[48] == 0
  uint64_t ctrl = 1ull << 48;
  uint64_t deqscale = 0;
  std::array<uint64_t, 16> deq_vector{};
  uint8_t atomic_op = 0;  // AkrtAtomic
  DType atomic_dtype = DType::kFloat32;
  uint64_t pad_value = 0;
  bool pad_value_set = false;
  std::array<std::array<uint64_t, 8>, 8> va{};  // VA registers: UB byte addresses

  std::array<uint64_t, 16> cube{};  // AkrtCubeRegister
  // What LoadDataWithSparse leaves beside L0B: 128 bytes of indices for each fractal, read by M.
  static constexpr uint32_t kIndexBytes = 128;
  std::array<std::array<uint8_t, kIndexBytes>, 128> sparse_index{};

  uint64_t cmpmask[2] = {0, 0};  // read and written by V only
  // Offsets in Space::SPR of what V writes and S reads; an instruction names them as accesses (see Machine::spr).
  static constexpr uint32_t kAccVal = 0, kMaxMinValue = 8, kMaxMinIndex = 16, kRsvdCnt = 24, kMrgSort = 32;
  static constexpr uint32_t kSprBytes = 64;
};

class Launch;
class Core;

class Machine {
 public:
  // The core whose program is running.
  static Machine& current();

  // Appends to the queue of instr.pipe and lets every queue advance. Pipe::S instructions run in place.
  void issue(const Instr& instr);

  // During exec: declares an access whose place only the data says (Gather). Observers see it like a declared one.
  // Returns false, after recording the finding, when the bytes are not there; the body must then skip the access.
  bool touch(const Access& access);

  // Synchronisation inside composite APIs, as if the user had written it at `site`.
  void set_flag(uint8_t event, int32_t id, const char* api, Site site);
  void wait_flag(uint8_t event, int32_t id, const char* api, Site site);
  void pipe_barrier(Pipe pipe, const char* api, Site site);
  void pipe_barrier_all(const char* api, Site site);
  int32_t fetch_event(uint8_t event, Site site);
  // The scalar program stalls until `pipe` has executed all it was given, and is ordered after it (pipe -> S). For
  // values that an API returns by reference from V (rsvdCnt of GatherMask).
  void stall_for(Pipe pipe, const char* api, Site site);

  Registers& regs() { return regs_; }
  // Access to the register range [offset, offset + bytes) of Space::SPR.
  static Access spr(uint32_t offset, uint32_t bytes = 8);

  uint8_t* memory(Space space) const;      // byte 0; valid for local memories and SPR
  uint32_t capacity(Space space) const;    // bytes
  // Host pointer of an Access coordinate: address itself for GM, memory(space) + base else.
  uint8_t* at(Space space, uint64_t base) const {
    return space == Space::GM ? reinterpret_cast<uint8_t*>(base) : memory(space) + base;
  }

  // Records a finding; does not return for a fatal one.
  void report(const Finding& finding);
  [[noreturn]] void fatal(Finding finding);

  // Chip parameter of the launch file, e.g. "clock_mhz"; fatal runner error when absent.
  double param(const char* name) const;

  CoreType core_type() const;
  int32_t block_idx() const;
  int32_t block_num() const;
  // [end of allocations, usable end) of the memory of `position`, as PopStackBuffer gives it.
  // `whole`: UB up to its very end, with the area at the top that Select and the like reserve.
  Local free_tail(uint8_t position, bool whole = false) const;
  void scalar_cycles(double cycles);

  Machine(Launch& launch, int32_t block, CoreType type);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  // Makes this the core whose program is running.
  void enter();
  Core& core() { return *core_; }  // queues, flags, observers: runtime internals

 private:
  Registers regs_;
  std::unique_ptr<Core> core_;
};

}  // namespace akrt
