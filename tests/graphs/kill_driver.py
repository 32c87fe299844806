"""Program of the kill tests: runs a loop in child processes, kills each at another call, resumes, and compares.

usage: kill_driver.py FOLDER SAMPLES|session all|kinds

Every call through a seam and every write of a checkpoint is a point at which the process may be killed, by itself with
SIGKILL, so that nothing is cleaned up. `all` tries every point, `kinds` the first point of every kind in every turn.
Prints one line of JSON: what was tried and what came out differently.
"""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from agentkernel.diagnostic import Diagnostic
from agentkernel.errors import StoreError
from agentkernel.graphs import loop, repair, search  # noqa: F401  (imported once, before forking)
from agentkernel.kernel import Kernel
from agentkernel.models.base import ModelRequest
from agentkernel.prompts import Passage
from agentkernel.session import Accept, Edit, RepairSession, Try
from agentkernel.solve import asolve
from agentkernel.task import Task
from agentkernel.testing.toy import ToyToolchain, toy_answer, toy_check, toy_source, toy_task
from agentkernel.traces.store import FolderStore
from agentkernel.trajectory import Completion, Trajectory

ANSWERS = [toy_answer("unknown-api"), "no code", toy_answer("syntax"), toy_answer("wrong-tail"), toy_answer()]


class Points:
    """Counts calls, writes their kinds down, and kills the process at a chosen one."""

    def __init__(self, kill_at: int, log: Path | None) -> None:
        self._kill_at = kill_at
        self._log = log
        self._count = 0

    def pass_(self, kind: str) -> None:
        """A call of some kind begins."""
        self._count += 1
        if self._log is not None:
            with self._log.open("a") as file:
                file.write(kind + "\n")
        if self._count == self._kill_at:
            os.kill(os.getpid(), signal.SIGKILL)


class Model:
    """Gives the script's answers and writes down that it gave them."""

    name = "counted"

    def __init__(self, points: Points, paid: Path) -> None:
        self._points = points
        self._paid = paid

    async def complete(self, request: ModelRequest) -> Completion:
        self._points.pass_(f"complete {request.attempt}")
        await asyncio.sleep(0)
        with self._paid.open("a") as file:
            file.write(f"{request.sampling.seed} {request.attempt}\n")
        return Completion(text=ANSWERS[request.attempt], prompt_tokens=7, completion_tokens=3)


class Shelf:
    """A library whose calls are points."""

    def __init__(self, points: Points) -> None:
        self._points = points

    def retrieve(self, task: Task, budget: int) -> Sequence[Passage]:
        self._points.pass_("retrieve")
        return [Passage(title="t", text="x")]

    def cards(self, names: Sequence[str], task: Task, budget: int) -> Sequence[Passage]:
        self._points.pass_("cards")
        return ()


def points_around(points: Points, owner: type, names: Sequence[str]) -> None:
    """Make the beginning and the end of methods of a class points."""
    for name in names:
        method = getattr(owner, name)

        def plain(*args: Any, _method: Callable[..., Any] = method, _name: str = name, **kwargs: Any) -> Any:
            points.pass_(f"before {_name}")
            result = _method(*args, **kwargs)
            points.pass_(f"after {_name}")
            return result

        async def awaited(*args: Any, _method: Callable[..., Any] = method, _name: str = name, **kwargs: Any) -> Any:
            points.pass_(f"before {_name}")
            result = await _method(*args, **kwargs)
            points.pass_(f"after {_name}")
            return result

        setattr(owner, name, awaited if asyncio.iscoroutinefunction(method) else plain)


