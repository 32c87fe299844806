// Pipe queues: deferral behind flags, stalls, deadlocks, misuse of flags.
#include "bench.h"

using namespace bench;
using akrt::Role;

namespace {

const Local kA = ub(0, 256);
const Local kB = ub(1024, 256);
constexpr int kAll = akrt::kPipeTAll;

uint8_t* memory(Local t) { return akrt_memory(static_cast<uint8_t>(akrt::Space::UB)) + t.addr; }

}  // namespace

TEST(instruction_takes_effect_at_once_on_a_free_pipe) {
  Bench b;
  b.run([&] {
    fill(kA, 7, 32);
    CHECK_EQ(memory(kA)[0], 7);
  });
}

TEST(pipe_holds_behind_an_unsatisfied_wait_while_the_program_runs_on) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 256);
  b.run([&] {
    akrt_wait_flag(event(Pipe::MTE2, Pipe::V), 0, at(1));
    add(kB, kA, kA, 32);  // waits for the load that is issued later
    load(kA, x, 32);
    CHECK(memory(kB)[1] != 2);
    akrt_set_flag(event(Pipe::MTE2, Pipe::V), 0, at(2));
    CHECK_EQ(memory(kB)[1], 2);
  });
  CHECK_EQ(b.codes(), "");
}

TEST(held_pipes_release_each_other_in_order) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 256);
  const Global y = b.argument("y", Role::kOut, 256);
  b.run([&] {
    akrt_wait_flag(event(Pipe::V, Pipe::MTE3), 0, at(1));
    store(y, kB, 32);
    akrt_wait_flag(event(Pipe::MTE2, Pipe::V), 0, at(2));
    add(kB, kA, kA, 32);
    akrt_set_flag(event(Pipe::V, Pipe::MTE3), 0, at(3));
    load(kA, x, 32);
    CHECK(reinterpret_cast<uint8_t*>(y.addr)[3] != 6);
    akrt_set_flag(event(Pipe::MTE2, Pipe::V), 0, at(4));
    CHECK_EQ(reinterpret_cast<uint8_t*>(y.addr)[3], 6);
  });
  CHECK_EQ(b.codes(), "");
}

TEST(wait_that_is_never_satisfied_is_a_named_deadlock) {
  Bench b;
  const bool ended = b.run([&] {
    akrt_wait_flag(event(Pipe::MTE2, Pipe::V), 3, at(41));
    add(kB, kA, kA, 32);
    add(kB, kA, kA, 32);
  });
  CHECK(!ended);
  CHECK_EQ(b.codes(), "deadlock");
  const std::string f = b.finding("deadlock");
  CHECK(contains(f, "pipe V waits for HardEvent::MTE2_V id 3"));
  CHECK(contains(f, "\"waiting\":[{\"pipe\":\"V\",\"event\":\"MTE2_V\",\"id\":3,\"api\":\"WaitFlag\",\"site\":40,\"behind\":2}]"));
  CHECK(contains(f, "\"gravity\":\"fatal\""));
}

TEST(two_pipes_that_wait_for_each_other_are_both_named) {
  Bench b;
  b.run([&] {
    akrt_wait_flag(event(Pipe::MTE2, Pipe::V), 0, at(1));
    akrt_set_flag(event(Pipe::V, Pipe::MTE2), 0, at(2));
    akrt_wait_flag(event(Pipe::V, Pipe::MTE2), 0, at(3));
    akrt_set_flag(event(Pipe::MTE2, Pipe::V), 0, at(4));
  });
  CHECK_EQ(b.codes(), "deadlock");
  CHECK(contains(b.finding("deadlock"), "HardEvent::MTE2_V id 0"));
  CHECK(contains(b.finding("deadlock"), "HardEvent::V_MTE2 id 0"));
}

TEST(scalar_wait_stalls_the_program) {
  Bench b;
  b.run([&] { akrt_wait_flag(event(Pipe::V, Pipe::S), 2, at(21)); });
  CHECK_EQ(b.codes(), "deadlock");
  CHECK(contains(b.finding("deadlock"), "WaitFlag waits for HardEvent::V_S id 2"));
}

TEST(barrier_all_behind_a_held_pipe_is_a_deadlock) {
  Bench b;
  b.run([&] {
    akrt_wait_flag(event(Pipe::MTE2, Pipe::V), 0, at(1));
    akrt_pipe_barrier(kAll, at(2));
  });
  CHECK(contains(b.finding("deadlock"), "PipeBarrier waits for all pipes"));
}

TEST(scalar_read_of_what_a_held_pipe_will_write_is_a_deadlock) {
  Bench b;
  b.run([&] {
    akrt_wait_flag(event(Pipe::MTE2, Pipe::V), 0, at(1));
    fill(kA, 1, 32);
    akrt_local_get(kA, 0, 4, "GetValue", at(2));
  });
  CHECK(contains(b.finding("deadlock"), "GetValue"));
}

TEST(scalar_instruction_that_needs_a_held_pipe_is_a_deadlock) {
  Bench b;
  b.run([&] {
    akrt_wait_flag(event(Pipe::MTE2, Pipe::V), 0, at(1));
    fill(kA, 1, 32);
    akrt::Instr i(Pipe::S, "ReduceSum", at(2));
    i.auto_sync = true;
    i.writes(akrt::Access{.base = 0, .piece = 4});
    akrt::Machine::current().issue(i);
  });
  CHECK(contains(b.finding("deadlock"), "instructions that ReduceSum depends on"));
}

