"""Launch one built kernel with any arguments, in a process of its own behind walls, and read back what happened."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from agentkernel.errors import ToolchainError
from agentkernel.simulator import outcome, symbolise, timelines
from agentkernel.simulator.cache import Runtime
from agentkernel.simulator.chips import Chip
from agentkernel.simulator.core_groups import Images
from agentkernel.simulator.gm_buffers import Buffer, GmArgument, read_output, write_buffers
from agentkernel.simulator.output_files import OutputFiles
from agentkernel.simulator.poisoning import Poisoning
from agentkernel.simulator.processes import Finished
from agentkernel.simulator.records import read_records
from agentkernel.simulator.sandbox import Jail, Limits, Walls
from agentkernel.simulator.source_pass import LAUNCHER, PreparedSource
from agentkernel.toolchains.base import Run

MEMORY_BASE = 4 << 30
MEMORY_FACTOR = 12
"""Address space beside the base, per byte of tensors: the runner keeps who wrote and who read each of them."""
SECONDS_PER_BYTE = 1 / (1 << 20)
"""Time beside the base, per byte of tensors: a slow kernel that works element by element still ends."""
PROCESSOR_SHARE = 0.25
"""Processor time of a small case, as a part of its wall-clock limit."""

SPACE_PROBE = 64 << 10
"""Bytes that a disk must still take after a run whose end is in doubt; a record has less than a tenth of that."""


class Options(BaseModel):
    """How cases are run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    autosync: bool = True
    """Whether the compiler's documented automatic synchronisation is simulated."""
    seed: int = Field(default=0, ge=0)
    """Order in which cores run; 0 is ascending."""
    sealed: bool = False
    """Whether the runtime's memory is read-only while the kernel's code runs. Every call costs some microseconds."""
    timeout: float = Field(default=60.0, gt=0)
    """Wall-clock seconds for a small case; large ones get more in proportion."""
    instructions: int = Field(default=50_000_000, ge=1)
    """Most API calls of one launch."""
    timeline: Path | None = None
    """Folder that a timeline per run is written to."""
    trace: Path | None = None
    """File that the last run's trace (runtime/PROTOCOL.md) is written to."""


class Machine(BaseModel):
    """What runs it."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    runtime: Runtime
    walls: Walls
    chip: Chip
    outputs: OutputFiles | None = None
    """Files for large outputs that runs share, one after the other."""


class Launchable(BaseModel):
    """A built kernel and what is needed to speak about it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    images: Images
    """The shared objects, and the cores of a block."""
    prepared: PreparedSource


