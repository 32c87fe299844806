// The trace: what was issued, in program order, whatever the queues do with it.
#include "bench.h"

using namespace bench;
using akrt::Role;

namespace {

const Local kA = ub(0, 256);
const Local kB = ub(1024, 256);

std::vector<std::string> trace_of(Bench& b, const std::function<void()>& program) {
  std::vector<std::string> lines;
  b.launch().keep_trace([&](std::string_view line) { lines.emplace_back(line); });
  b.run(program);
  return lines;
}

}  // namespace

TEST(trace_is_in_program_order_though_a_pipe_is_held) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 256);
  const std::vector<std::string> lines = trace_of(b, [&] {
    akrt_wait_flag(event(Pipe::MTE2, Pipe::V), 3, at(11));
    add(kB, kA, kA, 32, at(12));
    load(kA, part(x, 64, 32), 32, at(13));
    akrt_set_flag(event(Pipe::MTE2, Pipe::V), 3, at(14));
  });
  CHECK_EQ(lines.size(), 6u);
  CHECK(contains(lines[0], R"("t":"wait","core":0,"api":"WaitFlag")"));
  CHECK(contains(lines[0], R"("event":"MTE2_V","id":3)"));
  CHECK(contains(lines[1], R"("api":"Add")"));
  CHECK(contains(lines[1], R"("pipe":"V")"));
  CHECK(contains(lines[1], R"({"memory":"UB","write":true,"atomic":false,"ranges":[[1024,1056]]})"));
  CHECK(contains(lines[2], R"({"memory":"GM:x","write":false,"atomic":false,"ranges":[[64,96]]})"));
  CHECK(contains(lines[3], R"("t":"set")"));
  CHECK(contains(lines[4], R"("t":"barrier")"));
  CHECK(contains(lines[4], R"("pipe":"ALL")"));
  CHECK_EQ(lines[5], R"({"t":"end","core":0})");
}

TEST(trace_names_scalar_accesses_barriers_and_stalls) {
  Bench b;
  const std::vector<std::string> lines = trace_of(b, [&] {
    fill(kA, 1, 32);
    akrt_pipe_barrier(static_cast<int32_t>(Pipe::V), at(20));
    akrt_local_get(kA, 4, 4, "GetValue", at(21));
    akrt_data_sync_barrier(at(22));
  });
  CHECK(contains(lines[1], R"("t":"barrier","core":0,"api":"PipeBarrier")"));
  CHECK(contains(lines[2], R"("api":"GetValue")"));
  CHECK(contains(lines[2], R"("pipe":"S","auto_sync":true)"));
  CHECK(contains(lines[2], R"("ranges":[[4,8]])"));
  CHECK(contains(lines[3], R"("t":"stall")"));
  CHECK(contains(lines[3], R"("pipe":"S")"));
}

TEST(trace_of_a_kernel_that_hangs_ends_with_the_wait_that_hangs) {
  Bench b;
  const std::vector<std::string> lines = trace_of(b, [&] { akrt_wait_flag(event(Pipe::V, Pipe::S), 0, at(30)); });
  CHECK_EQ(lines.size(), 1u);
  CHECK(contains(lines[0], R"("t":"wait")"));
}
