"""What cases look like as calls of their kernels, and which results of the benchmark's model stand for its outputs."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel.bench.npukernelbench import tensors
from agentkernel.bench.npukernelbench.arguments import BoundCall, Slot, bind
from agentkernel.bench.npukernelbench.cases import Row
from agentkernel.bench.npukernelbench.checkout import TaskFolder
from agentkernel.bench.npukernelbench.device import SOC, array_call
from agentkernel.bench.npukernelbench.machinery import Machinery
from agentkernel.bench.npukernelbench.recorded import MappingError, Recorded
from agentkernel.dtypes import DType
from agentkernel.errors import TaskError
from agentkernel.shared_arrays import memory_base
from agentkernel.simulator.host import OpDescription, columns_of, match_column
from agentkernel.simulator.operator_calls import host_call_of

Array = NDArray[Any]
Places = tuple[int, ...]
"""For each tensor of an output, which of the model's results it becomes; -1 for none."""


class Outline:
    """What a case looks like as a call of its kernel.

    Args:
        row: The case.
        operator: Its definition.
        bound: The call.
        results: By written parameter, where its tensors come back.
    """

    def __init__(self, row: Row, operator: OpDescription, bound: BoundCall, results: dict[str, Places]) -> None:
        self.row = row
        self.operator = operator
        self.bound = bound
        self.results = results

    @property
    def inputs(self) -> tuple[Slot, ...]:
        """The inputs."""
        return self.bound.inputs

    @property
    def outputs(self) -> tuple[Slot, ...]:
        """What the kernel writes: the outputs; of an operator without any, the inputs that come back."""
        if self.bound.outputs:
            return self.bound.outputs
        return tuple(slot for slot in self.bound.written if self.compared(slot))

    def compared(self, slot: Slot) -> bool:
        """Whether the reference gives every tensor of an output."""
        places = self.results.get(slot.parameter.name, ())
        return bool(places) and all(place >= 0 for place in places)

    def type_of(self, slot: Slot) -> DType:
        """Element type of a parameter; of one that is left out, what the definition combines with the others."""
        if slot.arrays:
            return DType.from_numpy(slot.arrays[0].dtype)
        op, call = self.operator, host_call_of(self.operator, array_call(self.bound))
        columns, _ = columns_of(op, SOC)
        column = match_column(columns, call.inputs, call.outputs)
        types = column or columns[0]
        names = [parameter.name for parameter in op.inputs]
        name = slot.parameter.name
        if name in names:
            return DType(types.inputs[names.index(name)][0])
        return DType(types.outputs[[parameter.name for parameter in op.outputs].index(name)][0])

    @property
    def signature(self) -> str:
        """Equal for cases that differ in sizes, and in how many tensors lists have, alone."""

        def kind(slot: Slot) -> list[Any]:
            rank = None if slot.is_list or not slot.arrays else slot.arrays[0].ndim
            return [slot.parameter.name, slot.present, slot.arrays[0].dtype.name if slot.arrays else "", rank]

        compared = [slot.parameter.name for slot in self.outputs if self.compared(slot)]
        kinds = [kind(slot) for slot in (*self.inputs, *self.outputs)]
        return json.dumps([kinds, self.bound.attrs, compared], default=str)


