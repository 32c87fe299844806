// ABI of the vector libraries: each call is one or two composite instructions of the vector pipe.
//
// `tmp` is the call's sharedTmpBuffer; null where the library takes its scratch from the free end of UB.
#pragma once
#include "akrt/abi.h"

namespace akrt {

enum class LibOp : uint8_t {
  // one source
  kTanh, kSigmoid, kGelu, kFasterGelu, kFasterGeluV2, kSilu, kLog, kLog2, kLog10,
  kSin, kCos, kTan, kSinh, kCosh, kAsin, kAcos, kAtan, kAsinh, kAcosh, kAtanh, kErf, kErfc,
  kLgamma, kDigamma,
  kFloor, kCeil, kRound, kTrunc, kFrac, kSign,
  // one source and a scalar; kExp: the scalar is the number of Taylor terms
  kSwish, kClampMax, kClampMin, kExp, kPowerBase, kPowerExponent,
  // two sources; Axpy's second one is the destination, SwiGLU has a scalar too
  kPower, kFmod, kGeGLU, kSwiGLU, kReGlu, kXor, kAxpy
};

struct LibCall {
  LibOp op;
  const char* api;
  Site site;
  uint32_t count = 0;          // elements
  const Local* tmp = nullptr;
  bool precise = false;        // half is computed in float on request
  float scalar = 0;
  int32_t integer = 0;         // the scalar of a call on int32_t
};

struct LibShape {
  uint32_t rows = 0;
  uint32_t columns = 0;  // elements of a row in memory
  uint32_t used = 0;     // its first elements, which take part
};

enum class RowOp : uint8_t { kSum, kMax, kMin, kMean, kProd, kAny, kAll };

struct RowCall {
  RowOp op;
  const char* api;
  Site site;
  LibShape shape;
  const Local* tmp = nullptr;
  bool columns = false;   // reduce over the rows: one result a column
  bool in_float = false;  // half is accumulated in float
};

enum class SoftOp : uint8_t { kSoftMax, kSimple, kLog, kFlash, kFlashV2, kFlashV3 };

// Tensors of the softmax family; an absent one is null.
struct SoftCall {
  SoftOp op;
  const char* api;
  Site site;
  LibShape shape;
  const Local* tmp = nullptr;
  bool update = false;
  bool basic = false;     // isBasicBlock
  bool packed = false;    // one element a row in max and sum instead of a block
  const Local* sum = nullptr;
  const Local* max = nullptr;
  const Local* exp_max = nullptr;
  const Local* in_sum = nullptr;
  const Local* in_max = nullptr;
  bool nz = false;                    // columns of blocks 16 elements wide
  const Local* step_max = nullptr;    // receives the row maximum of this step
  const Local* mean = nullptr;        // kFlashV3: mean of each row, over all steps
  const Local* in_mean = nullptr;
  uint32_t step = 1;                  // number of steps so far
  uint32_t pieces = 8;                // of a row, each with a mean of its own
  float alpha = 0;
};

enum class QuantOp : uint8_t { kQuant, kDequant, kAntiQuant };

// One scale (and offset) for all, one a column, or one a row.
struct QuantCall {
  QuantOp op;
  const char* api;
  Site site;
  LibShape shape;
  uint32_t dst_columns = 0;       // elements of a row of the destination in memory
  const Local* tmp = nullptr;
  const Local* scale = nullptr;   // null: scale_value for all
  const Local* offset = nullptr;  // null: offset_value for all
  float scale_value = 1;
  float offset_value = 0;
  bool by_row = false;
  uint32_t groups = 1;  // sets of scales: of rows one below the other, where a row has one scale of columns
};

}  // namespace akrt

extern "C" {

void akrt_l_elements(const akrt::LibCall& call, const akrt::Local& dst, const akrt::Local& src0,
                     const akrt::Local* src1);
// first + i * step in the element type of dst; raw bits of that type.
void akrt_l_arange(const char* api, const akrt::Local& dst, uint64_t first, uint64_t step, int64_t count,
                   akrt::Site site);
// `dims` 1 or 2; `axis` is the one that grows.
void akrt_l_broadcast(const char* api, const akrt::Local& dst, const akrt::Local& src, const uint32_t* dst_shape,
                      const uint32_t* src_shape, int32_t dims, int32_t axis, const akrt::Local* tmp, akrt::Site site);
// A mask element of 0 takes the first operand, another the second; one of the two is the scalar.
void akrt_l_select_bytes(const char* api, const akrt::Local& dst, const akrt::Local& src, uint64_t scalar,
                         bool scalar_first, const akrt::Local& mask, const akrt::Local& tmp, uint32_t rows,
                         uint32_t columns, uint32_t mask_columns, akrt::Site site);
void akrt_l_rows(const akrt::RowCall& call, const akrt::Local& dst, const akrt::Local& src);
void akrt_l_xor_sum(const char* api, const akrt::Local& dst, const akrt::Local& src0, const akrt::Local& src1,
                    uint32_t count, const akrt::Local* tmp, akrt::Site site);
// Running sums along the columns of each row, or along the rows; `last` receives the last row where it is not null.
void akrt_l_cum_sum(const char* api, const akrt::Local& dst, const akrt::Local* last, const akrt::Local& src,
                    uint32_t rows, uint32_t columns, bool along_columns, const akrt::Local* tmp, akrt::Site site);
void akrt_l_softmax(const akrt::SoftCall& call, const akrt::Local& dst, const akrt::Local& src);
// (grad - rowsum(grad * src)) * src, or the row sums alone, one block a row.
void akrt_l_softmax_grad(const char* api, const akrt::Local& dst, const akrt::Local& grad, const akrt::Local& src,
                         bool front, bool nz, const akrt::LibShape& shape, const akrt::Local* tmp, akrt::Site site);
// Rows whose maximum has the bits `from` become `to`, once each row value is known to V. Returns whether there were any.
// `packed`: one maximum a row follows the other, instead of a block each.
bool akrt_l_adjust_softmax(const akrt::Local& data, const akrt::Local& max, uint32_t from, float to, bool packed, bool nz,
                           const akrt::LibShape& shape, akrt::Site site);
void akrt_l_quant(const akrt::QuantCall& call, const akrt::Local& dst, const akrt::Local& src);
// 32 pairs a repeat, descending by score and stable; `full` sorts all of them, else each 32. Pairs are 8 bytes.
void akrt_l_sort(const char* api, const akrt::Local& dst, const akrt::Local& scores, const akrt::Local& index,
                 const akrt::Local* tmp, int32_t repeat, bool full, akrt::Site site);
void akrt_l_extract(const char* api, const akrt::Local& values, const akrt::Local& index, const akrt::Local& sorted,
                    int32_t repeat, akrt::Site site);
}
