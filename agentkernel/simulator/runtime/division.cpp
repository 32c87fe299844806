#include "division.h"

#include <cstdint>

namespace akrt {

#if defined(__x86_64__)

// DIV and IDIV are F6 and F7 with /6 and /7 (Intel SDM, volume 2), behind an operand-size prefix and REX.
bool step_over_division(ucontext_t* context) {
  auto& registers = context->uc_mcontext.gregs;
  const auto* at = reinterpret_cast<const uint8_t*>(registers[REG_RIP]);
  const bool narrow = *at == 0x66;
  if (narrow) ++at;
  const bool has_rex = (*at & 0xf0) == 0x40;
  const bool wide = has_rex && (*at & 8) != 0;
  if (has_rex) ++at;
  if (*at != 0xf7) return false;  // no compiler divides bytes
  const uint8_t modrm = at[1];
  const uint8_t operation = modrm >> 3 & 7, mode = modrm >> 6, base = modrm & 7;
  if (operation != 6 && operation != 7) return false;
  at += 2;
  if (mode != 3) {
    const bool indexed = base == 4;
    const bool absolute = mode == 0 && (base == 5 || (indexed && (*at & 7) == 5));
    at += (indexed ? 1 : 0) + (mode == 1 ? 1 : mode == 2 || absolute ? 4 : 0);
  }
  const auto dividend = static_cast<uint64_t>(registers[REG_RAX]);
  const uint64_t mask = wide ? ~uint64_t{0} : narrow ? 0xffff : 0xffffffff;
  // 32-bit results clear the upper half, 16-bit ones keep it.
  const uint64_t kept = narrow ? ~mask : 0;
  registers[REG_RAX] = static_cast<greg_t>((dividend & kept) | mask);
  registers[REG_RDX] = static_cast<greg_t>((static_cast<uint64_t>(registers[REG_RDX]) & kept) | (dividend & mask));
  registers[REG_RIP] = reinterpret_cast<greg_t>(at);
  return true;
}

#else

bool step_over_division(ucontext_t*) { return false; }

#endif

}  // namespace akrt
