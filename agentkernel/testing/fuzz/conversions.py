"""Casts, comparisons and selections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from agentkernel.testing.fuzz import addressing, elements
from agentkernel.testing.fuzz.catalogue import casts
from agentkernel.testing.fuzz.elements import Array
from agentkernel.testing.fuzz.program import EXACT, UNKNOWN, Arg, Call, Line, State
from agentkernel.testing.fuzz.scope import Scope

_WHOLE: dict[str, Callable[[Array], Array]] = {
    "CAST_RINT": np.rint,
    "CAST_NONE": np.rint,
    "CAST_FLOOR": np.floor,
    "CAST_CEIL": np.ceil,
    "CAST_TRUNC": np.trunc,
    "CAST_ROUND": lambda x: np.sign(x) * np.floor(np.abs(x) + 0.5),
}
_COMPARE = {
    "LT": np.less, "GT": np.greater, "EQ": np.equal, "LE": np.less_equal, "GE": np.greater_equal, "NE": np.not_equal,
}  # fmt: skip
_NEAREST = ("CAST_RINT", "CAST_NONE")
DEQSCALE = "SetDeqScale(static_cast<half>(1.0f));"


def convert(source: str, target: str, mode: str, values: Array) -> Array | None:
    """Result of a Cast; None where it is not modelled."""
    dtype = elements.numpy_of(target)
    if not elements.is_float(target):
        return _to_integer(values, mode, dtype)
    if source == target:
        rounded: Array = (_WHOLE[mode](values.astype(np.float64)) + 0.0).astype(dtype)
        return rounded
    if elements.is_float(source):
        exact = elements.size(target) > elements.size(source)
        return values.astype(dtype) if exact or mode in _NEAREST else None
    if (source, target) == ("int32_t", "half") or mode not in _NEAREST:
        return None
    return values.astype(dtype)


def _to_integer(values: Array, mode: str, dtype: np.dtype[Any]) -> Array:
    """Rounded and held within the range; NaN gives 0."""
    info = np.iinfo(dtype)
    if values.dtype.kind in "iu":
        return np.clip(values, info.min, info.max).astype(dtype)
    whole = np.nan_to_num(_WHOLE[mode](values.astype(np.float64)), nan=0.0, posinf=np.inf, neginf=-np.inf)
    below = whole < float(info.max)  # 2^63 - 1 is no double
    found: Array = np.where(below, np.where(below, np.maximum(whole, float(info.min)), 0).astype(dtype), info.max)
    return found.astype(dtype)


def cast(scope: Scope, *, masked: bool) -> bool:
    """A Cast, with a count or with mask and repeats."""
    rules = [rule for rule in casts() if scope.defined([rule[0]])]
    if not rules or (masked and not scope.whole):
        return False
    source_type, target_type, modes = scope.chance.choice(rules)
    mode = scope.chance.choice(modes) if modes else "CAST_NONE"
    source = scope.source([source_type])
    assert source is not None
    same = convert(source_type, target_type, mode, np.zeros(1, elements.numpy_of(source_type)))
    quality = scope.worst(source) if same is not None else UNKNOWN
    before: list[Call | Line] = []
    if (source_type, target_type) == ("int32_t", "half"):
        before = [Line(DEQSCALE, "deqscale")]
    if not masked:
        target = scope.target(target_type, avoid=[source])
        call = Call("Cast", "count", (Arg(target, "dst", target_type), Arg(source, "src", source_type),
                    Arg(f"RoundMode::{mode}", "mode"), scope.count_arg()))  # fmt: skip

        def apply(state: State) -> None:
            got = convert(source_type, target_type, mode, state.tensors[source][: state.n])
            if got is not None:
                state.tensors[target][: state.n] = got

        scope.emit([*before, call], apply, {target: quality})
        return True
    each = (elements.size(target_type), elements.size(source_type))
    lanes = elements.REPEAT // max(each)
    target = scope.target(target_type, avoid=[source], full=False)
    to = addressing.target_strides(scope.chance, lanes, each[0])
    read = addressing.source_strides(scope.chance, lanes, each[1])
    repeats = addressing.repeats(scope.chance, scope.room, [(to, lanes, each[0]), (read, lanes, each[1])])
    if not repeats:
        return False
    mask = addressing.mask(scope.chance, lanes, scope.fresh("mask"), constant=True)
    if mask.setup:
        before.append(Line(mask.setup))
    call = Call("Cast", "bits" if mask.setup else "mask", (Arg(to.operand(target, each[0]), "dst", target_type),
                Arg(read.operand(source, each[1]), "src", source_type), Arg(f"RoundMode::{mode}", "mode"),
                Arg(mask.text, "bits" if mask.setup else "mask"), Arg(str(repeats), "repeat"),
                Arg(f"{{{to.block}, {read.block}, {to.repeat}, {read.repeat}}}", "params")))  # fmt: skip

    def apply_masked(state: State) -> None:
        where = to.indices(repeats, lanes, each[0])[:, mask.lanes]
        given = state.tensors[source][read.indices(repeats, lanes, each[1])[:, mask.lanes]]
        got = convert(source_type, target_type, mode, given)
        if got is not None:
            state.tensors[target][where] = got

    scope.emit([*before, call], apply_masked, {target: quality}, full=False)
    return True


def compare_and_select(scope: Scope) -> bool:
    """A comparison whose bits choose between two tensors, or a tensor and a scalar."""
    left = scope.source(("half", "float", "int32_t"))
    first = scope.source(("half", "float"))
    if not scope.whole or left is None or first is None:
        return False
    kind, dtype = scope.types[left], scope.types[first]
    mode = "EQ" if kind == "int32_t" else scope.chance.choice(tuple(_COMPARE))
    bits = scope.fresh("bits")
    scope.types[bits] = scope.work[bits] = "uint8_t"
    compare_scalar = scope.chance.random() < 0.5
    api = "Compare"
    if compare_scalar:
        api = scope.chance.choice(("CompareScalar", "Compares"))
        text, scalar = elements.literal(kind, scope.chance)
        operand, right = Arg(text, "scalar", kind), None
    else:
        right = scope.source([kind])
        assert right is not None
        operand, scalar = Arg(right, "src", kind), None
    compare = Call(api, "count", (Arg(bits, "dst", "uint8_t"), Arg(left, "src", kind), operand,
                   Arg(f"CMPMODE::{mode}", "mode"), Arg(str(scope.room), "count")))  # fmt: skip
    target = scope.target(dtype, avoid=[first])
    select_scalar = scope.chance.random() < 0.4
    second = scope.source([dtype])
    if second is None or target in (second, left):
        return False
    text, chosen = elements.literal(dtype, scope.chance)
    per = elements.REPEAT // elements.size(dtype)
    spr = not select_scalar and scope.chance.random() < 0.3
    how = "VSEL_TENSOR_SCALAR_MODE" if select_scalar else "VSEL_CMPMASK_SPR" if spr else "VSEL_TENSOR_TENSOR_MODE"
    select = Call("Select", how, (Arg(target, "dst", dtype), Arg(bits, "bitmask", "uint8_t"), Arg(first, "src", dtype),
                  Arg(text, "scalar", dtype) if select_scalar else Arg(second, "src", dtype),
                  Arg(f"SELMODE::{how}", "mode"), Arg(str(scope.room), "count")))  # fmt: skip

    def apply(state: State) -> None:
        a = state.tensors[left]
        b = scalar if right is None else state.tensors[right]
        on = _COMPARE[mode](a, b)
        if a.dtype.kind != "i":
            on &= ~(np.isnan(a) | np.isnan(b))
        if spr:
            on = np.resize(on[:per], on.size)
        other = chosen if select_scalar else state.tensors[second]
        state.tensors[target][:] = np.where(on, state.tensors[first], other)

    needed = [left, first, *([right] if right else []), *([] if select_scalar else [second])]
    quality = EXACT if scope.worst(*needed) == EXACT else UNKNOWN
    scope.emit([compare, select], apply, {target: quality})
    return True
