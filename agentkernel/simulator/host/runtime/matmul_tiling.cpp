// A tiling of matrix multiplication that keeps every rule which the kernel's library relies on: base tiles that fit L0,
// steps and depths that fit L1, units of the matrix engine. It does not look for the fastest one.
#include "tiling/matmul_tiling.h"

#include <algorithm>
#include <cstring>

namespace matmul_tiling {

namespace {

// What the chip has where no platform is given; UB and L1 without what the system keeps.
constexpr int64_t kL1 = 524032, kL0C = 131072, kL0A = 65536, kL0B = 65536, kUb = 196352, kBt = 1024;
constexpr int32_t kCube = 16;
constexpr int32_t kBlockBytes = 32;
constexpr int32_t kBaseMn = 128;
constexpr int32_t kBaseKBytes = 128;  // of one tile: 64 halves
constexpr int32_t kAccumulatorBytes = 4;

int32_t bytes_of(DataType type) {
  switch (type) {
    case DataType::DT_FLOAT:
    case DataType::DT_INT32:
    case DataType::DT_UINT32: return 4;
    case DataType::DT_INT8:
    case DataType::DT_UINT8:
    case DataType::DT_INT4: return 1;
    default: return 2;
  }
}

int32_t up(int32_t value, int32_t unit) { return (value + unit - 1) / unit * unit; }
int32_t quotient_up(int32_t value, int32_t unit) { return unit <= 0 ? 0 : (value + unit - 1) / unit; }

int64_t memory(const platform_ascendc::PlatformAscendC& platform, platform_ascendc::CoreMemType type) {
  uint64_t bytes = 0;
  platform.GetCoreMemSize(type, bytes);
  return static_cast<int64_t>(bytes);
}

bool set_space(int64_t& used, int64_t all, int32_t wanted) {
  if (wanted < -1 || wanted > all) return false;
  used = wanted == -1 ? used : wanted / kBlockBytes * kBlockBytes;
  return true;
}

}  // namespace

MatmulApiTilingBase::MatmulApiTilingBase()
    : l1_all_(kL1), l0c_all_(kL0C), ub_all_(kUb), bt_all_(kBt), l0a_(kL0A), l0b_(kL0B), l1_(kL1), l0c_(kL0C), ub_(kUb),
      bt_(kBt) {}

MatmulApiTilingBase::MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& platform) : MatmulApiTilingBase() {
  using platform_ascendc::CoreMemType;
  l1_ = l1_all_ = memory(platform, CoreMemType::L1);
  l0c_ = l0c_all_ = memory(platform, CoreMemType::L0_C);
  ub_ = ub_all_ = memory(platform, CoreMemType::UB);
  l0a_ = memory(platform, CoreMemType::L0_A);
  l0b_ = memory(platform, CoreMemType::L0_B);
}

MatmulApiTilingBase::MatmulApiTilingBase(const PlatformInfo& platform) : MatmulApiTilingBase() {
  l1_ = l1_all_ = static_cast<int64_t>(platform.l1Size);
  l0c_ = l0c_all_ = static_cast<int64_t>(platform.l0CSize);
  ub_ = ub_all_ = static_cast<int64_t>(platform.ubSize);
  l0a_ = static_cast<int64_t>(platform.l0ASize);
  l0b_ = static_cast<int64_t>(platform.l0BSize);
}

