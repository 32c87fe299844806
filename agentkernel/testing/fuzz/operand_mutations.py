"""Rules about operands and copies that only a run can find broken: alignment, bounds, ranges, initialisation."""

from __future__ import annotations

import random
import re
from dataclasses import replace

from agentkernel.testing.fuzz import elements
from agentkernel.testing.fuzz.mutation import (
    Apply,
    Mutant,
    argument,
    before_loop,
    calls,
    changed,
    in_a_run,
    places,
    replaced,
    some,
    tile,
    with_call,
    without,
)
from agentkernel.testing.fuzz.program import Line, Program

_BOUNDS = "out-of-bounds gm-out-of-bounds"


def _no_load(program: Program, chance: random.Random) -> Mutant | None:
    """An input that the body reads is not loaded."""
    found = []
    for i in places(program, "load"):
        tensor = f"{program.lines[i].key}L"
        for line in program.lines[i:]:
            if line.call is None:
                if line.kind in ("operator", "set-value", "") and re.search(rf"\b{tensor}\b", line.text):
                    break
                continue
            names = [(a.role, a.text) for a in line.call.args]
            if ("src", tensor) in names and line.call.form == "count":
                found.append(i)
            if any(tensor in text for _, text in names):
                break
    at = some(chance, found)
    return None if at is None else without(program, at)


