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
ILLEGAL_ROWS = {
    "LayerNormTiling t; LayerNorm(iz, i, i, i, i, i, 1, t);": ("LayerNorm", {"half", "float"}),
    "RmsNormTiling t; RmsNorm(b, b, b, (int8_t)1, t);": ("RmsNorm", {"half", "float"}),
    "WelfordUpdateParam p; WelfordUpdate<half, half>(h, h, h, h, h, p);": ("WelfordUpdate", {"float"}),
    "DropOutShapeInfo d; DropOut(iz, i, u, 0.5f, d);": ("DropOut", {"half", "float"}),
    "PadTiling t; PadParams p; Pad(b, b, p, t);": (
        "Pad",
        {"int16_t", "uint16_t", "half", "int32_t", "uint32_t", "float"},
    ),
    "TopkTiling t; TopKInfo o; LocalTensor<bool> n; TopK<int32_t>(iz, iz, i, i, n, 1, t, o);": (
        "TopK",
        {"half", "float"},
    ),
}


@pytest.mark.parametrize("calls", [ILLEGAL_TYPES, ILLEGAL_ROWS], ids=["elements", "rows"])
def test_element_types_are_rejected_with_the_legal_ones(
    toolchain: SimulatorToolchain, calls: dict[str, tuple[str, set[str]]]
) -> None:
    done = run("\n".join(f"    {{ {call} }}" for call in calls), X, OUT, toolchain=toolchain)
    assert not done.compiled and done.codes == ("dtype-not-supported",), done.diagnostics
    found = {d.apis[0]: set(d.evidence["legal"]) for d in done.diagnostics if d.is_error}
    assert found == dict(calls.values())


@pytest.mark.parametrize(
    "call",
    ["Tanh(z, h, 64);", "ClampMax(z, x, 1, 64);", "Swish(z, x, 64, half(1));", "Round(z, x);", "Gelu(z, x);"],
)
def test_calls_that_fit_no_overload(toolchain: SimulatorToolchain, call: str) -> None:
    done = run(f"    {call}", X, OUT, toolchain=toolchain)
    assert not done.compiled and done.codes == ("no-matching-overload",), done.diagnostics


ROWS = "t.bLength = 1; t.sLength = 2; t.hLength = 16; t.originalHLength = 16;"
TOP = "TopkTiling t; LocalTensor<bool> n; TopKInfo o"

BROKEN: dict[str, set[str]] = {
    "Sigmoid(z, x, u[256], 64);": set(),
    "Sigmoid(z, x, u[288], 64);": {"work-too-small"},
    "Sin(x, x, 64);": {"operand-overlap"},
    "Tanh(x, x, 64);": set(),
    "Tanh(x[8], x, 64);": {"operand-overlap"},
    "uint32_t d[2] = {4, 16}, s[2] = {1, 16}; Broadcast<float, 2, 0>(x, x, d, s);": set(),
    "uint32_t d[2] = {4, 16}, s[2] = {1, 16}; Broadcast<float, 2, 0>(x, x[16], d, s);": {"operand-overlap"},
    "uint32_t d[2] = {4, 16}, s[2] = {4, 1}; Broadcast<float, 2, 1>(x, x, d, s);": {"operand-overlap"},
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
    "DropOutShapeInfo d; d.firstAxis = 1; d.srcLastAxis = 64; d.maskLastAxis = 64; DropOut(z, x, u, 1.0f, d);": {
        "illegal-argument"
    },
    "DropOutShapeInfo d; d.firstAxis = 2; d.srcLastAxis = 64; d.maskLastAxis = 72; DropOut(z, x, u, 0.5f, d);": {
        "count-alignment"
    },
    f"LayerNormTiling t; {ROWS} LayerNorm(z, z[64], z[80], x, x[64], x[80], u, 0.1f, t);": set(),
    f"LayerNormTiling t; {ROWS} LayerNorm(z, z[64], z[80], x, x[64], x[80], u[384], 0.1f, t);": set(),
    f"LayerNormTiling t; {ROWS} LayerNorm(z, z[64], z[80], x, x[64], x[80], u[416], 0.1f, t);": {"work-too-small"},
    f"LayerNormTiling t; {ROWS} LayerNorm(z, z[68], z[80], x, x[64], x[80], u, 0.1f, t);": {"misaligned-address"},
    "LayerNormTiling t; LayerNorm(z, z[64], z[80], x, x[64], x[80], 0.1f, t);": {"illegal-argument"},
    "LayerNormTiling t = {1, 2, 12, 12}; LayerNorm(z, z[64], z[80], x, x[64], x[80], 0.1f, t);": {"count-alignment"},
    f"LayerNormTiling t; {ROWS} t.bLength = 40; LayerNorm(z, z[64], z[80], x, x[64], x[80], 0.1f, t);": {
        "out-of-bounds"
    },
    f"RmsNormTiling t; {ROWS} RmsNorm(z, x, z, 0.1f, t);": {"operand-overlap"},
    f"RmsNormTiling t; {ROWS} RmsNorm<float, true>(z, x, x[64], 0.1f, t);": {"illegal-argument"},
    "WelfordUpdateParam p{2, 8, 8, 1}; WelfordUpdate<float, float>(z, z[8], x, x[8], x[16], p);": {"illegal-argument"},
    "WelfordUpdateParam p{1, 8, 8, 1}; WelfordUpdate<float, float>(z, z[8], z, x[8], x[16], p);": {"operand-overlap"},
    "WelfordFinalizePara p{1, 12, 1, 12}; WelfordFinalize(z, z[8], x, x[16], p);": {"count-alignment"},
    "WelfordFinalizePara p{1, 8, 1, 4}; WelfordFinalize(z, z[8], x, x[16], p);": {"illegal-argument"},
    "BatchNormTiling t; t = {3, 8}; BatchNorm(z, z[64], z[72], x, x[64], x[72], 1.0f, t);": {"count-alignment"},
    f"{TOP} {{1, 48, 32}}; TopK<float>(z, iz, x, i, n, 3, t, o);": {"illegal-argument"},
    f"{TOP} {{1, 64, 32}}; TopK<float>(z, iz, x, i, n, 33, t, o);": {"illegal-argument"},
    f"{TOP} {{9, 64, 32}}; TopK<float>(z, iz, x, i, n, 3, t, o);": {"out-of-bounds"},
    f"{TOP} {{1, 32, 32}}; TopK<float>(z, iz, x, i, n, u, 3, t, o);": {"work-too-small"},
    "PadTiling t; t.srcHeight = 2; t.srcWidth = t.srcOriWidth = 12; PadParams p{3, 2, 0}; Pad(z, x, p, t);": {
        "illegal-argument"
    },
    "PadTiling t; t.srcHeight = 2; t.srcWidth = t.srcOriWidth = 16; PadParams p{1, 0, 0}; Pad(z, x, p, t);": {
        "illegal-argument"
    },
    "UnPadTiling t; t.srcHeight = 2; t.srcWidth = 16; UnPadParams p{0, 8}; UnPad(z, x, p, t);": {"illegal-argument"},
    "UnPadTiling t; t.srcHeight = 2; t.srcWidth = 12; UnPadParams p{0, 3}; UnPad(z, x, p, t);": {"count-alignment"},
    "ConfusionTransposeTiling t; Transpose(z, x, TransposeType::TRANSPOSE_ND2ND_ONLY, t);": {"illegal-argument"},
    "ConfusionTransposeTiling t; t.shape0 = t.shape1 = 8; t.transposeType = 7;"
    " Transpose(z, x, TransposeType::TRANSPOSE_ND2ND_ONLY, t);": {"count-alignment"},
    "Tanh(z, x, x.ReinterpretCast<uint8_t>(), 64);": {"scratch-overlap"},
}


