// Atomic stores: what lands in global memory while an atomic mode is set.
#pragma once
#include <cstdint>

#include "machine.h"

namespace akrt::ops {

struct Atomic {
  uint8_t op;  // AkrtAtomic
  DType dtype;
  bool saturate;

  static Atomic of(const Registers& regs) { return {regs.atomic_op, regs.atomic_dtype, regs.saturate}; }
};

// Stores `bytes` bytes, or joins them to what is there.
void land(const Atomic& mode, uint8_t* to, const uint8_t* from, uint32_t bytes);

// Reports a store of another type than the atomic mode was set to.
void check_atomic(const char* api, Site site, const Registers& regs, const Global& dst);

}  // namespace akrt::ops
