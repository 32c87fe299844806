// Raw intrinsics, in the global namespace as the device compiler has them. Pointers are host addresses inside UB.
#pragma once
#include "ascendc/data_copy.h"
#include "ascendc/system.h"

namespace AscendC::akc {

// The rest of UB from `pointer` on: raw pointers carry no extent.
inline akrt::Local RawLocal(const void* pointer, akrt::DType dtype) {
  const uint8_t* memory = akrt_memory(static_cast<uint8_t>(akrt::Space::UB));
  const int64_t address = static_cast<const uint8_t*>(pointer) - memory;
  const bool inside = address >= 0 && address < TOTAL_UB_SIZE;
  return {static_cast<uint32_t>(inside ? address : TOTAL_UB_SIZE),
          static_cast<uint32_t>(inside ? TOTAL_UB_SIZE - address : 0), static_cast<uint8_t>(TPosition::VECCALC), dtype};
}
template <typename T>
akrt::Local RawLocal(const T* pointer) {
  return RawLocal(pointer, kDType<T>);
}
inline akrt::Walk RawWalk(uint8_t repeat, int32_t dstBlk, int32_t src0Blk, int32_t src1Blk, int32_t dstRep,
                          int32_t src0Rep, int32_t src1Rep) {
  akrt::Walk walk = Masked(uint64_t{0}, repeat, false);
  walk.block[0] = dstBlk;
  walk.block[1] = src0Blk;
  walk.block[2] = src1Blk;
  walk.stride[0] = dstRep;
  walk.stride[1] = src0Rep;
  walk.stride[2] = src1Rep;
  return walk;
}

// block_idx and block_num are variables of the device compiler, which a program may shadow.
struct BlockIdx {
  operator int64_t() const { return akrt_block_idx(); }
};
struct BlockNum {
  operator int64_t() const { return akrt_block_num(); }
};

}  // namespace AscendC::akc

inline constexpr AscendC::akc::BlockIdx block_idx{};
inline constexpr AscendC::akc::BlockNum block_num{};
inline int64_t get_block_idx() { return akrt_block_idx(); }
inline int64_t get_block_num() { return akrt_block_num(); }
inline int64_t get_subblockid() { return akrt_sub_block_idx(); }

AK_API inline void set_flag(pipe_t src, pipe_t dst, event_t id) {
  AscendC::akc::Flag(true, "set_flag", src, dst, id, AK_SITE);
}
AK_API inline void wait_flag(pipe_t src, pipe_t dst, event_t id) {
  AscendC::akc::Flag(false, "wait_flag", src, dst, id, AK_SITE);
}
AK_API inline void pipe_barrier(pipe_t pipe) { akrt_pipe_barrier(pipe, AK_SITE); }
inline void set_vector_mask(uint64_t high, uint64_t low) { akrt_set_mask(high, low); }
inline void set_mask_count() { akrt_set_mask_mode(true); }
inline void set_mask_norm() { akrt_set_mask_mode(false); }
inline void set_mov_pad_val(uint64_t bits) { akrt_set_pad_value(bits); }
AK_API inline int64_t get_acc_val() { return akrt_acc_val(AK_SITE); }
inline constexpr uint64_t get_imm(uint64_t imm0_15, uint64_t imm16_31 = 0, uint64_t imm32_47 = 0,
                                  uint64_t imm48_63 = 0) {
  return imm0_15 | imm16_31 << 16 | imm32_47 << 32 | imm48_63 << 48;
}

// Half of a VA register from UB; how the addresses are packed there is not documented.
enum AkVaHalf { L128, H128 };
AK_API inline void vld_va_reg(ub_addr8_t, __ubuf__ uint64_t*, AkVaHalf) { akrt_unsupported("vld_va_reg", AK_SITE); }

