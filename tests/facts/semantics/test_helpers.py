"""Helper structures, workspaces, system values (facts: ascendc_api.csv; overloads 1.2, 1.5; host_api, section 10)."""

from __future__ import annotations

import numpy as np
import pytest

from agentkernel.testing.simulate import simulate

from .batch import Batch, explain
from .marks import api
from .values import BF16, CTYPE, FLOAT, HALF, INT32, assert_same, random_values


@api("GetShape", "GetStride", "MakeLayout", "MakeCoord")
def test_layouts_tell_shape_and_stride() -> None:
    batch = Batch()
    d = batch.out(np.zeros(8, INT32))
    batch.do(
        "auto layout = MakeLayout(MakeShape(4, 16), MakeStride(20, 1));",
        "auto again = MakeLayout(layout.GetShape(), layout.GetStride());",
        "auto other = MakeLayout(layout.GetShape(), MakeStride(1, 4));",
        f"{d}.SetValue(0, static_cast<int32_t>(again(MakeCoord(2, 3))));",
        f"{d}.SetValue(1, static_cast<int32_t>(other(MakeCoord(2, 3))));",
        f"{d}.SetValue(2, static_cast<int32_t>(Std::get<0>(layout.GetStride())));",
        f"{d}.SetValue(3, static_cast<int32_t>(Std::get<1>(layout.GetShape())));",
    )
    assert batch.run()[d][:4].tolist() == [43, 14, 20, 16]


@api("MakeTensorTrait", "GetLayout", "SetLayout")
def test_tensor_traits_carry_a_layout() -> None:
    batch = Batch()
    d = batch.out(np.zeros(8, INT32))
    batch.do(
        "auto layout = MakeLayout(MakeShape(4, 16), MakeStride(20, 1));",
        "auto trait = MakeTensorTrait<float, TPosition::VECIN>(layout);",
        f"{d}.SetValue(0, static_cast<int32_t>(Crd2Idx(MakeCoord(2, 3), trait.GetLayout())));",
        "trait.SetLayout(MakeLayout(MakeShape(4, 16), MakeStride(100, 2)));",
        f"{d}.SetValue(1, static_cast<int32_t>(Crd2Idx(MakeCoord(2, 3), trait.GetLayout())));",
        f"{d}.SetValue(2, static_cast<int32_t>(sizeof(typename decltype(trait)::LiteType)));",
        f"{d}.SetValue(3, static_cast<int32_t>(decltype(trait)::tPos == TPosition::VECIN));",
    )
    assert batch.run()[d][:4].tolist() == [43, 206, 4, 1]


@api("ShapeInfo")
def test_shapes_of_tensors() -> None:
    batch = Batch()
    s, d = batch.put(np.zeros(64, FLOAT)), batch.out(np.zeros(24, INT32))
    batch.do(
        "const uint32_t padded[3] = {2, 3, 16}; const uint32_t original[3] = {2, 3, 13};",
        "ShapeInfo full(3, padded, 3, original, DataFormat::NZ);",
        "ShapeInfo formatted(3, padded, DataFormat::NCHW);",
        "ShapeInfo plain(3, padded);",
        f"{d}.SetValue(0, full.shapeDim); {d}.SetValue(1, full.originalShapeDim);",
        f"{d}.SetValue(2, static_cast<int32_t>(full.shape[2]));",
        f"{d}.SetValue(3, static_cast<int32_t>(full.originalShape[2]));",
        f"{d}.SetValue(4, static_cast<int32_t>(full.dataFormat == DataFormat::NZ));",
        f"{d}.SetValue(5, static_cast<int32_t>(formatted.originalShape[2]));",
        f"{d}.SetValue(6, static_cast<int32_t>(formatted.dataFormat == DataFormat::NCHW));",
        f"{d}.SetValue(7, static_cast<int32_t>(plain.dataFormat == DataFormat::ND));",
        f"{d}.SetValue(8, plain.originalShapeDim); {d}.SetValue(9, GetShapeSize(plain));",
        f"{s}.SetShapeInfo(full);",
        f"ShapeInfo back = {s}.GetShapeInfo();",
        f"{d}.SetValue(10, static_cast<int32_t>(back.shape[1])); {d}.SetValue(11, back.shapeDim);",
        "ShapeInfo listed(ASCENDC_SHAPE(2, 7, 9));",
        f"{d}.SetValue(12, listed.shapeDim); {d}.SetValue(13, static_cast<int32_t>(listed.shape[1]));",
    )
    assert batch.run()[d][:14].tolist() == [3, 3, 16, 13, 1, 16, 1, 1, 3, 96, 3, 3, 2, 9]


