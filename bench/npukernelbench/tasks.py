"""The benchmark's tasks as `agentkernel.task.Task`, for solving, verifying and whatever else works on tasks.

*Static* mode gives one task per case: its sizes are constants, as in the benchmark's default. *Dynamic* mode gives one
task per group of cases that differ in sizes alone (their element types, ranks and attributes are equal), because a
task has one declaration of its tensors. Values come from the benchmark's own generator and reference
(`agentkernel.task.External`).

What a device-path task cannot say is refused with its name: lists of tensors, tensors that a call leaves out, outputs
in place, element types without a name here, outputs that the reference does not give.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from agentkernel.bench.npukernelbench import tensors
from agentkernel.bench.npukernelbench.arguments import BoundCall, Slot, bind, fill
from agentkernel.bench.npukernelbench.cases import Row, read_rows
from agentkernel.bench.npukernelbench.checkout import TaskFolder, task_folder
from agentkernel.bench.npukernelbench.machinery import Machinery
from agentkernel.bench.npukernelbench.recorded import MappingError, Recorded
from agentkernel.dtypes import DType
from agentkernel.errors import TaskError
from agentkernel.shared_arrays import memory_base
from agentkernel.simulator.host import Parameter
from agentkernel.task import AttrSpec, Case, External, Reference, ShapeMode, Task, TensorSpec
from agentkernel.task import Path as TaskPath

Array = NDArray[Any]
SUITE = "npukernelbench"
BLOCKS = 48
"""The benchmark launches all vector cores of its chip."""

_LEVELS: dict[str, Literal["L1", "L2", "L3"]] = {"level1": "L1", "level2": "L2", "level3": "L3"}
_ARGUMENT = re.compile(r"GM_ADDR\s+(\w+)")


def load_benchmark_task(spec: str, machinery: Machinery | None = None) -> Task | None:
    """A task by its folder: `CHECKOUT/tasks/level1/Math/Sqrt`, and behind a `#` which of its tasks is meant.

    `#3` is another case than the first, `#dynamic` all sizes, `#full` the one whose host side is to be written too;
    `#3,full` and `#dynamic,full` are both. None where the path is no task folder of this benchmark.

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
    rest = [word for word in words if word != "full"]
    rows = read_rows(folder.cases_file)
    if rest == ["dynamic"]:
        made = list(make_tasks(folder, rows, mode=ShapeMode.DYNAMIC, path=path, machinery=machinery))
        return made[0]
    known = [str(row.case_id) for row in rows]
    number = ",".join(rest) or known[0]
    if number not in known:
        raise TaskError(
            f"{folder.key} has no case {number!r}",
            hint=f"give {place}#N with N of {', '.join(known)}, or #dynamic; and full for the host side too",
        )
    chosen = [row for row in rows if str(row.case_id) == number]
    return next(make_tasks(folder, chosen, mode=ShapeMode.STATIC, path=path, machinery=machinery))


def make_tasks(
    folder: TaskFolder,
    rows: Sequence[Row],
    *,
    mode: ShapeMode,
    path: TaskPath = TaskPath.DEVICE,
    machinery: Machinery | None = None,
) -> Iterator[Task]:
    """Tasks of some cases of a folder.

    Args:
        folder: The benchmark's task.
        rows: Its cases.
        mode: One task per case, or one per group of cases that differ in sizes alone.
        path: Which part is to be written.
        machinery: Runs the benchmark's code; made, and ended, for this call by default.

    Raises:
        TaskError: A case cannot be said by a task.
        ConfigError: There is no torch, or no compiler for the benchmark's bindings.
    """
    own = machinery or Machinery()
    try:
        maker = _Maker(folder, own)
        outlines = [maker.outline(row) for row in rows]
    finally:
        if machinery is None:
            own.close()
    if mode is ShapeMode.STATIC:
        for outline in outlines:
            yield _task(folder, [outline], mode, path)
        return
    groups: dict[str, list[_Outline]] = {}
    for outline in outlines:
        groups.setdefault(outline.signature, []).append(outline)
    for group in groups.values():
        yield _task(folder, group, mode, path)


def argument_array(argument: dict[str, Any], folder: Path) -> Array:
    """The value of a recorded argument as the array that a kernel gets."""
    slot = fill(Parameter(name="value", option="required", dtypes=()), 0, _recorded(argument, folder))
    return slot.arrays[0]


