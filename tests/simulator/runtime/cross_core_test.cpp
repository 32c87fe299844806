// Synchronisation between cores: who waits for whom, what it orders, what it costs, and how it hangs.
#include "bench.h"

#include <algorithm>

#include "akrt/abi_core.h"

using namespace bench;
using akrt::Role;

namespace {

const Local kA = ub(0, 1024);
const Local kB = ub(1024, 1024);
const Local kScratch = ub(8192, 4096);

akrt::LaunchConfig cores(int32_t n, uint64_t seed = 0) {
  akrt::LaunchConfig config;
  config.blocks = n, config.cores = n, config.seed = seed;
  return config;
}

int32_t me() { return static_cast<int32_t>(akrt_block_idx()); }

Global own(Global t, int32_t block) { return part(t, static_cast<uint64_t>(block) * 64, 64); }

void store_own(Global to, uint8_t value, Site site = at(2)) {
  fill(kA, value, 64);
  order(Pipe::V, Pipe::MTE3);
  store(own(to, me()), kA, 64, site);
}

// Writes zeros, as every core has to before a call that works on a workspace.
void zero(Global workspace, uint64_t bytes) {
  fill(kB, 0, bytes);
  order(Pipe::V, Pipe::MTE3);
  store(workspace, kB, bytes, at(70));
  order(Pipe::MTE3, Pipe::S);
}

uint8_t byte_of(Global t, uint64_t offset) { return reinterpret_cast<const uint8_t*>(t.addr)[offset]; }

// Errors and worse, without notes.
std::string errors(const Bench& b) {
  std::string out;
  for (const std::string& line : b.lines()) {
    if (line.rfind("{\"t\":\"finding\"", 0) != 0 || contains(line, "\"gravity\":\"note\"")) continue;
    const size_t from = line.find("\"code\":\"") + 8;
    out += (out.empty() ? "" : " ") + line.substr(from, line.find('"', from) - from);
  }
  return out;
}

}  // namespace

TEST(sync_all_lets_every_core_see_what_the_others_stored) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Bench b(cores(4, seed));
    const Global w = b.argument("w", Role::kWorkspace, 256);
    const Global y = b.argument("y", Role::kOut, 256);
    CHECK(b.run([&] {
      store_own(w, static_cast<uint8_t>(10 + me()));
      akrt_sync_all(true, at(40));
      load(kB, own(w, (me() + 1) % 4), 64, at(1));
      order(Pipe::MTE2, Pipe::MTE3);
      store(own(y, me()), kB, 64, at(3));
    }));
    CHECK_EQ(b.codes(), "");
    for (int32_t block = 0; block < 4; ++block)
      CHECK_EQ(int{byte_of(y, static_cast<uint64_t>(block) * 64)}, 10 + (block + 1) % 4);
  }
}

TEST(without_sync_all_the_same_cores_race) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Bench b(cores(2, seed));
    const Global w = b.argument("w", Role::kWorkspace, 256);
    b.run([&] {
      store_own(w, 1, at(11));
      load(kB, own(w, 1 - me()), 64, at(12));
    });
    CHECK(contains(b.codes(), "gm-race"));
  }
}

TEST(sync_all_does_not_order_what_comes_after_it) {
  Bench b(cores(2));
  const Global w = b.argument("w", Role::kWorkspace, 256);
  b.run([&] {
    akrt_sync_all(true, at(40));
    store_own(w, 1, at(11));
    if (me() == 1) load(kB, own(w, 0), 64, at(12));
  });
  CHECK(contains(errors(b), "gm-race"));
}

TEST(sync_all_orders_reads_before_later_stores) {
  for (const bool synchronised : {true, false}) {
    Bench b(cores(3));
    const Global w = b.argument("w", Role::kWorkspace, 256);
    b.run([&] {
      if (me() == 0) {
        fill(kA, 1, 192);
        order(Pipe::V, Pipe::MTE3);
        store(w, kA, 192);
      }
      akrt_sync_all(true, at(40));
      load(kB, w, 192, at(12));
      if (synchronised) akrt_sync_all(true, at(41));
      store_own(w, 2, at(13));
    });
    CHECK_EQ(contains(b.codes(), "gm-race"), !synchronised);
    CHECK_EQ(b.codes() == "", synchronised);
  }
}

