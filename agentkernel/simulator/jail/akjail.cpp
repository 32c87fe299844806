// Starts one program behind walls: limits, another user, no new privileges, Landlock, a system-call filter.
//
//   akjail --tag WORD [--cpu S] [--as BYTES] [--fsize BYTES] [--nofile N] [--nproc N] [--stack BYTES] [--uid N]
//          [--landlock] [--ro PATH] [--rx PATH] [--rw PATH] [--seccomp] [--no-fork] [--cwd DIR] -- PROGRAM ARGS...
//   akjail --probe        prints the walls that hold here, one a line: landlock N, seccomp, uid
//
// Every wall that is asked for holds or the program is not started: exit status 71 and one line on stderr that begins
// with the tag, which the program behind the walls never sees and so cannot forge. It is a program of its own because
// setting these up between fork and exec from a threaded Python is not safe.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kRefused = 71;

std::string g_tag;

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "akjail %s: %s: %s\n", g_tag.c_str(), what.c_str(), std::strerror(errno));
  std::exit(kRefused);
}

// ---- Landlock, by its kernel interface (the header may be older than the running kernel) ----

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

struct LandlockRuleset {
  uint64_t handled_fs;
  uint64_t handled_net;  // ABI 4
  uint64_t scoped;       // ABI 6
};

struct [[gnu::packed]] LandlockPath {
  uint64_t allowed;
  int32_t fd;
};

constexpr uint64_t kExecute = 1 << 0, kWriteFile = 1 << 1, kReadFile = 1 << 2, kReadDir = 1 << 3;
constexpr uint64_t kRefer = 1 << 13, kTruncate = 1 << 14, kIoctlDev = 1 << 15;
constexpr uint64_t kDirOnly = kReadDir | (((1 << 13) - 1) & ~((1 << 4) - 1)) | kRefer;  // bits 4..12: remove_*, make_*

int landlock_abi() {
  return static_cast<int>(syscall(SYS_landlock_create_ruleset, nullptr, 0, 1));
}

struct PathRule {
  std::string path;
  uint64_t wanted;
};

bool landlock(const std::vector<PathRule>& rules) {
  const int abi = landlock_abi();
  if (abi < 1) return false;
  uint64_t fs = (1 << 13) - 1;
  if (abi >= 2) fs |= kRefer;
  if (abi >= 3) fs |= kTruncate;
  if (abi >= 5) fs |= kIoctlDev;
  LandlockRuleset set{fs, abi >= 4 ? 3u : 0u, abi >= 6 ? 3u : 0u};
  const size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
  const int ruleset = static_cast<int>(syscall(SYS_landlock_create_ruleset, &set, size, 0));
  if (ruleset < 0) return false;
  for (const PathRule& rule : rules) {
    const int fd = open(rule.path.c_str(), O_PATH | O_CLOEXEC);
    if (fd < 0) {
      if (errno == ENOENT) continue;  // a system folder that this distribution does not have
      return false;
    }
    struct stat info;
    if (fstat(fd, &info) != 0) return false;
    uint64_t allowed = rule.wanted & fs;
    if (!S_ISDIR(info.st_mode)) allowed &= ~kDirOnly;
    LandlockPath path{allowed, fd};
    if (syscall(SYS_landlock_add_rule, ruleset, 1, &path, 0) != 0) return false;
    close(fd);
  }
  const bool held = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  close(ruleset);
  return held;
}

// ---- system-call filter: what neither a compiler nor a kernel under test has any business with ----

#if defined(__x86_64__)
constexpr uint32_t kArch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArch = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArch = 0;
#endif

const std::vector<long> kDenied = {
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept4, SYS_sendto, SYS_sendmsg,
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_mount, SYS_umount2, SYS_pivot_root,
    SYS_chroot, SYS_unshare, SYS_setns, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_keyctl, SYS_add_key,
    SYS_request_key, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon,
    SYS_open_by_handle_at, SYS_name_to_handle_at, SYS_acct, SYS_quotactl, SYS_syslog, SYS_personality, SYS_setpriority,
    425 /* io_uring_setup */, 428 /* open_tree */, 429 /* move_mount */, 430 /* fsopen */, 432 /* fsmount */,
    438 /* pidfd_getfd */,
};

