"""Files that outputs are written to, used again by later runs: giving them memory takes longer than filling them."""

from __future__ import annotations

import mmap
import os
import threading
import weakref
from collections import deque
from collections.abc import Iterable
from pathlib import Path

from agentkernel.shared_arrays import file_bytes

KEPT_BYTES = 256 << 20
"""What free files may hold together; the runs of one task need the same sizes again and again."""
WASTE = 2
"""A file is taken for an output if it is at most so many times larger."""


class Mapping(mmap.mmap):
    """The bytes of an output; they keep the file from other runs."""

    file: OutputFile | None = None


class OutputFile:
    """A file as one run has it. When nothing refers to it nor to its bytes any more, another run may get it."""

    def __init__(self, files: OutputFiles, descriptor: int) -> None:
        self.descriptor = descriptor
        weakref.finalize(self, files.give, descriptor)

    def write(self, head: int, pieces: Iterable[bytes]) -> None:
        """Write `head` zero bytes and then `pieces` from the file's start.

        Raises:
            OSError: The disk is full.
        """
        at = os.pwrite(self.descriptor, bytes(head), 0)
        for piece in pieces:
            at += _write_whole(self.descriptor, piece, at)

    def read(self, size: int) -> Mapping:
        """The file's bytes, for `size` bytes of data: a private mapping."""
        mapping = Mapping(self.descriptor, file_bytes(size), access=mmap.ACCESS_COPY)
        mapping.file = self
        return mapping


class OutputFiles:
    """Unnamed files for outputs. Thread-safe.

    Args:
        base: Folder on a file system in memory, where the machine has one.
        kept_bytes: What free files may hold together.
    """

    def __init__(self, base: Path, *, kept_bytes: int = KEPT_BYTES) -> None:
        self._base = base
        self._kept_bytes = kept_bytes
        self._free: dict[int, int] = {}  # length by descriptor, oldest first
        self._returned: deque[int] = deque()
        self._lock = threading.Lock()
        self._closed = False

    def take(self, size: int) -> OutputFile | None:
        """A file for `size` bytes of data. It holds anything: also what an earlier run left.

        Returns:
            None where the file system has no unnamed files.
        """
        descriptor = self._find(file_bytes(size))
        return None if descriptor is None else OutputFile(self, descriptor)

    def give(self, descriptor: int) -> None:
        """Take back a file that nobody needs any more."""
        # The garbage collector calls this, perhaps in a thread that holds the lock: then that thread files it later.
        self._returned.append(descriptor)
        if self._lock.acquire(blocking=False):
            try:
                self._file_returned()
            finally:
                self._lock.release()

    def close(self) -> None:
        """Give up the free files; those in use go with their last reference."""
        with self._lock:
            self._closed = True
            self._file_returned()
            for descriptor in self._free:
                os.close(descriptor)
            self._free.clear()

    def _file_returned(self) -> None:
        """Sort files that came back among the free ones. The lock is held."""
        while self._returned:
            descriptor = self._returned.popleft()
            length = os.fstat(descriptor).st_size
            if self._closed or length > self._kept_bytes:
                os.close(descriptor)
                continue
            self._free[descriptor] = length
            while sum(self._free.values()) > self._kept_bytes:
                oldest = next(iter(self._free))
                del self._free[oldest]
                os.close(oldest)

    def _find(self, length: int) -> int | None:
        with self._lock:
            self._file_returned()
            fitting = [(size, d) for d, size in self._free.items() if length <= size <= WASTE * length]
            if fitting:
                descriptor = min(fitting)[1]
                del self._free[descriptor]
                return descriptor
        try:
            descriptor = os.open(self._base, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError:
            return None
        os.ftruncate(descriptor, length)
        return descriptor


def _write_whole(descriptor: int, piece: bytes, at: int) -> int:
    done = 0
    while done < len(piece):
        done += os.pwrite(descriptor, memoryview(piece)[done:], at + done)
    return done
