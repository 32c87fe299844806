// Bank conflicts: 16 groups that serve one 32-byte row a cycle, three banks of 64 KiB layers in each.
#include "banks.h"

#include "bench.h"

using akrt::bank_cycles;
using akrt::Instr;
using bench::at;
using bench::Pipe;
using bench::ub;

namespace {

constexpr uint32_t kRepeats = 64;
constexpr uint64_t kBytes = 256 * kRepeats;

// Two sources and a destination of 64 whole repeats.
double add(uint32_t dst, uint32_t src0, uint32_t src1) {
  Instr i(Pipe::V, "Add", at(1));
  i.reads(akrt::contiguous(ub(src0, kBytes), kBytes));
  i.reads(akrt::contiguous(ub(src1, kBytes), kBytes));
  i.writes(akrt::contiguous(ub(dst, kBytes), kBytes));
  return bank_cycles(i);
}

double strided(uint32_t block_rows, uint32_t repeat_rows) {
  Instr i(Pipe::V, "Adds", at(1));
  i.reads(akrt::strided(ub(0, 65536), 32, 8, block_rows * 32, kRepeats, repeat_rows * 32));
  i.writes(akrt::contiguous(ub(131072, kBytes), kBytes));
  return bank_cycles(i);
}

}  // namespace

TEST(operands_in_different_groups_take_a_cycle_a_repeat) { CHECK_EQ(add(131072, 256, 65536), 64.0); }

TEST(sources_in_one_group_take_turns) {
  CHECK_EQ(add(131072, 0, 65536), 128.0);         // the same group, another bank
  CHECK_EQ(add(131072, 0, 16384), 128.0);         // the same bank
  CHECK_EQ(add(131072, 0, 65536 + 32), 128.0);    // most rows of the repeat meet
}

TEST(one_source_twice_is_read_once) { CHECK_EQ(add(131072, 0, 0), 64.0); }

TEST(a_result_in_place_comes_one_repeat_later_and_meets_nothing) {
  CHECK_EQ(add(65536, 256, 65536), 64.0);
  CHECK_EQ(add(24576, 0, 65536 + 256), 64.0);
}

TEST(a_result_one_block_off_meets_the_reads_of_the_next_repeat) {
  CHECK_EQ(add(24576 + 32, 0, 65536 + 256), 127.0);  // all but the first repeat
}

TEST(a_result_in_another_bank_of_the_group_meets_nothing) { CHECK_EQ(add(131072 + 32, 0, 65536 + 256), 64.0); }

TEST(block_strides_over_few_groups_are_served_row_by_row) {
  CHECK_EQ(strided(16, 1), 8.0 * kRepeats);
  CHECK_EQ(strided(8, 1), 4.0 * kRepeats);
  CHECK_EQ(strided(17, 1), 1.0 * kRepeats);  // padded by a block
}

TEST(a_block_stride_of_zero_reads_one_row) { CHECK_EQ(strided(0, 8), 1.0 * kRepeats); }

TEST(instructions_without_local_operands_have_no_banks) {
  Instr i(Pipe::V, "SetMask", at(1));
  CHECK_EQ(bank_cycles(i), 0.0);
}
