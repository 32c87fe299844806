"""A kernel with one mistake, its corrected twin, and the translation unit that holds many of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agentkernel.diagnostic import Diagnostic, Level
from agentkernel.kernel import Kernel
from agentkernel.task import Task
from agentkernel.testing.simulate import snippet_task
from agentkernel.toolchains.base import Build, Run
from agentkernel.toolchains.simulator import SimulatorToolchain

ELEMENTS = 256
"""Elements of each of the global tensors gx, gy (inputs) and gz, gw (outputs); all are float."""

TENSORS = """
TPipe pipe;
TBuf<TPosition::VECCALC> buf;
pipe.InitBuffer(buf, 1024);
LocalTensor<float> a = buf.GetWithOffset<float>(64, 0);
LocalTensor<float> b = buf.GetWithOffset<float>(64, 256);
LocalTensor<float> c = buf.GetWithOffset<float>(64, 512);
LocalTensor<float> d = buf.GetWithOffset<float>(64, 768);
"""
"""Four tensors of 64 elements, one behind the other, without queues."""

QUEUES = """
TPipe pipe;
TQue<TPosition::VECIN, 1> in;
TQue<TPosition::VECOUT, 1> out;
TBuf<TPosition::VECCALC> buf;
pipe.InitBuffer(in, 2, 256);
pipe.InitBuffer(out, 2, 256);
pipe.InitBuffer(buf, 256);
LocalTensor<float> a = buf.Get<float>();
"""
"""A queue of two buffers of 64 elements each way, and one tensor without queue."""

HEAD = """#include "kernel_operator.h"
using namespace AscendC;
using GT = GlobalTensor<float>;
template <HardEvent event> __aicore__ inline void Sync() { SetFlag<event>(EVENT_ID0); WaitFlag<event>(EVENT_ID0); }
__aicore__ inline void Flush(GT tensor)
{
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(tensor);
}
"""


class Mistake(NamedTuple):
    """A wrong kernel and its twin, written as one text.

    Lines that begin with `-` are in the wrong kernel only, lines that begin with `+` in the corrected one only. Lines
    that end in `//@` are those that a report of the mistake must name.
    """

    name: str
    fact: str
    codes: tuple[str, ...]
    """Codes that may stand for the mistake."""
    text: str
    setup: str = TENSORS
    words: tuple[str, ...] = ()
    """What the message must say."""
    follows: tuple[str, ...] = ()
    """Codes that may come with it because of it."""
    fails: bool = True
    """False where the mistake need not change a result, so that a note is enough."""

    def lines(self, *, wrong: bool) -> list[str]:
        """The kernel's statements, one a line, markers included."""
        dropped = "+" if wrong else "-"
        lines = [line.strip() for line in (self.setup + self.text).splitlines()]
        return [line.lstrip("+-").strip() for line in lines if line and not line.startswith(dropped)]


class Legal(NamedTuple):
    """A kernel that must be clean."""

    name: str
    fact: str
    text: str
    setup: str = TENSORS

    def lines(self) -> list[str]:
        return [line for line in map(str.strip, (self.setup + self.text).splitlines()) if line]


