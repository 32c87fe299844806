// What an access may be: places, alignment, extents, permissions, undefined bytes. And the scalar data cache.
#include "bench.h"

#include "access.h"

using namespace bench;
using akrt::Access;
using akrt::Role;

namespace {

const Local kA = ub(0, 256);
const Local kB = ub(1024, 256);

std::vector<std::pair<uint64_t, uint64_t>> runs(const Access& a) {
  std::vector<std::pair<uint64_t, uint64_t>> out;
  akrt::for_each_run(a, [&](uint64_t b, uint64_t e) { out.emplace_back(b, e); });
  return out;
}

// One vector instruction that only reads.
void look(const Access& a, Site site = at(5)) {
  akrt::Instr i(Pipe::V, "Look", site);
  i.reads(a);
  akrt::Machine::current().issue(i);
}

}  // namespace

TEST(adjoining_pieces_are_one_run) {
  CHECK_EQ(runs(akrt::strided(kA, 32, 8, 32, 1, 0)).size(), 1u);
  CHECK_EQ(runs(akrt::strided(ub(0, 65536), 32, 8, 32, 4, 256)).size(), 1u);
  CHECK_EQ(runs(akrt::strided(ub(0, 65536), 32, 8, 64, 4, 512)).size(), 32u);
}

TEST(runs_follow_strides) {
  const auto r = runs(akrt::strided(ub(64, 65536), 20, 2, 100, 2, 1000));
  CHECK_EQ(r.size(), 4u);
  CHECK_EQ(r[1].first, 164u);
  CHECK_EQ(r[2].first, 1064u);
  CHECK_EQ(r[3].second, 1184u);
}

TEST(lanes_cut_runs) {
  // float: lanes 0..9 and 16 of each repeat.
  Access a = akrt::strided(ub(0, 4096), 32, 8, 64, 2, 1024);
  a.masked(0, 0x103ff, 4);
  const auto r = runs(a);
  CHECK_EQ(r.size(), 6u);
  CHECK_EQ(r[0].second, 32u);
  CHECK_EQ(r[1].first, 64u);
  CHECK_EQ(r[1].second, 72u);
  CHECK_EQ(r[2].first, 128u);
  CHECK_EQ(r[5].first, 1152u);
  const akrt::Span span = akrt::bounds(a);
  CHECK_EQ(span.begin, 0u);
  CHECK_EQ(span.end, 1024u + 132u);
}

TEST(lanes_agree_with_a_bit_by_bit_walk) {
  // Pieces of any length, lanes of any pattern: the bytes that runs cover are those whose lane is enabled.
  for (uint32_t piece_lanes : {1u, 5u, 8u, 16u, 24u, 64u, 100u, 128u}) {
    const uint64_t patterns[][2] = {{~0ull, ~0ull}, {0x8000000000000001, 0x3}, {0xf0f0, 0}, {0, 1ull << 63}};
    for (const auto& pattern : patterns) {
      Access a = akrt::strided(ub(0, 65536), piece_lanes * 2, 4, 512);
      a.masked(pattern[1], pattern[0], 2);
      std::string walked(4 * 512, '.');
      std::string expected = walked;
      for (const auto& [b, e] : runs(a)) std::fill(walked.begin() + static_cast<long>(b), walked.begin() + static_cast<long>(e), 'x');
      for (uint32_t block = 0; block < 4; ++block) {
        for (uint32_t i = 0; i < piece_lanes; ++i) {
          const uint32_t lane = block * piece_lanes + i;
          if (lane < 128 && (pattern[lane / 64] >> (lane % 64) & 1) != 0)
            expected[block * 512 + i * 2] = expected[block * 512 + i * 2 + 1] = 'x';
        }
      }
      CHECK_EQ(walked, expected);
    }
  }
}

TEST(no_lane_is_no_access) {
  Access a = akrt::strided(kA, 32, 8, 32);
  a.masked(0, 0, 4);
  CHECK(akrt::bounds(a).empty());
  CHECK_EQ(runs(a).size(), 0u);
}

TEST(misaligned_operand_is_reported_unless_relaxed) {
  Bench b;
  b.run([&] {
    fill(kA, 0, 256);
    look(akrt::contiguous(part(kA, 4, 32), 32).aligned(4));
    look(akrt::contiguous(part(kA, 4, 32), 32));
  });
  CHECK_EQ(b.codes(), "misaligned-address");
  CHECK(contains(b.finding("misaligned-address"), "\"address\":4,\"alignment\":32"));
}

TEST(access_beyond_the_tensor_is_reported) {
  Bench b;
  b.run([&] {
    fill(ub(0, 512), 0, 512);
    look(akrt::contiguous(kA, 288));
  });
  CHECK_EQ(b.codes(), "out-of-bounds");
  CHECK(contains(b.finding("out-of-bounds"), "\"begin\":0,\"end\":288,\"bytes\":256"));
}

