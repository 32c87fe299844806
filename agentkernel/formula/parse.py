"""Reading of formulas: Python's grammar through `ast`, nothing is executed.

A formula is a sequence of statements `name = expr`. Expressions know inputs, attributes, sizes, earlier names, numbers,
`inf`, `nan`, `pi`, the operators `+ - * / ** & | ^ ~ << >>`, one comparison at a time, and the functions of
`agentkernel.formula.functions`. Every output of the task is assigned exactly once.
"""

from __future__ import annotations

import ast
import difflib
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agentkernel.errors import TaskError
from agentkernel.formula import shapes
from agentkernel.formula.builder import GraphBuilder, kind_of
from agentkernel.formula.functions import FUNCTIONS, Argument, Call
from agentkernel.formula.graph import BinaryOp, CompareOp, Const, Graph, Kind, Node, NodeId, Shape, UnaryOp
from agentkernel.task import AttrSpec, Case, Task, TensorSpec

_BINARY: dict[type[ast.operator], BinaryOp] = {
    ast.Add: BinaryOp.ADD,
    ast.Sub: BinaryOp.SUB,
    ast.Mult: BinaryOp.MUL,
    ast.Div: BinaryOp.DIV,
    ast.BitAnd: BinaryOp.AND,
    ast.BitOr: BinaryOp.OR,
    ast.BitXor: BinaryOp.XOR,
    ast.LShift: BinaryOp.SHL,
    ast.RShift: BinaryOp.SHR,
}
_COMPARE: dict[type[ast.cmpop], CompareOp] = {
    ast.Lt: CompareOp.LT,
    ast.LtE: CompareOp.LE,
    ast.Gt: CompareOp.GT,
    ast.GtE: CompareOp.GE,
    ast.Eq: CompareOp.EQ,
    ast.NotEq: CompareOp.NE,
}
_CONSTANTS = {"inf": math.inf, "nan": math.nan, "pi": math.pi}
_SCALARS = ("float", "int", "bool")
_LONGEST = 20_000  # characters; a formula of a person is far below, and it bounds the parser's work


def parse_task(task: Task) -> Graph:
    """The graph of a task's formula; with lists of tensors, that of the first place in the first case.

    Raises:
        TaskError: The task has a `python` reference, or its formula is wrong (the message has line and column).
    """
    return parse_place(task, task.cases[0], 0)


def parse_place(task: Task, case: Case, place: int) -> Graph:
    """The graph of a task's formula for one place of its lists, in a case's shapes: a list is its tensor there.

    Raises:
        TaskError: As `parse_task`.
    """
    if task.reference.formula is None:
        raise TaskError(f"{task.name} has no formula", hint="its reference is python source")

    def single(spec: TensorSpec) -> TensorSpec:
        if not spec.is_list:
            return spec
        axes = case.shapes[spec.axes_name][place]
        shape = [dim for one in spec.shape for dim in (axes if one == f"*{spec.axes_name}" else (one,))]
        return spec.model_copy(update={"shape": tuple(shape), "param_type": "required"})

    inputs, outputs = tuple(map(single, task.inputs)), tuple(map(single, task.outputs))
    try:
        return parse(task.reference.formula, inputs, outputs, task.attrs)
    except TaskError as error:
        raise TaskError(f"{task.name}: {error.message}", hint=error.hint) from error


def parse(
    source: str, inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec], attrs: Sequence[AttrSpec] = ()
) -> Graph:
    """The graph of a formula.

    Args:
        source: Statements, one per line (brackets may continue a line).
        inputs: Tensors that the formula reads.
        outputs: Tensors that it assigns, each exactly once; one with an input's name is that input from then on.
        attrs: Scalars that it reads.

    Raises:
        TaskError: The formula is wrong; the message has line and column.
    """
    try:
        return _Parser(source, tuple(inputs), tuple(outputs), tuple(attrs)).run()
    except RecursionError as error:
        raise TaskError("the formula is nested too deeply", hint="give parts of it names of their own") from error


