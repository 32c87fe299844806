"""Builds test programs from C++ sources, once per content, so that a second run of the tests starts at once."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SIMULATOR = Path(__file__).parents[2] / "agentkernel" / "simulator"
RUNTIME = SIMULATOR / "runtime"
FLAGS = ("-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-fno-strict-aliasing")


def core_sources() -> list[Path]:
    """Sources of the runtime core: all but the instruction bodies, which have their own tests, and main."""
    return [p for p in sorted(RUNTIME.glob("*.cpp")) if not p.name.startswith("ops_") and p.name != "main.cpp"]


def _digest(sources: Sequence[Path]) -> str:
    digest = hashlib.sha256(" ".join(FLAGS).encode())
    headers = [p for folder in (RUNTIME, SIMULATOR / "include" / "akrt") for p in sorted(folder.glob("*.h"))]
    headers += sorted({h for s in sources for h in s.parent.glob("*.h")})
    for path in [*sources, *headers]:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def build(name: str, sources: Sequence[Path], *, link: Sequence[str] = ()) -> Path:
    """Compiles and links `sources` into one program and returns its path.

    Raises:
        AssertionError: a source does not compile; the compiler's text is in the message.
    """
    folder = Path(tempfile.gettempdir()) / f"agentkernel-tests-{os.getuid()}" / f"{name}-{_digest(sources)}"
    program = folder / name
    if program.exists():
        return program
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    work = Path(tempfile.mkdtemp(dir=folder.parent))

    def run(command: list[str]) -> None:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr[:4000]}"

    def compile_one(source: Path) -> str:
        output = work / f"{source.parent.name}_{source.stem}.o"
        includes = [f"-I{SIMULATOR / 'include'}", f"-I{RUNTIME}", f"-I{source.parent}"]
        run(["g++", *FLAGS, *includes, "-c", str(source), "-o", str(output)])
        return str(output)

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, sources))
    run(["g++", "-o", str(work / name), *objects, *link, "-ldl"])
    try:
        work.rename(folder)
    except OSError:  # another run of the tests was faster
        shutil.rmtree(work)
    return program
