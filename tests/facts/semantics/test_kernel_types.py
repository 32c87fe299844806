"""Kernel types: which cores run a kernel, and who they are (facts: semantics, section 19; host_api, section 10.2)."""

from __future__ import annotations

import numpy as np
import pytest

from agentkernel.testing.simulate import simulate

from .batch import Array, explain
from .marks import api

_BLOCKS = 3
_CORES = 2 * _BLOCKS
"""Most cores of one kind that the launch below can start."""

_TEXT = """#include "kernel_operator.h"
using namespace AscendC;
%(functions)s
extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR workspace)
{
    %(types)s
    int32_t kind = 0;
    if ASCEND_IS_AIV {
        kind = 1;
    }
    GlobalTensor<int32_t> to;
    to.SetGlobalBuffer((__gm__ int32_t *)y + (kind * %(cores)d + GetBlockIdx()) * 16, 16);
    to.SetValue(0, 1);
    to.SetValue(1, static_cast<int32_t>(block_idx));
    to.SetValue(2, static_cast<int32_t>(GetSubBlockIdx()));
    to.SetValue(3, static_cast<int32_t>(GetTaskRatio()));
    to.SetValue(4, static_cast<int32_t>(GetSubBlockNum()));
    to.SetValue(5, static_cast<int32_t>(GetBlockNum()));
    to.SetValue(6, 0);
    to.SetValue(7, 0);
    %(more)s
    DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(to);
}
"""

_KINDS = {
    "KERNEL_TYPE_AIV_ONLY": (0, 1),
    "KERNEL_TYPE_AIC_ONLY": (1, 0),
    "KERNEL_TYPE_MIX_AIV_1_0": (0, 1),
    "KERNEL_TYPE_MIX_AIC_1_0": (1, 0),
    "KERNEL_TYPE_MIX_AIC_1_1": (1, 1),
    "KERNEL_TYPE_MIX_AIC_1_2": (1, 2),
}
"""Cube and vector cores of one block."""


def _told(types: str, functions: str = "", more: str = "") -> Array:
    """What each core wrote, by kind (cube, vector) and block index; zeros where no core ran."""
    source = _TEXT % {"types": types, "cores": _CORES, "functions": functions, "more": more}
    result = simulate(source, {}, {"y": ((2, _CORES, 16), "int32")}, blocks=_BLOCKS)
    assert result.compiled and result.completed, explain(result)
    assert not set(result.codes) - {"output-not-written"}, explain(result)
    words = result.outputs["y"].copy()
    ran = words[..., 0] == 1
    words[~ran] = 0
    return words


def _check(words: Array, cubes: int, vectors: int) -> None:
    for kind, cores in enumerate((cubes, vectors)):
        want = np.zeros((_CORES, 5), np.int32)
        for i in range(_BLOCKS * cores):
            want[i] = (1, i // cores, i % cores, cores, cores)
        np.testing.assert_array_equal(words[kind, :, :5], want, err_msg=("cube", "vector")[kind])


@api("KERNEL_TASK_TYPE_DEFAULT")
@pytest.mark.parametrize("kind", _KINDS)
def test_the_type_says_which_cores_run(kind: str) -> None:
    _check(_told(f"KERNEL_TASK_TYPE_DEFAULT({kind});"), *_KINDS[kind])


@api("KERNEL_TASK_TYPE")
@pytest.mark.parametrize("kind", ("KERNEL_TYPE_MIX_AIC_1_2", "KERNEL_TYPE_AIC_ONLY"))
def test_the_type_of_the_key_goes_before_the_default(kind: str) -> None:
    types = f"KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1); KERNEL_TASK_TYPE(0, {kind});"
    _check(_told(types), *_KINDS[kind])


@api("KERNEL_TASK_TYPE")
def test_the_type_of_another_key_does_nothing() -> None:
    types = "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1); KERNEL_TASK_TYPE(7, KERNEL_TYPE_MIX_AIC_1_2);"
    _check(_told(types), 1, 1)


_STEPS = """
__aicore__ inline void Cube(GlobalTensor<int32_t> to, int32_t value) { to.SetValue(6, value); }
__aicore__ inline void Vector(GlobalTensor<int32_t> to, int32_t value) { to.SetValue(7, value); }
"""


@api("Async")
def test_a_function_runs_on_one_kind_of_core() -> None:
    more = "Async<EngineType::AIC, Cube>(to, 5); Async<EngineType::AIV, Vector>(to, 9);"
    words = _told("KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);", _STEPS, more)
    assert (words[0, :_BLOCKS, 6:8] == (5, 0)).all()
    assert (words[1, :, 6:8] == (0, 9)).all()
