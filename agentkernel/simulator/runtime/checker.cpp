// What an access may be: memory legal for the pipe, alignment, extents, capacity, permissions. And words for places.
#include "access.h"
#include "core.h"
#include "json.h"

namespace akrt {

namespace {

const char* kSpaceNames[kSpaces] = {"GM", "UB", "L1", "L0A", "L0B", "L0C", "BT", "FB", "registers"};
const char* kRoles[] = {"input", "output", "workspace", "tiling"};

bool reachable(Pipe pipe, Space space, bool write) {
  switch (pipe) {
    case Pipe::V: return space == Space::UB || space == Space::SPR;
    case Pipe::S: return space == Space::UB || space == Space::GM || space == Space::SPR || space == Space::L1;
    case Pipe::MTE2: return write ? space != Space::GM && space != Space::SPR : space == Space::GM;
    case Pipe::MTE3: return write ? space == Space::GM || space == Space::L1 : space == Space::UB || space == Space::L1;
    case Pipe::MTE1: return write ? space == Space::L0A || space == Space::L0B || space == Space::BT : space == Space::L1;
    case Pipe::M:
      return write ? space == Space::L0C
                   : space == Space::L0A || space == Space::L0B || space == Space::L0C || space == Space::BT;
    case Pipe::FIX:
      return write ? space == Space::GM || space == Space::L1 || space == Space::FB
                   : space == Space::L0C || space == Space::L1 || space == Space::FB;
  }
  return false;
}

Finding finding(const char* code, Gravity gravity, const char* api, Site site) {
  Finding f;
  f.code = code, f.gravity = gravity, f.api = api, f.site = site;
  return f;
}

bool check_global(Core& core, const char* api, Site site, const Access& a, const Span& span) {
  Launch& launch = core.launch();
  const Region* region = launch.regions().find(span.begin);
  const char* verb = a.write ? "writes" : "reads";
  if (region == nullptr || span.begin < region->begin || span.end > region->end()) {
    // Blame the argument that the tensor belongs to: the one below an address past the end.
    if (region == nullptr) region = launch.regions().find(a.begin != 0 ? a.begin : a.base);
    Finding f = finding("gm-out-of-bounds", Gravity::kFatal, api, site);
    JsonObject evidence;
    if (region == nullptr) {
      f.message = std::string(api) + " " + verb + " " + std::to_string(span.end - span.begin) +
                  " bytes at an address that belongs to no kernel argument.";
      evidence.text("space", "GM");
    } else {
      const auto begin = static_cast<int64_t>(span.begin - region->begin);
      const auto end = static_cast<int64_t>(span.end - region->begin);
      f.message = std::string(api) + " " + verb + " bytes [" + std::to_string(begin) + ", " + std::to_string(end) +
                  ") of " + region->name + ", which has " + std::to_string(region->bytes) + " bytes.";
      evidence.text("space", "GM").text("argument", region->name).number("begin", begin).number("end", end);
      evidence.number("bytes", static_cast<int64_t>(region->bytes));
    }
    f.hint = "Check the block's offset (in elements), the length of the last tile, and round-up to 32 bytes: "
             "DataCopyPad moves exact byte counts.";
    f.evidence = evidence.str();
    core.fatal(std::move(f));
  }
  if (a.write && region->read_only()) {
    Finding f = finding("gm-read-only", Gravity::kFatal, api, site);
    f.message = std::string(api) + " writes to " + place(launch, Space::GM, span.begin, span.end) + ", an " +
                kRoles[static_cast<size_t>(region->role)] + " of the kernel.";
    f.hint = "Inputs and tiling are read-only; check the order of the kernel's arguments.";
    f.evidence = place_json(launch, Space::GM, span.begin, span.end);
    core.fatal(std::move(f));
  }
  return true;
}

void check_extent(Core& core, const char* api, Site site, const Access& a, const Span& span) {
  if (!leaves_tensor(a, span)) return;
  // The chip knows no end of a global tensor; leaving it inside the argument is only worth a remark.
  Finding f = finding("out-of-bounds", a.space == Space::GM ? Gravity::kNote : Gravity::kError, api, site);
  const auto begin = static_cast<int64_t>(span.begin - a.begin);
  const auto end = static_cast<int64_t>(span.end - a.begin);
  const auto bytes = static_cast<int64_t>(a.end - a.begin);
  f.message = std::string(api) + (a.write ? " writes" : " reads") + " bytes [" + std::to_string(begin) + ", " +
              std::to_string(end) + ") of a tensor of " + std::to_string(bytes) + " bytes (" +
              place(core.launch(), a.space, a.begin, a.end) + ").";
  f.hint = "Counts are in elements: compare count, mask * repeat and strides with the InitBuffer length and the offset.";
  JsonObject evidence;
  evidence.text("space", kSpaceNames[static_cast<size_t>(a.space)]).number("begin", begin).number("end", end);
  evidence.number("bytes", bytes);
  f.evidence = evidence.str();
  core.report(f);
}

}  // namespace

std::string place(Launch& launch, Space space, uint64_t begin, uint64_t end) {
  std::string name = kSpaceNames[static_cast<size_t>(space)];
  if (space == Space::GM) {
    const Region* region = launch.regions().find(begin);
    if (region != nullptr) {
      name = region->name;
      begin -= region->begin;
      end -= region->begin;
    }
  }
  return name + " [" + std::to_string(begin) + ", " + std::to_string(end) + ")";
}

std::string place_json(Launch& launch, Space space, uint64_t begin, uint64_t end) {
  JsonObject o;
  o.text("space", kSpaceNames[static_cast<size_t>(space)]);
  const Region* region = space == Space::GM ? launch.regions().find(begin) : nullptr;
  const uint64_t origin = region != nullptr ? region->begin : 0;
  if (region != nullptr) o.text("argument", region->name);
  o.number("begin", static_cast<int64_t>(begin - origin)).number("end", static_cast<int64_t>(end - origin));
  return o.str();
}

bool check_access(Core& core, Pipe pipe, const char* api, Site site, const Access& a) {
  if (!reachable(pipe, a.space, a.write)) {
    Finding f = finding("illegal-position", Gravity::kFatal, api, site);
    f.message = std::string(api) + " runs on pipe " + pipe_name(pipe) + ", which cannot " +
                (a.write ? "write " : "read ") + kSpaceNames[static_cast<size_t>(a.space)] + ".";
    f.hint = pipe == Pipe::V || pipe == Pipe::S
                 ? "Vector instructions work on VECIN, VECOUT and VECCALC tensors; DataCopy moves between them and global memory."
                 : "DataCopy takes global memory to UB or L1 (A1, B1, C1) and back; LoadData L1 to L0A and L0B (A2, B2), "
                   "DataCopy L1 to the bias table (C2); Mmad L0A and L0B to L0C (CO1); Fixpipe L0C to global memory or L1.";
    core.fatal(std::move(f));
  }
  const Span span = bounds(a);
  if (span.empty()) return true;
  if (a.space == Space::GM) {
    if (!check_global(core, api, site, a, span)) return false;
  } else {
    const uint64_t capacity = core.memory().capacity(a.space);
    if (span.end > capacity || span.begin > span.end) {
      Finding f = finding("out-of-bounds", Gravity::kFatal, api, site);
      f.message = std::string(api) + (a.write ? " writes " : " reads ") + place(core.launch(), a.space, span.begin, span.end) +
                  ", beyond its " + std::to_string(capacity) + " bytes.";
      f.hint = "Counts, strides and offsets of this call lead out of the local memory.";
      f.evidence = place_json(core.launch(), a.space, span.begin, span.end);
      core.fatal(std::move(f));
    }
  }
  if (a.align > 1 && a.base % a.align != 0) {
    Finding f = finding("misaligned-address", Gravity::kError, api, site);
    f.message = std::string(api) + " has an operand at " + kSpaceNames[static_cast<size_t>(a.space)] + " address " +
                std::to_string(a.base) + ", which is not a multiple of " + std::to_string(a.align) + " bytes.";
    f.hint = a.align > 32 ? "L0A and L0B are addressed in fractals of 512 bytes, L0C, bias table and Fixpipe buffer in 64 bytes."
                          : "Start operands on 32-byte boundaries: element offsets into a tensor have to be multiples of "
                            "32 / sizeof(T) unless the API says otherwise.";
    JsonObject evidence;
    evidence.number("address", static_cast<int64_t>(a.base)).number("alignment", a.align);
    f.evidence = evidence.str();
    core.report(f);
  }
  check_extent(core, api, site, a, span);
  core.check_watches(pipe, api, site, a);
  return true;
}

}  // namespace akrt
