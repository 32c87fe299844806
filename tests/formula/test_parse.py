"""Reading of formulas: what is accepted, what it becomes, and what is refused where."""

from __future__ import annotations

import pytest

from agentkernel.dtypes import DType
from agentkernel.errors import TaskError
from agentkernel.formula import (
    Attr,
    Binary,
    BinaryOp,
    Cast,
    Compare,
    CompareOp,
    Const,
    Extent,
    Graph,
    Input,
    Kind,
    Reduce,
    ReduceOp,
    Size,
    Unary,
    UnaryOp,
    Where,
    parse,
)
from agentkernel.task import AttrSpec, TensorSpec


def tensor(name: str, *shape: int | str, dtype: str = "float32") -> TensorSpec:
    return TensorSpec(name=name, dtype=DType(dtype), shape=shape)


X, GAMMA, Y = tensor("x", "rows", "cols"), tensor("gamma", "cols"), tensor("y", "rows", "cols")
EPS = AttrSpec(name="eps", type="float", default=1e-5)
STEPS = AttrSpec(name="steps", type="int", default=2)


def graph(source: str, *, dtype: str = "float32", out: TensorSpec = Y) -> Graph:
    return parse(source, [tensor("x", "rows", "cols", dtype=dtype), GAMMA], [out], [EPS, STEPS])


def root(parsed: Graph) -> object:
    return parsed[parsed.outputs[0][1]]


def test_operands_come_before_their_users() -> None:
    parsed = graph("d = x - mean(x)\ny = d * rsqrt(mean(d ** 2) + eps) * gamma")
    assert all(operand < index for index, node in parsed for operand in node.operands)


def test_equal_expressions_are_one_node() -> None:
    parsed = graph("y = exp(x) / (1 + exp(x))")
    assert sum(isinstance(node, Unary) and node.op is UnaryOp.EXP for _, node in parsed) == 1


def test_zeros_of_both_signs_stay_apart() -> None:
    parsed = graph("y = where(x > 0.0, -0.0, 0.0) * 0")
    assert sorted(str(node.value) for _, node in parsed if isinstance(node, Const)) == ["-0.0", "0.0"]


def test_only_what_outputs_need_is_kept() -> None:
    parsed = graph("unused = exp(x)\ny = gamma + 0 * x")
    assert not any(isinstance(node, Unary) for _, node in parsed)
    assert parsed.names == (("y", parsed.outputs[0][1]),)


def test_extents_follow_the_iteration_space() -> None:
    parsed = graph("m = max(x)\ny = (x - m) * gamma * eps")
    extents = {type(node).__name__: node.extent for _, node in parsed if isinstance(node, Input | Attr | Reduce)}
    assert extents["Reduce"] is Extent.ROW
    assert extents["Attr"] is Extent.SCALAR
    assert {node.name: node.extent for _, node in parsed if isinstance(node, Input)} == {
        "x": Extent.FULL,
        "gamma": Extent.VECTOR,
    }
    assert parsed.space == ("rows", "cols")


def test_reductions_keep_their_axis_with_size_one() -> None:
    parsed = graph("y = sum(x, axis=1)", out=tensor("y", "rows"))
    node = root(parsed)
    assert isinstance(node, Reduce)
    assert (node.op, node.axes, node.shape) == (ReduceOp.SUM, (-1,), ("rows", 1))


def test_whole_reduction() -> None:
    node = root(graph("y = max(x, axis=None)", out=tensor("y", 1)))
    assert isinstance(node, Reduce)
    assert (node.axes, node.extent) == ((-2, -1), Extent.SCALAR)


def test_sizes_become_real_numbers_in_real_arithmetic() -> None:
    parsed = graph("y = x / cols")
    size = next(node for _, node in parsed if isinstance(node, Size))
    assert size.kind is Kind.FLOAT


def test_constants_fold() -> None:
    parsed = graph("y = x * (2 * 3 + sqrt(4))")
    assert [node.value for _, node in parsed if isinstance(node, Const)] == [8.0]


