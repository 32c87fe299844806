"""The loop on a full-path task: host faults are found at the compiler and at a case, and answered as such."""

from datetime import UTC, datetime

from agentkernel.bench.suites import load_task
from agentkernel.composer import compose
from agentkernel.graphs.checkpoints import open_checkpoints
from agentkernel.graphs.context import RunContext
from agentkernel.graphs.library import KnowledgeLibrary
from agentkernel.graphs.loop import run_loop
from agentkernel.models.scripted import ScriptedClient
from agentkernel.toolchains.simulator import SimulatorToolchain
from agentkernel.traces.memory import MemoryStore
from agentkernel.trajectory import Budget, Outcome, Sampling, TrajectoryHeader, Turn
from agentkernel.verdict import Stage

TASK = load_task("softmax-operator")
BLOCKS = "    context->SetBlockDim(kBlockDim);\n"


def answer(old: str = "", new: str = "") -> str:
    parts = []
    for name, text in compose(TASK).kernel.files.items():
        parts += [f"{'=' * 18} {name} {'=' * 18}", "```cpp", text.replace(old, new) if old else text, "```"]
    return "\n".join(parts)


async def test_an_invented_call_a_failing_tiling_and_the_right_operator() -> None:
    failing = "    if (context->GetInputShape(0)->GetStorageShape().GetDim(1) == 1) return ge::GRAPH_FAILED;\n"
    answers = [answer("SetBlockDim", "SetBlockCount"), answer(BLOCKS, failing + BLOCKS), answer()]
    header = TrajectoryHeader(
        run_id="run", task=TASK, model="scripted", toolchain="simulator", budget=Budget(), sampling=Sampling(seed=7),
        created=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    with SimulatorToolchain() as toolchain:
        context = RunContext(
            header=header,
            model=ScriptedClient(answers, by_attempt=True),
            toolchain=toolchain,
            store=MemoryStore(),
            library=KnowledgeLibrary(),
        )
        async with open_checkpoints(None) as saver:
            await run_loop(context, saver)
    run = context.store.load("run")
    assert run.outcome is Outcome.SOLVED
    assert [a.turn for a in run.attempts] == [Turn.DRAFT, Turn.REPAIR_API, Turn.REPAIR_API]
    assert [a.verdict.stage for a in run.attempts] == [Stage.COMPILE, Stage.RUN, Stage.VERIFY]
    first, second = (next(d for d in a.verdict.all_diagnostics if d.is_error) for a in run.attempts[:2])
    assert (first.code, second.code) == ("host-compile-error", "host-tiling-failed")
    assert first.location is not None
    assert first.location.file == f"op_host/{TASK.entry}.cpp"
    assert [c.case for c in run.attempts[1].verdict.cases if not c.passed] == ["one"]
    draft, told_first, told_second = (a.messages[1].content for a in run.attempts)
    assert "Three files" in draft
    assert f"op_host/{TASK.entry}_tiling.h ====" in draft
    assert "SetBlockCount" in told_first
    assert "the host side does not work" in told_second
    assert "host-tiling-failed" in told_second
