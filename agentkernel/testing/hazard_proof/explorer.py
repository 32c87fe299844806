"""Every result that some legal schedule of a launch gives.

A schedule is an order of the events of `machine`. Its result is what can be told from outside: the terms that global
memory holds at the end, and those that the scalar program read on its way (it may branch on them). A trace is *racy*
when two legal schedules give different results. It is *racy inside* when two schedules differ at all: an instruction
reads other terms, or local memory ends up different. What is racy inside alone changes data that nobody uses.

The search is exhaustive up to one reduction. An event e is taken without trying alternatives when nothing that could
happen before it touches its cells: whatever runs first then, the result is the same (e is a persistent set of its
own). What could happen before e is found by running everything else to a standstill while e is held back. That is
possible because every step of the machine only makes more possible, so one such run reaches all that any run without e
reaches. `reduce=False` leaves the reduction out: the tests compare the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from agentkernel.errors import AgentKernelError
from agentkernel.testing.hazard_proof.cells import Cell, Effect, Term, Terms
from agentkernel.testing.hazard_proof.machine import Event, Program, State
from agentkernel.testing.hazard_proof.trace import Await, SetFlag, Signal, Trace, WaitFlag


class Result(NamedTuple):
    """What a schedule leads to."""

    outside: tuple[object, ...]
    """Global memory cell by cell, and per scalar access what it read."""
    inside: tuple[object, ...]
    """All memory cell by cell, and per instruction what it read."""


class TooManySchedulesError(AgentKernelError):
    """The search was given up: the kernel is too large for it."""


class Verdict(BaseModel):
    """What the search found."""

    model_config = ConfigDict(frozen=True)

    racy: bool
    """Two legal schedules give different results."""
    racy_inside: bool
    """Two legal schedules differ, be it in data that nobody uses."""
    unordered: bool
    """Two events that touch the same cell, one of them to write, come in either order. Where that makes no schedule
    differ, both leave the same values, or what they leave is overwritten unread."""
    stuck: bool
    """Some step waits for ever, in every schedule."""
    misuse: tuple[str, ...]
    """Flags set twice without a wait between, or set when the program ends."""
    states: int
    """Distinct states at which the search branched or ended; 0 where one turned pair settled it."""
    reference: tuple[Event, ...]
    """The schedule in program order."""
    other: tuple[Event, ...] = ()
    """A schedule with another result, or else one that differs inside, where there is one."""
    pair: tuple[Event, Event] | None = None
    """Two events whose order tells, where one such pair was enough."""


class _Run:
    """A state with what memory holds in it."""

    def __init__(self, program: Program, terms: Terms) -> None:
        self._program = program
        self._terms = terms
        self.state = State(program)
        self.memory: dict[Cell, Term] = {}
        self.read: dict[int, tuple[tuple[Term, ...], ...]] = {}
        self.schedule: list[Event] = []

    def copy(self) -> _Run:
        other = object.__new__(_Run)
        other._program, other._terms = self._program, self._terms
        other.state = self.state.copy()
        other.memory, other.read = dict(self.memory), dict(self.read)
        other.schedule = list(self.schedule)
        return other

    def take(self, event: Event) -> None:
        effect = self._program.effects[event.work]
        if event.write:
            effect.write(self.read.get(event.work, ()), self.memory, self._terms)
        else:
            self.read[event.work] = effect.read(self.memory, self._terms)
        self.schedule.append(event)
        self.state.take(event)

    def finish(self, *, without: Event | None = None, until: Event | None = None) -> _Run:
        """Take events in program order until none is left (but `without`), or `until` has been taken."""
        while self.state.events:
            able = [event for event in self.state.events if event != without]
            if not able:
                break
            event = min(able, key=lambda e: (e.work, e.write))
            self.take(event)
            if event == until:
                break
        return self

    @property
    def key(self) -> tuple[object, ...]:
        return (
            frozenset(self.schedule),
            frozenset(self.memory.items()),
            frozenset(self.read.items()),
        )

    @property
    def result(self) -> Result:
        memory, read = sorted(self.memory.items()), sorted(self.read.items())
        outside = [item for item in memory if item[0][0].startswith("GM:")]
        scalar = [item for item in read if self._program.effects[item[0]].issue.pipe == "S"]
        return Result(outside=(*outside, *scalar), inside=(*memory, *read))


class Explorer:
    """Schedules of one launch.

    Args:
        trace: What one core issued, or what each of several did.
        autosync: Whether the compiler's automatic synchronisation is on.
        most: States to visit at most.
    """

    def __init__(self, trace: Trace | Sequence[Trace], *, autosync: bool, most: int = 100_000) -> None:
        traces = (trace,) if isinstance(trace, Trace) else tuple(trace)
        self.program = Program(traces, autosync=autosync)
        self._misuse = (*(found for one in traces for found in _misuse(one)), *_misuse_between(traces))
        self._most = most
        self._terms = Terms()
        self._visited = 0
        self._pairs = False

    def verdict(self) -> Verdict:
        """Judge the trace.

        Raises:
            TooManySchedulesError: It has more states than `most`.
        """
        first = _Run(self.program, self._terms).finish()
        reference = first.result
        others = self._unordered()
        self._pairs = bool(others)
        stuck = not first.state.finished
        inside: _Run | None = None
        pairs = [(e, f) for e, late in others.items() for f in late]
        for e, f in pairs:  # most races show when one pair is turned around
            turned = _Run(self.program, self._terms).finish(without=e, until=f)
            turned.finish()
            if turned.result.outside != reference.outside:
                return self._found(first, turned, stuck, pair=(f, e))
            if turned.result != reference:
                inside = turned
        for run in self._leaves(others):
            if run.result.outside != reference.outside:
                return self._found(first, run, stuck)
            if run.result != reference:
                inside = run
        return self._found(first, inside, stuck, outside=False)

    def results(self, *, reduce: bool = True) -> set[Result]:
        """Results of all schedules; without `reduce` every order of every two events is tried."""
        everything = {e: [f for f in self._all() if f != e] for e in self._all()}
        return {run.result for run in self._leaves(self._unordered() if reduce else everything)}

    def _found(
        self,
        first: _Run,
        other: _Run | None,
        stuck: bool,
        *,
        pair: tuple[Event, Event] | None = None,
        outside: bool = True,
    ) -> Verdict:
        return Verdict(
            racy=other is not None and outside,
            racy_inside=other is not None,
            unordered=self._pairs,
            stuck=stuck,
            misuse=self._misuse,
            states=self._visited,
            reference=tuple(first.schedule),
            other=() if other is None else tuple(other.schedule),
            pair=pair,
        )

    def _all(self) -> list[Event]:
        return [event for events in self.program.events for event in events]

    def _unordered(self) -> dict[Event, list[Event]]:
        """For each event the conflicting ones that can happen before it and after it."""
        events = self._all()
        cells = {event: _touched(self.program.effects[event.work], event) for event in events}
        early: dict[Event, set[Event]] = {}
        conflicts = [
            (e, f)
            for i, e in enumerate(events)
            for f in events[i + 1 :]
            if e.work != f.work and _disturb(e, f, cells, self.program)
        ]
        for event in {event for pair in conflicts for event in pair}:
            state = State(self.program)
            reached = set()
            while able := [other for other in state.events if other != event]:
                state.take(able[0])
                reached.add(able[0])
            early[event] = reached
        found: dict[Event, list[Event]] = {}
        for e, f in conflicts:
            if f in early[e] and e in early[f]:
                found.setdefault(e, []).append(f)
                found.setdefault(f, []).append(e)
        return found

    def _leaves(self, others: dict[Event, list[Event]]) -> Iterator[_Run]:
        """Runs that came to their end, each distinct state visited once."""
        seen: set[tuple[object, ...]] = set()
        open_runs = [_Run(self.program, self._terms)]
        while open_runs:
            run = open_runs.pop()
            while run.state.events:
                done = set(run.schedule)
                free = next((e for e in run.state.events if done.issuperset(others.get(e, ()))), None)
                if free is None:
                    break
                run.take(free)
            if run.key in seen:
                continue
            seen.add(run.key)
            self._visited = len(seen)
            if len(seen) > self._most:
                raise TooManySchedulesError(
                    f"more than {self._most} states", hint="use a smaller kernel, or raise the limit"
                )
            if not run.state.events:
                yield run
            for event in run.state.events:
                branch = run.copy()
                branch.take(event)
                open_runs.append(branch)


def _touched(effect: Effect, event: Event) -> frozenset[Cell]:
    return effect.write_cells if event.write else effect.read_cells


def _disturb(e: Event, f: Event, cells: dict[Event, frozenset[Cell]], program: Program) -> bool:
    if not (e.write or f.write):
        return False
    shared = cells[e] & cells[f]
    if e.write and f.write:
        shared -= program.effects[e.work].atomic_cells & program.effects[f.work].atomic_cells
    return bool(shared)


def _misuse(trace: Trace) -> tuple[str, ...]:
    pending: dict[tuple[str, int], int] = {}
    found = []
    for entry in trace.entries:
        if isinstance(entry, SetFlag):
            flag = (entry.event, entry.id)
            pending[flag] = pending.get(flag, 0) + 1
            if pending[flag] > 1:
                found.append(f"{entry.event} id {entry.id} is set twice without a wait between")
        elif isinstance(entry, WaitFlag):
            flag = (entry.event, entry.id)
            pending[flag] = pending.get(flag, 0) - 1
    if trace.ended:
        found += [f"{event} id {id} is set when the program ends" for (event, id), n in pending.items() if n > 0]
    return tuple(found)


def _misuse_between(traces: Sequence[Trace]) -> tuple[str, ...]:
    """Flags that some core is told and does not await."""
    if not all(trace.ended for trace in traces):
        return ()
    heard = [{name for e in trace.entries if isinstance(e, Await) for name in e.signals} for trace in traces]
    signals = [entry for trace in traces for entry in trace.entries if isinstance(entry, Signal)]
    left = {signal.signal for signal in signals for core in signal.to if signal.signal not in heard[core]}
    return tuple(sorted({f"{name.partition(' #')[0]} is left set" for name in left}))
