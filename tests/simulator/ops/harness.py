"""Runs statements of Ascend C on tensors that are already in UB, and hands their values back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from agentkernel.dtypes import DType
from agentkernel.testing.simulate import Simulation, simulate
from agentkernel.toolchains.base import Toolchain


def kernel_source(
    body: str, inputs: Mapping[str, NDArray[Any]], outputs: Mapping[str, tuple[tuple[int, ...], str]], scratch: int = 0
) -> str:
    """A kernel that loads the inputs into UB, runs `body` on local tensors of their names, and stores the outputs."""
    arguments = ", ".join(f"GM_ADDR {name}Gm" for name in (*inputs, *outputs, "workspace"))
    lines = []

    def tensor(name: str, dtype: str, elements: int, itemsize: int) -> None:
        lines.append(f"    GlobalTensor<{dtype}> {name}Global;")
        lines.append(f"    {name}Global.SetGlobalBuffer((__gm__ {dtype}*){name}Gm, {elements});")
        lines.append(f"    TBuf<TPosition::VECCALC> {name}Buffer;")
        lines.append(f"    pipe.InitBuffer({name}Buffer, {max(32, elements * itemsize)});")
        lines.append(f"    LocalTensor<{dtype}> {name} = {name}Buffer.Get<{dtype}>();")

    for name, array in inputs.items():
        tensor(name, DType.from_numpy(array.dtype).ascendc, array.size, array.dtype.itemsize)
        pad = DType.from_numpy(array.dtype).ascendc
        lines.append(
            f"    DataCopyPad({name}, {name}Global, DataCopyExtParams(1, {array.nbytes}, 0, 0, 0), "
            f"DataCopyPadExtParams<{pad}>(false, 0, 0, 0));"
        )
    for name, (shape, dtype) in outputs.items():
        size = 1
        for dim in shape:
            size *= dim
        tensor(name, DType(dtype).ascendc, size, DType(dtype).itemsize)
    if scratch:
        lines.append("    TBuf<TPosition::VECCALC> workBuffer;")
        lines.append(f"    pipe.InitBuffer(workBuffer, {scratch});")
    lines.append("    PipeBarrier<PIPE_ALL>();")
    lines.append(body)
    lines.append("    PipeBarrier<PIPE_ALL>();")
    for name, (shape, dtype) in outputs.items():
        size = DType(dtype).itemsize
        for dim in shape:
            size *= dim
        lines.append(f"    DataCopyPad({name}Global, {name}, DataCopyExtParams(1, {size}, 0, 0, 0));")
    text = "\n".join(lines)
    return f"""#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel({arguments}) {{
    TPipe pipe;
{text}
}}
"""


def run(
    body: str,
    inputs: Mapping[str, NDArray[Any]],
    outputs: Mapping[str, tuple[tuple[int, ...], str]],
    *,
    scratch: int = 0,
    toolchain: Toolchain | None = None,
) -> Simulation:
    """Runs `body`; see `kernel_source`."""
    return simulate(kernel_source(body, inputs, outputs, scratch), inputs, outputs, toolchain=toolchain)


def codes_by_statement(
    statements: Sequence[str],
    inputs: Mapping[str, NDArray[Any]],
    outputs: Mapping[str, tuple[tuple[int, ...], str]],
    *,
    before: str = "",
    toolchain: Toolchain | None = None,
) -> list[set[str]]:
    """Codes of the errors of each statement, all of them run (or compiled) in one kernel, one a line."""
    body = "\n".join([before, *(f"    {{ {s} }}" for s in statements)])
    source = kernel_source(body, inputs, outputs)
    first = source.splitlines().index(f"    {{ {statements[0]} }}") + 1
    done = simulate(source, inputs, outputs, toolchain=toolchain)
    found: list[set[str]] = [set() for _ in statements]
    for diagnostic in done.diagnostics:
        if diagnostic.is_error and diagnostic.location is not None:
            index = diagnostic.location.line - first
            if 0 <= index < len(statements):
                found[index].add(diagnostic.code)
    return found
