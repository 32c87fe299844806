// What ran when, and why not earlier: the events of a Chrome trace.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "machine.h"

namespace akrt {

class SiteMap;

// Why an instruction started when it did and not when its pipe became free.
enum class Held : uint8_t {
  kNot,      // it did not wait
  kIssue,    // the scalar program had not reached it
  kFlag,     // for a flag that another pipe set
  kBarrier,  // for its own pipe, or for all
  kResult,   // for the result of the reduction that it reads
  kCores,    // for other cores
};

struct Cause {
  Held held = Held::kNot;
  Pipe on = Pipe::S;           // pipe that it waited for
  const char* api = "";        // call that waited, static string
  Site site = nullptr;
};

// All times in cycles since the block began.
struct TimelineEvent {
  const char* api;
  Site site;
  int32_t block;
  Pipe pipe;
  bool waiting;     // the scalar program waits; nothing runs
  double start;
  double cycles;    // that the pipe is occupied
  double work;      // of these: bytes at full rate, elements at full rate
  double conflict;  // of these: bank conflicts
  uint64_t bytes;
  double waited;    // since the pipe was free
  Cause cause;
};

// What the reader of a trace needs beside the events; microseconds.
struct TimelineHead {
  double clock_mhz;
  double kernel_us;
  double launch_us;
  double memory_us;  // the launch's bytes at the chip's memory bandwidth
  double mte_issue_us;
  double mte_latency_us;
  int32_t running_cores;
  bool complete;     // no event was dropped
  std::vector<std::string> names{};  // of physical cores
  std::vector<int32_t> physical{};   // by core of the launch
};

// `begins`: cycles at which each block began on its core.
std::string timeline_json(const TimelineHead& head, const std::vector<TimelineEvent>& events,
                          const std::vector<double>& begins, const SiteMap& sites);

}  // namespace akrt
