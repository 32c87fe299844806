// Element types that each API accepts on Ascend 910B: one line per API (or `Api_operand`), written from the API index
// by `python -m agentkernel.knowledge.headers`; edit knowledge/data/overlay.yaml instead.
//
//   AK_DTYPES_<Api>       the list of types of the tensor operand
//   AK_PAIRS_<Api>(P, S)  the legal (destination, source) pairs, P(dst, src), separated by S
#pragma once

// clang-format off
#define AK_DTYPES_Abs half, float
#define AK_DTYPES_Acos half, float
#define AK_DTYPES_Acosh half, float
#define AK_DTYPES_Add half, float, int16_t, int32_t
#define AK_DTYPES_AddRelu half, float, int16_t
#define AK_DTYPES_Adds half, float, int16_t, int32_t
#define AK_DTYPES_And int16_t, uint16_t
#define AK_DTYPES_And_count int16_t, uint16_t, int32_t, uint32_t
#define AK_DTYPES_Arange int16_t, half, int32_t, float
#define AK_DTYPES_ArithProgression int16_t, half, int32_t, float
#define AK_DTYPES_Asin half, float
#define AK_DTYPES_Asinh half, float
#define AK_DTYPES_Atan half, float
#define AK_DTYPES_Atanh half, float
#define AK_DTYPES_BatchNorm half, float
#define AK_DTYPES_BlockReduceMax half, float
#define AK_DTYPES_BlockReduceMin half, float
#define AK_DTYPES_BlockReduceSum half, float
#define AK_DTYPES_Brcb int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float
#define AK_DTYPES_Broadcast int8_t, uint8_t, half, float
#define AK_DTYPES_Ceil half, float
#define AK_DTYPES_ClampMax half, float
#define AK_DTYPES_ClampMin half, float
#define AK_DTYPES_Compare half, float, int32_t
#define AK_DTYPES_Compare_dst int8_t, uint8_t
#define AK_DTYPES_Compare_register half, float
#define AK_DTYPES_CompareScalar half, float, int32_t
#define AK_DTYPES_CompareScalar_dst uint8_t
#define AK_DTYPES_Compares half, float, int32_t
#define AK_DTYPES_Compares_dst uint8_t
#define AK_DTYPES_Concat half, float
#define AK_DTYPES_Copy int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float
#define AK_DTYPES_Cos half, float
#define AK_DTYPES_Cosh half, float
#define AK_DTYPES_CreateVecIndex half, int16_t, float, int32_t
#define AK_DTYPES_CumSum half, float
#define AK_DTYPES_DeepNorm half, float
#define AK_DTYPES_Digamma half, float
#define AK_DTYPES_Div half, float
#define AK_DTYPES_DropOut half, float
#define AK_DTYPES_Duplicate half, bfloat16_t, int16_t, uint16_t, int32_t, uint32_t, float
#define AK_DTYPES_Erf half, float
#define AK_DTYPES_Erfc half, float
#define AK_DTYPES_Exp half, float
#define AK_DTYPES_Extract half, float
#define AK_DTYPES_FasterGelu half, float
#define AK_DTYPES_FasterGeluV2 half, float
#define AK_DTYPES_Fill uint16_t, int16_t, half, uint32_t, int32_t, float
#define AK_DTYPES_Floor half, float
#define AK_DTYPES_Fmod half, float
#define AK_DTYPES_Frac half, float
#define AK_DTYPES_FusedMulAdd half, float
#define AK_DTYPES_FusedMulAddRelu half, float
#define AK_DTYPES_Gather half, bfloat16_t, uint16_t, int16_t, float, uint32_t, int32_t
#define AK_DTYPES_GatherMask half, bfloat16_t, int16_t, uint16_t, int32_t, uint32_t, float
#define AK_DTYPES_Gatherb uint16_t, uint32_t
#define AK_DTYPES_GeGLU half, float
#define AK_DTYPES_Gelu half, float
#define AK_DTYPES_GetAccVal half, float
#define AK_DTYPES_GetReduceMaxMinCount half, float
#define AK_DTYPES_GetReduceRepeatMaxMinSpr half, float
#define AK_DTYPES_GetReduceRepeatSumSpr half, float
#define AK_DTYPES_GroupNorm half, float
#define AK_DTYPES_InitConstValue int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float
#define AK_DTYPES_InitOutput uint16_t, int16_t, half, uint32_t, int32_t, float
#define AK_DTYPES_LayerNorm half, float
#define AK_DTYPES_LayerNormGrad half, float
#define AK_DTYPES_LayerNormGradBeta half, float
#define AK_DTYPES_LeakyRelu half, float
#define AK_DTYPES_Lgamma half, float
#define AK_DTYPES_Ln half, float
#define AK_DTYPES_LoadData int4b_t, uint8_t, int8_t, uint16_t, int16_t, half, bfloat16_t, uint32_t, int32_t, float
#define AK_DTYPES_LoadDataWithTranspose int4b_t, int8_t, uint8_t, half, bfloat16_t, int32_t, uint32_t, float
#define AK_DTYPES_Log half, float
#define AK_DTYPES_Log10 half, float
#define AK_DTYPES_Log2 half, float
#define AK_DTYPES_LogSoftMax half, float
#define AK_DTYPES_Max half, float, int16_t, int32_t
#define AK_DTYPES_Maxs half, float, int16_t, int32_t
#define AK_DTYPES_Mean half, float
#define AK_DTYPES_Min half, float, int16_t, int32_t
#define AK_DTYPES_Mins half, float, int16_t, int32_t
#define AK_DTYPES_MrgSort half, float
#define AK_DTYPES_Mul half, float, int16_t, int32_t
#define AK_DTYPES_MulAddRelu half, float
#define AK_DTYPES_Muls half, float, int16_t, int32_t
#define AK_DTYPES_Normalize half, float
#define AK_DTYPES_Not int16_t, uint16_t
#define AK_DTYPES_Or int16_t, uint16_t
#define AK_DTYPES_Or_count int16_t, uint16_t, int32_t, uint32_t
#define AK_DTYPES_Pad int16_t, uint16_t, half, int32_t, uint32_t, float
#define AK_DTYPES_PairReduceSum half, float
#define AK_DTYPES_ReGlu half, bfloat16_t, float
#define AK_DTYPES_Reciprocal half, float
#define AK_DTYPES_ReduceAll uint8_t, float
#define AK_DTYPES_ReduceAny uint8_t, float
#define AK_DTYPES_ReduceDataBlock half, float
#define AK_DTYPES_ReduceMax half, float
#define AK_DTYPES_ReduceMean float
#define AK_DTYPES_ReduceMin half, float
#define AK_DTYPES_ReducePairElem half, float
#define AK_DTYPES_ReduceProd float
#define AK_DTYPES_ReduceRepeat half, float
#define AK_DTYPES_ReduceSum half, float
#define AK_DTYPES_ReduceSum_pattern float
#define AK_DTYPES_ReduceXorSum int16_t
#define AK_DTYPES_Relu half, float, int32_t
#define AK_DTYPES_RepeatReduceSum half, float
#define AK_DTYPES_RmsNorm half, float
#define AK_DTYPES_Round half, float
#define AK_DTYPES_Rsqrt half, float
#define AK_DTYPES_Select half, float
#define AK_DTYPES_Select_mask int8_t, uint8_t, uint16_t, uint32_t, uint64_t
#define AK_DTYPES_SelectWithBytesMask half, float
#define AK_DTYPES_SelectWithBytesMask_mask bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t
#define AK_DTYPES_SetAtomicAdd int8_t, int16_t, half, bfloat16_t, int32_t, float
#define AK_DTYPES_SetAtomicMax int8_t, int16_t, half, bfloat16_t, int32_t, float
#define AK_DTYPES_SetAtomicMin int8_t, int16_t, half, bfloat16_t, int32_t, float
#define AK_DTYPES_SetAtomicType int8_t, int16_t, half, bfloat16_t, int32_t, float
#define AK_DTYPES_ShiftLeft int16_t, uint16_t, int32_t, uint32_t
#define AK_DTYPES_ShiftRight int16_t, uint16_t, int32_t, uint32_t
#define AK_DTYPES_Sigmoid half, float
#define AK_DTYPES_Sign half, float
#define AK_DTYPES_Silu half, float
#define AK_DTYPES_SimpleSoftMax half, float
#define AK_DTYPES_Sin half, float
#define AK_DTYPES_Sinh half, float
#define AK_DTYPES_SoftMax half, float
#define AK_DTYPES_SoftmaxFlash half, float
#define AK_DTYPES_SoftmaxFlashV2 half, float
#define AK_DTYPES_SoftmaxGrad half, float
#define AK_DTYPES_SoftmaxGradFront half, float
#define AK_DTYPES_Sort half, float
#define AK_DTYPES_Sort32 half, float
#define AK_DTYPES_Sqrt half, float
#define AK_DTYPES_Sub half, float, int16_t, int32_t
#define AK_DTYPES_SubRelu half, float, int16_t
#define AK_DTYPES_Sum half, float
#define AK_DTYPES_SwiGLU half, float
#define AK_DTYPES_Swish half, float
#define AK_DTYPES_Tan half, float
#define AK_DTYPES_Tanh half, float
#define AK_DTYPES_TopK half, float
#define AK_DTYPES_TransData int16_t, uint16_t, half, bfloat16_t
#define AK_DTYPES_TransDataTo5HD int8_t, uint8_t, int16_t, uint16_t, half, float, int32_t, uint32_t
#define AK_DTYPES_Trunc half, float
#define AK_DTYPES_UnPad int16_t, uint16_t, half, int32_t, uint32_t, float
#define AK_DTYPES_WelfordUpdate half, float
#define AK_DTYPES_WholeReduceMax half, float
#define AK_DTYPES_WholeReduceMin half, float
#define AK_DTYPES_WholeReduceSum half, float
#define AK_DTYPES_Xor int16_t, uint16_t