TEST(a_core_that_skips_sync_all_is_named) {
  Bench b(cores(4));
  CHECK(!b.run([&] {
    if (me() == 2) return;
    akrt_sync_all(true, at(40));
  }));
  const std::string f = b.finding("deadlock");
  CHECK(contains(f, "\"gravity\":\"fatal\""));
  CHECK(contains(f, "\"api\":\"SyncAll\",\"site\":39"));
  CHECK(contains(f, "blocks 0, 1, 3 wait in SyncAll for call 1 of block 2; block 2 has come to the end without it"));
  CHECK(contains(f, "\"ended\":[2]"));
  CHECK(contains(f, "\"blocks\":[0,1,3]"));
  CHECK(contains(f, "\"lacking\":[2]"));
}

TEST(unequal_numbers_of_sync_all_hang) {
  Bench b(cores(2));
  CHECK(!b.run([&] {
    akrt_sync_all(true, at(40));
    if (me() == 0) akrt_sync_all(true, at(41));
  }));
  CHECK(contains(b.finding("deadlock"), "block 0 waits in SyncAll for call 2 of block 1"));
}

TEST(cores_that_wait_for_each_other_in_different_calls_hang) {
  Bench b(cores(2));
  const Global w = b.argument("w", Role::kWorkspace, 256);
  CHECK(!b.run([&] {
    zero(w, 64);
    if (me() == 0) akrt_sync_all(true, at(40));
    else akrt_sync_all_soft(w, kScratch, 0, true, at(41));
  }));
  const std::string f = b.finding("deadlock");
  CHECK(contains(f, "\"site\":39,\"other_api\":\"SyncAll\",\"other_site\":40"));
}

TEST(sync_all_with_more_blocks_than_cores_hangs) {
  akrt::LaunchConfig config = cores(5);
  config.cores = 4;
  Bench b(config);
  CHECK(!b.run([&] { akrt_sync_all(true, at(40)); }));
  CHECK(contains(b.finding("deadlock"), "5 blocks on 4 cores"));
}

TEST(sync_all_for_cube_cores_hangs_without_them) {
  Bench b(cores(1));
  CHECK(!b.run([&] { akrt_sync_all(false, at(40)); }));
  CHECK(contains(b.finding("deadlock"), "cube cores"));
}

TEST(soft_sync_all_orders_cores_that_zeroed_its_workspace) {
  Bench b(cores(4));
  const Global w = b.argument("w", Role::kWorkspace, 256);
  const Global y = b.argument("y", Role::kOut, 256);
  CHECK(b.run([&] {
    zero(w, 128);
    store_own(y, 1);
    akrt_sync_all_soft(w, kScratch, 0, true, at(40));
    load(kB, own(y, 3 - me()), 64);
    akrt_sync_all_soft(w, kScratch, 0, true, at(41));
  }));
  CHECK_EQ(errors(b), "");
}

TEST(soft_sync_all_needs_zeros_of_every_core) {
  Bench never(cores(2));
  const Global w = never.argument("w", Role::kWorkspace, 256);
  never.run([&] { akrt_sync_all_soft(w, kScratch, 0, true, at(40)); });
  CHECK_EQ(errors(never), "uninitialised-read");

  Bench one(cores(2));
  const Global v = one.argument("v", Role::kWorkspace, 256);
  one.run([&] {
    if (me() == 0) zero(v, 64);
    akrt_sync_all_soft(v, kScratch, 0, true, at(40));
  });
  CHECK_EQ(errors(one), "gm-race");

  Bench other(cores(1));
  const Global u = other.argument("u", Role::kWorkspace, 256);
  other.run([&] {
    store_own(u, 7);
    order(Pipe::MTE3, Pipe::S);
    akrt_sync_all_soft(u, kScratch, 0, true, at(40));
  });
  CHECK_EQ(errors(other), "illegal-argument");
}

