"""What the scripted and the recorded toolchain do beyond the suite."""

from __future__ import annotations

import json

import ml_dtypes
import numpy as np
import pytest

from agentkernel.dtypes import DType
from agentkernel.errors import StoreError, ToolchainError
from agentkernel.kernel import Kernel
from agentkernel.task import Case, Reference, ShapeMode, Task, TensorSpec
from agentkernel.testing import toolchain as suite
from agentkernel.toolchains.replay import CALLS, RecordingToolchain, ReplayToolchain
from agentkernel.toolchains.scripted import Script, ScriptedRun, ScriptedToolchain


def test_a_script_keeps_what_it_was_asked():
    toolchain = ScriptedToolchain({}, default=Script(runs={"small": ScriptedRun(completed=False)}))
    build = toolchain.build(suite.GOOD, suite.TASK)
    assert not toolchain.run(build, suite.TASK.cases[0], {}).completed
    assert toolchain.asked == [("build", suite.GOOD.digest), ("small", suite.GOOD.digest)]


def test_what_is_not_in_the_script_is_an_error():
    toolchain = ScriptedToolchain({suite.GOOD.digest: Script()})
    with pytest.raises(ToolchainError, match="holds no kernel"):
        toolchain.build(suite.BROKEN, suite.TASK)
    with pytest.raises(ToolchainError, match="no run of case 'small'"):
        toolchain.run(toolchain.build(suite.GOOD, suite.TASK), suite.TASK.cases[0], {})


def test_a_script_may_ask_for_a_broken_toolchain():
    toolchain = ScriptedToolchain({}, default=Script(error="disk full"))
    with pytest.raises(ToolchainError, match="disk full"):
        toolchain.build(suite.GOOD, suite.TASK)


EVERY = [dtype for dtype in DType]


def every_dtype_task() -> Task:
    return Task(
        name="every-dtype",
        description="Gives one output of each element type.",
        level="L1",
        entry="every_dtype",
        inputs=(),
        outputs=tuple(TensorSpec(name=f"out{i}", dtype=dtype, shape=(3, 5)) for i, dtype in enumerate(EVERY)),
        cases=(Case(name="only"),),
        reference=Reference(python="def reference(inputs, attrs): raise NotImplementedError"),
        shape_mode=ShapeMode.STATIC,
    )


def test_a_recording_keeps_every_bit_of_every_dtype(tmp_path):
    task = every_dtype_task()
    rng = np.random.default_rng(3)
    outputs = {}
    for tensor in task.outputs:
        raw = rng.integers(0, 256, 15 * tensor.dtype.itemsize, dtype=np.uint8)
        raw = raw % 2 if tensor.dtype is DType.BOOL else raw
        outputs[tensor.name] = raw.view(tensor.dtype.numpy).reshape(3, 5)
    kernel = Kernel.from_source("int a;", "every_dtype")
    inner = ScriptedToolchain({}, default=Script(runs={"only": ScriptedRun(outputs=outputs)}))
    recording = RecordingToolchain(inner, tmp_path)
    recording.run(recording.build(kernel, task), task.cases[0], {})
    replay = ReplayToolchain(tmp_path)
    run = replay.run(replay.build(kernel, task), task.cases[0], {})
    for name, array in outputs.items():
        assert run.outputs[name].dtype == array.dtype and run.outputs[name].shape == array.shape
        assert run.outputs[name].tobytes() == array.tobytes()
    assert run.outputs[f"out{EVERY.index(DType.BFLOAT16)}"].dtype == ml_dtypes.bfloat16


def test_other_inputs_are_another_run(tmp_path):
    runs = {case.name: ScriptedRun(outputs=suite.outputs_of(case)) for case in suite.TASK.cases}
    recording = RecordingToolchain(ScriptedToolchain({}, default=Script(runs=runs)), tmp_path)
    case = suite.TASK.cases[0]
    build = recording.build(suite.GOOD, suite.TASK)
    recording.run(build, case, suite.inputs_of(case))
    replay = ReplayToolchain(tmp_path)
    with pytest.raises(ToolchainError, match="holds no run of conformance-add/small"):
        replay.run(build, case, suite.inputs_of(case, seed=1))
    with pytest.raises(ToolchainError, match="holds no build"):
        replay.build(suite.BROKEN, suite.TASK)


def test_no_recording_and_a_damaged_one_are_named(tmp_path):
    with pytest.raises(StoreError, match="no recording"):
        ReplayToolchain(tmp_path / "none")
    (tmp_path / CALLS).write_text(json.dumps({"call": "toolchain", "name": "n", "versions": {}}) + "\nnonsense\n")
    with pytest.raises(StoreError, match="line 2"):
        ReplayToolchain(tmp_path)


def test_lost_arrays_are_named(tmp_path):
    runs = {case.name: ScriptedRun(outputs=suite.outputs_of(case)) for case in suite.TASK.cases}
    recording = RecordingToolchain(ScriptedToolchain({}, default=Script(runs=runs)), tmp_path)
    case = suite.TASK.cases[0]
    build = recording.build(suite.GOOD, suite.TASK)
    recording.run(build, case, suite.inputs_of(case))
    for path in tmp_path.glob("*.npz"):
        path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(StoreError, match="damaged"):
        ReplayToolchain(tmp_path).run(build, case, suite.inputs_of(case))
