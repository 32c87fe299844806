// DataCopy and DataCopyPad: transfers between global memory and UB, and inside UB.
#pragma once
#include "akrt/abi_cube.h"
#include "ascendc/walk.h"

namespace AscendC {

namespace akc {

// Every memory of the cube side: its transfers run on the cube core.
constexpr bool CubeSide(uint8_t position) {
  return akrt::space_of(position) != akrt::Space::UB && position != 0;
}

// DataCopyParams on both sides: everything in 32-byte blocks.
inline akrt::Burst Blocks(const DataCopyParams& p, uint16_t globalGap, uint16_t localGap) {
  akrt::Burst b;
  b.count = p.blockCount;
  b.bytes = p.blockLen * 32u;
  b.global_gap = globalGap * 32ll;
  b.local_gap = localGap;
  return b;
}
inline akrt::Burst Padded(uint32_t count, uint32_t bytes, uint32_t globalGap, uint32_t localGap) {
  akrt::Burst b;
  b.count = count;
  b.bytes = bytes;
  b.global_gap = globalGap;
  b.local_gap = localGap;
  b.pad = true;
  return b;
}
// Bytes that the count form moves: a count whose bytes are no multiple of 32 is reported by the runtime.
template <typename T>
uint32_t WholeBytes(uint32_t count) {
  const uint64_t bytes = Bytes<T>(count);
  return bytes > 0xffffffe0u ? 0xffffffe0u : static_cast<uint32_t>(bytes);
}
template <typename T>
akrt::Burst Whole(uint32_t count) {
  akrt::Burst b;
  b.bytes = WholeBytes<T>(count);
  return b;
}
inline void NoPad(akrt::Site site) {
  akrt_argument_error("illegal-position", "DataCopyPad", "DataCopyPad with a tensor of the cube core: on this chip it moves between global memory and UB.",
                      "DataCopy takes global memory to L1 (A1, B1, C1) in blocks of 32 bytes, with Nd2NzParams row by row and filled up with zeros.", site);
}
inline akrt::Burst WithPad(akrt::Burst b, bool fill, uint8_t left, uint8_t right, uint64_t value) {
  b.fill = fill;
  b.left = left;
  b.right = right;
  b.value = value;
  return b;
}
}  // namespace akc

namespace akc {
template <typename T>
void CopyBlocks(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& p, akrt::Site site) {
  const akrt::Burst burst = Blocks(p, p.srcStride, p.dstStride);
  if (CubeSide(dst.AkLocal().position)) return akrt_c_load("DataCopy", dst.AkLocal(), src.AkGlobal(), burst, site);
  AK_VECTOR_ONLY;
  akrt_d_load("DataCopy", dst.AkLocal(), src.AkGlobal(), burst, site);
}
template <typename T>
void CopyBlocks(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& p, akrt::Site site) {
  const akrt::Burst burst = Blocks(p, p.dstStride, p.srcStride);
  if (CubeSide(src.AkLocal().position)) return akrt_c_store("DataCopy", dst.AkGlobal(), src.AkLocal(), burst, site);
  AK_VECTOR_ONLY;
  akrt_d_store("DataCopy", dst.AkGlobal(), src.AkLocal(), burst, site);
}
// Between the memories of a core. From a vector core to L1 leads only a channel of messages, which is not simulated.
inline bool ToTable(const akrt::Local& dst, const akrt::Local& src, akrt::Site site) {
  if (!CubeSide(dst.position) && !CubeSide(src.position)) return false;
  if (!CubeSide(src.position)) akrt_unsupported("DataCopy(UB -> L1)", site);
  return true;
}
template <typename T>
void CopyBlocks(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& p, akrt::Site site) {
  if (ToTable(dst.AkLocal(), src.AkLocal(), site))
    return akrt_c_copy_table("DataCopy", dst.AkLocal(), src.AkLocal(), p.blockCount, p.blockLen, p.srcStride, p.dstStride, site);
  AK_VECTOR_ONLY;
  akrt_d_local("DataCopy", dst.AkLocal(), src.AkLocal(), p.blockCount, p.blockLen * 32u, p.srcStride, p.dstStride, site);
}
}  // namespace akc

template <typename T>
AK_API void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& repeatParams) {
  akc::CopyBlocks(dst, src, repeatParams, AK_SITE);
}
template <typename T>
AK_API void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& repeatParams) {
  akc::CopyBlocks(dst, src, repeatParams, AK_SITE);
}
template <typename T>
AK_API void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& repeatParams) {
  akc::CopyBlocks(dst, src, repeatParams, AK_SITE);
}
template <typename T, typename U>
AK_API void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyParams& repeatParams) {
  static_assert(std::is_same_v<PrimT<T>, PrimT<U>> || (std::is_same_v<PrimT<T>, float> && std::is_same_v<PrimT<U>, half>),
                "Ascend C DataCopy: pair of destination and source dtypes is not supported on Ascend 910B; legal: float<-half, equal types");
  const DataCopyParams& p = repeatParams;
  akrt_c_copy_table("DataCopy", dst.AkLocal(), src.AkLocal(), p.blockCount, p.blockLen, p.srcStride, p.dstStride, AK_SITE);
}

