// Raw intrinsics that move elements by index, pattern or bits, and the conversions between half and float.
#pragma once
#include "ascendc/gather.h"
#include "ascendc/raw.h"

namespace AscendC::akc {

// A UB address that travels as a number: the low 32 bits of the pointer. Gathers add to it modulo 2^32, so that it may
// be anything that leads into UB together with the offsets. One byte long, because how much is read the offsets say.
inline akrt::Local RawBase(uint32_t address, akrt::DType dtype) {
  const uint8_t* memory = akrt_memory(static_cast<uint8_t>(akrt::Space::UB));
  return {address - static_cast<uint32_t>(reinterpret_cast<uintptr_t>(memory)), 1,
          static_cast<uint8_t>(TPosition::VECCALC), dtype};
}

}  // namespace AscendC::akc

#define AK_RAW_BRCB(name, T)                                                                                        \
  AK_API inline void name(T* dst, T* src, uint16_t dstBlk, uint16_t dstRep, uint8_t repeat) {                       \
    using namespace AscendC::akc;                                                                                   \
    akrt_v_brcb(#name, RawLocal(dst), RawLocal(src), RawWalk(repeat, dstBlk, 1, 1, dstRep, 8, 8), AK_SITE);         \
  }
AK_RAW_BRCB(vbrcb, uint16_t)
AK_RAW_BRCB(vbrcb, uint32_t)
#undef AK_RAW_BRCB

// `offset` holds one byte offset for each element, or block, and is added to the address `base`.
#define AK_RAW_GATHER(name, T)                                                                                      \
  AK_API inline void name(T* dst, uint32_t* offset, uint32_t base, uint16_t dstRep, uint8_t repeat) {               \
    using namespace AscendC::akc;                                                                                   \
    akrt_v_gather(#name, RawLocal(dst), RawBase(base, kDType<T>), RawLocal(offset), 0,                              \
                  RawWalk(repeat, 1, 1, 1, dstRep, 8, 8), AK_SITE);                                                 \
  }
AK_RAW_GATHER(vgather, uint16_t)
AK_RAW_GATHER(vgather, uint32_t)
#undef AK_RAW_GATHER
#define AK_RAW_GATHER_BLOCKS(name, T)                                                                               \
  AK_API inline void name(T* dst, uint32_t* offset, uint32_t base, uint16_t dstRep, uint8_t dstBlk,                 \
                          uint8_t repeat) {                                                                         \
    using namespace AscendC::akc;                                                                                   \
    akrt_v_gatherb(#name, RawLocal(dst), RawBase(base, kDType<T>), RawLocal(offset),                                \
                   RawWalk(repeat, dstBlk, 1, 1, dstRep, 8, 8), AK_SITE);                                           \
  }
AK_RAW_GATHER_BLOCKS(vgatherb, uint16_t)
AK_RAW_GATHER_BLOCKS(vgatherb, uint32_t)
#undef AK_RAW_GATHER_BLOCKS

// Pattern 0 takes the bits from src1. In counter mode the mask says how many elements each repeat has.
#define AK_RAW_REDUCE(name, T)                                                                                      \
  AK_API inline void name(T* dst, T* src0, T* src1, uint16_t repeat, uint8_t src0Blk, uint8_t pattern,              \
                          uint16_t src0Rep, uint8_t src1Rep) {                                                      \
    using namespace AscendC::akc;                                                                                   \
    const akrt::Local bits = RawLocal(src1);                                                                        \
    akrt::GatherMaskCall call{akrt_get_mask_mode(), static_cast<uint32_t>(akrt_get_mask(0)), repeat, src0Blk,       \
                              src0Rep, src1Rep, pattern};                                                           \
    call.alone = true;                                                                                              \
    akrt_v_gather_mask(#name, RawLocal(dst), RawLocal(src0), pattern == 0 ? &bits : nullptr, call, AK_SITE);        \
  }
AK_RAW_REDUCE(vreducev2, uint16_t)
AK_RAW_REDUCE(vreducev2, uint32_t)
#undef AK_RAW_REDUCE

AK_API inline void set_cmpmask(__ubuf__ void* src) {
  akrt_v_set_cmp_mask(AscendC::akc::RawLocal(src, akrt::DType::kUint8), AK_SITE);
}
AK_API inline void get_cmpmask(__ubuf__ void* dst) {
  akrt_v_get_cmp_mask(AscendC::akc::RawLocal(dst, akrt::DType::kUint8), AK_SITE);
}

// Mode 0: bits in CMPMASK. Mode 1: bits at src1, the scalar in CMPMASK. Mode 2: bits at the address that CMPMASK holds.
#define AK_RAW_SELECT(name, T)                                                                                      \
  AK_API inline void name(T* dst, T* src0, __ubuf__ void* src1, uint8_t repeat, uint8_t dstBlk, uint8_t src0Blk,    \
                          uint8_t src1Blk, uint8_t dstRep, uint8_t src0Rep, uint8_t src1Rep, uint8_t mode) {        \
    using namespace AscendC::akc;                                                                                   \
    const bool scalar = mode == static_cast<uint8_t>(AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE);                    \
    const akrt::Local second = RawLocal(src1, scalar ? akrt::DType::kUint8 : kDType<T>);                            \
    akrt_v_select_register(#name, RawLocal(dst), scalar ? &second : nullptr, RawLocal(src0),                        \
                           scalar ? nullptr : &second, mode,                                                        \
                           RawWalk(repeat, dstBlk, src0Blk, src1Blk, dstRep, src0Rep, src1Rep), AK_SITE);           \
  }
AK_RAW_SELECT(vsel, half)
AK_RAW_SELECT(vsel, float)
#undef AK_RAW_SELECT

#define AK_RAW_CONVERT(name, D, S, Mode)                                                                            \
  AK_API inline void name(D* dst, S* src, uint8_t repeat, uint16_t dstBlk, uint16_t srcBlk, uint16_t dstRep,        \
                          uint16_t srcRep) {                                                                        \
    using namespace AscendC::akc;                                                                                   \
    akrt_v_cast(#name, RawLocal(dst), RawLocal(src), static_cast<uint8_t>(AscendC::RoundMode::Mode),                \
                RawWalk(repeat, dstBlk, srcBlk, 1, dstRep, srcRep, 8), AK_SITE);                                    \
  }
AK_RAW_CONVERT(vconv_f162f32, float, half, CAST_NONE)
AK_RAW_CONVERT(vconv_f322f16, half, float, CAST_NONE)
#undef AK_RAW_CONVERT
