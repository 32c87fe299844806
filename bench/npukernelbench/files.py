"""Task files of the benchmark's tasks, for suites."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from agentkernel.bench.npukernelbench.answers import chosen
from agentkernel.bench.npukernelbench.cases import Row, read_rows
from agentkernel.bench.npukernelbench.checkout import TaskFolder
from agentkernel.bench.npukernelbench.machinery import Machinery
from agentkernel.bench.npukernelbench.tasks import make_tasks
from agentkernel.errors import TaskError
from agentkernel.task import Path as TaskPath
from agentkernel.task import ShapeMode, Task


class Written(BaseModel):
    """What was made of one of the benchmark's tasks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    """`level1/Math/Sqrt`."""
    tasks: tuple[str, ...]
    """Names of the tasks that were written."""
    left_out: tuple[str, ...]
    """Cases that no task can be made of, and why."""
    skipped: int = 0
    """Cases that were not looked at: too large, or beyond the wanted number."""


def write_tasks(
    folders: Sequence[TaskFolder],
    out: Path,
    *,
    mode: ShapeMode,
    path: TaskPath,
    most: int,
    cases: int | None,
    machinery: Machinery,
) -> Iterator[Written]:
    """Write a file per task, one of the benchmark's tasks after the other.

    Args:
        folders: The benchmark's tasks.
        out: Folder of the files.
        mode: One task per case, or one per group of cases that differ in sizes alone.
        path: Which part is to be written.
        most: Largest case, in elements of all inputs.
        cases: Only so many of a folder's cases, the smallest.
        machinery: Runs the benchmark's code.

    Yields:
        What became of each of the benchmark's tasks.
    """
    out.mkdir(parents=True, exist_ok=True)
    for folder in folders:
        rows = read_rows(folder.cases_file)
        sizes = {row.case_id: size_of(folder, row, machinery) for row in rows}
        fitting = list(chosen(rows, lambda row, sizes=sizes: sizes[row.case_id], most=most, cases=cases))  # type: ignore[misc]
        made: list[Task] = []
        refused: list[str] = []
        try:
            made += make_tasks(folder, fitting, mode=mode, path=path, machinery=machinery, left_out=refused.append)
        except TaskError as error:
            if error.message not in refused:
                refused.append(error.message)
        for task in made:
            (out / f"{task.name}.yaml").write_text(task_text(task), encoding="utf-8")
        yield Written(
            key=folder.key,
            tasks=tuple(task.name for task in made),
            left_out=tuple(refused),
            skipped=len(rows) - len(fitting),
        )


def table_of(written: Sequence[Written]) -> str:
    """A table of the benchmark's tasks: how many tasks each became, or why none."""
    lines = [f"{one.key:<52} {len(one.tasks):>4}  {_why(one)}".rstrip() for one in written]
    some = sum(bool(one.tasks) for one in written)
    return "\n".join([*lines, f"{some} of {len(written)} of the benchmark's tasks became tasks"])


def _why(one: Written) -> str:
    if one.tasks:
        return f"{len(one.left_out)} cases left out" if one.left_out else ""
    if not one.left_out:
        return f"none of its {one.skipped} cases is small enough"
    return one.left_out[0].removeprefix(f"{one.key} ")


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


def size_of(folder: TaskFolder, row: Row, machinery: Machinery) -> int:
    """Elements of all inputs of a case; -1 where they cannot be made."""
    with tempfile.TemporaryDirectory(prefix="npukb.") as place:
        ended = machinery.worker.do(machinery.job("measure", folder, row, Path(place)))
    return -1 if ended.result is None or ended.failed else int(ended.result["elements"])
