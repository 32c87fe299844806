"""Global memory of a run: inputs, outputs, workspace and tiling data, as files that the runner maps."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from agentkernel.dtypes import DType
from agentkernel.errors import ToolchainError
from agentkernel.launch import tiling_bytes
from agentkernel.shared_arrays import SHARED_BYTES, data_offset, descriptor_of, file_bytes
from agentkernel.simulator.output_files import OutputFile, OutputFiles
from agentkernel.task import Case, ShapeMode, Task, TensorSpec
from agentkernel.toolchains.base import Arrays

POISON = bytes((0xAB, 0xFF))
"""What outputs hold before a run: a NaN in every float format, an unlikely integer. The runner knows it too."""
_POISONED = POISON * (1 << 19)
WORKSPACE_BYTES = 32 << 20
"""The library's 16 MiB (GetLibApiWorkSpaceSize on this chip) and as much for the kernel."""


class Buffer(BaseModel):
    """One kernel argument."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    name: str
    role: str
    size: int
    path: Path | None = None
    """Its file, where that has a name."""
    descriptor: int | None = None
    """Its file, where the runner inherits it; `keeper` keeps it open."""
    keeper: OutputFile | NDArray[Any] | None = None

    @property
    def offset(self) -> int:
        """Where the data begin in the file: 512-byte aligned in memory, and a guard page right behind them."""
        return data_offset(self.size)

    @property
    def line(self) -> str:
        """Its directive in the launch file."""
        file = self.path or "-" if self.descriptor is None else f"fd:{self.descriptor}"
        return f"gm\t{self.name}\t{self.role}\t{self.size}\t{file}\n"


def write_buffers(
    task: Task, case: Case, inputs: Arrays, folder: Path, outputs: OutputFiles | None = None
) -> list[Buffer]:
    """Write every argument of a launch, in order.

    Args:
        task: The task.
        case: One of its cases.
        inputs: Every input of the case.
        folder: For the files of arguments that have none yet.
        outputs: Files for outputs of a runner that inherits descriptors; where None every argument has a named file.

    Raises:
        ToolchainError: An input is not as the case declares it.
        OSError: The folder cannot be written.
    """
    buffers = []
    for tensor in task.inputs:
        array = _checked(tensor, task.shape_of(tensor, case), inputs)
        buffers.append(_input(tensor.name, array, folder, inherits=outputs is not None))
    for tensor in task.outputs:
        size = int(np.prod(task.shape_of(tensor, case), dtype=np.int64)) * tensor.dtype.itemsize
        buffers.append(_output(tensor.name, size, folder, outputs))
    buffers.append(Buffer(name="workspace", role="workspace", size=WORKSPACE_BYTES, path=None))
    if task.shape_mode is ShapeMode.DYNAMIC:
        data = tiling_bytes(task, case)
        buffer = Buffer(name="tiling", role="tiling", size=len(data), path=folder / "tiling")
        _write_at(buffer, [data])
        buffers.append(buffer)
    return buffers


def _input(name: str, array: NDArray[Any], folder: Path, *, inherits: bool) -> Buffer:
    descriptor = descriptor_of(array) if inherits else None
    if descriptor is not None:
        return Buffer(name=name, role="in", size=array.nbytes, descriptor=descriptor, keeper=array)
    buffer = Buffer(name=name, role="in", size=array.nbytes, path=folder / f"in.{name}")
    _write_at(buffer, [array.reshape(-1).view(np.uint8).data])
    return buffer


def _output(name: str, size: int, folder: Path, outputs: OutputFiles | None) -> Buffer:
    whole, rest = divmod(size, len(_POISONED))
    pieces = [*(_POISONED for _ in range(whole)), _POISONED[:rest]]
    file = outputs.take(size, data_offset(size), pieces) if outputs is not None and size >= SHARED_BYTES else None
    if file is not None:
        return Buffer(name=name, role="out", size=size, descriptor=file.descriptor, keeper=file)
    buffer = Buffer(name=name, role="out", size=size, path=folder / f"out.{name}")
    _write_at(buffer, pieces)
    return buffer


def _checked(tensor: TensorSpec, shape: tuple[int, ...], inputs: Arrays) -> NDArray[Any]:
    if tensor.name not in inputs:
        raise ToolchainError(f"input {tensor.name!r} is missing", hint="pass every input of the task")
    array = np.ascontiguousarray(inputs[tensor.name]).reshape(np.shape(inputs[tensor.name]))
    if array.shape != shape or array.dtype != tensor.dtype.numpy:
        raise ToolchainError(
            f"input {tensor.name!r} is {array.dtype}{list(array.shape)}, the case needs {tensor.dtype}{list(shape)}",
            hint="generate inputs from the task's case",
        )
    return array


def _write_at(buffer: Buffer, pieces: Iterable[bytes | memoryview]) -> None:
    assert buffer.path is not None
    with buffer.path.open("wb") as file:
        file.seek(buffer.offset)
        file.writelines(pieces)
        file.truncate(file_bytes(buffer.size))


def read_output(tensor: TensorSpec, shape: tuple[int, ...], buffer: Buffer) -> NDArray[Any]:
    """An output after the run, of its declared shape and dtype.

    The array lies in a private mapping of the file: nothing is copied, and it outlives the file's name.
    """
    raw: NDArray[Any]
    if isinstance(buffer.keeper, OutputFile):
        raw = np.ndarray(buffer.size, np.uint8, buffer.keeper.read(buffer.size), buffer.offset)
    else:
        assert buffer.path is not None
        mapped = np.memmap(buffer.path, dtype=np.uint8, mode="c", offset=buffer.offset, shape=(buffer.size,))
        raw = mapped.view(np.ndarray)
    if tensor.dtype is DType.BOOL:
        truth: NDArray[Any] = (raw != 0).reshape(shape)
        return truth
    values: NDArray[Any] = raw.view(tensor.dtype.numpy).reshape(shape)
    return values
