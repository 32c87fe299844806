"""Fused instructions: x * c + y as one Axpy in the buffer of y."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from agentkernel.composer.ir import Inst, Lane, Op, Scalar, Storage, Value


def fuse_axpy(insts: Sequence[Inst]) -> tuple[Inst, ...]:
    """Replace a product with a scalar and the sum that alone reads it, where the other summand dies there.

    The accumulator's buffer is overwritten, so it must be scratch: neither an input, nor a constant, nor an output.
    """
    uses = Counter(value for inst in insts for value in inst.values)
    source: dict[Value | None, Inst] = {inst.dst: inst for inst in insts}
    stored = {inst.values[0] for inst in insts if inst.op is Op.STORE}
    gone: set[Value | None] = set()
    fused: list[Inst] = []
    for inst in insts:
        pair = _pair(inst, uses, source, stored) if inst.op is Op.ADD and inst.dst not in stored else None
        if pair is None:
            fused.append(inst)
            continue
        product, accumulator = pair
        gone.add(product.dst)
        fused.append(Inst(Op.AXPY, inst.dst, (accumulator, *product.args)))
    return tuple(inst for inst in fused if inst.dst is None or inst.dst not in gone)


def _pair(
    inst: Inst, uses: Counter[Value], source: dict[Value | None, Inst], stored: set[Value]
) -> tuple[Inst, Value] | None:
    """The product and the accumulator of a sum that can be fused."""
    a, b = inst.args
    for term, other in ((a, b), (b, a)):
        if not isinstance(term, Value) or not isinstance(other, Value) or term is other:
            continue
        product, y = source[term], source[other]
        plain = product.op is Op.MULS and isinstance(product.args[0], Value) and isinstance(product.args[1], Scalar)
        if not plain or uses[term] != 1 or uses[other] != 1 or other in stored or term in stored:
            continue
        x = product.args[0]
        assert isinstance(x, Value)
        full = all(v.lane is Lane.FULL and v.storage is Storage.FLOAT for v in (x, term, other))
        if full and x is not other and y.op not in (Op.LOAD, Op.DUPLICATE):
            return product, other
    return None
