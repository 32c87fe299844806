// Which pipes a hard event joins, which memory a position lives in: the tables that headers and runtime share.
#pragma once
#include <cstdint>

#include "akrt/abi.h"

namespace akrt {

struct EventPipes {
  Pipe src;
  Pipe dst;
};

inline constexpr int kEvents = 35;
inline constexpr int kEventIds = 8;

// Indexed by the value of HardEvent.
inline constexpr EventPipes kEventPipes[kEvents] = {
    {Pipe::MTE2, Pipe::MTE1}, {Pipe::MTE1, Pipe::MTE2}, {Pipe::MTE1, Pipe::M},    {Pipe::M, Pipe::MTE1},
    {Pipe::MTE2, Pipe::V},    {Pipe::V, Pipe::MTE2},    {Pipe::MTE3, Pipe::V},    {Pipe::V, Pipe::MTE3},
    {Pipe::M, Pipe::V},       {Pipe::V, Pipe::M},       {Pipe::V, Pipe::V},       {Pipe::MTE3, Pipe::MTE1},
    {Pipe::MTE1, Pipe::MTE3}, {Pipe::MTE1, Pipe::V},    {Pipe::MTE2, Pipe::M},    {Pipe::M, Pipe::MTE2},
    {Pipe::V, Pipe::MTE1},    {Pipe::M, Pipe::FIX},     {Pipe::FIX, Pipe::M},     {Pipe::MTE3, Pipe::MTE2},
    {Pipe::MTE2, Pipe::MTE3}, {Pipe::S, Pipe::V},       {Pipe::V, Pipe::S},       {Pipe::S, Pipe::MTE2},
    {Pipe::MTE2, Pipe::S},    {Pipe::S, Pipe::MTE3},    {Pipe::MTE3, Pipe::S},    {Pipe::MTE2, Pipe::FIX},
    {Pipe::FIX, Pipe::MTE2},  {Pipe::FIX, Pipe::S},     {Pipe::M, Pipe::S},       {Pipe::FIX, Pipe::MTE3},
    {Pipe::MTE1, Pipe::FIX},  {Pipe::FIX, Pipe::MTE1},  {Pipe::FIX, Pipe::FIX},
};

// HardEvent of a pair of pipes, or -1 where the language has none.
constexpr int event_of(Pipe src, Pipe dst) {
  for (int e = 0; e < kEvents; ++e)
    if (kEventPipes[e].src == src && kEventPipes[e].dst == dst) return e;
  return -1;
}

inline constexpr int kPipeTAll = 6;  // value of PIPE_ALL in pipe_t

// Queue of a pipe_t value other than PIPE_ALL.
constexpr Pipe pipe_of(int pipe_t_value) { return pipe_t_value == 7 ? Pipe::FIX : static_cast<Pipe>(pipe_t_value); }

// Values of TPosition, in order.
enum class Position : uint8_t {
  GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, SPM, TSCM, C2PIPE2GM, C2PIPE2LOCAL
};
inline constexpr int kPositions = 16;
inline constexpr uint8_t kNoPosition = 255;  // where a queue call names no user position

// Physical memory behind a TPosition on arch 2201.
constexpr Space space_of(uint8_t position) {
  switch (static_cast<Position>(position)) {
    case Position::VECIN:
    case Position::VECOUT:
    case Position::VECCALC: return Space::UB;
    case Position::A1:
    case Position::B1:
    case Position::C1:
    case Position::TSCM: return Space::L1;
    case Position::A2: return Space::L0A;
    case Position::B2: return Space::L0B;
    case Position::C2: return Space::BT;
    case Position::CO1: return Space::L0C;
    case Position::C2PIPE2GM: return Space::FB;
    default: return Space::GM;
  }
}

// Bytes of one element; int4 counts half a byte and has no answer here.
constexpr uint32_t dtype_bytes(DType t) {
  switch (t) {
    case DType::kInt8:
    case DType::kUint8:
    case DType::kInt4: return 1;
    case DType::kFloat16:
    case DType::kBfloat16:
    case DType::kInt16:
    case DType::kUint16: return 2;
    case DType::kInt64:
    case DType::kUint64: return 8;
    default: return 4;
  }
}

}  // namespace akrt
