"""LoadData, Mmad, Fixpipe and their relatives, the copies of L1 and L0C, and the registers of the cube core."""

# ruff: noqa: E501 - a check is one line

from __future__ import annotations

from .row import Row, by_dtype, table

_2D = "ascendc_api.csv: LoadData (2D)"
_GM = "ascendc_api.csv: LoadData (GM->L1 2D)"
_3D = "overloads 4: LoadData"
_SQUARES = "ascendc_api.csv: LoadDataWithTranspose"
_SPARSE = "overloads 4, ascendc_api.csv: LoadDataWithSparse, MmadWithSparse"
_FILL = "overloads 4, 6; ascendc_api.csv: Fill"
_REGISTERS = "ascendc_api.csv: matrix: load config"
_MMAD = "overloads 4; semantics 18.2: dtypes (A,B->C)"
_FIXPIPE = "overloads 4, 6; ascendc_api.csv: Fixpipe"
_CO12 = "overloads 2.1; ascendc_api.csv: DataCopy (L0C->GM), (L0C->L1)"
_TABLES = "ascendc_api.csv: matrix: store config"
_ND2NZ = "ascendc_api.csv: DataCopy (GM->L1 ND2NZ)"
_NZ2ND = "ascendc_api.csv: DataCopy (UB->GM NZ2ND)"
_BIAS_TABLE = "ascendc_api.csv: DataCopy (L1->BiasTable), (L1->Fixpipe buffer)"
_STRUCTS = "ascendc_api.csv: parameter structures of the cube"

_FRACTAL = ("i4", "u8", "i8", "u16", "i16", "half", "bf16", "u32", "i32", "float")
_SQUARE = ("i4", "i8", "u8", "half", "bf16", "i32", "u32", "float")
_CONSTANT = ("half", "i16", "u16", "bf16", "float", "i32", "u32")
_PADDING = ("i8", "u8", "i16", "u16", "half", "bf16", "i32", "u32", "float")
_WIDE = ("f64", "i64", "u64")

