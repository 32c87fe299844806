"""The written host side of a device-path task runs in the simulator and gives what the launch contract says."""

from pathlib import Path

import pytest

from agentkernel.bench.suites import load_task, suite
from agentkernel.export import Form, export
from agentkernel.kernel import Kernel
from agentkernel.launch import tiling_bytes
from agentkernel.operators import operator_name
from agentkernel.simulator.host import HostSimulator, HostTensor, OperatorCall, Platform
from agentkernel.task import Case, Task, TensorSpec

TASKS = ["softmax-float32", "add-float16", *[t.name for t in suite("core") if t.attrs][:2]]


def call_of(task: Task, case: Case) -> OperatorCall:
    def tensor(spec: TensorSpec) -> HostTensor:
        return HostTensor(shape=task.shape_of(spec, case), dtype=str(spec.dtype))

    return OperatorCall(
        inputs=tuple(map(tensor, task.inputs)),
        outputs=tuple(map(tensor, task.outputs)),
        attrs=task.attr_values(case),
    )


@pytest.mark.parametrize("name", TASKS)
def test_tiling_blocks_shapes_and_types_of_every_case(name: str, tmp_path: Path) -> None:
    task = load_task(name)
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
        assert host.infer_shape(build, op, call).shapes == tuple(task.shape_of(t, case) for t in task.outputs)
        assert host.infer_dtype(build, op, call).dtypes == tuple(str(t.dtype) for t in task.outputs)
