// Enumerations and constants of namespace AscendC that A2 programs use.
#pragma once
#include "ascendc/language.h"

namespace AscendC {

enum class TPosition : uint8_t {
  GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM = VECCALC, SPM, SHM = SPM, TSCM, C2PIPE2GM,
  C2PIPE2LOCAL, MAX
};
using QuePosition = TPosition;

enum class HardEvent : uint8_t {
  MTE2_MTE1, MTE1_MTE2, MTE1_M, M_MTE1, MTE2_V, V_MTE2, MTE3_V, V_MTE3, M_V, V_M, V_V, MTE3_MTE1, MTE1_MTE3, MTE1_V,
  MTE2_M, M_MTE2, V_MTE1, M_FIX, FIX_M, MTE3_MTE2, MTE2_MTE3, S_V, V_S, S_MTE2, MTE2_S, S_MTE3, MTE3_S, MTE2_FIX,
  FIX_MTE2, FIX_S, M_S, FIX_MTE3, MTE1_FIX, FIX_MTE1, FIX_FIX, MAX
};

enum class RoundMode : uint8_t {
  CAST_NONE = 0, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD, UNKNOWN = 0xff
};
enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR = 0, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };
enum class ReduceOrder : uint8_t { ORDER_VALUE_INDEX = 0, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };
enum class ReduceType { NONE = -1, SUM = 0, MAX, MIN };
enum class ReduceMode { REDUCE_MAX = 0, REDUCE_MIN, REDUCE_SUM };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum class CacheMode { CACHE_MODE_DISABLE = 0, CACHE_MODE_NORMAL = 1, CACHE_MODE_LAST = 2, CACHE_MODE_PERSISTENT = 4 };
enum class CacheRwMode { READ = 1, WRITE = 2, RW = 3 };
enum class DataFormat : uint8_t { ND = 0, NZ, NCHW, NC1HWC0, NHWC, NCDHW, NDC1HWC0, FRACTAL_Z_3D };
enum class GatherMaskMode : uint8_t { VERSION_V1 = 0, VERSION_V2 = 1 };
enum class BlockMode : uint8_t {
  BLOCK_MODE_NORMAL = 0, BLOCK_MODE_MATRIX, BLOCK_MODE_VECTOR, BLOCK_MODE_SMALL_CHANNEL, BLOCK_MODE_DEPTHWISE
};
enum class DeqScale : uint8_t { DEQ_NONE = 0, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };
enum class MemDsbT { ALL = 0, DDR, UB, SEQ };
enum class AtomicDtype { ATOMIC_NONE = 0, ATOMIC_F32, ATOMIC_F16, ATOMIC_S16, ATOMIC_S32, ATOMIC_S8, ATOMIC_BF16 };
enum class AtomicOp { ATOMIC_SUM = 0 };
enum class EngineType { AIC = 1, AIV = 2 };
enum class CO2Layout : uint8_t { NZ = 0, ROW_MAJOR, COLUMN_MAJOR };
enum class TransposeType : uint8_t {
  TRANSPOSE_TYPE_NONE, TRANSPOSE_NZ2ND_0213, TRANSPOSE_NZ2NZ_0213, TRANSPOSE_NZ2NZ_012_WITH_N,
  TRANSPOSE_NZ2ND_012_WITH_N, TRANSPOSE_NZ2ND_012_WITHOUT_N, TRANSPOSE_NZ2NZ_012_WITHOUT_N, TRANSPOSE_ND2ND_ONLY,
  TRANSPOSE_ND_UB_GM, TRANSPOSE_GRAD_ND_UB_GM, TRANSPOSE_ND2ND_B16, TRANSPOSE_NCHW2NHWC, TRANSPOSE_NHWC2NCHW
};
inline constexpr GatherMaskMode defaultGatherMaskMode = GatherMaskMode::VERSION_V2;
inline constexpr GatherMaskMode defaultGahterMaskMode = GatherMaskMode::VERSION_V2;  // the spelling programs use

inline constexpr uint32_t ONE_BLK_SIZE = 32;
inline constexpr int32_t ONE_REPEAT_BYTE_SIZE = 256;
inline constexpr int32_t MAX_REPEAT_TIMES = 255;
inline constexpr int32_t DEFAULT_BLK_NUM = 8;
inline constexpr int32_t DEFAULT_BLK_STRIDE = 1;
inline constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
inline constexpr uint8_t HALF_DEFAULT_REPEAT_STRIDE = 4;
inline constexpr uint32_t ONE_BLK_FLOAT_NUM = 8;
inline constexpr uint32_t BRCB_BROADCAST_NUMBER = 8;
inline constexpr int32_t DEFAULT_C0_SIZE = 32;
inline constexpr int32_t DEFAULT_BLOCK_SIZE = 256;
inline constexpr uint64_t FULL_MASK = 0xffffffffffffffffull;
inline constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;
inline constexpr int32_t BLOCK_CUBE = 16;
inline constexpr int32_t CUBE_MAX_SIZE = 256;
inline constexpr int32_t BYTE_PER_FRACTAL = 512;
inline constexpr int32_t TOTAL_UB_SIZE = 192 * 1024;
inline constexpr int32_t TOTAL_VEC_LOCAL_SIZE = 184 * 1024;
inline constexpr int32_t TMP_UB_SIZE = 8 * 1024;
inline constexpr int32_t TMP_UB_OFFSET = 184 * 1024;
inline constexpr int32_t TOTAL_L1_SIZE = 512 * 1024 - 128;
inline constexpr int32_t TOTAL_L0A_SIZE = 64 * 1024;
inline constexpr int32_t TOTAL_L0B_SIZE = 64 * 1024;
inline constexpr int32_t TOTAL_L0C_SIZE = 128 * 1024;
inline constexpr uint32_t RESERVED_WORKSPACE = 16 * 1024 * 1024;
inline constexpr int32_t CACHE_LINE_SIZE = 64;
inline constexpr int32_t QUE_MAX_EVENT = 8;
inline constexpr uint64_t MASK_PLACEHOLDER = 0;
inline constexpr uint64_t MASK_PLACEHOLDER_LIST[2] = {0, 0};
inline constexpr uint64_t ASC_UB_SIZE = 192 * 1024 - 256;
inline constexpr uint64_t ASC_L1_SIZE = 512 * 1024 - 256;
inline constexpr uint64_t ASC_L0A_SIZE = 64 * 1024;
inline constexpr uint64_t ASC_L0B_SIZE = 64 * 1024;
inline constexpr uint64_t ASC_L0C_SIZE = 128 * 1024;
inline constexpr uint64_t ASC_BT_SIZE = 1024;

using TEventID = int8_t;
using TBufHandle = uint8_t*;

}  // namespace AscendC