#define AK_RAW_BINARY(name, Op, T)                                                                                \
  AK_API inline void name(T* dst, T* src0, T* src1, uint8_t repeat, uint8_t dstBlk, uint8_t src0Blk,              \
                          uint8_t src1Blk, uint8_t dstRep, uint8_t src0Rep, uint8_t src1Rep) {                    \
    using namespace AscendC::akc;                                                                                 \
    akrt_v_binary(akrt::VecOp::Op, #name, RawLocal(dst), RawLocal(src0), RawLocal(src1),                          \
                  RawWalk(repeat, dstBlk, src0Blk, src1Blk, dstRep, src0Rep, src1Rep), AK_SITE);                  \
  }
#define AK_RAW_ARITHMETIC(name, Op) \
  AK_RAW_BINARY(name, Op, half)     \
  AK_RAW_BINARY(name, Op, float)    \
  AK_RAW_BINARY(name, Op, int16_t)  \
  AK_RAW_BINARY(name, Op, int32_t)
AK_RAW_ARITHMETIC(vadd, kAdd)
AK_RAW_ARITHMETIC(vsub, kSub)
AK_RAW_ARITHMETIC(vmul, kMul)
AK_RAW_ARITHMETIC(vmax, kMax)
AK_RAW_ARITHMETIC(vmin, kMin)
AK_RAW_BINARY(vdiv, kDiv, half)
AK_RAW_BINARY(vdiv, kDiv, float)
AK_RAW_BINARY(vmla, kMulAddDst, half)
AK_RAW_BINARY(vmla, kMulAddDst, float)
AK_RAW_BINARY(vaddrelu, kAddRelu, half)
AK_RAW_BINARY(vaddrelu, kAddRelu, float)
AK_RAW_BINARY(vaddrelu, kAddRelu, int16_t)
AK_RAW_BINARY(vand, kAnd, int16_t)
AK_RAW_BINARY(vand, kAnd, uint16_t)
AK_RAW_BINARY(vor, kOr, int16_t)
AK_RAW_BINARY(vor, kOr, uint16_t)
#undef AK_RAW_ARITHMETIC
#undef AK_RAW_BINARY

#define AK_RAW_UNARY(name, Op, T)                                                                                  \
  AK_API inline void name(T* dst, T* src, uint8_t repeat, uint16_t dstBlk, uint16_t srcBlk, uint16_t dstRep,       \
                          uint16_t srcRep) {                                                                       \
    using namespace AscendC::akc;                                                                                  \
    akrt_v_unary(akrt::VecOp::Op, #name, RawLocal(dst), RawLocal(src),                                             \
                 RawWalk(repeat, dstBlk, srcBlk, 1, dstRep, srcRep, 8), AK_SITE);                                  \
  }
#define AK_RAW_FLOATING(name, Op) \
  AK_RAW_UNARY(name, Op, half)    \
  AK_RAW_UNARY(name, Op, float)
AK_RAW_FLOATING(vexp, kExp)
AK_RAW_FLOATING(vln, kLn)
AK_RAW_FLOATING(vabs, kAbs)
AK_RAW_FLOATING(vrec, kReciprocal)
AK_RAW_FLOATING(vrsqrt, kRsqrt)
AK_RAW_FLOATING(vsqrt, kSqrt)
AK_RAW_FLOATING(vrelu, kRelu)
AK_RAW_UNARY(vrelu, kRelu, int32_t)
AK_RAW_UNARY(vnot, kNot, int16_t)
AK_RAW_UNARY(vnot, kNot, uint16_t)
#undef AK_RAW_FLOATING
#undef AK_RAW_UNARY

#define AK_RAW_SCALAR(name, Op, T)                                                                                 \
  AK_API inline void name(T* dst, T* src, T scalar, uint8_t repeat, uint16_t dstBlk, uint16_t srcBlk,              \
                          uint16_t dstRep, uint16_t srcRep) {                                                      \
    using namespace AscendC::akc;                                                                                  \
    akrt_v_scalar(akrt::VecOp::Op, #name, RawLocal(dst), RawLocal(src), Raw<T>(scalar),                            \
                  RawWalk(repeat, dstBlk, srcBlk, 1, dstRep, srcRep, 8), AK_SITE);                                 \
  }
