"""Statements that few kernels have: accumulation over repeats, register forms, raw intrinsics, merging, patterns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from agentkernel.testing.fuzz import elements
from agentkernel.testing.fuzz.program import CLOSE, EXACT, UNKNOWN, Arg, Call, Line, State
from agentkernel.testing.fuzz.scope import Scope

_TYPES = ("half", "int32_t", "float")


def accumulate(scope: Scope) -> bool:
    """Add or Max over repeats: the destination is the second source, both with a repeat stride of 0."""
    source = scope.source(_TYPES)
    if source is None or not scope.whole:
        return False
    dtype = scope.types[source]
    lanes = elements.REPEAT // elements.size(dtype)
    target = scope.target(dtype, avoid=[source], full=False)
    repeats = scope.chance.randint(1, scope.room // lanes)
    api, step = scope.chance.choice((("Add", np.add), ("Max", np.maximum), ("Min", np.minimum)))
    call = Call(api, "accumulate", (Arg(target, "dst", dtype), Arg(source, "src", dtype), Arg(target, "more", dtype),
                Arg(str(lanes), "mask", dtype), Arg(str(repeats), "more"),
                Arg("{1, 1, 1, 0, 8, 0}", "more")))  # fmt: skip

    def apply(state: State) -> None:
        total = state.tensors[target][:lanes].copy()
        for row in state.tensors[source][: repeats * lanes].reshape(repeats, lanes):
            total = step(row, total).astype(total.dtype)
        state.tensors[target][:lanes] = total

    quality = EXACT if scope.worst(source, target) == EXACT else UNKNOWN
    scope.emit([call], apply, {target: quality}, full=False)
    return True


def register_select(scope: Scope) -> bool:
    """A comparison into the register, whose bits choose in every repeat."""
    first = scope.source(("half", "float"))
    if first is None or not scope.whole:
        return False
    dtype = scope.types[first]
    lanes = elements.REPEAT // elements.size(dtype)
    left, right, second = (scope.source([dtype]) for _ in range(3))
    assert left is not None and right is not None and second is not None
    target = scope.target(dtype, avoid=[first, second, left, right], full=False)
    repeats = scope.chance.randint(1, scope.room // lanes)
    compare = Call("Compare", "register", (Arg(left, "src", dtype), Arg(right, "src", dtype),
                   Arg("CMPMODE::LT", "mode"), Arg(str(lanes), "mask", dtype),
                   Arg("{1, 1, 1, 8, 8, 8}", "more")))  # fmt: skip
    select = Call("Select", "register", (Arg(target, "dst", dtype), Arg(first, "src", dtype), Arg(second, "src", dtype),
                  Arg(str(repeats), "repeat"), Arg("{1, 1, 1, 8, 8, 8}", "more")),
                  f"<{dtype}, SELMODE::VSEL_CMPMASK_SPR>")  # fmt: skip

    def apply(state: State) -> None:
        on = np.tile(state.tensors[left][:lanes] < state.tensors[right][:lanes], repeats)
        much = repeats * lanes
        state.tensors[target][:much] = np.where(on, state.tensors[first][:much], state.tensors[second][:much])

    quality = EXACT if scope.worst(first, second, left, right) == EXACT else UNKNOWN
    scope.emit([compare, select], apply, {target: quality}, full=False)
    return True


def raw(scope: Scope) -> bool:
    """A raw intrinsic between barriers: the compiler does not order raw pointers."""
    source = scope.source(("half", "float"))
    if source is None or not scope.whole:
        return False
    dtype = scope.types[source]
    lanes = elements.REPEAT // elements.size(dtype)
    other = scope.source([dtype])
    assert other is not None
    target = scope.target(dtype, avoid=[source, other], full=False)
    repeats = scope.chance.randint(1, scope.room // lanes)
    name, step = scope.chance.choice(
        (("vadd", np.add), ("vsub", np.subtract), ("vmul", np.multiply), ("vmax", np.maximum))
    )
    pointers = [f"(__ubuf__ {dtype}*){t}.GetPhyAddr()" for t in (target, source, other)]
    barrier = Line("PipeBarrier<PIPE_V>();", "raw-barrier")
    call = Call(name, "raw", (*(Arg(p, "pointer", dtype) for p in pointers), Arg(str(repeats), "more"),
                *(Arg(n, "more") for n in "111888")))  # fmt: skip
    mask = Line("set_vector_mask((uint64_t)-1, (uint64_t)-1);", "mask")

    def apply(state: State) -> None:
        much = repeats * lanes
        result = step(state.tensors[source][:much], state.tensors[other][:much])
        state.tensors[target][:much] = result.astype(state.tensors[target].dtype)

    scope.emit([barrier, mask, call, barrier], apply, {target: scope.worst(source, other)}, full=False)
    return True


def merge(scope: Scope) -> bool:
    """Sort32 of two or four runs, then MrgSort of them."""
    source = scope.source(("float",))
    if source is None or not scope.whole or scope.specials:
        return False
    runs = scope.chance.choice((2, 4) if scope.room >= 512 else (2,))
    index, sorted_runs = scope.fresh("index"), scope.fresh("runs")
    scope.types[index] = scope.work[index] = "int32_t"
    scope.types[sorted_runs] = scope.work[sorted_runs] = "float"
    target = scope.target("float", avoid=[source, sorted_runs], full=False)
    much = 32 * runs
    queues = ", ".join(f"{sorted_runs}[{64 * min(i, runs - 1)}]" for i in range(4))
    lengths = ", ".join("32" if i < runs else "0" for i in range(4))
    name = scope.fresh("lengths")
    rows: list[Call | Line] = [
        Call("CreateVecIndex", "count", (Arg(index, "dst", "int32_t"), Arg("static_cast<int32_t>(0)", "scalar"),
             Arg(str(scope.room), "count"))),
        Call("Sort32", "repeat", (Arg(sorted_runs, "dst", "float"), Arg(source, "src", "float"),
             Arg(f"{index}.ReinterpretCast<uint32_t>()", "more"), Arg(str(runs), "more"))),
        Line(f"uint16_t {name}[4] = {{{lengths}}};"),
        Call("MrgSort", "queues", (Arg(target, "dst", "float"), Arg(f"MrgSortSrcList<float>({queues})", "more"),
             Arg(f"MrgSort4Info({name}, false, {2**runs - 1}, 1)", "more")), "<float>"),
    ]  # fmt: skip

    def apply(state: State) -> None:
        scores = state.tensors[source][:much]
        at = np.argsort(-scores.astype(np.float64), kind="stable")
        out = state.tensors[target][: 2 * much]
        out[0::2] = scores[at]
        out.view(np.uint32)[1::2] = at

    scope.emit(rows, apply, {target: EXACT if scope.worst(source) == EXACT else UNKNOWN}, full=False)
    return True


def two_sources(scope: Scope) -> bool:
    """A library function of two sources."""
    api, types = scope.chance.choice(
        (("Xor", ("int16_t", "uint16_t")), ("Fmod", ("half", "float")), ("Power", ("float",)))
    )
    source = scope.source(types)
    if source is None or not scope.autosync:
        return False
    dtype = scope.types[source]
    other = scope.source([dtype])
    assert other is not None
    target = scope.target(dtype, avoid=[source, other])
    given = not scope.pool or scope.chance.random() < 0.5
    scope.scratch |= given
    call = Call(api, "library-scratch" if given else "library", (Arg(target, "dst", dtype), Arg(source, "src", dtype),
                Arg(other, "src", dtype), *([Arg("scratch", "tmp", "uint8_t")] if given else []),
                scope.count_arg()))  # fmt: skip

    def apply(state: State) -> None:
        if api == "Xor":
            n = state.n
            state.tensors[target][:n] = state.tensors[source][:n] ^ state.tensors[other][:n]

    scope.emit([call], apply, {target: scope.worst(source, other) if api == "Xor" else UNKNOWN})
    return True


def clamp(scope: Scope) -> bool:
    """ClampMax or ClampMin."""
    source = scope.source(("half", "float"))
    if source is None or not scope.autosync or scope.specials:
        return False
    dtype = scope.types[source]
    target = scope.target(dtype, avoid=[source])
    text, value = elements.literal(dtype, scope.chance)
    api, step = scope.chance.choice((("ClampMax", np.minimum), ("ClampMin", np.maximum)))
    given = not scope.pool or scope.chance.random() < 0.5
    scope.scratch |= given
    call = Call(api, "library-scratch" if given else "library", (Arg(target, "dst", dtype), Arg(source, "src", dtype),
                *([Arg("scratch", "tmp", "uint8_t")] if given else []),
                Arg(text, "scalar"), scope.count_arg()))  # fmt: skip

    def apply(state: State) -> None:
        state.tensors[target][: state.n] = step(state.tensors[source][: state.n], value)

    scope.emit([call], apply, {target: EXACT if scope.worst(source) == EXACT else UNKNOWN})
    return True


def arange(scope: Scope) -> bool:
    """Arange: first, first + step, ..."""
    if not scope.autosync:
        return False
    dtype = scope.chance.choice(("int16_t", "int32_t", "float"))
    target = scope.target(dtype)
    first, step = scope.chance.randint(-9, 9), scope.chance.randint(0, 3)
    call = Call("Arange", "count", (Arg(target, "dst", dtype), Arg(f"static_cast<{dtype}>({first})", "scalar"),
                Arg(f"static_cast<{dtype}>({step})", "scalar"), scope.count_arg()), f"<{dtype}>")  # fmt: skip

    def apply(state: State) -> None:
        state.tensors[target][: state.n] = first + step * np.arange(state.n)

    scope.emit([call], apply, {target: EXACT})
    return True


def rows(scope: Scope) -> bool:
    """ReduceMax, ReduceMin or ReduceSum of the rows or columns of a matrix."""
    source = scope.source(("float",))
    if source is None or not scope.whole or not scope.autosync or scope.specials:
        return False
    api, step = scope.chance.choice((("ReduceMax", np.max), ("ReduceMin", np.min), ("ReduceSum", np.sum)))
    width = scope.chance.choice((8, 32, 64, 128))
    height = scope.room // width
    across = scope.chance.random() < 0.5
    target = scope.target("float", avoid=[source], full=False)
    shape = scope.fresh("shape")
    given = not scope.pool or scope.chance.random() < 0.5
    scope.scratch |= given
    call = Call(api, "pattern", (Arg(target, "rdst", "float"), Arg(source, "src", "float"),
                *([Arg("scratch", "tmp", "uint8_t")] if given else []), Arg(shape, "more"), Arg("true", "more")),
                f"<float, Pattern::Reduce::{'AR' if across else 'RA'}>")  # fmt: skip

    def apply(state: State) -> None:
        result = step(state.tensors[source].reshape(height, width), axis=1 if across else 0)
        state.tensors[target][: result.size] = result

    known = UNKNOWN if scope.worst(source) != EXACT else CLOSE if api == "ReduceSum" else EXACT
    setup = Line(f"uint32_t {shape}[2] = {{{height}, {width}}};")
    scope.emit([setup, call], apply, {target: known}, full=False)
    return True


def words(scope: Scope) -> bool:
    """Logic on the 16-bit words of wider elements."""
    source = scope.source(("float", "int32_t", "uint32_t", "half", "bfloat16_t"))
    if source is None or not scope.whole:
        return False
    dtype = scope.types[source]
    target = scope.target(dtype)
    much = scope.room * elements.size(dtype) // 2
    view = ".ReinterpretCast<uint16_t>()"
    call = Call("Not", "view", (Arg(f"{target}{view}", "dst", "uint16_t"), Arg(f"{source}{view}", "src", "uint16_t"),
                Arg(str(much), "count")))  # fmt: skip

    def apply(state: State) -> None:
        state.tensors[target].view(np.uint16)[:] = ~state.tensors[source].view(np.uint16)

    # the bits of a NaN may change in the model's own conversions
    exact = scope.worst(source) == EXACT and not elements.is_float(dtype)
    scope.emit([call], apply, {target: EXACT if exact else UNKNOWN})
    return True


FAMILIES: tuple[Callable[[Scope], bool], ...] = (
    accumulate, register_select, raw, merge, two_sources, clamp, arange, rows, words,
)  # fmt: skip