def work(folder: Path, samples: int, kill_at: int, *, resume: bool, log: Path | None = None) -> None:
    """One process's part: begin or resume the run, dying at a point."""
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    points = Points(kill_at, log)
    points_around(points, FolderStore, ["begin", "journal", "append", "finish"])
    points_around(points, AsyncSqliteSaver, ["aput", "aput_writes"])

    def check(kernel: Kernel, task: Task) -> tuple[Diagnostic, ...]:
        points.pass_("check")
        return toy_check(kernel, task)

    seams: dict[str, Any] = {
        "model": Model(points, folder / "paid"),
        "toolchain": ToyToolchain(points.pass_),
        "library": Shelf(points),
        "check": check,
        "runs": folder / "runs",
    }
    if samples == 0:
        in_session(seams, resume=resume)
        return
    if resume:
        # where nothing is left to resume, it was killed before it began
        with contextlib.suppress(StoreError):
            asyncio.run(asolve(resume="run", **seams))
            return
    asyncio.run(asolve(toy_task(), samples=samples, concurrency=1, run_id="run", **seams))


def in_session(seams: dict[str, Any], *, resume: bool) -> None:
    """A person's part: the decision after every attempt, taken up again by a resumed process."""
    mine = Kernel.from_source(toy_source("wrong-tail"), "toy_add")
    decisions = {
        1: Try(hint="mind the tail"),
        2: Try(),
        3: Edit(kernel=Kernel.from_source(toy_source("syntax"), "toy_add")),
        4: Try(hint="once more"),
        5: Accept(),
    }
    session = None
    if resume:
        with contextlib.suppress(StoreError):
            session = RepairSession.resume("run", **seams)
    if session is None:
        for kept in Path(seams["runs"]).glob("run"):
            shutil.rmtree(kept)  # a header and nothing else: there was nothing to resume
        session = RepairSession.start(mine, toy_task(), run_id="run", **seams)
    with session:
        while session.state.outcome is None:
            session.reply(decisions[len(session.state.trajectory.attempts)])


def in_child(function: Callable[[], None]) -> int:
    """Run something in a forked process; its exit status, negative for a signal."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            function()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def told(folder: Path) -> list[Any]:
    """What is kept of all runs, without times and dates."""
    store = FolderStore(folder / "runs")
    return [stripped(store.load(run_id)) for run_id in sorted(store.runs())]


def stripped(run: Trajectory) -> Any:
    data = run.model_dump(mode="json")
    data["header"]["created"] = ""
    for attempt in data["attempts"]:
        attempt["verdict"]["seconds"] = {}
        for case in attempt["verdict"]["cases"]:
            case["seconds"] = 0
    return data


def main() -> None:
    root, which = Path(sys.argv[1]), sys.argv[3]
    samples = 0 if sys.argv[2] == "session" else int(sys.argv[2])
    whole = root / "whole"
    whole.mkdir(parents=True)
    status = in_child(partial(work, whole, samples, 0, resume=False, log=whole / "points"))
    expected, paid = told(whole), (whole / "paid").read_text().splitlines()
    kinds = (whole / "points").read_text().splitlines()
    chosen = list(range(1, len(kinds) + 1))
    if which == "kinds":
        seen: set[str] = set()
        chosen = [n for n in chosen if kinds[n - 1] not in seen and not seen.add(kinds[n - 1])]  # type: ignore[func-returns-value]
    wrong = [] if status == 0 else [f"the unbroken run ended with {status}"]
    for number in chosen:
        folder = root / str(number)
        folder.mkdir()
        kind = kinds[number - 1]
        killed = in_child(partial(work, folder, samples, number, resume=False))
        resumed = in_child(partial(work, folder, samples, 0, resume=True))
        if (killed, resumed) != (-signal.SIGKILL, 0):
            wrong.append(f"{number} {kind}: ended with {killed}, resumed with {resumed}")
            continue
        if told(folder) != expected:
            wrong.append(f"{number} {kind}: another trajectory")
        # an answer that the process died over before it could be journaled is lost, every other one is paid once
        lost = 1 if kind == "before journal" else 0
        asked = (folder / "paid").read_text().splitlines()
        if sorted(set(asked)) != sorted(paid) or len(asked) != len(paid) + lost:
            wrong.append(f"{number} {kind}: asked {asked}")
    print(json.dumps({"tried": len(chosen), "kinds": sorted(set(kinds)), "turns": len(ANSWERS), "wrong": wrong}))


if __name__ == "__main__":
    main()
