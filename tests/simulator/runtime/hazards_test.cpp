// Happens-before: every kind of hazard, without its edge and with it.
#include "bench.h"

using namespace bench;
using akrt::Role;

namespace {

const Local kA = ub(0, 256);
const Local kB = ub(1024, 256);
const Local kC = ub(2048, 256);

akrt::LaunchConfig manual() {
  akrt::LaunchConfig c;
  c.autosync = false;
  return c;
}

}  // namespace

TEST(load_then_vector_without_flag_is_a_raw_hazard) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 256);
  b.run([&] {
    load(kA, x, 256, at(101));
    add(kB, kA, kA, 256, at(201));
  });
  CHECK_EQ(b.codes(), "missing-sync");
  const std::string f = b.finding("missing-sync");
  CHECK(contains(f, "\"site\":200,\"other_api\":\"DataCopy\",\"other_site\":100"));
  CHECK(contains(f, "\"level\":\"hazard\",\"api\":\"Add\""));
  CHECK(contains(f, "\"kind\":\"RAW\""));
  CHECK(contains(f, "\"edge\":\"MTE2->V\",\"add\":\"SetFlag/WaitFlag<HardEvent::MTE2_V>\""));
  CHECK(contains(f, "\"begin\":0,\"end\":256"));
  CHECK(contains(f, "EnQue"));
}

TEST(load_then_vector_with_flag_is_ordered) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 256);
  b.run([&] {
    load(kA, x, 256);
    order(Pipe::MTE2, Pipe::V);
    add(kB, kA, kA, 256);
  });
  CHECK_EQ(b.codes(), "");
}

TEST(vector_then_store_without_flag_is_a_raw_hazard) {
  Bench b;
  const Global y = b.argument("y", Role::kOut, 256);
  b.run([&] {
    fill(kA, 1, 256);
    store(y, kA, 256);
  });
  CHECK(contains(b.finding("missing-sync"), "\"edge\":\"V->MTE3\""));
}

TEST(reload_while_vector_reads_is_a_war_hazard) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 256);
  b.run([&] {
    load(kA, x, 256);
    order(Pipe::MTE2, Pipe::V);
    add(kB, kA, kA, 256);
    load(kA, x, 256, at(55));
  });
  CHECK_EQ(b.codes(), "missing-sync");
  CHECK(contains(b.finding("missing-sync"), "\"kind\":\"WAR\""));
  CHECK(contains(b.finding("missing-sync"), "HardEvent::V_MTE2"));
}

TEST(reload_after_the_reader_released_the_buffer_is_ordered) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 256);
  b.run([&] {
    for (int i = 0; i < 3; ++i) {
      if (i > 0) akrt_wait_flag(event(Pipe::V, Pipe::MTE2), 1, at(9));
      load(kA, x, 256);
      order(Pipe::MTE2, Pipe::V);
      add(kB, kA, kA, 256);
      if (i < 2) akrt_set_flag(event(Pipe::V, Pipe::MTE2), 1, at(8));
    }
  });
  CHECK_EQ(b.codes(), "");
}

TEST(two_loads_into_one_place_need_a_barrier) {
  for (const bool barrier : {false, true}) {
    Bench b;
    const Global x = b.argument("x", Role::kIn, 512);
    b.run([&] {
      load(kA, x, 256, at(11));
      if (barrier) akrt_pipe_barrier(static_cast<int>(Pipe::MTE2), at(12));
      load(part(kA, 128, 128), x, 128, at(13));
    });
    CHECK_EQ(b.codes(), barrier ? "" : "missing-sync");
    if (!barrier) {
      CHECK(contains(b.finding("missing-sync"), "\"kind\":\"WAW\""));
      CHECK(contains(b.finding("missing-sync"), "PipeBarrier<PIPE_MTE2>"));
      CHECK(contains(b.finding("missing-sync"), "\"begin\":128,\"end\":256"));
    }
  }
}

TEST(two_stores_to_one_place_need_a_barrier) {
  for (const bool barrier : {false, true}) {
    Bench b;
    const Global y = b.argument("y", Role::kOut, 256);
    b.run([&] {
      fill(kA, 1, 256);
      fill(kB, 2, 256);
      order(Pipe::V, Pipe::MTE3);
      store(y, kA, 256, at(11));
      if (barrier) akrt_pipe_barrier(static_cast<int>(Pipe::MTE3), at(12));
      store(y, kB, 256, at(13));
    });
    CHECK_EQ(b.codes(), barrier ? "" : "missing-sync");
    if (!barrier) CHECK(contains(b.finding("missing-sync"), "\"gravity\":\"error\""));
  }
}

