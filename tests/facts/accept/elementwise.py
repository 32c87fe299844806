"""Unary, binary, scalar and compound elementwise calls."""

from __future__ import annotations

from .row import Row, accept, by_dtype, reject

_ARITHMETIC = ("half", "float", "i16", "i32")
_FLOATS = ("half", "float")
_BITS16 = ("i16", "u16")
_SHIFT = ("i16", "u16", "i32", "u32")

_DTYPES = "overloads 3: element types of level-0 and level-2"
_SHAPE = "overloads 2.3: parameters of elementwise calls"
_CONST = "overloads 2.0: which mask arrays are const"
_SCALAR = "overloads 2.0: template arguments are deduced from the scalar too"
_ADDRESS = "overloads 2.0: address of an API as template argument"
_BRACES = "overloads 1.5: braces call the constructor"

_UNARY = ("Exp", "Ln", "Abs", "Sqrt", "Rsqrt", "Reciprocal")
_U2 = "$api(${t}_0, ${t}_1, 64);"
_U0 = "uint64_t mask = 32; $api(${t}_0, ${t}_1, mask, 1, {1, 1, 8, 8});"
_UBITS = "uint64_t bits[2] = {1, 0}; $api(${t}_0, ${t}_1, bits, 1, {1, 1, 8, 8});"
_UFALSE = "$api<$c, false>(${t}_0, ${t}_1, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});"

UNARY: tuple[Row, ...] = (
    *by_dtype(_UNARY, "count", _U2, _FLOATS, _DTYPES),
    *by_dtype(_UNARY, "mask", _U0, _FLOATS, _DTYPES),
    *by_dtype(("Relu",), "count", _U2, ("half", "float", "i32"), _DTYPES),
    *by_dtype(("Relu",), "mask", _U0, ("half", "float", "i32"), _DTYPES),
    *by_dtype(("Not",), "count", _U2, _BITS16, _DTYPES),
    *by_dtype(("Not",), "mask", _U0, _BITS16, _DTYPES),
    *by_dtype((*_UNARY, "Relu"), "mask array", _UBITS, _FLOATS, _SHAPE, tried=_FLOATS),
    *by_dtype((*_UNARY, "Relu"), "isSetMask=false", _UFALSE, _FLOATS, _SHAPE, tried=_FLOATS),
    *by_dtype(("Not",), "isSetMask=false", _UFALSE, _BITS16, _SHAPE, tried=_BITS16),
    reject("Exp", "const mask array", "half", "const uint64_t bits[2] = {1, 0}; Exp(half_0, half_1, bits, 1, {1, 1, 8, 8});", _CONST),
    reject("Not", "const mask array", "i16", "const uint64_t bits[2] = {1, 0}; Not(i16_0, i16_1, bits, 1, {1, 1, 8, 8});", _CONST),
    reject("Exp", "literal 0 mask", "half", "Exp(half_0, half_1, 0, 1, {1, 1, 8, 8});", "overloads 2.0: a literal 0 is ambiguous"),
    accept("Exp", "literal mask", "half", "Exp(half_0, half_1, 64, 1, {1, 1, 8, 8});", "overloads 2.0: integers convert to uint64_t"),
    accept("Exp", "MASK_PLACEHOLDER", "half", "Exp(half_0, half_1, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});", "overloads 1.3"),
    accept("Abs", "wide counts", "float", "int64_t n = 64; size_t m = 64; Abs(float_0, float_1, n); Abs(float_0, float_1, m);", "overloads 2.0: narrowing stays legal"),
    accept("Abs", "wide repeat", "float", "uint64_t mask = 64; int64_t r = 2; Abs(float_0, float_1, mask, r, {1, 1, 8, 8});", "overloads 2.0: narrowing stays legal"),
    accept("Abs", "empty braces", "half", "uint64_t mask = 64; Abs(half_0, half_1, mask, 1, {});", _BRACES),
    accept("Abs", "5 braces", "half", "uint64_t mask = 64; Abs(half_0, half_1, mask, 1, {1, 1, 8, 8, false});", "overloads 6.7"),
    accept("Abs", "named params", "half", "uint64_t mask = 64; UnaryRepeatParams p; p.dstBlkStride = 1; p.srcBlkStride = 1; p.dstRepStride = 8; p.srcRepStride = 8; Abs(half_0, half_1, mask, 1, p);", _SHAPE),
    reject("Abs", "3 braces", "half", "uint64_t mask = 64; Abs(half_0, half_1, mask, 1, {1, 1, 8});", _BRACES),
    reject("Abs", "6 braces", "half", "uint64_t mask = 64; Abs(half_0, half_1, mask, 1, {1, 1, 1, 8, 8, 8});", _BRACES),
    reject("Abs", "no params", "half", "uint64_t mask = 64; Abs(half_0, half_1, mask, 1);", _SHAPE),
    reject("Abs", "no count", "half", "Abs(half_0, half_1);", _SHAPE),
    reject("Abs", "mixed types", "half, float", "Abs(half_0, float_1, 64);", _SHAPE),
    reject("Abs", "global source", "half", "Abs(half_0, ghalf_0, 64);", _SHAPE),
    reject("Exp", "level-2 isSetMask", "half", "Exp<half, true, false, 1>(half_0, half_1, 64);", _SHAPE, detail="<half, true, false, 1>"),
    *by_dtype(("Exp", "Abs", "Relu", "Sqrt"), "address", "Unary<$c, $api>(${t}_0, ${t}_1);", _FLOATS, _ADDRESS, tried=_FLOATS),
)

