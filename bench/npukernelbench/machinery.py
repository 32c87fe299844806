"""What runs a checkout's own code: a worker for its Python, and its built bindings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from agentkernel.bench.npukernelbench.bindings import Bindings
from agentkernel.bench.npukernelbench.cases import Row
from agentkernel.bench.npukernelbench.checkout import TaskFolder
from agentkernel.bench.npukernelbench.jobs import Job
from agentkernel.bench.npukernelbench.loading import seed_of
from agentkernel.bench.npukernelbench.worker import Worker
from agentkernel.errors import TaskError
from agentkernel.simulator.host import HostSimulator, OpDescription

Replies = Sequence[dict[int, list[dict[str, Any]]]]


class Machinery:
    """Does jobs for cases.

    Args:
        worker: Does what needs torch; one for this interpreter by default.
        ops: Built bindings by task name (or Python modules in their place); others are built when they are needed.
        seed: Of the generated inputs.
    """

    def __init__(
        self, worker: Worker | None = None, ops: Mapping[str, Path | str] | None = None, *, seed: int = 0
    ) -> None:
        self.worker = worker or Worker()
        self._ops: dict[str, Path | str] = dict(ops or {})
        self._bindings: Bindings | None = None
        self._definitions: dict[Path, OpDescription] = {}
        self._seed = seed

    def build(self, tasks: Sequence[TaskFolder]) -> None:
        """Build the bindings of tasks together, which is much faster than one by one."""
        missing = [task for task in tasks if task.name not in self._ops]
        if missing:
            self._bindings = self._bindings or Bindings()
            self._ops |= self._bindings.build(missing)

    def job(self, action: str, task: TaskFolder, row: Row, folder: Path, replies: Replies = ()) -> Job:
        """A job for a case.

        Raises:
            TaskError: The task's bindings do not compile.
            ConfigError: There is no compiler for them, or no torch.
        """
        ops: Path | str | None = None
        if action != "measure":
            self.build([task])
            ops = self._ops[task.name]
            if isinstance(ops, str):
                raise TaskError(f"the bindings of {task.key} do not compile: {ops}", hint="is the checkout complete?")
        return Job(
            action=action,
            task=task.path,
            row=row.to_dict(),
            seed=seed_of(task.key, row.case_id, self._seed),
            folder=folder,
            ops=ops,
            replies=tuple(replies),
        )

    def do(self, action: str, task: TaskFolder, row: Row, folder: Path, replies: Replies = ()) -> dict[str, Any]:
        """The result of a job.

        Raises:
            TaskError: A step of it failed.
            ConfigError: There is no compiler, or no torch.
        """
        ended = self.worker.do(self.job(action, task, row, folder, replies))
        if ended.result is None or ended.failed:
            why = ended.why or f"{ended.failed}: {(ended.result or {}).get('why')}"
            raise TaskError(f"{task.key} case {row.case_id}: {why}", hint="choose another case of the benchmark")
        return ended.result

    def definition(self, task: TaskFolder) -> OpDescription:
        """The operator's definition, as the task's own host skeleton has it.

        Raises:
            TaskError: The skeleton does not compile, or defines something else.
        """
        if task.path not in self._definitions:
            with HostSimulator() as host:
                build = host.build_host(task.path / "question" / "op_host")
                description, found = host.describe(build) if build.ok else (None, build.diagnostics)
            op = description.operator(task.name) if description is not None else None
            if op is None:
                first = next((d.message for d in found if d.is_error), "it defines another operator")
                raise TaskError(f"the definition of {task.key} cannot be read: {first}", hint="choose another task")
            self._definitions[task.path] = op
        return self._definitions[task.path]

    def close(self) -> None:
        """End the worker."""
        self.worker.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