def test_rules_of_scratch_shapes_and_counts(toolchain: SimulatorToolchain) -> None:
    found = codes_by_statement(list(BROKEN), X, OUT, toolchain=toolchain)
    assert dict(zip(BROKEN, found, strict=True)) == BROKEN


IN_PLACE = {
    "Log": np.log,
    "Log2": np.log2,
    "Log10": np.log10,
    "Tanh": np.tanh,
    "Sigmoid": lambda v: 1 / (1 + np.exp(-v)),
}


def test_what_published_kernels_call_in_place_is_noted_and_right(toolchain: SimulatorToolchain) -> None:
    value = np.linspace(0.5, 3, 64, dtype=np.float32)
    outputs: dict[str, tuple[tuple[int, ...], str]] = {f"z{i}": ((64,), "float32") for i in range(len(IN_PLACE))}
    lines = [f"    Adds(z{i}, x, 0.0f, 64); {name}(z{i}, z{i}, 64);" for i, name in enumerate(IN_PLACE)]
    done = run("\n".join(lines), {"x": value}, outputs, toolchain=toolchain)
    noted = {(d.code, d.apis[0]) for d in done.diagnostics}
    assert noted == {("operand-overlap", name) for name in IN_PLACE}
    assert not any(d.is_error for d in done.diagnostics)
    for i, of in enumerate(IN_PLACE.values()):
        np.testing.assert_allclose(done.outputs[f"z{i}"], of(value.astype(np.float64)), rtol=2e-6)


def test_rows_may_be_repeated_onto_the_first_of_them(toolchain: SimulatorToolchain) -> None:
    value = np.arange(64, dtype=np.float32)
    body = "    Adds(z, x, 0.0f, 16); uint32_t d[2] = {4, 16}, s[2] = {1, 16}; Broadcast<float, 2, 0>(z, z, d, s);"
    done = run(body, {"x": value}, {"z": ((64,), "float32")}, toolchain=toolchain)
    assert [(d.code, d.is_error) for d in done.diagnostics] == [("operand-overlap", False)]
    np.testing.assert_array_equal(done.outputs["z"].reshape(4, 16), np.tile(value[:16], (4, 1)))


def test_the_form_without_scratch_needs_free_memory(toolchain: SimulatorToolchain) -> None:
    inputs, outputs = {"x": X["x"]}, {"z": ((64,), "float32"), "y": ((64,), "float32")}
    taken = X["x"].nbytes + 2 * 64 * 4
    chip = load_chip("ascend910b").params
    below, end = int(chip["ub_stack_end_bytes"].value), int(chip["ub_bytes"].value)
    body = "    TBuf<TPosition::VECCALC> rest; pipe.InitBuffer(rest, {});\n    Tanh(z, x, 64); Silu(y, x, 64);"
    for length, found in {
        below - taken - 32: [],
        below - taken: [("no-scratch", "Tanh", False)],  # it reaches into the area that other functions reserve
        end - taken - 32: [("no-scratch", "Tanh", False)],
        end - taken: [("no-scratch", "Tanh", True)],
    }.items():
        done = run(body.format(length), inputs, outputs, toolchain=toolchain)
        assert [(d.code, d.apis[0], d.is_error) for d in done.diagnostics] == found, length


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