LOADS: tuple[Row, ...] = (
    *by_dtype(
        _2D, "L1 to L0", "LoadData2DParams p; $api(${t}_0, ${t}_1, p);", ("LoadData",), _FRACTAL, tried=_FRACTAL + _WIDE
    ),
    *by_dtype(
        _GM, "from GM", "LoadData2DParams p; $api(${t}_0, g${t}_1, p);", ("LoadData",), _FRACTAL, tried=_FRACTAL + _WIDE
    ),
    *by_dtype(
        _SQUARES,
        "squares",
        "LoadData2dTransposeParams p; $api(${t}_0, ${t}_1, p);",
        ("LoadDataWithTranspose",),
        _SQUARE,
        tried=_SQUARE + _WIDE,
    ),
    *table(
        _2D,
        """
        + LoadData : 7 values : half : LoadData(half_0, half_1, LoadData2DParams(0, 4, 1, 0, 0, false, 0));
        + LoadData : explicit type : half : LoadData2DParams p; LoadData<half>(half_0, half_1, p);
        - LoadData : mixed types : half, float : LoadData2DParams p; LoadData(half_0, float_1, p);
        - LoadData : mixed types, from GM : half, float : LoadData2DParams p; LoadData(half_0, gfloat_1, p);
        - LoadData : to GM : half : LoadData2DParams p; LoadData(ghalf_0, half_1, p);
        - LoadData : count : half : LoadData(half_0, half_1, 256);
        - LoadData : params of copies : half : DataCopyParams p; LoadData(half_0, half_1, p);
        - LoadData : params of squares : half : LoadData2dTransposeParams p; LoadData(half_0, half_1, p);
        """,
    ),
    *table(
        _3D,
        """
        + LoadData : image : half : LoadData3DParamsV2<half> p; LoadData(half_0, half_1, p);
        + LoadData : image : i8 : LoadData3DParamsV2<int8_t> p; LoadData(i8_0, i8_1, p);
        + LoadData : image : float : LoadData3DParamsV2<float> p; LoadData(float_0, float_1, p);
        + LoadData : image, explicit type : half : LoadData3DParamsV2<half> p; LoadData<half>(half_0, half_1, p);
        + LoadData : image, registers kept : half : static constexpr IsResetLoad3dConfig kept = {false, false}; LoadData3DParamsV2<half> p; LoadData<half, kept>(half_0, half_1, p);
        + LoadData : image, all registers : half : LoadData3DParamsV2Pro p; LoadData(half_0, half_1, p);
        - LoadData : image from GM : half : LoadData3DParamsV2<half> p; LoadData(half_0, ghalf_1, p);
        - LoadData : image, mixed types : half, float : LoadData3DParamsV2Pro p; LoadData(half_0, float_1, p);
        """,
    ),
    *table(
        _SQUARES,
        """
        - LoadDataWithTranspose : from GM : half : LoadData2dTransposeParams p; LoadDataWithTranspose(half_0, ghalf_1, p);
        - LoadDataWithTranspose : params of LoadData : half : LoadData2DParams p; LoadDataWithTranspose(half_0, half_1, p);
        - LoadDataWithTranspose : mixed types : half, bf16 : LoadData2dTransposeParams p; LoadDataWithTranspose(half_0, bf16_1, p);
        """,
    ),
    *by_dtype(
        _SPARSE,
        "indices",
        "LoadData2DParams p; $api(${t}_0, ${t}_1, u8_2, p);",
        ("LoadDataWithSparse",),
        ("i8",),
        tried=("i8",),
    ),
    *table(
        _SPARSE,
        """
        - LoadDataWithSparse : no indices : i8 : LoadData2DParams p; LoadDataWithSparse(i8_0, i8_1, p);
        """,
    ),
    *by_dtype(
        _FILL,
        "constant",
        "InitConstValueParams<$c> p; $api(${t}_0, p);",
        ("InitConstValue", "Fill"),
        _CONSTANT,
        tried=(*_CONSTANT, "i8", "u8", "i64"),
    ),
    *(
        row
        for api in ("InitConstValue", "Fill")
        for row in table(
            _FILL,
            f"""
            + {api} : 4 values : half : {api}(half_0, InitConstValueParams<half>(1, 4, 0, static_cast<half>(1.0f)));
            - {api} : GM : half : InitConstValueParams<half> p; {api}(ghalf_0, p);
            """,
        )
    ),
    *by_dtype(
        _REGISTERS,
        "value",
        "$c v{}; $api(v);",
        ("SetLoadDataPaddingValue",),
        _PADDING,
        tried=_PADDING,
    ),
    *table(
        _REGISTERS,
        """
        + SetFmatrix : 4 values : none : const uint8_t edges[4] = {0, 0, 0, 0}; SetFmatrix(4, 8, edges, FmatrixMode::FMATRIX_LEFT);
        + SetFmatrix : array that is not const : none : uint8_t edges[4] = {0, 0, 0, 0}; SetFmatrix(4, 8, edges, FmatrixMode::FMATRIX_LEFT);
        - SetFmatrix : 3 values : none : uint8_t edges[4] = {0, 0, 0, 0}; SetFmatrix(4, 8, edges);
        - SetFmatrix : wide padding : none : uint16_t edges[4] = {0, 0, 0, 0}; SetFmatrix(4, 8, edges, FmatrixMode::FMATRIX_LEFT);
        + SetLoadDataBoundary : bytes : none : SetLoadDataBoundary(1024);
        - SetLoadDataBoundary : nothing : none : SetLoadDataBoundary();
        + SetLoadDataRepeat : fields : none : LoadDataRepeatParam p; p.repeatStride = 4; p.repeatTime = 2; p.repeatMode = 0; SetLoadDataRepeat(p);
        + SetHF32Mode : mode : none : SetHF32Mode(HF32Mode::ENABLE);
        - SetHF32Mode : another mode : none : SetHF32Mode(HF32TransMode::NEAREST_EVEN);
        + SetHF32TransMode : mode : none : SetHF32TransMode(HF32TransMode::NEAREST_ZERO);
        - SetHF32TransMode : another mode : none : SetHF32TransMode(HF32Mode::ENABLE);
        + SetMMRowMajor : none : none : SetMMRowMajor();
        - SetMMRowMajor : argument : none : SetMMRowMajor(true);
        + SetMMColumnMajor : none : none : SetMMColumnMajor();
        """,
    ),
)

_TRIPLES = (("i32", "i8", "i8"), ("float", "half", "half"), ("float", "bf16", "bf16"), ("float", "float", "float"))
_INT4 = ("i32", "i4", "i4")
_NO_TRIPLES = (
    ("half", "half", "half"),
    ("float", "half", "bf16"),
    ("float", "half", "float"),
    ("float", "float", "half"),
    ("i32", "half", "half"),
    ("half", "float", "float"),
    ("bf16", "bf16", "bf16"),
    ("i32", "i16", "i16"),
    ("i32", "i32", "i32"),
    ("float", "i8", "i8"),
    ("half", "i8", "i8"),
    ("i8", "i8", "i8"),
    ("i32", "i8", "i4"),
    ("float", "i4", "i4"),
)
_FACTORS = ("i8", "half", "bf16", "float")

