"""Arrays in files that have no name, so that another process can map them and nothing is copied.

A large input is drawn straight into such a file, and the runner of a kernel inherits its descriptor. Where the machine
has no such files, arrays are ordinary ones, and their values are written to a file for each run.
"""

from __future__ import annotations

import math
import mmap
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

PAGE, UNIT = 4096, 512
SHARED_BYTES = 1 << 20
"""Arrays below this size are ordinary ones: copying them costs less than a file."""


def data_offset(size: int) -> int:
    """Where `size` bytes of data begin in their file: 512-byte aligned in memory, and ending with a page."""
    return -(-(-size // UNIT) * UNIT) % PAGE


def file_bytes(size: int) -> int:
    """Length of a file that holds `size` bytes of data."""
    return max(PAGE, data_offset(size) + size)


def memory_base() -> Path | None:
    """/dev/shm where it can be written and has a gigabyte left; None for the default temporary folder."""
    memory = Path("/dev/shm")
    try:
        roomy = os.access(memory, os.W_OK | os.X_OK) and shutil.disk_usage(memory).free > 1 << 30
    except OSError:
        roomy = False
    return memory if roomy else None


class _Memory(mmap.mmap):
    """A mapping that keeps its file."""

    descriptor = -1

    def __del__(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)


def empty(shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """An array of undefined values; in a file of its own where it is large and the machine keeps files in memory."""
    import numpy as np

    kind = np.dtype(dtype)
    size = math.prod(shape) * kind.itemsize
    base = memory_base() if size >= SHARED_BYTES else None
    memory = None if base is None else _open(base, size)
    return np.empty(shape, kind) if memory is None else np.ndarray(shape, kind, memory, data_offset(size))


def _open(base: Path, size: int) -> _Memory | None:
    try:
        descriptor = os.open(base, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError:  # a file system without unnamed files
        return None
    try:
        os.ftruncate(descriptor, file_bytes(size))
        memory = _Memory(descriptor, file_bytes(size))
        memory.descriptor = os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return memory


def descriptor_of(array: NDArray[Any]) -> int | None:
    """The file of an array, open for reading, as long as the array lives.

    Returns:
        A descriptor of the file that holds the array's values from `data_offset` of its size on; None for anything but
        the whole of an array that `empty` made, in whatever shape.
    """
    memory = _memory_of(array)
    return None if memory is None else memory.descriptor


def _memory_of(array: NDArray[Any]) -> _Memory | None:
    owner: Any = array
    while owner is not None and not isinstance(owner, _Memory):
        owner = getattr(owner, "base", None)
    whole = array.flags.c_contiguous and isinstance(owner, _Memory) and len(owner) == file_bytes(array.nbytes)
    return owner if whole else None
