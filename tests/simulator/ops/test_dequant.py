"""AddDeqRelu and CastDeq / CastDequant: int32 to half by the factor of SetDeqScale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.toolchains.simulator import SimulatorToolchain

from .harness import run
from .values import corners, same


def half(values: NDArray[Any]) -> NDArray[np.float16]:
    """Doubles rounded once to half."""
    return values.astype(np.float16)


@pytest.mark.parametrize("spelling", ["AddDeqRelu", "AddDeqRelu<half, int32_t>"])
@pytest.mark.parametrize("form", ["count", "mask", "bits"])
def test_add_deq_relu(toolchain: SimulatorToolchain, spelling: str, form: str) -> None:
    x = np.random.default_rng(60).integers(-4000, 4000, 128, dtype=np.int32)
    y = np.random.default_rng(61).integers(-4000, 4000, 128, dtype=np.int32)
    x[:4] = [2**31 - 1, -(2**31), 100000, 3]
    y[:4] = [1, -1, 100000, -3]
    call = {
        "count": f"{spelling}(z, x, y, 128);",
        "mask": f"uint64_t m = 64; {spelling}(z, x, y, m, 2, {{1, 1, 1, 4, 8, 8}});",
        "bits": f"uint64_t m[2] = {{~0ull, 0}}; {spelling}(z, x, y, m, 2, {{1, 1, 1, 4, 8, 8}});",
    }[form]
    body = f"    SetDeqScale((half)0.25f);\n    {call}"
    done = run(body, {"x": x, "y": y}, {"z": ((128,), "float16")}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    total = (x.view(np.uint32) + y.view(np.uint32)).view(np.int32)  # sums wrap
    assert same(done.outputs["z"], np.maximum(half(total * 0.25), np.float16(0)))


@pytest.mark.parametrize("api", ["CastDeq", "CastDequant"])
@pytest.mark.parametrize("form", ["count", "mask", "bits"])
def test_cast_dequantises_int32(toolchain: SimulatorToolchain, api: str, form: str) -> None:
    x = corners(np.int32, 128, 62)
    x[10:] %= 50000
    call = {
        "count": f"{api}(z, x, 128);",
        "mask": f"{api}(z, x, 64, 2, {{1, 1, 4, 8}});",
        "bits": f"uint64_t m[2] = {{~0ull, 0}}; {api}(z, x, m, 2, {{1, 1, 4, 8}});",
    }[form]
    body = f"    SetDeqScale((half)0.1f);\n    {call}"
    done = run(body, {"x": x}, {"z": ((128,), "float16")}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    assert same(done.outputs["z"], half(x * np.float64(np.float16(0.1))))


def test_the_factor_has_to_be_set(toolchain: SimulatorToolchain) -> None:
    x = np.zeros(64, np.int32)
    for call in ("AddDeqRelu(z, x, x, 64);", "CastDeq(z, x, 64);"):
        done = run(f"    {call}", {"x": x}, {"z": ((64,), "float16")}, toolchain=toolchain)
        assert done.codes == ("deqscale-not-set",), done.diagnostics


def test_the_scratch_at_the_end_of_ub_stays_free(toolchain: SimulatorToolchain) -> None:
    body = "    SetDeqScale((half)1.0f);\n    AddDeqRelu(z, x, x, 64);"
    inputs = {"x": np.zeros(64, np.int32)}
    done = run(body, inputs, {"z": ((64,), "float16")}, scratch=185 * 1024, toolchain=toolchain)
    assert done.codes == ("scratch-overlap",)


def test_only_documented_pairs_compile(toolchain: SimulatorToolchain) -> None:
    body = "    AddDeqRelu<float, int32_t>(f, x, x, 64);\n    CastDeq(f, x, 64);"
    outputs = {"z": ((64,), "float16"), "f": ((64,), "float32")}
    done = run(body, {"x": np.zeros(64, np.int32)}, outputs, toolchain=toolchain)
    assert not done.compiled and done.codes == ("dtype-not-supported",)
    assert {d.apis[0]: d.evidence["legal"] for d in done.diagnostics if d.is_error} == {
        "AddDeqRelu": ["half<-int32_t"],
        "CastDeq": ["half<-int32_t", "int8_t<-int16_t", "uint8_t<-int16_t"],
    }
