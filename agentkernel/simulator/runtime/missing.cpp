// Words for a missing edge.
#include "core.h"
#include "json.h"

namespace akrt {

namespace {

const char* kind_name(Conflict kind) {
  static constexpr const char* kNames[] = {"RAW", "WAR", "WAW"};
  return kNames[static_cast<size_t>(kind)];
}

// The call that would order `from` before `to`.
std::string remedy(Pipe from, Pipe to) {
  if (from == to) return std::string("PipeBarrier<PIPE_") + pipe_name(from) + ">";
  return std::string("SetFlag/WaitFlag<HardEvent::") + pipe_name(from) + "_" + pipe_name(to) + ">";
}

std::string hint_for(Pipe from, Pipe to, const char* first, const char* second) {
  if (from == to) return "Put " + remedy(from, to) + "() between " + first + " and " + second + ".";
  std::string hint = std::string("SetFlag<HardEvent::") + pipe_name(from) + "_" + pipe_name(to) + ">(id) after " +
                     first + " and WaitFlag of the same id before " + second + ".";
  const bool by_queue = (from == Pipe::MTE2 && to == Pipe::V) || (from == Pipe::V && to == Pipe::MTE3);
  const bool by_free = (from == Pipe::V && to == Pipe::MTE2) || (from == Pipe::MTE3 && to == Pipe::V);
  if (by_queue) hint = "EnQue the tensor after " + std::string(first) + " and DeQue it before " + second + ", or " + hint;
  if (by_free) hint = "FreeTensor after " + std::string(first) + " and AllocTensor before " + second + ", or " + hint;
  return hint;
}

}  // namespace

void Core::report_missing(const Executing& e, const Missing& m, bool same_values) {
  const Source& other_source = launch_.sources()[m.other.source];
  const bool cross_core = m.other.core != e.stamp.core;
  const char* code = cross_core ? "gm-race" : "missing-sync";
  // An instruction that was held in its queue can run after one that the program issued later.
  const bool flipped = !cross_core && m.other.seq > e.stamp.seq;
  const Source mine{e.api, e.site};
  const Source& first = flipped ? mine : other_source;
  const Source& second = flipped ? other_source : mine;
  if (launch_.findings().seen(code, second.site, first.site)) return;
  const auto other_pipe = static_cast<Pipe>(m.other.pipe);
  const Pipe from = flipped ? e.pipe : other_pipe;
  const Pipe to = flipped ? other_pipe : e.pipe;
  Conflict kind = m.kind;
  if (flipped && kind != Conflict::kWriteAfterWrite)
    kind = kind == Conflict::kReadAfterWrite ? Conflict::kWriteAfterRead : Conflict::kReadAfterWrite;

  Finding f;
  f.code = code, f.level = "hazard", f.gravity = same_values ? Gravity::kNote : Gravity::kError;
  f.api = second.api, f.site = second.site, f.other_api = first.api, f.other_site = first.site;
  const char* did = kind == Conflict::kWriteAfterRead ? " reads, " : " writes, ";
  const char* does = kind == Conflict::kReadAfterWrite ? " reads " : " overwrites ";
  f.message = std::string(second.api) + " (pipe " + pipe_name(to) + ")" + does +
              place(launch_, m.space, m.begin, m.end) + " that " + first.api + " (pipe " + pipe_name(from) + ")" + did;
  JsonObject evidence;
  evidence.text("kind", kind_name(kind)).raw("place", place_json(launch_, m.space, m.begin, m.end));
  if (cross_core) {
    f.message += "on another core (block " + std::to_string(m.other.core) + "), and nothing orders the two cores.";
    f.hint = "Give every core its own part of global memory, or synchronise the cores; check block offsets and the "
             "length of the last tile (DataCopyPad for a tail that is no multiple of 32 bytes).";
    evidence.number("block", e.stamp.core).number("other_block", m.other.core);
  } else {
    f.message += std::string("and nothing makes ") + pipe_name(to) + " wait for " + pipe_name(from) + ".";
    f.hint = hint_for(from, to, first.api, second.api);
    evidence.text("edge", std::string(pipe_name(from)) + "->" + pipe_name(to)).text("add", remedy(from, to));
  }
  if (same_values) f.message += " It stores the values that are there already, so the result does not depend on the order.";
  evidence.flag("same_values", same_values);
  f.evidence = evidence.str();
  report(f);
}

}  // namespace akrt