TEST(two_stores_of_the_same_values_are_only_remarked) {
  Bench b;
  const Global y = b.argument("y", Role::kOut, 256);
  b.run([&] {
    fill(kA, 1, 256);
    order(Pipe::V, Pipe::MTE3);
    store(y, kA, 256, at(11));
    store(part(y, 64, 192), part(kA, 64, 192), 192, at(13));
  });
  CHECK(contains(b.finding("missing-sync"), "\"gravity\":\"note\""));
}

TEST(a_fill_with_the_values_that_are_there_cannot_change_what_a_store_reads) {
  for (const int value : {1, 2}) {
    Bench b;
    const Global y = b.argument("y", Role::kOut, 256);
    b.run([&] {
      fill(kA, 1, 256);
      order(Pipe::V, Pipe::MTE3);
      store(y, kA, 256, at(11));
      fill(kA, static_cast<uint8_t>(value), 256, at(13));
    });
    CHECK(contains(b.finding("missing-sync"), value == 1 ? "\"gravity\":\"note\"" : "\"gravity\":\"error\""));
  }
}

TEST(a_store_behind_an_atomic_one_needs_a_barrier_even_where_it_leaves_the_bytes) {
  for (const bool atomic_first : {true, false}) {
    Bench b;
    const Global y = b.argument("y", Role::kOut, 64);
    const auto add_to_y = [&] {  // what it leaves is taken to be what was there
      akrt::Instr i(Pipe::MTE3, "DataCopy", at(11));
      akrt::Access a = akrt::contiguous(y, 64);
      a.atomic = true;
      i.reads(akrt::contiguous(kA, 64));
      i.writes(a);
      i.run([](akrt::Machine&, const int&) {}, 0);
      akrt::Machine::current().issue(i);
    };
    b.run([&] {
      fill(kA, 1, 64);
      order(Pipe::V, Pipe::MTE3);
      store(y, kA, 64, at(10));
      if (atomic_first) {
        akrt_pipe_barrier(static_cast<int>(Pipe::MTE3), at(12));
        add_to_y();
        store(y, kA, 64, at(13));
      } else {
        add_to_y();
      }
    });
    CHECK(contains(b.finding("missing-sync"), "\"gravity\":\"error\""));
  }
}

TEST(vector_after_vector_is_ordered_by_the_compiler_only_with_autosync) {
  for (const bool automatic : {true, false}) {
    akrt::LaunchConfig config;
    config.autosync = automatic;
    Bench b(config);
    b.run([&] {
      fill(kA, 1, 256);
      add(kB, kA, kA, 256);
    });
    CHECK_EQ(b.codes(), automatic ? "" : "missing-sync");
    if (!automatic) CHECK(contains(b.finding("missing-sync"), "PipeBarrier<PIPE_V>"));
  }
}

TEST(vector_after_vector_is_ordered_by_a_barrier) {
  Bench b(manual());
  b.run([&] {
    fill(kA, 1, 256);
    akrt_pipe_barrier(static_cast<int>(Pipe::V), at(7));
    add(kB, kA, kA, 256);
  });
  CHECK_EQ(b.codes(), "");
}

TEST(independent_instructions_of_one_pipe_need_nothing) {
  Bench b(manual());
  b.run([&] {
    fill(kA, 1, 256);
    fill(kB, 1, 256);
    fill(kC, 1, 256);
  });
  CHECK_EQ(b.codes(), "");
}

TEST(order_passes_through_the_scalar_program) {
  // V -> S by a flag, then the scalar program issues the store: MTE3 starts after V.
  Bench b(manual());
  const Global y = b.argument("y", Role::kOut, 256);
  b.run([&] {
    fill(kA, 1, 256);
    order(Pipe::V, Pipe::S);
    store(y, kA, 256);
  });
  CHECK_EQ(b.codes(), "");
}

TEST(order_passes_through_a_chain_of_flags) {
  // MTE2 -> V -> MTE3 -> MTE2: the last load overwrites what the first wrote.
  Bench b(manual());
  const Global x = b.argument("x", Role::kIn, 256);
  const Global y = b.argument("y", Role::kOut, 256);
  b.run([&] {
    load(kA, x, 256);
    order(Pipe::MTE2, Pipe::V);
    add(kB, kA, kA, 256);
    order(Pipe::V, Pipe::MTE3);
    store(y, kB, 256);
    order(Pipe::MTE3, Pipe::MTE2);
    load(kA, x, 256);
    load(kB, x, 256);
  });
  CHECK_EQ(b.codes(), "");
}

