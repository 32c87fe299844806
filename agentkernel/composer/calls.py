"""Instructions as Ascend C calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agentkernel.composer.ir import BINARY, REDUCTIONS, UNARY, WITH_SCALAR, Inst, Op, Scalar, Storage, Value
from agentkernel.composer.tiling import REPEAT_BYTES

_NEW_NAMES = {Op.COMPARES: "Compares"}


@dataclass(frozen=True)
class Site:
    """Where a call stands: how its operands and its count are spelled there."""

    tensor: Callable[[Value], str]
    scalar: Callable[[Scalar], str]
    count: str
    """Elements that it works on."""
    qualify: Callable[[str], str]
    """Adds `AscendC::` where the style wants it."""
    new_names: bool = False
    repeats: bool = False
    """Use the mask and repeat form."""
    index: Callable[[Value], str] = lambda value: ""
    """Offset of an operand, e.g. `[r * pitch]`."""


def call(inst: Inst, at: Site) -> str:
    """One elementwise instruction as a statement (reductions and copies are the stages' work)."""
    assert inst.dst is not None and inst.op not in REDUCTIONS
    name = at.qualify(_NEW_NAMES.get(inst.op, inst.op.value) if at.new_names else inst.op.value)
    operands = [_operand(inst.dst, inst, at), *(_operand(arg, inst, at) for arg in inst.args)]
    count = _count(inst, at.count)
    match inst.op:
        case Op.CAST:
            extra = [at.qualify(f"RoundMode::{inst.mode}")]
        case Op.COMPARE | Op.COMPARES:
            extra = [at.qualify(f"CMPMODE::{inst.mode}")]
        case Op.SELECT:
            form = "SCALAR" if isinstance(inst.args[2], Scalar) else "TENSOR"
            extra = [at.qualify(f"SELMODE::VSEL_TENSOR_{form}_MODE")]
            operands[1] = _mask(inst, at)
        case Op.AXPY:
            operands, extra = [operands[0], *operands[2:]], []
        case _:
            extra = []
    if at.repeats and _has_repeat_form(inst):
        return _repeat_form(name, inst, operands, count)
    return f"{name}({', '.join([*operands, *extra, count])});"


def _operand(arg: Value | Scalar, inst: Inst, at: Site) -> str:
    if isinstance(arg, Scalar):
        return at.scalar(arg)
    text = at.tensor(arg) + at.index(arg)
    return f"{text}.ReinterpretCast<{inst.view.ctype}>()" if inst.view else text


def _mask(inst: Inst, at: Site) -> str:
    # the mask keeps its own type, whatever the moved values are viewed as
    mask = inst.args[0]
    assert isinstance(mask, Value)
    return at.tensor(mask) + at.index(mask)


def _count(inst: Inst, count: str) -> str:
    """The element count in units of the view type."""
    assert inst.dst is not None
    if inst.view is None or inst.view.bits == inst.dst.storage.bits:
        return count
    if inst.dst.storage is Storage.MASK:
        return f"{_wrapped(count)} / {inst.view.bits}"
    return f"{_wrapped(count)} * {inst.dst.storage.bits // inst.view.bits}"


def _wrapped(text: str) -> str:
    return text if text.replace("_", "").replace(".", "").replace(">", "").replace("-", "").isalnum() else f"({text})"


def _has_repeat_form(inst: Inst) -> bool:
    return inst.view is None and (inst.op in BINARY or inst.op in UNARY or inst.op in WITH_SCALAR)


def _repeat_form(name: str, inst: Inst, operands: list[str], count: str) -> str:
    assert inst.dst is not None
    lanes = REPEAT_BYTES * 8 // inst.dst.storage.bits
    strides = "{1, 1, 1, 8, 8, 8}" if inst.op in BINARY else "{1, 1, 8, 8}"
    times = f"static_cast<uint8_t>({count} / {lanes})"
    return f"{name}({', '.join(operands)}, {lanes}, {times}, {strides});"
