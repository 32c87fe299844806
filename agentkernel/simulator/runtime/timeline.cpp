#include "timeline.h"

#include <cstdio>
#include <set>
#include <utility>

#include "clock.h"
#include "findings.h"
#include "json.h"

namespace akrt {

namespace {

const char* held_name(Held held) {
  static constexpr const char* kNames[] = {"", "issue", "flag", "barrier", "result", "cores"};
  return kNames[static_cast<size_t>(held)];
}

// Times of long kernels need more digits than records do.
std::string exact(double value) {
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.10g", value);
  return digits;
}

std::string args_of(const TimelineEvent& e, double clock_mhz, const SiteMap& sites) {
  JsonObject args;
  args.number("block", e.block).number("site", sites.offset(e.site));
  if (e.bytes != 0) args.number("bytes", static_cast<int64_t>(e.bytes));
  if (e.pipe != Pipe::S) args.real("work", e.work / clock_mhz);
  if (e.conflict > 0) args.real("conflict", e.conflict / clock_mhz);
  if (e.cause.held != Held::kNot) {
    if (!e.waiting) args.real("waited", e.waited / clock_mhz);
    args.text("held", held_name(e.cause.held)).text("on", pipe_name(e.cause.on));
    if (e.cause.site != nullptr) args.text("held_api", e.cause.api).number("held_site", sites.offset(e.cause.site));
  }
  return args.str();
}

}  // namespace

std::string timeline_json(const TimelineHead& head, const std::vector<TimelineEvent>& events,
                          const std::vector<double>& begins, const SiteMap& sites) {
  JsonObject other;
  other.text("provenance", "simulated").real("clock_mhz", head.clock_mhz).real("kernel_us", head.kernel_us);
  other.real("launch_us", head.launch_us).real("memory_us", head.memory_us).real("mte_issue_us", head.mte_issue_us);
  other.real("mte_latency_us", head.mte_latency_us);
  other.number("running_cores", head.running_cores).flag("complete", head.complete);
  std::string out = "{\"displayTimeUnit\":\"ns\",\"otherData\":" + other.str() + ",\"traceEvents\":[";
  std::set<std::pair<int32_t, Pipe>> rows;
  for (const TimelineEvent& e : events) {
    const int32_t core = head.physical[static_cast<size_t>(e.block)];
    const double start = begins[static_cast<size_t>(e.block)] + e.start;
    rows.insert({core, e.pipe});
    JsonObject event;
    event.text("name", e.api).text("cat", e.waiting ? "wait" : "work").text("ph", "X");
    event.raw("ts", exact(start / head.clock_mhz)).raw("dur", exact(e.cycles / head.clock_mhz));
    event.number("pid", core).number("tid", static_cast<int>(e.pipe)).raw("args", args_of(e, head.clock_mhz, sites));
    out += event.str() + ",\n";
  }
  // Names of the rows; the viewer accepts them at the end.
  std::set<int32_t> cores;
  for (const auto& [core, pipe] : rows) {
    if (cores.insert(core).second) {
      JsonObject name;
      name.text("name", "process_name").text("ph", "M").number("pid", core);
      name.raw("args", JsonObject().text("name", head.names[static_cast<size_t>(core)]).str());
      out += name.str() + ",\n";
    }
    JsonObject row;
    row.text("name", "thread_name").text("ph", "M").number("pid", core).number("tid", static_cast<int>(pipe));
    row.raw("args", JsonObject().text("name", pipe_name(pipe)).str());
    out += row.str() + ",\n";
  }
  if (out.back() == '\n') out.resize(out.size() - 2);
  return out + "]}\n";
}

}  // namespace akrt