_BINARY = ("Add", "Sub", "Mul", "Max", "Min")
_FUSED = ("FusedMulAdd", "FusedMulAddRelu", "MulAddRelu")
_B2 = "$api(${t}_0, ${t}_1, ${t}_2, 64);"
_B0 = "uint64_t mask = 32; $api(${t}_0, ${t}_1, ${t}_2, mask, 1, {1, 1, 1, 8, 8, 8});"
_BBITS = "uint64_t bits[2] = {1, 0}; $api(${t}_0, ${t}_1, ${t}_2, bits, 1, {1, 1, 1, 8, 8, 8});"
_BFALSE = "$api<$c, false>(${t}_0, ${t}_1, ${t}_2, MASK_PLACEHOLDER, 1, {1, 1, 1, 8, 8, 8});"
_RELU = ("i16", "half", "float")

BINARY: tuple[Row, ...] = (
    *by_dtype(_BINARY, "count", _B2, _ARITHMETIC, _DTYPES),
    *by_dtype(_BINARY, "mask", _B0, _ARITHMETIC, _DTYPES),
    *by_dtype(("Div",), "count", _B2, _FLOATS, _DTYPES),
    *by_dtype(("Div",), "mask", _B0, _FLOATS, _DTYPES),
    # level-2 And and Or take 32-bit tensors (the count is then in 16-bit lanes)
    *by_dtype(("And", "Or"), "count", _B2, _SHIFT, _DTYPES),
    *by_dtype(("And", "Or"), "mask", _B0, _BITS16, _DTYPES),
    *by_dtype(("AddRelu", "SubRelu"), "count", _B2, _RELU, _DTYPES),
    *by_dtype(("AddRelu", "SubRelu"), "mask", _B0, _RELU, _DTYPES),
    *by_dtype(_FUSED, "count", _B2, _FLOATS, _DTYPES, tried=("half", "float", "bf16", "i16", "i32")),
    *by_dtype(_FUSED, "mask", _B0, _FLOATS, _DTYPES, tried=("half", "float", "bf16", "i16", "i32")),
    *by_dtype((*_BINARY, "Div", "FusedMulAdd"), "mask array", _BBITS, _FLOATS, _SHAPE, tried=_FLOATS),
    *by_dtype((*_BINARY, "Div", "FusedMulAdd"), "isSetMask=false", _BFALSE, _FLOATS, _SHAPE, tried=_FLOATS),
    *by_dtype(("And", "Or"), "isSetMask=false", _BFALSE, _BITS16, _SHAPE, tried=_BITS16),
    *(
        reject(api, "const mask array", "half", f"const uint64_t bits[2] = {{1, 0}}; {api}(half_0, half_1, half_2, bits, 1, {{1, 1, 1, 8, 8, 8}});", _CONST)
        for api in ("Add", "Div", "FusedMulAdd")
    ),
    reject("Sub", "MASK_PLACEHOLDER_LIST", "half", "Sub<half, false>(half_0, half_1, half_2, MASK_PLACEHOLDER_LIST, 1, {1, 1, 1, 8, 8, 8});", "overloads 1.3: a const array"),
    reject("Add", "literal 0 mask", "half", "Add(half_0, half_1, half_2, 0, 1, {1, 1, 1, 8, 8, 8});", "overloads 2.0: a literal 0 is ambiguous"),
    reject("Add", "4 braces", "half", "uint64_t mask = 64; Add(half_0, half_1, half_2, mask, 1, {1, 1, 8, 8});", _BRACES),
    reject("Add", "5 braces", "half", "uint64_t mask = 64; Add(half_0, half_1, half_2, mask, 1, {1, 1, 1, 8, 8});", _BRACES),
    reject("Add", "unary params", "half", "uint64_t mask = 64; UnaryRepeatParams p; Add(half_0, half_1, half_2, mask, 1, p);", _SHAPE),
    accept("Add", "named params", "half", "uint64_t mask = 64; BinaryRepeatParams p(1, 1, 1, 8, 8, 8); p.src1RepStride = 0; Add(half_0, half_1, half_2, mask, 1, p);", _SHAPE),
    accept("Add", "empty braces", "half", "uint64_t mask = 64; Add(half_0, half_1, half_2, mask, 1, {});", _BRACES),
    reject("Add", "level-2 isSetMask", "half", "Add<half, false>(half_0, half_1, half_2, 64);", "overloads 2.3: level-2 binary has no isSetMask", detail="<half, false>"),
    reject("Add", "mixed types", "half, float", "Add(half_0, half_1, float_2, 64);", _SHAPE),
    reject("Add", "wrong template type", "half", "Add<float>(half_0, half_1, half_2, 64);", _SHAPE, detail="<float>"),
    reject("Mul", "scalar operand", "half", "Mul(half_0, half_1, static_cast<half>(2.0f), 64);", _SHAPE),
    reject("Div", "config", "half", "Div<half, DEFAULT_DIV_CONFIG>(half_0, half_1, half_2, 64);", "overloads 2.0: no config template on A2"),
    *by_dtype(("Add", "Mul", "Div", "Max"), "address", "Binary<$c, $api>(${t}_0, ${t}_1);", _FLOATS, _ADDRESS, tried=_FLOATS),
    *(accept(f"operator {op}", "operator", "float", f"float_0 = float_1 {op} float_2;", "overloads 2.8: operators") for op in "+-*/"),
    *(accept(f"operator {op}", "operator", "i16", f"i16_0 = i16_1 {op} i16_2;", "overloads 2.8: operators") for op in "&|"),
    *(
        accept(f"operator {op}", "operator", t, f"u8_0 = {t}_1 {op} {t}_2;", "overloads 2.8: comparison operators")
        for op in ("<", ">", "<=", ">=", "==", "!=")
        for t in _FLOATS
    ),
    reject("", "operator", "float = half + half", "float_0 = half_1 + half_2;", "overloads 2.8: expressions of the same T only"),
)

