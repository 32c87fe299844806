"""Mask control, flags and barriers, block index, constants."""

# ruff: noqa: E501 - a check is one line

from __future__ import annotations

from .row import Row, table

_EVENTS = (
    "MTE2_V",
    "V_MTE2",
    "MTE3_V",
    "V_MTE3",
    "V_V",
    "MTE3_MTE2",
    "MTE2_MTE3",
    "S_V",
    "V_S",
    "S_MTE2",
    "MTE2_S",
    "S_MTE3",
    "MTE3_S",
)
"""Hard events of the vector core (semantics 6)."""

_FLAGS = "overloads 2.7: SetFlag, WaitFlag"
_BARRIER = "overloads 2.7, pitfalls 22: PipeBarrier"
_RAW = "overloads 1.1: raw intrinsics"
_MASK = "overloads 1.2, csv mask control"

CONTROL: tuple[Row, ...] = (
    *(
        row
        for event in _EVENTS
        for row in table(
            "semantics 6: events of the vector core",
            f"+ SetFlag : {event} : none : SetFlag<HardEvent::{event}>(EVENT_ID0); WaitFlag<HardEvent::{event}>(EVENT_ID0);",
        )
    ),
    *(
        row
        for pipe in ("V", "MTE1", "MTE2", "MTE3", "M", "FIX", "ALL")
        for row in table(_BARRIER, f"+ PipeBarrier : {pipe} : none : PipeBarrier<PIPE_{pipe}>();")
    ),
    *table(
        _BARRIER,
        """
        - PipeBarrier : S : none : PipeBarrier<PIPE_S>();
        - PipeBarrier : argument : none : PipeBarrier(PIPE_V);
        - PipeBarrier : no pipe : none : PipeBarrier();
        - PipeBarrier : event : none : PipeBarrier<HardEvent::MTE2_V>();
        - PIPE_VEC : invented pipe : none : PipeBarrier<PIPE_VEC>();
        """,
    ),
    *table(
        _FLAGS,
        """
        + SetFlag : int32 id : none : int32_t id = 3; SetFlag<HardEvent::MTE2_V>(id); WaitFlag<HardEvent::MTE2_V>(id);
        + SetFlag : TEventID : none : TEventID id = 3; SetFlag<HardEvent::MTE2_V>(id); WaitFlag<HardEvent::MTE2_V>(id);
        + SetFlag : event_t : none : event_t id = static_cast<event_t>(2); SetFlag<HardEvent::MTE2_V>(id);
        + SetFlag : array of ids : none : TEventID ids[2] = {EVENT_ID0, EVENT_ID1}; SetFlag<HardEvent::MTE2_V>(ids[0]);
        + SetFlag : pipes : none : SetFlag(PIPE_MTE2, PIPE_V, EVENT_ID0); WaitFlag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        + TQueSync : members : none : TQueSync<PIPE_MTE2, PIPE_V> sync; sync.SetFlag(EVENT_ID0); sync.WaitFlag(EVENT_ID0);
        - SetFlag : no event : none : SetFlag(EVENT_ID0);
        - SetFlag : no id : none : SetFlag<HardEvent::MTE2_V>();
        - SetFlag : pipe for event : none : SetFlag<PIPE_V>(EVENT_ID0);
        - MTE2_VEC : invented event : none : SetFlag<HardEvent::MTE2_VEC>(EVENT_ID0);
        - WaitFlag : no event : none : WaitFlag(EVENT_ID0);
        - EVENT_ID9 : invented id : none : WaitFlag<HardEvent::MTE2_V>(EVENT_ID9);
        """,
    ),
    *table(
        _RAW,
        """
        + set_flag : raw : none : set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        + pipe_barrier : raw : none : pipe_barrier(PIPE_V);
        + set_vector_mask : raw : none : set_vector_mask(0, 255); set_mask_count(); set_mask_norm();
        + get_block_idx : raw : none : int64_t i = get_block_idx(); int64_t n = block_idx + block_num;
        - set_flag : two arguments : none : set_flag(PIPE_MTE2, PIPE_V);
        """,
    ),
    *table(
        _MASK,
        """
        + SetVectorMask : high, low : half : SetVectorMask<half>(0, 255);
        + SetVectorMask : NORMAL : float : SetVectorMask<float, MaskMode::NORMAL>(0, 255);
        + SetVectorMask : COUNTER : float : SetVectorMask<float, MaskMode::COUNTER>(0, 1000);
        + SetVectorMask : length : half : SetVectorMask<half>(100); SetVectorMask<half, MaskMode::COUNTER>(1000);
        - SetVectorMask : no type : none : SetVectorMask(0, 255);
        - SetVectorMask : three words : half : SetVectorMask<half>(0, 0, 255);
        - COUNT : invented mode : half : SetVectorMask<half, MaskMode::COUNT>(0, 255);
        + ResetMask : nothing : none : ResetMask(); SetMaskCount(); SetMaskNorm();
        - ResetMask : argument : none : ResetMask(64);
        - SetMaskCount : argument : none : SetMaskCount(64);
        - SetMaskNormal : invented : none : SetMaskNormal();
        + AscendCUtils : length : half : AscendCUtils::SetMask<half>(64); AscendCUtils::SetMask<half, false>(64);
        + AscendCUtils : high, low : half : AscendCUtils::SetMask<half>(0, 255); AscendCUtils::ResetMask();
        """,
    ),
    *table(
        "csv system variable",
        """
        + GetBlockIdx : nothing : none : int64_t i = GetBlockIdx(); int64_t n = GetBlockNum();
        + GetSubBlockIdx : nothing : none : int64_t i = GetSubBlockIdx(); int64_t n = GetTaskRatio();
        - GetBlockIdx : argument : none : int64_t i = GetBlockIdx(0);
        - GetCoreIdx : invented : none : int64_t i = GetCoreIdx();
        """,
    ),
    *table(
        "overloads 1.3: constants",
        """
        + ONE_BLK_SIZE : constants : none : int64_t n = ONE_BLK_SIZE + ONE_REPEAT_BYTE_SIZE + MAX_REPEAT_TIMES + DEFAULT_BLK_NUM;
        + TOTAL_UB_SIZE : constants : none : constexpr uint32_t n = TOTAL_UB_SIZE - TMP_UB_OFFSET; int64_t v[n / ONE_BLK_SIZE];
        + FULL_MASK : constants : half : Abs(half_0, half_1, FULL_MASK, 1, {DEFAULT_BLK_STRIDE, 1, DEFAULT_REPEAT_STRIDE, 8});
        + DivCeil : helper : none : int64_t a = 5; uint32_t n = DivCeil(a, 2) + AlignUp(a, 8);
        """,
    ),
)
