"""Running candidates: values and findings of honest ones, containment of hostile ones."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import numpy as np
import pytest

from agentkernel.diagnostic import Level
from agentkernel.dtypes import DType
from agentkernel.errors import ToolchainError
from agentkernel.kernel import Kernel
from agentkernel.toolchains.simulator import SimulatorToolchain
from tests.simulator.support import source, task

# A function of the candidate that makes any system call. No assembler: its bytes are data that lie among the code.
# Other machines than x86-64 have other bytes; there the hostile kernels below do not compile into anything harmful.
SYSCALL = """\
__attribute__((section(".text.hidden,\\"ax\\",@progbits#"))) const unsigned char hidden[] = {
    0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0x48, 0x89, 0xd6, 0x48, 0x89, 0xca, 0x4d, 0x89, 0xc2, 0x0f, 0x05, 0xc3};
inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0)
{
    return ((long (*)(long, long, long, long, long))(void*)hidden)(number, a, b, c, d);
}
"""


def launch(toolchain, body, before="", inputs=None, chosen=None):
    chosen = chosen or task()
    build = toolchain.build(Kernel.from_source(source(body, before), "kernel"), chosen)
    assert build.ok, build.diagnostics
    case = chosen.cases[0]
    given = inputs or {"x": np.arange(64).astype(chosen.inputs[0].dtype.numpy)}
    return toolchain.run(build, case, given)


def codes(run):
    return [d.code for d in run.diagnostics if d.is_error]


COPY = """\
  GlobalTensor<{t}> from, to;
  from.SetGlobalBuffer((__gm__ {t}*)x, 64);
  to.SetGlobalBuffer((__gm__ {t}*)y, 64);
  for (uint32_t i = 0; i < {n}; ++i) to.SetValue(i, from.GetValue(i));
  DataCacheCleanAndInvalid<{t}, CacheLine::ENTIRE_DATA_CACHE>(to);