template <typename T>
AK_API void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t count) {
  if (akc::CubeSide(dst.AkLocal().position))
    return akrt_c_load("DataCopy", dst.AkLocal(), src.AkGlobal(), akc::Whole<T>(count), AK_SITE);
  AK_VECTOR_ONLY;
  akrt_d_load("DataCopy", dst.AkLocal(), src.AkGlobal(), akc::Whole<T>(count), AK_SITE);
}
template <typename T>
AK_API void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count) {
  if (akc::CubeSide(src.AkLocal().position))
    return akrt_c_store("DataCopy", dst.AkGlobal(), src.AkLocal(), akc::Whole<T>(count), AK_SITE);
  AK_VECTOR_ONLY;
  akrt_d_store("DataCopy", dst.AkGlobal(), src.AkLocal(), akc::Whole<T>(count), AK_SITE);
}
template <typename T>
AK_API void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count) {
  if (akc::ToTable(dst.AkLocal(), src.AkLocal(), AK_SITE))
    return akrt_c_copy_table_count("DataCopy", dst.AkLocal(), src.AkLocal(), akc::Bytes<T>(count), AK_SITE);
  AK_VECTOR_ONLY;
  akrt_d_local("DataCopy", dst.AkLocal(), src.AkLocal(), 1, akc::WholeBytes<T>(count), 0, 0, AK_SITE);
}

template <typename T>
AK_API void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& dataCopyParams,
                        const DataCopyPadParams& padParams) {
  if (akc::CubeSide(dst.AkLocal().position)) return akc::NoPad(AK_SITE);
  AK_VECTOR_ONLY;
  const akrt::Burst burst = akc::Padded(dataCopyParams.blockCount, dataCopyParams.blockLen, dataCopyParams.srcStride,
                                        dataCopyParams.dstStride);
  akrt_d_load("DataCopyPad", dst.AkLocal(), src.AkGlobal(),
              akc::WithPad(burst, padParams.isPad, padParams.leftPadding, padParams.rightPadding,
                           padParams.paddingValue),
              AK_SITE);
}
template <typename T>
AK_API void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& dataCopyParams) {
  if (akc::CubeSide(src.AkLocal().position)) return akc::NoPad(AK_SITE);
  AK_VECTOR_ONLY;
  akrt_d_store("DataCopyPad", dst.AkGlobal(), src.AkLocal(),
               akc::Padded(dataCopyParams.blockCount, dataCopyParams.blockLen, dataCopyParams.dstStride,
                           dataCopyParams.srcStride),
               AK_SITE);
}
template <typename T>
AK_API void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                        const DataCopyExtParams& dataCopyParams, const DataCopyPadExtParams<T>& padParams) {
  if (akc::CubeSide(dst.AkLocal().position)) return akc::NoPad(AK_SITE);
  AK_VECTOR_ONLY;
  const akrt::Burst burst = akc::Padded(dataCopyParams.blockCount, dataCopyParams.blockLen, dataCopyParams.srcStride,
                                        dataCopyParams.dstStride);
  akrt_d_load("DataCopyPad", dst.AkLocal(), src.AkGlobal(),
              akc::WithPad(burst, padParams.isPad, padParams.leftPadding, padParams.rightPadding,
                           akc::Raw<T>(padParams.paddingValue)),
              AK_SITE);
}
template <typename T, typename U>
  requires kTraitOf<T, U>
AK_API void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                        const DataCopyExtParams& dataCopyParams, const DataCopyPadExtParams<U>& padParams) {
  if (akc::CubeSide(dst.AkLocal().position)) return akc::NoPad(AK_SITE);
  AK_VECTOR_ONLY;
  const akrt::Burst burst = akc::Padded(dataCopyParams.blockCount, dataCopyParams.blockLen, dataCopyParams.srcStride,
                                        dataCopyParams.dstStride);
  akrt_d_load("DataCopyPad", dst.AkLocal(), src.AkGlobal(),
              akc::WithPad(burst, padParams.isPad, padParams.leftPadding, padParams.rightPadding,
                           akc::Raw<U>(padParams.paddingValue)),
              AK_SITE);
}
template <typename T>
AK_API void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                        const DataCopyExtParams& dataCopyParams) {
  if (akc::CubeSide(src.AkLocal().position)) return akc::NoPad(AK_SITE);
  AK_VECTOR_ONLY;
  akrt_d_store("DataCopyPad", dst.AkGlobal(), src.AkLocal(),
               akc::Padded(dataCopyParams.blockCount, dataCopyParams.blockLen, dataCopyParams.dstStride,
                           dataCopyParams.srcStride),
               AK_SITE);
}
template <typename T>
AK_API void SetPadValue(T paddingValue) {
  akrt_set_pad_value(akc::Raw<T>(paddingValue));
}

