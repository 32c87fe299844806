"""The explorer against two others: itself without the reduction, and a declarative reading of the same facts."""

from __future__ import annotations

from itertools import permutations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentkernel.testing.hazard_proof.explorer import Explorer, Result, _Run
from agentkernel.testing.hazard_proof.machine import Event
from agentkernel.testing.hazard_proof.trace import Trace

from .traces import trace

CELLS = st.integers(0, 2).map(lambda k: f"UB[{k}]")
WORKS = st.one_of(
    st.builds("MTE2 GM:x[{}] -> {}".format, st.integers(0, 1), CELLS),
    st.builds("V {} -> {}".format, CELLS, CELLS),
    st.builds("MTE3 {} -> GM:y[{}]".format, CELLS, st.integers(0, 1)),
    st.builds("MTE3 {} => GM:y[0]".format, CELLS),
    st.builds("S {} ->".format, CELLS),
    st.builds("S -> {}".format, CELLS),
)
EVENTS = st.sampled_from(["MTE2_V", "V_MTE2", "V_MTE3", "MTE3_MTE2", "V_S", "S_V", "MTE2_S", "S_MTE3"])
SYNCS = st.one_of(
    st.builds("set {} 0".format, EVENTS),
    st.builds("wait {} 0".format, EVENTS),
    EVENTS.map(lambda event: f"set {event} 0\nwait {event} 0"),
    st.sampled_from(["barrier V", "barrier MTE3", "barrier ALL", "stall V", "stall S"]),
)


def programs(works: int) -> st.SearchStrategy[Trace]:
    body = st.lists(st.one_of(WORKS, SYNCS), min_size=2, max_size=2 * works)
    few = body.filter(lambda rows: sum("UB" in row for row in rows) <= works)
    return few.map(lambda rows: trace("\n".join(rows)))


@given(programs(5), st.booleans())
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_reduced_search_finds_the_same_results(program: Trace, autosync: bool) -> None:
    explorer = Explorer(program, autosync=autosync)
    everything = explorer.results(reduce=False)
    assert explorer.results() == everything
    assert explorer.verdict().racy == (len(everything) > 1)


def order_of_facts(explorer: Explorer) -> set[tuple[Event, Event]] | None:
    """Which event comes before which, read off the program as a graph; None where a wait has no set."""
    steps = explorer.program.steps
    before: dict[int, set[int]] = {i: set() for i in range(len(steps))}
    sets: dict[object, list[int]] = {}
    for i, step in enumerate(steps):
        if step.kind == "set":
            sets.setdefault(step.flag, []).append(i)
    taken: dict[object, int] = {}
    for i, step in enumerate(steps):
        earlier = range(i)
        before[i] |= {j for j in earlier if steps[j].pipe == "program"}  # nothing is issued while the program stalls
        if step.kind == "wait":
            number = taken.get(step.flag, 0)
            taken[step.flag] = number + 1
            if number >= len(sets.get(step.flag, [])):
                return None
            before[i].add(sets[step.flag][number])
        same = [j for j in earlier if steps[j].pipe == step.pipe]
        if step.kind in ("set", "barrier") or step.pipe == "S":
            before[i] |= set(same)
        elif step.kind == "stall":
            before[i] |= {j for j in earlier if step.awaits in ("ALL", steps[j].pipe)}
        else:
            before[i] |= {j for j in same if steps[j].kind in ("wait", "barrier")}
    for _ in steps:
        for i in before:
            before[i] |= {k for j in before[i] for k in before[j]}
    if any(i in before[i] for i in before):
        return None
    pairs = {(e, f) for events in explorer.program.events for e in events for f in events if f.write and not e.write}
    works = {step.work: i for i, step in enumerate(steps) if step.kind == "work"}
    for work, i in works.items():
        for other, j in works.items():
            if j in before[i]:
                pairs |= {(e, f) for e in explorer.program.events[other] for f in explorer.program.events[work]}
    return pairs


def results_of_facts(explorer: Explorer, pairs: set[tuple[Event, Event]]) -> set[Result]:
    events = [event for events in explorer.program.events for event in events]
    found = set()
    for order in permutations(events):
        at = {event: k for k, event in enumerate(order)}
        if all(at[e] < at[f] for e, f in pairs):
            run = _Run(explorer.program, explorer._terms)
            for event in order:
                assert event in run.state.events, "the machine does not allow an order that the graph allows"
                run.take(event)
            assert run.state.finished
            found.add(run.result)
    return found


@given(programs(3), st.booleans())
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_machine_allows_exactly_the_orders_of_the_graph(program: Trace, autosync: bool) -> None:
    explorer = Explorer(program, autosync=autosync)
    pairs = order_of_facts(explorer)
    if pairs is None:
        assert explorer.verdict().stuck
    else:
        assert explorer.results(reduce=False) == results_of_facts(explorer, pairs)
