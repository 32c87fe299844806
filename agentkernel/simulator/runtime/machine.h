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
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "akrt/abi.h"

namespace akrt {

// Bytes that an instruction touches in one memory: `repeats` x `blocks` pieces of `piece` bytes.
// Piece (r, b) starts at base + r * repeat_stride + b * block_stride (bytes). A contiguous range is {base, n, 1, 1}.
struct Access {
  Space space = Space::UB;
  bool write = false;
  uint64_t base = 0;  // offset in a local memory; host address for GM
  uint32_t piece = 0;
  uint32_t blocks = 1;
  uint32_t repeats = 1;
  int64_t block_stride = 0;
  int64_t repeat_stride = 0;
};

class Machine;

struct Instr {
  static constexpr int kMaxAccesses = 6;
  static constexpr int kPayload = 192;

  Pipe pipe = Pipe::V;
  const char* api = "";  // static string, as the user wrote the call, e.g. "Add"
  Site site = nullptr;
  double cycles = 0;        // time the pipe is occupied by the work itself
  uint64_t bytes_moved = 0; // GM traffic, for the clock's bandwidth model; 0 for compute
  int accesses = 0;
  std::array<Access, kMaxAccesses> access{};
  void (*exec)(Machine&, const void* payload) = nullptr;
  alignas(16) unsigned char payload[kPayload];  // trivially copyable description owned by exec
};

// How bad a finding of a run is: a fatal one ends the launch at once.
enum class Gravity : uint8_t { kNote, kError, kFatal };

}  // namespace akrt