TEST(a_flag_carries_only_what_came_before_it) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 512);
  b.run([&] {
    load(kA, x, 256);
    akrt_set_flag(event(Pipe::MTE2, Pipe::V), 0, at(5));
    load(kB, x, 256, at(66));
    akrt_wait_flag(event(Pipe::MTE2, Pipe::V), 0, at(6));
    add(kC, kA, kB, 256, at(77));
  });
  CHECK_EQ(b.codes(), "missing-sync");
  CHECK(contains(b.finding("missing-sync"), "\"site\":76,\"other_api\":\"DataCopy\",\"other_site\":65"));
}

TEST(barrier_all_orders_everything) {
  Bench b(manual());
  const Global x = b.argument("x", Role::kIn, 256);
  const Global y = b.argument("y", Role::kOut, 256);
  b.run([&] {
    load(kA, x, 256);
    akrt_pipe_barrier(akrt::kPipeTAll, at(5));
    add(kA, kA, kA, 256);
    akrt_pipe_barrier(akrt::kPipeTAll, at(5));
    store(y, kA, 256);
    akrt_pipe_barrier(akrt::kPipeTAll, at(5));
    load(kA, x, 256);
  });
  CHECK_EQ(b.codes(), "");
}

TEST(scalar_reads_are_synchronised_by_the_compiler) {
  for (const bool automatic : {true, false}) {
    akrt::LaunchConfig config;
    config.autosync = automatic;
    Bench b(config);
    const Global x = b.argument("x", Role::kIn, 256);
    uint64_t seen = 0;
    b.run([&] {
      load(kA, x, 256);
      seen = akrt_local_get(kA, 8, 4, "GetValue", at(31));
      akrt_local_set(kA, 8, 4, 5, "SetValue", at(32));
      load(kA, x, 256, at(33));
    });
    CHECK_EQ(seen, 0x0b0a0908u);
    if (automatic) {
      // MTE2 -> S and S -> MTE2 are the compiler's; the second load still overlaps the first, but comes after S.
      CHECK_EQ(b.codes(), "");
    } else {
      CHECK(contains(b.finding("missing-sync"), "HardEvent::MTE2_S"));
      CHECK_EQ(b.codes(), "missing-sync missing-sync missing-sync missing-sync");
    }
  }
}

TEST(scalar_write_before_store_is_synchronised_by_the_compiler) {
  for (const bool automatic : {true, false}) {
    akrt::LaunchConfig config;
    config.autosync = automatic;
    Bench b(config);
    const Global y = b.argument("y", Role::kOut, 32);
    b.run([&] {
      for (int i = 0; i < 8; ++i) akrt_local_set(kA, i * 4, 4, 7, "SetValue", at(32));
      store(y, kA, 32, at(33));
    });
    CHECK_EQ(b.codes(), automatic ? "" : "missing-sync");
    if (!automatic) CHECK(contains(b.finding("missing-sync"), "HardEvent::S_MTE3"));
  }
}

TEST(scalar_write_is_ordered_by_its_flag_without_autosync) {
  Bench b(manual());
  const Global y = b.argument("y", Role::kOut, 32);
  b.run([&] {
    for (int i = 0; i < 8; ++i) akrt_local_set(kA, i * 4, 4, 7, "SetValue", at(32));
    order(Pipe::S, Pipe::MTE3);
    store(y, kA, 32, at(33));
  });
  CHECK_EQ(b.codes(), "");
}

TEST(autosync_does_not_cover_load_and_vector_of_other_tensors) {
  // A GetValue of one tensor does not order a load of another before the vector pipe.
  Bench b;
  const Global x = b.argument("x", Role::kIn, 256);
  b.run([&] {
    fill(kC, 1, 256);
    load(kA, x, 256);
    akrt_local_get(kC, 0, 4, "GetValue", at(31));
    add(kB, kA, kA, 256);
  });
  CHECK_EQ(b.codes(), "missing-sync");
}

TEST(accumulator_needs_v_to_s) {
  for (const bool automatic : {true, false}) {
    akrt::LaunchConfig config;
    config.autosync = automatic;
    Bench b(config);
    b.run([&] {
      akrt::Instr i(Pipe::V, "ReduceSum", at(3));
      i.writes(akrt::Machine::spr(akrt::Registers::kAccVal));
      i.run([](akrt::Machine& m, const int& v) { std::memcpy(m.memory(akrt::Space::SPR), &v, sizeof v); }, 42);
      akrt::Machine::current().issue(i);
      CHECK_EQ(akrt_acc_val(at(4)), 42);
    });
    CHECK_EQ(b.codes(), automatic ? "" : "missing-sync");
  }
}

TEST(cores_that_store_to_the_same_bytes_race) {
  akrt::LaunchConfig config;
  config.blocks = 2, config.cores = 2;
  Bench b(config);
  const Global y = b.argument("y", Role::kOut, 256);
  b.run([&] {
    fill(kA, static_cast<uint8_t>(akrt_block_idx()), 256);
    order(Pipe::V, Pipe::MTE3);
    store(y, kA, 64, at(11));
  });
  CHECK_EQ(b.codes(), "gm-race");
  CHECK(contains(b.finding("gm-race"), "\"block\":1,\"other_block\":0"));
}