MMADS: tuple[Row, ...] = (
    *(
        Row("Mmad", "no bias", ", ".join(t), f"MmadParams p; Mmad({t[0]}_0, {t[1]}_1, {t[2]}_2, p);", True, _MMAD)
        for t in (*_TRIPLES, _INT4)
    ),
    *(
        Row(
            "Mmad", "bias", ", ".join(t), f"MmadParams p; Mmad({t[0]}_0, {t[1]}_1, {t[2]}_2, {t[0]}_3, p);", True, _MMAD
        )
        for t in (*_TRIPLES, _INT4)
    ),
    *(
        Row(
            "Mmad",
            "no bias",
            ", ".join(t),
            f"MmadParams p; Mmad({t[0]}_0, {t[1]}_1, {t[2]}_2, p);",
            False,
            _MMAD,
            _FACTORS,
        )
        for t in _NO_TRIPLES
    ),
    *(
        Row(
            "Mmad",
            "bias of another type",
            ", ".join((*t, bias)),
            f"MmadParams p; Mmad({t[0]}_0, {t[1]}_1, {t[2]}_2, {bias}_3, p);",
            False,
            _MMAD,
        )
        for t, bias in ((_TRIPLES[1], "half"), (_TRIPLES[2], "bf16"), (_TRIPLES[0], "i8"), (_TRIPLES[3], "u32"))
    ),
    *table(
        _MMAD,
        """
        + Mmad : explicit types : float, half : MmadParams p; Mmad<float, half, half>(float_0, half_1, half_2, p);
        + Mmad : 6 values : float, half : Mmad(float_0, half_1, half_2, MmadParams(16, 16, 16, 0, false, true));
        - Mmad : no params : float, half : Mmad(float_0, half_1, half_2);
        - Mmad : factor in GM : float, half : MmadParams p; Mmad(float_0, half_1, ghalf_2, p);
        - Mmad : sum in GM : float, half : MmadParams p; Mmad(gfloat_0, half_1, half_2, p);
        """,
    ),
    *table(
        _SPARSE,
        """
        + MmadWithSparse : int8 : i32, i8 : MmadParams p; MmadWithSparse(i32_0, i8_1, i8_2, p);
        - MmadWithSparse : bias : i32, i8 : MmadParams p; MmadWithSparse(i32_0, i8_1, i8_2, i32_3, p);
        """,
    ),
)

_STORES = {"float": ("float", "half", "bf16", "i8", "u8"), "i32": ("i32", "half", "i8", "u8")}
"""What Fixpipe writes to global memory, by what L0C holds."""
_TO_L1 = {"float": ("half", "bf16", "i8"), "i32": ("half", "i8")}
_NO_STORES = {
    "float": ("i32", "u32", "u16", "i64"),
    "i32": ("float", "bf16", "u32", "i64"),
    "half": ("half", "float"),
    "bf16": ("bf16",),
    "i16": ("i16",),
}


def _stores(api: str, form: str, text: str, pairs: dict[str, tuple[str, ...]], *, legal: bool) -> tuple[Row, ...]:
    """Rows of stores; the text has `{t}` (destination) and `{u}` (source)."""
    fact = _FIXPIPE if api == "Fixpipe" else _CO12
    return tuple(
        Row(api, form, f"{t}, {u}", text.format(t=t, u=u), legal, fact, () if legal else ("float", "i32"))
        for u, results in pairs.items()
        for t in results
    )


