"""Reductions: per repeat, per block, per pair, and complete ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from agentkernel.testing.fuzz import addressing, elements
from agentkernel.testing.fuzz.elements import Array
from agentkernel.testing.fuzz.program import EXACT, UNKNOWN, Arg, Call, Line, State
from agentkernel.testing.fuzz.scope import Scope

FLOATS = ("half", "float")


def tree(values: Array) -> Array:
    """Sums along the last axis by a binary tree of neighbours, rounded at every node."""
    while values.shape[-1] > 1:
        values = values[..., 0::2] + values[..., 1::2]
    return values[..., 0]


def per_repeat(scope: Scope) -> bool:
    """WholeReduceSum, WholeReduceMax, WholeReduceMin and RepeatReduceSum, under old and new names."""
    source = scope.source(FLOATS)
    if source is None or not scope.whole:
        return False
    dtype = scope.types[source]
    each = elements.size(dtype)
    lanes = elements.REPEAT // each
    read = addressing.source_strides(scope.chance, lanes, each)
    kind = scope.chance.choice(("Sum", "Max", "Min"))
    pairs = kind != "Sum" and scope.chance.random() < 0.5
    width = 2 if pairs else 1
    step = scope.chance.choice((1, 1, 2, 3))
    target = scope.target(dtype, avoid=[source], full=False)
    repeats = min(addressing.repeats(scope.chance, scope.room, [(read, lanes, each)]), scope.room // (width * step))
    if not repeats:
        return False
    mask = addressing.mask(scope.chance, lanes, scope.fresh("mask"), constant=True)
    order = f"ReduceOrder::ORDER_{'VALUE_INDEX' if pairs else 'ONLY_VALUE'}"
    new = scope.chance.random() < 0.4
    first = [Arg(target, "rdst", dtype), Arg(read.operand(source, each), "src", dtype)]
    masks = Arg(mask.text, "bits" if mask.setup else "mask", dtype)
    strides = [Arg(str(n), "stride") for n in (step, read.block, read.repeat)]
    count = Arg(str(repeats), "repeat")
    if kind == "Sum" and not new and not mask.setup and scope.chance.random() < 0.4:
        call = Call("RepeatReduceSum", "mask", (*first, count, masks, Arg("1", "more"), Arg(str(read.block), "stride"),
                    Arg(str(step), "stride"), Arg(str(read.repeat), "stride")))  # fmt: skip
    else:
        last = [] if kind == "Sum" else [Arg(order, "mode")]
        call = Call("ReduceRepeat" if new else f"WholeReduce{kind}", "bits" if mask.setup else "mask",
                    (*first, masks, count, *strides, *last),
                    f"<ReduceType::{kind.upper()}>" if new else "")  # fmt: skip
    full = bool(mask.lanes.all())

    def apply(state: State) -> None:
        values = state.tensors[source][read.indices(repeats, lanes, each)]
        where = np.arange(repeats) * step * width
        out = state.tensors[target]
        if kind == "Sum":
            out[where] = tree(values) if full else 0
            return
        some = values[:, mask.lanes]
        at = np.argmax(some, 1) if kind == "Max" else np.argmin(some, 1)
        out[where] = some[np.arange(repeats), at]
        if pairs:
            out.view(f"u{each}")[where + 1] = np.flatnonzero(mask.lanes)[at]

    known = scope.worst(source) == EXACT and not scope.specials and (full or kind != "Sum")
    before = [Line(mask.setup)] if mask.setup else []
    scope.emit([*before, call], apply, {target: EXACT if known else UNKNOWN}, full=False)
    return True


def per_block(scope: Scope) -> bool:
    """BlockReduceSum, BlockReduceMax, BlockReduceMin and PairReduceSum, under old and new names; all lanes."""
    source = scope.source(FLOATS)
    if source is None or not scope.whole:
        return False
    dtype = scope.types[source]
    each = elements.size(dtype)
    lanes = elements.REPEAT // each
    kind = scope.chance.choice(("Sum", "Max", "Min", "Pair"))
    read = addressing.source_strides(scope.chance, lanes, each)
    width = lanes // 2 if kind == "Pair" else 8
    target = scope.target(dtype, avoid=[source], full=False)
    repeats = min(addressing.repeats(scope.chance, scope.room, [(read, lanes, each)]), scope.room // width)
    if not repeats:
        return False
    new = scope.chance.random() < 0.4
    masks, count = Arg(str(lanes), "mask", dtype), Arg(str(repeats), "repeat")
    strides = [Arg("1", "stride"), Arg(str(read.block), "stride"), Arg(str(read.repeat), "stride")]
    if new:
        api = "ReducePairElem" if kind == "Pair" else "ReduceDataBlock"
        template = f"<ReduceType::{'SUM' if kind == 'Pair' else kind.upper()}>"
        middle = [masks, count]
    else:
        api, template = "PairReduceSum" if kind == "Pair" else f"BlockReduce{kind}", ""
        middle = [count, masks]
    call = Call(api, "mask", (Arg(target, "rdst", dtype), Arg(read.operand(source, each), "src", dtype), *middle,
                *strides), template)  # fmt: skip

    def apply(state: State) -> None:
        values = state.tensors[source][read.indices(repeats, lanes, each)].reshape(repeats * width, -1)
        result = {"Max": lambda: values.max(1), "Min": lambda: values.min(1)}.get(kind, lambda: tree(values))()
        state.tensors[target][: repeats * width] = result

    known = scope.worst(source) == EXACT and not scope.specials
    scope.emit([call], apply, {target: EXACT if known else UNKNOWN}, full=False)
    return True


def complete(scope: Scope) -> bool:
    """ReduceSum, ReduceMax and ReduceMin over a count or over repeats."""
    source = scope.source(FLOATS)
    if source is None or not scope.whole or not scope.autosync:
        return False
    dtype = scope.types[source]
    api = scope.chance.choice(("ReduceSum", "ReduceMax", "ReduceMin"))
    target = scope.target(dtype, avoid=[source], full=False)
    work = scope.fresh("work")
    scope.types[work] = scope.work[work] = dtype
    index = api != "ReduceSum" and scope.chance.random() < 0.5
    last = [Arg("true", "more")] if index else []
    first = (Arg(target, "rdst", dtype), Arg(source, "src", dtype), Arg(work, "tmp", dtype))
    each = elements.size(dtype)
    lanes = elements.REPEAT // each
    repeated = scope.chance.random() < 0.35
    count = (
        lanes * scope.chance.randint(1, scope.room // lanes)
        if repeated
        else scope.chance.choice((scope.room, scope.chance.randint(1, scope.room)))
    )
    if repeated:
        call = Call(api, "mask", (*first, Arg(str(lanes), "mask", dtype), Arg(str(count // lanes), "many"),
                    Arg("8", "stride"), *last))  # fmt: skip
    else:
        call = Call(api, "count", (*first, Arg(str(count), "count"), *last))

    def apply(state: State) -> None:
        values = state.tensors[source][:count]
        if api == "ReduceSum":
            return
        at: Any = values.argmax() if api == "ReduceMax" else values.argmin()
        state.tensors[target][0] = values[at]
        if index:
            state.tensors[target].view(f"u{each}")[1] = at

    known = scope.worst(source) == EXACT and not scope.specials and api != "ReduceSum"
    scope.emit([call], apply, {target: EXACT if known else UNKNOWN}, full=False)
    return True
