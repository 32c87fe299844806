"""Task suites: the shipped ones, folders of task files, single files."""

from __future__ import annotations

import difflib
from pathlib import Path

from agentkernel.bench.taskfile import read_tasks
from agentkernel.bench.validation import Problem, validate
from agentkernel.errors import TaskError
from agentkernel.task import Task

__all__ = ["Problem", "load_task", "shipped_suites", "suite", "validate"]

_SHIPPED = Path(__file__).parent / "suites"
_ENDINGS = (".yaml", ".yml")


def shipped_suites() -> tuple[str, ...]:
    """Names of the suites that come with the library."""
    return tuple(sorted(folder.name for folder in _SHIPPED.iterdir() if folder.is_dir()))


def suite(name: str | Path) -> tuple[Task, ...]:
    """The tasks of a suite, by file name and then in the order of a file's variants.

    Args:
        name: Name of a shipped suite, or a folder of task files.

    Raises:
        TaskError: There is no such suite, it is empty, one of its files is wrong, or two tasks have one name.
    """
    folder = _SHIPPED / str(name) if str(name) in shipped_suites() else Path(name)
    if not folder.is_dir():
        raise TaskError(
            f"no suite {str(name)!r}",
            hint="shipped: " + ", ".join(shipped_suites()) + "; or give a folder of task files",
        )
    tasks: list[Task] = []
    origin: dict[str, Path] = {}
    for path in _files(folder):
        for task in read_tasks(path, suite=folder.name):
            if task.name in origin:
                raise TaskError(
                    f"{path}: the task {task.name!r} is in {origin[task.name].name} already", hint="rename one of them"
                )
            origin[task.name] = path
            tasks.append(task)
    if not tasks:
        raise TaskError(f"{folder} holds no task file", hint="task files end in .yaml")
    return tuple(tasks)


def load_task(spec: str | Path) -> Task:
    """One task.

    Args:
        spec: Name of a task of a shipped suite (`add-float16`), a task file, `file.yaml#name` for one task of a file
            that holds several, or a task folder in a checkout of NPUKernelBench (`.../level1/Math/Sqrt`, its first
            case; `...#3` for another one, `...#dynamic` for sizes that arrive at run time, `...#full` for a whole
            operator).

    Raises:
        TaskError: There is no such task (the nearest names are given), or its file is wrong.
    """
    text = str(spec)
    place, _, name = text.partition("#")
    path = Path(place)
    if place.endswith(_ENDINGS) or path.is_file():
        return _from_file(path, name)
    if path.is_dir():
        from agentkernel.bench.npukernelbench.tasks import load_benchmark_task

        if (found := load_benchmark_task(text)) is not None:
            return found
        raise TaskError(
            f"{path} is a folder, not a task",
            hint="give one of its files as FILE.yaml or FILE.yaml#NAME",
        )
    return _shipped_task(text)


def _from_file(path: Path, name: str) -> Task:
    if not path.is_file():
        raise TaskError(f"no task file {path}", hint="give the path of a YAML file, or the name of a shipped task")
    tasks = read_tasks(path, suite=path.parent.name if path.parent.parent == _SHIPPED else "")
    names = [task.name for task in tasks]
    if name:
        if name not in names:
            raise TaskError(f"{path} has no task {name!r}", hint=_nearest(name, names))
        return tasks[names.index(name)]
    if len(tasks) > 1:
        raise TaskError(f"{path} holds {len(tasks)} tasks", hint=f"choose one: {path}#{names[0]}")
    return tasks[0]


def _shipped_task(name: str) -> Task:
    files = [path for shipped in shipped_suites() for path in _files(_SHIPPED / shipped)]
    # a family's file is named after the beginning of its tasks' names, so that most loads read one small file
    likely = [path for path in files if name.startswith(path.stem.replace("_", "-"))]
    known: list[str] = []
    for path in (*sorted(likely, key=lambda path: -len(path.stem)), *(path for path in files if path not in likely)):
        for task in read_tasks(path, suite=path.parent.name):
            if task.name == name:
                return task
            known.append(task.name)
    raise TaskError(f"no task {name!r}", hint=_nearest(name, known))


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in _ENDINGS)


def _nearest(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    if close:
        return "did you mean " + ", ".join(close) + "?"
    return "`agentkernel bench list` shows all names" if len(known) > 8 else "known: " + ", ".join(known)
