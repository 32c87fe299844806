"""Files that survive a crash: whole or not there, and lines of which only the last can be half-written."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentkernel.errors import StoreError

_HINTS = {
    errno.ENOSPC: "the disk is full: free space, or choose another folder",
    errno.EDQUOT: "the disk quota is used up: free space, or choose another folder",
    errno.EFBIG: "a file-size limit is in the way: raise it (ulimit -f)",
    errno.EACCES: "no permission: choose a folder that this user can write",
    errno.EPERM: "no permission: choose a folder that this user can write",
    errno.EROFS: "the file system is read-only: choose another folder",
    errno.ENOTDIR: "a file is where a folder should be: choose another folder",
    errno.EEXIST: "a file is where a folder should be: choose another folder",
    errno.ENOENT: "it was removed meanwhile: is another program clearing the folder?",
    errno.EMFILE: "too many open files: raise the limit (ulimit -n)",
}


@contextmanager
def storage(what: str) -> Iterator[None]:
    """Turn an operating-system error into a `StoreError` that says what was being done and what helps.

    Args:
        what: The action and its object, e.g. `write /runs/a/header.json`.
    """
    try:
        yield
    except OSError as error:
        why = error.strerror or type(error).__name__
        hint = _HINTS.get(error.errno or 0, "check the folder and its disk")
        raise StoreError(f"cannot {what}: {why}", hint=hint) from error


def atomic_write(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a file so that a reader sees the old content or the new, never a part, also after a power cut.

    Args:
        path: File to write; its folders are made.
        data: Whole content.
        durable: Wait until it is on the disk. False for copies that can be made again.

    Raises:
        StoreError: The file system refuses.
    """
    with storage(f"write {path}"):
        path.parent.mkdir(parents=True, exist_ok=True)
        # made by hand: the tempfile module gives modes that only the owner can read, a run folder follows the umask
        temporary = path.parent / f".tmp-{os.getpid()}-{secrets.token_hex(6)}"
        try:
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        if durable:
            sync_folder(path.parent)


def append_line(path: Path, line: str) -> None:
    """Add one line to a file and wait until it is on the disk. What a crash left of a last line is cut off first.

    Args:
        path: File to extend; made where it is missing.
        line: Text without line breaks.

    Raises:
        StoreError: The file system refuses; the file is then as it was.
    """
    if "\n" in line:
        raise ValueError("one line at a time")
    with storage(f"append to {path}"):
        path.parent.mkdir(parents=True, exist_ok=True)
        new = not path.exists()
        with path.open("r+b" if not new else "x+b") as file:
            size = _whole_lines(file.read())
            file.seek(size)
            file.truncate()
            try:
                file.write(line.encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                os.ftruncate(file.fileno(), size)
                raise
        if new:
            sync_folder(path.parent)


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Number (from 1) and text of every whole line. A last line without its line break is what a crash left: no line.

    Raises:
        StoreError: The file cannot be read, or a line is not UTF-8.
    """
    with storage(f"read {path}"):
        data = path.read_bytes()
    for number, line in enumerate(data[: _whole_lines(data)].split(b"\n")[:-1], start=1):
        try:
            yield number, line.decode()
        except UnicodeDecodeError as error:
            raise StoreError(f"{path}:{number} is damaged: not UTF-8 text") from error


def sync_folder(path: Path) -> None:
    """Wait until a folder's entries are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _whole_lines(data: bytes) -> int:
    """Bytes up to and including the last line break."""
    return data.rfind(b"\n") + 1
