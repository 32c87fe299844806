"""Repair sessions: work with a model on a kernel of one's own.

    session = RepairSession.start(Kernel.from_path("add.cpp", "add"), "add-float16", model="qwen3-coder")
    while not session.state.verdict.passed:
        print(verdict_for_person(session.state.verdict, session.state.kernel))
        session.reply(Try(hint=input("hint: ")))
    session.reply(Accept())

Everything is checkpointed when it happens: a session that was killed goes on with `RepairSession.resume(run_id)`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict

from agentkernel._wiring import (
    Place,
    in_event_loop,
    model_of,
    new_run_id,
    require_same,
    require_task,
    task_of,
    toolchain_of,
    versions_of,
)
from agentkernel.diagnostic import Diagnostic
from agentkernel.errors import ConfigError, StoreError
from agentkernel.events import OnEvent
from agentkernel.kernel import Kernel
from agentkernel.models.base import ModelClient
from agentkernel.solve import closing_store, make_context
from agentkernel.task import Task
from agentkernel.toolchains.base import Toolchain
from agentkernel.trajectory import Budget, Outcome, Sampling, Trajectory, TrajectoryHeader
from agentkernel.verdict import Stage, Verdict

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.types import StateSnapshot

    from agentkernel.graphs.context import CheckStep, Library, RunContext
    from agentkernel.prompts import PromptOptions
    from agentkernel.traces.base import TraceStore

Result = TypeVar("Result")


class _Action(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Try(_Action):
    """Let the model try."""

    hint: str = ""
    """Words for the model."""


class Edit(_Action):
    """Take a kernel that was edited by hand."""

    kernel: Kernel


class Accept(_Action):
    """End the session with the current kernel."""


class Stop(_Action):
    """End the session without."""


Action = Try | Edit | Accept | Stop


class SessionState(BaseModel):
    """Where a session is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run_id: str
    kernel: Kernel
    """The current kernel: the last one that was judged."""
    verdict: Verdict
    unreadable: tuple[Diagnostic, ...] = ()
    """Findings about the model's last answer, where no kernel could be taken out of it."""
    origin: Path | None = None
    """Where the person's kernel was read from."""
    trajectory: Trajectory
    """Every attempt so far."""

    @property
    def outcome(self) -> Outcome | None:
        """How the session ended, None while it goes on."""
        return self.trajectory.outcome


@dataclass(frozen=True)
class Seams:
    """What a session acts through; names become objects as in `solve`."""

    model: ModelClient | str = "composer"
    toolchain: Toolchain | str = "simulator"
    runs: str | Path = "runs"
    library: Library | None = None
    check: CheckStep | None = None
    prompts: PromptOptions | None = None
    database: str | None = None
    on_event: OnEvent | None = None


