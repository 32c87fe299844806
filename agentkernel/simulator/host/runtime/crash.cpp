#include "crash.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "walls.h"

namespace akhost {

namespace {

// A signal handler reaches its context only through static storage.
int g_records = -1;
ObjectRange g_object;
const char* g_stage = "loading";
uint64_t g_stack_top = 0;

constexpr size_t kMaxSites = 12;
constexpr size_t kMaxWords = 4096;  // of the stack that are looked through

struct Sites {
  uint64_t all[kMaxSites];
  size_t count = 0;

  void add(uint64_t address) {
    if (count == kMaxSites || address < g_object.begin || address >= g_object.end) return;
    const uint64_t site = address - g_object.begin;
    for (size_t i = 0; i < count; ++i)
      if (all[i] == site) return;
    all[count++] = site;
  }
};

// Code of the object keeps frame pointers, libraries do not: every word of the stack that points into the object may be
// a return address. Innermost frames lie lowest. The reader sees which of them are lines of the author.
void scan(Sites& sites, uint64_t stack) {
  for (size_t i = 0; i < kMaxWords && stack + 8 * (i + 1) <= g_stack_top && sites.count < kMaxSites; ++i) {
    uint64_t word;
    std::memcpy(&word, reinterpret_cast<const void*>(stack + 8 * i), sizeof word);
    if (word > g_object.begin) sites.add(word - 1);
  }
}

uint64_t program_counter(const ucontext_t* context) {
#if defined(__x86_64__)
  return static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RIP]);
#else
  return context->uc_mcontext.pc;
#endif
}

uint64_t stack_pointer(const ucontext_t* context) {
#if defined(__x86_64__)
  return static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RSP]);
#else
  return context->uc_mcontext.sp;
#endif
}

// Only calls that are safe in a handler: the heap may be locked by what was interrupted.
void on_signal(int signal, siginfo_t* info, void* context) {
  const auto* machine = static_cast<const ucontext_t*>(context);
  Sites sites;
  sites.add(program_counter(machine));
#if defined(__aarch64__)
  sites.add(machine->uc_mcontext.regs[30] - 1);
#endif
  const uint64_t stack = stack_pointer(machine) & ~uint64_t{7};
  const auto address = reinterpret_cast<uint64_t>(info->si_addr);
  const bool overflow = signal == SIGSEGV && address + 65536 > stack && address < stack + 65536;
  scan(sites, stack);
  static char line[1024];
  int n = std::snprintf(line, sizeof line,
                        "{\"t\":\"crash\",\"signal\":%d,\"stage\":\"%s\",\"address\":%llu,\"stack\":%s,"
                        "\"call\":\"%s\",\"sites\":[",
                        signal, g_stage, static_cast<unsigned long long>(address & 0x7fffffffffffffffull),
                        overflow ? "true" : "false", signal == SIGSYS ? syscall_name(info->si_syscall) : "");
  for (size_t i = 0; i < sites.count && n > 0; ++i)
    n += std::snprintf(line + n, sizeof line - static_cast<size_t>(n), "%s%llu", i == 0 ? "" : ",",
                       static_cast<unsigned long long>(sites.all[i]));
  n += std::snprintf(line + n, sizeof line - static_cast<size_t>(n), "]}\n");
  const ssize_t written = write(g_records, line, static_cast<size_t>(n));
  _exit(written > 0 ? 0 : 70);
}

Sites g_thrown;

}  // namespace

void catch_crashes(const Records& records, uint64_t stack_top) {
  g_records = records.file();
  g_stack_top = stack_top;
  constexpr size_t kBytes = 64 << 10;
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no memory for the signal stack");
  const stack_t alternate{memory, 0, kBytes};
  if (sigaltstack(&alternate, nullptr) != 0) throw std::runtime_error("sigaltstack failed");
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  for (const int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGXCPU, SIGXFSZ, SIGSYS})
    if (sigaction(s, &action, nullptr) != 0) throw std::runtime_error("sigaction failed");
}

void set_object(ObjectRange range) { g_object = range; }
void set_stage(const char* name) { g_stage = name; }
const char* stage() { return g_stage; }

std::vector<uint64_t> sites_of_last_throw() { return {g_thrown.all, g_thrown.all + g_thrown.count}; }

void note_throw() {
  g_thrown = Sites();
  scan(g_thrown, reinterpret_cast<uint64_t>(__builtin_frame_address(0)));
}

}  // namespace akhost
