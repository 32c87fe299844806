"""The compiler cache: runtime, jail and precompiled header, built once per compiler, flags and source text."""

from __future__ import annotations

import contextlib
import contextvars
import errno
import fcntl
import hashlib
import json
import os
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from agentkernel.cancel import raise_if_abandoned
from agentkernel.errors import ToolchainError
from agentkernel.simulator import flags, processes
from agentkernel.simulator.compiler import Compiler
from agentkernel.simulator.core_groups import Core

SOURCES = Path(__file__).parent
"""Folder with `runtime/`, `include/` and `jail/`."""

PRELUDE = """\
// What every candidate sees before its own first line. The standard headers that a kernel may include come first, so
// that no macro of the Ascend C headers (likely, unlikely) can reach into them.
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
#include "kernel_operator.h"
"""

CUBE_PRELUDE = "// The same for the image of cube cores.\n#define AKRT_CORE_AIC 1\n" + PRELUDE

GUARD = """\
// Names that no kernel may use, however they are spelled together. Read after the precompiled header.
#pragma GCC poison asm __asm __asm__ __has_include __has_include_next __has_embed
// An attribute that gives a function of the runtime another name.
#pragma GCC poison weakref __weakref__
// What the headers and the runtime share: a kernel that reaches it could skip every check.
"""
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)
_OURS = re.compile(r"\bakrt_\w+|\bAk(?:Local|Global|Set|Matmul)\b")

SHIMS = """
algorithm array cassert cctype cstdio cstdlib functional iomanip iostream iterator map memory numeric set sstream
stdexcept string typeinfo unordered_map vector stdarg.h stdio.h stdlib.h acl/acl.h
"""
"""Headers that sources of whole operators name without need: they exist there, and a device has nothing of them."""
SHIM = "// A source may name this header; a device has nothing of what is in it.\n#pragma once\n"

EXPORTS = "{ global: akrt_launch; local: *; };\n"
"""Linker version script of candidates: the launcher is all that they show."""

BUILD_SECONDS = 600.0
KEEP_SECONDS = 7 * 86400.0
KEEP_ENTRIES = 6
LOCK_SECONDS = 0.1
"""Between two attempts to get the lock of an entry."""
SAMPLE = 1 << 16
"""Bytes at each end of an artifact that are compared with its record on opening."""


class Runtime(BaseModel):
    """The prebuilt half of the simulator, ready for use."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    compiler: Compiler
    folder: Path
    """Cache entry that everything below lies in."""
    key: str
    """SHA-256 (hex) over compiler, flags and all sources."""

    @property
    def akrun(self) -> Path:
        """The runner in which candidates execute."""
        return self.folder / "akrun"

    @property
    def akjail(self) -> Path:
        """The program that sets up a process's walls."""
        return self.folder / "akjail"

    @property
    def include(self) -> Path:
        """Folder of the Ascend C headers."""
        return self.folder / "src" / "include"

    @property
    def shims(self) -> Path:
        """Folder of headers that are empty on a device."""
        return self.folder / "src" / "shims"

    @property
    def prelude(self) -> Path:
        """Header that the precompiled one was made from."""
        return self.folder / "src" / "prelude.h"

    def prelude_of(self, core: Core) -> Path:
        """Header that the precompiled one of a core type is made from."""
        return self.prelude if core == "vector" else self.folder / "src" / "prelude_cube.h"

    def precompiled_of(self, core: Core) -> Path:
        """The precompiled header of a core type; that of cube cores is made by `require_prelude`."""
        return Path(str(self.prelude_of(core)) + (".gch" if self.compiler.kind == "gcc" else ".pch"))

    def prelude_flags(self, core: Core = "vector") -> tuple[str, ...]:
        """Compiler flags that make a candidate start with the precompiled header of a core type."""
        if self.compiler.kind == "gcc":
            return ("-include", str(self.prelude_of(core)))  # g++ finds prelude.h.gch beside it
        return ("-include-pch", str(self.precompiled_of(core)))

    @property
    def guard(self) -> Path:
        """Header that poisons forbidden names."""
        return self.folder / "src" / "guard.h"

    @property
    def exports(self) -> Path:
        """Linker version script of candidates."""
        return self.folder / "src" / "exports.map"


