"""Folders for builds and runs: in memory where there is room, gone at the end, swept after a killed process."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
import weakref
from pathlib import Path

PREFIX = "agentkernel-"
LOCK = ".lock"
SETTLED_SECONDS = 60.0
"""Age below which a folder is never swept: its owner may not have locked it yet."""


class Scratch:
    """A folder that exists as long as this object, or until `close`.

    Its lock tells other processes that it is in use. A killed process drops the lock, and the next one sweeps.

    Args:
        base: Folder to make it in; the default temporary folder where None.
        keep: Leave it on disk.

    Raises:
        OSError: It cannot be made.
    """

    def __init__(self, base: Path | None = None, *, keep: bool = False) -> None:
        sweep(base)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base))
        self.path.chmod(0o711)  # candidates may run as another user: it enters its own folder and sees nothing else
        self._lock = (self.path / LOCK).open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._finalizer = weakref.finalize(self, _remove, None if keep else self.path, self._lock.close)

    def close(self) -> None:
        """Remove it, unless it is to be kept. Calling it again changes nothing."""
        self._finalizer()


def _remove(path: Path | None, close: object) -> None:
    if path is not None:
        shutil.rmtree(path, ignore_errors=True)
    if callable(close):
        close()


def sweep(base: Path | None) -> None:
    """Remove folders of this user that no living process holds."""
    root = base if base is not None else Path(tempfile.gettempdir())
    for folder in root.glob(f"{PREFIX}*"):
        try:
            info = folder.stat()
            if info.st_uid != os.geteuid() or time.time() - info.st_mtime < SETTLED_SECONDS:
                continue
            with (folder / LOCK).open("r+") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:  # in use, gone by now, or not one of ours
            continue
