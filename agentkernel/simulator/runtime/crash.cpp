#include "crash.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "division.h"
#include "fiber.h"
#include "gm_map.h"
#include "launch_file.h"
#include "sandbox.h"
#include "seal.h"

namespace akrt {

namespace {

// A signal handler reaches its context only through static storage.
Launch* g_launch = nullptr;
std::array<ObjectRange, 2> g_objects;
int g_records = -1;

struct Report {
  const char* code = "crash";
  const char* level = "runtime";
  char message[256] = "";
  const char* hint = "";
  const char* argument = "";
};

uint64_t program_counter(const ucontext_t* context) {
#if defined(__x86_64__)
  return static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RIP]);
#else
  return context->uc_mcontext.pc;
#endif
}

void classify_fault(Report& report, uint64_t address) {
  const Region* region = region_near(g_launch->regions(), address);
  if (seal::holds(address)) {
    report.code = "harness-access";
    report.level = "cheat";
    std::snprintf(report.message, sizeof report.message, "The kernel writes into the memory of what runs and judges it.");
    report.hint = "A kernel writes to its tensors and its own variables; check raw pointers and array indices.";
  } else if (Fiber::in_guard(address)) {
    report.code = "stack-overflow";
    std::snprintf(report.message, sizeof report.message, "The kernel's stack of %llu KiB overflows.",
                  static_cast<unsigned long long>(Fiber::kStackBytes >> 10));
    report.hint = "The scalar stack of a core is small: no recursion, no large local arrays.";
  } else if (region != nullptr && address >= region->begin && address < region->end() && region->read_only()) {
    report.code = "gm-read-only";
    std::snprintf(report.message, sizeof report.message, "The kernel writes through a raw pointer to %s, which is read-only.",
                  region->name.c_str());
    report.hint = "Inputs and tiling are read-only; check the order of the kernel's arguments.";
    report.argument = region->name.c_str();
  } else if (region != nullptr) {
    report.code = "gm-out-of-bounds";
    std::snprintf(report.message, sizeof report.message,
                  "The kernel touches byte %lld of %s, which has %llu bytes, through a raw pointer.",
                  static_cast<long long>(address - region->begin), region->name.c_str(),
                  static_cast<unsigned long long>(region->bytes));
    report.hint = "Check offsets and lengths of raw pointer accesses; offsets count elements.";
    report.argument = region->name.c_str();
  } else if (address < 65536) {
    std::snprintf(report.message, sizeof report.message, "The kernel uses a null pointer (address %llu).",
                  static_cast<unsigned long long>(address));
    report.hint = "Initialise pointers and tensors before use; check that every kernel argument is passed.";
  } else {
    std::snprintf(report.message, sizeof report.message,
                  "The kernel touches an address that belongs to none of its memories.");
    report.hint = "Check raw pointers and offsets.";
  }
}

void classify(Report& report, int signal, const siginfo_t* info) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS: classify_fault(report, reinterpret_cast<uint64_t>(info->si_addr)); return;
    case SIGFPE:
      std::snprintf(report.message, sizeof report.message, "An integer division by zero in the kernel's scalar code.");
      report.hint = "Check divisors that come from tiling data (a tile or core count of 0).";
      return;
    case SIGXCPU:
      report.code = "time-limit";
      std::snprintf(report.message, sizeof report.message, "The kernel exceeded its processor time.");
      report.hint = "Look for a loop that does not end, or scalar work element by element.";
      return;
    case SIGXFSZ:
      report.code = "memory-limit";
      std::snprintf(report.message, sizeof report.message, "The kernel exceeded the limit on file size.");
      return;
    case SIGSYS:
      report.code = "forbidden-syscall";
      report.level = "cheat";
      std::snprintf(report.message, sizeof report.message, "The kernel attempts %s, which is not allowed.",
                    syscall_name(info->si_syscall));
      report.hint = "A kernel computes on its arguments; it does not talk to the operating system.";
      return;
    default:
      std::snprintf(report.message, sizeof report.message, "The kernel ran into an illegal instruction (signal %d).",
                    signal);
      report.hint = "A function without return, a failed built-in check or a wild jump.";
  }
}

