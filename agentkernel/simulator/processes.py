"""Child processes that never outlive their call: own session, wall-clock limit, bounded output, group killed."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from agentkernel.cancel import announced, raise_if_abandoned

OUTPUT_LIMIT = 1 << 20
"""Bytes of a child's output that are read back; a compiler can print gigabytes."""
STOP_SECONDS = 0.1
"""How long a stop from another thread may take to be seen."""


class Finished(BaseModel):
    """How a child process ended."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    returncode: int
    """Exit status; minus the signal's number where a signal ended it."""
    output: str
    """Standard error (and output, where asked for), at most `OUTPUT_LIMIT` bytes of it."""
    truncated: bool = False
    """Whether there was more output than that."""
    timed_out: bool = False
    """Whether it was killed at the wall-clock limit."""
    seconds: float


def run(
    command: Sequence[str | Path],
    *,
    timeout: float,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    with_stdout: bool = False,
    descriptors: Sequence[int] = (),
    stop: threading.Event | None = None,
    meanwhile: Callable[[], None] | None = None,
) -> Finished:
    """Run a command to its end, or kill it and everything it started in its process group.

    The group is killed in any case, also when this call is left by an exception (ctrl-C), so that nothing stays behind.
    Setting `stop` from another thread ends it early, as a time-out does. So does the event that is announced where
    nobody may wait for the result any more (`agentkernel.cancel`), but then there is no result. The command inherits
    `descriptors`, under their own numbers. `meanwhile` is called once it was started; what it raises ends the command.

    Raises:
        OSError: The program cannot be started.
        AbandonedError: Nobody waits any more.
    """
    raise_if_abandoned()
    start = time.perf_counter()
    with tempfile.TemporaryFile() as sink:
        # a new session is a new process group: killing the group reaches every descendant that did not leave it
        process = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=sink if with_stdout else subprocess.DEVNULL,
            stderr=sink,
            cwd=cwd,
            env=dict(env) if env is not None else None,
            start_new_session=True,
            close_fds=True,
            pass_fds=descriptors,
        )
        timed_out = False
        try:
            if meanwhile is not None:
                meanwhile()
            _wait(process, timeout, stop)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            _kill_group(process)
        raise_if_abandoned()
        size = sink.seek(0, os.SEEK_END)
        sink.seek(0)
        output = sink.read(OUTPUT_LIMIT).decode("utf-8", "replace")
    return Finished(
        returncode=process.returncode,
        output=output,
        truncated=size > OUTPUT_LIMIT,
        timed_out=timed_out,
        seconds=time.perf_counter() - start,
    )


def _wait(process: subprocess.Popen[bytes], timeout: float, stop: threading.Event | None) -> None:
    """Wait for the end by a descriptor of the process: `Popen.wait` with a timeout sleeps in steps of up to 50 ms."""
    stops = [event for event in (stop, announced()) if event is not None]
    end = time.monotonic() + timeout
    watched = os.pidfd_open(process.pid)
    try:
        poll = select.poll()
        poll.register(watched, select.POLLIN)
        while not any(event.is_set() for event in stops) and (left := end - time.monotonic()) > 0:
            if poll.poll(1000 * (min(left, STOP_SECONDS) if stops else left)):
                process.wait()
                return
    finally:
        os.close(watched)
    raise subprocess.TimeoutExpired(process.args, timeout)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # the whole group has ended already
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
