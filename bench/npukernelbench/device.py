"""The simulator's side of an answer: whole operators, and what a second look at a failed call shows.

A call that fails because the kernel goes past the end of a tensor is run again with tensors as a framework's allocator
gives them: in blocks of 512 bytes with room behind the data. Some answers copy whole 32-byte blocks and rely on that
room; some have the number of cores of a smaller chip built in. What the second look shows is evidence beside the
finding, never a reason to drop it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from agentkernel.bench.npukernelbench.arguments import BoundCall, Slot
from agentkernel.diagnostic import Diagnostic, Level
from agentkernel.simulator.chips import load_chip
from agentkernel.simulator.gm_buffers import GmArgument
from agentkernel.simulator.host import OpDescription, Platform, columns_of, match_column
from agentkernel.simulator.launches import Options
from agentkernel.simulator.operator_calls import ArrayCall, OutputSpec, host_call_of, launch_arguments
from agentkernel.simulator.operators import Operator, OperatorSimulator
from agentkernel.simulator.outcome import still_poison

Array = NDArray[Any]

SOC = "ascend910b"
_LOG_MACROS = {"OPS_UTILS_LOG_SUB_MOD_NAME": '"OP_TILING"', "OPS_UTILS_LOG_PACKAGE_TYPE": '"[Custom]"'}
"""What the benchmark's build files define for its own log header."""

BLOCK = 512
"""Bytes that device memory is given out in."""
ROOM = 32
"""Bytes that stand behind a tensor's data at least."""
SMALLER_CHIP = 40
"""Vector cores of the smaller bin of the chip."""
INSTRUCTIONS = 200_000_000
_SOURCES = {".cpp", ".cc", ".cxx", ".h", ".hpp"}


@dataclass(frozen=True)
class Answer:
    """An official answer, as far as its host side came."""

    operator: Operator | None
    diagnostics: tuple[Diagnostic, ...]
    autosync: bool
    """Whether its build asks the compiler for automatic synchronisation."""

    @property
    def description(self) -> OpDescription | None:
        """The operator's definition."""
        return None if self.operator is None else self.operator.description


@dataclass(frozen=True)
class DeviceRun:
    """What became of one call."""

    completed: bool
    """Whether there are outputs."""
    stage: str
    """Where it ended: `host`, `compile` or `run`."""
    diagnostics: tuple[Diagnostic, ...]
    outputs: tuple[tuple[Array, ...], ...] = ()
    """By `BoundCall.written`: one array each, several for a list, none for one that is left out."""
    variant: str = ""
    tiling_key: int | None = None
    blocks: int | None = None
    kernel_us: float | None = None


class DeviceSide:
    """Runs calls of answers.

    Args:
        vector_cores: What tiling is told.
        timeout: Seconds of one launch of small tensors.
        tell: Is told before something takes long.
    """

    def __init__(self, *, vector_cores: int, timeout: float, tell: Callable[[str], None] | None = None) -> None:
        self._cores = vector_cores
        self._timeout = timeout
        self._tell = tell
        self._simulators: dict[bool, OperatorSimulator] = {}

    def open(self, op_type: str, folder: Path, *, includes: tuple[Path, ...], autosync: bool) -> Answer:
        """Build the host side of an answer.

        Raises:
            ToolchainError: The simulator itself failed.
        """
        files = {
            path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8", errors="replace")
            for path in sorted((folder / "op_kernel").rglob("*"))
            if path.suffix in _SOURCES
        }
        operator, found = self._simulator(autosync).open(
            folder / "op_host", files, op_type, soc=SOC, include_dirs=includes, defines=_LOG_MACROS
        )
        return Answer(operator, found, autosync)

    def run(self, answer: Answer, bound: BoundCall, *, cores: int | None = None, padded: bool = False) -> DeviceRun:
        """Run a call.

        Args:
            answer: A successful one.
            bound: The call.
            cores: What tiling is told, where it is another number than usually.
            padded: Whether tensors have room behind their data.

        Raises:
            ToolchainError: The simulator itself failed.
        """
        assert answer.operator is not None
        simulator, operator, op = self._simulator(answer.autosync), answer.operator, answer.operator.description
        call = array_call(bound)
        host_call = host_call_of(op, call)
        platform = Platform.of_chip(load_chip(SOC), vector_cores=cores or self._cores)
        columns, problems = columns_of(op, SOC)
        column = None if problems else match_column(columns, host_call.inputs, host_call.outputs)
        if column is None:
            whole = simulator.call(operator, call)  # says what the definition has and what is asked
            return DeviceRun(False, "host", whole.diagnostics)
        tiling = simulator.host.run_tiling(operator.host, op.type, host_call, platform)
        if not tiling.ok:
            return DeviceRun(False, "host", tiling.diagnostics, variant=str(column))
        variant = simulator.variant(operator, column, tiling.tiling_key)
        facts: dict[str, Any] = {"variant": str(column), "tiling_key": tiling.tiling_key, "blocks": tiling.block_dim}
        known = simulator.facts(operator, variant)
        if known is not None and (wrong := known.check(tiling.tiling_key)) is not None:
            return DeviceRun(False, "host", (wrong,), **facts)
        group = None if known is None else known.group_of(tiling.tiling_key)
        build = simulator.build(operator.kernel, variant.model_copy(update={"group": group}))
        if not build.ok:
            return DeviceRun(False, "compile", build.diagnostics, **facts)
        arguments = launch_arguments(op, call, tiling)
        if not bound.outputs:
            arguments = tuple(_updated(argument) for argument in arguments)
        zeroed = {slot.parameter.name for slot in bound.outputs if slot.zeroed}
        arguments = tuple(_zeroed(argument) if argument.name in zeroed else argument for argument in arguments)
        if padded:
            arguments = tuple(_padded(argument) for argument in arguments)
        run = simulator.launch(build, arguments, tiling.block_dim)
        found = (*build.diagnostics, *run.diagnostics)
        if not run.completed:
            return DeviceRun(False, "run", found, **facts)
        outputs = tuple(tuple(_written(run.outputs, slot, padded)) for slot in bound.written)
        if padded:
            found = (*(d for d in found if d.code != "output-not-written"), *_unwritten(bound.outputs, outputs))
        estimate = None if run.estimate is None else round(run.estimate.kernel_us, 3)
        return DeviceRun(True, "run", found, outputs, kernel_us=estimate, **facts)

    def close(self) -> None:
        """Remove what was built."""
        for simulator in self._simulators.values():
            simulator.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _simulator(self, autosync: bool) -> OperatorSimulator:
        if autosync not in self._simulators:
            options = Options(autosync=autosync, timeout=self._timeout, instructions=INSTRUCTIONS)
            platform = Platform.of_chip(load_chip(SOC), vector_cores=self._cores)
            self._simulators[autosync] = OperatorSimulator(
                chip=SOC, options=options, platform=platform, tell=self._tell
            )
        return self._simulators[autosync]


