// Core half of the runtime ABI: pipes, queues, buffers, flags, registers, scalar accesses.
//
// Everything acts on the core that is running. Functions never fail by return value: a broken rule is recorded as a
// finding, and a fatal one ends the process inside the call. `site` is the return address of the user's API call.
// Tensors come back as `Local` with dtype kUint8; the header sets the element type.
#pragma once
#include <cstdint>

#include "akrt/abi.h"
#include "akrt/events.h"

extern "C" {

// ---- identity -------------------------------------------------------------------------------------------------
int64_t akrt_block_idx();      // raw block index, 0..block_num-1
int64_t akrt_core_idx();       // number among the cores of its type: GetBlockIdx
int64_t akrt_block_num();      // launched blocks
int64_t akrt_sub_block_idx();  // of the vector cores of a block; 0 on a cube core
int64_t akrt_sub_block_num();  // vector cores of a block; 1 on a cube core
int64_t akrt_task_ratio();     // the same
uint64_t akrt_system_cycle(akrt::Site site);  // 50 MHz counter, from the simulated clock
// The whole argument that the tensor lies in goes past L2, as the clock counts.
void akrt_bypass_l2(akrt::Global tensor);

// Per-core pointer slots of the headers (fresh per core, initially null).
enum AkrtSlot : uint32_t { kAkrtSlotPipe = 0, kAkrtSlotSysWorkspace = 1, kAkrtSlotUser = 2, kAkrtSlots = 8 };
void* akrt_slot_get(uint32_t slot);
void akrt_slot_set(uint32_t slot, void* value);

// Host address of byte 0 of a local memory. `space` is akrt::Space. Raw `__ubuf__` pointers are base + address.
uint8_t* akrt_memory(uint8_t space);

// ---- stopping -------------------------------------------------------------------------------------------------
// An API that exists but is not simulated: fatal finding `unsupported-api`.
[[noreturn]] void akrt_unsupported(const char* api, akrt::Site site);
// A failed assert of the kernel: fatal finding `assert-failed` with the text of the condition, and of the message where
// there is one (`format` not null).
[[noreturn]] void akrt_assert_failed(const char* condition, const char* format, const akrt::PrintValue* values,
                                     uint32_t count, akrt::Site site);

// ---- printing -------------------------------------------------------------------------------------------------
// A note `kernel-prints` with the text.
void akrt_print(const char* format, const akrt::PrintValue* values, uint32_t count, akrt::Site site);

// ---- watching local memory ------------------------------------------------------------------------------------
// CheckLocalMemoryIA: accesses of the given kinds (bits of AkrtWatch) to bytes (begin, end] * 32 of UB end the kernel
// with `watched-access`; one watch per `slot`. No kinds: the watch ends.
enum AkrtWatch : uint32_t { kAkrtScalarRead = 1, kAkrtScalarWrite = 2, kAkrtVectorRead = 4, kAkrtVectorWrite = 8,
                            kAkrtMteRead = 16, kAkrtMteWrite = 32 };
void akrt_watch(uint32_t slot, uint32_t begin, uint32_t end, uint32_t kinds);
// An argument outside what the API allows (repeat, mask, stride, enum), found in a header: finding with gravity error.
// `code` is a stable kebab-case string of static storage, e.g. "illegal-argument".
void akrt_argument_error(const char* code, const char* api, const char* message, const char* hint, akrt::Site site);

// ---- synchronisation ------------------------------------------------------------------------------------------
// HardEvent value and id. Events that do not exist on the running core type have no effect; V_V is PipeBarrier<V>.
// An id outside 0..7 is a finding `event-id-range`.
void akrt_set_flag(uint8_t event, int32_t id, akrt::Site site);
void akrt_wait_flag(uint8_t event, int32_t id, akrt::Site site);
// `pipe` is the value of pipe_t, so 6 is PIPE_ALL (the scalar program stalls until every pipe is empty).
void akrt_pipe_barrier(int32_t pipe, akrt::Site site);
// DataSyncBarrier: orders earlier scalar accesses before everything issued later.
void akrt_data_sync_barrier(akrt::Site site);

// ---- other cores ------------------------------------------------------------------------------------------------
// SyncAll, without and with workspaces; `vector_only` is the template argument isAIVOnly. `used_cores` 0: all.
void akrt_sync_all(bool vector_only, akrt::Site site);
void akrt_sync_all_soft(akrt::Global workspace, akrt::Local scratch, int32_t used_cores, bool vector_only,
                        akrt::Site site);
// IBSet, IBWait.
void akrt_block_set(akrt::Global workspace, akrt::Local scratch, int32_t block, int32_t event, bool vector_only,
                    akrt::Site site);
void akrt_block_wait(akrt::Global workspace, akrt::Local scratch, int32_t block, int32_t event, bool vector_only,
                     akrt::Site site);
// InitDetermineComputeWorkspace, WaitPreBlock, NotifyNextBlock.
void akrt_order_init(akrt::Global workspace, akrt::Local scratch, akrt::Site site);
void akrt_order_wait(akrt::Global workspace, akrt::Local scratch, akrt::Site site);
void akrt_order_notify(akrt::Global workspace, akrt::Local scratch, akrt::Site site);
// GroupBarrier: Arrive and Wait of a core by its index in its group.
void akrt_group_arrive(akrt::GroupBarrier barrier, uint32_t index, akrt::Site site);
void akrt_group_wait(akrt::GroupBarrier barrier, uint32_t index, akrt::Site site);
// CrossCoreSetFlag in a mode (0, 1, 2) on a pipe (value of pipe_t), CrossCoreWaitFlag.
void akrt_cross_set(int32_t mode, int32_t pipe, int32_t flag, akrt::Site site);
void akrt_cross_wait(int32_t flag, akrt::Site site);

// ---- TPipe ----------------------------------------------------------------------------------------------------
// Constructor and Init(): finding `two-pipes` if one is alive.
void akrt_pipe_create(akrt::Site site);
// Destroy() and destructor: waits pending free events, PipeBarrier<ALL> unless `barrier` is false. Safe to call twice.
void akrt_pipe_destroy(bool barrier, akrt::Site site);
// Reset(): waits pending free events, forgets every buffer and restarts the allocators.
void akrt_pipe_reset(akrt::Site site);

// InitBuffer(que, num, len). Registers a queue and returns its id (>= 0), to be kept in the queue object; ids are per
// core. `src`/`dst` are TPosition values (VECIN queue: GM -> VECIN; VECOUT queue: VECOUT -> GM; bind: as given).
// `user` is the position that the tensors of the queue carry. `depth` is the template argument (0: in-place API).
// `pool` is a pool id of akrt_init_pool or -1 for the TPipe itself. `len` in bytes per buffer.
int32_t akrt_init_queue(int32_t pool, uint8_t src, uint8_t dst, uint8_t user, int32_t depth, int64_t num, int64_t len,
                        akrt::Site site);
// InitBuffer(que, tuple(addr, len), ...): `pairs` holds num (addr, len) couples in bytes.
int32_t akrt_init_queue_at(uint8_t src, uint8_t dst, uint8_t user, int32_t depth, int64_t num, const uint32_t* pairs,
                           akrt::Site site);
// InitBuffer(tbuf, len). Returns the id of the TBuf, from the same sequence as queue ids.
int32_t akrt_init_buf(int32_t pool, uint8_t position, int64_t len, akrt::Site site);
// InitBufPool(pool, len[, share]). `parent` -1 for the TPipe, else the enclosing pool; `share` -1 or the pool whose
// memory it shares; `ids` is the bufIDSize template argument (most buffers the pool may hold). Returns the pool id.
int32_t akrt_init_pool(int32_t parent, uint8_t position, int64_t len, int32_t share, uint32_t ids, akrt::Site site);
void akrt_pool_reset(int32_t pool, akrt::Site site);
uint32_t akrt_pool_begin(int32_t pool, akrt::Site site);  // address of its first byte
// Custom pools: a queue (or a TBuf) of `num` buffers that has no memory yet, and the place of one of them.
int32_t akrt_init_handles(int32_t pool, bool is_buf, uint8_t src, uint8_t dst, uint8_t user, int32_t depth, int64_t num,
                          akrt::Site site);
void akrt_place_handle(int32_t queue, uint32_t index, uint32_t addr, uint32_t bytes, akrt::Site site);

// TQue. A queue id of -1 (InitBuffer never called) is the fatal finding `queue-not-initialised`.
akrt::Local akrt_alloc_tensor(int32_t queue, akrt::Site site);  // AllocTensor<T>()
// AllocTensor<T>(LocalTensor<T>&): the in-place form, depth 0. Returns the tensor to store through the reference.
akrt::Local akrt_alloc_tensor_in_place(int32_t queue, akrt::Site site);
void akrt_free_tensor(int32_t queue, akrt::Local tensor, akrt::Site site);
bool akrt_enque(int32_t queue, akrt::Local tensor, akrt::Site site);
akrt::Local akrt_deque(int32_t queue, akrt::Site site);
// DeQue<T>(LocalTensor<T>&), depth 0. `tensor` is what the reference holds (bytes 0 for a fresh one: then the oldest
// enqueued buffer is taken). Returns the tensor to store through the reference.
akrt::Local akrt_deque_in_place(int32_t queue, akrt::Local tensor, akrt::Site site);
// EnQue<src, dst>/DeQue<src, dst> with user positions.
bool akrt_enque_as(int32_t queue, akrt::Local tensor, uint8_t src_user, uint8_t dst_user, akrt::Site site);
akrt::Local akrt_deque_as(int32_t queue, uint8_t src_user, uint8_t dst_user, akrt::Site site);
int32_t akrt_queue_count(int32_t queue, akrt::Site site);  // GetTensorCountInQue; HasTensorInQue is > 0
bool akrt_queue_vacant(int32_t queue, akrt::Site site);    // VacantInQue
bool akrt_queue_idle(int32_t queue, akrt::Site site);      // HasIdleBuffer
int32_t akrt_buffer_state(int32_t queue, akrt::Local tensor, akrt::Site site);  // 0 FREE 1 OCCUPIED 2 ENQUE 3 DEQUE
void akrt_free_all_event(int32_t queue, akrt::Site site);
// The whole buffer of `queue` that starts at `addr` (for TBufHandle forms, whose handle the header makes from addr).
akrt::Local akrt_buffer_at(int32_t queue, uint32_t addr, akrt::Site site);

// TBuf Get / GetWithOffset. `bytes` < 0 is the whole buffer from `offset`. Beyond the buffer: `tbuf-out-of-range`.
akrt::Local akrt_buf_get(int32_t buf, int64_t offset, int64_t bytes, akrt::Site site);
// PopStackBuffer: [end of allocations, usable end) of the memory of `position`. bytes 0 when none is left.
akrt::Local akrt_pop_stack(uint8_t position, akrt::Site site);

// Event ids of a HardEvent. Alloc reserves, Fetch only peeks. None left: fatal `event-ids-exhausted`.
int32_t akrt_alloc_event(uint8_t event, akrt::Site site);
int32_t akrt_fetch_event(uint8_t event, akrt::Site site);
void akrt_release_event(uint8_t event, int32_t id, akrt::Site site);

// ---- registers ------------------------------------------------------------------------------------------------
// Scalar state, read by an op when it is issued; the hardware orders it. See akrt::Registers in runtime/machine.h.
void akrt_set_mask(uint64_t high, uint64_t low);
uint64_t akrt_get_mask(int32_t word);        // 0 low, 1 high
void akrt_set_mask_mode(bool counter);
bool akrt_get_mask_mode();
void akrt_set_deqscale(uint64_t bits);       // as the hardware register: scale bits, offset, sign
void akrt_set_deq_vector(const uint64_t* entries, int32_t count);  // vector form of SetDeqScale, at most 16 entries
void akrt_set_saturation(bool saturate);     // CTRL[48] == !saturate
bool akrt_get_saturation();
uint64_t akrt_get_ctrl();
void akrt_set_ctrl(uint64_t value);          // bits 48 (inf/nan), 56 (counter mode) act; the others are only kept
enum AkrtAtomic : uint8_t { kAkrtAtomicNone, kAkrtAtomicAdd, kAkrtAtomicMax, kAkrtAtomicMin };
void akrt_set_atomic(uint8_t op, akrt::DType dtype);  // AkrtAtomic
void akrt_set_atomic_type(akrt::DType dtype);         // the operation stays
uint8_t akrt_get_atomic(akrt::DType* dtype);          // AkrtAtomic
void akrt_set_pad_value(uint64_t bits);
void akrt_set_va_register(int32_t index, const uint64_t* addresses);  // VA0..VA7, 8 UB byte addresses each

// Results that V leaves in registers; each is a scalar-side call that auto-sync covers (V -> S).
int64_t akrt_acc_val(akrt::Site site);                                      // raw bits of the accumulator
void akrt_reduce_max_min(uint64_t* value, uint64_t* index, akrt::Site site);  // GetReduceRepeatMaxMinSpr, raw bits
void akrt_mrgsort_result(uint16_t* counts, akrt::Site site);                // 4 counts
uint64_t akrt_rsvd_cnt(akrt::Site site);                                    // elements kept by the last GatherMask

// ---- scalar accesses ------------------------------------------------------------------------------------------
// `offset` in bytes from the tensor's start, `size` 1, 2, 4 or 8; values travel as raw bits in the low bytes.
uint64_t akrt_local_get(akrt::Local tensor, int64_t offset, uint32_t size, const char* api, akrt::Site site);
void akrt_local_set(akrt::Local tensor, int64_t offset, uint32_t size, uint64_t bits, const char* api,
                    akrt::Site site);
// operator(): a reference through which the caller reads or writes `size` bytes. Counts as a read and a write.
void* akrt_local_ref(akrt::Local tensor, int64_t offset, uint32_t size, akrt::Site site);

// Global memory through the write-back D-cache of the core.
uint64_t akrt_global_get(akrt::Global tensor, int64_t offset, uint32_t size, const char* api, akrt::Site site);
void akrt_global_set(akrt::Global tensor, int64_t offset, uint32_t size, uint64_t bits, const char* api,
                     akrt::Site site);
void* akrt_global_ref(akrt::Global tensor, int64_t offset, uint32_t size, akrt::Site site);
// ReadGmByPassDCache / WriteGmByPassDCache.
uint64_t akrt_global_get_bypass(uint64_t addr, uint32_t size, akrt::Site site);
void akrt_global_set_bypass(uint64_t addr, uint32_t size, uint64_t bits, akrt::Site site);
// DataCacheCleanAndInvalid. `entire`: whole cache, else the 64-byte line that holds addr.
void akrt_dcache_clean(uint64_t addr, bool entire, akrt::Site site);
// GET_TILING_DATA: copies a struct from tiling memory to the stack by scalar loads.
void akrt_copy_tiling(void* dst, const void* src, uint64_t bytes, akrt::Site site);

// Charges `cycles` to the scalar program (loops of library code that the hardware runs on S).
void akrt_scalar_cycles(double cycles);

}  // extern "C"
