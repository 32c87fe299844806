// The matrix library on a cube core: what a Matmul object asks for, made of the basic instructions.
//
// A request is self-contained, so it can be posted by a vector core (requests.h) or be run where it arose.
// It becomes loads, products and stores of the core's pipes with flags between them, like those of a program: checks,
// hazards and the clock see them under the name and the place of the call that asked for them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "akrt/abi_cube.h"
#include "findings.h"
#include "requests.h"

namespace akrt {

class Core;

// A part of a matrix in L1: columns of blocks of 32 bytes, `pitch` rows from one to the next.
struct Tile {
  Local at{};
  uint32_t pitch = 0;
};

// How one operand lies in memory, and how its parts come to L1 and to L0.
class MatmulSide {
 public:
  MatmulSide(const MatmulOperand& operand, Extent stored, bool left, const char* api, Site site);

  // Bytes in L1 of a part of `wide` rows (of A) or columns (of B) and `deep` along k.
  uint32_t l1_bytes(uint32_t wide, uint32_t deep) const;
  // Along k, what begins in the middle of a part has to begin at multiples of this.
  uint32_t unit() const { return unit_; }
  // The part from (wide0, deep0) on, on MTE2.
  Tile load(const Local& room, uint32_t wide0, uint32_t wide, uint32_t deep0, uint32_t deep) const;
  // From `skip` along k on, on MTE1. What the product has to know of it: `wide` as it lies in L0.
  void feed(const Local& l0, const Tile& tile, uint32_t wide, uint32_t skip, uint32_t deep) const;
  uint32_t l0_wide(uint32_t wide) const;
  uint32_t l0_bytes(uint32_t wide, uint32_t deep) const;
  // Whether k counts in pairs of fractals.
  bool pairs() const { return left_ && by_depth_ && size_ == 4; }

 private:
  void load_rows(const Local& dst, uint32_t row0, uint32_t rows, uint32_t column0, uint32_t columns, uint32_t pitch) const;
  void squares_left(const Local& l0, const Tile& tile, uint32_t wide, uint32_t skip, uint32_t deep) const;
  void squares_right(const Local& l0, const Tile& tile, uint32_t wide, uint32_t skip, uint32_t deep) const;

  const MatmulOperand& operand_;
  Extent stored_;
  bool left_;
  bool by_depth_;    // rows of the stored matrix are k
  uint32_t size_;    // bytes of an element
  uint32_t c0_;      // elements of a block of 32 bytes
  uint32_t unit_;
  const char* api_;
  Site site_;
};

// The units of one cube core as the library uses them.
class MatmulUnit : public Server {
 public:
  explicit MatmulUnit(Core& core) : core_(core) {}
  // Of the core.
  static MatmulUnit& of(Core& core);

  void open(Site site) override;
  // Takes what an object of a kernel of cube cores needs.
  void take(const MatmulState& state, Site site);
  bool fits(const MatmulRequest& request, int32_t client) const override;
  void run(const MatmulRequest& request, int32_t client) override;

 private:
  struct Held {  // a block between Iterate and GetTensorC
    int32_t client, object;
    Local at;
  };
  Local area(uint8_t position, int64_t bytes, Site site);
  Local room_in_l0c(uint32_t bytes) const;
  const Held* held(int32_t client, int32_t object) const;
  Local l1_of(const MatmulRequest& request) const;
  Local l0c_of(const MatmulRequest& request) const;

  Core& core_;
  bool whole_ = false;
  Local l1_{}, l0a_{}, l0b_{}, l0c_{}, table_{};
  std::vector<Local> own_l1_, own_l0c_;  // by object, of a kernel of cube cores
  std::vector<Held> held_;
};

namespace mm {
// Reports a broken rule.
void complain(const char* code, const char* api, Site site, const std::string& message, const std::string& hint,
              Gravity gravity = Gravity::kError);
}  // namespace mm
// Rules of a tiling: sizes that are none end the run; `all`: also what has to fit.
void check_matmul_tiling(const MatmulState& state, bool all, Site site);

// Bytes of L1 and of L0C that a tiling asks for.
uint32_t matmul_l1_bytes(const MatmulState& state);
uint32_t matmul_l0c_bytes(const MatmulState& state);

}  // namespace akrt