def cache_folder() -> Path:
    """AGENTKERNEL_CACHE, else XDG_CACHE_HOME/agentkernel, else ~/.cache/agentkernel.

    Raises:
        ToolchainError: None of the variables is set and the user has no home.
    """
    own = os.environ.get("AGENTKERNEL_CACHE")
    if own:
        return Path(own).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "agentkernel"
    except RuntimeError as error:
        raise ToolchainError(
            "there is no home folder for the compiler cache", hint="set AGENTKERNEL_CACHE to a folder"
        ) from error


def open_runtime(
    compiler: Compiler,
    *,
    root: Path | None = None,
    sources: Path = SOURCES,
    strict: bool = False,
    tell: Callable[[str], None] | None = None,
) -> Runtime:
    """The runtime of a compiler, built now where the cache does not hold it (a minute, once).

    Two processes that need the same one build it once; an interrupted build leaves nothing that would be taken for a
    finished one; a damaged entry is built anew.

    Args:
        compiler: What to build with.
        root: The cache folder; by default `cache_folder()`.
        sources: Folder with `runtime/`, `include/` and `jail/`.
        strict: Turn warnings into errors.
        tell: Is told why this call takes long, before it does.

    Raises:
        ToolchainError: The folder cannot be written, the disk is full, or our sources do not compile.
    """
    root = root if root is not None else cache_folder()
    texts = _read_sources(sources)
    compiled_with = [*flags.RUNTIME, *flags.RUNTIME_LINK, *flags.JAIL, *flags.candidate(compiler)]
    key = digest([compiler.identity, *compiled_with, *(part for item in sorted(texts.items()) for part in item)])
    runtime = Runtime(compiler=compiler, folder=root / key[:24], key=key)
    if intact(runtime.folder):
        with contextlib.suppress(OSError):  # a read-only cache serves as well; it is only never pruned
            os.utime(runtime.folder / "ready.json")
        return runtime
    try:
        root.mkdir(parents=True, exist_ok=True)
        with locked(root / f"{key[:24]}.lock", tell):
            if not intact(runtime.folder):
                if tell is not None:
                    tell(f"building the simulator with {compiler}: a minute or two, once")
                _build(runtime, texts, root / "objects", strict)
                _prune(root, keep=runtime.folder)
    except OSError as error:
        raise ToolchainError(
            f"cannot write the compiler cache {root}: {error.strerror or error}",
            hint="set AGENTKERNEL_CACHE to a folder with 300 MB of free space",
        ) from error
    return runtime


def require_prelude(runtime: Runtime, core: Core) -> None:
    """Make the precompiled header of a core type where there is none yet: kernels for vector cores do not pay for it.

    Raises:
        ToolchainError: It does not compile, or the cache cannot be written.
    """
    made = runtime.precompiled_of(core)
    if made.exists():
        return
    try:
        with locked(runtime.folder.with_suffix(f".{core}.lock"), None):
            if made.exists():
                return
            with tempfile.TemporaryDirectory(dir=runtime.folder, prefix="build.") as temporary:
                fresh = Path(temporary) / made.name
                call_compiler(runtime.compiler, prelude_command(runtime, core, fresh))
                fresh.chmod(0o644)
                os.replace(fresh, made)
    except OSError as error:
        raise ToolchainError(
            f"cannot write the compiler cache {runtime.folder}: {error.strerror or error}",
            hint="set AGENTKERNEL_CACHE to a folder with 300 MB of free space",
        ) from error


def prelude_command(runtime: Runtime, core: Core, target: Path) -> list[str]:
    """The compiler's arguments that make a precompiled header."""
    include = ["-I", str(runtime.include), "-x", "c++-header", str(runtime.prelude_of(core))]
    return [*flags.candidate(runtime.compiler), *include, "-o", str(target)]


def digest(parts: Sequence[str]) -> str:
    """SHA-256 (hex) over texts; where one ends and the next begins counts too."""
    total = hashlib.sha256()
    for part in parts:
        total.update(f"{len(part)}:".encode())
        total.update(part.encode())
    return total.hexdigest()


