// What the vector libraries share: elements as floats, scratch, and the checks of operands.
//
// A library call is one composite instruction: it reads its sources, writes its destination and its scratch, and takes
// as long as the basic instructions that it stands for (their rates are published, their number per library function
// is an assumption where the formula does not give it).
#pragma once
#include <initializer_list>

#include "akrt/abi_lib.h"
#include "ops.h"

namespace akrt::lib {

inline constexpr size_t kChunk = 128;  // elements that a body works on at a time

// n elements of type half, bfloat16_t or float as floats, and back (rounded to nearest even).
void load(float* out, const uint8_t* from, size_t n, DType type);
void store(uint8_t* to, const float* in, size_t n, DType type, bool saturate);

using ops::round_up;
// `bytes` rounded up to whole blocks.
constexpr uint32_t blocks_of(uint32_t bytes) { return round_up(bytes, ops::kBlock); }

// Elements per cycle at full rate.
constexpr double full_rate(DType t) { return 8.0 * ops::kRepeatBytes / ops::bits_of(t); }

struct Scratch {
  const char* api;
  Site site;
  const Local* tmp;
  uint32_t least;  // documented minimum in bytes; one block where none is documented
  uint32_t use;    // bytes that the call writes, as far as there are so many
};
// Checks the scratch of a call against its minimum and its operands, and declares it as written.
void take_scratch(Machine& m, Instr& instr, const Scratch& scratch, std::initializer_list<const Local*> operands);

// Where dst must not share memory with a source.
void require_apart(const char* api, Site site, const Local& dst, const Local& src, uint64_t dst_bytes,
                   uint64_t src_bytes);

// Whether the tensor holds that many bytes; a call that reaches further is reported and does nothing.
bool within(const char* api, Site site, const Local& tensor, uint64_t bytes);

// Records `what` as a broken rule of the call unless it holds.
bool require(bool holds, const char* code, const char* api, Site site, const std::string& what,
             const std::string& hint);

// A float value of a sum of n elements as a binary tree over adjacent ones, repeat by repeat, rounded to half at every
// node if `half`. Destroys x.
float tree_sum_row(float* x, size_t n, bool half, bool saturate);

}  // namespace akrt::lib