// Legal on A2 but not simulated: conversions on the way, the message channel to L1.
template <typename T>
AK_API void DataCopyPad(const LocalTensor<T>&, const LocalTensor<T>&, const DataCopyParams&, const Nd2NzParams&) {
  akrt_unsupported("DataCopyPad(UB -> L1)", AK_SITE);
}
template <typename T>
AK_API void DataCopyPad(const LocalTensor<T>&, const LocalTensor<T>&, const DataCopyExtParams&, const Nd2NzParams&) {
  akrt_unsupported("DataCopyPad(UB -> L1)", AK_SITE);
}
template <typename T>
AK_API void DataCopy(const LocalTensor<T>&, const LocalTensor<T>&, const Nd2NzParams&) {
  akrt_unsupported("DataCopy(UB -> L1 ND2NZ)", AK_SITE);
}
// Slices: a loop of copies, one for each position of the outer dimensions. Along dimension 0 pieces of burstLen blocks of
// 32 bytes lie `stride` elements apart between startIndex and endIndex; in the others every (1 + stride)-th index counts.
namespace akc {
class Slices {
 public:
  Slices(const SliceInfo info[], uint32_t dims, uint32_t size) : info_(info), dims_(dims), size_(size) {}
  uint32_t Burst() const { return info_[0].burstLen * 32; }
  uint32_t Pieces() const {
    const uint32_t length = info_[0].endIndex - info_[0].startIndex + 1, step = info_[0].burstLen * 32 / size_ + info_[0].stride;
    return step == 0 ? 0 : (length + info_[0].stride) / step;
  }
  uint32_t Gap() const { return info_[0].stride * size_; }
  uint32_t Count(uint32_t dim) const { return (info_[dim].endIndex - info_[dim].startIndex) / (1 + info_[dim].stride) + 1; }
  uint64_t Rows() const {
    uint64_t rows = 1;
    for (uint32_t d = 1; d < dims_; ++d) rows *= Count(d);
    return rows;
  }
  // Elements from the start of the tensor to the first piece of a row.
  uint64_t Start(uint64_t row) const {
    uint64_t start = info_[0].startIndex, pitch = info_[0].shapeValue;
    for (uint32_t d = 1; d < dims_; ++d) {
      start += (info_[d].startIndex + row % Count(d) * (1 + info_[d].stride)) * pitch;
      row /= Count(d);
      pitch *= info_[d].shapeValue;
    }
    return start;
  }

