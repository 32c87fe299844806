// Transpose, TransDataTo5HD and the raw intrinsics behind them.
#pragma once
#include "ascendc/raw.h"

namespace AscendC {

template <typename T>
AK_API void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src) {
  static_assert(akc::kOneOf<PrimT<T>, int16_t, uint16_t, half>,
                "Ascend C Transpose: dtype is not supported on Ascend 910B; legal: int16_t, uint16_t, half");
  AK_VECTOR_ONLY;
  akrt_v_transpose16("Transpose", dst.AkLocal(), src.AkLocal(), AK_SITE);
}
template <typename T>
AK_API void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
                      const TransposeParamsExt& transposeParams) {
  static_assert(akc::kOneOf<PrimT<T>, int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float>,
                "Ascend C Transpose: dtype is not supported on Ascend 910B; legal: int8_t, uint8_t, int16_t, uint16_t, "
                "half, int32_t, uint32_t, float");
  AK_VECTOR_ONLY;
  const TransposeParamsExt& p = transposeParams;
  switch (p.transposeType) {
    case TransposeType::TRANSPOSE_ND2ND_B16:
      if constexpr (sizeof(PrimT<T>) == 2) akrt_v_transpose16("Transpose", dst.AkLocal(), src.AkLocal(), AK_SITE);
      else
        akrt_argument_error("illegal-argument", "Transpose", "Transpose of type TRANSPOSE_ND2ND_B16 on elements that have no 16 bits.",
                            "This type takes int16_t, uint16_t and half.", AK_SITE);
      return;
    case TransposeType::TRANSPOSE_NCHW2NHWC:
    case TransposeType::TRANSPOSE_NHWC2NCHW:
      akrt_v_transpose_layout("Transpose", dst.AkLocal(), src.AkLocal(), sharedTmpBuffer.AkLocal(),
                              {p.nSize, p.cSize, p.hSize, p.wSize, p.transposeType == TransposeType::TRANSPOSE_NCHW2NHWC},
                              AK_SITE);
      return;
    default:
      akrt_argument_error("illegal-argument", "Transpose", "Transpose with a type that this form does not have.",
                          "Use TRANSPOSE_ND2ND_B16, TRANSPOSE_NCHW2NHWC or TRANSPOSE_NHWC2NCHW.", AK_SITE);
  }
}

namespace akc {
inline akrt::RowsCall RowsOf(const TransDataTo5HDParams& p) {
  return {p.dstHighHalf, p.srcHighHalf, p.repeatTimes, p.dstRepStride, p.srcRepStride};
}
template <typename T, typename Address>
void RawRows(const char* api, const Address* dst, const Address* src, const TransDataTo5HDParams& p, akrt::Site site) {
  akrt::Local to[NCHW_CONV_ADDR_LIST_SIZE], from[NCHW_CONV_ADDR_LIST_SIZE];
  for (int i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
    to[i] = RawLocal((const void*)dst[i], kDType<T>);
    from[i] = RawLocal((const void*)src[i], kDType<T>);
  }
  akrt_v_rows_to_columns(api, to, from, RowsOf(p), site);
}
}  // namespace akc

template <typename T>
AK_API void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
                           const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE],
                           const TransDataTo5HDParams& nchwconvParams) {
  AK_CHECK_DTYPE(TransDataTo5HD, T);
  AK_VECTOR_ONLY;
  akrt::Local to[NCHW_CONV_ADDR_LIST_SIZE], from[NCHW_CONV_ADDR_LIST_SIZE];
  for (int i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
    to[i] = dstList[i].AkLocal();
    from[i] = srcList[i].AkLocal();
  }
  akrt_v_rows_to_columns("TransDataTo5HD", to, from, akc::RowsOf(nchwconvParams), AK_SITE);
}
// Addresses as GetPhyAddr gives them.
template <typename T>
AK_API void TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE], uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                           const TransDataTo5HDParams& nchwconvParams) {
  AK_CHECK_DTYPE(TransDataTo5HD, T);
  AK_VECTOR_ONLY;
  akc::RawRows<T>("TransDataTo5HD", dstList, srcList, nchwconvParams, AK_SITE);
}
template <typename T>
AK_API void TransDataTo5HD(const LocalTensor<uint64_t>& dst, const LocalTensor<uint64_t>& src,
                           const TransDataTo5HDParams& nchwconvParams) {
  AK_CHECK_DTYPE(TransDataTo5HD, T);
  AK_VECTOR_ONLY;
  akrt_v_rows_listed("TransDataTo5HD", akc::kDType<T>, dst.AkLocal(), src.AkLocal(), akc::RowsOf(nchwconvParams),
                     AK_SITE);
}

template <typename T>
AK_API void TransDataTo5HDImpl(__ubuf__ T* dstList[NCHW_CONV_ADDR_LIST_SIZE],
                               __ubuf__ T* srcList[NCHW_CONV_ADDR_LIST_SIZE],
                               const TransDataTo5HDParams& nchwconvParams) {
  AK_CHECK_DTYPE_AS(TransDataTo5HDImpl, TransDataTo5HD, T);
  AK_VECTOR_ONLY;
  akc::RawRows<T>("TransDataTo5HDImpl", dstList, srcList, nchwconvParams, AK_SITE);
}
template <typename T>
AK_API void TransDataTo5HDImpl(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE], uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                               const TransDataTo5HDParams& nchwconvParams) {
  AK_CHECK_DTYPE_AS(TransDataTo5HDImpl, TransDataTo5HD, T);
  AK_VECTOR_ONLY;
  akc::RawRows<T>("TransDataTo5HDImpl", dstList, srcList, nchwconvParams, AK_SITE);
}

}  // namespace AscendC

AK_API inline void vtranspose(__ubuf__ uint16_t* dst, __ubuf__ uint16_t* src) {
  using namespace AscendC::akc;
  akrt_v_transpose16("vtranspose", RawLocal(dst), RawLocal(src), AK_SITE);
}

// Eight addresses for a VA register. The register keeps offsets in UB; what is no UB address becomes its end.
inline void set_va_reg_sb(ub_addr8_t va, uint64_t addresses[8]) {
  uint64_t offsets[8];
  for (int i = 0; i < 8; ++i)
    offsets[i] = AscendC::akc::RawLocal((const void*)addresses[i], akrt::DType::kUint8).addr;
  akrt_set_va_register(va, offsets);
}
#define AK_RAW_SCATTER(name, Type)                                                                                \
  AK_API inline void name(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dstRepStride,                  \
                          uint16_t srcRepStride) {                                                                \
    akrt_v_rows_by_register(#name, akrt::DType::Type, dst, src, {false, false, repeat, dstRepStride, srcRepStride}, \
                            AK_SITE);                                                                             \
  }
AK_RAW_SCATTER(scatter_vnchwconv_b16, kUint16)
AK_RAW_SCATTER(scatter_vnchwconv_b32, kUint32)
#undef AK_RAW_SCATTER
AK_API inline void scatter_vnchwconv_b8(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dstRepStride,
                                        uint16_t srcRepStride, bool dstHighHalf, bool srcHighHalf) {
  akrt_v_rows_by_register("scatter_vnchwconv_b8", akrt::DType::kUint8, dst, src,
                          {dstHighHalf, srcHighHalf, repeat, dstRepStride, srcRepStride}, AK_SITE);
}
