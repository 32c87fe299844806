"""Task files of the benchmark's tasks, for suites."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agentkernel.bench.npukernelbench.answers import chosen
from agentkernel.bench.npukernelbench.cases import Row, read_rows
from agentkernel.bench.npukernelbench.checkout import TaskFolder
from agentkernel.bench.npukernelbench.machinery import Machinery
from agentkernel.bench.npukernelbench.tasks import make_tasks
from agentkernel.errors import TaskError
from agentkernel.task import Path as TaskPath
from agentkernel.task import ShapeMode, Task


def write_tasks(
    folders: Sequence[TaskFolder],
    out: Path,
    *,
    mode: ShapeMode,
    path: TaskPath,
    most: int,
    cases: int | None,
    machinery: Machinery,
) -> tuple[int, list[str]]:
    """Write a file per task.

    Args:
        folders: The benchmark's tasks.
        out: Folder of the files.
        mode: One task per case, or one per group of cases that differ in sizes alone.
        path: Which part is to be written.
        most: Largest case, in elements of all inputs.
        cases: Only so many of a folder's cases, the smallest.
        machinery: Runs the benchmark's code.

    Returns:
        How many tasks were written, and what was left out and why.
    """
    out.mkdir(parents=True, exist_ok=True)
    written, refused = 0, []
    for folder in folders:
        rows = read_rows(folder.cases_file)
        sizes = {row.case_id: _size(folder, row, machinery) for row in rows}
        fitting = list(chosen(rows, lambda row, sizes=sizes: sizes[row.case_id], most=most, cases=cases))  # type: ignore[misc]
        made: list[Task] = []
        groups = [fitting] if mode is ShapeMode.DYNAMIC else [[row] for row in fitting]
        for group in groups:
            try:
                made += make_tasks(folder, group, mode=mode, path=path, machinery=machinery)
            except TaskError as error:
                refused.append(error.message)
        for task in made:
            (out / f"{task.name}.yaml").write_text(task_text(task), encoding="utf-8")
        written += len(made)
    return written, refused


def task_text(task: Task) -> str:
    """A task as the text of a task file; a dollar sign is written twice there."""
    import yaml

    def escaped(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: escaped(item) for key, item in value.items()}
        if isinstance(value, list):
            return [escaped(item) for item in value]
        return value.replace("$", "$$") if isinstance(value, str) else value

    data = task.model_dump(mode="json", exclude_defaults=True)
    return yaml.safe_dump(escaped(data), sort_keys=False, allow_unicode=True, width=120)


def _size(folder: TaskFolder, row: Row, machinery: Machinery) -> int:
    with tempfile.TemporaryDirectory(prefix="npukb.") as place:
        ended = machinery.worker.do(machinery.job("measure", folder, row, Path(place)))
    return -1 if ended.result is None or ended.failed else int(ended.result["elements"])
