// The matrix library: C = A x B + bias in blocks, by the cube core. Programs see it by "lib/matmul_intf.h" only.
#pragma once
#include "akrt/abi_matmul.h"
#include "ascendc/matmul_config.h"
#include "ascendc/pipe.h"
#include "ascendc/tensor.h"

namespace AscendC::MatmulLibrary {

using tiling::TCubeTiling;

// User functions in place of the library's copies.
template <auto DataCopyOut = nullptr, auto CopyA1 = nullptr, auto CopyB1 = nullptr>
struct MatmulCallBackFunc {
  static constexpr bool kNone = std::is_same_v<decltype(DataCopyOut), std::nullptr_t> &&
                                std::is_same_v<decltype(CopyA1), std::nullptr_t> &&
                                std::is_same_v<decltype(CopyB1), std::nullptr_t>;
};

// How the library would be taken apart: the one that is not replaced.
template <const auto& MM_CFG, typename... Types>
struct MatmulPolicy {};
namespace Impl::Detail {
using MatmulLibrary::MatmulPolicy;
}

namespace detail {

template <typename...>
inline constexpr bool kNever = false;

template <typename A, typename B, typename C>
inline constexpr bool kTypes =
    std::is_same_v<A, B> &&
    ((std::is_same_v<A, float> && akc::kOneOf<C, float, half, bfloat16_t>) ||
     (std::is_same_v<A, half> && akc::kOneOf<C, float, half, bfloat16_t, int8_t>) ||
     (std::is_same_v<A, bfloat16_t> && akc::kOneOf<C, float, half, bfloat16_t, int8_t>) ||
     (std::is_same_v<A, int8_t> && akc::kOneOf<C, int32_t, half>));
template <typename A, typename T>
inline constexpr bool kBias = std::is_same_v<A, int8_t> ? std::is_same_v<T, int32_t> : akc::kOneOf<T, float, half>;

// How C leaves the accumulator without parameters of quantisation.
template <typename A, typename C>
constexpr uint8_t Quant() {
  if (std::is_same_v<C, half>) return std::is_same_v<A, int8_t> ? DEQF16 : F322F16;
  if (std::is_same_v<C, bfloat16_t>) return F322BF16;
  return std::is_same_v<C, int8_t> ? QF322B8_PRE : NoQuant;
}

template <class TYPE>
constexpr akrt::MatmulOperand Operand() {
  akrt::MatmulOperand operand;
  operand.position = static_cast<uint8_t>(TYPE::pos);
  operand.format = static_cast<uint8_t>(TYPE::format);
  operand.dtype = akc::kDType<typename TYPE::T>;
  operand.may_transpose = TYPE::isTrans;
  return operand;
}

}  // namespace detail

// `form` is for the table of what is simulated.
#define AK_SIMULATED_ONLY(form, condition, message) static_assert(condition, message)
#define AK_NO_MATMUL(Api, what, instead)                                                                    \
  static_assert(::AscendC::MatmulLibrary::detail::kNever<A_TYPE>, "Ascend C Matmul::" #Api ": " what        \
                " is not simulated; legal: " instead)

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>,
          template <const auto&, typename...> class MATMUL_POLICY = MatmulPolicy>
class Matmul {
 public:
  using AType = A_TYPE;
  using BType = B_TYPE;
  using CType = C_TYPE;
  using BiasType = BIAS_TYPE;
  using SrcT = typename A_TYPE::T;
  using SrcAT = typename A_TYPE::T;
  using SrcBT = typename B_TYPE::T;
  using DstT = typename C_TYPE::T;
  using BiasT = typename BIAS_TYPE::T;

