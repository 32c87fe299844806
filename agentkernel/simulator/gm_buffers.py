"""Global memory of a run: inputs, outputs, workspace and tiling data, as files that the runner maps."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray
from pydantic import BaseModel, ConfigDict

from agentkernel.errors import ToolchainError
from agentkernel.launch import output_arguments, tiling_bytes
from agentkernel.shared_arrays import SHARED_BYTES, data_offset, descriptor_of, file_bytes
from agentkernel.simulator.output_files import OutputFile, OutputFiles
from agentkernel.task import Case, CaseTensor, ShapeMode, Task, TensorSpec
from agentkernel.toolchains.base import Arrays

POISON = bytes((0xAB, 0xFF))
"""What outputs hold before a run: a NaN in every float format, an unlikely integer. The runner knows it too."""
_POISONED = POISON * (1 << 19)
WORKSPACE_BYTES = 32 << 20
"""The library's 16 MiB (GetLibApiWorkSpaceSize on this chip) and as much for the kernel."""


class GmArgument(BaseModel):
    """One argument of a launch, or one tensor of a list. Made by the class methods below."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True, extra="forbid")

    name: str
    role: Literal["in", "out", "inout", "workspace", "tiling", "list", "null", "alias"]
    array: NDArray[Any] | None = None
    """Values before the run, of `in` and `inout`."""
    shape: tuple[int, ...] = ()
    dtype: np.dtype[Any] = np.dtype(np.uint8)
    data: bytes = b""
    """Of `tiling`."""
    size: int = 0
    """Bytes of `workspace`."""
    user_offset: int | None = None
    """Of `workspace`: the kernel gets this address in it, and GetSysWorkSpacePtr answers its start."""
    of: str = ""
    """Of `alias`: the argument, or `list[2]`, whose address it has."""
    members: tuple[GmArgument, ...] = ()
    """Of `list`."""

    @classmethod
    def given(cls, name: str, array: NDArray[Any], *, in_place: bool = False) -> GmArgument:
        """An input; one that the kernel may write where it is updated in place, which makes it an output too."""
        whole = np.ascontiguousarray(array).reshape(np.shape(array))
        role: Literal["in", "inout"] = "inout" if in_place else "in"
        return cls(name=name, role=role, array=whole, shape=whole.shape, dtype=whole.dtype)

    @classmethod
    def output(cls, name: str, shape: tuple[int, ...], dtype: DTypeLike) -> GmArgument:
        """An output, poisoned before the run."""
        return cls(name=name, role="out", shape=shape, dtype=np.dtype(dtype))

    @classmethod
    def workspace(cls, name: str, size: int, *, user_offset: int | None = None) -> GmArgument:
        """Memory that is the kernel's own."""
        return cls(name=name, role="workspace", size=size, user_offset=user_offset)

    @classmethod
    def tiling(cls, name: str, data: bytes) -> GmArgument:
        """Tiling data."""
        return cls(name=name, role="tiling", data=data)

    @classmethod
    def null(cls, name: str) -> GmArgument:
        """An optional argument that the call leaves out."""
        return cls(name=name, role="null")

    @classmethod
    def alias(cls, name: str, of: str, shape: tuple[int, ...] = ()) -> GmArgument:
        """The address of an earlier argument again, as outputs in place have it. Its shape counts in a list alone."""
        return cls(name=name, role="alias", of=of, shape=shape)

    @classmethod
    def tensor_list(cls, name: str, members: Sequence[GmArgument]) -> GmArgument:
        """A dynamic parameter: a block with shapes and addresses of its tensors, named `name[0]`, `name[1]`..."""
        named = tuple(member.model_copy(update={"name": f"{name}[{i}]"}) for i, member in enumerate(members))
        return cls(name=name, role="list", members=named)

    @property
    def nbytes(self) -> int:
        """Bytes of its memory."""
        if self.role in ("workspace", "tiling"):
            return self.size or len(self.data)
        if self.role in ("list", "null", "alias"):
            return 0
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize

    def outputs(self) -> Iterator[GmArgument]:
        """Itself or its members, where a run writes them."""
        if self.role in ("out", "inout"):
            yield self
        for member in self.members:
            yield from member.outputs()


