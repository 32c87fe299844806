"""Work that nobody waits for ends at once, takes its processes with it, and leaves a run that goes on."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from agentkernel.cancel import AbandonedError, abandoned_by, announced
from agentkernel.events import Event, StepStarted
from agentkernel.graphs.library import NoLibrary
from agentkernel.kernel import Kernel
from agentkernel.models.scripted import ScriptedClient
from agentkernel.simulator import processes
from agentkernel.solve import asolve
from agentkernel.task import Case, Task
from agentkernel.testing.toy import ToyToolchain, toy_answer, toy_check, toy_task
from agentkernel.toolchains.base import Arrays, Build, Run
from agentkernel.verify import run_step

FOREVER = ["sleep", "3600"]


class Stuck(ToyToolchain):
    """A toolchain whose child process does not end by itself."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self._where = where
        self.stuck = threading.Event()
        self.left: list[BaseException] = []

    def build(self, kernel: Kernel, task: Task) -> Build:
        self._wait("build")
        return super().build(kernel, task)

    def run(self, build: Build, case: Case, inputs: Arrays) -> Run:
        self._wait("run")
        return super().run(build, case, inputs)

    def _wait(self, where: str) -> None:
        if where != self._where:
            return
        self.stuck.set()
        try:
            processes.run(FOREVER, timeout=3600)
        except BaseException as error:
            self.left.append(error)
            raise


class Unprepared(ToyToolchain):
    """A toolchain that has to be built before it can say its version."""

    def __init__(self) -> None:
        super().__init__()
        self.stuck = threading.Event()

    @property
    def versions(self) -> dict[str, str]:
        self.stuck.set()
        processes.run(FOREVER, timeout=3600)
        return {}


async def test_a_toolchain_that_is_being_prepared_is_given_up_too(tmp_path: Path) -> None:
    tools = Unprepared()
    call = asyncio.create_task(asolve(toy_task(), model=ScriptedClient([]), toolchain=tools, runs=tmp_path))
    await asyncio.to_thread(tools.stuck.wait)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await asyncio.get_running_loop().shutdown_default_executor()


@pytest.mark.parametrize("where", ["build", "run"])
async def test_a_cancelled_run_kills_its_processes_and_goes_on_later(tmp_path: Path, where: str) -> None:
    stuck = Stuck(where)
    model = ScriptedClient([toy_answer()], by_attempt=True)
    seams: dict[str, Any] = {"model": model, "library": NoLibrary(), "check": toy_check, "runs": tmp_path}
    call = asyncio.create_task(asolve(toy_task(), toolchain=stuck, run_id="run", **seams))
    await asyncio.to_thread(stuck.stuck.wait)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    while not stuck.left:
        await asyncio.sleep(0.01)
    assert {type(error) for error in stuck.left} == {AbandonedError}
    events: list[Event] = []
    result = await asolve(resume="run", toolchain=ToyToolchain(), on_event=events.append, **seams)
    assert result.solved
    assert len(model.requests) == 1
    steps = [event.step for event in events if isinstance(event, StepStarted)]
    assert steps == (["compile", "verify"] if where == "build" else ["verify"])


def test_cases_on_other_threads_are_abandoned_too() -> None:
    stuck = Stuck("run")
    build = ToyToolchain().build(Kernel.from_source("x", "toy_add"), toy_task())
    abandoned = threading.Event()
    threading.Thread(target=lambda: (stuck.stuck.wait(), abandoned.set())).start()
    with abandoned_by(abandoned), pytest.raises(AbandonedError):
        run_step(build, stuck, workers=2)
    assert announced() is None


def test_work_that_is_abandoned_already_is_not_begun() -> None:
    abandoned = threading.Event()
    abandoned.set()
    with abandoned_by(abandoned), pytest.raises(AbandonedError):
        processes.run(["no-such-program"], timeout=1)
