// Programs that a hostile or broken candidate could be, each behind its own launcher symbol.
#include <cstddef>
#include <cstdint>

#include "akrt/abi_core.h"

namespace {

[[gnu::noinline]] akrt::Site here() { return __builtin_return_address(0); }

long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
#if defined(__x86_64__)
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#else
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#endif
}

volatile int g_zero = 0;

int deeper(volatile char* above, int n) {
  volatile char local[4096];
  local[0] = above[0];
  return n == 0 ? local[0] : deeper(local, n - 1) + local[0];
}

}  // namespace

#include <sys/syscall.h>

extern "C" {

// y[i] = x[i] + 1, by scalar stores, one int32 a block.
void good(void** args) {
  const akrt::Global x{reinterpret_cast<uint64_t>(args[0]), 0, akrt::DType::kInt32};
  const akrt::Global y{reinterpret_cast<uint64_t>(args[1]), 0, akrt::DType::kInt32};
  const int64_t at = akrt_block_idx() * 64;
  akrt_global_set(y, at, 4, akrt_global_get(x, at, 4, "GetValue", here()) + 1, "SetValue", here());
}

void writes_input(void** args) { *static_cast<volatile int*>(args[0]) = 1; }
void far_past_output(void** args) { static_cast<volatile char*>(args[1])[8192] = 1; }
void far_before_output(void** args) { static_cast<volatile char*>(args[1])[-4096] = 1; }
void null_pointer(void**) { *reinterpret_cast<volatile int*>(g_zero) = 1; }
void wild_pointer(void**) { *reinterpret_cast<volatile int*>(0x123456789000) = 1; }
void divides_by_zero(void** args) { *static_cast<volatile int*>(args[1]) = 100 / g_zero; }
void recurses(void** args) {
  volatile char start = 0;
  *static_cast<volatile int*>(args[1]) = deeper(&start, 1 << 20);
}
void traps(void**) { __builtin_trap(); }
void never_ends(void**) {
  while (g_zero == 0) {
  }
}
void crashes_in_runtime(void**) { akrt_copy_tiling(nullptr, reinterpret_cast<void*>(8), 1 << 20, here()); }
void bad_size(void** args) {
  akrt_global_get({reinterpret_cast<uint64_t>(args[0]), 0, akrt::DType::kInt32}, 0, 64, "GetValue", here());
}
void bad_event(void**) { akrt_alloc_event(200, here()); }
void deadlocks(void**) { akrt_wait_flag(22, 0, here()); }

void forks(void**) { call(SYS_clone, 17); }
void executes(void**) { call(SYS_execve, reinterpret_cast<long>("/bin/true")); }
void opens_socket(void**) { call(SYS_socket, 1, 1, 0); }
void opens_file(void**) { call(SYS_openat, -100, reinterpret_cast<long>("/etc/hostname"), 0); }
void kills_parent(void**) { call(SYS_kill, 1, 9); }
void maps_file(void**) { call(SYS_mmap, 0, 4096, 1, 2, 3, 0); }
void makes_code(void** args) { call(SYS_mprotect, reinterpret_cast<long>(args[1]) & ~4095L, 4096, 7); }
}