class Bodies:
    """Many kernels in one translation unit: the first input says which of them runs."""

    def __init__(self, bodies: Mapping[str, list[str]], *, blocks: int = 1, autosync: bool = True) -> None:
        """Compile.

        Args:
            bodies: Statements by name; `gx`, `gy`, `gz`, `gw` are the global tensors.
            blocks: Blocks of a launch.
            autosync: Whether the compiler's automatic synchronisation is modelled.
        """
        self._toolchain = SimulatorToolchain(autosync=autosync)
        self._numbers = {name: number for number, name in enumerate(bodies)}
        self.marked: dict[str, frozenset[int]] = {}
        """Lines with a marker, by name."""
        source = self._source(bodies)
        self._inputs = {
            "which": np.zeros(8, np.int32),
            "x": np.arange(ELEMENTS, dtype=np.float32),
            "y": np.ones(ELEMENTS, np.float32),
        }
        outputs = {name: ((ELEMENTS,), "float32") for name in "zw"}
        self._task: Task = snippet_task(self._inputs, outputs, blocks=blocks)
        self._build: Build = self._toolchain.build(Kernel.from_source(source, "kernel"), self._task)
        assert self._build.ok, "\n".join(map(describe, self._build.diagnostics))

    def _source(self, bodies: Mapping[str, list[str]]) -> str:
        lines = HEAD.splitlines()
        for name, body in bodies.items():
            lines.append(f"__aicore__ inline void body{self._numbers[name]}(GT gx, GT gy, GT gz, GT gw) {{ // {name}")
            self.marked[name] = frozenset(len(lines) + i for i, line in enumerate(body, 1) if line.endswith("//@"))
            lines += [*body, "}"]
        lines += [
            'extern "C" __global__ __aicore__ void kernel(',
            "    GM_ADDR which, GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w, GM_ADDR workspace) {",
            "GlobalTensor<int32_t> choice; choice.SetGlobalBuffer((__gm__ int32_t*)which, 8);",
            "GT gx, gy, gz, gw;",
            *(f"g{v}.SetGlobalBuffer((__gm__ float*){v}, {ELEMENTS});" for v in "xyzw"),
            "switch (choice.GetValue(0)) {",
            *(f"case {n}: body{n}(gx, gy, gz, gw); break;" for n in self._numbers.values()),
            "}",
            "}",
        ]
        return "\n".join(lines) + "\n"

    def run(self, name: str) -> Run:
        """Launch one of the kernels."""
        which = np.full(8, self._numbers[name], np.int32)
        return self._toolchain.run(self._build, self._task.cases[0], {**self._inputs, "which": which})


def findings(run: Run) -> list[Diagnostic]:
    """What a launch reported, without advice and without the outputs that a snippet leaves alone."""
    return [d for d in run.diagnostics if d.level is not Level.PERFORMANCE and d.code != "output-not-written"]


def lines_of(diagnostic: Diagnostic) -> frozenset[int]:
    """Every line that a diagnostic names."""
    places = [place for place, _ in diagnostic.related]
    return frozenset(p.line for p in (*places, diagnostic.location) if p is not None)


def describe(diagnostic: Diagnostic) -> str:
    lines = sorted(lines_of(diagnostic))
    return f"{diagnostic.severity} {diagnostic.code} {diagnostic.location} of {lines}: {diagnostic.message}"


def assert_reported(mistake: Mistake, run: Run, marked: frozenset[int]) -> None:
    """The mistake is reported with its code, lines and words, and nothing that is not its consequence."""
    found = findings(run)
    told = "\n".join(map(describe, found))
    own = [d for d in found if d.code in mistake.codes]
    assert own, f"{mistake.name} ({mistake.fact}) was not reported as {mistake.codes}, only as:\n{told}"
    assert not mistake.fails or any(d.is_error for d in own), told
    assert {d.code for d in found} <= {*mistake.codes, *mistake.follows}, told
    assert any(marked <= lines_of(d) for d in own), f"no report names lines {sorted(marked)}:\n{told}"
    if marked:
        assert any(d.location is not None and d.location.line in marked for d in own), told
    assert all(word in d.message + d.hint for d in own[:1] for word in mistake.words), told


def assert_clean(name: str, run: Run) -> None:
    """The launch ended and reported nothing."""
    found = findings(run)
    assert not found, f"{name}:\n" + "\n".join(map(describe, found))
    assert run.completed


Output = Mapping[str, NDArray[np.float32]]


def names(cases: Iterable[Mistake | Legal]) -> list[str]:
    """Names of cases, which must differ."""
    result = [case.name for case in cases]
    assert len(set(result)) == len(result)
    return result
