"""What a call through the benchmark's bindings asks of the device: recorded, or answered from a finished run.

The bindings' helper header (`include/pytorch_npu_helper.hpp`) hands every `EXEC_NPU_CMD` to `Recorder.execute`. A first
pass records the arguments and stops there; after the simulator has run the operator, a second pass fills the tensors
that it wrote and lets the binding go on, so that what it does with its outputs (cutting, choosing, reordering) is done
by the benchmark's own code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentkernel.bench.npukernelbench import tensors

MODULE = "agentkernel_npukb_recorder"
"""Name under which the bindings import the recorder of their process."""

Argument = tuple[str, Any]
"""Kind and value: `tensor` (a tensor, or None for an absent one), `tensors` (a list), `scalar` (value and torch dtype
name), `scalars` (a list of such), `ints`, `floats`, `bools` (lists, or None), `int`, `float`, `bool`, `string`."""


class Captured(BaseException):
    """A call was recorded that no run has answered yet. Not an `Exception`: no handler of the benchmark may eat it."""


class Recorder:
    """The calls of one forward pass.

    Args:
        replies: For each call that has been run, the values to write by argument position; a list's by its elements.
    """

    def __init__(self, replies: Sequence[Mapping[int, Sequence[Any]]] = ()) -> None:
        self._replies = replies
        self.calls: list[tuple[str, list[Argument]]] = []

    def execute(self, name: str, arguments: Sequence[Argument]) -> None:
        """One `EXEC_NPU_CMD`.

        Raises:
            Captured: No run has answered this call.
        """
        self.calls.append((name, list(arguments)))
        if len(self.calls) > len(self._replies):
            raise Captured
        for position, values in self._replies[len(self.calls) - 1].items():
            kind, target = arguments[position]
            places = [target] if kind == "tensor" else list(target)
            for place, array in zip(places, values, strict=True):
                place.copy_(tensors.to_tensor(array).reshape(place.shape))  # some layers above add axes


def describe(arguments: Sequence[Argument], folder: Path, prefix: str, *, marked: bool = False) -> list[dict[str, Any]]:
    """Recorded arguments as JSON values, their tensors as files of a folder.

    Args:
        arguments: Of one call.
        folder: For the files.
        prefix: Of their names.
        marked: Whether torch fills new memory (`tensors.marks_new_memory`), so that zeros were written by the binding.
    """
    found = []
    for position, (kind, value) in enumerate(arguments):
        zeroed = marked and kind == "tensor" and value is not None and not bool(value.any())
        if kind == "tensor" and value is not None:
            value = tensors.save(tensors.to_array(value), folder, f"{prefix}.{position}")  # noqa: PLW2901
        elif kind == "tensors":
            value = [  # noqa: PLW2901
                tensors.save(tensors.to_array(item), folder, f"{prefix}.{position}.{index}")
                for index, item in enumerate(value)
            ]
        found.append({"kind": kind, "value": value, "zeroed": zeroed})
    return found
