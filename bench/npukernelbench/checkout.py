"""A user's checkout of NPUKernelBench: where its tasks are, and whether this commit can be used."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from agentkernel.errors import ConfigError

GOOD_COMMIT = "f238a63"
"""The last commit whose answers are as their authors wrote them; a later one rewrote comments and broke code."""

_LEVEL = re.compile(r"level[1-9]")
_CPP_IN_CMAKE = re.compile(r"^\s*//", re.MULTILINE)


class TaskFolder(BaseModel):
    """One task of the benchmark: `tasks/<level>/<category>/<name>`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path
    level: str
    """`level1`, `level2` or `level3`."""
    category: str
    name: str
    """Operator type, e.g. `ForeachAbs`."""

    @property
    def key(self) -> str:
        """`level1/Math/Sqrt`: unique in the benchmark."""
        return f"{self.level}/{self.category}/{self.name}"

    @property
    def cases_file(self) -> Path:
        """The table of cases."""
        return self.path / "validation" / "test_cases.csv"

    @property
    def bindings_file(self) -> Path:
        """The torch extension that turns a Python call into an aclnn call."""
        return self.path / "validation" / "pybind.cpp"

    @cached_property
    def entry(self) -> str:
        """Name of the kernel function, which is also that of its file.

        Raises:
            ConfigError: The folder has no kernel skeleton.
        """
        found = sorted((self.path / "question" / "op_kernel").glob("*.cpp"))
        if not found:
            raise ConfigError(f"{self.path} has no question/op_kernel/*.cpp", hint="the checkout is not complete")
        return found[0].stem

    @property
    def answer(self) -> Path | None:
        """Folder of the official answer; four tasks have none."""
        folder = self.path / "answer" / "0"
        return folder if (folder / "op_kernel").is_dir() else None

    @cached_property
    def description(self) -> str:
        """The specification that a model reads."""
        file = self.path / "api_desc.md"
        return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""


class Checkout(BaseModel):
    """The benchmark's tasks, in order of level, category and name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    root: Path
    tasks: tuple[TaskFolder, ...]

    def find(self, name: str) -> TaskFolder:
        """A task by its name or key.

        Raises:
            ConfigError: There is no such task.
        """
        for task in self.tasks:
            if name in (task.name, task.key):
                return task
        near = [task.name for task in self.tasks if name.lower() in task.name.lower()]
        hint = "did you mean " + ", ".join(near[:5]) + "?" if near else "names are those of the task folders"
        raise ConfigError(f"{self.root} has no task {name!r}", hint=hint)

    @property
    def common_includes(self) -> tuple[Path, ...]:
        """Folders of headers that the answers' host sources share."""
        folder = self.root / "libs" / "common_include" / "cann-ops" / "src" / "common" / "inc"
        return (folder,) if folder.is_dir() else ()


def task_folder(path: Path) -> TaskFolder | None:
    """The task that a folder holds, None where it is no task folder of this benchmark."""
    path = path.resolve()
    validation = path / "validation"
    if not ((validation / "test_cases.csv").is_file() and (validation / "module.py").is_file()):
        return None
    level, category, name = path.parts[-3:]
    return TaskFolder(path=path, level=level, category=category, name=name)


def open_checkout(root: str | Path, *, broken: bool = False) -> Checkout:
    """Find the tasks of a checkout.

    Args:
        root: The repository's root, as cloned.
        broken: Whether a commit whose answers are known to be damaged is taken all the same.

    Raises:
        ConfigError: The folder is no checkout of this benchmark, or a damaged one.
    """
    folder = Path(root).resolve()
    if not (folder / "tasks").is_dir():
        raise ConfigError(
            f"{folder} is no checkout of NPUKernelBench: it has no folder `tasks`",
            hint="clone the benchmark and give the clone's root",
        )
    paths = sorted(
        path
        for level in (folder / "tasks").iterdir()
        if level.is_dir() and _LEVEL.fullmatch(level.name)
        for path in level.glob("*/*")
    )
    tasks = tuple(task for path in paths if (task := task_folder(path)) is not None)
    if not tasks:
        raise ConfigError(
            f"{folder} holds no tasks (tasks/level*/CATEGORY/NAME/validation)", hint="is the checkout complete?"
        )
    if not broken:
        _refuse_damaged(folder, tasks)
    return Checkout(root=folder, tasks=tasks)


def _refuse_damaged(folder: Path, tasks: tuple[TaskFolder, ...]) -> None:
    """The damaging rewrite put C++ comments into CMake files, which no healthy one has."""
    damaged = []
    for task in tasks:
        build = task.path / "answer" / "0" / "CMakeLists.txt"
        if build.is_file() and _CPP_IN_CMAKE.search(build.read_text(encoding="utf-8", errors="replace")):
            damaged.append(task.name)
    if damaged:
        raise ConfigError(
            f"{folder} is at a commit whose answers are damaged: C++ comments in {len(damaged)} build files "
            f"({', '.join(damaged[:3])}), lost statements in others",
            hint=f"run `git checkout {GOOD_COMMIT}` there",
        )
