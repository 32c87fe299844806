"""The prebuilt half of the host side: headers and `akhost`, built once per compiler and kept in the compiler cache."""

from __future__ import annotations

import contextlib
import contextvars
import os
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from agentkernel.errors import ToolchainError
from agentkernel.simulator import cache, flags
from agentkernel.simulator.compiler import Compiler

SOURCES = Path(__file__).parent
"""Folder with `include/`, `runtime/` and `prelude.h`."""
JSON_HEADER = SOURCES.parent / "runtime" / "json.h"
"""Shared with the device runtime."""
SHARED_HEADERS = SOURCES.parent / "include" / "shared"
"""Structures and sizes that host and kernel have to agree on."""

STANDARD = "-std=gnu++17"
_AKHOST = ("-std=c++20", "-O1", "-g1", "-rdynamic")


def host_code(compiler: Compiler) -> tuple[str, ...]:
    """Flags of host code and its precompiled header.

    No optimisation: every call keeps its frame, so that a crash has a line; checks of the C++ library are on.
    """
    common = (
        STANDARD,
        "-O0",
        "-g1",
        "-fPIC",
        "-fno-omit-frame-pointer",
        "-fno-delete-null-pointer-checks",
        "-D_GLIBCXX_ASSERTIONS",
        "-w",
        f"-ftemplate-depth={flags.TEMPLATE_DEPTH}",
        "-fdiagnostics-color=never",
        "-fmessage-length=0",
    )
    caret = "-fno-diagnostics-show-caret" if compiler.kind == "gcc" else "-fno-caret-diagnostics"
    return (*common, caret)


class HostRuntime(BaseModel):
    """What host code compiles against and runs in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    compiler: Compiler
    folder: Path
    """Cache entry that everything below lies in."""
    key: str
    """SHA-256 (hex) over compiler, flags and all sources."""

    @property
    def akhost(self) -> Path:
        """The program that loads host code."""
        return self.folder / "akhost"

    @property
    def include(self) -> Path:
        """Folder of the host headers."""
        return self.folder / "src" / "include"

    @property
    def prelude(self) -> Path:
        """Header that the precompiled one was made from."""
        return self.folder / "src" / "prelude.h"

    @property
    def prelude_flags(self) -> tuple[str, ...]:
        """Compiler flags that make host code start with the precompiled header."""
        if self.compiler.kind == "gcc":
            return ("-include", str(self.prelude))  # g++ finds prelude.h.gch beside it
        return ("-include-pch", str(self.prelude) + ".pch")


def open_host_runtime(
    compiler: Compiler, *, root: Path | None = None, strict: bool = False, tell: Callable[[str], None] | None = None
) -> HostRuntime:
    """The host runtime of a compiler, built now where the cache does not hold it (half a minute, once).

    Raises:
        ToolchainError: The folder cannot be written, the disk is full, or our sources do not compile.
    """
    root = root if root is not None else cache.cache_folder()
    texts = _read_sources()
    key = cache.digest(
        [compiler.identity, *_AKHOST, *host_code(compiler), *(part for item in sorted(texts.items()) for part in item)]
    )
    runtime = HostRuntime(compiler=compiler, folder=root / f"host-{key[:24]}", key=key)
    if cache.intact(runtime.folder):
        with contextlib.suppress(OSError):  # a read-only cache serves as well
            os.utime(runtime.folder / "ready.json")
        return runtime
    try:
        root.mkdir(parents=True, exist_ok=True)
        with cache.locked(root / f"host-{key[:24]}.lock", tell):
            if not cache.intact(runtime.folder):
                if tell is not None:
                    tell(f"building the host side of the simulator with {compiler}: half a minute, once")
                _build(runtime, texts, flags.STRICT if strict else ())
    except OSError as error:
        raise ToolchainError(
            f"cannot write the compiler cache {root}: {error.strerror or error}",
            hint="set AGENTKERNEL_CACHE to a folder with 300 MB of free space",
        ) from error
    return runtime


def _read_sources() -> dict[str, str]:
    texts = {"runtime/json.h": JSON_HEADER.read_text(encoding="utf-8")}
    for path in sorted(SHARED_HEADERS.glob("*.h")):
        texts[f"include/shared/{path.name}"] = path.read_text(encoding="utf-8")
    for pattern in ("prelude.h", "runtime/*", "include/**/*"):
        for path in sorted(SOURCES.glob(pattern)):
            if path.is_file() and path.suffix in {".h", ".cpp"}:
                texts[path.relative_to(SOURCES).as_posix()] = path.read_text(encoding="utf-8")
    return texts


def _build(runtime: HostRuntime, texts: dict[str, str], extra: tuple[str, ...]) -> None:
    folder = runtime.folder
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in texts.items():
        path = folder / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    compiler = runtime.compiler
    suffix = ".gch" if compiler.kind == "gcc" else ".pch"
    with tempfile.TemporaryDirectory(dir=folder, prefix="build.") as temporary:
        scratch = Path(temporary)
        units = sorted(name for name in texts if name.startswith("runtime/") and name.endswith(".cpp"))

        def unit(name: str) -> str:
            target = scratch / (Path(name).stem + ".o")
            source = folder / "src" / name
            include = ["-I", str(runtime.include), "-I", str(source.parent)]
            cache.call_compiler(compiler, [*_AKHOST, *extra, *include, "-c", str(source), "-o", str(target)])
            return str(target)

        with ThreadPoolExecutor(max_workers=max(1, os.cpu_count() or 1)) as pool:
            # the context tells the threads when nobody waits any more (`agentkernel.cancel`)
            waiting = [pool.submit(contextvars.copy_context().run, unit, name) for name in units]
            built = [one.result() for one in waiting]
        linked = scratch / "akhost"
        libraries = cache.own_libraries(compiler)
        cache.call_compiler(compiler, [*_AKHOST, *built, "-ldl", *libraries, "-o", str(linked)])
        os.replace(linked, runtime.akhost)
        made = scratch / ("prelude.h" + suffix)
        cache.call_compiler(compiler, [*host_code(compiler), "-x", "c++-header", str(runtime.prelude), "-o", str(made)])
        os.replace(made, str(runtime.prelude) + suffix)
    cache.finish(folder, [runtime.akhost, *runtime.prelude.parent.glob("prelude.h.*")])
