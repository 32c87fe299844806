// Buffers, queues and event ids of a core: what TPipe, TQue and TBuf manage.
//
// Memory is handed out by one bump allocator per physical memory. A buffer goes FREE -> OCCUPIED (AllocTensor) ->
// ENQUE (EnQue) -> DEQUE (DeQue) -> FREE (FreeTensor); EnQue/DeQue and FreeTensor/AllocTensor carry a hard event each.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "akrt/abi.h"
#include "akrt/events.h"

namespace akrt {

class Core;

enum class BufferState : uint8_t { kFree, kOccupied, kEnque, kDeque };

struct Buffer {
  BufferState state = BufferState::kFree;
  uint32_t addr = 0;
  uint32_t bytes = 0;
  int32_t queue = -1;
  int8_t enque_id = -1;  // event id of a pending EnQue
  uint8_t enque_event = 0;
  int8_t free_id = -1;   // event id of a pending FreeTensor
  uint8_t free_event = 0;
  uint8_t src_user = kNoPosition, dst_user = kNoPosition;  // positions named by EnQue<src, dst>
  const char* last_api = "";
  Site last_site = nullptr;
};

struct Queue {
  bool is_buf = false;  // a TBuf
  uint8_t position = 0; // TPosition its tensors carry
  Space space = Space::UB;
  int32_t depth = 1;
  int32_t pool = -1;
  uint8_t forward = 0;   // HardEvent from EnQue to DeQue
  uint8_t backward = 0;  // HardEvent from FreeTensor to AllocTensor
  size_t first = 0;      // its buffers are buffers_[first, first + count)
  size_t count = 0;
  size_t cursor = 0;
  bool alive = true;     // false after Reset
  std::deque<size_t> enqueued;
};

class TPipe {
 public:
  static constexpr size_t kMaxBuffers = 64;
  static constexpr int kMaxLive = 8;  // tensors of one position, because each needs an event id

  explicit TPipe(Core& core) : core_(core) {}

  void create(Site site);
  void destroy(bool barrier, Site site);
  void reset(Site site);
  bool alive() const { return alive_; }
  bool holds_buffers() const { return managed_ != 0; }

  int32_t init_queue(int32_t pool, uint8_t src, uint8_t dst, uint8_t user, int32_t depth, int64_t num, int64_t len,
                     Site site);
  int32_t init_queue_at(uint8_t src, uint8_t dst, uint8_t user, int32_t depth, int64_t num, const uint32_t* pairs,
                        Site site);
  int32_t init_buf(int32_t pool, uint8_t position, int64_t len, Site site);
  int32_t init_pool(int32_t parent, uint8_t position, int64_t len, int32_t share, uint32_t ids, Site site);
  void pool_reset(int32_t pool, Site site);
  uint32_t pool_begin(int32_t pool, Site site);
  int32_t init_handles(int32_t pool, bool is_buf, uint8_t src, uint8_t dst, uint8_t user, int32_t depth, int64_t num,
                       Site site);
  void place_handle(int32_t queue, uint32_t index, uint32_t addr, uint32_t bytes, Site site);
  Local buf_get(int32_t buf, int64_t offset, int64_t bytes, Site site);
  Local free_tail(uint8_t position, bool whole) const;

  Local alloc(int32_t queue, bool in_place, Site site);
  void free(int32_t queue, Local tensor, Site site);
  void enque(int32_t queue, Local tensor, uint8_t src_user, uint8_t dst_user, Site site);
  Local deque(int32_t queue, uint8_t src_user, uint8_t dst_user, Site site);
  Local deque_in_place(int32_t queue, Local tensor, Site site);
  int32_t count(int32_t queue, Site site);
  bool vacant(int32_t queue, Site site);
  bool idle(int32_t queue, Site site);
  BufferState state(int32_t queue, Local tensor, Site site);
  void free_all_event(int32_t queue, Site site);
  Local buffer_at(int32_t queue, uint32_t addr, Site site);

  int32_t alloc_event(uint8_t event, const char* api, Site site);
  int32_t fetch_event(uint8_t event, const char* api, Site site);
  void release_event(uint8_t event, int32_t id, const char* api, Site site);

 private:
  struct Pool {
    Space space;
    uint32_t begin;
    uint32_t end;
    uint32_t next;
    uint32_t ids;   // most buffers
    uint32_t used = 0;
  };

  // A TPipe on a cube core sets three flags for the matmul library and waits for them at its end.
  static constexpr int kKeptEvents = 3;
  static constexpr uint8_t kKeptEvent = static_cast<uint8_t>(event_of(Pipe::M, Pipe::MTE1));
  void release_kept_events(const char* api, Site site);
  void require_alive(const char* api, Site site);
  // What InitBuffer says to a number or length that it cannot take; stops unless harmless.
  void refuse_empty(bool harmless, Site site, std::string message);
  // Stops where a buffer is used that InitBuffer found no place for.
  void require_room(const Queue& queue, const Buffer& buffer, const char* api, Site site);
  // InitBuffer on a pipe that was destroyed begins anew.
  void revive(Site site);
  Queue& queue_of(int32_t id, const char* api, Site site);
  Queue& tensor_queue(int32_t id, const char* api, Site site);
  Pool* pool_of(int32_t id, const char* api, Site site);
  // Start of `bytes` new bytes in the pool or memory; past the end of UB where there is no room, with a finding.
  uint32_t take(Pool* pool, Space space, uint64_t bytes, const char* what, Site site);
  int32_t add_queue(Queue queue, int64_t num, Site site);
  void prepare_in_place(const Queue& queue, Site site);
  size_t find_buffer(const Queue& queue, Local tensor, const char* api, Site site);
  Local tensor_of(const Queue& queue, const Buffer& buffer) const;
  void check_live(uint8_t position, Site site);
  void mark(Buffer& buffer, BufferState state, const char* api, Site site);
  void wait_free_event(Buffer& buffer, const char* api, Site site);
  void wait_free_events(Site site, const char* api, int32_t pool);
  void report_leaks();
  std::string describe(const Queue& queue) const;
  [[noreturn]] void fatal(const char* code, const char* api, Site site, std::string message, std::string hint,
                          std::string evidence = "");
  void error(const char* code, const char* api, Site site, std::string message, std::string hint,
             const Buffer* other = nullptr);

  Core& core_;
  bool alive_ = false;
  bool destroyed_ = false;
  bool leaks_reported_ = false;
  Site created_ = nullptr;
  std::array<uint32_t, kSpaces> next_{};  // bump allocators
  std::vector<Buffer> buffers_;
  size_t managed_ = 0;                    // buffers that count against kMaxBuffers
  std::vector<Queue> queues_;
  std::vector<Pool> pools_;
  std::array<uint8_t, kEvents> event_ids_{};  // bit per reserved id
};

}  // namespace akrt