"""


def copy(dtype: DType, count: int = 64) -> str:
    return COPY.replace("{t}", dtype.ascendc).replace("{n}", str(count))


@pytest.mark.parametrize("dtype", [DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32, DType.INT8, DType.INT32, DType.INT64])
def test_values_come_back_bit_by_bit(simulator, dtype):
    rng = np.random.default_rng(0)
    raw = rng.integers(0, 256, 64 * dtype.itemsize, dtype=np.uint8)
    given = raw.view(dtype.numpy)
    run = launch(simulator, copy(dtype), inputs={"x": given}, chosen=task(dtype=dtype))
    assert run.completed and codes(run) == []
    assert run.outputs["y"].dtype == dtype.numpy
    np.testing.assert_array_equal(run.outputs["y"].view(np.uint8), raw)
    assert run.unwritten == {}


def test_bool_outputs_are_truth_values(simulator):
    given = np.arange(64) % 3 == 0
    run = launch(simulator, copy(DType.BOOL), inputs={"x": given}, chosen=task(dtype=DType.BOOL))
    assert run.outputs["y"].dtype == np.bool_
    np.testing.assert_array_equal(run.outputs["y"], given)


def test_a_run_says_what_it_cost_and_which_walls_held(simulator):
    run = launch(simulator, copy(DType.FLOAT32))
    assert run.estimate is not None
    assert (run.estimate.provenance, run.estimate.chip) == ("simulated", "ascend910b")
    assert run.estimate.kernel_us > 0 and run.seconds > 0
    assert {"rlimits", "seccomp", "session"} <= set(run.sandbox)


@pytest.mark.parametrize(("count", "missing", "first"), [(0, 64, 0), (60, 4, 60)])
def test_elements_that_nothing_wrote_are_counted(simulator, count, missing, first):
    run = launch(simulator, copy(DType.FLOAT32, count))
    assert run.completed and run.unwritten == {"y": missing}
    found = next(d for d in run.diagnostics if d.code == "output-not-written")
    assert found.level is Level.RUNTIME and found.evidence["first"] == first
    assert f"{missing} of 64 elements of the output `y`" in found.message


def test_every_run_has_fresh_memory(simulator):
    first = launch(simulator, copy(DType.FLOAT32))
    second = launch(simulator, copy(DType.FLOAT32, 8))
    assert first.unwritten == {} and second.unwritten == {"y": 56}


def test_dynamic_tasks_get_their_tiling_data(simulator):
    chosen = task(dynamic=True)
    body = "  GET_TILING_DATA(t, tiling);\n"
    body += copy(DType.FLOAT32).replace("from.GetValue(i)", "t.alpha * (float)t.n")
    text = source(body).replace("workspace)", "workspace, GM_ADDR tiling)")
    build = simulator.build(Kernel.from_source(text, "kernel"), chosen)
    assert build.ok, build.diagnostics
    run = simulator.run(build, chosen.cases[0], {"x": np.zeros(64, np.float32)})
    np.testing.assert_array_equal(run.outputs["y"], np.full(64, 128, np.float32))


@pytest.mark.parametrize(
    ("body", "code", "word"),
    [
        ("  *(__gm__ float*)x = 1;", "gm-read-only", "x, which is read-only"),
        ("  ((volatile __gm__ float*)y)[128] = 1;", "gm-out-of-bounds", "byte 512 of y"),
        ("  *(volatile __gm__ float*)nullptr = 1;", "crash", "null pointer"),
    ],
)
def test_crashes_have_a_name_and_a_line(simulator, body, code, word):
    run = launch(simulator, body)
    assert not run.completed and run.outputs == {}
    (found,) = run.diagnostics
    assert found.code == code and word in found.message
    assert found.location.line == 5 + body.count("\n")


def test_a_division_by_zero_is_a_note_with_its_line(simulator):
    body = """  volatile int zero = 0;
  volatile long long z = 0, a = 7 / zero, b = (unsigned)7 % (unsigned)zero;
  a = b / z;"""
    run = launch(simulator, body)
    assert run.completed
    assert {d.location.line for d in run.diagnostics if d.code == "division-by-zero"} == {6, 7}
    assert not any(d.is_error for d in run.diagnostics if d.code == "division-by-zero")


def test_recursion_without_end_is_a_stack_overflow(simulator):
    before = "int deep(volatile int n) { int a[64]; a[n % 64] = n; return n > 0 ? deep(n + 1) + a[3] : 0; }\n"
    run = launch(simulator, "  *(__gm__ int*)y = deep(1);", before)
    assert codes(run) == ["stack-overflow"]


def test_findings_name_the_call_on_its_line_and_the_other_one(simulator):
    body = """\
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 1024);
  LocalTensor<float> a = buffer.Get<float>();
  GlobalTensor<float> to;
  to.SetGlobalBuffer((__gm__ float*)y, 64);
  Duplicate(a, 1.0f, 64);
  DataCopy(to, a, 64);"""
    run = launch(simulator, body)
    found = next(d for d in run.diagnostics if d.code == "missing-sync")
    assert found.level is Level.HAZARD
    assert (found.location.line, found.location.column, found.location.end_column) == (12, 3, 11)
    assert [(place.line, place.column, what) for place, what in found.related] == [(11, 3, "Duplicate")]
    assert set(found.apis) == {"DataCopy", "Duplicate"}


@pytest.fixture(scope="module")
def hasty():
    """A simulator whose small cases have one second of processor time."""
    with SimulatorToolchain(timeout=4.0) as toolchain:
        yield toolchain


def test_an_endless_loop_is_stopped_and_located(hasty):
    run = launch(hasty, "  volatile int n = 0;\n  while (true) n = n + 1;")
    assert codes(run) == ["time-limit"] and not run.completed
    assert run.diagnostics[0].location.line == 6


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("  call(57);", "forbidden-syscall"),  # fork
        ("  while (true) call(57);", "forbidden-syscall"),  # fork bomb
        ("  call(56, 0x1200011);", "forbidden-syscall"),  # clone
        ("  call(41, 2, 1, 0);", "forbidden-syscall"),  # socket
        ('  call(257, -100, (long)"/etc/passwd", 0);', "forbidden-syscall"),  # openat, to read
        ('  call(257, -100, (long)"/dev/shm/x", 0101);', "forbidden-syscall"),  # openat, to write
        ('  call(59, (long)"/bin/true", 0, 0);', "forbidden-syscall"),  # execve
        ("  call(62, -1, 9);", "forbidden-syscall"),  # kill everything
        ("  call(101, 16, 1);", "forbidden-syscall"),  # ptrace
        ("  call(231, 0);", "forged-record"),  # exit before the end, as if all were well
        ("  call(231, 3);", "forged-record"),
        ("  call(231, 70);", "forged-record"),  # the status of a runner that failed
    ],
)
def test_system_calls_of_a_hostile_kernel_are_stopped_and_named(simulator, body, code):
    run = launch(simulator, body, SYSCALL)
    assert not run.completed
    assert codes(run) == [code]
    assert run.diagnostics[0].level is Level.CHEAT


def test_large_allocations_fail_inside_and_hurt_nobody(simulator):
    body = "  long got = call(9, 0, 100L << 30, 3, 0x22);\n  *(__gm__ long*)y = got;"
    run = launch(simulator, body, SYSCALL)
    assert run.completed
    assert run.outputs["y"].view(np.int64)[0] == -12  # ENOMEM


def test_a_static_array_of_100_gb_is_refused_with_its_reason(simulator):
    run = launch(
        simulator, "  big[(long)GetBlockIdx() << 20] = 1;\n  *(__gm__ char*)y = big[7];", "char big[100L << 30];\n"
    )
    assert codes(run) == ["out-of-memory"]


@pytest.mark.parametrize(
    "record",
    [
        '{\\"t\\":\\"end\\",\\"completed\\":true,\\"instructions\\":1}\\n',
        "garbage\\n",
        '{\\"t\\":\\"finding\\",\\"code\\":\\"x\\"}\\n',
        "\\xff\\xfe\\n",
    ],
    ids=["end", "garbage", "malformed", "bytes"],
)
def test_writing_into_the_record_is_noticed(simulator, record):
    body = f'  for (int fd = 3; fd < 12; ++fd) call(1, fd, (long)"{record}", sizeof("{record}") - 1);'
    run = launch(simulator, body, SYSCALL)
    assert not run.completed and "forged-record" in codes(run)


def test_a_runner_that_seems_to_have_failed_is_no_failure_of_the_machine(simulator):
    word = "akrun: k.so: Operation not permitted\\n"
    body = f'  call(1, 2, (long)"{word}", sizeof("{word}") - 1);\n  call(231, 70);'
    run = launch(simulator, body, SYSCALL)
    assert not run.completed and codes(run) == ["forged-record"]


def test_a_flood_of_output_is_cut_off(hasty):
    body = "  for (long i = 0; i < (1L << 40); ++i) call(1, 2, (long)zeros, sizeof(zeros));"
    run = launch(hasty, body, SYSCALL + "char zeros[1 << 20];\n")
    assert not run.completed and codes(run) and codes(run)[0] in {"memory-limit", "time-limit"}


def test_nothing_of_a_run_is_left_behind(simulator):
    launch(simulator, copy(DType.FLOAT32))
    assert [path.name for path in simulator._workshop.runs.iterdir()] == [".lock"]


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({}, "'x' is missing"),
        ({"x": np.zeros(63, np.float32)}, r"float32\[63\]"),
        ({"x": np.zeros(64, np.float16)}, r"float16\[64\]"),
    ],
)
def test_wrong_inputs_are_the_callers_mistake(simulator, given, word):
    chosen = task()
    build = simulator.build(Kernel.from_source(source(""), "kernel"), chosen)
    with pytest.raises(ToolchainError, match=word):
        simulator.run(build, chosen.cases[0], given)


def test_a_build_whose_object_has_gone_is_built_again(simulator):
    chosen = task()
    text = source(copy(DType.FLOAT32) + "  // once")
    build = simulator.build(Kernel.from_source(text, "kernel"), chosen)
    Path(build.artifact).unlink()
    assert simulator.run(build, chosen.cases[0], {"x": np.ones(64, np.float32)}).completed


def test_closing_removes_builds_unless_they_are_to_be_kept():
    first = SimulatorToolchain()
    with first:
        artifact = Path(first.build(Kernel.from_source(source(""), "kernel"), task()).artifact)
        assert artifact.exists()
    assert not first.folder.exists()
    first.close()
    kept = SimulatorToolchain(keep=True)
    kept.close()
    assert kept.folder.exists()
    shutil.rmtree(kept.folder)


def test_a_timeline_is_kept_where_asked_for(tmp_path):
    with SimulatorToolchain(timeline=tmp_path / "lines") as toolchain:
        run = launch(toolchain, copy(DType.FLOAT32))
    assert Path(run.timeline).parent == tmp_path / "lines"
    assert json.loads(Path(run.timeline).read_text())


def test_a_small_case_takes_milliseconds(simulator):
    """Not a benchmark: only that nothing is compiled or probed again for every case."""
    chosen = task()
    build = simulator.build(Kernel.from_source(source(copy(DType.FLOAT32)), "kernel"), chosen)
    simulator.run(build, chosen.cases[0], {"x": np.ones(64, np.float32)})
    start = time.perf_counter()
    again = simulator.build(build.kernel, chosen)
    assert again is build and time.perf_counter() - start < 5.0