@pytest.mark.parametrize(("exponent", "ops"), [("2", 1), ("3", 2), ("4", 2), ("1", 0)])
def test_small_powers_become_products(exponent: str, ops: int) -> None:
    parsed = graph(f"y = x ** {exponent}")
    products = [node for _, node in parsed if isinstance(node, Binary)]
    assert len(products) == ops
    assert all(node.op is BinaryOp.MUL for node in products)


@pytest.mark.parametrize(
    ("source", "op"), [("x ** 0.5", UnaryOp.SQRT), ("x ** -0.5", UnaryOp.RSQRT)], ids=["root", "reciprocal-root"]
)
def test_roots_as_powers(source: str, op: UnaryOp) -> None:
    node = root(graph(f"y = {source}"))
    assert isinstance(node, Unary)
    assert node.op is op


def test_other_powers_stay_powers() -> None:
    node = root(graph("y = x ** 2.5"))
    assert isinstance(node, Binary)
    assert node.op is BinaryOp.POW


def test_a_cast_to_the_own_type_is_nothing() -> None:
    assert isinstance(root(graph("y = cast(x, 'float32')")), Input)
    assert isinstance(root(graph("y = cast(x, 'float16')")), Cast)


def test_isnan_avoids_the_comparison_that_the_chip_does_differently() -> None:
    parsed = graph("y = where(isnan(x), 0.0, x)")
    compare = next(node for _, node in parsed if isinstance(node, Compare))
    assert compare.op is CompareOp.EQ


def test_integer_nodes_carry_the_width_that_they_wrap_to() -> None:
    parsed = parse(
        "y = (a & 7) << steps", [tensor("a", "n", dtype="int16")], [tensor("y", "n", dtype="int16")], [STEPS]
    )
    node = root(parsed)
    assert isinstance(node, Binary)
    assert (node.kind, node.dtype) == (Kind.INT, DType.INT16)


def test_places_name_lines_and_columns() -> None:
    parsed = graph("a = x + 1\ny = a * exp(a)")
    index, _ = next((i, node) for i, node in parsed if isinstance(node, Unary))
    assert parsed.places[index] == (2, 9)


def test_columns_count_characters() -> None:
    with pytest.raises(TaskError, match="line 1, column 9: unknown name 'z'"):
        graph("β = x + z\ny = β")


def test_where_takes_both_branches() -> None:
    node = root(graph("y = where(x > eps, x, 2)"))
    assert isinstance(node, Where)
    assert node.kind is Kind.FLOAT


def test_graphs_of_equal_formulas_are_equal() -> None:
    assert graph("y = exp( x )") == graph("y = exp(x)  # the same")


def test_brackets_continue_a_line() -> None:
    assert graph("y = (x +\n     1)") == graph("y = x + 1")


def test_users_of_a_node() -> None:
    parsed = graph("e = exp(x)\ny = e / sum(e)")
    exp = next(i for i, node in parsed if isinstance(node, Unary))
    assert len(parsed.users(exp)) == 2


