#include "hazards.h"

#include "access.h"

namespace akrt {

namespace {

bool is_async(Pipe p) { return p == Pipe::V || p == Pipe::MTE2 || p == Pipe::MTE3; }

}  // namespace

Executing Hazards::begin(const char* api, Site site, Pipe pipe, const Known& issued, uint32_t seq, bool auto_sync) {
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
  if (autosync_) starts_[static_cast<size_t>(pipe)].add(pipe, e.stamp.tick, e.start.own);
  // The compiler puts a barrier between dependent vector instructions.
  if (pipe == Pipe::V && autosync_) ready(pipe).own[pipe] = e.stamp.tick;
  return e;
}

Known Hazards::completion(Pipe pipe) const {
  Known c = ready(pipe);
  c.own[pipe] = now_[pipe];
  return c;
}

KnowledgePtr Hazards::told(const Known& known) const {
  auto all = std::make_shared<Knowledge>();
  if (known.others != nullptr) all->cores = known.others->cores;
  all->cores.resize(static_cast<size_t>(launch_.config().core_count()));
  all->cores[static_cast<size_t>(core_)].join(known.own);
  return all;
}

void Hazards::learn(const std::vector<KnowledgePtr>& told) {
  Known& issue = ready(Pipe::S);
  auto all = std::make_shared<Knowledge>();
  if (issue.others != nullptr) *all = *issue.others;
  ++all->version;
  all->cores.resize(static_cast<size_t>(launch_.config().core_count()));
  for (const KnowledgePtr& one : told)
    for (size_t core = 0; core < one->cores.size(); ++core) all->cores[core].join(one->cores[core]);
  // What others have heard from this core is complete, too.
  issue.own.join(all->cores[static_cast<size_t>(core_)]);
  issue.others = std::move(all);
}

void Hazards::barrier_all() {
  Known all;
  for (int i = 0; i < kPipes; ++i) all.join(completion(static_cast<Pipe>(i)));
  ready_.fill(all);
}

bool Hazards::covered(const Executing& e, const Stamp& earlier) const {
  const auto pipe = static_cast<Pipe>(earlier.pipe);
  if (earlier.core != e.stamp.core) return e.start.of_core(earlier.core, pipe, earlier.tick);
  if (pipe == Pipe::S && e.pipe == Pipe::S) return true;  // the hardware orders scalar accesses among themselves
  return e.start.own[pipe] >= earlier.tick;
}

bool Hazards::ordered(Executing& e, const Stamp& earlier) {
  return covered(e, earlier) || (earlier.core == e.stamp.core && auto_edge(e, earlier));
}

bool Hazards::auto_edge(Executing& e, const Stamp& earlier) {
  if (!autosync_) return false;
  const auto pipe = static_cast<Pipe>(earlier.pipe);
  const bool into_scalar = e.pipe == Pipe::S && e.auto_sync && is_async(pipe);
  const bool from_scalar = pipe == Pipe::S && (earlier.flags & Stamp::kAutoSync) != 0 && is_async(e.pipe);
  if (!into_scalar && !from_scalar) return false;
  // A flag right behind the earlier instruction: what its pipe was given since then is not covered.
  const VClock token = starts_[static_cast<size_t>(pipe)].completion(pipe, earlier.tick);
  ready(e.pipe).own.join(token);
  e.start.own.join(token);
  if (into_scalar) auto_waits_ = static_cast<uint8_t>(auto_waits_ | (1u << earlier.pipe));
  return true;
}

// A cell remembers one reader per pipe: the last, because who waits for it waits for the earlier ones too. The running
// instruction does not wait for itself.
void Hazards::keep_reader(const Executing& e, const Cell& cell, const Access& a, uint64_t begin, uint64_t end) {
  for (const Stamp& r : cell.readers) {
    const bool displaced = r.tick != 0 && r.core == e.stamp.core && r.pipe == e.stamp.pipe && r.tick != e.stamp.tick;
    if (!displaced || e.pipe == Pipe::S || e.start.own[e.pipe] >= r.tick) continue;
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

// Atomic stores of several cores do not order each other, so whoever reads the sum has to wait for each: what the last
// one displaces stays among the readers, which a later access has to come after, too.
void Hazards::write(const Executing& e, const Access& a, Cell& cell) {
  Stamp s = e.stamp;
  if (a.atomic) s.flags |= Stamp::kAtomic;
  if (a.undefined) s.flags |= Stamp::kUndefined;
  const Cell before = cell;
  cell.written_by(s);
  if (!a.atomic || (before.writer.flags & Stamp::kAtomic) == 0) return;
  size_t kept = 0;
  const auto keep = [&](const Stamp& earlier) {
    const bool atomic = (earlier.flags & Stamp::kAtomic) != 0;
    if (!atomic || earlier.core == s.core || kept == cell.readers.size() || covered(e, earlier)) return;
    cell.readers[kept++] = earlier;
  };
  keep(before.writer);
  for (const Stamp& r : before.readers) keep(r);
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
      if ((w.flags & Stamp::kAtomic) != 0) {
        for (const Stamp& r : cell.readers)
          if ((r.flags & Stamp::kAtomic) != 0 && !ordered(e, r)) miss(Conflict::kReadAfterWrite, r, a, b + origin, f + origin);
      }
      keep_reader(e, cell, a, b + origin, f + origin);
      cell.read_by(e.stamp, [&](const Stamp& r) { return covered(e, r); });
      return;
    }
    if (!kept_readers_.empty()) miss_kept_readers(a, b + origin, f + origin);
    // A reader came after the writer, so waiting for the reader is enough: only the innermost edge is named.
    bool reader_missing = false;
    for (const Stamp& r : cell.readers) {
      const bool same = r.tick == e.stamp.tick && r.pipe == e.stamp.pipe && r.core == e.stamp.core;
      const bool atomic = (r.flags & Stamp::kAtomic) != 0;
      if (r.tick == 0 || same || (atomic && a.atomic) || ordered(e, r)) continue;
      reader_missing = true;
      miss(atomic ? Conflict::kWriteAfterWrite : Conflict::kWriteAfterRead, r, a, b + origin, f + origin);
    }
    const bool both_atomic = a.atomic && (w.flags & Stamp::kAtomic) != 0;
    if (w.tick != 0 && !reader_missing && !own && !both_atomic && !ordered(e, w))
      miss(Conflict::kWriteAfterWrite, w, a, b + origin, f + origin);
    write(e, a, cell);
  });
  return unwritten;
}

uint64_t Hazards::touch(Executing& e, const Access& access, uint64_t& total_bytes) {
  uint64_t unwritten = 0;
  Region* region = access.space == Space::GM ? launch_.regions().find(access.base) : nullptr;
  if (access.space == Space::GM && region == nullptr) return 0;
  Shadow* const local = region == nullptr ? local_[static_cast<size_t>(access.space)] : nullptr;
  if (region == nullptr && local == nullptr) return 0;
  Shadow& shadow = region != nullptr ? region->shadow : *local;
  const uint64_t origin = region != nullptr ? region->begin : 0;
  const bool initialised = region != nullptr ? region->initialised() : access.space == Space::SPR;
  for_each_run(access, [&](uint64_t begin, uint64_t end) {
    total_bytes += end - begin;
    unwritten += touch_range(e, access, shadow, origin, initialised, begin, end);
  });
  return access.any_value ? 0 : unwritten;
}

}  // namespace akrt
