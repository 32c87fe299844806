// What ends host code early: signals and exceptions, recorded with the places in the object that led there.
#pragma once
#include <cstdint>
#include <vector>

#include "records.h"

namespace akhost {

struct ObjectRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Installs the handlers; from then on a signal writes a `crash` record and ends the process. The stack is
// looked through up to `stack_top`.
void catch_crashes(const Records& records, uint64_t stack_top);

// Which addresses are the object's, and what of it runs: `loading`, `definition`, `tiling_parse`, `tiling`, ...
void set_object(ObjectRange range);
void set_stage(const char* stage);
const char* stage();

// Called at every throw: the stack of a throw is gone when the exception is caught.
void note_throw();
// Offsets in the object of the last throw's callers, innermost first.
std::vector<uint64_t> sites_of_last_throw();

}  // namespace akhost