#define AK_RAW_SCALARS(name, Op)   \
  AK_RAW_SCALAR(name, Op, half)    \
  AK_RAW_SCALAR(name, Op, float)   \
  AK_RAW_SCALAR(name, Op, int16_t) \
  AK_RAW_SCALAR(name, Op, int32_t)
AK_RAW_SCALARS(vadds, kAdds)
AK_RAW_SCALARS(vmuls, kMuls)
AK_RAW_SCALARS(vmaxs, kMaxs)
AK_RAW_SCALARS(vmins, kMins)
AK_RAW_SCALAR(vlrelu, kLeakyRelu, half)
AK_RAW_SCALAR(vlrelu, kLeakyRelu, float)
AK_RAW_SCALAR(vshl, kShiftLeft, int16_t)
AK_RAW_SCALAR(vshl, kShiftLeft, uint16_t)
AK_RAW_SCALAR(vshl, kShiftLeft, int32_t)
AK_RAW_SCALAR(vshl, kShiftLeft, uint32_t)
#undef AK_RAW_SCALARS
#undef AK_RAW_SCALAR

// Rounding adds the last bit that is shifted out; unsigned types have none.
#define AK_RAW_VSHR(T, Rounding)                                                                                   \
  AK_API inline void vshr(T* dst, T* src, T scalar, uint8_t repeat, uint16_t dstBlk, uint16_t srcBlk,              \
                          uint16_t dstRep, uint16_t srcRep, bool round) {                                          \
    using namespace AscendC::akc;                                                                                  \
    akrt_v_scalar(round ? akrt::VecOp::Rounding : akrt::VecOp::kShiftRight, "vshr", RawLocal(dst), RawLocal(src),  \
                  Raw<T>(scalar), RawWalk(repeat, dstBlk, srcBlk, 1, dstRep, srcRep, 8), AK_SITE);                 \
  }
AK_RAW_VSHR(int16_t, kShiftRightRound)
AK_RAW_VSHR(int32_t, kShiftRightRound)
AK_RAW_VSHR(uint16_t, kShiftRight)
AK_RAW_VSHR(uint32_t, kShiftRight)
#undef AK_RAW_VSHR

#define AK_RAW_DUP(T)                                                                                         \
  AK_API inline void vector_dup(T* dst, T value, uint8_t repeat, uint16_t dstBlk, uint16_t, uint8_t dstRep,   \
                                uint8_t) {                                                                    \
    using namespace AscendC::akc;                                                                             \
    akrt_v_duplicate("vector_dup", RawLocal(dst), Raw<T>(value), RawWalk(repeat, dstBlk, 1, 1, dstRep, 8, 8), \
                     AK_SITE);                                                                                \
  }
AK_RAW_DUP(int16_t)
AK_RAW_DUP(uint16_t)
AK_RAW_DUP(half)
AK_RAW_DUP(bfloat16_t)
AK_RAW_DUP(int32_t)
AK_RAW_DUP(uint32_t)
AK_RAW_DUP(float)
#undef AK_RAW_DUP

// With accMode the sum of all repeats goes to the accumulator register and dst is not written.
#define AK_RAW_VCADD(T)                                                                                              \
  AK_API inline void vcadd(T* dst, T* src, uint8_t repeat, uint16_t dstRep, uint16_t srcBlk, uint16_t srcRep,        \
                           bool accMode) {                                                                           \
    using namespace AscendC::akc;                                                                                    \
    const akrt::Walk walk = RawWalk(repeat, 1, srcBlk, 1, dstRep, srcRep, 8);                                        \
    if (accMode) akrt_v_accumulate("vcadd", RawLocal(src), walk, AK_SITE);                                           \
    else akrt_v_reduce_whole(akrt::ReduceOp::kSum, "vcadd", RawLocal(dst), RawLocal(src),                            \
                             static_cast<uint8_t>(AscendC::ReduceOrder::ORDER_ONLY_VALUE), walk, AK_SITE);           \
  }
AK_RAW_VCADD(half)
AK_RAW_VCADD(float)
#undef AK_RAW_VCADD

