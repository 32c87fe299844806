"""The host's C++ compiler: found, identified, and known by what it can do."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from agentkernel.errors import ToolchainError

MINIMUM = {"gcc": 12, "clang": 16}
"""Oldest major version whose C++20 the headers need (concepts, class-type template arguments)."""

CANDIDATES = ("g++", "clang++", *(f"g++-{v}" for v in range(16, 11, -1)), *(f"clang++-{v}" for v in range(23, 15, -1)))
"""Names tried in order where CXX is not set."""

INSTALL_HINT = (
    "install one: Debian/Ubuntu `sudo apt install g++`, Fedora `sudo dnf install gcc-c++`, "
    "conda `conda install -c conda-forge gxx`; or set CXX to the path of one"
)


class Compiler(BaseModel):
    """A C++ compiler that can build the simulator."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: tuple[str, ...]
    """How it is called: absolute path, then what CXX held after it."""
    kind: Literal["gcc", "clang"]
    version: str
    """As the compiler prints it, e.g. `12.2.0`."""
    target: str
    """Triple it compiles for, e.g. `x86_64-linux-gnu`."""
    cpu: str
    """Features of this machine's CPU, which `-march=native` depends on."""

    @property
    def major(self) -> int:
        """First number of the version."""
        return int(self.version.split(".")[0])

    @property
    def identity(self) -> str:
        """What makes two compilers produce different objects, as one string."""
        return "|".join((*self.command, self.kind, self.version, self.target, self.cpu))

    @property
    def binaries(self) -> Path:
        """Folder of the program itself, links followed."""
        return Path(shutil.which(self.command[0]) or self.command[0]).resolve().parent

    @property
    def folders(self) -> tuple[Path, ...]:
        """What it may need of its own installation: under /usr in most cases; a conda environment brings its own.

        Never the folder that these lie in, which for a compiler in ~/bin is somebody's home.
        """
        home = self.binaries.parent
        names = ("lib", "lib64", "libexec", "include", "share", self.target)
        return (self.binaries, *(home / name for name in names if name and (home / name).is_dir()))

    def __str__(self) -> str:
        return f"{self.kind} {self.version} ({self.command[0]})"


def find_compiler() -> Compiler:
    """The compiler to use: CXX where it is set, else the first good one on PATH.

    Raises:
        ToolchainError: There is none, CXX names none, or all are too old; the hint says what to install.
    """
    chosen = os.environ.get("CXX", "").split()
    if chosen:
        path = shutil.which(chosen[0])
        if path is None:
            raise ToolchainError(
                f"CXX is set to {chosen[0]!r}, and there is no such program", hint="unset CXX, or " + INSTALL_HINT
            )
        compiler = identify((path, *chosen[1:]))
        problem = too_old(compiler)
        if problem:
            raise ToolchainError(
                f"CXX is set to {chosen[0]!r}, which is {problem}", hint="unset CXX, or " + INSTALL_HINT
            )
        return compiler
    problems = []
    for name in CANDIDATES:
        path = shutil.which(name)
        if path is None:
            continue
        try:
            compiler = identify((path,))
        except ToolchainError as error:
            problems.append(error.message)
            continue
        problem = too_old(compiler)
        if not problem:
            return compiler
        problems.append(f"{name} is {problem}")
    found = f" ({'; '.join(problems)})" if problems else ""
    raise ToolchainError(f"no C++ compiler: g++ >= 12 or clang++ >= 16 is needed{found}", hint=INSTALL_HINT)


def too_old(compiler: Compiler) -> str:
    """Why a compiler cannot be used; empty where it can."""
    least = MINIMUM[compiler.kind]
    return f"{compiler.kind} {compiler.version}, older than {least}" if compiler.major < least else ""


def identify(command: tuple[str, ...]) -> Compiler:
    """Ask a compiler who it is, without compiling anything.

    Raises:
        ToolchainError: It is no C++ compiler that we know.
    """
    try:
        stamp = os.stat(command[0]).st_mtime_ns
    except OSError as error:
        raise ToolchainError(f"cannot read the compiler {command[0]}: {error}", hint=INSTALL_HINT) from error
    return _identify(command, stamp)


@functools.lru_cache(maxsize=8)
def _identify(command: tuple[str, ...], _stamp: int) -> Compiler:
    """Pure in its arguments: another compiler under the same name has another time stamp."""
    # -dM -E - prints the predefined macros: one call tells kind and version whatever the program is called
    try:
        done = subprocess.run(
            [*command, "-dM", "-E", "-x", "c++", "-", "-v"],
            input="",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolchainError(f"cannot start the compiler {command[0]}: {error}", hint=INSTALL_HINT) from error
    macros = dict(re.findall(r"^#define (\w+) (.*)$", done.stdout, re.MULTILINE))
    if done.returncode != 0 or "__GNUC__" not in macros:
        first = (done.stderr or done.stdout).strip().splitlines()[:1]
        raise ToolchainError(f"{command[0]} is no g++ or clang++{': ' + first[0] if first else ''}", hint=INSTALL_HINT)
    kind: Literal["gcc", "clang"] = "clang" if "__clang__" in macros else "gcc"
    keys = (
        ("__clang_major__", "__clang_minor__", "__clang_patchlevel__")
        if kind == "clang"
        else ("__GNUC__", "__GNUC_MINOR__", "__GNUC_PATCHLEVEL__")
    )
    target = re.search(r"^Target: (\S+)", done.stderr, re.MULTILINE)
    return Compiler(
        command=command,
        kind=kind,
        version=".".join(macros[key] for key in keys),
        target=target.group(1) if target else "",
        cpu=_cpu_features(),
    )


def _cpu_features() -> str:
    """The CPU's instruction-set features, as the kernel lists them; the machine's name where it lists none."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith(("flags", "Features")):
                    return " ".join(sorted(line.partition(":")[2].split()))
    except OSError:
        pass
    return os.uname().machine
