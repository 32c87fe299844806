"""The host-side functions that fill tiling structures: what the library calls of the kernel need from them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from agentkernel.simulator import unsupported

INCLUDE = Path(unsupported.__file__).parent / "include"
COMPILERS = [c for c in ("g++", "clang++-16", "clang++") if shutil.which(c)]

EXPECTED = """\
LayerNormTiling bLength=2 sLength=3 hLength=80 originalHLength=77 inputXSize=480 meanVarSize=6 tmpBufSize=4096
LayerNormSeparateTiling aLength=4 rLength=77 rLengthWithPadding=80 tmpBufSize=64
RmsNormTiling bLength=2 sLength=3 hLength=80 originalHLength=80 inputXSize=480 tmpBufSize=4096
DeepNormTiling bLength=2 sLength=3 hLength=80 originalHLength=80 inputXSize=480 meanVarSize=6 tmpBufSize=32
LayerNormGradTiling bLength=2 sLength=3 hLength=80 originalHLength=80 stackBufferSize=99
LayerNormGradBetaTiling bLength=2 sLength=3 hLength=80 originalHLength=80 stackBufferSize=99
BatchNormTiling originalBLength=2 meanVarSize=240 tmpBufSize=4096
GroupNormTiling n=2 c=6 hw=32 g=3 d=2 tmpBufSize=10
TopkTiling tmpLocalSize=1024 inner=64 outter=3 k=5
PadTiling srcHeight=32 srcWidth=48 srcOriWidth=45 tmpBufSize=7
ConfusionTransposeTiling shape0=32 shape1=48 shape2=0 shape3=0 transposeType=7 tmpBufSize=7
UnPad 32 48 9
LayerNorm 640 3840
LayerNormAR 960 3840
Normalize 640 2560
Grad 1280 7680
TopK 1280 3840
Pad 192 6144
DropOut 32 96
Welford 512 512
"""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_shapes_become_structures_and_sizes(compiler: str, tmp_path: Path) -> None:
    program = tmp_path / "tilings"
    source = Path(__file__).parent / "tilings.cpp"
    command = [compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}", str(source), "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == EXPECTED
