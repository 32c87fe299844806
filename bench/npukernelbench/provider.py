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
from agentkernel.bench.npukernelbench.outlines import bind_call
from agentkernel.bench.npukernelbench.recorded import MappingError
from agentkernel.dtypes import DType
from agentkernel.errors import TaskError
from agentkernel.simulator.cache import cache_folder
from agentkernel.simulator.host import OpDescription
from agentkernel.task import Case, CaseTensor, Task

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
    folder, kept, result = _values(task, case, machinery)
    try:
        bound = bind_call(_definition(folder, machinery), result, kept)
    except MappingError as error:
        raise TaskError(f"{task.name}/{case.name}: {error}", hint="make the task again from the checkout") from error
    inputs: Values = {}
    for spec, slot in zip(task.inputs, bound.inputs, strict=True):
        tensors_of = task.tensors_of(spec, case)
        if len(tensors_of) != len(slot.arrays):
            text = f"{task.name}/{case.name}: the benchmark now gives {len(slot.arrays)} tensors for {spec.name}"
            raise TaskError(text, hint="make the task again from the checkout")
        inputs |= {one.name: _input(task, one, array) for one, array in zip(tensors_of, slot.arrays, strict=True)}
    wide: Sequence[dict[str, Any]] = result["double"] or result["native"]
    return inputs, _outputs(task, case, kept, result["native"], wide)


def provide_plain(task: Task, case: Case, machinery: Machinery | None = None) -> Values:
    """Outputs of the reference in the precision of its inputs, by name; arguments and errors of `provide`."""
    _, kept, result = _values(task, case, machinery)
    return _outputs(task, case, kept, result["native"], result["native"])


def _values(task: Task, case: Case, machinery: Machinery | None) -> tuple[TaskFolder, Path, dict[str, Any]]:
    """The benchmark's task, the folder of a case's values, and what its record says."""
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
    return folder, kept, result


def _definition(folder: TaskFolder, machinery: Machinery | None) -> OpDescription:
    """The operator's definition; kept, because reading it compiles the skeleton's host code."""
    sources = sorted(path for path in (folder.path / "question" / "op_host").rglob("*") if path.is_file())
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()[:24]
    kept = cache_folder() / "npukernelbench-definitions" / f"{folder.name}.{digest}.json"
    if kept.exists():
        return OpDescription.model_validate_json(kept.read_text(encoding="utf-8"))
    if machinery is not None:
        found = machinery.definition(folder)
    else:
        with Machinery() as own:
            found = own.definition(folder)
    kept.parent.mkdir(parents=True, exist_ok=True)
    new = kept.with_suffix(f".{os.getpid()}")
    new.write_text(found.model_dump_json(), encoding="utf-8")
    os.replace(new, kept)
    return found


def _results(task: Task, case: Case) -> list[list[int]]:
    """For each output, which results of the reference its tensors are."""
    assert task.reference.external is not None
    results: dict[str, list[list[int]]] = json.loads(task.reference.external.source["results"])
    return results[case.name]


def _outputs(
    task: Task, case: Case, kept: Path, native: Sequence[dict[str, Any]], wide: Sequence[dict[str, Any]]
) -> Values:
    return {
        one.name: _expected(task, one, tensors.load(native[place], kept), tensors.load(wide[place], kept))
        for spec, places in zip(task.outputs, _results(task, case), strict=True)
        if spec.compare and spec.name not in case.absent
        for one, place in zip(task.tensors_of(spec, case), places, strict=True)
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


def _input(task: Task, spec: CaseTensor, array: Array) -> Array:
    if array.shape != spec.shape or array.dtype != spec.dtype.numpy:
        raise TaskError(
            f"{task.name}: the benchmark now gives {array.dtype}{list(array.shape)} for the input {spec.name}",
            hint="make the task again from the checkout",
        )
    array.flags.writeable = False
    return array


def _expected(task: Task, spec: CaseTensor, native: Array, exact: Array) -> Array:
    if native.size != int(np.prod(spec.shape, dtype=np.int64)):
        raise TaskError(f"{task.name}: the reference's {spec.name} has {native.size} elements", hint="make it again")
    if spec.dtype is DType.BOOL:
        return native.astype(np.bool_).reshape(spec.shape)
    if spec.dtype.is_float:
        usable = exact.size == native.size and exact.dtype.kind == "f"
        return (exact if usable else native).astype(np.float64).reshape(spec.shape)
    whole = np.rint(native.astype(np.float64)) if native.dtype.kind not in "iub" else native
    return whole.astype(np.int64).reshape(spec.shape)
