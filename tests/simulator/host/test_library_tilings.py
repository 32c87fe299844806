"""Library tilings of the host side: documented scratch sizes, splits of rows, matrix tilings that fit the memories."""

from __future__ import annotations

import pytest

from agentkernel.simulator.host import HostSimulator, HostTensor, OperatorCall, Platform
from tests.simulator.host.operators import operator

BODY = """\
  auto shape = ge::Shape({320, 512});
  auto say = [](const char* name, uint64_t value) { std::cout << name << "=" << value << "\\n"; };
  say("softmax_min", AscendC::GetSoftMaxMinTmpSize(shape, 4, false));
  say("softmax_max", AscendC::GetSoftMaxMaxTmpSize(shape, 2, false));
  say("grad_min", AscendC::GetSoftMaxGradMinTmpSize(shape, 2, false, false));
  say("flash_min", AscendC::GetSoftMaxFlashMinTmpSize(shape, 4, true, false));
  uint32_t most = 0, least = 0;
  AscendC::GetSigmoidMaxMinTmpSize(shape, 2, false, most, least);
  say("sigmoid_max", most);
  say("sigmoid_min", least);
  AscendC::GetMeanMaxMinTmpSize(1000, 2, 4, false, most, least);
  say("mean", most);
  optiling::SoftMaxTiling softmax;
  AscendC::SoftMaxTilingFunc(shape, 4, 65536, softmax);
  say("splitM", softmax.get_splitM());
  say("rangeM", softmax.get_rangeM());
  say("tailM", softmax.get_tailM());
  say("reduceK", softmax.get_reduceK());
  using namespace matmul_tiling;
  MultiCoreMatmulTiling matmul(platform_ascendc::PlatformAscendC(context->GetPlatformInfo()));
  matmul.SetDim(20);
  matmul.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
  matmul.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
  matmul.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
  matmul.SetOrgShape(1024, 640, 4096);
  matmul.SetShape(1024, 640, 4096);
  matmul.SetBufferSpace(-1, -1, -1);
  optiling::TCubeTiling cube;
  say("failed", matmul.GetTiling(cube) != 0);
  say("refused", matmul.SetFixSplit(17, 16, 16) == -1);
  say("cores", cube.get_usedCoreNum());
  say("singleM", cube.get_singleCoreM());
  say("singleN", cube.get_singleCoreN());
  say("baseM", cube.get_baseM());
  say("baseN", cube.get_baseN());
  say("baseK", cube.get_baseK());
  say("depthA1", cube.get_depthA1());
  say("stepKa", cube.get_stepKa());
  context->SetBlockDim(1);"""


@pytest.fixture(scope="module")
def said(host: HostSimulator) -> dict[str, int]:
    tensor = HostTensor(shape=(8,), dtype="float32")
    call = OperatorCall(inputs=(tensor,), outputs=(tensor,))
    outcome = host.run_tiling(host.build_host(operator(BODY)), "Probe", call, Platform())
    assert outcome.diagnostics == ()
    return {name: int(value) for name, value in (line.split("=") for line in outcome.printed.splitlines())}


def test_scratch_sizes_follow_their_formulas(said: dict[str, int]) -> None:
    """K = 512 elements a row, M = 320 rows, B elements in 32 bytes; floats of scratch."""
    assert said["softmax_min"] == 4 * (8 + 512 + 64)
    assert said["softmax_max"] == 4 * 320 * (16 + 512 + 64)
    assert said["grad_min"] == 4 * (2 * 16 + 3 * 512 + 64)
    assert said["flash_min"] == 4 * (4 * 8 + 2 * 512)
    assert (said["sigmoid_max"], said["sigmoid_min"]) == (320 * 512 * 2, 256)
    assert said["mean"] == 32 + 4 * (2016 // 2)


def test_rows_are_split_as_the_scratch_allows(said: dict[str, int]) -> None:
    """65536 bytes hold 28 rows; of whole tiles of 8 rows that divide 320, 16 is the largest."""
    assert (said["splitM"], said["rangeM"], said["tailM"], said["reduceK"]) == (16, 20, 0, 8)


def test_a_matrix_tiling_keeps_the_rules_of_the_library(said: dict[str, int]) -> None:
    """Every share is covered, base tiles fit L0, depths fit L1, units are those of the matrix engine."""
    assert not said["failed"] and said["refused"]
    rows, columns = -(-1024 // said["singleM"]), -(-640 // said["singleN"])
    assert rows * columns == said["cores"] <= 20
    m, n, k = said["baseM"], said["baseN"], said["baseK"]
    assert m % 16 == n % 16 == k % 16 == 0
    assert 2 * m * k <= 65536 and 2 * n * k <= 65536 and 4 * m * n <= 131072
    assert said["stepKa"] <= said["depthA1"] and 2 * said["depthA1"] * k * (m + n) <= 524032