 private:
  const SliceInfo* info_;
  uint32_t dims_;
  uint32_t size_;
};
template <typename T, typename Move>
void EachSlice(const SliceInfo dst[], const SliceInfo src[], uint32_t dims, akrt::Site site, Move move) {
  const Slices to(dst, dims, sizeof(PrimT<T>)), from(src, dims, sizeof(PrimT<T>));
  if (dims == 0 || dims > 8 || to.Burst() != from.Burst() || to.Pieces() != from.Pieces() || to.Rows() != from.Rows()) {
    akrt_argument_error("illegal-argument", "DataCopy", "The slices of source and destination do not correspond.",
                        "dimValue is 1 to 8; both sides have the same burstLen and the same number of pieces in every dimension.",
                        site);
    return;
  }
  for (uint64_t row = 0; row < to.Rows(); ++row) move(to.Start(row), from.Start(row), to, from);
}
inline akrt::Burst Sliced(const Slices& slices, uint32_t globalGap, uint32_t localGap, akrt::Site site) {
  if (localGap % 32 != 0)
    akrt_argument_error("copy-range", "DataCopy", "The stride of the slice in local memory is no multiple of 32 bytes.",
                        "Local memory is addressed in blocks of 32 bytes.", site);
  return Padded(slices.Pieces(), slices.Burst(), globalGap, localGap / 32);
}
}  // namespace akc
template <typename T>
AK_API void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const SliceInfo dstSliceInfo[],
                     const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1) {
  if (akc::CubeSide(dst.AkLocal().position)) akrt_unsupported("DataCopy(GM -> L1)", AK_SITE);
  AK_VECTOR_ONLY;
  const akrt::Site site = AK_SITE;
  akc::EachSlice<T>(dstSliceInfo, srcSliceInfo, dimValue, site,
                    [&](uint64_t to, uint64_t from, const akc::Slices& d, const akc::Slices& s) {
                      akrt_d_load("DataCopy", dst[static_cast<uint32_t>(to)].AkLocal(), src[from].AkGlobal(),
                                  akc::Sliced(s, s.Gap(), d.Gap(), site), site);
                    });
}
template <typename T>
AK_API void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const SliceInfo dstSliceInfo[],
                     const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1) {
  if (akc::CubeSide(src.AkLocal().position)) akrt_unsupported("DataCopy(L1 -> GM)", AK_SITE);
  AK_VECTOR_ONLY;
  const akrt::Site site = AK_SITE;
  akc::EachSlice<T>(dstSliceInfo, srcSliceInfo, dimValue, site,
                    [&](uint64_t to, uint64_t from, const akc::Slices& d, const akc::Slices& s) {
                      akrt_d_store("DataCopy", dst[to].AkGlobal(), src[static_cast<uint32_t>(from)].AkLocal(),
                                   akc::Sliced(d, d.Gap(), s.Gap(), site), site);
                    });
}
template <typename T>
AK_API void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Nd2NzParams& intriParams) {
  static_assert(akc::kOneOf<PrimT<T>, int4b_t, int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>,
                "Ascend C DataCopy: dtype is not supported on Ascend 910B; legal: int8_t, uint8_t, int16_t, uint16_t, "
                "half, bfloat16_t, int32_t, uint32_t, float");
  const Nd2NzParams& p = intriParams;
  const akrt::NzCall call{p.ndNum,          p.nValue,        p.dValue,      p.srcNdMatrixStride, p.srcDValue,
                          p.dstNzMatrixStride, p.dstNzC0Stride, p.dstNzNStride};
  if (akc::CubeSide(dst.AkLocal().position))
    return akrt_c_load_nz("DataCopy", dst.AkLocal(), src.AkGlobal(), call, AK_SITE);
  if constexpr (std::is_same_v<PrimT<T>, int4b_t>) akrt_unsupported("DataCopy(ND2NZ of int4b_t)", AK_SITE);
  AK_VECTOR_ONLY;
  akrt_d_load_nz("DataCopy", dst.AkLocal(), src.AkGlobal(), call, AK_SITE);
}
template <typename T>
AK_API void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const Nz2NdParamsFull& intriParams) {
  static_assert(akc::kOneOf<PrimT<T>, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>,
                "Ascend C DataCopy: dtype is not supported on Ascend 910B; legal: int16_t, uint16_t, half, bfloat16_t, "
                "int32_t, uint32_t, float");
  if (akc::CubeSide(src.AkLocal().position)) akrt_unsupported("DataCopy(L1 -> GM NZ2ND)", AK_SITE);
  AK_VECTOR_ONLY;
  const Nz2NdParamsFull& p = intriParams;
  akrt_d_store_nd("DataCopy", dst.AkGlobal(), src.AkLocal(),
                  {p.ndNum, p.nValue, p.dValue, p.dstNdMatrixStride, p.dstDStride, p.srcNdMatrixStride, p.srcNStride, 1},
                  AK_SITE);
}

namespace akc {
// Vector-side transfers know no conversion on the way: only parameters at their defaults are plain copies.
inline bool Plain(const DataCopyEnhancedParams& p) {
  return p.blockMode == BlockMode::BLOCK_MODE_NORMAL && p.deqScale == DeqScale::DEQ_NONE && !p.isRelu &&
         p.padMode == pad_t::PAD_NONE;
}
}  // namespace akc
#define AK_ENHANCED(Dst, Src)                                                                                        \
  template <typename T>                                                                                              \
  AK_API void DataCopy(const Dst<T>& dst, const Src<T>& src, const DataCopyParams& intriParams,                      \
                       const DataCopyEnhancedParams& enhancedParams) {                                               \
    if (!akc::Plain(enhancedParams)) akrt_unsupported("DataCopy(enhanced)", AK_SITE);                                \
    akc::CopyBlocks(dst, src, intriParams, AK_SITE);                                                                 \
  }
AK_ENHANCED(LocalTensor, GlobalTensor)
AK_ENHANCED(GlobalTensor, LocalTensor)
AK_ENHANCED(LocalTensor, LocalTensor)
#undef AK_ENHANCED
namespace akc {
template <typename D, typename S>
inline constexpr bool kEnhancedPair =
    (std::is_same_v<S, float> && kOneOf<D, bfloat16_t, half>) ||
    (std::is_same_v<S, int32_t> && kOneOf<D, half, int16_t, int8_t, uint8_t>) ||
    (std::is_same_v<S, half> && std::is_same_v<D, float>);
}
template <typename T, typename U>
  requires akc::kEnhancedPair<PrimT<T>, PrimT<U>>
AK_API void DataCopy(const LocalTensor<T>&, const LocalTensor<U>&, const DataCopyParams&,
                     const DataCopyEnhancedParams&) {
  akrt_unsupported("DataCopy(enhanced)", AK_SITE);
}

}  // namespace AscendC
