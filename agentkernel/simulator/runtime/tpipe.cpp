#include "tpipe.h"

#include <algorithm>

#include "core.h"
#include "json.h"

namespace akrt {

namespace {

constexpr uint32_t round32(uint64_t bytes) { return static_cast<uint32_t>((bytes + 31) / 32 * 32); }

// Most bytes that are counted after the memory is full; far from where 32-bit addresses end.
constexpr uint64_t kMostReserved = 1u << 30;

// Forward and backward event of a queue between two memories.
struct Events {
  uint8_t forward;
  uint8_t backward;
};

Events events_between(Space src, Space dst) {
  Pipe from = Pipe::V;
  Pipe to = Pipe::V;
  if (src == Space::GM) {
    from = Pipe::MTE2;
    to = dst == Space::UB ? Pipe::V : dst == Space::L1 ? Pipe::MTE1 : Pipe::M;
  } else if (src == Space::UB) {
    if (dst == Space::GM) from = Pipe::V, to = Pipe::MTE3;
    if (dst == Space::L1) from = Pipe::MTE3, to = Pipe::MTE1;
    if (dst == Space::UB) from = Pipe::MTE2, to = Pipe::MTE3;
  } else if (src == Space::L1) {
    from = Pipe::MTE1;
    to = dst == Space::FB ? Pipe::FIX : Pipe::M;
  } else if (src == Space::L0C) {
    from = Pipe::M, to = Pipe::FIX;
  } else {
    from = Pipe::M, to = Pipe::V;
  }
  return {static_cast<uint8_t>(event_of(from, to)), static_cast<uint8_t>(event_of(to, from))};
}

const char* space_name(Space s) {
  static constexpr const char* kNames[kSpaces] = {"GM", "UB", "L1", "L0A", "L0B", "L0C", "BT", "FB", "SPR"};
  return kNames[static_cast<size_t>(s)];
}

}  // namespace

void TPipe::fatal(const char* code, const char* api, Site site, std::string message, std::string hint,
                  std::string evidence) {
  Finding f;
  f.code = code, f.gravity = Gravity::kFatal, f.api = api, f.site = site;
  f.message = std::move(message), f.hint = std::move(hint), f.evidence = std::move(evidence);
  core_.fatal(std::move(f));
}

void TPipe::error(const char* code, const char* api, Site site, std::string message, std::string hint,
                  const Buffer* other) {
  Finding f;
  f.code = code, f.api = api, f.site = site;
  f.message = std::move(message), f.hint = std::move(hint);
  if (other != nullptr) f.other_api = other->last_api, f.other_site = other->last_site;
  core_.report(f);
}

void TPipe::require_alive(const char* api, Site site) {
  if (!alive_)
    fatal("no-pipe", api, site, std::string(api) + " without a living TPipe.",
          "Construct one TPipe at the start of the kernel and keep it alive until the last queue is used.");
}

void TPipe::revive(Site site) {
  if (!alive_ && destroyed_) create(site);
  require_alive("InitBuffer", site);
}

void TPipe::create(Site site) {
  if (alive_) {
    Finding f;
    f.code = "two-pipes", f.api = "TPipe", f.site = site, f.other_api = "TPipe", f.other_site = created_;
    f.message = "A second TPipe is constructed while the first is alive.";
    f.hint = "A kernel has one TPipe: construct it in the kernel function and pass its address on, or Destroy() it first.";
    core_.report(f);
  }
  alive_ = true, destroyed_ = false;
  leaks_reported_ = false;
  created_ = site;
  next_.fill(0);
  event_ids_.fill(0);
  buffers_.clear();
  managed_ = 0;
  pools_.clear();
  for (Queue& q : queues_) q.alive = false;
  if (core_.type() != CoreType::kCube) return;
  for (int i = 0; i < kKeptEvents; ++i) core_.set_flag(kKeptEvent, alloc_event(kKeptEvent, "TPipe", site), "TPipe", site);
}

void TPipe::destroy(bool barrier, Site site) {
  if (!alive_) return;
  report_leaks();
  wait_free_events(site, "TPipe::Destroy", -2);
  release_kept_events("TPipe::Destroy", site);
  if (barrier) core_.pipe_barrier_all("TPipe::Destroy", site);
  alive_ = false, destroyed_ = true;
}

void TPipe::release_kept_events(const char* api, Site site) {
  if (core_.type() != CoreType::kCube) return;
  for (int i = 0; i < kKeptEvents; ++i) {
    core_.wait_flag(kKeptEvent, i, api, site);
    release_event(kKeptEvent, i, api, site);
  }
}

void TPipe::reset(Site site) {
  require_alive("TPipe::Reset", site);
  report_leaks();
  wait_free_events(site, "TPipe::Reset", -2);
  release_kept_events("TPipe::Reset", site);
  alive_ = false;
  create(created_);
}

void TPipe::refuse_empty(bool harmless, Site site, std::string message) {
  Finding f;
  f.code = "init-buffer-empty", f.api = "InitBuffer", f.site = site, f.message = std::move(message);
  f.hint = "Compute len in bytes from the tile length before InitBuffer; a tile length of 0 usually means that the tiling "
           "data were not read.";
  // A buffer of no bytes takes no place; touching it is out of bounds.
  if (!harmless) core_.fatal(std::move(f));
  core_.report(f);
}

void TPipe::require_room(const Queue& q, const Buffer& b, const char* api, Site site) {
  const uint32_t capacity = core_.memory().capacity(q.space);
  if (uint64_t{b.addr} + b.bytes <= capacity) return;
  fatal(q.space == Space::UB ? "ub-overflow" : "memory-overflow", api, site,
        std::string(api) + " uses a buffer at bytes [" + std::to_string(b.addr) + ", " +
            std::to_string(uint64_t{b.addr} + b.bytes) + ") of " + space_name(q.space) + ", which has " +
            std::to_string(capacity) + " bytes.",
        "Make the tile smaller, or use fewer buffers: all InitBuffer lengths have to fit together.");
}

TPipe::Pool* TPipe::pool_of(int32_t id, const char* api, Site site) {
  if (id == -1) return nullptr;
  if (id < 0 || static_cast<size_t>(id) >= pools_.size())
    fatal("queue-not-initialised", api, site, std::string(api) + " on a TBufPool that InitBufPool never set up.",
          "Call TPipe::InitBufPool(pool, bytes) before the pool is used.");
  return &pools_[static_cast<size_t>(id)];
}

uint32_t TPipe::take(Pool* pool, Space space, uint64_t bytes, const char* what, Site site) {
  const uint64_t start = pool != nullptr ? pool->next : next_[static_cast<size_t>(space)];
  const uint64_t limit = pool != nullptr ? pool->end : core_.memory().capacity(space);
  if (start + bytes > limit) {
    JsonObject evidence;
    evidence.text("memory", space_name(space)).number("allocated", static_cast<int64_t>(start));
    evidence.number("requested", static_cast<int64_t>(bytes)).number("limit", static_cast<int64_t>(limit));
    const std::string where = pool != nullptr ? "the TBufPool" : space_name(space);
    const char* code = pool != nullptr ? "pool-limit" : space == Space::UB ? "ub-overflow" : "memory-overflow";
    Finding f;
    f.code = code, f.api = what, f.site = site, f.evidence = evidence.str();
    f.message = std::string(what) + " asks for " + std::to_string(bytes) + " bytes, but " + where + " has " +
                std::to_string(limit) + " bytes and " + std::to_string(start) + " are taken.";
    f.hint = "Make the tile smaller, or use fewer buffers: all InitBuffer lengths (times their number, rounded up to 32 "
             "bytes) have to fit together.";
    // The chip only counts here. What has no place does harm when it is used, and the run ends there.
    if (pool != nullptr || space != Space::UB || start + bytes > kMostReserved) core_.fatal(std::move(f));
    core_.report(f);
  }
  (pool != nullptr ? pool->next : next_[static_cast<size_t>(space)]) = static_cast<uint32_t>(start + bytes);
  return static_cast<uint32_t>(start);
}

int32_t TPipe::add_queue(Queue queue, int64_t num, Site site) {
  const auto count = static_cast<size_t>(num);
  queue.first = buffers_.size();
  queue.count = count;
  if (queue.pool >= 0) {
    Pool& pool = pools_[static_cast<size_t>(queue.pool)];
    pool.used += static_cast<uint32_t>(count);
    if (pool.used > pool.ids)
      error("pool-limit", "InitBuffer", site,
            "The TBufPool holds " + std::to_string(pool.used) + " buffers, more than its bufIDSize of " +
                std::to_string(pool.ids) + ".",
            "Raise the bufIDSize template argument (at most 16) or use fewer buffers.");
  } else {
    managed_ += count;
    if (managed_ > kMaxBuffers)
      error("buffer-count-limit", "InitBuffer", site,
            "The TPipe manages " + std::to_string(managed_) + " buffers; the limit is 64 (each queue counts its num, "
            "each TBuf counts 1).",
            "Merge buffers into one queue entry and use offsets inside it.");
  }
  buffers_.resize(buffers_.size() + count);
  queues_.push_back(std::move(queue));
  const auto id = static_cast<int32_t>(queues_.size() - 1);
  for (size_t i = 0; i < count; ++i) buffers_[queues_.back().first + i].queue = id;
  return id;
}

int32_t TPipe::init_queue(int32_t pool_id, uint8_t src, uint8_t dst, uint8_t user, int32_t depth, int64_t num,
                          int64_t len, Site site) {
  revive(site);
  Pool* pool = pool_of(pool_id, "InitBuffer", site);
  if (num <= 0 || num > 64 || len <= 0)
    refuse_empty(num > 0 && num <= 64 && len == 0, site,
                 "InitBuffer(queue, num = " + std::to_string(num) + ", len = " + std::to_string(len) +
                     "): num has to be 1 to 64 and len more than 0 bytes.");
  Queue q;
  const Space from = space_of(src);
  const Space to = space_of(dst);
  q.space = from == Space::GM ? to : from;
  // A queue inside one step of the memory hierarchy lives where its consumer reads.
  if (from == Space::L1 || (from == Space::UB && to == Space::L1)) q.space = to;
  q.position = user, q.depth = depth, q.pool = pool_id;
  const Events events = events_between(from, to);
  q.forward = events.forward, q.backward = events.backward;
  const uint32_t each = round32(static_cast<uint64_t>(len));
  const uint32_t start = take(pool, q.space, uint64_t{each} * static_cast<uint64_t>(num), "InitBuffer", site);
  const int32_t id = add_queue(std::move(q), num, site);
  Queue& added = queues_[static_cast<size_t>(id)];
  for (size_t i = 0; i < added.count; ++i) {
    buffers_[added.first + i].addr = start + static_cast<uint32_t>(i) * each;
    buffers_[added.first + i].bytes = each;
  }
  if (depth == 0) prepare_in_place(added, site);
  return id;
}

int32_t TPipe::init_queue_at(uint8_t src, uint8_t dst, uint8_t user, int32_t depth, int64_t num, const uint32_t* pairs,
                             Site site) {
  revive(site);
  if (num < 1 || num > 64)
    fatal("init-buffer-empty", "InitBuffer", site, "InitBuffer with " + std::to_string(num) + " addresses.",
          "Give 1 to 64 (address, length) pairs.");
  Queue q;
  const Space from = space_of(src);
  const Space to = space_of(dst);
  q.space = from == Space::GM ? to : from;
  q.position = user, q.depth = depth;
  const Events events = events_between(from, to);
  q.forward = events.forward, q.backward = events.backward;
  const int32_t id = add_queue(std::move(q), num, site);
  Queue& added = queues_[static_cast<size_t>(id)];
  for (size_t i = 0; i < added.count; ++i) {
    Buffer& b = buffers_[added.first + i];
    b.addr = pairs[2 * i], b.bytes = round32(pairs[2 * i + 1]);
    if (uint64_t{b.addr} + b.bytes > core_.memory().capacity(added.space))
      fatal("ub-overflow", "InitBuffer", site,
            "InitBuffer with address " + std::to_string(b.addr) + " and " + std::to_string(b.bytes) +
                " bytes reaches beyond the " + std::to_string(core_.memory().capacity(added.space)) + " bytes of " +
                space_name(added.space) + ".",
            "Keep address + length inside the memory.");
  }
  if (depth == 0) prepare_in_place(added, site);
  return id;
}

uint32_t TPipe::pool_begin(int32_t id, Site site) {
  const Pool* pool = pool_of(id, "InitBufPool", site);
  return pool == nullptr ? 0 : pool->begin;
}

int32_t TPipe::init_handles(int32_t pool_id, bool is_buf, uint8_t src, uint8_t dst, uint8_t user, int32_t depth,
                            int64_t num, Site site) {
  require_alive("InitStartBufHandle", site);
  pool_of(pool_id, "InitStartBufHandle", site);
  if (num < 1 || num > 64)
    fatal("init-buffer-empty", "InitStartBufHandle", site, "InitStartBufHandle of " + std::to_string(num) + " buffers.",
          "A queue has 1 to 64 buffers.");
  Queue q;
  const Space from = space_of(src);
  const Space to = space_of(dst);
  q.is_buf = is_buf, q.position = user, q.depth = depth, q.pool = pool_id;
  q.space = is_buf ? space_of(user) : from == Space::GM ? to : from;
  if (!is_buf) {
    const Events events = events_between(from, to);
    q.forward = events.forward, q.backward = events.backward;
  }
  return add_queue(std::move(q), num, site);
}

void TPipe::place_handle(int32_t id, uint32_t index, uint32_t addr, uint32_t bytes, Site site) {
  Queue& q = queue_of(id, "InitBufHandle", site);
  const Pool* pool = pool_of(q.pool, "InitBufHandle", site);
  const uint32_t rounded = round32(bytes);
  const uint32_t begin = pool == nullptr ? 0 : pool->begin;
  const uint32_t end = pool == nullptr ? core_.memory().capacity(q.space) : pool->end;
  if (index >= q.count || addr < begin || uint64_t{addr} + rounded > end)
    fatal("pool-limit", "InitBufHandle", site,
          "InitBufHandle puts buffer " + std::to_string(index) + " of " + std::to_string(q.count) + " at address " +
              std::to_string(addr) + " with " + std::to_string(bytes) + " bytes; the pool has addresses " +
              std::to_string(begin) + " to " + std::to_string(end) + ".",
          "The index is less than the num of InitStartBufHandle, and every buffer lies inside the pool.");
  Buffer& b = buffers_[q.first + index];
  b.addr = addr, b.bytes = rounded;
  if (!q.is_buf && q.depth == 0 && index + 1 == q.count) prepare_in_place(q, site);
}

int32_t TPipe::init_buf(int32_t pool_id, uint8_t position, int64_t len, Site site) {
  revive(site);
  Pool* pool = pool_of(pool_id, "InitBuffer", site);
  if (len <= 0)
    refuse_empty(len == 0, site, "InitBuffer(buf, len = " + std::to_string(len) + "): len has to be more than 0 bytes.");
  Queue q;
  q.is_buf = true;
  q.position = position, q.space = space_of(position), q.pool = pool_id;
  const uint32_t bytes = round32(static_cast<uint64_t>(len));
  const uint32_t start = take(pool, q.space, bytes, "InitBuffer", site);
  const int32_t id = add_queue(std::move(q), 1, site);
  buffers_.back().addr = start;
  buffers_.back().bytes = bytes;
  return id;
}

int32_t TPipe::init_pool(int32_t parent, uint8_t position, int64_t len, int32_t share, uint32_t ids, Site site) {
  revive(site);
  Pool* outer = pool_of(parent, "InitBufPool", site);
  const Space space = space_of(position);
  if (len <= 0 || (space != Space::UB && space != Space::L1))
    fatal("pool-limit", "InitBufPool", site,
          "InitBufPool of " + std::to_string(len) + " bytes in " + space_name(space) + ".",
          "A TBufPool lives in UB or L1 and has more than 0 bytes.");
  const uint32_t bytes = round32(static_cast<uint64_t>(len));
  uint32_t start = 0;
  if (share != -1) {
    const Pool* other = pool_of(share, "InitBufPool", site);
    start = other->begin;
    if (other->space != space || bytes > other->end - other->begin)
      fatal("pool-limit", "InitBufPool", site, "The shared TBufPool is smaller or lives in another memory.",
            "Share a pool of the same memory that has at least the length asked for.");
  } else {
    start = take(outer, space, bytes, "InitBufPool", site);
  }
  pools_.push_back({space, start, start + bytes, start, ids});
  return static_cast<int32_t>(pools_.size() - 1);
}

void TPipe::pool_reset(int32_t id, Site site) {
  Pool* pool = pool_of(id, "TBufPool::Reset", site);
  if (pool == nullptr) return;
  wait_free_events(site, "TBufPool::Reset", id);
  pool->next = pool->begin;
  pool->used = 0;
  for (Queue& q : queues_)
    if (q.pool == id) q.alive = false;
}

Local TPipe::buf_get(int32_t id, int64_t offset, int64_t bytes, Site site) {
  const Queue& q = queue_of(id, "TBuf::Get", site);
  const Buffer& b = buffers_[q.first];
  require_room(q, b, "TBuf::Get", site);
  if (bytes < 0) bytes = int64_t{b.bytes} - offset;
  if (offset < 0 || bytes < 0 || offset + bytes > int64_t{b.bytes}) {
    JsonObject evidence;
    evidence.number("offset", offset).number("bytes", bytes).number("buffer_bytes", b.bytes);
    Finding f;
    f.code = "tbuf-out-of-range", f.api = "TBuf::Get", f.site = site;
    f.message = "TBuf::Get asks for bytes [" + std::to_string(offset) + ", " + std::to_string(offset + bytes) +
                ") of a buffer of " + std::to_string(b.bytes) + " bytes.";
    f.hint = "Get(len) counts elements, GetWithOffset(size, offset) elements and bytes; make InitBuffer's length cover it.";
    f.evidence = evidence.str();
    core_.report(f);
  }
  if (offset % 32 != 0)
    error("misaligned-address", "TBuf::GetWithOffset", site,
          "TBuf::GetWithOffset at byte " + std::to_string(offset) + ", which is no multiple of 32.",
          "The offset is in bytes, in steps of 32: round it up.");
  Local t = tensor_of(q, b);
  t.addr += static_cast<uint32_t>(offset);
  t.bytes = static_cast<uint32_t>(std::max<int64_t>(bytes, 0));
  return t;
}

Local TPipe::free_tail(uint8_t position, bool whole) const {
  const Space space = space_of(position);
  uint32_t start = next_[static_cast<size_t>(space)];
  uint32_t end = core_.memory().capacity(space);
  if (start > end) {
    // Buffers beyond the memory are reported already; what is used ends with the last one that has a place.
    start = 0;
    for (const Buffer& b : buffers_) {
      const bool here = b.queue >= 0 && queues_[static_cast<size_t>(b.queue)].alive &&
                        queues_[static_cast<size_t>(b.queue)].space == space;
      if (here && b.addr + b.bytes <= end) start = std::max(start, b.addr + b.bytes);
    }
    for (const Pool& pool : pools_)
      if (pool.space == space) start = std::max(start, pool.end);
    return {start, 0, position, DType::kUint8};
  }
  // Library code takes its scratch below the area that Select and the like reserve at the top of UB.
  if (space == Space::UB && !whole) end = static_cast<uint32_t>(core_.launch().params().at("ub_stack_end_bytes"));
  return {start, end > start ? end - start : 0, position, DType::kUint8};
}

}  // namespace akrt
