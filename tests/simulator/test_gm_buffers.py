"""Arguments of a launch as files: named ones, and ones that the runner inherits."""

import os
from pathlib import Path

import numpy as np

from agentkernel.bench.suites import load_task
from agentkernel.judge import make_inputs
from agentkernel.shared_arrays import descriptor_of
from agentkernel.simulator.gm_buffers import Buffer, read_output, task_arguments, write_buffers
from agentkernel.simulator.output_files import OutputFiles
from agentkernel.task import Case, Task

LARGE = Case(name="large", dims={"n": (1 << 18) + 5})


def values(buffer: Buffer) -> bytes:
    if buffer.descriptor is not None:
        return os.pread(buffer.descriptor, buffer.size, buffer.offset)
    assert buffer.path is not None
    return buffer.path.read_bytes()[buffer.offset : buffer.offset + buffer.size]


def buffers_of(task: Task, folder: Path, outputs: OutputFiles | None) -> dict[str, Buffer]:
    inputs = make_inputs(task, LARGE)
    written = write_buffers(task_arguments(task, LARGE, inputs), folder, outputs)
    for buffer in written:
        buffer.poison()
    return {b.name: b for b in written}


def test_without_inherited_files_every_tensor_has_a_named_one(tmp_path: Path) -> None:
    task = load_task("add-float32").model_copy(update={"cases": (LARGE,)})
    found = buffers_of(task, tmp_path, None)
    assert all(found[name].path is not None and found[name].descriptor is None for name in ("x", "y", "z"))
    assert values(found["x"]) == make_inputs(task, LARGE)["x"].tobytes()


def test_inherited_files_hold_the_same_as_named_ones(tmp_path: Path) -> None:
    task = load_task("add-float32").model_copy(update={"cases": (LARGE,)})
    outputs = OutputFiles(tmp_path)
    named = buffers_of(task, tmp_path, None)
    inherited = buffers_of(task, tmp_path, outputs)
    for name in ("x", "y", "z", "tiling"):
        assert values(inherited[name]) == values(named[name])
        assert inherited[name].offset == named[name].offset
    if descriptor_of(make_inputs(task, LARGE)["x"]) is not None:
        assert inherited["x"].line.endswith(f"fd:{inherited['x'].descriptor}\n")
    outputs.close()


def test_an_output_is_read_from_either_kind_of_file(tmp_path: Path) -> None:
    task = load_task("add-float32").model_copy(update={"cases": (LARGE,)})
    outputs = OutputFiles(tmp_path)
    spec = task.outputs[0]
    shape = task.shape_of(spec, LARGE)
    for files in (None, outputs):
        read = read_output(spec.dtype.numpy, shape, buffers_of(task, tmp_path, files)["z"])
        assert read.shape == shape
        assert np.isnan(read).all()
    outputs.close()
