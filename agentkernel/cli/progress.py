"""Progress of `solve` on a terminal: one line a step, on stderr, so that stdout stays the result."""

from __future__ import annotations

import sys
import time
from typing import Self

from agentkernel.events import Answered, AttemptJudged, Event, RunEnded, RunStarted, StepStarted


class Progress:
    """Prints events as they come; is itself the `on_event` callback.

    Args:
        quiet: Print nothing.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._live = sys.stderr.isatty()
        self._start = time.monotonic()
        self.begun: RunStarted | None = None
        """The first run that started."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._transient("")

    def __call__(self, event: Event) -> None:
        """Show one event."""
        if isinstance(event, RunStarted) and self.begun is None:
            self.begun = event
        if self._quiet:
            return
        if isinstance(event, StepStarted):
            self._transient(f"{event.run_id}  turn {event.attempt + 1}: {event.step} ...")
            return
        line = self._line(event)
        if line:
            self._transient("")
            print(f"[{time.monotonic() - self._start:6.1f} s] {line}", file=sys.stderr, flush=True)

    def _line(self, event: Event) -> str:
        match event:
            case RunStarted():
                verb = "goes on" if event.resumed else "starts"
                return f"{event.run_id} {verb}: {event.task}, model {event.model}, toolchain {event.toolchain}"
            case Answered():
                kept = " (kept from before)" if event.journaled else ""
                count = "" if event.completion_tokens is None else f", {event.completion_tokens} tokens"
                return f"  turn {event.attempt + 1} {event.turn}: answer in {event.seconds:.2f} s{count}{kept}"
            case AttemptJudged(passed=True):
                time_us = "" if event.kernel_us is None else f", slowest case {event.kernel_us:.1f} us"
                return f"  turn {event.attempt + 1} passes {event.cases_passed} of {event.cases} cases{time_us}"
            case AttemptJudged():
                ran = f", {event.cases_passed} of {event.cases} cases pass" if event.cases else ""
                return f"  turn {event.attempt + 1} fails at {event.stage}: {', '.join(event.codes)}{ran}"
            case RunEnded():
                turns = f"{event.attempts} turn{'s' if event.attempts != 1 else ''}"
                return f"  ends: {event.outcome} after {turns} in {event.seconds:.1f} s"
            case _:
                return ""

    def _transient(self, text: str) -> None:
        """A line that the next one overwrites; only where a terminal can."""
        if self._live and not self._quiet:
            print(f"\r\x1b[2K{text}", end="", file=sys.stderr, flush=True)