def _read_sources(sources: Path) -> dict[str, str]:
    """Text of every C++ source by its path under `src/`; exactly what is hashed here is compiled later."""
    texts = {"prelude.h": PRELUDE, "prelude_cube.h": CUBE_PRELUDE, "guard.h": GUARD, "exports.map": EXPORTS}
    texts |= {f"shims/{name}": SHIM for name in SHIMS.split()}
    for pattern in ("runtime/*", "jail/*", "include/**/*"):
        for path in sorted(sources.glob(pattern)):
            if path.is_file() and path.suffix in {".h", ".hpp", ".cpp", ".inc"}:
                texts[path.relative_to(sources).as_posix()] = path.read_text(encoding="utf-8")
    headers = "\n".join(text for name, text in texts.items() if name.startswith("include/"))
    for name in ("akrt", "akc", *sorted(set(_OURS.findall(headers)))):
        texts["guard.h"] += f"#pragma GCC poison {name}\n"
    return texts


@contextlib.contextmanager
def locked(path: Path, tell: Callable[[str], None] | None) -> Iterator[None]:
    """Hold a lock file. It is asked for again and again: a blocked call could not be abandoned."""
    with path.open("w") as file:
        told = tell is None
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                raise_if_abandoned()
            if not told and tell is not None:
                tell("another process is building the simulator: waiting for it")
            told = True
            time.sleep(LOCK_SECONDS)
        yield


def intact(folder: Path) -> bool:
    """Whether the entry was finished and its artifacts are still what was written."""
    try:
        record = json.loads((folder / "ready.json").read_text())
        return bool(record) and all(sample(folder / name) == value for name, value in record.items())
    except (OSError, ValueError, AttributeError):
        return False


def sample(path: Path) -> str:
    """Size and both ends of a file: notices truncation and lost blocks without reading 40 MB on every start."""
    size = path.stat().st_size
    with path.open("rb") as file:
        total = hashlib.sha256(file.read(SAMPLE))
        file.seek(max(0, size - SAMPLE))
        total.update(file.read(SAMPLE))
    return f"{size}:{total.hexdigest()}"


def _build(runtime: Runtime, texts: dict[str, str], objects: Path, strict: bool) -> None:
    folder = runtime.folder
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in texts.items():
        path = folder / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    objects.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix="build.") as temporary:
        _Builder(runtime, texts, objects, Path(temporary), flags.STRICT if strict else ()).build()
    finish(folder, [runtime.akrun, runtime.akjail, *runtime.prelude.parent.glob("prelude.h.*")])


def finish(folder: Path, artifacts: Sequence[Path]) -> None:
    """Mark an entry of the cache as whole. Its programs lie in the folder itself, everything else below."""
    for path in folder.rglob("*"):  # whatever umask says: candidates may run as another user
        path.chmod(0o755 if path.is_dir() or path.parent == folder else 0o644)
    record = {str(path.relative_to(folder)): sample(path) for path in artifacts}
    marker = folder / "ready.json.new"
    marker.write_text(json.dumps(record))
    os.replace(marker, folder / "ready.json")


class _Builder:
    """Compiles one entry: every unit beside the others, each result moved to its place when it is whole."""

    def __init__(
        self, runtime: Runtime, texts: dict[str, str], objects: Path, scratch: Path, extra: tuple[str, ...]
    ) -> None:
        self._runtime = runtime
        self._texts = texts
        self._objects = objects
        self._scratch = scratch
        self._extra = extra
        self._stop = threading.Event()

    def build(self) -> None:
        units = sorted(name for name in self._texts if name.startswith("runtime/") and name.endswith(".cpp"))
        with ThreadPoolExecutor(max_workers=max(1, os.cpu_count() or 1)) as pool:
            try:
                # the context tells the threads when nobody waits any more (`agentkernel.cancel`)
                prelude = pool.submit(contextvars.copy_context().run, self._prelude)
                waiting = [pool.submit(contextvars.copy_context().run, self._unit, unit) for unit in units]
                built = [unit.result() for unit in waiting]
                prelude.result()
            except BaseException:  # also ctrl-C: the compilers run in sessions of their own and would go on
                self._stop.set()
                pool.shutdown(cancel_futures=True)
                raise
        libraries = own_libraries(self._runtime.compiler)
        self._link_jail(libraries)
        linked = self._scratch / "akrun"
        self._call(*flags.RUNTIME, *map(str, built), *flags.RUNTIME_LINK, *libraries, "-o", str(linked))
        os.replace(linked, self._runtime.akrun)

    def _unit(self, name: str) -> Path:
        """Object of one source file; a changed file recompiles itself and those that read it."""
        read = [part for path in reads(name, self._texts) for part in (path, self._texts[path])]
        parts = [self._runtime.compiler.identity, *flags.RUNTIME, *self._extra, name, *read]
        cached = self._objects / f"{digest(parts)[:32]}.o"
        if not cached.exists():
            fresh = self._scratch / (name.replace("/", "_") + ".o")
            source = self._runtime.folder / "src" / name
            include = ["-I", str(self._runtime.include), "-I", str(source.parent)]
            self._call(*flags.RUNTIME, *self._extra, *include, "-c", str(source), "-o", str(fresh))
            os.replace(fresh, cached)
        return cached

    def _link_jail(self, libraries: list[str]) -> None:
        source = self._runtime.folder / "src" / "jail" / "akjail.cpp"
        self._call(*flags.JAIL, *self._extra, str(source), *libraries, "-o", str(self._scratch / "akjail"))
        os.replace(self._scratch / "akjail", self._runtime.akjail)

    def _prelude(self) -> None:
        made = self._runtime.precompiled_of("vector")
        fresh = self._scratch / made.name
        self._call(*prelude_command(self._runtime, "vector", fresh))
        os.replace(fresh, made)

    def _call(self, *arguments: str) -> str:
        return call_compiler(self._runtime.compiler, arguments, self._stop)


