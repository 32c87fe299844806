"""Rules that are broken in the text: the oracle or the compiler has to say so."""

from __future__ import annotations

import random
from functools import cache

from agentkernel.testing.fuzz import catalogue, elements
from agentkernel.testing.fuzz.mutation import (
    Apply,
    Mutant,
    Mutation,
    calls,
    changed,
    inserted,
    places,
    replaced,
    some,
    with_call,
)
from agentkernel.testing.fuzz.program import Program

_NAMES = frozenset({"unknown-api", "unknown-name", "unknown-member", "unknown-enum", "other-chip-api"})
_TYPES = frozenset(
    {"dtype-not-supported", "no-matching-overload", "cast-not-supported", "scalar-type-mismatch", "type-conversion",
     "illegal-call", "compile-error", "ambiguous-call"}
)  # fmt: skip
_COUNT = frozenset({"wrong-argument-count", "no-matching-overload", "compile-error"})


@cache
def _arithmetic() -> frozenset[str]:
    """Functions of elementwise arithmetic."""
    return frozenset(name for shape in ("binary", "unary", "scalar") for name in catalogue.functions(shape))


def _wrong_dtype(program: Program, chance: random.Random) -> Mutant | None:
    """All tensors of an arithmetic call become a type that the function does not take."""
    found = [i for i, _ in calls(program, "dst") if (c := program.lines[i].call) is not None and c.api in _arithmetic()]
    at = some(chance, found)
    if at is None:
        return None
    call = program.lines[at].call
    assert call is not None
    legal = catalogue.element_types(call.api)
    wrong = [t for t in ("bfloat16_t", "int8_t", "int64_t", "uint8_t") if t not in legal]
    if not wrong:
        return None
    dtype = chance.choice(wrong)
    for i, arg in enumerate(call.args):
        if arg.role in ("dst", "src"):
            call = call.with_arg(i, f"{arg.text}.ReinterpretCast<{dtype}>()")
        elif arg.role == "scalar":
            call = call.with_arg(i, f"static_cast<{dtype}>(1)")
    text = call.text().replace(f"<{call.args[0].dtype},", f"<{dtype},") if call.template else call.text()
    return changed(program, at, with_call(program.lines[at], text))


def _mixed_dtypes(program: Program, chance: random.Random) -> Mutant | None:
    """One operand of a call has another element type than the others."""
    found = [(i, a) for i, a in calls(program, "src") if (c := program.lines[i].call) is not None
             and c.api in _arithmetic()]  # fmt: skip
    if not found:
        return None
    at, arg = chance.choice(found)
    call = program.lines[at].call
    assert call is not None
    other = "int32_t" if call.args[arg].dtype != "int32_t" else "float"
    text = call.with_arg(arg, f"{call.args[arg].text}.ReinterpretCast<{other}>()").text()
    return changed(program, at, with_call(program.lines[at], text))


def _argument_count(program: Program, chance: random.Random, *, more: bool) -> Mutant | None:
    found = []
    for i in places(program, "compute"):
        call = program.lines[i].call
        assert call is not None
        count = len(call.args) + (1 if more else -1)
        if catalogue.element_types(call.api) and not catalogue.accepts(call.api, count):
            found.append(i)
    at = some(chance, found)
    if at is None:
        return None
    call = program.lines[at].call
    assert call is not None
    texts = [arg.text for arg in call.args]
    texts = [*texts, "1"] if more else texts[:-1]
    return changed(program, at, with_call(program.lines[at], f"{call.api}{call.template}({', '.join(texts)});"))


def _insert(text: str) -> Apply:
    """A rule that is broken by a line of its own in the loop."""

    def apply(program: Program, chance: random.Random) -> Mutant | None:
        at = some(chance, places(program, "compute"))
        return None if at is None else inserted(program, at, text)

    return apply


