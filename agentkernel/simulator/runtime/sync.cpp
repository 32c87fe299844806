// Flags, barriers and stalls of a core.
#include "core.h"
#include "json.h"

namespace akrt {

const char* event_name(uint8_t event) {
  static constexpr const char* kNames[kEvents] = {
      "MTE2_MTE1", "MTE1_MTE2", "MTE1_M",    "M_MTE1",   "MTE2_V",  "V_MTE2",   "MTE3_V",   "V_MTE3",    "M_V",
      "V_M",       "V_V",       "MTE3_MTE1", "MTE1_MTE3", "MTE1_V", "MTE2_M",   "M_MTE2",   "V_MTE1",    "M_FIX",
      "FIX_M",     "MTE3_MTE2", "MTE2_MTE3", "S_V",      "V_S",     "S_MTE2",   "MTE2_S",   "S_MTE3",    "MTE3_S",
      "MTE2_FIX",  "FIX_MTE2",  "FIX_S",     "M_S",      "FIX_MTE3", "MTE1_FIX", "FIX_MTE1", "FIX_FIX"};
  return event < kEvents ? kNames[event] : "?";
}

// Events of pipes that only the other type of core has do nothing, which mix kernels rely on.
bool Core::usable(uint8_t event) const {
  const auto foreign = [this](Pipe p) {
    return type_ == CoreType::kCube ? p == Pipe::V : p == Pipe::M || p == Pipe::MTE1 || p == Pipe::FIX;
  };
  return event < kEvents && !foreign(kEventPipes[event].src) && !foreign(kEventPipes[event].dst);
}

bool Core::check_id(uint8_t event, int32_t id, const char* api, Site site) {
  if (id >= 0 && id < kEventIds) return true;
  Finding f;
  f.code = "event-id-range", f.api = api, f.site = site;
  f.message = std::string(api) + "<HardEvent::" + event_name(event) + "> with event id " + std::to_string(id) +
              "; ids are 0 to 7.";
  f.hint = "Take ids from TPipe::AllocEventID or FetchEventID.";
  report(f);
  return false;
}

void Core::set_flag(uint8_t event, int32_t id, const char* api, Site site) {
  if (!usable(event) || !check_id(event, id, api, site)) return;
  const EventPipes pipes = kEventPipes[event];
  if (pipes.src == pipes.dst) {
    pipe_barrier(pipes.src, api, site);
    return;
  }
  call(api, site);
  if (trace_ != nullptr) trace_->flag("set", event, id, api, site, block_);
  Flag& f = flag(event, id);
  if (f.sets > f.waits) {
    Finding twice;
    twice.code = "flag-already-set", twice.api = api, twice.site = site;
    twice.other_api = f.set_api, twice.other_site = f.set_site;
    twice.message = std::string("HardEvent::") + event_name(event) + " id " + std::to_string(id) +
                    " is set again before anything waited for it; an id holds one bit.";
    twice.hint = "WaitFlag between two SetFlag of one id, or use another id.";
    report(twice);
  }
  ++f.sets;
  f.set_api = api, f.set_site = site;
  Entry entry{Kind::kSet, event, static_cast<uint8_t>(id), api, site, ++seq_, hazards_.issue_clock(),
              clock_.scalar_now(), nullptr};
  if (pipes.src == Pipe::S) {
    set(event, static_cast<uint8_t>(id), entry.issued);
    advance();
  } else {
    submit(pipes.src, std::move(entry));
  }
}

void Core::set(uint8_t event, int32_t id, const Known& issued) {
  const Pipe src = kEventPipes[event].src;
  Known known = hazards_.completion(src);
  known.join(issued);
  flag(event, id).tokens.push_back({std::move(known), clock_.done(src)});
}

void Core::wait_flag(uint8_t event, int32_t id, const char* api, Site site) {
  if (!usable(event) || !check_id(event, id, api, site)) return;
  const EventPipes pipes = kEventPipes[event];
  if (pipes.src == pipes.dst) return;  // the barrier stands where the flag was set
  call(api, site);
  if (trace_ != nullptr) trace_->flag("wait", event, id, api, site, block_);
  Flag& f = flag(event, id);
  ++f.waits;
  if (pipes.dst != Pipe::S) {
    submit(pipes.dst, {Kind::kWait, event, static_cast<uint8_t>(id), api, site, ++seq_, hazards_.issue_clock(),
                       clock_.scalar_now(), nullptr});
    return;
  }
  stall([&] { return !f.tokens.empty(); }, std::string("HardEvent::") + event_name(event) + " id " + std::to_string(id),
        api, site);
  hazards_.wait(Pipe::S, f.tokens.front().known);
  clock_.scalar_wait(f.tokens.front().time, {Held::kFlag, pipes.src, api, site});
  f.tokens.erase(f.tokens.begin());
}

void Core::pipe_barrier(Pipe pipe, const char* api, Site site) {
  if (pipe == Pipe::S) {
    order_scalar_accesses(api, site);
    return;
  }
  call(api, site);
  if (trace_ != nullptr) trace_->order("barrier", pipe_name(pipe), api, site, block_);
  submit(pipe, {Kind::kBarrier, 0, 0, api, site, ++seq_, hazards_.issue_clock(), clock_.scalar_now(), nullptr});
}

void Core::pipe_barrier_all(const char* api, Site site) {
  call(api, site);
  if (trace_ != nullptr) trace_->order("barrier", "ALL", api, site, block_);
  const auto at_rest = [&] {
    for (const std::deque<Entry>& q : queues_)
      if (!q.empty()) return false;
    return true;
  };
  stall(at_rest, "all pipes to finish", api, site);
  hazards_.barrier_all();
  const double done = clock_.all_done();
  // Each waits for the one that is done last.
  Pipe last = Pipe::S;
  for (int i = 0; i < kPipes; ++i)
    if (clock_.done(static_cast<Pipe>(i)) >= clock_.done(last)) last = static_cast<Pipe>(i);
  for (int i = 0; i < kPipes; ++i) clock_.hold(static_cast<Pipe>(i), done, {Held::kBarrier, last, api, site});
}

void Core::stall_for(Pipe pipe, const char* api, Site site) {
  launch_.call_from(api, site);
  if (trace_ != nullptr) trace_->order("stall", pipe_name(pipe), api, site, block_);
  stall([&] { return queue(pipe).empty(); }, std::string("pipe ") + pipe_name(pipe) + " to finish", api, site);
  hazards_.wait(Pipe::S, hazards_.completion(pipe));
  clock_.scalar_wait(clock_.done(pipe), {Held::kFlag, pipe, api, site});
}

void Core::order_scalar_accesses(const char* api, Site site) {
  if (trace_ != nullptr) trace_->order("stall", pipe_name(Pipe::S), api, site, block_);
  hazards_.order_scalar_stores();
}

void Core::stall(const std::function<bool()>& ready, const std::string& waits_for, const char* api, Site site) {
  if (!ready()) deadlock(waits_for, api, site);
}

void Core::deadlock(const std::string& waits_for, const char* api, Site site) {
  Finding f;
  f.code = "deadlock";
  f.message = std::string("The kernel hangs: ") + api + " waits for " + waits_for;
  f.hint = "Every WaitFlag needs a SetFlag of the same HardEvent and id that can run before it.";
  // The waits that nothing satisfies are the place to look at; a call that waits for those pipes only shows the hang.
  std::vector<Source> blocked;
  const bool waits_for_flag = waits_for.rfind("HardEvent::", 0) == 0;
  if (waits_for_flag) blocked.push_back({api, site});
  std::string waiting;
  for (int i = 0; i < kPipes; ++i) {
    const std::deque<Entry>& q = queues_[static_cast<size_t>(i)];
    if (q.empty()) continue;
    const Entry& head = q.front();
    const char* pipe = pipe_name(static_cast<Pipe>(i));
    const bool unit = head.kind == Kind::kWork;  // held by the unit flags of L0C
    const std::string what =
        unit ? std::string("unit flags") : std::string("HardEvent::") + event_name(head.event) + " id " + std::to_string(head.id);
    f.message += std::string("; pipe ") + pipe + " waits for " + what + " (" + head.api + "), " +
                 std::to_string(q.size() - 1) + " instruction(s) behind it";
    if (unit) f.hint = "The last Mmad of a block has unitFlag 3, those before it 2, and the Fixpipe that follows 3.";
    blocked.push_back({head.api, head.site});
    JsonObject entry;
    entry.text("pipe", pipe).text("event", unit ? "unit flag" : event_name(head.event)).number("id", head.id);
    entry.text("api", head.api);
    entry.number("site", launch_.findings().sites().offset(head.site));
    entry.number("behind", static_cast<int64_t>(q.size()) - 1);
    if (!waiting.empty()) waiting += ',';
    waiting += entry.str();
  }
  if (!waits_for_flag) blocked.push_back({api, site});
  f.api = blocked[0].api, f.site = blocked[0].site;
  if (blocked.size() > 1) f.other_api = blocked[1].api, f.other_site = blocked[1].site;
  f.message += ".";
  f.evidence = "{\"waiting\":[" + waiting + "]}";
  fatal(std::move(f));
}

}  // namespace akrt
