"""From traces to bounds, bubbles, rooflines and gains."""

from __future__ import annotations

from typing import Any

import pytest

from agentkernel.profile.analysis import Profile, analyse
from agentkernel.profile.trace import Event, Trace
from agentkernel.verdict import Estimate, PipeTime


def event(pipe: str, start: float, duration: float, **more: Any) -> Event:
    values = {"name": "Add", "core": 0, "block": 0, "work": duration} | more
    return Event(pipe=pipe, start=start, duration=duration, **values)


def profile(*events: Event, bound: str = "MTE2", memory_us: float = 0.0, **more: Any) -> Profile:
    kernel_us = 1.0 + max(e.end for e in events)
    head = {"launch_us": 1.0, "mte_issue_us": 0.01, "mte_latency_us": 0.1, "clock_mhz": 1000.0, "cores": 1}
    trace = Trace.model_validate(
        {**head, "kernel_us": kernel_us, "memory_us": memory_us, "complete": True} | more | {"events": events}
    )
    pipes = tuple(
        PipeTime(
            pipe=name,
            busy_us=sum(e.duration for e in events if e.pipe == name and not e.waiting),
            instructions=sum(e.pipe == name for e in events),
        )
        for name in dict.fromkeys(e.pipe for e in events)
    )
    estimate = Estimate(provenance="simulated", kernel_us=kernel_us, bound=bound, pipes=pipes, chip="chip")
    return analyse(trace, estimate, task="t", case="c", diagnostics=())


def test_the_bound_is_the_busiest_pipe() -> None:
    assert profile(event("MTE2", 0, 8), event("V", 8, 2)).bound == "MTE2"


def test_a_kernel_that_waits_more_than_it_works_is_bound_by_latency() -> None:
    assert profile(event("MTE2", 0, 2), event("V", 6, 2), event("MTE3", 9, 1)).bound == "latency"


@pytest.mark.parametrize("bound", ["GM", "launch"])
def test_bounds_of_the_whole_chip_stay(bound: str) -> None:
    assert profile(event("MTE2", 0, 2), event("V", 6, 2), bound=bound).bound == bound


def test_waits_for_one_reason_at_one_place_are_one_bubble() -> None:
    waits = {"held": "flag", "on": "MTE2", "held_api": "DeQue", "line": 20, "held_line": 17}
    found = profile(
        event("V", 3, 1, waited=3, **waits),
        event("V", 6, 1, waited=2, **waits),
        event("V", 9, 1, waited=2, held="issue", on="S"),
    )
    bubbles = found.pipes[0].bubbles
    assert [(b.us, b.times, b.on, b.by, b.by_line) for b in bubbles] == [
        (5, 2, "MTE2", "DeQue", 17),
        (2, 1, "S", "", None),
    ]
    assert found.pipes[0].waited_us == 7


def test_waiting_of_the_scalar_program_is_no_work() -> None:
    wait = event("S", 1, 6, work=0, waiting=True, held="flag", on="V", name="GetValue")
    found = profile(event("S", 0, 1), wait, event("V", 0, 8))
    scalar = found.pipes[0]
    assert (scalar.busy_us, scalar.waited_us, scalar.bubbles[0].before) == (1, 6, "GetValue")


def test_the_roofline_is_the_slower_of_memory_and_vector() -> None:
    found = profile(event("V", 0, 9, work=4), memory_us=2)
    assert found.roofline is not None
    assert (found.roofline.limit_us, found.roofline.vector_us, found.roofline.distance) == (4, 4, 2.5)


def test_products_count_in_the_roofline_of_a_cube_core() -> None:
    found = profile(event("M", 0, 9, work=6), event("MTE1", 0, 2), memory_us=2)
    assert found.roofline is not None
    assert (found.roofline.limit_us, found.roofline.cube_us, found.roofline.vector_us) == (6, 6, 0)


def test_overlap_leaves_the_busiest_pipe() -> None:
    found = profile(event("MTE2", 0, 4), event("V", 4, 3), event("MTE3", 7, 2))
    gain = next(g for g in found.gains if "double buffering" in g.change)
    assert (gain.saves_us, gain.kernel_us) == (5, 5)


def test_nothing_brings_the_cores_below_what_memory_needs() -> None:
    found = profile(event("MTE2", 0, 4), event("V", 4, 3), event("MTE3", 7, 2), memory_us=8)
    assert max(g.saves_us for g in found.gains) == 1


def test_larger_copies_save_what_small_ones_spend_beside_their_bytes() -> None:
    copies = [event("MTE3", i, 0.5, work=0.1, bytes=128) for i in range(10)]
    gain = next(g for g in profile(*copies).gains if "MTE3" in g.change)
    assert gain.saves_us == pytest.approx(10 * 0.4 - 0.01)


def test_larger_loads_save_their_way_from_memory_where_somebody_waits_for_it() -> None:
    loads = [event("MTE2", 2 * i, 1, bytes=1024) for i in range(10)]
    adds = [event("V", 2 * i + 1.5, 0.5, held="flag", on="MTE2", waited=1) for i in range(10)]
    gain = next(g for g in profile(*loads, *adds).gains if "larger" in g.change)
    assert gain.saves_us == pytest.approx(9 * 0.1 - 0.01)


def test_bank_conflicts_are_named() -> None:
    gain = next(g for g in profile(event("V", 0, 9, work=4, conflict=4)).gains if "bank" in g.change)
    assert gain.saves_us == 4


def test_a_kernel_that_fills_one_pipe_at_full_rate_has_nothing_to_gain() -> None:
    assert profile(event("V", 0, 9)).gains == ()


def test_the_core_that_ends_last_is_looked_at() -> None:
    found = profile(event("V", 0, 2), event("V", 0, 5, core=1))
    assert (found.core, found.core_us) == (1, 5)