REFUSED = {
    "y = x +": "line 1, column 8: syntax error",
    "y = foo(x)": "column 5: unknown function 'foo'",
    "y = x + gama": r"column 9: unknown name 'gama' \(did you mean gamma",
    "y = x > 0": "the output 'y' is float32 but its value is bool",
    "y = cast(x, 'int')": "type of cast",
    "y = cast(x, eps)": "type of cast",
    "z = x": "the output 'y' is never assigned",
    "y = sum(x, axis=5)": "axis 5 is out of range",
    "y = sum(x, axis=1.5)": "axis must be a whole number",
    "y = sum(x, axis=rows)": "must be a literal",
    "y = sum(x, axis=(-1, 1))": "axis is given twice",
    "y = sum(x, 1)": "usage: sum",
    "y = sum(eps)": "of a scalar",
    "y = x if x else x": "IfExp is not part",
    "y = x and x": "`and` / `or`",
    "y = not x": "`not` does not work",
    "y = 1 < x < 2": "two sides",
    "y = x in x": "comparison In is not known",
    "y = max(x, 0)": r"maximum\(a, b\)",
    "y = x\ny = x": "line 2, column 1: 'y' is assigned twice",
    "x = y": "'x' is given by the task",
    "w = y\ny = x": "read before it is assigned",
    "y = 'float16'": "only allowed as the type",
    "y = exp('float16')": "a text where an expression",
    "y = x.a": "Attribute is not part",
    "y = x[0]": "Subscript is not part",
    "y = x // 2": "FloorDiv is not known",
    "y, z = x, x": "only a plain name",
    "y += x": "only assignments",
    "import os": "only assignments",
    "y = __import__('os').system('true')": "only functions of the formula language",
    "y = x + (x > 0)": "`add` of a boolean",
    "y = where(x, x, x)": "condition of where",
    "y = where(x > 0, x, x > 0)": "mixes real numbers and booleans",
    "y = x & x": "needs two booleans or two integers",
    "y = ~x": "needs booleans or integers",
    "y = x << 1": "a shift needs integers",
    "y = x + cast(x, 'int32')": "mixes real numbers and int32 integers",
    "y = exp(cast(x, 'int32'))": "`exp` of int32 values",
    "y = x * (9223372036854775807 + 1)": "64 bits",
    "y = x * 99999999999999999999": "does not fit 64 bits",
    "y = x * (1 << -1)": "cannot be computed",
    "y = sum(x, axis=-1)\ny = exp(y": "syntax error",
    "y = sum(x, axis=0) + sum(x, **{})": "cannot take this argument",
    "z = x\ny = cast(x, '\\d')": "line 2, column 14: a backslash",
    "y = f'{x}'": "JoinedStr is not part",
    "y = sum(x, axis=-1, keepdims=True)": "usage: sum",
}


@pytest.mark.parametrize(("source", "message"), REFUSED.items(), ids=list(REFUSED))
def test_refused(source: str, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        graph(source)


def test_integers_of_two_widths_are_not_mixed() -> None:
    a, b = tensor("a", "n", dtype="int16"), tensor("b", "n", dtype="int32")
    with pytest.raises(TaskError, match="mixes int16 and int32"):
        parse("y = a + b", [a, b], [tensor("y", "n", dtype="int32")])


def test_constants_must_fit_their_integer_type() -> None:
    with pytest.raises(TaskError, match="300 does not fit uint8"):
        parse("y = a + 300", [tensor("a", "n", dtype="uint8")], [tensor("y", "n", dtype="uint8")])


def test_integer_outputs_need_their_own_width() -> None:
    with pytest.raises(TaskError, match="is int16 but its value is int32"):
        parse("y = a", [tensor("a", "n", dtype="int32")], [tensor("y", "n", dtype="int16")])


def test_shapes_must_fit_the_output() -> None:
    with pytest.raises(TaskError, match=r"has shape \(rows,\), its value \(rows, cols\)"):
        graph("y = x", out=tensor("y", "rows"))


def test_sizes_of_different_names_do_not_broadcast() -> None:
    with pytest.raises(TaskError, match="does not broadcast"):
        parse("y = a + b", [tensor("a", "n"), tensor("b", "m")], [tensor("y", "n")])


def test_nesting_has_a_bound() -> None:
    with pytest.raises(TaskError, match=r"nested too deeply|cannot be parsed|syntax error"):
        graph("y = " + "-" * 5000 + "x")


def test_length_has_a_bound() -> None:
    with pytest.raises(TaskError, match="more than 20000 characters"):
        graph("y = x" + " " * 20_000)


def test_parsing_executes_nothing(tmp_path: object) -> None:
    with pytest.raises(TaskError):
        graph(f"y = open('{tmp_path}/made', 'w')")
    with pytest.raises(TaskError):
        graph("y = sum(x, axis=__import__('sys').exit())")
