"""Scalar access to tensors, tensor objects, and scalar helpers (facts: semantics, sections 17 and 20)."""

from __future__ import annotations

import numpy as np

from .batch import Batch
from .marks import api
from .values import BF16, CTYPE, FLOAT, HALF, INT16, INT32, UINT16, UINT32, assert_same, random_values

_TYPES = (
    np.dtype(np.int8),
    np.dtype(np.uint8),
    INT16,
    UINT16,
    HALF,
    BF16,
    INT32,
    UINT32,
    FLOAT,
    np.dtype(np.int64),
)


@api("LocalTensor::GetValue", "LocalTensor::SetValue", "LocalTensor::operator()")
def test_elements_of_local_tensors() -> None:
    rng = np.random.default_rng(1)
    batch, expected = Batch(), {}
    for dtype in _TYPES:
        a, old = random_values(dtype, 40, rng), random_values(dtype, 40, rng)
        x, d = batch.put(a), batch.out(old)
        batch.do(
            f"{d}.SetValue(0, {x}.GetValue(39));",
            f"{d}.SetValue(7, {x}(3));",
            f"{d}(9) = {x}.GetValue(0);",
            f"for (uint32_t i = 20; i < 30; ++i) {{ {d}.SetValue(i, {x}.GetValue(i + 1)); }}",
        )
        want = old.copy()
        want[0], want[7], want[9], want[20:30] = a[39], a[3], a[0], a[21:31]
        expected[d] = want
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=str(want.dtype))


@api("GlobalTensor::GetValue", "GlobalTensor::SetValue", "GlobalTensor::operator()", "DataCacheCleanAndInvalid")
def test_elements_of_global_tensors() -> None:
    rng = np.random.default_rng(2)
    batch, expected = Batch(), {}
    for dtype in _TYPES:
        a, old = random_values(dtype, 64, rng), random_values(dtype, 64, rng)
        g, r = batch.put_global(a), batch.out_global(old)
        clean = f"DataCacheCleanAndInvalid<{CTYPE[dtype]}, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>({r});"
        batch.do(
            f"{r}.SetValue(0, {g}.GetValue(63));",
            f"{r}.SetValue(11, {g}[5].GetValue(2));",
            f"{r}[3].SetValue(4, {g}(1));",
            f"{r}.SetValue(20, {r}(7));",
            f"{r}(25) = {g}(2);",
            clean,
        )
        want = old.copy()
        want[0], want[11], want[7], want[20], want[25] = a[63], a[7], a[1], a[1], a[2]
        expected[r] = want
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=str(want.dtype))


@api("LocalTensor::operator[]", "LocalTensor::ReinterpretCast", "LocalTensor::GetSize", "LocalTensor::SetSize")
def test_views_of_local_tensors() -> None:
    batch = Batch()
    a = np.arange(64, dtype=np.float32)
    x, d, n = batch.put(a), batch.out(np.zeros(64, FLOAT)), batch.out(np.zeros(8, INT32))
    batch.do(
        f"Adds({d}[16], {x}[8], 1.0f, 8);",
        f"auto words = {x}.ReinterpretCast<uint16_t>();",
        f"{n}.SetValue(0, static_cast<int32_t>({x}.GetSize()));",
        f"{n}.SetValue(1, static_cast<int32_t>({x}[24].GetSize()));",
        f"{n}.SetValue(2, static_cast<int32_t>(words.GetSize()));",
        f"{n}.SetValue(3, static_cast<int32_t>(words.GetValue(3)));",
        f"{x}.SetSize(5);",
        f"{n}.SetValue(4, static_cast<int32_t>({x}.GetSize()));",
    )
    got = batch.run()
    want = np.zeros(64, FLOAT)
    want[16:24] = a[8:16] + 1
    assert_same(got[d], want)
    assert got[n][:5].tolist() == [64, 40, 128, int(a.view(np.uint16)[3]), 5]


@api("GetBitCount", "ScalarGetCountOfValue", "CountLeadingZero", "ScalarCountLeadingZero", "CountBitsCntSameAsSignBit")
def test_bit_helpers() -> None:
    values = [0x0100000000000020, 1, 2**63, 0xFFFF, 0x00F0000000000000, 2**64 - 2]
    batch = Batch()
    d = batch.out(np.zeros(64, np.int64))
    for i, value in enumerate(values):
        batch.do(
            f"uint64_t v = {value}ull;",
            f"{d}.SetValue({i}, GetBitCount<1>(v));",
            f"{d}.SetValue({10 + i}, ScalarGetCountOfValue<0>(v));",
            f"{d}.SetValue({20 + i}, CountLeadingZero(v));",
            f"{d}.SetValue({30 + i}, ScalarCountLeadingZero(v));",
            f"{d}.SetValue({40 + i}, CountBitsCntSameAsSignBit(static_cast<int64_t>(v)));",
        )
    batch.do(f"{d}.SetValue(50, CountBitsCntSameAsSignBit(0));", f"{d}.SetValue(51, CountBitsCntSameAsSignBit(-1));")
    got = batch.run()[d]
    for i, value in enumerate(values):
        ones, leading = value.bit_count(), 64 - value.bit_length()
        inverted = value ^ (2**64 - 1) if value >> 63 else value
        assert got[i] == ones
        assert got[10 + i] == 64 - ones
        assert got[20 + i] == got[30 + i] == leading
        assert got[40 + i] == 64 - inverted.bit_length() - 1
    assert got[40] == 6
    assert got[50] == got[51] == -1


@api("ReadGmByPassDCache", "WriteGmByPassDCache")
def test_uncached_access_to_global_memory() -> None:
    rng = np.random.default_rng(3)
    batch, expected = Batch(), {}
    for dtype in (np.dtype(np.int8), UINT16, INT32, np.dtype(np.int64)):
        a, old = random_values(dtype, 32, rng), random_values(dtype, 32, rng)
        g, r = batch.put_global(a), batch.out_global(old)
        ctype = CTYPE[dtype]
        batch.do(
            f"WriteGmByPassDCache<{ctype}>({r}.GetPhyAddr(3),",
            f"    ReadGmByPassDCache<{ctype}>((__gm__ {ctype} *){g}.GetPhyAddr(9)));",
        )
        want = old.copy()
        want[3] = a[9]
        expected[r] = want
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=str(want.dtype))


@api("half")
def test_half_arithmetic_of_the_scalar_unit_converts_exactly() -> None:
    batch = Batch()
    a = np.array([0.1, 2.5, 1024.5, -3.25], HALF)
    x, d = batch.put(a), batch.out(np.zeros(8, FLOAT))
    batch.do(f"for (uint32_t i = 0; i < 4; ++i) {{ {d}.SetValue(i, static_cast<float>({x}.GetValue(i))); }}")
    assert_same(batch.run()[d][:4], a.astype(np.float32))
