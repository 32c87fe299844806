"""Transpose, TransDataTo5HD and the raw intrinsics behind them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.dtypes import DType
from agentkernel.toolchains.simulator import SimulatorToolchain

from .harness import codes_by_statement, run


@pytest.mark.parametrize("dtype", ["int16", "uint16", "float16"])
def test_transpose_turns_16_by_16(toolchain: SimulatorToolchain, dtype: str) -> None:
    x = np.arange(256).astype(dtype)
    body = (
        "    Transpose(z, x);\n    PipeBarrier<PIPE_V>();\n    Transpose(x, x);\n    Copy(w, x, 128, 2, {1, 1, 8, 8});"
    )
    body = body.replace("Copy(", "PipeBarrier<PIPE_V>();\n    Copy(").replace("128, 2", "(uint64_t)128, 2")
    done = run(body, {"x": x}, {"z": ((256,), dtype), "w": ((256,), dtype)}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    for name in ("z", "w"):  # also in place
        assert np.array_equal(done.outputs[name].reshape(16, 16), x.reshape(16, 16).T)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "float16", "uint16", "float32", "int32"])
@pytest.mark.parametrize("to_last", [True, False])
def test_transpose_moves_channels_last_and_first(toolchain: SimulatorToolchain, dtype: str, to_last: bool) -> None:
    n, c, h, w = 2, 5, 4, 16
    x = np.arange(n * c * h * w).astype(dtype)
    size = x.itemsize
    work = ((c + 2) if to_last else (2 * c + 1)) * (32 if size == 1 else 16) * (32 // size) * size
    kind = "TRANSPOSE_NCHW2NHWC" if to_last else "TRANSPOSE_NHWC2NCHW"
    body = (
        "    LocalTensor<uint8_t> tmp = workBuffer.Get<uint8_t>();\n"
        f"    Transpose(z, x, tmp, TransposeParamsExt({n}, {c}, {h}, {w}, TransposeType::{kind}));"
    )
    done = run(body, {"x": x}, {"z": ((x.size,), dtype)}, scratch=work, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    shape, axes = ((n, c, h, w), (0, 2, 3, 1)) if to_last else ((n, h, w, c), (0, 3, 1, 2))
    expected = x.reshape(shape).transpose(axes)
    assert np.array_equal(done.outputs["z"], expected.ravel())


def to_5hd(rows: NDArray[Any]) -> NDArray[Any]:
    """(repeats, 16, E) source blocks -> the same shape of destination blocks."""
    repeats, _, per = rows.shape
    return rows.transpose(0, 2, 1).reshape(repeats, 16, per)


LISTS = "    LocalTensor<{t}> to[16], from[16];\n    for (int i = 0; i < 16; ++i) {{ {fill} }}\n"


@pytest.mark.parametrize("dtype", ["int16", "uint16", "float16", "int32", "uint32", "float32"])
def test_rows_become_columns(toolchain: SimulatorToolchain, dtype: str) -> None:
    per = 32 // np.dtype(dtype).itemsize
    x = np.arange(3 * 16 * per).astype(dtype)  # three stacks of 16 blocks, one a repeat
    fill = f"from[i] = x[i * {per}]; to[i] = z[i * {per}];"
    body = LISTS.format(t=DType(dtype).ascendc, fill=fill)
    body += "    TransDataTo5HD(to, from, TransDataTo5HDParams(false, false, 3, 16, 16));"
    done = run(body, {"x": x}, {"z": ((x.size,), dtype)}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["z"], to_5hd(x.reshape(3, 16, per)).ravel())


def test_rows_in_any_order(toolchain: SimulatorToolchain) -> None:
    x = np.arange(512, dtype=np.uint16)
    order = np.random.default_rng(95).permutation(16)
    listing = ", ".join(map(str, order))
    fill = "from[i] = x[order[i] * 32]; to[i] = z[i * 32];"  # repeats take the second block of each row
    body = f"    const int order[16] = {{{listing}}};\n" + LISTS.format(t="uint16_t", fill=fill)
    body += "    TransDataTo5HD<uint16_t>(to, from, {false, false, 2, 1, 1});"
    done = run(body, {"x": x}, {"z": ((512,), "uint16")}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    rows = x.reshape(16, 2, 16)[order].transpose(1, 0, 2)
    assert np.array_equal(done.outputs["z"].reshape(16, 2, 16).transpose(1, 0, 2), to_5hd(rows))


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize(("dst_high", "src_high"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_bytes_move_between_halves_of_blocks(
    toolchain: SimulatorToolchain, dtype: str, dst_high: int, src_high: int
) -> None:
    x = np.arange(512).astype(dtype)
    body = "    Duplicate(z.ReinterpretCast<int16_t>(), (int16_t)0, 256);\n    PipeBarrier<PIPE_V>();\n"
    body += LISTS.format(t=DType(dtype).ascendc, fill="from[i] = x[i * 32]; to[i] = z[i * 32];")
    body += (
        f"    TransDataTo5HD<{DType(dtype).ascendc}>(to, from, TransDataTo5HDParams({dst_high}, {src_high}, 1, 0, 0));"
    )
    done = run(body, {"x": x}, {"z": ((512,), dtype)}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    expected = np.zeros((16, 2, 16), dtype)
    expected[:, dst_high] = x.reshape(16, 2, 16)[:, src_high].T
    assert np.array_equal(done.outputs["z"], expected.ravel())


FORMS = {
    "addresses": "uint64_t to[16], from[16]; {a} TransDataTo5HD<half>(to, from, {{false, false, 1, 0, 0}});",
    "of the implementation": "uint64_t to[16], from[16]; {a} TransDataTo5HDImpl<half>(to, from, {{}});",
    "pointers": "__ubuf__ half *to[16], *from[16]; {p} TransDataTo5HDImpl(to, from, {{false, false, 1, 0, 0}});",
    "registers": (
        "uint64_t to[16], from[16]; {a} set_va_reg_sb(VA0, to); set_va_reg_sb(VA1, to + 8); set_va_reg_sb(VA2, from); "
        "set_va_reg_sb(VA3, from + 8); scatter_vnchwconv_b16(VA0, VA2, 1, 0, 0);"
    ),
    "in memory": (
        "for (int i = 0; i < 16; ++i) {{ a.SetValue(i, (uint64_t)z[i * 16].GetPhyAddr()); "
        "a.SetValue(16 + i, (uint64_t)x[i * 16].GetPhyAddr()); }} PipeBarrier<PIPE_ALL>(); "
        "LocalTensor<uint64_t> sources = a[16]; TransDataTo5HD<half>(a, sources, {{false, false, 1, 0, 0}});"
    ),
    "vtranspose": "vtranspose((__ubuf__ uint16_t*)z.GetPhyAddr(), (__ubuf__ uint16_t*)x.GetPhyAddr());",
}
ADDRESSES = (
    "for (int i = 0; i < 16; ++i) { to[i] = (uint64_t)z[i * 16].GetPhyAddr(); "
    "from[i] = (uint64_t)x[i * 16].GetPhyAddr(); }"
)
POINTERS = ADDRESSES.replace("(uint64_t)", "(__ubuf__ half*)")


@pytest.mark.parametrize("form", FORMS)
def test_all_spellings_do_the_same(toolchain: SimulatorToolchain, form: str) -> None:
    x = np.arange(256).astype(np.float16)
    body = "    LocalTensor<uint64_t> a = workBuffer.Get<uint64_t>();\n    "
    body += FORMS[form].format(a=ADDRESSES, p=POINTERS)
    done = run(body, {"x": x}, {"z": ((256,), "float16")}, scratch=256, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["z"].reshape(16, 16), x.reshape(16, 16).T)


def test_raw_forms_of_other_sizes(toolchain: SimulatorToolchain) -> None:
    x = np.arange(512, dtype=np.uint8)
    body = (
        "    uint64_t to[16], from[16];\n    for (int i = 0; i < 16; ++i) { to[i] = (uint64_t)z[i * 32].GetPhyAddr(); "
        "from[i] = (uint64_t)x[i * 32].GetPhyAddr(); }\n    set_va_reg_sb(VA4, to); set_va_reg_sb(VA5, to + 8); "
        "set_va_reg_sb(VA6, from); set_va_reg_sb(VA7, from + 8);\n    scatter_vnchwconv_b32(VA4, VA6, 1, 0, 0);\n"
        "    PipeBarrier<PIPE_V>();\n    scatter_vnchwconv_b8(VA4, VA6, 1, 0, 0, false, true);"
    )
    done = run(body, {"x": x}, {"z": ((512,), "uint8")}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    expected = to_5hd(x.view(np.uint32).reshape(1, 16, 8)).reshape(16, 8).copy().view(np.uint8).reshape(16, 2, 16)
    expected[:, 0] = x.reshape(16, 2, 16)[:, 1].T
    assert np.array_equal(done.outputs["z"], expected.ravel())


X = {"x": np.zeros(512, np.float16), "f": np.zeros(256, np.float32)}
OUT = {"z": ((512,), "float16"), "g": ((256,), "float32")}


def test_misuse_is_named(toolchain: SimulatorToolchain) -> None:
    rows = "LocalTensor<half> to[16], from[16]; for (int i = 0; i < 16; ++i) { from[i] = x[%s]; to[i] = z[%s]; } "
    call = "TransDataTo5HD<half>(to, from, TransDataTo5HDParams(false, false, %s));"
    plain = rows % ("i * 16", "i * 16")
    ext = "Transpose(g, f, z.ReinterpretCast<uint8_t>(), TransposeParamsExt(1, %s, TransposeType::%s));"
    cases = {
        "Transpose(z[1], x);": "misaligned-address",
        "Transpose(x[16], x);": "operand-overlap",
        "Transpose(z[384], x);": "out-of-bounds",
        plain + call % "0, 0, 0": "repeat-range",
        plain + call % "3, 16, 16": "out-of-bounds",
        rows % ("i * 16 + 8", "i * 16") + call % "1, 0, 0": "misaligned-address",
        rows % ("(i * 5 % 16) * 16 + 8", "i * 16") + call % "1, 0, 0": "misaligned-address",
        rows % ("(i * 5 % 16) * 32", "i * 16") + call % "2, 16, 31": "out-of-bounds",
        rows.replace("= z[", "= x[") % ("i * 16", "i * 16 + 256") + call % "2, 0, 16": "operand-overlap",
        "scatter_vnchwconv_b16(VA7, VA0, 1, 0, 0);": "illegal-argument",
        ext % ("1, 3, 1", "TRANSPOSE_NCHW2NHWC"): "illegal-argument",
        ext % ("4096, 1, 8", "TRANSPOSE_NCHW2NHWC"): "illegal-argument",
        ext % ("20, 1, 8", "TRANSPOSE_NHWC2NCHW"): "work-too-small",
        ext % ("1, 1, 8", "TRANSPOSE_ND2ND_B16"): "illegal-argument",
        ext % ("1, 1, 8", "TRANSPOSE_NZ2ND_0213"): "illegal-argument",
    }
    for (statement, code), found in zip(
        cases.items(), codes_by_statement(tuple(cases), X, OUT, toolchain=toolchain), strict=True
    ):
        assert code in found, (statement, found)


def test_rows_outside_of_ub_stop_the_kernel(toolchain: SimulatorToolchain) -> None:
    body = "    uint64_t to[16] = {}, from[16] = {};\n    TransDataTo5HD<half>(to, from, {false, false, 1, 0, 0});"
    done = run(body, X, OUT, toolchain=toolchain)
    assert not done.completed and "out-of-bounds" in done.codes


def test_element_types_that_the_chip_lacks_are_rejected(toolchain: SimulatorToolchain) -> None:
    body = (
        "    Transpose(g, f);\n    LocalTensor<int64_t> l = f.ReinterpretCast<int64_t>();\n"
        "    Transpose(l, l, z.ReinterpretCast<uint8_t>(), TransposeParamsExt());\n"
        "    uint64_t a[16] = {};\n    TransDataTo5HD<bfloat16_t>(a, a, TransDataTo5HDParams());"
    )
    done = run(body, X, OUT, toolchain=toolchain)
    assert not done.compiled and done.codes == ("dtype-not-supported",)
    assert [d.apis[0] for d in done.diagnostics if d.is_error] == ["Transpose", "Transpose", "TransDataTo5HD"]


@pytest.mark.parametrize("order", ["i", "(i * 5 % 16)"])
def test_a_row_that_is_not_ordered_after_its_load_is_a_hazard(toolchain: SimulatorToolchain, order: str) -> None:
    body = LISTS.format(t="half", fill=f"from[i] = x[{order} * 16]; to[i] = z[i * 16];")
    body = "    DataCopy(x[240], xGlobal, 16);\n" + body + "    TransDataTo5HD<half>(to, from, TransDataTo5HDParams());"
    done = run(body, X, OUT, toolchain=toolchain)
    assert {d.apis[0] for d in done.diagnostics if d.code == "missing-sync"} == {"TransDataTo5HD"}
