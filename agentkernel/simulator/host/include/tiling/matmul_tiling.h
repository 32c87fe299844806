// Tiling of the matrix multiplication library: types, shapes and buffers in, a TCubeTiling out.
#pragma once
#include <cstdint>

#include "kernel_tiling/kernel_tiling.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(TCubeTiling)
#define AK_FIELD(name) TILING_DATA_FIELD_DEF(int32_t, name)
AK_TILING_FIELDS_TCubeTiling(AK_FIELD)
#undef AK_FIELD
END_TILING_DATA_DEF

}  // namespace optiling

namespace matmul_tiling {

enum class DataType : int32_t {
  DT_FLOAT = 0,
  DT_FLOAT16 = 1,
  DT_INT8 = 2,
  DT_INT32 = 3,
  DT_UINT8 = 4,
  DT_INT16 = 6,
  DT_UINT16 = 7,
  DT_UINT32 = 8,
  DT_INT64 = 9,
  DT_UINT64 = 10,
  DT_DOUBLE = 11,
  DT_BOOL = 12,
  DT_BF16 = 27,
  DT_UNDEFINED = 28,
  DT_INT4 = 29,
  DT_BFLOAT16 = 33
};

enum class TPosition : int32_t {
  GM = 0, A1 = 1, A2 = 2, B1 = 3, B2 = 4, C1 = 5, C2 = 6, CO1 = 7, CO2 = 8, VECIN = 9, VECOUT = 10, VECCALC = 11,
  LCM = 11, SPM = 12, SHM = 12, TSCM = 13, MAX = 14
};

enum class CubeFormat : int32_t {
  ND = 0, NZ = 1, ZN = 2, ZZ = 3, NN = 4, ND_ALIGN = 5, SCALAR = 6, VECTOR = 7, ROW_MAJOR = 0, COLUMN_MAJOR = 8
};

enum class MatrixTraverse : int32_t { NOSET = 0, FIRSTM = 1, FIRSTN = 2 };
enum class MatrixMadType : int32_t { NORMAL = 0, HF32 = 1 };
enum class DequantType : int32_t { SCALAR = 0, TENSOR = 1 };
enum class ScheduleType : int32_t { INNER_PRODUCT = 0, OUTER_PRODUCT = 1, N_BUFFER_33 = 2 };

struct PlatformInfo {
  platform_ascendc::SocVersion socVersion = platform_ascendc::SocVersion::ASCEND910B;
  uint64_t l1Size = 0;
  uint64_t l0CSize = 0;
  uint64_t ubSize = 0;
  uint64_t l0ASize = 0;
  uint64_t l0BSize = 0;
};

struct SysTilingTempBufSize {
  int32_t ubSize = 0;
  int32_t l1Size = 0;
  int32_t l0cSize = 0;
};

// Setters answer 0, or -1 and change nothing where a value is not legal.
class MatmulApiTilingBase {
 public:
  MatmulApiTilingBase();
  explicit MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& platform);
  explicit MatmulApiTilingBase(const PlatformInfo& platform);
  virtual ~MatmulApiTilingBase() = default;

  int32_t SetAType(TPosition position, CubeFormat format, DataType type, bool isTrans = false);
  int32_t SetBType(TPosition position, CubeFormat format, DataType type, bool isTrans = false);
  int32_t SetCType(TPosition position, CubeFormat format, DataType type);
  int32_t SetBiasType(TPosition position, CubeFormat format, DataType type);
  virtual int32_t SetShape(int32_t m, int32_t n, int32_t k);
  int32_t SetOrgShape(int32_t orgM, int32_t orgN, int32_t orgK);
  int32_t SetOrgShape(int32_t orgM, int32_t orgN, int32_t orgKa, int32_t orgKb);
  int32_t SetBias(bool isBias = false);
  int32_t EnableBias(bool isBias = false) { return SetBias(isBias); }
  // -1 leaves the choice to the library.
  int32_t SetFixSplit(int32_t baseM = -1, int32_t baseN = -1, int32_t baseK = -1);
  // -1 keeps all that the chip has.
  int32_t SetBufferSpace(int32_t l1Size = -1, int32_t l0CSize = -1, int32_t ubSize = -1, int32_t btSize = -1);
  int32_t SetTraverse(MatrixTraverse traverse);
  int32_t SetMadType(MatrixMadType type);
  int32_t SetDequantType(DequantType type);
  int32_t SetSplitRange(int32_t maxM = -1, int32_t maxN = -1, int32_t maxK = -1, int32_t minM = -1, int32_t minN = -1,
                        int32_t minK = -1);
  int32_t SetDoubleBuffer(bool a, bool b, bool c, bool bias, bool transND2NZ = true, bool transNZ2ND = true);
  int32_t SetSparse(bool isSparse = false);
  int32_t GetBaseM() const { return base_m_; }
  int32_t GetBaseN() const { return base_n_; }
  int32_t GetBaseK() const { return base_k_; }

  // 0, or -1 where no split fits the memories.
  virtual int64_t GetTiling(optiling::TCubeTiling& tiling);
  virtual int64_t GetTiling(AscendC::tiling::TCubeTiling& tiling);

 protected:
  struct Operand {
    TPosition position = TPosition::GM;
    CubeFormat format = CubeFormat::ND;
    DataType type = DataType::DT_FLOAT16;
    bool transposed = false;
  };
  // Shares of one core and how many cores there are; false where the shape was not set.
  virtual bool Share();
  int64_t Compute(AscendC::tiling::TCubeTiling& tiling);

  Operand a_, b_, c_, bias_;
  bool has_bias_ = false;
  int32_t m_ = -1, n_ = -1, k_ = -1;
  int32_t org_m_ = -1, org_n_ = -1, org_ka_ = -1, org_kb_ = -1;
  int32_t single_m_ = -1, single_n_ = -1, single_k_ = -1;
  int32_t base_m_ = -1, base_n_ = -1, base_k_ = -1;
  int32_t fix_m_ = -1, fix_n_ = -1, fix_k_ = -1;
  int32_t max_m_ = -1, max_n_ = -1, max_k_ = -1;
  int32_t used_cores_ = 1;
  int64_t l1_all_, l0c_all_, ub_all_, bt_all_, l0a_, l0b_;
  int64_t l1_, l0c_, ub_, bt_;
  MatrixTraverse traverse_ = MatrixTraverse::FIRSTM;
};

class MatmulApiTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;
};

// The matrix is shared out to several cores.
class MultiCoreMatmulTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;

  int32_t SetDim(int32_t cores);
  int32_t SetShape(int32_t m, int32_t n, int32_t k) override;
  int32_t SetSingleShape(int32_t singleM = -1, int32_t singleN = -1, int32_t singleK = -1);
  int32_t SetSingleRange(int32_t maxM = -1, int32_t maxN = -1, int32_t maxK = -1, int32_t minM = -1, int32_t minN = -1,
                         int32_t minK = -1);
  int32_t SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK);
  int32_t GetSingleShape(int32_t& singleM, int32_t& singleN, int32_t& singleK);
  int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim);
  void EnableMultiCoreSplitK(bool flag) { split_k_ = flag; }

 protected:
  bool Share() override;

 private:
  int32_t cores_ = 1;
  int32_t m_dim_ = 1, n_dim_ = 1;
  int32_t given_m_ = -1, given_n_ = -1, given_k_ = -1;
  bool split_k_ = false;
};

}  // namespace matmul_tiling

extern "C" {
int32_t MatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& sizes);
int32_t MultiCoreMatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& sizes);
}
