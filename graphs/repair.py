"""The repair session as a state machine: a person decides after every verdict.

    START -> check -> compile -> verify -> record -> human -> finish -> END
               ^                            ^          |
               +-------------- edit --------+----------+
               +---- repair <-- try, hint -------------+

`human` interrupts the graph with what there is to decide. The state is checkpointed there, so a closed terminal loses
nothing, and the session goes on with `Command(resume=...)` whenever somebody comes back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt

from agentkernel.graphs import nodes
from agentkernel.graphs.context import RunContext
from agentkernel.graphs.loop import add_turn_nodes, started, untraced
from agentkernel.graphs.state import LoopState, Update, start
from agentkernel.kernel import Kernel
from agentkernel.trajectory import Outcome, Turn
from agentkernel.verdict import Verdict

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph
    from langgraph.types import StateSnapshot

SESSION_TURNS = 1000
"""A session ends when its person says so; the budget of turns only has to be out of the way."""

_STEPS = 20
"""Most nodes between two decisions: repair, check, compile, verify, record, human, and some to spare."""


class RepairState(LoopState, total=False):
    """State of a session."""

    origin: str
    """Path that the person's kernel was read from; empty for one that was given as data."""


def build_repair(saver: BaseCheckpointSaver[Any] | None = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The graph of a session."""
    from langgraph.graph import END, START, StateGraph

    graph = StateGraph(RepairState, context_schema=RunContext)
    add_turn_nodes(graph, record)
    graph.add_node("human", human)
    graph.add_node("finish", nodes.finish)
    graph.add_edge(START, "check")
    graph.add_conditional_edges("repair", after_asking, ["check", "record"])
    graph.add_edge("record", "human")
    graph.add_edge("finish", END)
    return graph.compile(checkpointer=saver)


def after_asking(state: LoopState) -> str:
    """On to judging, or to the end of the attempt as unreadable. A session has no budget that could end it here."""
    return "record" if state["verdict"] else "check"


async def record(state: LoopState, runtime: Runtime[RunContext]) -> Update:
    """Keep the attempt; whether the session ends is for the person to say."""
    context = runtime.context
    return nodes.keep_attempt(state, context, context.fetch(Verdict, state["verdict"]))


async def human(state: LoopState, runtime: Runtime[RunContext]) -> Command[Literal["repair", "check", "finish"]]:
    """Wait for the person. Runs again from its start when the answer comes, so it does nothing before."""
    reply = interrupt({"kernel": state["last_kernel"], "verdict": state["last_verdict"]})
    if reply["action"] == "try":
        return Command(goto="repair", update={"hint": reply["hint"]})
    if reply["action"] == "edit":
        update = {"turn": Turn.HUMAN.value, "prompt": "", "kernel": reply["kernel"], "checked": "", "verdict": ""}
        return Command(goto="check", update=update)
    accepted = reply["action"] == "accept" and runtime.context.fetch(Verdict, state["last_verdict"]).passed
    outcome = Outcome.SOLVED if accepted else Outcome.STOPPED
    return Command(goto="finish", update={"outcome": outcome.value})


async def begin(context: RunContext, kernel: Kernel, origin: str, saver: BaseCheckpointSaver[Any]) -> StateSnapshot:
    """Open a session with a kernel by hand and judge it, up to the first decision."""
    context.store.begin(context.header)
    context.emit(started(context, resumed=False))
    first = RepairState(**{**start(), "turn": Turn.HUMAN.value, "kernel": context.keep(kernel), "origin": origin})
    return await _advance(context, first, saver)


async def go_on(context: RunContext, saver: BaseCheckpointSaver[Any]) -> StateSnapshot:
    """Bring a session to its next decision from wherever it was left."""
    state = await snapshot(context, saver)
    return await _advance(context, None, saver) if is_pending(context, state) else state


def is_pending(context: RunContext, state: StateSnapshot) -> bool:
    """Whether a session neither waits for its person nor has ended: a step of it was killed or failed."""
    return not state.interrupts and context.store.load(context.run_id).outcome is None


async def answer(context: RunContext, reply: dict[str, str], saver: BaseCheckpointSaver[Any]) -> StateSnapshot:
    """Give the person's decision and bring the session to the next one."""
    return await _advance(context, Command(resume=reply), saver)


async def give_up_step(context: RunContext, saver: BaseCheckpointSaver[Any]) -> StateSnapshot:
    """Go back to the person from a step that cannot be made, e.g. because the endpoint is down."""
    with untraced():
        await build_repair(saver).aupdate_state(_config(context), {"hint": ""}, as_node="record")
    return await _advance(context, None, saver)


async def snapshot(context: RunContext, saver: BaseCheckpointSaver[Any]) -> StateSnapshot:
    """Where a session is."""
    with untraced():
        return await build_repair(saver).aget_state(_config(context))


async def _advance(context: RunContext, command: Any, saver: BaseCheckpointSaver[Any]) -> StateSnapshot:
    with untraced():
        await build_repair(saver).ainvoke(command, _config(context), context=context, durability="sync")
    return await snapshot(context, saver)


def _config(context: RunContext) -> RunnableConfig:
    return {"configurable": {"thread_id": context.run_id}, "recursion_limit": _STEPS}
