"""Input and expected values of tasks made from a checkout (`agentkernel.bench.npukernelbench.tasks`).

The benchmark's generator and reference run in a child process; what they gave is kept on disk under a digest of the
task's files, the case and the seed, because starting torch takes longer than most cases.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel.bench.npukernelbench import tensors
from agentkernel.bench.npukernelbench.cases import Row, read_rows
from agentkernel.bench.npukernelbench.checkout import TaskFolder, task_folder
from agentkernel.bench.npukernelbench.machinery import Machinery
from agentkernel.bench.npukernelbench.tasks import argument_array
from agentkernel.dtypes import DType
from agentkernel.errors import TaskError
from agentkernel.simulator.cache import cache_folder
from agentkernel.task import Case, Task, TensorSpec

Array = NDArray[Any]
Values = dict[str, Array]

_KEPT = 64
"""Cases whose values stay on disk."""


def provide(task: Task, case: Case, machinery: Machinery | None = None) -> tuple[Values, Values]:
    """Inputs and expected outputs of a case, by name.

    Args:
        task: A task made from a checkout.
        case: One of its cases.
        machinery: Runs the benchmark's code; made, and ended, for this call by default.

    Raises:
        TaskError: The checkout is gone or has changed so that it does not fit the task, or its generator raises.
        ConfigError: There is no torch.
    """
    kept, result = _values(task, case, machinery)
    arguments = result["calls"][0]["arguments"]
    places = _positions(task)
    inputs = {
        spec.name: _input(task, spec, case, arguments[place], kept)
        for spec, place in zip(task.inputs, places["inputs"], strict=True)
    }
    wide: Sequence[dict[str, Any]] = result["double"] or result["native"]
    return inputs, _outputs(task, case, kept, result["native"], wide)


def provide_plain(task: Task, case: Case, machinery: Machinery | None = None) -> Values:
    """Outputs of the reference in the precision of its inputs, by name; arguments and errors of `provide`."""
    kept, result = _values(task, case, machinery)
    return _outputs(task, case, kept, result["native"], result["native"])


def _values(task: Task, case: Case, machinery: Machinery | None) -> tuple[Path, dict[str, Any]]:
    """The folder of a case's values, and what its record says."""
    assert task.reference.external is not None
    source = task.reference.external.source
    folder = task_folder(Path(source["folder"]))
    if folder is None:
        raise TaskError(
            f"{task.name}: {source['folder']} is no task folder of the benchmark any more",
            hint="make the task again from a checkout",
        )
    number = case_number(case)
    row = next((row for row in read_rows(folder.cases_file) if row.case_id == number), None)
    if row is None:
        raise TaskError(f"{task.name}: {folder.cases_file} has no case {number}", hint="make the task again")
    kept = _prepared(folder, row, machinery)
    result: dict[str, Any] = json.loads((kept / "result.json").read_text(encoding="utf-8"))
    return kept, result


def _positions(task: Task) -> dict[str, list[int]]:
    assert task.reference.external is not None
    positions: dict[str, list[int]] = json.loads(task.reference.external.source["positions"])
    return positions


def _outputs(
    task: Task, case: Case, kept: Path, native: Sequence[dict[str, Any]], wide: Sequence[dict[str, Any]]
) -> Values:
    return {
        spec.name: _expected(task, spec, case, tensors.load(native[place], kept), tensors.load(wide[place], kept))
        for spec, place in zip(task.outputs, _positions(task)["results"], strict=True)
    }


def case_number(case: Case) -> int:
    """Number of the benchmark's case that a task's case stands for."""
    return int(case.name.rsplit("-", 1)[-1])


def _prepared(task: TaskFolder, row: Row, machinery: Machinery | None) -> Path:
    """The folder of a finished `prepare` job."""
    files = sorted((task.path / "validation").iterdir())
    text = b"\0".join(path.read_bytes() for path in files if path.is_file())
    digest = hashlib.sha256(text + repr((task.key, row.to_dict())).encode()).hexdigest()[:24]
    base = cache_folder() / "npukernelbench-values"
    kept = base / digest
    if (kept / "result.json").exists():
        os.utime(kept)
        return kept
    base.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix="new.", dir=base))
    try:
        if machinery is not None:
            machinery.do("prepare", task, row, making)
        else:
            with Machinery() as own:
                own.do("prepare", task, row, making)
        try:
            making.rename(kept)
        except OSError:  # another process was faster
            if not (kept / "result.json").exists():
                raise
    finally:
        shutil.rmtree(making, ignore_errors=True)
    _prune(base)
    return kept


def _prune(base: Path) -> None:
    entries = sorted(base.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in entries[_KEPT:]:
        shutil.rmtree(path, ignore_errors=True)


def _input(task: Task, spec: TensorSpec, case: Case, argument: dict[str, Any], kept: Path) -> Array:
    array = argument_array(argument, kept)
    shape = task.shape_of(spec, case)
    if array.shape != shape or array.dtype != spec.dtype.numpy:
        raise TaskError(
            f"{task.name}: the benchmark now gives {array.dtype}{list(array.shape)} for the input {spec.name}",
            hint="make the task again from the checkout",
        )
    array.flags.writeable = False
    return array


def _expected(task: Task, spec: TensorSpec, case: Case, native: Array, exact: Array) -> Array:
    shape = task.shape_of(spec, case)
    if native.size != int(np.prod(shape, dtype=np.int64)):
        raise TaskError(f"{task.name}: the reference's {spec.name} has {native.size} elements", hint="make it again")
    if spec.dtype is DType.BOOL:
        return native.astype(np.bool_).reshape(shape)
    if spec.dtype.is_float:
        usable = exact.size == native.size and exact.dtype.kind == "f"
        return (exact if usable else native).astype(np.float64).reshape(shape)
    return native.astype(np.int64).reshape(shape)
