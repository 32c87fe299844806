"""Scheduling: which instructions run once, which per tile, and in which pass over a long row."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from agentkernel.composer.ir import REDUCTIONS, Inst, Lane, Op, Program, Scalar, Value


class Walk(StrEnum):
    """How a kernel walks its data."""

    FLAT = "flat"
    """As one line of elements."""
    SINGLE = "single"
    """One row at a time, whole in local memory."""
    BLOCK = "block"
    """Several whole rows at a time."""
    CHUNKED = "chunked"
    """One row at a time, in pieces; one pass over the row per level of reductions, one more for the outputs."""


@dataclass(frozen=True)
class Pass:
    """One walk over the pieces of a row (or, but for CHUNKED, the only one over a tile)."""

    insts: tuple[Inst, ...]
    """Per tile: loads, computation, reductions, stores."""
    after: tuple[Inst, ...] = ()
    """Per row, after the last piece (CHUNKED only): instructions on ROW values."""


@dataclass(frozen=True)
class Schedule:
    """All instructions by when they run."""

    walk: Walk
    once: tuple[Inst, ...]
    """Before the first tile: constants, and what depends on VECTOR values only (not CHUNKED)."""
    before: tuple[Inst, ...]
    """Per row, before its first pass (CHUNKED only): loads of ROW inputs and what follows from them alone."""
    passes: tuple[Pass, ...]
    after: tuple[Inst, ...] = ()
    """Per row, at its end (CHUNKED only): stores of ROW outputs."""


def schedule(program: Program, walk: Walk, *, hoist: bool) -> Schedule:
    """Order a program for a walk.

    Args:
        program: What to order.
        walk: How the kernel walks its data.
        hoist: Whether constant tensors are filled once.
    """
    once = tuple(inst for inst in program.insts if _runs_once(inst, walk, hoist))
    rest = tuple(inst for inst in program.insts if inst not in set(once))
    if walk is not Walk.CHUNKED:
        return Schedule(walk, once, (), (Pass(rest),))
    return _chunked(once, rest)


def _runs_once(inst: Inst, walk: Walk, hoist: bool) -> bool:
    if inst.op is Op.STORE or inst.dst is None:
        return False
    if inst.op is Op.DUPLICATE and inst.dst.lane is not Lane.ROW and not inst.values:
        return hoist or (inst.dst.lane is Lane.VECTOR and walk is not Walk.CHUNKED)
    return inst.dst.lane is Lane.VECTOR and walk is not Walk.CHUNKED


def _chunked(once: tuple[Inst, ...], rest: tuple[Inst, ...]) -> Schedule:
    source = {inst.dst: inst for inst in rest if inst.dst is not None}
    levels = _levels(rest)
    last = max((level for value, level in levels.items() if source[value].op in REDUCTIONS), default=0)
    row = [inst for inst in rest if inst.lane is Lane.ROW and inst.op not in REDUCTIONS and inst.op is not Op.STORE]
    passes = []
    for level in range(1, last + 1):
        reductions = [i for i in rest if i.op in REDUCTIONS and i.dst is not None and levels[i.dst] == level]
        after = tuple(i for i in row if i.dst is not None and levels[i.dst] == level)
        passes.append(Pass(_needed(rest, reductions), after))
    stores = [i for i in rest if i.op is Op.STORE and i.lane is not Lane.ROW]
    if stores:
        passes.append(Pass(_needed(rest, stores)))
    return Schedule(
        Walk.CHUNKED,
        once,
        tuple(i for i in row if i.dst is not None and levels[i.dst] == 0),
        tuple(passes),
        tuple(i for i in rest if i.op is Op.STORE and i.lane is Lane.ROW),
    )


def _levels(insts: tuple[Inst, ...]) -> dict[Value, int]:
    """Number of passes over the row after which a value can be known (reductions, ROW) or computed (the others)."""
    levels: dict[Value, int] = {}
    for inst in insts:
        if inst.dst is not None:
            below = max((levels.get(value, 0) for value in inst.values), default=0)
            levels[inst.dst] = below + (1 if inst.op in REDUCTIONS else 0)
    return levels


def _needed(insts: tuple[Inst, ...], targets: list[Inst]) -> tuple[Inst, ...]:
    """Targets and the per-element instructions that they need; ROW values are taken as known."""
    wanted = set(targets)
    values = {value for inst in targets for value in inst.values}
    for inst in reversed(insts):
        is_row = inst.op in REDUCTIONS or (inst.dst is not None and inst.dst.lane is Lane.ROW)
        if inst.dst in values and not is_row:
            wanted.add(inst)
            values.update(inst.values)
    return tuple(inst for inst in insts if inst in wanted)


def reads_rows(inst: Inst) -> bool:
    """Whether an instruction on elements takes a per-row scalar."""
    return any(isinstance(arg, Scalar) and any(p.row is not None for p in arg.walk()) for arg in inst.args)