TEST(soft_sync_all_checks_the_size_of_its_workspaces) {
  Bench global(cores(4));
  const Global w = global.argument("w", Role::kWorkspace, 96);
  CHECK(!global.run([&] { akrt_sync_all_soft(w, kScratch, 0, true, at(40)); }));
  CHECK_EQ(errors(global), "gm-out-of-bounds");

  Bench local(cores(4));
  const Global v = local.argument("v", Role::kWorkspace, 256);
  local.run([&] {
    zero(v, 128);
    akrt_sync_all_soft(v, ub(8192, 96), 0, true, at(40));
  });
  CHECK_EQ(errors(local), "out-of-bounds");
}

TEST(soft_sync_all_over_some_cores_leaves_the_others_alone) {
  Bench b(cores(4));
  const Global w = b.argument("w", Role::kWorkspace, 256);
  CHECK(b.run([&] {
    if (me() >= 2) return;
    zero(w, 64);
    akrt_sync_all_soft(w, kScratch, 2, true, at(40));
  }));
  CHECK_EQ(errors(b), "");
  Bench outside(cores(4));
  const Global v = outside.argument("v", Role::kWorkspace, 256);
  outside.run([&] {
    zero(v, 64);
    akrt_sync_all_soft(v, kScratch, 2, true, at(40));
  });
  CHECK_EQ(errors(outside), "illegal-argument");
}

TEST(scratch_of_sync_all_holds_nothing_afterwards) {
  Bench b(cores(1));
  const Global w = b.argument("w", Role::kWorkspace, 256);
  b.run([&] {
    zero(w, 32);
    fill(kScratch, 1, 32);
    akrt_sync_all_soft(w, kScratch, 0, true, at(40));
    add(kA, kScratch, kScratch, 32, at(41));
  });
  CHECK_EQ(errors(b), "uninitialised-read");
}

TEST(block_wait_orders_a_core_behind_the_one_that_set) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Bench b(cores(3, seed));
    const Global w = b.argument("w", Role::kWorkspace, 512);
    const Global y = b.argument("y", Role::kOut, 256);
    CHECK(b.run([&] {
      zero(w, 320);
      akrt_sync_all(true, at(39));
      if (me() == 0) {
        store_own(y, 1, at(11));
        akrt_block_set(w, kScratch, 0, 2, true, at(40));
      } else if (me() == 1) {
        akrt_block_wait(w, kScratch, 0, 2, true, at(41));
        load(kB, own(y, 0), 64, at(12));
      }
    }));
    CHECK_EQ(errors(b), "");
  }
}

TEST(block_wait_does_not_order_other_cores) {
  Bench b(cores(3));
  const Global w = b.argument("w", Role::kWorkspace, 512);
  const Global y = b.argument("y", Role::kOut, 256);
  b.run([&] {
    zero(w, 320);
    akrt_sync_all(true, at(39));
    if (me() == 0) {
      store_own(y, 1, at(11));
      akrt_block_set(w, kScratch, 0, 0, true, at(40));
    } else {
      if (me() == 1) akrt_block_wait(w, kScratch, 0, 0, true, at(41));
      load(kB, own(y, 0), 64, at(12));
    }
  });
  CHECK(contains(errors(b), "gm-race"));
}

TEST(order_passes_on_from_core_to_core) {
  Bench b(cores(3));
  const Global w = b.argument("w", Role::kWorkspace, 512);
  const Global y = b.argument("y", Role::kOut, 256);
  CHECK(b.run([&] {
    zero(w, 320);
    akrt_sync_all(true, at(39));
    if (me() == 0) store_own(y, 1, at(11));
    if (me() > 0) akrt_block_wait(w, kScratch, me() - 1, 0, true, at(41));
    if (me() < 2) akrt_block_set(w, kScratch, me(), 0, true, at(40));
    if (me() == 2) load(kB, own(y, 0), 64, at(12));
  }));
  CHECK_EQ(errors(b), "");
}

