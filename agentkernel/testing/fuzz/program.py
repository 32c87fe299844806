"""A generated kernel as data: its arguments, its lines with what each of them is, and what its outputs have to hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from agentkernel.task import Case, Reference, ShapeMode, Task, TensorSpec
from agentkernel.testing.fuzz import elements
from agentkernel.testing.fuzz.elements import Array

INPUTS = ("a", "b", "c")
OUTPUTS = ("y", "z")
SPARE = 8
"""Elements of an argument that a program does not use."""
HEAD = '#include "kernel_operator.h"\n\nusing namespace AscendC;\n\n'


@dataclass(frozen=True)
class Arg:
    """An argument of a call."""

    text: str
    role: str
    """`dst`, `src`, `tmp`, `offset`, `scalar`, `count`, `mask`, `bits`, `repeat`, `params`, `mode`, `more`."""
    dtype: str = ""
    """Element type of a tensor or scalar."""


@dataclass(frozen=True)
class Call:
    """A call of an Ascend C function."""

    api: str
    form: str
    """What kind of overload: `count`, `mask`, `bits`, ..."""
    args: tuple[Arg, ...]
    template: str = ""

    def text(self) -> str:
        """The statement."""
        return f"{self.api}{self.template}({', '.join(arg.text for arg in self.args)});"

    def find(self, *roles: str) -> list[int]:
        """Positions of the arguments of some roles."""
        return [i for i, arg in enumerate(self.args) if arg.role in roles]

    def with_arg(self, at: int, text: str) -> Call:
        """The same call with another text for one argument."""
        args = list(self.args)
        args[at] = replace(args[at], text=text)
        return replace(self, args=tuple(args))


@dataclass(frozen=True)
class Line:
    """A line of the kernel's function."""

    text: str
    kind: str = ""
    """What mutations know it by: `load`, `store`, `alloc`, `enque`, `deque`, `free`, `set`, `wait`, `init`, `get`,
    `compute`, `barrier`, `sync-all`, `base`, `pipe`, `deqscale`, ..."""
    key: str = ""
    """Name of the queue, buffer or event."""
    call: Call | None = None


def compute(call: Call) -> Line:
    """A line that is an instruction of the vector pipe."""
    return Line(call.text(), "compute", call=call)


@dataclass
class State:
    """What the model of one tile works on."""

    tensors: dict[str, Array]
    n: int
    """Elements of the tile."""


Apply = Callable[[State], None]


@dataclass(frozen=True)
class Global:
    """A kernel argument in global memory."""

    name: str
    dtype: str
    elements: int
    seed: int = 0
    """Of an input's values."""


@dataclass(frozen=True)
class Program:
    """A kernel with its launch."""

    name: str
    lines: tuple[Line, ...]
    inputs: tuple[Global, ...]
    outputs: tuple[Global, ...]
    blocks: int
    autosync: bool
    specials: bool
    model: Callable[[Mapping[str, Array]], dict[str, Array]] = field(repr=False)
    """Values of the outputs from those of the inputs."""
    quality: Mapping[str, int] = field(default_factory=dict)
    """How far an output's values are known: EXACT, CLOSE or UNKNOWN."""
    used: tuple[tuple[str, str, str], ...] = ()
    """(API, form, element type) of every call."""

    def function(self, name: str, *, entry: bool = False, which: bool = False) -> str:
        """Text of the function; its first line of code is line 3."""
        head = 'extern "C" __global__ __aicore__ void' if entry else "__aicore__ inline void"
        names = [*INPUTS, *(("which",) if which else ()), *OUTPUTS, "workspace"]
        rows = [f"{head} {name}({', '.join(f'GM_ADDR {n}' for n in names)})", "{"]
        depth = 1
        for line in self.lines:
            depth -= line.text.startswith("}")
            rows.append("    " * depth + line.text)
            depth += line.text.endswith("{")
        return "\n".join([*rows, "}"]) + "\n"

    @property
    def source(self) -> str:
        """The kernel as a file of its own."""
        return HEAD + self.function("kernel", entry=True)

    @property
    def first_line(self) -> int:
        """Line of the file that `lines[0]` stands on."""
        return HEAD.count("\n") + 3

    def arrays(self) -> dict[str, Array]:
        """Values of the inputs; arguments that are not used get a few zeros."""
        given = {g.name: elements.values(g.dtype, g.elements, g.seed, specials=self.specials) for g in self.inputs}
        return {name: given.get(name, np.zeros(SPARE, np.float32)) for name in INPUTS}

    def expected(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        """Values of the outputs."""
        with np.errstate(all="ignore"):
            return self.model(arrays)

    def task(self, *, which: bool = False) -> Task:
        """The launch as a task; its reference is never evaluated."""
        return Task(
            name="fuzz",
            description="A generated kernel.",
            level="L1",
            entry="kernel",
            inputs=(
                *(_spec(name, self.inputs) for name in INPUTS),
                *((TensorSpec(name="which", dtype=elements.BY_NAME["int32_t"], shape=(1,)),) if which else ()),
            ),
            outputs=tuple(_spec(name, self.outputs) for name in OUTPUTS),
            cases=(Case(name="only"),),
            reference=Reference(python="def reference(inputs, attrs): raise AssertionError('judged elsewhere')"),
            shape_mode=ShapeMode.STATIC,
            block_dim=self.blocks,
        )


def _spec(name: str, found: tuple[Global, ...]) -> TensorSpec:
    for item in found:
        if item.name == name:
            return TensorSpec(name=name, dtype=elements.BY_NAME[item.dtype], shape=(item.elements,))
    return TensorSpec(name=name, dtype=elements.BY_NAME["float"], shape=(SPARE,))


EXACT, CLOSE, UNKNOWN = 0, 1, 2