def _partial_overlap(program: Program, chance: random.Random) -> Mutant | None:
    """The destination is a source, moved by one block."""
    found = []
    for i, _ in calls(program, "src", forms=("mask",)):
        call = program.lines[i].call
        assert call is not None
        if call.args[0].role == "dst" and call.api != "Cast" and call.find("params") and _repeats(program, i) == 1:
            found.append(i)
    at = some(chance, found)
    if at is None:
        return None
    call = program.lines[at].call
    assert call is not None
    source = call.args[1]
    call = call.with_arg(0, f"{source.text}[{32 // elements.size(source.dtype)}]")
    values = call.args[call.find("params")[0]].text.count(",")
    call = call.with_arg(call.find("params")[0], "{1, 1, 1, 8, 8, 8}" if values == 5 else "{1, 1, 8, 8}")
    call = call.with_arg(call.find("mask")[0], str(256 // elements.size(source.dtype)))
    return changed(program, at, with_call(program.lines[at], call.text()))


def _repeats(program: Program, at: int) -> int:
    call = program.lines[at].call
    assert call is not None
    found = call.find("repeat")
    return int(call.args[found[0]].text) if found else 0


def _stores_beyond(program: Program, chance: random.Random) -> Mutant | None:
    """A tile is stored behind the argument's end."""
    at = some(chance, places(program, "store"))
    if at is None:
        return None
    total = program.outputs[0].elements
    text = program.lines[at].text.replace("Gm[at]", f"Gm[at + {total}]")
    return changed(program, at, with_call(program.lines[at], text))


def _loads_beyond(program: Program, chance: random.Random) -> Mutant | None:
    """A tile is loaded from behind the argument's end."""
    at = some(chance, places(program, "load"))
    if at is None:
        return None
    total = next(g.elements for g in program.inputs if g.name == program.lines[at].key)
    text = re.sub(r"Gm\[(.*?)\]", rf"Gm[\1 + {total}]", program.lines[at].text)
    return changed(program, at, with_call(program.lines[at], text))


def _load_too_long(program: Program, chance: random.Random) -> Mutant | None:
    """A load of more elements than the tensor has."""
    found = [i for i in places(program, "load") if re.search(rf"\], {tile(program)}\);$", program.lines[i].text)]
    at = some(chance, found)
    if at is None:
        return None
    text = program.lines[at].text.replace(f"], {tile(program)});", f"], {2 * tile(program)});")
    return changed(program, at, with_call(program.lines[at], text))


def _stores_to_input(program: Program, chance: random.Random) -> Mutant | None:
    """A store to an input."""
    at = some(chance, places(program, "store"))
    if at is None:
        return None
    kinds = {g.name: g.dtype for g in (*program.inputs, *program.outputs)}
    least = program.outputs[0].elements  # a smaller input would be written behind its end, too
    same = [g.name for g in program.inputs if g.dtype == kinds[program.lines[at].key] and g.elements >= least]
    if not same:
        return None
    text = program.lines[at].text.replace(f"{program.lines[at].key}Gm", f"{chance.choice(same)}Gm")
    return changed(program, at, with_call(program.lines[at], text))


def _shorter_store(program: Program, chance: random.Random) -> Mutant | None:
    """The last block of every tile is not stored."""
    pattern = rf"\[at\], (\w+), {tile(program)}\);$"
    found = [i for i in places(program, "store") if re.search(pattern, program.lines[i].text)]
    if len(found) != len({program.lines[i].key for i in places(program, "store")}):
        return None
    at = chance.choice(found)
    dtype = next(g.dtype for g in program.outputs if g.name == program.lines[at].key)
    less = tile(program) - 32 // elements.size(dtype)
    text = program.lines[at].text.replace(f", {tile(program)});", f", {less});")
    if sum(program.lines[i].key == program.lines[at].key for i in found) > 1:
        return None
    return changed(program, at, with_call(program.lines[at], text), named=False)


def _unaligned_copy(program: Program, chance: random.Random) -> Mutant | None:
    """DataCopy of a length that is no multiple of 32 bytes."""
    found = [i for i in places(program, "load", "store") if re.search(rf", {tile(program)}\);$", program.lines[i].text)]
    at = some(chance, found)
    if at is None:
        return None
    text = program.lines[at].text.replace(f", {tile(program)});", f", {tile(program) - 1});")
    return changed(program, at, with_call(program.lines[at], text))


def _no_store(program: Program, chance: random.Random) -> Mutant | None:
    """An output is never stored."""
    found = places(program, "store")
    if len(found) != len({program.lines[i].key for i in found}):
        return None
    at = some(chance, found)
    return None if at is None else without(program, at)


def _shift_amount(program: Program, chance: random.Random) -> Mutant | None:
    """A shift by more bits than the element has."""
    found = [(i, a) for i, a in calls(program, "scalar") if (c := program.lines[i].call) is not None
             and c.api.startswith("Shift") and c.args[a].dtype]  # fmt: skip
    if not found:
        return None
    at, arg = chance.choice(found)
    call = program.lines[at].call
    assert call is not None
    dtype = call.args[arg].dtype
    text = call.with_arg(arg, f"static_cast<{dtype}>({8 * elements.size(dtype) + 1})").text()
    return changed(program, at, with_call(program.lines[at], text))


def _compare_order(program: Program, chance: random.Random) -> Mutant | None:
    """An order of int32_t."""
    found = [i for i in places(program, "compute") if (c := program.lines[i].call) is not None
             and c.api.startswith("Compare") and c.args[1].dtype == "int32_t"]  # fmt: skip
    at = some(chance, found)
    if at is None:
        return None
    text = program.lines[at].text.replace("CMPMODE::EQ", chance.choice(("CMPMODE::LT", "CMPMODE::GE", "CMPMODE::NE")))
    return changed(program, at, with_call(program.lines[at], text))


def _results(program: Program, at: int) -> int:
    """Bytes that a reduction with a count puts into its work tensor: value and index of every repeat."""
    call = program.lines[at].call
    assert call is not None
    each = elements.size(call.args[0].dtype)
    count = next((int(a.text) for a in call.args if a.role == "count"), 0)
    return count * each // 256 * 2 * each


def _small_work(program: Program, chance: random.Random) -> Mutant | None:
    """A work tensor of one block."""
    found = [(i, a) for i, a in calls(program, "tmp", forms=("count", "mask"))
             if program.lines[i].text.startswith(("ReduceMax", "ReduceMin"))]  # fmt: skip
    found = [(i, a) for i, a in found if _results(program, i) > 32]
    if not found:
        return None
    at, arg = chance.choice(found)
    call = program.lines[at].call
    assert call is not None
    each = 32 // elements.size(call.args[arg].dtype)
    text = call.with_arg(arg, f"{call.args[arg].text}[{tile(program) - each}]").text()
    return changed(program, at, with_call(program.lines[at], text))


def _no_scale(program: Program, chance: random.Random) -> Mutant | None:
    """The only SetDeqScale is missing."""
    found = places(program, "deqscale")
    return without(program, found[0]) if len(found) == 1 else None


def _swapped_copy(program: Program, chance: random.Random) -> Mutant | None:
    """A load with its operands the other way round stores to an input."""
    pattern = r"^DataCopy\((\w+), (\w+\[.*?\]), (\d+)\);$"
    found = [i for i in places(program, "load") if re.search(pattern, program.lines[i].text)]
    at = some(chance, found)
    if at is None:
        return None
    text = re.sub(pattern, r"DataCopy(\2, \1, \3);", program.lines[at].text)
    return changed(program, at, with_call(program.lines[at], text))


def _unaligned(role: str, forms: str) -> Apply:
    """An operand that starts one element late, in a call that works on one element less."""

    def apply(program: Program, chance: random.Random) -> Mutant | None:
        found = calls(program, role, forms=forms.split())
        if role == "src":  # Gather takes elements from a tensor that need not be aligned
            found = [(i, a) for i, a in found if not program.lines[i].text.startswith("Gather(")]
        if not found:
            return None
        at, arg = chance.choice(found)
        call = program.lines[at].call
        assert call is not None
        for count in call.find("count"):
            if not call.args[count].text.isdigit() or call.args[count].text == "1":
                return None
            call = call.with_arg(count, str(int(call.args[count].text) - 1))
        text = call.with_arg(arg, f"{call.args[arg].text}[1]").text()
        return changed(program, at, with_call(program.lines[at], text))

    return apply


def _no_memory(program: Program, chance: random.Random) -> Mutant | None:
    """A source that was never given memory."""
    found = calls(program, "src", forms=("count",))
    if not found:
        return None
    at, arg = chance.choice(found)
    call = program.lines[at].call
    assert call is not None
    text = call.with_arg(arg, f"LocalTensor<{call.args[arg].dtype}>()").text()
    return changed(program, at, with_call(program.lines[at], text))


def _fresh_source(program: Program, chance: random.Random) -> Mutant | None:
    """A source that nothing has written."""
    found = calls(program, "src", forms=("count",))
    if not found or not places(program, "pipe"):
        return None
    at, arg = chance.choice(found)
    call = program.lines[at].call
    assert call is not None
    dtype = call.args[arg].dtype
    base = places(program, "base")[0]
    length = tile(program) * elements.size(dtype)
    text = call.with_arg(arg, f"freshBuf.Get<{dtype}>()").text()
    rows = list(program.lines)
    rows[at] = with_call(rows[at], text)
    rows[base:base] = [Line("TBuf<> freshBuf;"), Line(f"pipe.InitBuffer(freshBuf, {length});")]
    return Mutant(replace(program, lines=tuple(rows)), program.first_line + at + 2)


def _masked(program: Program, at: int) -> bool:
    """Whether a call's mask is in use."""
    call = program.lines[at].call
    return call is not None and call.form == "mask" and call.api != "ReduceMax"


def _elementwise(program: Program, at: int) -> bool:
    """Whether a call writes whole repeats."""
    call = program.lines[at].call
    return call is not None and call.args[0].role == "dst"


def _strided(program: Program, at: int) -> bool:
    """Whether a call has strides of two sources, and more than one repeat."""
    call = program.lines[at].call
    assert call is not None
    return call.args[call.find("params")[0]].text.count(",") == 5 and _repeats(program, at) > 1


def _whole(program: Program, at: int) -> bool:
    """Whether a call works on all elements of its tensors."""
    call = program.lines[at].call
    assert call is not None
    count = next((a.text for a in call.args if a.role == "count"), "")
    return count in (str(tile(program)), "n") and call.api not in ("Gather",)


MUTATIONS = (
    in_a_run("destination not aligned", "misaligned-address", _unaligned("dst", "count mask bits")),
    in_a_run("source not aligned", "misaligned-address", _unaligned("src", "count mask bits library")),
    in_a_run("tensor of a load not aligned", "misaligned-address", replaced("load", r"\((\w+),", r"(\1[1],")),
    in_a_run("tensor of a store not aligned", "misaligned-address", replaced("store", r"\], (\w+),", r"], \1[1],")),
    in_a_run(
        "count beyond the tensor",
        _BOUNDS + " uninitialised-read count-range",
        argument("count", "{} + {room}", forms="count library library-scratch", extra=_whole),
    ),
    in_a_run(
        "negative count",
        "count-range out-of-bounds illegal-argument",
        argument("count", "-1", forms="count", extra=_whole),
    ),
    in_a_run("offset behind the tensor's end", _BOUNDS, argument("dst", "{}[{room}]", forms="count mask bits")),
    in_a_run(
        "repeats beyond the tensor",
        _BOUNDS + " uninitialised-read",
        argument("repeat", "250", forms="mask bits", extra=_elementwise),
    ),
    in_a_run(
        "more than 255 repeats",
        "repeat-range " + _BOUNDS,
        argument("repeat", "300", forms="mask bits", extra=_elementwise),
    ),
    in_a_run("mask longer than a repeat", "mask-range", argument("mask", "129", forms="mask", extra=_masked)),
    in_a_run(
        "stride that leads out of the tensor",
        _BOUNDS + " uninitialised-read stride-range",
        argument("params", "{1, 1, 1, 255, 255, 255}", forms="mask bits", extra=_strided),
    ),
    in_a_run("partial overlap", "operand-overlap", _partial_overlap),
    in_a_run("work tensor too small", "work-too-small out-of-bounds", _small_work),
    in_a_run("shift by too many bits", "shift-range illegal-call", _shift_amount),
    in_a_run("order of int32_t", "compare-mode illegal-call dtype-not-supported", _compare_order),
    in_a_run(
        "comparison of a part of a repeat",
        "count-alignment",
        argument("count", "{} - 1", forms="count", extra=lambda p, i: p.lines[i].text.startswith("Compare")),
    ),
    in_a_run(
        "gather from outside",
        "gather-offset out-of-bounds",
        replaced("compute", r"^(Gather\(.*), 0, ", r"\1, 200000, "),
    ),
    in_a_run(
        "gather from between elements",
        "gather-offset misaligned-address illegal-argument",
        replaced("compute", r"^(Gather\(.*), 0, ", r"\1, 1, "),
    ),
    in_a_run("scale of a conversion not set", "deqscale-not-set", _no_scale),
    in_a_run("GetValue behind the end", "out-of-bounds", replaced("get-value", r"GetValue\(\d+\)", "GetValue(5000)")),
    in_a_run("SetValue behind the end", "out-of-bounds", replaced("set-value", r"SetValue\(\d+", "SetValue(5000")),
    in_a_run("load behind the argument's end", "gm-out-of-bounds", _loads_beyond),
    in_a_run("store behind the argument's end", "gm-out-of-bounds", _stores_beyond),
    in_a_run("load longer than the tensor", _BOUNDS, _load_too_long),
    in_a_run("store to an input", "gm-read-only", _stores_to_input),
    in_a_run("copy of a part of a block", "unaligned-copy", _unaligned_copy),
    in_a_run(
        "5000 rows in a copy",
        "copy-range " + _BOUNDS,
        replaced("load", r"DataCopyExtParams\(\d+,", "DataCopyExtParams(5000,"),
    ),
    in_a_run(
        "length of a copy in bytes", _BOUNDS, replaced("load", r"\{\d+, (\d+), 0, 0\}\);$", r"{1, 32 * \1, 0, 0});")
    ),
    in_a_run("input not loaded", "uninitialised-read", _no_load),
    in_a_run("output not stored", "output-not-written uninitialised-read", _no_store),
    in_a_run("end of a tile not stored", "output-not-written uninitialised-read", _shorter_store),
    in_a_run("copy the other way round", "gm-read-only uninitialised-read", _swapped_copy),
    in_a_run("source without memory", "unallocated-tensor out-of-bounds", _no_memory),
    in_a_run("source that nothing has written", "uninitialised-read", _fresh_source),
    in_a_run("assertion that fails", "assert-failed", before_loop("assert(GetBlockNum() > 100);")),
)
"""Every rule about operands and copies that is broken."""
