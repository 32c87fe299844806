"""Several samples of one task: the loop fanned out, each sample a run of its own with its own checkpoints."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from agentkernel.errors import StoreError
from agentkernel.graphs.context import RunContext
from agentkernel.graphs.loop import run_loop, untraced
from agentkernel.graphs.state import SampleState, SearchState
from agentkernel.trajectory import Outcome, TrajectoryHeader

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph

Checkpoints = Callable[[str], "AbstractAsyncContextManager[BaseCheckpointSaver[Any]]"]
"""Opens the checkpoints of a run by its id."""


@dataclass(frozen=True)
class SearchContext:
    """What a search acts through."""

    run: RunContext
    """Effects of the samples; its header is the plan that theirs are made from."""
    checkpoints: Checkpoints


def sample_header(plan: TrajectoryHeader, index: int) -> TrajectoryHeader:
    """The header of one sample: its own run id and seed, everything else as planned."""
    seed = None if plan.sampling.seed is None else plan.sampling.seed + index
    sampling = plan.sampling.model_copy(update={"seed": seed})
    return plan.model_copy(update={"run_id": f"{plan.run_id}-{index}", "sample": index, "sampling": sampling})


def build_search(saver: BaseCheckpointSaver[Any] | None = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The graph of a search: START fans out to one `sample` node a sample."""
    from langgraph.graph import END, START, StateGraph

    def fan(state: SearchState) -> list[Send]:
        return [Send("sample", SampleState(plan=state["plan"], index=i)) for i in range(state["samples"])]

    graph = StateGraph(SearchState, context_schema=SearchContext)
    graph.add_node("sample", sample)
    graph.add_conditional_edges(START, fan, ["sample"])
    graph.add_edge("sample", END)
    return graph.compile(checkpointer=saver)


async def sample(state: SampleState, runtime: Runtime[SearchContext]) -> dict[str, Any]:
    """Run one sample to its end, from wherever it is."""
    search = runtime.context
    plan = search.run.fetch(TrajectoryHeader, state["plan"])
    context = search.run.for_run(sample_header(plan, state["index"]))
    if context.solved is not None and context.solved.is_set() and not _begun(context):
        return {"results": [f"{context.run_id}={Outcome.STOPPED.value}"]}

    async def run() -> None:
        async with search.checkpoints(context.run_id) as saver:
            await run_loop(context, saver)

    await _apart(run)
    outcome = context.store.load(context.run_id).outcome
    return {"results": [f"{context.run_id}={outcome.value if outcome is not None else ''}"]}


async def run_search(context: SearchContext, samples: int, concurrency: int, saver: BaseCheckpointSaver[Any]) -> None:
    """Run a search to its end, from its start or from where it was killed.

    Args:
        context: Effects, with the plan as the run's header.
        samples: Number of samples; a search that is resumed keeps the number that it was begun with.
        concurrency: Samples that run at the same time.
        saver: Checkpoints of the search itself.
    """
    graph = build_search(saver)
    run = context.run
    config: Any = {"configurable": {"thread_id": run.run_id}, "max_concurrency": concurrency}
    with untraced():
        known = await graph.aget_state(config)
        begun = "plan" in known.values
        begin = None if begun else SearchState(plan=run.keep(run.header), samples=samples, results=[])
        await graph.ainvoke(begin, config, context=context, durability="sync")


async def search_plan(run_id: str, saver: BaseCheckpointSaver[Any]) -> tuple[str, int] | None:
    """Digest of a search's plan and its number of samples, None where nothing was checkpointed."""
    with untraced():
        known = await build_search(saver).aget_state({"configurable": {"thread_id": run_id}})
    # before its first step a graph has no plan yet, and no sample has begun
    return (known.values["plan"], known.values["samples"]) if "plan" in known.values else None


def _begun(context: RunContext) -> bool:
    try:
        context.store.load(context.run_id)
    except StoreError:
        return False
    return True


async def _apart(function: Callable[[], Awaitable[None]]) -> None:
    """Run a graph inside a node as one of its own: without the outer one's configuration, which it would inherit."""
    from langchain_core.runnables.config import var_child_runnable_config

    apart = contextvars.copy_context()
    apart.run(var_child_runnable_config.set, None)
    await asyncio.get_running_loop().create_task(_awaited(function), context=apart)


async def _awaited(function: Callable[[], Awaitable[None]]) -> None:
    await function()