class _Parser:
    def __init__(
        self,
        source: str,
        inputs: tuple[TensorSpec, ...],
        outputs: tuple[TensorSpec, ...],
        attrs: tuple[AttrSpec, ...],
    ) -> None:
        self._source = source
        self._lines = source.splitlines()
        self._inputs = inputs
        self._outputs = outputs
        self._attrs = attrs
        self._build = GraphBuilder(_space(inputs, outputs), self._error)
        self._given: dict[str, NodeId] = {}
        self._assigned: dict[str, NodeId] = {}

    def run(self) -> Graph:
        """Parse everything."""
        module = self._module()
        self._declare()
        for statement in module.body:
            self._statement(statement)
        last = (max(len(self._lines), 1), 1)
        for spec in self._outputs:
            if spec.name not in self._assigned:
                self._build.place = last
                raise self._error(f"the output {spec.name!r} is never assigned", f"add a line `{spec.name} = ...`")
        return self._kept()

    def _error(self, message: str, hint: str) -> TaskError:
        line, column = self._build.place
        return TaskError(f"formula line {line}, column {column}: {message}", hint=hint)

    def _module(self) -> ast.Module:
        if len(self._source) > _LONGEST:
            raise self._error(f"the formula has more than {_LONGEST} characters", "use a python reference")
        if "\\" in self._source:
            # nothing needs one, and invalid escapes would make the parser warn in the name of this library
            before = self._source.partition("\\")[0]
            self._build.place = (before.count("\n") + 1, len(before) - before.rfind("\n"))
            raise self._error("a backslash is not part of the formula language", "brackets continue a line")
        try:
            return ast.parse(self._source)
        except SyntaxError as error:
            self._build.place = (error.lineno or 1, max(error.offset or 1, 1))
            raise self._error(f"syntax error: {error.msg}", "statements are `name = expression`") from error
        except (ValueError, MemoryError) as error:
            raise self._error(f"it cannot be parsed: {error}", "statements are `name = expression`") from error

    def _declare(self) -> None:
        for tensor in self._inputs:
            self._given[tensor.name] = self._build.input(tensor)
        for attr in self._attrs:
            if attr.type in _SCALARS:
                self._given[attr.name] = self._build.attr(attr)
        for tensor in (*self._inputs, *self._outputs):
            for dim in tensor.shape:
                if isinstance(dim, str):
                    self._given[dim] = self._build.size(dim)

    def _at(self, node: ast.stmt | ast.expr) -> None:
        # columns of ast count UTF-8 bytes
        line = self._lines[node.lineno - 1] if node.lineno <= len(self._lines) else ""
        before = line.encode()[: node.col_offset].decode(errors="replace")
        self._build.place = (node.lineno, len(before) + 1)

    def _statement(self, statement: ast.stmt) -> None:
        self._at(statement)
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            raise self._error("only assignments are allowed", "write `name = expression`")
        target = statement.targets[0]
        if not isinstance(target, ast.Name):
            raise self._error("only a plain name can be assigned", "write `name = expression`")
        output = next((spec for spec in self._outputs if spec.name == target.id), None)
        if target.id in self._given and output is None:
            raise self._error(f"{target.id!r} is given by the task", "choose another name")
        if target.id in self._assigned:
            raise self._error(f"{target.id!r} is assigned twice", "names are final: choose another one")
        value = self._expression(statement.value)
        self._at(statement)
        self._given.pop(target.id, None)
        self._assigned[target.id] = self._output(output, value) if output is not None else value

    def _output(self, spec: TensorSpec, value: NodeId) -> NodeId:
        if spec.dtype.is_float:
            value = self._build.real(value)
        node = self._build.nodes[value]
        wanted = kind_of(spec.dtype)
        if node.kind is not wanted:
            raise self._error(
                f"the output {spec.name!r} is {spec.dtype} but its value is {node.kind}",
                f"convert it: cast(..., '{spec.dtype}')",
            )
        if wanted is Kind.INT and node.dtype not in (None, spec.dtype):
            raise self._error(
                f"the output {spec.name!r} is {spec.dtype} but its value is {node.dtype}",
                f"convert it: cast(..., '{spec.dtype}')",
            )
        if not fits(node.shape, spec.shape):
            raise self._error(
                f"the output {spec.name!r} has shape {shapes.text(spec.shape)}, its value {shapes.text(node.shape)}",
                "a value may broadcast to the output, and sizes 1 may differ",
            )
        return value

    def _expression(self, node: ast.expr) -> NodeId:
        value = self._operand(node)
        self._at(node)
        if isinstance(value, NodeId):
            return value
        raise self._error(f"a text ({value!r}) is only allowed as the type of cast()", "remove the quotes")

    def _operand(self, node: ast.expr) -> NodeId | str:
        self._at(node)
        match node:
            case ast.Constant(value=bool() | int() | float() as number):
                if isinstance(number, int) and not -(2**63) <= number < 2**63:
                    raise self._error(f"{number} does not fit 64 bits", "write it as a float")
                return self._build.const(number)
            case ast.Constant(value=str() as text):
                return text
            case ast.Name(id=name):
                return self._name(name)
            case _:
                return self._compound(node)

    def _compound(self, node: ast.expr) -> NodeId:
        match node:
            case ast.UnaryOp():
                return self._unary(node)
            case ast.BinOp():
                return self._binary(node)
            case ast.Compare():
                return self._compare(node)
            case ast.Call():
                return self._call(node)
            case ast.BoolOp():
                raise self._error("`and` / `or` do not work on tensors", "use `&` and `|` with brackets")
        what = type(node).__name__
        raise self._error(f"{what} is not part of the formula language", "see agentkernel.formula.functions")

    def _name(self, name: str) -> NodeId:
        for known in (self._given, self._assigned):
            if name in known:
                return known[name]
        if name in _CONSTANTS:
            return self._build.const(_CONSTANTS[name])
        if any(name == spec.name for spec in self._outputs):
            raise self._error(f"the output {name!r} is read before it is assigned", "assign it on an earlier line")
        if any(name == attr.name for attr in self._attrs):
            raise self._error(f"the attribute {name!r} is a list or a text", "write the reference in python")
        raise self._error(f"unknown name {name!r}", _nearest(name, [*self._given, *self._assigned, *_CONSTANTS]))

    def _unary(self, node: ast.UnaryOp) -> NodeId:
        x = self._expression(node.operand)
        self._at(node)
        match node.op:
            case ast.USub():
                return self._build.unary(UnaryOp.NEG, x)
            case ast.Invert():
                return self._build.unary(UnaryOp.NOT, x)
            case ast.UAdd():
                return x
        raise self._error("`not` does not work on tensors", "use `~`")

    def _binary(self, node: ast.BinOp) -> NodeId:
        a, b = self._expression(node.left), self._expression(node.right)
        self._at(node)
        if isinstance(node.op, ast.Pow):
            return self._build.power(a, b)
        op = _BINARY.get(type(node.op))
        if op is None:
            raise self._error(f"the operator {type(node.op).__name__} is not known", "floor(a / b) for real numbers")
        return self._build.binary(op, a, b)

    def _compare(self, node: ast.Compare) -> NodeId:
        if len(node.ops) != 1:
            raise self._error("a comparison has two sides", "write (a < b) & (b < c)")
        op = _COMPARE.get(type(node.ops[0]))
        if op is None:
            raise self._error(f"the comparison {type(node.ops[0]).__name__} is not known", "use < <= > >= == !=")
        a, b = self._expression(node.left), self._expression(node.comparators[0])
        self._at(node)
        return self._build.compare(op, a, b)

    def _call(self, node: ast.Call) -> NodeId:
        if not isinstance(node.func, ast.Name):
            raise self._error("only functions of the formula language can be called", "write them by their plain name")
        name = node.func.id
        function = FUNCTIONS.get(name)
        if function is None:
            raise self._error(f"unknown function {name!r}", _nearest(name, list(FUNCTIONS)))
        arguments: list[Argument] = [self._operand(argument) for argument in node.args]
        named: dict[str, object] = {}
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg in named:
                raise self._error(f"{name}() cannot take this argument", f"usage: {function.usage}")
            named[keyword.arg] = self._literal(keyword.value)
        self._at(node)
        return function(Call(self._build, arguments, named, self._error))

    def _literal(self, node: ast.expr) -> object:
        self._at(node)
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError) as error:
            raise self._error("a named argument must be a literal", "for example axis=-1") from error

    def _kept(self) -> Graph:
        """Only nodes that outputs need, renumbered in the same order."""
        nodes = self._build.nodes
        wanted: set[NodeId] = set()
        stack = [self._assigned[spec.name] for spec in self._outputs]
        while stack:
            index = stack.pop()
            if index not in wanted:
                wanted.add(index)
                stack.extend(nodes[index].operands)
        order = sorted(wanted)
        new = {old: position for position, old in enumerate(order)}
        return Graph(
            nodes=tuple(_renumbered(nodes[old], new) for old in order),
            outputs=tuple((spec.name, new[self._assigned[spec.name]]) for spec in self._outputs),
            space=self._build.space,
            input_specs=self._inputs,
            output_specs=self._outputs,
            attr_specs=self._attrs,
            names=tuple(
                (name, new[old])
                for name, old in self._assigned.items()
                if old in new and not isinstance(nodes[old], Const)
            ),
            places=tuple(self._build.places[old] for old in order),
        )


def fits(value: Shape, output: Shape) -> bool:
    """Whether a value can be stored in an output: it broadcasts to it, or differs in sizes 1 only."""
    return shapes.broadcast(value, output) == output or shapes.squeezed(value) == shapes.squeezed(output)


def _space(inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...]) -> Shape:
    space: Shape = ()
    for spec in inputs or outputs:
        wider = shapes.broadcast(space, spec.shape)
        if wider is None:
            raise TaskError(
                f"the tensor {spec.name!r} of shape {shapes.text(spec.shape)} does not broadcast with the tensors "
                f"before it, {shapes.text(space)}",
                hint="a formula is elementwise with reductions; use a python reference",
            )
        space = wider
    return space


def _renumbered(node: Node, new: dict[NodeId, NodeId]) -> Node:
    fields: dict[str, Any] = {name: new[getattr(node, name)] for name in ("x", "a", "b", "cond") if hasattr(node, name)}
    return replace(node, **fields) if fields else node


def _nearest(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=3)
    return "did you mean " + ", ".join(close) + "?" if close else "known: " + ", ".join(sorted(known))
