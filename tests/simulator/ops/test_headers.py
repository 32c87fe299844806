"""The headers: what the device compiler accepts compiles, what it rejects is rejected by name."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from agentkernel.simulator import unsupported
from agentkernel.toolchains.simulator import SimulatorToolchain

from .harness import codes_by_statement, run

HERE = Path(__file__).parent
INCLUDE = Path(unsupported.__file__).parent / "include"
COMPILERS = [c for c in ("g++", "clang++-16", "clang++") if shutil.which(c)]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_legal_calls_compile(compiler: str) -> None:
    command = [compiler, "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{INCLUDE}"]
    done = subprocess.run([*command, str(HERE / "accepted.cpp")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]


X = {"x": np.zeros(64, np.float32), "h": np.zeros(64, np.float16), "i": np.zeros(64, np.int32)}
OUT = {"z": ((64,), "float32"), "hz": ((64,), "float16"), "iz": ((64,), "int32"), "b": ((64,), "int8")}


ILLEGAL_TYPES = {
    "Exp(iz, i, 64);": ("Exp", ["half", "float"]),
    "Div(iz, i, i, 64);": ("Div", ["half", "float"]),
    "Add(b, b, b, 64);": ("Add", ["half", "float", "int16_t", "int32_t"]),
    "Adds(bf, bf, one, 64);": ("Adds", ["half", "float", "int16_t", "int32_t"]),
    "Not(iz, i, 64);": ("Not", ["int16_t", "uint16_t"]),
    "Duplicate(b, (int8_t)1, 64);": ("Duplicate", None),
    "Cast(z, b, RoundMode::CAST_NONE, 64);": ("Cast", None),
    "Compare(z, x, x, CMPMODE::EQ, 64);": ("Compare", ["int8_t", "uint8_t"]),
    "WholeReduceSum(iz, i, 64, 1, 1, 1, 8);": ("WholeReduceSum", ["half", "float"]),
    "SetAtomicAdd<uint32_t>();": ("SetAtomicAdd", None),
    "Tanh(iz, i, 64);": ("Tanh", ["half", "float"]),
    "MulAddDst(hz, x, x, 64);": ("MulAddDst", ["half<-half", "float<-float", "float<-half"]),
}


def test_element_types_that_the_chip_lacks_are_rejected_with_the_legal_ones(toolchain: SimulatorToolchain) -> None:
    start = "    LocalTensor<bfloat16_t> bf = hz.ReinterpretCast<bfloat16_t>(); bfloat16_t one = 1;\n"
    done = run(start + "\n".join(f"    {call}" for call in ILLEGAL_TYPES), X, OUT, toolchain=toolchain)
    assert not done.compiled and done.codes == ("dtype-not-supported",), done.diagnostics
    found = {d.apis[0]: d.evidence["legal"] for d in done.diagnostics if d.is_error}
    for api, legal in ILLEGAL_TYPES.values():
        assert found[api] and (legal is None or set(found[api]) == set(legal)), api


NO_OVERLOAD = (
    "Adds(z, x, 1, 64);",
    "Adds(hz, h, 1.0f, 64);",
    "Duplicate(hz, 0, 64);",
    "Add(z, x, h, 64);",
    "Select(hz, b, h, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);",
    "DataCopyPad(hz, hGlobal, DataCopyExtParams(1, 2, 0, 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0));",
    "DataCopyPad(z, xGlobal, DataCopyExtParams(1, 4, 0, 0, 0), DataCopyPadParams(false, 0, 0, 0));",
    "DataCopyPad(z, xGlobal, DataCopyExtParams(1, 4, 0, 0, 0));",
    "const uint64_t m[2] = {1, 0}; Adds(z, x, 1.0f, m, 1, {1, 1, 8, 8});",
    "CreateVecIndex(iz[8], 0, (uint64_t)8, 1, 1, 8);",
)


def test_calls_that_fit_no_overload_are_rejected(toolchain: SimulatorToolchain) -> None:
    for statement, codes in zip(NO_OVERLOAD, codes_by_statement(NO_OVERLOAD, X, OUT, toolchain=toolchain), strict=True):
        assert codes and "dtype-not-supported" not in codes, statement


NO_CONVERSION = (
    "int32_t n = one;",
    "half v = one;",
    "bool v = one;",
    "double v = one;",
    "float v = -one;",
    "Adds(z, x, one, 64);",
)


def test_bfloat16_converts_to_float_alone(toolchain: SimulatorToolchain) -> None:
    before = "    bfloat16_t one = 1;"
    for statement, codes in zip(
        NO_CONVERSION, codes_by_statement(NO_CONVERSION, X, OUT, before=before, toolchain=toolchain), strict=True
    ):
        assert codes, statement
    body = (
        f"{before}\n    float f = one;\n    Adds<float>(z, x, one, 32);\n    Adds(z[32], x, f, 32);\n"
        "    if (one != 1 || 1.0f != one || !(one == 1)) Muls(z, z, 0.0f, 64);"
    )
    done = run(body, {**X, "x": np.ones(64, np.float32)}, {"z": ((64,), "float32")}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    assert set(done.outputs["z"]) == {2.0}


def test_a_queue_may_have_the_position_of_temporaries(toolchain: SimulatorToolchain) -> None:
    body = (
        "    TQue<QuePosition::VECCALC, 1> q; pipe.InitBuffer(q, 1, 256);\n"
        "    LocalTensor<float> t = q.AllocTensor<float>(); Adds(t, x, 1.0f, 64);\n"
        "    q.EnQue(t); t = q.DeQue<float>(); Adds(z, t, 1.0f, 64); q.FreeTensor(t);"
    )
    done = run(body, X, {"z": ((64,), "float32")}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    assert set(done.outputs["z"]) == {2.0}


RULES = {
    "PipeBarrier<PIPE_S>();": "PIPE_S",
    "TQue<QuePosition::VECIN, 0> q; q.AllocTensor<float>();": "depth 0",
    "TQue<QuePosition::VECIN, 1> q; LocalTensor<float> t; q.AllocTensor(t);": "needs a queue of depth 0",
    "bfloat16_t b = 1; float f = b + b;": "arithmetic",
    "TBuf<TPosition::VECCALC> t; pipe.InitBuffer(t, 2, 32);": "TBuf",
    "SetCtrlSpr<50, 50>(1);": "48",
}


def test_rules_of_the_classes_are_compile_errors(toolchain: SimulatorToolchain) -> None:
    done = run("\n".join(f"    {{ {call} }}" for call in RULES), X, OUT, toolchain=toolchain)
    assert not done.compiled
    text = " ".join(d.message + d.hint for d in done.diagnostics)
    for part in RULES.values():
        assert part in text


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("MrgSort4(z, {x, x, x, x}, MrgSort4Info());", "MrgSort4"),
    ],
)
def test_what_is_not_simulated_compiles_and_stops_with_its_name(
    toolchain: SimulatorToolchain, call: str, name: str
) -> None:
    done = run("    " + call, X, OUT, toolchain=toolchain)
    assert done.compiled and not done.completed
    assert "unsupported-api" in done.codes
    assert any(name in d.message for d in done.diagnostics if d.code == "unsupported-api")


def test_the_generated_declarations_are_up_to_date() -> None:
    assert unsupported.TARGET.read_text(encoding="utf-8") == unsupported.declarations(), (
        "run `python -m agentkernel.simulator.unsupported`"
    )
