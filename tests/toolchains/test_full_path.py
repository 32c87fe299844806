"""Kernels that bring their host side: built for what their tiling asks, run on every case, and what is found wrong."""

import platform
from collections.abc import Callable, Iterator

import pytest

from agentkernel.bench.suites import load_task
from agentkernel.composer import compose
from agentkernel.kernel import Kernel
from agentkernel.task import Path, Task
from agentkernel.toolchains.simulator import SimulatorToolchain
from agentkernel.verdict import Verdict
from agentkernel.verify import verify
from tests.evil import POKE


@pytest.fixture(scope="module")
def toolchain() -> Iterator[SimulatorToolchain]:
    with SimulatorToolchain() as made:
        yield made


@pytest.fixture(scope="module")
def judge(toolchain: SimulatorToolchain) -> Callable[[Kernel, Task], Verdict]:
    return lambda kernel, task: verify(kernel, task, toolchain=toolchain)


def full(name: str) -> tuple[Task, Kernel]:
    task = load_task(name).model_copy(update={"path": Path.FULL})
    return task, compose(task).kernel


def changed(kernel: Kernel, name: str, old: str, new: str) -> Kernel:
    assert old in kernel.files[name]
    return Kernel(files={**kernel.files, name: kernel.files[name].replace(old, new)}, entry=kernel.entry)


def codes(verdict: Verdict) -> set[str]:
    return {diagnostic.code for diagnostic in verdict.all_diagnostics if diagnostic.is_error}


@pytest.mark.parametrize("name", ["softmax-float32", "add-float16"])
def test_a_composed_operator_passes_every_case(name: str, judge: Callable[[Kernel, Task], Verdict]) -> None:
    task, kernel = full(name)
    verdict = judge(kernel, task)
    assert verdict.passed, verdict.all_diagnostics
    assert [case.case for case in verdict.cases] == [case.name for case in task.cases]


def test_get_tiling_data_gives_what_the_host_side_registered(judge: Callable[[Kernel, Task], Verdict]) -> None:
    task, kernel = full("relu-float32")
    device = kernel.main_file
    old = kernel.files[device]
    assert "TilingData" in old
    host = {name: text.replace("HostTiling", "TilingData") for name, text in kernel.host_files.items()}
    start = old.index("struct TilingData {")
    stripped = old[:start] + old[old.index("};", start) + 2 :]
    verdict = judge(Kernel(files={**host, device: stripped}, entry=kernel.entry), task)
    assert verdict.passed, verdict.all_diagnostics


def test_an_error_of_the_host_code_is_at_its_line(judge: Callable[[Kernel, Task], Verdict]) -> None:
    task, kernel = full("relu-float32")
    name = f"op_host/{task.entry}.cpp"
    broken = changed(kernel, name, "context->SetBlockDim(kBlockDim);", "context->SetBlockDims(kBlockDim);")
    verdict = judge(broken, task)
    found = next(d for d in verdict.all_diagnostics if d.is_error)
    assert found.level.value == "host"
    assert found.location is not None
    assert found.location.file == name
    assert "SetBlockDims" in broken.files[name].splitlines()[found.location.line - 1]


def test_a_tiling_that_fails_for_one_case_fails_that_case(judge: Callable[[Kernel, Task], Verdict]) -> None:
    task, kernel = full("relu-float32")
    name = f"op_host/{task.entry}.cpp"
    guard = "    if (context->GetInputShape(0)->GetStorageShape().GetDim(0) == 1) return ge::GRAPH_FAILED;\n"
    old = "    context->SetBlockDim(kBlockDim);\n"
    verdict = judge(changed(kernel, name, old, guard + old), task)
    failed = {case.case for case in verdict.cases if not case.passed}
    assert failed == {case.name for case in task.cases if case.dims["n"] == 1}
    assert codes(verdict) == {"host-tiling-failed"}


def test_a_definition_of_another_operator_is_refused(judge: Callable[[Kernel, Task], Verdict]) -> None:
    task, kernel = full("relu-float32")
    name = f"op_host/{task.entry}.cpp"
    assert codes(judge(changed(kernel, name, "ge::DT_FLOAT", "ge::DT_FLOAT16"), task)) == {"host-definition"}
    assert codes(judge(changed(kernel, name, 'Input("x")', 'Input("input")'), task)) == {"host-definition"}


def test_a_kernel_without_a_host_side_says_which_files_are_missing(judge: Callable[[Kernel, Task], Verdict]) -> None:
    task, kernel = full("relu-float32")
    assert codes(judge(kernel.device_side, task)) == {"missing-file"}


def test_a_block_dim_of_zero_is_named(judge: Callable[[Kernel, Task], Verdict]) -> None:
    task, kernel = full("relu-float32")
    name = f"op_host/{task.entry}.cpp"
    verdict = judge(changed(kernel, name, "context->SetBlockDim(kBlockDim);", "context->SetBlockDim(0);"), task)
    assert codes(verdict) == {"host-block-dim"}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="sealing needs an x86-64 processor")
def test_the_strict_run_of_a_whole_operator_is_sealed(judge: Callable[[Kernel, Task], Verdict]) -> None:
    task, kernel = full("relu-float32")
    start = "    TPipe pipe;\n"
    hostile = changed(kernel, kernel.main_file, start, start + POKE)
    assert verify(hostile, task, check=False, unseen=False).passed
    verdict = verify(hostile, task, check=False)
    assert verdict.outcome == "cheat" and codes(verdict) == {"harness-access"}
