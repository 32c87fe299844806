#include "sandbox.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

namespace akrt {

namespace {

#if defined(__x86_64__)
constexpr uint32_t kArch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArch = AUDIT_ARCH_AARCH64;
#else
#error "the runner's system call filter knows x86-64 and aarch64"
#endif

constexpr uint32_t kTrap = SECCOMP_RET_TRAP;
constexpr uint32_t kAllow = SECCOMP_RET_ALLOW;

constexpr uint32_t argument_low(int index) {
  return static_cast<uint32_t>(offsetof(seccomp_data, args) + sizeof(uint64_t) * static_cast<size_t>(index));
}

// A filter program, built rule by rule; whatever no rule allows is trapped.
class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArch, 1, 0));
    code_.push_back(BPF_STMT(BPF_RET | BPF_K, kTrap));
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    // x32 calls carry a bit that would slip past the numbers below.
    constexpr uint32_t kX32Bit = 0x40000000;
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32Bit, 0, 1));
    code_.push_back(BPF_STMT(BPF_RET | BPF_K, kTrap));
#endif
  }

  Filter& allow(int number) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 1));
    code_.push_back(BPF_STMT(BPF_RET | BPF_K, kAllow));
    return *this;
  }

  // Allowed only while none of `bits` is set in an argument.
  Filter& allow_without(int number, int argument, uint32_t bits) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 4));
    load(argument_low(argument));
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0));
    code_.push_back(BPF_STMT(BPF_RET | BPF_K, kAllow));
    code_.push_back(BPF_STMT(BPF_RET | BPF_K, kTrap));
    return *this;
  }

  // Allowed only while an argument has one of `bits` set.
  Filter& allow_with(int number, int argument, uint32_t bits) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 4));
    load(argument_low(argument));
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
    code_.push_back(BPF_STMT(BPF_RET | BPF_K, kAllow));
    code_.push_back(BPF_STMT(BPF_RET | BPF_K, kTrap));
    return *this;
  }

  void install() {
    code_.push_back(BPF_STMT(BPF_RET | BPF_K, kTrap));
    sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
      throw RunnerError(std::string("the host refuses a system call filter: ") + std::strerror(errno));
  }

 private:
  void load(size_t offset) { code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset))); }
  std::vector<sock_filter> code_;
};

Filter common() {
  Filter f;
  f.allow(SYS_write).allow(SYS_exit_group).allow(SYS_exit).allow(SYS_munmap).allow(SYS_mremap).allow(SYS_madvise);
  f.allow(SYS_brk).allow(SYS_futex).allow(SYS_clock_gettime);
  f.allow(SYS_rt_sigaction).allow(SYS_rt_sigprocmask).allow(SYS_rt_sigreturn).allow(SYS_sigaltstack);
  return f;
}

void limit(int resource, uint64_t soft, uint64_t hard, const char* name) {
  const rlimit value{soft, hard};
  if (setrlimit(static_cast<__rlimit_resource_t>(resource), &value) != 0)
    throw RunnerError(std::string("cannot set limit ") + name + ": " + std::strerror(errno));
}

}  // namespace

void apply_limits(const Limits& limits) {
  limit(RLIMIT_CORE, 0, 0, "core");
  limit(RLIMIT_NOFILE, 64, 64, "files");
  limit(RLIMIT_NPROC, 0, 0, "processes");
  limit(RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes, "file size");
  if (limits.memory_bytes != 0) limit(RLIMIT_AS, limits.memory_bytes, limits.memory_bytes, "memory");
  // One second more until the kernel of the host kills, should the handler of SIGXCPU not get through.
  if (limits.cpu_seconds != 0) limit(RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1, "processor time");
}

void allow_loading() {
  Filter f = common();
  f.allow(SYS_mmap).allow(SYS_mprotect).allow(SYS_read).allow(SYS_pread64).allow(SYS_fstat).allow(SYS_newfstatat);
  f.allow(SYS_close).allow(SYS_lseek).allow(SYS_getrandom).allow(SYS_getcwd).allow(SYS_prctl);
  f.allow_without(SYS_openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND);
#ifdef SYS_access
  f.allow(SYS_access);
#endif
#ifdef SYS_readlink
  f.allow(SYS_readlink);
#endif
  f.allow(SYS_faccessat).allow(SYS_readlinkat);
  f.install();
}

void allow_running() {
  Filter f = common();
  f.allow_with(SYS_mmap, 3, MAP_ANONYMOUS);
  f.allow_without(SYS_mprotect, 2, PROT_EXEC);
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
    case SYS_close: return "close";
    case SYS_kill: return "kill";
    case SYS_ptrace: return "ptrace";
    case SYS_mmap: return "mmap";
    case SYS_mprotect: return "mprotect";
    case SYS_ioctl: return "ioctl";
    case SYS_unlinkat: return "unlinkat";
    case SYS_getpid: return "getpid";
    case SYS_prctl: return "prctl";
    case SYS_process_vm_writev: return "process_vm_writev";
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

}  // namespace akrt
