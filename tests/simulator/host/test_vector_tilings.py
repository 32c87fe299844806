"""Tilings of the vector libraries: shapes become structures, in both spellings, and scratch sizes."""

from __future__ import annotations

import pytest

from agentkernel.simulator.host import HostSimulator, HostTensor, OperatorCall, Platform
from tests.simulator.host.operators import operator

ROWS, PADDED, FLAT = "ge::Shape({2, 3, 80})", "ge::Shape({2, 3, 80, 77})", "ge::Shape({4, 77})"
IMAGE, MATRIX = "ge::Shape({2, 6, 4, 8})", "ge::Shape({32, 48})"

STRUCTURES = [
    (
        "LayerNormTiling",
        f"GetLayerNormNDTillingInfo({PADDED}, 4096, 4, false, t)",
        "bLength=2 sLength=3 hLength=80 originalHLength=77 inputXSize=480 meanVarSize=6 tmpBufSize=4096",
    ),
    (
        "LayerNormSeparateTiling",
        f"GetLayerNormNDTilingInfo({FLAT}, 64, 4, false, true, t)",
        "aLength=4 rLength=77 rLengthWithPadding=80 tmpBufSize=64",
    ),
    (
        "RmsNormTiling",
        f"GetRmsNormTilingInfo({ROWS}, {PADDED}, 4096, 4, t)",
        "bLength=2 sLength=3 hLength=80 originalHLength=80 inputXSize=480 tmpBufSize=4096",
    ),
    (
        "DeepNormTiling",
        f"GetDeepNormTilingInfo({ROWS}, {ROWS}, 32, 4, false, false, t)",
        "bLength=2 sLength=3 hLength=80 originalHLength=80 inputXSize=480 meanVarSize=6 tmpBufSize=32",
    ),
    (
        "LayerNormGradTiling",
        f"GetLayerNormGradNDTilingInfo({ROWS}, 99, 2, false, t)",
        "bLength=2 sLength=3 hLength=80 originalHLength=80 stackBufferSize=99",
    ),
    (
        "LayerNormGradBetaTiling",
        f"GetLayerNormGradBetaNDTilingInfo({ROWS}, 99, 2, false, t)",
        "bLength=2 sLength=3 hLength=80 originalHLength=80 stackBufferSize=99",
    ),
    (
        "BatchNormTiling",
        f"GetBatchNormNDTilingInfo({ROWS}, {ROWS}, 4096, 4, false, t)",
        "originalBLength=2 meanVarSize=240 tmpBufSize=4096",
    ),
    (
        "GroupNormTiling",
        f"GetGroupNormNDTilingInfo({IMAGE}, 10, 4, false, 3, t)",
        "n=2 c=6 hw=32 g=3 d=2 tmpBufSize=10",
    ),
    (
        "TopkTiling",
        "TopKTilingFunc(platform, 64, 3, 5, 4, true, AscendC::TopKMode::TOPK_NORMAL, true, t)",
        "tmpLocalSize=1024 inner=64 outter=3 k=5",
    ),
    (
        "PadTiling",
        f"PadTilingFunc({MATRIX}, ge::Shape({{32, 45}}), 7, 4, t)",
        "srcHeight=32 srcWidth=48 srcOriWidth=45 tmpBufSize=7",
    ),
    ("UnPadTiling", f"UnPadTilingFunc({MATRIX}, 9, 4, t)", "srcHeight=32 srcWidth=48 tmpBufSize=9"),
    (
        "ConfusionTransposeTiling",
        f"GetConfusionTransposeOnlyTilingInfo({MATRIX}, 7, 4, t)",
        "shape0=32 shape1=48 shape2=0 shape3=0 transposeType=7 tmpBufSize=7",
    ),
]