class _Outline:
    """What a case looks like as a call of its kernel."""

    def __init__(self, row: Row, bound: BoundCall, names: Sequence[str], results: Sequence[int]) -> None:
        self.row = row
        self.bound = bound
        self.names = names
        self.results = results
        self.slots = (*bound.inputs, *bound.outputs)

    @property
    def signature(self) -> str:
        """Equal for cases that differ in sizes alone."""
        kinds = [(slot.arrays[0].dtype.name, slot.arrays[0].ndim) for slot in self.slots]
        return json.dumps([kinds, self.bound.attrs, list(self.results)], default=str)


class _Maker:
    """Looks at cases."""

    def __init__(self, folder: TaskFolder, machinery: Machinery) -> None:
        self._task = folder
        self._machinery = machinery
        self._operator = machinery.definition(folder)

    def outline(self, row: Row) -> _Outline:
        """What a case looks like.

        Raises:
            TaskError: A task cannot say it.
        """
        where = f"{self._task.key} case {row.case_id}"
        folder = Path(tempfile.mkdtemp(prefix="npukb.", dir=memory_base()))
        try:
            prepared = self._machinery.do("prepare", self._task, row, folder)
            arguments = prepared["calls"][0]["arguments"]
            recorded = [_recorded(one, folder) for one in arguments]
            try:
                bound = bind(self._operator, recorded)
            except MappingError as error:
                raise TaskError(f"{where}: {error}", hint="choose another task") from error
            _require_plain(where, bound)
            results = self._results(row, folder, where, bound)
            _require_references(where, bound, results, prepared["native"])
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return _Outline(row, bound, self._names(where, bound), results)

    def _results(self, row: Row, folder: Path, where: str, bound: BoundCall) -> list[int]:
        """Which of the model's results each output of the kernel becomes; -1 for none."""
        reply = {}
        marks = []
        for number, slot in enumerate(bound.outputs):
            array = slot.arrays[0]
            mark = ((np.arange(array.size) * 7 + number * 13 + 1) % 120).astype(array.dtype).reshape(array.shape)
            marks.append(mark)
            reply[slot.position] = [tensors.save(mark, folder, f"mark.{number}")]
        given = self._machinery.do("results", self._task, row, folder, (reply,))
        if "call" in given:
            raise TaskError(f"{where}: its model launches several kernels", hint="choose another task")
        results = [tensors.load(one, folder) if "file" in one else None for one in given["outputs"]]
        return [
            next(
                (
                    place
                    for place, one in enumerate(results)
                    if one is not None and one.dtype == mark.dtype and np.array_equal(one.reshape(-1), mark.reshape(-1))
                ),
                -1,
            )
            for mark in marks
        ]

    def _names(self, where: str, bound: BoundCall) -> tuple[str, ...]:
        """Names of the kernel's arguments, as the benchmark's skeleton has them."""
        text = (self._task.path / "question" / "op_kernel" / f"{self._task.entry}.cpp").read_text(
            encoding="utf-8", errors="replace"
        )
        names = tuple(name for name in _ARGUMENT.findall(text) if name not in ("workspace", "tiling"))
        wanted = len(bound.inputs) + len(bound.outputs)
        if len(names) != wanted or len(set(names)) != wanted:
            raise TaskError(
                f"{where}: its kernel has the arguments {', '.join(names)}, the definition {wanted} tensors",
                hint="choose another task",
            )
        return tuple(name[0].lower() + name[1:] for name in names)


def _recorded(one: dict[str, Any], folder: Path) -> Recorded:
    if one["kind"] == "tensor" and one["value"] is not None:
        return Recorded("tensor", tensors.load(one["value"], folder))
    if one["kind"] == "tensors":
        return Recorded("tensors", [tensors.load(item, folder) for item in one["value"]])
    return Recorded(one["kind"], one["value"])


def _require_plain(where: str, bound: BoundCall) -> None:
    if not bound.outputs:
        raise TaskError(f"{where}: it updates its inputs, which a task cannot say", hint="choose another task")
    for slot in (*bound.inputs, *bound.outputs):
        what = _not_plain(slot)
        if what:
            raise TaskError(
                f"{where}: {slot.parameter.name} is {what}, which a task cannot say", hint="choose another task"
            )


