"""Buffers are shared only by values whose lives do not overlap, for any formula, walk and style."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentkernel.composer.buffers import Assignment, Buffer, Place, allows_in_place, assign
from agentkernel.composer.ir import REDUCTIONS, Inst, Lane, Op, Program, Value
from agentkernel.composer.lowering import lower
from agentkernel.composer.passes import Schedule, Walk, schedule
from agentkernel.composer.style import style_for
from agentkernel.dtypes import DType
from agentkernel.formula import parse
from agentkernel.task import TensorSpec

_ONE = ("exp({})", "abs({})", "sigmoid({})", "tanh({})", "-{}", "relu({})", "0.3 * {}", "{} + 2", "1 / {}", "floor({})")
_TWO = ("({} + {})", "({} * {})", "({} - {})", "maximum({}, {})", "({} / {})", "where({0} > {1}, {0}, {1})")
_ROW = ("max({})", "sum({})", "mean({})")


@st.composite
def formulas(draw: st.DrawFn, *, rows: bool) -> tuple[str, str]:
    """(formula of one or two outputs, dtype)."""
    names = ["x", "w", "v", "s"] if rows else ["x", "w"]
    lines = []
    for i in range(draw(st.integers(1, 7))):
        pick = st.sampled_from(names)
        shape = draw(st.sampled_from(["one", "two", "two", "row"] if rows else ["one", "two", "two"]))
        if shape == "row":
            text = draw(st.sampled_from(_ROW)).format(f"(x * {draw(pick)})")
        elif shape == "one":
            text = draw(st.sampled_from(_ONE)).format(draw(pick))
        else:
            a, b = draw(pick), draw(pick)
            text = draw(st.sampled_from(_TWO)).format(a, b)
            # a condition on two values per row is refused: the tile's own input makes it per element
            text = text.replace("where(", "where(x + ") if text.startswith("where") else text
        lines.append(f"t{i} = {text}")
        names.append(f"t{i}")
    lines.append(f"y = x * 0.5 + {names[-1]}")
    lines.append(f"z = {draw(st.sampled_from([n for n in names if n not in 'vs']))} + x")
    return "\n".join(lines), draw(st.sampled_from(["float16", "float32", "bfloat16"]))


def lowered(formula: str, dtype: str, seed: int, *, rows: bool) -> Program:
    kind = DType(dtype)
    full: tuple[int | str, ...] = ("r", "c") if rows else ("n",)
    inputs = [TensorSpec(name="x", dtype=kind, shape=full), TensorSpec(name="w", dtype=kind, shape=full)]
    if rows:
        inputs += [TensorSpec(name="v", dtype=kind, shape=("c",)), TensorSpec(name="s", dtype=kind, shape=("r", 1))]
    outputs = [TensorSpec(name=name, dtype=kind, shape=full) for name in ("y", "z")]
    return lower(parse(formula, inputs, outputs), style_for(formula, seed))


class Watch:
    """What every buffer holds, while instructions are followed in order."""

    def __init__(self) -> None:
        self.holds: dict[Buffer, Value] = {}

    def run(self, inst: Inst, where: Assignment, index: int) -> None:
        for value in inst.values:
            assert self.holds.get(where.home(index, value)) == value, f"{inst} reads {value} after it was overwritten"
        if inst.dst is None:
            return
        home = where.home(index, inst.dst)
        assert home.storage is inst.dst.storage
        for value in inst.values:
            if where.home(index, value) == home and inst.op is not Op.AXPY:
                assert allows_in_place(inst) and value in inst.args, f"{inst} may not be computed in place"
        self.holds[home] = inst.dst


def follow(ordered: Schedule, where: Assignment) -> None:
    """Run everything twice over, as the next tile, row or piece does, and look at every read."""
    watch = Watch()
    for inst in ordered.once:
        watch.run(inst, where, 0)
    for _row in range(2):
        for inst in ordered.before:
            watch.run(inst, where, 0)
        for index, part in enumerate(ordered.passes):
            for _piece in range(2 if ordered.walk is Walk.CHUNKED else 1):
                for inst in _loads_first(part.insts):
                    watch.run(inst, where, index)
            for inst in part.after:
                watch.run(inst, where, index)
        for inst in ordered.after:
            watch.run(inst, where, len(ordered.passes) - 1)


def _loads_first(insts: tuple[Inst, ...]) -> list[Inst]:
    """As the stages do: all of a tile's inputs are there before anything is computed."""
    return [i for i in insts if i.op is Op.LOAD] + [i for i in insts if i.op is not Op.LOAD]


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(formulas(rows=False), st.integers(0, 7), st.booleans(), st.booleans())
def test_flat_values_are_never_overwritten_while_needed(
    formula: tuple[str, str], seed: int, in_place: bool, hoist: bool
) -> None:
    ordered = schedule(lowered(*formula, seed, rows=False), Walk.FLAT, hoist=hoist)
    follow(ordered, assign(ordered, in_place=in_place))


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(formulas(rows=True), st.integers(0, 7), st.booleans(), st.sampled_from([Walk.SINGLE, Walk.CHUNKED]))
def test_row_values_are_never_overwritten_while_needed(
    formula: tuple[str, str], seed: int, in_place: bool, walk: Walk
) -> None:
    program = lowered(*formula, seed, rows=True)
    if program.split == 0:
        return
    ordered = schedule(program, walk, hoist=seed % 2 == 0)
    follow(ordered, assign(ordered, in_place=in_place))


def test_in_place_buffers_are_fewer() -> None:
    program = lowered("t = exp(x) + w\ny = sigmoid(t) * 0.5\nz = t - w", "float16", 0, rows=False)
    ordered = schedule(program, Walk.FLAT, hoist=False)
    plain, tight = (assign(ordered, in_place=flag) for flag in (False, True))
    temps = [sum(b.place is Place.TEMP for b in where.buffers) for where in (plain, tight)]
    assert temps[1] < temps[0]


def test_a_reduction_is_one_pass_later_than_what_it_needs() -> None:
    program = lowered("m = max(x)\ne = exp(x - m)\ny = e / sum(e) + v * s\nz = x - m", "float32", 0, rows=True)
    ordered = schedule(program, Walk.CHUNKED, hoist=True)
    reductions = [[i.op for i in part.insts if i.op in REDUCTIONS] for part in ordered.passes]
    assert reductions == [[Op.MAXIMUM], [Op.SUM], []]
    assert all(inst.lane is Lane.ROW for part in ordered.passes for inst in part.after)
