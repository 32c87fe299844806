"""Reductions by old and new names."""

# ruff: noqa: E501 - a check is one line

from __future__ import annotations

from .elementwise import FLOATS
from .row import Row, by_dtype, table

_DTYPES = "overloads 3: reductions have half and float only"
_WHOLE = "overloads 2.5: mask before repeat in WholeReduce*"
_BLOCK = "overloads 2.5: repeat before mask in BlockReduce*, PairReduceSum"
_NEW = "overloads 2.5: mask before repeat in the new names"
_REPEAT = "overloads 2.5: RepeatReduceSum"
_LEVEL2 = "overloads 2.5: ReduceSum, ReduceMax, ReduceMin"
_RESULTS = "overloads 2.5: results in registers"

_TRIED = ("half", "float", "bf16", "i16", "i32")
_BLOCKS = ("BlockReduceSum", "BlockReduceMax", "BlockReduceMin", "PairReduceSum")
_WHOLES = ("WholeReduceSum", "WholeReduceMax", "WholeReduceMin")
_PER_REPEAT = "$api(${t}_0, ${t}_1, 64, 1, 1, 1, 8);"
_LEVEL2_CALL = "$api(${t}_0, ${t}_1, ${t}_2, 64);"
_LEVEL0_CALL = "$api(${t}_0, ${t}_1, ${t}_2, 64, 2, 8);"