def _not_plain(slot: Slot) -> str:
    parameter = slot.parameter
    kinds = (
        (slot.is_list, "a list of tensors"),
        (not slot.present, "left out"),
        (parameter.in_place, "written in place"),
        (parameter.shape_depends_on_compute, "of a shape that the kernel computes"),
        (any(array.size == 0 for array in slot.arrays), "empty"),
    )
    known = {one.value for one in DType}
    strange = [array.dtype.name for array in slot.arrays if array.dtype.name not in known]
    return next((what for is_it, what in kinds if is_it), f"of type {strange[0]}" if strange else "")


def _require_references(where: str, bound: BoundCall, results: Sequence[int], native: Sequence[dict[str, Any]]) -> None:
    for slot, place in zip(bound.outputs, results, strict=True):
        fits = 0 <= place < len(native) and "file" in native[place]
        if not fits or int(np.prod(native[place]["shape"], dtype=np.int64)) != slot.arrays[0].size:
            raise TaskError(
                f"{where}: the benchmark's reference gives nothing for the output {slot.parameter.name}",
                hint="choose another task",
            )


def _task(folder: TaskFolder, group: Sequence[_Outline], mode: ShapeMode, path: TaskPath) -> Task:
    first = group[0]
    static = mode is ShapeMode.STATIC
    snake = folder.entry.replace("_", "-")
    name = f"npukb-{snake}-{first.row.case_id}" if static else f"npukb-{snake}-dynamic-{first.row.case_id}"
    split = len(first.bound.inputs)
    full = path is TaskPath.FULL
    specs = [_spec(slot, name, static, full) for slot, name in zip(first.slots, first.names, strict=True)]
    attrs = tuple(
        AttrSpec(name=_attr_name(key, first.names), type=_ATTR_TYPES[type(value)], default=value)
        for key, value in first.bound.attrs.items()
        if type(value) in _ATTR_TYPES
    )
    positions = {"inputs": [slot.position for slot in first.bound.inputs], "results": list(first.results)}
    return Task(
        name=name,
        description=_description(folder, group, first),
        level=_LEVELS.get(folder.level, "L3"),
        entry=folder.entry,
        inputs=tuple(specs[:split]),
        outputs=tuple(specs[split:]),
        attrs=attrs,
        cases=tuple(_case(one, static) for one in group),
        reference=Reference(
            external=External(
                provider="npukernelbench",
                source={"folder": str(folder.path), "positions": json.dumps(positions)},
            )
        ),
        path=path,
        shape_mode=mode,
        block_dim=BLOCKS,
        tags=(SUITE, folder.category),
        suite=SUITE,
    )


_ATTR_TYPES: dict[type, Literal["float", "int", "bool"]] = {float: "float", int: "int", bool: "bool"}


def _attr_name(name: str, taken: Sequence[str]) -> str:
    lowered = name[0].lower() + name[1:]
    return f"{lowered}Attr" if lowered in taken else lowered


def _spec(slot: Slot, name: str, static: bool, full: bool) -> TensorSpec:
    array = slot.arrays[0]
    shape = array.shape if static else tuple(f"{name}D{axis}" for axis in range(array.ndim))
    on_host = full and slot.parameter.on_host
    return TensorSpec(name=name, dtype=DType.from_numpy(array.dtype), shape=shape, on_host=on_host)


def _case(outline: _Outline, static: bool) -> Case:
    dims: dict[str, int] = {}
    if not static:
        for slot, name in zip(outline.slots, outline.names, strict=True):
            dims |= {f"{name}D{axis}": size for axis, size in enumerate(slot.arrays[0].shape)}
    return Case(name=f"case-{outline.row.case_id}", dims=dims)


def _description(folder: TaskFolder, group: Sequence[_Outline], first: _Outline) -> str:
    parts = [folder.description.strip() or folder.name]
    rows = "\n".join("; ".join(f"{key}={value}" for key, value in one.row.items()) for one in group)
    parts.append(f"Parameters of the cases:\n{rows}")
    said = {key: value for key, value in first.bound.attrs.items() if type(value) not in _ATTR_TYPES}
    if said:
        parts.append("Attributes: " + "; ".join(f"{key}={value!r}" for key, value in said.items()))
    return "\n\n".join(parts)
