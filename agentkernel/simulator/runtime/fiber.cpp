#include "fiber.h"

#include <sys/mman.h>

#include <new>
#include <utility>

namespace akrt {

namespace {

// The signal handler asks for the guard of the running stack; one launch runs in a process.
uint64_t g_guard = 0;

}  // namespace

Fiber::Fiber() {
  void* p = mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (p == MAP_FAILED || mprotect(p, kGuardBytes, PROT_NONE) != 0) throw std::bad_alloc();
  base_ = static_cast<uint8_t*>(p);
}

Fiber::~Fiber() { munmap(base_, kGuardBytes + kStackBytes); }

bool Fiber::in_guard(uint64_t address) { return g_guard != 0 && address >= g_guard && address < g_guard + kGuardBytes; }

void Fiber::enter(unsigned high, unsigned low) {
  auto* fiber = reinterpret_cast<Fiber*>(uint64_t{high} << 32 | low);
  try {
    fiber->body_();
  } catch (...) {
    fiber->thrown_ = std::current_exception();
  }
  fiber->returned_ = true;
}

bool Fiber::start(std::function<void()> body) {
  body_ = std::move(body);
  returned_ = false;
  getcontext(&self_);
  self_.uc_stack.ss_sp = base_ + kGuardBytes;
  self_.uc_stack.ss_size = kStackBytes;
  self_.uc_link = &caller_;
  // makecontext passes int arguments only.
  const auto self = reinterpret_cast<uint64_t>(this);
  makecontext(&self_, reinterpret_cast<void (*)()>(&Fiber::enter), 2, static_cast<unsigned>(self >> 32),
              static_cast<unsigned>(self));
  return switch_in();
}

bool Fiber::resume() { return switch_in(); }

void Fiber::suspend() { swapcontext(&self_, &caller_); }

bool Fiber::switch_in() {
  g_guard = reinterpret_cast<uint64_t>(base_);
  swapcontext(&caller_, &self_);
  g_guard = 0;
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  return returned_;
}

}  // namespace akrt
