// The local memories of a core, each between guard pages, reused from core to core.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "akrt/abi.h"

namespace akrt {

class Params;

// Bytes of anonymous memory between two inaccessible pages; the data end at the upper one.
class GuardedBlock {
 public:
  explicit GuardedBlock(uint64_t bytes);
  ~GuardedBlock();
  GuardedBlock(const GuardedBlock&) = delete;
  GuardedBlock& operator=(const GuardedBlock&) = delete;
  uint8_t* data() const { return data_; }
  uint64_t bytes() const { return bytes_; }

 private:
  uint64_t bytes_;
  uint64_t mapped_;
  uint8_t* base_;
  uint8_t* data_;
};

// Fills with the poison pattern of PROTOCOL.md (a NaN in every float format).
void poison(uint8_t* data, uint64_t bytes);
// How many bytes of [data, data + bytes) still hold poison; `offset` is the place of data[0] in its buffer.
uint64_t count_poison(const uint8_t* data, uint64_t bytes, uint64_t offset);

class LocalMemory {
 public:
  explicit LocalMemory(const Params& params);
  uint8_t* data(Space space) const { return blocks_[static_cast<size_t>(space)]->data(); }
  uint32_t capacity(Space space) const { return capacity_[static_cast<size_t>(space)]; }
  // Content that a core of this type starts with: poison in its memories, zero in the registers.
  void refresh(CoreType type);

 private:
  std::array<uint32_t, kSpaces> capacity_{};
  std::array<std::unique_ptr<GuardedBlock>, kSpaces> blocks_;
};

class LocalMemoryPool {
 public:
  explicit LocalMemoryPool(const Params& params) : params_(params) {}
  std::unique_ptr<LocalMemory> acquire(CoreType type);
  void release(std::unique_ptr<LocalMemory> memory) { free_.push_back(std::move(memory)); }

 private:
  const Params& params_;
  std::vector<std::unique_ptr<LocalMemory>> free_;
};

}  // namespace akrt
