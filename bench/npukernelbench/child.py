"""The child process: imports torch once, then does each job in a fork of its own, with limits.

    python -m agentkernel.bench.npukernelbench.child

reads one line of JSON per job and answers one line each: how the fork ended. The job's result is the file
`result.json` of its folder, its printed text the file `log`.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any

from agentkernel.bench.npukernelbench.jobs import Job, do
from agentkernel.bench.npukernelbench.tensors import torch

RESULT, LOG = "result.json", "log"


def main() -> None:
    """Serve jobs until the input ends."""
    with_torch = torch()
    if hasattr(with_torch, "set_num_threads"):
        with_torch.set_num_threads(1)  # forks of a process with threads may hang
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    print(json.dumps({"ready": True}), file=answers)
    ready = False
    for line in sys.stdin:
        order = json.loads(line)
        if order["job"]["action"] == "measure" and not ready:
            with_torch.rand((1,), device="meta") * 2.0  # arithmetic without values imports much of torch, once for all
            ready = True
        ended = _forked(Job.model_validate(order["job"]), order["seconds"], order["memory"])
        print(json.dumps(ended), file=answers)


def _forked(job: Job, seconds: float, memory: int) -> dict[str, Any]:
    child = os.fork()
    if child == 0:
        _run(job, seconds, memory)
    started = time.monotonic()
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return {"status": os.waitstatus_to_exitcode(status)}
        if time.monotonic() - started > seconds:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return {"status": -signal.SIGKILL, "timed_out": True}
        time.sleep(0.005)


def _run(job: Job, seconds: float, memory: int) -> None:
    """The fork's whole life; it never returns."""
    status = 1
    try:
        os.setpgid(0, 0)
        log = os.open(job.folder / LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 5))
        (job.folder / RESULT).write_text(json.dumps(do(job)), encoding="utf-8")
        status = 0
    except MemoryError:
        status = 3
    except BaseException:  # the fork must not go on as its parent, whatever happens
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def read_result(folder: Path) -> dict[str, Any]:
    """The result of a job that ended with status 0."""
    found: dict[str, Any] = json.loads((folder / RESULT).read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    main()
