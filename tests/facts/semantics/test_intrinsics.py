"""Functions on pointers (facts: overloads, section 1.1), and registers that change what stores and sums do."""

from __future__ import annotations

import numpy as np
import pytest

from .batch import Array, Batch
from .marks import api
from .values import FLOAT, HALF, INT16, INT32, UINT16, assert_close, assert_same

_FULL = "set_vector_mask((uint64_t)-1, (uint64_t)-1);"


def _at(name: str, ctype: str) -> str:
    return f"(__ubuf__ {ctype} *){name}.GetPhyAddr()"


@api("vadd", "vsub", "vmul", "vdiv", "vmax", "vmin", "vaddrelu", "vmla", "vand", "vor")
def test_two_sources() -> None:
    batch, rng = Batch(), np.random.default_rng(1)
    x, y = rng.integers(-9, 9, 128).astype(FLOAT), rng.integers(1, 9, 128).astype(FLOAT)
    old = np.full(128, 2, FLOAT)
    p, q = (rng.integers(0, 2**16, 256).astype(UINT16) for _ in range(2))
    s, t, u, v = batch.put(x), batch.put(y), batch.put(p), batch.put(q)
    cases: list[tuple[str, Array]] = [
        ("vadd", x + y),
        ("vsub", x - y),
        ("vmul", x * y),
        ("vdiv", x / y),
        ("vmax", np.maximum(x, y)),
        ("vmin", np.minimum(x, y)),
        ("vaddrelu", np.maximum(x + y, 0)),
        ("vmla", x * y + old),
    ]
    expected = {}
    for name, want in cases:
        d = batch.out(old)
        batch.do(_FULL, f"{name}({_at(d, 'float')}, {_at(s, 'float')}, {_at(t, 'float')}, 2, 1, 1, 1, 8, 8, 8);")
        expected[d] = want
    for name, bits in (("vand", p & q), ("vor", p | q)):
        d = batch.out(np.zeros(256, UINT16))
        addresses = f"{_at(d, 'uint16_t')}, {_at(u, 'uint16_t')}, {_at(v, 'uint16_t')}"
        batch.do(_FULL, f"{name}({addresses}, 2, 1, 1, 1, 8, 8, 8);")
        expected[d] = bits
    got = batch.run()
    for d, want in expected.items():
        assert_same(got[d], want, zero_sign=False)


@api("vexp", "vln", "vabs", "vrec", "vrsqrt", "vsqrt", "vnot", "vrelu")
def test_one_source() -> None:
    batch, rng = Batch(), np.random.default_rng(2)
    x = rng.uniform(0.5, 4, 128).astype(FLOAT)
    signed = rng.uniform(-4, 4, 128).astype(FLOAT)
    words = rng.integers(0, 2**16, 256).astype(UINT16)
    s, t, u = batch.put(x), batch.put(signed), batch.put(words)
    cases = [("vexp", s, np.exp(x)), ("vln", s, np.log(x)), ("vsqrt", s, np.sqrt(x)), ("vrec", s, 1 / x)]
    cases += [("vrsqrt", s, 1 / np.sqrt(x)), ("vabs", t, np.abs(signed)), ("vrelu", t, np.maximum(signed, 0))]
    expected = {}
    for name, source, want in cases:
        d = batch.out(np.zeros(128, FLOAT))
        batch.do(_FULL, f"{name}({_at(d, 'float')}, {_at(source, 'float')}, 2, 1, 1, 8, 8);")
        expected[d] = (name, want)
    n = batch.out(np.zeros(256, UINT16))
    batch.do(_FULL, f"vnot({_at(n, 'uint16_t')}, {_at(u, 'uint16_t')}, 2, 1, 1, 8, 8);")
    got = batch.run()
    for d, (name, want) in expected.items():
        assert_close(got[d], want.astype(FLOAT), 5e-3 if name in ("vrec", "vrsqrt") else 1e-4, context=name)
    assert_same(got[n], ~words)


