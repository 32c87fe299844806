// What the process of a candidate may still do: resource limits and two system call filters.
//
// The first filter is installed before the candidate's object is loaded, because loading may run its initialisers: it
// leaves what the dynamic loader needs (reading files, mapping them). The second, before the kernel runs, leaves only
// memory, time, signals and writing to the record files.
#pragma once
#include "launch_file.h"

namespace akrt {

// Throws RunnerError when the kernel of the host refuses.
void apply_limits(const Limits& limits);

// A forbidden call raises SIGSYS, which crash.cpp turns into the finding `forbidden-syscall`.
void allow_loading();
void allow_running();

// Name of a system call of this machine for messages, or "system call N".
const char* syscall_name(int number);

}  // namespace akrt
