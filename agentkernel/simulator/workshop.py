"""Where candidates are built and run on this machine: folders, files for outputs, compiler, runtime and walls."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from agentkernel.errors import ToolchainError
from agentkernel.shared_arrays import memory_base
from agentkernel.simulator.cache import Runtime, open_runtime
from agentkernel.simulator.compiler import find_compiler
from agentkernel.simulator.output_files import OutputFiles
from agentkernel.simulator.sandbox import Walls, probe
from agentkernel.simulator.scratch import Scratch


class Workshop:
    """Thread-safe. Everything on disk is removed by `close`, or when the object goes.

    Args:
        keep: Leave builds on disk.
        insecure: Run candidates even where no system-call filter holds.
        tell: Is told before something takes long: the first use of a compiler builds the runtime with it.

    Raises:
        ToolchainError: No temporary folder can be made.
    """

    def __init__(
        self, *, keep: bool = False, insecure: bool = False, tell: Callable[[str], None] | None = None
    ) -> None:
        self._insecure = insecure
        self._tell = tell
        self._lock = threading.Lock()
        self._ready: tuple[Runtime, Walls] | None = None
        try:
            self._kept = Scratch(keep=keep)
            self._runs = Scratch(memory_base())
        except OSError as error:
            raise ToolchainError(
                f"cannot make a temporary folder: {error.strerror or error}", hint="set TMPDIR to one with space"
            ) from error
        self.outputs = OutputFiles(self._runs.path)
        """Files for large outputs, used by one run after the other."""

    @property
    def builds(self) -> Path:
        """Folder of builds."""
        return self._kept.path

    @property
    def runs(self) -> Path:
        """Folder for the files of runs, in memory where the machine has room there."""
        return self._runs.path

    def prepare(self) -> tuple[Runtime, Walls]:
        """The runtime and the walls of this machine; found once.

        Raises:
            ToolchainError: There is no compiler, or the runtime cannot be built.
            SandboxError: Nothing would contain a candidate.
        """
        with self._lock:
            if self._ready is None:
                runtime = open_runtime(find_compiler(), tell=self._tell)
                walls = probe(runtime)
                walls.require(insecure=self._insecure)
                self._ready = (runtime, walls)
            return self._ready

    @contextmanager
    def new_build(self, prefix: str = "build.") -> Iterator[Path]:
        """A new folder to build in, which stays. Inside, a full disk is told as what it is.

        Raises:
            ToolchainError: A file cannot be written.
        """
        try:
            folder = Path(tempfile.mkdtemp(prefix=prefix, dir=self.builds))
            folder.chmod(0o755)
            yield folder
        except OSError as error:
            raise ToolchainError(
                f"cannot write a build under {self.builds}: {error.strerror or error}",
                hint="free some space there, or set TMPDIR to a folder that has it",
            ) from error

    def close(self) -> None:
        """Remove builds (unless they are kept) and runs. Calling it again changes nothing."""
        self._kept.close()
        self._runs.close()
        self.outputs.close()
