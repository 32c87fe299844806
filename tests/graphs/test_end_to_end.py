"""The loop over a real HTTP server and the real simulator: four turns, each diagnosed at its level and line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentkernel.diagnostic import Level
from agentkernel.errors import ModelUnavailableError
from agentkernel.models.openai_compatible import Backoff, OpenAICompatibleClient
from agentkernel.solve import SolveResult, asolve
from agentkernel.task import Case, Reference, Task, TensorSpec
from agentkernel.testing.server import (
    Answer,
    Behaviour,
    CutStream,
    Garbage,
    ModelServer,
    Silence,
    rate_limited,
    server_error,
)
from agentkernel.toolchains.simulator import SimulatorToolchain
from agentkernel.trajectory import Outcome, Turn
from agentkernel.verdict import Stage

TENSOR: dict[str, Any] = {"dtype": "float32", "shape": ("n",)}
TASK = Task(
    name="sum-float32",
    description="Elementwise sum of two vectors.",
    level="L1",
    entry="vec_sum",
    inputs=(TensorSpec(name="x", **TENSOR), TensorSpec(name="y", **TENSOR)),
    outputs=(TensorSpec(name="z", **TENSOR),),
    cases=(Case(name="aligned", dims={"n": 64}), Case(name="tail", dims={"n": 67})),
    reference=Reference(formula="z = x + y"),
    block_dim=1,
)
WAIT = "    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);\n    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);\n"
RIGHT = f"""#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 1024;

