// The queue state machine of TPipe, and event ids.
#include <algorithm>

#include "core.h"
#include "json.h"
#include "tpipe.h"

namespace akrt {

namespace {

const char* state_name(BufferState s) {
  static constexpr const char* kNames[] = {"FREE", "OCCUPIED (AllocTensor)", "ENQUE (EnQue)", "DEQUE (DeQue)"};
  return kNames[static_cast<size_t>(s)];
}

const char* position_name(uint8_t position) {
  static constexpr const char* kNames[kPositions] = {"GM",  "A1",    "A2",     "B1",      "B2",  "C1",   "C2",        "CO1",
                                                     "CO2", "VECIN", "VECOUT", "VECCALC", "SPM", "TSCM", "C2PIPE2GM", "C2PIPE2LOCAL"};
  return position < kPositions ? kNames[position] : "?";
}

constexpr const char* kNotInitialised =
    "Call TPipe::InitBuffer(queue, num, len) once before the queue is used, on a TPipe that is still alive.";

}  // namespace

Queue& TPipe::queue_of(int32_t id, const char* api, Site site) {
  if (id < 0 || static_cast<size_t>(id) >= queues_.size() || !queues_[static_cast<size_t>(id)].alive)
    fatal("queue-not-initialised", api, site, std::string(api) + " on a buffer that InitBuffer never set up.",
          kNotInitialised);
  require_alive(api, site);
  return queues_[static_cast<size_t>(id)];
}

Queue& TPipe::tensor_queue(int32_t id, const char* api, Site site) {
  Queue& q = queue_of(id, api, site);
  if (q.is_buf)
    fatal("wrong-queue", api, site, std::string(api) + " on a TBuf.", "A TBuf is used with Get; it has no queue.");
  return q;
}

Local TPipe::tensor_of(const Queue& q, const Buffer& b) const {
  return {b.addr, b.bytes, q.position, DType::kUint8};
}

void TPipe::mark(Buffer& b, BufferState state, const char* api, Site site) {
  b.state = state;
  b.last_api = api;
  b.last_site = site;
}

std::string TPipe::describe(const Queue& q) const {
  std::string out;
  for (size_t i = 0; i < q.count; ++i) {
    out += i == 0 ? "" : ", ";
    out += state_name(buffers_[q.first + i].state);
  }
  return out;
}

size_t TPipe::find_buffer(const Queue& q, Local tensor, const char* api, Site site) {
  for (size_t i = 0; i < q.count; ++i)
    if (buffers_[q.first + i].addr == tensor.addr && space_of(tensor.position) == q.space) return q.first + i;
  std::string message = std::string(api) + " on the " + position_name(q.position) + " queue with a tensor that ";
  std::string hint = "Give back exactly the tensor that AllocTensor or DeQue of this queue returned.";
  const Buffer* inside = nullptr;
  for (const Buffer& b : buffers_) {
    const bool alive = b.queue >= 0 && queues_[static_cast<size_t>(b.queue)].alive;
    const bool same_space = alive && queues_[static_cast<size_t>(b.queue)].space == space_of(tensor.position);
    if (same_space && tensor.addr >= b.addr && tensor.addr < b.addr + b.bytes) inside = &b;
  }
  if (inside == nullptr) {
    message += "is no buffer of any queue.";
  } else if (&queues_[static_cast<size_t>(inside->queue)] == &q) {
    message += "starts inside one of its buffers, at byte " + std::to_string(tensor.addr - inside->addr) + ".";
    hint = "A sub-tensor (x[offset]) cannot be enqueued or freed; pass the whole tensor.";
  } else {
    const Queue& owner = queues_[static_cast<size_t>(inside->queue)];
    message += owner.is_buf ? "belongs to a TBuf." : "belongs to another queue (" +
                                                         std::string(position_name(owner.position)) + ").";
  }
  fatal("wrong-queue", api, site, message, hint);
}

void TPipe::check_live(uint8_t position, Site site) {
  int live = 0;
  const Buffer* oldest = nullptr;
  for (const Buffer& b : buffers_) {
    if (b.state == BufferState::kFree || queues_[static_cast<size_t>(b.queue)].position != position) continue;
    ++live;
    if (oldest == nullptr) oldest = &b;
  }
  if (live <= kMaxLive) return;
  error("position-live-limit", "AllocTensor", site,
        std::to_string(live) + " tensors of position " + position_name(position) + " are allocated at the same time; "
        "the chip has event ids for 8.",
        "Merge several buffers into one queue entry and use offsets, or free tensors earlier.", oldest);
}

void TPipe::wait_free_event(Buffer& b, const char* api, Site site) {
  if (b.free_id < 0) return;
  core_.wait_flag(b.free_event, b.free_id, api, site);
  if (queues_[static_cast<size_t>(b.queue)].depth != 0) {
    release_event(b.free_event, b.free_id, api, site);
    b.free_id = -1;
  }
}

void TPipe::wait_free_events(Site site, const char* api, int32_t pool) {
  for (Buffer& b : buffers_) {
    if (b.queue < 0) continue;
    const Queue& q = queues_[static_cast<size_t>(b.queue)];
    if (!q.alive || q.is_buf || (pool >= -1 && q.pool != pool)) continue;
    if (b.state == BufferState::kFree) wait_free_event(b, api, site);
  }
}

void TPipe::prepare_in_place(const Queue& q, Site site) {
  for (size_t i = 0; i < q.count; ++i) {
    Buffer& b = buffers_[q.first + i];
    b.enque_event = q.forward, b.free_event = q.backward;
    b.enque_id = static_cast<int8_t>(alloc_event(q.forward, "InitBuffer", site));
    b.free_id = static_cast<int8_t>(alloc_event(q.backward, "InitBuffer", site));
    core_.set_flag(q.backward, b.free_id, "InitBuffer", site);
  }
}

Local TPipe::alloc(int32_t id, bool in_place, Site site) {
  Queue& q = tensor_queue(id, "AllocTensor", site);
  if (in_place != (q.depth == 0))
    error("wrong-depth", "AllocTensor", site,
          in_place ? "AllocTensor(tensor) on a queue whose depth is not 0." : "AllocTensor() on a queue of depth 0.",
          "AllocTensor<T>(tensor) and DeQue<T>(tensor) need depth 0; the forms that return a tensor need depth 1 or more.");
  size_t at = buffers_.size();
  for (size_t i = 0; i < q.count; ++i) {
    const size_t candidate = q.first + (q.cursor + i) % q.count;
    if (buffers_[candidate].state == BufferState::kFree) {
      at = candidate;
      q.cursor = (q.cursor + i + 1) % q.count;
      break;
    }
  }
  if (at == buffers_.size()) {
    const Buffer& held = buffers_[q.first + q.cursor % q.count];
    JsonObject evidence;
    evidence.text("queue", position_name(q.position)).number("buffers", static_cast<int64_t>(q.count));
    evidence.text("states", describe(q));
    Finding f;
    f.code = "alloc-no-free-buffer", f.gravity = Gravity::kFatal, f.api = "AllocTensor", f.site = site;
    f.other_api = held.last_api, f.other_site = held.last_site;
    f.message = "AllocTensor on the " + std::string(position_name(q.position)) + " queue finds no free buffer: its " +
                std::to_string(q.count) + " buffer(s) are " + describe(q) + ". The chip would wait for ever.";
    f.hint = "Every AllocTensor needs its EnQue, DeQue and FreeTensor before the buffers run out; look for a missing "
             "FreeTensor, or raise num in InitBuffer.";
    f.evidence = evidence.str();
    core_.fatal(std::move(f));
  }
  Buffer& b = buffers_[at];
  require_room(q, b, "AllocTensor", site);
  wait_free_event(b, "AllocTensor", site);
  mark(b, BufferState::kOccupied, "AllocTensor", site);
  check_live(q.position, site);
  return tensor_of(q, b);
}

void TPipe::free(int32_t id, Local tensor, Site site) {
  Queue& q = tensor_queue(id, "FreeTensor", site);
  Buffer& b = buffers_[find_buffer(q, tensor, "FreeTensor", site)];
  if (b.state == BufferState::kFree) {
    error("double-free", "FreeTensor", site, "FreeTensor on a tensor that is already free.",
          "Free each tensor once, after its last use.", &b);
    return;
  }
  if (b.state == BufferState::kEnque) {
    error("wrong-buffer-state", "FreeTensor", site, "FreeTensor on a tensor that is still in the queue.",
          "DeQue it first: AllocTensor, EnQue, DeQue, FreeTensor is the order.", &b);
    std::erase(q.enqueued, static_cast<size_t>(&b - buffers_.data()));
  }
  if (q.depth != 0) {
    b.free_event = q.backward;
    b.free_id = static_cast<int8_t>(alloc_event(q.backward, "FreeTensor", site));
  }
  core_.set_flag(b.free_event, b.free_id, "FreeTensor", site);
  mark(b, BufferState::kFree, "FreeTensor", site);
}

void TPipe::enque(int32_t id, Local tensor, uint8_t src_user, uint8_t dst_user, Site site) {
  Queue& q = tensor_queue(id, "EnQue", site);
  const size_t at = find_buffer(q, tensor, "EnQue", site);
  Buffer& b = buffers_[at];
  if (b.state != BufferState::kOccupied && b.state != BufferState::kDeque) {
    error("wrong-buffer-state", "EnQue", site,
          std::string("EnQue on a tensor whose buffer is ") + state_name(b.state) + ".",
          "EnQue takes a tensor that AllocTensor or DeQue returned and that was not enqueued or freed since.", &b);
    return;
  }
  if (q.depth != 0 && q.enqueued.size() >= static_cast<size_t>(q.depth)) {
    const Buffer& first = buffers_[q.enqueued.front()];
    Finding f;
    f.code = "queue-full", f.gravity = Gravity::kFatal, f.api = "EnQue", f.site = site;
    f.other_api = first.last_api, f.other_site = first.last_site;
    f.message = "EnQue on the " + std::string(position_name(q.position)) + " queue of depth " +
                std::to_string(q.depth) + " that already holds " + std::to_string(q.enqueued.size()) + ".";
    f.hint = "DeQue before the next EnQue, or raise the depth template argument (depth is how many EnQue may be "
             "outstanding; num in InitBuffer is how many buffers there are).";
    core_.fatal(std::move(f));
  }
  uint8_t event = q.forward;
  if (src_user != kNoPosition) {
    const Space from = space_of(src_user);
    const Space to = space_of(dst_user);
    const Pipe src = from == Space::GM ? Pipe::MTE2 : Pipe::V;
    const Pipe dst = to == Space::GM ? Pipe::MTE3 : Pipe::V;
    event = static_cast<uint8_t>(event_of(src, dst));
  }
  b.src_user = src_user, b.dst_user = dst_user;
  b.enque_event = event;
  const bool v_v = kEventPipes[event].src == kEventPipes[event].dst;
  if (v_v) {
    core_.pipe_barrier(kEventPipes[event].src, "EnQue", site);
  } else {
    if (q.depth != 0) b.enque_id = static_cast<int8_t>(alloc_event(event, "EnQue", site));
    core_.set_flag(event, b.enque_id, "EnQue", site);
  }
  q.enqueued.push_back(at);
  mark(b, BufferState::kEnque, "EnQue", site);
}

Local TPipe::deque(int32_t id, uint8_t src_user, uint8_t dst_user, Site site) {
  Queue& q = tensor_queue(id, "DeQue", site);
  if (q.enqueued.empty())
    fatal("queue-empty", "DeQue", site,
          "DeQue on the " + std::string(position_name(q.position)) + " queue, which is empty; its buffer(s) are " +
              describe(q) + ".",
          "EnQue a tensor before DeQue; each DeQue takes one EnQue.");
  const size_t at = q.enqueued.front();
  q.enqueued.pop_front();
  Buffer& b = buffers_[at];
  if (b.src_user != src_user || b.dst_user != dst_user)
    error("enque-deque-mismatch", "DeQue", site, "EnQue and DeQue of this tensor name different positions.",
          "Give EnQue<src, dst> and DeQue<src, dst> the same two positions.", &b);
  if (kEventPipes[b.enque_event].src != kEventPipes[b.enque_event].dst) {
    core_.wait_flag(b.enque_event, b.enque_id, "DeQue", site);
    if (q.depth != 0) {
      release_event(b.enque_event, b.enque_id, "DeQue", site);
      b.enque_id = -1;
    }
  }
  mark(b, BufferState::kDeque, "DeQue", site);
  return tensor_of(q, b);
}

Local TPipe::deque_in_place(int32_t id, Local tensor, Site site) {
  Queue& q = tensor_queue(id, "DeQue", site);
  if (q.depth != 0)
    error("wrong-depth", "DeQue", site, "DeQue(tensor) on a queue whose depth is not 0.",
          "AllocTensor<T>(tensor) and DeQue<T>(tensor) need depth 0; the forms that return a tensor need depth 1 or more.");
  if (tensor.bytes != 0) {
    // The reference still names the buffer: that one comes out, whatever the order.
    const size_t at = find_buffer(q, tensor, "DeQue", site);
    const auto place = std::find(q.enqueued.begin(), q.enqueued.end(), at);
    if (place != q.enqueued.end()) {
      q.enqueued.erase(place);
      q.enqueued.push_front(at);
    }
  }
  return deque(id, kNoPosition, kNoPosition, site);
}

int32_t TPipe::count(int32_t id, Site site) {
  return static_cast<int32_t>(tensor_queue(id, "GetTensorCountInQue", site).enqueued.size());
}

bool TPipe::vacant(int32_t id, Site site) {
  const Queue& q = tensor_queue(id, "VacantInQue", site);
  return q.enqueued.size() < static_cast<size_t>(std::max(q.depth, 0));
}

bool TPipe::idle(int32_t id, Site site) {
  const Queue& q = tensor_queue(id, "HasIdleBuffer", site);
  for (size_t i = 0; i < q.count; ++i)
    if (buffers_[q.first + i].state == BufferState::kFree) return true;
  return false;
}

BufferState TPipe::state(int32_t id, Local tensor, Site site) {
  const Queue& q = queue_of(id, "GetState", site);
  return buffers_[find_buffer(q, tensor, "GetState", site)].state;
}

Local TPipe::buffer_at(int32_t id, uint32_t addr, Site site) {
  const Queue& q = queue_of(id, "GetBufferAddr", site);
  const Local probe{addr, 1, q.position, DType::kUint8};
  return tensor_of(q, buffers_[find_buffer(q, probe, "GetBufferAddr", site)]);
}

void TPipe::free_all_event(int32_t id, Site site) {
  const Queue& q = tensor_queue(id, "FreeAllEvent", site);
  if (q.depth == 0)
    error("wrong-depth", "FreeAllEvent", site, "FreeAllEvent on a queue of depth 0.", "Use it on queues of depth 1 or more.");
  for (size_t i = 0; i < q.count; ++i) wait_free_event(buffers_[q.first + i], "FreeAllEvent", site);
}

void TPipe::report_leaks() {
  if (leaks_reported_) return;
  leaks_reported_ = true;
  for (const Buffer& b : buffers_) {
    if (b.queue < 0 || b.state == BufferState::kFree) continue;
    const Queue& q = queues_[static_cast<size_t>(b.queue)];
    if (!q.alive || q.is_buf) continue;
    error("tensor-leak", b.last_api, b.last_site,
          "A tensor of the " + std::string(position_name(q.position)) + " queue is still " + state_name(b.state) +
              " when the kernel ends.",
          b.state == BufferState::kEnque ? "DeQue it and FreeTensor it." : "FreeTensor it after its last use.");
  }
}

int32_t TPipe::alloc_event(uint8_t event, const char* api, Site site) {
  const int32_t id = fetch_event(event, api, site);
  event_ids_[event] = static_cast<uint8_t>(event_ids_[event] | (1u << id));
  return id;
}

int32_t TPipe::fetch_event(uint8_t event, const char* api, Site site) {
  for (int32_t id = 0; id < kEventIds; ++id)
    if ((event_ids_[event] & (1u << id)) == 0) return id;
  fatal("event-ids-exhausted", api, site,
        std::string(api) + " needs an event id of " + event_name(event) + ", and all 8 are in use.",
        "At most 8 tensors may be on the way in one direction: fewer queues or buffers on this position, DeQue and "
        "FreeTensor earlier, ReleaseEventID after use.");
}

void TPipe::release_event(uint8_t event, int32_t id, const char* api, Site site) {
  if (id < 0 || id >= kEventIds || (event_ids_[event] & (1u << id)) == 0) {
    error("event-not-allocated", api, site,
          "ReleaseEventID of id " + std::to_string(id) + " of " + event_name(event) + ", which is not allocated.",
          "Release only what AllocEventID returned, once.");
    return;
  }
  event_ids_[event] = static_cast<uint8_t>(event_ids_[event] & ~(1u << id));
}

}  // namespace akrt
