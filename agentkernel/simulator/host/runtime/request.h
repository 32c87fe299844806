// Reads a request: what to load, what to do with it, for which chip and which call.
#pragma once
#include <string>
#include <vector>

#include "call.h"

namespace akhost {

struct Request {
  std::string object;
  std::string records;
  std::string printed;
  std::string action;  // describe, tiling, infer_shape, infer_dtype
  std::string op;
  std::vector<GivenParameter> inputs, outputs;
  std::vector<GivenAttribute> attributes;
  size_t tiling_capacity = 8192;
  int deterministic = 0;
  uint64_t cpu_seconds = 0, memory_bytes = 0, file_bytes = 1 << 26;
};

// Sets the process's platform as it goes. Throws std::runtime_error that names the line.
Request read_request(const std::string& path);

}  // namespace akhost
