#include "walls.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace akhost {

namespace {

#if defined(__x86_64__)
constexpr uint32_t kArch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArch = AUDIT_ARCH_AARCH64;
#else
#error "akhost is written for x86-64 and AArch64"
#endif

class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    jump(BPF_JEQ, kArch, 1, 0);
    answer(SECCOMP_RET_TRAP);
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    jump(BPF_JGE, 0x40000000u, 0, 1);  // x32 calls would slip past the numbers below
    answer(SECCOMP_RET_TRAP);
#endif
  }

  void allow(std::initializer_list<int> numbers) {
    for (const int number : numbers) {
      jump(BPF_JEQ, static_cast<uint32_t>(number), 0, 1);
      answer(SECCOMP_RET_ALLOW);
    }
  }

  // Answers with an error instead of the call.
  void refuse(int number, uint32_t error) {
    jump(BPF_JEQ, static_cast<uint32_t>(number), 0, 1);
    answer(SECCOMP_RET_ERRNO | error);
  }

  // Allowed only while an argument has one of `bits` set (or, with `set` false, none).
  void allow_where(int number, int argument, uint32_t bits, bool set) {
    jump(BPF_JEQ, static_cast<uint32_t>(number), 0, 4);
    load(static_cast<uint32_t>(offsetof(seccomp_data, args)) + 8 * static_cast<uint32_t>(argument));
    jump(BPF_JSET, bits, set ? 0 : 1, set ? 1 : 0);
    answer(SECCOMP_RET_ALLOW);
    answer(SECCOMP_RET_TRAP);
  }

  // Allowed only while an argument has that value.
  void allow_equal(int number, int argument, uint32_t value) {
    jump(BPF_JEQ, static_cast<uint32_t>(number), 0, 4);
    load(static_cast<uint32_t>(offsetof(seccomp_data, args)) + 8 * static_cast<uint32_t>(argument));
    jump(BPF_JEQ, value, 0, 1);
    answer(SECCOMP_RET_ALLOW);
    answer(SECCOMP_RET_TRAP);
  }

  void install() {
    answer(SECCOMP_RET_TRAP);
    sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
      throw std::runtime_error(std::string("the host refuses a system call filter: ") + std::strerror(errno));
  }

 private:
  void load(uint32_t offset) { code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)); }
  void jump(uint16_t how, uint32_t value, uint8_t yes, uint8_t no) {
    code_.push_back(BPF_JUMP(static_cast<uint16_t>(BPF_JMP | how | BPF_K), value, yes, no));
  }
  void answer(uint32_t action) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }
  std::vector<sock_filter> code_;
};

Filter common() {
  Filter f;
  f.allow({SYS_write, SYS_writev, SYS_exit_group, SYS_exit, SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk, SYS_futex,
           SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_rt_sigaction, SYS_rt_sigprocmask,
           SYS_rt_sigreturn, SYS_sigaltstack, SYS_getpid, SYS_gettid, SYS_getrandom, SYS_sched_yield, SYS_fstat,
           SYS_newfstatat, SYS_lseek});
  // abort() and raise(): the signal reaches our own handler; no other process can be meant
  f.allow_equal(SYS_tgkill, 0, static_cast<uint32_t>(getpid()));
  f.refuse(SYS_ioctl, ENOTTY);  // streams ask whether they are terminals
  return f;
}

void limit(int resource, uint64_t soft, uint64_t hard, const char* name) {
  const rlimit value{soft, hard};
  if (setrlimit(static_cast<__rlimit_resource_t>(resource), &value) != 0)
    throw std::runtime_error(std::string("cannot set limit ") + name + ": " + std::strerror(errno));
}

}  // namespace

void apply_limits(uint64_t cpu_seconds, uint64_t memory_bytes, uint64_t file_bytes) {
  limit(RLIMIT_CORE, 0, 0, "core");
  limit(RLIMIT_NPROC, 0, 0, "processes");
  limit(RLIMIT_FSIZE, file_bytes, file_bytes, "file size");
  if (memory_bytes != 0) limit(RLIMIT_AS, memory_bytes, memory_bytes, "memory");
  if (cpu_seconds != 0) limit(RLIMIT_CPU, cpu_seconds, cpu_seconds + 1, "processor time");
}

void allow_loading() {
  Filter f = common();
  f.allow({SYS_mmap, SYS_mprotect, SYS_read, SYS_pread64, SYS_close, SYS_getcwd, SYS_prctl, SYS_faccessat,
           SYS_readlinkat});
#ifdef SYS_access
  f.allow({SYS_access, SYS_readlink});
#endif
  f.allow_where(SYS_openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND, false);
  f.install();
}

void allow_running() {
  Filter f = common();
  f.allow_where(SYS_mmap, 3, MAP_ANONYMOUS, true);
  f.allow_where(SYS_mprotect, 2, PROT_EXEC, false);
  f.install();
}

const char* syscall_name(int number) {
  switch (number) {
    case SYS_clone: return "clone";
    case SYS_execve: return "execve";
    case SYS_socket: return "socket";
    case SYS_connect: return "connect";
    case SYS_openat: return "openat";
    case SYS_read: return "read";
    case SYS_kill: return "kill";
    case SYS_ptrace: return "ptrace";
    case SYS_mmap: return "mmap";
    case SYS_unlinkat: return "unlinkat";
    case SYS_nanosleep: return "nanosleep";
    case SYS_clock_nanosleep: return "clock_nanosleep";
    case SYS_prctl: return "prctl";
#ifdef SYS_clone3
    case SYS_clone3: return "clone3";
#endif
#ifdef SYS_fork
    case SYS_fork: return "fork";
    case SYS_vfork: return "vfork";
    case SYS_open: return "open";
    case SYS_unlink: return "unlink";
#endif
    default: break;
  }
  static char text[32];
  std::snprintf(text, sizeof text, "system call %d", number);
  return text;
}

}  // namespace akhost