def _scalar_type(program: Program, chance: random.Random) -> Mutant | None:
    """A scalar whose type is not the element type."""
    found = [(i, a) for i, a in calls(program, "scalar") if (c := program.lines[i].call) is not None
             and c.args[a].dtype and not c.template and c.api not in ("Select",)]  # fmt: skip
    if not found:
        return None
    at, arg = chance.choice(found)
    call = program.lines[at].call
    assert call is not None
    text = "1" if call.args[arg].dtype != "int32_t" else "1.0f"
    return changed(program, at, with_call(program.lines[at], call.with_arg(arg, text).text()))


def _cast_pair(program: Program, chance: random.Random) -> Mutant | None:
    """A Cast between types that the chip does not convert."""
    found = [i for i in places(program, "compute") if (c := program.lines[i].call) is not None and c.api == "Cast"]
    at = some(chance, found)
    if at is None:
        return None
    call = program.lines[at].call
    assert call is not None
    target, source = call.args[0], call.args[1]
    known = {(s, d) for s, d, _ in catalogue.casts()}
    other = [t for t in elements.LOADABLE if (source.dtype, t) not in known and t != source.dtype]
    text = call.with_arg(0, f"{target.text}.ReinterpretCast<{chance.choice(other)}>()").text()
    return changed(program, at, with_call(program.lines[at], text))


def _round_mode(program: Program, chance: random.Random) -> Mutant | None:
    """A Cast with a round mode that its pair of types does not have."""
    found = []
    for i in places(program, "compute"):
        call = program.lines[i].call
        if call is None or call.api != "Cast":
            continue
        for source, target, modes in catalogue.casts():
            # the conversion of int32_t to half takes any mode and ignores it
            if (source, target) == (call.args[1].dtype, call.args[0].dtype) != ("int32_t", "half"):
                wrong = [m for m in ("CAST_NONE", "CAST_RINT", "CAST_ODD") if m not in modes]
                found += [(i, mode) for mode in wrong]
    if not found:
        return None
    at, mode = chance.choice(found)
    call = program.lines[at].call
    assert call is not None
    return changed(program, at, with_call(program.lines[at], call.with_arg(2, f"RoundMode::{mode}").text()))


def _params_length(program: Program, chance: random.Random) -> Mutant | None:
    """A parameter structure with too few values."""
    found = [(i, a) for i, a in calls(program, "params") if (c := program.lines[i].call) is not None
             and c.args[a].text.count(",") == 5]  # fmt: skip
    if not found:
        return None
    at, arg = chance.choice(found)
    call = program.lines[at].call
    assert call is not None
    text = call.args[arg].text.rpartition(",")[0] + "}"
    return changed(program, at, with_call(program.lines[at], call.with_arg(arg, text).text()))


def _mutation(
    name: str, codes: frozenset[str] | str, apply: Apply,
    *, compiles: bool = False,
) -> Mutation:  # fmt: skip
    return Mutation(name, frozenset(codes.split()) if isinstance(codes, str) else codes, apply, compiles)


