#include "trace.h"

#include "access.h"
#include "clock.h"
#include "core.h"
#include "json.h"

namespace akrt {

namespace {

const char* space_name(Space s) {
  static constexpr const char* kNames[kSpaces] = {"GM", "UB", "L1", "L0A", "L0B", "L0C", "BT", "FB", "SPR"};
  return kNames[static_cast<size_t>(s)];
}

void append(std::string& list, const std::string& entry) {
  if (!list.empty()) list += ',';
  list += entry;
}

}  // namespace

JsonObject Trace::line(const char* kind, const char* api, Site site, int32_t core) const {
  JsonObject out;
  out.text("t", kind).number("core", core).text("api", api).number("site", launch_.findings().sites().offset(site));
  return out;
}

std::string Trace::ranges(const Access& access) const {
  std::string memory = space_name(access.space);
  uint64_t origin = 0;
  if (access.space == Space::GM) {
    const Region* region = launch_.regions().find(access.base);
    memory += ':';
    if (region != nullptr) memory += region->name, origin = region->begin;
  }
  std::string list;
  for_each_run(access, [&](uint64_t begin, uint64_t end) {
    append(list, "[" + std::to_string(begin - origin) + "," + std::to_string(end - origin) + "]");
  });
  JsonObject out;
  out.text("memory", memory).flag("write", access.write).flag("atomic", access.atomic).raw("ranges", "[" + list + "]");
  return out.str();
}

void Trace::issue(const Instr& instr, uint32_t number, int32_t core) {
  std::string accesses;
  for (int i = 0; i < instr.accesses; ++i) append(accesses, ranges(instr.access[static_cast<size_t>(i)]));
  JsonObject out = line("issue", instr.api, instr.site, core);
  out.number("number", number).text("pipe", pipe_name(instr.pipe)).flag("auto_sync", instr.auto_sync);
  write_(out.raw("accesses", "[" + accesses + "]").str());
}

void Trace::scalar(const Access& access, const char* api, Site site, bool auto_sync, uint32_t number, int32_t core) {
  JsonObject out = line("issue", api, site, core);
  out.number("number", number).text("pipe", pipe_name(Pipe::S)).flag("auto_sync", auto_sync);
  write_(out.raw("accesses", "[" + ranges(access) + "]").str());
}

void Trace::touch(const Access& access, uint32_t number, int32_t core) {
  JsonObject out;
  out.text("t", "touch").number("core", core).number("number", number).raw("accesses", "[" + ranges(access) + "]");
  write_(out.str());
}

void Trace::flag(const char* kind, uint8_t event, int32_t id, const char* api, Site site, int32_t core) {
  write_(line(kind, api, site, core).text("event", event_name(event)).number("id", id).str());
}

void Trace::order(const char* kind, const char* pipe, const char* api, Site site, int32_t core) {
  write_(line(kind, api, site, core).text("pipe", pipe).str());
}

void Trace::signal(const std::string& name, const char* pipe, const char* api, Site site, int32_t core,
                   const std::vector<int32_t>& to) {
  std::string cores;
  for (const int32_t one : to) append(cores, std::to_string(one));
  write_(line("signal", api, site, core).text("pipe", pipe).text("signal", name).raw("to", "[" + cores + "]").str());
}

void Trace::await(const std::vector<std::string>& names, const char* api, Site site, int32_t core) {
  std::string list;
  for (const std::string& name : names) append(list, "\"" + name + "\"");
  write_(line("await", api, site, core).raw("signals", "[" + list + "]").str());
}

void Trace::end(int32_t core) { write_(JsonObject().text("t", "end").number("core", core).str()); }

}  // namespace akrt
