"""The terminal front of a repair session: show the verdict, ask, do, until the person accepts or stops.

The front keeps nothing itself: whatever kills it, the session goes on with `agentkernel repair --resume RUN_ID`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from agentkernel.errors import AgentKernelError, ConfigError
from agentkernel.events import AttemptJudged, Event, StepStarted
from agentkernel.kernel import Kernel
from agentkernel.render import for_person, verdict_for_person
from agentkernel.session import Accept, Edit, RepairSession, Stop, Try
from agentkernel.trajectory import Outcome

if TYPE_CHECKING:
    from rich.console import Console

HELP = """\
  try           let the model try
  hint WORDS    let the model try with a hint
  edit          read {origin} again and judge it
  print         print the current kernel
  diff          what the current kernel changes in {origin}
  write         write the current kernel to {origin}
  accept        write it there and end the session
  stop          end the session, leave {origin} as it is
  quit          leave; go on later with --resume {run_id}
The first letter is enough."""

_COMMANDS = ("try", "hint", "edit", "print", "diff", "write", "accept", "stop", "quit")


class RepairTerminal:
    """Leads a person through a session.

    Args:
        open_session: Opens the session, given what it shall tell its progress to. What it raises ends the call.
        console: Where to write and read; standard input and output by default.
        origin: The person's kernel, where the session does not know it.
    """

    def __init__(
        self,
        open_session: Callable[[Callable[[Event], None]], RepairSession],
        *,
        console: Console | None = None,
        origin: Path | None = None,
    ) -> None:
        from rich.console import Console as RichConsole

        self._console = console or RichConsole(highlight=False, markup=False, soft_wrap=True)
        self._open = open_session
        self._origin = origin

    def run(self) -> int:
        """Lead the session until it ends or the person leaves.

        Returns:
            0 when a passing kernel was accepted, 1 otherwise.
        """
        with self._open(self._tell) as session:
            self._say(f"session {session.run_id}: {session.task.name}")
            try:
                self._lead(session)
            except (EOFError, KeyboardInterrupt):
                self._say(f"\nleft; go on with: agentkernel repair --resume {session.run_id}")
                return 1
            self._say(f"session {session.run_id} ended: {session.state.outcome}")
            return 0 if session.state.outcome is Outcome.SOLVED else 1

    def _lead(self, session: RepairSession) -> None:
        """Ask and do until the session ends.

        Raises:
            EOFError: The person leaves.
        """
        if session.pending:
            self._step(session, session.retry)
        else:
            self._show(session)
        self._origin = session.state.origin or self._origin
        while session.state.outcome is None:
            command, words = self._ask(session)
            try:
                self._do(session, command, words)
            except AgentKernelError as error:
                self._complain(error)

    # --- commands

    def _ask(self, session: RepairSession) -> tuple[str, str]:
        """A command and the words after it."""
        while True:
            line = self._console.input(
                "[try, hint, edit, print, diff, write, accept, stop, quit] > ", markup=False
            ).strip()
            word, _, rest = line.partition(" ")
            meant = next((c for c in _COMMANDS if word.lower() in (c, c[0])), None)
            if meant == "quit":
                raise EOFError
            if meant is not None and (not rest.strip() or meant == "hint"):
                return meant, rest.strip()
            if line and word.lower() != "help":
                self._say(f"there is no command `{line}`" if meant is None else f"`{meant}` takes no words")
            self._say(HELP.format(origin=self._origin or "your file", run_id=session.run_id))

    def _do(self, session: RepairSession, command: str, words: str) -> None:
        match command:
            case "hint" if not words:
                raise ConfigError("a hint needs words", hint="hint use DataCopyPad for the tail")
            case "try" | "hint":
                self._step(session, lambda: session.reply(Try(hint=words)))
            case "edit":
                self._edit(session)
            case "print":
                self._say(_text(session.state.kernel))
            case "diff":
                self._say(self._diff(session) or "nothing")
            case "write":
                self._say(f"written: {self._write(session)}")
            case "accept":
                self._say(f"written: {self._write(session)}")
                session.reply(Accept())
            case "stop":
                session.reply(Stop())

    def _edit(self, session: RepairSession) -> None:
        kernel = Kernel.from_path(self._place(), session.state.kernel.entry)
        if _text(kernel) == _text(session.state.kernel):
            self._say(f"{self._place()} is the current kernel already: edit it first")
            return
        self._step(session, lambda: session.reply(Edit(kernel=kernel)))

    def _step(self, session: RepairSession, step: Callable[[], object]) -> None:
        """Make a step; where the machine or the endpoint fails, make it again or go back to deciding."""
        while True:
            try:
                step()
                break
            except AgentKernelError as error:
                self._complain(error)
            again = self._console.input("[again, back, quit] > ", markup=False).strip().lower()
            if again in ("q", "quit"):
                raise EOFError
            step = session.back if again in ("b", "back") else session.retry
        self._show(session)

    # --- the person's file

    def _place(self) -> Path:
        if self._origin is None:
            raise ConfigError("this session has no file", hint="give KERNEL on the command line")
        return self._origin

    def _diff(self, session: RepairSession) -> str:
        theirs, ours = self._on_disk(session), _text(session.state.kernel)
        lines = difflib.unified_diff(
            theirs.splitlines(), ours.splitlines(), str(self._place()), "current kernel", lineterm=""
        )
        return "\n".join(lines)

    def _on_disk(self, session: RepairSession) -> str:
        place = self._place()
        return _text(Kernel.from_path(place, session.state.kernel.entry)) if place.exists() else ""

    def _write(self, session: RepairSession) -> Path:
        """Write the current kernel to the person's file or folder.

        Raises:
            ConfigError: Something there would be lost: it is in no attempt of the session.
        """
        place, kernel = self._place(), session.state.kernel
        known = {_text(a.kernel) for a in session.state.trajectory.attempts if a.kernel is not None}
        theirs = self._on_disk(session)
        if theirs and theirs not in known:
            raise ConfigError(
                f"{place} was changed since the session read it, and writing would lose that",
                hint="edit takes the change into the session",
            )
        for path, text in _destinations(place, kernel).items():
            if path != place and not place.is_dir() and path.exists() and path.read_text("utf-8") != text:
                raise ConfigError(f"{path} exists and is no part of the session", hint="move it away")
        for path, text in _destinations(place, kernel).items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        return place

    # --- talking

    def _show(self, session: RepairSession) -> None:
        state = session.state
        if state.unreadable:
            self._say("No kernel could be taken out of the model's answer; the current one is the one before.")
            self._say(for_person(state.unreadable))
            return
        self._say("")
        self._say(verdict_for_person(state.verdict, state.kernel))

    def _tell(self, event: Event) -> None:
        if isinstance(event, StepStarted):
            self._say(f"... {event.step}")
        elif isinstance(event, AttemptJudged):
            self._say(f"attempt {event.attempt} ({event.turn})")

    def _complain(self, error: AgentKernelError) -> None:
        self._say(f"error: {error.message}")
        if error.hint:
            self._say(f"  -> {error.hint}")

    def _say(self, text: str) -> None:
        self._console.print(text)


def _text(kernel: Kernel) -> str:
    """All files of a kernel as one text; one file as it is."""
    if len(kernel.files) == 1:
        return next(iter(kernel.files.values()))
    return "\n".join(f"// file: {path}\n{text}" for path, text in sorted(kernel.files.items()))


def _destinations(place: Path, kernel: Kernel) -> dict[Path, str]:
    """Text by the path that it is written to: a folder gets all files, a file the main one, with the others beside."""
    if place.is_dir():
        return {place / path: text for path, text in kernel.files.items()}
    others = {place.parent / Path(p).name: text for p, text in kernel.files.items() if p != kernel.main_file}
    return {place: kernel.files[kernel.main_file], **others}
