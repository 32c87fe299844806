// The estimate: pipes overlap, flags order, bandwidth is shared. Parameters are those of bench.cpp (1000 MHz).
#include <cmath>

#include "bench.h"

using namespace bench;
using akrt::Role;

namespace {

const Local kA = ub(0, 4096);
const Local kB = ub(8192 + 32, 4096);

double field(const std::string& record, const std::string& key) {
  const size_t p = record.find("\"" + key + "\":");
  return p == std::string::npos ? NAN : std::stod(record.substr(p + key.size() + 3));
}

std::string clock_of(Bench& b) {
  b.launch().finish();
  for (const std::string& line : b.lines())
    if (line.rfind("{\"t\":\"clock\"", 0) == 0) return line;
  return "";
}

bool near(double a, double b) { return std::abs(a - b) < 1e-3; }

}  // namespace

TEST(time_of_a_load_is_issue_bytes_and_latency) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 3200);
  b.run([&] { load(kA, x, 3200); });
  const std::string c = clock_of(b);
  CHECK(near(field(c, "kernel_us"), 1 + 0.001 * (10 + 100 + 100)));
  CHECK(contains(c, "{\"pipe\":\"MTE2\",\"busy_us\":0.11,\"instructions\":1}"));
}

TEST(pipes_without_flags_overlap_and_with_flags_do_not) {
  const auto time = [](bool ordered) {
    Bench b;
    const Global x = b.argument("x", Role::kIn, 3200);
    b.run([&] {
      load(kA, x, 3200);
      if (ordered) order(Pipe::MTE2, Pipe::V);
      fill(kB, 0, 256);
    });
    return field(clock_of(b), "kernel_us");
  };
  CHECK(near(time(false), 1.210));
  CHECK(near(time(true), 1.210 + 0.020));
}

TEST(memory_bandwidth_is_shared_among_cores) {
  const auto time = [](int32_t cores) {
    akrt::LaunchConfig config;
    config.blocks = cores, config.cores = cores;
    Bench b(config);
    const Global x = b.argument("x", Role::kIn, 3200);
    b.run([&] { load(kA, x, 3200); });
    return clock_of(b);
  };
  CHECK(near(field(time(1), "kernel_us"), 1.210));
  // 10 cores share 100 B/cycle: 10 each.
  CHECK(near(field(time(10), "kernel_us"), 1 + 0.001 * (10 + 320 + 100)));
}

TEST(blocks_beyond_the_cores_run_in_rounds) {
  akrt::LaunchConfig config;
  config.blocks = 4, config.cores = 2;
  Bench b(config);
  b.run([&] { fill(kA, 0, 256); });
  CHECK(near(field(clock_of(b), "kernel_us"), 1 + 2 * 0.020));
}

TEST(sources_in_one_bank_group_are_slower) {
  const auto busy = [](uint32_t second) {
    Bench b;
    b.run([&] {
      fill(ub(0, 16384), 1, 16384);
      add(ub(65536, 2560), ub(0, 2560), ub(second, 2560), 2560);
    });
    return field(clock_of(b), "busy_us");
  };
  CHECK(near(busy(4096 + 32), 0.020 + 0.030));
  CHECK(near(busy(4096), 0.020 + 0.040));
}

TEST(bound_names_the_busiest_pipe_or_the_launch) {
  Bench small;
  small.run([&] { fill(kA, 0, 256); });
  CHECK(contains(clock_of(small), "\"bound\":\"launch\""));
  Bench large;
  const Global x = large.argument("x", Role::kIn, 4096);
  large.run([&] {
    for (int i = 0; i < 100; ++i) {
      akrt_pipe_barrier(akrt::kPipeTAll, at(1));
      load(kA, x, 4096);
    }
  });
  CHECK(contains(clock_of(large), "\"bound\":\"MTE2\""));
}

TEST(timeline_is_a_chrome_trace) {
  akrt::LaunchConfig config;
  config.timeline = true;
  Bench b(config);
  const Global x = b.argument("x", Role::kIn, 3200);
  b.run([&] {
    load(kA, x, 3200);
    order(Pipe::MTE2, Pipe::V);
    add(kB, kA, kA, 256);
  });
  const std::string json = b.launch().clock().timeline_json();
  CHECK(contains(json, "{\"name\":\"DataCopy\",\"ph\":\"X\",\"ts\":0,\"dur\":0.11,\"pid\":0,\"tid\":4}"));
  CHECK(contains(json, "\"pid\":0,\"tid\":4,\"args\":{\"name\":\"MTE2\"}}"));
  CHECK(contains(json, "{\"name\":\"Add\",\"ph\":\"X\",\"ts\":0.21,"));
}

TEST(scalar_read_waits_for_what_it_reads) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 3200);
  b.run([&] {
    load(kA, x, 3200);
    akrt_local_get(kA, 0, 4, "GetValue", at(3));
    CHECK_EQ(akrt_system_cycle(at(4)), static_cast<uint64_t>(220 * 50 / 1000));
  });
  CHECK(near(field(clock_of(b), "kernel_us"), 1.220));
}
