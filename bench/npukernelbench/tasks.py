"""The benchmark's tasks as `agentkernel.task.Task`, for solving, verifying and whatever else works on tasks.

*Static* mode gives one task per case: its sizes are constants, as in the benchmark's default. *Dynamic* mode gives one
task per group of cases that differ in sizes alone (their element types, ranks and attributes are equal; lists may have
other lengths), because a task has one declaration of its tensors. Values come from the benchmark's own generator and
reference (`agentkernel.task.External`).

Tensors have the names of the definition. An output that the reference does not give is not compared. What a task cannot
say is refused by name: element types without a name here, outputs whose shape the kernel computes, empty tensors.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from agentkernel.bench.npukernelbench.arguments import Slot
from agentkernel.bench.npukernelbench.cases import Row, read_rows
from agentkernel.bench.npukernelbench.checkout import TaskFolder, task_folder
from agentkernel.bench.npukernelbench.machinery import Machinery
from agentkernel.bench.npukernelbench.outlines import Outline, Outliner
from agentkernel.errors import TaskError
from agentkernel.task import AttrSpec, Case, External, Reference, ShapeMode, Task, TensorSpec
from agentkernel.task import Path as TaskPath

SUITE = "npukernelbench"
BLOCKS = 48
"""The benchmark launches all vector cores of its chip."""

_LEVELS: dict[str, Literal["L1", "L2", "L3"]] = {"level1": "L1", "level2": "L2", "level3": "L3"}


def _warn(text: str) -> None:
    logging.getLogger(__name__).warning("%s", text)


def load_benchmark_task(
    spec: str, machinery: Machinery | None = None, *, tell: Callable[[str], None] = _warn
) -> Task | None:
    """A task by its folder: `CHECKOUT/tasks/level1/Math/Sqrt`, and behind a `#` which of its tasks is meant.

    `#3` is another case than the first, `#dynamic` all cases that differ from the first one in sizes alone,
    `#3,dynamic` those that differ from case 3 in sizes alone; with `full` among the words the host side is to be
    written too. None where the path is no task folder of this benchmark.

    Args:
        spec: Folder and words.
        machinery: Runs the benchmark's code; made, and ended, for this call by default.
        tell: Is told which cases a dynamic task leaves out, and why.

    Raises:
        TaskError: There is no such case, or a task cannot say what it needs.
        ConfigError: There is no torch, or no compiler for the benchmark's bindings.
    """
    place, _, which = spec.partition("#")
    folder = task_folder(Path(place)) if Path(place).is_dir() else None
    if folder is None:
        return None
    words = [word for word in which.split(",") if word]
    path = TaskPath.FULL if "full" in words else TaskPath.DEVICE
    rest = [word for word in words if word not in ("full", "dynamic")]
    rows = read_rows(folder.cases_file)
    known = [str(row.case_id) for row in rows]
    number = ",".join(rest)
    if number and number not in known:
        raise TaskError(
            f"{folder.key} has no case {number!r}",
            hint=f"give {place}#N with N of {', '.join(known)}, or #dynamic; and full for the host side too",
        )
    if "dynamic" in words:
        left_out: list[str] = []
        mode = ShapeMode.DYNAMIC
        made = list(make_tasks(folder, rows, mode=mode, path=path, machinery=machinery, left_out=left_out.append))
        for text in left_out:
            tell(f"left out: {text}")
        return _with_case(folder, made, number, tell)
    chosen = [row for row in rows if str(row.case_id) == (number or known[0])]
    return next(make_tasks(folder, chosen, mode=ShapeMode.STATIC, path=path, machinery=machinery))


def _with_case(folder: TaskFolder, made: Sequence[Task], number: str, tell: Callable[[str], None]) -> Task:
    """The dynamic task that has a case, or the first one."""
    wanted = f"case-{number}"
    chosen = next((task for task in made if not number or any(case.name == wanted for case in task.cases)), None)
    if chosen is None:
        raise TaskError(f"{folder.key} case {number} is left out (see above)", hint="choose another case")
    for other in made:
        if other is not chosen:
            first = other.cases[0].name.removeprefix("case-")
            names = ", ".join(case.name for case in other.cases)
            tell(f"not in this task, because they differ in more than sizes: {names} (#{first},dynamic)")
    return chosen


def make_tasks(
    folder: TaskFolder,
    rows: Sequence[Row],
    *,
    mode: ShapeMode,
    path: TaskPath = TaskPath.DEVICE,
    machinery: Machinery | None = None,
    left_out: Callable[[str], None] | None = None,
) -> Iterator[Task]:
    """Tasks of some cases of a folder.

    Args:
        folder: The benchmark's task.
        rows: Its cases.
        mode: One task per case, or one per group of cases that differ in sizes alone.
        path: Which part is to be written.
        machinery: Runs the benchmark's code; made, and ended, for this call by default.
        left_out: Is told of cases that no task can be made of; by default the first one ends the call.

    Raises:
        TaskError: A case cannot be said by a task; with `left_out`, none can.
        ConfigError: There is no torch, or no compiler for the benchmark's bindings.
    """
    own = machinery or Machinery()
    outlines: list[Outline] = []
    failed: TaskError | None = None
    try:
        outliner = Outliner(folder, own)
        for row in rows:
            try:
                outlines.append(outliner.outline(row))
            except TaskError as error:
                if left_out is None:
                    raise
                left_out(error.message)
                failed = error
    finally:
        if machinery is None:
            own.close()
    if failed is not None and not outlines:
        raise failed
    if mode is ShapeMode.STATIC:
        for outline in outlines:
            yield _task(folder, [outline], mode, path)
        return
    groups: dict[str, list[Outline]] = {}
    for outline in outlines:
        groups.setdefault(outline.signature, []).append(outline)
    for group in groups.values():
        yield _task(folder, group, mode, path)


def _task(folder: TaskFolder, group: Sequence[Outline], mode: ShapeMode, path: TaskPath) -> Task:
    first = group[0]
    static = mode is ShapeMode.STATIC
    snake = folder.entry.replace("_", "-")
    name = f"npukb-{snake}-{first.row.case_id}" if static else f"npukb-{snake}-dynamic-{first.row.case_id}"
    lists = _axes_names(group)
    full = path is TaskPath.FULL
    attrs, others = _attrs(folder, first, carried=full or static)
    if full and others:
        raise TaskError(
            f"{folder.key} case {first.row.case_id}: a task cannot say its attribute {next(iter(others))}",
            hint="choose another task",
        )
    results = {case_name(one): [list(one.results.get(s.parameter.name, ())) for s in one.outputs] for one in group}
    return Task(
        name=name,
        description=_description(folder, group, others),
        level=_LEVELS.get(folder.level, "L3"),
        entry=folder.entry,
        inputs=tuple(
            _spec(first, slot, static, lists, on_host=full and slot.parameter.on_host) for slot in first.inputs
        ),
        outputs=tuple(
            _spec(first, slot, static, lists, compare=first.compared(slot) or not slot.present)
            for slot in first.outputs
        ),
        attrs=attrs,
        cases=tuple(_case(one, static, lists) for one in group),
        reference=Reference(
            external=External(
                provider="npukernelbench",
                source={"folder": str(folder.path), "results": json.dumps(results)},
            )
        ),
        path=path,
        shape_mode=mode,
        block_dim=BLOCKS,
        declares_updates=bool(first.bound.outputs),
        tags=(SUITE, folder.category),
        suite=SUITE,
    )


def case_name(outline: Outline) -> str:
    """Name of the case of a task that stands for a case of the benchmark."""
    return f"case-{outline.row.case_id}"


_SCALARS = ("float", "int", "bool")
_SAID = (*_SCALARS, "string", "list_int", "list_float", "list_bool")


def _attrs(folder: TaskFolder, first: Outline, *, carried: bool) -> tuple[tuple[AttrSpec, ...], dict[str, Any]]:
    """The attributes, and those that the task cannot say: of other types, or not carried by tiling data."""
    kinds = {attribute.name: attribute.kind for attribute in first.operator.attrs}
    said = _SAID if carried else _SCALARS
    specs, others = [], {}
    for name, value in first.bound.attrs.items():
        kind = kinds[name]
        if kind in said:
            default = tuple(value) if kind.startswith("list_") else value
            specs.append(AttrSpec.model_validate({"name": lowered(name), "type": kind, "default": default}))
        else:
            others[name] = value
    return tuple(specs), others


def lowered(name: str) -> str:
    """A name of the definition as a task has it: names begin with a small letter there."""
    return name[0].lower() + name[1:]


def _axes_names(group: Sequence[Outline]) -> dict[str, str]:
    """By list, the name of its axes; lists of the same shapes in every case share the first one's."""
    found: dict[str, str] = {}
    known: dict[str, str] = {}
    for slot in (*group[0].inputs, *group[0].outputs):
        if slot.is_list:
            name = slot.parameter.name
            shapes = json.dumps([_shapes(one, name) for one in group])
            found[name] = known.setdefault(shapes, f"{lowered(name)}Axes")
    return found


