// The cube core: loads of fractals, Mmad, Fixpipe, and their registers.
#pragma once
#include "akrt/abi_cube.h"
#include "ascendc/cube_params.h"
#include "ascendc/data_copy.h"

namespace AscendC {

// ---- loads of fractals ---------------------------------------------------------------------------------------------
namespace akc {
inline akrt::FractalLoad Fractals(const LoadData2DParams& p) {
  akrt::FractalLoad call;
  call.start = p.startIndex;
  call.repeat = p.repeatTimes;
  call.src_stride = p.srcStride;
  call.dst_gap = p.dstGap;
  call.transpose = p.ifTranspose;
  call.backward = p.addrMode != 0;
  return call;
}
}  // namespace akc

#define AK_LOAD_2D_TYPES int4b_t, uint8_t, int8_t, uint16_t, int16_t, half, bfloat16_t, uint32_t, int32_t, float
#define AK_CHECK_LISTED(Api, T, List)                              \
  static_assert(::AscendC::akc::kOneOf<::AscendC::PrimT<T>, List>, \
                "Ascend C " #Api ": dtype is not supported on Ascend 910B; legal: " AK_TEXT(List))
#define AK_CHECK_SAME(Api, T, U, Params)                   \
  static_assert(std::is_same_v<::AscendC::PrimT<T>, U>,    \
                "Ascend C " #Api ": dtype of " #Params " is not supported on Ascend 910B; legal: the dtype of the tensors")

template <typename T>
AK_API void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2DParams& loadDataParams) {
  AK_CHECK_LISTED(LoadData, T, AK_LOAD_2D_TYPES);
  AK_CUBE_ONLY;
  akrt_c_load_fractals("LoadData", dst.AkLocal(), src.AkLocal(), akc::Fractals(loadDataParams), AK_SITE);
}
template <typename T>
AK_API void LoadData(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const LoadData2DParams& loadDataParams) {
  AK_CHECK_LISTED(LoadData, T, AK_LOAD_2D_TYPES);
  AK_CUBE_ONLY;
  akrt_c_load_fractals_global("LoadData", dst.AkLocal(), src.AkGlobal(), akc::Fractals(loadDataParams), AK_SITE);
}

#define AK_LOAD_TRANSPOSE_TYPES int4b_t, int8_t, uint8_t, half, bfloat16_t, int32_t, uint32_t, float
template <typename T>
AK_API void LoadDataWithTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                  const LoadData2dTransposeParams& loadDataParams) {
  AK_CHECK_LISTED(LoadDataWithTranspose, T, AK_LOAD_TRANSPOSE_TYPES);
  AK_CUBE_ONLY;
  const LoadData2dTransposeParams& p = loadDataParams;
  akrt::FractalLoad call;
  call.start = p.startIndex;
  call.repeat = p.repeatTimes;
  call.src_stride = p.srcStride;
  call.dst_gap = p.dstGap;
  call.inner_gap = p.dstFracGap;
  call.backward = p.addrMode != 0;
  akrt_c_load_squares("LoadDataWithTranspose", dst.AkLocal(), src.AkLocal(), call, AK_SITE);
}

// ---- feature maps --------------------------------------------------------------------------------------------------
AK_API inline void SetFmatrix(uint16_t l1H, uint16_t l1W, const uint8_t padList[4], const FmatrixMode& fmatrixMode) {
  if (fmatrixMode != FmatrixMode::FMATRIX_LEFT)
    akrt_argument_error("illegal-argument", "SetFmatrix", "SetFmatrix of the right matrix: this chip has the left one's alone.",
                        "Use FmatrixMode::FMATRIX_LEFT.", AK_SITE);
  akrt_c_set_register(akrt::kAkrtMapSize, l1H | static_cast<uint64_t>(l1W) << 16);
  akrt_c_set_register(akrt::kAkrtMapPad, padList[0] | static_cast<uint64_t>(padList[1]) << 8 |
                                             static_cast<uint64_t>(padList[2]) << 16 | static_cast<uint64_t>(padList[3]) << 24);
}
AK_API inline void SetLoadDataBoundary(uint32_t boundaryValue) {
  if (boundaryValue > 0 && boundaryValue < 1024)
    akrt_argument_error("illegal-argument", "SetLoadDataBoundary", "SetLoadDataBoundary of less than 1024 bytes is undefined.",
                        "Use 0 (no boundary) or at least 1024.", AK_SITE);
  akrt_c_set_register(akrt::kAkrtBoundary, boundaryValue);
}
#define AK_PADDING_TYPES int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float
template <typename T>
void SetLoadDataPaddingValue(const T padValue) {
  static_assert(akc::kOneOf<T, AK_PADDING_TYPES>,
                "Ascend C SetLoadDataPaddingValue: dtype is not supported on Ascend 910B; legal: " AK_TEXT(AK_PADDING_TYPES));
  akrt_c_set_register(akrt::kAkrtPadValue, akc::Raw<T>(padValue));
}
inline void SetLoadDataRepeat(const LoadDataRepeatParam& repeatParams) {
  akrt_c_set_register(akrt::kAkrtRepeatStride, repeatParams.repeatStride);
  akrt_c_set_register(akrt::kAkrtRepeatTimes, repeatParams.repeatTime);
  akrt_c_set_register(akrt::kAkrtRepeatMode, repeatParams.repeatMode);
}

#define AK_LOAD_3D_TYPES int4b_t, uint8_t, int8_t, half, bfloat16_t, uint32_t, int32_t, float
template <typename T, const IsResetLoad3dConfig& defaultConfig = IS_RESER_LOAD3D_DEFAULT_CONFIG, typename U = PrimT<T>>
AK_API void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData3DParamsV2<U>& loadDataParams) {
  AK_CHECK_LISTED(LoadData, T, AK_LOAD_3D_TYPES);
  AK_CHECK_SAME(LoadData, T, U, LoadData3DParamsV2);
  AK_CUBE_ONLY;
  const LoadData3DParamsV2<U>& p = loadDataParams;
  // The registers keep what a call sets.
  if (defaultConfig.isSetFMatrix) SetFmatrix(p.l1H, p.l1W, p.padList, FmatrixMode::FMATRIX_LEFT);
  if (defaultConfig.isSetPadding) SetLoadDataPaddingValue(p.padValue);
  const uint64_t size = akrt_c_get_register(akrt::kAkrtMapSize);
  const uint64_t pads = akrt_c_get_register(akrt::kAkrtMapPad);
  // The last group of channels may be smaller than C0 only in ways that are not documented well enough.
  if (akc::Bytes<T>(p.channelSize) % 32 != 0) akrt_unsupported("LoadData(3D, channelSize no multiple of C0)", AK_SITE);
  if (p.enSmallK) akrt_unsupported("LoadData(3D, enSmallK)", AK_SITE);
  akrt::Img2col call;
  call.height = static_cast<uint16_t>(size);
  call.width = static_cast<uint16_t>(size >> 16);
  for (int i = 0; i < 4; ++i) call.pad[i] = static_cast<uint8_t>(pads >> (8 * i));
  call.channels = p.channelSize;
  call.k_extent = p.kExtension;
  call.m_extent = p.mExtension;
  call.k_start = p.kStartPt;
  call.m_start = p.mStartPt;
  call.stride_w = p.strideW;
  call.stride_h = p.strideH;
  call.filter_w = static_cast<uint16_t>(p.filterW + (p.filterSizeW ? 256 : 0));
  call.filter_h = static_cast<uint16_t>(p.filterH + (p.filterSizeH ? 256 : 0));
  call.dilation_w = p.dilationFilterW;
  call.dilation_h = p.dilationFilterH;
  call.transpose = p.enTranspose;
  call.value = akrt_c_get_register(akrt::kAkrtPadValue);
  akrt_c_img2col("LoadData", dst.AkLocal(), src.AkLocal(), call, AK_SITE);
}