STORES: tuple[Row, ...] = (
    *_stores("Fixpipe", "to GM", "FixpipeParamsV220 p; Fixpipe(g{t}_0, {u}_1, p);", _STORES, legal=True),
    *_stores(
        "Fixpipe",
        "to GM, scales",
        "FixpipeParamsV220 p; Fixpipe(g{t}_0, {u}_1, u64_2, p);",
        {"float": ("half", "i8", "u8"), "i32": ("half", "i8", "u8")},
        legal=True,
    ),
    *_stores("Fixpipe", "to L1", "FixpipeParamsV220 p; Fixpipe({t}_0, {u}_1, p);", _TO_L1, legal=True),
    *_stores("Fixpipe", "to GM", "FixpipeParamsV220 p; Fixpipe(g{t}_0, {u}_1, p);", _NO_STORES, legal=False),
    *_stores("Fixpipe", "to L1", "FixpipeParamsV220 p; Fixpipe({t}_0, {u}_1, p);", {"half": ("half",)}, legal=False),
    *table(
        _FIXPIPE,
        """
        + Fixpipe : layout : half, float : FixpipeParamsV220 p; Fixpipe<half, float, CFG_ROW_MAJOR>(ghalf_0, float_1, p);
        + Fixpipe : fractals : half, float : FixpipeParamsV220 p; Fixpipe<half, float, CFG_NZ>(ghalf_0, float_1, p);
        + Fixpipe : fractals to L1 : half, float : FixpipeParamsV220 p; Fixpipe<half, float, CFG_NZ>(half_0, float_1, p);
        + Fixpipe : fractals, scales : i8, i32 : FixpipeParamsV220 p; Fixpipe<int8_t, int32_t, CFG_NZ>(i8_0, i32_1, u64_2, p);
        + Fixpipe : own layout : half, float : static constexpr FixpipeConfig own = {CO2Layout::NZ}; FixpipeParamsV220 p; Fixpipe<half, float, own>(ghalf_0, float_1, p);
        + Fixpipe : modes : half, float : FixpipeParamsV220 p; p.quantPre = QuantMode_t::F322F16; p.quantPre = QuantMode_t::F322BF16; p.quantPre = QuantMode_t::DEQF16; p.quantPre = QuantMode_t::VDEQF16; Fixpipe(ghalf_0, float_1, p);
        + Fixpipe : modes : i8, float : FixpipeParamsV220 p; p.quantPre = QuantMode_t::QF322B8_PRE; p.quantPre = QuantMode_t::VQF322B8_PRE; p.quantPre = QuantMode_t::REQ8; p.quantPre = QuantMode_t::VREQ8; Fixpipe(gi8_0, float_1, p);
        - Fixpipe : no params : half, float : Fixpipe(ghalf_0, float_1);
        - Fixpipe : params of copies : half, float : DataCopyCO12DstParams p; Fixpipe(ghalf_0, float_1, p);
        - Fixpipe : source in GM : half, float : FixpipeParamsV220 p; Fixpipe(ghalf_0, gfloat_1, p);
        - FixpipeParamsM300 : params of another chip : half, float : FixpipeParamsM300 p; Fixpipe(ghalf_0, float_1, p);
        - FixpipeParamsArch3510 : params of another chip : half, float : FixpipeParamsArch3510<CO2Layout::ROW_MAJOR> p; Fixpipe(ghalf_0, float_1, p);
        """,
    ),
    *_stores("DataCopy", "L0C to GM", "DataCopyCO12DstParams p; DataCopy(g{t}_0, {u}_1, p);", _STORES, legal=True),
    *_stores("DataCopy", "L0C to L1", "DataCopyCO12DstParams p; DataCopy({t}_0, {u}_1, p);", _TO_L1, legal=True),
    *_stores("DataCopy", "L0C to GM", "DataCopyCO12DstParams p; DataCopy(g{t}_0, {u}_1, p);", _NO_STORES, legal=False),
    *table(
        _CO12,
        """
        + DataCopy : 8 values, L0C to GM : half, float : DataCopy(ghalf_0, float_1, DataCopyCO12DstParams(16, 16, 16, 16, QuantMode_t::F322F16, 0, false, true));
        - DataCopy : 7 values, L0C to GM : half, float : DataCopy(ghalf_0, float_1, DataCopyCO12DstParams(16, 16, 16, 16, QuantMode_t::F322F16, 0, false));
        """,
    ),
    *by_dtype(
        _TABLES,
        "scales",
        "$api(${t}_0);",
        ("SetFixPipeConfig",),
        ("u64",),
        tried=("u64",),
    ),
    *table(
        _TABLES,
        """
        + SetFixPipeConfig : two tables : u64 : SetFixPipeConfig(u64_0, u64_1);
        + SetFixPipeConfig : two tables, unit flags : u64 : SetFixPipeConfig(u64_0, u64_1, true);
        + SetFixPipeConfig : unit flags : u64 : SetFixPipeConfig<uint64_t, false>(u64_0, true);
        - SetFixPipeConfig : two types : u64, float : SetFixPipeConfig(u64_0, float_1);
        - SetFixPipeConfig : nothing : none : SetFixPipeConfig();
        + SetFixpipeNz2ndFlag : 3 values : none : SetFixpipeNz2ndFlag(1, 1, 1);
        - SetFixpipeNz2ndFlag : 2 values : none : SetFixpipeNz2ndFlag(1, 1);
        + SetFixpipePreQuantFlag : bits : none : SetFixpipePreQuantFlag(0);
        - SetFixpipePreQuantFlag : tensor : u64 : SetFixpipePreQuantFlag(u64_0);
        """,
    ),
)