RANGES = {
    f"GetLayerNormMaxMinTmpSize({ROWS}, 4, false, most, least)": (640, 3840),
    f"GetLayerNormMaxMinTmpSize({FLAT}, 2, false, true, false, most, least)": (960, 3840),
    f"GetNormalizeMaxMinTmpSize({FLAT}, 4, 4, false, true, false, most, least)": (640, 2560),
    f"GetLayerNormGradMaxMinTmpSize({ROWS}, 4, false, most, least)": (1280, 7680),
    "GetTopKMaxMinTmpSize(platform, 64, 3, false, false, AscendC::TopKMode::TOPK_NORMAL, true, 4, most, least)": (
        1280,
        3840,
    ),
    f"GetPadMaxMinTmpSize({MATRIX}, 4, most, least)": (192, 6144),
    f"GetDropOutMaxMinTmpSize({MATRIX}, 4, false, most, least)": (32, 96),
    "GetWelfordUpdateMaxMinTmpSize(ge::Shape({1, 64}), 2, 4, false, false, most, least)": (512, 512),
    "GetWelfordFinalizeMaxMinTmpSize(ge::Shape({1, 64}), 4, false, most, least)": (256, 256),
    # two rows of floats: 2 of float, 4 of half, whole blocks of 1000 elements
    "GetPowerMaxMinTmpSize(ge::Shape({1000}), ge::Shape({1}), false, 4, false, most, least)": (512, 8000),
    "GetSwiGLUMaxMinTmpSize(ge::Shape({1000}), 2, most, least, false)": (1024, 4 * 2016),
    "if (!AscendC::GetExpMaxMinTmpSize(ge::Shape({1000}), 4, false, most, least)) most = 0": (512, 8000),
    "GetExpTmpBufferFactorSize(2, most, least)": (0, 4),
    "GetArangeMaxMinTmpSize(most, least)": (0, 0),
    "GetSoftMaxFlashV3MaxMinTmpSize(ge::Shape({8, 512}), 2, 4, most, least, true)": (4 * 592, 8 * 4 * 592),
    "GetAscendDequantMaxMinTmpSize(ge::Shape({4, 32}), 4, most, least)": (128, 512),
    "GetAscendAntiQuantMaxMinTmpSize(ge::Shape({4, 32}), ge::Shape({1, 32}), false, ge::DT_INT8, ge::DT_FLOAT16,"
    " most, least)": (128, 512),
    f"GetTransDataMaxMinTmpSize(platform, {ROWS}, {ROWS}, ge::DT_FLOAT16, {{AscendC::DataFormat::NCDHW,"
    " AscendC::DataFormat::NDC1HWC0}, most, least)": (1024, 1024),
}


@pytest.fixture(scope="module")
def said(host: HostSimulator) -> list[str]:
    steps = ["auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());", "uint32_t most, least;"]
    for name, call, fields in STRUCTURES:
        names = [field.partition("=")[0] for field in fields.split()]
        plain = "".join(f' << " {n}=" << t.{n}' for n in names)
        setters = "".join(f' << " {n}=" << t.get_{n}()' for n in names)
        steps.append(f"{{ AscendC::tiling::{name} t; AscendC::{call}; std::cout{plain} << std::endl; }}")
        steps.append(f"{{ optiling::{name} t; AscendC::{call}; std::cout{setters} << std::endl; }}")
        steps.append(
            f"{{ optiling::{name} t; std::cout << sizeof(AscendC::tiling::{name}) - t.GetDataSize() << std::endl; }}"
        )
    for call in RANGES:
        called = call if call.startswith("if ") else f"AscendC::{call}"
        steps.append(f'{called}; std::cout << least << " " << most << std::endl;')
    steps.append("context->SetBlockDim(1);")
    tensor = HostTensor(shape=(8,), dtype="float32")
    build = host.build_host(operator("\n".join(steps)))
    assert build.object is not None, build.diagnostics
    outcome = host.run_tiling(build, "Probe", OperatorCall(inputs=(tensor,), outputs=(tensor,)), Platform())
    assert outcome.diagnostics == ()
    return outcome.printed.splitlines()


@pytest.mark.parametrize("index", range(len(STRUCTURES)), ids=[name for name, _, _ in STRUCTURES])
def test_a_shape_becomes_a_structure_in_both_spellings(said: list[str], index: int) -> None:
    """And both have the same size, so that the kernel reads what the host wrote."""
    plain, setters, difference = said[3 * index : 3 * index + 3]
    assert plain.strip() == setters.strip() == STRUCTURES[index][2]
    assert difference == "0"


def test_scratch_sizes(said: list[str]) -> None:
    lines = said[3 * len(STRUCTURES) :]
    assert {call: tuple(map(int, line.split())) for call, line in zip(RANGES, lines, strict=True)} == RANGES
