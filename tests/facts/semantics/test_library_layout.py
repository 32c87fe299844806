"""Library calls that select, rescale and rearrange elements (facts: ascendc_api.csv, high-level rows; public pages)."""

from __future__ import annotations

import numpy as np
import pytest

from agentkernel.testing.simulate import simulate

from .batch import Array, Batch, explain
from .marks import api
from .values import BF16, CTYPE, FLOAT, HALF, INT16, INT32, UINT16, UINT32, assert_same

_DIRT = 0xA5
_KEEP = 0.5
_PALINDROMES = np.array([0x81, 0x42, 0x24, 0x18, 0xFF, 0x00, 0xC3, 0x99], np.uint8)
"""Bytes that read the same from either end: pages and facts differ in which bit of a mask is the first one."""


@api("DropOut")
@pytest.mark.parametrize("dtype", (HALF, FLOAT), ids=str)
def test_elements_are_kept_by_bytes(dtype: np.dtype) -> None:
    batch, rng = Batch(), np.random.default_rng(1)
    x, mask = rng.integers(-9, 9, (4, 32)).astype(dtype), rng.integers(0, 2, (4, 32)).astype(np.uint8)
    dirty = np.full((4, 64), _DIRT, np.uint8)
    dirty[:, :32] = mask
    s, tmp = batch.put(x), batch.put(np.zeros(16384, np.uint8))
    results = []
    for mode, given, last in ((2, mask, 32), (1, dirty, 64)):
        for scratch in (f"{tmp}, ", ""):
            m, d = batch.put(given), batch.out(np.full((4, 32), 7, dtype))
            batch.do(
                f"DropOutShapeInfo info; info.firstAxis = 4; info.srcLastAxis = 32; info.maskLastAxis = {last};",
                f"DropOut<{CTYPE[dtype]}, false, {mode}>({d}, {s}, {m}, {scratch}{_KEEP}f, info);",
            )
            results.append((mode, d))
    got = batch.run()
    for mode, d in results:
        assert_same(got[d], (x * mask / _KEEP).astype(dtype), zero_sign=False, context=f"mode {mode}")


@api("DropOut")
@pytest.mark.parametrize("dtype", (HALF, FLOAT), ids=str)
def test_elements_are_kept_by_bits(dtype: np.dtype) -> None:
    batch, rng = Batch(), np.random.default_rng(2)
    x, mask = rng.integers(-9, 9, (4, 64)).astype(dtype), rng.permuted(np.tile(_PALINDROMES, (4, 1)), axis=1)
    dirty = np.full((4, 32), _DIRT, np.uint8)
    dirty[:, :8] = mask
    s, tmp = batch.put(x), batch.put(np.zeros(16384, np.uint8))
    results = []
    for mode, given, last in ((3, mask, 8), (4, dirty, 32)):
        m, d = batch.put(given), batch.out(np.full((4, 64), 7, dtype))
        batch.do(
            f"DropOutShapeInfo info; info.firstAxis = 4; info.srcLastAxis = 64; info.maskLastAxis = {last};",
            f"DropOut<{CTYPE[dtype]}, false, {mode}>({d}, {s}, {m}, {tmp}, {_KEEP}f, info);",
        )
        results.append((mode, d))
    got = batch.run()
    kept = np.unpackbits(mask, axis=1)
    for mode, d in results:
        assert_same(got[d], (x * kept / _KEEP).astype(dtype), zero_sign=False, context=f"mode {mode}")


def _shaped(*names: str, shape: tuple[int, int]) -> str:
    """Statements that tell tensors their two axes."""
    told = " ".join(f"{name}.SetShapeInfo(ShapeInfo(2, axes));" for name in names)
    return f"const uint32_t axes[2] = {{{shape[0]}, {shape[1]}}}; {told}"


