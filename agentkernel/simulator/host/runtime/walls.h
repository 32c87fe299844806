// What the process of host code may still do.
#pragma once
#include <cstdint>

namespace akhost {

// Resource limits of this process; 0: none. Throws std::runtime_error.
void apply_limits(uint64_t cpu_seconds, uint64_t memory_bytes, uint64_t file_bytes);

// From here on: memory, time, signals, writing to what is open; and reading files, while the object is loaded.
void allow_loading();
// The same without files.
void allow_running();

const char* syscall_name(int number);

}  // namespace akhost
