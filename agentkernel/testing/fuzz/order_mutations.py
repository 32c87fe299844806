"""Rules about buffers, queues, flags, barriers and blocks that only a run can find broken."""

from __future__ import annotations

import random
from dataclasses import replace

from agentkernel.testing.fuzz.mutation import (
    Mutant,
    at_end,
    changed,
    doubled,
    in_a_run,
    inserted,
    places,
    removed,
    replaced,
    some,
    with_call,
    without,
)
from agentkernel.testing.fuzz.program import Line, Program


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


def _one_place(program: Program, chance: random.Random) -> Mutant | None:
    """All blocks write to one place."""
    at = places(program, "base")[0]
    if program.blocks == 1:
        return None
    return changed(program, at, Line("uint32_t begin = 0;"), named=False)


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


def _second_pipe(program: Program, chance: random.Random) -> Mutant | None:
    """A second TPipe while the first one lives."""
    at = some(chance, places(program, "pipe"))
    return None if at is None else inserted(program, at + 1, "TPipe another;")


def _destroyed(program: Program, chance: random.Random) -> Mutant | None:
    """A tensor from a queue whose pipe was destroyed."""
    found = places(program, "alloc", "alloc-in-place")
    if not found:
        return None
    mutant = inserted(program, places(program, "base")[0], "pipe.Destroy();")
    return replace(mutant, line=program.first_line + found[0] + 1)


def _no_full_barrier(program: Program, chance: random.Random) -> Mutant | None:
    """No barrier between an instruction and the store of its result."""
    found = [i for i in places(program, "barrier") if program.lines[i].key == "ALL"
             and program.lines[i + 1].kind == "store" and _unfinished(program, i)]  # fmt: skip
    at = some(chance, found)
    return None if at is None else without(program, at)


def _unfinished(program: Program, barrier: int) -> bool:
    """Whether the result that is stored behind a barrier may still be on its way when the program comes there.

    A value that the scalar program takes from the vector pipe (a count of GatherMask, GetValue) makes it wait for all
    that the pipe was given before: what was written until then is finished without the barrier.
    """
    stored = f"{program.lines[barrier + 1].key}L"
    for line in reversed(program.lines[:barrier]):
        if line.kind == "get-value" or (line.call is not None and line.call.api == "GatherMask"):
            return False
        if line.call is not None and any(a.role == "dst" and a.text.startswith(stored) for a in line.call.args):
            return True
    return False


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


MUTATIONS = (
    in_a_run(
        "more than 64 buffers",
        "buffer-count-limit init-buffer-empty",
        replaced("init", r"Que, \d, \d+\);$", "Que, 65, 32);"),
    ),
    in_a_run("tensor from a queue behind the pipe's end", "no-pipe queue-not-initialised", _destroyed),
    in_a_run("buffer larger than the memory", "ub-overflow", replaced("init", r"(\d+)\);$", "200 * 1024);")),
    in_a_run("buffers without length", "init-buffer-empty", replaced("init", r"(\d+)\);$", "0);")),
    in_a_run("buffer not set up", "queue-not-initialised", removed("init")),
    in_a_run(
        "buffer too small",
        "out-of-bounds tbuf-out-of-range",
        replaced("init", r"Que, (\d), \d+\);$", r"Que, \1, 32);", named=False),
    ),
    in_a_run(
        "tensor larger than its buffer", "tbuf-out-of-range", replaced("get", r"\.Get<(\w+)>\(\)", r".Get<\1>(60000)")
    ),
    in_a_run("second pipe", "two-pipes", _second_pipe),
    in_a_run("EnQue missing", "queue-empty deadlock wrong-buffer-state", removed("enque")),
    in_a_run("FreeTensor missing", "tensor-leak alloc-no-free-buffer", removed("free")),
    in_a_run("FreeTensor twice", "double-free wrong-buffer-state", doubled("free")),
    in_a_run("EnQue twice", "wrong-buffer-state queue-full", doubled("enque")),
    in_a_run("DeQue twice", "queue-empty deadlock", doubled("deque")),
    in_a_run("DeQue missing", "wrong-buffer-state missing-sync queue-full double-free", removed("deque")),
    in_a_run("tensor given to another queue", "wrong-queue wrong-buffer-state", _wrong_queue),
    in_a_run("AllocTensor without an end", "alloc-no-free-buffer position-live-limit tensor-leak", _many_allocs),
    in_a_run("SetFlag missing", "deadlock", removed("set")),
    in_a_run("WaitFlag missing", "missing-sync flag-already-set flag-left-set", removed("wait")),
    in_a_run(
        "WaitFlag of another id",
        "deadlock flag-left-set flag-already-set missing-sync",
        replaced("wait", r"EVENT_ID\d", "EVENT_ID7", named=False),
    ),
    in_a_run("event id out of range", "event-id-range no-matching-overload", replaced("set", r"EVENT_ID\d", "9")),
    in_a_run(
        "flag left set", "flag-left-set", at_end("SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID4);", "base", named=False)
    ),
    in_a_run("flag that nobody sets", "deadlock", at_end("WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID4);", "base")),
    in_a_run("flag set twice", "flag-already-set", doubled("set")),
    in_a_run("barrier between vector instructions missing", "missing-sync", _no_barrier),
    in_a_run("barrier of all pipes missing", "missing-sync", _no_full_barrier),
    in_a_run("barrier between stores missing", "missing-sync", removed("barrier", keys="MTE3")),
    in_a_run("blocks write to one place", "gm-race output-not-written", _one_place),
    in_a_run("barrier of all blocks missing", "gm-race", removed("sync-all")),
    in_a_run("one block misses the barrier of all", "deadlock", _one_block_waits),
)
"""Every rule about buffers and order that is broken."""
