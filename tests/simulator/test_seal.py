"""Sealed runs: the simulator's memory is read-only while a kernel's code runs; all else goes on as ever."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from agentkernel.bench.suites import load_task
from agentkernel.composer import compose
from agentkernel.judge import make_inputs
from agentkernel.kernel import Kernel
from agentkernel.testing.packs import load, run
from agentkernel.toolchains.base import Run
from agentkernel.toolchains.simulator import SimulatorToolchain
from tests.evil import POKE
from tests.simulator.support import source, task

PACKS = Path(__file__).parents[1] / "packs"
X86 = platform.machine() == "x86_64"

COPY = """\
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x, 64);
    to.SetGlobalBuffer((__gm__ float*)y, 64);
    TPipe pipe;
    TQueBind<QuePosition::VECIN, QuePosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    LocalTensor<float> tile = queue.AllocTensor<float>();
    DataCopy(tile, from, 64);
    queue.EnQue(tile);
    tile = queue.DeQue<float>();
    DataCopy(to, tile, 64);
    queue.FreeTensor(tile);
"""
OWN_DATA = """\
    static uint32_t counts[4096];
    uint32_t local[512];
    for (int i = 0; i < 4096; ++i) counts[i] += local[i % 512] = i;
    if (counts[4095] != 4095 || local[511] != 4095) return;
"""


@pytest.fixture(scope="module")
def sealed() -> Iterator[SimulatorToolchain]:
    with SimulatorToolchain(sealed=True) as toolchain:
        yield toolchain


def judged(toolchain: SimulatorToolchain, body: str) -> Run:
    probe = task()
    build = toolchain.build(Kernel.from_source(source(body), probe.entry), probe)
    assert build.ok, build.diagnostics
    return toolchain.run(build, probe.cases[0], make_inputs(probe, probe.cases[0]))


@pytest.mark.skipif(not X86, reason="sealing needs an x86-64 processor")
@pytest.mark.parametrize("name", ["add-float16", "softmax-float32", "total-sum-float32", "cast-float32-to-bfloat16"])
def test_a_kernel_gives_the_same_when_sealed(sealed: SimulatorToolchain, name: str) -> None:
    wanted = load_task(name)
    case = wanted.cases[0]
    inputs = make_inputs(wanted, case)
    kernel = compose(wanted).kernel
    with SimulatorToolchain() as plain:
        expected = plain.run(plain.build(kernel, wanted), case, inputs)
    got = sealed.run(sealed.build(kernel, wanted), case, inputs)
    assert got.completed and got.diagnostics == expected.diagnostics
    assert got.estimate == expected.estimate
    for output, values in expected.outputs.items():
        assert values.tobytes() == got.outputs[output].tobytes()


@pytest.mark.skipif(not X86, reason="sealing needs an x86-64 processor")
@pytest.mark.parametrize("name", ["barrier_of_all_blocks", "one_block_after_another", "atomic_sum_over_blocks"])
def test_cores_that_wait_for_each_other_are_sealed_as_well(sealed: SimulatorToolchain, name: str) -> None:
    (kernel,) = (k for k in load(PACKS / "legal") if k.name == name)
    assert run(kernel, sealed).held


@pytest.mark.skipif(not X86, reason="sealing needs an x86-64 processor")
def test_a_store_into_the_simulators_memory_ends_the_kernel(sealed: SimulatorToolchain) -> None:
    run = judged(sealed, COPY + POKE)
    assert not run.completed
    (found,) = run.diagnostics
    assert found.code == "harness-access" and found.level == "cheat"
    assert found.location is not None
    assert "*place = *place" in source(COPY + POKE).splitlines()[(found.location.line or 0) - 1]


@pytest.mark.skipif(not X86, reason="sealing needs an x86-64 processor")
def test_a_kernels_own_data_and_stack_stay_writable(sealed: SimulatorToolchain) -> None:
    run = judged(sealed, OWN_DATA + COPY)
    assert run.completed and run.unwritten == {}


@pytest.mark.skipif(not X86, reason="sealing needs an x86-64 processor")
def test_other_crashes_are_named_as_ever(sealed: SimulatorToolchain) -> None:
    run = judged(sealed, "    *(volatile int*)nullptr = 1;")
    assert [d.code for d in run.diagnostics] == ["crash"]
    run = judged(sealed, "    ((__gm__ float*)x)[0] = 1;")
    assert [d.code for d in run.diagnostics] == ["gm-read-only"]


def test_without_a_seal_nothing_is_refused() -> None:
    with SimulatorToolchain() as plain:
        run = judged(plain, COPY + POKE)
    assert run.completed and np.isfinite(run.outputs["y"]).all()