class RepairSession:
    """A repair session; made by `start` or `resume`, or by `astart` and `aresume` inside an event loop.

    Holds the run's lock until it ends or is closed.
    """

    def __init__(self, context: RunContext, place: Place) -> None:
        self._context = context
        self._place = place
        self._state: SessionState | None = None
        self.pending = False
        """Whether a step failed or was killed and is left to be made by `retry`."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the run, so that another process may go on with it."""
        with closing_store(self._context.store):
            pass

    @property
    def state(self) -> SessionState:
        """Where the session is.

        Raises:
            ConfigError: Its first kernel has not been judged yet, because a step failed; `retry` makes it again.
        """
        if self._state is None:
            raise ConfigError("the kernel has not been judged yet", hint="call retry() when the cause is mended")
        return self._state

    @property
    def task(self) -> Task:
        """The task of the session."""
        return self._context.task

    @property
    def run_id(self) -> str:
        """Id that resumes the session."""
        return self._context.run_id

    @classmethod
    def start(
        cls,
        kernel: Kernel,
        task: Task | str,
        *,
        origin: str | Path | None = None,
        seed: int = 0,
        run_id: str | None = None,
        sampling: Sampling | None = None,
        **seams: Any,
    ) -> Self:
        """Open a session and judge the kernel, up to the first decision.

        Args:
            kernel: The kernel to work on.
            task: What it should compute.
            origin: Where it was read from, to be found again by a resumed session.
            seed: Sampling seed.
            run_id: Id of the run; by default made of task and time.
            sampling: How completions are drawn.
            seams: Fields of `Seams`: model, toolchain, runs, ...

        Raises:
            AgentKernelError: The machine, the store or the arguments are at fault, never the kernel.
        """
        session = cls._opened(kernel, task_of(task), Seams(**seams), run_id=run_id, sampling=_seeded(sampling, seed))
        session._wait(session._begin(kernel, origin))
        return session

    @classmethod
    async def astart(
        cls,
        kernel: Kernel,
        task: Task | str,
        *,
        origin: str | Path | None = None,
        seed: int = 0,
        run_id: str | None = None,
        sampling: Sampling | None = None,
        **seams: Any,
    ) -> Self:
        """`start` inside an event loop."""
        session = cls._opened(kernel, task_of(task), Seams(**seams), run_id=run_id, sampling=_seeded(sampling, seed))
        await session._begin(kernel, origin)
        return session

    @classmethod
    def resume(cls, run_id: str, *, task: Task | str | None = None, finish_step: bool = True, **seams: Any) -> Self:
        """Go on with a session, from wherever it was left, to its next decision.

        Args:
            run_id: Id of the session.
            task: Its task, to be held to it; may be left out.
            finish_step: Make the step that was killed or failed; otherwise it stays `pending`.
            seams: Fields of `Seams`, with the same model and toolchain as before.

        Raises:
            AgentKernelError: As for `start`; or it is no session, or was begun with another model or toolchain.
        """
        session = cls._reopened(run_id, task, Seams(**seams))
        session._wait(session._look(finish_step))
        return session

    @classmethod
    async def aresume(
        cls, run_id: str, *, task: Task | str | None = None, finish_step: bool = True, **seams: Any
    ) -> Self:
        """`resume` inside an event loop."""
        session = cls._reopened(run_id, task, Seams(**seams))
        await session._look(finish_step)
        return session

    def reply(self, action: Action) -> SessionState:
        """Give the person's decision; returns at the next one, or at the end.

        Raises:
            ConfigError: The session has ended.
            AgentKernelError: The machine or the endpoint failed. `retry` makes the step again, `back` gives it up.
        """
        return self._wait(self.areply(action))

    def retry(self) -> SessionState:
        """Make the step again that failed."""
        return self._wait(self.aretry())

    def back(self) -> SessionState:
        """Give up the step that failed and decide again."""
        return self._wait(self.aback())

    async def areply(self, action: Action) -> SessionState:
        """`reply` inside an event loop."""
        from agentkernel.graphs.repair import answer

        if self.state.outcome is not None:
            raise ConfigError(f"the session {self.run_id} has ended ({self.state.outcome})", hint="start a new one")
        reply = {"action": type(action).__name__.lower()}
        if isinstance(action, Try):
            reply["hint"] = self._context.store.put(action.hint) if action.hint.strip() else ""
        if isinstance(action, Edit):
            reply["kernel"] = self._context.keep(action.kernel)
        return await self._step(lambda context, saver: answer(context, reply, saver))

    async def aretry(self) -> SessionState:
        """`retry` inside an event loop."""
        from agentkernel.graphs.repair import go_on

        return await self._step(go_on)

    async def aback(self) -> SessionState:
        """`back` inside an event loop."""
        from agentkernel.graphs.repair import give_up_step

        if self._state is None:
            raise ConfigError("the kernel has not been judged yet, there is nothing to go back to", hint="call retry()")
        return await self._step(give_up_step)

    # --- inside

    async def _begin(self, kernel: Kernel, origin: str | Path | None) -> None:
        from agentkernel.graphs.repair import begin

        path = "" if origin is None else str(Path(origin).absolute())
        await self._step(lambda context, saver: begin(context, kernel, path, saver))

    async def _look(self, finish_step: bool) -> None:
        """Find the session where it was left."""
        from agentkernel.graphs.repair import snapshot

        async with self._place.checkpoints(self.run_id) as saver:
            at = await snapshot(self._fresh(), saver)
        if not at.values:
            raise StoreError(
                f"the session {self.run_id} was killed before anything was checkpointed",
                hint="start it again with its kernel",
            )
        self._arrived(at)
        if self.pending and finish_step:
            await self.aretry()

    async def _step(
        self, make: Callable[[RunContext, BaseCheckpointSaver[Any]], Awaitable[StateSnapshot]]
    ) -> SessionState:
        self.pending = True
        async with self._place.checkpoints(self.run_id) as saver:
            self._arrived(await make(self._fresh(), saver))
        return self.state

    def _arrived(self, at: StateSnapshot) -> None:
        from agentkernel.graphs.repair import is_pending

        values = at.values
        self.pending = is_pending(self._context, at)
        if not values.get("last_kernel"):
            return
        last = self._context.fetch(Verdict, values["verdict"] or values["last_verdict"])
        origin = values["origin"]
        self._state = SessionState(
            run_id=self.run_id,
            kernel=self._context.fetch(Kernel, values["last_kernel"]),
            verdict=self._context.fetch(Verdict, values["last_verdict"]),
            unreadable=last.diagnostics if last.stage is Stage.EXTRACT else (),
            origin=Path(origin) if origin else None,
            trajectory=self._context.store.load(self.run_id),
        )

    def _fresh(self) -> RunContext:
        """The effects, with nothing that belongs to an earlier event loop."""
        return replace(self._context, slots=asyncio.Semaphore(1))

    def _wait(self, work: Coroutine[Any, Any, Result]) -> Result:
        if in_event_loop():
            work.close()
            raise ConfigError(
                "this call was made inside a running event loop", hint="await the form that begins with a"
            )
        return asyncio.run(work)

    @classmethod
    def _opened(cls, kernel: Kernel, spec: Task, seams: Seams, *, run_id: str | None, sampling: Sampling) -> Self:
        from agentkernel.graphs.repair import SESSION_TURNS

        model, tools = model_of(seams.model), toolchain_of(seams.toolchain)
        if kernel.entry != spec.entry:
            raise ConfigError(
                f"the kernel's entry is {kernel.entry!r} and the task {spec.name} calls {spec.entry!r}",
                hint="read the kernel with the task's entry",
            )
        header = TrajectoryHeader(
            run_id=run_id or new_run_id(spec),
            task=spec,
            model=model.name,
            toolchain=tools.name,
            sampling=sampling,
            budget=Budget(turns=SESSION_TURNS),
            session=True,
            created=datetime.now(UTC),
            versions=versions_of(tools),
        )
        place = Place.of(seams.runs, seams.database)
        return cls(cls._context_of(header, model, tools, place.store(), seams), place)

    @classmethod
    def _reopened(cls, run_id: str, task: Task | str | None, seams: Seams) -> Self:
        place = Place.of(seams.runs, seams.database)
        store = place.store()
        header = store.load(run_id).header
        if not header.session:
            raise ConfigError(f"{run_id} is no repair session", hint=f"agentkernel solve --resume {run_id}")
        model, tools = model_of(seams.model), toolchain_of(seams.toolchain)
        require_same("model", model.name, header.model)
        require_same("toolchain", tools.name, header.toolchain)
        require_task(None if task is None else task_of(task), header)
        return cls(cls._context_of(header, model, tools, store, seams), place)

    @staticmethod
    def _context_of(
        header: TrajectoryHeader, model: ModelClient, tools: Toolchain, store: TraceStore, seams: Seams
    ) -> RunContext:
        return make_context(
            header,
            model,
            tools,
            store,
            library=seams.library,
            check=seams.check,
            prompts=seams.prompts,
            on_event=seams.on_event,
        )


def _seeded(sampling: Sampling | None, seed: int) -> Sampling:
    return (sampling or Sampling()).model_copy(update={"seed": seed})
