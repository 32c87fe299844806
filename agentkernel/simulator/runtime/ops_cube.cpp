#include "ops_cube.h"

#include "core.h"

namespace akrt::cube {

bool runs(Machine& m, const char* api, Site site) {
  if (m.core_type() == CoreType::kCube) return true;
  if (m.core().launch().config().group.cubes == 0)
    ops::complain("wrong-core", api, site,
                  std::string(api) + " is an instruction of the cube core, and this kernel runs on vector cores alone.",
                  "Declare a kernel with cube cores: KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY) or a KERNEL_TYPE_MIX_AIC type.");
  return false;
}

bool require_space(const char* api, Site site, const Local& tensor, std::initializer_list<Space> legal, const char* what) {
  ops::require_allocated(api, site, tensor);
  for (const Space s : legal)
    if (space_of(tensor.position) == s) return true;
  ops::complain("illegal-position", api, site, std::string(api) + " with a tensor of another position.", what);
  return false;
}

bool in_range(const char* api, Site site, const char* name, uint64_t value, uint64_t least, uint64_t most) {
  if (value >= least && value <= most) return true;
  ops::complain("illegal-argument", api, site, std::string(api) + " with " + name + " " + std::to_string(value) + ".",
                std::string(name) + " is " + std::to_string(least) + " to " + std::to_string(most) + ".");
  return false;
}

Local from(const Local& l, uint64_t bytes) {
  Local part = l;
  part.addr += static_cast<uint32_t>(bytes);
  part.bytes = l.bytes > bytes ? l.bytes - static_cast<uint32_t>(bytes) : 0;
  return part;
}

Global from(const Global& g, uint64_t bytes) {
  return {g.addr + bytes, g.bytes > bytes ? g.bytes - bytes : 0, g.dtype};
}

}  // namespace akrt::cube

using namespace akrt;

extern "C" {

int32_t akrt_core_type() { return Machine::current().core_type() == CoreType::kCube ? 1 : 2; }

void akrt_c_set_register(uint32_t which, uint64_t value) {
  if (which < kAkrtCubeRegisters) Machine::current().regs().cube[which] = value;
}
uint64_t akrt_c_get_register(uint32_t which) {
  return which < kAkrtCubeRegisters ? Machine::current().regs().cube[which] : 0;
}
}