#define AK_PAIRS_AddReluCast(P, S) P(int8_t, half) S P(half, float) S P(int8_t, int16_t)
#define AK_PAIRS_Axpy(P, S) P(half, half) S P(float, float) S P(float, half)
#define AK_PAIRS_Cast(P, S) P(float, bfloat16_t) S P(int32_t, bfloat16_t) S P(bfloat16_t, float) S P(float, float) S P(half, float) S P(int16_t, float) S P(int32_t, float) S P(int64_t, float) S P(float, half) S P(int16_t, half) S P(int32_t, half) S P(int4b_t, half) S P(int8_t, half) S P(uint8_t, half) S P(float, int16_t) S P(half, int16_t) S P(float, int32_t) S P(half, int32_t) S P(int16_t, int32_t) S P(int64_t, int32_t) S P(half, int4b_t) S P(float, int64_t) S P(int32_t, int64_t) S P(half, int8_t) S P(half, uint8_t)
#define AK_PAIRS_CastDeq(P, S) P(half, int32_t) S P(int8_t, int16_t) S P(uint8_t, int16_t)
#define AK_PAIRS_CastDequant(P, S) P(half, int32_t) S P(int8_t, int16_t) S P(uint8_t, int16_t)
#define AK_PAIRS_Fixpipe(P, S) P(float, float) S P(half, float) S P(bfloat16_t, float) S P(int8_t, float) S P(uint8_t, float) S P(int32_t, int32_t) S P(half, int32_t) S P(int8_t, int32_t) S P(uint8_t, int32_t)
#define AK_PAIRS_GatherMask(P, S) P(half, uint16_t) S P(bfloat16_t, uint16_t) S P(int16_t, uint16_t) S P(uint16_t, uint16_t) S P(float, uint32_t) S P(int32_t, uint32_t) S P(uint32_t, uint32_t)
#define AK_PAIRS_LoadDataWithSparse(P, S) P(int8_t, uint8_t)
#define AK_PAIRS_Mmad(P, S) P(float, half, half) S P(float, bfloat16_t, bfloat16_t) S P(float, float, float) S P(int32_t, int8_t, int8_t) S P(int32_t, int4b_t, int4b_t)
#define AK_PAIRS_MmadWithSparse(P, S) P(int32_t, int8_t)
#define AK_PAIRS_MulAddDst(P, S) P(half, half) S P(float, float) S P(float, half)
#define AK_PAIRS_MulCast(P, S) P(int8_t, half) S P(uint8_t, half)
#define AK_PAIRS_ReduceDataBlock(P, S) P(half, half) S P(float, float)
#define AK_PAIRS_ReducePairElem(P, S) P(half, half) S P(float, float)
#define AK_PAIRS_ReduceRepeat(P, S) P(half, half) S P(float, float)
#define AK_PAIRS_SubReluCast(P, S) P(int8_t, half) S P(half, float) S P(int8_t, int16_t)
// clang-format on
