"""The oracle finds nothing in kernels that the simulator runs on a cube core."""

from __future__ import annotations

import numpy as np
import pytest

from agentkernel.diagnostic import Diagnostic
from agentkernel.kernel import Kernel
from agentkernel.knowledge.oracle import check
from agentkernel.testing.simulate import snippet_task

from .gemm import Gemm
from .test_stores import KERNEL

STATEMENTS = """f = FixpipeParamsV220(N, M, M, N, false, QuantMode_t::NoQuant, 0, 1, 0, 0);
Fixpipe<float, float, CFG_NZ>(gz, product, f);
SetFixpipeNz2ndFlag(1, 1, 1);
SetFixpipePreQuantFlag(3);
DataCopy(gz, product, d);
LocalTensor<int8_t> i(TPosition::B2, 0, 512);
LocalTensor<uint8_t> u(TPosition::A1, 0, 512);
LocalTensor<int32_t> q(TPosition::CO1, 0, 512);
LoadDataWithSparse(i, i, u, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
MmadWithSparse(q, i, i, p);
uint8_t pads[4] = {0, 0, 0, 0};
LoadData3DParamsV2<half> p3(pads, 1, K, N, N, K, 0, 0, 1, 1, 1, 1, 1, 1, false, false, (half)0);
LoadData(b2, b2, p3);
LoadDataWithTranspose(a2, a2, LoadData2dTransposeParams(0, 1, 1, 0, 0, 0));
InitConstValue(a2, InitConstValueParams<half>(2, 1, 1, (half)3));
SetLoadDataRepeat(LoadDataRepeatParam(2, 2, 0));
SetFmatrix(8, 8, pads, FmatrixMode::FMATRIX_LEFT);
SetLoadDataPaddingValue<half>((half)-3);
SetLoadDataBoundary(0);
SetHF32Mode(HF32Mode::ENABLE);
SetHF32TransMode(true);
SetMMRowMajor();"""


def findings(source: str, *inputs: str) -> tuple[Diagnostic, ...]:
    task = snippet_task({name: np.zeros(16, np.float16) for name in inputs}, {"c": ((16,), "float32")})
    return check(Kernel.from_source(source, "kernel"), task)


@pytest.mark.parametrize(
    ("gemm", "inputs"),
    [
        (Gemm(64, 96, 128), "a b"),
        (Gemm(64, 96, 128, dtype="int8", out="int32", unit_flags=True), "a b"),
        (Gemm(64, 96, 128, bias=np.zeros(96, np.float32), out="float16", quant="F322F16"), "a b bias"),
        (
            Gemm(64, 96, 128, dtype="int8", out="float16", quant="VDEQF16", scales=np.zeros(96, np.int64)),
            "a b scales",
        ),
    ],
)
def test_a_matrix_product_passes(gemm: Gemm, inputs: str) -> None:
    assert findings(gemm.source, *inputs.split()) == ()


def test_every_call_passes() -> None:
    assert findings(KERNEL.replace("@OUT@", "float").replace("@BODY@", STATEMENTS), "x", "e", "s") == ()


def test_a_product_of_two_types_is_found() -> None:
    source = KERNEL.replace("@OUT@", "float").replace("@BODY@", "Mmad(product, a2, s1, p);")
    (found,) = findings(source, "x", "e", "s")
    assert found.code == "dtype-not-supported" and "float with half with half" in found.message
