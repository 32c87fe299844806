"""Outputs are poisoned while the runner starts, and no candidate is loaded before that is done."""

import errno
import os
from pathlib import Path

import numpy as np
import pytest

from agentkernel.bench.suites import load_task
from agentkernel.errors import ToolchainError
from agentkernel.judge import make_inputs
from agentkernel.kernel import Kernel
from agentkernel.simulator.gm_buffers import GmArgument, write_buffers
from agentkernel.simulator.output_files import OutputFile, OutputFiles
from agentkernel.simulator.poisoning import Poisoning
from agentkernel.task import Case, Task
from agentkernel.toolchains.simulator import SimulatorToolchain

LARGE = Case(name="large", dims={"n": (1 << 20) + 5})
NOTHING = """\
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void {entry}(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {{}}
"""


@pytest.fixture
def task() -> Task:
    return load_task("add-float32").model_copy(update={"cases": (LARGE,)})


def test_the_runner_hears_of_it_when_all_is_written(tmp_path: Path) -> None:
    outputs = OutputFiles(tmp_path)
    buffers = write_buffers([GmArgument.output("y", (1 << 20,), np.float32)], tmp_path, outputs)
    with Poisoning(buffers) as poisoning:
        (reader,) = poisoning.descriptors
        assert poisoning.line == f"ready\tfd:{reader}\n"
        os.set_blocking(reader, False)
        with pytest.raises(BlockingIOError):
            os.read(reader, 1)
        poisoning.write()
        assert os.read(reader, 1) == b"1"
    poisoning.raise_if_failed()
    assert buffers[0].descriptor is not None
    assert os.pread(buffers[0].descriptor, 8, buffers[0].offset) == b"\xab\xff" * 4
    outputs.close()


def test_small_outputs_need_no_waiting(tmp_path: Path) -> None:
    outputs = OutputFiles(tmp_path)
    with Poisoning(write_buffers([GmArgument.output("y", (8,), np.float32)], tmp_path, outputs)) as poisoning:
        assert poisoning.descriptors == () and poisoning.line == ""
        poisoning.write()
    outputs.close()


def test_nothing_stays_open(tmp_path: Path) -> None:
    outputs = OutputFiles(tmp_path)
    buffers = write_buffers([GmArgument.output("y", (1 << 20,), np.float32)], tmp_path, outputs)
    before = os.listdir("/proc/self/fd")
    with pytest.raises(KeyboardInterrupt), Poisoning(buffers):
        raise KeyboardInterrupt
    assert os.listdir("/proc/self/fd") == before
    outputs.close()


def test_an_output_that_a_kernel_does_not_write_holds_nothing_of_an_earlier_run(task: Task) -> None:
    from agentkernel.composer import compose

    inputs = make_inputs(task, LARGE)
    with SimulatorToolchain() as toolchain:
        right = toolchain.run(toolchain.build(compose(task).kernel, task), LARGE, inputs)
        assert right.unwritten == {}
        del right  # its file is free for the next run
        idle = Kernel(files={"k.cpp": NOTHING.format(entry=task.entry)}, entry=task.entry)
        run = toolchain.run(toolchain.build(idle, task), LARGE, inputs)
        assert run.unwritten == {"z": LARGE.dims["n"]}
        assert np.isnan(run.outputs["z"]).all()


def test_a_full_disk_is_named_and_no_fault_of_the_kernel(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: OutputFile, head: int, pieces: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    from agentkernel.composer import compose

    with SimulatorToolchain() as toolchain:
        build = toolchain.build(compose(task).kernel, task)
        monkeypatch.setattr(OutputFile, "write", full)
        with pytest.raises(ToolchainError, match="No space left on device"):
            toolchain.run(build, LARGE, make_inputs(task, LARGE))
