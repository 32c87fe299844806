"""The written host side of a device-path task runs in the simulator and gives what the launch contract says."""

from pathlib import Path

import pytest

from agentkernel.bench.suites import load_task, suite
from agentkernel.export import Form, export
from agentkernel.kernel import Kernel
from agentkernel.launch import output_arguments, tiling_bytes
from agentkernel.operators import operator_name
from agentkernel.simulator.host import HostSimulator, HostTensor, OperatorCall, Platform
from agentkernel.task import Case, Task

TASKS = ["softmax-float32", "add-float16", *[t.name for t in suite("core") if t.attrs][:2]]


def call_of(task: Task, case: Case) -> OperatorCall:
    arrays = (*task.inputs_of(case), *task.outputs_of(case))
    tensors = {one.name: HostTensor(shape=one.shape, dtype=str(one.dtype)) for one in arrays}
    return OperatorCall(
        inputs=tuple(task.value_of(spec, case, tensors) for spec in task.inputs),
        outputs=tuple(task.value_of(spec, case, tensors) for _, spec in output_arguments(task)),
        attrs=task.attr_values(case),
    )


@pytest.mark.parametrize("name", [*TASKS, "scale-list-operator", "momentum-operator", "rms-norm-optional-operator"])
def test_tiling_blocks_shapes_and_types_of_every_case(name: str, tmp_path: Path) -> None:
    task = Task.model_validate(load_task(name).model_dump() | {"path": "device"})
    export(Kernel.from_source("// not looked at", task.entry), task, Form.MSOPGEN, tmp_path / "out")
    host = HostSimulator()
    build = host.build_host(tmp_path / "out" / "op_host")
    assert build.ok, build.diagnostics
    op = operator_name(task.entry)
    for case in task.cases:
        call = call_of(task, case)
        tiling = host.run_tiling(build, op, call, Platform())
        assert tiling.ok, tiling.diagnostics
        assert tiling.data == tiling_bytes(task, case)
        assert tiling.block_dim == task.block_dim
        assert tiling.workspace_bytes == 32 << 20
        shapes, dtypes = host.infer_shape(build, op, call).shapes, host.infer_dtype(build, op, call).dtypes
        if not case.absent:  # else there are places for what is left out, too
            assert shapes == tuple(one.shape for one in task.outputs_of(case))
            assert dtypes == tuple(str(one.dtype) for one in task.outputs_of(case))
