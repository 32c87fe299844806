"""Cast, Compare, CompareScalar, Compares and Select."""

# ruff: noqa: E501 - a check is one line

from __future__ import annotations

from .row import COMMON, Row, table

CAST: dict[str, tuple[str, ...]] = {
    "half": ("i32", "i16", "float", "i8", "u8", "i4"),
    "float": ("float", "i32", "half", "i64", "i16", "bf16"),
    "bf16": ("float", "i32"),
    "i4": ("half",),
    "u8": ("half",),
    "i8": ("half",),
    "i16": ("half", "float"),
    "i32": ("float", "i16", "i64", "half"),
    "i64": ("i32", "float"),
}
"""Destinations by source (overloads 3)."""

_CAST_FACT = "overloads 3: Cast (dst <- src)"
_TRIED = ("half", "float", "bf16", "i8", "u8", "i16", "i32", "u32", "i64", "u16")

CASTS: tuple[Row, ...] = (
    *(
        Row(
            "Cast",
            "count",
            f"{d} <- {s}",
            f"Cast({d}_0, {s}_1, RoundMode::CAST_NONE, 64);",
            d in CAST.get(s, ()),
            _CAST_FACT,
            () if d in CAST.get(s, ()) else CAST.get(s, ()),
        )
        for s in (*_TRIED, "i4")
        for d in (*_TRIED, "i4")
    ),
    *(
        Row(
            "Cast",
            "mask",
            f"{d} <- {s}",
            f"Cast({d}_0, {s}_1, RoundMode::CAST_NONE, mask, 1, {{1, 1, 8, 8}});",
            True,
            _CAST_FACT,
        )
        for s, destinations in CAST.items()
        for d in destinations
    ),
    *table(
        "overloads 2.4: Cast",
        """
        + Cast : mask array : float <- half : Cast(float_0, half_1, RoundMode::CAST_NONE, bits, 1, {1, 1, 8, 4});
        + Cast : const mask array : float <- half : Cast(float_0, half_1, RoundMode::CAST_NONE, constBits, 1, {1, 1, 8, 4});
        + Cast : explicit types : float <- half : Cast<float, half>(float_0, half_1, RoundMode::CAST_NONE, 64);
        - Cast : explicit types reversed : float <- half : Cast<half, float>(float_0, half_1, RoundMode::CAST_NONE, 64);
        + Cast : isSetMask=false : float <- half : Cast<float, half, false>(float_0, half_1, RoundMode::CAST_NONE, MASK_PLACEHOLDER, 1, {1, 1, 8, 4});
        - Cast : level-2 isSetMask : float <- half : Cast<float, half, false>(float_0, half_1, RoundMode::CAST_NONE, 64);
        - Cast : no round mode : float <- half : Cast(float_0, half_1, 64);
        - Cast : int round mode : float <- half : Cast(float_0, half_1, 0, 64);
        - Cast : mode last : float <- half : Cast(float_0, half_1, 64, RoundMode::CAST_NONE);
        - CAST_NEAREST : invented mode : half <- float : Cast(half_0, float_1, RoundMode::CAST_NEAREST, 64);
        + Cast : variable round mode : half <- float : RoundMode m = RoundMode::CAST_RINT; Cast(half_0, float_1, m, 64);
        """,
    ),
)

_COMPARE = "overloads 2.4, 3: Compare"
_COMPARES = "overloads 2.4, 3: CompareScalar = Compares"
_SELECT = "overloads 2.4, 3: Select"


def _scalar(t: str) -> str:
    return {"half": "static_cast<half>(0.0f)", "float": "0.0f", "i32": "0"}[t]


