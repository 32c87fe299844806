"""Solving a task: the main call of this library.

from agentkernel import solve
result = solve("add-float16")
print(result.solved, result.kernel_path)
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from agentkernel._wiring import (
    CPUS,
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
from agentkernel.cancel import in_thread
from agentkernel.errors import ConfigError, StoreError
from agentkernel.events import OnEvent
from agentkernel.kernel import Kernel
from agentkernel.models.base import ModelClient
from agentkernel.task import Task
from agentkernel.toolchains.base import Toolchain
from agentkernel.trajectory import Attempt, Budget, Outcome, Sampling, Trajectory, TrajectoryHeader
from agentkernel.verdict import Stage, Verdict

if TYPE_CHECKING:
    from agentkernel.graphs.context import CheckStep, Library, RunContext
    from agentkernel.prompts import PromptOptions
    from agentkernel.traces.base import TraceStore


class SolveResult(BaseModel):
    """What came out of a `solve` call."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    solved: bool
    task: str
    """Name of the task."""
    model: str
    toolchain: str
    run_id: str
    """Resumes the call: the run's id, or the id of the search where there were several samples."""
    outcome: Outcome
    """How the run with the best kernel ended."""
    kernel: Kernel | None
    """The best kernel: one that passes, with the smallest estimate; else the one that came furthest."""
    verdict: Verdict | None
    """Verdict of that kernel; where no answer held a kernel, that of the last attempt."""
    turns: int
    """Attempts of the run with the best kernel."""
    tokens: int
    """Tokens of all runs, where the endpoint counted them."""
    seconds: float
    """Wall time of this call."""
    kernel_path: Path | None = None
    """Main file of the best kernel, None where nothing was kept on disk."""
    run_paths: tuple[Path, ...] = ()
    """Folders of the runs."""
    trajectories: tuple[Trajectory, ...]
    """All runs, by sample."""


def solve(task: Task | str | None = None, **options: Any) -> SolveResult:
    """Write a kernel for a task: draft, check, compile, verify and repair until it passes or a budget is used up.

    For code that runs inside an event loop there is `asolve`, which takes the same arguments.

    Args:
        task: A task, the name of a shipped one, or a task file. May be left out with `resume`.
        options: See `asolve`.

    Raises:
        AgentKernelError: The machine, the endpoint, the store or the arguments are at fault, never the kernel. A run
            that was begun can be resumed.
    """
    if in_event_loop():
        raise ConfigError("solve() was called inside a running event loop", hint="await asolve(...) there")
    return asyncio.run(asolve(task, **options))


async def asolve(
    task: Task | str | None = None,
    *,
    model: ModelClient | str = "composer",
    toolchain: Toolchain | str = "simulator",
    samples: int = 1,
    turns: int = 6,
    tokens: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    runs: str | Path | None = "runs",
    resume: str | None = None,
    run_id: str | None = None,
    sampling: Sampling | None = None,
    prompts: PromptOptions | None = None,
    library: Library | None = None,
    check: CheckStep | None = None,
    first_solved_stops: bool = False,
    concurrency: int | None = None,
    database: str | None = None,
    on_event: OnEvent | None = None,
) -> SolveResult:
    """Write a kernel for a task; the asynchronous form of `solve`.

    Args:
        task: A task, the name of a shipped one, or a task file. May be left out with `resume`.
        model: A client, or `composer`, a model name, `script:FILE`, ... (`agentkernel.models.factory`).
        toolchain: A toolchain, or `simulator` or `cann`.
        samples: Independent runs with consecutive seeds; the best one counts.
        turns: Model calls of a run.
        tokens: Prompt and completion tokens of a run.
        seconds: Wall time of a run.
        seed: Sampling seed of the first run; for the composer its style.
        runs: Folder that runs are kept in; None keeps nothing.
        resume: Id of a run or search that was killed. Budgets and sampling are then those that it was begun with.
        run_id: Id of a new run; by default made of task and time.
        sampling: How completions are drawn; its seed is overridden by `seed`.
        prompts: Limit and form of prompts; by default by the model's name.
        library: Where prompts get reference text from; by default the knowledge base.
        check: What reads the sources before the compiler does; by default the API oracle of the knowledge base.
        first_solved_stops: End the other samples as soon as one has passed.
        concurrency: Samples that run at the same time; by default up to 8.
        database: `postgresql://` URL for the checkpoints, instead of a SQLite file in the run's folder.
        on_event: Is told what happens.

    Raises:
        AgentKernelError: As for `solve`.
    """
    begin = time.monotonic()
    if samples < 1:
        raise ConfigError(f"samples must be at least 1, not {samples}")
    place = Place.of(runs, database)
    given = None if task is None else task_of(task)
    client, tools = model_of(model), toolchain_of(toolchain)
    if resume is None:
        if given is None:
            raise ConfigError("there is neither a task nor a run to resume", hint="give a task, or resume=RUN_ID")
        plan = TrajectoryHeader(
            run_id=run_id or new_run_id(given),
            task=given,
            model=client.name,
            toolchain=tools.name,
            sampling=(sampling or Sampling()).model_copy(update={"seed": seed}),
            budget=Budget(turns=turns, tokens=tokens, seconds=seconds),
            created=datetime.now(UTC),
            versions=await in_thread(lambda: versions_of(tools)),
        )
    store = place.store()
    with closing_store(store):
        if resume is not None:
            plan, samples = await _kept_plan(place, store, resume)
            require_same("model", client.name, plan.model)
            require_same("toolchain", tools.name, plan.toolchain)
            require_task(given, plan)
        parallel = min(samples, concurrency or 8)
        context = make_context(
            plan,
            client,
            tools,
            store,
            library=library,
            check=check,
            prompts=prompts,
            on_event=on_event,
            parallel=parallel,
        )
        ids = await _run(context, place, samples, parallel, first_solved_stops)
        trajectories = tuple(store.load(run) for run in ids)
    return _result(plan, trajectories, place, time.monotonic() - begin)


