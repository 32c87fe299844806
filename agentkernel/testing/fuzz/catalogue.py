"""Which functions of the API index have which shape of parameters: what the generator draws its calls from."""

from __future__ import annotations

from functools import cache

from agentkernel.knowledge.index import Overload, ParamKind, Status, load_index

SHAPES = {
    "binary": "local:T local:T local:T number:int32_t",
    "binary-mask": "local:T local:T local:T number:uint64_t number:uint8_t struct:BinaryRepeatParams",
    "binary-bits": "local:T local:T local:T mask-array: number:uint8_t struct:BinaryRepeatParams",
    "unary": "local:T local:T number:int32_t",
    "unary-mask": "local:T local:T number:uint64_t number:uint8_t struct:UnaryRepeatParams",
    "unary-bits": "local:T local:T mask-array: number:uint8_t struct:UnaryRepeatParams",
    "scalar": "local:T local:T element:T number:int32_t",
    "scalar-mask": "local:T local:T element:T number:uint64_t number:uint8_t struct:UnaryRepeatParams",
    "scalar-bits": "local:T local:T element:T mask-array: number:uint8_t struct:UnaryRepeatParams",
    "library": "local:T local:T number:uint32_t",
    "library-scratch": "local:T local:T local:uint8_t number:uint32_t",
}
"""Kinds and element types of a form's parameters."""
OTHER = frozenset({"Concat", "ReduceSum", "DataCopy"})
"""Functions with such parameters that mean something else."""
WORDS = frozenset({"And", "Or"})
"""With 32-bit elements their count means 16-bit words."""


@cache
def functions(shape: str) -> dict[str, tuple[str, ...]]:
    """Legal element types by function, for one of `SHAPES`."""
    wanted = SHAPES[shape]
    found: dict[str, tuple[str, ...]] = {}
    for api in load_index().apis():
        if api.status is not Status.SUPPORTED or api.name in OTHER:
            continue
        for overload in api.overloads:
            if not overload.twin and _shape(overload) == wanted and overload.dtypes:
                types = next(iter(overload.dtypes.values()))
                found[api.name] = tuple(t for t in types if api.name not in WORDS or "16" in t)
    return found


@cache
def element_types(api: str) -> tuple[str, ...]:
    """Every element type that some form of a function takes."""
    found = load_index().api(api)
    return () if found is None else found.dtypes


@cache
def accepts(api: str, count: int) -> bool:
    """Whether a function of the index can be called with so many arguments."""
    found = load_index().api(api)
    return found is None or not found.exact or any(o.accepts(count) for o in found.overloads)


@cache
def casts() -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """(source, destination, round modes) of every conversion between whole bytes."""
    return tuple(
        (rule.src, rule.dst, tuple(rule.modes)) for rule in load_index().casts if "int4b_t" not in (rule.src, rule.dst)
    )


def _shape(overload: Overload) -> str:
    words = []
    for param in overload.params:
        element = "" if param.kind is ParamKind.MASK_ARRAY else param.element
        words.append(f"{param.kind.value}:{element}")
    return " ".join(words)
