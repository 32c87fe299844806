#include "gm_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
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
  const bool out = argument.role == Role::kOut || argument.role == Role::kInOut;
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

struct Place {
  uint8_t* page;  // first page of the mapping
  uint8_t* data;
  uint64_t mapped;
};

// Address space whose data end at a guard page.
Place reserve(const GmArgument& argument, uint64_t bytes) {
  const uint64_t used = round_up(bytes, kAlign);
  const uint64_t mapped = round_up(used, kPage);
  void* base = mmap(nullptr, mapped + 2 * kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) fail(argument, "no address space");
  uint8_t* page = static_cast<uint8_t*>(base) + kGuard;
  return {page, page + (mapped - used), mapped};
}

class Mapper {
 public:
  Mapper(Regions& regions, const std::function<void()>& before_output)
      : regions_(regions), before_output_(before_output) {}

  void* map(const GmArgument& argument) {
    void* address = nullptr;
    switch (argument.form) {
      case Form::kNull: break;
      case Form::kAlias: {
        const auto known = addresses_.find(argument.path);
        if (known == addresses_.end()) throw RunnerError("argument " + argument.name + ": no earlier " + argument.path);
        address = known->second;
        break;
      }
      case Form::kList: address = map_list(argument); break;
      case Form::kMemory: address = map_memory(argument); break;
    }
    addresses_[argument.name] = address;
    return address;
  }

 private:
  void* map_memory(const GmArgument& argument) {
    const Place place = reserve(argument, argument.bytes);
    if (place.mapped != 0) {
      if (argument.role == Role::kWorkspace) {
        // Not poisoned: that would touch megabytes that few kernels use, and reads of unwritten bytes are reported.
        if (mprotect(place.page, place.mapped, PROT_READ | PROT_WRITE) != 0) fail(argument, "no memory");
      } else {
        if (argument.role == Role::kOut) before_output_();
        map_file(argument, place.page, place.mapped, static_cast<uint64_t>(place.data - place.page));
      }
    }
    return regions_.add(argument.name, argument.role, place.data, argument.bytes).data();
  }

  // Offset of the addresses; of each tensor its number of dimensions, a 1 and the dimensions; the addresses.
  void* map_list(const GmArgument& argument) {
    std::vector<uint64_t> words(1), addresses;
    for (const GmArgument& member : argument.members) {
      words.push_back(member.dims.size() | uint64_t{1} << 32);
      for (const int64_t dim : member.dims) words.push_back(static_cast<uint64_t>(dim));
      addresses.push_back(reinterpret_cast<uint64_t>(map(member)));
    }
    words[0] = words.size() * sizeof(uint64_t);
    words.insert(words.end(), addresses.begin(), addresses.end());
    const uint64_t bytes = words.size() * sizeof(uint64_t);
    const Place place = reserve(argument, bytes);
    if (mprotect(place.page, place.mapped, PROT_READ | PROT_WRITE) != 0) fail(argument, "no memory");
    std::memcpy(place.data, words.data(), bytes);
    if (mprotect(place.page, place.mapped, PROT_READ) != 0) fail(argument, "no memory");
    return regions_.add(argument.name, argument.role, place.data, bytes).data();
  }

  Regions& regions_;
  const std::function<void()>& before_output_;
  std::map<std::string, void*> addresses_;
};

}  // namespace

std::vector<void*> map_arguments(Regions& regions, const std::vector<GmArgument>& arguments,
                                 const std::function<void()>& before_output) {
  Mapper mapper(regions, before_output);
  std::vector<void*> addresses;
  for (const GmArgument& argument : arguments) addresses.push_back(mapper.map(argument));
  return addresses;
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
