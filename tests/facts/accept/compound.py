"""Fused calls, Duplicate, and calls of other chips."""

# ruff: noqa: E501 - a check is one line

from __future__ import annotations

from .elementwise import CONST, DEDUCED, DTYPES, SHAPE
from .row import Row, by_dtype, table

_MIXED = "overloads 3: (dst, src) of Axpy and MulAddDst"
_CASTING = "overloads 3: (dst, src) of AddReluCast, SubReluCast, MulCast"
_PAIRS = (
    ("half", "half", True),
    ("float", "float", True),
    ("float", "half", True),
    ("half", "float", False),
    ("i32", "i32", False),
    ("i16", "i16", False),
)
_SCALAR = {"half": "static_cast<half>(2.0f)", "float": "2.0f", "i32": "2", "i16": "static_cast<int16_t>(2)"}
_FORMS = (
    ("Axpy", "count", "Axpy({d}_0, {s}_1, {v}, 64);"),
    ("Axpy", "mask", "Axpy({d}_0, {s}_1, {v}, mask, 1, {{1, 1, 8, 8}});"),
    ("MulAddDst", "count", "MulAddDst({d}_0, {s}_1, {s}_2, 64);"),
    ("MulAddDst", "mask", "MulAddDst({d}_0, {s}_1, {s}_2, mask, 1, {{1, 1, 1, 8, 8, 8}});"),
)
_RELU_CASTS = (
    ("i8", "half", True),
    ("half", "float", True),
    ("i8", "i16", True),
    ("float", "half", False),
    ("u8", "half", False),
    ("half", "half", False),
)

COMPOUND: tuple[Row, ...] = (
    *(
        Row(
            api,
            form,
            f"{d}, {s}",
            text.format(d=d, s=s, v=_SCALAR[s]),
            legal,
            _MIXED,
            () if legal else ("half", "float"),
        )
        for api, form, text in _FORMS
        for d, s, legal in _PAIRS
    ),
    *(
        Row(api, "count", f"{d}, {s}", f"{api}({d}_0, {s}_1, {s}_2, 64);", legal, _CASTING)
        for api in ("AddReluCast", "SubReluCast")
        for d, s, legal in _RELU_CASTS
    ),
    *(
        Row("MulCast", "count", f"{d}, half", f"MulCast({d}_0, half_1, half_2, 64);", legal, _CASTING)
        for d, legal in (("i8", True), ("u8", True), ("i16", False), ("float", False))
    ),
    *table(
        CONST,
        """
        + Axpy : mask array : float : Axpy(float_0, float_1, 2.0f, bits, 1, {1, 1, 8, 8});
        - Axpy : const mask array : float : Axpy(float_0, float_1, 2.0f, constBits, 1, {1, 1, 8, 8});
        + MulAddDst : mask array : half : MulAddDst(half_0, half_1, half_2, bits, 1, {1, 1, 1, 8, 8, 8});
        + MulAddDst : const mask array : half : MulAddDst(half_0, half_1, half_2, constBits, 1, {1, 1, 1, 8, 8, 8});
        + MulCast : mask array : u8, half : MulCast(u8_0, half_1, half_2, bits, 1, {1, 1, 1, 4, 8, 8});
        - MulCast : const mask array : u8, half : MulCast(u8_0, half_1, half_2, constBits, 1, {1, 1, 1, 4, 8, 8});
        """,
    ),
    *table(
        SHAPE,
        """
        - Axpy : scalar of dst type : float, half : Axpy(float_0, half_1, 2.0f, 64);
        - Axpy : float scalar : half : Axpy(half_0, half_1, 2.0f, 64);
        + Axpy : isSetMask=false : float : Axpy<float, float, false>(float_0, float_1, 2.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
        - MulAddDst : sources differ : float, half, float : MulAddDst(float_0, half_1, float_2, 64);
        + MulAddDst : explicit types : float, half : MulAddDst<float, half>(float_0, half_1, half_2, 64);
        - FusedMulAdd : mixed types : float, half : FusedMulAdd(float_0, half_1, half_2, 64);
        """,
    ),
)

_FILL = ("half", "bf16", "i16", "u16", "i32", "u32", "float")
_FILL_TRIED = ("half", "float", "bf16", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "bool")
_FILL_SHAPE = "overloads 2.4: Duplicate"

DUPLICATE: tuple[Row, ...] = (
    *by_dtype(DTYPES, "count", "$c v; $api(${t}_0, v, 64);", ("Duplicate",), _FILL, tried=_FILL_TRIED),
    *by_dtype(DTYPES, "mask", "$c v; $api(${t}_0, v, mask, 1, 1, 8);", ("Duplicate",), _FILL, tried=_FILL_TRIED),
    *table(
        DEDUCED,
        """
        - Duplicate : int scalar : half : Duplicate(half_0, 0, 64);
        - Duplicate : int scalar : float : Duplicate(float_0, 0, 64);
        - Duplicate : double scalar : float : Duplicate(float_0, 0.0, 64);
        - Duplicate : int scalar : i16 : Duplicate(i16_0, 0, 64);
        + Duplicate : int scalar : i32 : Duplicate(i32_0, 0, 64);
        + Duplicate : explicit type : half : Duplicate<half>(half_0, 0.0f, 64);
        """,
    ),
    *table(
        _FILL_SHAPE,
        """
        + Duplicate : mask array : float : Duplicate(float_0, 0.0f, bits, 1, 1, 8);
        - Duplicate : const mask array : float : Duplicate(float_0, 0.0f, constBits, 1, 1, 8);
        + Duplicate : isSetMask=false : float : Duplicate<float, false>(float_0, 0.0f, MASK_PLACEHOLDER, 1, 1, 8);
        - Duplicate : tensor source : float : Duplicate(float_0, float_1, 64);
        - Duplicate : braces : float : Duplicate(float_0, 0.0f, mask, 1, {1, 8});
        - Duplicate : level-2 isSetMask : float : Duplicate<float, false>(float_0, 0.0f, 64);
        """,
    ),
)

OTHER_CHIPS: tuple[Row, ...] = (
    *table(
        "pitfalls 63, overloads 5: without an A2 function",
        """
        - Subs : count : float : Subs(float_0, float_1, 1.0f, 64);
        - Divs : count : float : Divs(float_0, float_1, 2.0f, 64);
        - Ands : count : i16 : Ands(i16_0, i16_1, static_cast<int16_t>(1), 64);
        - Ors : count : i16 : Ors(i16_0, i16_1, static_cast<int16_t>(1), 64);
        - Neg : count : float : Neg(float_0, float_1, 64);
        - Prelu : count : float : Prelu(float_0, float_1, float_2, 64);
        - Interleave : count : half : Interleave(half_0, half_1, half_2, half_3, 64);
        - ExpSub : count : float : ExpSub(float_0, float_1, float_2, 64);
        - AbsSub : count : float : AbsSub(float_0, float_1, float_2, 64);
        - Mull : count : i32 : Mull(i32_0, i32_1, i32_2, i32_3, 64);
        """,
    ),
    *table(
        "overloads 2.0: 3510-only forms",
        """
        - ShiftLeft : tensor shift : u32 : ShiftLeft(u32_0, u32_1, u32_2, 64);
        - Adds : scalar first : float : Adds(float_0, 1.0f, float_1, 64);
        """,
    ),
    *table(
        "no row of that name in ascendc_api.csv",
        """
        - AddScalar : invented : float : AddScalar(float_0, float_1, 1.0f, 64);
        - Square : invented : float : Square(float_0, float_1, 64);
        - SigmoidVec : invented : float : SigmoidVec(float_0, float_1, 64);
        """,
    ),
)
