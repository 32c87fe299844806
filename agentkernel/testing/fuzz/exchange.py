"""Blocks that read each other's results behind a barrier of all of them."""

from __future__ import annotations

import numpy as np

from agentkernel.testing.fuzz import elements
from agentkernel.testing.fuzz.elements import Array
from agentkernel.testing.fuzz.program import Line


def exchange(dtype: str, room: int, share: int, blocks: int) -> list[Line]:
    """Lines that copy what the next block has stored in y to this block's part of z."""
    return [
        Line("SyncAll();", "sync-all"),
        Line("TBuf<TPosition::VECCALC> passBuf;"),
        Line(f"pipe.InitBuffer(passBuf, {room * elements.size(dtype)});"),
        Line(f"LocalTensor<{dtype}> pass = passBuf.Get<{dtype}>();"),
        Line(f"uint32_t other = (GetBlockIdx() + 1) % {blocks} * {share};"),
        Line(f"for (uint32_t k = 0; k < {share}; k += {room}) {{"),
        Line(f"DataCopy(pass, yGm[other + k], {room});"),
        Line("SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID2);"),
        Line("WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID2);"),
        Line(f"DataCopy(zGm[begin + k], pass, {room});"),
        Line("SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID3);"),
        Line("WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID3);"),
        Line("}"),
    ]


def exchanged(values: Array, share: int) -> Array:
    """What z holds."""
    result: Array = np.roll(values, -share)
    return result