TEST(scalar_read_of_something_else_goes_past_a_held_pipe) {
  Bench b;
  b.run([&] {
    fill(kB, 9, 32);
    akrt_wait_flag(event(Pipe::MTE2, Pipe::V), 0, at(1));
    fill(kA, 1, 32);
    CHECK_EQ(akrt_local_get(kB, 0, 1, "GetValue", at(2)), 9u);
    akrt_set_flag(event(Pipe::MTE2, Pipe::V), 0, at(3));
  });
  CHECK_EQ(b.codes(), "");
}

TEST(setting_a_set_flag_again_is_reported) {
  Bench b;
  b.run([&] {
    akrt_set_flag(event(Pipe::MTE2, Pipe::V), 1, at(11));
    akrt_set_flag(event(Pipe::MTE2, Pipe::V), 1, at(12));
    akrt_wait_flag(event(Pipe::MTE2, Pipe::V), 1, at(13));
    akrt_wait_flag(event(Pipe::MTE2, Pipe::V), 1, at(14));
  });
  CHECK_EQ(b.codes(), "flag-already-set");
  CHECK(contains(b.finding("flag-already-set"), "\"site\":11,\"other_api\":\"SetFlag\",\"other_site\":10"));
}

TEST(flag_that_nobody_waits_for_is_reported_at_the_end) {
  Bench b;
  b.run([&] { akrt_set_flag(event(Pipe::MTE3, Pipe::MTE2), 5, at(51)); });
  CHECK_EQ(b.codes(), "flag-left-set");
  CHECK(contains(b.finding("flag-left-set"), "HardEvent::MTE3_MTE2 id 5"));
  CHECK(contains(b.finding("flag-left-set"), "\"site\":50"));
}

TEST(same_event_with_other_ids_is_independent) {
  Bench b;
  b.run([&] {
    for (int id = 0; id < 8; ++id) akrt_set_flag(event(Pipe::MTE2, Pipe::V), id, at(1));
    for (int id = 0; id < 8; ++id) akrt_wait_flag(event(Pipe::MTE2, Pipe::V), id, at(2));
  });
  CHECK_EQ(b.codes(), "");
}

TEST(event_id_out_of_range_is_reported) {
  Bench b;
  b.run([&] { akrt_set_flag(event(Pipe::MTE2, Pipe::V), 8, at(1)); });
  CHECK_EQ(b.codes(), "event-id-range");
}

TEST(cube_events_have_no_effect_on_a_vector_core) {
  Bench b;
  b.run([&] {
    akrt_set_flag(event(Pipe::MTE1, Pipe::M), 0, at(1));
    akrt_wait_flag(event(Pipe::M, Pipe::FIX), 0, at(2));
  });
  CHECK_EQ(b.codes(), "");
}

TEST(v_v_event_is_a_vector_barrier) {
  akrt::LaunchConfig config;
  config.autosync = false;
  Bench b(config);
  b.run([&] {
    fill(kA, 1, 256);
    akrt_set_flag(event(Pipe::V, Pipe::V), 0, at(1));
    akrt_wait_flag(event(Pipe::V, Pipe::V), 0, at(2));
    add(kB, kA, kA, 256);
  });
  CHECK_EQ(b.codes(), "");
}

TEST(hazard_of_a_held_instruction_names_program_order) {
  // The Add was issued before the store but runs after it: the store reads too early.
  Bench b;
  const Global y = b.argument("y", Role::kOut, 256);
  b.run([&] {
    fill(kB, 1, 256);
    fill(kA, 1, 256);
    order(Pipe::V, Pipe::MTE3);
    akrt_wait_flag(event(Pipe::MTE2, Pipe::V), 0, at(1));
    add(kB, kA, kA, 256, at(31));
    store(y, kB, 256, at(32));
    akrt_set_flag(event(Pipe::MTE2, Pipe::V), 0, at(2));
  });
  CHECK_EQ(b.codes(), "missing-sync");
  const std::string f = b.finding("missing-sync");
  CHECK(contains(f, "\"site\":31,\"other_api\":\"Add\",\"other_site\":30"));
  CHECK(contains(f, "\"kind\":\"RAW\""));
  CHECK(contains(f, "\"edge\":\"V->MTE3\""));
}

TEST(instruction_limit_ends_the_run) {
  akrt::LaunchConfig config;
  config.instruction_limit = 100;
  Bench b(config);
  const bool ended = b.run([&] {
    for (int i = 0; i < 1000; ++i) fill(kA, 1, 32);
  });
  CHECK(!ended);
  CHECK_EQ(b.codes(), "instruction-limit");
}

TEST(seed_permutes_the_order_of_cores) {
  const auto order_of = [](uint64_t seed) {
    akrt::LaunchConfig config;
    config.blocks = 8, config.cores = 8, config.seed = seed;
    Bench b(config);
    std::string order;
    b.run([&] { order += std::to_string(akrt_block_idx()); });
    return order;
  };
  CHECK_EQ(order_of(0), "01234567");
  CHECK(order_of(1) != order_of(0));
  CHECK_EQ(order_of(1), order_of(1));
  std::string sorted = order_of(1);
  std::sort(sorted.begin(), sorted.end());
  CHECK_EQ(sorted, "01234567");
}
