"""Arrangement of a kernel's code: a class, a smaller class, free functions, or one function."""

from __future__ import annotations

import textwrap

from agentkernel.composer.code import Code
from agentkernel.composer.context import Context, Member, Unit
from agentkernel.composer.ir import ScalarOp
from agentkernel.composer.naming import member as member_name
from agentkernel.composer.sizes import scalars_of
from agentkernel.composer.style import Comments, Layout
from agentkernel.launch import arguments, signature, tiling_fields, tiling_struct

_WIDTH = 110
"""Longest line of generated code."""


def render(context: Context, unit: Unit) -> str:
    """The source file."""
    text = _Renderer(context, unit).run()
    return text if text.endswith("\n") else text + "\n"


def wrap(line: str) -> list[str]:
    """A line, broken after a comma (or its comment moved above) where it is too long to read."""
    if len(line) <= _WIDTH:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    if "  // " in line:
        statement, note = line.split("  // ", 1)
        return [f"{indent}// {note}", *wrap(statement)]
    if line.lstrip().startswith("//"):
        return [line]
    breaks = (line.rfind(mark, len(indent) + 20, _WIDTH) + len(mark) - 1 for mark in (", ", " = ", " ? "))
    at = next((found for found in breaks if found > len(indent) + 20), 0)
    return [line[:at], *wrap(f"{indent}    {line[at + 1 :]}")] if at else [line]


