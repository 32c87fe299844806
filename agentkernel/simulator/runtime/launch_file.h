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

// How an argument, or a tensor of a list, comes by its address.
enum class Form : uint8_t {
  kMemory,  // of its own
  kNull,    // null
  kAlias,   // that of an earlier one
  kList     // a block that lists tensors
};

struct GmArgument {
  std::string name;
  Form form = Form::kMemory;
  Role role = Role::kIn;
  uint64_t bytes = 0;
  std::string path;  // "-" for a workspace; of an alias the name of the other
  std::vector<int64_t> dims;        // of a tensor in a list
  std::vector<GmArgument> members;  // of a list
};

struct Limits {
  uint64_t cpu_seconds = 0;  // 0: none
  uint64_t memory_bytes = 0;
  uint64_t file_bytes = 1 << 30;
};

struct LaunchFile {
  std::string object;       // what vector cores run; empty where there are none
  std::string cube_object;  // what cube cores run
  std::string launcher;
  std::string records;
  std::string timeline;  // empty: none
  std::string trace;     // empty: none
  bool sealed = false;   // the runtime's memory is read-only while the candidate's code runs
  int ready = -1;        // descriptor on which a byte comes when all outputs hold their poison; -1: they do
  LaunchConfig config;
  Params params;
  Limits limits;
  std::vector<GmArgument> arguments;
  int64_t user_workspace = -1;  // offset of the kernel's part of the workspace; -1: the kernel gets all of it
};

// Throws RunnerError that names the line.
LaunchFile read_launch_file(const std::string& path);

}  // namespace akrt
