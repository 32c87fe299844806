"""The loop as a LangGraph state machine, and running it from wherever it is.

    START -> retrieve -> draft -> check -> compile -> verify -> record -> finish -> END
                           ^        |         |                   |
                        repair <----+---------+-------------------+

`record` keeps the attempt and ends the run when it passes or a budget is used up; every other failure goes to `repair`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from agentkernel.events import RunStarted
from agentkernel.graphs import nodes
from agentkernel.graphs.context import RunContext
from agentkernel.graphs.state import LoopState, start

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph

STEPS_A_TURN = 6
"""Most nodes that one turn passes: repair, check, compile, verify, record, and one to spare."""


def build_loop(saver: BaseCheckpointSaver[Any] | None = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The graph of one run."""
    from langgraph.graph import END, START, StateGraph

    graph = StateGraph(LoopState, context_schema=RunContext)
    add_turn_nodes(graph, nodes.record)
    graph.add_node("retrieve", nodes.retrieve)
    graph.add_node("draft", nodes.draft)
    graph.add_node("finish", nodes.finish)
    graph.add_edge(START, "retrieve")
    graph.add_edge("retrieve", "draft")
    graph.add_conditional_edges("draft", after_asking, ["check", "record", "finish"])
    graph.add_conditional_edges("repair", after_asking, ["check", "record", "finish"])
    graph.add_conditional_edges(
        "record", lambda state: "finish" if state["outcome"] else "repair", ["finish", "repair"]
    )
    graph.add_edge("finish", END)
    return graph.compile(checkpointer=saver)


def add_turn_nodes(graph: Any, record: nodes.Node) -> None:
    """Add the nodes that every graph over kernels shares, with the edges between them; `record` ends each attempt."""
    graph.add_node("repair", nodes.repair)
    graph.add_node("check", nodes.check)
    graph.add_node("compile", nodes.compile_)
    graph.add_node("verify", nodes.verify)
    graph.add_node("record", record)
    graph.add_conditional_edges(
        "check", lambda state: "record" if state["verdict"] else "compile", ["record", "compile"]
    )
    graph.add_conditional_edges(
        "compile", lambda state: "record" if state["verdict"] else "verify", ["record", "verify"]
    )
    graph.add_edge("verify", "record")


def after_asking(state: LoopState) -> str:
    """Where a turn goes: on to judging, to its end as unreadable, or to the end of the run."""
    if state["outcome"]:
        return "finish"
    return "record" if state["verdict"] else "check"


async def run_loop(context: RunContext, saver: BaseCheckpointSaver[Any]) -> None:
    """Run a loop to its end, from its start or from where it was killed. An ended run is left as it is.

    Raises:
        AgentKernelError: The machine, the endpoint or the store failed; the run can be resumed.
    """
    graph = build_loop(saver)
    config = thread(context)
    with untraced():
        begun = bool((await graph.aget_state(config)).values)
        context.store.begin(context.header)
        # the store decides: a graph that was killed between the writes of a node and its checkpoint looks ended
        if context.store.load(context.run_id).outcome is not None:
            return
        context.emit(started(context, resumed=begun))
        await graph.ainvoke(None if begun else start(), config, context=context, durability="sync")


def started(context: RunContext, *, resumed: bool) -> RunStarted:
    """The event of a run that begins or goes on."""
    header = context.header
    return RunStarted(
        run_id=header.run_id,
        task=header.task.name,
        model=header.model,
        toolchain=header.toolchain,
        sample=header.sample,
        resumed=resumed,
    )


def thread(context: RunContext) -> Any:
    """Configuration of the graph for a run: its checkpoints by run id, its steps by its budget of turns."""
    limit = STEPS_A_TURN * (context.header.budget.turns + 2)
    return {"configurable": {"thread_id": context.run_id}, "recursion_limit": limit}


@contextmanager
def untraced() -> Iterator[None]:
    """Keep LangSmith out: nothing of a run leaves the machine, whatever the environment says."""
    from langsmith import tracing_context

    with tracing_context(enabled=False):
        yield
