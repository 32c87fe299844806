"""Custom pools, the spill area, tensors at absolute addresses and tensors of a TensorTrait."""

from __future__ import annotations

import numpy as np

from agentkernel.testing.simulate import simulate
from agentkernel.toolchains.simulator import SimulatorToolchain

from .harness import run

X = np.arange(256, dtype=np.float32)

POOL = """#include "kernel_operator.h"
using namespace AscendC;
template <TPosition pos, uint32_t ids>
class OwnPool {
public:
    __aicore__ inline OwnPool() { Init(); }
    template <class Q> __aicore__ inline bool InitBuffer(Q& que, uint8_t num, uint32_t len) {
        auto handle = GetBufHandle(GetCurBufSize());
        que.InitStartBufHandle(handle, num, len);
        for (uint8_t i = 0; i < num; i++) que.InitBufHandle(this, i, handle + i, GetCurAddr() + i * len, len);
        SetCurAddr(GetCurAddr() + num * len);
        SetCurBufSize(GetCurBufSize() + num);
        return true;
    }
    EXTERN_IMPL_BUFPOOL(OwnPool, pos, ids)
};
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace) {
    TPipe pipe;
    OwnPool<TPosition::VECCALC, 8> pool;
    pipe.InitBufPool(pool, POOL_BYTES);
    TQue<TPosition::VECIN, 1> source;
    TQue<TPosition::VECOUT, 1> sink;
    pool.InitBuffer(source, 2, 512);
    pool.InitBuffer(sink, 1, 512);
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float*)x, 256);
    out.SetGlobalBuffer((__gm__ float*)z, 256);
    for (int i = 0; i < 2; ++i) {
        LocalTensor<float> a = source.AllocTensor<float>();
        DataCopy(a, in[128 * i], 128);
        source.EnQue(a);
        a = source.DeQue<float>();
        LocalTensor<float> b = sink.AllocTensor<float>();
        Adds(b, a, 1.0f, 128);
        source.FreeTensor(a);
        sink.EnQue(b);
        b = sink.DeQue<float>();
        DataCopy(out[128 * i], b, 128);
        sink.FreeTensor(b);
    }
}
"""


def test_a_pool_hands_out_addresses_itself(toolchain: SimulatorToolchain) -> None:
    source = POOL.replace("POOL_BYTES", "1536")
    done = simulate(source, {"x": X}, {"z": ((256,), "float32")}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["z"], X + 1)


def test_buffers_stay_inside_the_pool(toolchain: SimulatorToolchain) -> None:
    source = POOL.replace("POOL_BYTES", "1024")
    done = simulate(source, {"x": X}, {"z": ((256,), "float32")}, toolchain=toolchain)
    assert "pool-limit" in done.codes


def test_what_was_spilled_comes_back(toolchain: SimulatorToolchain) -> None:
    body = """    pipe.InitSpmBuffer(zGlobal, 1024);
    pipe.WriteSpmBuffer(x, 64, 128); Duplicate(y, 0.0f, 64);
    pipe.ReadSpmBuffer(y, 64, 128); pipe.ReadSpmBuffer(w, DataCopyParams(2, 2, 2, 0), 128); PipeBarrier<PIPE_ALL>();
    DataCopyPad(z, zGlobal, DataCopyExtParams(1, 384, 0, 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0));"""
    outputs = {"z": ((96,), "float32"), "y": ((64,), "float32"), "w": ((32,), "float32")}
    done = run(body, {"x": X[:64]}, outputs, toolchain=toolchain)
    assert set(done.codes) <= {"uninitialised-read"} and np.array_equal(done.outputs["y"], X[:64]), done.diagnostics
    assert np.array_equal(done.outputs["w"], X[:64].reshape(2, 2, 16)[:, 0].ravel())


