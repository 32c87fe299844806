"""Compile one candidate behind walls, and look at what came out before anything of it runs."""

from __future__ import annotations

import contextvars
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from agentkernel.diagnostic import Diagnostic, Level, Location
from agentkernel.simulator import compiler_output, flags, messages
from agentkernel.simulator.cache import Runtime, require_prelude
from agentkernel.simulator.core_groups import MIX_1_2, VECTOR, Core, CoreGroup, Images, inferred
from agentkernel.simulator.elf import ElfError, SharedObject, read_shared_object
from agentkernel.simulator.kernel_facts import MARKS, facts_of
from agentkernel.simulator.processes import Finished
from agentkernel.simulator.sandbox import Jail, Limits, Walls, reachable
from agentkernel.simulator.screening import STANDARD_HEADERS
from agentkernel.simulator.source_pass import LAUNCHER, PreparedSource
from agentkernel.simulator.symbolise import find_place, resolve

LIMITS = Limits(
    wall_seconds=60.0,
    cpu_seconds=40,
    memory_bytes=3 << 30,  # g++ needs 0.3 GB for the largest public kernels; the rest is room for templates
    file_bytes=128 << 20,
    open_files=128,
)
TILING_HEADER = "tiling_data.h"

_ALLOWED = re.compile(
    r"akrt_\w+|mem(?:cpy|move|set|cmp)|_GLOBAL_OFFSET_TABLE_|(?:sqrt|fma|floor|ceil|trunc|rint|round)f?"
)
"""What the runner offers: its own functions, block copies that compilers insert, and roundings and roots that they
insert where the host has no instruction for them."""

_WHY = (
    (r"_Zn[wa]|malloc|calloc|realloc|aligned_alloc", "new", "it allocates memory", "Use TPipe::InitBuffer."),
    (r"_Zd[la]|free$", "delete", "it frees memory", "Use TPipe::InitBuffer; no virtual destructors."),
    (r"__cxa_guard|__cxa_atexit|__dso_handle", "static", "it has a static object that is made at run time",
     "Make it constexpr, or a member of the kernel class."),
    (r"__cxa_pure_virtual|_ZTV", "virtual", "it has virtual functions", "Use templates instead."),
    (r"__tls_|__emutls", "thread_local", "it has thread-local variables", "Use members of the kernel class."),
    (r"__cxa_|__gxx|_Unwind|_ZSt\d+__throw", "throw", "it throws exceptions", "Device code has no exceptions."),
    (r"_ZSt|_ZNSt|_ZNKSt", "std", "it uses the C++ library's run-time part", "Use Ascend C APIs."),
)  # fmt: skip
"""Symbol, the word of the source that leads to it, what it means, what to do."""


