// Reads a launch file (PROTOCOL.md).
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "launch.h"

namespace akrt {

// The runner cannot do its work: bad launch file, file that cannot be opened. Not the candidate's fault.
class RunnerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct GmArgument {
  std::string name;
  Role role;
  uint64_t bytes;
  std::string path;  // "-" for a workspace
};

struct Limits {
  uint64_t cpu_seconds = 0;  // 0: none
  uint64_t memory_bytes = 0;
  uint64_t file_bytes = 1 << 30;
};

struct LaunchFile {
  std::string object;
  std::string launcher;
  std::string records;
  std::string timeline;  // empty: none
  std::string trace;     // empty: none
  LaunchConfig config;
  Params params;
  Limits limits;
  std::vector<GmArgument> arguments;
};

// Throws RunnerError that names the line.
LaunchFile read_launch_file(const std::string& path);

}  // namespace akrt
