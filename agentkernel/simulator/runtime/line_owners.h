// Cache lines of global memory that scalar stores made dirty: whose a line is, to find two cores that share one.
#pragma once
#include <cstdint>
#include <unordered_map>

namespace akrt {

class LineOwners {
 public:
  struct Owner {
    int32_t core = -1;
    bool dirty = false;
    uint32_t cleaned = 0;  // tick of the scalar pipe at which the owner wrote the line back last
  };

  // The owner before a store of `core`; from now on it is `core`.
  Owner claim(uint64_t line, int32_t core) {
    Owner& owner = owners_[line];
    const Owner before = owner;
    owner = {core, true, 0};
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
