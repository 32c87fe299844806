"""Conformance suite of the Toolchain seam.

A test of a new toolchain runs every check:

    @pytest.mark.parametrize("check", toolchain.CHECKS, ids=lambda check: check.__name__)
    def test_toolchain(check):
        check(make)

`make()` gives a context manager whose value is a toolchain that knows `TASK`, `GOOD` and `BROKEN` (a scripted one is
given their results; a real one compiles them).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel.diagnostic import Level
from agentkernel.dtypes import DType
from agentkernel.errors import ToolchainError
from agentkernel.kernel import Kernel
from agentkernel.task import Case, Reference, ShapeMode, Task, TensorSpec
from agentkernel.toolchains.base import Toolchain

ToolchainFactory = Callable[[], AbstractContextManager[Toolchain]]

_SIZES = {"small": 64, "tail": 67}


def _tensor(name: str) -> TensorSpec:
    return TensorSpec(name=name, dtype=DType.FLOAT32, shape=("n",))


TASK = Task(
    name="conformance-add",
    description="Elementwise sum of two vectors.",
    level="L1",
    entry="conformance_add",
    inputs=(_tensor("x"), _tensor("y")),
    outputs=(_tensor("z"),),
    cases=tuple(Case(name=name, dims={"n": size}) for name, size in _SIZES.items()),
    reference=Reference(formula="z = x + y"),
    shape_mode=ShapeMode.DYNAMIC,
    block_dim=1,
)
"""z = x + y over one dimension, with an aligned and an unaligned size."""

_SOURCE = """\
#include "kernel_operator.h"
using namespace AscendC;

struct TilingData {
    uint32_t n;
};

extern "C" __global__ __aicore__ void conformance_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR work, GM_ADDR tiling)
{
    const uint32_t n = ((__gm__ TilingData*)tiling)->n;
    const uint32_t bytes = n * sizeof(float);
    GlobalTensor<float> xGm, yGm, zGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, n);
    yGm.SetGlobalBuffer((__gm__ float*)y, n);
    zGm.SetGlobalBuffer((__gm__ float*)z, n);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> inX, inY;
    TQue<TPosition::VECOUT, 1> outZ;
    pipe.InitBuffer(inX, 1, 512);
    pipe.InitBuffer(inY, 1, 512);
    pipe.InitBuffer(outZ, 1, 512);
    DataCopyExtParams copy{1, bytes, 0, 0, 0};
    DataCopyPadExtParams<float> pad{false, 0, 0, 0.0f};
    LocalTensor<float> a = inX.AllocTensor<float>();
    LocalTensor<float> b = inY.AllocTensor<float>();
    DataCopyPad(a, xGm, copy, pad);
    DataCopyPad(b, yGm, copy, pad);
    inX.EnQue(a);
    inY.EnQue(b);
    a = inX.DeQue<float>();
    b = inY.DeQue<float>();
    LocalTensor<float> c = outZ.AllocTensor<float>();
    Add(c, a, b, n);
    inX.FreeTensor(a);
    inY.FreeTensor(b);
    outZ.EnQue(c);
    c = outZ.DeQue<float>();
    DataCopyPad(zGm, c, copy);
    outZ.FreeTensor(c);
}
"""

GOOD = Kernel.from_source(_SOURCE, TASK.entry)
"""A kernel that computes the task."""

BROKEN = Kernel.from_source(_SOURCE.replace("Add(c, a, b, n);", "AddVectors(c, a, b, n);"), TASK.entry)
"""A kernel that calls what does not exist."""


def inputs_of(case: Case, seed: int = 0) -> dict[str, NDArray[Any]]:
    """Inputs of a case."""
    rng = np.random.default_rng(seed)
    size = case.dims["n"]
    return {name: rng.uniform(-1, 1, size).astype(np.float32) for name in ("x", "y")}


def outputs_of(case: Case, seed: int = 0) -> dict[str, NDArray[Any]]:
    """Outputs that the good kernel gives for them."""
    inputs = inputs_of(case, seed)
    return {"z": inputs["x"] + inputs["y"]}


def it_is_a_toolchain(make: ToolchainFactory) -> None:
    """It has the seam's members; name and versions are texts and stay."""
    with make() as toolchain:
        assert isinstance(toolchain, Toolchain)
        assert toolchain.name and toolchain.name == toolchain.name.strip()
        versions = toolchain.versions
        assert versions and all(isinstance(k, str) and isinstance(v, str) for k, v in versions.items())
        toolchain.build(GOOD, TASK)
        assert toolchain.versions == versions


