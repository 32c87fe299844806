// A stack of its own for the program of a core, with a guard page, so that cores can be switched and an overflow is
// told from other crashes.
#pragma once
#include <ucontext.h>

#include <cstdint>
#include <exception>
#include <functional>

namespace akrt {

class Fiber {
 public:
  static constexpr uint64_t kStackBytes = 1 << 20;
  static constexpr uint64_t kGuardBytes = 64 << 10;

  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Runs `body` on the fiber's stack until it returns. An exception that leaves it is thrown on here.
  void run(const std::function<void()>& body);

  // Whether an address lies in the guard of the fiber that runs.
  static bool in_guard(uint64_t address);

 private:
  static void enter(unsigned high, unsigned low);

  uint8_t* base_;
  ucontext_t caller_{};
  ucontext_t self_{};
  const std::function<void()>* body_ = nullptr;
  std::exception_ptr thrown_;
};

}  // namespace akrt