TEST(block_wait_that_nobody_sets_hangs) {
  Bench b(cores(2));
  const Global w = b.argument("w", Role::kWorkspace, 512);
  CHECK(!b.run([&] {
    zero(w, 256);
    akrt_sync_all(true, at(39));
    if (me() == 0) akrt_block_set(w, kScratch, 0, 1, true, at(40));
    else akrt_block_wait(w, kScratch, 0, 0, true, at(41));
  }));
  const std::string f = b.finding("deadlock");
  CHECK(contains(f, "block 1 waits in IBWait for IBSet number 1 of blockIdx 0, eventID 0"));
  CHECK(contains(f, "\"site\":40"));
}

TEST(cores_take_turns_in_the_order_of_their_indices) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Bench b(cores(3, seed));
    const Global w = b.argument("w", Role::kWorkspace, 512);
    const Global y = b.argument("y", Role::kOut, 64);
    std::string turns;
    CHECK(b.run([&] {
      akrt_order_init(w, kScratch, at(40));
      for (int i = 0; i < 2; ++i) {
        akrt_order_wait(w, kScratch, at(41));
        turns += std::to_string(me());
        fill(kA, static_cast<uint8_t>(me()), 64);
        order(Pipe::V, Pipe::MTE3);
        store(y, kA, 64, at(11));
        akrt_order_notify(w, kScratch, at(42));
      }
    }));
    CHECK_EQ(turns, "012012");
    CHECK_EQ(errors(b), "");
  }
}

TEST(turns_without_initialised_workspace_are_reported) {
  Bench b(cores(1));
  const Global w = b.argument("w", Role::kWorkspace, 512);
  b.run([&] { akrt_order_wait(w, kScratch, at(41)); });
  CHECK_EQ(errors(b), "illegal-argument");
}

TEST(a_flag_of_all_cores_orders_what_its_pipe_was_given) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Bench b(cores(3, seed));
    const Global y = b.argument("y", Role::kOut, 256);
    CHECK(b.run([&] {
      store_own(y, 1, at(11));
      akrt_cross_set(0, static_cast<int32_t>(Pipe::MTE3), 8, at(40));
      akrt_cross_wait(8, at(41));
      load(kB, own(y, (me() + 1) % 3), 64, at(12));
    }));
    CHECK_EQ(b.codes(), "");
  }
}

TEST(a_flag_of_another_pipe_does_not_cover_the_store) {
  Bench b(cores(2));
  const Global y = b.argument("y", Role::kOut, 256);
  b.run([&] {
    store_own(y, 1, at(11));
    akrt_cross_set(0, static_cast<int32_t>(Pipe::V), 8, at(40));
    akrt_cross_wait(8, at(41));
    load(kB, own(y, 1 - me()), 64, at(12));
  });
  CHECK_EQ(errors(b), "gm-race");
}

TEST(a_flag_takes_effect_behind_a_wait_of_its_pipe) {
  Bench b(cores(2));
  const Global y = b.argument("y", Role::kOut, 256);
  CHECK(b.run([&] {
    akrt_wait_flag(event(Pipe::V, Pipe::MTE3), 3, at(30));
    store(own(y, me()), kA, 64, at(11));
    akrt_cross_set(0, static_cast<int32_t>(Pipe::MTE3), 8, at(40));
    fill(kA, 1, 64);
    akrt_set_flag(event(Pipe::V, Pipe::MTE3), 3, at(31));
    akrt_cross_wait(8, at(41));
    load(kB, own(y, 1 - me()), 64, at(12));
  }));
  CHECK_EQ(b.codes(), "");
}

