"""Unary, binary and scalar elementwise calls."""

# ruff: noqa: E501 - a check is one line

from __future__ import annotations

from .row import Row, by_dtype, table

ARITHMETIC = ("half", "float", "i16", "i32")
FLOATS = ("half", "float")
BITS16 = ("i16", "u16")
SHIFT = ("i16", "u16", "i32", "u32")

DTYPES = "overloads 3: element types of level-0 and level-2"
SHAPE = "overloads 2.3: parameters of elementwise calls"
CONST = "overloads 2.0: which mask arrays are const"
DEDUCED = "overloads 2.0: template arguments are deduced from the scalar too"
ADDRESS = "overloads 2.0: address of an API as template argument"
ZERO = "overloads 2.0: a literal 0 is ambiguous, other integers convert to uint64_t"
NARROW = "overloads 2.0: narrowing by implicit conversion stays legal"
BRACES = "overloads 1.5, 6.7: braces call the constructor"
OPERATORS = "overloads 2.8: operators of LocalTensor"

_FLOAT_UNARY = ("Exp", "Ln", "Abs", "Sqrt", "Rsqrt", "Reciprocal")
_U2 = "$api(${t}_0, ${t}_1, 64);"
_U0 = "$api(${t}_0, ${t}_1, mask, 1, {1, 1, 8, 8});"
_UBITS = "$api(${t}_0, ${t}_1, bits, 1, {1, 1, 8, 8});"
_UFALSE = "$api<$c, false>(${t}_0, ${t}_1, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});"

UNARY: tuple[Row, ...] = (
    *by_dtype(DTYPES, "count", _U2, _FLOAT_UNARY, FLOATS),
    *by_dtype(DTYPES, "mask", _U0, _FLOAT_UNARY, FLOATS),
    *by_dtype(DTYPES, "count", _U2, ("Relu",), ("half", "float", "i32")),
    *by_dtype(DTYPES, "mask", _U0, ("Relu",), ("half", "float", "i32")),
    *by_dtype(DTYPES, "count", _U2, ("Not",), BITS16),
    *by_dtype(DTYPES, "mask", _U0, ("Not",), BITS16),
    *by_dtype(SHAPE, "mask array", _UBITS, (*_FLOAT_UNARY, "Relu"), FLOATS, tried=FLOATS),
    *by_dtype(SHAPE, "isSetMask=false", _UFALSE, (*_FLOAT_UNARY, "Relu"), FLOATS, tried=FLOATS),
    *by_dtype(SHAPE, "isSetMask=false", _UFALSE, ("Not",), BITS16, tried=BITS16),
    *by_dtype(
        ADDRESS, "address", "Unary<$c, $api>(${t}_0, ${t}_1);", ("Exp", "Abs", "Relu", "Sqrt"), FLOATS, tried=FLOATS
    ),
    *table(
        CONST,
        """
        - Exp : const mask array : half : Exp(half_0, half_1, constBits, 1, {1, 1, 8, 8});
        - Not : const mask array : i16 : Not(i16_0, i16_1, constBits, 1, {1, 1, 8, 8});
        - Sqrt : MASK_PLACEHOLDER_LIST : half : Sqrt<half, false>(half_0, half_1, MASK_PLACEHOLDER_LIST, 1, {1, 1, 8, 8});
        """,
    ),
    *table(
        ZERO,
        """
        - Exp : literal 0 mask : half : Exp(half_0, half_1, 0, 1, {1, 1, 8, 8});
        + Exp : literal mask : half : Exp(half_0, half_1, 64, 1, {1, 1, 8, 8});
        + Exp : MASK_PLACEHOLDER : half : Exp(half_0, half_1, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
        + Exp : int32 mask : half : int32_t m = 64; Exp(half_0, half_1, m, 1, {1, 1, 8, 8});
        """,
    ),
    *table(
        NARROW,
        """
        + Abs : wide counts : float : int64_t n = 64; size_t m = 64; Abs(float_0, float_1, n); Abs(float_0, float_1, m);
        + Abs : wide repeat : float : int64_t r = 2; Abs(float_0, float_1, mask, r, {1, 1, 8, 8});
        + Abs : repeat 256 : float : Abs(float_0, float_1, mask, 256, {1, 1, 8, 8});
        """,
    ),
    *table(
        BRACES,
        """
        + Abs : no value : half : Abs(half_0, half_1, mask, 1, {});
        + Abs : 4 values and halfBlock : half : Abs(half_0, half_1, mask, 1, {1, 1, 8, 8, false});
        + Abs : named params : half : UnaryRepeatParams p; p.dstBlkStride = 2; Abs(half_0, half_1, mask, 1, p);
        + Abs : constructed params : half : Abs(half_0, half_1, mask, 1, UnaryRepeatParams(1, 1, 8, 8));
        - Abs : 3 values : half : Abs(half_0, half_1, mask, 1, {1, 1, 8});
        - Abs : 6 values : half : Abs(half_0, half_1, mask, 1, {1, 1, 1, 8, 8, 8});
        """,
    ),
    *table(
        SHAPE,
        """
        - Ln : no params : half : Ln(half_0, half_1, mask, 1);
        - Ln : no count : half : Ln(half_0, half_1);
        - Ln : mixed types : half, float : Ln(half_0, float_1, 64);
        - Ln : global source : half : Ln(half_0, ghalf_0, 64);
        - Ln : binary params : half : BinaryRepeatParams p; Ln(half_0, half_1, mask, 1, p);
        - Abs : level-2 isSetMask : half : Abs<half, false>(half_0, half_1, 64);
        """,
    ),
)

