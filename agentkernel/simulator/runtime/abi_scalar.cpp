// Scalar accesses of the C ABI: local and global memory, registers that V leaves, tiling.
#include <cstring>

#include "access.h"
#include "akrt/abi_core.h"
#include "core.h"

using akrt::Access;
using akrt::Core;
using akrt::Global;
using akrt::Local;
using akrt::Machine;
using akrt::Region;
using akrt::Site;
using akrt::Space;

namespace {

Core& core() { return Machine::current().core(); }

Access element(const Local& t, int64_t offset, uint32_t size, bool write) {
  Access a = akrt::contiguous(t, size);
  a.base += static_cast<uint64_t>(offset);
  a.align = static_cast<uint8_t>(size);
  a.write = write;
  return a;
}

Access element(const Global& t, int64_t offset, uint32_t size, bool write) {
  Access a = akrt::contiguous(t, size);
  a.base += static_cast<uint64_t>(offset);
  a.write = write;
  return a;
}

// Values travel in one 64-bit word; a candidate that calls with another size did not come through the headers.
void check_size(uint32_t size, const char* api, Site site) {
  if (size == 1 || size == 2 || size == 4 || size == 8) return;
  akrt::Finding f;
  f.code = "illegal-argument", f.api = api, f.site = site;
  f.message = std::string(api) + " of an element of " + std::to_string(size) + " bytes.";
  f.hint = "Elements have 1, 2, 4 or 8 bytes.";
  core().fatal(std::move(f));
}

// Reads `size` bytes of a V result register.
uint64_t read_register(uint32_t offset, uint32_t size, const char* api, Site site) {
  uint64_t bits = 0;
  if (core().scalar_access(Machine::spr(offset, size), api, site, true))
    std::memcpy(&bits, core().memory().data(Space::SPR) + offset, size);
  return bits;
}

}  // namespace

extern "C" {

uint64_t akrt_local_get(Local tensor, int64_t offset, uint32_t size, const char* api, Site site) {
  check_size(size, api, site);
  const Access a = element(tensor, offset, size, false);
  uint64_t bits = 0;
  if (core().scalar_access(a, api, site, true)) std::memcpy(&bits, core().machine().at(a.space, a.base), size);
  return bits;
}

void akrt_local_set(Local tensor, int64_t offset, uint32_t size, uint64_t bits, const char* api, Site site) {
  check_size(size, api, site);
  const Access a = element(tensor, offset, size, true);
  if (core().scalar_access(a, api, site, true)) std::memcpy(core().machine().at(a.space, a.base), &bits, size);
}

void* akrt_local_ref(Local tensor, int64_t offset, uint32_t size, Site site) {
  check_size(size, "LocalTensor::operator()", site);
  const Access a = element(tensor, offset, size, true);
  core().scalar_access(a, "LocalTensor::operator()", site, true);
  return core().machine().at(a.space, a.base);
}

uint64_t akrt_global_get(Global tensor, int64_t offset, uint32_t size, const char* api, Site site) {
  check_size(size, api, site);
  const Access a = element(tensor, offset, size, false);
  return core().scalar_access(a, api, site, true) ? core().dcache().load(a.base, size, api, site) : 0;
}

void akrt_global_set(Global tensor, int64_t offset, uint32_t size, uint64_t bits, const char* api, Site site) {
  check_size(size, api, site);
  // The store reaches global memory, and the other observers, when its line is cleaned.
  const Access a = element(tensor, offset, size, true);
  if (!akrt::check_access(core(), akrt::Pipe::S, api, site, a)) return;
  core().launch().call_from(api, site);
  core().launch().count_instruction();
  core().clock().scalar_access(api, site);
  core().dcache().store(a.base, size, bits, site);
}

void* akrt_global_ref(Global tensor, int64_t offset, uint32_t size, Site site) {
  check_size(size, "GlobalTensor::operator()", site);
  Access a = element(tensor, offset, size, true);
  // Of an input the reference can only be read: its pages are read-only, a store through it stops the process.
  const Region* region = core().launch().regions().find(a.base);
  a.write = region == nullptr || !region->read_only();
  if (core().scalar_access(a, "GlobalTensor::operator()", site, true))
    core().dcache().take_line(a.base, size, "GlobalTensor::operator()", site);
  core().dcache().clean(a.base, site);  // the reference goes past the cache: what SetValue left there must be seen
  core().dcache().take_line(a.base, size, "GlobalTensor::operator()", site);
  return core().machine().at(a.space, a.base);
}

uint64_t akrt_global_get_bypass(uint64_t addr, uint32_t size, Site site) {
  check_size(size, "ReadGmByPassDCache", site);
  const Access a = element(Global{addr, 0, akrt::DType::kUint8}, 0, size, false);
  uint64_t bits = 0;
  if (core().scalar_access(a, "ReadGmByPassDCache", site, false))
    std::memcpy(&bits, reinterpret_cast<const void*>(addr), size);
  return bits;
}

void akrt_global_set_bypass(uint64_t addr, uint32_t size, uint64_t bits, Site site) {
  check_size(size, "WriteGmByPassDCache", site);
  const Access a = element(Global{addr, 0, akrt::DType::kUint8}, 0, size, true);
  if (core().scalar_access(a, "WriteGmByPassDCache", site, false))
    std::memcpy(reinterpret_cast<void*>(addr), &bits, size);
}

void akrt_dcache_clean(uint64_t addr, bool entire, Site site) {
  core().launch().call_from("DataCacheCleanAndInvalid", site);
  core().clock().scalar_call();
  if (entire) {
    core().dcache().clean_all(site);
  } else {
    core().dcache().clean(addr, site);
  }
  core().order_scalar_accesses("DataCacheCleanAndInvalid", site);
}

void akrt_copy_tiling(void* dst, const void* src, uint64_t bytes, Site site) {
  Access a;
  a.space = Space::GM, a.align = 1;
  a.base = reinterpret_cast<uint64_t>(src);
  a.piece = static_cast<uint32_t>(bytes);
  if (!core().scalar_access(a, "GET_TILING_DATA", site, true)) return;
  std::memcpy(dst, src, bytes);
  // One scalar load per 8 bytes.
  core().clock().scalar_spend(static_cast<double>(bytes / 8) * core().launch().clock().costs().scalar_access);
}

int64_t akrt_acc_val(Site site) {
  return static_cast<int64_t>(read_register(akrt::Registers::kAccVal, 8, "GetAccVal", site));
}

void akrt_reduce_max_min(uint64_t* value, uint64_t* index, Site site) {
  *value = read_register(akrt::Registers::kMaxMinValue, 8, "GetReduceMaxMinCount", site);
  *index = read_register(akrt::Registers::kMaxMinIndex, 8, "GetReduceMaxMinCount", site);
}

void akrt_mrgsort_result(uint16_t* counts, Site site) {
  const uint64_t bits = read_register(akrt::Registers::kMrgSort, 8, "GetMrgSortResult", site);
  for (int i = 0; i < 4; ++i) counts[i] = static_cast<uint16_t>(bits >> (16 * i));
}

uint64_t akrt_rsvd_cnt(Site site) { return read_register(akrt::Registers::kRsvdCnt, 8, "GetRsvdCnt", site); }

void akrt_scalar_cycles(double cycles) { core().clock().scalar_spend(cycles); }

}  // extern "C"
