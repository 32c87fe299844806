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
  // The pipe is busy until the data are there.
  CHECK(contains(c, "{\"pipe\":\"MTE2\",\"busy_us\":0.21,\"instructions\":1}"));
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
  CHECK(near(time(true), 1.210 + 0.021));
}

TEST(memory_bandwidth_is_shared_among_cores) {
  const auto time = [](int32_t cores) {
    akrt::LaunchConfig config;
    config.blocks = cores, config.cores = cores;
    Bench b(config);
    const Global x = b.argument("x", Role::kIn, 35840);
    b.run([&] { load(kA, part(x, static_cast<uint64_t>(akrt_block_idx()) * 3584, 3200), 3200); });
    return clock_of(b);
  };
  CHECK(near(field(time(1), "kernel_us"), 1.210));
  // 10 cores share 100 B/cycle: 10 each.
  CHECK(near(field(time(10), "kernel_us"), 1 + 0.001 * (320 + 100)));
}

TEST(every_core_that_is_launched_adds_to_the_launch) {
  const auto time = [](int32_t cores) {
    akrt::LaunchConfig config;
    config.blocks = cores, config.cores = 4;
    Bench b(config, {{"launch_core_us", 0.5}});
    b.run([&] { fill(kA, 0, 256); });
    return field(clock_of(b), "kernel_us");
  };
  CHECK(near(time(1), 1.021));
  CHECK(near(time(4), 1.021 + 1.5));
  CHECK(near(time(8), 1.042 + 1.5));  // two rounds on four cores
}

TEST(a_block_starts_with_its_own_initialisation) {
  Bench b({}, {{"scalar_start_us", 2}});
  b.run([&] { fill(kA, 0, 256); });
  const std::string c = clock_of(b);
  CHECK(near(field(c, "kernel_us"), 1 + 2 + 0.021));
  CHECK(contains(c, "{\"pipe\":\"S\",\"busy_us\":2,"));
}

TEST(blocks_beyond_the_cores_run_in_rounds) {
  akrt::LaunchConfig config;
  config.blocks = 4, config.cores = 2;
  Bench b(config);
  b.run([&] { fill(kA, 0, 256); });
  CHECK(near(field(clock_of(b), "kernel_us"), 1 + 2 * 0.021));
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
  const std::string json = b.launch().clock().timeline_json(b.launch().findings().sites());
  CHECK(contains(json, "{\"name\":\"DataCopy\",\"cat\":\"work\",\"ph\":\"X\",\"ts\":0,\"dur\":0.11,\"pid\":0,\"tid\":4,"));
  CHECK(contains(json, "\"bytes\":3200,\"work\":0.1}"));
  CHECK(contains(json, "\"pid\":0,\"tid\":4,\"args\":{\"name\":\"MTE2\"}}"));
  CHECK(contains(json, "{\"name\":\"Add\",\"cat\":\"work\",\"ph\":\"X\",\"ts\":0.21,"));
  CHECK(contains(json, "\"waited\":0.21,\"held\":\"flag\",\"on\":\"MTE2\",\"held_api\":\"WaitFlag\",\"held_site\":89}"));
  CHECK(contains(json, "\"provenance\":\"simulated\""));
  CHECK(contains(json, "\"complete\":true"));
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

TEST(the_next_load_starts_before_the_data_of_the_last_are_there) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 6400);
  b.run([&] {
    load(kA, part(x, 0, 3072), 3072);
    load(kB, part(x, 3072, 3072), 3072);
  });
  const std::string c = clock_of(b);
  CHECK(near(field(c, "kernel_us"), 1 + 0.001 * (2 * (10 + 96) + 100)));
  CHECK(near(field(c, "busy_us"), 0.312));  // the latency that both share counts once
}

TEST(loads_off_512_bytes_are_slower) {
  const auto time = [](uint64_t offset) {
    Bench b;
    const Global x = b.argument("x", Role::kIn, 4096);
    b.run([&] { load(kA, part(x, offset, 3200), 3200); });
    return field(clock_of(b), "kernel_us");
  };
  CHECK(near(time(512), 1.210));
  CHECK(near(time(32), 1.310));
}

TEST(what_fits_into_l2_is_read_from_memory_once) {
  const auto time = [](uint64_t bytes) {
    Bench b;  // an L2 of 8192 bytes, 64 bytes a cycle from it
    const Global x = b.argument("x", Role::kIn, bytes);
    b.run([&] {
      load(kA, x, 3200);
      load(kB, x, 3200);
    });
    return field(clock_of(b), "kernel_us");
  };
  CHECK(near(time(4096), 1 + 0.001 * (10 + 100 + 10 + 50 + 100)));
  CHECK(near(time(16384), 1 + 0.001 * (10 + 100 + 10 + 100 + 100)));
}

TEST(inputs_past_l2_leave_room_for_outputs) {
  const auto bound = [](bool bypass) {
    akrt::LaunchConfig config;
    Bench b(config, {{"memory_gb_per_s", 8}, {"core_write_bytes_per_cycle", 1000}});
    const Global x = b.argument("x", Role::kIn, 8192);
    const Global y = b.argument("y", Role::kOut, 8192);
    b.run([&] {
      if (bypass) akrt_bypass_l2(x);
      load(kA, x, 4096);
      order(Pipe::MTE2, Pipe::MTE3);
      store(y, kA, 4096);
    });
    return field(clock_of(b), "kernel_us");
  };
  CHECK(near(bound(false), 1 + 0.001 * 1024));          // both tensors at 8 bytes a cycle
  CHECK(near(bound(true), 1 + 0.001 * (512 + 100 + 10 + 4.096)));  // the store stays in L2
}

TEST(lines_that_cores_share_are_served_in_turn) {
  const auto busy = [](bool same) {
    akrt::LaunchConfig config;
    config.blocks = 2, config.cores = 2;
    Bench b(config);
    const Global x = b.argument("x", Role::kIn, 8192);
    b.run([&] { load(kA, part(x, same ? 0 : static_cast<uint64_t>(akrt_block_idx()) * 4096, 3200), 3200); });
    return field(clock_of(b), "kernel_us");
  };
  CHECK(near(busy(false), 1.210));
  CHECK(near(busy(true), 1.235));
}

TEST(who_reads_a_reduction_waits_for_its_result) {
  const auto time = [](bool reads) {
    Bench b;
    b.run([&] {
      fill(ub(0, 512), 1, 512);
      akrt::Instr sum(Pipe::V, "WholeReduceSum", at(7));
      sum.reads(akrt::contiguous(ub(0, 256), 256));
      sum.writes(akrt::contiguous(ub(1024, 32), 32));
      sum.cycles = 7, sum.reduces = true;
      akrt::Machine::current().issue(sum);
      fill(ub(reads ? 1024 : 2048, 256), 1, 256);
      add(ub(4096, 256), ub(0, 256), ub(reads ? 1024 : 256, 256), 256);
    });
    return field(clock_of(b), "busy_us");
  };
  CHECK(near(time(true), time(false) + 0.001));  // the sources of one group, one cycle; waiting is not work
}