_BINARY = ("Add", "Sub", "Mul", "Max", "Min")
_FUSED = ("FusedMulAdd", "FusedMulAddRelu", "MulAddRelu")
_FUSED_TRIED = ("half", "float", "bf16", "i16", "i32")
_RELU = ("i16", "half", "float")
_B2 = "$api(${t}_0, ${t}_1, ${t}_2, 64);"
_B0 = "$api(${t}_0, ${t}_1, ${t}_2, mask, 1, {1, 1, 1, 8, 8, 8});"
_BBITS = "$api(${t}_0, ${t}_1, ${t}_2, bits, 1, {1, 1, 1, 8, 8, 8});"
_BFALSE = "$api<$c, false>(${t}_0, ${t}_1, ${t}_2, MASK_PLACEHOLDER, 1, {1, 1, 1, 8, 8, 8});"

BINARY: tuple[Row, ...] = (
    *by_dtype(DTYPES, "count", _B2, _BINARY, ARITHMETIC),
    *by_dtype(DTYPES, "mask", _B0, _BINARY, ARITHMETIC),
    *by_dtype(DTYPES, "count", _B2, ("Div",), FLOATS),
    *by_dtype(DTYPES, "mask", _B0, ("Div",), FLOATS),
    # level-2 And and Or take 32-bit tensors; the count is then one of 16-bit lanes
    *by_dtype(DTYPES, "count", _B2, ("And", "Or"), SHIFT),
    *by_dtype(DTYPES, "mask", _B0, ("And", "Or"), BITS16),
    *by_dtype(DTYPES, "count", _B2, ("AddRelu", "SubRelu"), _RELU),
    *by_dtype(DTYPES, "mask", _B0, ("AddRelu", "SubRelu"), _RELU),
    *by_dtype(DTYPES, "count", _B2, _FUSED, FLOATS, tried=_FUSED_TRIED),
    *by_dtype(DTYPES, "mask", _B0, _FUSED, FLOATS, tried=_FUSED_TRIED),
    *by_dtype(SHAPE, "mask array", _BBITS, (*_BINARY, "Div", "FusedMulAdd"), FLOATS, tried=FLOATS),
    *by_dtype(SHAPE, "isSetMask=false", _BFALSE, (*_BINARY, "Div", "FusedMulAdd"), FLOATS, tried=FLOATS),
    *by_dtype(SHAPE, "isSetMask=false", _BFALSE, ("And", "Or"), BITS16, tried=BITS16),
    *by_dtype(
        ADDRESS, "address", "Binary<$c, $api>(${t}_0, ${t}_1);", ("Add", "Mul", "Div", "Max"), FLOATS, tried=FLOATS
    ),
    *table(
        CONST,
        """
        - Add : const mask array : half : Add(half_0, half_1, half_2, constBits, 1, {1, 1, 1, 8, 8, 8});
        - Div : const mask array : half : Div(half_0, half_1, half_2, constBits, 1, {1, 1, 1, 8, 8, 8});
        - FusedMulAdd : const mask array : half : FusedMulAdd(half_0, half_1, half_2, constBits, 1, {1, 1, 1, 8, 8, 8});
        """,
    ),
    *table(
        ZERO,
        """
        - Add : literal 0 mask : half : Add(half_0, half_1, half_2, 0, 1, {1, 1, 1, 8, 8, 8});
        + Add : literal mask : half : Add(half_0, half_1, half_2, 128, 1, {1, 1, 1, 8, 8, 8});
        """,
    ),
    *table(
        BRACES,
        """
        - Add : 4 values : half : Add(half_0, half_1, half_2, mask, 1, {1, 1, 8, 8});
        - Sub : 5 values : half : Sub(half_0, half_1, half_2, mask, 1, {1, 1, 1, 8, 8});
        - Mul : 7 values : half : Mul(half_0, half_1, half_2, mask, 1, {1, 1, 1, 8, 8, 8, 0});
        + Add : no value : half : Add(half_0, half_1, half_2, mask, 1, {});
        + Add : named params : half : BinaryRepeatParams p(1, 1, 1, 8, 8, 8); Add(half_0, half_1, half_2, mask, 1, p);
        + Add : variable in braces : half : uint32_t r = 8; Add(half_0, half_1, half_2, mask, 1, {1, 1, 1, r, r, r});
        """,
    ),
    *table(
        SHAPE,
        """
        - Add : unary params : half : UnaryRepeatParams p; Add(half_0, half_1, half_2, mask, 1, p);
        - Add : mixed types : half, float : Add(half_0, half_1, float_2, 64);
        - Add : wrong template type : half : Add<float>(half_0, half_1, half_2, 64);
        - Mul : scalar operand : half : Mul(half_0, half_1, static_cast<half>(2.0f), 64);
        - Max : level-2 isSetMask : half : Max<half, false>(half_0, half_1, half_2, 64);
        - Min : no repeat : half : Min(half_0, half_1, half_2, mask, {1, 1, 1, 8, 8, 8});
        - Div : global operand : float : Div(float_0, float_1, gfloat_0, 64);
        """,
    ),
    *(
        row
        for op in "+-*/"
        for row in table(OPERATORS, f"+ operator{op} : operator : float : float_0 = float_1 {op} float_2;")
    ),
    *(row for op in "&|" for row in table(OPERATORS, f"+ operator{op} : operator : i16 : i16_0 = i16_1 {op} i16_2;")),
    *(
        row
        for op in ("<", ">", "<=", ">=", "==", "!=")
        for t in FLOATS
        for row in table(OPERATORS, f"+ operator{op} : operator : {t} : u8_0 = {t}_1 {op} {t}_2;")
    ),
)