// In the candidate's own code, where nothing of the runtime was interrupted.
void note_division(Site site) {
  Finding f;
  f.code = "division-by-zero", f.gravity = Gravity::kNote, f.site = site;
  f.message = "An integer division by zero in the kernel's scalar code; the chip goes on with some value.";
  f.hint = "Check divisors that come from tiling data (a tile or core count of 0), unless nothing uses the result.";
  g_launch->findings().add(f, g_launch->running_block());
}

// Only calls that are safe in a handler: the heap may be locked by what was interrupted.
void on_signal(int signal, siginfo_t* info, void* context) {
  seal::open();
  Report report;
  classify(report, signal, info);
  const uint64_t pc = program_counter(static_cast<const ucontext_t*>(context));
  long long site = 0;
  const char* api = "";
  const bool inside = std::any_of(g_objects.begin(), g_objects.end(),
                                  [pc](const ObjectRange& o) { return pc >= o.begin && pc < o.end; });
  if (signal == SIGFPE && inside && step_over_division(static_cast<ucontext_t*>(context))) {
    note_division(reinterpret_cast<Site>(pc + 1));
    seal::close();
    return;
  }
  if (inside) {
    // offset() takes return addresses, which lie behind the call
    site = g_launch->findings().sites().offset(reinterpret_cast<Site>(pc + 1));
  } else if (g_launch->last_site() != nullptr) {
    site = g_launch->findings().sites().offset(g_launch->last_site());
    api = g_launch->last_api();
  }
  const LaunchConfig& config = g_launch->config();
  const int32_t core = g_launch->running_block();
  const bool on_cube = core >= 0 && config.type_of(core) == CoreType::kCube;
  const char* type = core < 0 || !config.split() ? "" : on_cube ? "\"core_type\":\"AIC\"," : "\"core_type\":\"AIV\",";
  static char line[1024];
  int n = std::snprintf(line, sizeof line,
                        "{\"t\":\"finding\",\"code\":\"%s\",\"gravity\":\"fatal\",\"level\":\"%s\",\"api\":\"%s\","
                        "\"site\":%lld,\"core\":%d,%s\"message\":\"%s\",\"hint\":\"%s\",\"evidence\":{\"signal\":%d%s%s%s}}\n",
                        report.code, report.level, api, site, core < 0 ? core : config.index_of(core), type, report.message,
                        report.hint, signal,
                        report.argument[0] != '\0' ? ",\"argument\":\"" : "", report.argument,
                        report.argument[0] != '\0' ? "\"" : "");
  if (n > 0) n = static_cast<int>(write(g_records, line, static_cast<size_t>(n)));
  n = std::snprintf(line, sizeof line, "{\"t\":\"end\",\"completed\":false,\"instructions\":%llu}\n",
                    static_cast<unsigned long long>(g_launch->instructions()));
  if (n > 0) n = static_cast<int>(write(g_records, line, static_cast<size_t>(n)));
  _exit(n > 0 ? 0 : 70);
}

}  // namespace

void catch_crashes(Launch& launch, std::array<ObjectRange, 2> objects, int records) {
  g_launch = &launch;
  g_objects = objects;
  g_records = records;
  if (launch.running_block() >= 0) return;
  constexpr size_t kBytes = 64 << 10;
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw RunnerError("no memory for the signal stack");
  const stack_t stack{memory, 0, kBytes};
  if (sigaltstack(&stack, nullptr) != 0) throw RunnerError("sigaltstack failed");
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  for (const int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGXCPU, SIGXFSZ, SIGSYS})
    if (sigaction(s, &action, nullptr) != 0) throw RunnerError("sigaction failed");
}

}  // namespace akrt