@api("vadds", "vmuls", "vmaxs", "vmins", "vlrelu", "vshl", "vshr", "vector_dup", "copy_ubuf_to_ubuf")
def test_one_source_and_a_scalar() -> None:
    batch, rng = Batch(), np.random.default_rng(3)
    x, words = rng.integers(-9, 9, 128).astype(FLOAT), rng.integers(0, 2**16, 256).astype(UINT16)
    s, u = batch.put(x), batch.put(words)
    expected = {}
    cases: list[tuple[str, Array]] = [
        ("vadds", x + 2),
        ("vmuls", x * 2),
        ("vmaxs", np.maximum(x, 2)),
        ("vmins", np.minimum(x, 2)),
        ("vlrelu", np.where(x > 0, x, x * 2)),
    ]
    for name, want in cases:
        d = batch.out(np.zeros(128, FLOAT))
        batch.do(_FULL, f"{name}({_at(d, 'float')}, {_at(s, 'float')}, 2.0f, 2, 1, 1, 8, 8);")
        expected[d] = want
    left, right = batch.out(np.zeros(256, UINT16)), batch.out(np.zeros(256, UINT16))
    three = "static_cast<uint16_t>(3)"
    batch.do(_FULL, f"vshl({_at(left, 'uint16_t')}, {_at(u, 'uint16_t')}, {three}, 2, 1, 1, 8, 8);")
    batch.do(_FULL, f"vshr({_at(right, 'uint16_t')}, {_at(u, 'uint16_t')}, {three}, 2, 1, 1, 8, 8, false);")
    expected[left], expected[right] = words << np.uint16(3), words >> np.uint16(3)
    filled, copied = batch.out(np.zeros(128, FLOAT)), batch.out(np.zeros(128, FLOAT))
    batch.do(_FULL, f"vector_dup({_at(filled, 'float')}, 1.5f, 2, 1, 0, 8, 0);")
    batch.do(f"copy_ubuf_to_ubuf({_at(copied, 'float')}, {_at(s, 'float')}, 0, 2, 4, 4, 4);")
    expected[filled] = np.full(128, 1.5, FLOAT)
    expected[copied] = np.where(np.arange(128) // 32 % 2 == 0, x, 0)
    got = batch.run()
    for d, want in expected.items():
        assert_same(got[d], want.astype(got[d].dtype), zero_sign=False)


@api("vcgadd", "vcgmax", "vcgmin", "vcpadd", "vtranspose")
def test_groups_and_a_square() -> None:
    batch, rng = Batch(), np.random.default_rng(4)
    x, square = rng.integers(-9, 9, 128).astype(FLOAT), rng.integers(0, 2**16, (16, 16)).astype(UINT16)
    s, u = batch.put(x), batch.put(square)
    blocks = x.reshape(16, 8)
    expected = {}
    for name, want in (
        ("vcgadd", blocks.sum(axis=1)),
        ("vcgmax", blocks.max(axis=1)),
        ("vcgmin", blocks.min(axis=1)),
        ("vcpadd", x.reshape(64, 2).sum(axis=1)),
    ):
        d = batch.out(np.zeros(want.size, FLOAT))
        batch.do(_FULL, f"{name}({_at(d, 'float')}, {_at(s, 'float')}, 2, 1, 1, 8);")
        expected[d] = want.astype(FLOAT)
    d = batch.out(np.zeros((16, 16), UINT16))
    batch.do(f"vtranspose({_at(d, 'uint16_t')}, {_at(u, 'uint16_t')});")
    expected[d] = np.ascontiguousarray(square.T)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, zero_sign=False)


@api("Transpose", "TransDataTo5HD")
def test_squares_of_16_bits_are_transposed() -> None:
    batch, rng = Batch(), np.random.default_rng(5)
    square = rng.integers(-99, 99, (16, 16)).astype(HALF)
    s = batch.put(square)
    d, e = batch.out(np.zeros((16, 16), HALF)), batch.out(np.zeros((16, 16), HALF))
    batch.do(f"Transpose({d}, {s});")
    batch.do(
        "LocalTensor<half> to[16]; LocalTensor<half> of[16];",
        f"for (int i = 0; i < 16; ++i) {{ to[i] = {e}[i * 16]; of[i] = {s}[i * 16]; }}",
        "TransDataTo5HD<half>(to, of, TransDataTo5HDParams(false, false, 1, 0, 0));",
    )
    got = batch.run()
    assert_same(got[d], np.ascontiguousarray(square.T))
    assert_same(got[e], np.ascontiguousarray(square.T))