MUTATIONS = (
    _mutation("element type that the function does not take", _TYPES, _wrong_dtype),
    _mutation("operands of two element types", _TYPES, _mixed_dtypes),
    _mutation("one argument too many", _COUNT, lambda p, c: _argument_count(p, c, more=True)),
    _mutation("one argument too few", _COUNT, lambda p, c: _argument_count(p, c, more=False)),
    _mutation("scalar of another type", _TYPES, _scalar_type),
    _mutation("cast between types without a conversion", _TYPES, _cast_pair),
    _mutation("round mode that the pair does not have", _TYPES | {"cast-round-mode"}, _round_mode, compiles=True),
    _mutation("parameters with a value missing", _TYPES | _COUNT, _params_length),
    _mutation("misspelt function", _NAMES, replaced("compute", r"^(\w+)", r"\1s_")),
    _mutation("misspelt round mode", _NAMES, replaced("compute", r"RoundMode::CAST_\w+", "RoundMode::CAST_NEAREST")),
    _mutation("misspelt comparison", _NAMES, replaced("compute", r"CMPMODE::\w+", "CMPMODE::LESS")),
    _mutation(
        "misspelt event", _NAMES | {"no-matching-overload"}, replaced("set", r"HardEvent::\w+", "HardEvent::V_UB")
    ),
    _mutation("misspelt method of a queue", _NAMES, replaced("deque", r"\.DeQue<", ".Dequeue<")),
    _mutation("misspelt method of a pipe", _NAMES, replaced("init", r"\.InitBuffer\(", ".InitBuf(")),
    _mutation("method of another library", _NAMES, _insert("uint32_t rows = yL.size(0);")),
    _mutation(
        "AllocTensor without an element type", _TYPES | _COUNT, replaced("alloc", r"AllocTensor<\w+>", "AllocTensor")
    ),
    _mutation("queue of another element type", _TYPES, replaced("alloc", r"AllocTensor<\w+>", "AllocTensor<int4b_t>")),
    _mutation("undeclared tensor", _NAMES, replaced("compute", r"^(\w+)\((\w+),", r"\1(\2Local,")),
    _mutation("undeclared global tensor", _NAMES, replaced("load", r"Gm\[", "Global[")),
    _mutation("missing semicolon", "syntax compile-error unknown-name", replaced("enque", r";$", "")),
    _mutation("missing parenthesis", "syntax compile-error unknown-name", replaced("free", r"\);$", ";")),
    _mutation("function of other chips", _NAMES | _TYPES, replaced("compute", r"^(Adds|Muls)\b", "Divs")),
    _mutation(
        "barrier of the scalar pipe",
        "illegal-call no-matching-overload compile-error",
        _insert("PipeBarrier<PIPE_S>();"),
    ),
    _mutation("event that no pipes have", _NAMES | _TYPES, _insert("SetFlag<HardEvent::V_GM>(EVENT_ID0);")),
    _mutation("atomic addition of a type without one", _TYPES | {"atomic-dtype"}, _insert("SetAtomicAdd<uint8_t>();")),
    _mutation(
        "member that a structure does not have", _NAMES, _insert("BinaryRepeatParams params; params.repeatTimes = 1;")
    ),
    _mutation(
        "local tensor from a global one", "address-space type-conversion", _insert("LocalTensor<float> wrong = yGm;")
    ),
    _mutation("standard header", "unknown-include forbidden-include unknown-name", _insert("#include <vector>")),
    _mutation("heap", "forbidden-cpp", _insert("int* heap = new int[8];")),
    _mutation("exception", "forbidden-cpp", _insert("throw 1;")),
    _mutation("assembly", "forbidden-cpp", _insert('asm("nop");')),
    _mutation(
        "dynamic_cast",
        "forbidden-cpp compile-error unknown-name type-conversion",
        _insert("TPipe* other = dynamic_cast<TPipe*>(GetTPipePtr());"),
    ),
    _mutation(
        "container of the standard library",
        _NAMES | {"forbidden-cpp", "forbidden-symbol"},
        _insert("std::vector<float> rows(8);"),
    ),
    _mutation("pad parameters missing", _TYPES | _COUNT, replaced("load", r", DataCopyPadExtParams<.*\)\);$", ");")),
    _mutation(
        "pad parameters of another type",
        _TYPES,
        replaced(
            "load", r"DataCopyPadExtParams<\w+>\((\w+), 0, 0, .*\)\);$", r"DataCopyPadExtParams<int4b_t>(\1, 0, 0, 0));"
        ),
    ),
    _mutation(
        "copy parameters with a value missing",
        _TYPES | _COUNT,
        replaced("load", r"DataCopyExtParams\((.*?), 0\), ", r"DataCopyExtParams(\1), "),
    ),
)
"""Every rule that is broken in the text."""
