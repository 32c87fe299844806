"""Runs jobs in child processes and says how they ended."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

import agentkernel
from agentkernel.bench.npukernelbench.jobs import Job
from agentkernel.errors import ConfigError, ToolchainError

_LOG_TAIL = 400


class Limits(BaseModel):
    """What one job may use."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seconds: float = 120.0
    memory_bytes: int = 12 << 30
    """Address space; torch alone maps some GiB."""


class JobEnded(BaseModel):
    """How a job ended."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    result: dict[str, Any] | None
    """What it gives, None where it did not come to its end."""
    why: str = ""
    """Why there is no result."""
    timed_out: bool = False

    @property
    def failed(self) -> str:
        """The step that failed, empty where none did."""
        return "" if self.result is None else str(self.result.get("failed", ""))


class Worker:
    """A child process that does jobs one after another; it is started when the first one comes.

    Args:
        python: Interpreter that has torch; this one by default.
        paths: Folders that come first on its module path.
        limits: What one job may use.
    """

    def __init__(
        self, *, python: str = sys.executable, paths: tuple[Path, ...] = (), limits: Limits | None = None
    ) -> None:
        self._python = python
        self._paths = paths
        self._limits = limits or Limits()
        self._process: subprocess.Popen[str] | None = None

    def do(self, job: Job) -> JobEnded:
        """Do a job; its folder must exist.

        Raises:
            ConfigError: The interpreter has no torch.
            ToolchainError: The child process ended.
        """
        process = self._started()
        order = {
            "job": job.model_dump(mode="json"),
            "seconds": self._limits.seconds,
            "memory": self._limits.memory_bytes,
        }
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(order) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            self.close()
            raise ToolchainError("the process for references ended", hint="run the command again") from None
        ended = self._answer(process)
        return self._read(job, ended)

    def close(self) -> None:
        """End the child process."""
        if self._process is not None:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.close()
            self._process.stdout.close()
            self._process.terminate()
            self._process.wait()
            self._process = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            home = str(Path(agentkernel.__file__).parent.parent)
            paths = [*map(str, self._paths), home, os.environ.get("PYTHONPATH", "")]
            environment = {
                **os.environ,
                "PYTHONPATH": os.pathsep.join(path for path in paths if path),
                "OMP_NUM_THREADS": "1",
                "MKL_NUM_THREADS": "1",
            }
            if shutil.which(self._python) is None:
                raise ConfigError(f"no interpreter {self._python}", hint="give one that has torch")
            self._process = subprocess.Popen(
                [self._python, "-m", "agentkernel.bench.npukernelbench.child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None,
                text=True,
                env=environment,
                start_new_session=True,
            )
            self._answer(self._process)
        return self._process

    def _answer(self, process: subprocess.Popen[str]) -> dict[str, Any]:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            status = process.wait()
            self.close()
            raise ConfigError(
                f"the process for references ended with status {status}",
                hint="it needs torch: pip install 'agentkernel[npukernelbench]'",
            )
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _read(self, job: Job, ended: dict[str, Any]) -> JobEnded:
        if ended.get("timed_out"):
            return JobEnded(result=None, why=f"took longer than {self._limits.seconds:.0f} seconds", timed_out=True)
        status = ended["status"]
        if status == 0:
            text = (job.folder / "result.json").read_text(encoding="utf-8")
            return JobEnded(result=json.loads(text))
        log = job.folder / "log"
        said = log.read_text(encoding="utf-8", errors="replace").strip()[-_LOG_TAIL:] if log.is_file() else ""
        what = f"ended by signal {-status}" if status < 0 else f"ended with status {status}"
        memory = status == 3 or "MemoryError" in said or "allocate memory" in said
        return JobEnded(result=None, why="needs more memory than it may use" if memory else f"{what}: {said}")
