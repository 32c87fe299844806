// Unit flags: a bit for every 512 bytes of L0C, by which Mmad and Fixpipe take turns without a hard event.
#pragma once
#include <cstdint>
#include <vector>

#include "machine.h"
#include "vclock.h"

namespace akrt {

class UnitFlags {
 public:
  explicit UnitFlags(uint32_t bytes) : blocks_(bytes / UnitFlag::kBlock) {}

  // Whether the instruction may run: all its blocks are down for Mmad, up for Fixpipe.
  bool ready(const Instr& instr) const {
    if (!instr.unit.on) return true;
    const bool wanted = instr.pipe == Pipe::FIX;
    bool all = true;
    each(instr.unit, [&](size_t b) { all = all && blocks_[b].up == wanted; });
    return all;
  }
  // What those who turned the flags of its blocks over last have told.
  Token take(const Instr& instr) const {
    Token latest{};
    each(instr.unit, [&](size_t b) {
      latest.known.join(blocks_[b].last.known);
      if (blocks_[b].last.time > latest.time) latest.time = blocks_[b].last.time;
    });
    return latest;
  }
  void flip(const Instr& instr, const Token& token) {
    each(instr.unit, [&](size_t b) { blocks_[b] = {!blocks_[b].up, token}; });
  }
  void clear(const Token& token) {
    for (Block& b : blocks_) b = {false, token};
  }
  bool any_up() const {
    for (const Block& b : blocks_)
      if (b.up) return true;
    return false;
  }

 private:
  struct Block {
    bool up = false;
    Token last{};
  };
  template <typename F>
  void each(const UnitFlag& unit, F&& f) const {
    for (uint32_t c = 0; c < unit.columns; ++c) {
      const uint32_t begin = unit.begin + c * unit.stride;
      for (uint32_t b = begin / UnitFlag::kBlock; b * UnitFlag::kBlock < begin + unit.bytes && b < blocks_.size(); ++b) f(b);
    }
  }

  std::vector<Block> blocks_;
};

}  // namespace akrt