def launch(
    kernel: Launchable,
    arguments: Sequence[GmArgument],
    *,
    blocks: int,
    machine: Machine,
    options: Options,
    base: Path,
    label: str = "launch",
) -> Run:
    """Launch a kernel.

    Args:
        kernel: What to run.
        arguments: Its arguments, in order.
        blocks: How many blocks are launched; of a kernel with cube and vector cores each is a group of them.
        machine: The runner, its walls and the chip.
        options: How to run.
        base: Folder for the files of the run, best in memory; they are removed at the end.
        label: Name of a timeline that is kept.

    Returns:
        Outputs by name: of `out` and `inout` arguments, and of such members of lists as `list[2]`.

    Raises:
        ToolchainError: The runner itself failed, or the disk is full.
        SandboxError: A wall could not be set up.
    """
    folder = Path(tempfile.mkdtemp(prefix="run.", dir=base))
    try:
        buffers = write_buffers(arguments, folder, machine.outputs)
        return _Launch(kernel, machine, options, folder).run(arguments, buffers, blocks, label)
    except OSError as error:
        raise ToolchainError(
            f"cannot write the files of a run under {base}: {error.strerror or error}",
            hint="free some space there, or set TMPDIR to a folder that has it",
        ) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Launch:
    """One launch in its folder."""

    def __init__(self, kernel: Launchable, machine: Machine, options: Options, folder: Path) -> None:
        self._kernel = kernel
        self._machine = machine
        self._options = options
        self._folder = folder

    def run(self, arguments: Sequence[GmArgument], buffers: list[Buffer], blocks: int, label: str) -> Run:
        machine, options, prepared = self._machine, self._options, self._kernel.prepared
        limits = _limits(buffers, options)
        records, timeline = self._folder / "records", self._folder / "timeline.json"
        text = self._launch_file(arguments, buffers, blocks, limits) + f"records\t{records}\n"
        writable = [records, *(buffer.path for buffer in buffers if buffer.is_written and buffer.path is not None)]
        if options.timeline is not None:
            text += f"timeline\t{timeline}\n"
            writable.append(timeline)
        if options.trace is not None:
            text += f"trace\t{self._folder / 'trace'}\n"
            writable.append(self._folder / "trace")
        with Poisoning(buffers) as poisoning:
            (self._folder / "launch").write_text(text + poisoning.line, encoding="utf-8")
            done = self._start(limits, writable, buffers, poisoning)
            poisoning.raise_if_failed()
        if options.trace is not None:
            shutil.copyfile(self._folder / "trace", options.trace)
        read = read_records(records)
        if done.returncode != 0:
            _require_space(self._folder)
        ended = outcome.how_it_ended(done, read, limits)
        findings = outcome.with_prints_joined(read.findings)
        sites = [site for finding in findings for site in outcome.sites_of(finding)]
        places = symbolise.resolve_images(self._kernel.images, sites, prepared)
        diagnostics = [outcome.to_diagnostic(finding, places, prepared) for finding in findings] + ended
        completed = read.end is not None and read.end.completed and not ended
        outputs: dict[str, NDArray[Any]] = {}
        unwritten: dict[str, int] = {}
        if completed:
            files = {buffer.name: buffer for buffer in buffers}
            written = [output for argument in arguments for output in argument.outputs()]
            outputs = {one.name: read_output(one.dtype, one.shape, files[one.name]) for one in written}
            missing = {record.name: record.elements_bytes for record in read.unwritten}
            unwritten = {
                one.name: -(-missing[one.name] // one.dtype.itemsize) for one in written if missing.get(one.name)
            }
            diagnostics += [outcome.not_written(name, count, outputs[name]) for name, count in unwritten.items()]
        return Run(
            completed=completed,
            outputs=outputs,
            unwritten=unwritten,
            diagnostics=tuple(diagnostics),
            estimate=outcome.estimate_of(read, machine.chip.name) if completed else None,
            seconds=done.seconds,
            sandbox=machine.walls.names,
            timeline=self._keep_timeline(timeline, label),
        )

    def _start(self, limits: Limits, writable: list[Path], buffers: list[Buffer], poisoning: Poisoning) -> Finished:
        machine = self._machine
        for path in writable:
            path.touch()
        if machine.walls.user is not None:
            for path in (self._folder, *writable):
                os.chown(path, machine.walls.user, machine.walls.user)
        jail = Jail(
            runtime=machine.runtime,
            walls=machine.walls,
            limits=limits,
            folder=self._folder,
            readable=(self._folder, *self._kernel.images.paths),
            executable=machine.runtime.compiler.folders,  # where akrun's own libraries may lie
            writable=tuple(writable),
            descriptors=(*poisoning.descriptors, *(b.descriptor for b in buffers if b.descriptor is not None)),
        )
        return jail.run([machine.runtime.akrun, self._folder / "launch"], env={}, meanwhile=poisoning.write)

    def _launch_file(self, arguments: Sequence[GmArgument], buffers: list[Buffer], blocks: int, limits: Limits) -> str:
        chip, options, images = self._machine.chip, self._options, self._kernel.images
        offset = next((one.user_offset for one in arguments if one.user_offset is not None), None)
        lines = [
            *([f"object\t{images.vector}\n"] if images.vector is not None else []),
            *([f"cube_object\t{images.cube}\n"] if images.cube is not None else []),
            f"launcher\t{LAUNCHER}\n",
            f"group\t{images.group.cubes}\t{images.group.vectors}\n",
            f"scheduled\t{int(images.group.scheduled)}\n",
            f"blocks\t{blocks}\n",
            f"cores\t{chip.cube_cores if images.group.cubes else chip.vector_cores}\n",
            *(buffer.line for buffer in buffers),
            *([f"user_workspace\t{offset}\n"] if offset is not None else []),
            f"autosync\t{int(options.autosync)}\n",
            f"seed\t{options.seed}\n",
            f"sealed\t{int(options.sealed)}\n",
            *(f"param\t{name}\t{parameter.value!r}\n" for name, parameter in chip.params.items()),
            f"limit\tcpu_seconds\t{limits.cpu_seconds}\n",
            f"limit\tmemory_bytes\t{limits.memory_bytes}\n",
            f"limit\tfile_bytes\t{limits.file_bytes}\n",
            f"limit\tinstructions\t{options.instructions}\n",
        ]
        return "".join(lines)

    def _keep_timeline(self, written: Path, label: str) -> str:
        folder = self._options.timeline
        if folder is None:
            return ""
        kept = folder / f"{label}.json"
        return str(kept) if timelines.keep(written, kept, self._kernel.images, self._kernel.prepared) else ""


def _require_space(folder: Path) -> None:
    """Whether the records could not be written is found out here: the process that said so was the candidate's.

    Raises:
        OSError: The disk is full.
    """
    probe = folder / "space"
    probe.write_bytes(bytes(SPACE_PROBE))
    probe.unlink()


def _limits(buffers: list[Buffer], options: Options) -> Limits:
    total = sum(buffer.size for buffer in buffers if buffer.role != "workspace")
    scratch = sum(buffer.size for buffer in buffers if buffer.role == "workspace")
    more = total * SECONDS_PER_BYTE
    return Limits(
        wall_seconds=options.timeout + more,
        # well below the wall clock: this limit is caught inside, where the place of an endless loop is known
        cpu_seconds=max(1, round(options.timeout * PROCESSOR_SHARE + more)),
        memory_bytes=MEMORY_BASE + MEMORY_FACTOR * total + 2 * scratch,
        file_bytes=(64 << 20) + 2 * total,
    )