_SCALARS = ("Adds", "Muls", "Maxs", "Mins")
_S2 = "$api(${t}_0, ${t}_1, static_cast<$c>(1), 64);"
_S0 = "uint64_t mask = 32; $api(${t}_0, ${t}_1, static_cast<$c>(1), mask, 1, {1, 1, 8, 8});"
_SBITS = "uint64_t bits[2] = {1, 0}; $api(${t}_0, ${t}_1, static_cast<$c>(1), bits, 1, {1, 1, 8, 8});"
_SFALSE = "$api<$c, false>(${t}_0, ${t}_1, static_cast<$c>(1), MASK_PLACEHOLDER, 1, {1, 1, 8, 8});"
_S2FALSE = "$api<$c, false>(${t}_0, ${t}_1, static_cast<$c>(1), 1);"
# bfloat16_t has no conversion from an integer that the facts tell of
_NO_BF16 = tuple(t for t in ("half", "float", "i8", "u8", "i16", "u16", "i32", "u32", "i64"))
_BF16 = "bfloat16_t v; $api(bf16_0, bf16_1, v, 64);"

SCALAR: tuple[Row, ...] = (
    *by_dtype(_SCALARS, "count", _S2, _ARITHMETIC, _DTYPES, tried=_NO_BF16),
    *by_dtype(_SCALARS, "mask", _S0, _ARITHMETIC, _DTYPES, tried=_NO_BF16),
    *by_dtype(_SCALARS, "count", _BF16, _ARITHMETIC, _DTYPES, tried=("bf16",)),
    *by_dtype(("LeakyRelu",), "count", _S2, _FLOATS, _DTYPES, tried=_NO_BF16),
    *by_dtype(("LeakyRelu",), "mask", _S0, _FLOATS, _DTYPES, tried=_NO_BF16),
    *by_dtype(("ShiftLeft", "ShiftRight"), "count", _S2, _SHIFT, _DTYPES, tried=_NO_BF16),
    *by_dtype(("ShiftLeft", "ShiftRight"), "mask", _S0, _SHIFT, _DTYPES, tried=_NO_BF16),
    *by_dtype((*_SCALARS, "LeakyRelu"), "mask array", _SBITS, _FLOATS, _SHAPE, tried=_FLOATS),
    *by_dtype((*_SCALARS, "LeakyRelu"), "isSetMask=false", _SFALSE, _FLOATS, _SHAPE, tried=_FLOATS),
    *by_dtype((*_SCALARS, "LeakyRelu"), "level-2 isSetMask=false", _S2FALSE, _FLOATS, _SHAPE, tried=_FLOATS),
    reject("Adds", "float scalar", "half", "Adds(half_0, half_1, 1.0f, 64);", _SCALAR),
    reject("Muls", "double scalar", "float", "Muls(float_0, float_1, 2.0, 64);", _SCALAR),
    reject("Maxs", "int scalar", "float", "Maxs(float_0, float_1, 0, 64);", _SCALAR),
    reject("Mins", "int scalar", "half", "Mins(half_0, half_1, 0, 64);", _SCALAR),
    reject("Adds", "int scalar", "i16", "Adds(i16_0, i16_1, 1, 64);", _SCALAR),
    reject("ShiftLeft", "int scalar", "u16", "ShiftLeft(u16_0, u16_1, 2, 64);", _SCALAR),
    reject("LeakyRelu", "float scalar", "half", "LeakyRelu(half_0, half_1, 0.1f, 64);", _SCALAR),
    reject("Muls", "float scalar, mask", "half", "uint64_t mask = 64; Muls(half_0, half_1, 2.0f, mask, 1, {1, 1, 8, 8});", _SCALAR),
    accept("Adds", "int scalar", "i32", "Adds(i32_0, i32_1, 1, 64);", _SCALAR),
    accept("Muls", "float scalar", "float", "Muls(float_0, float_1, 2.0f, 64);", _SCALAR),
    accept("Adds", "explicit type", "half", "Adds<half>(half_0, half_1, 1.0f, 64);", _SCALAR, detail="<half>"),
    accept("Muls", "explicit type", "float", "Muls<float>(float_0, float_1, 2.0, 64);", _SCALAR, detail="<float>"),
    accept("Muls", "explicit type, mask", "float", "uint64_t mask = 64; Muls<float>(float_0, float_1, 2, mask, 1, {1, 1, 8, 8});", _SCALAR, detail="<float>"),
    accept("Adds", "scalar of a variable", "half", "const half v = static_cast<half>(3.0f); Adds(half_0, half_1, v, 64);", _SCALAR),
    accept("Adds", "scalar read from a tensor", "float", "Adds(float_0, float_1, float_2.GetValue(0), 64);", _SCALAR),
    reject("Adds", "tensor scalar", "float", "Adds(float_0, float_1, float_2, 64);", _SHAPE),
    reject("Muls", "const mask array", "half", "const uint64_t bits[2] = {1, 0}; Muls(half_0, half_1, static_cast<half>(1.0f), bits, 1, {1, 1, 8, 8});", _CONST),
    reject("Muls", "binary braces", "float", "uint64_t mask = 64; Muls(float_0, float_1, 2.0f, mask, 1, {1, 1, 1, 8, 8, 8});", _BRACES),
    accept("ShiftRight", "roundEn", "i32", "uint64_t mask = 64; ShiftRight(i32_0, i32_1, 2, mask, 1, {1, 1, 8, 8}, true);", "overloads 2.3: ShiftRight"),
    reject("ShiftRight", "level-2 roundEn", "i32", "ShiftRight(i32_0, i32_1, 2, 64, true);", "overloads 2.3: ShiftRight"),
    reject("ShiftLeft", "roundEn", "i32", "uint64_t mask = 64; ShiftLeft(i32_0, i32_1, 2, mask, 1, {1, 1, 8, 8}, true);", "overloads 2.3: ShiftRight"),
    *by_dtype((*_SCALARS, "LeakyRelu"), "address", "Scalar<$c, $api>(${t}_0, ${t}_1, static_cast<$c>(1.0f));", _FLOATS, _ADDRESS, tried=_FLOATS),
)

