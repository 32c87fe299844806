// Raw intrinsics of the scalar unit: control and atomic registers, data cache, flags between cores, bits.
#pragma once
#include "ascendc/cross_core.h"
#include "ascendc/raw.h"

inline int64_t get_subblockdim() { return akrt_sub_block_num(); }
inline int64_t get_ctrl() { return static_cast<int64_t>(akrt_get_ctrl()); }
inline void set_ctrl(uint64_t config) { akrt_set_ctrl(config); }
inline constexpr uint64_t sbitset0(uint64_t bits, int64_t index) { return bits & ~(1ull << (index & 63)); }
inline constexpr uint64_t sbitset1(uint64_t bits, int64_t index) { return bits | 1ull << (index & 63); }

// The operation and the element type of stores to global memory are set apart.
namespace AscendC::akc {
inline void RawAtomic(AkrtAtomic operation) {
  akrt::DType dtype = akrt::DType::kFloat32;
  akrt_get_atomic(&dtype);
  akrt_set_atomic(operation, dtype);
}
}  // namespace AscendC::akc
inline void set_atomic_none() { AscendC::akc::RawAtomic(kAkrtAtomicNone); }
inline void set_atomic_add() { AscendC::akc::RawAtomic(kAkrtAtomicAdd); }
inline void set_atomic_max() { AscendC::akc::RawAtomic(kAkrtAtomicMax); }
inline void set_atomic_min() { AscendC::akc::RawAtomic(kAkrtAtomicMin); }
inline void set_atomic_s8() { akrt_set_atomic_type(akrt::DType::kInt8); }
inline void set_atomic_s16() { akrt_set_atomic_type(akrt::DType::kInt16); }
inline void set_atomic_s32() { akrt_set_atomic_type(akrt::DType::kInt32); }
inline void set_atomic_f16() { akrt_set_atomic_type(akrt::DType::kFloat16); }
inline void set_atomic_bf16() { akrt_set_atomic_type(akrt::DType::kBfloat16); }
inline void set_atomic_f32() { akrt_set_atomic_type(akrt::DType::kFloat32); }

// `entire` 0: the line of the address, whatever the type. 1: all lines of type 0 (any) or 2 (global memory); no line
// belongs to UB (1), which the scalar unit reaches without a cache, nor to scalar atomics (3), which A2 has not.
AK_API inline void dcci(void* dst, uint64_t entire, uint64_t type = 0) {
  const bool global = AscendC::akc::RawLocal(dst, akrt::DType::kUint8).bytes == 0;
  if (entire == 0 ? global : (type == 0 || type == 2))
    akrt_dcache_clean(reinterpret_cast<uint64_t>(dst), entire != 0, AK_SITE);
  else akrt_scalar_cycles(1);
}

inline void set_ffts_base_addr(uint64_t) {}  // the simulator's flags have no address
// `config`: 1 in the low four bits, the mode from bit 4 on, the flag from bit 8 on.
AK_API inline void ffts_cross_core_sync(pipe_t pipe, uint64_t config) {
  const uint64_t mode = config >> 4 & 15;
  if ((config & 15) != 1 || mode > 2 || pipe == PIPE_S || pipe == PIPE_ALL) {
    akrt_argument_error("illegal-argument", "ffts_cross_core_sync",
                        "ffts_cross_core_sync with a configuration or a pipe that it does not have.",
                        "The configuration is 1 | mode << 4 | flag << 8 with mode 0 to 2; the pipe is neither PIPE_S nor PIPE_ALL.",
                        AK_SITE);
    return;
  }
  akrt_cross_set(static_cast<int32_t>(mode), pipe, static_cast<int32_t>(config >> 8), AK_SITE);
}
AK_API inline void wait_flag_dev(int64_t flag) { akrt_cross_wait(static_cast<int32_t>(flag), AK_SITE); }
