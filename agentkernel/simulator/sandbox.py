"""The walls around candidate code: which hold on this machine, and how a command is put behind them."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from agentkernel.errors import SandboxError
from agentkernel.simulator import processes
from agentkernel.simulator.cache import Runtime

UNPRIVILEGED_USER = 60600
"""User and group that candidates run as where we are root: between systemd's ranges, so nobody's on a common system."""

_EXECUTABLE = "set AGENTKERNEL_CACHE to a folder from which programs may be started, or remove the compiler cache"
PROBE_SECONDS = 20.0
REFUSED = 71
"""Exit status of akjail where a wall could not be set up."""

SYSTEM_FOLDERS = ("/usr", "/lib", "/lib64", "/bin")
LOADER_FILES = ("/etc/ld.so.cache", "/dev/urandom", "/proc/meminfo", "/proc/cpuinfo", "/sys/devices/system/cpu")


class Limits(BaseModel):
    """Resource limits of one process."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    wall_seconds: float
    """Real time until the process group is killed."""
    cpu_seconds: int
    """Processor time until SIGXCPU; SIGKILL follows a second later."""
    memory_bytes: int
    """Address space."""
    file_bytes: int
    """Largest file that it may write."""
    open_files: int = 64
    processes: int = 512
    """Processes of its user; holds only where that user is not root."""


class Walls(BaseModel):
    """What holds on this machine, found by trying it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    landlock: int = 0
    """Version of the kernel's Landlock interface; 0 where there is none."""
    seccomp: bool = False
    user: int | None = None
    """User that candidates run as; None where we are not root, or cannot change."""
    bubblewrap: str = ""
    """Path of bwrap where it works and Landlock does not; it then takes over the file system."""

    @property
    def names(self) -> tuple[str, ...]:
        """The walls by name, as results list them."""
        found = ["rlimits", "session", "empty-environment"]
        if self.seccomp:
            found.append("seccomp")
        if self.landlock:
            found.append(f"landlock-{self.landlock}")
        if self.bubblewrap:
            found.append("bubblewrap")
        if self.user is not None:
            found.append("unprivileged-user")
        return tuple(found)

    def require(self, *, insecure: bool = False) -> None:
        """Refuse to go on where not even a system-call filter holds.

        Raises:
            SandboxError: There is none, and `insecure` was not asked for.
        """
        if not self.seccomp and not insecure:
            raise SandboxError(
                "candidate code is not run: this machine allows no system-call filter (seccomp)",
                hint="allow it in the container's profile, or pass insecure=True to run without that wall",
            )


def probe(runtime: Runtime) -> Walls:
    """Try every wall in a child process.

    Raises:
        SandboxError: The program that sets them up does not start.
    """
    try:
        done = processes.run(
            [runtime.akjail, "--probe", str(UNPRIVILEGED_USER)], timeout=PROBE_SECONDS, env={}, with_stdout=True
        )
    except OSError as error:
        raise SandboxError(f"cannot start {runtime.akjail}: {error}", hint=_EXECUTABLE) from error
    if done.returncode != 0:
        raise SandboxError(f"{runtime.akjail} failed: {done.output.strip()}", hint="remove the compiler cache")
    words = [line.split() for line in done.output.splitlines()]
    found = {line[0]: line[1:] for line in words if line}
    landlock = int(found["landlock"][0]) if "landlock" in found else 0
    return Walls(
        landlock=landlock,
        seccomp="seccomp" in found,
        user=UNPRIVILEGED_USER if "uid" in found else None,
        bubblewrap="" if landlock else working_bubblewrap(),
    )


def working_bubblewrap() -> str:
    """Path of bwrap, empty where it is not installed or may not make namespaces here."""
    path = shutil.which("bwrap")
    if path is None:
        return ""
    tried = subprocess.run([path, "--ro-bind", "/", "/", "--unshare-net", "true"], capture_output=True, check=False)
    return path if tried.returncode == 0 else ""


class Jail(BaseModel):
    """One process's walls: limits, user, and what of the file system it sees."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    runtime: Runtime
    walls: Walls
    limits: Limits
    folder: Path
    """Working directory."""
    readable: tuple[Path, ...] = ()
    executable: tuple[Path, ...] = ()
    """Files and folders that may be read and executed, beside the system's own."""
    writable: tuple[Path, ...] = ()
    descriptors: tuple[int, ...] = ()
    """Open files that the process inherits."""
    may_fork: bool = False

    def command(self, program: Sequence[str | Path], tag: str = "") -> list[str]:
        """The command that starts a program behind these walls. Its first word is an absolute path."""
        limits = self.limits
        words = [str(self.runtime.akjail), "--tag", tag, "--cwd", str(self.folder)]
        for flag, value in (
            ("--cpu", limits.cpu_seconds),
            ("--as", limits.memory_bytes),
            ("--fsize", limits.file_bytes),
            ("--nofile", limits.open_files),
        ):
            words += [flag, str(value)]
        if self.walls.user is not None:
            words += ["--uid", str(self.walls.user)]
            if self.may_fork:  # counted over all processes of that user, so it has to leave room for other jails
                words += ["--nproc", str(limits.processes)]
        if self.walls.seccomp:
            words += ["--seccomp"] if self.may_fork else ["--seccomp", "--no-fork"]
        if self.walls.landlock:
            words += ["--landlock"]
            for path in (*map(Path, SYSTEM_FOLDERS), *self.executable):
                words += ["--rx", str(path)]
            for path in (*map(Path, LOADER_FILES), *self.readable):
                words += ["--ro", str(path)]
            for path in (Path("/dev/null"), *self.writable):
                words += ["--rw", str(path)]
        return [*self._bubblewrap(), *words, "--", *map(str, program)]

    def _bubblewrap(self) -> list[str]:
        if not self.walls.bubblewrap:
            return []
        words = [self.walls.bubblewrap, "--die-with-parent", "--unshare-net", "--unshare-ipc", "--unshare-pid"]
        words += ["--proc", "/proc", "--dev", "/dev"]
        shown = [*map(Path, SYSTEM_FOLDERS), Path("/etc/ld.so.cache"), self.runtime.folder, self.folder]
        for path in (*shown, *self.executable, *self.readable):
            if path.exists() and not path.is_relative_to("/dev") and not path.is_relative_to("/proc"):
                words += ["--ro-bind", str(path), str(path)]
        for path in self.writable:
            words += ["--bind", str(path), str(path)]
        return words

    def run(
        self, program: Sequence[str | Path], env: dict[str, str], *, meanwhile: Callable[[], None] | None = None
    ) -> processes.Finished:
        """Run a program behind these walls; `meanwhile` is called once it was started.

        Raises:
            SandboxError: A wall could not be set up.
        """
        tag = secrets.token_hex(8)
        try:
            done = processes.run(
                self.command(program, tag),
                timeout=self.limits.wall_seconds,
                env=env,
                descriptors=self.descriptors,
                meanwhile=meanwhile,
            )
        except OSError as error:
            raise SandboxError(f"cannot start {self.runtime.akjail}: {error}", hint=_EXECUTABLE) from error
        mark = f"akjail {tag}: "
        if done.returncode == REFUSED and done.output.startswith(mark):
            raise SandboxError(
                f"a wall around candidate code could not be set up: {done.output.removeprefix(mark).strip()}",
                hint="run `agentkernel doctor`; the candidate was not started",
            )
        return done


def reachable(path: Path) -> bool:
    """Whether another user could enter every folder on the way to a path and read it."""
    for folder in path.resolve().parents:
        if not os.stat(folder).st_mode & 0o001:
            return False
    return bool(os.stat(path).st_mode & 0o004)