_MIXED = "overloads 3: Axpy, MulAddDst (half,half) (float,float) (float,half)"
_CAST_PAIRS = "overloads 3: AddReluCast, SubReluCast, MulCast"
_GOOD_PAIRS = (("half", "half"), ("float", "float"), ("float", "half"))
_BAD_PAIRS = (("half", "float"), ("i32", "i32"), ("i16", "i16"))


def _axpy(d: str, s: str) -> tuple[tuple[str, str], ...]:
    c = {"half": "half", "float": "float", "i32": "int32_t", "i16": "int16_t"}[s]
    return (
        ("count", f"Axpy({d}_0, {s}_1, static_cast<{c}>(2), 64);"),
        ("mask", f"uint64_t mask = 64; Axpy({d}_0, {s}_1, static_cast<{c}>(2), mask, 1, {{1, 1, 8, 8}});"),
    )


def _muladd(d: str, s: str) -> tuple[tuple[str, str], ...]:
    return (
        ("count", f"MulAddDst({d}_0, {s}_1, {s}_2, 64);"),
        ("mask", f"uint64_t mask = 64; MulAddDst({d}_0, {s}_1, {s}_2, mask, 1, {{1, 1, 1, 8, 8, 8}});"),
    )


COMPOUND: tuple[Row, ...] = (
    *(accept("Axpy", form, f"{d}, {s}", text, _MIXED) for d, s in _GOOD_PAIRS for form, text in _axpy(d, s)),
    *(reject("Axpy", form, f"{d}, {s}", text, _MIXED, alternatives=("half", "float")) for d, s in _BAD_PAIRS for form, text in _axpy(d, s)),
    *(accept("MulAddDst", form, f"{d}, {s}", text, _MIXED) for d, s in _GOOD_PAIRS for form, text in _muladd(d, s)),
    *(reject("MulAddDst", form, f"{d}, {s}", text, _MIXED, alternatives=("half", "float")) for d, s in _BAD_PAIRS for form, text in _muladd(d, s)),
    reject("Axpy", "scalar of dst type", "float, half", "Axpy(float_0, half_1, 2.0f, 64);", "overloads 2.3: const U& scalar"),
    reject("Axpy", "float scalar", "half", "Axpy(half_0, half_1, 2.0f, 64);", _SCALAR),
    accept("Axpy", "mask array", "half", "uint64_t bits[2] = {1, 0}; Axpy(half_0, half_1, static_cast<half>(2.0f), bits, 1, {1, 1, 8, 8});", _SHAPE),
    reject("Axpy", "const mask array", "half", "const uint64_t bits[2] = {1, 0}; Axpy(half_0, half_1, static_cast<half>(2.0f), bits, 1, {1, 1, 8, 8});", _CONST),
    accept("Axpy", "isSetMask=false", "float, half", "Axpy<float, half, false>(float_0, half_1, static_cast<half>(2.0f), MASK_PLACEHOLDER, 1, {1, 1, 8, 4});", _SHAPE, detail="<float, half, false>"),
    accept("MulAddDst", "const mask array", "half", "const uint64_t bits[2] = {1, 0}; MulAddDst(half_0, half_1, half_2, bits, 1, {1, 1, 1, 8, 8, 8});", _CONST),
    accept("MulAddDst", "mask array", "half", "uint64_t bits[2] = {1, 0}; MulAddDst(half_0, half_1, half_2, bits, 1, {1, 1, 1, 8, 8, 8});", _CONST),
    accept("MulAddDst", "isSetMask=false", "float", "MulAddDst<float, float, false>(float_0, float_1, float_2, MASK_PLACEHOLDER, 1, {1, 1, 1, 8, 8, 8});", _SHAPE, detail="<float, float, false>"),
    reject("MulAddDst", "sources differ", "float, half, float", "MulAddDst(float_0, half_1, float_2, 64);", "overloads 2.3: both sources LT<U>"),
    *(
        row
        for api in ("AddReluCast", "SubReluCast")
        for d, s, legal in (("i8", "half", True), ("half", "float", True), ("i8", "i16", True), ("float", "half", False), ("u8", "half", False), ("half", "half", False))
        for row in [Row(api, "count", f"{d}, {s}", f"{api}({d}_0, {s}_1, {s}_2, 64);", legal, _CAST_PAIRS)]
    ),
    *(
        Row("MulCast", "count", f"{d}, half", f"MulCast({d}_0, half_1, half_2, 64);", legal, _CAST_PAIRS)
        for d, legal in (("i8", True), ("u8", True), ("i16", False), ("float", False))
    ),
    accept("MulCast", "mask", "u8, half", "uint64_t mask = 64; MulCast(u8_0, half_1, half_2, mask, 1, {1, 1, 1, 4, 8, 8});", _CAST_PAIRS),
    *by_dtype(("Duplicate",), "count", "$c v; Duplicate(${t}_0, v, 64);", ("half", "bf16", "i16", "u16", "i32", "u32", "float"), _DTYPES, tried=("half", "float", "bf16", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "bool")),
    *by_dtype(("Duplicate",), "mask", "$c v; uint64_t mask = 64; Duplicate(${t}_0, v, mask, 1, 1, 8);", ("half", "bf16", "i16", "u16", "i32", "u32", "float"), _DTYPES, tried=("half", "float", "bf16", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "bool")),
    accept("Duplicate", "mask array", "float", "uint64_t bits[2] = {1, 0}; Duplicate(float_0, 0.0f, bits, 1, 1, 8);", "overloads 2.4: Duplicate"),
    reject("Duplicate", "const mask array", "float", "const uint64_t bits[2] = {1, 0}; Duplicate(float_0, 0.0f, bits, 1, 1, 8);", _CONST),
    accept("Duplicate", "isSetMask=false", "float", "Duplicate<float, false>(float_0, 0.0f, MASK_PLACEHOLDER, 1, 1, 8);", "overloads 2.4: Duplicate", detail="<float, false>"),
    reject("Duplicate", "int scalar", "half", "Duplicate(half_0, 0, 64);", _SCALAR),
    reject("Duplicate", "int scalar", "float", "Duplicate(float_0, 0, 64);", _SCALAR),
    reject("Duplicate", "double scalar", "float", "Duplicate(float_0, 0.0, 64);", _SCALAR),
    accept("Duplicate", "explicit type", "half", "Duplicate<half>(half_0, 0.0f, 64);", _SCALAR, detail="<half>"),
    reject("Duplicate", "tensor source", "float", "Duplicate(float_0, float_1, 64);", "overloads 2.4: tensor-source Duplicate is 3510-only"),
)

