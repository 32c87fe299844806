#include "local_memory.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

#include "launch.h"

namespace akrt {

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint16_t kPoisonWord = 0xFFAB;

uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

GuardedBlock::GuardedBlock(uint64_t bytes) : bytes_(bytes), mapped_(round_up(bytes, kPage) + 2 * kPage) {
  void* p = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<uint8_t*>(p);
  if (mprotect(base_ + kPage, mapped_ - 2 * kPage, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  // 512 is the strictest alignment of a local memory (L0).
  data_ = base_ + mapped_ - kPage - round_up(bytes, 512);
}

GuardedBlock::~GuardedBlock() { munmap(base_, mapped_); }

void poison(uint8_t* data, uint64_t bytes) {
  uint64_t i = 0;
  const uint64_t word = 0xFFABFFABFFABFFABull;
  for (; i + 8 <= bytes; i += 8) std::memcpy(data + i, &word, 8);
  for (; i < bytes; ++i) data[i] = static_cast<uint8_t>(kPoisonWord >> ((i & 1) * 8));
}

uint64_t count_poison(const uint8_t* data, uint64_t bytes, uint64_t offset) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < bytes; ++i)
    count += data[i] == static_cast<uint8_t>(kPoisonWord >> (((offset + i) & 1) * 8)) ? 1 : 0;
  return count;
}

LocalMemory::LocalMemory(const Params& params) {
  static constexpr const char* kNames[kSpaces] = {nullptr,     "ub_bytes", "l1_bytes", "l0a_bytes", "l0b_bytes",
                                                  "l0c_bytes", "bt_bytes", "fb_bytes", nullptr};
  for (size_t s = 0; s < kSpaces; ++s) {
    if (kNames[s] != nullptr) capacity_[s] = static_cast<uint32_t>(params.at(kNames[s]));
    if (static_cast<Space>(s) == Space::SPR) capacity_[s] = Registers::kSprBytes;
    blocks_[s] = std::make_unique<GuardedBlock>(capacity_[s]);
  }
}

void LocalMemory::refresh(CoreType type) {
  for (const Space s : {Space::UB, Space::L1, Space::L0A, Space::L0B, Space::L0C, Space::BT, Space::FB})
    if ((s == Space::UB) == (type == CoreType::kVector)) poison(data(s), capacity(s));
  std::memset(data(Space::SPR), 0, capacity(Space::SPR));
}

std::unique_ptr<LocalMemory> LocalMemoryPool::acquire(CoreType type) {
  std::unique_ptr<LocalMemory> memory;
  if (free_.empty()) {
    memory = std::make_unique<LocalMemory>(params_);
  } else {
    memory = std::move(free_.back());
    free_.pop_back();
  }
  memory->refresh(type);
  return memory;
}

}  // namespace akrt
