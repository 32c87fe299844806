// DataCopy and DataCopyPad: GM -> UB or L1 on MTE2, UB or L1 -> GM on MTE3, UB -> UB on V.
#include <cstring>

#include "akrt/abi_core.h"
#include "ops_atomic.h"
#include "ops_bodies.h"

namespace akrt::ops {

namespace {

constexpr uint32_t kMaxBlocks = 4095;
constexpr uint32_t kMaxPadBytes = 2097151;

uint32_t up(uint32_t bytes) { return (bytes + kBlock - 1) / kBlock * kBlock; }

// Lengths that are no multiple of 32 lose their tail without DataCopyPad.
uint32_t whole_blocks(const char* api, Site site, uint32_t bytes) {
  if (bytes % kBlock == 0) return bytes;
  complain("unaligned-copy", api, site,
           std::string(api) + " of " + std::to_string(bytes) + " bytes: the last " + std::to_string(bytes % kBlock) +
               " bytes are not copied, since lengths count whole blocks of 32 bytes.",
           "Use DataCopyPad for lengths that are no multiple of 32 bytes.");
  return bytes - bytes % kBlock;
}

bool counts_ok(const char* api, Site site, const Burst& b) {
  if (b.count > kMaxBlocks) {
    complain("copy-range", api, site, std::string(api) + " with blockCount " + std::to_string(b.count) + ".",
             "blockCount is at most 4095: split the transfer.");
    return false;
  }
  if (b.pad && b.bytes > kMaxPadBytes) {
    complain("copy-range", api, site, std::string(api) + " with blockLen " + std::to_string(b.bytes) + ".",
             "blockLen is at most 2097151 bytes: split the transfer.");
    return false;
  }
  return true;
}

void check_element_alignment(const char* api, Site site, const Global& g) {
  const uint32_t size = dtype_bytes(g.dtype);
  if (g.addr % size != 0)
    complain("misaligned-address", api, site,
             std::string(api) + " at a global address that is not a multiple of the element size (" +
                 std::to_string(size) + " bytes).",
             "Offset a GlobalTensor in elements, not in bytes.");
}

// ---- GM -> UB ---------------------------------------------------------------------------------------------------
struct Load {
  Space space;
  uint64_t src;
  int64_t src_stride;
  uint32_t dst, dst_stride;
  uint32_t count, bytes;
  uint32_t left, right;  // bytes of padding
  uint32_t size;         // of an element
  bool fill;             // isPad
  uint64_t value, register_value;
};

void put(uint8_t* to, uint64_t value, uint32_t size, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; i += size) std::memcpy(to + i, &value, std::min(size, bytes - i));
}

// Each block: left padding, data, right padding, and elements up to the next 32 bytes.
void load(Machine& m, const Load& c) {
  uint8_t* ub = m.memory(c.space);
  for (uint32_t i = 0; i < c.count; ++i) {
    const auto* from = reinterpret_cast<const uint8_t*>(c.src + static_cast<uint64_t>(i * c.src_stride));
    uint8_t* to = ub + c.dst + size_t{i} * c.dst_stride;
    std::memcpy(to + c.left, from, c.bytes);
    const uint32_t used = c.left + c.bytes + c.right;
    const uint32_t dummy = up(used) - used;
    if (c.left + c.right + dummy == 0) continue;
    uint64_t value = c.fill ? c.value : c.register_value;
    if (!c.fill && c.left + c.right == 0) {
      value = 0;
      std::memcpy(&value, to, std::min(c.size, c.bytes));  // filled up with the block's first element
    }
    put(to, value, c.size, c.left);
    put(to + c.left + c.bytes, value, c.size, c.right + dummy);
  }
}

void check_padding(const char* api, Site site, const Burst& b, uint32_t size, DType dtype) {
  if (b.bytes % size != 0)
    complain("copy-range", api, site,
             std::string(api) + " from GM with blockLen " + std::to_string(b.bytes) + ", which is no multiple of sizeof(" +
                 name_of(dtype) + ").",
             "blockLen is in bytes and has to hold whole elements.");
  if (b.left * size > kBlock || b.right * size > kBlock)
    complain("copy-range", api, site,
             std::string(api) + " with " + std::to_string(b.left) + " elements of padding on the left and " +
                 std::to_string(b.right) + " on the right.",
             "Each side takes at most 32 bytes of padding.");
  if (size == 8 && b.fill && b.value != 0)
    complain("copy-range", api, site, std::string(api) + " of a 64-bit type with a padding value other than 0.",
             "Elements of 8 bytes can only be padded with 0.");
}

// ---- UB -> GM ---------------------------------------------------------------------------------------------------
struct Store {
  Space space;
  uint64_t dst;
  int64_t dst_stride;
  uint32_t src, src_stride;
  uint32_t count, bytes;
  Atomic mode;
};

void store(Machine& m, const Store& c) {
  const uint8_t* ub = m.memory(c.space);
  for (uint32_t i = 0; i < c.count; ++i) {
    auto* to = reinterpret_cast<uint8_t*>(c.dst + static_cast<uint64_t>(i * c.dst_stride));
    const uint8_t* from = ub + c.src + size_t{i} * c.src_stride;
    land(c.mode, to, from, c.bytes);
  }
}

struct Shift {
  uint32_t dst, src, count, bytes, dst_stride, src_stride;
};

}  // namespace

}  // namespace akrt::ops

