"""Rules that are broken where only a run can tell: bounds, alignment, queues, flags, order, initialisation."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace

from agentkernel.testing.fuzz import elements
from agentkernel.testing.fuzz.mutation import (
    Mutant,
    Mutation,
    calls,
    changed,
    inserted,
    places,
    some,
    with_call,
    without,
)
from agentkernel.testing.fuzz.program import Line, Program

Apply = Callable[[Program, random.Random], Mutant | None]
_ROOM = re.compile(r"at \+= (\d+)\)")
_BOUNDS = "out-of-bounds gm-out-of-bounds"


def _room(program: Program) -> int:
    """Elements of a tile."""
    found = next(m for line in program.lines if (m := _ROOM.search(line.text)))
    return int(found[1])


def _replace(kind: str, pattern: str, new: str, *, key: str = "", named: bool = True) -> Apply:
    """Other text in a line of a kind."""

    def apply(program: Program, chance: random.Random) -> Mutant | None:
        found = [i for i in places(program, kind) if re.search(pattern, program.lines[i].text)
                 and (not key or program.lines[i].key in key.split())]  # fmt: skip
        at = some(chance, found)
        if at is None:
            return None
        text = re.sub(pattern, new, program.lines[at].text, count=1)
        return changed(program, at, with_call(program.lines[at], text), named=named)

    return apply


def _argument(roles: str, new: str, *, forms: str = "", extra: Callable[[Program, int], bool] | None = None) -> Apply:
    """Another argument in a call; `{}` stands for the old one."""

    def apply(program: Program, chance: random.Random) -> Mutant | None:
        found = [(i, a) for i, a in calls(program, *roles.split(), forms=forms.split())
                 if extra is None or extra(program, i)]  # fmt: skip
        if not found:
            return None
        at, arg = chance.choice(found)
        call = program.lines[at].call
        assert call is not None
        text = new.replace("{}", call.args[arg].text).replace("{room}", str(_room(program)))
        return changed(program, at, with_call(program.lines[at], call.with_arg(arg, text).text()))

    return apply


def _remove(kind: str, *, keys: str = "", text: str = "") -> Apply:
    """A line is missing."""

    def apply(program: Program, chance: random.Random) -> Mutant | None:
        found = [i for i in places(program, kind) if (not keys or program.lines[i].key in keys.split())
                 and (not text or re.search(text, program.lines[i].text))]  # fmt: skip
        at = some(chance, found)
        return None if at is None else without(program, at)

    return apply


def _twice(kind: str) -> Apply:
    """A line stands there twice; the second one is named."""

    def apply(program: Program, chance: random.Random) -> Mutant | None:
        at = some(chance, places(program, kind))
        return None if at is None else inserted(program, at + 1, program.lines[at].text)

    return apply


def _at_end(text: str, style: str, *, named: bool = True) -> Apply:
    """One more line at the end of the function, in programs that have a line of some kind."""

    def apply(program: Program, chance: random.Random) -> Mutant | None:
        return inserted(program, len(program.lines), text, named=named) if places(program, style) else None

    return apply


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


def _no_barrier(program: Program, chance: random.Random) -> Mutant | None:
    """A barrier between an instruction and one that reads all of its result is missing."""
    found = []
    for i in places(program, "barrier"):
        before, after = program.lines[i - 1].call, program.lines[i + 1].call if i + 1 < len(program.lines) else None
        if program.lines[i].key != "V" or before is None or after is None:
            continue
        if before.form == after.form == "count" and before.args[0].text in [
            a.text for a in after.args if a.role == "src"
        ]:
            found.append(i)
    at = some(chance, found)
    if at is None:
        return None
    return replace(without(program, at), line=program.first_line + at)


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


def _one_place(program: Program, chance: random.Random) -> Mutant | None:
    """All blocks write to one place."""
    at = places(program, "base")[0]
    if program.blocks == 1:
        return None
    return changed(program, at, Line("uint32_t begin = 0;"), named=False)


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
    found = [i for i in places(program, "load") if re.search(rf"\], {_room(program)}\);$", program.lines[i].text)]
    at = some(chance, found)
    if at is None:
        return None
    text = program.lines[at].text.replace(f"], {_room(program)});", f"], {2 * _room(program)});")
    return changed(program, at, with_call(program.lines[at], text))


def _stores_to_input(program: Program, chance: random.Random) -> Mutant | None:
    """A store to an input."""
    at = some(chance, places(program, "store"))
    if at is None:
        return None
    kinds = {g.name: g.dtype for g in (*program.inputs, *program.outputs)}
    same = [g.name for g in program.inputs if g.dtype == kinds[program.lines[at].key]]
    if not same:
        return None
    text = program.lines[at].text.replace(f"{program.lines[at].key}Gm", f"{chance.choice(same)}Gm")
    return changed(program, at, with_call(program.lines[at], text))


def _wrong_queue(program: Program, chance: random.Random) -> Mutant | None:
    """A tensor is given to another queue than its own."""
    found = places(program, "free")
    keys = {program.lines[i].key for i in found}
    at = some(chance, found)
    if at is None or len(keys) < 2:
        return None
    other = chance.choice(sorted(keys - {program.lines[at].key}))
    text = program.lines[at].text.replace(f"{program.lines[at].key}Que", f"{other}Que")
    return changed(program, at, with_call(program.lines[at], text))


def _shorter_store(program: Program, chance: random.Random) -> Mutant | None:
    """The last block of every tile is not stored."""
    pattern = rf"\[at\], (\w+), {_room(program)}\);$"
    found = [i for i in places(program, "store") if re.search(pattern, program.lines[i].text)]
    if len(found) != len({program.lines[i].key for i in places(program, "store")}):
        return None
    at = chance.choice(found)
    dtype = next(g.dtype for g in program.outputs if g.name == program.lines[at].key)
    less = _room(program) - 32 // elements.size(dtype)
    text = program.lines[at].text.replace(f", {_room(program)});", f", {less});")
    if sum(program.lines[i].key == program.lines[at].key for i in found) > 1:
        return None
    return changed(program, at, with_call(program.lines[at], text), named=False)


def _unaligned_copy(program: Program, chance: random.Random) -> Mutant | None:
    """DataCopy of a length that is no multiple of 32 bytes."""
    found = [
        i for i in places(program, "load", "store") if re.search(rf", {_room(program)}\);$", program.lines[i].text)
    ]
    at = some(chance, found)
    if at is None:
        return None
    text = program.lines[at].text.replace(f", {_room(program)});", f", {_room(program) - 1});")
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
    text = call.with_arg(arg, f"{call.args[arg].text}[{_room(program) - each}]").text()
    return changed(program, at, with_call(program.lines[at], text))


def _second_pipe(program: Program, chance: random.Random) -> Mutant | None:
    """A second TPipe while the first one lives."""
    at = some(chance, places(program, "pipe"))
    return None if at is None else inserted(program, at + 1, "TPipe another;")


def _swapped_copy(program: Program, chance: random.Random) -> Mutant | None:
    """A load with its operands the other way round stores to an input."""
    pattern = r"^DataCopy\((\w+), (\w+\[.*?\]), (\d+)\);$"
    found = [i for i in places(program, "load") if re.search(pattern, program.lines[i].text)]
    at = some(chance, found)
    if at is None:
        return None
    text = re.sub(pattern, r"DataCopy(\2, \1, \3);", program.lines[at].text)
    return changed(program, at, with_call(program.lines[at], text))


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
    length = _room(program) * elements.size(dtype)
    text = call.with_arg(arg, f"freshBuf.Get<{dtype}>()").text()
    rows = list(program.lines)
    rows[at] = with_call(rows[at], text)
    rows[base:base] = [Line("TBuf<> freshBuf;"), Line(f"pipe.InitBuffer(freshBuf, {length});")]
    return Mutant(replace(program, lines=tuple(rows)), program.first_line + at + 2)


def _destroyed(program: Program, chance: random.Random) -> Mutant | None:
    """A tensor from a queue whose pipe was destroyed."""
    found = places(program, "alloc", "alloc-in-place")
    if not found:
        return None
    mutant = inserted(program, places(program, "base")[0], "pipe.Destroy();")
    return replace(mutant, line=program.first_line + found[0] + 1)


def _before_loop(text: str) -> Apply:
    """One more line before the loop."""
    return lambda program, chance: inserted(program, places(program, "base")[0], text)


def _no_full_barrier(program: Program, chance: random.Random) -> Mutant | None:
    """No barrier between the instructions and the stores."""
    found = [i for i in places(program, "barrier") if program.lines[i].key == "ALL"
             and program.lines[i + 1].kind == "store"]  # fmt: skip
    at = some(chance, found)
    return None if at is None else without(program, at)


def _many_allocs(program: Program, chance: random.Random) -> Mutant | None:
    """More tensors than the queue has buffers."""
    at = some(chance, places(program, "alloc"))
    if at is None:
        return None
    again = program.lines[at].text.split(" = ")[1]
    return inserted(program, at + 1, f"for (int k = 0; k < 3; ++k) {{ {again} }}")


def _one_block_waits(program: Program, chance: random.Random) -> Mutant | None:
    """Only some blocks take part in the barrier of all."""
    at = some(chance, places(program, "sync-all"))
    return None if at is None else changed(program, at, Line("if (GetBlockIdx() != 0) SyncAll();"))


def _masked(program: Program, at: int) -> bool:
    """Whether a call's mask is in use."""
    call = program.lines[at].call
    return call is not None and call.form == "mask" and call.api != "ReduceMax"


