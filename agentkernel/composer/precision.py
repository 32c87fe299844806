"""Where float16 arithmetic is as good as a detour through float."""

from __future__ import annotations

import math
import struct

from agentkernel.dtypes import DType
from agentkernel.formula.graph import (
    Attr,
    Binary,
    BinaryOp,
    Cast,
    Compare,
    Const,
    Graph,
    Input,
    Kind,
    Node,
    Size,
    Unary,
    UnaryOp,
    Where,
)

_EXACT = {UnaryOp.NEG, UnaryOp.ABS, UnaryOp.RELU, UnaryOp.NOT}
_EXACT_OF_TWO = {BinaryOp.MAXIMUM, BinaryOp.MINIMUM, BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR}
_ROUNDING = {BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL}


def is_single_rounding(graph: Graph) -> bool:
    """Whether half arithmetic gives the correctly rounded result.

    All real tensors are float16, at most one operation rounds, and no comparison sees its result.
    """
    tensors = (*graph.input_specs, *graph.output_specs)
    if any(spec.dtype.is_float and spec.dtype is not DType.FLOAT16 for spec in tensors):
        return False
    if not any(spec.dtype is DType.FLOAT16 for spec in tensors):
        return False
    if not all(_is_fine(graph, node) for node in graph.nodes):
        return False
    rounding = [i for i, node in graph if node.kind is Kind.FLOAT and isinstance(node, Binary) and node.op in _ROUNDING]
    if len(rounding) > 1:
        return False
    return not any(_reaches_comparison(graph, index) for index in rounding)


def _is_fine(graph: Graph, node: Node) -> bool:
    is_real = node.kind is Kind.FLOAT
    match node:
        case Const(value=value):
            fine = not is_real or _fits_half(float(value))
        case Unary(op=op):
            fine = not is_real or op in _EXACT
        case Binary(op=binary):
            fine = not is_real or binary in _EXACT_OF_TWO or binary in _ROUNDING
        case Attr() | Size():
            fine = not is_real
        case Cast(x=x):
            fine = not is_real and graph[x].kind is Kind.FLOAT
        case _:
            fine = isinstance(node, Input | Compare | Where)
    return fine


def _reaches_comparison(graph: Graph, index: int) -> bool:
    reached = {index}
    for i, node in graph:
        if reached & set(node.operands):
            if isinstance(node, Compare | Cast):
                return True
            reached.add(i)
    return False


def _fits_half(value: float) -> bool:
    if not math.isfinite(value):
        return False
    try:
        return bool(struct.unpack("<e", struct.pack("<e", value))[0] == value)
    except OverflowError:
        return False