@api("AscendAntiQuant")
@pytest.mark.parametrize("dtype", (HALF, BF16), ids=str)
def test_integers_are_moved_and_scaled(dtype: np.dtype) -> None:
    batch, rng, ctype = Batch(), np.random.default_rng(3), CTYPE[dtype]
    x = rng.integers(-60, 60, (64, 32)).astype(np.int8)
    scale, offset = np.exp2(rng.integers(-2, 2, (1, 32))).astype(dtype), rng.integers(-5, 6, (1, 32)).astype(dtype)
    s, t, o, tmp = batch.put(x), batch.put(scale), batch.put(offset), batch.put(np.zeros(32768, np.uint8))
    wide, whole, moved = x.astype(np.float64), scale.astype(np.float64), offset.astype(np.float64)
    name = f"AscendAntiQuant<int8_t, {ctype}, false>"
    one = f"static_cast<{ctype}>(%s)" if dtype == HALF else "ToBfloat16(%s)"
    calls = {
        f"{name}(DST, {s}, {o}, {t}, {tmp}, 64);": (wide + moved) * whole,
        f"{name}(DST, {s}, {o}, {t}, 64);": (wide + moved) * whole,
        f"{name}(DST, {s}, {t}, {tmp}, 64);": wide * whole,
        f"{name}(DST, {s}, {one % '3.0f'}, {one % '0.25f'}, {tmp}, 64);": (wide + 3) * 0.25,
        f"{name}(DST, {s}, {one % '3.0f'}, {one % '0.25f'}, 64);": (wide + 3) * 0.25,
        f"{name}(DST, {s}, {one % '0.5f'}, {tmp}, 64);": wide * 0.5,
    }
    expected = {}
    for call, want in calls.items():
        d = batch.out(np.zeros((64, 32), dtype))
        batch.do(_shaped(t, o, shape=(1, 32)), call.replace("DST", d))
        expected[d] = (call, want)
    got = batch.run()
    for d, (call, want) in expected.items():
        assert_same(got[d], want.astype(dtype), zero_sign=False, context=call)


@api("AscendAntiQuant")
def test_integers_of_a_transposed_weight_are_scaled_by_rows() -> None:
    batch, rng = Batch(), np.random.default_rng(4)
    x = rng.integers(-60, 60, (32, 64)).astype(np.int8)
    scale, offset = np.exp2(rng.integers(-2, 2, (32, 1))).astype(HALF), rng.integers(-5, 6, (32, 1)).astype(HALF)
    s, t, o, tmp = batch.put(x), batch.put(scale), batch.put(offset), batch.put(np.zeros(32768, np.uint8))
    d = batch.out(np.zeros((32, 64), HALF))
    batch.do(
        _shaped(t, o, shape=(32, 1)),
        f"AscendAntiQuant<int8_t, half, true>({d}, {s}, {o}, {t}, {tmp}, 64);",
    )
    want = (x.astype(np.float64) + offset) * scale
    assert_same(batch.run()[d], want.astype(HALF), zero_sign=False)


@api("AscendAntiQuant")
def test_groups_of_rows_have_their_own_scales() -> None:
    batch, x = Batch(), np.arange(-32, 32, dtype=np.int8).repeat(32).reshape(64, 32)
    scale = np.repeat(np.array([0.5, 2], HALF), 32).reshape(2, 32)
    s, t, tmp = batch.put(x), batch.put(scale), batch.put(np.zeros(32768, np.uint8))
    d = batch.out(np.zeros((64, 32), HALF))
    batch.do(_shaped(t, shape=(2, 32)), f"AscendAntiQuant<int8_t, half, false>({d}, {s}, {t}, {tmp}, 64);")
    assert_same(batch.run()[d], (x * scale.repeat(32, axis=0)).astype(HALF), zero_sign=False)


@api("AscendAntiQuant")
def test_axes_of_scales_may_be_an_argument() -> None:
    batch, x = Batch(), np.arange(-32, 32, dtype=np.int8).repeat(32).reshape(64, 32)
    scale = np.repeat(np.array([0.5, 2], HALF), 32).reshape(2, 32)
    s, t, tmp = batch.put(x), batch.put(scale), batch.put(np.zeros(32768, np.uint8))
    d = batch.out(np.zeros((64, 32), HALF))
    batch.do(
        "AntiQuantShapeInfo shape; shape.offsetHeight = shape.scaleHeight = 2;",
        "shape.offsetWidth = shape.scaleWidth = 32;",
        f"AscendAntiQuant<int8_t, half, false>({d}, {s}, {t}, {tmp}, 64, shape);",
    )
    assert_same(batch.run()[d], (x * scale.repeat(32, axis=0)).astype(HALF), zero_sign=False)


