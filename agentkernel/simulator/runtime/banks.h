// Conflicts of a vector instruction over the banks of UB (arch 2201).
//
// UB is 48 banks of 32-byte rows: consecutive rows walk 16 bank groups, and every 64 KiB another of the three banks of
// each group begins. A group serves one row a cycle. What one repeat reads is served together with what the repeat
// before it writes: the result of a repeat leaves one repeat later.
#pragma once

namespace akrt {

struct Instr;

// Cycles that the rows of all repeats take; a full-rate instruction without conflicts takes one a repeat. 0 for an
// instruction that is not on UB.
double bank_cycles(const Instr& instr);

}  // namespace akrt