TEST(a_flag_that_one_core_does_not_set_hangs) {
  Bench b(cores(3));
  CHECK(!b.run([&] {
    if (me() != 1) akrt_cross_set(0, static_cast<int32_t>(Pipe::MTE3), 4, at(40));
    akrt_cross_wait(4, at(41));
  }));
  CHECK(contains(b.finding("deadlock"), "wait in CrossCoreWaitFlag for CrossCoreSetFlag of flag 4 of block 1"));
}

TEST(flags_left_set_and_set_too_often_are_reported) {
  Bench left(cores(2));
  left.run([&] { akrt_cross_set(0, static_cast<int32_t>(Pipe::MTE3), 4, at(40)); });
  CHECK_EQ(left.codes(), "flag-left-set");

  Bench often(cores(1));
  often.run([&] {
    for (int i = 0; i < 16; ++i) akrt_cross_set(0, static_cast<int32_t>(Pipe::MTE3), 4, at(40));
    for (int i = 0; i < 16; ++i) akrt_cross_wait(4, at(41));
  });
  CHECK_EQ(often.codes(), "cross-core-flag");

  Bench range(cores(1));
  range.run([&] { akrt_cross_set(0, static_cast<int32_t>(Pipe::MTE3), 16, at(40)); });
  CHECK_EQ(range.codes(), "cross-core-flag");
}

TEST(flags_of_sync_all_are_taken) {
  Bench b(cores(1));
  b.run([&] {
    akrt_sync_all(true, at(39));
    akrt_cross_set(0, static_cast<int32_t>(Pipe::MTE3), 11, at(40));
    akrt_cross_wait(11, at(41));
  });
  CHECK_EQ(b.codes(), "cross-core-flag");
}

TEST(a_scalar_store_needs_a_flush_and_a_barrier) {
  for (const bool flushed : {true, false}) {
    Bench b(cores(2));
    const Global y = b.argument("y", Role::kOut, 128);
    b.run([&] {
      if (me() == 0) {
        akrt_global_set(y, 0, 4, 5, "SetValue", at(11));
        if (flushed) akrt_dcache_clean(y.addr, false, at(12));
      }
      akrt_sync_all(true, at(40));
      if (me() == 1) akrt_global_get(y, 0, 4, "GetValue", at(13));
    });
    CHECK_EQ(contains(errors(b), "dcache-not-flushed"), !flushed);
    if (flushed) CHECK_EQ(errors(b), "");
  }
}

TEST(a_line_taken_in_before_another_core_stored_is_stale) {
  for (const bool invalidated : {true, false}) {
    Bench b(cores(2));
    const Global x = b.argument("x", Role::kOut, 256);
    b.run([&] {
      store_own(x, 1, at(11));
      akrt_sync_all(true, at(40));
      if (me() == 1) akrt_global_get(x, 0, 4, "GetValue", at(13));
      akrt_sync_all(true, at(41));
      if (me() == 0) store_own(x, 2, at(12));
      akrt_sync_all(true, at(42));
      if (me() == 1) {
        if (invalidated) akrt_dcache_clean(x.addr, false, at(14));
        akrt_global_get(x, 0, 4, "GetValue", at(15));
      }
    });
    CHECK_EQ(errors(b), invalidated ? "" : "dcache-stale");
  }
}

TEST(a_line_may_change_hands_once_it_is_written_back) {
  for (const bool flushed : {true, false}) {
    Bench b(cores(2));
    const Global y = b.argument("y", Role::kOut, 64);
    b.run([&] {
      for (int32_t turn = 0; turn < 2; ++turn) {
        if (me() == turn) {
          akrt_global_set(y, turn * 4, 4, 5, "SetValue", at(11));
          if (flushed) akrt_dcache_clean(y.addr, false, at(12));
        }
        akrt_sync_all(true, at(40));
      }
    });
    CHECK_EQ(contains(errors(b), "dcache-false-sharing"), !flushed);
    if (flushed) CHECK_EQ(errors(b), "");
  }
}

