// ABI of the vector unit and of data movement: one function per family of instructions.
//
// `api` is the name as the program wrote it (a string literal of the headers). Scalars arrive as zero-extended bits of
// the element type. All functions return before the instruction takes effect, unless they hand back a value.
#pragma once
#include "akrt/abi.h"

namespace akrt {

enum class VecOp : uint8_t {
  // one source
  kExp, kLn, kAbs, kSqrt, kRsqrt, kReciprocal, kRelu, kNot,
  // two sources; FusedMulAdd* and MulAddDst also read the destination
  kAdd, kSub, kMul, kDiv, kMax, kMin, kAnd, kOr, kAddRelu, kSubRelu,
  kFusedMulAdd, kFusedMulAddRelu, kMulAddDst, kMulCast, kAddReluCast, kSubReluCast,
  // one source and a scalar; Axpy also reads the destination
  kAdds, kMuls, kMaxs, kMins, kLeakyRelu, kShiftLeft, kShiftRight, kShiftRightRound, kAxpy
};

enum class ReduceOp : uint8_t { kSum, kMax, kMin };

// How a vector call walks its operands and which elements take part. Strides are in 32-byte blocks, except where a
// reduction says otherwise.
struct Walk {
  enum Form : uint8_t {
    kCount,  // level 2: mask[0] elements, contiguous; strides and repeat are not looked at
    kFirst,  // the first mask[0] elements of each repeat
    kBits,   // one bit per element, mask[0] low, mask[1] high
  };
  Form form = kCount;
  bool keep_mask = false;  // isSetMask = false: the mask register as it stands decides
  int32_t repeat = 1;
  uint64_t mask[2] = {0, 0};
  int32_t block[3] = {1, 1, 1};   // dst, src0, src1
  int32_t stride[3] = {8, 8, 8};  // from one repeat to the next: dst, src0, src1
};

// A copy between global memory and a local memory, in the units of the hardware instruction.
struct Burst {
  uint32_t count = 1;       // blocks
  uint32_t bytes = 0;       // of one block
  int64_t global_gap = 0;   // bytes from the end of a block to the start of the next
  int64_t local_gap = 0;    // the same on the local side, in 32-byte blocks
  bool pad = false;         // DataCopyPad: byte-granular on the global side
  bool fill = false;        // isPad
  uint8_t left = 0;         // padding elements
  uint8_t right = 0;
  uint64_t value = 0;       // bits of the padding element
};

struct GatherMaskCall {
  bool counted = false;  // reduceMode
  uint32_t mask = 0;
  uint16_t repeat = 0;
  uint8_t block = 1;
  uint16_t stride = 8;
  uint8_t pattern_stride = 8;
  uint8_t pattern = 0;  // built-in pattern 1..7; 0 where a tensor gives the bits
  bool alone = false;   // the bare instruction: the mask mode stays, and nobody waits for the number of kept elements
};

struct BilinearCall {
  uint8_t across = 1;         // hRepeat: gathered repeats that are added up
  uint8_t down = 1;           // vRepeat: results
  bool by_block = false;      // a weight for each block instead of one for a repeat
  uint16_t block = 1;         // dstBlkStride
  uint16_t row = 0;           // vROffset: elements from one result to the next
};

// MrgSort: lengths of the queues in structs of 8 bytes, and which of the four take part.
struct MergeCall {
  uint16_t lengths[4] = {0, 0, 0, 0};
  uint16_t valid = 0;    // 3, 7 or 15
  uint8_t repeat = 1;
  bool suspend = false;  // stop where a queue runs empty
};

// 16 blocks that become columns: TransDataTo5HD. Strides in 32-byte blocks; the halves matter for 8-bit elements.
struct RowsCall {
  bool dst_high = false;
  bool src_high = false;
  uint8_t repeat = 1;
  uint16_t dst_stride = 0;
  uint16_t src_stride = 0;
};

// Transpose between NCHW and NHWC.
struct TransposeCall {
  uint16_t n = 0;
  uint16_t c = 0;
  uint16_t h = 0;
  uint16_t w = 0;
  bool to_last = false;  // NCHW -> NHWC
};

// A matrix in rows (ND) on the global side, in columns of blocks (NZ) on the local side.
struct NzCall {
  uint32_t matrices = 0;
  uint32_t rows = 0;
  uint32_t columns = 0;
  uint32_t nd_matrix = 0;  // elements from one matrix to the next
  uint32_t nd_row = 0;     // elements from one row to the next
  uint32_t nz_matrix = 0;  // load: elements; store: 256 elements
  uint32_t nz_column = 0;  // load: blocks; store: 16 elements
  uint32_t nz_row = 1;     // load: blocks
};

}  // namespace akrt

