"""FolderStore: runs in folders that a person can read, that survive crashes, and that tell when they are damaged.

    <root>/blobs/ab/abcd...            texts by SHA-256: prompts, answers, sources; shared by all runs
    <root>/<run id>/header.json        what was asked
    <root>/<run id>/attempts.jsonl     one line a turn; long texts are digests into blobs/
    <root>/<run id>/completions/3.json the answer of turn 3, kept the moment it came
    <root>/<run id>/kernels/3/...      the sources of turn 3 as plain files, a copy for readers
    <root>/<run id>/outcome.json       how it ended; absent while it goes on
    <root>/<run id>/lock               held by the process that writes

Files are written whole (temporary file, fsync, rename), lines are appended with fsync; a half-written last line is cut
off by the next append. Any number of processes may use one store; one at a time may write to a run.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from pydantic import ValidationError

from agentkernel.errors import StoreError
from agentkernel.kernel import Kernel
from agentkernel.traces.files import append_line, atomic_write, read_lines, storage
from agentkernel.traces.lines import FORMAT, check_format, pack, unpack
from agentkernel.trajectory import Attempt, Completion, Outcome, Trajectory, TrajectoryHeader

_BLOBS = "blobs"
_Parsed = TypeVar("_Parsed")


class FolderStore:
    """TraceStore over a folder; nothing is made until the first write.

    Writing to a run takes its lock, which is held until `finish`, `close`, or the end of the process. The lock belongs
    to the process: stores of one process do not exclude each other.

    Args:
        root: Folder of the store.
    """

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root)
        self._locks: dict[str, int] = {}
        weakref.finalize(self, _release, self._locks)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of every run."""
        _release(self._locks)

    # --- texts

    def put(self, text: str) -> str:
        """Keep a text and return its SHA-256.

        Raises:
            StoreError: It cannot be written.
        """
        try:
            data = text.encode()
        except UnicodeEncodeError as error:
            raise StoreError("a text with lone surrogates cannot be kept: it is not valid Unicode") from error
        digest = hashlib.sha256(data).hexdigest()
        path = self._blob(digest)
        with storage(f"read {path}"):
            known = path.is_file() and path.read_bytes() == data
        if not known:
            atomic_write(path, data)
        return digest

    def get(self, digest: str) -> str:
        """The text of a digest.

        Raises:
            StoreError: It is not there, or does not match its digest.
        """
        path = self._blob(digest)
        try:
            with storage(f"read {path}"):
                data = path.read_bytes()
        except StoreError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                raise StoreError(
                    f"no text {digest[:12]} in {self.root / _BLOBS}", hint="was it copied whole?"
                ) from None
            raise
        if hashlib.sha256(data).hexdigest() != digest:
            raise StoreError(f"{path} is damaged: its content does not match its name", hint="restore it from a copy")
        return data.decode()

    # --- runs

    def begin(self, header: TrajectoryHeader) -> None:
        """Open a run, or open it again with an equal header.

        Raises:
            StoreError: The run exists with another header, or another process is writing to it.
        """
        if header.run_id == _BLOBS:
            raise StoreError(f"{_BLOBS!r} is no run id: the store keeps its texts there")
        self._lock(header.run_id)
        path = self._run(header.run_id) / "header.json"
        if path.exists():
            if self._header(header.run_id) != header:
                raise StoreError(f"the run {header.run_id} exists with another header", hint="choose another run id")
            return
        self._write(path, {"header": header.model_dump(mode="json")})

    def journal(self, run_id: str, attempt: int, completion: Completion) -> None:
        """Keep a completion the moment it arrives; one that is kept already stays."""
        self._writable(run_id)
        path = self._completion(run_id, attempt)
        if not path.exists():
            self._write(path, {"completion": completion.model_dump(mode="json")})

    def journaled(self, run_id: str, attempt: int) -> Completion | None:
        """The completion kept for an attempt, None where there is none.

        Raises:
            StoreError: It is damaged.
        """
        path = self._completion(run_id, attempt)
        if not path.exists():
            return None
        return self._parsed(path, lambda data: Completion.model_validate(data["completion"]))

    def append(self, run_id: str, attempt: Attempt) -> None:
        """Keep an attempt; one whose index is kept already changes nothing.

        Raises:
            StoreError: It cannot be written, or its index leaves a gap.
        """
        self._writable(run_id)
        path = self._run(run_id) / "attempts.jsonl"
        count = sum(1 for _ in read_lines(path)) if path.exists() else 0
        if attempt.index < count:
            return
        if attempt.index > count:
            raise StoreError(f"{run_id}: attempt {attempt.index} would follow {count} kept attempts, leaving a gap")
        line = pack(attempt, self.put)
        if attempt.kernel is not None:
            _copy(attempt.kernel, self._run(run_id) / "kernels" / str(attempt.index))
        append_line(path, line)

    def finish(self, run_id: str, outcome: Outcome) -> None:
        """Mark a run as ended and let go of it. A run that was taken up again ends as its last `finish` says."""
        self._writable(run_id)
        self._write(self._run(run_id) / "outcome.json", {"outcome": outcome.value})
        os.close(self._locks.pop(run_id))

    def load(self, run_id: str) -> Trajectory:
        """Read a run back, ended or not; takes no lock.

        Raises:
            StoreError: There is no such run, or it is damaged; the message names file and line.
        """
        header = self._header(run_id)
        attempts = self._run(run_id) / "attempts.jsonl"
        outcome = self._run(run_id) / "outcome.json"
        return Trajectory(
            header=header,
            attempts=tuple(self._attempts(attempts)) if attempts.exists() else (),
            outcome=self._parsed(outcome, lambda data: Outcome(data["outcome"])) if outcome.exists() else None,
        )

    def runs(self) -> Iterator[str]:
        """Ids of all runs, oldest first; folders without a header are no runs.

        Raises:
            StoreError: The folder cannot be read, or a header is damaged.
        """
        if not self.root.exists():
            return
        with storage(f"read {self.root}"):
            found = [entry.name for entry in self.root.iterdir() if (entry / "header.json").is_file()]
        headers = sorted((self._header(run_id) for run_id in found), key=lambda h: (h.created, h.run_id))
        yield from (header.run_id for header in headers)

    # --- inside

    def _blob(self, digest: str) -> Path:
        return self.root / _BLOBS / digest[:2] / digest

    def _run(self, run_id: str) -> Path:
        return self.root / run_id

    def _completion(self, run_id: str, attempt: int) -> Path:
        return self._run(run_id) / "completions" / f"{attempt}.json"

    def _header(self, run_id: str) -> TrajectoryHeader:
        path = self._run(run_id) / "header.json"
        if not path.is_file():
            known = "" if self.root.is_dir() else ", which does not exist"
            raise StoreError(f"no run {run_id!r} in {self.root}{known}", hint="list the runs of the store")
        return self._parsed(path, lambda data: TrajectoryHeader.model_validate(data["header"]))

    def _attempts(self, path: Path) -> Iterator[Attempt]:
        for number, line in read_lines(path):
            try:
                attempt = unpack(line, self.get)
            except StoreError as error:
                raise StoreError(f"{path}:{number} refers to a lost text: {error.message}", hint=error.hint) from error
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise StoreError(
                    f"{path}:{number} is damaged: {_first_line(error)}", hint="cut the file before it"
                ) from error
            if attempt.index != number - 1:
                raise StoreError(f"{path}:{number} is damaged: it holds attempt {attempt.index}")
            yield attempt

    def _write(self, path: Path, data: dict[str, Any]) -> None:
        text = json.dumps({"format": FORMAT, **data}, ensure_ascii=False, indent=1)
        atomic_write(path, text.encode() + b"\n")

    def _parsed(self, path: Path, read: Callable[[dict[str, Any]], _Parsed]) -> _Parsed:
        with storage(f"read {path}"):
            data = path.read_bytes()
        try:
            return read(check_format(json.loads(data)))
        except (ValueError, KeyError, TypeError) as error:
            line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
            raise StoreError(f"{path}:{line} is damaged: {_first_line(error)}") from error

    def _writable(self, run_id: str) -> None:
        if not (self._run(run_id) / "header.json").is_file():
            raise StoreError(f"no run {run_id!r} in {self.root}", hint="begin it first")
        self._lock(run_id)

    def _lock(self, run_id: str) -> None:
        if run_id in self._locks:
            return
        path = self._run(run_id) / "lock"
        with storage(f"open {path}"):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            # a POSIX record lock: it dies with the process, and children of a killed process do not inherit it
            with storage(f"lock {path}"):
                fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.ftruncate(handle, 0)
                os.write(handle, f"{os.getpid()}\n".encode())
        except StoreError as error:
            owner = os.pread(handle, 20, 0).decode(errors="replace").strip()
            os.close(handle)
            if isinstance(error.__cause__, BlockingIOError):
                raise StoreError(
                    f"the run {run_id} is being written by process {owner or 'unknown'}",
                    hint="wait for it or stop it; to continue from a point of it, fork the run",
                ) from None
            raise
        self._locks[run_id] = handle


def _release(locks: dict[str, int]) -> None:
    while locks:
        os.close(locks.popitem()[1])


def _copy(kernel: Kernel, folder: Path) -> None:
    """Write a kernel's sources as plain files, for readers; the blobs are what counts.

    A model may name its files as no file system can (too long, a NUL, a file inside a file): then the files are
    numbered, and NAMES.json tells their names.
    """
    try:
        for name, text in kernel.files.items():
            atomic_write(folder / name, text.encode(), durable=False)
    except (StoreError, ValueError) as error:
        cause = error.__cause__
        unfit = (FileExistsError, NotADirectoryError, IsADirectoryError)
        long = isinstance(cause, OSError) and cause.errno == errno.ENAMETOOLONG
        if not (isinstance(error, ValueError) or isinstance(cause, unfit) or long):
            raise
        names = {f"{number}.txt": name for number, name in enumerate(kernel.files)}
        for plain, name in names.items():
            atomic_write(folder / plain, kernel.files[name].encode(), durable=False)
        atomic_write(folder / "NAMES.json", json.dumps(names, indent=1).encode(), durable=False)


def _first_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(error).splitlines()[0] if str(error) else type(error).__name__