_LIST = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR a, GM_ADDR block, GM_ADDR y, GM_ADDR workspace)
{
    // The block of a list of tensors, as a launch makes it: offset of the addresses, shapes, addresses.
    GlobalTensor<uint64_t> words;
    words.SetGlobalBuffer((__gm__ uint64_t *)block, 16);
    const uint64_t made[6] = {48, 2 | 1ull << 32, 3, 8, 1 | 1ull << 32, 16};
    for (uint32_t i = 0; i < 6; ++i) {
        words.SetValue(i, made[i]);
    }
    words.SetValue(6, (uint64_t)a);
    words.SetValue(7, (uint64_t)(a + 96));
    for (uint32_t i = 8; i < 16; ++i) {
        words.SetValue(i, 0);
    }
    DataCacheCleanAndInvalid<uint64_t, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(words);
    ListTensorDesc list((__gm__ void *)block);
    ListTensorDesc second;
    second.Init((__gm__ void *)block);
    GlobalTensor<int32_t> to;
    to.SetGlobalBuffer((__gm__ int32_t *)y, 16);
    to.SetValue(0, static_cast<int32_t>(list.GetSize()));
    to.SetValue(1, static_cast<int32_t>(second.GetSize()));
    uint64_t shape[8] = {0};
    TensorDesc<float> desc;
    desc.SetShapeAddr(shape);
    list.GetDesc(desc, 0);
    to.SetValue(2, static_cast<int32_t>(desc.GetDim()));
    to.SetValue(3, static_cast<int32_t>(desc.GetShape(0)));
    to.SetValue(4, static_cast<int32_t>(desc.GetShape(1)));
    to.SetValue(5, static_cast<int32_t>(desc.GetIndex()));
    to.SetValue(6, static_cast<int32_t>((__gm__ float *)desc.GetDataPtr() == (__gm__ float *)a));
    list.GetDesc(desc, 1);
    to.SetValue(7, static_cast<int32_t>(desc.GetDim()));
    to.SetValue(8, static_cast<int32_t>(desc.GetShape(0)));
    to.SetValue(9, static_cast<int32_t>(desc.GetIndex()));
    GlobalTensor<float> data;
    data.SetGlobalBuffer((__gm__ float *)second.GetDataPtr<float>(1), 16);
    to.SetValue(10, static_cast<int32_t>(data.GetValue(3)));
    GlobalTensor<float> object = desc.GetDataObj();
    to.SetValue(11, static_cast<int32_t>(object.GetValue(4)));
    for (uint32_t i = 12; i < 16; ++i) {
        to.SetValue(i, 0);
    }
    DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(to);
}
"""


@api("ListTensorDesc")
def test_lists_of_tensors() -> None:
    outputs = {"block": ((16,), "int64"), "y": ((16,), "int32")}
    result = simulate(_LIST, {"a": np.arange(40, dtype=np.float32)}, outputs)
    assert result.compiled and result.completed and not result.codes, explain(result)
    assert result.outputs["y"].tolist() == [2, 2, 2, 3, 8, 0, 1, 1, 16, 1, 27, 28, 0, 0, 0, 0]


@api("GetSysWorkSpacePtr", "SetSysWorkspace", "SetSysWorkSpace", "SetSysWorkspaceForce")
@pytest.mark.parametrize("setter", ("SetSysWorkspace", "SetSysWorkSpace"))
def test_the_first_system_workspace_stays_until_forced(setter: str) -> None:
    batch = Batch()
    d = batch.out(np.zeros(8, INT32))
    batch.do(
        "SetSysWorkspaceForce(given);",
        f"{d}.SetValue(0, static_cast<int32_t>(GetSysWorkSpacePtr() == given));",
        f"{setter}(far);",
        f"{d}.SetValue(1, static_cast<int32_t>(GetSysWorkSpacePtr() == given));",
        "SetSysWorkspaceForce(far);",
        f"{d}.SetValue(2, static_cast<int32_t>(GetSysWorkSpacePtr() == far));",
        "SetSysWorkspaceForce(nullptr);",
        f"{setter}(given);",
        f"{d}.SetValue(3, static_cast<int32_t>(GetSysWorkSpacePtr() == given));",
    )
    assert batch.run()[d][:4].tolist() == [1, 1, 1, 1]


@api("DataSyncBarrier")
def test_scalar_accesses_are_complete_behind_the_barrier() -> None:
    batch, a = Batch(), np.arange(8, dtype=np.int32)
    s, d, r = batch.put(a), batch.out(np.zeros(8, INT32)), batch.out_global(np.zeros(16, INT32))
    for i, kind in enumerate(("ALL", "DDR", "UB", "SEQ")):
        batch.do(
            f"{d}.SetValue({i}, {s}.GetValue({i}) + 10);",
            f"WriteGmByPassDCache<int32_t>({r}.GetPhyAddr({i}), {d}.GetValue({i}));",
            f"DataSyncBarrier<MemDsbT::{kind}>();",
            f"{d}.SetValue({i + 4}, ReadGmByPassDCache<int32_t>({r}.GetPhyAddr({i})));",
        )
    got = batch.run()
    assert got[d].tolist() == [10, 11, 12, 13, 10, 11, 12, 13]
    assert got[r][:4].tolist() == [10, 11, 12, 13]


@api("GetICachePreloadStatus")
def test_nothing_is_preloaded_before_the_first_preload() -> None:
    batch = Batch()
    d = batch.out(np.full(8, 7, INT32))
    batch.do(f"{d}.SetValue(0, static_cast<int32_t>(GetICachePreloadStatus()));")
    assert batch.run()[d][0] == 0


@api("DuplicateImpl", "DataCopyUB2GMImpl")
@pytest.mark.parametrize("dtype", (HALF, BF16, INT32, FLOAT), ids=str)
def test_raw_pointers_are_filled_and_copied(dtype: np.dtype) -> None:
    batch, ctype = Batch(), CTYPE[dtype]
    block = 32 // dtype.itemsize
    values = random_values(dtype, 8 * block, np.random.default_rng(1))
    d, s = batch.out(np.zeros(100, dtype)), batch.put(values)
    r = batch.out_global(np.zeros(8 * block, dtype))
    three = "ToBfloat16(3.0f)" if dtype == BF16 else f"static_cast<{ctype}>(3)"
    batch.do(f"DuplicateImpl<{ctype}>((__ubuf__ {ctype} *){d}.GetPhyAddr(), {three}, 77);")
    batch.do(
        f"DataCopyUB2GMImpl<{ctype}>((__gm__ {ctype} *){r}.GetPhyAddr(), (__ubuf__ {ctype} *){s}.GetPhyAddr(),",
        "    DataCopyParams{2, 2, 1, 2});",
    )
    got = batch.run()
    assert_same(got[d], np.array([3] * 77 + [0] * 23).astype(dtype))
    want = np.zeros((8, block), dtype)
    want[[0, 1, 4, 5]] = values.reshape(8, block)[[0, 1, 3, 4]]
    assert_same(got[r], want.ravel())


@api("DuplicateImpl")
def test_raw_pointers_are_filled_under_a_mask() -> None:
    batch = Batch()
    d, e = batch.out(np.zeros((2, 64), FLOAT)), batch.out(np.zeros((2, 64), FLOAT))
    batch.do(f"DuplicateImpl<float>((__ubuf__ float *){d}.GetPhyAddr(), 3.0f, uint64_t(20), 2, 1, 8);")
    batch.do(
        "uint64_t bits[2] = {0x5ull, 0};",
        f"DuplicateImpl<float>((__ubuf__ float *){e}.GetPhyAddr(), 3.0f, bits, 2, 1, 8);",
    )
    got = batch.run()
    want = np.zeros((2, 64), FLOAT)
    want[:, :20] = 3
    assert_same(got[d], want)
    want[:] = 0
    want[:, [0, 2]] = 3
    assert_same(got[e], want)


@api("TransDataTo5HDImpl")
def test_blocks_at_raw_pointers_are_transposed() -> None:
    batch = Batch()
    x = np.arange(256, dtype=np.float16).reshape(16, 16)
    s, d = batch.put(x), batch.out(np.zeros((16, 16), HALF))
    batch.do(
        "__ubuf__ half *to[16]; __ubuf__ half *from[16];",
        "for (uint32_t i = 0; i < 16; ++i) {",
        f"    to[i] = (__ubuf__ half *){d}.GetPhyAddr() + i * 16;",
        f"    from[i] = (__ubuf__ half *){s}.GetPhyAddr() + i * 16;",
        "}",
        "TransDataTo5HDImpl<half>(to, from, TransDataTo5HDParams{false, false, 1, 0, 0});",
    )
    assert_same(batch.run()[d], np.ascontiguousarray(x.T))
