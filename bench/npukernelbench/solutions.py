"""Official answers as solutions: each, unmodified, is judged against the whole-operator task of its smallest case.

It is the way of any kernel that a model writes: check of the definition, tiling, compilation, run, judgement, and none
of the leniency that the table of official answers has (a kernel that oversteps a limit without harm fails here).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import BaseModel, ConfigDict

from agentkernel.bench.npukernelbench.answers import chosen
from agentkernel.bench.npukernelbench.cases import Row, read_rows
from agentkernel.bench.npukernelbench.checkout import TaskFolder
from agentkernel.bench.npukernelbench.files import size_of
from agentkernel.bench.npukernelbench.machinery import Machinery
from agentkernel.bench.npukernelbench.tasks import make_tasks
from agentkernel.errors import TaskError
from agentkernel.kernel import Kernel
from agentkernel.task import Path as TaskPath
from agentkernel.task import ShapeMode, Task
from agentkernel.toolchains.base import Toolchain
from agentkernel.verify import verify

_SOURCES = {".cpp", ".cc", ".cxx", ".h", ".hpp"}


class Solution(BaseModel):
    """What became of one official answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    """`level1/Math/Sqrt`."""
    kinds: str = ""
    """What of lists, optional tensors, updates in place and list attributes the task has."""
    result: str
    """`pass`, `fail`, `no answer`, or `no task`."""
    reason: str = ""
    """The first error's code and message."""


def solutions(
    folders: Sequence[TaskFolder], *, most: int, machinery: Machinery, toolchain: Toolchain
) -> Iterator[Solution]:
    """Judge official answers, one after the other.

    Args:
        folders: The benchmark's tasks.
        most: Largest case, in elements of all inputs.
        machinery: Runs the benchmark's code.
        toolchain: Compiles and runs.

    Raises:
        ConfigError: There is no torch, or no compiler for the benchmark's bindings.
        ToolchainError: The toolchain is missing or broken.
    """
    for folder in folders:
        try:
            task = _smallest(folder, most, machinery)
        except TaskError as error:
            yield Solution(key=folder.key, result="no task", reason=error.message)
            continue
        if folder.answer is None:
            yield Solution(key=folder.key, kinds=task.beyond_single_tensors, result="no answer")
            continue
        verdict = verify(official_kernel(folder), task, toolchain, check=False)
        first = next((found for found in verdict.all_diagnostics if found.is_error), None)
        yield Solution(
            key=folder.key,
            kinds=task.beyond_single_tensors,
            result="pass" if verdict.passed else "fail",
            reason="" if first is None else f"{first.code}: {first.message}",
        )


def official_kernel(folder: TaskFolder) -> Kernel:
    """The official answer of a task that has one, as its files are."""
    assert folder.answer is not None
    files = {
        path.relative_to(folder.answer).as_posix(): path.read_text(encoding="utf-8", errors="replace")
        for part in ("op_kernel", "op_host")
        for path in sorted((folder.answer / part).rglob("*"))
        if path.suffix in _SOURCES
    }
    return Kernel(files=files, entry=folder.entry)


def _smallest(folder: TaskFolder, most: int, machinery: Machinery) -> Task:
    rows = read_rows(folder.cases_file)
    sizes = {row.case_id: size_of(folder, row, machinery) for row in rows}

    def size(row: Row) -> int:
        return sizes[row.case_id]

    fitting = list(chosen(rows, size, most=most, cases=1))
    if not fitting:
        raise TaskError(f"none of its {len(rows)} cases is small enough", hint="raise --max-elements")
    return next(make_tasks(folder, fitting, mode=ShapeMode.STATIC, path=TaskPath.FULL, machinery=machinery))


def solutions_text(found: Sequence[Solution]) -> str:
    """A table of answers, and how many passed of those whose tasks have more than single tensors and of all."""
    lines = [f"{one.key:<52} {one.result:<9} {one.kinds or '-'}  {one.reason[:160]}".rstrip() for one in found]
    more = [one for one in found if one.kinds]
    for words, group in (("with lists, optional tensors, updates or list attributes", more), ("in all", found)):
        passed = sum(one.result == "pass" for one in group)
        judged = sum(one.result in ("pass", "fail") for one in group)
        lines.append(f"{words}: {passed} of {judged} answers pass")
    return "\n".join(lines)
