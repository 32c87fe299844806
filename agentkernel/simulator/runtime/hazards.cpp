#include "hazards.h"

#include "access.h"

namespace akrt {

namespace {

bool is_async(Pipe p) { return p == Pipe::V || p == Pipe::MTE2 || p == Pipe::MTE3; }

}  // namespace

Executing Hazards::begin(const char* api, Site site, Pipe pipe, const VClock& issued, uint32_t seq, bool auto_sync) {
  Executing e{api, site, pipe, auto_sync, {}, ready(pipe)};
  e.start.join(issued);
  e.stamp.tick = ++now_[pipe];
  e.stamp.seq = seq;
  e.stamp.source = launch_.sources().intern(api, site);
  e.stamp.core = static_cast<uint16_t>(core_);
  e.stamp.pipe = static_cast<uint8_t>(pipe);
  e.stamp.flags = auto_sync ? Stamp::kAutoSync : 0;
  missing_.clear();
  kept_readers_.clear();
  if (launch_.config().autosync) starts_[static_cast<size_t>(pipe)].add(pipe, e.stamp.tick, e.start);
  // The compiler puts a barrier between dependent vector instructions.
  if (pipe == Pipe::V && launch_.config().autosync) ready(pipe)[pipe] = e.stamp.tick;
  return e;
}

VClock Hazards::completion(Pipe pipe) const {
  VClock c = ready(pipe);
  c[pipe] = now_[pipe];
  return c;
}

void Hazards::barrier_all() {
  VClock all;
  for (int i = 0; i < kPipes; ++i) all.join(completion(static_cast<Pipe>(i)));
  ready_.fill(all);
}

bool Hazards::ordered(Executing& e, const Stamp& earlier) {
  if (earlier.core != e.stamp.core) return false;
  const auto pipe = static_cast<Pipe>(earlier.pipe);
  if (pipe == Pipe::S && e.pipe == Pipe::S) return true;  // the hardware orders scalar accesses among themselves
  return e.start[pipe] >= earlier.tick || auto_edge(e, earlier);
}

bool Hazards::auto_edge(Executing& e, const Stamp& earlier) {
  if (!launch_.config().autosync) return false;
  const auto pipe = static_cast<Pipe>(earlier.pipe);
  const bool into_scalar = e.pipe == Pipe::S && e.auto_sync && is_async(pipe);
  const bool from_scalar = pipe == Pipe::S && (earlier.flags & Stamp::kAutoSync) != 0 && is_async(e.pipe);
  if (!into_scalar && !from_scalar) return false;
  // A flag right behind the earlier instruction: what its pipe was given since then is not covered.
  const VClock token = starts_[static_cast<size_t>(pipe)].completion(pipe, earlier.tick);
  ready(e.pipe).join(token);
  e.start.join(token);
  if (into_scalar) auto_waits_ = static_cast<uint8_t>(auto_waits_ | (1u << earlier.pipe));
  return true;
}

// A cell remembers one reader per pipe: the last, because who waits for it waits for the earlier ones too. The running
// instruction does not wait for itself.
void Hazards::keep_reader(const Executing& e, const Cell& cell, const Access& a, uint64_t begin, uint64_t end) {
  for (const Stamp& r : cell.readers) {
    const bool displaced = r.tick != 0 && r.core == e.stamp.core && r.pipe == e.stamp.pipe && r.tick != e.stamp.tick;
    if (!displaced || e.pipe == Pipe::S || e.start[e.pipe] >= r.tick) continue;
    kept_readers_.push_back({Conflict::kWriteAfterRead, r, a.space, begin, end});
  }
}

void Hazards::miss_kept_readers(const Access& a, uint64_t begin, uint64_t end) {
  for (const Missing& kept : kept_readers_) {
    if (kept.space != a.space || kept.begin >= end || begin >= kept.end) continue;
    miss(Conflict::kWriteAfterRead, kept.other, a, std::max(begin, kept.begin), std::min(end, kept.end));
  }
}

void Hazards::miss(Conflict kind, const Stamp& other, const Access& a, uint64_t begin, uint64_t end) {
  for (Missing& m : missing_) {
    if (m.kind == kind && m.other.source == other.source && m.other.core == other.core && m.space == a.space) {
      m.begin = std::min(m.begin, begin);
      m.end = std::max(m.end, end);
      return;
    }
  }
  missing_.push_back({kind, other, a.space, begin, end});
}

uint64_t Hazards::touch_range(Executing& e, const Access& a, Shadow& shadow, uint64_t origin, bool initialised,
                              uint64_t begin, uint64_t end) {
  uint64_t unwritten = 0;
  shadow.visit(begin - origin, end - origin, [&](Cell& cell, uint64_t b, uint64_t f) {
    const Stamp& w = cell.writer;
    const bool own = w.tick == e.stamp.tick && w.pipe == e.stamp.pipe && w.core == e.stamp.core;
    if (!a.write || a.atomic) {
      if ((w.tick == 0 && !initialised) || (w.flags & Stamp::kUndefined) != 0) unwritten += f - b;
    }
    if (!a.write) {
      if (w.tick != 0 && !own && !ordered(e, w)) miss(Conflict::kReadAfterWrite, w, a, b + origin, f + origin);
      keep_reader(e, cell, a, b + origin, f + origin);
      cell.read_by(e.stamp);
      return;
    }
    if (!kept_readers_.empty()) miss_kept_readers(a, b + origin, f + origin);
    // A reader came after the writer, so waiting for the reader is enough: only the innermost edge is named.
    bool reader_missing = false;
    for (const Stamp& r : cell.readers) {
      const bool same = r.tick == e.stamp.tick && r.pipe == e.stamp.pipe && r.core == e.stamp.core;
      if (r.tick == 0 || same || ordered(e, r)) continue;
      reader_missing = true;
      miss(Conflict::kWriteAfterRead, r, a, b + origin, f + origin);
    }
    const bool both_atomic = a.atomic && (w.flags & Stamp::kAtomic) != 0;
    if (w.tick != 0 && !reader_missing && !own && !both_atomic && !ordered(e, w))
      miss(Conflict::kWriteAfterWrite, w, a, b + origin, f + origin);
    Stamp s = e.stamp;
    if (a.atomic) s.flags |= Stamp::kAtomic;
    if (a.undefined) s.flags |= Stamp::kUndefined;
    cell.written_by(s);
  });
  return unwritten;
}

uint64_t Hazards::touch(Executing& e, const Access& access, uint64_t& total_bytes) {
  uint64_t unwritten = 0;
  Region* region = access.space == Space::GM ? launch_.regions().find(access.base) : nullptr;
  if (access.space == Space::GM && region == nullptr) return 0;
  const bool tracked = region != nullptr || access.space == Space::UB || access.space == Space::SPR;
  if (!tracked) return 0;
  Shadow& shadow = region != nullptr ? region->shadow : access.space == Space::UB ? local_ : registers_;
  const uint64_t origin = region != nullptr ? region->begin : 0;
  const bool initialised = region != nullptr ? region->initialised() : access.space == Space::SPR;
  for_each_run(access, [&](uint64_t begin, uint64_t end) {
    total_bytes += end - begin;
    unwritten += touch_range(e, access, shadow, origin, initialised, begin, end);
  });
  return access.any_value ? 0 : unwritten;
}

}  // namespace akrt
