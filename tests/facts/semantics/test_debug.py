"""Debug calls: a failed check ends the run and is told; whatever prints, dumps or traces changes no result.

Facts: ascendc_api.csv, category debug; pitfalls 103; semantics, section 8 (super kernels).
"""

from __future__ import annotations

import numpy as np
import pytest

from agentkernel.testing.simulate import Simulation, simulate

from .batch import Batch, explain
from .marks import api
from .values import INT32

_TEXT = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR workspace)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    LocalTensor<float> t = buffer.Get<float>();
    GlobalTensor<float> to;
    to.SetGlobalBuffer((__gm__ float *)y, 64);
    Duplicate(t, 2.5f, 64);
    PipeBarrier<PIPE_ALL>();
    const int32_t three = GetBlockNum() + 2;
    (void)three;
    %(before)s
    Adds(t, t, 1.0f, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(to, t, 64);
    PipeBarrier<PIPE_ALL>();
    %(after)s
}
"""


def _run(before: str = "", after: str = "") -> Simulation:
    result = simulate(_TEXT % {"before": before, "after": after}, {}, {"y": ((64,), "float32")})
    assert result.compiled, explain(result)
    return result


def _assert_harmless(before: str, after: str = "") -> None:
    result = _run(before, after)
    assert result.completed and not result.codes, explain(result)
    assert (result.outputs["y"] == 3.5).all()


@pytest.mark.parametrize(
    "check",
    [
        pytest.param("assert(three == 3);", marks=api("assert")),
        pytest.param('assert(three == 3, "it is %d", three);', marks=api("assert")),
        pytest.param("ascendc_assert(three == 3);", marks=api("ascendc_assert")),
        pytest.param('ascendc_assert(three == 3, "it is %d", three);', marks=api("ascendc_assert")),
    ],
)
def test_a_true_check_is_silent(check: str) -> None:
    _assert_harmless(check)


FALSE = [
    pytest.param("assert(three == 4);", "three == 4", marks=api("assert")),
    pytest.param('assert(three == 5, "it is %d", three);', "three == 5", marks=api("assert")),
    pytest.param("ascendc_assert(three == 6);", "three == 6", marks=api("ascendc_assert")),
    pytest.param('ascendc_assert(three == 7, "it is %d", three);', "three == 7", marks=api("ascendc_assert")),
    pytest.param("Trap();", "Trap", marks=api("Trap")),
]


@pytest.mark.parametrize(("check", "said"), FALSE)
def test_a_false_check_ends_the_run_and_is_told(check: str, said: str) -> None:
    result = _run(check)
    assert not result.completed
    assert result.codes == ("assert-failed",), explain(result)
    [told] = result.diagnostics
    assert said in told.message
    assert told.location is not None
    line = (_TEXT % {"before": check, "after": ""}).splitlines()[told.location.line - 1]
    assert check in line


@pytest.mark.parametrize("name", [pytest.param(name, marks=api(name)) for name in ("assert", "ascendc_assert")])
def test_the_message_of_a_false_check_is_told(name: str) -> None:
    [told] = _run(f'{name}(three == 4, "it is %d", three);').diagnostics
    assert "it is 3" in told.message


PRINTS = [
    'printf("nothing\\n");',
    'printf("%d %i %u %x %s\\n", three, -three, 7u, 255, "text");',
    'printf("%ld %lu %lx\\n", int64_t(three), uint64_t(three), uint64_t(three));',
    'printf("%f %F\\n", 1.5f, 2.5f); printf("%f\\n", half(1.5f)); printf("%f\\n", ToBfloat16(1.5f));',
    'printf("%d %u\\n", int8_t(three), uint16_t(three)); printf("%p\\n", y);',
    'AscendC::PRINTF("%d %f\\n", three, t.GetValue(0));',
]


@api("printf")
@pytest.mark.parametrize("call", PRINTS)
def test_printing_changes_nothing(call: str) -> None:
    _assert_harmless(call, call)


@api("printf")
def test_what_a_kernel_prints_is_shown(capfd: pytest.CaptureFixture[str]) -> None:
    result = _run('printf("it is %d\\n", three);')
    assert result.completed
    shown = "".join(capfd.readouterr()) + explain(result)
    assert "it is 3" in shown


DUMPS = {
    "DumpTensor": (
        "DumpTensor(t, 5, 64); DumpTensor(to, 6, 32);",
        "const uint32_t axes[2] = {8, 8}; ShapeInfo shape(2, axes); DumpTensor(t, 5, 64, shape);"
        " DumpTensor(to, 6, 64, shape);",
    ),
    "DumpAccChkPoint": ("DumpAccChkPoint(t, 5, 8, 32); DumpAccChkPoint(to, 6, 8, 32);",),
    "asc_dump": (
        "asc_dump((__gm__ float *)y, 1, 32); asc_dump((__ubuf__ float *)t.GetPhyAddr(), 2, 32);",
        "asc_dump_gm((__gm__ float *)y, 1, 32); asc_dump_ubuf((__ubuf__ float *)t.GetPhyAddr(), 2, 32);",
    ),
    "ASC_CPU_LOG_DEBUG": ('ASC_CPU_LOG_DEBUG("it is %d\\n", three);',),
    "ASC_CPU_LOG_INFO": ('ASC_CPU_LOG_INFO("it is %d\\n", three);',),
    "ASC_CPU_LOG_WARNING": ('ASC_CPU_LOG_WARNING("it is %d\\n", three);',),
    "ASC_CPU_LOG_ERROR": ('ASC_CPU_LOG_ERROR("it is %d\\n", three);',),
    "PrintTimeStamp": ("PrintTimeStamp(65577);",),
    "asc_time_stamp": ("asc_time_stamp(65577);",),
}


@pytest.mark.parametrize("call", [pytest.param(c, marks=api(name)) for name, calls in DUMPS.items() for c in calls])
def test_dumps_and_logs_change_nothing(call: str) -> None:
    # Behind the last copy: both tensors hold values.
    _assert_harmless("", call)


SPANS = {
    ("TRACE_START", "TRACE_STOP"): ("TRACE_START(0x2);", "TRACE_STOP(0x2);"),
    ("MetricsProfStart", "MetricsProfStop"): ("MetricsProfStart();", "MetricsProfStop();"),
    ("asc_prof_start", "asc_prof_stop"): ("asc_prof_start();", "asc_prof_stop();"),
}


@pytest.mark.parametrize(("start", "stop"), [pytest.param(*calls, marks=api(*n)) for n, calls in SPANS.items()])
def test_spans_change_nothing(start: str, stop: str) -> None:
    _assert_harmless(start, stop)


@api("SetNextTaskStart", "WaitPreTaskEnd")
def test_outside_of_a_super_kernel_tasks_do_not_wait() -> None:
    _assert_harmless("WaitPreTaskEnd();", "SetNextTaskStart();")


@api("clock")
def test_the_clock_goes_on() -> None:
    batch = Batch()
    d = batch.out(np.zeros(8, INT32))
    batch.do(
        "const uint64_t before = clock();",
        "PipeBarrier<PIPE_ALL>();",
        "const uint64_t after = clock();",
        f"{d}.SetValue(0, static_cast<int32_t>(after >= before));",
    )
    assert batch.run()[d][0] == 1


@api("GetArchVersion")
def test_the_version_of_the_architecture() -> None:
    batch = Batch()
    d = batch.out(np.zeros(8, INT32))
    batch.do("uint32_t version = 0;", "GetArchVersion(version);", f"{d}.SetValue(0, static_cast<int32_t>(version));")
    assert batch.run()[d][0] == 0x220


_WATCH = """
    CheckLocalMemoryIAParam watch;
    watch.enableBit = 1;
    watch.startAddr = static_cast<uint32_t>((uint64_t)t.GetPhyAddr() / 32 + %d);
    watch.endAddr = watch.startAddr + 4;
    watch.%s = true;
    watch.isEnable = true;
    CheckLocalMemoryIA(watch);
"""
_UNWATCH = "watch.isEnable = false; CheckLocalMemoryIA(watch);"


@api("CheckLocalMemoryIA")
@pytest.mark.parametrize(("blocks", "access"), [(1000, "isVectorWrite"), (0, "isScalarWrite")])
def test_accesses_that_are_not_watched_are_free(blocks: int, access: str) -> None:
    _assert_harmless(_WATCH % (blocks, access), _UNWATCH)


@api("CheckLocalMemoryIA")
@pytest.mark.parametrize("access", ("isVectorRead", "isVectorWrite", "isMteRead"))
def test_watched_accesses_are_told(access: str) -> None:
    result = _run(_WATCH % (0, access), _UNWATCH)
    assert not result.completed or result.codes, "no exception"
