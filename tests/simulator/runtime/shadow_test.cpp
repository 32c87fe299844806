// The shadow is byte-precise, and pages of one history stay whole.
#include <map>
#include <random>

#include "check.h"
#include "shadow.h"

namespace {

akrt::Stamp stamp(uint32_t tick, uint8_t pipe = 1, uint16_t core = 0) {
  akrt::Stamp s;
  s.tick = tick, s.pipe = pipe, s.core = core;
  return s;
}

size_t cells(akrt::Shadow& shadow, uint64_t begin, uint64_t end) {
  size_t n = 0;
  shadow.visit(begin, end, [&](akrt::Cell&, uint64_t, uint64_t) { ++n; });
  return n;
}

}  // namespace

TEST(shadow_agrees_with_a_byte_map) {
  constexpr uint64_t kBytes = 5000;  // not a multiple of the page
  akrt::Shadow shadow(kBytes, 1024);
  std::map<uint64_t, uint32_t> bytes;
  std::mt19937 random(7);
  for (uint32_t tick = 1; tick < 2000; ++tick) {
    const uint64_t begin = random() % kBytes;
    const uint64_t end = std::min<uint64_t>(kBytes, begin + 1 + random() % (tick % 3 == 0 ? 3000 : 40));
    uint64_t seen = begin;
    shadow.visit(begin, end, [&](akrt::Cell& c, uint64_t b, uint64_t e) {
      CHECK_EQ(b, seen);
      seen = e;
      for (uint64_t i = b; i < e; ++i) CHECK_EQ(c.writer.tick, bytes[i]);
      c.written_by(stamp(tick));
    });
    CHECK_EQ(seen, end);
    for (uint64_t i = begin; i < end; ++i) bytes[i] = tick;
  }
}

TEST(equal_neighbours_melt) {
  akrt::Shadow shadow(4096, 1024);
  for (uint64_t i = 0; i < 1024; i += 32)
    shadow.visit(i, i + 32, [&](akrt::Cell& c, uint64_t, uint64_t) { c.written_by(stamp(1)); });
  CHECK_EQ(cells(shadow, 0, 1024), 1u);
  shadow.visit(100, 200, [&](akrt::Cell& c, uint64_t, uint64_t) { c.written_by(stamp(2)); });
  CHECK_EQ(cells(shadow, 0, 1024), 3u);
  CHECK_EQ(cells(shadow, 0, 4096), 6u);
}

TEST(reset_forgets) {
  akrt::Shadow shadow(2048, 1024);
  shadow.visit(10, 1500, [&](akrt::Cell& c, uint64_t, uint64_t) { c.written_by(stamp(1)); });
  shadow.reset();
  shadow.visit(0, 2048, [&](akrt::Cell& c, uint64_t, uint64_t) { CHECK_EQ(c.writer.tick, 0u); });
}

TEST(readers_are_kept_one_per_pipe_and_core) {
  akrt::Cell c;
  const auto unordered = [](const akrt::Stamp&) { return false; };
  c.read_by(stamp(1, 1), unordered);
  c.read_by(stamp(2, 1), unordered);
  c.read_by(stamp(1, 5), unordered);
  CHECK_EQ(c.readers[0].tick, 2u);
  CHECK_EQ(int{c.readers[1].pipe}, 5);
  CHECK_EQ(c.readers[2].tick, 0u);
  for (uint16_t core = 1; core < 9; ++core) c.read_by(stamp(1, 4, core), unordered);
  bool other_than_0 = false;
  bool other_than_8 = false;
  for (const akrt::Stamp& r : c.readers) {
    other_than_0 = other_than_0 || r.core != 0;
    other_than_8 = other_than_8 || r.core != 8;
  }
  CHECK(other_than_0 && other_than_8);
}

TEST(a_reader_takes_the_place_of_one_that_it_comes_after) {
  akrt::Cell c;
  const auto unordered = [](const akrt::Stamp&) { return false; };
  for (uint16_t core = 0; core < 3; ++core) c.read_by(stamp(1, 4, core), unordered);
  c.read_by(stamp(1, 4, 7), [](const akrt::Stamp& r) { return r.core == 1; });
  CHECK_EQ(c.readers[0].core, 0);
  CHECK_EQ(c.readers[1].core, 7);
  CHECK_EQ(c.readers[2].core, 2);
}
