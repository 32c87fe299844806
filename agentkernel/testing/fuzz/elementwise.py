"""Elementwise statements: two sources, one source, tensor and scalar, and the library functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from agentkernel.testing.fuzz import addressing, elements
from agentkernel.testing.fuzz.catalogue import functions
from agentkernel.testing.fuzz.elements import Array
from agentkernel.testing.fuzz.program import CLOSE, EXACT, UNKNOWN, Arg, Call, Line, State
from agentkernel.testing.fuzz.scope import Scope

Formula = Callable[..., Array]

BINARY: dict[str, Formula] = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "Div": lambda a, b: a / b,
    "Max": np.maximum,
    "Min": np.minimum,
    "And": lambda a, b: a & b,
    "Or": lambda a, b: a | b,
    "AddRelu": lambda a, b: np.maximum(a + b, 0),
    "SubRelu": lambda a, b: np.maximum(a - b, 0),
}
"""Results from the sources, rounded once; functions that are missing are not compared."""
UNARY: dict[str, Formula] = {
    "Abs": np.abs,
    "Not": lambda a: ~a,
    "Relu": lambda a: np.maximum(a, 0),
    "Exp": np.exp,
    "Ln": np.log,
    "Sqrt": np.sqrt,
    "Floor": np.floor,
    "Ceil": np.ceil,
    "Trunc": np.trunc,
    "Round": np.rint,
}
"""Without Sign: what it gives for NaN is not documented."""
ROUNDED = frozenset({"Exp", "Ln", "Sqrt"})
"""Results that are only close to the formula's."""


def _shift_left(a: Array, s: int) -> Array:
    if a.dtype.kind == "u":
        logical: Array = a << a.dtype.type(s)
        return logical
    sign: Array = a & np.iinfo(a.dtype).min
    moved: Array = (a << a.dtype.type(s)) & np.iinfo(a.dtype).max
    found: Array = sign | moved
    return found


SCALAR: dict[str, Formula] = {
    "Adds": lambda a, s: a + s,
    "Muls": lambda a, s: a * s,
    "Maxs": np.maximum,
    "Mins": np.minimum,
    "LeakyRelu": lambda a, s: np.where(a >= 0, a, a * s),
    "ShiftLeft": lambda a, s: _shift_left(a, int(s)),
    "ShiftRight": lambda a, s: a >> a.dtype.type(int(s)),
}
READS_TARGET = frozenset({"FusedMulAdd", "FusedMulAddRelu", "MulAddRelu"})


def _saturates(api: str, dtype: str) -> bool:
    """Whether the documents leave open what an overflow gives before the relu."""
    return api in ("AddRelu", "SubRelu") and not elements.is_float(dtype)


def _quality(api: str, table: dict[str, Formula], sources: int, dtype: str) -> int:
    if api not in table or sources != EXACT or _saturates(api, dtype):
        return UNKNOWN
    return CLOSE if api in ROUNDED else EXACT


def _scalar_of(scope: Scope, api: str, dtype: str) -> tuple[str, Any]:
    if api.startswith("Shift"):
        bits = scope.chance.randint(0, 8 * elements.size(dtype) - 1)
        return f"static_cast<{dtype}>({bits})", bits
    return elements.literal(dtype, scope.chance)


