"""Arrays in files that have no name, so that another process can map them and nothing is copied.

A large input is drawn straight into such a file. The runner of a kernel gives the file a name in the folder of the run
and maps it; where it cannot, the values are written once more, with the same result.
"""

from __future__ import annotations

import contextlib
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
        os.fchmod(descriptor, 0o444)  # kernels run as another user; no one finds it before it has a name
        os.ftruncate(descriptor, file_bytes(size))
        memory = _Memory(descriptor, file_bytes(size))
    except OSError:
        os.close(descriptor)
        return None
    memory.descriptor = descriptor
    return memory


def link(array: NDArray[Any], path: Path) -> bool:
    """Give the file of an array a name.

    Args:
        array: The whole of an array that `empty` made, in whatever shape; anything else has no file.
        path: The name, on the file system of the file.

    Returns:
        Whether `path` now holds the array's values, from `data_offset` of its size on.
    """
    memory = _memory_of(array)
    if memory is None:
        return False
    with contextlib.suppress(OSError):
        numbers = os.open("/proc/self/fd", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.link(str(memory.descriptor), path, src_dir_fd=numbers, follow_symlinks=True)
        finally:
            os.close(numbers)
        return True
    return False


def _memory_of(array: NDArray[Any]) -> _Memory | None:
    owner: Any = array
    while owner is not None and not isinstance(owner, _Memory):
        owner = getattr(owner, "base", None)
    whole = array.flags.c_contiguous and isinstance(owner, _Memory) and len(owner) == file_bytes(array.nbytes)
    return owner if whole else None