  static_assert(detail::kTypes<SrcAT, SrcBT, DstT>,
                "Ascend C Matmul: dtypes of A, B and C are not supported; legal: float x float to float, half or bfloat16_t, "
                "half x half and bfloat16_t x bfloat16_t to float, half, bfloat16_t or int8_t, int8_t x int8_t to int32_t or half");
  static_assert(akc::kOneOf<std::integral_constant<TPosition, A_TYPE::pos>, std::integral_constant<TPosition, TPosition::GM>,
                            std::integral_constant<TPosition, TPosition::VECOUT>> &&
                    akc::kOneOf<std::integral_constant<TPosition, B_TYPE::pos>, std::integral_constant<TPosition, TPosition::GM>,
                                std::integral_constant<TPosition, TPosition::VECOUT>>,
                "Ascend C Matmul: an operand at this position is not simulated; legal: GM, VECOUT");
  static_assert(C_TYPE::pos == TPosition::GM || C_TYPE::pos == TPosition::VECIN,
                "Ascend C Matmul: a result at this position is not simulated; legal: GM, VECIN");
  static_assert((A_TYPE::format == CubeFormat::ND || A_TYPE::format == CubeFormat::NZ) &&
                    (B_TYPE::format == CubeFormat::ND || B_TYPE::format == CubeFormat::NZ),
                "Ascend C Matmul: this format of an operand is not simulated; legal: ND, NZ");
  static_assert(C_TYPE::format == CubeFormat::ND || C_TYPE::format == CubeFormat::NZ || C_TYPE::format == CubeFormat::ND_ALIGN,
                "Ascend C Matmul: this format of the result is not simulated; legal: ND, NZ, ND_ALIGN");
  static_assert(A_TYPE::layout == LayoutMode::NONE && B_TYPE::layout == LayoutMode::NONE && C_TYPE::layout == LayoutMode::NONE,
                "Ascend C Matmul: batch layouts are not simulated; legal: LayoutMode::NONE and a loop over the batch");
  static_assert(!A_TYPE::ibShare && !B_TYPE::ibShare && !MM_CFG.doIBShareNorm,
                "Ascend C Matmul: operands shared by two vector cores (IBSHARE) are not simulated; legal: CFG_NORM, CFG_MDL");
  static_assert(!MM_CFG.intraBlockPartSum && !MM_CFG.enableMixDualMaster && !MM_CFG.isNBatch &&
                    MM_CFG.scheduleType == ScheduleType::INNER_PRODUCT && !MM_CFG.isEnableChannelSplit,
                "Ascend C Matmul: intraBlockPartSum, enableMixDualMaster, isNBatch, channel split and other schedules than "
                "INNER_PRODUCT are not simulated; legal: CFG_NORM, CFG_MDL and what GetNormalConfig and GetMDLConfig give by default");
  AK_SIMULATED_ONLY("MatmulCallBackFunc (with functions)", MM_CB::kNone,
                    "Ascend C Matmul: callback functions are not simulated; legal: MatmulCallBackFunc<nullptr, nullptr, nullptr>");

  static_assert(std::is_same_v<MATMUL_POLICY<MM_CFG>, MatmulPolicy<MM_CFG>>,
                "Ascend C Matmul: this policy is not simulated; legal: MatmulPolicy");

  Matmul() = default;

  AK_API void Init(const TCubeTiling* __restrict cubeTiling, TPipe* = nullptr) { akrt_mm_init(&state_, cubeTiling, AK_SITE); }

  AK_API void SetTensorA(const GlobalTensor<SrcAT>& gm, bool isTransposeA = false) {
    akrt_mm_set_a(&state_, Global(state_.a, gm.AkGlobal(), isTransposeA), AK_SITE);
  }
  AK_API void SetTensorA(const LocalTensor<SrcAT>& leftMatrix, bool isTransposeA = false) {
    akrt_mm_set_a(&state_, Local(state_.a, leftMatrix.AkLocal(), isTransposeA), AK_SITE);
  }
  AK_API void SetTensorB(const GlobalTensor<SrcBT>& gm, bool isTransposeB = false) {
    akrt_mm_set_b(&state_, Global(state_.b, gm.AkGlobal(), isTransposeB), AK_SITE);
  }
  AK_API void SetTensorB(const LocalTensor<SrcBT>& rightMatrix, bool isTransposeB = false) {
    akrt_mm_set_b(&state_, Local(state_.b, rightMatrix.AkLocal(), isTransposeB), AK_SITE);
  }
  AK_API void SetBias(const GlobalTensor<BiasT>& biasGlobal) {
    AkCheckBias();
    akrt_mm_set_bias(&state_, Global(state_.bias, biasGlobal.AkGlobal(), false), AK_SITE);
  }
  AK_API void SetBias(const LocalTensor<BiasT>& inputBias) {
    AkCheckBias();
    akrt_mm_set_bias(&state_, Local(state_.bias, inputBias.AkLocal(), false), AK_SITE);
  }
  void DisableBias() { state_.bias.set = false; }
  void ClearBias() { DisableBias(); }