REDUCTIONS: tuple[Row, ...] = (
    *by_dtype(_DTYPES, "mask", _PER_REPEAT, (*_WHOLES, *_BLOCKS), FLOATS, tried=_TRIED),
    *by_dtype(_DTYPES, "mask", "$api(${t}_0, ${t}_1, 1, 64, 1, 1, 1, 8);", ("RepeatReduceSum",), FLOATS, tried=_TRIED),
    *by_dtype(_DTYPES, "count", _LEVEL2_CALL, ("ReduceSum", "ReduceMax", "ReduceMin"), FLOATS, tried=_TRIED),
    *by_dtype(_DTYPES, "mask", _LEVEL0_CALL, ("ReduceSum", "ReduceMax", "ReduceMin"), FLOATS, tried=_TRIED),
    *(
        row
        for kind in ("SUM", "MAX", "MIN")
        for t in FLOATS
        for api in ("ReduceRepeat", "ReduceDataBlock")
        for row in table(_NEW, f"+ {api} : {kind} : {t} : {api}<ReduceType::{kind}>({t}_0, {t}_1, 64, 1, 1, 1, 8);")
    ),
    *(
        row
        for t in ("i32", "bf16")
        for api in ("ReduceRepeat", "ReduceDataBlock", "ReducePairElem")
        for row in table(_NEW, f"- {api} : SUM : {t} : {api}<ReduceType::SUM>({t}_0, {t}_1, 64, 1, 1, 1, 8);")
    ),
    *table(
        _WHOLE,
        """
        + WholeReduceSum : mask array : half : WholeReduceSum(half_0, half_1, bits, 1, 1, 1, 8);
        + WholeReduceMax : const mask array : half : WholeReduceMax(half_0, half_1, constBits, 1, 1, 1, 8);
        - WholeReduceSum : repeat first : half : WholeReduceSum(half_0, half_1, 1, bits, 1, 1, 8);
        - WholeReduceMax : repeat first : float : WholeReduceMax(float_0, float_1, 1, constBits, 1, 1, 8);
        + WholeReduceMin : order : half : WholeReduceMin(half_0, half_1, 64, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
        - WholeReduceSum : order : half : WholeReduceSum(half_0, half_1, 64, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
        + WholeReduceSum : isSetMask=false : half : WholeReduceSum<half, false>(half_0, half_1, MASK_PLACEHOLDER, 1, 1, 1, 8);
        + WholeReduceMax : list : half : WholeReduceMax<half, false>(half_0, half_1, MASK_PLACEHOLDER_LIST, 1, 1, 1, 8);
        - WholeReduceSum : no strides : half : WholeReduceSum(half_0, half_1, 64, 1);
        - WholeReduceSum : two types : half, float : WholeReduceSum(float_0, half_1, 64, 1, 1, 1, 8);
        - WholeReduceMax : braces : half : WholeReduceMax(half_0, half_1, 64, 1, {1, 1, 8});
        + WholeReduceSum : explicit type : float : WholeReduceSum<float>(float_0, float_1, 64, 1, 1, 1, 8);
        """,
    ),
    *table(
        _BLOCK,
        """
        + BlockReduceSum : mask array : half : BlockReduceSum(half_0, half_1, 1, bits, 1, 1, 8);
        + BlockReduceMax : const mask array : float : BlockReduceMax(float_0, float_1, 1, constBits, 1, 1, 8);
        - BlockReduceSum : mask first : half : BlockReduceSum(half_0, half_1, bits, 1, 1, 1, 8);
        - BlockReduceMin : mask first : float : BlockReduceMin(float_0, float_1, constBits, 1, 1, 1, 8);
        + PairReduceSum : mask array : half : PairReduceSum(half_0, half_1, 1, bits, 1, 1, 8);
        - PairReduceSum : mask first : half : PairReduceSum(half_0, half_1, bits, 1, 1, 1, 8);
        + BlockReduceSum : isSetMask=false : half : BlockReduceSum<half, false>(half_0, half_1, 1, MASK_PLACEHOLDER, 1, 1, 8);
        - BlockReduceMax : order : half : BlockReduceMax(half_0, half_1, 1, 64, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
        """,
    ),
    *table(
        _REPEAT,
        """
        - RepeatReduceSum : mask array : half : RepeatReduceSum(half_0, half_1, 1, bits, 1, 1, 1, 8);
        - RepeatReduceSum : 3 strides : half : RepeatReduceSum(half_0, half_1, 1, 64, 1, 1, 8);
        + RepeatReduceSum : isSetMask=false : float : RepeatReduceSum<float, false>(float_0, float_1, 1, MASK_PLACEHOLDER, 1, 1, 1, 8);
        """,
    ),
    *table(
        _NEW,
        """
        + ReducePairElem : SUM : half : ReducePairElem<ReduceType::SUM>(half_0, half_1, 64, 1, 1, 1, 8);
        + ReducePairElem : mask array : float : ReducePairElem<ReduceType::SUM>(float_0, float_1, bits, 1, 1, 1, 8);
        + ReduceRepeat : const mask array : half : ReduceRepeat<ReduceType::MAX>(half_0, half_1, constBits, 1, 1, 1, 8);
        - ReduceRepeat : repeat first : half : ReduceRepeat<ReduceType::MAX>(half_0, half_1, 1, constBits, 1, 1, 8);
        - ReduceDataBlock : repeat first : half : ReduceDataBlock<ReduceType::MAX>(half_0, half_1, 1, bits, 1, 1, 8);
        + ReduceRepeat : order : half : ReduceRepeat<ReduceType::MIN>(half_0, half_1, 64, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_INDEX);
        - ReduceDataBlock : order : half : ReduceDataBlock<ReduceType::MIN>(half_0, half_1, 64, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_INDEX);
        - ReduceRepeat : no type : half : ReduceRepeat(half_0, half_1, 64, 1, 1, 1, 8);
        - MEAN : invented type : half : ReduceRepeat<ReduceType::MEAN>(half_0, half_1, 64, 1, 1, 1, 8);
        + ReduceRepeat : all template arguments : half : ReduceRepeat<ReduceType::SUM, half, half, false>(half_0, half_1, MASK_PLACEHOLDER, 1, 1, 1, 8);
        """,
    ),
    *table(
        _LEVEL2,
        """
        + ReduceSum : isSetMask=false : float : ReduceSum<float, false>(float_0, float_1, float_2, 1);
        + ReduceSum : explicit type : float : ReduceSum<float>(float_0, float_1, float_2, 64);
        - ReduceSum : calIndex : float : ReduceSum(float_0, float_1, float_2, 64, true);
        + ReduceMax : calIndex : float : ReduceMax(float_0, float_1, float_2, 64, true);
        + ReduceMin : calIndex, mask : half : ReduceMin(half_0, half_1, half_2, 128, 2, 8, true);
        + ReduceMax : mask array : half : ReduceMax(half_0, half_1, half_2, bits, 2, 8, true);
        + ReduceMin : const mask array : half : ReduceMin(half_0, half_1, half_2, constBits, 2, 8);
        + ReduceSum : const mask array : float : ReduceSum(float_0, float_1, float_2, constBits, 2, 8);
        - ReduceMax : isSetMask : float : ReduceMax<float, true>(float_0, float_1, float_2, 64);
        - ReduceSum : two types : float, half : ReduceSum(float_0, half_1, float_2, 64);
        - ReduceSum : no tmp : float : ReduceSum(float_0, float_1, 64);
        - ReduceSum : no srcRepStride : float : ReduceSum(float_0, float_1, float_2, 64, 2, 8, 1, 1);
        - ReduceMin : tmp of another type : half, float : ReduceMin(half_0, half_1, float_2, 64);
        - ReduceSum : repeat first : float : ReduceSum(float_0, float_1, float_2, 2, bits, 8);
        """,
    ),
    *table(
        _RESULTS,
        """
        + GetAccVal : typed : half : half v = GetAccVal<half>();
        + GetAccVal : untyped : bits : uint64_t v = GetAccVal();
        + GetReduceMaxMinCount : value, index : float : float v; float i; GetReduceMaxMinCount(v, i);
        + GetReduceMaxMinCount : value : half : half v; GetReduceMaxMinCount(v);
        + GetReduceRepeatSumSpr : typed : float : float v = GetReduceRepeatSumSpr<float>();
        - GetReduceRepeatSumSpr : untyped : none : float v = GetReduceRepeatSumSpr();
        + GetReduceRepeatMaxMinSpr : value, index : half : half v; half i; GetReduceRepeatMaxMinSpr(v, i);
        - GetReduceRepeatMaxMinSpr : two types : half, float : half v; float i; GetReduceRepeatMaxMinSpr(v, i);
        - GetReduceMaxMinCount : temporaries : float : GetReduceMaxMinCount(1.0f, 2.0f);
        """,
    ),
)
