"""Mistakes with the Matmul library that have to be reported (facts: pitfalls 78 to 83; rows of ascendc_api.csv)."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from agentkernel.testing.simulate import Simulation

from .batch import explain
from .marks import api
from .matmul import ALL, END, KINDS, ROWS, Kernel, Shape
from .values import HALF

SHAPE = Shape()
DECLARED = "    Matmul<TypeA, TypeB, TypeC, TypeBias> mm;"
REGISTERED = "    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);"
PLAIN = Kernel((ROWS, ALL, END))


def _launch(kernel: Kernel, shape: Shape = SHAPE, **fields: int) -> Simulation:
    inputs = (*shape.factors(), shape.bias())
    return kernel.run(inputs, shape.tiling(HALF, **fields), (2 * shape.m, shape.n))


def _reported(simulation: Simulation, *words: str) -> None:
    """An error that says one of the words."""
    told = [f"{d.message} {d.hint}".lower() for d in simulation.diagnostics if d.is_error]
    assert told, f"nothing is reported: {explain(simulation)}"
    assert any(word.lower() in text for text in told for word in words), explain(simulation)


def _clean(simulation: Simulation) -> None:
    assert simulation.completed, explain(simulation)
    assert not simulation.codes, explain(simulation)


@api("MatmulType")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("factor", ("A", "B"))
def test_transposition_that_is_not_declared(kind: str, factor: str) -> None:
    steps = (ROWS.replace("]);", "], true);") if factor == "A" else ROWS.replace("gmB);", "gmB, true);"), ALL, END)
    other = (factor == "B", factor == "A")
    _reported(_launch(replace(PLAIN, steps=steps, kind=kind, transpose=other)), "transpos", "istrans")


class Limit(NamedTuple):
    """A tiling that breaks one rule, and what makes it whole."""

    words: tuple[str, ...]
    wrong: dict[str, int]
    right: dict[str, int]
    shape: Shape = SHAPE
    config: str = "CFG_NORM"


LIMITS = {
    "depthA1": Limit(("depthA1",), {"depthA1": 3}, {"depthA1": 2}),
    "depthB1": Limit(("depthB1",), {"depthB1": 3}, {"depthB1": 2}),
    "depthA1 of steps": Limit(("depthA1",), {"stepKa": 2, "depthA1": 3}, {"stepKa": 2, "depthA1": 4}),
    "depthB1 of steps": Limit(("depthB1",), {"stepN": 2, "depthB1": 1}, {"stepN": 2, "depthB1": 2}),
    "L0A": Limit(("L0A",), {"dbL0A": 2}, {"dbL0A": 1}, Shape(128, 32, 256, base=(128, 32, 256))),
    "L0B": Limit(("L0B",), {"dbL0B": 2}, {"dbL0B": 1}, Shape(32, 128, 256, base=(32, 128, 256))),
    "L0C": Limit(("L0C",), {"dbL0C": 2}, {"dbL0C": 1}, Shape(128, 256, 32, base=(128, 256, 32))),
    "bias table": Limit(("bias",), {"isBias": 1}, {}, Shape(64, 272, 32, base=(64, 272, 32))),
    "L1": Limit(
        ("L1",), {"stepKa": 16, "depthA1": 16}, {"stepKa": 8, "depthA1": 8}, Shape(128, 32, 2048, base=(128, 32, 128))
    ),
    "baseM": Limit(("baseM",), {"baseM": 24}, {"baseM": 48}),
    "baseN": Limit(("baseN",), {"baseN": 40}, {"baseN": 48}),
    "baseK": Limit(("baseK",), {"baseK": 24}, {"baseK": 48}),
    "MDL, part of K and stepM": Limit(
        ("stepM",),
        {"stepM": 2, "depthA1": 2},
        {"stepM": 2, "depthA1": 8, "stepKa": 4, "depthB1": 4, "stepKb": 4},
        config="CFG_MDL",
    ),
    "MDL, part of K and stepN": Limit(
        ("stepN",),
        {"stepN": 2, "depthB1": 2},
        {"stepN": 2, "depthB1": 8, "stepKb": 4, "depthA1": 4, "stepKa": 4},
        config="CFG_MDL",
    ),
    "MDL, counts of loads": Limit(
        ("stepKa", "stepKb"),
        {"stepKa": 2, "depthA1": 2, "stepKb": 3, "depthB1": 3},
        {"stepKa": 2, "depthA1": 2, "stepKb": 1, "depthB1": 1},
        Shape(k=192),
        "CFG_MDL",
    ),
}


@api("TCubeTiling", "MatmulConfig")
@pytest.mark.parametrize(
    "limit",
    [pytest.param(limit, id=name) for name, limit in LIMITS.items()],
)
def test_tilings_keep_to_the_limits(limit: Limit) -> None:
    _reported(_launch(replace(PLAIN, config=limit.config), limit.shape, **limit.wrong), *limit.words)


@api("TCubeTiling", "MatmulConfig")
@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)
def test_tilings_just_within_the_limits_are_clean(limit: Limit) -> None:
    _clean(_launch(replace(PLAIN, config=limit.config), limit.shape, **limit.right))


@api("REGIST_MATMUL_OBJ")
@pytest.mark.parametrize("kind", KINDS)
def test_object_that_is_not_registered(kind: str) -> None:
    _reported(_launch(replace(PLAIN, kind=kind, objects=DECLARED)), "regist")


@api("REGIST_MATMUL_OBJ")
@pytest.mark.parametrize("kind", KINDS[:2])
def test_registration_behind_a_buffer(kind: str) -> None:
    buffer = "    TBuf<TPosition::VECCALC> first;\n    pipe.InitBuffer(first, 256);"
    late = "\n".join((DECLARED, buffer, REGISTERED))
    early = "\n".join((DECLARED, REGISTERED, buffer))
    _clean(_launch(replace(PLAIN, kind=kind, objects=early)))
    _reported(_launch(replace(PLAIN, kind=kind, objects=late)), "regist", "InitBuffer")


@api("REGIST_MATMUL_OBJ", "GetSysWorkSpacePtr")
@pytest.mark.parametrize("kind", KINDS[:2])
def test_registration_without_workspace(kind: str) -> None:
    _reported(_launch(replace(PLAIN, kind=kind, workspace="")), "workspace")


@api("REGIST_MATMUL_OBJ")
def test_a_fifth_object() -> None:
    names = [f"m{i}" for i in range(4)]
    lines = [DECLARED, *(f"    Matmul<TypeA, TypeB, TypeC, TypeBias> {name};" for name in names)]
    listed = ", ".join(f"{name}, &tiling" for name in ["mm", *names])
    objects = [*lines, f"    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), {listed});"]
    _reported(_launch(replace(PLAIN, objects="\n".join(objects))), "REGIST_MATMUL_OBJ")


PLACE = "gmC[me * tiling.singleCoreM * tiling.N]"


@api("MatmulType")
@pytest.mark.parametrize("kind", KINDS)
def test_a_block_is_fetched_behind_all_of_them(kind: str) -> None:
    steps = (ROWS, ALL, f"    mm.GetTensorC({PLACE});", END)
    _reported(_launch(replace(PLAIN, kind=kind, steps=steps)), "GetTensorC")


@api("MatmulType")
@pytest.mark.parametrize("kind", KINDS)
def test_a_block_is_fetched_that_is_not_computed(kind: str) -> None:
    steps = (ROWS, f"    mm.GetTensorC({PLACE});", END)
    _reported(_launch(replace(PLAIN, kind=kind, steps=steps)), "GetTensorC")


@pytest.mark.xfail(
    reason="sizes beyond singleCoreM, N, K are computed and not reported; the rows of both calls forbid them",
    strict=True,
)
@api("MatmulType")
@pytest.mark.parametrize("call", ("SetTail", "SetSingleShape"))
@pytest.mark.parametrize("sizes", ((48, 72, 100), (40, 80, 100), (40, 72, 104)), ids=("M", "N", "K"))
def test_sizes_of_a_call_beyond_the_tiling(call: str, sizes: tuple[int, int, int]) -> None:
    """The arrays are large enough for what is asked."""
    steps = (ROWS, f"    mm.{call}({', '.join(map(str, sizes))});", ALL, END)
    inputs = tuple(np.ones(array.size + 4096, array.dtype) for array in (*SHAPE.factors(), SHAPE.bias()))
    shape = (2 * SHAPE.m + 16, SHAPE.n)
    _reported(replace(PLAIN, steps=steps).run((inputs[0], inputs[1], inputs[2]), SHAPE.tiling(), shape), call)


@api("MatmulType")
@pytest.mark.parametrize("kind", KINDS)
def test_bias_that_the_tiling_does_not_have(kind: str) -> None:
    steps = (ROWS, "    mm.SetBias(gmBias);", ALL, END)
    _reported(_launch(replace(PLAIN, kind=kind, steps=steps)), "bias")


_READ = """    mm.IterateAll<false>(gmC[me * tiling.singleCoreM * tiling.N], 0, false, true);
%s
    LocalTensor<float> read = held.Get<float>();
    DataCopy(read, gmC[me * tiling.singleCoreM * tiling.N], 512);
    PipeBarrier<PIPE_ALL>();
    Muls(read, read, 2.0f, 512);
    PipeBarrier<PIPE_ALL>();
    DataCopy(gmC[me * tiling.singleCoreM * tiling.N], read, 512);"""


@api("MatmulType")
@pytest.mark.parametrize("kind", KINDS[:2])
def test_results_are_read_before_they_are_there(kind: str) -> None:
    objects = "\n".join(
        (DECLARED, REGISTERED, "    TBuf<TPosition::VECCALC> held;", "    pipe.InitBuffer(held, 512 * sizeof(float));")
    )
    kernel = replace(PLAIN, kind=kind, objects=objects)
    _clean(_launch(replace(kernel, steps=(ROWS, _READ % "    mm.WaitIterateAll();", END))))
    early = _launch(replace(kernel, steps=(ROWS, _READ % "", END)))
    assert any(d.is_error for d in early.diagnostics), explain(early)
    assert early.compiled


@api("REGIST_MATMUL_OBJ", "CrossCoreSetFlag")
def test_flags_of_the_library_are_not_the_users() -> None:
    """One object has the flags 0 and 1 between cube and vector cores (pitfall 27)."""
    use = "    CrossCoreSetFlag<1, PIPE_MTE3>(%d);\n    CrossCoreWaitFlag(%d);"
    _clean(_launch(replace(PLAIN, steps=(ROWS, use % (8, 8), ALL, END))))
    _reported(_launch(replace(PLAIN, steps=(ROWS, use % (0, 0), ALL, END))), "flag")