TEST(access_beyond_ub_is_fatal) {
  Bench b;
  CHECK(!b.run([&] { fill(ub(196608 - 32, 32), 0, 64); }));
  CHECK(contains(b.finding("out-of-bounds"), "\"gravity\":\"fatal\""));
}

TEST(access_beyond_an_argument_is_fatal) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 100);
  CHECK(!b.run([&] { load(kA, {x.addr, 0, x.dtype}, 128, at(8)); }));
  const std::string f = b.finding("gm-out-of-bounds");
  CHECK(contains(f, "bytes [0, 128) of x, which has 100 bytes"));
}

TEST(access_past_the_end_names_the_argument_before_it) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 128);
  b.run([&] {
    Access a = akrt::contiguous(Global{x.addr, 128, x.dtype}, 32);
    a.base += 160;
    akrt::Instr i(Pipe::MTE2, "DataCopy", at(4));
    i.reads(a);
    akrt::Machine::current().issue(i);
  });
  CHECK(contains(b.finding("gm-out-of-bounds"), "bytes [160, 192) of x"));
}

TEST(access_outside_all_arguments_is_fatal) {
  Bench b;
  b.argument("x", Role::kIn, 100);
  CHECK(!b.run([&] { load(kA, {64, 0, akrt::DType::kUint8}, 32); }));
  CHECK(contains(b.finding("gm-out-of-bounds"), "belongs to no kernel argument"));
}

TEST(access_beyond_a_global_tensor_inside_its_argument_is_a_remark) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 256);
  b.run([&] { load(kA, {x.addr, 64, x.dtype}, 128); });
  CHECK_EQ(b.codes(), "out-of-bounds");
  CHECK(contains(b.finding("out-of-bounds"), "\"gravity\":\"note\""));
}

TEST(inputs_and_tiling_are_read_only) {
  for (const Role role : {Role::kIn, Role::kTiling}) {
    Bench b;
    const Global x = b.argument("x", role, 256);
    CHECK(!b.run([&] {
      fill(kA, 1, 32);
      order(Pipe::V, Pipe::MTE3);
      store(x, kA, 32);
    }));
    CHECK_EQ(b.codes(), "gm-read-only");
  }
}

TEST(vector_instruction_on_global_memory_is_fatal) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 256);
  CHECK(!b.run([&] { look(akrt::contiguous(x, 32)); }));
  CHECK_EQ(b.codes(), "illegal-position");
}

TEST(vector_instruction_on_l1_is_fatal) {
  Bench b;
  CHECK(!b.run([&] { fill({0, 64, static_cast<uint8_t>(akrt::Position::A1), akrt::DType::kUint8}, 0, 32); }));
  CHECK(contains(b.finding("illegal-position"), "cannot write L1"));
}

TEST(operand_that_nothing_wrote_is_an_error) {
  Bench b;
  b.run([&] { add(kB, kA, kA, 256, at(6)); });
  CHECK_EQ(b.codes(), "uninitialised-read");
  CHECK(contains(b.finding("uninitialised-read"), "\"gravity\":\"error\""));
}

TEST(vector_instruction_over_an_unwritten_tail_is_a_remark) {
  Bench b;
  const Global x = b.argument("x", Role::kIn, 256);
  b.run([&] {
    load(kA, x, 100);
    order(Pipe::MTE2, Pipe::V);
    add(kB, kA, kA, 256, at(6));
  });
  CHECK_EQ(b.codes(), "uninitialised-read");
  CHECK(contains(b.finding("uninitialised-read"), "\"gravity\":\"note\""));
  CHECK(contains(b.finding("uninitialised-read"), "reads 156 of 256 bytes"));
}

TEST(storing_undefined_bytes_is_an_error) {
  Bench b;
  const Global y = b.argument("y", Role::kOut, 256);
  b.run([&] {
    fill(kA, 1, 32);
    order(Pipe::V, Pipe::MTE3);
    store(y, kA, 64);
  });
  CHECK(contains(b.finding("uninitialised-read"), "\"gravity\":\"error\""));
}

TEST(reading_an_output_before_it_is_written_is_an_error) {
  Bench b;
  const Global w = b.argument("w", Role::kWorkspace, 256);
  b.run([&] { load(kA, w, 64); });
  CHECK_EQ(b.codes(), "uninitialised-read");
}

TEST(unchecked_access_may_read_undefined_bytes) {
  Bench b;
  b.run([&] { look(akrt::contiguous(kA, 64).unchecked()); });
  CHECK_EQ(b.codes(), "");
}

TEST(every_core_starts_with_fresh_poisoned_ub) {
  akrt::LaunchConfig config;
  config.blocks = 2;
  Bench b(config);
  b.run([&] {
    const uint8_t* memory = akrt_memory(static_cast<uint8_t>(akrt::Space::UB));
    CHECK_EQ(int{memory[0]}, 0xAB);
    CHECK_EQ(int{memory[1]}, 0xFF);
    if (akrt_block_idx() == 0) fill(kA, 1, 256);
    if (akrt_block_idx() == 1) look(akrt::contiguous(kA, 32));
  });
  CHECK_EQ(b.codes(), "uninitialised-read");
}