TEST(who_reads_an_atomic_sum_has_to_wait_for_every_core) {
  // Cores 0 and 1 add; core 2 waits for one of them only, or for both.
  for (const bool both : {true, false}) {
    Bench b(cores(3));
    const Global w = b.argument("w", Role::kWorkspace, 512);
    const Global y = b.argument("y", Role::kOut, 64);
    const auto add_to_y = [&] {
      akrt::Instr i(Pipe::MTE3, "DataCopy", at(11));
      akrt::Access a = akrt::contiguous(y, 64);
      a.atomic = true;
      i.reads(akrt::contiguous(kA, 64));
      i.writes(a);
      i.run([](akrt::Machine&, const int&) {}, 0);
      akrt::Machine::current().issue(i);
    };
    b.run([&] {
      zero(w, 320);
      if (me() == 0) {
        fill(kA, 0, 64);
        order(Pipe::V, Pipe::MTE3);
        store(y, kA, 64, at(10));
      }
      akrt_sync_all(true, at(39));
      if (me() < 2) {
        fill(kA, 1, 64);
        order(Pipe::V, Pipe::MTE3);
        add_to_y();
        akrt_block_set(w, kScratch, me(), 0, true, at(40));
      } else {
        if (both) akrt_block_wait(w, kScratch, 0, 0, true, at(41));
        akrt_block_wait(w, kScratch, 1, 0, true, at(42));
        load(kB, y, 64, at(12));
      }
    });
    CHECK_EQ(errors(b), both ? "" : "gm-race");
  }
}

TEST(all_cores_wait_for_the_last_to_come) {
  Bench b(cores(2));
  double begin[2] = {};
  double end[2] = {};
  b.run([&] {
    if (me() == 1) akrt_scalar_cycles(5000);
    begin[me()] = akrt::Machine::current().core().clock().scalar_now();
    akrt_sync_all(true, at(40));
    end[me()] = akrt::Machine::current().core().clock().scalar_now();
  });
  CHECK_EQ(end[0], begin[1] + 500);  // 0.5 us at 1 GHz
  CHECK_EQ(end[1], end[0]);
}

TEST(trace_names_signals_between_cores) {
  Bench b(cores(2));
  std::vector<std::string> lines;
  b.launch().keep_trace([&](std::string_view line) { lines.emplace_back(line); });
  b.run([&] {
    akrt_sync_all(true, at(40));
    akrt_cross_set(0, static_cast<int32_t>(Pipe::MTE3), 8, at(41));
    akrt_cross_wait(8, at(42));
  });
  const auto has = [&](const std::string& text) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return contains(line, text); });
  };
  CHECK(has(R"({"t":"signal","core":1,"api":"SyncAll","site":39,"pipe":"S","signal":"SyncAll #1 of 1","to":[]})"));
  CHECK(has(R"({"t":"await","core":0,"api":"SyncAll","site":39,"signals":["SyncAll #1 of 0","SyncAll #1 of 1"]})"));
  CHECK(has(R"("api":"CrossCoreSetFlag","site":40,"pipe":"MTE3","signal":"flag 8 #1 of 0","to":[0,1]})"));
  CHECK(has(R"("api":"CrossCoreWaitFlag","site":41,"signals":["flag 8 #1 of 0","flag 8 #1 of 1"]})"));
}

TEST(cores_hold_their_own_pipes_and_registers_over_a_switch) {
  Bench b(cores(3));
  std::string seen;
  b.run([&] {
    akrt_set_mask(0, static_cast<uint64_t>(100 + me()));
    akrt_slot_set(kAkrtSlotUser, reinterpret_cast<void*>(static_cast<uint64_t>(me() + 1)));
    akrt_sync_all(true, at(40));
    if (akrt_get_mask(0) != static_cast<uint64_t>(100 + me())) seen += "mask";
    if (akrt_slot_get(kAkrtSlotUser) != reinterpret_cast<void*>(static_cast<uint64_t>(me() + 1))) seen += "slot";
  });
  CHECK_EQ(seen, "");
}