template <typename T>
AK_API void LoadData(const LocalTensor<T>&, const LocalTensor<T>&, const LoadData3DParamsV2Pro&) {
  AK_CUBE_ONLY;
  akrt_unsupported("LoadData(3D Pro)", AK_SITE);
}

template <typename T = int8_t, typename U = uint8_t>
AK_API void LoadDataWithSparse(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<U>& idx,
                               const LoadData2dParams& loadDataParam) {
  AK_CHECK_LISTED(LoadDataWithSparse, T, int8_t);
  static_assert(std::is_same_v<PrimT<U>, uint8_t>,
                "Ascend C LoadDataWithSparse: dtype of idx is not supported on Ascend 910B; legal: uint8_t");
  AK_CUBE_ONLY;
  akrt_c_load_sparse("LoadDataWithSparse", dst.AkLocal(), src.AkLocal(), idx.AkLocal(), akc::Fractals(loadDataParam), AK_SITE);
}

// ---- constants -----------------------------------------------------------------------------------------------------
#define AK_FILL_TYPES int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float
#define AK_FILL(Api)                                                                                          \
  template <typename T, typename U = PrimT<T>>                                                                \
  AK_API void Api(const LocalTensor<T>& dst, const InitConstValueParams<U>& initConstValueParams) {           \
    AK_CHECK_LISTED(Api, T, AK_FILL_TYPES);                                                                   \
    AK_CHECK_SAME(Api, T, U, InitConstValueParams);                                                           \
    AK_CUBE_ONLY;                                                                                             \
    const InitConstValueParams<U>& p = initConstValueParams;                                                  \
    akrt_c_fill(#Api, dst.AkLocal(), p.repeatTimes, p.blockNum, p.dstGap, akc::Raw<U>(p.initValue), AK_SITE); \
  }
AK_FILL(InitConstValue)
AK_FILL(Fill)
#undef AK_FILL

// ---- products ------------------------------------------------------------------------------------------------------
namespace akc {
inline akrt::MmadCall Product(const MmadParams& p) {
  akrt::MmadCall call;
  call.m = p.m;
  call.n = p.n;
  call.k = p.k;
  call.unit_flag = p.unitFlag;
  call.k_align = p.kDirectionAlign;
  call.from_table = p.cmatrixSource;
  call.zero = p.cmatrixInitVal;
  return call;
}
template <typename C, typename A, typename B>
inline constexpr bool kProduct =
    std::is_same_v<A, B> && ((std::is_same_v<C, float> && kOneOf<A, half, bfloat16_t, float>) ||
                             (std::is_same_v<C, int32_t> && kOneOf<A, int8_t, int4b_t>));
}  // namespace akc
#define AK_CHECK_PRODUCT(C, A, B)                                                                                       \
  static_assert(::AscendC::akc::kProduct<::AscendC::PrimT<C>, ::AscendC::PrimT<A>, ::AscendC::PrimT<B>>,                \
                "Ascend C Mmad: dtypes are not supported on Ascend 910B; legal: float = half x half, float = bfloat16_t x " \
                "bfloat16_t, float = float x float, int32_t = int8_t x int8_t, int32_t = int4b_t x int4b_t")

template <typename T, typename U, typename S>
AK_API void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter, const MmadParams& mmadParams) {
  AK_CHECK_PRODUCT(T, U, S);
  AK_CUBE_ONLY;
  akrt_c_mmad("Mmad", dst.AkLocal(), fm.AkLocal(), filter.AkLocal(), nullptr, akc::Product(mmadParams), AK_SITE);
}
template <typename T, typename U, typename S, typename V>
AK_API void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter, const LocalTensor<V>& bias,
                 const MmadParams& mmadParams) {
  AK_CHECK_PRODUCT(T, U, S);
  static_assert(std::is_same_v<PrimT<V>, PrimT<T>>,
                "Ascend C Mmad: dtype of bias is not supported on Ascend 910B; legal: the dtype of the result, float or int32_t");
  AK_CUBE_ONLY;
  akrt_c_mmad("Mmad", dst.AkLocal(), fm.AkLocal(), filter.AkLocal(), &bias.AkLocal(), akc::Product(mmadParams), AK_SITE);
}

