// The core half of the C ABI: each function acts on the core that is running.
#include "akrt/abi_core.h"

#include <cstring>

#include "core.h"
#include "print.h"

using akrt::Core;
using akrt::DType;
using akrt::Finding;
using akrt::Global;
using akrt::Gravity;
using akrt::Local;
using akrt::Machine;
using akrt::Pipe;
using akrt::Site;
using akrt::Space;

namespace {

Core& core() { return Machine::current().core(); }
akrt::TPipe& tpipe() { return core().pipe(); }
akrt::Registers& regs() { return Machine::current().regs(); }

void check_event(uint8_t event, const char* api, Site site) {
  if (event < akrt::kEvents) return;
  Finding f;
  f.code = "illegal-argument", f.api = api, f.site = site;
  f.message = std::string(api) + " of event " + std::to_string(event) + ", which is no HardEvent.";
  core().fatal(std::move(f));
}

}  // namespace

extern "C" {

int64_t akrt_block_idx() { return core().launch().config().block_of(core().block()); }
int64_t akrt_core_idx() { return core().launch().config().index_of(core().block()); }
int64_t akrt_block_num() { return core().launch().config().blocks; }
int64_t akrt_sub_block_idx() { return core().launch().config().sub_of(core().block()); }
int64_t akrt_task_ratio() {
  return core().type() == akrt::CoreType::kCube ? 1 : core().launch().config().group.vectors;
}
int64_t akrt_sub_block_num() { return akrt_task_ratio(); }

void akrt_bypass_l2(Global tensor) { core().launch().clock().traffic().bypass(tensor.addr); }

uint64_t akrt_system_cycle(Site) {
  constexpr double kCounterMhz = 50;
  return static_cast<uint64_t>(core().clock().scalar_now() * kCounterMhz / core().launch().clock().costs().clock_mhz);
}

void* akrt_slot_get(uint32_t slot) { return slot < kAkrtSlots ? core().slots()[slot] : nullptr; }
void akrt_slot_set(uint32_t slot, void* value) {
  if (slot < kAkrtSlots) core().slots()[slot] = value;
}
uint8_t* akrt_memory(uint8_t space) {
  return space == 0 || space >= akrt::kSpaces ? nullptr : core().memory().data(static_cast<Space>(space));
}

void akrt_unsupported(const char* api, Site site) {
  Finding f;
  f.code = "unsupported-api", f.api = api, f.site = site;
  f.message = std::string(api) + " exists on the chip but is not simulated.";
  f.hint = "The simulator stops rather than guess; use another API, or verify on a card.";
  core().fatal(std::move(f));
}

void akrt_assert_failed(const char* condition, const char* format, const akrt::PrintValue* values, uint32_t count, Site site) {
  Finding f;
  f.code = "assert-failed", f.api = "assert", f.site = site;
  f.message = std::string("The kernel's own check failed: ") + condition;
  if (format != nullptr) f.message += "; " + akrt::printed(format, values, count);
  core().fatal(std::move(f));
}

void akrt_print(const char* format, const akrt::PrintValue* values, uint32_t count, Site site) {
  core().launch().call_from("printf", site);
  core().launch().count_instruction();
  core().print(akrt::printed(format, values, count), site);
}

void akrt_watch(uint32_t slot, uint32_t begin, uint32_t end, uint32_t kinds) { core().watch(slot, begin, end, kinds); }

void akrt_argument_error(const char* code, const char* api, const char* message, const char* hint, Site site) {
  Finding f;
  f.code = code, f.api = api, f.site = site, f.message = message, f.hint = hint;
  core().report(f);
}

void akrt_set_flag(uint8_t event, int32_t id, Site site) { core().set_flag(event, id, "SetFlag", site); }
void akrt_wait_flag(uint8_t event, int32_t id, Site site) { core().wait_flag(event, id, "WaitFlag", site); }
void akrt_pipe_barrier(int32_t pipe, Site site) {
  if (pipe == akrt::kPipeTAll) {
    core().pipe_barrier_all("PipeBarrier", site);
  } else {
    core().pipe_barrier(akrt::pipe_of(pipe), "PipeBarrier", site);
  }
}
void akrt_data_sync_barrier(Site site) {
  core().launch().call_from("DataSyncBarrier", site);
  core().launch().count_instruction();
  core().clock().scalar_call();
  core().order_scalar_accesses("DataSyncBarrier", site);
}

void akrt_sync_all(bool vector_only, Site site) { core().sync_all(vector_only, site); }
void akrt_sync_all_soft(Global workspace, Local scratch, int32_t used_cores, bool vector_only, Site site) {
  core().sync_all(workspace, scratch, used_cores, vector_only, site);
}
void akrt_block_set(Global workspace, Local scratch, int32_t block, int32_t event, bool vector_only, Site site) {
  core().block_set(workspace, scratch, block, event, vector_only, site);
}
void akrt_block_wait(Global workspace, Local scratch, int32_t block, int32_t event, bool vector_only, Site site) {
  core().block_wait(workspace, scratch, block, event, vector_only, site);
}
void akrt_order_init(Global workspace, Local scratch, Site site) { core().order_init(workspace, scratch, site); }
void akrt_order_wait(Global workspace, Local scratch, Site site) { core().order_wait(workspace, scratch, site); }
void akrt_order_notify(Global workspace, Local scratch, Site site) { core().order_notify(workspace, scratch, site); }
void akrt_group_arrive(akrt::GroupBarrier barrier, uint32_t index, Site site) { core().group_arrive(barrier, index, site); }
void akrt_group_wait(akrt::GroupBarrier barrier, uint32_t index, Site site) { core().group_wait(barrier, index, site); }
void akrt_cross_set(int32_t mode, int32_t pipe, int32_t flag, Site site) {
  core().cross_set(static_cast<uint8_t>(mode), akrt::pipe_of(pipe), flag, site);
}
void akrt_cross_wait(int32_t flag, Site site) { core().cross_wait(flag, site); }

void akrt_pipe_create(Site site) { tpipe().create(site); }
void akrt_pipe_destroy(bool barrier, Site site) { tpipe().destroy(barrier, site); }
void akrt_pipe_reset(Site site) { tpipe().reset(site); }

int32_t akrt_init_queue(int32_t pool, uint8_t src, uint8_t dst, uint8_t user, int32_t depth, int64_t num, int64_t len,
                        Site site) {
  return tpipe().init_queue(pool, src, dst, user, depth, num, len, site);
}
int32_t akrt_init_queue_at(uint8_t src, uint8_t dst, uint8_t user, int32_t depth, int64_t num, const uint32_t* pairs,
                           Site site) {
  return tpipe().init_queue_at(src, dst, user, depth, num, pairs, site);
}
int32_t akrt_init_buf(int32_t pool, uint8_t position, int64_t len, Site site) {
  return tpipe().init_buf(pool, position, len, site);
}
int32_t akrt_init_pool(int32_t parent, uint8_t position, int64_t len, int32_t share, uint32_t ids, Site site) {
  return tpipe().init_pool(parent, position, len, share, ids, site);
}
void akrt_pool_reset(int32_t pool, Site site) { tpipe().pool_reset(pool, site); }
uint32_t akrt_pool_begin(int32_t pool, Site site) { return tpipe().pool_begin(pool, site); }
int32_t akrt_init_handles(int32_t pool, bool is_buf, uint8_t src, uint8_t dst, uint8_t user, int32_t depth, int64_t num,
                          Site site) {
  return tpipe().init_handles(pool, is_buf, src, dst, user, depth, num, site);
}
void akrt_place_handle(int32_t queue, uint32_t index, uint32_t addr, uint32_t bytes, Site site) {
  tpipe().place_handle(queue, index, addr, bytes, site);
}

Local akrt_alloc_tensor(int32_t queue, Site site) { return tpipe().alloc(queue, false, site); }
Local akrt_alloc_tensor_in_place(int32_t queue, Site site) { return tpipe().alloc(queue, true, site); }
void akrt_free_tensor(int32_t queue, Local tensor, Site site) { tpipe().free(queue, tensor, site); }
bool akrt_enque(int32_t queue, Local tensor, Site site) {
  tpipe().enque(queue, tensor, akrt::kNoPosition, akrt::kNoPosition, site);
  return true;
}
Local akrt_deque(int32_t queue, Site site) {
  return tpipe().deque(queue, akrt::kNoPosition, akrt::kNoPosition, site);
}
Local akrt_deque_in_place(int32_t queue, Local tensor, Site site) { return tpipe().deque_in_place(queue, tensor, site); }
bool akrt_enque_as(int32_t queue, Local tensor, uint8_t src_user, uint8_t dst_user, Site site) {
  tpipe().enque(queue, tensor, src_user, dst_user, site);
  return true;
}
Local akrt_deque_as(int32_t queue, uint8_t src_user, uint8_t dst_user, Site site) {
  return tpipe().deque(queue, src_user, dst_user, site);
}
int32_t akrt_queue_count(int32_t queue, Site site) { return tpipe().count(queue, site); }
bool akrt_queue_vacant(int32_t queue, Site site) { return tpipe().vacant(queue, site); }
bool akrt_queue_idle(int32_t queue, Site site) { return tpipe().idle(queue, site); }
int32_t akrt_buffer_state(int32_t queue, Local tensor, Site site) {
  return static_cast<int32_t>(tpipe().state(queue, tensor, site));
}
void akrt_free_all_event(int32_t queue, Site site) { tpipe().free_all_event(queue, site); }
Local akrt_buffer_at(int32_t queue, uint32_t addr, Site site) { return tpipe().buffer_at(queue, addr, site); }
Local akrt_buf_get(int32_t buf, int64_t offset, int64_t bytes, Site site) {
  return tpipe().buf_get(buf, offset, bytes, site);
}
Local akrt_pop_stack(uint8_t position, Site) { return tpipe().free_tail(position, false); }

int32_t akrt_alloc_event(uint8_t event, Site site) {
  check_event(event, "AllocEventID", site);
  return tpipe().alloc_event(event, "AllocEventID", site);
}
int32_t akrt_fetch_event(uint8_t event, Site site) {
  check_event(event, "FetchEventID", site);
  return tpipe().fetch_event(event, "FetchEventID", site);
}
void akrt_release_event(uint8_t event, int32_t id, Site site) {
  check_event(event, "ReleaseEventID", site);
  tpipe().release_event(event, id, "ReleaseEventID", site);
}

void akrt_set_mask(uint64_t high, uint64_t low) {
  regs().mask[0] = low;
  regs().mask[1] = high;
  core().clock().scalar_spend(1);
}
uint64_t akrt_get_mask(int32_t word) { return regs().mask[word & 1]; }
void akrt_set_mask_mode(bool counter) {
  constexpr uint64_t kCounterBit = 1ull << 56;
  regs().counter_mode = counter;
  regs().ctrl = counter ? regs().ctrl | kCounterBit : regs().ctrl & ~kCounterBit;
  core().clock().scalar_spend(1);
}
bool akrt_get_mask_mode() { return regs().counter_mode; }
void akrt_set_deqscale(uint64_t bits) { regs().deqscale = bits; }
void akrt_set_deq_vector(const uint64_t* entries, int32_t count) {
  for (int32_t i = 0; i < count && i < 16; ++i) regs().deq_vector[static_cast<size_t>(i)] = entries[i];
}
void akrt_set_saturation(bool saturate) {
  constexpr uint64_t kInfNanBit = 1ull << 48;
  regs().saturate = saturate;
  regs().ctrl = saturate ? regs().ctrl & ~kInfNanBit : regs().ctrl | kInfNanBit;
}
bool akrt_get_saturation() { return regs().saturate; }
uint64_t akrt_get_ctrl() { return regs().ctrl; }
void akrt_set_ctrl(uint64_t value) {
  regs().ctrl = value;
  regs().saturate = (value >> 48 & 1) == 0;
  regs().counter_mode = (value >> 56 & 1) != 0;
}
void akrt_set_atomic(uint8_t op, DType dtype) {
  regs().atomic_op = op;
  regs().atomic_dtype = dtype;
  core().clock().scalar_spend(1);
}
void akrt_set_atomic_type(DType dtype) { regs().atomic_dtype = dtype; }
uint8_t akrt_get_atomic(DType* dtype) {
  *dtype = regs().atomic_dtype;
  return regs().atomic_op;
}
void akrt_set_pad_value(uint64_t bits) {
  regs().pad_value = bits;
  regs().pad_value_set = true;
}
void akrt_set_va_register(int32_t index, const uint64_t* addresses) {
  std::memcpy(regs().va[static_cast<size_t>(index & 7)].data(), addresses, 8 * sizeof(uint64_t));
}

}  // extern "C"
