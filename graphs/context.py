"""Effects of the graphs: the seams that nodes act through, handed to them with every invocation."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from pydantic import BaseModel, TypeAdapter

from agentkernel.cancel import in_thread, raise_if_abandoned
from agentkernel.diagnostic import Diagnostic
from agentkernel.events import Event, OnEvent
from agentkernel.kernel import Kernel
from agentkernel.models.base import ModelClient
from agentkernel.prompts import Passage, PromptOptions, estimate_tokens
from agentkernel.prompts.budget import TokenCounter
from agentkernel.task import Task
from agentkernel.toolchains.base import Build, Toolchain
from agentkernel.traces.base import TraceStore
from agentkernel.trajectory import Message, TrajectoryHeader
from agentkernel.verify import CaseBank, CaseRun, check_step, run_step

Model = TypeVar("Model", bound=BaseModel)
Result = TypeVar("Result")

PASSAGES = TypeAdapter(tuple[Passage, ...])
MESSAGES = TypeAdapter(tuple[Message, ...])


class Library(Protocol):
    """Reference text for prompts. Methods may read files; they have no other effect."""

    def retrieve(self, task: Task, budget: int) -> Sequence[Passage]:
        """Passages for the first draft of a task within some tokens, most useful first."""
        ...

    def cards(self, names: Sequence[str], task: Task, budget: int) -> Sequence[Passage]:
        """Cards of Ascend C names within some tokens, for the task's chip, in the order of the names."""
        ...


CheckStep = Callable[[Kernel, Task], tuple[Diagnostic, ...]]
"""The API oracle: findings about the sources, before any compiler."""


@dataclass(frozen=True)
class RunContext:
    """What the nodes of one run act through."""

    header: TrajectoryHeader
    model: ModelClient
    toolchain: Toolchain
    store: TraceStore
    library: Library
    check: CheckStep = check_step
    bank: CaseBank = field(default_factory=CaseBank)
    """Inputs and reference values of the cases, computed once for all attempts and samples."""
    workers: int = 1
    """Cases of one kernel that run at the same time."""
    prompts: PromptOptions = field(default_factory=PromptOptions)
    count: TokenCounter = estimate_tokens
    on_event: OnEvent | None = None
    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(max(1, os.cpu_count() or 1)))
    """Builds and launches that may work at the same time; samples of a search share it."""
    solved: asyncio.Event | None = None
    """Is set when a sample of a search passes and the others shall stop; None where there is nothing to stop for."""
    builds: dict[str, Build] = field(default_factory=dict)
    """Builds of this process by kernel digest. An artifact dies with its process, so it is no part of the state: a
    resumed run builds again."""

    @property
    def task(self) -> Task:
        """The task of the run."""
        return self.header.task

    @property
    def run_id(self) -> str:
        """Id of the run."""
        return self.header.run_id

    def for_run(self, header: TrajectoryHeader) -> RunContext:
        """The same effects for another run."""
        return replace(self, header=header, builds={})

    def emit(self, event: Event) -> None:
        """Tell the watcher, where there is one."""
        if self.on_event is not None:
            self.on_event(event)

    def keep(self, value: BaseModel) -> str:
        """Put data into the store and return its digest."""
        return self.store.put(value.model_dump_json())

    def fetch(self, kind: type[Model], digest: str) -> Model:
        """Data of a digest."""
        return kind.model_validate_json(self.store.get(digest))

    async def blocking(self, function: Callable[[], Result]) -> Result:
        """Run something that blocks in a thread, when a slot is free; its processes are killed when it is cancelled."""
        async with self.slots:
            return await in_thread(function)

    async def run_cases(self, build: Build) -> tuple[CaseRun, ...]:
        """Run and judge every case; when it is cancelled, no further one is begun."""
        return await self.blocking(
            lambda: run_step(
                build, self.toolchain, workers=self.workers, bank=self.bank, on_event=lambda _: raise_if_abandoned()
            )
        )
