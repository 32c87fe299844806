#include "core.h"

#include <algorithm>

#include "akrt/abi_core.h"

#include "access.h"
#include "json.h"
#include "requests.h"

namespace akrt {

namespace {

constexpr uint32_t kShadowPage = 1024;

using Shadows = std::array<std::unique_ptr<Shadow>, kSpaces>;

bool on_core(Space space, CoreType type) {
  if (space == Space::GM) return false;
  if (space == Space::SPR) return true;
  return (space == Space::UB) == (type == CoreType::kVector);
}

Shadows shadows_of(const LocalMemory& memory, CoreType type) {
  Shadows all;
  for (size_t s = 0; s < all.size(); ++s) {
    const auto space = static_cast<Space>(s);
    const uint32_t bytes = memory.capacity(space);
    if (on_core(space, type)) all[s] = std::make_unique<Shadow>(bytes, space == Space::SPR ? bytes : kShadowPage);
  }
  return all;
}

std::array<Shadow*, kSpaces> views(const Shadows& all) {
  std::array<Shadow*, kSpaces> seen{};
  for (size_t s = 0; s < all.size(); ++s) seen[s] = all[s].get();
  return seen;
}

}  // namespace

Core::Core(Machine& machine, Launch& launch, int32_t block, CoreType type)
    : machine_(machine),
      launch_(launch),
      trace_(launch.trace()),
      block_(block),
      type_(type),
      autosync_(launch.config().autosync && type == CoreType::kVector),
      memory_(launch.local_memories().acquire(type)),
      shadows_(shadows_of(*memory_, type)),
      hazards_(launch, block, views(shadows_), autosync_),
      clock_(launch.clock(), block),
      tpipe_(*this),
      dcache_(*this),
      flags_(size_t{kEvents} * kEventIds),
      unit_flags_(type == CoreType::kCube ? memory_->capacity(Space::L0C) : 0) {
  slots_[kAkrtSlotSysWorkspace] = launch.sys_workspace();
}

Core::~Core() { launch_.local_memories().release(std::move(memory_)); }

void Core::fatal(Finding finding) {
  finding.gravity = Gravity::kFatal;
  launch_.findings().add(finding, block_);
  __builtin_unreachable();  // the sink of a fatal finding does not return
}

void Core::print(const std::string& text, Site site) { launch_.findings().print(text, site, block_); }

// On the chip pointers to UB count from its start; here they are addresses of the host, of which 32 bits come along.
void Core::watch(uint32_t slot, uint32_t begin, uint32_t end, uint32_t kinds) {
  const auto base = static_cast<uint32_t>(reinterpret_cast<uint64_t>(memory_->data(Space::UB)) / 32);
  const uint32_t blocks = memory_->capacity(Space::UB) / 32;
  if (begin - base < blocks) begin -= base, end -= base;
  watches_.set(slot, begin, end, kinds);
}

void Core::check_watches(Pipe pipe, const char* api, Site site, const Access& a) {
  if (!watches_.any() || a.space != Space::UB) return;
  const uint32_t reads = pipe == Pipe::S ? kAkrtScalarRead : pipe == Pipe::V ? kAkrtVectorRead : kAkrtMteRead;
  const uint32_t kind = a.write ? reads << 1 : reads;
  for (const Watch& watch : watches_.all()) {
    if ((watch.kinds & kind) == 0) continue;
    for_each_run(a, [&](uint64_t begin, uint64_t end) {
      if (begin >= watch.end || end <= watch.begin) return;
      Finding f;
      f.code = "watched-access", f.api = api, f.site = site;
      f.message = std::string(api) + (a.write ? " writes " : " reads ") + place(launch_, Space::UB, begin, end) +
                  ", which CheckLocalMemoryIA watches.";
      f.evidence = place_json(launch_, Space::UB, begin, end);
      fatal(std::move(f));
    });
  }
}

void Core::call(const char* api, Site site) {
  launch_.call_from(api, site);
  launch_.count_instruction();
  clock_.scalar_call();
}

void Core::issue(const Instr& instr) {
  call(instr.api, instr.site);
  const uint32_t seq = ++seq_;
  if (trace_ != nullptr) trace_->issue(instr, seq, block_);
  for (int i = 0; i < instr.accesses && instr.pipe == Pipe::S && instr.auto_sync; ++i)
    await_queued(instr.access[static_cast<size_t>(i)], instr.api, instr.site);
  if (instr.pipe == Pipe::S || (queue(instr.pipe).empty() && unit_flags_.ready(instr))) {
    execute(instr, hazards_.issue_clock(), clock_.scalar_now(), seq);
    if (instr.unit.flips || instr.unit.clears) advance();
    return;
  }
  queue(instr.pipe).push_back({Kind::kWork, 0, 0, instr.api, instr.site, seq, hazards_.issue_clock(),
                               clock_.scalar_now(), std::make_unique<Instr>(instr)});
}

void Core::submit(Pipe pipe, Entry entry) {
  std::deque<Entry>& q = queue(pipe);
  if (!q.empty() || !take_effect(pipe, entry)) {
    q.push_back(std::move(entry));
    return;
  }
  if (entry.kind == Kind::kSet) advance();
}

void Core::advance() {
  bool moved = true;
  while (moved) {
    moved = false;
    for (int i = 0; i < kPipes; ++i) {
      std::deque<Entry>& q = queues_[static_cast<size_t>(i)];
      while (!q.empty() && take_effect(static_cast<Pipe>(i), q.front())) {
        q.pop_front();
        moved = true;
      }
    }
  }
}

bool Core::take_effect(Pipe pipe, Entry& entry) {
  switch (entry.kind) {
    case Kind::kWork:
      if (!unit_flags_.ready(*entry.work)) return false;
      execute(*entry.work, entry.issued, entry.time, entry.seq);
      return true;
    case Kind::kSet:
      set(entry.event, entry.id, entry.issued);
      return true;
    case Kind::kSignal:
      signal(pipe, entry);
      return true;
    case Kind::kPost:
      post(entry);
      return true;
    case Kind::kBarrier:
      hazards_.barrier(pipe);
      clock_.hold(pipe, clock_.done(pipe), {Held::kBarrier, pipe, entry.api, entry.site});
      return true;
    case Kind::kWait: {
      Flag& f = flag(entry.event, entry.id);
      if (f.tokens.empty()) return false;
      hazards_.wait(pipe, f.tokens.front().known);
      clock_.hold(pipe, f.tokens.front().time,
                  {Held::kFlag, kEventPipes[entry.event].src, entry.api, entry.site});
      f.tokens.erase(f.tokens.begin());
      return true;
    }
  }
  return true;
}

void Core::wait_for(uint8_t pipes, const char* api, Site site) {
  for (int p = 1; p < kPipes && pipes != 0; ++p) {
    const auto pipe = static_cast<Pipe>(p);
    if ((pipes >> p & 1) != 0) clock_.scalar_wait(clock_.done(pipe), {Held::kFlag, pipe, api, site});
  }
}

void Core::execute(const Instr& instr, const Known& issued, double time, uint32_t seq) {
  for (int i = 0; i < instr.accesses; ++i)
    if (!check_access(*this, instr.pipe, instr.api, instr.site, instr.access[static_cast<size_t>(i)])) return;
  if (instr.in_order) hazards_.in_order(instr.pipe);
  Executing e = hazards_.begin(instr.api, instr.site, instr.pipe, issued, seq, instr.auto_sync);
  if (instr.unit.on) {
    const Token given = unit_flags_.take(instr);
    hazards_.after(e, given.known);
    clock_.hold(instr.pipe, given.time, {Held::kFlag, instr.pipe == Pipe::M ? Pipe::FIX : Pipe::M, instr.api, instr.site});
  }
  for (int i = 0; i < instr.accesses; ++i)
    if (!instr.access[static_cast<size_t>(i)].write) observe(e, instr.access[static_cast<size_t>(i)]);
  for (int i = 0; i < instr.accesses; ++i) {
    Access written = instr.access[static_cast<size_t>(i)];
    if (!written.write) continue;
    written.undefined = written.undefined || e.hollow;
    observe(e, written);
  }
  if (instr.pipe == Pipe::S) {
    const uint8_t waits = hazards_.take_auto_waits();
    wait_for(waits, instr.api, instr.site);
  }
  clock_.run(instr, time);
  if (instr.unit.clears) unit_flags_.clear({hazards_.completion(instr.pipe), clock_.done(instr.pipe)});
  if (instr.unit.flips) unit_flags_.flip(instr, {hazards_.completion(instr.pipe), clock_.done(instr.pipe)});

  // Storing again what is there already cannot change a result, so what was there is kept for the comparison. It can
  // where one of the stores is atomic: 0 + v, then v, leaves v; the other way round leaves v + v. In local memory only
  // fills over what was read count, whose values the program states, and a bias that is copied to its table again for
  // every tile of k; others are the same by chance.
  const bool atomic = std::any_of(instr.access.begin(), instr.access.begin() + instr.accesses,
                                  [](const Access& a) { return a.write && a.atomic; });
  std::vector<std::vector<uint8_t>> before;
  for (const Missing& m : hazards_.missing()) {
    before.emplace_back();
    const bool fill = instr.fills && m.kind == Conflict::kWriteAfterRead;
    const bool bias = m.space == Space::BT && m.kind != Conflict::kReadAfterWrite;
    const bool again = m.space == Space::GM ? m.kind == Conflict::kWriteAfterWrite : fill || bias;
    if (!again || atomic || (m.other.flags & Stamp::kAtomic) != 0) continue;
    const uint8_t* there = machine_.at(m.space, m.begin);
    before.back().assign(there, there + (m.end - m.begin));
  }
  running_ = &e, running_seq_ = seq;
  if (instr.exec != nullptr) instr.exec(machine_, instr.payload);
  running_ = nullptr;
  std::vector<Missing>& missing = hazards_.missing();
  for (size_t i = 0; i < missing.size(); ++i) {
    const Missing& m = missing[i];
    const bool same = i < before.size() && !before[i].empty() &&
                      std::memcmp(before[i].data(), machine_.at(m.space, m.begin), before[i].size()) == 0;
    report_missing(e, m, same);
  }
  missing.clear();
}

bool Core::touch(const Access& access) {
  if (running_ == nullptr || !check_access(*this, running_->pipe, running_->api, running_->site, access)) return false;
  if (trace_ != nullptr) trace_->touch(access, running_seq_, block_);
  observe(*running_, access);
  return true;
}

void Core::observe(Executing& e, const Access& access) {
  if (access.space == Space::GM && dcache_.has_dirty() && e.pipe != Pipe::S) {
    const Span span = bounds(access);
    bool found = false;
    const Site store = dcache_.dirty_in(span.begin, span.end, found);
    if (found) {
      Finding f;
      f.code = "dcache-not-flushed", f.level = "hazard", f.api = e.api, f.site = e.site;
      f.other_api = "GlobalTensor::SetValue", f.other_site = store;
      f.message = std::string(e.api) + (access.write ? " overwrites " : " reads ") +
                  place(launch_, Space::GM, span.begin, span.end) +
                  " while a scalar store to it is still in the data cache.";
      f.hint = "Call DataCacheCleanAndInvalid on the line after SetValue, before another pipe or core uses it.";
      f.evidence = place_json(launch_, Space::GM, span.begin, span.end);
      report(f);
    }
  }
  if (access.space == Space::GM && launch_.lines().dirty_caches() > 0) check_other_caches(e, access);
  uint64_t total = 0;
  const uint64_t unwritten = hazards_.touch(e, access, total);
  if (unwritten == 0) return;
  // Loads of fractals copy along what lies beside a matrix that does not fill its last tile, and Mmad may multiply it into
  // rows and columns that nobody stores. An operand of Mmad of which nothing was written is a mistake.
  if (e.pipe == Pipe::MTE1) {
    e.hollow = e.hollow || unwritten == total;
    return;
  }
  if (e.pipe == Pipe::M && access.space != Space::L0C && unwritten < total) return;
  // A vector instruction over a rounded-up tail reads bytes nobody wrote and nobody uses; an operand of which nothing
  // was written, or undefined bytes that enter a reduction or leave the core, are mistakes.
  const bool tail = e.pipe == Pipe::V && unwritten < total && !access.decides;
  const Span span = bounds(access);
  if (access.space != Space::GM && leaves_tensor(access, span)) return;  // reported as out-of-bounds already
  Finding f;
  f.code = "uninitialised-read", f.gravity = tail ? Gravity::kNote : Gravity::kError, f.api = e.api, f.site = e.site;
  f.message = std::string(e.api) + " reads " + std::to_string(unwritten) + " of " + std::to_string(total) +
              " bytes in " + place(launch_, access.space, span.begin, span.end) + " that nothing has written.";
  f.hint = access.space == Space::GM
               ? "Global memory of outputs and workspace starts undefined: write it (and wait for the write) first."
               : "Copy or Duplicate into the buffer before it is used; count elements, not bytes; mind the tail tile.";
  f.evidence = place_json(launch_, access.space, span.begin, span.end);
  report(f);
}

// What a scalar store of another core left in that core's cache is in nobody's sight until the line is written back.
void Core::check_other_caches(const Executing& e, const Access& access) {
  const Span span = bounds(access);
  for (int32_t block = 0; block < launch_.config().core_count(); ++block) {
    Core* other = block == block_ ? nullptr : launch_.cores().live(block);
    if (other == nullptr || !other->dcache().has_dirty()) continue;
    bool found = false;
    const Site store = other->dcache().dirty_in(span.begin, span.end, found);
    if (!found) continue;
    Finding f;
    f.code = "dcache-not-flushed", f.level = "hazard", f.api = e.api, f.site = e.site;
    f.other_api = "GlobalTensor::SetValue", f.other_site = store;
    f.message = std::string(e.api) + (access.write ? " overwrites " : " reads ") +
                place(launch_, Space::GM, span.begin, span.end) +
                " while a scalar store of another core (" + launch_.config().name_of(block) + ") is still in that core's data cache.";
    f.hint = "Call DataCacheCleanAndInvalid on the line after SetValue, then synchronise the cores.";
    f.evidence = place_json(launch_, Space::GM, span.begin, span.end);
    report(f);
  }
}

bool Core::queued_conflict(const Access& access) const {
  const Span mine = bounds(access);
  for (const std::deque<Entry>& q : queues_) {
    for (const Entry& entry : q) {
      if (entry.kind != Kind::kWork) continue;
      for (int i = 0; i < entry.work->accesses; ++i) {
        const Access& other = entry.work->access[static_cast<size_t>(i)];
        const Span theirs = bounds(other);
        const bool meet = other.space == access.space && mine.begin < theirs.end && theirs.begin < mine.end;
        if (meet && (other.write || access.write)) return true;
      }
    }
  }
  return false;
}

void Core::await_queued(const Access& access, const char* api, Site site) {
  if (!autosync_ || !queued_conflict(access)) return;
  stall([&] { return !queued_conflict(access); }, std::string("instructions that ") + api + " depends on", api, site);
}

bool Core::scalar_access(const Access& access, const char* api, Site site, bool auto_sync, const uint8_t* stored) {
  launch_.call_from(api, site);
  launch_.count_instruction();
  if (!check_access(*this, Pipe::S, api, site, access)) return false;
  const uint32_t seq = ++seq_;
  if (trace_ != nullptr) trace_->scalar(access, api, site, auto_sync, seq, block_);
  if (auto_sync) await_queued(access, api, site);
  Executing e = hazards_.begin(api, site, Pipe::S, hazards_.issue_clock(), seq, auto_sync);
  observe(e, access);
  const uint8_t waits = hazards_.take_auto_waits();
  wait_for(waits, api, site);
  clock_.scalar_access(api, site);
  for (const Missing& m : hazards_.missing()) {
    const bool atomic = (m.other.flags & Stamp::kAtomic) != 0;
    const bool store = stored != nullptr && m.kind == Conflict::kWriteAfterWrite && !atomic;
    const uint8_t* there = machine_.at(m.space, m.begin);
    const bool same = store && std::memcmp(stored + (m.begin - access.base), there, m.end - m.begin) == 0;
    report_missing(e, m, same);
  }
  hazards_.missing().clear();
  return true;
}

void Core::finish() {
  if (tpipe_.alive()) tpipe_.destroy(true, launch_.last_site());
  pipe_barrier_all("end of the kernel", launch_.last_site());
  dcache_.clean_all(nullptr);
  for (size_t i = 0; i < flags_.size(); ++i) {
    const Flag& f = flags_[i];
    if (f.sets <= f.waits) continue;
    const char* name = event_name(static_cast<uint8_t>(i / kEventIds));
    Finding left;
    left.code = "flag-left-set", left.api = f.set_api, left.site = f.set_site;
    left.message = std::string("HardEvent::") + name + " id " + std::to_string(i % kEventIds) +
                   " is still set when the kernel ends; it would poison the next kernel.";
    left.hint = std::string("Pair every SetFlag<HardEvent::") + name + "> with a WaitFlag of the same id.";
    report(left);
  }
  if (trace_ != nullptr) trace_->end(block_);
  launch_.clock().add(clock_, block_);
}

}  // namespace akrt
