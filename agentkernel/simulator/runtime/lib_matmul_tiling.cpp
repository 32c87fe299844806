// What a Matmul object's tiling has to keep.
#include <string>
#include <utility>

#include "core.h"
#include "lib_matmul.h"
#include "ops_cube.h"

namespace akrt {

using mm::complain;

void mm::complain(const char* code, const char* api, Site site, const std::string& message, const std::string& hint,
                  Gravity gravity) {
  Finding f;
  f.code = code, f.gravity = gravity, f.api = api, f.site = site, f.message = message, f.hint = hint;
  Core& core = Machine::current().core();
  if (gravity == Gravity::kFatal) core.fatal(std::move(f));
  core.report(f);
}

namespace {

class TilingCheck {
 public:
  TilingCheck(const MatmulState& state, Site site) : s_(state), t_(state.tiling), site_(site) {}

  void sizes() {
    constexpr int32_t kMostTile = 4095;  // rows and columns of one product
    for (const auto& [name, value] : {std::pair{"baseM", t_.baseM}, {"baseN", t_.baseN}, {"baseK", t_.baseK}, {"stepM", t_.stepM},
                                      {"stepN", t_.stepN}, {"stepKa", t_.stepKa}, {"stepKb", t_.stepKb}, {"depthA1", t_.depthA1},
                                      {"depthB1", t_.depthB1}, {"dbL0A", t_.dbL0A}, {"dbL0B", t_.dbL0B}, {"dbL0C", t_.dbL0C}})
      in_range(name, value, kMostTile);
    constexpr int32_t kMostSize = 1 << 28;
    for (const auto& [name, value] : {std::pair{"singleCoreM", t_.singleCoreM}, {"singleCoreN", t_.singleCoreN},
                                      {"singleCoreK", t_.singleCoreK}})
      in_range(name, value, kMostSize);
  }
  void all() {
    sizes();
    const uint32_t c0 = cube::columns_of(s_.a.dtype);
    multiple("baseM", t_.baseM, 16);
    multiple("baseN", t_.baseN, 16);
    multiple("baseK", t_.baseK, static_cast<int32_t>(c0));
    const int64_t a = bytes(s_.a, t_.baseM, t_.baseK), b = bytes(s_.b, t_.baseN, t_.baseK);
    const auto capacity = [](Space s) { return int64_t{Machine::current().core().memory().capacity(s)}; };
    fits("baseM * baseK * sizeof(A) * dbL0A", a * t_.dbL0A, "L0A", capacity(Space::L0A));
    fits("baseN * baseK * sizeof(B) * dbL0B", b * t_.dbL0B, "L0B", capacity(Space::L0B));
    fits("baseM * baseN * 4 * dbL0C", int64_t{t_.baseM} * t_.baseN * 4 * t_.dbL0C, "L0C", capacity(Space::L0C));
    if (t_.isBias != 0) fits("baseN * 4 of the bias", int64_t{t_.baseN} * 4, "the bias table", capacity(Space::BT));
    fits("depthA1 parts of A and depthB1 parts of B (and the bias)", matmul_l1_bytes(s_), "L1", capacity(Space::L1));
    depth("depthA1", t_.depthA1, "stepM * stepKa", int64_t{t_.stepM} * t_.stepKa);
    depth("depthB1", t_.depthB1, "stepN * stepKb", int64_t{t_.stepN} * t_.stepKb);
    if (s_.many_loads) many_loads();
  }

 private:
  static constexpr const char* kHint = "Take the TCubeTiling of GetTiling as it is, or keep its rules when you change it.";

  // Squares that are turned on the way to L0 are 32 numbers of 8 bits wide, 16 others deep.
  static int64_t bytes(const MatmulOperand& o, int32_t wide, int32_t deep) {
    const uint32_t size = dtype_bytes(o.dtype);
    return int64_t{cube::round_up(static_cast<uint32_t>(wide), size == 1 ? 32 : 16)} *
           cube::round_up(static_cast<uint32_t>(deep), cube::kSide) * size;
  }
  void in_range(const char* name, int32_t value, int32_t most) {
    if (value >= 1 && value <= most) return;
    complain("matmul-tiling", "Matmul::Init", site_, "The tiling has " + std::string(name) + " " + std::to_string(value) + ".",
             "Fill the TCubeTiling with GetTiling on the host and check that it answers 0; a 0 usually means that the tiling data "
             "were not read.", Gravity::kFatal);
  }
  void multiple(const char* name, int32_t value, int32_t unit) {
    if (value % unit == 0) return;
    complain("matmul-tiling", "Matmul::Init", site_,
             "The tiling has " + std::string(name) + " " + std::to_string(value) + ", which is no multiple of " +
                 std::to_string(unit) + ".", kHint, Gravity::kFatal);
  }
  void fits(const char* what, int64_t bytes, const char* memory, int64_t capacity) {
    if (bytes <= capacity) return;
    complain("matmul-tiling", "Matmul::Init", site_,
             "The tiling needs " + std::to_string(bytes) + " bytes of " + memory + " for " + what + "; there are " +
                 std::to_string(capacity) + ".", kHint, Gravity::kFatal);
  }
  // MDL: a part of K at a time goes with one row or column of blocks, and the parts of A and of B end together.
  void many_loads() {
    const auto loads = [this](int32_t step) { return cube::ceil_div(static_cast<uint32_t>(t_.singleCoreK), static_cast<uint32_t>(t_.baseK * step)); };
    const uint32_t a = loads(t_.stepKa), b = loads(t_.stepKb);
    one_step("stepM", t_.stepM, "stepKa", a);
    one_step("stepN", t_.stepN, "stepKb", b);
    if (a % b == 0 || b % a == 0) return;
    complain("matmul-tiling", "Matmul::Init", site_,
             "MDL loads K in " + std::to_string(a) + " parts by stepKa and in " + std::to_string(b) +
                 " by stepKb, and neither number is a multiple of the other.", kHint);
  }
  void one_step(const char* name, int32_t value, const char* part, uint32_t loads) {
    if (value == 1 || loads == 1) return;
    complain("matmul-tiling", "Matmul::Init", site_,
             "The tiling has " + std::string(name) + " " + std::to_string(value) + ", but MDL loads K in " + std::to_string(loads) +
                 " parts by " + part + ": it has to be 1 then.", kHint);
  }
  void depth(const char* name, int32_t value, const char* product, int64_t least) {
    if (value == least || value == 2 * least) return;
    complain("matmul-tiling", "Matmul::Init", site_,
             "The tiling has " + std::string(name) + " " + std::to_string(value) + ", which is neither " + product + " nor twice that (" +
                 std::to_string(least) + ").", kHint);
  }

  const MatmulState& s_;
  const AscendC::tiling::TCubeTiling& t_;
  Site site_;
};

}  // namespace

void check_matmul_tiling(const MatmulState& state, bool all, Site site) {
  TilingCheck check(state, site);
  if (all) check.all();
  else check.sizes();
}

}  // namespace akrt