int32_t MatmulApiTilingBase::SetAType(TPosition position, CubeFormat format, DataType type, bool isTrans) {
  a_ = {position, format, type, isTrans};
  return 0;
}
int32_t MatmulApiTilingBase::SetBType(TPosition position, CubeFormat format, DataType type, bool isTrans) {
  b_ = {position, format, type, isTrans};
  return 0;
}
int32_t MatmulApiTilingBase::SetCType(TPosition position, CubeFormat format, DataType type) {
  c_ = {position, format, type, false};
  return 0;
}
int32_t MatmulApiTilingBase::SetBiasType(TPosition position, CubeFormat format, DataType type) {
  bias_ = {position, format, type, false};
  return 0;
}
int32_t MatmulApiTilingBase::SetShape(int32_t m, int32_t n, int32_t k) {
  single_m_ = m;
  single_n_ = n;
  single_k_ = k;
  if (org_m_ == -1 && org_n_ == -1 && org_ka_ == -1 && org_kb_ == -1) return SetOrgShape(m, n, k);
  return 0;
}
int32_t MatmulApiTilingBase::SetOrgShape(int32_t orgM, int32_t orgN, int32_t orgK) {
  return SetOrgShape(orgM, orgN, orgK, orgK);
}
int32_t MatmulApiTilingBase::SetOrgShape(int32_t orgM, int32_t orgN, int32_t orgKa, int32_t orgKb) {
  org_m_ = orgM;
  org_n_ = orgN;
  org_ka_ = orgKa;
  org_kb_ = orgKb;
  return 0;
}
int32_t MatmulApiTilingBase::SetBias(bool isBias) {
  has_bias_ = isBias;
  return 0;
}
int32_t MatmulApiTilingBase::SetFixSplit(int32_t baseM, int32_t baseN, int32_t baseK) {
  const auto legal = [](int32_t value, int32_t unit) { return value == -1 || (value > 0 && value % unit == 0); };
  if (!legal(baseM, kCube) || !legal(baseN, kCube) || !legal(baseK, kBlockBytes / bytes_of(a_.type))) return -1;
  fix_m_ = baseM;
  fix_n_ = baseN;
  fix_k_ = baseK;
  return 0;
}
int32_t MatmulApiTilingBase::SetBufferSpace(int32_t l1Size, int32_t l0CSize, int32_t ubSize, int32_t btSize) {
  const bool legal = set_space(l1_, l1_all_, l1Size) && set_space(l0c_, l0c_all_, l0CSize) &&
                     set_space(ub_, ub_all_, ubSize) && set_space(bt_, bt_all_, btSize);
  return legal ? 0 : -1;
}
int32_t MatmulApiTilingBase::SetTraverse(MatrixTraverse traverse) {
  traverse_ = traverse;
  return 0;
}
int32_t MatmulApiTilingBase::SetMadType(MatrixMadType) { return 0; }
int32_t MatmulApiTilingBase::SetDequantType(DequantType) { return 0; }
int32_t MatmulApiTilingBase::SetSplitRange(int32_t maxM, int32_t maxN, int32_t maxK, int32_t, int32_t, int32_t) {
  max_m_ = maxM;
  max_n_ = maxN;
  max_k_ = maxK;
  return 0;
}
int32_t MatmulApiTilingBase::SetDoubleBuffer(bool, bool, bool, bool, bool, bool) { return 0; }
int32_t MatmulApiTilingBase::SetSparse(bool) { return 0; }

bool MatmulApiTilingBase::Share() {
  used_cores_ = 1;
  return single_m_ > 0 && single_n_ > 0 && single_k_ > 0;
}

namespace {

// A base tile: what was fixed, else the usual size, never more than there is to do or than a range allows.
int32_t base_of(int32_t fixed, int32_t usual, int32_t single, int32_t most, int32_t unit) {
  if (fixed > 0) return fixed;
  int32_t base = std::min(usual, up(single, unit));
  if (most > 0) base = std::min(base, std::max(unit, most / unit * unit));
  return base;
}

}  // namespace

int64_t MatmulApiTilingBase::Compute(AscendC::tiling::TCubeTiling& t) {
  if (!Share()) return -1;
  const int32_t bytes_a = bytes_of(a_.type), bytes_b = bytes_of(b_.type);
  const int32_t unit_k = kBlockBytes / bytes_a;
  base_m_ = base_of(fix_m_, kBaseMn, single_m_, max_m_, kCube);
  base_n_ = base_of(fix_n_, kBaseMn, single_n_, max_n_, kCube);
  base_k_ = base_of(fix_k_, kBaseKBytes / bytes_a, single_k_, max_k_, unit_k);
  const auto fits = [&] {
    return int64_t{base_m_} * base_k_ * bytes_a <= l0a_ && int64_t{base_n_} * base_k_ * bytes_b <= l0b_ &&
           int64_t{base_m_} * base_n_ * kAccumulatorBytes <= l0c_ &&
           int64_t{base_k_} * (int64_t{base_m_} * bytes_a + int64_t{base_n_} * bytes_b) <= l1_;
  };
  while (!fits() && fix_k_ <= 0 && base_k_ > unit_k) base_k_ = up(base_k_ / 2, unit_k);
  while (!fits() && (fix_m_ <= 0 || fix_n_ <= 0)) {
    int32_t& larger = fix_n_ > 0 || (fix_m_ <= 0 && base_m_ >= base_n_) ? base_m_ : base_n_;
    if (larger == kCube) break;
    larger = up(larger / 2, kCube);
  }
  if (!fits()) return -1;
  const int64_t tile_a = int64_t{base_m_} * base_k_ * bytes_a;
  const int64_t tile_b = int64_t{base_n_} * base_k_ * bytes_b;
  const int32_t steps_k = quotient_up(single_k_, base_k_);
  const int32_t double_buffer = 2 * (tile_a + tile_b) <= l1_ ? 2 : 1;
  int32_t step_k = 1;
  while (step_k < steps_k && double_buffer * (step_k + 1) * (tile_a + tile_b) <= l1_) ++step_k;
  t = AscendC::tiling::TCubeTiling{};
  t.usedCoreNum = used_cores_;
  t.M = org_m_;
  t.N = org_n_;
  t.Ka = org_ka_;
  t.Kb = org_kb_;
  t.singleCoreM = single_m_;
  t.singleCoreN = single_n_;
  t.singleCoreK = single_k_;
  t.baseM = base_m_;
  t.baseN = base_n_;
  t.baseK = base_k_;
  t.stepM = t.stepN = 1;
  t.stepKa = t.stepKb = step_k;
  t.depthA1 = t.depthB1 = step_k * double_buffer;
  t.isBias = has_bias_ ? 1 : 0;
  t.iterateOrder = traverse_ == MatrixTraverse::FIRSTN ? 1 : 0;
  t.shareL1Size = static_cast<int32_t>(step_k * double_buffer * (tile_a + tile_b));
  t.shareL0CSize = base_m_ * base_n_ * kAccumulatorBytes;
  t.batchM = t.batchN = t.singleBatchM = t.singleBatchN = 1;
  t.dbL0A = 2 * tile_a <= l0a_ ? 2 : 1;
  t.dbL0B = 2 * tile_b <= l0b_ ? 2 : 1;
  t.dbL0C = 2 * int64_t{t.shareL0CSize} <= l0c_ ? 2 : 1;
  return 0;
}

