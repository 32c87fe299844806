"""Further forms: comparisons, selections and gathers by repeats, patterns in tensors, narrowing, broadcasts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from agentkernel.testing.fuzz import addressing, elements
from agentkernel.testing.fuzz.program import EXACT, UNKNOWN, Arg, Call, Line, State
from agentkernel.testing.fuzz.scope import Scope

_DENSE = "{1, 1, 1, 8, 8, 8}"
_PAIRS = (("int8_t", "half"), ("half", "float"), ("int8_t", "int16_t"))


def select_by_repeats(scope: Scope) -> bool:
    """Compare and Select with repeats: every repeat has bits of its own, masked lanes keep what they hold."""
    first = scope.source(("half", "float"))
    if first is None or not scope.whole:
        return False
    dtype = scope.types[first]
    left, right, second = (scope.source([dtype]) for _ in range(3))
    assert left is not None and right is not None and second is not None
    lanes = elements.REPEAT // elements.size(dtype)
    repeats = scope.chance.randint(1, scope.room // lanes)
    bits = scope.fresh("bits")
    scope.types[bits] = scope.work[bits] = "uint8_t"
    target = scope.target(dtype, avoid=[first, second, left, right], full=False)
    mask = addressing.mask(scope.chance, lanes, scope.fresh("mask"), constant=False)
    masks = Arg(mask.text, "bits" if mask.setup else "mask", dtype)
    mode = scope.chance.choice(("LT", "GE", "EQ"))
    compare = Call("Compare", "repeat", (Arg(bits, "dst", "uint8_t"), Arg(left, "src", dtype), Arg(right, "src", dtype),
                   Arg(f"CMPMODE::{mode}", "mode"), Arg(str(lanes), "more"), Arg(str(repeats), "more"),
                   Arg(_DENSE, "more")))  # fmt: skip
    select = Call("Select", "bits" if mask.setup else "mask", (Arg(target, "dst", dtype),
                  Arg(bits, "bitmask", "uint8_t"), Arg(first, "src", dtype), Arg(second, "src", dtype),
                  Arg("SELMODE::VSEL_TENSOR_TENSOR_MODE", "mode"), masks, Arg(str(repeats), "more"),
                  Arg(_DENSE, "more")))  # fmt: skip

    def apply(state: State) -> None:
        much = repeats * lanes
        a, b = state.tensors[left][:much], state.tensors[right][:much]
        on = {"LT": a < b, "GE": a >= b, "EQ": a == b}[mode]
        chosen = np.where(on, state.tensors[first][:much], state.tensors[second][:much])
        lane = np.tile(mask.lanes, repeats)
        state.tensors[target][:much][lane] = chosen[lane]

    quality = EXACT if scope.worst(first, second, left, right) == EXACT else UNKNOWN
    before = [Line(mask.setup)] if mask.setup else []
    scope.emit([*before, compare, select], apply, {target: quality}, full=False)
    return True


def gather_by_repeats(scope: Scope) -> bool:
    """Gather with mask and repeats."""
    source = scope.source(("half", "float", "int16_t", "int32_t", "uint16_t", "uint32_t"))
    if source is None or not scope.whole:
        return False
    dtype = scope.types[source]
    each = elements.size(dtype)
    lanes = elements.REPEAT // each
    repeats = scope.chance.randint(1, scope.room // lanes)
    index = scope.fresh("offset")
    scope.types[index] = scope.work[index] = "int32_t"
    target = scope.target(dtype, avoid=[source], full=False)
    mask = addressing.mask(scope.chance, lanes, scope.fresh("mask"), constant=True)
    count = Arg(str(scope.room), "count")
    last = each * (scope.room - 1)
    base = 0 if scope.chance.random() < 0.5 else last - each * (repeats * lanes - 1)
    rows: list[Call | Line] = [
        *([Line(mask.setup)] if mask.setup else []),
        Call("CreateVecIndex", "count",
             (Arg(index, "dst", "int32_t"), Arg("static_cast<int32_t>(0)", "scalar"), count)),
        Call("Muls", "count", (Arg(index, "dst", "int32_t"), Arg(index, "src", "int32_t"),
             Arg(f"static_cast<int32_t>({-each})", "scalar", "int32_t"), count)),
        Call("Adds", "count", (Arg(index, "dst", "int32_t"), Arg(index, "src", "int32_t"),
             Arg(f"static_cast<int32_t>({last - base})", "scalar", "int32_t"), count)),
        Call("Gather", "bits" if mask.setup else "mask", (Arg(target, "dst", dtype), Arg(source, "more", dtype),
             Arg(f"{index}.ReinterpretCast<uint32_t>()", "offset"), Arg(str(base), "more"),
             Arg(mask.text, "bits" if mask.setup else "mask", dtype), Arg(str(repeats), "more"), Arg("8", "stride"))),
    ]  # fmt: skip

    def apply(state: State) -> None:
        much = repeats * lanes
        lane = np.tile(mask.lanes, repeats)
        state.tensors[target][:much][lane] = state.tensors[source][::-1][:much][lane]

    scope.emit(rows, apply, {target: scope.quality[source]}, full=False)
    return True


def compact_by_tensor(scope: Scope) -> bool:
    """GatherMask with a pattern in a tensor: over repeats, or over a number of elements."""
    source = scope.source(("half", "float", "int16_t", "int32_t", "uint16_t", "uint32_t"))
    if source is None or not scope.whole:
        return False
    dtype = scope.types[source]
    each = elements.size(dtype)
    kind = "uint16_t" if each == 2 else "uint32_t"
    lanes = elements.REPEAT // each
    repeats = scope.chance.randint(1, scope.room // lanes)
    pattern = scope.fresh("pattern")
    scope.types[pattern] = scope.work[pattern] = kind
    target = scope.target(dtype, avoid=[source], full=False)
    word = scope.chance.choice((0x5555, 0x8001, 0x0F0F, 0xFFFF, 0x0002))
    word = word if each == 2 else word << 16 | word
    counter = scope.chance.random() < 0.4
    count = scope.chance.randint(1, scope.room) if counter else repeats * lanes
    kept = scope.fresh("kept")
    rows: list[Call | Line] = [
        Call("Duplicate", "count", (Arg(pattern, "dst", kind), Arg(f"static_cast<{kind}>({word:#x})", "scalar", kind),
             Arg(str(scope.room), "count"))),
        Line(f"uint64_t {kept} = 0;"),
        Call("GatherMask", "tensor", (Arg(target, "dst", dtype), Arg(source, "more", dtype), Arg(pattern, "more", kind),
             Arg(str(counter).lower(), "more"), Arg(str(count if counter else 0), "more"),
             Arg(f"{{1, {1 if counter else repeats}, 8, 1}}", "more"), Arg(kept, "more"))),
    ]  # fmt: skip

    def apply(state: State) -> None:
        on = np.array([word >> (i % (8 * each)) & 1 for i in range(count)], dtype=bool)
        values = state.tensors[source][:count][on]
        state.tensors[target][: values.size] = values

    scope.emit(rows, apply, {target: scope.quality[source]}, full=False)
    return True


def narrowing(scope: Scope) -> bool:
    """AddReluCast, SubReluCast and MulCast; what they round is not compared."""
    target_type, source_type = scope.chance.choice(_PAIRS)
    source = scope.source([source_type])
    if source is None:
        return False
    other = scope.source([source_type])
    assert other is not None
    api = scope.chance.choice(("AddReluCast", "SubReluCast"))
    if source_type == "half" and scope.chance.random() < 0.4:
        api, target_type = "MulCast", scope.chance.choice(("int8_t", "uint8_t"))
    target = scope.target(target_type, avoid=[source, other])
    call = Call(api, "count", (Arg(target, "dst", target_type), Arg(source, "src", source_type),
                Arg(other, "src", source_type), scope.count_arg()))  # fmt: skip
    scope.emit([call], lambda state: None, {target: UNKNOWN})
    return True


def broadcast(scope: Scope) -> bool:
    """Broadcast of a column over rows, or of a row over columns."""
    source = scope.source(("half", "float"))
    if source is None or not scope.whole or not scope.autosync:
        return False
    dtype = scope.types[source]
    width = scope.chance.choice((16, 32, 64))
    height = scope.room // width
    column = scope.chance.random() < 0.5
    target = scope.target(dtype, avoid=[source])
    into, come = scope.fresh("into"), scope.fresh("come")
    given = not scope.pool or scope.chance.random() < 0.5
    scope.scratch |= given
    shape = f"{height}, 1" if column else f"1, {width}"
    rows: list[Call | Line] = [
        Line(f"uint32_t {into}[2] = {{{height}, {width}}};"),
        Line(f"uint32_t {come}[2] = {{{shape}}};"),
        Call("Broadcast", "library-scratch" if given else "library", (Arg(target, "dst", dtype),
             Arg(source, "src", dtype), Arg(into, "more"), Arg(come, "more"),
             *([Arg("scratch", "tmp", "uint8_t")] if given else [])), f"<{dtype}, 2, {1 if column else 0}>"),
    ]  # fmt: skip

    def apply(state: State) -> None:
        values = state.tensors[source][:height] if column else state.tensors[source][:width]
        state.tensors[target][:] = np.repeat(values, width) if column else np.tile(values, height)

    scope.emit(rows, apply, {target: scope.quality[source]}, full=height * width == scope.room)
    return True


def sums(scope: Scope) -> bool:
    """Sum or Mean of the rows of a matrix."""
    source = scope.source(("half", "float"))
    if source is None or not scope.whole or not scope.autosync:
        return False
    dtype = scope.types[source]
    inner = scope.chance.choice((16, 32, 64))
    outer = scope.room // inner
    n = scope.chance.randint(1, inner)
    target = scope.target(dtype, avoid=[source], full=False)
    scope.scratch = True
    api = scope.chance.choice(("Sum", "Mean"))
    call = Call(api, "rows", (Arg(target, "rdst", dtype), Arg(source, "src", dtype), Arg("scratch", "tmp", "uint8_t"),
                Arg(f"{api}Params{{{outer}, {inner}, {n}}}", "more")))  # fmt: skip
    scope.emit([call], lambda state: None, {target: UNKNOWN}, full=False)
    return True


def fused_by_repeats(scope: Scope) -> bool:
    """Axpy and MulAddDst with mask and repeats, also from half onto float."""
    source = scope.source(("half", "float"))
    if source is None or not scope.whole:
        return False
    kind = scope.types[source]
    dtype = scope.chance.choice(("half", "float")) if kind == "half" else "float"
    lanes = elements.REPEAT // elements.size(dtype)
    target = scope.target(dtype, avoid=[source], full=False)
    repeats = scope.chance.randint(1, scope.room // lanes)
    mask = addressing.mask(scope.chance, lanes, scope.fresh("mask"), constant=False)
    step = 8 * elements.size(kind) // elements.size(dtype)
    masks = (Arg(mask.text, "bits" if mask.setup else "mask", dtype), Arg(str(repeats), "repeat"))
    first = (Arg(target, "dst", dtype), Arg(source, "src", kind))
    form = "bits" if mask.setup else "mask"
    if scope.chance.random() < 0.5:
        text, _ = elements.literal(kind, scope.chance)
        call = Call("Axpy", form, (*first, Arg(text, "scalar", kind), *masks, Arg(f"{{1, 1, 8, {step}}}", "more")))
    else:
        other = scope.source([kind])
        assert other is not None
        if other == target:
            return False
        call = Call("MulAddDst", form, (*first, Arg(other, "src", kind), *masks,
                    Arg(f"{{1, 1, 1, 8, {step}, {step}}}", "more")))  # fmt: skip
    before = [Line(mask.setup)] if mask.setup else []
    scope.emit([*before, call], lambda state: None, {target: UNKNOWN}, full=False)
    return True


FAMILIES: tuple[Callable[[Scope], bool], ...] = (
    select_by_repeats, gather_by_repeats, compact_by_tensor, narrowing, broadcast, sums, fused_by_repeats,
)  # fmt: skip
