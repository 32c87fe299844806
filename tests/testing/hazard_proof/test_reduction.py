"""The explorer against two others: itself without the reduction, and a declarative reading of the same facts."""

from __future__ import annotations

from itertools import permutations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentkernel.testing.hazard_proof.explorer import Explorer, Result, _Run
from agentkernel.testing.hazard_proof.machine import Event, Step
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
    verdict = explorer.verdict()
    assert verdict.racy == (len({result.outside for result in everything}) > 1)
    assert verdict.racy_inside == (len(everything) > 1)


def step_order(steps: list[Step]) -> dict[int, set[int]] | None:
    """For each step those that are over before it is; None where a wait has no set or steps wait for each other."""
    before: dict[int, set[int]] = {}
    sets: dict[object, list[int]] = {}
    for i, step in enumerate(steps):
        if step.kind == "set":
            sets.setdefault(step.flag, []).append(i)
    for i, step in enumerate(steps):
        own = [j for j in range(i) if steps[j].core == step.core]
        # nothing is issued while the program stalls
        before[i] = {j for j in own if steps[j].pipe == "program" or is_over_first(steps[j], step)}
        for signal in step.signals:
            if signal not in sets:
                return None
            before[i].add(sets[signal][0])
        if step.kind == "wait":
            number = sum(other.kind == "wait" and other.flag == step.flag for other in steps[:i])
            if number >= len(sets.get(step.flag, [])):
                return None
            before[i].add(sets[step.flag][number])
    for _ in steps:
        for known in before.values():
            known |= {k for j in known for k in before[j]}
    return None if any(i in known for i, known in before.items()) else before


def is_over_first(earlier: Step, step: Step) -> bool:
    """Whether a step waits for one of the same pipe that the program issued before it."""
    if step.kind == "stall":
        return step.awaits in ("ALL", earlier.pipe)
    if step.pipe != earlier.pipe:
        return False
    return step.kind in ("set", "barrier") or step.pipe == "S" or earlier.kind in ("wait", "barrier")


def order_of_facts(explorer: Explorer) -> set[tuple[Event, Event]] | None:
    """Which event comes before which, read off the program as a graph; None where something waits for ever."""
    steps, events = explorer.program.steps, explorer.program.events
    before = step_order(steps)
    if before is None:
        return None
    pairs = {(own[0], own[1]) for own in events if len(own) == 2}
    works = {step.work: i for i, step in enumerate(steps) if step.kind == "work"}
    for work, i in works.items():
        for other, j in works.items():
            if j in before[i]:
                pairs |= {(e, f) for e in events[other] for f in events[work]}
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


SHARED = st.one_of(
    st.builds("MTE2 GM:w[{}] -> UB[{}]".format, st.integers(0, 1), st.integers(0, 1)),
    st.builds("MTE3 UB[{}] -> GM:w[{}]".format, st.integers(0, 1), st.integers(0, 1)),
    st.builds("MTE3 UB[{}] => GM:w[0]".format, st.integers(0, 1)),
)
BETWEEN = st.one_of(SHARED, st.sampled_from(["barrier ALL", "set MTE2_MTE3 0\nwait MTE2_MTE3 0", "barrier MTE3"]))


@st.composite
def launches(draw: st.DrawFn) -> list[Trace]:
    """Two cores; each may send one signal and wait for the other's."""
    cores = []
    for core in range(2):
        rows = draw(st.lists(BETWEEN, max_size=4).filter(lambda rows: sum("w[" in row for row in rows) <= 2))
        if draw(st.booleans()):
            pipe = draw(st.sampled_from(["MTE2", "MTE3", "S"]))
            rows.insert(draw(st.integers(0, len(rows))), f"signal {pipe} from{core}")
        if draw(st.booleans()):
            rows.insert(draw(st.integers(0, len(rows))), f"await from{1 - core}")
        cores.append(trace("\n".join(rows)))
    return cores


@given(launches())
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_reduced_search_and_graph_agree_on_two_cores(cores: list[Trace]) -> None:
    explorer = Explorer(cores, autosync=False)
    pairs = order_of_facts(explorer)
    if pairs is None:
        assert explorer.verdict().stuck
        return
    everything = results_of_facts(explorer, pairs)
    assert explorer.results(reduce=False) == everything
    assert explorer.results() == everything


@given(programs(3), st.booleans())
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_machine_allows_exactly_the_orders_of_the_graph(program: Trace, autosync: bool) -> None:
    explorer = Explorer(program, autosync=autosync)
    pairs = order_of_facts(explorer)
    if pairs is None:
        assert explorer.verdict().stuck
    else:
        assert explorer.results(reduce=False) == results_of_facts(explorer, pairs)