COMPARES: tuple[Row, ...] = (
    *(
        Row(
            "Compare",
            "count",
            f"{d} <- {s}",
            f"Compare({d}_0, {s}_1, {s}_2, CMPMODE::EQ, 128);",
            s in ("half", "float", "i32"),
            _COMPARE,
            () if s in ("half", "float", "i32") else ("half", "float", "i32"),
        )
        for d in ("u8", "i8")
        for s in COMMON
    ),
    *(
        Row(
            "Compare",
            "count",
            f"{d} <- half",
            f"Compare({d}_0, half_1, half_2, CMPMODE::LT, 128);",
            False,
            _COMPARE,
            ("u8", "i8"),
        )
        for d in ("u16", "half", "i32")
    ),
    *(
        Row(api, "count", f"u8 <- {t}", f"{api}(u8_0, {t}_1, {_scalar(t)}, CMPMODE::EQ, 128);", True, _COMPARES)
        for api in ("CompareScalar", "Compares")
        for t in ("half", "float", "i32")
    ),
    *table(
        _COMPARE,
        """
        + Compare : mask : u8 <- float : Compare(u8_0, float_1, float_2, CMPMODE::GE, mask, 1, {1, 1, 1, 8, 8, 8});
        + Compare : mask array : u8 <- float : Compare(u8_0, float_1, float_2, CMPMODE::GE, bits, 1, {1, 1, 1, 8, 8, 8});
        + Compare : const mask array : u8 <- float : Compare(u8_0, float_1, float_2, CMPMODE::GE, constBits, 1, {1, 1, 1, 8, 8, 8});
        + Compare : explicit types : u8 <- half : Compare<half, uint8_t>(u8_0, half_1, half_2, CMPMODE::LE, 128);
        - Compare : explicit types reversed : u8 <- half : Compare<uint8_t, half>(u8_0, half_1, half_2, CMPMODE::LE, 128);
        + Compare : register : half : Compare(half_0, half_1, CMPMODE::NE, mask, {1, 1, 1, 8, 8, 8});
        + Compare : register, const mask array : float : Compare(float_0, float_1, CMPMODE::NE, constBits, {1, 1, 1, 8, 8, 8});
        + Compare : register, isSetMask=false : half : Compare<half, false>(half_0, half_1, CMPMODE::NE, MASK_PLACEHOLDER, {1, 1, 1, 8, 8, 8});
        - Compare : register, int32 : i32 : Compare(i32_0, i32_1, CMPMODE::EQ, mask, {1, 1, 1, 8, 8, 8});
        - Compare : no mode : half : Compare(u8_0, half_1, half_2, 128);
        - Compare : sources differ : half, float : Compare(u8_0, half_1, float_2, CMPMODE::LT, 128);
        - LESS : invented mode : half : Compare(u8_0, half_1, half_2, CMPMODE::LESS, 128);
        - Compare : 4 values : half : Compare(u8_0, half_1, half_2, CMPMODE::LT, mask, 1, {1, 1, 8, 8});
        """,
    ),
    *table(
        _COMPARES,
        """
        + CompareScalar : mask : u8 <- float : CompareScalar(u8_0, float_1, 1.0f, CMPMODE::GT, mask, 1, {1, 1, 8, 8});
        + CompareScalar : const mask array : u8 <- float : CompareScalar(u8_0, float_1, 1.0f, CMPMODE::GT, constBits, 1, {1, 1, 8, 8});
        + Compares : mask array : u8 <- half : Compares(u8_0, half_1, static_cast<half>(1.0f), CMPMODE::GT, bits, 1, {1, 1, 8, 8});
        - CompareScalar : int scalar : u8 <- float : CompareScalar(u8_0, float_1, 0, CMPMODE::GT, 128);
        - Compares : float scalar : u8 <- half : Compares(u8_0, half_1, 0.0f, CMPMODE::GT, 128);
        - CompareScalar : int8 result : i8 <- float : CompareScalar(i8_0, float_1, 0.0f, CMPMODE::GT, 128);
        - CompareScalar : int16 source : u8 <- i16 : CompareScalar(u8_0, i16_1, static_cast<int16_t>(0), CMPMODE::EQ, 128);
        - CompareScalar : tensor for scalar : u8 <- float : CompareScalar(u8_0, float_1, float_2, CMPMODE::GT, 128);
        - CompareScalar : binary braces : u8 <- float : CompareScalar(u8_0, float_1, 1.0f, CMPMODE::GT, mask, 1, {1, 1, 1, 8, 8, 8});
        """,
    ),
)

SELECTS: tuple[Row, ...] = (
    *(
        Row(
            "Select",
            "tensor, tensor",
            f"{t}, {m}",
            f"Select({t}_0, {m}_0, {t}_1, {t}_2, SELMODE::VSEL_TENSOR_TENSOR_MODE, 128);",
            True,
            _SELECT,
        )
        for t in ("half", "float")
        for m in ("u8", "u16", "u32", "u64")
    ),
    *(
        Row(
            "Select",
            "tensor, scalar",
            t,
            f"Select({t}_0, u8_0, {t}_1, {_scalar(t)}, SELMODE::VSEL_TENSOR_SCALAR_MODE, 128);",
            True,
            _SELECT,
        )
        for t in ("half", "float")
    ),
    *(
        Row(
            "Select",
            "tensor, tensor",
            t,
            f"Select({t}_0, u8_0, {t}_1, {t}_2, SELMODE::VSEL_TENSOR_TENSOR_MODE, 128);",
            False,
            _SELECT,
            ("half", "float"),
        )
        for t in ("i16", "u16", "i32", "u32", "bf16")
    ),
    *table(
        _SELECT,
        """
        + Select : mask : half : Select(half_0, u8_0, half_1, half_2, SELMODE::VSEL_CMPMASK_SPR, mask, 1, {1, 1, 1, 8, 8, 8});
        + Select : mask array : half : Select(half_0, u8_0, half_1, half_2, SELMODE::VSEL_CMPMASK_SPR, bits, 1, {1, 1, 1, 8, 8, 8});
        - Select : const mask array : half : Select(half_0, u8_0, half_1, half_2, SELMODE::VSEL_CMPMASK_SPR, constBits, 1, {1, 1, 1, 8, 8, 8});
        + Select : scalar, mask : float : Select(float_0, u8_0, float_1, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, mask, 1, {1, 1, 1, 8, 8, 8});
        + Select : register : half : Select<half, SELMODE::VSEL_CMPMASK_SPR>(half_0, half_1, half_2, 1, {1, 1, 1, 8, 8, 8});
        + Select : register scalar : half : Select(half_0, u8_0, half_1, 1, {1, 1, 1, 8, 8, 8});
        - Select : float scalar : half : Select(half_0, u8_0, half_1, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 128);
        - Select : int scalar : float : Select(float_0, u8_0, float_1, 0, SELMODE::VSEL_TENSOR_SCALAR_MODE, 128);
        - Select : no mask tensor : half : Select(half_0, half_1, half_2, SELMODE::VSEL_CMPMASK_SPR, 128);
        - Select : no mode : half : Select(half_0, u8_0, half_1, half_2, 128);
        - Select : float mask tensor : float : Select(float_0, float_3, float_1, float_2, SELMODE::VSEL_TENSOR_TENSOR_MODE, 128);
        - Select : mixed types : half, float : Select(half_0, u8_0, half_1, float_2, SELMODE::VSEL_TENSOR_TENSOR_MODE, 128);
        + SetCmpMask : one tensor : half : SetCmpMask(half_0);
        + GetCmpMask : one tensor : u8 : GetCmpMask(u8_0);
        """,
    ),
)
