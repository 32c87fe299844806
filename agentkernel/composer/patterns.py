"""Expressions that are right in real numbers but lose digits or overflow in float32, and what to compute instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard

from agentkernel.formula.graph import Binary, BinaryOp, Const, Graph, Kind, Node, NodeId, Unary, UnaryOp


@dataclass(frozen=True)
class Match:
    """A rewrite of one node."""

    name: str
    x: NodeId
    why: str
    y: NodeId | None = None


_COMPLEMENTS = {
    (BinaryOp.ADD, UnaryOp.TANH): (
        "one_plus_tanh",
        "1 + tanh(u) is computed as 2 / (1 + exp(-2u)), which does not cancel",
    ),
    (BinaryOp.SUB, UnaryOp.TANH): (
        "one_minus_tanh",
        "1 - tanh(u) is computed as 2 / (1 + exp(2u)), which does not cancel",
    ),
    (BinaryOp.ADD, UnaryOp.ERF): ("one_plus_erf", "1 + erf(u) is computed as erfc(-u), which does not cancel"),
    (BinaryOp.SUB, UnaryOp.ERF): ("one_minus_erf", "1 - erf(u) is computed as erfc(u), which does not cancel"),
    (BinaryOp.SUB, UnaryOp.SIGMOID): ("one_minus_sigmoid", "1 - sigmoid(u) is sigmoid(-u), which does not cancel"),
}


def find(graph: Graph, node: Node) -> Match | None:
    """The rewrite that fits a node, if any."""
    if node.kind is not Kind.FLOAT:
        return None
    if isinstance(node, Unary) and node.op is UnaryOp.LOG:
        return _logarithm(graph, node)
    if isinstance(node, Binary):
        return _complement(graph, node) or _exp_minus_one(graph, node) or _product(graph, node)
    return None


def _logarithm(graph: Graph, node: Unary) -> Match | None:
    inner = graph[node.x]
    if _is(inner, UnaryOp.SIGMOID):
        return Match(
            "log_sigmoid",
            inner.x,
            "log(sigmoid(u)) is computed as min(u, 0) - log(1 + exp(-|u|)), which cannot underflow",
        )
    if not isinstance(inner, Binary) or inner.op is not BinaryOp.ADD:
        return None
    for one, other in ((inner.a, inner.b), (inner.b, inner.a)):
        if not _is_number(graph[one], 1):
            continue
        term = graph[other]
        if _is(term, UnaryOp.EXP) and not _is_never_positive(graph, term.x):
            return Match(
                "softplus",
                term.x,
                "log(1 + exp(u)) is computed as max(u, 0) + log(1 + exp(-|u|)), which cannot overflow",
            )
        return Match("log1p", other, "log(1 + t) keeps its digits for small t")
    return None


def _complement(graph: Graph, node: Binary) -> Match | None:
    if node.op not in (BinaryOp.ADD, BinaryOp.SUB):
        return None
    pairs = [(node.a, node.b)] + ([(node.b, node.a)] if node.op is BinaryOp.ADD else [])
    for one, other in pairs:
        term = graph[other]
        if _is_number(graph[one], 1) and isinstance(term, Unary) and (node.op, term.op) in _COMPLEMENTS:
            name, why = _COMPLEMENTS[node.op, term.op]
            return Match(name, term.x, why)
    return None


def _exp_minus_one(graph: Graph, node: Binary) -> Match | None:
    why = "exp(u) - 1 keeps its digits near u = 0"
    a, b = graph[node.a], graph[node.b]
    if node.op is BinaryOp.SUB and _is(a, UnaryOp.EXP) and _is_number(b, 1):
        return Match("expm1", a.x, why)
    if node.op is BinaryOp.ADD:
        for one, other in ((a, b), (b, a)):
            if _is_number(one, -1) and _is(other, UnaryOp.EXP):
                return Match("expm1", other.x, why)
    return None


def _product(graph: Graph, node: Binary) -> Match | None:
    if node.op is not BinaryOp.MUL:
        return None
    for factor, other in ((node.a, node.b), (node.b, node.a)):
        term = graph[factor]
        if _is(term, UnaryOp.SIGMOID) and not isinstance(graph[other], Const):
            return Match(
                "times_sigmoid", term.x, "y * sigmoid(u) is computed as y / (1 + exp(-u)), one instruction less", other
            )
    return None


def _is_never_positive(graph: Graph, index: NodeId) -> bool:
    node = graph[index]
    return _is(node, UnaryOp.NEG) and _is(graph[node.x], UnaryOp.ABS)


def _is(node: Node, op: UnaryOp) -> TypeGuard[Unary]:
    return isinstance(node, Unary) and node.op is op


def _is_number(node: Node, number: float) -> bool:
    return isinstance(node, Const) and node.kind is not Kind.BOOL and node.value == number