_B4_TO_B32 = ("i4", "i8", "u8", "i16", "u16", "i32", "u32", "half", "bf16", "float")
_B16_TO_B32 = ("i16", "u16", "half", "bf16", "i32", "u32", "float")

L1_COPIES: tuple[Row, ...] = (
    *by_dtype(
        _ND2NZ,
        "rows to fractals",
        "Nd2NzParams p; $api(${t}_0, g${t}_1, p);",
        ("DataCopy",),
        _B4_TO_B32,
        tried=_B4_TO_B32,
    ),
    *by_dtype(
        _ND2NZ,
        "rows to fractals",
        "Nd2NzParams p; $api(${t}_0, g${t}_1, p);",
        ("DataCopy",),
        _B4_TO_B32[1:],
        tried=_WIDE,
    ),
    *by_dtype(
        _NZ2ND,
        "fractals to rows",
        "Nz2NdParamsFull p; $api(g${t}_0, ${t}_1, p);",
        ("DataCopy",),
        _B16_TO_B32,
        tried=(*_B16_TO_B32, *_WIDE),
    ),
    *table(
        _BIAS_TABLE,
        """
        + DataCopy : bias : half : DataCopy(half_0, half_1, 64);
        + DataCopy : bias : float : DataCopyParams p; DataCopy(float_0, float_1, p);
        + DataCopy : bias : i32 : DataCopyParams p; DataCopy(i32_0, i32_1, p);
        + DataCopy : wider bias : float, half : DataCopyParams p; DataCopy(float_0, half_1, p);
        + DataCopy : scales : u64 : DataCopy(u64_0, u64_1, 16);
        - DataCopy : wider bias, count : float, half : DataCopy(float_0, half_1, 64);
        - DataCopy : rows to fractals, mixed types : half, float : Nd2NzParams p; DataCopy(half_0, gfloat_1, p);
        - DataCopy : rows to fractals in GM : half : Nd2NzParams p; DataCopy(ghalf_0, ghalf_1, p);
        - DataCopy : fractals to rows from GM : half : Nz2NdParamsFull p; DataCopy(half_0, ghalf_1, p);
        """,
    ),
)

CUBE_STRUCTS: tuple[Row, ...] = table(
    _STRUCTS,
    """
    + LoadData2DParams : fields : none : LoadData2DParams p; p.startIndex = 1; p.repeatTimes = 1; p.srcStride = 1; p.sid = 0; p.dstGap = 0; p.ifTranspose = true; p.addrMode = 0;
    + LoadData2DParams : 7 values : none : LoadData2DParams p{0, 1, 1, 0, 0, false, 0};
    - LoadData2DParams : 3 values : none : LoadData2DParams p{0, 1, 1};
    - repeatTime : misspelt field : none : LoadData2DParams p; p.repeatTime = 1;
    + LoadData2dTransposeParams : fields : none : LoadData2dTransposeParams p; p.startIndex = 0; p.repeatTimes = 1; p.srcStride = 1; p.dstGap = 0; p.dstFracGap = 0; p.addrMode = 0;
    + LoadData3DParamsV2 : fields : half : LoadData3DParamsV2<half> p; p.padList[0] = 1; p.l1H = 4; p.l1W = 4; p.channelSize = 16; p.kExtension = 16; p.mExtension = 16; p.kStartPt = 0; p.mStartPt = 0; p.strideW = 1; p.strideH = 1; p.filterW = 1; p.filterH = 1; p.dilationFilterW = 1; p.dilationFilterH = 1; p.enTranspose = false; p.enSmallK = false; p.padValue = static_cast<half>(0.0f); p.filterSizeW = false; p.filterSizeH = false; p.fMatrixCtrl = false;
    + LoadData3DParamsV2Pro : fields : none : LoadData3DParamsV2Pro p; p.channelSize = 16; p.enTranspose = false; p.enSmallK = false; p.filterSizeW = false; p.filterSizeH = false; p.fMatrixCtrl = false; p.extConfig = 0; p.filterConfig = 0X10101010101;
    + InitConstValueParams : fields : half : InitConstValueParams<half> p; p.repeatTimes = 1; p.blockNum = 1; p.dstGap = 0; p.initValue = static_cast<half>(1.0f);
    + MmadParams : fields : none : MmadParams p; p.m = 16; p.n = 16; p.k = 16; p.isBias = false; p.fmOffset = 0; p.enSsparse = false; p.enWinogradA = false; p.enWinogradB = false; p.unitFlag = 0; p.kDirectionAlign = false; p.cmatrixSource = false; p.cmatrixInitVal = true;
    + MmadParams : 6 values : none : MmadParams p(16, 16, 16, 0, false, true);
    - cmatrixInit : misspelt field : none : MmadParams p; p.cmatrixInit = true;
    + FixpipeParamsV220 : fields : none : FixpipeParamsV220 p; p.nSize = 16; p.mSize = 16; p.srcStride = 16; p.dstStride = 16; p.quantPre = QuantMode_t::NoQuant; p.deqScalar = 0; p.ndNum = 1; p.srcNdStride = 0; p.dstNdStride = 0; p.reluEn = false; p.unitFlag = 0; p.isChannelSplit = false;
    - quantMode : misspelt field : none : FixpipeParamsV220 p; p.quantMode = QuantMode_t::NoQuant;
    + DataCopyCO12DstParams : fields : none : DataCopyCO12DstParams p; p.sid = 0; p.nSize = 16; p.mSize = 16; p.dstStride = 16; p.srcStride = 16; p.unitFlag = 0; p.clipReluPre = 0; p.eltWiseOp = 0; p.quantPre = QuantMode_t::NoQuant; p.reluPre = 0; p.channelSplit = false; p.nz2ndEn = false;
    + Nz2NdParamsFull : 7 values : none : Nz2NdParamsFull p{1, 16, 16, 1, 1, 16, 1};
    - Nz2NdParamsFull : 6 values : none : Nz2NdParamsFull p{1, 16, 16, 1, 1, 16};
    + LoadDataRepeatParam : fields : none : LoadDataRepeatParam p; p.repeatStride = 1; p.repeatTime = 1; p.repeatMode = 0;
    """,
)

