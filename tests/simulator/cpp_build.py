"""Builds test programs from C++ sources, keeping objects by content, so that a second run starts at once."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SIMULATOR = Path(__file__).parents[2] / "agentkernel" / "simulator"
RUNTIME = SIMULATOR / "runtime"
FLAGS = ("-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-fno-strict-aliasing")


def core_sources() -> list[Path]:
    """Sources of the runtime core: all but main and what is tested apart, the instruction bodies and libraries."""
    apart = ("ops_", "lib", "main.cpp")
    return [path for path in sorted(RUNTIME.glob("*.cpp")) if not path.name.startswith(apart)]


def _run(command: Sequence[str | Path]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stderr[:4000]}"


def _produce(command: Sequence[str | Path], target: Path) -> Path:
    """Runs a command that writes the file after its `-o`; the file appears whole or not at all."""
    with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as file:
        part = Path(file.name)
    try:
        _run([*command, "-o", part])
        part.rename(target)
    finally:
        part.unlink(missing_ok=True)
    return target


def _compile(source: Path, folder: Path) -> Path:
    includes = [f"-I{SIMULATOR / 'include'}", f"-I{RUNTIME}", f"-I{source.parent}"]
    digest = hashlib.sha256(" ".join(FLAGS).encode() + source.read_bytes())
    for place in (RUNTIME, SIMULATOR / "include" / "akrt", source.parent):
        for header in sorted(place.glob("*.h")):
            digest.update(header.name.encode() + header.read_bytes())
    target = folder / f"{source.stem}-{digest.hexdigest()[:16]}.o"
    if not target.exists():
        _produce(["g++", *FLAGS, *includes, "-c", source], target)
    return target


def build(name: str, sources: Sequence[Path], *, link: Sequence[str] = ()) -> Path:
    """Compiles and links `sources` into one program and returns its path.

    Raises:
        AssertionError: a source does not compile; the compiler's text is in the message.
    """
    folder = Path(tempfile.gettempdir()) / f"agentkernel-tests-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        objects = list(pool.map(lambda source: _compile(source, folder), sources))
    digest = hashlib.sha256(" ".join([*map(str, objects), *link]).encode()).hexdigest()[:16]
    program = folder / f"{name}-{digest}"
    if not program.exists():
        _produce(["g++", *objects, *link, "-ldl"], program)
        program.chmod(0o700)
    return program
