// What the bodies of instructions share: how repeats, strides and masks select elements, and how a body runs on them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "akrt/abi_vec.h"
#include "machine.h"

namespace akrt::ops {

// Loops over operands that coincide or are disjoint carry no dependence.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"  // a loop that stays scalar is slower, not wrong
#define AKRT_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define AKRT_LANES _Pragma("GCC ivdep")
#endif

inline constexpr uint32_t kBlock = 32;         // bytes of a data block
inline constexpr uint32_t kRepeatBytes = 256;  // bytes of the widest operand in one repeat
inline constexpr uint32_t kManyRepeats = 1u << 16;
inline constexpr uint32_t kScratch = 184 * 1024;  // where UB is reserved for library scratch (TMP_UB_OFFSET)

constexpr uint32_t ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
constexpr uint32_t round_up(uint32_t n, uint32_t to) { return ceil_div(n, to) * to; }
constexpr uint32_t bits_of(DType t) { return t == DType::kInt4 ? 4 : 8 * dtype_bytes(t); }
const char* name_of(DType t);

// Records an error of the running call.
void complain(const char* code, const char* api, Site site, std::string message, std::string hint);

// Ends the launch where an operand is a default-constructed tensor.
void require_allocated(const char* api, Site site, const Local& tensor);

// The free end of UB for a library call that needs `least` bytes of scratch there. It ends below the area at the top that
// Select and the like reserve; where that leaves too little, the area is taken, too, and the call is noted: published
// kernels leave only so much. Empty, and reported, where even that is too little.
Local free_end(Machine& m, const char* api, Site site, uint32_t least);

// The scratch at the end of UB that some instructions use must not hold anybody's data: no buffer of TPipe, and none of
// the operands (null ones are passed over).
void check_scratch(Machine& m, const char* api, Site site, std::initializer_list<const Local*> operands);

// One bit per element of a repeat.
struct Lanes {
  uint64_t word[2] = {0, 0};
  static Lanes first(uint32_t n);
  bool has(uint32_t i) const { return (word[i / 64] >> (i % 64) & 1) != 0; }
  bool none() const { return (word[0] | word[1]) == 0; }
  uint32_t count() const;
  // The `n` (at most 64) bits from lane i on.
  uint64_t range(uint32_t i, uint32_t n) const;
  bool operator==(const Lanes&) const = default;
};

// Which elements a call touches. Every repeat covers `lanes` elements; `mask` says which of them take part, `tail` which
// of the last repeat.
struct Plan {
  bool runs = false;  // something takes effect
  uint32_t lanes = 0;
  uint32_t repeats = 0;
  Lanes mask;
  Lanes tail;

  const Lanes& of(uint32_t repeat) const { return repeat + 1 == repeats ? tail : mask; }
  bool full() const { return mask == Lanes::first(lanes); }
  // Elements in all where the selected ones are the first n of the sequence.
  uint32_t total() const;
  // Whether they are.
  bool prefix() const;
};

// Reads the mask registers, checks the mask and repeat arguments, and leaves the registers as the call does on the chip.
// `widest` is the size in bits of the widest element, which fixes the lanes of a repeat.
Plan plan(Machine& m, const char* api, Site site, const Walk& walk, uint32_t widest);

// One operand: repeat r, block b starts at addr + r * repeat + b * block.
struct Operand {
  uint32_t addr = 0;
  int32_t block = kBlock;
  int32_t repeat = kRepeatBytes;
  uint8_t bits = 8;
  uint32_t end = UINT32_MAX;  // of its tensor

  bool flat(const Plan& p) const;
};
// `which` is 0 for the destination, 1 and 2 for sources: the index into the strides of `walk`.
Operand operand(const Plan& p, const Walk& walk, int which, const Local& tensor);

// Declares what an operand touches.
void declare(Instr& instr, const Plan& p, const Operand& o, const Local& tensor, bool write);

// Repeat r of an operand, packed. Lanes that do not take part are left alone.
void gather(void* packed, const uint8_t* memory, const Operand& o, uint32_t repeat, const Lanes& lanes, uint32_t n);
void scatter(uint8_t* memory, const void* packed, const Operand& o, uint32_t repeat, const Lanes& lanes, uint32_t n);

// A body works on packed elements.
struct Batch {
  void* dst;
  const void* src0;
  const void* src1;
  size_t n;
  uint64_t scalar;
  bool saturate;
};
using Body = void (*)(const Batch&);

struct Elementwise {
  Plan plan;
  Operand dst, src0, src1;
  bool two = false;        // has a second source
  bool reads_dst = false;  // the destination is an operand too
  bool saturate = false;
  bool flat = false;
  uint64_t scalar = 0;
  Body body = nullptr;
};
void run_elementwise(Machine& m, const Elementwise& e);

// Finds sources that partly overlap the destination, or are written by one repeat and read by a later one.
// `accumulates`: the API allows dst to be src1 where one of their repeat strides is 0.
void check_overlap(const char* api, Site site, const Plan& p, const Operand& dst, const Operand& src,
                   bool accumulates);

// Cycles at `rate` elements per cycle: whole repeats are paid for.
double cycles_at(const Plan& p, double rate);

// A complete elementwise instruction: declares, checks and issues.
struct Call {
  const char* api;
  Site site;
  const Walk& walk;
  double rate = 64;  // elements per cycle
  bool accumulates = false;
};
void issue_elementwise(Machine& m, const Call& call, Elementwise e, const Local& dst, const Local& src0,
                       const Local* src1);

// Fused and mixed-type instructions (ops_mixed.cpp).
bool is_mixed(VecOp op);
void issue_mixed(Machine& m, VecOp op, Call call, const Plan& p, const Local& dst, const Local& src0,
                 const Local* src1, uint64_t scalar);

}  // namespace akrt::ops