using namespace akrt;

extern "C" {

void akrt_d_load(const char* api, const Local& dst, const Global& src, const Burst& burst, Site site) {
  Machine& m = Machine::current();
  Burst b = burst;
  ops::require_allocated(api, site, dst);
  if (!ops::counts_ok(api, site, b)) return;
  if (!b.pad) {
    b.bytes = ops::whole_blocks(api, site, b.bytes);
    ops::check_element_alignment(api, site, src);
  }
  if (b.count == 0 || b.bytes == 0) return;
  const uint32_t size = dtype_bytes(src.dtype);
  if (b.pad) ops::check_padding(api, site, b, size, src.dtype);
  ops::Load c{};
  c.space = space_of(dst.position);
  c.src = src.addr;
  c.src_stride = b.bytes + b.global_gap;
  c.left = std::min<uint32_t>(b.left * size, ops::kBlock);
  c.right = std::min<uint32_t>(b.right * size, ops::kBlock);
  const uint32_t landed = ops::up(c.left + b.bytes + c.right);
  c.dst = dst.addr;
  c.dst_stride = landed + static_cast<uint32_t>(b.local_gap) * ops::kBlock;
  c.count = b.count;
  c.bytes = b.bytes;
  c.size = size;
  c.fill = b.fill;
  c.value = b.value;
  c.register_value = m.regs().pad_value;
  Instr instr(Pipe::MTE2, api, site);
  instr.reads(strided(src, b.bytes, b.count, c.src_stride));
  Access arrives = strided(dst, landed, b.count, c.dst_stride);
  // What fills up the last block lies in the buffer's own rounding, also where the tensor ends before it.
  if (b.pad) arrives.end = (arrives.end + ops::kBlock - 1) / ops::kBlock * ops::kBlock;
  instr.writes(arrives);
  if (b.pad && !b.fill && c.left + c.right != 0 && !m.regs().pad_value_set) {
    const auto undefined = [&](uint32_t from, uint32_t to) {
      if (from == to) return;
      Access a = strided(dst, to - from, b.count, c.dst_stride);
      a.base += from, a.align = 1, a.undefined = true;
      instr.writes(a);
    };
    undefined(0, c.left);
    undefined(c.left + b.bytes, landed);
  }
  instr.bytes_moved = uint64_t{b.count} * b.bytes;
  instr.run([](Machine& machine, const ops::Load& p) { ops::load(machine, p); }, c);
  m.issue(instr);
}

void akrt_d_store(const char* api, const Global& dst, const Local& src, const Burst& burst, Site site) {
  Machine& m = Machine::current();
  const Registers& regs = m.regs();
  Burst b = burst;
  ops::require_allocated(api, site, src);
  if (!ops::counts_ok(api, site, b)) return;
  if (!b.pad) {
    b.bytes = ops::whole_blocks(api, site, b.bytes);
    ops::check_element_alignment(api, site, dst);
  }
  if (b.count == 0 || b.bytes == 0) return;
  ops::check_atomic(api, site, regs, dst);
  ops::Store c{};
  c.space = space_of(src.position);
  c.dst = dst.addr;
  c.dst_stride = b.bytes + b.global_gap;
  c.src = src.addr;
  c.src_stride = ops::up(b.bytes) + static_cast<uint32_t>(b.local_gap) * ops::kBlock;
  c.count = b.count;
  c.bytes = b.bytes;
  c.mode = ops::Atomic::of(regs);
  Instr instr(Pipe::MTE3, api, site);
  instr.reads(strided(src, b.bytes, b.count, c.src_stride));
  Access written = strided(dst, b.bytes, b.count, c.dst_stride);
  written.atomic = c.mode.op != kAkrtAtomicNone;
  instr.writes(written);
  instr.bytes_moved = uint64_t{b.count} * b.bytes;
  instr.run([](Machine& machine, const ops::Store& p) { ops::store(machine, p); }, c);
  m.issue(instr);
}

void akrt_d_local(const char* api, const Local& dst, const Local& src, uint16_t count, uint32_t bytes,
                  uint16_t src_gap, uint16_t dst_gap, Site site) {
  Machine& m = Machine::current();
  ops::require_allocated(api, site, dst);
  ops::require_allocated(api, site, src);
  bytes = ops::whole_blocks(api, site, bytes);
  if (count == 0 || bytes == 0) return;
  const ops::Shift c{dst.addr, src.addr, count, bytes, bytes + dst_gap * ops::kBlock, bytes + src_gap * ops::kBlock};
  Instr instr(Pipe::V, api, site);
  instr.reads(strided(src, bytes, count, c.src_stride));
  instr.writes(strided(dst, bytes, count, c.dst_stride));
  instr.cycles = count * ((bytes + ops::kRepeatBytes - 1) / ops::kRepeatBytes);
  instr.run(
      [](Machine& machine, const ops::Shift& p) {
        uint8_t* ub = machine.memory(Space::UB);
        for (uint32_t i = 0; i < p.count; ++i)
          std::memmove(ub + p.dst + size_t{i} * p.dst_stride, ub + p.src + size_t{i} * p.src_stride, p.bytes);
      },
      c);
  m.issue(instr);
}

// The library's order: the free end of UB is filled on V, MTE3 waits for it once, then it is stored piece by piece.
void akrt_d_fill(const char* api, const Global& dst, uint64_t elements, uint64_t value, Site site) {
  Machine& m = Machine::current();
  if (elements == 0) return;
  Local room = ops::free_end(m, api, site, ops::kBlock);
  if (room.bytes == 0) return;
  room.dtype = dst.dtype;
  room.bytes = std::min(room.bytes / ops::kBlock * ops::kBlock, 255 * ops::kBlock);
  const uint32_t size = dtype_bytes(dst.dtype);
  const uint64_t bytes = elements * size;
  const auto piece = static_cast<uint32_t>(std::min<uint64_t>(room.bytes, bytes));
  Walk walk;
  walk.mask[0] = (piece + size - 1) / size;
  akrt_v_duplicate(api, room, value, walk, site);
  const auto event = static_cast<uint8_t>(event_of(Pipe::V, Pipe::MTE3));
  const int32_t id = m.fetch_event(event, site);
  m.set_flag(event, id, api, site);
  m.wait_flag(event, id, api, site);
  for (uint64_t at = 0; at < bytes; at += piece) {
    Global part = dst;
    part.addr += at;
    part.bytes = dst.bytes > at ? dst.bytes - at : 0;
    Burst burst;
    burst.pad = true;
    burst.bytes = static_cast<uint32_t>(std::min<uint64_t>(piece, bytes - at));
    akrt_d_store(api, part, room, burst, site);
  }
}

void akrt_bad_offset(const Local& tensor, uint64_t offset, uint32_t bits, Site site) {
  if (tensor.position == 0 && tensor.bytes == 0) return;  // never given memory: reported where it is used
  const uint64_t elements = tensor.bytes * 8ull / bits;
  if (offset > elements)
    ops::complain("out-of-bounds", "LocalTensor::operator[]", site,
                  "Offset " + std::to_string(static_cast<int64_t>(static_cast<int32_t>(offset))) + " into a tensor of " +
                      std::to_string(elements) + " elements.",
                  "Offsets are in elements and at most the size of the tensor.");
  else
    ops::complain("misaligned-address", "LocalTensor::operator[]", site,
                  "Offset " + std::to_string(offset) + " into a tensor of " + std::to_string(bits) +
                      "-bit elements starts inside a byte.",
                  "Use offsets that are multiples of " + std::to_string(8 / bits) + ".");
}
}