@api("SetCtrlSpr", "GetCtrlSpr", "SetSaturationFlag", "GetSaturationFlag")
def test_saturation_is_a_bit_of_the_control_register() -> None:
    batch = Batch()
    x, h = np.full(128, 32767, INT16), np.full(128, 60000, HALF)
    s, t = batch.put(x), batch.put(h)
    outs = [batch.out(np.zeros(128, INT16)) for _ in range(2)] + [batch.out(np.zeros(128, HALF)) for _ in range(2)]
    bits = batch.out(np.zeros(8, INT32))
    batch.do(f"{bits}.SetValue(0, static_cast<int32_t>(GetCtrlSpr<48, 48>()));", f"Add({outs[0]}, {s}, {s}, 128);")
    batch.do("SetCtrlSpr<48, 48>(0);", f"Add({outs[1]}, {s}, {s}, 128);")
    batch.do(f"{bits}.SetValue(1, static_cast<int32_t>(GetCtrlSpr<48, 48>()));", "SetCtrlSpr<48, 48>(1);")
    batch.do(
        "SetSaturationFlag<SaturationMode::FLOAT>(true);",
        f"Add({outs[2]}, {t}, {t}, 128);",
        f"{bits}.SetValue(2, static_cast<int32_t>(GetSaturationFlag<SaturationMode::FLOAT>()));",
        "SetSaturationFlag<SaturationMode::FLOAT>(false);",
        f"Add({outs[3]}, {t}, {t}, 128);",
        f"{bits}.SetValue(3, static_cast<int32_t>(GetSaturationFlag<SaturationMode::FLOAT>()));",
    )
    got = batch.run()
    assert got[bits][:4].tolist() == [1, 0, 1, 0]
    for name, want in zip(outs, (-2, 32767, 65504, np.inf), strict=True):
        assert (got[name] == want).all(), name


@api("SetAtomicType", "SetStoreAtomicConfig", "GetStoreAtomicConfig")
def test_the_type_of_atomic_stores_changes_alone() -> None:
    batch, one = Batch(), np.arange(16, dtype=np.float32)
    s = batch.put(one)
    r, q = batch.out_global(np.full(16, 5, FLOAT)), batch.out_global(np.full(16, 5, FLOAT))
    d = batch.out(np.zeros(8, INT32))
    batch.do("SetAtomicAdd<half>();", "SetAtomicType<float>();", f"DataCopy({r}, {s}, 16);", "DisableDmaAtomic();")
    batch.do(
        "SetStoreAtomicConfig<AtomicDtype::ATOMIC_F32, AtomicOp::ATOMIC_SUM>();",
        "uint16_t type = 99; uint16_t op = 99;",
        "GetStoreAtomicConfig(type, op);",
        f"{d}.SetValue(0, static_cast<int32_t>(type == static_cast<uint16_t>(AtomicDtype::ATOMIC_F32)));",
        f"{d}.SetValue(1, static_cast<int32_t>(op == static_cast<uint16_t>(AtomicOp::ATOMIC_SUM)));",
        f"DataCopy({q}, {s}, 16);",
        "DisableDmaAtomic();",
    )
    got = batch.run()
    assert got[d][:2].tolist() == [1, 1]
    assert_same(got[r], one + 5)
    assert_same(got[q], one + 5)


@api("Tanh", "Trunc", "Xor")
@pytest.mark.parametrize("dtype", (HALF, FLOAT), ids=str)
def test_tanh_trunc_and_xor(dtype: np.dtype) -> None:
    batch, rng = Batch(), np.random.default_rng(6)
    x, words = np.linspace(-5, 5, 112).astype(dtype), rng.integers(-999, 999, (2, 112)).astype(INT16)
    s, a, b = batch.put(x), batch.put(words[0]), batch.put(words[1])
    t, c = batch.out(np.zeros(112, dtype)), batch.out(np.zeros(112, dtype))
    d = batch.out(np.zeros(112, INT16))
    batch.do(f"Tanh({t}, {s}, 112);")
    batch.do(f"Trunc({c}, {s}, 112);")
    batch.do(f"Xor({d}, {a}, {b}, 112);")
    got = batch.run()
    assert_close(got[t], np.tanh(x.astype(np.float64)).astype(dtype), 4e-3 if dtype == HALF else 1e-4)
    assert_same(got[c], np.trunc(x), zero_sign=False)
    assert_same(got[d], words[0] ^ words[1])