TEST(touch_declares_what_only_the_data_know) {
  Bench b;
  b.run([&] {
    akrt::Instr i(Pipe::V, "Gather", at(5));
    i.run(
        [](akrt::Machine& m, const Local& t) {
          CHECK(m.touch(akrt::contiguous(t, 32)));
          m.touch(akrt::contiguous(ub(400000, 32), 32));
        },
        kA);
    akrt::Machine::current().issue(i);
  });
  CHECK_EQ(b.codes(), "uninitialised-read out-of-bounds");
}

TEST(unwritten_outputs_are_counted_at_the_end) {
  Bench b;
  const Global y = b.argument("y", Role::kOut, 256);
  b.run([&] {
    fill(kA, 1, 96);
    order(Pipe::V, Pipe::MTE3);
    store(y, kA, 96);
    reinterpret_cast<uint8_t*>(y.addr)[200] = 1;  // a raw pointer store, which no observer sees
  });
  b.launch().finish();
  CHECK_EQ(b.lines().front(), "{\"t\":\"unwritten\",\"name\":\"y\",\"elements_bytes\":152}");
  CHECK_EQ(b.codes(), "raw-gm-store");
  CHECK(contains(b.lines()[1], "{\"bytes\":8}"));
  CHECK(contains(b.lines()[1], "Values of y were stored through a raw pointer"));
  CHECK(contains(b.lines().back(), "{\"t\":\"end\",\"completed\":true,\"instructions\":"));
}

TEST(scalar_store_reaches_global_memory_when_its_line_is_cleaned) {
  Bench b;
  const Global y = b.argument("y", Role::kOut, 256);
  const auto* memory = reinterpret_cast<const uint8_t*>(y.addr);
  b.run([&] {
    akrt_global_set(y, 64, 4, 0x04030201, "SetValue", at(3));
    CHECK_EQ(int{memory[64]}, 0xAB);
    CHECK_EQ(akrt_global_get(y, 64, 4, "GetValue", at(4)), 0x04030201u);
    akrt_dcache_clean(y.addr + 64, false, at(5));
    CHECK_EQ(int{memory[65]}, 2);
    akrt_global_set(y, 128, 4, 0x0d0c0b0a, "SetValue", at(6));
  });
  CHECK_EQ(int{memory[128]}, 0x0a);  // the end of the kernel cleans
}

TEST(load_of_an_uncleaned_scalar_store_is_reported) {
  for (const bool clean : {false, true}) {
    Bench b;
    const Global w = b.argument("w", Role::kWorkspace, 64);
    b.run([&] {
      for (int i = 0; i < 16; ++i) akrt_global_set(w, i * 4, 4, 1, "SetValue", at(3));
      if (clean) akrt_dcache_clean(w.addr, true, at(5));
      load(kA, w, 64, at(6));
    });
    CHECK_EQ(b.codes(), clean ? "" : "dcache-not-flushed uninitialised-read");
    if (!clean) CHECK(contains(b.finding("dcache-not-flushed"), "\"site\":5"));
  }
}

TEST(cores_that_share_a_cache_line_are_reported) {
  akrt::LaunchConfig config;
  config.blocks = 2;
  Bench b(config);
  const Global y = b.argument("y", Role::kOut, 128);
  b.run([&] { akrt_global_set(y, akrt_block_idx() * 4, 4, 1, "SetValue", at(3)); });
  CHECK_EQ(b.codes(), "dcache-false-sharing");
}

TEST(cores_that_store_the_same_flag_to_a_line_are_only_remarked) {
  for (const int other : {0, 1}) {  // the second core stores another value
    akrt::LaunchConfig config;
    config.blocks = 2;
    Bench b(config);
    const Global y = b.argument("y", Role::kOut, 64);
    b.run([&] { akrt_global_set(y, 0, 4, 1 + akrt_block_idx() * other, "SetValue", at(3)); });
    for (const char* code : {"dcache-false-sharing", "gm-race"})
      CHECK(contains(b.finding(code), other == 0 ? "\"gravity\":\"note\"" : "\"gravity\":\"error\""));
  }
}

TEST(tiling_is_copied_by_scalar_loads) {
  Bench b;
  const Global t = b.argument("tiling", Role::kTiling, 32);
  b.run([&] {
    uint8_t copy[32];
    akrt_copy_tiling(copy, reinterpret_cast<const void*>(t.addr), 32, at(3));
    CHECK_EQ(int{copy[31]}, 31);
  });
  CHECK_EQ(b.codes(), "");
}

TEST(unsupported_api_and_failed_assert_are_fatal) {
  Bench b;
  CHECK(!b.run([&] { akrt_unsupported("Mmad", at(7)); }));
  CHECK(!b.run([&] { akrt_assert_failed("n > 0", nullptr, nullptr, 0, at(8)); }));
  CHECK_EQ(b.codes(), "unsupported-api assert-failed");
}
