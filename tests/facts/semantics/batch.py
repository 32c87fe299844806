"""One kernel that runs many small vector programs: each test puts arrays in, writes statements, and reads arrays back.

A compile costs far more than a launch, so a batch packs every array into one global buffer: sources are copied to
a VECIN buffer, destinations (with the contents that the test gives them) to a VECOUT buffer, and everything is
ordered by full barriers, so that only values are at stake.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel.dtypes import DType
from agentkernel.testing.simulate import Simulation, simulate

Array = NDArray[Any]

_BLOCK = 32
_USABLE_UB = 184 * 1024
"""Bytes of UB below the 8 KiB that library calls use as scratch (facts: semantics, section 1)."""

_TEXT = """#include "kernel_operator.h"
using namespace AscendC;
%(declarations)s
extern "C" __global__ __aicore__ void kernel(GM_ADDR given, GM_ADDR taken, GM_ADDR workspace)
{
    TPipe pipe;
    TBuf<TPosition::VECIN> sources;
    TBuf<TPosition::VECOUT> results;
    pipe.InitBuffer(sources, %(given)d);
    pipe.InitBuffer(results, %(taken)d);
    GlobalTensor<uint8_t> from;
    GlobalTensor<uint8_t> to;
    from.SetGlobalBuffer((__gm__ uint8_t *)given, %(given)d);
    to.SetGlobalBuffer((__gm__ uint8_t *)taken, %(taken)d);
    LocalTensor<uint8_t> sourceBytes = sources.Get<uint8_t>();
    LocalTensor<uint8_t> resultBytes = results.Get<uint8_t>();
    DataCopy(sourceBytes, from, %(given)d);
    PipeBarrier<PIPE_ALL>();
    DataCopy(resultBytes, sourceBytes[%(initial)d], %(taken)d);
    PipeBarrier<PIPE_ALL>();
%(tensors)s
%(steps)s
    DataCopy(to, resultBytes, %(taken)d);
}
"""


def explain(simulation: Simulation) -> str:
    """Every diagnostic of a simulation, one a line."""
    return "\n".join(f"{d.severity}: {d.code}: {d.location}: {d.message}" for d in simulation.diagnostics)


class Batch:
    """Arrays and statements of one kernel. Tensors are called by the names that `put` and `out` return."""

    def __init__(self) -> None:
        self._sources: list[tuple[str, Array]] = []
        self._results: list[tuple[str, Array]] = []
        self._steps: list[str] = []
        self.declarations = ""

    def put(self, values: Array) -> str:
        """Add a source tensor; returns its name."""
        name = f"s{len(self._sources)}"
        self._sources.append((name, np.ascontiguousarray(values)))
        return name

    def out(self, initial: Array) -> str:
        """Add a destination tensor that holds `initial` before the first step; returns its name."""
        name = f"d{len(self._results)}"
        self._results.append((name, np.ascontiguousarray(initial)))
        return name

    def do(self, *statements: str) -> None:
        """Add one step: statements in a scope of their own, a full barrier behind them."""
        self._steps.append("    {\n" + "".join(f"        {s}\n" for s in statements) + "    }\n    PipeBarrier<PIPE_ALL>();")

    def run(self, *, errors_allowed: bool = False) -> Mapping[str, Array]:
        """Compile, launch, and return the contents of every destination by name."""
        offsets, total = _layout(self._sources)
        result_offsets, taken = _layout(self._results)
        given = total + taken
        assert given + taken <= _USABLE_UB, f"the batch needs {given + taken} bytes of UB"
        tensors = "\n".join(
            f"    LocalTensor<{_ctype(a)}> {n} = {buffer}.GetWithOffset<{_ctype(a)}>({a.size}, {offset[n]});"
            for buffer, arrays, offset in (
                ("sources", self._sources, offsets),
                ("results", self._results, result_offsets),
            )
            for n, a in arrays
        )
        source = _TEXT % {
            "declarations": self.declarations,
            "given": given,
            "taken": taken,
            "initial": total,
            "tensors": tensors,
            "steps": "\n".join(self._steps),
        }
        packed = np.frombuffer(_pack(self._sources) + _pack(self._results), dtype=np.uint8)
        simulation = simulate(source, {"given": packed}, {"taken": ((taken,), "uint8")})
        assert simulation.compiled, explain(simulation)
        assert simulation.completed, explain(simulation)
        assert errors_allowed or not simulation.codes, explain(simulation)
        data = simulation.outputs["taken"].tobytes()
        return {
            name: np.frombuffer(data, dtype=a.dtype, count=a.size, offset=result_offsets[name]).reshape(a.shape)
            for name, a in self._results
        }


def _ctype(array: Array) -> str:
    return DType.from_numpy(array.dtype).ascendc


def _padded(nbytes: int) -> int:
    return -(-nbytes // _BLOCK) * _BLOCK


def _layout(arrays: Iterable[tuple[str, Array]]) -> tuple[dict[str, int], int]:
    offsets, at = {}, 0
    for name, array in arrays:
        offsets[name] = at
        at += _padded(array.nbytes)
    return offsets, at


def _pack(arrays: Iterable[tuple[str, Array]]) -> bytes:
    return b"".join(a.tobytes() + bytes(_padded(a.nbytes) - a.nbytes) for _, a in arrays)