extern "C" __global__ __aicore__ void vec_sum(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)
{{
    GET_TILING_DATA_WITH_STRUCT(TilingData, t, tiling);
    GlobalTensor<float> xGm, yGm, zGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, t.n);
    yGm.SetGlobalBuffer((__gm__ float*)y, t.n);
    zGm.SetGlobalBuffer((__gm__ float*)z, t.n);
    TPipe pipe;
    TBuf<QuePosition::VECCALC> xBuf, yBuf, zBuf;
    pipe.InitBuffer(xBuf, TILE * sizeof(float));
    pipe.InitBuffer(yBuf, TILE * sizeof(float));
    pipe.InitBuffer(zBuf, TILE * sizeof(float));
    LocalTensor<float> xLocal = xBuf.Get<float>();
    LocalTensor<float> yLocal = yBuf.Get<float>();
    LocalTensor<float> zLocal = zBuf.Get<float>();
    const DataCopyExtParams whole{{1, static_cast<uint32_t>(t.n * sizeof(float)), 0, 0, 0}};
    const DataCopyPadExtParams<float> pad{{false, 0, 0, 0.0f}};
    DataCopyPad(xLocal, xGm, whole, pad);
    DataCopyPad(yLocal, yGm, whole, pad);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Duplicate(zLocal, 0.0f, TILE);
    PipeBarrier<PIPE_V>();
    Add(zLocal, xLocal, yLocal, static_cast<int32_t>(t.n));
{WAIT}    DataCopyPad(zGm, zLocal, whole);
}}
"""
INVENTED = RIGHT.replace("    Add(", "    VectorAdd(")
WRONG_TAIL = RIGHT.replace("static_cast<int32_t>(t.n))", "static_cast<int32_t>(t.n / 8 * 8))")
MISSING_WAIT = RIGHT.replace(WAIT, "")
FOUR = [f"Thinking aloud.\n```cpp\n{source}```\n" for source in (INVENTED, WRONG_TAIL, MISSING_WAIT, RIGHT)]


def line_of(source: str, text: str) -> int:
    return next(number for number, line in enumerate(source.split("\n"), start=1) if text in line)


@pytest.fixture(scope="module")
def simulator() -> Iterator[SimulatorToolchain]:
    with SimulatorToolchain() as toolchain:
        yield toolchain


def client(server: ModelServer, **options: Any) -> OpenAICompatibleClient:
    return OpenAICompatibleClient(
        "kernel-writer", server.base_url, backoff=Backoff(initial=0.01, maximum=0.05, jitter=0.0), **options
    )


async def solved(
    script: list[str | Behaviour], runs: Path, simulator: SimulatorToolchain, **options: Any
) -> tuple[SolveResult, ModelServer]:
    with ModelServer(script) as server:
        result = await asolve(TASK, model=client(server, **options), toolchain=simulator, runs=runs, run_id="run")
    return result, server


async def test_four_turns_each_diagnosed_at_its_level_and_line(tmp_path: Path, simulator: SimulatorToolchain) -> None:
    result, server = await solved([*FOUR], tmp_path, simulator)
    assert result.solved
    attempts = result.trajectories[0].attempts
    assert [a.turn for a in attempts] == [Turn.DRAFT, Turn.REPAIR_API, Turn.REPAIR_KERNEL, Turn.REPAIR_KERNEL]
    assert [a.verdict.stage for a in attempts] == [Stage.CHECK, Stage.VERIFY, Stage.VERIFY, Stage.VERIFY]

    (invented,) = [d for d in attempts[0].verdict.all_diagnostics if d.is_error]
    assert (invented.code, invented.level) == ("unknown-api", Level.API)
    assert invented.location is not None
    assert invented.location.line == line_of(INVENTED, "VectorAdd")
    assert "Add" in invented.hint

    (wrong,) = [d for d in attempts[1].verdict.all_diagnostics if d.is_error]
    assert wrong.level is Level.NUMERIC
    assert wrong.evidence["where"]["where"] == "tail"
    assert [c.passed for c in attempts[1].verdict.cases] == [True, False]

    hazards = [d for d in attempts[2].verdict.all_diagnostics if d.is_error]
    assert {(d.code, d.level) for d in hazards} == {("missing-sync", Level.HAZARD)}
    assert {d.location.line for d in hazards if d.location} == {line_of(MISSING_WAIT, "DataCopyPad(zGm")}
    assert {d.related[0][0].line for d in hazards} == {line_of(MISSING_WAIT, "    Add(")}

    assert attempts[3].verdict.passed
    assert attempts[3].verdict.kernel_us
    # what was found is what the model was told, with the line and the card of the API
    told = [request.body["messages"][-1]["content"] for request in server.requests]
    assert f"{line_of(INVENTED, 'VectorAdd')} |     VectorAdd(zLocal, xLocal" in told[1]
    assert "**Add**" in told[1]
    assert "the last 3 elements" in told[2]
    assert "HardEvent::V_MTE3" in told[3]
    assert f"{line_of(MISSING_WAIT, 'DataCopyPad(zGm')} |     DataCopyPad(zGm" in told[3]


async def test_an_unruly_server_changes_nothing_but_the_number_of_requests(
    tmp_path: Path, simulator: SimulatorToolchain
) -> None:
    script: list[str | Behaviour] = [
        rate_limited(),
        FOUR[0],
        server_error(),
        CutStream(FOUR[1][:200]),
        FOUR[1],
        Silence("half of an"),
        Garbage(),
        Answer(FOUR[3], reasoning=f"maybe\n{FOUR[2]}"),
    ]
    result, server = await solved(script, tmp_path, simulator, idle_timeout=0.5)
    assert result.solved
    assert [a.verdict.passed for a in result.trajectories[0].attempts] == [False, False, True]
    assert len(server.requests) == len(script)


async def test_a_server_that_stays_down_ends_the_call_and_not_the_run(
    tmp_path: Path, simulator: SimulatorToolchain
) -> None:
    with ModelServer([FOUR[0], *[server_error()] * 3]) as server, pytest.raises(ModelUnavailableError):
        await asolve(TASK, model=client(server, max_retries=2), toolchain=simulator, runs=tmp_path, run_id="run")
    with ModelServer([FOUR[3]]) as server:
        result = await asolve(resume="run", model=client(server), toolchain=simulator, runs=tmp_path)
    assert result.outcome is Outcome.SOLVED
    assert result.turns == 2
    assert len(server.requests) == 1