def a_good_kernel_builds(make: ToolchainFactory) -> None:
    """The result names its kernel, its task and its artifact, and holds no error."""
    with make() as toolchain:
        build = toolchain.build(GOOD, TASK)
        assert build.ok, build.diagnostics
        assert (build.kernel, build.task) == (GOOD, TASK)
        assert build.artifact
        assert not any(diagnostic.is_error for diagnostic in build.diagnostics)


def a_broken_kernel_is_data(make: ToolchainFactory) -> None:
    """A candidate's fault is no exception: it is an error of the API level in a result without artifact."""
    with make() as toolchain:
        build = toolchain.build(BROKEN, TASK)
        assert not build.ok and not build.artifact
        errors = [diagnostic for diagnostic in build.diagnostics if diagnostic.is_error]
        assert errors and errors[0].level is Level.API


def building_again_gives_the_same(make: ToolchainFactory) -> None:
    """Results do not depend on how often a kernel is built."""
    with make() as toolchain:
        for kernel in (GOOD, BROKEN):
            first, second = toolchain.build(kernel, TASK), toolchain.build(kernel, TASK)
            assert (first.ok, first.diagnostics) == (second.ok, second.diagnostics)


def a_failed_build_cannot_be_run(make: ToolchainFactory) -> None:
    """Running it is the caller's mistake."""
    with make() as toolchain:
        build = toolchain.build(BROKEN, TASK)
        try:
            toolchain.run(build, TASK.cases[0], inputs_of(TASK.cases[0]))
        except ToolchainError as error:
            assert error.message and error.hint
        else:
            raise AssertionError("a kernel that did not compile was run")


def every_case_runs(make: ToolchainFactory) -> None:
    """Outputs have their declared names, shapes and dtypes, and the right values."""
    with make() as toolchain:
        build = toolchain.build(GOOD, TASK)
        for case in TASK.cases:
            run = toolchain.run(build, case, inputs_of(case))
            assert run.completed, run.diagnostics
            assert not run.unwritten and not any(diagnostic.is_error for diagnostic in run.diagnostics)
            expected = outputs_of(case)
            assert set(run.outputs) == set(expected)
            for name, array in expected.items():
                assert run.outputs[name].dtype == array.dtype and run.outputs[name].shape == array.shape
                np.testing.assert_array_equal(run.outputs[name], array)


def inputs_stay_as_they_are(make: ToolchainFactory) -> None:
    """A run changes nothing in the caller's arrays, and does not need to write to them."""
    with make() as toolchain:
        case = TASK.cases[0]
        inputs = inputs_of(case)
        for array in inputs.values():
            array.setflags(write=False)
        toolchain.run(toolchain.build(GOOD, TASK), case, inputs)
        for name, array in inputs_of(case).items():
            np.testing.assert_array_equal(inputs[name], array)


def runs_do_not_disturb_each_other(make: ToolchainFactory) -> None:
    """Runs from several threads give what they give alone."""
    with make() as toolchain:
        build = toolchain.build(GOOD, TASK)
        cases = [*TASK.cases] * 3
        with ThreadPoolExecutor(max_workers=3) as pool:
            runs = list(pool.map(lambda case: toolchain.run(build, case, inputs_of(case)), cases))
        for case, run in zip(cases, runs, strict=True):
            assert run.completed, run.diagnostics
            np.testing.assert_array_equal(run.outputs["z"], outputs_of(case)["z"])


CHECKS: tuple[Callable[[ToolchainFactory], None], ...] = (
    it_is_a_toolchain,
    a_good_kernel_builds,
    a_broken_kernel_is_data,
    building_again_gives_the_same,
    a_failed_build_cannot_be_run,
    every_case_runs,
    inputs_stay_as_they_are,
    runs_do_not_disturb_each_other,
)
"""Every check; each takes the factory."""
