// Elementwise instructions: one source, two sources, one source and a scalar.
#pragma once
#include "ascendc/walk.h"

namespace AscendC {

#define AK_UNARY(Api)                                                                                                  \
  template <typename T, bool isSetMask = true>                                                                         \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask[], const uint8_t repeatTime,     \
                  const UnaryRepeatParams& repeatParams) {                                                             \
    AK_CHECK_DTYPE(Api, T);                                                                                            \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_unary(akrt::VecOp::k##Api, #Api, dst.AkLocal(), src.AkLocal(),                                              \
                 akc::Strided(akc::Masked(mask, repeatTime, isSetMask), repeatParams), AK_SITE);                       \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                         \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, const uint8_t repeatTime,       \
                  const UnaryRepeatParams& repeatParams) {                                                             \
    AK_CHECK_DTYPE(Api, T);                                                                                            \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_unary(akrt::VecOp::k##Api, #Api, dst.AkLocal(), src.AkLocal(),                                              \
                 akc::Strided(akc::Masked(mask, repeatTime, isSetMask), repeatParams), AK_SITE);                       \
  }                                                                                                                    \
  template <typename T>                                                                                                \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count) {                        \
    AK_CHECK_DTYPE(Api, T);                                                                                            \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_unary(akrt::VecOp::k##Api, #Api, dst.AkLocal(), src.AkLocal(), akc::Count(count), AK_SITE);                 \
  }

AK_UNARY(Exp)
AK_UNARY(Ln)
AK_UNARY(Abs)
AK_UNARY(Sqrt)
AK_UNARY(Rsqrt)
AK_UNARY(Reciprocal)
AK_UNARY(Relu)
AK_UNARY(Not)
#undef AK_UNARY

// `Row` and `CountRow` name the lists of legal types of the mask forms and of the count form, `Op` the instruction.
#define AK_BINARY_AS(Api, Op, Row, CountRow)                                                                           \
  template <typename T, bool isSetMask = true>                                                                         \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask[],  \
                  const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {                                  \
    AK_CHECK_DTYPE_AS(Api, Row, T);                                                                                    \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_binary(akrt::VecOp::Op, #Api, dst.AkLocal(), src0.AkLocal(), src1.AkLocal(),                                \
                  akc::Strided(akc::Masked(mask, repeatTime, isSetMask), repeatParams), AK_SITE);                      \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                         \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,    \
                  const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {                                  \
    AK_CHECK_DTYPE_AS(Api, Row, T);                                                                                    \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_binary(akrt::VecOp::Op, #Api, dst.AkLocal(), src0.AkLocal(), src1.AkLocal(),                                \
                  akc::Strided(akc::Masked(mask, repeatTime, isSetMask), repeatParams), AK_SITE);                      \
  }                                                                                                                    \
  template <typename T>                                                                                                \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                   \
                  const int32_t& count) {                                                                              \
    AK_CHECK_DTYPE_AS(Api, CountRow, T);                                                                               \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_binary(akrt::VecOp::Op, #Api, dst.AkLocal(), src0.AkLocal(), src1.AkLocal(), akc::Count(count), AK_SITE);   \
  }
#define AK_BINARY(Api) AK_BINARY_AS(Api, k##Api, Api, Api)

AK_BINARY(Add)
AK_BINARY(Sub)
AK_BINARY(Mul)
AK_BINARY(Div)
AK_BINARY(Max)
AK_BINARY(Min)
AK_BINARY(AddRelu)
AK_BINARY(SubRelu)
AK_BINARY(FusedMulAdd)
AK_BINARY(FusedMulAddRelu)
AK_BINARY_AS(MulAddRelu, kFusedMulAddRelu, MulAddRelu, MulAddRelu)
AK_BINARY_AS(And, kAnd, And, And_count)
AK_BINARY_AS(Or, kOr, Or, Or_count)
#undef AK_BINARY
#undef AK_BINARY_AS

// The scalar has exactly the element type. The second template of each pair serves TensorTrait element types.
#define AK_SCALAR_FORM(Api, Head, ScalarType)                                                                          \
  Head AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ScalarType& scalarValue,            \
                       uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {             \
    AK_CHECK_DTYPE(Api, T);                                                                                            \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_scalar(akrt::VecOp::k##Api, #Api, dst.AkLocal(), src.AkLocal(), akc::Raw<PrimT<T>>(scalarValue),            \
                  akc::Strided(akc::Masked(mask, repeatTime, isSetMask), repeatParams), AK_SITE);                      \
  }                                                                                                                    \
  Head AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ScalarType& scalarValue,            \
                       uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {               \
    AK_CHECK_DTYPE(Api, T);                                                                                            \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_scalar(akrt::VecOp::k##Api, #Api, dst.AkLocal(), src.AkLocal(), akc::Raw<PrimT<T>>(scalarValue),            \
                  akc::Strided(akc::Masked(mask, repeatTime, isSetMask), repeatParams), AK_SITE);                      \
  }
#define AK_SCALAR_COUNT(Api, Head, ScalarType)                                                                         \
  Head AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ScalarType& scalarValue,            \
                       const int32_t& count) {                                                                         \
    AK_CHECK_DTYPE(Api, T);                                                                                            \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_scalar(akrt::VecOp::k##Api, #Api, dst.AkLocal(), src.AkLocal(), akc::Raw<PrimT<T>>(scalarValue),            \
                  akc::Count(count, isSetMask), AK_SITE);                                                              \
  }
#define AK_PLAIN template <typename T, bool isSetMask = true>
#define AK_TRAIT                                           \
  template <typename T, typename U, bool isSetMask = true> \
    requires kTraitOf<T, U>
#define AK_SCALAR(Api)                \
  AK_SCALAR_FORM(Api, AK_PLAIN, T)    \
  AK_SCALAR_FORM(Api, AK_TRAIT, U)    \
  AK_SCALAR_COUNT(Api, AK_PLAIN, T)   \
  AK_SCALAR_COUNT(Api, AK_TRAIT, U)

AK_SCALAR(Adds)
AK_SCALAR(Muls)
AK_SCALAR(Maxs)
AK_SCALAR(Mins)
AK_SCALAR(LeakyRelu)
AK_SCALAR(ShiftLeft)
AK_SCALAR_COUNT(ShiftRight, AK_PLAIN, T)
AK_SCALAR_COUNT(ShiftRight, AK_TRAIT, U)
#undef AK_SCALAR

#define AK_SHIFT_RIGHT(Head, ScalarType, MaskType, Default)                                                            \
  Head AK_API void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ScalarType& scalarValue,     \
                              MaskType, const uint8_t repeatTime, const UnaryRepeatParams& repeatParams,               \
                              bool roundEn Default) {                                                                  \
    AK_CHECK_DTYPE(ShiftRight, T);                                                                                     \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_scalar(roundEn ? akrt::VecOp::kShiftRightRound : akrt::VecOp::kShiftRight, "ShiftRight", dst.AkLocal(),     \
                  src.AkLocal(), akc::Raw<PrimT<T>>(scalarValue),                                                      \
                  akc::Strided(akc::Masked(mask, repeatTime, isSetMask), repeatParams), AK_SITE);                      \
  }