class Compiled(BaseModel):
    """What became of one candidate."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    images: Images | None
    """A shared object per core type, None where there are errors."""
    diagnostics: tuple[Diagnostic, ...]


class _Image(BaseModel):
    """What became of a candidate for one core type."""

    model_config = ConfigDict(frozen=True)

    object: Path
    found: tuple[Diagnostic, ...]
    imports: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        return any(diagnostic.is_error for diagnostic in self.found)


def compile_candidate(
    prepared: PreparedSource,
    runtime: Runtime,
    walls: Walls,
    folder: Path,
    *,
    limits: Limits = LIMITS,
    include_dirs: tuple[Path, ...] = (),
) -> Compiled:
    """Compile a prepared kernel into shared objects that hold nothing but the kernel, one per core type it needs.

    Args:
        prepared: Files with the launcher appended; its own errors end the compilation before it starts.
        runtime: Compiler, headers and precompiled header.
        walls: What this machine offers to contain the compiler.
        folder: An empty folder for sources and objects; it must outlive the result.
        limits: What the compiler may use.
        include_dirs: Further folders with headers, below the runtime's own folder.

    Raises:
        ToolchainError: The compiler does not start.
        SandboxError: A wall could not be set up.
    """
    if not prepared.ok:
        return Compiled(images=None, diagnostics=prepared.diagnostics)
    work = _Compilation(prepared, runtime, walls, folder, limits=limits, include_dirs=include_dirs)
    group = prepared.group or work.look()
    if group is None and not prepared.calls_cube:
        group = VECTOR
    built = work.images(group.cores if group is not None else MIX_1_2.cores)
    if group is None:
        # what the kernel does not run on need not be whole: its vector image may lack what only cube cores define
        group = inferred(built["vector"].imports, built["cube"].imports)
    found = {d.model_dump_json(): d for core in group.cores for d in built[core].found}
    if any(built[core].failed for core in group.cores):
        return Compiled(images=None, diagnostics=(*prepared.diagnostics, *found.values()))
    images = Images(group=group, **{core: built[core].object for core in group.cores})
    return Compiled(images=images, diagnostics=(*prepared.diagnostics, *found.values()))


class _Compilation:
    """One candidate on its way through the compiler."""

    def __init__(
        self,
        prepared: PreparedSource,
        runtime: Runtime,
        walls: Walls,
        folder: Path,
        *,
        limits: Limits,
        include_dirs: tuple[Path, ...],
    ) -> None:
        self._prepared = prepared
        self._runtime = runtime
        self._walls = walls
        self._folder = folder
        self._limits = limits
        self._include_dirs = include_dirs

    def look(self) -> CoreGroup | None:
        """The cores that the kernel asks for where conditions choose its type."""
        prepared = self._prepared
        if not prepared.types_differ:
            return None
        marked = prepared.model_copy(update={"prelude": prepared.prelude + MARKS})
        folder = self._folder / "look"
        folder.mkdir(mode=0o755)
        text = preprocess_candidate(marked, self._runtime, self._walls, folder, include_dirs=self._include_dirs)
        shutil.rmtree(folder)
        return None if text is None else facts_of(text).group_of(0)

    def images(self, cores: Sequence[Core]) -> dict[Core, _Image]:
        """Compile for some core types, side by side."""
        for core in cores:
            require_prelude(self._runtime, core)
        sources = self._folder / "src"
        _write(self._prepared, sources)
        jail = _jail(self._runtime, self._walls, self._folder, self._limits)
        if len(cores) == 1:
            return {cores[0]: self._image(cores[0], jail)}
        with ThreadPoolExecutor(max_workers=len(cores)) as pool:
            waiting = {core: pool.submit(contextvars.copy_context().run, self._image, core, jail) for core in cores}
            return {core: image.result() for core, image in waiting.items()}

    def _image(self, core: Core, jail: Jail) -> _Image:
        prepared, runtime = self._prepared, self._runtime
        target = self._folder / ("kernel.so" if core == "vector" else f"kernel_{core}.so")
        words = _arguments(prepared, runtime, target, self._include_dirs, core)
        done = jail.run(words, _environment(runtime, self._folder))
        found = [*_forbidden_headers(done.output, prepared, runtime), *_limit_reached(done, self._limits)]
        if not found:
            found += messages.to_diagnostics(compiler_output.parse(done.output), prepared)
        if done.returncode != 0 and not found:
            last = messages.shorten(done.output.strip().rsplit("\n", 1)[-1])
            message = f"The compiler failed with status {done.returncode}: {last}"
            found = [Diagnostic(code="compile-error", level=Level.API, message=message)]
        if found:
            return _Image(object=target, found=tuple(found))
        try:
            shared = read_shared_object(target)
        except ElfError as error:
            message = f"The built object cannot be read: {error}."
            return _Image(object=target, found=(Diagnostic(code="compile-error", level=Level.API, message=message),))
        return _Image(object=target, found=tuple(_inspect(target, shared, prepared)), imports=shared.imports)


def _write(prepared: PreparedSource, sources: Path) -> None:
    for name, text in prepared.files.items():
        path = sources / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (sources.parent / TILING_HEADER).write_text("#pragma once\n" + prepared.prelude, encoding="utf-8")


def _environment(runtime: Runtime, folder: Path) -> dict[str, str]:
    path = f"{runtime.compiler.binaries}:/usr/bin:/bin"
    return {"PATH": path, "LC_ALL": "C", "TMPDIR": str(folder), "HOME": str(folder)}


def _jail(runtime: Runtime, walls: Walls, folder: Path, limits: Limits) -> Jail:
    """The compiler writes its folder alone; it changes the user where that one could still reach what it reads."""
    if walls.user is not None and reachable(runtime.folder) and reachable(folder.parent):
        for path in (folder, *folder.rglob("*")):
            os.chown(path, walls.user, walls.user)
    else:
        walls = walls.model_copy(update={"user": None})
    return Jail(
        runtime=runtime,
        walls=walls,
        limits=limits,
        folder=folder / "src",
        readable=(runtime.folder,),
        executable=runtime.compiler.folders,
        writable=(folder,),
        may_fork=True,
    )


def preprocess_candidate(
    prepared: PreparedSource, runtime: Runtime, walls: Walls, folder: Path, *, include_dirs: tuple[Path, ...] = ()
) -> str | None:
    """The main file as the compiler sees it, everything included and expanded; None where that fails.

    Raises:
        ToolchainError: The compiler does not start.
        SandboxError: A wall could not be set up.
        OSError: The disk is full.
    """
    _write(prepared, folder / "src")
    target = folder / "main.ii"
    words = [*_reading(prepared, runtime, include_dirs), "-E", "-x", "c++", prepared.main_file, "-o", str(target)]
    done = _jail(runtime, walls, folder, LIMITS).run(words, _environment(runtime, folder))
    return target.read_text(encoding="utf-8", errors="replace") if done.returncode == 0 else None


def _reading(
    prepared: PreparedSource, runtime: Runtime, include_dirs: tuple[Path, ...], core: Core = "vector"
) -> list[str]:
    """The compiler and what it reads before the main file."""
    return [
        *runtime.compiler.command,
        *flags.candidate(runtime.compiler),
        flags.max_errors(runtime.compiler),
        *runtime.prelude_flags(core),
        *("-include", f"../{TILING_HEADER}", "-include", str(runtime.guard)),
        *("-iquote", ".", "-iquote", str(Path(prepared.main_file).parent)),
        *(word for path in include_dirs for word in ("-I", str(path))),
        *("-I", str(runtime.include)),
    ]


def _arguments(
    prepared: PreparedSource, runtime: Runtime, target: Path, include_dirs: tuple[Path, ...], core: Core
) -> list[str]:
    return [
        *_reading(prepared, runtime, include_dirs, core),
        *("-H", "-pipe", "-x", "c++", prepared.main_file, "-x", "none"),
        *flags.CANDIDATE_LINK,
        *(f"-Wl,--version-script={runtime.exports}", "-o", str(target), "-lgcc"),
    ]


def _limit_reached(done: Finished, limits: Limits) -> Iterator[Diagnostic]:
    why = ""
    if done.timed_out:
        why = f"took longer than {limits.wall_seconds:.0f} seconds"
    elif done.returncode < 0 or re.search(
        r"Killed|CPU time limit|File size limit|signal terminated|SIGXCPU", done.output
    ):
        why = f"was stopped at its limits ({limits.cpu_seconds} s of processor time, {limits.memory_bytes >> 30} GB)"
    elif re.search(r"(?:memory exhausted|out of memory|bad_alloc|LLVM ERROR)", done.output):
        why = f"needed more than {limits.memory_bytes >> 30} GB of memory"
    if why:
        hint = "Make the compile-time work smaller: fewer or shallower templates, macros and constant expressions."
        yield Diagnostic(code="compile-limit", level=Level.API, message=f"Compiling the kernel {why}.", hint=hint)


def _forbidden_headers(output: str, prepared: PreparedSource, runtime: Runtime) -> Iterator[Diagnostic]:
    """Headers that a file of the kernel opened and may not: what the preprocessor did, whatever the text says."""
    includer_is_own = {0: True}
    for depth, path in compiler_output.opened_headers(output):
        own = prepared.own_file(path) is not None
        forced = path.endswith((TILING_HEADER, "guard.h", "prelude.h", "prelude_cube.h"))
        ours = forced or Path(path).is_relative_to(runtime.folder)
        includer_is_own[depth] = own
        if own or ours or not includer_is_own.get(depth - 1, True):
            continue
        name = next((i.target for i in prepared.includes if path.endswith("/" + i.target)), Path(path).name)
        if name in STANDARD_HEADERS:
            continue
        place = next((i.location for i in prepared.includes if i.target == name), None)
        yield Diagnostic(
            code="forbidden-include",
            level=Level.API,
            message=f"`{name}` is no header for device code.",
            location=place,
            hint='Include "kernel_operator.h"; of the C++ library only type traits, limits and integer types exist.',
        )


def _inspect(target: Path, shared: SharedObject, prepared: PreparedSource) -> Iterator[Diagnostic]:
    """The object may need only what the runner offers, show only the launcher, and run nothing on loading."""
    if LAUNCHER not in shared.exports:
        message = "The object does not show its launcher: the source hides what follows it."
        yield Diagnostic(code="forbidden-symbol", level=Level.API, message=message)
    forbidden = [_forbidden_symbol(name, prepared) for name in shared.imports if not _ALLOWED.fullmatch(name)]
    yield from {diagnostic.message: diagnostic for diagnostic in forbidden}.values()
    for name in shared.exports:
        if name != LAUNCHER:
            message = f"The object shows the symbol `{name}`; a kernel shows its entry alone."
            yield Diagnostic(code="forbidden-symbol", level=Level.API, message=message)
    if shared.initialisers:
        # the function is made by the compiler: some of its instructions carry the line of what they initialise
        found = resolve(target, [a + step for a in shared.initialisers for step in range(0, 96, 4)], prepared)
        places = [found[address] for address in sorted(found) if found[address] != prepared.entry]
        yield Diagnostic(
            code="static-initialiser",
            level=Level.API,
            message="A global object needs code to run before the kernel starts; a device has no such moment.",
            location=places[0] if places else None,
            hint="Make it constexpr, or a local variable or a member of the kernel class.",
        )
    for problem in shared.problems:
        message = f"The object has {problem}, which no kernel needs."
        yield Diagnostic(code="forbidden-symbol", level=Level.CHEAT, message=message)


def _forbidden_symbol(symbol: str, prepared: PreparedSource) -> Diagnostic:
    mangled = re.match(r"_ZN?K?(?:St)?(\d+)(\w+)", symbol)
    name = mangled.group(2)[: int(mangled.group(1))] if mangled else symbol
    why, hint = "no such function exists on the device", "Use Ascend C APIs; the scalar unit has no C library."
    words = [name, name.removesuffix("f")]
    for pattern, word, reason, advice in _WHY:
        if re.match(pattern, symbol):
            name, why, hint = (name if mangled else word), reason, advice
            words.append(word)
            break
    places = (find_place(prepared, word) for word in words)
    location: Location | None = next((place for place in places if place is not None), None)
    return Diagnostic(
        code="forbidden-symbol",
        level=Level.API,
        message=f"The kernel needs `{name}`: {why}.",
        location=location,
        hint=hint,
        evidence={"symbol": symbol},
    )