  AK_API void SetOrgShape(int orgM, int orgN, int orgK) { akrt_mm_set_org(&state_, orgM, orgN, orgK, orgK, 0, AK_SITE); }
  AK_API void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0) {
    akrt_mm_set_org(&state_, orgM, orgN, orgKa, orgKb, orgKc, AK_SITE);
  }
  AK_API void SetSingleShape(int singleM, int singleN, int singleK) {
    akrt_mm_set_single(&state_, "Matmul::SetSingleShape", singleM, singleN, singleK, AK_SITE);
  }
  AK_API void SetTail(int tailM = -1, int tailN = -1, int tailK = -1) {
    akrt_mm_set_single(&state_, "Matmul::SetTail", tailM, tailN, tailK, AK_SITE);
  }
  void SetHF32(bool enableHF32 = false, int32_t transMode = 0) {
    state_.hf32 = enableHF32;
    state_.hf32_to_zero = transMode != 0;
  }
  // To half from int8_t, to int8_t from half and bfloat16_t: one parameter for all columns, or one for each.
  void SetQuantScalar(const uint64_t quantScalar) {
    state_.quant = detail::Quant<SrcAT, DstT>();
    state_.quant_scalar = quantScalar;
    state_.quant_vector = {};
  }
  void SetQuantVector(const GlobalTensor<uint64_t>& quantTensor) {
    state_.quant = std::is_same_v<DstT, int8_t> ? VQF322B8_PRE : VDEQF16;
    state_.quant_vector = quantTensor.AkGlobal();
  }
  template <class T>
  void SetWorkspace(GlobalTensor<T>& addr) {
    state_.workspace = addr.AkGlobal();
  }
  template <class T>
  void SetWorkspace(__gm__ const T* addr, int size) {
    state_.workspace = {reinterpret_cast<uint64_t>(addr), static_cast<uint64_t>(size), akc::kDType<T>};
  }
  void SetSubBlockIdx(uint8_t subBlockIdx) { sub_block_ = subBlockIdx; }
  uint8_t GetSubBlockIdx() { return sub_block_; }

  template <bool sync = true>
  AK_API bool Iterate(bool enPartialSum = false) {
    return akrt_mm_iterate(&state_, sync, enPartialSum, AK_SITE);
  }

  template <bool sync = true>
  AK_API void GetTensorC(const GlobalTensor<DstT>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false) {
    akrt_mm_get_c(&state_, AkOut(gm, enAtomic, enSequentialWrite, sync), AK_SITE);
  }
  template <bool sync = true, bool doPad = false>
  AK_API void GetTensorC(const LocalTensor<DstT>& c, uint8_t enAtomic = 0, bool enSequentialWrite = false, uint32_t = 0,
                         uint32_t = 0, uint32_t = 0, uint32_t = 0) {
    static_assert(!doPad, "Ascend C Matmul::GetTensorC: doPad is not simulated; legal: doPad = false");
    akrt::MatmulOut out;
    out.local = true, out.at_local = c.AkLocal(), out.atomic = enAtomic, out.sequential = enSequentialWrite, out.sync = sync;
    akrt_mm_get_c(&state_, out, AK_SITE);
  }

  AK_API void AsyncGetTensorC(const LocalTensor<DstT>& c) {
    akrt::MatmulOut out;
    out.local = true, out.at_local = c.AkLocal(), out.sync = false, out.later = true;
    akrt_mm_get_c(&state_, out, AK_SITE);
  }
  AK_API void WaitGetTensorC() { akrt_mm_wait_c(&state_, AK_SITE); }

