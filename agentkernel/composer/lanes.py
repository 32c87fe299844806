"""Lanes of a formula: which trailing dimensions make up a row, and how far every tensor reaches."""

from __future__ import annotations

from agentkernel.composer.errors import Refusal
from agentkernel.composer.ir import Lane
from agentkernel.formula.graph import Graph, Reduce, Shape
from agentkernel.task import Dim


def row_rank(graph: Graph) -> int:
    """Number of trailing dimensions that make up a row; 0 where no tensor differs from the iteration space.

    Raises:
        Refusal: Reductions or broadcasts do not fit one division into rows.
    """
    rank = len(graph.space)
    reduced = {node.axes for node in graph.nodes if isinstance(node, Reduce)}
    if reduced:
        if len(reduced) > 1:
            raise Refusal("reductions over different axes", "one kernel walks the data along one row direction")
        axes = next(iter(reduced))
        if axes != tuple(range(-len(axes), 0)):
            raise Refusal(f"a reduction over axes {axes}", "only the last axes, which lie together in memory, are rows")
        candidates: tuple[int, ...] = (len(axes),)
    else:
        candidates = tuple(range(rank))
    shapes = [spec.shape for spec in (*graph.input_specs, *graph.output_specs)]
    for k in candidates:
        if all(lane_of(shape, graph.space, k) is not None or _one(shape) for shape in shapes):
            return k
    wrong = next(shape for shape in shapes if lane_of(shape, graph.space, candidates[-1]) is None and not _one(shape))
    raise Refusal(
        f"a tensor of shape {_text(wrong)} beside {_text(graph.space)}",
        "tensors must fill the iteration space, or vary along rows or columns only",
    )


def lane_of(shape: Shape, space: Shape, k: int) -> Lane | None:
    """How far a tensor reaches where rows are the last `k` dimensions; None if it is none of the lanes."""
    lead, row = space[: len(space) - k], space[len(space) - k :]
    if _squeezed(shape) == _squeezed(space):
        return Lane.FULL
    if k == 0:
        return None
    padded = (1,) * (len(space) - len(shape)) + shape
    if len(shape) <= len(space) and all(d == 1 for d in padded[: len(lead)]) and padded[len(lead) :] == row:
        return Lane.VECTOR
    if _squeezed(shape) == _squeezed(lead):
        return Lane.ROW
    return None


def _one(shape: Shape) -> bool:
    return all(dim == 1 for dim in shape)


def _squeezed(shape: Shape) -> tuple[Dim, ...]:
    return tuple(dim for dim in shape if dim != 1)


def _text(shape: Shape) -> str:
    return "[" + ", ".join(map(str, shape)) + "]"
