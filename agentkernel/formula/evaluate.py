"""Evaluation of expression graphs in float64, int64 and bool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel.dtypes import DType
from agentkernel.errors import TaskError
from agentkernel.formula import ops, shapes
from agentkernel.formula.graph import (
    Attr,
    Binary,
    Cast,
    Compare,
    Const,
    Graph,
    Input,
    Kind,
    Node,
    NodeId,
    Reduce,
    Size,
    Unary,
    Where,
)

Array = NDArray[Any]

_CARRIER = {Kind.FLOAT: np.float64, Kind.INT: np.int64, Kind.BOOL: np.bool_}


def evaluate(
    graph: Graph,
    inputs: Mapping[str, Array],
    attrs: Mapping[str, bool | int | float],
    dims: Mapping[str, int] | None = None,
    *,
    precision: DType | None = None,
) -> dict[str, Array]:
    """The outputs of a formula.

    Args:
        graph: A parsed formula.
        inputs: Every input that the formula reads; any numeric dtype, carried in float64, int64 or bool from here on.
        attrs: Every attribute that it reads.
        dims: Value of every size; sizes of inputs are taken from their shapes where this is None.
        precision: A float type that every real intermediate is rounded to; None computes in float64.

    Returns:
        By output name: float64, int64 (in the range of the output's dtype) or bool, of the output's shape.

    Raises:
        TaskError: An input is missing or of the wrong shape, or a size is unknown.
    """
    return _Evaluation(graph, inputs, attrs, _sizes(graph, inputs, dims), precision).run()


class _Evaluation:
    def __init__(
        self,
        graph: Graph,
        inputs: Mapping[str, Array],
        attrs: Mapping[str, bool | int | float],
        dims: Mapping[str, int],
        precision: DType | None,
    ) -> None:
        self._graph = graph
        self._inputs = inputs
        self._attrs = attrs
        self._dims = dims
        self._precision = precision
        self._values: list[Array | None] = []
        self._ending: set[NodeId] = set()
        """Operands that the node in evaluation is the last to read."""

    def run(self) -> dict[str, Array]:
        """Evaluate all nodes, releasing each value after its last reader."""
        last: dict[NodeId, NodeId] = {}
        for index, node in self._graph:
            last.update(dict.fromkeys(node.operands, index))
        for _, index in self._graph.outputs:
            last.pop(index, None)
        with np.errstate(all="ignore"):
            for index, node in self._graph:
                self._ending = {operand for operand in node.operands if last.get(operand) == index}
                value: Array = np.asarray(self._value(node), _CARRIER[node.kind])
                if self._precision is not None and node.kind is Kind.FLOAT:
                    value = value.astype(self._precision.numpy).astype(np.float64)
                self._values.append(value)
                for operand in self._ending:
                    self._values[operand] = None
            return {name: self._output(name, index) for name, index in self._graph.outputs}

    def _get(self, index: NodeId) -> Array:
        value = self._values[index]
        assert value is not None
        return value

    def _value(self, node: Node) -> Array:
        match node:
            case Input():
                return np.array(self._inputs[node.name], _CARRIER[node.kind])
            case Attr():
                return np.asarray(self._attrs[node.name])
            case Size():
                return np.asarray(self._dims[node.name])
            case Const():
                return np.asarray(node.value)
            case _:
                return self._computed(node)

    def _computed(self, node: Node) -> Array:
        match node:
            case Unary():
                return ops.wrap(self._applied(ops.UNARY[node.op], node, node.x), node.dtype)
            case Binary():
                return ops.wrap(self._applied(ops.BINARY[node.op], node, node.a, node.b), node.dtype)
            case Compare():
                return ops.COMPARE[node.op](self._get(node.a), self._get(node.b))
            case Where():
                return np.where(self._get(node.cond), self._get(node.a), self._get(node.b))
            case Cast():
                assert node.dtype is not None
                return ops.cast(self._get(node.x), self._graph[node.x].kind, node.dtype)
            case Reduce():
                return ops.wrap(ops.reduce(node.op, self._get(node.x), node.axes), node.dtype)
            case _:
                raise AssertionError(f"unknown node {node}")

    def _applied(self, function: Callable[..., Any], node: Node, *operands: NodeId) -> Array:
        """A function of some values; in the memory of one that nobody reads later, where it can be."""
        values = [self._get(operand) for operand in operands]
        memory: Array | None = None
        if isinstance(function, np.ufunc) and node.kind is Kind.FLOAT:
            shape = np.broadcast_shapes(*(value.shape for value in values))
            for operand, value in zip(operands, values, strict=True):
                fits = value.shape == shape and value.dtype == np.float64 and value.flags.writeable
                if fits and operand in self._ending and self._is_alone(operand):
                    memory = value
        result: Array = function(*values) if memory is None else function(*values, out=memory)
        return result

    def _is_alone(self, index: NodeId) -> bool:
        """Whether no other value lies in the memory of this one."""
        value = self._get(index)
        others = (other for i, other in enumerate(self._values) if i != index and other is not None)
        return not any(np.may_share_memory(value, other) for other in others)

    def _output(self, name: str, index: NodeId) -> Array:
        spec = self._graph.output_spec(name)
        shape = tuple(dim if isinstance(dim, int) else self._dims[dim] for dim in spec.shape)
        value, node = self._get(index), self._graph[index]
        if node.kind is Kind.INT:
            value = ops.wrap(value, spec.dtype)
        if value.shape != shape:
            fits = shapes.broadcast(node.shape, spec.shape) == spec.shape
            value = np.broadcast_to(value, shape) if fits else value.reshape(shape)
        shared = [i for _, i in self._graph.outputs].count(index) > 1 or not self._is_alone(index)
        return np.array(value) if shared or not value.flags.writeable else value


def _sizes(graph: Graph, inputs: Mapping[str, Array], dims: Mapping[str, int] | None) -> Mapping[str, int]:
    sizes = dict(dims or {})
    for spec in graph.input_specs:
        if spec.name not in inputs:
            raise TaskError(f"the input {spec.name!r} is missing", hint="give an array for every input of the task")
        shape = np.shape(inputs[spec.name])
        if len(shape) != len(spec.shape):
            raise TaskError(f"the input {spec.name!r} has shape {shape}", hint=f"give {shapes.text(spec.shape)}")
        for dim, size in zip(spec.shape, shape, strict=True):
            expected = dim if isinstance(dim, int) else sizes.setdefault(dim, size)
            if expected != size:
                raise TaskError(
                    f"the input {spec.name!r} has shape {shape}, but {dim} is {expected}",
                    hint=f"give {shapes.text(spec.shape)} with one value per size",
                )
    for tensor in graph.output_specs:
        for dim in tensor.shape:
            if isinstance(dim, str) and dim not in sizes:
                raise TaskError(f"the size {dim!r} of output {tensor.name!r} is not known", hint="pass it in dims")
    return sizes