  template <bool sync = true>
  AK_API void IterateAll(const GlobalTensor<DstT>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                         bool waitIterateAll = false, bool fakeMsg = false) {
    if (fakeMsg) akrt_unsupported("Matmul::IterateAll(fakeMsg)", AK_SITE);
    akrt::MatmulOut out = AkOut(gm, enAtomic, enSequentialWrite, sync);
    out.awaited = !sync && waitIterateAll;
    akrt_mm_iterate_all(&state_, out, AK_SITE);
  }
  template <bool sync = true>
  void IterateAll(const LocalTensor<DstT>&, uint8_t = 0) {
    AK_NO_MATMUL(IterateAll, "a result in L1 (TSCM)", "IterateAll to a GlobalTensor, Iterate and GetTensorC to a LocalTensor");
  }
  AK_API void WaitIterateAll() { akrt_mm_wait_all(&state_, AK_SITE); }
  AK_API void End() { akrt_mm_end(&state_, AK_SITE); }

  // ---- known and not simulated ---------------------------------------------------------------------------------------
  void SetTensorA(SrcAT) { AK_NO_MATMUL(SetTensorA, "a matrix of one number", "a GlobalTensor or a LocalTensor"); }
  void SetTensorB(SrcBT) { AK_NO_MATMUL(SetTensorB, "a matrix of one number", "a GlobalTensor or a LocalTensor"); }
  void SetQuantVector(const LocalTensor<uint64_t>&) {
    AK_NO_MATMUL(SetQuantVector, "a LocalTensor of parameters", "a GlobalTensor<uint64_t>");
  }
  template <bool sync = true, typename T>
  bool Iterate(bool, const LocalTensor<T>&) {
    AK_NO_MATMUL(Iterate, "a result in the program's own L0C", "Iterate() and GetTensorC");
    return false;
  }
  template <bool sync = true>
  void GetTensorC(const GlobalTensor<DstT>&, const LocalTensor<DstT>&, uint8_t = 0, bool = false) {
    AK_NO_MATMUL(GetTensorC, "a result at two places", "GetTensorC to one of them");
  }
  template <bool sync = true>
  GlobalTensor<DstT> GetTensorC(uint8_t = 0, bool = false) {
    AK_NO_MATMUL(GetTensorC, "a result in the library's workspace", "GetTensorC to a GlobalTensor of your own");
    return {};
  }
  void SetBatchNum(int32_t, int32_t) { AK_NO_MATMUL(SetBatchNum, "a batch in one call", "IterateAll in a loop over the batch"); }
  template <bool sync = true, bool waitIterateBatch = false, class... Args>
  void IterateBatch(Args&&...) {
    AK_NO_MATMUL(IterateBatch, "a batch in one call", "IterateAll in a loop over the batch");
  }
  template <bool sync = true, bool waitIterateBatch = false, class... Args>
  void IterateNBatch(Args&&...) {
    AK_NO_MATMUL(IterateNBatch, "a batch in one call", "IterateAll in a loop over the batch");
  }
  void WaitIterateBatch() { AK_NO_MATMUL(WaitIterateBatch, "a batch in one call", "IterateAll in a loop over the batch"); }
  template <bool sync = true, class... Args>
  GlobalTensor<DstT> GetBatchTensorC(Args&&...) {
    AK_NO_MATMUL(GetBatchTensorC, "a batch in one call", "IterateAll in a loop over the batch");
    return {};
  }
  template <bool sync = true, class... Args>
  GlobalTensor<DstT> GetBatchC(Args&&...) {
    AK_NO_MATMUL(GetBatchC, "a batch in one call", "IterateAll in a loop over the batch");
    return {};
  }
  void SetSparseIndex(const GlobalTensor<uint8_t>&) { AK_NO_MATMUL(SetSparseIndex, "a sparse matrix", "dense matrices"); }
  void SetUserDefInfo(const uint64_t) { AK_NO_MATMUL(SetUserDefInfo, "a callback function", "the library's own copies"); }
  void SetSelfDefineData(const uint64_t) { AK_NO_MATMUL(SetSelfDefineData, "a callback function", "the library's own copies"); }

