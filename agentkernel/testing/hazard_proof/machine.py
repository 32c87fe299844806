"""An operational model of cores: which instruction may read or write next.

Written from the facts alone (ascendc_semantics, sections 5 to 7):

- The scalar program issues in order and runs ahead of the pipes. It stalls at WaitFlag of an event that ends in S, at
  PipeBarrier<PIPE_ALL>, and where a call needs a pipe's result.
- A pipe starts its instructions in order. A started instruction reads all its operands at some moment and, at a later
  one, writes its results; later instructions of the same pipe may start, read and write in between.
- PipeBarrier holds the pipe until all that it started is complete. WaitFlag holds it until the flag is set, and takes
  it. SetFlag holds nothing; it takes effect when all that its pipe was given before it is complete.
- Scalar accesses are a pipe too, whose accesses do not overlap each other. The program does not wait for them: whether
  it needs a value that it read before it issues the next instruction is not in the trace.
- Cores have programs, pipes, flags and memories of their own and share global memory. A signal to other cores takes
  effect like a SetFlag: when all is complete that its pipe was given before it. A program that awaits signals issues
  nothing until all of them have taken effect; they stay.

The n-th WaitFlag of an id meets its n-th SetFlag: two in a row without a wait between them in the program are misuse,
which is reported elsewhere; a pipe that runs ahead of the waiting one is not, for the queues of the framework do that.

Every step but reading and writing only makes more possible, so it is taken as soon as it can be. What is left to chance
is the order of reads and writes: the *events*.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from agentkernel.testing.hazard_proof.autosync import dependences
from agentkernel.testing.hazard_proof.cells import Effect, Layout
from agentkernel.testing.hazard_proof.trace import (
    PIPES,
    Await,
    Barrier,
    Entry,
    Issue,
    SetFlag,
    Signal,
    Stall,
    Trace,
    WaitFlag,
    joined,
)


@dataclass(frozen=True, slots=True)
class Event:
    """One moment at which an instruction touches memory."""

    work: int
    """The instruction, counted in program order."""
    write: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One entry of a queue or of the program."""

    kind: str
    """work | set | wait | barrier | stall | await"""
    pipe: str
    """Queue that it stands in; `program` where the scalar program itself waits."""
    work: int = -1
    flag: Hashable = None
    awaits: str = ""
    """stall: a pipe, or ALL."""
    signals: tuple[Hashable, ...] = ()
    """await: flags that stay set."""
    core: int = 0


class Program:
    """Traces of cores as steps, with the compiler's synchronisation where it is on.

    Attributes:
        effects: What the instructions do, in program order, core by core.
        programs: Steps of every core.
        events: Reads and writes of every instruction.
    """

    def __init__(self, traces: Sequence[Trace], *, autosync: bool) -> None:
        whole = joined(traces)
        self.layout = Layout(whole)
        issues = [entry for entry in whole.entries if isinstance(entry, Issue)]
        self.effects = [Effect(issue, order, self.layout) for order, issue in enumerate(issues)]
        self.programs: list[list[Step]] = []
        first = 0
        for core, trace in enumerate(traces):
            works = sum(isinstance(entry, Issue) for entry in trace.entries)
            own = self.effects[first : first + works]
            self.programs.append(_steps(trace.entries, own, first, core, autosync=autosync))
            first += works
        self.events = [
            [Event(work, write) for write in (False, True) if (effect.write_cells if write else effect.read_cells)]
            for work, effect in enumerate(self.effects)
        ]

    @property
    def steps(self) -> list[Step]:
        """Steps of all cores, core by core."""
        return [step for program in self.programs for step in program]


def _steps(entries: Sequence[Entry], effects: list[Effect], first: int, core: int, *, autosync: bool) -> list[Step]:
    before: dict[int, list[int]] = {}
    behind: dict[int, list[int]] = {}
    for k, dependence in enumerate(dependences(effects) if autosync else []):
        behind.setdefault(dependence.first, []).append(k)
        before.setdefault(dependence.second, []).append(k)
    steps: list[Step] = []
    work = 0
    for entry in entries:
        if isinstance(entry, Issue):
            steps += [_wait((core, "auto", k), entry.pipe, core) for k in before.get(work, ())]
            steps.append(Step("work", entry.pipe, work=first + work, core=core))
            steps += [Step("set", entry.pipe, flag=(core, "auto", k), core=core) for k in behind.get(work, ())]
            work += 1
        elif isinstance(entry, SetFlag):
            steps.append(Step("set", entry.event.split("_")[0], flag=(core, entry.event, entry.id), core=core))
        elif isinstance(entry, WaitFlag):
            steps.append(_wait((core, entry.event, entry.id), entry.event.split("_")[1], core))
        elif isinstance(entry, Signal):
            steps.append(Step("set", entry.pipe, flag=entry.signal, core=core))
        elif isinstance(entry, Await):
            steps.append(Step("await", "program", signals=entry.signals, core=core))
        elif isinstance(entry, Stall) or entry.pipe == "ALL":
            steps.append(Step("stall", "program", awaits=entry.pipe, core=core))
        elif isinstance(entry, Barrier) and entry.pipe in PIPES:
            steps.append(Step("barrier", entry.pipe, core=core))
    return steps


