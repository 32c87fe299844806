"""What library calls reject: element types, scratch, shapes, counts, shared memory, missing synchronisation."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from agentkernel.simulator import unsupported
from agentkernel.simulator.chips import load_chip
from agentkernel.toolchains.simulator import SimulatorToolchain
from tests.simulator.ops.harness import codes_by_statement, run

X = {"x": np.ones(512, np.float32), "h": np.ones(512, np.float16), "i": np.ones(512, np.int32)}
X |= {"u": np.ones(512, np.uint8)}
OUT = {"z": ((512,), "float32"), "iz": ((512,), "int32"), "b": ((512,), "int8")}

INCLUDE = Path(unsupported.__file__).parent / "include"
COMPILERS = [c for c in ("g++", "clang++-16", "clang++") if shutil.which(c)]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_every_form_compiles(compiler: str) -> None:
    command = [compiler, "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{INCLUDE}"]
    source = str(Path(__file__).parent / "accepted.cpp")
    done = subprocess.run([*command, source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]


ILLEGAL_TYPES = {
    "Tanh(iz, i, 64);": ("Tanh", {"half", "float"}),
    "Gelu(iz, i, 64);": ("Gelu", {"half", "float"}),
    "Xor(iz, i, i, 64);": ("Xor", {"int16_t", "uint16_t"}),
    "Power(b, b, b, 64);": ("Power", {"half", "float", "int32_t"}),
    "Sum(iz, i, SumParams{1, 8, 8});": ("Sum", {"half", "float"}),
    "uint32_t s[2] = {1, 8}; ReduceSum<half, Pattern::Reduce::AR>(h, h, s, true);": ("ReduceSum", {"float"}),
    "SoftMaxTiling t; SoftMax<int32_t>(iz, i, t);": ("SoftMax", {"half", "float"}),
    "Arange(b, (int8_t)0, (int8_t)1, 8);": ("Arange", {"int16_t", "half", "int32_t", "float"}),
}


def test_element_types_are_rejected_with_the_legal_ones(toolchain: SimulatorToolchain) -> None:
    done = run("\n".join(f"    {{ {call} }}" for call in ILLEGAL_TYPES), X, OUT, toolchain=toolchain)
    assert not done.compiled and done.codes == ("dtype-not-supported",), done.diagnostics
    found = {d.apis[0]: set(d.evidence["legal"]) for d in done.diagnostics if d.is_error}
    assert found == dict(ILLEGAL_TYPES.values())


@pytest.mark.parametrize(
    "call",
    ["Tanh(z, h, 64);", "ClampMax(z, x, 1, 64);", "Swish(z, x, 64, half(1));", "Round(z, x);", "Gelu(z, x);"],
)
def test_calls_that_fit_no_overload(toolchain: SimulatorToolchain, call: str) -> None:
    done = run(f"    {call}", X, OUT, toolchain=toolchain)
    assert not done.compiled and done.codes == ("no-matching-overload",), done.diagnostics


BROKEN = {
    "Sigmoid(z, x, u[256], 64);": set(),
    "Sigmoid(z, x, u[288], 64);": {"work-too-small"},
    "Tanh(x, x, 64);": {"operand-overlap"},
    "Trunc(x, x, 64);": set(),
    "Tanh(z, x, 513);": {"out-of-bounds"},
    "Sin(z[4], x, 64);": {"misaligned-address"},
    "Sum(z, x, {4, 12, 12});": {"count-alignment"},
    "Sum(z, x, {4, 8, 9});": {"count-range"},
    "SoftMaxTiling t; SoftMax<float>(z, x, t, {4, 12, 4, 12});": {"count-alignment"},
    "SoftMaxTiling t; SoftMax<float>(z, x, t);": {"illegal-argument"},
    "SoftMaxTiling t; SoftMax<float, false, true>(z, x, t, {4, 64, 4, 64});": {"illegal-argument"},
    "SoftMaxTiling t; SoftMax<float>(z, x, t, {8, 128, 8, 128});": {"out-of-bounds"},
    "uint32_t d[2] = {4, 16}, s[2] = {2, 16}; Broadcast<float, 2, 0>(z, x, d, s);": {"illegal-argument"},
    "uint32_t d[2] = {4, 12}, s[2] = {1, 12}; Broadcast<float, 2, 0>(z, x, d, s);": {"count-alignment"},
    "Select(z, x, 0.0f, u[256], u, {1, 64, 32});": {"illegal-argument"},
    "uint32_t s[2] = {4, 16}; ReduceSum<float, Pattern::Reduce::AR>(z, x, s, false);": {"illegal-argument"},
    "Arange(z, 0.0f, -1.0f, 8);": {"illegal-argument"},
    "Arange(z, 0.0f, 1.0f, 0);": {"count-range"},
    "Tanh(z, x, x.ReinterpretCast<uint8_t>(), 64);": {"scratch-overlap"},
}


def test_rules_of_scratch_shapes_and_counts(toolchain: SimulatorToolchain) -> None:
    found = codes_by_statement(list(BROKEN), X, OUT, toolchain=toolchain)
    assert dict(zip(BROKEN, found, strict=True)) == BROKEN


def test_the_form_without_scratch_needs_free_memory(toolchain: SimulatorToolchain) -> None:
    inputs, outputs = {"x": X["x"]}, {"z": ((64,), "float32"), "y": ((64,), "float32")}
    taken = X["x"].nbytes + 2 * 64 * 4
    end = load_chip("ascend910b").params["ub_stack_end_bytes"].value
    body = "    TBuf<TPosition::VECCALC> rest; pipe.InitBuffer(rest, {});\n    Tanh(z, x, 64); Silu(y, x, 64);"
    assert not run(body.format(int(end) - taken - 32), inputs, outputs, toolchain=toolchain).codes
    done = run(body.format(int(end) - taken), inputs, outputs, toolchain=toolchain)
    assert [(d.code, d.apis[0]) for d in done.diagnostics if d.is_error] == [("no-scratch", "Tanh")]


def test_a_result_that_is_copied_out_too_early_is_a_hazard(toolchain: SimulatorToolchain) -> None:
    copy = "    GlobalTensor<float> out; out.SetGlobalBuffer((__gm__ float*)zGm, 512);\n    DataCopy(out, z, 512);"
    for call in (
        "Tanh(z, x, 512);",
        "SoftMaxTiling t; SoftMax<float>(z, x, t, {8, 64, 8, 64});",
        "uint32_t d[2] = {8, 64}, s[2] = {1, 64}; Broadcast<float, 2, 0>(z, x, d, s);",
    ):
        done = run(f"    {call}\n{copy}", X, OUT, toolchain=toolchain)
        assert "missing-sync" in done.codes, call


def test_a_call_counts_the_time_of_its_instructions(toolchain: SimulatorToolchain) -> None:
    def vector_time(body: str) -> float:
        done = run(body, X, OUT, toolchain=toolchain)
        assert done.estimate is not None
        return next(p.busy_us for p in done.estimate.pipes if p.pipe == "V")

    one, both = vector_time("    Exp(z, x, 512);"), vector_time("    Sigmoid(z, x, 512);")
    assert both > one