template <typename T = int32_t, typename U = int8_t>
AK_API void MmadWithSparse(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<U>& filter,
                           const MmadParams& mmadParams) {
  static_assert(std::is_same_v<PrimT<T>, int32_t> && std::is_same_v<PrimT<U>, int8_t>,
                "Ascend C MmadWithSparse: dtypes are not supported on Ascend 910B; legal: int32_t = int8_t x int8_t");
  AK_CUBE_ONLY;
  akrt::MmadCall call = akc::Product(mmadParams);
  call.sparse = true;
  akrt_c_mmad("MmadWithSparse", dst.AkLocal(), fm.AkLocal(), filter.AkLocal(), nullptr, call, AK_SITE);
}

inline void SetHF32Mode(HF32Mode mode) { akrt_c_set_register(akrt::kAkrtHf32, mode == HF32Mode::ENABLE); }
inline void SetHF32Mode(bool hf32Mode) { akrt_c_set_register(akrt::kAkrtHf32, hf32Mode); }
inline void SetHF32TransMode(HF32TransMode mode) {
  akrt_c_set_register(akrt::kAkrtHf32ToZero, mode == HF32TransMode::NEAREST_ZERO);
}
inline void SetHF32TransMode(bool hf32TransMode) { akrt_c_set_register(akrt::kAkrtHf32ToZero, hf32TransMode); }
// The direction in which results come out changes time only, and the clock does not model it.
inline void SetMMRowMajor() { akrt_c_set_register(akrt::kAkrtRowMajor, 1); }
inline void SetMMColumnMajor() { akrt_c_set_register(akrt::kAkrtRowMajor, 0); }
inline void SetMMLayoutTransform(bool mmLayoutMode) { akrt_c_set_register(akrt::kAkrtRowMajor, mmLayoutMode); }

