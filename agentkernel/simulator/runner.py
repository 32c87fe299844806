"""Run one built kernel on one case of its task."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from agentkernel.simulator.core_groups import Images
from agentkernel.simulator.gm_buffers import task_arguments
from agentkernel.simulator.launches import Launchable, Machine, Options, launch
from agentkernel.simulator.source_pass import PreparedSource
from agentkernel.task import Case, Task
from agentkernel.toolchains.base import Arrays, Run

__all__ = ["Candidate", "Machine", "Options", "run_case"]


class Candidate(BaseModel):
    """A built kernel and what is needed to speak about it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    images: Images
    """The shared objects, and the cores of a block."""
    prepared: PreparedSource
    task: Task


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
    return launch(
        Launchable(images=candidate.images, prepared=candidate.prepared),
        task_arguments(candidate.task, case, inputs),
        blocks=candidate.task.block_dim,
        machine=machine,
        options=options,
        base=base,
        label=f"{candidate.task.name}.{case.name}",
    )
