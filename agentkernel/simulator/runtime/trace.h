// What the scalar programs of a launch issued, in program order, one JSON object a line (PROTOCOL.md, "Trace file").
// The raw material for tools that judge synchronisation for themselves; the observers of this runtime take no part.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "machine.h"

namespace akrt {

class JsonObject;
class Launch;

class Trace {
 public:
  using Write = std::function<void(std::string_view line)>;

  Trace(Launch& launch, Write write) : launch_(launch), write_(std::move(write)) {}

  // An instruction given to its pipe; `number` names it for later `touch` lines.
  void issue(const Instr& instr, uint32_t number, int32_t core);
  // A scalar access in program order.
  void scalar(const Access& access, const char* api, Site site, bool auto_sync, uint32_t number, int32_t core);
  // Bytes that an instruction's data led it to while it ran.
  void touch(const Access& access, uint32_t number, int32_t core);
  // `kind`: set | wait.
  void flag(const char* kind, uint8_t event, int32_t id, const char* api, Site site, int32_t core);
  // `kind`: barrier (later instructions of the pipe wait for its earlier ones) | stall (the scalar program waits for
  // the pipe). `pipe`: its name, or ALL.
  void order(const char* kind, const char* pipe, const char* api, Site site, int32_t core);
  // A signal to other cores, once all is complete that `pipe` was given (S: that the program has come to). `to`: of a
  // flag, the cores whose counter it raises.
  void signal(const std::string& name, const char* pipe, const char* api, Site site, int32_t core,
              const std::vector<int32_t>& to = {});
  // The scalar program, and all that it issues from here on, waits for signals.
  void await(const std::vector<std::string>& names, const char* api, Site site, int32_t core);
  // The core's program came to its end.
  void end(int32_t core);

 private:
  JsonObject line(const char* kind, const char* api, Site site, int32_t core) const;
  std::string ranges(const Access& access) const;

  Launch& launch_;
  Write write_;
};

}  // namespace akrt