def test_tensors_at_absolute_addresses_and_of_traits(toolchain: SimulatorToolchain) -> None:
    body = """    auto low = pipe.GetAbsAddr<TPosition::VECCALC, float>(0, 64);
    Adds(low, low, 1.0f, 64);
    using Fixed = Layout<Shape<Std::Int<4>, Std::Int<8>>, Stride<Std::Int<8>, Std::Int<1>>>;
    LocalTensor<TensorTrait<float, TPosition::VECCALC, Fixed>> part(128u);
    Adds(part, part, 100.0f, part.GetSize());
    DataCopy(z, x, 64);"""
    done = run(body, {"x": X[:64]}, {"z": ((64,), "float32")}, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    expected = X[:64] + 1
    expected[32:] += 100
    assert np.array_equal(done.outputs["z"], expected)


def test_layouts_say_where_a_coordinate_lies(toolchain: SimulatorToolchain) -> None:
    body = """    auto nested = MakeLayout(MakeShape(4, MakeShape(2, 8)), MakeStride(64, MakeStride(8, 1)));
    z.SetValue(0, static_cast<int32_t>(nested(MakeCoord(3, MakeCoord(1, 5)))));
    z.SetValue(1, static_cast<int32_t>(Crd2Idx(MakeCoord(1, 3), nested)));
    z.SetValue(2, static_cast<int32_t>(Crd2Idx(MakeCoord(2, 1), MakeShape(3, 2), MakeStride(1, 10))));
    z.SetValue(3, Std::get<0>(nested.GetShape()) + static_cast<int32_t>(is_layout<decltype(nested)>::value));
    z.SetValue(4, nested.GetStride<1, 0>());"""
    done = run(body, {}, {"z": ((5,), "int32")}, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    assert done.outputs["z"].tolist() == [3 * 64 + 8 + 5, 64 + 8 + 1, 12, 5, 8]


def test_atomic_type_and_configuration(toolchain: SimulatorToolchain) -> None:
    body = """    uint16_t type = 9, op = 9;
    GetStoreAtomicConfig(type, op); z.SetValue(0, type); z.SetValue(1, op);
    SetAtomicAdd<float>(); SetAtomicType<half>(); GetStoreAtomicConfig(type, op); z.SetValue(2, type);
    SetAtomicNone();"""
    done = run(body, {}, {"z": ((3,), "int32")}, toolchain=toolchain)
    assert done.completed and done.outputs["z"].tolist() == [0, 0, 2], done.diagnostics


def test_a_selection_by_the_address_in_the_register(toolchain: SimulatorToolchain) -> None:
    bits = np.random.default_rng(1).integers(0, 256, 16, dtype=np.uint8)
    body = """    uint32_t where = static_cast<uint32_t>(reinterpret_cast<uint64_t>(m.GetPhyAddr()));
    Duplicate(at, where, 8); SetCmpMask(at); SetVectorMask<float>(64);
    Select<float, SELMODE::VSEL_TENSOR_TENSOR_MODE>(z, x, y, 2, BinaryRepeatParams());"""
    body = body.replace("reinterpret_cast<uint64_t>(m.GetPhyAddr())", "m.GetPhyAddr()")
    inputs = {"x": X[:128], "y": -X[:128] - 1, "m": np.pad(bits, (0, 16)), "at": np.zeros(8, np.uint32)}
    done = run(body, inputs, {"z": ((128,), "float32")}, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    on = np.unpackbits(bits, bitorder="little").astype(bool)
    assert np.array_equal(done.outputs["z"], np.where(on, X[:128], -X[:128] - 1))


def test_bilinear_interpolation(toolchain: SimulatorToolchain) -> None:
    rng = np.random.default_rng(2)
    x = rng.uniform(-2, 2, 512).astype(np.float16)
    offsets = (rng.integers(0, 32, 32) * 32).astype(np.uint32)
    weights = rng.uniform(-1, 1, 32).astype(np.float16)
    body = """    BilinearInterpolation(y, x, o, w, 128, 2, false, 1, 128, 2, u);
    BilinearInterpolation(z, x, o, w, 128, 2, true, 1, 128, 2, u);"""
    inputs = {"x": x, "o": offsets, "w": weights, "u": np.zeros((512 + 32) * 32, np.uint8)}
    done = run(body, inputs, {n: ((256,), "float16") for n in "yz"}, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    blocks = x.reshape(-1, 16)[offsets // 32].reshape(2, 2, 8, 16)
    for name, weight in {"y": weights[:4].reshape(2, 2, 1, 1), "z": weights.reshape(2, 2, 8, 1)}.items():
        products = (blocks * weight).astype(np.float16)
        assert np.array_equal(done.outputs[name], (products[:, 0] + products[:, 1]).reshape(-1)), name