def _wait(flag: Hashable, pipe: str, core: int) -> Step:
    return Step("wait", "program" if pipe == "S" else pipe, flag=flag, core=core)


@dataclass(slots=True)
class _Queue:
    """A pipe: what it was given and how far it is."""

    steps: list[Step] = field(default_factory=list)
    started: int = 0
    """Steps that have left the head."""
    completed: int = 0
    """Leading steps that are over: instructions complete, flags and barriers passed."""
    unset: list[int] = field(default_factory=list)
    """Places of SetFlags that have left the head and not yet taken effect."""

    def copy(self) -> _Queue:
        return _Queue(list(self.steps), self.started, self.completed, list(self.unset))


class State:
    """Where the programs and their pipes stand. `events` are possible next."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._at = [0] * len(program.programs)
        self._queues = {(core, pipe): _Queue() for core in range(len(program.programs)) for pipe in PIPES}
        self._flags: dict[Hashable, int] = {}
        self._over: set[int] = set()
        self.events: list[Event] = []
        self._advance()

    def copy(self) -> State:
        """An independent state that stands where this one does."""
        other = object.__new__(State)
        other._program = self._program
        other._at = list(self._at)
        other._queues = {key: queue.copy() for key, queue in self._queues.items()}
        other._flags = dict(self._flags)
        other._over = set(self._over)
        other.events = list(self.events)
        return other

    @property
    def finished(self) -> bool:
        """Whether the programs have issued everything and every pipe has done its part."""
        return all(at == len(steps) for at, steps in zip(self._at, self._program.programs, strict=True)) and all(
            queue.completed == len(queue.steps) for queue in self._queues.values()
        )

    def take(self, event: Event) -> None:
        """Let an event of `events` happen, and everything that follows without choice."""
        self.events.remove(event)
        later = self._program.events[event.work]
        if event == later[-1]:
            self._over.add(event.work)
        else:
            self.events.append(later[1])
        self._advance()

    def _advance(self) -> None:
        moved = True
        while moved:
            moved = any([self._issue(core) for core in range(len(self._at))])
            for (_, pipe), queue in self._queues.items():
                while queue.started < len(queue.steps) and self._leaves_head(queue, pipe):
                    queue.started += 1
                    moved = True
                while queue.completed < queue.started and self._is_over(queue.steps[queue.completed]):
                    queue.completed += 1
                    moved = True
                for place in [place for place in queue.unset if place <= queue.completed]:
                    queue.unset.remove(place)
                    flag = queue.steps[place].flag
                    self._flags[flag] = self._flags.get(flag, 0) + 1
                    moved = True

    def _issue(self, core: int) -> bool:
        moved = False
        steps = self._program.programs[core]
        while self._at[core] < len(steps):
            step = steps[self._at[core]]
            if step.pipe != "program":
                self._queues[core, step.pipe].steps.append(step)
            elif step.kind == "wait":
                if not self._taken(step.flag):
                    break
            elif step.kind == "await":
                if not all(self._flags.get(signal, 0) for signal in step.signals):
                    break
            elif any(self._busy(core, pipe) for pipe in (PIPES if step.awaits == "ALL" else (step.awaits,))):
                break
            self._at[core] += 1
            moved = True
        return moved

    def _busy(self, core: int, pipe: str) -> bool:
        queue = self._queues[core, pipe]
        return queue.completed < len(queue.steps) or bool(queue.unset)

    def _leaves_head(self, queue: _Queue, pipe: str) -> bool:
        step = queue.steps[queue.started]
        if step.kind == "wait":
            return self._taken(step.flag)
        exclusive = step.kind == "barrier" or (
            step.kind == "work" and pipe == "S"
        )  # no scalar access overtakes another
        if exclusive and queue.completed < queue.started:
            return False
        if step.kind == "set":
            queue.unset.append(queue.started)
        elif step.kind == "work":
            first = self._program.events[step.work][:1]
            self.events += first
            if not first:
                self._over.add(step.work)
        return True

    def _is_over(self, step: Step) -> bool:
        return step.kind != "work" or step.work in self._over

    def _taken(self, flag: Hashable) -> bool:
        if self._flags.get(flag, 0) == 0:
            return False
        self._flags[flag] -= 1
        return True
