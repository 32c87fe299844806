// ABI of the libraries that choose, pad and rearrange: TopK, Pad, UnPad, DropOut, TransData, ConfusionTranspose.
#pragma once
#include "akrt/abi_lib.h"

namespace akrt {

// Rows of `inner` elements of which n take part; the k first of them in order, with their indices.
struct TopCall {
  const char* api;
  Site site;
  uint32_t rows, inner, n;
  int32_t k;
  bool largest;
  bool small;                     // TOPK_NSMALL
  bool given_index;               // isInitIndex
  const Local* finish = nullptr;  // rows whose indices become n
  const Local* tmp = nullptr;
};

struct PadCall {
  const char* api;
  Site site;
  uint32_t rows, columns, used;  // elements of a row in memory, and its first ones that are data
  uint32_t left, right;
  int32_t value;
  const Local* tmp = nullptr;
};

enum class KeepMode : uint8_t { kAuto, kByteMisaligned, kByteAligned, kBitAligned, kBitMisaligned };
struct DropCall {
  const char* api;
  Site site;
  uint32_t rows, columns, mask_columns;
  KeepMode mode;
  float keep;
  const Local* tmp = nullptr;
};

// NCDHW with the planes (H * W) padded to whole blocks, against C (and N) in groups of 16.
struct VolumeCall {
  const char* api;
  Site site;
  uint32_t n, c, d, h, w;
  bool to_blocks;  // from NCDHW
  bool fractal;    // FRACTAL_Z_3D, else NDC1HWC0
  const Local* tmp = nullptr;
};

struct ConfusionCall {
  const char* api;
  Site site;
  uint8_t type;  // TransposeType
  uint32_t tiled;  // the type that the tiling was made for
  uint32_t shape[4];
  const Local* tmp = nullptr;
};

}  // namespace akrt

extern "C" {

void akrt_l_top_k(const akrt::TopCall& call, const akrt::Local& values, const akrt::Local& indices,
                  const akrt::Local& src, const akrt::Local& src_index);
void akrt_l_pad(const akrt::PadCall& call, const akrt::Local& dst, const akrt::Local& src);
void akrt_l_unpad(const akrt::PadCall& call, const akrt::Local& dst, const akrt::Local& src);
void akrt_l_drop_out(const akrt::DropCall& call, const akrt::Local& dst, const akrt::Local& src, const akrt::Local& mask);
void akrt_l_trans_data(const akrt::VolumeCall& call, const akrt::Local& dst, const akrt::Local& src);
void akrt_l_confusion(const akrt::ConfusionCall& call, const akrt::Local& dst, const akrt::Local& src);
}
