// ABI of the cube core: loads into L1, L0A and L0B, matrix products, and what Fixpipe does on the way out of L0C.
//
// On a vector core these calls do nothing, as on the chip; in a launch without cube cores that is a finding.
#pragma once
#include "akrt/abi.h"
#include "akrt/abi_vec.h"

namespace akrt {

// LoadData 2D and LoadDataWithTranspose: fractals of 512 bytes. `start` and `src_stride` count fractals, or squares of
// fractals where squares are transposed; gaps are from the end of one fractal to the start of the next.
struct FractalLoad {
  uint16_t start = 0;
  uint8_t repeat = 0;
  uint16_t src_stride = 0;
  uint16_t dst_gap = 0;
  uint16_t inner_gap = 0;  // between the fractals of a square
  bool transpose = false;
  bool backward = false;   // addrMode 1: source fractals are taken downwards
};

struct MmadCall {
  uint16_t m = 0;
  uint16_t n = 0;
  uint16_t k = 0;
  uint8_t unit_flag = 0;
  bool k_align = false;      // kDirectionAlign: a float k is rounded up to 16
  bool from_table = false;   // cmatrixSource: L0C starts from the bias table
  bool zero = true;          // cmatrixInitVal
  bool sparse = false;       // the right operand came by LoadDataWithSparse: it is half as deep
};

// A value for every column, one uint64_t each, or one for all.
struct FixpipeCall {
  uint16_t n = 0;
  uint16_t m = 0;
  uint16_t src_stride = 0;   // rows from one column of fractals to the next
  uint32_t dst_stride = 0;   // row-major: elements of a row; NZ: blocks from one column of fractals to the next
  uint8_t quant = 0;         // QuantMode_t
  uint64_t scalar = 0;
  uint16_t matrices = 1;     // ndNum
  uint16_t src_matrix = 0;   // 1024 bytes
  uint16_t dst_matrix = 0;   // elements
  uint8_t unit_flag = 0;
  bool relu = false;
  bool row_major = true;     // NZ2ND
  bool split = false;        // channel split
};

// LoadData 3D: a feature map of L1 (C1, H, W, C0) seen as the matrix of a convolution.
struct Img2col {
  uint16_t height = 0;
  uint16_t width = 0;
  uint8_t pad[4] = {0, 0, 0, 0};  // left, right, top, bottom
  uint16_t channels = 0;
  uint16_t k_extent = 0;
  uint16_t m_extent = 0;
  uint16_t k_start = 0;
  uint16_t m_start = 0;
  uint8_t stride_w = 1;
  uint8_t stride_h = 1;
  uint16_t filter_w = 1;
  uint16_t filter_h = 1;
  uint8_t dilation_w = 1;
  uint8_t dilation_h = 1;
  bool transpose = false;
  uint64_t value = 0;  // bits of the padding
};

// Registers of the cube's units, by name.
enum AkrtCubeRegister : uint32_t {
  kAkrtHf32,           // 1: float operands of Mmad are rounded to HF32
  kAkrtHf32ToZero,     // 1: ties away from even, towards zero
  kAkrtRowMajor,       // SetMMRowMajor, a hint that changes time only
  kAkrtQuantScalar,    // SetFixpipePreQuantFlag
  kAkrtQuantTensor,    // SetFixPipeConfig: bytes << 32 | address in the Fixpipe buffer
  kAkrtNdNum,          // SetFixpipeNz2ndFlag
  kAkrtNdSource,
  kAkrtNdDestination,
  kAkrtMapSize,        // SetFmatrix: height | width << 16
  kAkrtMapPad,         // left | right << 8 | top << 16 | bottom << 24
  kAkrtPadValue,       // SetLoadDataPaddingValue
  kAkrtBoundary,       // SetLoadDataBoundary
  kAkrtRepeatStride,   // SetLoadDataRepeat
  kAkrtRepeatTimes,
  kAkrtRepeatMode,
  kAkrtCubeRegisters
};

}  // namespace akrt

extern "C" {

int32_t akrt_core_type();  // AscendC::AIC or AscendC::AIV
void akrt_c_set_register(uint32_t which, uint64_t value);
uint64_t akrt_c_get_register(uint32_t which);

// Global memory to L1 as whole blocks, and L1 to global memory.
void akrt_c_load(const char* api, const akrt::Local& dst, const akrt::Global& src, const akrt::Burst& burst,
                 akrt::Site site);
void akrt_c_store(const char* api, const akrt::Global& dst, const akrt::Local& src, const akrt::Burst& burst,
                  akrt::Site site);
// Rows of global memory to columns of blocks in L1.
void akrt_c_load_nz(const char* api, const akrt::Local& dst, const akrt::Global& src, const akrt::NzCall& call,
                    akrt::Site site);
// L1 to the bias table or the Fixpipe buffer. `bytes` of a block and gaps in units of 64 (table) or 128 bytes (buffer)
// on the far side; a half that becomes a float is half as long in L1.
void akrt_c_copy_table(const char* api, const akrt::Local& dst, const akrt::Local& src, uint32_t count, uint32_t length,
                       uint32_t src_gap, uint32_t dst_gap, akrt::Site site);
void akrt_c_copy_table_count(const char* api, const akrt::Local& dst, const akrt::Local& src, uint64_t bytes,
                             akrt::Site site);

void akrt_c_load_fractals(const char* api, const akrt::Local& dst, const akrt::Local& src, const akrt::FractalLoad& call,
                          akrt::Site site);
void akrt_c_load_fractals_global(const char* api, const akrt::Local& dst, const akrt::Global& src,
                                 const akrt::FractalLoad& call, akrt::Site site);
void akrt_c_load_squares(const char* api, const akrt::Local& dst, const akrt::Local& src, const akrt::FractalLoad& call,
                         akrt::Site site);
void akrt_c_img2col(const char* api, const akrt::Local& dst, const akrt::Local& src, const akrt::Img2col& call,
                    akrt::Site site);
// Dense 8-bit weights of which the index says, two bits each, where they stood among four of the sparse ones.
void akrt_c_load_sparse(const char* api, const akrt::Local& dst, const akrt::Local& src, const akrt::Local& index,
                        const akrt::FractalLoad& call, akrt::Site site);
// `repeat` times `blocks` blocks (32 bytes in L1, 512 in L0) of one value, `gap` blocks apart.
void akrt_c_fill(const char* api, const akrt::Local& dst, uint16_t repeat, uint16_t blocks, uint16_t gap, uint64_t value,
                 akrt::Site site);

// `bias` is null where the call names none.
void akrt_c_mmad(const char* api, const akrt::Local& dst, const akrt::Local& a, const akrt::Local& b,
                 const akrt::Local* bias, const akrt::MmadCall& call, akrt::Site site);

// `quant`: a tensor of uint64_t in L1 (Fixpipe) or the Fixpipe buffer (DataCopy), null where one value is for all.
void akrt_c_fixpipe(const char* api, const akrt::Global& dst, const akrt::Local& src, const akrt::Local* quant,
                    const akrt::FixpipeCall& call, akrt::Site site);
void akrt_c_fixpipe_local(const char* api, const akrt::Local& dst, const akrt::Local& src, const akrt::Local* quant,
                          const akrt::FixpipeCall& call, akrt::Site site);
// SetFixPipeConfig(..., true).
void akrt_c_clear_unit_flags(akrt::Site site);

}  // extern "C"