def reads(unit: str, texts: dict[str, str]) -> list[str]:
    """What a unit of the runtime is compiled from: itself and our headers that it includes, also through others.

    Args:
        unit: Path under `src/`.
        texts: Text of every source by its path under `src/`. An include of ours is looked for beside its reader, in
            `runtime/` and in `include/`, wherever a condition around it may stand: one too many costs a rebuild only.
    """
    found = {unit}
    waiting = [unit]
    while waiting:
        reader = waiting.pop()
        for name in _INCLUDE.findall(texts[reader]):
            for folder in (reader.rpartition("/")[0], "runtime", "include"):
                path = os.path.normpath(f"{folder}/{name}")
                if path in texts and path not in found:
                    found.add(path)
                    waiting.append(path)
    return sorted(found)


def own_libraries(compiler: Compiler) -> list[str]:
    """How our programs find a C++ library that lies beside the compiler and not in the system's folders."""
    asked = call_compiler(compiler, ["-print-file-name=libstdc++.so.6"]).strip()
    folder = Path(asked).resolve().parent
    system = not Path(asked).is_absolute() or folder.is_relative_to("/usr") or folder.is_relative_to("/lib")
    return [] if system else [f"-Wl,-rpath,{folder}"]


def call_compiler(compiler: Compiler, arguments: Sequence[str], stop: threading.Event | None = None) -> str:
    """Compile something of ours; the compiler's output.

    Raises:
        ToolchainError: It does not compile.
        OSError: The disk is full.
    """
    done = processes.run(
        [*compiler.command, *arguments],
        timeout=BUILD_SECONDS,
        env={**os.environ, "LC_ALL": "C"},
        with_stdout=True,
        stop=stop,
    )
    if done.returncode == 0:
        return done.output
    if "No space left on device" in done.output:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    lines = [line for line in done.output.splitlines() if "error" in line] or done.output.splitlines()[-1:]
    why = "it took too long" if done.timed_out else (lines[0] if lines else f"status {done.returncode}")
    raise ToolchainError(
        f"the simulator's own sources do not compile with {compiler}: {why}",
        hint="try another compiler through CXX; if that helps, this is a bug of ours worth reporting",
    )


def _prune(root: Path, keep: Path) -> None:
    """Remove what has not been used for a week, and of what has not been used today all but the newest entries."""
    now = time.time()
    entries = []
    for folder in root.iterdir():
        if folder == keep or not folder.is_dir() or folder.name == "objects":
            continue
        marker = folder / "ready.json"
        entries.append(((marker if marker.exists() else folder).stat().st_mtime, folder))
    entries.sort(reverse=True)
    for rank, (used, folder) in enumerate(entries):
        if now - used > KEEP_SECONDS or (rank >= KEEP_ENTRIES and now - used > 86400):
            shutil.rmtree(folder, ignore_errors=True)
    for item in (root / "objects").iterdir():
        if now - item.stat().st_mtime > KEEP_SECONDS:
            item.unlink(missing_ok=True)