AK_SHIFT_RIGHT(AK_PLAIN, T, uint64_t mask[], = false)
AK_SHIFT_RIGHT(AK_PLAIN, T, uint64_t mask, = false)
AK_SHIFT_RIGHT(AK_TRAIT, U, uint64_t mask[], )
AK_SHIFT_RIGHT(AK_TRAIT, U, uint64_t mask, )
#undef AK_SHIFT_RIGHT
#undef AK_PLAIN
#undef AK_TRAIT
#undef AK_SCALAR_FORM
#undef AK_SCALAR_COUNT

template <typename T>
AK_API void LocalTensor<T>::operator=(const SymbolOverride<T>& e) {
  AK_VECTOR_ONLY;
  constexpr akrt::VecOp kOps[] = {akrt::VecOp::kAdd, akrt::VecOp::kSub, akrt::VecOp::kMul,
                                  akrt::VecOp::kDiv, akrt::VecOp::kAnd, akrt::VecOp::kOr};
  constexpr const char* kNames[] = {"operator+", "operator-", "operator*", "operator/", "operator&", "operator|"};
  const int op = static_cast<int>(e.op);
  akrt_v_binary(kOps[op], kNames[op], local_, e.src0, e.src1, akc::Count(GetSize()), AK_SITE);
}

}  // namespace AscendC
