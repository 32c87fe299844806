"""The default toolchain: the CPU simulator of Ascend C."""

from __future__ import annotations

import platform
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from agentkernel import __version__
from agentkernel.errors import ConfigError, ToolchainError
from agentkernel.kernel import Kernel
from agentkernel.simulator.chips import Chip, load_chip
from agentkernel.simulator.compile import compile_candidate
from agentkernel.simulator.core_groups import Images
from agentkernel.simulator.runner import Candidate, Machine, Options, run_case
from agentkernel.simulator.source_pass import PreparedSource, prepare
from agentkernel.simulator.workshop import Workshop
from agentkernel.task import Case, Task
from agentkernel.task import Path as TaskPath
from agentkernel.toolchains.base import Arrays, Build, Run

if TYPE_CHECKING:
    from agentkernel.toolchains.full_path import FullPath


class SimulatorToolchain:
    """Compiles kernels with the host's C++ compiler and runs them on simulated cores.

    Builds are kept in memory by kernel and task; `run` may be called from several threads at once. Everything on disk
    is removed by `close`, or when the object goes.

    Args:
        chip: Name of the chip's data; by default each task's own target.
        autosync: Whether the compiler's documented automatic synchronisation is simulated.
        seed: Order in which cores run; 0 is ascending. A result that depends on it is wrong.
        sealed: Whether the simulator's memory is read-only while a kernel's code runs: a kernel that stores there is
            found out (`harness-access`). Every call costs some microseconds; on x86-64 only.
        timeout: Wall-clock seconds for one small case; large cases get more in proportion.
        keep: Leave builds on disk when the toolchain is closed (`folder` says where).
        timeline: Folder that a Perfetto timeline per run is written to; none by default.
        insecure: Run candidates even where no system-call filter holds.
        tell: Is told before something takes long: the first use of a compiler builds the simulator with it.
    """

    def __init__(
        self,
        *,
        chip: str | None = None,
        autosync: bool = True,
        seed: int = 0,
        sealed: bool = False,
        timeout: float = 60.0,
        keep: bool = False,
        timeline: str | Path | None = None,
        insecure: bool = False,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        if timeout <= 0 or seed < 0:
            raise ConfigError("timeout must be positive and seed not negative", hint="leave them at their defaults")
        self._chip = None if chip is None else load_chip(chip)
        self._options = Options(
            autosync=autosync,
            seed=seed,
            sealed=sealed,
            timeout=timeout,
            timeline=None if timeline is None else Path(timeline),
        )
        self._insecure = insecure
        self._tell = tell
        self._workshop = Workshop(keep=keep, insecure=insecure, tell=tell)
        self._lock = threading.Lock()
        self._builds: dict[tuple[str, str], Build] = {}
        self._prepared: dict[str, tuple[Images, PreparedSource]] = {}
        self._full_paths: dict[str, FullPath] = {}
        self._building: dict[tuple[str, str], threading.Lock] = {}

    @property
    def folder(self) -> Path:
        """Where builds lie."""
        return self._workshop.builds

    @property
    def name(self) -> str:
        """`simulator`."""
        return "simulator"

    @property
    def versions(self) -> dict[str, str]:
        """Package, compiler, key of runtime and headers, chip.

        Raises:
            ToolchainError: There is no compiler, or the runtime cannot be built.
        """
        runtime, _ = self._workshop.prepare()
        chip = self._chip.name if self._chip is not None else "as the task says"
        return {
            "simulator": __version__,
            "compiler": f"{runtime.compiler.kind} {runtime.compiler.version}",
            "runtime": runtime.key[:16],
            "chip": chip,
        }

    @property
    def sandbox(self) -> tuple[str, ...]:
        """Walls that candidates run behind on this machine."""
        return self._workshop.prepare()[1].names

    def build(self, kernel: Kernel, task: Task) -> Build:
        """Compile a kernel; the same kernel for the same task is compiled once.

        Raises:
            ToolchainError: There is no compiler, the runtime cannot be built, or the disk is full.
        """
        if task.path is TaskPath.FULL:
            return self._full_path(task).build(kernel, task)
        key = (kernel.digest, task.digest)
        with self._lock:
            mine = self._building.setdefault(key, threading.Lock())
        with mine:
            known = self._builds.get(key)
            if known is None or (known.ok and not Path(known.artifact).exists()):
                known = self._builds[key] = self._compile(kernel, task)
            return known

    def run(self, build: Build, case: Case, inputs: Arrays) -> Run:
        """Launch a build on one case, in a fresh process with fresh memory.

        Raises:
            ToolchainError: The build is not a successful one, an input is not as declared, or the runner failed.
            SandboxError: The walls that candidate code needs could not be set up.
        """
        return self._run(build, case, inputs, self._options)

    def run_strictly(self, build: Build, case: Case, inputs: Arrays) -> Run:
        """As `run`, with the cores in another order and, on x86-64, the simulator's memory sealed."""
        sealed = platform.machine() == "x86_64"
        strict = self._options.model_copy(update={"seed": self._options.seed + 1, "sealed": sealed, "timeline": None})
        return self._run(build, case, inputs, strict)

    def _run(self, build: Build, case: Case, inputs: Arrays, options: Options) -> Run:
        if not build.ok:
            raise ToolchainError("a kernel that did not compile cannot be run", hint="look at the build's diagnostics")
        if build.task.path is TaskPath.FULL:
            full = self._full_path(build.task)
            known = build if full.knows(build) else full.build(build.kernel, build.task)
            return full.run(known, case, inputs, options)
        if build.artifact not in self._prepared or not Path(build.artifact).exists():
            build = self.build(build.kernel, build.task)  # a build of another process, or of before a restart
        runtime, walls = self._workshop.prepare()
        chip = self._chip if self._chip is not None else load_chip(build.task.target)
        images, prepared = self._prepared[build.artifact]
        candidate = Candidate(images=images, prepared=prepared, task=build.task)
        machine = Machine(runtime=runtime, walls=walls, chip=chip, outputs=self._workshop.outputs)
        return run_case(candidate, case, inputs, machine=machine, options=options, base=self._workshop.runs)

    def close(self) -> None:
        """Remove builds from disk (unless they are kept). Calling it again changes nothing."""
        with self._lock:
            full_paths = list(self._full_paths.values())
            self._full_paths.clear()
        for full in full_paths:
            full.close()
        self._builds.clear()
        self._prepared.clear()
        self._workshop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _full_path(self, task: Task) -> FullPath:
        from agentkernel.toolchains.full_path import FullPath

        chip = self._chip_of(task).name
        with self._lock:
            if chip not in self._full_paths:
                self._full_paths[chip] = FullPath(chip=chip, insecure=self._insecure, tell=self._tell)
            return self._full_paths[chip]

    def _compile(self, kernel: Kernel, task: Task) -> Build:
        self._chip_of(task)
        runtime, walls = self._workshop.prepare()
        start = time.perf_counter()
        prepared = prepare(kernel, task)
        with self._workshop.new_build() as folder:
            compiled = compile_candidate(prepared, runtime, walls, folder)
        artifact = ""
        if compiled.images is not None:
            compiled.images.share()
            artifact = str(compiled.images.main)
            self._prepared[artifact] = compiled.images, prepared
        else:
            shutil.rmtree(folder, ignore_errors=True)
        return Build(
            ok=compiled.images is not None,
            kernel=kernel,
            task=task,
            artifact=artifact,
            diagnostics=compiled.diagnostics,
            seconds=time.perf_counter() - start,
        )

    def _chip_of(self, task: Task) -> Chip:
        return self._chip if self._chip is not None else load_chip(task.target)
