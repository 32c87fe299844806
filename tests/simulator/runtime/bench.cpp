#include "bench.h"

#include <cstring>

#include "access.h"

namespace bench {

namespace {

struct Move {
  akrt::Space to;
  akrt::Space from;
  uint64_t dst;
  uint64_t src;
  uint64_t bytes;
};

struct Sum {
  uint64_t dst, a, b, bytes;
};

struct Fill {
  uint64_t dst, bytes;
  uint8_t value;
};

void move(Pipe pipe, akrt::Access dst, akrt::Access src, uint64_t bytes, Site site) {
  akrt::Instr i(pipe, "DataCopy", site);
  i.reads(src);
  i.writes(dst);
  i.bytes_moved = bytes;
  i.run([](akrt::Machine& m, const Move& p) { std::memcpy(m.at(p.to, p.dst), m.at(p.from, p.src), p.bytes); },
        Move{dst.space, src.space, dst.base, src.base, bytes});
  akrt::Machine::current().issue(i);
}

}  // namespace

akrt::Params params(const std::map<std::string, double>& changed) {
  akrt::Params p;
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, double>>{
           {"ub_bytes", 196608},   {"ub_stack_end_bytes", 188416}, {"l1_bytes", 524288},
           {"l0a_bytes", 65536},   {"l0b_bytes", 65536},           {"l0c_bytes", 131072},
           {"bt_bytes", 1024},     {"fb_bytes", 7168},             {"clock_mhz", 1000},
           {"memory_gb_per_s", 100}, {"core_read_bytes_per_cycle", 32}, {"core_write_bytes_per_cycle", 16},
           {"mte_issue_cycles", 10}, {"mte_burst_cycles", 1}, {"mte_l1_burst_cycles", 1},      {"mte_latency_cycles", 100},
           {"l0a_bytes_per_cycle", 256}, {"l0b_bytes_per_cycle", 128}, {"load_data_latency_cycles", 28},
           {"load_data_3d_latency_cycles", 50}, {"table_bytes_per_cycle", 32}, {"table_latency_cycles", 20},
           {"mmad_issue_cycles", 8}, {"mmad_half_macs_per_cycle", 4096}, {"fix_elements_per_cycle", 64},
           {"fix_latency_cycles", 20},
           {"v_issue_cycles", 20}, {"v_reduce_latency_cycles", 40}, {"scalar_issue_cycles", 0},
           {"scalar_access_cycles", 10}, {"scalar_start_us", 0}, {"launch_us", 1}, {"launch_core_us", 0},
           {"l2_bytes", 8192}, {"l2_gb_per_s", 400}, {"core_l2_bytes_per_cycle", 64}, {"unaligned_rate", 0.5},
           {"shared_line_rate", 0.8}, {"cross_core_flag_us", 0.5}})
    p.set(name, value);
  for (const auto& [name, value] : changed) p.set(name, value);
  return p;
}

Bench::Bench(akrt::LaunchConfig config, const std::map<std::string, double>& changed)
    : launch_(config, params(changed), sink_) {}

Global Bench::argument(const std::string& name, akrt::Role role, uint64_t bytes) {
  // Aligned as an allocation on the card.
  constexpr uint64_t kAlign = 512;
  std::vector<uint8_t>& memory = storage_.emplace_back(bytes + kAlign);
  uint8_t* data = memory.data() + (kAlign - reinterpret_cast<uint64_t>(memory.data()) % kAlign) % kAlign;
  if (role == akrt::Role::kOut || role == akrt::Role::kWorkspace) {
    akrt::poison(data, bytes);
  } else {
    for (uint64_t i = 0; i < bytes; ++i) data[i] = static_cast<uint8_t>(i);
  }
  launch_.regions().add(name, role, data, bytes);
  return {reinterpret_cast<uint64_t>(data), bytes, akrt::DType::kUint8};
}

bool Bench::run(const std::function<void()>& program) {
  try {
    launch_.run(program);
    return true;
  } catch (const Stopped&) {
    return false;
  }
}

std::string Bench::codes() const {
  std::string out;
  const std::string key = "{\"t\":\"finding\",\"code\":\"";
  for (const std::string& line : sink_.lines) {
    if (line.rfind(key, 0) != 0) continue;
    if (!out.empty()) out += ' ';
    out += line.substr(key.size(), line.find('"', key.size()) - key.size());
  }
  return out;
}

std::string Bench::finding(const std::string& code) const {
  for (const std::string& line : sink_.lines)
    if (line.rfind("{\"t\":\"finding\",\"code\":\"" + code + "\"", 0) == 0) return line;
  return "";
}

Local ub(uint32_t addr, uint32_t bytes) {
  return {addr, bytes, static_cast<uint8_t>(akrt::Position::VECCALC), akrt::DType::kUint8};
}

void load(Local dst, Global src, uint64_t bytes, Site site) {
  move(Pipe::MTE2, akrt::contiguous(dst, bytes), akrt::contiguous(src, bytes), bytes, site);
}

void store(Global dst, Local src, uint64_t bytes, Site site) {
  move(Pipe::MTE3, akrt::contiguous(dst, bytes), akrt::contiguous(src, bytes), bytes, site);
}

void add(Local dst, Local a, Local b, uint64_t bytes, Site site) {
  akrt::Instr i(Pipe::V, "Add", site);
  i.reads(akrt::contiguous(a, bytes));
  i.reads(akrt::contiguous(b, bytes));
  i.writes(akrt::contiguous(dst, bytes));
  i.cycles = static_cast<double>(bytes) / 256;
  i.run(
      [](akrt::Machine& m, const Sum& p) {
        const uint8_t* memory = m.memory(akrt::Space::UB);
        uint8_t* out = m.at(akrt::Space::UB, p.dst);
        for (uint64_t k = 0; k < p.bytes; ++k) out[k] = static_cast<uint8_t>(memory[p.a + k] + memory[p.b + k]);
      },
      Sum{dst.addr, a.addr, b.addr, bytes});
  akrt::Machine::current().issue(i);
}

void fill(Local dst, uint8_t value, uint64_t bytes, Site site) {
  akrt::Instr i(Pipe::V, "Duplicate", site);
  i.writes(akrt::contiguous(dst, bytes));
  i.fills = true;
  i.run([](akrt::Machine& m, const Fill& p) { std::memset(m.at(akrt::Space::UB, p.dst), p.value, p.bytes); },
        Fill{dst.addr, bytes, value});
  akrt::Machine::current().issue(i);
}

uint8_t event(Pipe src, Pipe dst) { return static_cast<uint8_t>(akrt::event_of(src, dst)); }

void order(Pipe src, Pipe dst, Site site) {
  akrt_set_flag(event(src, dst), 0, site);
  akrt_wait_flag(event(src, dst), 0, site);
}

Local part(Local t, uint32_t offset, uint32_t bytes) { return {t.addr + offset, bytes, t.position, t.dtype}; }
Global part(Global t, uint64_t offset, uint64_t bytes) { return {t.addr + offset, bytes, t.dtype}; }

}  // namespace bench
