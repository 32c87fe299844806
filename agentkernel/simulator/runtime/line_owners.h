// Cache lines of global memory that scalar stores made dirty: whose a line is, to find two cores that share one.
#pragma once
#include <array>
#include <cstdint>
#include <unordered_map>

namespace akrt {

// What a core stored to a cache line.
struct LineBytes {
  static constexpr uint64_t kLine = 64;

  std::array<uint8_t, kLine> data{};
  uint64_t dirty = 0;  // bit per byte

  void put(uint64_t at, uint8_t byte) {
    data[at] = byte;
    dirty |= 1ull << at;
  }
  // The same bytes with the same values: whichever line is written back last, the memory holds the same.
  bool same(const LineBytes& other) const {
    if (dirty != other.dirty) return false;
    for (uint64_t i = 0; i < kLine; ++i)
      if ((dirty >> i & 1) != 0 && data[i] != other.data[i]) return false;
    return true;
  }
};

class LineOwners {
 public:
  struct Owner {
    int32_t core = -1;
    bool dirty = false;
    uint32_t cleaned = 0;  // tick of the scalar pipe at which the owner wrote the line back last
    LineBytes bytes;       // that it stored last
  };

  // The owner before a store of `core`, after which its cache has `bytes` of the line; from now on it is `core`.
  Owner claim(uint64_t line, int32_t core, const LineBytes& bytes) {
    Owner& owner = owners_[line];
    const Owner before = owner;
    owner = {core, true, 0, bytes};
    return before;
  }
  void cleaned(uint64_t line, int32_t core, uint32_t tick) {
    Owner& owner = owners_[line];
    if (owner.core == core) owner.dirty = false, owner.cleaned = tick;
  }

  // How many data caches hold a line that is not written back.
  int32_t dirty_caches() const { return dirty_caches_; }
  void cache_became(bool dirty) { dirty_caches_ += dirty ? 1 : -1; }

 private:
  std::unordered_map<uint64_t, Owner> owners_;
  int32_t dirty_caches_ = 0;
};

}  // namespace akrt