def array_call(bound: BoundCall) -> ArrayCall:
    """The call with values."""

    def value(slot: Slot) -> Any:
        if not slot.present:
            return None
        return slot.arrays if slot.is_list else slot.arrays[0]

    def spec(slot: Slot) -> Any:
        specs = tuple(OutputSpec(shape=array.shape, dtype=array.dtype) for array in slot.arrays)
        if not slot.present:
            return None
        return specs if slot.is_list else specs[0]

    formats = {slot.parameter.name: named for slot in (*bound.inputs, *bound.outputs) if (named := _format(slot))}
    return ArrayCall(
        formats=formats,
        inputs=tuple(value(slot) for slot in bound.inputs),
        outputs=tuple(spec(slot) for slot in bound.outputs),
        attrs=bound.attrs,
    )


_BY_RANK = {3: "NCL", 4: "NCHW", 5: "NCDHW"}


def _format(slot: Slot) -> str | None:
    """The format that the bindings' helper gives a tensor of this rank, where the definition takes no ND."""
    named = _BY_RANK.get(slot.arrays[0].ndim) if slot.arrays else None
    formats = slot.parameter.formats
    return named if named in formats and "ND" not in formats else None


def _updated(argument: GmArgument) -> GmArgument:
    """An input of an operator without outputs, which it may update."""
    if argument.members:
        return argument.model_copy(update={"members": tuple(_updated(member) for member in argument.members)})
    return argument.model_copy(update={"role": "inout"}) if argument.role == "in" else argument


def _zeroed(argument: GmArgument) -> GmArgument:
    """An output that the binding has set to zero."""
    if argument.role != "out":
        return argument
    assert argument.dtype is not None
    return GmArgument.given(argument.name, np.zeros(argument.shape, argument.dtype), in_place=True)


def _padded(argument: GmArgument) -> GmArgument:
    """A tensor as bytes with room behind them."""
    if argument.members:
        return argument.model_copy(update={"members": tuple(_padded(member) for member in argument.members)})
    if argument.role not in ("in", "inout", "out"):
        return argument
    size = -(-(argument.nbytes + ROOM) // BLOCK) * BLOCK
    changes: dict[str, Any] = {"shape": (size,), "dtype": np.dtype(np.uint8)}
    if argument.array is not None:
        whole = np.zeros(size, np.uint8)
        whole[: argument.nbytes] = np.ascontiguousarray(argument.array).reshape(-1).view(np.uint8)
        changes["array"] = whole
    return argument.model_copy(update=changes)


def _written(outputs: dict[str, Array], slot: Slot, padded: bool) -> Sequence[Array]:
    if not slot.present:
        return ()
    name = slot.parameter.name
    names = [f"{name}[{index}]" for index in range(len(slot.arrays))] if slot.is_list else [name]
    found = []
    for one, shape in zip(names, slot.arrays, strict=True):
        array = outputs[one]
        if padded:
            array = array[: shape.nbytes].view(shape.dtype).reshape(shape.shape)
        found.append(array)
    return found


def _unwritten(slots: Sequence[Slot], outputs: Sequence[Sequence[Array]]) -> Sequence[Diagnostic]:
    """What was never written, where the room behind the data hides it from the runner."""
    found = []
    for slot, arrays in zip(slots, outputs, strict=False):
        missing = sum(int(still_poison(array).size) for array in arrays if not slot.parameter.in_place)
        if missing:
            name, total = slot.parameter.name, sum(int(array.size) for array in arrays)
            message = f"{missing} elements of the output `{name}` were never written."
            evidence = {"output": name, "elements": missing, "total": total}
            found.append(Diagnostic(code="output-not-written", level=Level.RUNTIME, message=message, evidence=evidence))
    return found