class Outliner:
    """Looks at cases of a task.

    Args:
        folder: The benchmark's task.
        machinery: Runs the benchmark's code.
    """

    def __init__(self, folder: TaskFolder, machinery: Machinery) -> None:
        self._task = folder
        self._machinery = machinery
        self._operator = machinery.definition(folder)

    def outline(self, row: Row) -> Outline:
        """What a case looks like.

        Raises:
            TaskError: A task cannot say it, or its inputs cannot be made.
        """
        where = f"{self._task.key} case {row.case_id}"
        folder = Path(tempfile.mkdtemp(prefix="npukb.", dir=memory_base()))
        try:
            prepared = self._machinery.do("prepare", self._task, row, folder)
            try:
                bound = bind_call(self._operator, prepared, folder)
            except MappingError as error:
                raise TaskError(f"{where}: {error}", hint="choose another task") from error
            _require_sayable(where, bound)
            results = self._results(row, folder, where, bound, prepared["native"])
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        found = Outline(row, self._operator, bound, results)
        if not any(found.compared(slot) for slot in found.outputs):
            raise TaskError(f"{where}: the benchmark's reference gives none of its outputs", hint="choose another task")
        return found

    def _results(
        self, row: Row, folder: Path, where: str, bound: BoundCall, native: Sequence[dict[str, Any]]
    ) -> dict[str, Places]:
        """Where each tensor that the kernel may write comes back, by parameter.

        Every one is filled with a pattern of its own, and the model's results are searched for them.
        """
        reply: dict[int, list[dict[str, Any]]] = {}
        marks: dict[str, list[Array]] = {}
        for slot in bound.written:
            if not slot.present or slot.position < 0:
                continue
            start = sum(map(len, marks.values()))
            made = [_mark(array, start + index) for index, array in enumerate(slot.arrays)]
            marks[slot.parameter.name] = made
            reply[slot.position] = [
                tensors.save(mark, folder, f"mark.{start + index}") for index, mark in enumerate(made)
            ]
        given = self._machinery.do("results", self._task, row, folder, (reply,))
        if "call" in given:
            raise TaskError(f"{where}: its model launches several kernels", hint="choose another task")
        results = [tensors.load(one, folder) if "file" in one else None for one in given["outputs"]]
        return {name: tuple(_place(mark, results, native) for mark in made) for name, made in marks.items()}


def bind_call(op: OpDescription, prepared: dict[str, Any], folder: Path) -> BoundCall:
    """The first call that a `prepare` job recorded, as a call of the operator.

    Raises:
        MappingError: It does not fit the definition.
    """
    return bind(op, [_recorded(one, folder) for one in prepared["calls"][0]["arguments"]])


def _recorded(one: dict[str, Any], folder: Path) -> Recorded:
    if one["kind"] == "tensor" and one["value"] is not None:
        return Recorded("tensor", tensors.load(one["value"], folder))
    if one["kind"] == "tensors":
        return Recorded("tensors", [tensors.load(item, folder) for item in one["value"]])
    return Recorded(one["kind"], one["value"])


def _mark(array: Array, number: int) -> Array:
    values = (np.arange(array.size) * 7 + number * 13 + 1) % 120
    if array.dtype == np.bool_:
        values = (values * 5 // 3) % 2  # no period of two, which a mask of alternating values would have
    return values.astype(array.dtype).reshape(array.shape)


def _place(mark: Array, results: Sequence[Array | None], native: Sequence[dict[str, Any]]) -> int:
    """Where a mark came back and the reference gives as many elements; converted, where it is nowhere as it is."""

    def fits(place: int, one: Array | None) -> bool:
        if one is None or one.size != mark.size or place >= len(native) or "file" not in native[place]:
            return False
        return int(np.prod(native[place]["shape"], dtype=np.int64)) == mark.size

    candidates = [(place, one) for place, one in enumerate(results) if fits(place, one)]
    for exactly in (True, False):
        for place, one in candidates:
            assert one is not None
            same = mark.reshape(-1) if exactly else mark.reshape(-1).astype(one.dtype)
            if one.dtype == same.dtype and np.array_equal(one.reshape(-1), same):
                return place
    return -1


def _require_sayable(where: str, bound: BoundCall) -> None:
    known = {one.value for one in DType}
    for slot in (*bound.inputs, *bound.outputs):
        types = {array.dtype.name for array in slot.arrays}
        strange = sorted(types - known)
        kinds = (
            (slot.parameter.shape_depends_on_compute, "of a shape that the kernel computes"),
            (any(array.size == 0 for array in slot.arrays), "empty"),
            (bool(strange), f"of type {', '.join(strange)}"),
            (len(types) > 1, "a list of several element types"),
        )
        for is_it, what in kinds:
            if is_it:
                text = f"{where}: {slot.parameter.name} is {what}, which a task cannot say"
                raise TaskError(text, hint="choose another task")