def make_context(
    header: TrajectoryHeader,
    model: ModelClient,
    toolchain: Toolchain,
    store: TraceStore,
    *,
    library: Library | None = None,
    check: CheckStep | None = None,
    prompts: PromptOptions | None = None,
    on_event: OnEvent | None = None,
    parallel: int = 1,
) -> RunContext:
    """Effects of a run with this library's own parts where the caller gives none.

    Args:
        header: What the run is asked to do.
        model: Answers.
        toolchain: Compiles and runs.
        store: Keeps.
        library: Reference text; by default the knowledge base.
        check: Reads the sources before the compiler does; by default the API oracle.
        prompts: Limit and form of prompts; by default by the model's name.
        on_event: Is told what happens.
        parallel: Runs that share the processor.
    """
    from agentkernel.graphs.context import RunContext
    from agentkernel.graphs.library import KnowledgeLibrary
    from agentkernel.prompts import PromptOptions as Options
    from agentkernel.verify import check_step

    return RunContext(
        header=header,
        model=model,
        toolchain=toolchain,
        store=store,
        library=library or KnowledgeLibrary(),
        check=check or check_step,
        prompts=prompts or Options.for_model(model.name),
        workers=max(1, CPUS // parallel),
        on_event=on_event,
    )


def closing_store(store: TraceStore) -> closing[Any]:
    """Lets go of a store's locks at the end, where it has any."""
    return closing(store) if hasattr(store, "close") else closing(_Nothing())


class _Nothing:
    def close(self) -> None:
        """Nothing is open."""


async def _run(
    context: RunContext, place: Place, samples: int, parallel: int, first_solved_stops: bool
) -> tuple[str, ...]:
    """Run one loop or a search over several; the ids of the runs that there are now."""
    from dataclasses import replace

    from agentkernel.graphs.loop import run_loop
    from agentkernel.graphs.search import SearchContext, run_search, sample_header

    plan = context.header
    async with place.checkpoints(plan.run_id) as saver:
        if samples == 1:
            await run_loop(context, saver)
            return (plan.run_id,)
        ids = tuple(sample_header(plan, index).run_id for index in range(samples))
        if first_solved_stops:
            context = replace(context, solved=asyncio.Event())
            if any(run.outcome is Outcome.SOLVED for run in _existing(context.store, ids)):
                _set(context)
        await run_search(SearchContext(run=context, checkpoints=place.checkpoints), samples, parallel, saver)
    return tuple(run.header.run_id for run in _existing(context.store, ids))


def _set(context: RunContext) -> None:
    if context.solved is not None:
        context.solved.set()


def _existing(store: TraceStore, ids: Sequence[str]) -> list[Trajectory]:
    known = set(store.runs())
    return [store.load(run_id) for run_id in ids if run_id in known]


async def _kept_plan(place: Place, store: TraceStore, run_id: str) -> tuple[TrajectoryHeader, int]:
    """Header and number of samples of a run or search that was begun.

    Raises:
        ConfigError: It is a repair session.
        StoreError: There is nothing to resume under this id.
    """
    from agentkernel.graphs.search import search_plan

    if run_id in set(store.runs()):
        header = store.load(run_id).header
        if header.session:
            raise ConfigError(f"{run_id} is a repair session", hint=f"agentkernel repair --resume {run_id}")
        return header, 1
    if place.has_checkpoints(run_id):
        async with place.checkpoints(run_id) as saver:
            kept = await search_plan(run_id, saver)
        if kept is not None:
            digest, samples = kept
            return TrajectoryHeader.model_validate_json(store.get(digest)), samples
    raise StoreError(
        f"there is no run {run_id!r} to resume in {place.runs}", hint="check the id and the folder of runs"
    )


def _result(plan: TrajectoryHeader, runs: Sequence[Trajectory], place: Place, seconds: float) -> SolveResult:
    tried = [(run, attempt) for run in runs for attempt in run.attempts]
    run, attempt = max(tried, key=lambda pair: _score(pair[1])) if tried else (runs[0], None)
    folder = place.folder(run.header.run_id)
    path = None
    if folder is not None and attempt is not None and attempt.kernel is not None:
        copy = folder / "kernels" / str(attempt.index) / attempt.kernel.main_file
        path = copy if copy.is_file() else None
    return SolveResult(
        solved=attempt is not None and attempt.verdict.passed,
        task=plan.task.name,
        model=plan.model,
        toolchain=plan.toolchain,
        run_id=plan.run_id,
        outcome=run.outcome or Outcome.STOPPED,
        kernel=attempt.kernel if attempt is not None else None,
        verdict=attempt.verdict if attempt is not None else None,
        turns=len(run.attempts),
        tokens=sum(r.tokens for r in runs),
        seconds=seconds,
        kernel_path=path,
        run_paths=tuple(f for r in runs if (f := place.folder(r.header.run_id)) is not None),
        trajectories=tuple(runs),
    )


def _score(attempt: Attempt) -> tuple[bool, bool, int, int, float, int]:
    """Orders attempts from worst to best; among equals the later one counts, because it knew more."""
    verdict = attempt.verdict
    passed = sum(case.passed for case in verdict.cases)
    us = verdict.kernel_us
    stage = list(Stage).index(verdict.stage)
    return (
        verdict.passed,
        attempt.kernel is not None,
        stage,
        passed,
        -us if verdict.passed and us is not None else 0.0,
        attempt.index,
    )
