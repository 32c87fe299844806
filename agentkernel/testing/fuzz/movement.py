"""Statements that move or make data: fills, ramps, gathers, compaction, broadcasts, transposes, sorting, scalars."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from agentkernel.testing.fuzz import addressing, elements
from agentkernel.testing.fuzz.catalogue import element_types
from agentkernel.testing.fuzz.program import EXACT, UNKNOWN, Arg, Call, Line, State
from agentkernel.testing.fuzz.scope import FILLABLE, Scope

RAMPS = ("int16_t", "half", "int32_t", "float")
WIDE = ("half", "int16_t", "uint16_t", "float", "int32_t", "uint32_t")


def fill(scope: Scope) -> bool:
    """Duplicate: the count form, or mask and repeats."""
    dtype = scope.chance.choice(FILLABLE)
    if not scope.whole or scope.chance.random() < 0.5:
        scope.fill(scope.target(dtype))
        return True
    each = elements.size(dtype)
    lanes = elements.REPEAT // each
    target = scope.target(dtype, full=False)
    to = addressing.target_strides(scope.chance, lanes, each)
    repeats = addressing.repeats(scope.chance, scope.room, [(to, lanes, each)])
    mask = addressing.mask(scope.chance, lanes, scope.fresh("mask"), constant=False)
    if not repeats:
        return False
    text, value = elements.literal(dtype, scope.chance)
    call = Call("Duplicate", "bits" if mask.setup else "mask", (Arg(to.operand(target, each), "dst", dtype),
                Arg(text, "scalar", dtype),
                Arg(mask.text, "bits" if mask.setup else "mask", dtype), Arg(str(repeats), "repeat"),
                Arg(str(to.block), "stride"), Arg(str(to.repeat), "stride")))  # fmt: skip

    def apply(state: State) -> None:
        state.tensors[target][to.indices(repeats, lanes, each)[:, mask.lanes]] = value

    scope.emit([*([Line(mask.setup)] if mask.setup else []), call], apply, {target: EXACT}, full=False)
    return True


def ramp(scope: Scope) -> bool:
    """CreateVecIndex over a count."""
    dtype = scope.chance.choice(RAMPS)
    target = scope.target(dtype)
    start = scope.chance.randint(0, 9)
    call = Call("CreateVecIndex", "count", (Arg(target, "dst", dtype), Arg(f"static_cast<{dtype}>({start})", "scalar"),
                scope.count_arg()))  # fmt: skip

    def apply(state: State) -> None:
        state.tensors[target][: state.n] = np.arange(start, start + state.n)

    scope.emit([call], apply, {target: EXACT})
    return True


def copy(scope: Scope) -> bool:
    """A copy inside of the unified buffer: DataCopy or Copy."""
    source = scope.source(WIDE)
    if source is None or not scope.whole:
        return False
    dtype = scope.types[source]
    each = elements.size(dtype)
    if scope.chance.random() < 0.5:
        target = scope.target(dtype, avoid=[source], full=False)
        count = 32 // each * scope.chance.randint(1, scope.room * each // 32)
        call = Call(
            "DataCopy", "local", (Arg(target, "dst", dtype), Arg(source, "src", dtype), Arg(str(count), "copy"))
        )

        def apply(state: State) -> None:
            state.tensors[target][:count] = state.tensors[source][:count]

        scope.emit([call], apply, {target: scope.quality[source]}, full=False)
        return True
    target = scope.target(dtype, avoid=[source], full=False)
    lanes = elements.REPEAT // each
    to = addressing.target_strides(scope.chance, lanes, each)
    read = addressing.source_strides(scope.chance, lanes, each)
    repeats = addressing.repeats(scope.chance, scope.room, [(to, lanes, each), (read, lanes, each)])
    if not repeats:
        return False
    mask = addressing.mask(scope.chance, lanes, scope.fresh("mask"), constant=True)
    call = Call("Copy", "bits" if mask.setup else "mask", (Arg(to.operand(target, each), "dst", dtype),
                Arg(read.operand(source, each), "src", dtype),
                Arg(mask.text, "bits" if mask.setup else "mask", dtype), Arg(str(repeats), "repeat"),
                Arg(f"{{{to.block}, {read.block}, {to.repeat}, {read.repeat}}}", "params")))  # fmt: skip

    def apply_masked(state: State) -> None:
        where = to.indices(repeats, lanes, each)[:, mask.lanes]
        state.tensors[target][where] = state.tensors[source][read.indices(repeats, lanes, each)[:, mask.lanes]]

    before = [Line(mask.setup)] if mask.setup else []
    scope.emit([*before, call], apply_masked, {target: scope.quality[source]}, full=False)
    return True


def gather(scope: Scope) -> bool:
    """Gather by computed byte offsets: the identity, reversed, or every element twice."""
    source = scope.source([t for t in WIDE if t in element_types("Gather")])
    if source is None:
        return False
    dtype = scope.types[source]
    each = elements.size(dtype)
    index = scope.fresh("offset")
    scope.types[index] = scope.work[index] = "int32_t"
    target = scope.target(dtype, avoid=[source])
    how = scope.chance.choice(("identity", "reverse", "twice") if scope.whole else ("identity",))
    rows: list[Call | Line] = [
        Call("CreateVecIndex", "count", (Arg(index, "dst", "int32_t"), Arg("static_cast<int32_t>(0)", "scalar"),
             scope.count_arg())),
    ]  # fmt: skip
    if how == "twice":
        rows.append(_step(scope, "ShiftRight", index, 1))
    rows.append(_step(scope, "Muls", index, -each if how == "reverse" else each))
    if how == "reverse":
        rows.append(_step(scope, "Adds", index, each * (scope.room - 1)))
    rows.append(
        Call("Gather", "count", (Arg(target, "dst", dtype), Arg(source, "src", dtype),
             Arg(f"{index}.ReinterpretCast<uint32_t>()", "offset"), Arg("0", "more"), scope.count_arg()))
    )  # fmt: skip

    def apply(state: State) -> None:
        values = state.tensors[source][: state.n]
        at = np.arange(state.n)
        at = at if how == "identity" else at[::-1] if how == "reverse" else at // 2
        state.tensors[target][: state.n] = values[at].copy()

    scope.emit(rows, apply, {target: scope.quality[source]})
    return True


def _step(scope: Scope, api: str, index: str, value: int) -> Call:
    return Call(api, "count", (Arg(index, "dst", "int32_t"), Arg(index, "src", "int32_t"),
                Arg(f"static_cast<int32_t>({value})", "scalar", "int32_t"), scope.count_arg()))  # fmt: skip


def gather_blocks(scope: Scope) -> bool:
    """Gatherb: whole blocks by byte offsets."""
    source = scope.source(("uint16_t", "uint32_t"))
    if source is None or not scope.whole:
        return False
    dtype = scope.types[source]
    each = elements.size(dtype)
    index = scope.fresh("offset")
    scope.types[index] = scope.work[index] = "int32_t"
    repeats = scope.chance.randint(1, scope.room * each // 256)
    target = scope.target(dtype, avoid=[source], full=False)
    count = Arg(str(8 * repeats), "count")
    rows: list[Call | Line] = [
        Call("CreateVecIndex", "count",
             (Arg(index, "dst", "int32_t"), Arg("static_cast<int32_t>(0)", "scalar"), count)),
        Call("Muls", "count", (Arg(index, "dst", "int32_t"), Arg(index, "src", "int32_t"),
             Arg("static_cast<int32_t>(-32)", "scalar", "int32_t"), count)),
        Call("Adds", "count", (Arg(index, "dst", "int32_t"), Arg(index, "src", "int32_t"),
             Arg(f"static_cast<int32_t>({32 * (8 * repeats - 1)})", "scalar", "int32_t"), count)),
        Call("Gatherb", "blocks", (Arg(target, "dst", dtype), Arg(source, "src", dtype),
             Arg(f"{index}.ReinterpretCast<uint32_t>()", "offset"), Arg(str(repeats), "repeat"),
             Arg("{1, 8}", "params"))),
    ]  # fmt: skip
    much = repeats * 256 // each

    def apply(state: State) -> None:
        blocks = state.tensors[source][:much].reshape(-1, 32 // each)
        state.tensors[target][:much] = blocks[::-1].reshape(-1)

    scope.emit(rows, apply, {target: scope.quality[source]}, full=False)
    return True


def compact(scope: Scope) -> bool:
    """GatherMask with a built-in pattern."""
    source = scope.source(WIDE)
    if source is None or not scope.whole:
        return False
    dtype = scope.types[source]
    pattern = scope.chance.randint(1, 7)
    lanes = elements.REPEAT // elements.size(dtype)
    repeats = scope.chance.randint(1, scope.room // lanes)
    target = scope.target(dtype, avoid=[source], full=False)
    kept = scope.fresh("kept")
    call = Call("GatherMask", "pattern", (Arg(target, "dst", dtype), Arg(source, "src", dtype),
                Arg(str(pattern), "pattern"), Arg("false", "more"), Arg("0", "more"),
                Arg(f"{{1, {repeats}, 8, 0}}", "params"), Arg(kept, "more")))  # fmt: skip
    step = {1: (0, 2), 2: (1, 2), 3: (0, 4), 4: (1, 4), 5: (2, 4), 6: (3, 4), 7: (0, 1)}[pattern]

    def apply(state: State) -> None:
        values = state.tensors[source][: repeats * lanes][step[0] :: step[1]]
        state.tensors[target][: values.size] = values

    scope.emit([Line(f"uint64_t {kept} = 0;"), call], apply, {target: scope.quality[source]}, full=False)
    return True


def spread(scope: Scope) -> bool:
    """Brcb: every element fills a block."""
    source = scope.source([t for t in WIDE if t in element_types("Brcb")])
    if source is None or not scope.whole:
        return False
    dtype = scope.types[source]
    each = 32 // elements.size(dtype)
    repeats = scope.chance.randint(1, scope.room // (8 * each))
    target = scope.target(dtype, avoid=[source], full=False)
    call = Call("Brcb", "repeat", (Arg(target, "dst", dtype), Arg(source, "src", dtype), Arg(str(repeats), "repeat"),
                Arg("{1, 8}", "params")))  # fmt: skip

    def apply(state: State) -> None:
        values = np.repeat(state.tensors[source][: 8 * repeats], each)
        state.tensors[target][: values.size] = values

    scope.emit([call], apply, {target: scope.quality[source]}, full=False)
    return True


def transpose(scope: Scope) -> bool:
    """A 16x16 transposition of 16-bit elements, by Transpose or TransDataTo5HD."""
    source = scope.source(("half", "int16_t", "uint16_t"))
    if source is None or not scope.whole:
        return False
    dtype = scope.types[source]
    target = scope.target(dtype, avoid=[source], full=False)
    if scope.chance.random() < 0.5:
        rows: list[Call | Line] = [Call("Transpose", "16", (Arg(target, "dst", dtype), Arg(source, "src", dtype)))]
    else:
        into, come = scope.fresh("to"), scope.fresh("from")
        rows = [
            Line(f"LocalTensor<{dtype}> {into}[16];"),
            Line(f"LocalTensor<{dtype}> {come}[16];"),
            Line("for (int k = 0; k < 16; ++k) {"),
            Line(f"{into}[k] = {target}[k * 16];"),
            Line(f"{come}[k] = {source}[k * 16];"),
            Line("}"),
            Call("TransDataTo5HD", "tensors", (Arg(into, "list", dtype), Arg(come, "list", dtype),
                 Arg("TransDataTo5HDParams(false, false, 1, 0, 0)", "params")), f"<{dtype}>"),
        ]  # fmt: skip

    def apply(state: State) -> None:
        state.tensors[target][:256] = state.tensors[source][:256].reshape(16, 16).T.reshape(-1)

    scope.emit(rows, apply, {target: scope.quality[source]}, full=False)
    return True


def sort(scope: Scope) -> bool:
    """Sort32 with indices that count up."""
    source = scope.source(("float", "half"))
    if source is None or not scope.whole:
        return False
    dtype = scope.types[source]
    each = elements.size(dtype)
    wide = 8 // each
    repeats = scope.chance.randint(1, scope.room // (32 * wide))
    index = scope.fresh("index")
    scope.types[index] = scope.work[index] = "int32_t"
    target = scope.target(dtype, avoid=[source], full=False)
    rows: list[Call | Line] = [
        Call("CreateVecIndex", "count", (Arg(index, "dst", "int32_t"), Arg("static_cast<int32_t>(0)", "scalar"),
             Arg(str(scope.room), "count"))),
        Call("Sort32", "repeat", (Arg(target, "dst", dtype), Arg(source, "src", dtype),
             Arg(f"{index}.ReinterpretCast<uint32_t>()", "more"), Arg(str(repeats), "repeat"))),
    ]  # fmt: skip

    def apply(state: State) -> None:
        scores = state.tensors[source][: 32 * repeats].reshape(repeats, 32)
        at = np.argsort(-scores.astype(np.float64), axis=1, kind="stable")
        out = state.tensors[target][: 32 * repeats * wide]
        out.reshape(-1, wide)[:, 0] = np.take_along_axis(scores, at, 1).reshape(-1)
        out.view(np.uint32).reshape(-1, 2)[:, 1] = (at + 32 * np.arange(repeats)[:, None]).reshape(-1)

    # between score and index a half has two bytes that no document defines
    quality = EXACT if dtype == "float" and scope.worst(source) == EXACT and not scope.specials else UNKNOWN
    scope.emit(rows, apply, {target: quality}, full=False)
    return True


def scalar(scope: Scope) -> bool:
    """GetValue of one tensor goes into another one by SetValue or as the operand of Adds."""
    source = scope.source(("half", "float", "int16_t", "int32_t"))
    if source is None or not scope.whole or not scope.autosync:
        return False
    dtype = scope.types[source]
    at = scope.chance.randrange(scope.room)
    name = scope.fresh("v")
    read = Line(f"{dtype} {name} = {source}.GetValue({at});", "get-value")
    if scope.chance.random() < 0.5:
        target = scope.target(dtype, full=False)
        where = scope.chance.randrange(scope.room)

        def apply_set(state: State) -> None:
            state.tensors[target][where] = state.tensors[source][at]

        write = Line(f"{target}.SetValue({where}, {name});", "set-value", target)
        scope.used.append(("SetValue", "scalar", dtype))
        scope.emit([read, write], apply_set, {target: scope.quality[source]}, full=False)
        return True
    other = scope.source([dtype])
    assert other is not None
    target = scope.target(dtype)

    def apply(state: State) -> None:
        state.tensors[target][:] = state.tensors[other] + state.tensors[source][at]

    call = Call("Adds", "count", (Arg(target, "dst", dtype), Arg(other, "src", dtype), Arg(name, "scalar", dtype),
                scope.count_arg()))  # fmt: skip
    scope.emit([read, call], apply, {target: scope.worst(source, other)})
    return True


def fused(scope: Scope) -> bool:
    """Axpy and MulAddDst, also from half onto float; they round once, so their values are not compared."""
    source = scope.source(("half", "float"))
    if source is None:
        return False
    kind = scope.types[source]
    dtype = scope.chance.choice(("half", "float")) if kind == "half" else "float"
    target = scope.target(dtype, avoid=[source], full=False)
    first = (Arg(target, "dst", dtype), Arg(source, "src", kind))
    if scope.chance.random() < 0.5:
        text, _ = elements.literal(kind, scope.chance)
        call = Call("Axpy", "count", (*first, Arg(text, "scalar", kind), scope.count_arg()))
    else:
        other = scope.source([kind])
        assert other is not None
        if other == target:
            return False
        call = Call("MulAddDst", "count", (*first, Arg(other, "src", kind), scope.count_arg()))
    scope.emit([call], lambda state: None, {target: UNKNOWN}, full=False)
    return True


FAMILIES: tuple[Callable[[Scope], bool], ...] = (
    fill, ramp, copy, gather, gather_blocks, compact, spread, transpose, sort, scalar, fused,
)  # fmt: skip
