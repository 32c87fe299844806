"""Symbolic shapes: broadcasting of named sizes, and the extent of a shape in an iteration space."""

from __future__ import annotations

from agentkernel.formula.graph import Extent, Shape


def broadcast(a: Shape, b: Shape) -> Shape | None:
    """The shape that two shapes broadcast to, aligned at the right; None where they do not.

    Two different names do not broadcast, even if a case gives them the same size: the formula holds for all cases.
    """
    rank = max(len(a), len(b))
    dims = []
    for left, right in zip(padded(a, rank), padded(b, rank), strict=True):
        if left != right and 1 not in (left, right):
            return None
        dims.append(right if left == 1 else left)
    return tuple(dims)


def padded(shape: Shape, rank: int) -> Shape:
    """A shape with sizes 1 added in front up to a rank."""
    return (1,) * (rank - len(shape)) + shape


def squeezed(shape: Shape) -> Shape:
    """A shape without its sizes 1."""
    return tuple(dim for dim in shape if dim != 1)


def reduced(shape: Shape, axes: tuple[int, ...]) -> Shape:
    """A shape after a reduction over axes counted from the right, which stay with size 1."""
    return tuple(1 if i - len(shape) in axes else dim for i, dim in enumerate(shape))


def extent(shape: Shape, space: Shape) -> Extent:
    """The class of a shape in an iteration space."""
    if not shape:
        return Extent.SCALAR
    full = padded(shape, len(space))
    if full == space:
        return Extent.FULL
    if all(dim == 1 for dim in full):
        return Extent.SCALAR
    if full[-1] == 1 and full[:-1] == space[:-1]:
        return Extent.ROW
    if full[-1] == space[-1] and all(dim == 1 for dim in full[:-1]):
        return Extent.VECTOR
    return Extent.OTHER


def text(shape: Shape) -> str:
    """A shape in words, e.g. `(rows, 1)`."""
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
