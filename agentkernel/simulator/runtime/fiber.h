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

  // Runs `body` on the fiber's stack until it returns or suspends; true when it has returned. An exception that leaves
  // it is thrown on here. A fiber may start again after its body has returned.
  bool start(std::function<void()> body);
  // Goes on behind the body's suspend(); as start().
  bool resume();
  // From inside the body: back to who started or resumed it last.
  void suspend();

  // Whether an address lies in the guard of the fiber that runs.
  static bool in_guard(uint64_t address);

 private:
  static void enter(unsigned high, unsigned low);
  bool switch_in();

  uint8_t* base_;
  ucontext_t caller_{};
  ucontext_t self_{};
  std::function<void()> body_;
  bool returned_ = true;
  std::exception_ptr thrown_;
};

}  // namespace akrt