MISMATCHES: tuple[Row, ...] = (
    *table(
        "overloads 4",
        """
        - LoadData : image of another type : half, float : LoadData3DParamsV2<float> p; LoadData(half_0, half_1, p);
        - LoadDataWithSparse : signed indices : i8, i8 : LoadData2DParams p; LoadDataWithSparse(i8_0, i8_1, i8_2, p);
        - LoadDataWithSparse : wide indices : i8, u16 : LoadData2DParams p; LoadDataWithSparse(i8_0, i8_1, u16_2, p);
        - MmadWithSparse : half : float, half : MmadParams p; MmadWithSparse(float_0, half_1, half_2, p);
        - MmadWithSparse : uint8 : i32, u8 : MmadParams p; MmadWithSparse(i32_0, u8_1, u8_2, p);
        - MmadWithSparse : float sum : float, i8 : MmadParams p; MmadWithSparse(float_0, i8_1, i8_2, p);
        - Fixpipe : scales of 32 bits : half, i32 : FixpipeParamsV220 p; Fixpipe(ghalf_0, i32_1, u32_2, p);
        - Fixpipe : float scales : half, i32 : FixpipeParamsV220 p; Fixpipe(ghalf_0, i32_1, float_2, p);
        - InitConstValue : constant of another type : half, float : InitConstValueParams<float> p; InitConstValue(half_0, p);
        - Fill : constant of another type : half, float : InitConstValueParams<float> p; Fill(half_0, p);
        - LoadDataWithSparse : indices : half : LoadData2DParams p; LoadDataWithSparse(half_0, half_1, u8_2, p);
        - LoadDataWithSparse : indices : float : LoadData2DParams p; LoadDataWithSparse(float_0, float_1, u8_2, p);
        """,
    ),
    *table(
        _REGISTERS,
        """
        - SetFmatrix : number for a mode : none : uint8_t edges[4] = {0, 0, 0, 0}; SetFmatrix(4, 8, edges, 0);
        - SetLoadDataRepeat : number : none : SetLoadDataRepeat(4, 1);
        """,
    ),
    *by_dtype(
        _REGISTERS,
        "value",
        "$c v{}; $api(v);",
        ("SetLoadDataPaddingValue",),
        _PADDING,
        tried=_WIDE,
    ),
    *by_dtype(_TABLES, "scales", "$api(${t}_0);", ("SetFixPipeConfig",), ("u64",), tried=("float", "u32", "half")),
)
"""Operands whose types do not go with each other or with the call."""
