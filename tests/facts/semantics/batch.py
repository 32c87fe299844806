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
extern "C" __global__ __aicore__ void kernel(GM_ADDR given, GM_ADDR far, GM_ADDR tilings, GM_ADDR taken, GM_ADDR back,
                                             GM_ADDR workspace)
{
    TPipe pipe;
    TBuf<TPosition::VECIN> sources;
    TBuf<TPosition::VECOUT> results;
    pipe.InitBuffer(sources, %(given)d);
    pipe.InitBuffer(results, %(taken)d + %(back)d);
    GlobalTensor<uint8_t> from;
    GlobalTensor<uint8_t> to;
    from.SetGlobalBuffer((__gm__ uint8_t *)given, %(given)d);
    to.SetGlobalBuffer((__gm__ uint8_t *)taken, %(taken)d);
    LocalTensor<uint8_t> sourceBytes = sources.Get<uint8_t>();
    LocalTensor<uint8_t> resultBytes = results.Get<uint8_t>();
    DataCopy(sourceBytes, from, %(given)d);
    PipeBarrier<PIPE_ALL>();
    DataCopy(resultBytes, sourceBytes[%(initial)d], %(taken)d + %(back)d);
    PipeBarrier<PIPE_ALL>();
    GlobalTensor<uint8_t> behind;
    behind.SetGlobalBuffer((__gm__ uint8_t *)back, %(back)d);
    DataCopy(behind, resultBytes[%(taken)d], %(back)d);
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
    """Arrays and statements of one kernel. Tensors are called by the names that `put`, `out`, ... return."""

    def __init__(self) -> None:
        self._sources: list[tuple[str, Array]] = []
        self._results: list[tuple[str, Array]] = []
        self._far: list[tuple[str, Array]] = []
        self._back: list[tuple[str, Array]] = []
        self._tilings: list[tuple[str, bytes]] = []
        self._steps: list[str] = []
        self.declarations = ""

    def put(self, values: Array) -> str:
        """Add a source tensor in UB; returns its name."""
        return _add(self._sources, "s", values)

    def out(self, initial: Array) -> str:
        """Add a destination tensor in UB that holds `initial` before the first step; returns its name."""
        return _add(self._results, "d", initial)

    def put_global(self, values: Array) -> str:
        """Add a global tensor that is read; returns its name."""
        return _add(self._far, "g", values)

    def out_global(self, initial: Array) -> str:
        """Add a global tensor that holds `initial` before the first step and comes back; returns its name."""
        return _add(self._back, "r", initial)

    def tiling(self, struct: str, data: bytes) -> str:
        """Add a tiling structure that the host filled (`host.tiling_of`); returns the name of the kernel's copy."""
        self._tilings.append((struct, data + bytes(-len(data) % 8)))
        return f"t{len(self._tilings) - 1}"

    def do(self, *statements: str) -> None:
        """Add one step: statements in a scope of their own, a full barrier behind them."""
        body = "".join(f"        {s}\n" for s in statements if s)
        self._steps.append("    {\n" + body + "    }\n    PipeBarrier<PIPE_ALL>();")

    def run(self, *, errors_allowed: bool = False) -> Mapping[str, Array]:
        """Compile, launch, and return the contents of every destination and returned global tensor by name."""
        far = self._far or [("g", np.zeros(_BLOCK, np.uint8))]
        back = self._back or [("r", np.zeros(_BLOCK, np.uint8))]
        results = self._results or [("d", np.zeros(_BLOCK, np.uint8))]
        source_offsets, initial = _layout(self._sources)
        result_offsets, taken = _layout(results)
        far_offsets, _ = _layout(far)
        back_offsets, returned = _layout(back)
        given = initial + taken + returned
        assert given + taken + returned <= _USABLE_UB, f"the batch needs {given + taken + returned} bytes of UB"
        tensors = [_local("sources", n, a, source_offsets[n]) for n, a in self._sources]
        tensors += [_local("results", n, a, result_offsets[n]) for n, a in results]
        tensors += [_global("far", n, a, far_offsets[n]) for n, a in far]
        tensors += [_global("back", n, a, back_offsets[n]) for n, a in back]
        at = 0
        for i, (struct, data) in enumerate(self._tilings):
            tensors.append(f"    GET_TILING_DATA_WITH_STRUCT({struct}, t{i}, tilings + {at});")
            at += len(data)
        source = _TEXT % {
            "declarations": self.declarations,
            "given": given,
            "taken": taken,
            "back": returned,
            "initial": initial,
            "tensors": "\n".join(tensors),
            "steps": "\n".join(self._steps),
        }
        packed = np.frombuffer(_pack(self._sources) + _pack(results) + _pack(back), dtype=np.uint8)
        simulation = simulate(
            source,
            {
                "given": packed,
                "far": np.frombuffer(_pack(far), dtype=np.uint8),
                "tilings": np.frombuffer(b"".join(data for _, data in self._tilings) or bytes(_BLOCK), np.uint8),
            },
            {"taken": ((taken,), "uint8"), "back": ((returned,), "uint8")},
        )
        assert simulation.compiled, explain(simulation)
        assert simulation.completed, explain(simulation)
        assert errors_allowed or not simulation.codes, explain(simulation)
        return _unpack(simulation.outputs["taken"], results, result_offsets) | _unpack(
            simulation.outputs["back"], back, back_offsets
        )


def _add(arrays: list[tuple[str, Array]], letter: str, values: Array) -> str:
    name = f"{letter}{len(arrays)}"
    arrays.append((name, np.ascontiguousarray(values)))
    return name


def _local(buffer: str, name: str, array: Array, offset: int) -> str:
    ctype = _ctype(array)
    return f"    LocalTensor<{ctype}> {name} = {buffer}.GetWithOffset<{ctype}>({array.size}, {offset});"


def _global(argument: str, name: str, array: Array, offset: int) -> str:
    ctype = _ctype(array)
    address = f"(__gm__ {ctype} *)({argument} + {offset})"
    return f"    GlobalTensor<{ctype}> {name};\n    {name}.SetGlobalBuffer({address}, {array.size});"


def _unpack(data: Array, arrays: list[tuple[str, Array]], offsets: dict[str, int]) -> dict[str, Array]:
    raw = data.tobytes()
    return {
        name: np.frombuffer(raw, dtype=a.dtype, count=a.size, offset=offsets[name]).reshape(a.shape)
        for name, a in arrays
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
