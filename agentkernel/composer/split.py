"""Division of the work among cores, as code of Init."""

from __future__ import annotations

from agentkernel.composer.code import Code
from agentkernel.composer.context import Context
from agentkernel.composer.style import Split


class Divider:
    """Writes which part of `total` units a core works on.

    Args:
        context: Names and members.
        unit: Parts of CHUNK and BALANCED begin at multiples of this many units.
    """

    def __init__(self, context: Context, unit: int) -> None:
        self._c = context
        self._unit = unit
        self.start = context.names.variable("start")

    def write(self, code: Code, total: str, mine: str) -> None:
        """Declare the first unit (`start`) and set `mine`, the number of units of this core, 0 for an idle one."""
        match self._c.style.split:
            case Split.CHUNK:
                self._chunk(code, total, mine)
            case Split.BALANCED:
                self._balanced(code, total, mine)
            case Split.STRIDED:
                code.add(f"{mine} = {total};")

    @property
    def has_start(self) -> bool:
        """Whether a core's part begins somewhere else than at 0."""
        return self._c.style.split is not Split.STRIDED

    def _cores(self, code: Code) -> tuple[str, str]:
        c = self._c
        cores, core = c.names.variable("blockNum"), c.names.variable("blockIdx")
        code.add(
            f"const uint32_t {cores} = {c.q('GetBlockNum')}();", f"const uint32_t {core} = {c.q('GetBlockIdx')}();"
        )
        return cores, core

    def _chunk(self, code: Code, total: str, mine: str) -> None:
        c = self._c
        cores, core = declare_cores(self._c, code)
        share = c.names.variable("perCore")
        code.add(*c.comment("equal parts; the last cores may get less, or nothing", rich=True))
        if self._unit == 1:
            code.add(f"const uint32_t {share} = ({total} + {cores} - 1) / {cores};")
        else:
            unit, even = c.constant("align elements", self._unit), c.names.variable("evenShare")
            code.add(f"const uint32_t {even} = ({total} + {cores} - 1) / {cores};")
            code.add(f"const uint32_t {share} = ({even} + {unit} - 1) / {unit} * {unit};")
        code.add(f"const uint32_t {self.start} = {core} * {share};")
        rest = f"{total} - {self.start}"
        code.add(f"{mine} = {self.start} >= {total} ? 0 : ({rest} < {share} ? {rest} : {share});")

    def _balanced(self, code: Code, total: str, mine: str) -> None:
        c = self._c
        cores, core = declare_cores(self._c, code)
        code.add(*c.comment("parts that differ by at most one unit", rich=True))
        base, extra, first = (c.names.variable(n) for n in ("basePart", "extraParts", "firstPart"))
        parts = total
        if self._unit > 1:
            unit = c.constant("align elements", self._unit)
            parts = c.names.variable("parts")
            code.add(f"const uint32_t {parts} = ({total} + {unit} - 1) / {unit};")
        code.add(f"const uint32_t {base} = {parts} / {cores};", f"const uint32_t {extra} = {parts} % {cores};")
        least = f"({core} < {extra} ? {core} : {extra})"
        if self._unit == 1:
            code.add(f"const uint32_t {self.start} = {core} * {base} + {least};")
            code.add(f"{mine} = {base} + ({core} < {extra} ? 1 : 0);")
            return
        code.add(f"const uint32_t {first} = {core} * {base} + {least};")
        code.add(f"const uint32_t {self.start} = {first} * {unit};")
        wanted = c.names.variable("wanted")
        code.add(f"const uint32_t {wanted} = ({base} + ({core} < {extra} ? 1 : 0)) * {unit};")
        rest = f"{total} - {self.start}"
        code.add(f"{mine} = {wanted} == 0 ? 0 : ({rest} < {wanted} ? {rest} : {wanted});")


def declare_cores(context: Context, code: Code) -> tuple[str, str]:
    """Variables for the number of cores and this core's index."""
    q, names = context.q, context.names
    cores, core = names.variable("blockNum"), names.variable("blockIdx")
    code.add(f"const uint32_t {cores} = {q('GetBlockNum')}();", f"const uint32_t {core} = {q('GetBlockIdx')}();")
    return cores, core