int64_t MatmulApiTilingBase::GetTiling(AscendC::tiling::TCubeTiling& tiling) { return Compute(tiling); }

int64_t MatmulApiTilingBase::GetTiling(optiling::TCubeTiling& tiling) {
  AscendC::tiling::TCubeTiling plain;
  if (Compute(plain) != 0) return -1;
#define AK_COPY(field) tiling.set_##field(plain.field);
  AK_TILING_FIELDS_TCubeTiling(AK_COPY)
#undef AK_COPY
  return 0;
}

int32_t MultiCoreMatmulTiling::SetDim(int32_t cores) {
  if (cores < 1) return -1;
  cores_ = cores;
  return 0;
}
int32_t MultiCoreMatmulTiling::SetShape(int32_t m, int32_t n, int32_t k) {
  m_ = m;
  n_ = n;
  k_ = k;
  return MatmulApiTilingBase::SetShape(m, n, k);
}
int32_t MultiCoreMatmulTiling::SetSingleShape(int32_t singleM, int32_t singleN, int32_t singleK) {
  given_m_ = singleM;
  given_n_ = singleN;
  given_k_ = singleK;
  return 0;
}
int32_t MultiCoreMatmulTiling::SetSingleRange(int32_t, int32_t, int32_t, int32_t, int32_t, int32_t) { return 0; }
int32_t MultiCoreMatmulTiling::SetAlignSplit(int32_t, int32_t, int32_t) { return 0; }

int32_t MultiCoreMatmulTiling::GetSingleShape(int32_t& singleM, int32_t& singleN, int32_t& singleK) {
  singleM = single_m_;
  singleN = single_n_;
  singleK = single_k_;
  return 0;
}
int32_t MultiCoreMatmulTiling::GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim) {
  dim = used_cores_;
  mDim = m_dim_;
  nDim = n_dim_;
  return 0;
}

// The split of cores over rows and columns whose largest share is smallest.
bool MultiCoreMatmulTiling::Share() {
  if (m_ <= 0 || n_ <= 0 || k_ <= 0) {
    if (org_m_ <= 0 || org_n_ <= 0 || org_ka_ <= 0) return false;
    m_ = org_m_;
    n_ = org_n_;
    k_ = org_ka_;
  }
  int64_t best = -1;
  for (int32_t rows = 1; rows <= cores_; ++rows) {
    const int32_t share_m = given_m_ > 0 ? given_m_ : std::min(m_, up(quotient_up(m_, rows), kCube));
    const int32_t used_rows = quotient_up(m_, share_m);
    if (used_rows > rows) continue;
    const int32_t columns = cores_ / rows;
    const int32_t share_n = given_n_ > 0 ? given_n_ : std::min(n_, up(quotient_up(n_, columns), kCube));
    if (quotient_up(n_, share_n) > columns) continue;
    const int64_t work = int64_t{share_m} * share_n;
    if (best >= 0 && work >= best) continue;
    best = work;
    single_m_ = share_m;
    single_n_ = share_n;
    m_dim_ = used_rows;
    n_dim_ = quotient_up(n_, share_n);
  }
  if (best < 0) return false;
  single_k_ = given_k_ > 0 ? given_k_ : k_;
  used_cores_ = m_dim_ * n_dim_ * quotient_up(k_, single_k_);
  return used_cores_ <= cores_;
}

}  // namespace matmul_tiling

namespace {

int32_t buffers(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& sizes) {
  sizes.l1Size = tiling.get_shareL1Size();
  sizes.l0cSize = tiling.get_shareL0CSize();
  sizes.ubSize = tiling.get_shareUbSize();
  return 0;
}

}  // namespace

int32_t MatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& sizes) {
  return buffers(tiling, sizes);
}
int32_t MultiCoreMatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& sizes) {
  return buffers(tiling, sizes);
}
