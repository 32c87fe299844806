// The boundary between the Ascend C headers (compiled into the candidate) and the prebuilt runtime.
//
// Headers are thin: they check types at compile time, describe the call, and hand it to one of the functions below.
// Every function takes `site`, the return address of the API call in the candidate's object; line tables turn it into
// file and line when something is reported, so the call itself carries no source position.
//
// API templates in the headers are `noinline`, so that __builtin_return_address(0) in them *is* that site.
#pragma once
#include <cstdint>

namespace akrt {

using Site = const void*;

// SPR is a tiny pseudo memory: the registers that one pipe writes and another reads (accumulator, min/max, counts).
enum class Space : uint8_t { GM, UB, L1, L0A, L0B, L0C, BT, FB, SPR };
inline constexpr int kSpaces = 9;

// In-order instruction queues of one core. `pipe_t` of the language has PIPE_ALL between MTE3 and FIX (ALL = 6,
// FIX = 7); pipe_of in events.h translates.
enum class Pipe : uint8_t { S, V, M, MTE1, MTE2, MTE3, FIX };
inline constexpr int kPipes = 7;

// What a core is: its units decide which instructions exist on it.
enum class CoreType : uint8_t { kVector, kCube };

enum class DType : uint8_t {
  kFloat16, kBfloat16, kFloat32, kInt8, kUint8, kInt16, kUint16, kInt32, kUint32, kInt64, kUint64, kInt4
};

// A local tensor operand: where it starts in its memory and how far its tensor reaches (both in bytes).
struct Local {
  uint32_t addr;
  uint32_t bytes;
  uint8_t position;  // TPosition
  DType dtype;
};

// A global tensor operand. `bytes` is 0 where SetGlobalBuffer was given no size.
struct Global {
  uint64_t addr;  // host address inside a registered GM region
  uint64_t bytes;
  DType dtype;
};

// A value to print: `kind` is f (double), i, u (64 bits, of `bytes` bytes), s (text) or p (address).
struct PrintValue {
  char kind;
  uint8_t bytes;
  union {
    double real;
    int64_t integer;
    uint64_t natural;
    const char* text;
    const void* address;
  };
};

// Cores of a GroupBarrier and the address of its workspace.
struct GroupBarrier {
  uint64_t workspace;
  uint32_t arrivers;
  uint32_t waiters;
};

}  // namespace akrt