def _shapes(outline: Outline, name: str) -> tuple[tuple[int, ...], ...]:
    slot = next(one for one in (*outline.inputs, *outline.outputs) if one.parameter.name == name)
    return tuple(array.shape for array in slot.arrays)


def _spec(
    outline: Outline,
    slot: Slot,
    static: bool,
    lists: dict[str, str],
    *,
    on_host: bool = False,
    compare: bool = True,
) -> TensorSpec:
    name = lowered(slot.parameter.name)
    shape: tuple[int | str, ...]
    if slot.is_list:
        shape = (f"*{lists[slot.parameter.name]}",)
    elif not slot.arrays:
        shape = ()  # left out: the benchmark does not say which shape it would have
    elif static:
        shape = slot.arrays[0].shape
    else:
        shape = tuple(f"{name}D{axis}" for axis in range(slot.arrays[0].ndim))
    return TensorSpec.model_validate(
        {
            "name": name,
            "dtype": outline.type_of(slot),
            "shape": shape,
            "param_type": slot.parameter.option,
            "on_host": on_host,
            "compare": compare,
        }
    )


def _case(outline: Outline, static: bool, lists: dict[str, str]) -> Case:
    dims: dict[str, int] = {}
    slots = (*outline.inputs, *outline.outputs)
    for slot in slots:
        if not static and not slot.is_list and slot.arrays:
            name = lowered(slot.parameter.name)
            dims |= {f"{name}D{axis}": size for axis, size in enumerate(slot.arrays[0].shape)}
    return Case(
        name=case_name(outline),
        dims=dims,
        shapes={axes: _shapes(outline, name) for name, axes in lists.items()},
        absent=tuple(dict.fromkeys(lowered(slot.parameter.name) for slot in slots if not slot.present)),
    )


def _description(folder: TaskFolder, group: Sequence[Outline], others: dict[str, Any]) -> str:
    parts = [folder.description.strip() or folder.name]
    rows = "\n".join("; ".join(f"{key}={value}" for key, value in one.row.items()) for one in group)
    parts.append(f"Parameters of the cases:\n{rows}")
    if others:
        parts.append("Attributes: " + "; ".join(f"{key}={value!r}" for key, value in others.items()))
    return "\n\n".join(parts)