class Buffer(BaseModel):
    """The memory of one kernel argument."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    name: str
    role: str
    size: int
    path: Path | None = None
    """Its file, where that has a name."""
    descriptor: int | None = None
    """Its file, where the runner inherits it; `keeper` keeps it open."""
    keeper: OutputFile | NDArray[Any] | None = None
    of: str = ""
    """Of an alias: the buffer that it names."""
    dims: tuple[int, ...] | None = None
    """Shape of a tensor in a list; None for an argument of its own."""

    def poison(self) -> None:
        """Write what an output holds before a run, where `write_buffers` left that to the caller.

        Raises:
            OSError: The disk is full.
        """
        if isinstance(self.keeper, OutputFile):
            self.keeper.write(self.offset, _poison(self.size))

    @property
    def offset(self) -> int:
        """Where the data begin in the file: 512-byte aligned in memory, and a guard page right behind them."""
        return data_offset(self.size)

    @property
    def line(self) -> str:
        """Its directive in the launch file."""
        file = self.of or self.path or "-" if self.descriptor is None else f"fd:{self.descriptor}"
        if self.dims is None:
            return f"gm\t{self.name}\t{self.role}\t{self.size}\t{file}\n"
        dims = ",".join(map(str, self.dims)) or "-"
        return f"member\t{self.name}\t{self.role}\t{self.size}\t{file}\t{dims}\n"

    @property
    def is_written(self) -> bool:
        """Whether a kernel may write it and somebody reads it afterwards."""
        return self.role in ("out", "inout")


def task_arguments(task: Task, case: Case, inputs: Arrays) -> tuple[GmArgument, ...]:
    """The arguments of a task's kernel, in order.

    Raises:
        ToolchainError: An input is not as the case declares it.
    """
    found = [_task_input(task, spec, case, inputs) for spec in task.inputs]
    known = {argument.name: argument for argument in found}
    for name, spec in output_arguments(task):
        found.append(again(known[spec.name], name) if spec.name in task.in_place else _task_output(task, spec, case))
    found.append(GmArgument.workspace("workspace", WORKSPACE_BYTES))
    if task.shape_mode is ShapeMode.DYNAMIC:
        found.append(GmArgument.tiling("tiling", tiling_bytes(task, case)))
    return tuple(found)


def _task_input(task: Task, spec: TensorSpec, case: Case, inputs: Arrays) -> GmArgument:
    in_place = spec.name in task.in_place
    arrays = [_checked(one, inputs) for one in task.tensors_of(spec, case)]
    if spec.is_list:
        return GmArgument.tensor_list(spec.name, [GmArgument.given("", one, in_place=in_place) for one in arrays])
    return GmArgument.given(spec.name, arrays[0], in_place=in_place) if arrays else GmArgument.null(spec.name)


def _task_output(task: Task, spec: TensorSpec, case: Case) -> GmArgument:
    tensors = task.tensors_of(spec, case)
    if spec.is_list:
        return GmArgument.tensor_list(spec.name, [GmArgument.output("", t.shape, t.dtype.numpy) for t in tensors])
    return GmArgument.output(spec.name, tensors[0].shape, spec.dtype.numpy) if tensors else GmArgument.null(spec.name)


def again(argument: GmArgument, name: str) -> GmArgument:
    """The memory of an input in the position of an output that is updated in place."""
    if argument.role == "list":
        return GmArgument.tensor_list(name, [GmArgument.alias("", one.name, one.shape) for one in argument.members])
    return GmArgument.null(name) if argument.role == "null" else GmArgument.alias(name, argument.name)


def write_buffers(arguments: Iterable[GmArgument], folder: Path, outputs: OutputFiles | None = None) -> list[Buffer]:
    """Write every argument of a launch, in order; the members of a list follow it.

    Large outputs are left to `Buffer.poison`, for the time in which the runner starts.

    Args:
        arguments: What the kernel is called with.
        folder: For the files of arguments that have none yet.
        outputs: Files for outputs of a runner that inherits descriptors; where None every argument has a named file.

    Raises:
        OSError: The folder cannot be written.
    """
    buffers: list[Buffer] = []

    def add(argument: GmArgument, dims: tuple[int, ...] | None) -> None:
        path = folder / f"gm.{len(buffers)}"
        buffers.append(_write(argument, path, outputs).model_copy(update={"dims": dims}))
        for member in argument.members:
            add(member, member.shape)

    for argument in arguments:
        add(argument, None)
    return buffers


def _write(argument: GmArgument, path: Path, outputs: OutputFiles | None) -> Buffer:
    role, size = argument.role, argument.nbytes
    if role == "in":
        assert argument.array is not None
        return _input(argument.name, argument.array, path, inherits=outputs is not None)
    if role == "out":
        return _output(argument.name, size, path, outputs)
    if role in ("inout", "tiling"):
        buffer = Buffer(name=argument.name, role=role, size=size, path=path)
        _write_at(buffer, [_bytes(argument.array) if argument.array is not None else argument.data])
        return buffer
    return Buffer(name=argument.name, role=role, size=size, of=argument.of)


def _bytes(array: NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _input(name: str, array: NDArray[Any], path: Path, *, inherits: bool) -> Buffer:
    descriptor = descriptor_of(array) if inherits else None
    if descriptor is not None:
        return Buffer(name=name, role="in", size=array.nbytes, descriptor=descriptor, keeper=array)
    buffer = Buffer(name=name, role="in", size=array.nbytes, path=path)
    _write_at(buffer, [_bytes(array)])
    return buffer


def _output(name: str, size: int, path: Path, outputs: OutputFiles | None) -> Buffer:
    file = outputs.take(size) if outputs is not None and size >= SHARED_BYTES else None
    if file is not None:
        return Buffer(name=name, role="out", size=size, descriptor=file.descriptor, keeper=file)
    buffer = Buffer(name=name, role="out", size=size, path=path)
    _write_at(buffer, _poison(size))
    return buffer


def _poison(size: int) -> Iterator[bytes]:
    whole, rest = divmod(size, len(_POISONED))
    yield from itertools.repeat(_POISONED, whole)
    yield _POISONED[:rest]


def _checked(tensor: CaseTensor, inputs: Arrays) -> NDArray[Any]:
    if tensor.name not in inputs:
        raise ToolchainError(f"input {tensor.name!r} is missing", hint="pass every input of the task")
    array = np.ascontiguousarray(inputs[tensor.name]).reshape(np.shape(inputs[tensor.name]))
    if array.shape != tensor.shape or array.dtype != tensor.dtype.numpy:
        wanted = f"{tensor.dtype}{list(tensor.shape)}"
        raise ToolchainError(
            f"input {tensor.name!r} is {array.dtype}{list(array.shape)}, the case needs {wanted}",
            hint="generate inputs from the task's case",
        )
    return array


def _write_at(buffer: Buffer, pieces: Iterable[bytes | memoryview]) -> None:
    assert buffer.path is not None
    with buffer.path.open("wb") as file:
        file.seek(buffer.offset)
        file.writelines(pieces)
        file.truncate(file_bytes(buffer.size))


def read_output(dtype: np.dtype[Any], shape: tuple[int, ...], buffer: Buffer) -> NDArray[Any]:
    """An output after the run, of its declared shape and dtype.

    The array lies in a private mapping of the file: nothing is copied, and it outlives the file's name.
    """
    if buffer.size == 0:
        return np.empty(shape, dtype)
    raw: NDArray[Any]
    if isinstance(buffer.keeper, OutputFile):
        raw = np.ndarray(buffer.size, np.uint8, buffer.keeper.read(buffer.size), buffer.offset)
    else:
        assert buffer.path is not None
        mapped = np.memmap(buffer.path, dtype=np.uint8, mode="c", offset=buffer.offset, shape=(buffer.size,))
        raw = mapped.view(np.ndarray)
    if dtype == np.bool_:
        truth: NDArray[Any] = (raw != 0).reshape(shape)
        return truth
    values: NDArray[Any] = raw.view(dtype).reshape(shape)
    return values