_OTHER_CHIPS = "pitfalls 63, overloads 5: newer chips only"

OTHER_CHIPS: tuple[Row, ...] = (
    reject("Subs", "count", "float", "Subs(float_0, float_1, 1.0f, 64);", _OTHER_CHIPS),
    reject("Divs", "count", "float", "Divs(float_0, float_1, 2.0f, 64);", _OTHER_CHIPS),
    reject("Ands", "count", "i16", "Ands(i16_0, i16_1, static_cast<int16_t>(1), 64);", _OTHER_CHIPS),
    reject("Ors", "count", "i16", "Ors(i16_0, i16_1, static_cast<int16_t>(1), 64);", _OTHER_CHIPS),
    reject("Neg", "count", "float", "Neg(float_0, float_1, 64);", _OTHER_CHIPS),
    reject("Prelu", "count", "float", "Prelu(float_0, float_1, float_2, 64);", _OTHER_CHIPS),
    reject("Interleave", "count", "half", "Interleave(half_0, half_1, half_2, half_3, 64);", _OTHER_CHIPS),
    reject("ExpSub", "count", "float", "ExpSub(float_0, float_1, float_2, 64);", _OTHER_CHIPS),
    reject("AbsSub", "count", "float", "AbsSub(float_0, float_1, float_2, 64);", _OTHER_CHIPS),
    reject("Mull", "count", "i32", "Mull(i32_0, i32_1, i32_2, i32_3, 64);", _OTHER_CHIPS),
    reject("ShiftLeft", "tensor shift", "u32", "ShiftLeft(u32_0, u32_1, u32_2, 64);", "overloads 2.0: tensor shift counts are 3510-only"),
    reject("Adds", "scalar first", "float", "Adds(float_0, 1.0f, float_1, 64);", "overloads 2.0: flexible scalar position is 3510-only"),
    reject("AddScalar", "invented", "float", "AddScalar(float_0, float_1, 1.0f, 64);", "no such row in ascendc_api.csv"),
    reject("Square", "invented", "float", "Square(float_0, float_1, 64);", "no such row in ascendc_api.csv"),
)

ROWS = UNARY + BINARY + SCALAR + COMPOUND + OTHER_CHIPS
