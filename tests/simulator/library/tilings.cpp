// Prints what the host-side functions make of shapes, one structure a line; see test_tilings.py.
#include <cstdio>
#include <vector>

#include "shared/library_tilings.h"

namespace {

struct Dims {
  std::vector<int64_t> dims;
  size_t GetDimNum() const { return dims.size(); }
  int64_t GetDim(size_t i) const { return dims[i]; }
};

// A structure with setters, as host code defines it.
class Setters {
 public:
  void set_srcHeight(uint32_t v) { height = v; }
  void set_srcWidth(uint32_t v) { width = v; }
  void set_tmpBufSize(uint32_t v) { scratch = v; }
  uint32_t height = 0, width = 0, scratch = 0;
};

struct Platform {};
enum class Mode { kNormal };

}  // namespace

#define SHOW(field) std::printf(" %s=%u", #field, t.field);
#define PRINT(Name)                  \
  {                                  \
    std::printf("%s", #Name);        \
    AK_TILING_FIELDS_##Name(SHOW)    \
    std::printf("\n");               \
  }

int main() {
  using namespace AscendC;
  const Dims rows{{2, 3, 80}}, padded{{2, 3, 80, 77}}, flat{{4, 77}}, image{{2, 6, 4, 8}}, matrix{{32, 48}};
  { tiling::LayerNormTiling t; GetLayerNormNDTillingInfo(padded, 4096, 4, false, t); PRINT(LayerNormTiling) }
  { tiling::LayerNormSeparateTiling t; GetLayerNormNDTilingInfo(flat, 64, 4, false, true, t); PRINT(LayerNormSeparateTiling) }
  { tiling::RmsNormTiling t; if (!GetRmsNormTilingInfo(rows, padded, 4096, 4, t)) return 1; PRINT(RmsNormTiling) }
  { tiling::DeepNormTiling t; if (GetDeepNormTilingInfo(rows, rows, 32, 4, false, false, t)) return 1; PRINT(DeepNormTiling) }
  { tiling::LayerNormGradTiling t; GetLayerNormGradNDTilingInfo(rows, 99, 2, false, t); PRINT(LayerNormGradTiling) }
  { tiling::LayerNormGradBetaTiling t; GetLayerNormGradBetaNDTilingInfo(rows, 99, 2, false, t); PRINT(LayerNormGradBetaTiling) }
  { tiling::BatchNormTiling t; if (!GetBatchNormNDTilingInfo(rows, rows, 4096, 4, false, t)) return 1; PRINT(BatchNormTiling) }
  { tiling::GroupNormTiling t; GetGroupNormNDTilingInfo(image, 10, 4, false, 3, t); PRINT(GroupNormTiling) }
  { tiling::TopkTiling t; if (!TopKTilingFunc(Platform{}, 64, 3, 5, 4, true, Mode::kNormal, true, t)) return 1; PRINT(TopkTiling) }
  { tiling::PadTiling t; PadTilingFunc(matrix, Dims{{32, 45}}, 7, 4, t); PRINT(PadTiling) }
  { tiling::ConfusionTransposeTiling t; GetConfusionTransposeOnlyTilingInfo(matrix, 7, 4, t); PRINT(ConfusionTransposeTiling) }
  { Setters t; UnPadTilingFunc(matrix, 9, 4, t); std::printf("UnPad %u %u %u\n", t.height, t.width, t.scratch); }
  uint32_t most = 0, least = 0;
  GetLayerNormMaxMinTmpSize(rows, 4, false, most, least); std::printf("LayerNorm %u %u\n", least, most);
  GetLayerNormMaxMinTmpSize(flat, 2, false, true, false, most, least); std::printf("LayerNormAR %u %u\n", least, most);
  GetNormalizeMaxMinTmpSize(flat, 4, 4, false, true, false, most, least); std::printf("Normalize %u %u\n", least, most);
  GetLayerNormGradMaxMinTmpSize(rows, 4, false, most, least); std::printf("Grad %u %u\n", least, most);
  GetTopKMaxMinTmpSize(Platform{}, 64, 3, false, false, Mode::kNormal, true, 4, most, least); std::printf("TopK %u %u\n", least, most);
  GetPadMaxMinTmpSize(matrix, 4, most, least); std::printf("Pad %u %u\n", least, most);
  GetDropOutMaxMinTmpSize(matrix, 4, false, most, least); std::printf("DropOut %u %u\n", least, most);
  GetWelfordUpdateMaxMinTmpSize(Dims{{1, 64}}, 2, 4, false, false, most, least); std::printf("Welford %u %u\n", least, most);
  return 0;
}
