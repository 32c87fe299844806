#include "gm_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace akrt {

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kGuard = 16 * kPage;
constexpr uint64_t kAlign = 512;  // allocation granularity of the card

uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

[[noreturn]] void fail(const GmArgument& argument, const char* what) {
  throw RunnerError("argument " + argument.name + ": " + what + " (" + argument.path + "): " + std::strerror(errno));
}

// The file of an argument: one that the process inherited, or one with a name.
int open_file(const GmArgument& argument, bool out) {
  constexpr std::string_view kInherited = "fd:";
  if (argument.path.starts_with(kInherited)) return std::atoi(argument.path.c_str() + kInherited.size());
  return open(argument.path.c_str(), out ? O_RDWR | O_CLOEXEC : O_RDONLY | O_CLOEXEC);
}

void map_file(const GmArgument& argument, uint8_t* at, uint64_t mapped, uint64_t offset) {
  const bool out = argument.role == Role::kOut;
  const int fd = open_file(argument, out);
  if (fd < 0) fail(argument, "cannot open");
  struct stat info {};
  if (fstat(fd, &info) != 0) fail(argument, "cannot stat");
  if (static_cast<uint64_t>(info.st_size) < offset + argument.bytes) {
    close(fd);
    throw RunnerError("argument " + argument.name + ": " + argument.path + " has " + std::to_string(info.st_size) +
                      " bytes, fewer than offset " + std::to_string(offset) + " plus " +
                      std::to_string(argument.bytes));
  }
  void* p = mmap(at, mapped, out ? PROT_READ | PROT_WRITE : PROT_READ,
                 (out ? MAP_SHARED : MAP_PRIVATE) | MAP_FIXED | MAP_POPULATE, fd, 0);
  close(fd);
  if (p == MAP_FAILED) fail(argument, "cannot map");
}

}  // namespace

Region& map_argument(Regions& regions, const GmArgument& argument) {
  const uint64_t used = round_up(argument.bytes, kAlign);
  const uint64_t mapped = round_up(used, kPage);
  const uint64_t offset = mapped - used;
  void* base = mmap(nullptr, mapped + 2 * kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) fail(argument, "no address space");
  uint8_t* at = static_cast<uint8_t*>(base) + kGuard;
  uint8_t* data = at + offset;
  if (mapped != 0) {
    if (argument.role == Role::kWorkspace) {
      // Not poisoned: that would touch megabytes that few kernels use, and reads of unwritten bytes are reported.
      if (mprotect(at, mapped, PROT_READ | PROT_WRITE) != 0) fail(argument, "no memory");
    } else {
      map_file(argument, at, mapped, offset);
    }
  }
  return regions.add(argument.name, argument.role, data, argument.bytes);
}

const Region* region_near(const Regions& regions, uint64_t address) {
  for (const auto& r : regions.all()) {
    const uint64_t low = r->begin / kPage * kPage - kGuard;
    const uint64_t high = round_up(r->end(), kPage) + kGuard;
    if (address >= low && address < high) return r.get();
  }
  return nullptr;
}

}  // namespace akrt