// ---- out of L0C ----------------------------------------------------------------------------------------------------
namespace akc {
inline akrt::FixpipeCall Out(const FixpipeParamsV220& p, bool rowMajor) {
  akrt::FixpipeCall call;
  call.n = p.nSize;
  call.m = p.mSize;
  call.src_stride = p.srcStride;
  call.dst_stride = p.dstStride;
  call.quant = static_cast<uint8_t>(p.quantPre);
  call.scalar = p.deqScalar;
  call.matrices = p.ndNum;
  call.src_matrix = p.srcNdStride;
  call.dst_matrix = p.dstNdStride;
  call.unit_flag = p.unitFlag;
  call.relu = p.reluEn;
  call.row_major = rowMajor;
  call.split = p.isChannelSplit;
  return call;
}
// What SetFixpipeNz2ndFlag and SetFixpipePreQuantFlag set before.
inline akrt::FixpipeCall Out(const DataCopyCO12DstParams& p) {
  akrt::FixpipeCall call;
  call.n = p.nSize;
  call.m = p.mSize;
  call.src_stride = p.srcStride;
  call.dst_stride = p.dstStride;
  call.quant = static_cast<uint8_t>(p.quantPre);
  call.scalar = akrt_c_get_register(akrt::kAkrtQuantScalar);
  if (p.nz2ndEn) {
    call.matrices = static_cast<uint16_t>(akrt_c_get_register(akrt::kAkrtNdNum));
    call.src_matrix = static_cast<uint16_t>(akrt_c_get_register(akrt::kAkrtNdSource));
    call.dst_matrix = static_cast<uint16_t>(akrt_c_get_register(akrt::kAkrtNdDestination));
  }
  call.unit_flag = p.unitFlag;
  call.relu = p.reluPre != 0;
  call.row_major = p.nz2ndEn;
  call.split = p.channelSplit;
  return call;
}
template <typename D, typename S>
inline constexpr bool kOutPair = (std::is_same_v<S, float> && kOneOf<D, float, half, bfloat16_t, int8_t, uint8_t>) ||
                                 (std::is_same_v<S, int32_t> && kOneOf<D, int32_t, half, int8_t, uint8_t>);
}  // namespace akc
#define AK_CHECK_OUT(Api, D, S)                                                                                            \
  static_assert(::AscendC::akc::kOutPair<::AscendC::PrimT<D>, ::AscendC::PrimT<S>>,                                        \
                "Ascend C " #Api ": pair of destination and source dtypes is not supported on Ascend 910B; legal: float<-float, " \
                "half<-float, bfloat16_t<-float, int8_t<-float, uint8_t<-float, int32_t<-int32_t, half<-int32_t, int8_t<-int32_t, " \
                "uint8_t<-int32_t")