extern "C" {

void akrt_v_unary(akrt::VecOp op, const char* api, const akrt::Local& dst, const akrt::Local& src,
                  const akrt::Walk& walk, akrt::Site site);
void akrt_v_binary(akrt::VecOp op, const char* api, const akrt::Local& dst, const akrt::Local& src0,
                   const akrt::Local& src1, const akrt::Walk& walk, akrt::Site site);
void akrt_v_scalar(akrt::VecOp op, const char* api, const akrt::Local& dst, const akrt::Local& src, uint64_t scalar,
                   const akrt::Walk& walk, akrt::Site site);
void akrt_v_add_deq_relu(const char* api, const akrt::Local& dst, const akrt::Local& src0, const akrt::Local& src1,
                         const akrt::Walk& walk, akrt::Site site);
// int16_t to 8 bits, times scale plus offset: one pair for all, or 16 of them, one for each element of a block. The
// results fill the lower or the upper half of their blocks.
void akrt_v_cast_deq(const char* api, const akrt::Local& dst, const akrt::Local& src, bool vector, bool lower,
                     const akrt::Walk& walk, akrt::Site site);
void akrt_v_cast(const char* api, const akrt::Local& dst, const akrt::Local& src, uint8_t round_mode,
                 const akrt::Walk& walk, akrt::Site site);
// Scalar conversion of a float: bits of the half, or of the int32, that `round_mode` gives.
uint64_t akrt_s_cast(float value, bool to_half, uint8_t round_mode);
void akrt_v_duplicate(const char* api, const akrt::Local& dst, uint64_t value, const akrt::Walk& walk,
                      akrt::Site site);
void akrt_v_vec_index(const char* api, const akrt::Local& dst, uint64_t first, const akrt::Walk& walk,
                      akrt::Site site);
void akrt_v_copy(const char* api, const akrt::Local& dst, const akrt::Local& src, const akrt::Walk& walk,
                 akrt::Site site);
void akrt_v_brcb(const char* api, const akrt::Local& dst, const akrt::Local& src, const akrt::Walk& walk,
                 akrt::Site site);

void akrt_v_compare(const char* api, const akrt::Local& dst, const akrt::Local& src0, const akrt::Local& src1,
                    uint8_t mode, const akrt::Walk& walk, akrt::Site site);
void akrt_v_compare_scalar(const char* api, const akrt::Local& dst, const akrt::Local& src, uint64_t scalar,
                           uint8_t mode, const akrt::Walk& walk, akrt::Site site);
void akrt_v_compare_register(const char* api, const akrt::Local& src0, const akrt::Local& src1, uint8_t mode,
                             const akrt::Walk& walk, akrt::Site site);
void akrt_v_set_cmp_mask(const akrt::Local& src, akrt::Site site);
void akrt_v_get_cmp_mask(const akrt::Local& dst, akrt::Site site);
void akrt_v_select(const char* api, const akrt::Local& dst, const akrt::Local& bits, const akrt::Local& src0,
                   const akrt::Local& src1, uint8_t mode, const akrt::Walk& walk, akrt::Site site);
void akrt_v_select_scalar(const char* api, const akrt::Local& dst, const akrt::Local& bits, const akrt::Local& src0,
                          uint64_t scalar, uint8_t mode, const akrt::Walk& walk, akrt::Site site);
// Forms whose mask sits in CMPMASK: a null `bits` and `src1` mean "registers only" and "scalar set before".
void akrt_v_select_register(const char* api, const akrt::Local& dst, const akrt::Local* bits, const akrt::Local& src0,
                            const akrt::Local* src1, uint8_t mode, const akrt::Walk& walk, akrt::Site site);

// One result per repeat. `order` is a ReduceOrder; walk.stride[0] is in the unit of the API's dstRepStride.
void akrt_v_reduce_whole(akrt::ReduceOp op, const char* api, const akrt::Local& dst, const akrt::Local& src,
                         uint8_t order, const akrt::Walk& walk, akrt::Site site);
void akrt_v_reduce_block(akrt::ReduceOp op, const char* api, const akrt::Local& dst, const akrt::Local& src,
                         const akrt::Walk& walk, akrt::Site site);
void akrt_v_reduce_pair(const char* api, const akrt::Local& dst, const akrt::Local& src, const akrt::Walk& walk,
                        akrt::Site site);
// Complete reductions of level 2 and of the mask form (walk.form tells which).
void akrt_v_reduce(akrt::ReduceOp op, const char* api, const akrt::Local& dst, const akrt::Local& src,
                   const akrt::Local& work, bool index, const akrt::Walk& walk, akrt::Site site);
// Sum of all repeats into the accumulator register only.
void akrt_v_accumulate(const char* api, const akrt::Local& src, const akrt::Walk& walk, akrt::Site site);

void akrt_v_gather(const char* api, const akrt::Local& dst, const akrt::Local& src, const akrt::Local& offset,
                   uint32_t base, const akrt::Walk& walk, akrt::Site site);
void akrt_v_gatherb(const char* api, const akrt::Local& dst, const akrt::Local& src, const akrt::Local& offset,
                    const akrt::Walk& walk, akrt::Site site);
// Returns the number of elements kept, 0 for the bare instruction.
uint64_t akrt_v_gather_mask(const char* api, const akrt::Local& dst, const akrt::Local& src,
                            const akrt::Local* pattern, const akrt::GatherMaskCall& call, akrt::Site site);

// Weighted sums of gathered blocks of half.
void akrt_v_bilinear(const akrt::BilinearCall& call, const akrt::Local& dst, const akrt::Local& src,
                     const akrt::Local& offsets, const akrt::Local& weights, const akrt::Local& tmp,
                     const akrt::Walk& walk, akrt::Site site);

// Groups of 32 (score, index) pairs, descending by score, into structs of 8 bytes.
void akrt_v_sort32(const char* api, const akrt::Local& dst, const akrt::Local& scores, const akrt::Local& indices,
                   int32_t repeat, akrt::Site site);
// Merges sorted queues of such structs; `sources` are four tensors.
void akrt_v_merge_sort(const char* api, const akrt::Local& dst, const akrt::Local* sources,
                       const akrt::MergeCall& call, akrt::Site site);

// 16 x 16 elements of 16 bits.
void akrt_v_transpose16(const char* api, const akrt::Local& dst, const akrt::Local& src, akrt::Site site);
void akrt_v_transpose_layout(const char* api, const akrt::Local& dst, const akrt::Local& src, const akrt::Local& work,
                             const akrt::TransposeCall& call, akrt::Site site);
// `dst` and `src` are 16 tensors each, or tensors of 16 host addresses, or the first of two VA registers.
void akrt_v_rows_to_columns(const char* api, const akrt::Local* dst, const akrt::Local* src,
                            const akrt::RowsCall& call, akrt::Site site);
void akrt_v_rows_listed(const char* api, akrt::DType dtype, const akrt::Local& dst, const akrt::Local& src,
                        const akrt::RowsCall& call, akrt::Site site);
void akrt_v_rows_by_register(const char* api, akrt::DType dtype, int32_t dst, int32_t src, const akrt::RowsCall& call,
                             akrt::Site site);

void akrt_d_load(const char* api, const akrt::Local& dst, const akrt::Global& src, const akrt::Burst& burst,
                 akrt::Site site);
void akrt_d_store(const char* api, const akrt::Global& dst, const akrt::Local& src, const akrt::Burst& burst,
                  akrt::Site site);
void akrt_d_local(const char* api, const akrt::Local& dst, const akrt::Local& src, uint16_t count, uint32_t bytes,
                  uint16_t src_gap, uint16_t dst_gap, akrt::Site site);

// ND -> NZ and NZ -> ND, as loops of DataCopyPad.
void akrt_d_load_nz(const char* api, const akrt::Local& dst, const akrt::Global& src, const akrt::NzCall& call,
                    akrt::Site site);
void akrt_d_store_nd(const char* api, const akrt::Global& dst, const akrt::Local& src, const akrt::NzCall& call,
                     akrt::Site site);

// `elements` copies of a value from dst on, through the free end of UB (InitOutput).
void akrt_d_fill(const char* api, const akrt::Global& dst, uint64_t elements, uint64_t value, akrt::Site site);

// operator[] with an offset, in elements of `bits` bits, that leaves the tensor or splits a byte: a finding.
void akrt_bad_offset(const akrt::Local& tensor, uint64_t offset, uint32_t bits, akrt::Site site);
}