def _aligned(program: Program, at: int) -> bool:
    """Whether a call's sources have to be aligned; what Gather takes elements from need not be."""
    return not program.lines[at].text.startswith("Gather(")


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
    return count in (str(_room(program)), "n") and call.api not in ("Gather",)


def _mutation(name: str, codes: str, apply: Apply) -> Mutation:
    return Mutation(name, frozenset(codes.split()), apply, compiles=True)


MUTATIONS = (
    # operands
    _mutation("destination not aligned", "misaligned-address", _argument("dst", "{}[1]", forms="count mask bits")),
    _mutation(
        "source not aligned",
        "misaligned-address",
        _argument("src", "{}[1]", forms="count mask bits library", extra=_aligned),
    ),
    _mutation("tensor of a load not aligned", "misaligned-address", _replace("load", r"\((\w+),", r"(\1[1],")),
    _mutation("tensor of a store not aligned", "misaligned-address", _replace("store", r"\], (\w+),", r"], \1[1],")),
    _mutation(
        "count beyond the tensor",
        _BOUNDS + " uninitialised-read count-range",
        _argument("count", "{} + {room}", forms="count library library-scratch", extra=_whole),
    ),
    _mutation(
        "negative count",
        "count-range out-of-bounds illegal-argument",
        _argument("count", "-1", forms="count", extra=_whole),
    ),
    _mutation("offset behind the tensor's end", _BOUNDS, _argument("dst", "{}[{room}]", forms="count mask bits")),
    _mutation(
        "repeats beyond the tensor",
        _BOUNDS + " uninitialised-read",
        _argument("repeat", "250", forms="mask bits", extra=_elementwise),
    ),
    _mutation(
        "more than 255 repeats",
        "repeat-range " + _BOUNDS,
        _argument("repeat", "300", forms="mask bits", extra=_elementwise),
    ),
    _mutation("mask longer than a repeat", "mask-range", _argument("mask", "129", forms="mask", extra=_masked)),
    _mutation(
        "stride that leads out of the tensor",
        _BOUNDS + " uninitialised-read stride-range",
        _argument("params", "{1, 1, 1, 255, 255, 255}", forms="mask bits", extra=_strided),
    ),
    _mutation("partial overlap", "operand-overlap", _partial_overlap),
    _mutation("work tensor too small", "work-too-small out-of-bounds", _small_work),
    _mutation("shift by too many bits", "shift-range illegal-call", _shift_amount),
    _mutation("order of int32_t", "compare-mode illegal-call dtype-not-supported", _compare_order),
    _mutation(
        "comparison of a part of a repeat",
        "count-alignment",
        _argument("count", "{} - 1", forms="count", extra=lambda p, i: p.lines[i].text.startswith("Compare")),
    ),
    _mutation(
        "gather from outside",
        "gather-offset out-of-bounds",
        _replace("compute", r"^(Gather\(.*), 0, ", r"\1, 200000, "),
    ),
    _mutation(
        "gather from between elements",
        "gather-offset misaligned-address illegal-argument",
        _replace("compute", r"^(Gather\(.*), 0, ", r"\1, 1, "),
    ),
    _mutation("scale of a conversion not set", "deqscale-not-set", _remove("deqscale")),
    _mutation("GetValue behind the end", "out-of-bounds", _replace("get-value", r"GetValue\(\d+\)", "GetValue(5000)")),
    _mutation("SetValue behind the end", "out-of-bounds", _replace("set-value", r"SetValue\(\d+", "SetValue(5000")),
    # copies
    _mutation("load behind the argument's end", "gm-out-of-bounds", _loads_beyond),
    _mutation("store behind the argument's end", "gm-out-of-bounds", _stores_beyond),
    _mutation("load longer than the tensor", _BOUNDS, _load_too_long),
    _mutation("store to an input", "gm-read-only", _stores_to_input),
    _mutation("copy of a part of a block", "unaligned-copy", _unaligned_copy),
    _mutation(
        "5000 rows in a copy",
        "copy-range " + _BOUNDS,
        _replace("load", r"DataCopyExtParams\(\d+,", "DataCopyExtParams(5000,"),
    ),
    _mutation(
        "length of a copy in bytes", _BOUNDS, _replace("load", r"\{\d+, (\d+), 0, 0\}\);$", r"{1, 32 * \1, 0, 0});")
    ),
    _mutation("input not loaded", "uninitialised-read", _no_load),
    _mutation("output not stored", "output-not-written uninitialised-read", _no_store),
    _mutation("end of a tile not stored", "output-not-written uninitialised-read", _shorter_store),
    _mutation("copy the other way round", "gm-read-only uninitialised-read", _swapped_copy),
    _mutation("source without memory", "unallocated-tensor out-of-bounds", _no_memory),
    _mutation("source that nothing has written", "uninitialised-read", _fresh_source),
    _mutation("assertion that fails", "assert-failed", _before_loop("assert(GetBlockNum() > 100);")),
    # buffers and queues
    _mutation(
        "more than 64 buffers",
        "buffer-count-limit init-buffer-empty",
        _replace("init", r"Que, \d, \d+\);$", "Que, 65, 32);"),
    ),
    _mutation("tensor from a queue behind the pipe's end", "no-pipe queue-not-initialised", _destroyed),
    _mutation("buffer larger than the memory", "ub-overflow", _replace("init", r"(\d+)\);$", "200 * 1024);")),
    _mutation("buffers without length", "init-buffer-empty", _replace("init", r"(\d+)\);$", "0);")),
    _mutation("buffer not set up", "queue-not-initialised", _remove("init")),
    _mutation(
        "buffer too small",
        "out-of-bounds tbuf-out-of-range",
        _replace("init", r"Que, (\d), \d+\);$", r"Que, \1, 32);", named=False),
    ),
    _mutation(
        "tensor larger than its buffer", "tbuf-out-of-range", _replace("get", r"\.Get<(\w+)>\(\)", r".Get<\1>(60000)")
    ),
    _mutation("second pipe", "two-pipes", _second_pipe),
    _mutation("EnQue missing", "queue-empty deadlock wrong-buffer-state", _remove("enque")),
    _mutation("FreeTensor missing", "tensor-leak alloc-no-free-buffer", _remove("free")),
    _mutation("FreeTensor twice", "double-free wrong-buffer-state", _twice("free")),
    _mutation("EnQue twice", "wrong-buffer-state queue-full", _twice("enque")),
    _mutation("DeQue twice", "queue-empty deadlock", _twice("deque")),
    _mutation("DeQue missing", "wrong-buffer-state missing-sync queue-full double-free", _remove("deque")),
    _mutation("tensor given to another queue", "wrong-queue wrong-buffer-state", _wrong_queue),
    _mutation("AllocTensor without an end", "alloc-no-free-buffer position-live-limit tensor-leak", _many_allocs),
    # flags, barriers, blocks
    _mutation("SetFlag missing", "deadlock", _remove("set")),
    _mutation("WaitFlag missing", "missing-sync flag-already-set flag-left-set", _remove("wait")),
    _mutation(
        "WaitFlag of another id",
        "deadlock flag-left-set flag-already-set missing-sync",
        _replace("wait", r"EVENT_ID\d", "EVENT_ID7", named=False),
    ),
    _mutation("event id out of range", "event-id-range no-matching-overload", _replace("set", r"EVENT_ID\d", "9")),
    _mutation(
        "flag left set", "flag-left-set", _at_end("SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID4);", "base", named=False)
    ),
    _mutation("flag that nobody sets", "deadlock", _at_end("WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID4);", "base")),
    _mutation("flag set twice", "flag-already-set", _twice("set")),
    _mutation("barrier between vector instructions missing", "missing-sync", _no_barrier),
    _mutation("barrier of all pipes missing", "missing-sync", _no_full_barrier),
    _mutation("barrier between stores missing", "missing-sync", _remove("barrier", keys="MTE3")),
    _mutation("blocks write to one place", "gm-race output-not-written", _one_place),
    _mutation("barrier of all blocks missing", "gm-race", _remove("sync-all")),
    _mutation("one block misses the barrier of all", "deadlock", _one_block_waits),
)
"""Every rule that only a run can find broken."""
