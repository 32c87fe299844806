"""Run one built kernel on one case, in a process of its own behind walls, and read back what happened."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from agentkernel.errors import ToolchainError
from agentkernel.simulator import outcome, symbolise, timelines
from agentkernel.simulator.cache import Runtime
from agentkernel.simulator.chips import Chip
from agentkernel.simulator.gm_buffers import Buffer, read_output, write_buffers
from agentkernel.simulator.output_files import OutputFiles
from agentkernel.simulator.processes import Finished
from agentkernel.simulator.records import read_records
from agentkernel.simulator.sandbox import Jail, Limits, Walls
from agentkernel.simulator.source_pass import LAUNCHER, PreparedSource
from agentkernel.task import Case, Task
from agentkernel.toolchains.base import Arrays, Run

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
    timeout: float = Field(default=60.0, gt=0)
    """Wall-clock seconds for a small case; large ones get more in proportion."""
    instructions: int = Field(default=50_000_000, ge=1)
    """Most API calls of one launch."""
    timeline: Path | None = None
    """Folder that a timeline per run is written to."""
    trace: Path | None = None
    """File that the last run's trace (runtime/PROTOCOL.md) is written to."""


class Candidate(BaseModel):
    """A built kernel and what is needed to speak about it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: Path
    """The shared object."""
    prepared: PreparedSource
    task: Task


class Machine(BaseModel):
    """What runs it."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    runtime: Runtime
    walls: Walls
    chip: Chip
    outputs: OutputFiles | None = None
    """Files for large outputs that runs share, one after the other."""


def run_case(
    candidate: Candidate, case: Case, inputs: Arrays, *, machine: Machine, options: Options, base: Path
) -> Run:
    """Launch a candidate on one case.

    Args:
        candidate: What to run.
        case: A case of the candidate's task.
        inputs: Every input of the task, of the case's shape and the declared dtype.
        machine: The runner, its walls and the chip.
        options: How to run.
        base: Folder for the files of the run, best in memory; they are removed at the end.

    Raises:
        ToolchainError: The runner itself failed, the disk is full, or an input is not as declared.
        SandboxError: A wall could not be set up.
    """
    folder = Path(tempfile.mkdtemp(prefix="run.", dir=base))
    try:
        buffers = write_buffers(candidate.task, case, inputs, folder, machine.outputs)
        return _launch(candidate, case, buffers, folder=folder, machine=machine, options=options)
    except OSError as error:
        raise ToolchainError(
            f"cannot write the files of a run under {base}: {error.strerror or error}",
            hint="free some space there, or set TMPDIR to a folder that has it",
        ) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _launch(
    candidate: Candidate, case: Case, buffers: list[Buffer], *, folder: Path, machine: Machine, options: Options
) -> Run:
    task = candidate.task
    files = {buffer.name: buffer for buffer in buffers}
    limits = _limits(buffers, options)
    records, timeline = folder / "records", folder / "timeline.json"
    text = _launch_file(candidate, machine.chip, buffers, options, limits) + f"records\t{records}\n"
    writable = [records, *(buffer.path for buffer in buffers if buffer.role == "out" and buffer.path is not None)]
    if options.timeline is not None:
        text += f"timeline\t{timeline}\n"
        writable.append(timeline)
    if options.trace is not None:
        text += f"trace\t{folder / 'trace'}\n"
        writable.append(folder / "trace")
    (folder / "launch").write_text(text, encoding="utf-8")
    done = _start(machine, limits, folder, candidate.target, writable=writable, buffers=buffers)
    if options.trace is not None:
        shutil.copyfile(folder / "trace", options.trace)
    read = read_records(records)
    if done.returncode != 0:
        _require_space(folder)
    ended = outcome.how_it_ended(done, read, limits)
    sites = [site for finding in read.findings for site in outcome.sites_of(finding)]
    places = symbolise.resolve(candidate.target, sites, candidate.prepared)
    diagnostics = [outcome.to_diagnostic(finding, places, candidate.prepared) for finding in read.findings] + ended
    completed = read.end is not None and read.end.completed and not ended
    arrays: dict[str, NDArray[Any]] = {}
    unwritten: dict[str, int] = {}
    if completed:
        arrays = {t.name: read_output(t, task.shape_of(t, case), files[t.name]) for t in task.outputs}
        missing = {record.name: record.elements_bytes for record in read.unwritten}
        unwritten = {t.name: -(-missing[t.name] // t.dtype.itemsize) for t in task.outputs if missing.get(t.name)}
        diagnostics += [
            outcome.not_written(t, count, arrays[t.name]) for t in task.outputs if (count := unwritten.get(t.name))
        ]
    return Run(
        completed=completed,
        outputs=arrays,
        unwritten=unwritten,
        diagnostics=tuple(diagnostics),
        estimate=outcome.estimate_of(read, machine.chip.name) if completed else None,
        seconds=done.seconds,
        sandbox=machine.walls.names,
        timeline="" if options.timeline is None else _keep_timeline(timeline, options.timeline, candidate, case),
    )


def _start(
    machine: Machine, limits: Limits, folder: Path, target: Path, *, writable: list[Path], buffers: list[Buffer]
) -> Finished:
    for path in writable:
        path.touch()
    if machine.walls.user is not None:
        for path in (folder, *writable):
            os.chown(path, machine.walls.user, machine.walls.user)
    jail = Jail(
        runtime=machine.runtime,
        walls=machine.walls,
        limits=limits,
        folder=folder,
        readable=(folder, target),
        executable=machine.runtime.compiler.folders,  # where akrun's own libraries may lie
        writable=tuple(writable),
        descriptors=tuple(buffer.descriptor for buffer in buffers if buffer.descriptor is not None),
    )
    return jail.run([machine.runtime.akrun, folder / "launch"], env={})


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
    more = total * SECONDS_PER_BYTE
    return Limits(
        wall_seconds=options.timeout + more,
        # well below the wall clock: this limit is caught inside, where the place of an endless loop is known
        cpu_seconds=max(1, round(options.timeout * PROCESSOR_SHARE + more)),
        memory_bytes=MEMORY_BASE + MEMORY_FACTOR * total,
        file_bytes=(64 << 20) + 2 * total,
    )


def _launch_file(candidate: Candidate, chip: Chip, buffers: list[Buffer], options: Options, limits: Limits) -> str:
    lines = [
        f"object\t{candidate.target}\n",
        f"launcher\t{LAUNCHER}\n",
        f"blocks\t{candidate.task.block_dim}\n",
        f"cores\t{chip.vector_cores}\n",
        *(buffer.line for buffer in buffers),
        f"autosync\t{int(options.autosync)}\n",
        f"seed\t{options.seed}\n",
        *(f"param\t{name}\t{parameter.value!r}\n" for name, parameter in chip.params.items()),
        f"limit\tcpu_seconds\t{limits.cpu_seconds}\n",
        f"limit\tmemory_bytes\t{limits.memory_bytes}\n",
        f"limit\tfile_bytes\t{limits.file_bytes}\n",
        f"limit\tinstructions\t{options.instructions}\n",
    ]
    return "".join(lines)


def _keep_timeline(written: Path, folder: Path, candidate: Candidate, case: Case) -> str:
    kept = folder / f"{candidate.task.name}.{case.name}.json"
    return str(kept) if timelines.keep(written, kept, candidate.target, candidate.prepared) else ""
