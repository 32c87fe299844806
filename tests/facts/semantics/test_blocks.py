"""Blocks: who am I, how many are we, and work that is split between them."""

from __future__ import annotations

import numpy as np
import pytest

from agentkernel.testing.simulate import simulate

from .batch import explain
from .marks import api

_SPLIT = """#include "kernel_operator.h"
using namespace AscendC;
class Scale {
public:
    __aicore__ inline Scale() {}
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y)
    {
        constexpr uint32_t whole = 1000;
        share = (whole + GetBlockNum() - 1) / GetBlockNum();
        uint32_t start = share * GetBlockIdx();
        length = start >= whole ? 0 : (whole - start < share ? whole - start : share);
        from.SetGlobalBuffer((__gm__ float *)x + start, length);
        to.SetGlobalBuffer((__gm__ float *)y + start, length);
        pipe.InitBuffer(in, 2, 4096);
        pipe.InitBuffer(out, 2, 4096);
    }
    __aicore__ inline void Process()
    {
        constexpr uint32_t tile = 96;
        for (uint32_t at = 0; at < length; at += tile) {
            uint32_t n = length - at < tile ? length - at : tile;
            Load(at, n);
            Compute(n);
            Store(at, n);
        }
    }

private:
    __aicore__ inline void Load(uint32_t at, uint32_t n)
    {
        LocalTensor<float> a = in.AllocTensor<float>();
        DataCopyPad(a, from[at], DataCopyExtParams{1, n * 4, 0, 0, 0}, DataCopyPadExtParams<float>{false, 0, 0, 0});
        in.EnQue(a);
    }
    __aicore__ inline void Compute(uint32_t n)
    {
        LocalTensor<float> a = in.DeQue<float>();
        LocalTensor<float> b = out.AllocTensor<float>();
        Muls(b, a, static_cast<float>(GetBlockIdx() + 1), n);
        out.EnQue(b);
        in.FreeTensor(a);
    }
    __aicore__ inline void Store(uint32_t at, uint32_t n)
    {
        LocalTensor<float> b = out.DeQue<float>();
        DataCopyPad(to[at], b, DataCopyExtParams{1, n * 4, 0, 0, 0});
        out.FreeTensor(b);
    }
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    GlobalTensor<float> from, to;
    uint32_t share, length;
};
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    Scale op;
    op.Init(x, y);
    op.Process();
}
"""


@api("GetBlockIdx", "GetBlockNum", "TQue", "DataCopyPad")
@pytest.mark.parametrize("blocks", [1, 3, 8, 40])
def test_blocks_share_the_work(blocks: int) -> None:
    values = np.arange(1000, dtype=np.float32)
    result = simulate(_SPLIT, {"x": values}, {"y": ((1000,), "float32")}, blocks=blocks)
    assert result.compiled and result.completed, explain(result)
    assert result.codes == (), explain(result)
    share = -(-1000 // blocks)
    np.testing.assert_array_equal(result.outputs["y"], values * (np.arange(1000) // share + 1))
    assert result.unwritten == {}


_NAMES = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR y, GM_ADDR workspace)
{
    GlobalTensor<int32_t> to;
    to.SetGlobalBuffer((__gm__ int32_t *)y + GetBlockIdx() * 16, 16);
    to.SetValue(0, static_cast<int32_t>(GetBlockIdx()));
    to.SetValue(1, static_cast<int32_t>(GetBlockNum()));
    to.SetValue(2, static_cast<int32_t>(get_block_idx()));
    to.SetValue(3, static_cast<int32_t>(block_idx));
    to.SetValue(4, static_cast<int32_t>(block_num));
    to.SetValue(5, static_cast<int32_t>(GetTaskRatio()));
    to.SetValue(6, static_cast<int32_t>(GetSubBlockIdx()));
    to.SetValue(7, static_cast<int32_t>(GetDataBlockSizeInBytes()));
    for (uint32_t i = 8; i < 16; ++i) {
        to.SetValue(i, 0);
    }
    DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(to);
}
"""


@api("GetBlockIdx", "GetBlockNum", "GetTaskRatio", "GetSubBlockIdx")
def test_every_block_knows_its_number() -> None:
    result = simulate(_NAMES, {}, {"y": ((5, 16), "int32")}, blocks=5)
    assert result.compiled and result.completed, explain(result)
    assert result.codes == (), explain(result)
    want = np.zeros((5, 16), np.int32)
    want[:, 0] = want[:, 2] = want[:, 3] = range(5)
    want[:, 1] = want[:, 4] = 5
    want[:, 5], want[:, 7] = 1, 32
    np.testing.assert_array_equal(result.outputs["y"], want)
