"""Compile host code behind walls, and say in whose line it failed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from agentkernel.diagnostic import Diagnostic, Level, Location
from agentkernel.simulator import compiler_output, flags, messages
from agentkernel.simulator.cache import Runtime
from agentkernel.simulator.compiler_output import CompilerError
from agentkernel.simulator.elf import ElfError, read_shared_object
from agentkernel.simulator.host.runtime import HostRuntime, host_code
from agentkernel.simulator.host.source import STANDARD_HEADERS, HostSource
from agentkernel.simulator.processes import Finished
from agentkernel.simulator.sandbox import Jail, Limits, Walls, reachable

LIMITS = Limits(wall_seconds=180.0, cpu_seconds=120, memory_bytes=3 << 30, file_bytes=256 << 20, open_files=256)

_FORBIDDEN_CALLS = re.compile(
    r"(?:f?open(?:at)?(?:64)?|creat(?:64)?|fopen(?:64)?|freopen(?:64)?|popen|system|fork|vfork|clone|exec\w+|posix_spawnp?"
    r"|socket|connect|bind|listen|accept4?|send(?:to|msg)?|recv(?:from|msg)?|dlopen|dlsym|ptrace|mmap(?:64)?"
    r"|mprotect|unlink(?:at)?|remove|rename|mkdir|opendir|readdir(?:64)?|kill|pthread_create)(?:@.*)?"
)
"""C functions that no tiling needs; the system-call filter stops what reaches them another way."""


def compile_host(
    source: HostSource,
    runtime: Runtime,
    host: HostRuntime,
    walls: Walls,
    folder: Path,
    *,
    include_dirs: tuple[Path, ...] = (),
    defines: tuple[tuple[str, str], ...] = (),
    limits: Limits = LIMITS,
) -> tuple[Path | None, tuple[Diagnostic, ...]]:
    """Compile the units of host code into one shared object in an empty folder.

    Args:
        source: The files; errors of their own end the compilation before it starts.
        runtime: Its jail is used.
        host: Compiler, headers and precompiled header.
        walls: What this machine offers to contain the compiler.
        folder: Must outlive the result.
        include_dirs: Further folders with headers, behind the operator's own and before ours. They are trusted.
        defines: Macros and their values.
        limits: What the compiler may use.

    Returns:
        The object (None where there are errors) and what was found.

    Raises:
        ToolchainError: The compiler does not start.
        SandboxError: A wall could not be set up.
    """
    if any(d.is_error for d in source.diagnostics):
        return None, source.diagnostics
    _write(source, folder / "src")
    target = folder / "host.so"
    read = (runtime.folder, host.folder, *include_dirs)
    jail = _jail(runtime, walls, folder, limits, read).model_copy(update={"executable": host.compiler.folders})
    environment = {
        "PATH": f"{host.compiler.binaries}:/usr/bin:/bin", "LC_ALL": "C", "TMPDIR": str(folder), "HOME": str(folder)
    }  # fmt: skip
    done = jail.run(_arguments(source, host, target, include_dirs, defines), environment)
    found = [*_forbidden_headers(done.output, source, (host.folder, *include_dirs)), *_limit(done, limits)]
    if not found:
        found = [_error(error, source) for error in compiler_output.parse(done.output)][: flags.MAX_ERRORS]
    if done.returncode != 0 and not found:
        last = messages.shorten(done.output.strip().rsplit("\n", 1)[-1])
        found = [_plain(f"The compiler failed with status {done.returncode}: {last}")]
    if not found:
        found = list(_inspect(target, source))
    failed = any(diagnostic.is_error for diagnostic in found)
    return None if failed else target, (*source.diagnostics, *found)


def _write(source: HostSource, sources: Path) -> None:
    for name, text in source.files.items():
        path = sources / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _jail(runtime: Runtime, walls: Walls, folder: Path, limits: Limits, read: tuple[Path, ...]) -> Jail:
    """The compiler writes its folder alone; it changes the user where that one could still reach what it reads."""
    if walls.user is not None and all(map(reachable, read)) and reachable(folder.parent):
        for path in (folder, *folder.rglob("*")):
            os.chown(path, walls.user, walls.user)
    else:
        walls = walls.model_copy(update={"user": None})
    return Jail(
        runtime=runtime,
        walls=walls,
        limits=limits,
        folder=folder / "src",
        readable=read,
        writable=(folder,),
        may_fork=True,
    )


def _arguments(
    source: HostSource,
    host: HostRuntime,
    target: Path,
    include_dirs: tuple[Path, ...],
    defines: tuple[tuple[str, str], ...],
) -> list[str]:
    # the real build makes several libraries of these units, so that two of them may define the same helper function
    own = dict.fromkeys([".", *(str(Path(name).parent) for name in source.files)])
    return [
        *host.compiler.command,
        *host_code(host.compiler),
        flags.max_errors(host.compiler),
        *host.prelude_flags,
        *(f"-D{name}={value}" if value else f"-D{name}" for name, value in defines),
        *(word for folder in own for word in ("-I", folder)),
        *(word for folder in include_dirs for word in ("-I", str(folder))),
        *("-I", str(host.include), "-H", "-pipe", "-shared", "-x", "c++"),
        *(f"./{name}" for name in source.units),
        *("-x", "none", "-Wl,-z,now,-z,noexecstack,-z,muldefs", "-o", str(target)),
    ]


def _limit(done: Finished, limits: Limits) -> Iterator[Diagnostic]:
    if done.timed_out:
        why = f"took longer than {limits.wall_seconds:.0f} seconds"
    elif done.returncode < 0 or re.search(r"Killed|CPU time limit|File size limit|SIGXCPU", done.output):
        why = f"was stopped at its limits ({limits.cpu_seconds} s of processor time, {limits.memory_bytes >> 30} GB)"
    elif re.search(r"memory exhausted|out of memory|bad_alloc|LLVM ERROR", done.output):
        why = f"needed more than {limits.memory_bytes >> 30} GB of memory"
    else:
        return
    yield Diagnostic(code="host-compile-limit", level=Level.HOST, message=f"Compiling the host code {why}.")


def _forbidden_headers(output: str, source: HostSource, trusted: tuple[Path, ...]) -> Iterator[Diagnostic]:
    """Headers that an own file opened and may not: what the preprocessor did, whatever the text says."""
    own_at = {0: True}
    told: set[str] = set()
    for depth, path in compiler_output.opened_headers(output):
        own = source.own_file(path) is not None
        own_at[depth] = own
        if own or not own_at.get(depth - 1, True) or any(Path(path).is_relative_to(folder) for folder in trusted):
            continue
        name = next((i.target for i in source.includes if path.endswith("/" + i.target)), Path(path).name)
        if name in STANDARD_HEADERS or name in told:
            continue
        told.add(name)
        yield Diagnostic(
            code="host-forbidden-include",
            level=Level.HOST,
            message=f"`{name}` is no header for host code.",
            location=next((i.location for i in source.includes if i.target == name), None),
            hint="Tiling needs the C++ library and the host headers alone; it does not talk to the operating system.",
        )


def _plain(
    message: str, location: Location | None = None, hint: str = "", code: str = "host-compile-error"
) -> Diagnostic:
    return Diagnostic(code=code, level=Level.HOST, message=message, location=location, hint=hint)


def _error(error: CompilerError, source: HostSource) -> Diagnostic:
    """An error at the author's line: its own place, else the nearest of its instantiations or notes."""
    places = [error.place, *error.trace, *(note.place for note in error.notes)]
    location = None
    for place in places:
        own = source.own_file(place.file) if place is not None else None
        if place is not None and own is not None:
            location = source.locate(own, place.line, place.column)
            break
    text = messages.shorten(error.text)
    missing = re.match(r"(?:'(?P<clang>[^']+)' file not found|(?P<gcc>\S+): No such file or directory)", error.text)
    if missing:
        name = missing["clang"] or missing["gcc"]
        location = location or next((i.location for i in source.includes if i.target == name), None)
        return _plain(
            f"There is no header `{name}`.",
            location,
            "Tiling code includes register/tilingdata_base.h, register/op_def_registry.h, "
            "tiling/platform/platform_ascendc.h or tiling/tiling_api.h.",
            "host-unknown-include",
        )
    return _plain(text[:1].upper() + text[1:] + ("" if text.endswith(".") else "."), location)


def _inspect(target: Path, source: HostSource) -> Iterator[Diagnostic]:
    try:
        shared = read_shared_object(target)
    except ElfError as error:
        yield _plain(f"The built object cannot be read: {error}.")
        return
    for name in shared.imports:
        plain = name.partition("@")[0]
        if _FORBIDDEN_CALLS.fullmatch(plain):
            yield Diagnostic(
                code="host-forbidden-call",
                level=Level.HOST,
                message=f"The host code calls `{plain}`.",
                location=_first(source, plain),
                hint="Tiling computes; it does not touch files, processes or the network.",
            )


def _first(source: HostSource, name: str) -> Location | None:
    from agentkernel.simulator.lexer import lex

    for file, text in source.files.items():
        lexed = lex(text)
        match = re.search(rf"\b{re.escape(name)}\b", lexed.code)
        if match:
            return Location(file=file, line=lexed.line(match.start()), column=lexed.column(match.start()))
    return None