_SCALARS = ("Adds", "Muls", "Maxs", "Mins")
_S2 = "$api(${t}_0, ${t}_1, static_cast<$c>(1), 64);"
_S0 = "$api(${t}_0, ${t}_1, static_cast<$c>(1), mask, 1, {1, 1, 8, 8});"
_SBITS = "$api(${t}_0, ${t}_1, static_cast<$c>(1), bits, 1, {1, 1, 8, 8});"
_SFALSE = "$api<$c, false>(${t}_0, ${t}_1, static_cast<$c>(1), MASK_PLACEHOLDER, 1, {1, 1, 8, 8});"
_S2FALSE = "$api<$c, false>(${t}_0, ${t}_1, static_cast<$c>(1), 1);"
_SADDRESS = "Scalar<$c, $api>(${t}_0, ${t}_1, static_cast<$c>(1.0f));"
# the facts tell of no conversion from an integer to bfloat16_t
_TRIED = ("half", "float", "i8", "u8", "i16", "u16", "i32", "u32", "i64")

SCALAR: tuple[Row, ...] = (
    *by_dtype(DTYPES, "count", _S2, _SCALARS, ARITHMETIC, tried=_TRIED),
    *by_dtype(DTYPES, "mask", _S0, _SCALARS, ARITHMETIC, tried=_TRIED),
    *by_dtype(DTYPES, "count", "$c v; $api(${t}_0, ${t}_1, v, 64);", _SCALARS, ARITHMETIC, tried=("bf16",)),
    *by_dtype(DTYPES, "count", _S2, ("LeakyRelu",), FLOATS, tried=_TRIED),
    *by_dtype(DTYPES, "mask", _S0, ("LeakyRelu",), FLOATS, tried=_TRIED),
    *by_dtype(DTYPES, "count", _S2, ("ShiftLeft", "ShiftRight"), SHIFT, tried=_TRIED),
    *by_dtype(DTYPES, "mask", _S0, ("ShiftLeft", "ShiftRight"), SHIFT, tried=_TRIED),
    *by_dtype(SHAPE, "mask array", _SBITS, (*_SCALARS, "LeakyRelu"), FLOATS, tried=FLOATS),
    *by_dtype(SHAPE, "isSetMask=false", _SFALSE, (*_SCALARS, "LeakyRelu"), FLOATS, tried=FLOATS),
    *by_dtype(SHAPE, "level-2 isSetMask=false", _S2FALSE, (*_SCALARS, "LeakyRelu"), FLOATS, tried=FLOATS),
    *by_dtype(ADDRESS, "address", _SADDRESS, (*_SCALARS, "LeakyRelu"), FLOATS, tried=FLOATS),
    *table(
        DEDUCED,
        """
        - Adds : float scalar : half : Adds(half_0, half_1, 1.0f, 64);
        - Muls : double scalar : float : Muls(float_0, float_1, 2.0, 64);
        - Maxs : int scalar : float : Maxs(float_0, float_1, 0, 64);
        - Mins : int scalar : half : Mins(half_0, half_1, 0, 64);
        - Adds : int scalar : i16 : Adds(i16_0, i16_1, 1, 64);
        - ShiftLeft : int scalar : u16 : ShiftLeft(u16_0, u16_1, 2, 64);
        - LeakyRelu : float scalar : half : LeakyRelu(half_0, half_1, 0.1f, 64);
        - Muls : float scalar, mask : half : Muls(half_0, half_1, 2.0f, mask, 1, {1, 1, 8, 8});
        - Adds : half scalar : float : Adds(float_0, float_1, static_cast<half>(1.0f), 64);
        + Adds : int scalar : i32 : Adds(i32_0, i32_1, 1, 64);
        + Muls : float scalar : float : Muls(float_0, float_1, 2.0f, 64);
        + Adds : explicit type : half : Adds<half>(half_0, half_1, 1.0f, 64);
        + Muls : explicit type : float : Muls<float>(float_0, float_1, 2.0, 64);
        + Muls : explicit type, mask : float : Muls<float>(float_0, float_1, 2, mask, 1, {1, 1, 8, 8});
        + Adds : scalar of a variable : half : const half v = static_cast<half>(3.0f); Adds(half_0, half_1, v, 64);
        + Adds : scalar of a tensor : float : Adds(float_0, float_1, float_2.GetValue(0), 64);
        """,
    ),
    *table(
        SHAPE,
        """
        - Adds : tensor for scalar : float : Adds(float_0, float_1, float_2, 64);
        - Muls : binary braces : float : Muls(float_0, float_1, 2.0f, mask, 1, {1, 1, 1, 8, 8, 8});
        - Muls : const mask array : float : Muls(float_0, float_1, 2.0f, constBits, 1, {1, 1, 8, 8});
        + ShiftRight : roundEn : i32 : ShiftRight(i32_0, i32_1, 2, mask, 1, {1, 1, 8, 8}, true);
        - ShiftRight : level-2 roundEn : i32 : ShiftRight(i32_0, i32_1, 2, 64, true);
        - ShiftLeft : roundEn : i32 : ShiftLeft(i32_0, i32_1, 2, mask, 1, {1, 1, 8, 8}, true);
        """,
    ),
)