  // Not part of Ascend C: what the registration sees.
  akrt::MatmulState& AkMatmul() { return state_; }

 private:
  static constexpr akrt::MatmulState Initial() {
    akrt::MatmulState state;
    state.a = detail::Operand<A_TYPE>();
    state.b = detail::Operand<B_TYPE>();
    state.c = detail::Operand<C_TYPE>();
    state.bias = detail::Operand<BIAS_TYPE>();
    state.quant = detail::Quant<SrcAT, DstT>();
    state.relu = MM_CFG.enableRelu;
    state.many_loads = MM_CFG.doMultiDataLoad || MM_CFG.doSpecialMDL;
    return state;
  }
  static akrt::MatmulOperand Global(const akrt::MatmulOperand& kind, const akrt::Global& at, bool transposed) {
    akrt::MatmulOperand operand = kind;
    operand.set = true, operand.local = false, operand.at = at, operand.transposed = transposed;
    return operand;
  }
  static akrt::MatmulOperand Local(const akrt::MatmulOperand& kind, const akrt::Local& at, bool transposed) {
    akrt::MatmulOperand operand = kind;
    operand.set = true, operand.local = true, operand.at_local = at, operand.transposed = transposed;
    return operand;
  }
  static akrt::MatmulOut AkOut(const GlobalTensor<DstT>& gm, uint8_t atomic, bool sequential, bool sync) {
    akrt::MatmulOut out;
    out.at = gm.AkGlobal(), out.atomic = atomic, out.sequential = sequential, out.sync = sync;
    return out;
  }
  static void AkCheckBias() {
    static_assert(detail::kBias<SrcAT, BiasT>,
                  "Ascend C Matmul::SetBias: dtype of the bias is not supported; legal: int32_t where A and B are int8_t, else half, float");
  }

  akrt::MatmulState state_ = Initial();
  uint8_t sub_block_ = 0;
};
#undef AK_NO_MATMUL
#undef AK_SIMULATED_ONLY

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>,
          template <const auto&, typename...> class MATMUL_POLICY = MatmulPolicy>
using MatmulImpl = Matmul<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;

// ---- registration ------------------------------------------------------------------------------------------------------
namespace detail {

struct Registration {
  const void* workspace;
  bool cube_only;
  int32_t count;
  akrt::Site site;
};

template <class M>
void Add(const Registration& r, int32_t index, M& object) {
  if (r.cube_only) akrt_mm_regist_cube(&object.AkMatmul(), index, r.count, r.site);
  else akrt_mm_regist(&object.AkMatmul(), index, r.count, r.workspace, r.site);
}
template <class M, class... Rest>
void AddAll(const Registration& r, int32_t index, M& object, const TCubeTiling* tiling, Rest&&... rest) {
  Add(r, index, object);
  if (tiling != nullptr && (r.cube_only || g_coreType == AIV)) akrt_mm_init(&object.AkMatmul(), tiling, r.site);
  if constexpr (sizeof...(Rest) > 0) AddAll(r, index + 1, rest...);
}

}  // namespace detail

// Whether the kernel ends here: on a cube core that served the vector cores of its block.
template <bool cubeOnly, class... Args>
AK_API bool Regist(TPipe*, const void* workspace, Args&&... args) {
  static_assert(sizeof...(Args) == 1 || (sizeof...(Args) % 2 == 0 && sizeof...(Args) <= 8 && sizeof...(Args) > 0),
                "Ascend C REGIST_MATMUL_OBJ: arguments are not supported; legal: (pipe, workspace, object), "
                "(pipe, workspace, object, tiling, ...) with at most 4 objects");
  const akrt::Site site = AK_SITE;
  const detail::Registration r{workspace, cubeOnly, (static_cast<int32_t>(sizeof...(Args)) + 1) / 2, site};
  if constexpr (sizeof...(Args) == 1) detail::Add(r, 0, args...);
  else detail::AddAll(r, 0, args...);
  if constexpr (cubeOnly) return false;
  else return akrt_mm_serve(site);
}

}  // namespace AscendC::MatmulLibrary