TEST(cores_that_store_to_disjoint_bytes_of_one_block_do_not_race) {
  akrt::LaunchConfig config;
  config.blocks = 4, config.cores = 4;
  Bench b(config);
  const Global y = b.argument("y", Role::kOut, 80);
  b.run([&] {
    fill(kA, 1, 256);
    order(Pipe::V, Pipe::MTE3);
    store(part(y, static_cast<uint64_t>(akrt_block_idx()) * 20, 20), kA, 20);
  });
  CHECK_EQ(b.codes(), "");
}

TEST(core_that_overwrites_what_others_read_races) {
  akrt::LaunchConfig config;
  config.blocks = 3, config.cores = 3;
  Bench b(config);
  const Global w = b.argument("w", Role::kWorkspace, 256);
  b.run([&] {
    if (akrt_block_idx() < 2) {
      load(kA, w, 64, at(11));
    } else {
      fill(kB, 3, 64);
      order(Pipe::V, Pipe::MTE3);
      store(w, kB, 64, at(12));
    }
  });
  CHECK(contains(b.finding("gm-race"), "\"kind\":\"WAR\""));
}

TEST(a_repeated_hazard_is_reported_once) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 256);
  b.run([&] {
    for (int i = 0; i < 5; ++i) {
      akrt_pipe_barrier(akrt::kPipeTAll, at(5));
      load(kA, x, 256, at(101));
      add(kB, kA, kA, 256, at(201));
    }
  });
  CHECK_EQ(b.codes(), "missing-sync");
}

TEST(findings_beyond_the_cap_are_counted) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 256);
  b.run([&] {
    for (uint64_t i = 0; i < 70; ++i) {
      akrt_pipe_barrier(akrt::kPipeTAll, at(5));
      load(kA, x, 256, at(1000 + i));
      add(kB, kA, kA, 256, at(2000 + i));
    }
  });
  b.launch().finish();
  CHECK(contains(b.finding("more-findings"), "\"count\":6"));
}

TEST(vector_that_writes_what_it_reads_does_not_hide_the_reader_before_it) {
  Bench b(manual());
  b.run([&] {
    fill(kA, 1, 256);
    fill(kB, 1, 256);
    akrt_pipe_barrier(static_cast<int32_t>(Pipe::V), at(1));
    add(kC, kA, kB, 128, at(101));
    add(kA, kA, kA, 256, at(201));
  });
  CHECK_EQ(b.codes(), "missing-sync");
  const std::string f = b.finding("missing-sync");
  CHECK(contains(f, "\"site\":200,\"other_api\":\"Add\",\"other_site\":100"));
  CHECK(contains(f, "\"kind\":\"WAR\""));
  CHECK(contains(f, "\"begin\":0,\"end\":128"));
}

TEST(vector_that_writes_what_it_reads_is_ordered_after_an_older_reader_by_a_barrier) {
  Bench b(manual());
  b.run([&] {
    fill(kA, 1, 256);
    akrt_pipe_barrier(static_cast<int32_t>(Pipe::V), at(1));
    add(kC, kA, kA, 256);
    akrt_pipe_barrier(static_cast<int32_t>(Pipe::V), at(1));
    add(kA, kA, kA, 256);
  });
  CHECK_EQ(b.codes(), "");
}

// The compiler's flag stands right behind the instruction that the scalar call needs.
TEST(autosync_into_the_scalar_program_covers_nothing_behind_what_it_waits_for) {
  for (const bool read_last : {false, true}) {
    Bench b;
    const Global x = b.argument("x", Role::kIn, 512);
    b.run([&] {
      load(kA, x, 256, at(101));
      load(kB, part(x, 256, 256), 256, at(102));
      akrt_local_get(read_last ? kB : kA, 0, 4, "GetValue", at(103));
      add(kC, kB, kB, 256, at(104));
    });
    CHECK_EQ(b.codes(), read_last ? "" : "missing-sync");
  }
}

TEST(autosync_hands_on_what_the_instruction_knew_when_it_started) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 256);
  const Global y = b.argument("y", Role::kOut, 256);
  b.run([&] {
    load(kA, x, 256);
    order(Pipe::MTE2, Pipe::V);
    add(kB, kA, kA, 256);
    akrt_local_get(kB, 0, 4, "GetValue", at(103));  // the load is complete: the Add waited for it
    store(y, kA, 256);
  });
  CHECK_EQ(b.codes(), "");
}