#define AK_RAW_REDUCE(name, Call, ...)                                                                           \
  AK_RAW_REDUCE_T(name, half, Call, __VA_ARGS__)                                                                 \
  AK_RAW_REDUCE_T(name, float, Call, __VA_ARGS__)
#define AK_RAW_REDUCE_T(name, T, Call, ...)                                                                      \
  AK_API inline void name(T* dst, T* src, uint8_t repeat, uint16_t dstRep, uint16_t srcBlk, uint16_t srcRep) {   \
    using namespace AscendC::akc;                                                                                \
    Call(__VA_ARGS__ __VA_OPT__(, ) #name, RawLocal(dst), RawLocal(src),                                         \
         RawWalk(repeat, 1, srcBlk, 1, dstRep, srcRep, 8), AK_SITE);                                             \
  }
AK_RAW_REDUCE(vcgadd, akrt_v_reduce_block, akrt::ReduceOp::kSum)
AK_RAW_REDUCE(vcgmax, akrt_v_reduce_block, akrt::ReduceOp::kMax)
AK_RAW_REDUCE(vcgmin, akrt_v_reduce_block, akrt::ReduceOp::kMin)
AK_RAW_REDUCE(vcpadd, akrt_v_reduce_pair)
#undef AK_RAW_REDUCE
#undef AK_RAW_REDUCE_T
#define AK_RAW_EXTREME(name, Op, T)                                                                              \
  AK_API inline void name(T* dst, T* src, uint8_t repeat, uint16_t dstRep, uint16_t srcBlk, uint16_t srcRep,     \
                          Order_t order) {                                                                       \
    using namespace AscendC::akc;                                                                                \
    akrt_v_reduce_whole(akrt::ReduceOp::Op, #name, RawLocal(dst), RawLocal(src), static_cast<uint8_t>(order),    \
                        RawWalk(repeat, 1, srcBlk, 1, dstRep, srcRep, 8), AK_SITE);                              \
  }
AK_RAW_EXTREME(vcmax, kMax, half)
AK_RAW_EXTREME(vcmax, kMax, float)
AK_RAW_EXTREME(vcmin, kMin, half)
AK_RAW_EXTREME(vcmin, kMin, float)
#undef AK_RAW_EXTREME

AK_API inline void copy_ubuf_to_ubuf(__ubuf__ void* dst, __ubuf__ void* src, uint8_t, uint16_t nBurst,
                                     uint16_t lenBurst, uint16_t srcGap, uint16_t dstGap) {
  using namespace AscendC::akc;
  akrt_d_local("copy_ubuf_to_ubuf", RawLocal(dst, akrt::DType::kUint8), RawLocal(src, akrt::DType::kUint8), nBurst,
               lenBurst * 32u, srcGap, dstGap, AK_SITE);
}
AK_API inline void copy_gm_to_ubuf(__ubuf__ void* dst, __gm__ void* src, uint8_t, uint16_t nBurst, uint16_t lenBurst,
                                   uint16_t srcGap, uint16_t dstGap) {
  using namespace AscendC::akc;
  akrt_d_load("copy_gm_to_ubuf", RawLocal(dst, akrt::DType::kUint8),
              {reinterpret_cast<uint64_t>(src), 0, akrt::DType::kUint8},
              Blocks({nBurst, lenBurst, srcGap, dstGap}, srcGap, dstGap), AK_SITE);
}
AK_API inline void copy_ubuf_to_gm(__gm__ void* dst, __ubuf__ void* src, uint8_t, uint16_t nBurst, uint16_t lenBurst,
                                   uint16_t srcGap, uint16_t dstGap) {
  using namespace AscendC::akc;
  akrt_d_store("copy_ubuf_to_gm", {reinterpret_cast<uint64_t>(dst), 0, akrt::DType::kUint8},
               RawLocal(src, akrt::DType::kUint8), Blocks({nBurst, lenBurst, srcGap, dstGap}, dstGap, srcGap),
               AK_SITE);
}