class _Renderer:
    def __init__(self, context: Context, unit: Unit) -> None:
        self._c = context
        self._unit = unit
        self._plan = context.plan
        self._task = context.plan.task
        self._kernel = context.names.kernel(self._task.entry)
        self._sizes = self._used_sizes()

    def run(self) -> str:
        """Everything, top to bottom."""
        c, style = self._c, self._c.style
        code = Code()
        if style.comments is Comments.RICH:
            code.add(*self._heading())
        code.add('#include "kernel_operator.h"', "")
        if not style.qualified:
            code.add("using namespace AscendC;", "")
        if self._unit.constants:
            code.add(*self._unit.constants, "")
        struct = tiling_struct(self._task)
        if struct:
            code.add(*struct.rstrip().splitlines(), "")
        for helper in self._helpers():
            code.include(helper).add("")
        match style.layout:
            case Layout.CLASS | Layout.COMPACT:
                self._class(code)
                body = self._entry_with_class()
            case Layout.FUNCTIONS:
                self._functions(code)
                body = self._entry_with_functions()
            case _:
                body = self._entry_alone()
        code.add(*c.comment("entry of the kernel: one instance per vector core", rich=True))
        code.add(signature(self._task), "{")
        self._indent(code, body)
        code.add("}")
        return "\n".join(wrapped for line in code.lines for wrapped in wrap(line))

    def _heading(self) -> list[str]:
        formula = (self._task.reference.formula or "").strip().splitlines()
        lines = [f"// {self._task.name}:", *(f"//   {line}" for line in formula)]
        notes = [part for note in self._plan.program.notes for part in textwrap.wrap(f"{note}.", _WIDTH - 3)]
        return [*lines, *(f"// {note}" for note in notes)]

    def _helpers(self) -> list[Code]:
        found = list(self._unit.helpers)
        everything = [self._unit.init, self._unit.process, *(body for _, body in self._unit.stages.values())]
        if any("FloatFromBits" in line for code in everything for line in code.lines):
            code = Code()
            code.add("__aicore__ inline float FloatFromBits(uint32_t bits)", "{")
            code.add("    return *reinterpret_cast<float*>(&bits);", "}")
            found.insert(0, code)
        return found

    # ---- parameters --------------------------------------------------------------------------------------------

    def _used_sizes(self) -> tuple[tuple[str, str], ...]:
        """Fields of the tiling structure that the kernel reads."""
        if self._plan.is_static:
            return ()
        names = {dim for dim in self._plan.graph.space if isinstance(dim, str)}
        names |= {name for op, name in scalars_of(self._plan) if op is not ScalarOp.ELEMENT}
        return tuple(field for field in tiling_fields(self._task) if field[1] in names)

    def _tensors(self) -> list[str]:
        return [t.name for t in (*self._task.inputs, *self._task.outputs)]

    def _parameters(self) -> str:
        parts = [f"GM_ADDR {name}" for name in self._tensors()]
        if self._sizes and self._c.style.tiling_by_ref:
            parts.append("const TilingData& tiling")
        else:
            parts.extend(f"{ctype} {name}" for ctype, name in self._sizes)
        return ", ".join([*parts, f"{self._c.q('TPipe')}* {self._pipe}"])

    def _arguments(self) -> str:
        tiling = self._tiling_name
        parts = self._tensors()
        if self._sizes and self._c.style.tiling_by_ref:
            parts.append(tiling)
        else:
            parts.extend(f"{tiling}.{name}" for _, name in self._sizes)
        return ", ".join([*parts, f"&{self._pipe}"])

    @property
    def _pipe(self) -> str:
        return self._c.names.variable("pipe")

    @property
    def _tiling_name(self) -> str:
        return self._c.names.variable("tilingData")

    # ---- a class -----------------------------------------------------------------------------------------------

    def _class(self, code: Code) -> None:
        c = self._c
        code.add(f"class {self._kernel} {{", "public:")
        self._indent(code, Code().add(f"__aicore__ inline {self._kernel}() {{}}", ""))
        self._method(code, "Init", self._parameters(), self._unit.init)
        code.add("")
        self._method(code, "Process", "", self._unit.process)
        code.add("", "private:")
        for name, (parameters, body) in self._unit.stages.items():
            self._method(code, name, ", ".join(f"uint32_t {p}" for p in parameters), body)
            code.add("")
        for member in self._ordered():
            code.add(f"    {self._declared(member, member_name(c.style.naming, member.name))}")
        code.add("};", "")

    def _method(self, code: Code, name: str, parameters: str, body: Code) -> None:
        inner = Code().add(f"__aicore__ inline void {name}({parameters})", "{")
        self._indent(inner, body)
        inner.add("}")
        self._indent(code, inner)

    def _entry_with_class(self) -> Code:
        body = self._beginning()
        op = self._c.names.variable("op")
        body.add(f"{self._kernel} {op};", f"{op}.Init({self._arguments()});", f"{op}.Process();")
        return body

    # ---- free functions ----------------------------------------------------------------------------------------

    def _functions(self, code: Code) -> None:
        code.add(f"struct {self._kernel} {{")
        code.add(*(f"    {self._declared(member, member.name)}" for member in self._ordered()))
        code.add("};", "")
        state = f"{self._kernel}& {self._c.state}"
        for name, (parameters, body) in self._unit.stages.items():
            self._function(code, name, ", ".join([state, *(f"uint32_t {p}" for p in parameters)]), body)
        self._function(code, "Init", f"{state}, {self._parameters()}", self._unit.init)
        self._function(code, "Process", state, self._unit.process)

    def _function(self, code: Code, name: str, parameters: str, body: Code) -> None:
        code.add(f"__aicore__ inline void {name}({parameters})", "{")
        self._indent(code, body)
        code.add("}", "")

    def _entry_with_functions(self) -> Code:
        body = self._beginning()
        state = self._c.state
        body.add(f"{self._kernel} {state};", f"Init({state}, {self._arguments()});", f"Process({state});")
        return body

    # ---- one function ------------------------------------------------------------------------------------------

    def _entry_alone(self) -> Code:
        body = self._beginning()
        body.add(*(self._declared(member, member.name) for member in self._ordered()), "")
        return body.include(self._unit.init).add("").include(self._unit.process)

    # ---- shared ------------------------------------------------------------------------------------------------

    def _beginning(self) -> Code:
        code = Code()
        if self._c.style.task_type:
            code.add("KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);")
        if "tiling" in arguments(self._task) and self._sizes:
            code.add(f"GET_TILING_DATA_WITH_STRUCT(TilingData, {self._tiling_name}, tiling);")
        code.add(f"{self._c.q('TPipe')} {self._pipe};")
        return code

    def _ordered(self) -> list[Member]:
        """Global tensors, queues, buffers, local tensors, numbers."""
        kinds = ("GlobalTensor", "TQue", "TBuf", "LocalTensor")
        return sorted(
            self._unit.members, key=lambda m: next((i for i, k in enumerate(kinds) if k in m.ctype), len(kinds))
        )

    def _declared(self, member: Member, name: str) -> str:
        start = "" if member.is_buffer else " = 0"
        return f"{member.ctype} {name}{start};"

    def _indent(self, code: Code, inner: Code) -> None:
        code.add(*(("    " + line if line else "") for line in inner.lines))
