"""Every instruction that the composer chooses exists on Ascend 910B for its types, with a legal RoundMode."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentkernel.bench.suites import suite
from agentkernel.composer.ir import REDUCTIONS, Inst, Lane, Op, Scalar, Storage, Value
from agentkernel.composer.lowering import lower
from agentkernel.composer.style import style_for
from agentkernel.formula import parse_task
from agentkernel.task import Task

TASKS = [
    task
    for name in ("core", Path(__file__).parent / "suite")
    for task in suite(name)
    if task.reference.formula is not None
]

_NUMBERS = {Storage.HALF, Storage.FLOAT, Storage.INT16, Storage.INT32}
_REALS = {Storage.HALF, Storage.FLOAT}
_WORDS = {Storage.INT16, Storage.UINT16}
LEGAL = {
    **dict.fromkeys((Op.ADD, Op.SUB, Op.MUL, Op.MAX, Op.MIN, Op.ADDS, Op.MULS, Op.MAXS, Op.MINS), _NUMBERS),
    **dict.fromkeys((Op.DIV, Op.EXP, Op.LN, Op.SQRT, Op.ABS, Op.SELECT), _REALS),
    **dict.fromkeys((Op.AND, Op.OR, Op.NOT), _WORDS),
    **dict.fromkeys(REDUCTIONS, _REALS),
    Op.RELU: {*_REALS, Storage.INT32},
    Op.AXPY: {Storage.FLOAT},
    Op.SHIFT_LEFT: {*_WORDS, Storage.INT32, Storage.UINT32},
    Op.SHIFT_RIGHT: {*_WORDS, Storage.INT32, Storage.UINT32},
    Op.DUPLICATE: {*_NUMBERS, Storage.BF16, Storage.UINT16, Storage.UINT32},
}
_FIVE = {f"CAST_{mode}" for mode in ("RINT", "FLOOR", "CEIL", "ROUND", "TRUNC")}
_NONE = {"CAST_NONE"}
F, H, B = Storage.FLOAT, Storage.HALF, Storage.BF16
I8, U8, I16, I32, I64 = Storage.INT8, Storage.UINT8, Storage.INT16, Storage.INT32, Storage.INT64
CASTS = {
    (I8, H): _NONE, (U8, H): _NONE, (I16, H): _FIVE | _NONE, (I16, F): _NONE, (H, I8): _FIVE | _NONE,
    (H, U8): _FIVE | _NONE, (H, I16): _FIVE, (H, I32): _FIVE, (H, F): _NONE, (B, I32): _FIVE, (B, F): _NONE,
    (I32, I16): _NONE, (I32, I64): _NONE, (I32, F): _FIVE | _NONE, (F, I16): _FIVE, (F, I32): _FIVE, (F, I64): _FIVE,
    (F, B): _FIVE, (F, F): _FIVE, (F, H): _FIVE | _NONE | {"CAST_ODD"}, (I64, I32): _NONE, (I64, F): _FIVE,
}  # fmt: skip


def _storage(inst: Inst) -> Storage:
    """The type that an instruction works on."""
    if inst.view is not None:
        return inst.view
    of = inst.args[0] if inst.op in REDUCTIONS else inst.dst
    assert isinstance(of, Value)
    return of.storage


def check(inst: Inst) -> None:
    if inst.op in (Op.LOAD, Op.STORE, Op.MOVE):
        return
    if inst.op is Op.CAST:
        source = inst.args[0]
        assert isinstance(source, Value) and inst.dst is not None
        assert inst.mode in CASTS[source.storage, inst.dst.storage], inst
        return
    if inst.op in (Op.COMPARE, Op.COMPARES):
        source = inst.args[0]
        assert isinstance(source, Value)
        assert source.storage in _REALS or (source.storage is Storage.INT32 and inst.mode == "EQ"), inst
        # the chip's NE gives 0 for NaN, which is not what != means
        assert inst.mode != "NE", inst
        return
    assert _storage(inst) in LEGAL[inst.op], inst
    for arg in inst.args:
        if isinstance(arg, Scalar):
            assert arg.storage is _storage(inst) or inst.view is not None, inst


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_instructions_are_legal_in_every_style(task: Task) -> None:
    graph = parse_task(task)
    for seed in range(12):
        for inst in lower(graph, style_for(task.digest, seed)).insts:
            check(inst)


def test_an_illegal_instruction_would_be_found() -> None:
    bf16 = Value(0, Storage.BF16, Lane.FULL)
    with pytest.raises(AssertionError):
        check(Inst(Op.ADD, Value(1, Storage.BF16, Lane.FULL), (bf16, bf16)))
    with pytest.raises(KeyError):
        check(Inst(Op.CAST, Value(1, Storage.HALF, Lane.FULL), (bf16,), mode="CAST_NONE"))