// Byte-granular in global memory: the gap there is in bytes, the gap in UB in blocks. The padding is what the register
// of set_mov_pad_val holds.
#define AK_RAW_LOAD_ALIGN(name, bits)                                                                               \
  AK_API inline void name(__ubuf__ void* dst, __gm__ void* src, uint8_t, uint16_t nBurst, uint32_t lenBurst,         \
                          uint8_t leftPad, uint8_t rightPad, uint32_t srcGap, uint32_t dstGap) {                    \
    using namespace AscendC::akc;                                                                                   \
    akrt_d_load(#name, RawLocal(dst, akrt::DType::kUint##bits),                                                     \
                {reinterpret_cast<uint64_t>(src), 0, akrt::DType::kUint##bits},                                     \
                WithPad(Padded(nBurst, lenBurst, srcGap, dstGap), false, leftPad, rightPad, 0), AK_SITE);           \
  }
#define AK_RAW_STORE_ALIGN(name, bits)                                                                              \
  AK_API inline void name(__gm__ void* dst, __ubuf__ void* src, uint8_t, uint16_t nBurst, uint32_t lenBurst,         \
                          uint8_t, uint8_t, uint32_t srcGap, uint32_t dstGap) {                                     \
    using namespace AscendC::akc;                                                                                   \
    akrt_d_store(#name, {reinterpret_cast<uint64_t>(dst), 0, akrt::DType::kUint8},                                  \
                 RawLocal(src, akrt::DType::kUint##bits), Padded(nBurst, lenBurst, dstGap, srcGap), AK_SITE);       \
  }
AK_RAW_LOAD_ALIGN(copy_gm_to_ubuf_align_b8, 8)
AK_RAW_LOAD_ALIGN(copy_gm_to_ubuf_align_b16, 16)
AK_RAW_LOAD_ALIGN(copy_gm_to_ubuf_align_b32, 32)
AK_RAW_STORE_ALIGN(copy_ubuf_to_gm_align_b8, 8)
AK_RAW_STORE_ALIGN(copy_ubuf_to_gm_align_b16, 16)
AK_RAW_STORE_ALIGN(copy_ubuf_to_gm_align_b32, 32)
#undef AK_RAW_LOAD_ALIGN
#undef AK_RAW_STORE_ALIGN

namespace AscendC {

template <typename T>
AK_API void DataCopyUB2GMImpl(__gm__ T* dst, __ubuf__ T* src, const DataCopyParams& intriParams) {
  AK_VECTOR_ONLY;
  akrt_d_store("DataCopyUB2GMImpl", {reinterpret_cast<uint64_t>(dst), 0, akc::kDType<T>}, akc::RawLocal(src),
               akc::Blocks(intriParams, intriParams.dstStride, intriParams.srcStride), AK_SITE);
}

template <typename T>
AK_API void DuplicateImpl(__ubuf__ T* dst, const T& scalarValue, const int32_t& count) {
  AK_CHECK_DTYPE_AS(DuplicateImpl, Duplicate, T);
  AK_VECTOR_ONLY;
  akrt_v_duplicate("DuplicateImpl", akc::RawLocal(dst), akc::Raw<T>(scalarValue), akc::Count(count), AK_SITE);
}
#define AK_DUPLICATE(MaskType)                                                                                       \
  template <typename T, bool isSetMask = true>                                                                       \
  AK_API void DuplicateImpl(__ubuf__ T* dst, const T& scalarValue, MaskType, const uint8_t repeatTime,               \
                            const uint16_t dstBlockStride, const uint8_t dstRepeatStride) {                          \
    AK_CHECK_DTYPE_AS(DuplicateImpl, Duplicate, T);                                                                  \
    AK_VECTOR_ONLY;                                                                                                  \
    akrt::Walk walk = akc::Masked(mask, repeatTime, isSetMask);                                                      \
    walk.block[0] = dstBlockStride;                                                                                  \
    walk.stride[0] = dstRepeatStride;                                                                                \
    akrt_v_duplicate("DuplicateImpl", akc::RawLocal(dst), akc::Raw<T>(scalarValue), walk, AK_SITE);                  \
  }
AK_DUPLICATE(uint64_t mask)
AK_DUPLICATE(uint64_t mask[])
#undef AK_DUPLICATE

}  // namespace AscendC