@api("BilinearInterpolation")
@pytest.mark.parametrize("each_block", (False, True), ids=("one weight", "a weight per block"))
def test_gathered_blocks_are_weighted_and_added(each_block: bool) -> None:
    batch, rng = Batch(), np.random.default_rng(5)
    horizontal, vertical = 3, 2
    x = rng.integers(-4, 5, (12, 16)).astype(HALF)
    blocks = rng.integers(0, 12, (vertical, horizontal, 8))
    weights = rng.integers(-3, 4, (vertical, horizontal, 8 if each_block else 1)).astype(HALF)
    s, o = batch.put(x), batch.put((blocks * 32).astype(np.uint32).ravel())
    w = batch.put(np.resize(weights.ravel(), 48))
    tmp = batch.put(np.zeros((12 * 16 + 48) * 32, np.uint8))
    results = []
    for mask, lanes in (("128", 128), ("24", 24), ("bits", 0)):
        d = batch.out(np.zeros((2, 8, 16), HALF))
        flag = str(each_block).lower()
        call = f"BilinearInterpolation({d}, {s}, {o}, {w}, {mask}, {horizontal}, {flag}, 1, 128, {vertical}, {tmp});"
        batch.do("uint64_t bits[2] = {0xF0F0F0F0F0F0F0F0ull, 0x0F0F0F0F0F0F0F0Full};", "(void)bits;", call)
        word = [0xF0F0F0F0F0F0F0F0, 0x0F0F0F0F0F0F0F0F]
        on = np.array([word[i // 64] >> (i % 64) & 1 if mask == "bits" else i < lanes for i in range(128)], bool)
        results.append((mask, d, on.reshape(8, 16)))
    got = batch.run()
    want = (x[blocks].astype(np.float64) * weights.astype(np.float64)[..., None]).sum(axis=1)
    for mask, d, on in results:
        assert_same(got[d], np.where(on, want, 0).astype(HALF), zero_sign=False, context=mask)


def _layouts(n: int, c: int, d: int, h: int, w: int) -> tuple[str, str]:
    plain = f"auto plain = MakeLayout(MakeShape({n}, {c}, {d}, {h}, {w}), MakeStride());"
    sliced = f"auto other = MakeLayout(MakeShape({n}, {d}, {-(-c // 16)}, {h}, {w}, 16), MakeStride());"
    return plain, sliced


@api("TransData")
@pytest.mark.parametrize("dtype", (HALF, INT16, UINT16, BF16), ids=str)
def test_channels_go_last_and_back(dtype: np.dtype) -> None:
    batch = Batch()
    n, c, d, h, w = 2, 32, 2, 2, 8
    x = (np.arange(n * c * d * h * w) % 251).astype(dtype).reshape(n, c, d, h, w)
    want = x.reshape(n, 2, 16, d, h, w).transpose(0, 3, 1, 4, 5, 2)
    batch.declarations = (
        "constexpr TransDataConfig FORTH{DataFormat::NCDHW, DataFormat::NDC1HWC0};\n"
        "constexpr TransDataConfig BACK{DataFormat::NDC1HWC0, DataFormat::NCDHW};"
    )
    s, t, tmp = batch.put(x), batch.put(np.ascontiguousarray(want)), batch.put(np.zeros(32768, np.uint8))
    forth, back = batch.out(np.zeros_like(want)), batch.out(np.zeros_like(x))
    plain, sliced = _layouts(n, c, d, h, w)
    params = "TransDataParams<decltype(%s), decltype(%s)> params{%s, %s};"
    batch.do(plain, sliced, params % (("plain", "other") * 2), f"TransData<FORTH>({forth}, {s}, {tmp}, params);")
    batch.do(plain, sliced, params % (("other", "plain") * 2), f"TransData<BACK>({back}, {t}, {tmp}, params);")
    got = batch.run()
    assert_same(got[forth], want)
    assert_same(got[back], x)


@api("TransData")
@pytest.mark.parametrize("dtype", (HALF, INT16), ids=str)
def test_filters_become_fractals_and_back(dtype: np.dtype) -> None:
    batch = Batch()
    n, c, d, h, w = 16, 32, 2, 2, 8
    x = (np.arange(n * c * d * h * w) % 251).astype(dtype).reshape(n, c, d, h, w)
    want = x.reshape(1, 16, 2, 16, d, h, w).transpose(4, 2, 5, 6, 0, 1, 3)
    batch.declarations = (
        "constexpr TransDataConfig FORTH{DataFormat::NCDHW, DataFormat::FRACTAL_Z_3D};\n"
        "constexpr TransDataConfig BACK{DataFormat::FRACTAL_Z_3D, DataFormat::NCDHW};"
    )
    tmp = batch.put(np.zeros(32768, np.uint8))
    plain, _ = _layouts(n, c, d, h, w)
    other = f"auto other = MakeLayout(MakeShape({d}, 2, {h}, {w}, 1, 16, 16), MakeStride());"
    params = "TransDataParams<decltype(%s), decltype(%s)> params{%s, %s};"
    forth = batch.out(np.zeros_like(want))
    s = batch.put(x)
    batch.do(plain, other, params % (("plain", "other") * 2), f"TransData<FORTH>({forth}, {s}, {tmp}, params);")
    assert_same(batch.run()[forth], want)
    again = Batch()
    again.declarations = batch.declarations
    tmp, t, back = again.put(np.zeros(32768, np.uint8)), again.put(np.ascontiguousarray(want)), again.out(x * 0)
    again.do(plain, other, params % (("other", "plain") * 2), f"TransData<BACK>({back}, {t}, {tmp}, params);")
    assert_same(again.run()[back], x)


_FILL = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    GlobalTensor<%(ctype)s> old, now;
    old.SetGlobalBuffer((__gm__ %(ctype)s *)y + GetBlockIdx() * 1000, 1000);
    now.SetGlobalBuffer((__gm__ %(ctype)s *)z + GetBlockIdx() * 1000, 1000);
    InitGlobalMemory<%(ctype)s>(old, 1000, static_cast<%(ctype)s>(GetBlockIdx() + 3));
    PipeBarrier<PIPE_ALL>();
    Fill<%(ctype)s>(now, 1000, static_cast<%(ctype)s>(GetBlockIdx() + 3));
}
"""


@api("InitGlobalMemory", "Fill")
@pytest.mark.parametrize("dtype", (UINT16, INT16, HALF, UINT32, INT32, FLOAT), ids=str)
def test_global_memory_is_filled(dtype: np.dtype) -> None:
    outputs = {"y": ((2000,), str(dtype)), "z": ((2000,), str(dtype))}
    result = simulate(_FILL % {"ctype": CTYPE[dtype]}, {}, outputs, blocks=2)
    assert result.compiled and result.completed and not result.codes, explain(result)
    want: Array = (np.arange(2000) // 1000 + 3).astype(dtype)
    for name in outputs:
        assert_same(result.outputs[name], want, context=name)


def _sort_sizes(ctype: str) -> Array:
    batch = Batch()
    d = batch.out(np.zeros(8, INT32))
    calls = (f"GetSortLen<{ctype}>(128)", f"GetSortLen<{ctype}>(32)", f"GetSortOffset<{ctype}>(32)")
    for i, call in enumerate(calls):
        batch.do(f"{d}.SetValue({i}, static_cast<int32_t>({call}));")
    return batch.run()[d]


@api("GetSortLen", "GetSortOffset")
@pytest.mark.parametrize("ctype", ("half", "float"))
def test_sorted_pairs_lie_side_by_side(ctype: str) -> None:
    whole, part, offset = _sort_sizes(ctype)[:3]
    assert whole == 4 * part > 0
    assert offset == part


@api("GetSortLen", "GetSortOffset")
@pytest.mark.parametrize("ctype", ("half", "float"))
def test_sizes_of_sorted_pairs_are_bytes(ctype: str) -> None:
    assert _sort_sizes(ctype)[:3].tolist() == [1024, 256, 256]