#define AK_CHECK_SCALES(Api, Name, S)                   \
  static_assert(std::is_same_v<::AscendC::PrimT<S>, uint64_t>, \
                "Ascend C " #Api ": dtype of " #Name " is not supported on Ascend 910B; legal: uint64_t")

template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
AK_API void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& intriParams) {
  AK_CHECK_OUT(Fixpipe, T, U);
  AK_CUBE_ONLY;
  akrt_c_fixpipe("Fixpipe", dst.AkGlobal(), src.AkLocal(), nullptr, akc::Out(intriParams, config.format == CO2Layout::ROW_MAJOR),
                 AK_SITE);
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
AK_API void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& intriParams) {
  AK_CHECK_OUT(Fixpipe, T, U);
  AK_CUBE_ONLY;
  akrt_c_fixpipe_local("Fixpipe", dst.AkLocal(), src.AkLocal(), nullptr,
                       akc::Out(intriParams, config.format == CO2Layout::ROW_MAJOR), AK_SITE);
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR, typename S = uint64_t>
AK_API void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<S>& cbufWorkspace,
                    const FixpipeParamsV220& intriParams) {
  AK_CHECK_OUT(Fixpipe, T, U);
  AK_CHECK_SCALES(Fixpipe, cbufWorkspace, S);
  AK_CUBE_ONLY;
  akrt_c_fixpipe("Fixpipe", dst.AkGlobal(), src.AkLocal(), &cbufWorkspace.AkLocal(),
                 akc::Out(intriParams, config.format == CO2Layout::ROW_MAJOR), AK_SITE);
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR, typename S = uint64_t>
AK_API void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<S>& cbufWorkspace,
                    const FixpipeParamsV220& intriParams) {
  AK_CHECK_OUT(Fixpipe, T, U);
  AK_CHECK_SCALES(Fixpipe, cbufWorkspace, S);
  AK_CUBE_ONLY;
  akrt_c_fixpipe_local("Fixpipe", dst.AkLocal(), src.AkLocal(), &cbufWorkspace.AkLocal(),
                       akc::Out(intriParams, config.format == CO2Layout::ROW_MAJOR), AK_SITE);
}

inline void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride, uint16_t dstNdStride) {
  akrt_c_set_register(akrt::kAkrtNdNum, ndNum);
  akrt_c_set_register(akrt::kAkrtNdSource, srcNdStride);
  akrt_c_set_register(akrt::kAkrtNdDestination, dstNdStride);
}
inline void SetFixpipePreQuantFlag(uint64_t config) { akrt_c_set_register(akrt::kAkrtQuantScalar, config); }

namespace akc {
// The tensor of parameters that SetFixPipeConfig named: its place in the Fixpipe buffer and its length.
inline void KeepQuant(const akrt::Local& tensor, bool clear, akrt::Site site) {
  akrt_c_set_register(akrt::kAkrtQuantTensor, uint64_t{tensor.bytes} << 32 | tensor.addr);
  if (clear) akrt_c_clear_unit_flags(site);
}
inline akrt::Local KeptQuant() {
  const uint64_t kept = akrt_c_get_register(akrt::kAkrtQuantTensor);
  return {static_cast<uint32_t>(kept), static_cast<uint32_t>(kept >> 32), static_cast<uint8_t>(TPosition::C2PIPE2GM),
          akrt::DType::kUint64};
}
}  // namespace akc
template <typename T>
AK_API void SetFixPipeConfig(const LocalTensor<T>&, const LocalTensor<T>& quantPre, bool isUnitFlag = false) {
  AK_CHECK_SCALES(SetFixPipeConfig, quantPre, T);
  AK_CUBE_ONLY;
  akc::KeepQuant(quantPre.AkLocal(), isUnitFlag, AK_SITE);
}
template <typename T, bool setRelu = false>
AK_API void SetFixPipeConfig(const LocalTensor<T>& preData, bool isUnitFlag = false) {
  AK_CHECK_SCALES(SetFixPipeConfig, preData, T);
  static_assert(!setRelu, "Ascend C SetFixPipeConfig: setRelu is not supported on Ascend 910B; legal: false");
  AK_CUBE_ONLY;
  akc::KeepQuant(preData.AkLocal(), isUnitFlag, AK_SITE);
}

template <typename T, typename U>
AK_API void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyCO12DstParams& intriParams) {
  AK_CHECK_OUT(DataCopy, T, U);
  AK_CUBE_ONLY;
  const akrt::Local quant = akc::KeptQuant();
  akrt_c_fixpipe_local("DataCopy", dst.AkLocal(), src.AkLocal(), quant.bytes != 0 ? &quant : nullptr, akc::Out(intriParams), AK_SITE);
}
template <typename T, typename U>
AK_API void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyCO12DstParams& intriParams) {
  AK_CHECK_OUT(DataCopy, T, U);
  AK_CUBE_ONLY;
  const akrt::Local quant = akc::KeptQuant();
  akrt_c_fixpipe("DataCopy", dst.AkGlobal(), src.AkLocal(), quant.bytes != 0 ? &quant : nullptr, akc::Out(intriParams), AK_SITE);
}

}  // namespace AscendC