def counted(scope: Scope, kind: str) -> bool:
    """A call with an element count: kind `binary`, `unary` or `scalar`."""
    api, dtype, sources = _draw(scope, functions(kind), kind)
    if not sources:
        return False
    table = {"binary": BINARY, "unary": UNARY, "scalar": SCALAR}[kind]
    part = scope.whole and scope.chance.random() < 0.4
    target = scope.target(dtype, full=not part and api not in READS_TARGET)
    places = _starts(scope, target, sources) if part else [0] * (1 + len(sources))
    count = str(min(int(scope.some_count()), scope.room - max(places))) if part else scope.count
    if part and scope.chance.random() < 0.06:
        count = "0"
    rows = 4 if scope.whole and not part and scope.chance.random() < 0.15 else 1
    loop = scope.fresh("row")
    names = [_operand(t, p, loop if rows > 1 else "", scope.room // rows) for t, p in zip([target, *sources], places,
             strict=True)]  # fmt: skip
    args = [Arg(names[0], "dst", dtype), *(Arg(s, "src", dtype) for s in names[1:])]
    text, scalar = _scalar_of(scope, api, dtype) if kind == "scalar" else ("", None)
    if kind == "scalar":
        args.append(Arg(text, "scalar", dtype))
    args.append(Arg(str(scope.room // rows) if rows > 1 else count, "count"))
    formula = table.get(api)
    more = [scalar] if kind == "scalar" else []

    def apply(state: State) -> None:
        m = state.n if count == "n" else int(count)
        if formula is not None:
            given = [state.tensors[s][p : p + m] for s, p in zip(sources, places[1:], strict=True)]
            _store(state, target, slice(places[0], places[0] + m), formula, *given, *more)

    quality = _quality(api, table, scope.worst(*sources), dtype)
    form = "rows" if rows > 1 else "empty" if count == "0" else "count"
    call = Call(api, form, tuple(args))
    looped: list[Call | Line] = [Line(f"for (uint32_t {loop} = 0; {loop} < {rows}; ++{loop}) {{"), call, Line("}")]
    scope.emit(looped if rows > 1 else [call], apply, {target: quality}, full=not part)
    return True


def _starts(scope: Scope, target: str, sources: list[str]) -> list[int]:
    """First elements of destination and sources: multiples of a block; in place they have to be the same."""
    if target in sources or len(set(sources)) != len(sources):
        return [0] * (1 + len(sources))
    block = elements.BLOCK // elements.size(scope.types[target])
    return [block * scope.chance.choice((0, 0, 1, 3, 4)) for _ in (target, *sources)]


def _operand(tensor: str, start: int, row: str, length: int) -> str:
    """A tensor from an element on, or one of its rows."""
    if row:
        return f"{tensor}[{row} * {length}]"
    return f"{tensor}[{start}]" if start else tensor


def masked(scope: Scope, kind: str) -> bool:
    """A call with mask, repeats and strides; sometimes the mask is set beforehand."""
    if not scope.whole:
        return False
    api, dtype, sources = _draw(scope, functions(f"{kind}-mask"), kind)
    if not sources:
        return False
    each = elements.size(dtype)
    lanes = elements.REPEAT // each
    target = scope.target(dtype, avoid=sources, full=False)
    to = addressing.target_strides(scope.chance, lanes, each)
    read = [addressing.source_strides(scope.chance, lanes, each) for _ in sources]
    repeats = addressing.repeats(scope.chance, scope.room, [(s, lanes, each) for s in (to, *read)])
    if not repeats:
        return False
    mask = addressing.mask(scope.chance, lanes, scope.fresh("mask"), constant=False)
    text, scalar = _scalar_of(scope, api, dtype) if kind == "scalar" else ("", None)
    numbers = (
        [to.block, *(s.block for s in read), to.repeat, *(s.repeat for s in read)]
        if kind == "binary"
        else [to.block, read[0].block, to.repeat, read[0].repeat]
    )
    preset = not mask.setup and scope.chance.random() < 0.2
    before = [Line(mask.setup)] if mask.setup else []
    after: list[Line] = []
    if preset:
        before = [Line(f"SetVectorMask<{dtype}, MaskMode::NORMAL>({mask.text});", "mask")]
        after = [Line("ResetMask();", "mask")]
    params = "{" + ", ".join(map(str, numbers)) + "}"
    args = [Arg(to.operand(target, each), "dst", dtype)]
    args += [Arg(r.operand(s, each), "src", dtype) for s, r in zip(sources, read, strict=True)]
    if kind == "scalar":
        args.append(Arg(text, "scalar", dtype))
    args += [
        Arg("MASK_PLACEHOLDER" if preset else mask.text, "bits" if mask.setup else "mask", dtype),
        Arg(str(repeats), "repeat"),
        Arg(params, "params"),
    ]
    table = {"binary": BINARY, "unary": UNARY, "scalar": SCALAR}[kind]
    formula = table.get(api)
    more = [scalar] if kind == "scalar" else []

    def apply(state: State) -> None:
        if formula is None:
            return
        where = to.indices(repeats, lanes, each)
        for row in range(repeats):
            on = where[row][mask.lanes]
            given = [state.tensors[s][r.indices(repeats, lanes, each)[row]][mask.lanes]
                     for s, r in zip(sources, read, strict=True)]  # fmt: skip
            _store(state, target, on, formula, *given, *more)

    form = "preset" if preset else "bits" if mask.setup else "mask"
    call = Call(api, form, tuple(args), f"<{dtype}, false>" if preset else "")
    quality = _quality(api, table, scope.worst(*sources), dtype)
    scope.emit([*before, call, *after], apply, {target: quality}, full=False)
    return True


def counter_mode(scope: Scope) -> bool:
    """The mask register counts elements; repeats are ignored."""
    api, dtype, sources = _draw(scope, functions("scalar-mask"), "scalar")
    if not sources or not scope.whole:
        return False
    target = scope.target(dtype, avoid=sources, full=False)
    count = scope.chance.randint(1, scope.room)
    text, scalar = _scalar_of(scope, api, dtype)
    formula = SCALAR.get(api)
    call = Call(api, "counter", (Arg(target, "dst", dtype), Arg(sources[0], "src", dtype), Arg(text, "scalar", dtype),
                Arg("MASK_PLACEHOLDER", "more"), Arg("1", "more"), Arg("{1, 1, 8, 8}", "params")),
                f"<{dtype}, false>")  # fmt: skip

    def apply(state: State) -> None:
        if formula is not None:
            _store(state, target, slice(0, count), formula, state.tensors[sources[0]][:count], scalar)

    rows: list[Call | Line] = [
        Line("SetMaskCount();", "mask"),
        Line(f"SetVectorMask<{dtype}, MaskMode::COUNTER>(0, {count});", "mask"),
        call,
        Line("SetMaskNorm();", "mask"),
        Line("ResetMask();", "mask"),
    ]
    scope.emit(rows, apply, {target: _quality(api, SCALAR, scope.worst(sources[0]), dtype)}, full=False)
    return True


def library(scope: Scope) -> bool:
    """A function of the vector library, with scratch memory of the kernel or of the pipe."""
    given = scope.chance.random() < 0.5 or not scope.pool
    api, dtype, sources = _draw(scope, functions("library-scratch" if given else "library"), "unary")
    if not sources or (not scope.autosync):
        return False
    target = scope.target(dtype, avoid=sources)
    args = [Arg(target, "dst", dtype), Arg(sources[0], "src", dtype)]
    if given:
        scope.scratch = True
        args.append(Arg("scratch", "tmp", "uint8_t"))
    formula = UNARY.get(api) if api not in ROUNDED else None
    template = ""
    if api == "Exp":  # the form with a Taylor series
        template = f"<{dtype}, {scope.chance.choice((2, 10, 15))}>"

    def apply(state: State) -> None:
        if formula is not None:
            _store(state, target, slice(0, state.n), formula, state.tensors[sources[0]][: state.n])

    quality = EXACT if formula is not None and scope.worst(sources[0]) == EXACT else UNKNOWN
    call = Call(api, "library-scratch" if given else "library", (*args, scope.count_arg()), template)
    scope.emit([call], apply, {target: quality})
    return True


def operators(scope: Scope) -> bool:
    """An operator on whole tensors."""
    if not scope.whole:
        return False
    sign, api = scope.chance.choice((("+", "Add"), ("-", "Sub"), ("*", "Mul"), ("/", "Div"), ("|", "Or"), ("&", "And")))
    types = functions("binary")[api]
    first = scope.source(types)
    if first is None:
        return False
    dtype = scope.types[first]
    second = scope.source([dtype])
    assert second is not None
    target = scope.target(dtype)
    formula = BINARY[api]

    def apply(state: State) -> None:
        _store(state, target, slice(None), formula, state.tensors[first], state.tensors[second])

    scope.used.append((f"operator{sign}", "operator", dtype))
    row = Line(f"{target} = {first} {sign} {second};", "operator")
    more = [] if scope.autosync else [Line("PipeBarrier<PIPE_V>();", "barrier", "V")]
    scope.emit([row, *more], apply, {target: scope.worst(first, second)})
    return True


def _draw(scope: Scope, found: dict[str, tuple[str, ...]], kind: str) -> tuple[str, str, list[str]]:
    """A function, an element type for which there are sources, and the sources."""
    api = scope.chance.choice(sorted(found))
    first = scope.source(found[api])
    if first is None:
        return api, "", []
    dtype = scope.types[first]
    if kind != "binary":
        return api, dtype, [first]
    second = scope.source([dtype])
    return api, dtype, [first] if second is None else [first, second]


def _store(state: State, target: str, where: Any, formula: Formula, *operands: Any) -> None:
    """Store a formula's result in the destination's type."""
    tensor = state.tensors[target]
    tensor[where] = np.asarray(formula(*operands)).astype(tensor.dtype)
