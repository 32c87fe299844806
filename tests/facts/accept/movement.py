"""DataCopy, DataCopyPad, Gather, GatherMask, Brcb, Copy, and their parameter structures."""

# ruff: noqa: E501 - a check is one line

from __future__ import annotations

from .row import Row, by_dtype, table

_EVERY = ("half", "float", "bf16", "f64", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
_FILL = ("half", "bf16", "i16", "u16", "i32", "u32", "float")

_DTYPES = "ascendc_api.csv: DataCopy (GM<->UB contiguous), DataCopyPad"
_COPY = "overloads 2.1: DataCopy"
_PAD = "overloads 2.2: DataCopyPad"
_PARAMS = "overloads 1.5: constructors of parameter structures"
_ROUTES = "pitfalls 40: only documented routes"

DATA_COPY: tuple[Row, ...] = (
    *by_dtype(_DTYPES, "GM to UB, count", "$api(${t}_0, g${t}_0, 64);", ("DataCopy",), _EVERY, tried=_EVERY),
    *by_dtype(_DTYPES, "UB to GM, count", "$api(g${t}_0, ${t}_0, 64);", ("DataCopy",), _EVERY, tried=_EVERY),
    *by_dtype(_DTYPES, "UB to UB, count", "$api(${t}_0, ${t}_1, 64);", ("DataCopy",), _EVERY, tried=_EVERY),
    *by_dtype(_DTYPES, "UB to GM", "$api(g${t}_0, ${t}_0, {1, 32, 0, 0, 0});", ("DataCopyPad",), _EVERY, tried=_EVERY),
    *by_dtype(
        _DTYPES,
        "GM to UB",
        "DataCopyPadExtParams<$c> pad; $api(${t}_0, g${t}_0, {1, 32, 0, 0, 0}, pad);",
        ("DataCopyPad",),
        _EVERY,
        tried=_EVERY,
    ),
    *table(
        _COPY,
        """
        + DataCopy : 4 values, GM to UB : half : DataCopy(half_0, ghalf_0, {1, 4, 0, 0});
        + DataCopy : 4 values, UB to GM : half : DataCopy(ghalf_0, half_0, {1, 4, 0, 0});
        + DataCopy : 4 values, UB to UB : half : DataCopy(half_0, half_1, {1, 4, 0, 0});
        + DataCopy : named params : half : DataCopyParams p; p.blockCount = 2; p.blockLen = 4; DataCopy(half_0, ghalf_0, p);
        + DataCopy : elaborated name : half : struct DataCopyParams p; DataCopy(half_0, ghalf_0, p);
        + DataCopy : no value : half : DataCopy(half_0, ghalf_0, {});
        + DataCopy : 1 value : half : DataCopy(half_0, ghalf_0, {64});
        + DataCopy : variables in braces : half : uint32_t n = 4; int64_t m = 1; DataCopy(half_0, ghalf_0, {m, n, 0, 0});
        + DataCopy : wide count : half : int64_t n = 64; DataCopy(half_0, ghalf_0, n);
        + DataCopy : offsets : half : DataCopy(half_0[16], ghalf_0[32], 64);
        + DataCopy : explicit type : half : DataCopy<half>(half_0, ghalf_0, 64);
        + DataCopy : ND2NZ : half : DataCopy(half_0, ghalf_0, {1, 16, 16, 0, 16, 16, 1, 0});
        + DataCopy : NZ2ND : half : DataCopy(ghalf_0, half_0, {1, 16, 16, 1, 1, 16, 1});
        + DataCopy : slices : half : SliceInfo d[1]; SliceInfo s[1]; DataCopy(half_0, ghalf_0, d, s, 1);
        + DataCopy : enhanced : half : DataCopyParams p; DataCopyEnhancedParams e; DataCopy(half_0, ghalf_0, p, e);
        - DataCopy : 2 values : half : DataCopy(half_0, ghalf_0, {1, 4});
        - DataCopy : 3 values : half : DataCopy(half_0, ghalf_0, {1, 4, 0});
        - DataCopy : 5 values : half : DataCopy(half_0, ghalf_0, {1, 4, 0, 0, 0});
        - DataCopy : mixed types : half, float : DataCopy(half_0, gfloat_0, 64);
        - DataCopy : no length : half : DataCopy(half_0, ghalf_0);
        - DataCopy : ext params : half : DataCopyExtParams p; DataCopy(half_0, ghalf_0, p);
        - DataCopy : pointer : half : DataCopy(half_0, address, 64);
        - DataCopy : two lengths : half : DataCopy(half_0, ghalf_0, 64, 32);
        """,
    ),
    *table(_ROUTES, "- DataCopy : GM to GM : half : DataCopy(ghalf_0, ghalf_1, 64);"),
    *table(
        _PAD,
        """
        + DataCopyPad : 4 and 4 values : half : DataCopyPad(half_0, ghalf_0, {1, 32, 0, 0}, {false, 0, 0, 0});
        + DataCopyPad : 5 and 4 values : float : DataCopyPad(float_0, gfloat_0, {1, 32, 0, 0, 0}, {false, 0, 0, 0});
        + DataCopyPad : 4 values, UB to GM : half : DataCopyPad(ghalf_0, half_0, {1, 30, 0, 0});
        + DataCopyPad : named, UB to GM : half : DataCopyParams p; DataCopyPad(ghalf_0, half_0, p);
        + DataCopyPad : named ext, UB to GM : half : DataCopyExtParams p{1, 30, 0, 0, 0}; DataCopyPad(ghalf_0, half_0, p);
        + DataCopyPad : typed padding : half : DataCopyPadExtParams<half> q{true, 0, 2, static_cast<half>(0.0f)}; DataCopyPad(half_0, ghalf_0, {1, 28, 0, 0, 0}, q);
        + DataCopyPad : old padding : half : DataCopyParams p; DataCopyPadParams q; DataCopyPad(half_0, ghalf_0, p, q);
        - DataCopyPad : ext and old padding : half : DataCopyExtParams p; DataCopyPadParams q; DataCopyPad(half_0, ghalf_0, p, q);
        - DataCopyPad : old and ext padding : half : DataCopyParams p; DataCopyPadExtParams<half> q; DataCopyPad(half_0, ghalf_0, p, q);
        - DataCopyPad : padding of another type : half, float : DataCopyPadExtParams<float> q; DataCopyPad(half_0, ghalf_0, {1, 32, 0, 0, 0}, q);
        - DataCopyPad : no padding : half : DataCopyPad(half_0, ghalf_0, {1, 32, 0, 0, 0});
        - DataCopyPad : no padding, 4 values : half : DataCopyPad(half_0, ghalf_0, {1, 32, 0, 0});
        - DataCopyPad : count : half : DataCopyPad(half_0, ghalf_0, 64);
        - DataCopyPad : UB to UB : half : DataCopyPad(half_0, half_1, {1, 32, 0, 0, 0});
        - DataCopyPad : padding to GM : half : DataCopyPadExtParams<half> q; DataCopyPad(ghalf_0, half_0, {1, 32, 0, 0, 0}, q);
        - DataCopyPad : 3 padding values : float : DataCopyPad(float_0, gfloat_0, {1, 32, 0, 0, 0}, {false, 0, 0});
        - DataCopyPad : mixed types : half, float : DataCopyPad(ghalf_0, float_0, {1, 32, 0, 0, 0});
        + DataCopyPad : UB to L1 : half : DataCopyExtParams p; Nd2NzParams n; DataCopyPad(half_0, half_1, p, n);
        """,
    ),
)

STRUCTS: tuple[Row, ...] = table(
    _PARAMS,
    """
    + DataCopyParams : 4 values : none : DataCopyParams p{1, 4, 0, 0};
    - DataCopyParams : 2 values : none : DataCopyParams p{1, 4};
    - DataCopyParams : 3 values : none : DataCopyParams p(1, 4, 0);
    + DataCopyParams : gap names : none : DataCopyParams p; p.srcGap = 1; p.dstGap = 2; p.srcStride = p.dstStride;
    - blockcount : misspelt field : none : DataCopyParams p; p.blockcount = 1;
    + DataCopyExtParams : 5 values : none : DataCopyExtParams p{1, 32, 0, 0, 0};
    - DataCopyExtParams : 4 values : none : DataCopyExtParams p{1, 32, 0, 0};
    + DataCopyExtParams : fields : none : DataCopyExtParams p; p.blockCount = 1; p.blockLen = 32; p.srcStride = 0; p.rsv = 0;
    + DataCopyPadParams : 4 values : none : DataCopyPadParams p{true, 0, 1, 0};
    - DataCopyPadParams : 3 values : none : DataCopyPadParams p{true, 0, 1};
    + DataCopyPadExtParams : 4 values : half : DataCopyPadExtParams<half> p{true, 0, 1, static_cast<half>(0.0f)};
    - DataCopyPadExtParams : 2 values : half : DataCopyPadExtParams<half> p{true, 0};
    + UnaryRepeatParams : 4 values : none : UnaryRepeatParams p{1, 1, 8, 8};
    + UnaryRepeatParams : 5 values : none : UnaryRepeatParams p{1, 1, 8, 8, true};
    - UnaryRepeatParams : 3 values : none : UnaryRepeatParams p{1, 1, 8};
    + BinaryRepeatParams : 6 values : none : BinaryRepeatParams p{1, 1, 1, 8, 8, 8};
    - BinaryRepeatParams : 4 values : none : BinaryRepeatParams p{1, 1, 8, 8};
    + CopyRepeatParams : 4 values : none : CopyRepeatParams p{1, 1, 8, 8};
    - CopyRepeatParams : 2 values : none : CopyRepeatParams p{8, 8};
    + BrcbRepeatParams : 2 values : none : BrcbRepeatParams p{1, 8};
    + GatherRepeatParams : 2 values : none : GatherRepeatParams p{1, 8};
    + GatherMaskParams : 4 values : none : GatherMaskParams p{1, 1, 8, 8};
    - GatherMaskParams : 3 values : none : GatherMaskParams p{1, 1, 8};
    + Nd2NzParams : 8 values : none : Nd2NzParams p{1, 16, 16, 0, 16, 16, 1, 0};
    - Nd2NzParams : 7 values : none : Nd2NzParams p{1, 16, 16, 0, 16, 16, 1};
    + SliceInfo : 4 values : none : SliceInfo p{0, 31, 0, 1};
    + SliceInfo : 5 values : none : SliceInfo p{0, 31, 0, 1, 64};
    - SliceInfo : 3 values : none : SliceInfo p{0, 31, 0};
    """,
)

_GATHER = "overloads 2.6, 3: Gather"
_GATHER_MASK = "overloads 2.6, 3: GatherMask"
_BRCB = "overloads 2.6: Brcb"
_MASKED = "overloads 2.6: Copy"
_LAYOUT = ("half", "float", "bf16", "i8", "i16", "u16", "i32", "u32", "i64")

GATHER: tuple[Row, ...] = (
    *by_dtype(_GATHER, "count", "$api(${t}_0, ${t}_1, u32_2, 0, 64);", ("Gather",), _FILL, tried=_LAYOUT),
    *by_dtype(_GATHER, "mask", "$api(${t}_0, ${t}_1, u32_2, 0, mask, 1, 8);", ("Gather",), _FILL, tried=_LAYOUT),
    *by_dtype(_BRCB, "params", "$api(${t}_0, ${t}_1, 1, {1, 8});", ("Brcb",), _FILL, tried=_LAYOUT),
    *by_dtype(_MASKED, "mask", "$api(${t}_0, ${t}_1, mask, 1, {1, 1, 8, 8});", ("Copy",), _FILL, tried=_LAYOUT),
    *(
        row
        for t, p in (("half", "u16"), ("bf16", "u16"), ("i16", "u16"), ("float", "u32"), ("i32", "u32"), ("u32", "u32"))
        for row in table(
            _GATHER_MASK,
            f"""
            + GatherMask : pattern tensor : {t}, {p} : uint64_t n = 0; GatherMask({t}_0, {t}_1, {p}_2, false, 0, {{1, 1, 8, 8}}, n);
            + GatherMask : builtin pattern : {t} : uint64_t n = 0; GatherMask({t}_0, {t}_1, 1, false, 0, {{1, 1, 8, 8}}, n);
            """,
        )
    ),
    *table(
        _GATHER,
        """
        + Gather : mask array : half : Gather(half_0, half_1, u32_2, 0, bits, 1, 8);
        + Gather : const mask array : half : Gather(half_0, half_1, u32_2, 0, constBits, 1, 8);
        - Gather : int32 offsets : half : Gather(half_0, half_1, i32_2, 0, 64);
        - Gather : no base address : half : Gather(half_0, half_1, u32_2, 64);
        - Gather : mixed types : half, float : Gather(half_0, float_1, u32_2, 0, 64);
        - Gather : mask without stride : half : Gather(half_0, half_1, u32_2, 0, mask, 1);
        + Gatherb : params : u16 : Gatherb(u16_0, u16_1, u32_2, 1, {1, 8});
        + Gatherb : params : u32 : Gatherb(u32_0, u32_1, u32_2, 1, {1, 8});
        - Gatherb : int32 offsets : u16 : Gatherb(u16_0, u16_1, i32_2, 1, {1, 8});
        """,
    ),
    *table(
        _GATHER_MASK,
        """
        - GatherMask : pattern of 32 bits : half, u32 : uint64_t n = 0; GatherMask(half_0, half_1, u32_2, false, 0, {1, 1, 8, 8}, n);
        - GatherMask : pattern of 16 bits : float, u16 : uint64_t n = 0; GatherMask(float_0, float_1, u16_2, false, 0, {1, 1, 8, 8}, n);
        - GatherMask : uint32 count : half : uint32_t n = 0; GatherMask(half_0, half_1, 1, false, 0, {1, 1, 8, 8}, n);
        - GatherMask : literal count : half : GatherMask(half_0, half_1, 1, false, 0, {1, 1, 8, 8}, 0);
        - GatherMask : 3 values : half : uint64_t n = 0; GatherMask(half_0, half_1, 1, false, 0, {1, 1, 8}, n);
        - GatherMask : int8 : i8 : uint64_t n = 0; GatherMask(i8_0, i8_1, 1, false, 0, {1, 1, 8, 8}, n);
        + GatherMask : mode argument : half : uint64_t n = 0; GatherMask<half, defaultGatherMaskMode>(half_0, half_1, 1, false, 0, {1, 1, 8, 8}, n);
        """,
    ),
    *table(
        _BRCB,
        """
        - Brcb : 1 value : half : Brcb(half_0, half_1, 1, {8});
        - Brcb : 3 values : half : Brcb(half_0, half_1, 1, {1, 8, 8});
        - Brcb : mask : half : Brcb(half_0, half_1, mask, 1, {1, 8});
        + Brcb : named params : half : BrcbRepeatParams p; p.dstBlkStride = 1; p.dstRepStride = 8; Brcb(half_0, half_1, 1, p);
        - Brcb : mixed types : half, float : Brcb(half_0, float_1, 1, {1, 8});
        """,
    ),
    *table(
        _MASKED,
        """
        + Copy : mask array : half : Copy(half_0, half_1, bits, 1, {1, 1, 8, 8});
        + Copy : const mask array : half : Copy(half_0, half_1, constBits, 1, {1, 1, 8, 8});
        + Copy : isSetMask=false : half : Copy<half, false>(half_0, half_1, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
        - Copy : count : half : Copy(half_0, half_1, 64);
        - Copy : 3 values : half : Copy(half_0, half_1, mask, 1, {1, 1, 8});
        - Copy : global destination : half : Copy(ghalf_0, half_1, mask, 1, {1, 1, 8, 8});
        """,
    ),
)