bool filter(bool no_fork) {
  if (kArch == 0) {
    errno = ENOSYS;
    return false;
  }
  std::vector<sock_filter> code;
  auto stmt = [&](uint16_t op, uint32_t k) { code.push_back(BPF_STMT(op, k)); };
  auto jump = [&](uint16_t op, uint32_t k, uint8_t t, uint8_t f) { code.push_back(BPF_JUMP(op, k, t, f)); };
  const uint32_t deny = SECCOMP_RET_ERRNO | EPERM;
  stmt(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
  jump(BPF_JMP | BPF_JEQ | BPF_K, kArch, 1, 0);
  stmt(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  stmt(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
#if defined(__x86_64__)
  jump(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1);  // the x32 numbers would walk around the list
  stmt(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
#endif
  auto refuse_number = [&](long number, uint32_t action) {
    jump(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 1);
    stmt(BPF_RET | BPF_K, action);
  };
  for (long number : kDenied) refuse_number(number, deny);
  refuse_number(435 /* clone3: flags in memory, unseen from here; glibc falls back to clone */,
                SECCOMP_RET_ERRNO | ENOSYS);
  if (no_fork) {
    refuse_number(SYS_clone, deny);
#ifdef SYS_fork
    refuse_number(SYS_fork, deny);
    refuse_number(SYS_vfork, deny);
#endif
  } else {
    // new processes, but no new namespaces
    constexpr uint32_t spaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
    jump(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
    stmt(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0]));
    jump(BPF_JMP | BPF_JSET | BPF_K, spaces, 0, 1);
    stmt(BPF_RET | BPF_K, deny);
    stmt(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  stmt(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool become(unsigned id) {
  return setgroups(0, nullptr) == 0 && setresgid(id, id, id) == 0 && setresuid(id, id, id) == 0;
}

// ---- probing: each wall is tried in a child, so that it does not hold for the next ----

template <class F>
bool holds(F attempt) {
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) _exit(attempt() ? 0 : 1);
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool no_new_privileges() { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0; }

int probe(unsigned id) {
  if (holds([] { return no_new_privileges() && landlock({{"/usr", kReadFile}}) && open("/etc/passwd", O_RDONLY) < 0; }))
    std::printf("landlock %d\n", landlock_abi());
  if (holds([] { return no_new_privileges() && filter(true) && syscall(SYS_socket, 1, 1, 0) < 0 && fork() < 0; }))
    std::puts("seccomp");
  if (geteuid() == 0 && holds([id] { return become(id) && geteuid() == id && setresuid(0, 0, 0) != 0; }))
    std::puts("uid");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  struct Limit {
    const char* flag;
    __rlimit_resource_t what;
  };
  const Limit limits[] = {{"--cpu", RLIMIT_CPU},       {"--as", RLIMIT_AS},       {"--fsize", RLIMIT_FSIZE},
                          {"--nofile", RLIMIT_NOFILE}, {"--nproc", RLIMIT_NPROC}, {"--stack", RLIMIT_STACK}};
  std::vector<PathRule> rules;
  unsigned id = 0;
  bool use_landlock = false, use_filter = false, no_fork = false;
  const char* folder = nullptr;
  int i = 1;
  auto value = [&]() -> const char* {
    if (++i >= argc) {
      errno = EINVAL;
      refuse(std::string("value of ") + argv[i - 1]);
    }
    return argv[i];
  };
  for (; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--") break;
    if (flag == "--probe") return probe(static_cast<unsigned>(std::atoi(value())));
    bool known = false;
    for (const Limit& limit : limits) {
      if (flag != limit.flag) continue;
      const rlim_t most = std::strtoull(value(), nullptr, 10);
      // the CPU limit's hard end comes a second later, so that SIGXCPU can be caught and reported first
      const rlimit both{most, limit.what == RLIMIT_CPU ? most + 1 : most};
      if (setrlimit(limit.what, &both) != 0) refuse(flag);
      known = true;
    }
    if (known) continue;
    if (flag == "--tag") g_tag = value();
    else if (flag == "--uid") id = static_cast<unsigned>(std::atoi(value()));
    else if (flag == "--landlock") use_landlock = true;
    else if (flag == "--seccomp") use_filter = true;
    else if (flag == "--no-fork") no_fork = true;
    else if (flag == "--cwd") folder = value();
    else if (flag == "--ro") rules.push_back({value(), kReadFile | kReadDir});
    else if (flag == "--rx") rules.push_back({value(), kReadFile | kReadDir | kExecute});
    else if (flag == "--rw") rules.push_back({value(), ~uint64_t{0} & ~kExecute});
    else {
      errno = EINVAL;
      refuse(flag);
    }
  }
  if (i + 1 >= argc) {
    errno = EINVAL;
    refuse("no program given");
  }
  char** command = argv + i + 1;
  // opened before the user changes: the program may lie in a folder that only its owner can enter
  const int program = open(command[0], O_RDONLY | O_CLOEXEC);
  if (program < 0) refuse(command[0]);
  const rlimit none{0, 0};
  if (setrlimit(RLIMIT_CORE, &none) != 0) refuse("no core files");
  if (folder != nullptr && chdir(folder) != 0) refuse(folder);
  const pid_t parent = getppid();
  std::vector<PathRule> all = rules;
  all.push_back({command[0], kReadFile | kExecute});
  // Landlock opens its paths while we may still enter their folders; it needs no privilege but this one
  if (!no_new_privileges()) refuse("no new privileges");
  if (use_landlock && !landlock(all)) refuse("landlock");
  if (id != 0 && !become(id)) refuse("change of user");
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) refuse("death with the parent");
  if (getppid() != parent) return kRefused;
  if (use_filter && !filter(no_fork)) refuse("system-call filter");
  syscall(SYS_execveat, program, "", command, environ, AT_EMPTY_PATH);
  if (errno == ENOENT) execv(command[0], command);  // a script: its interpreter has to open it by name
  refuse(std::string("cannot start ") + command[0]);
}
