"""Reductions over rows, in the form that the walk needs."""

from __future__ import annotations

from agentkernel.composer.code import Code
from agentkernel.composer.context import Context
from agentkernel.composer.ir import Op
from agentkernel.composer.passes import Walk
from agentkernel.composer.tiling import REPEAT_BYTES

_LANES = REPEAT_BYTES // 4
_COMBINE = {Op.SUM: "Add", Op.MAXIMUM: "Max", Op.MINIMUM: "Min"}
_WHOLE = {Op.SUM: "WholeReduceSum", Op.MAXIMUM: "WholeReduceMax", Op.MINIMUM: "WholeReduceMin"}


class Reducer:
    """Writes reductions of float values."""

    def __init__(self, context: Context) -> None:
        self._c = context
        self._plan = context.plan

    def write(self, code: Code, op: Op, dst: str, src: str, count: str, rows: str, first: str, label: str) -> None:
        """Reduce `src` into `dst`.

        Args:
            code: Where to write.
            op: ReduceSum, ReduceMax or ReduceMin.
            dst: Tensor of the result.
            src: Tensor of the operand.
            count: Elements of a row, or of a piece of one.
            rows: Rows in the tile (BLOCK).
            first: Condition of the first piece (CHUNKED).
            label: Plain name of the result's tensor.
        """
        if self._plan.walk is Walk.BLOCK:
            self._block(code, op, dst, src, count, rows)
        elif self._plan.walk is Walk.CHUNKED:
            self._piece(code, op, dst, src, count, first, label)
        else:
            code.add(self._whole(op, dst, src, count))

    def finish(self, code: Code, op: Op, dst: str, count: str, label: str) -> None:
        """The end of a pass over the pieces of a row, where they were folded into one."""
        code.add(self._whole(op, dst, self.folded(label), count))

    @property
    def folds(self) -> bool:
        """Whether pieces are folded elementwise and reduced at the end."""
        return self._plan.walk is Walk.CHUNKED and self._c.style.fold_sum

    @property
    def work(self) -> str:
        """The work tensor of complete reductions."""
        return self._c.names.get("reduce work", "reduceWork")

    @property
    def partial(self) -> str:
        """The result of one piece."""
        return self._c.names.get("reduce partial", "partial")

    @property
    def lanes(self) -> str:
        """Rows folded to one repeat each (BLOCK)."""
        return self._c.names.get("reduce lanes", "foldLocal")

    def folded(self, label: str) -> str:
        """The tensor that pieces are folded into."""
        return self._c.names.get(f"reduce folded {label}", f"{label}Acc")

    def _whole(self, op: Op, dst: str, src: str, count: str) -> str:
        return f"{self._c.q(op.value)}({dst}, {src}, {self.work}, {count});"

    def _piece(self, code: Code, op: Op, dst: str, src: str, count: str, first: str, label: str) -> None:
        c, combine = self._c, self._c.q(_COMBINE[op])
        with code.block(f"if ({first})", "} else {"):
            if self.folds:
                code.add(f"{c.q('Adds')}({self.folded(label)}, {src}, 0.0f, {count});")
            else:
                code.add(self._whole(op, dst, src, count))
        if self.folds:
            folded = self.folded(label)
            code.add(f"    {combine}({folded}, {folded}, {src}, {count});", "}")
        else:
            code.add(
                "    " + self._whole(op, self.partial, src, count), f"    {combine}({dst}, {dst}, {self.partial}, 1);", "}"
            )

    def _block(self, code: Code, op: Op, dst: str, src: str, count: str, rows: str) -> None:
        c = self._c
        stride = f"static_cast<int32_t>({c.number('pitch')} / 8)"
        if not self._plan.fold:
            code.add(self._per_row(op, dst, src, f"static_cast<int32_t>({count})", rows, stride))
            return
        lanes, i = c.names.variable("lanes"), c.names.variable("col")
        times = f"static_cast<uint8_t>({rows})"
        step = f"static_cast<uint8_t>({c.number('pitch')} / 8)"
        head, fold = c.names.variable("headLanes"), self.lanes
        with code.block(""):
            code.add(*c.comment(f"fold every row to {_LANES} lanes, then reduce the lanes"))
            code.add(f"const uint64_t {head} = {count} < {_LANES} ? {count} : {_LANES};")
            code.add(f"{c.q('Adds')}({fold}, {src}, 0.0f, {head}, {times}, {{1, 1, 8, {step}}});")
            with code.block(f"for (uint32_t {i} = {_LANES}; {i} < {count}; {i} += {_LANES})"):
                code.add(f"const uint64_t {lanes} = {count} - {i} < {_LANES} ? {count} - {i} : {_LANES};")
                code.add(
                    f"{c.q(_COMBINE[op])}({fold}, {fold}, {src}[{i}], {lanes}, {times}, {{1, 1, 1, 8, 8, {step}}});"
                )
            code.add(self._per_row(op, dst, fold, f"static_cast<int32_t>({head})", rows, "8"))

    def _per_row(self, op: Op, dst: str, src: str, mask: str, rows: str, stride: str) -> str:
        c = self._c
        only = f", {c.q('ReduceOrder::ORDER_ONLY_VALUE')}" if op is not Op.SUM else ""
        times = f"static_cast<int32_t>({rows})"
        if c.style.new_names:
            kind = {Op.SUM: "SUM", Op.MAXIMUM: "MAX", Op.MINIMUM: "MIN"}[op]
            name = f"{c.q('ReduceRepeat')}<{c.q(f'ReduceType::{kind}')}>"
        else:
            name = f"{c.q(_WHOLE[op])}<float>"
        return f"{name}({dst}, {src}, {mask}, {times}, 1, 1, {stride}{only});"
