"""The loop drafts, judges and repairs until a kernel passes or a budget is used up, and every turn is kept."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from agentkernel.errors import ModelUnavailableError, ToolchainError
from agentkernel.events import Event
from agentkernel.graphs.checkpoints import open_checkpoints
from agentkernel.graphs.context import RunContext
from agentkernel.graphs.loop import run_loop
from agentkernel.models.base import ModelRequest
from agentkernel.models.scripted import ScriptedClient
from agentkernel.prompts import Passage
from agentkernel.task import Task
from agentkernel.testing.toy import ToyToolchain, toy_answer, toy_check, toy_task
from agentkernel.traces.memory import MemoryStore
from agentkernel.trajectory import Budget, Completion, Outcome, Sampling, Trajectory, TrajectoryHeader, Turn
from agentkernel.verdict import Stage


class Shelf:
    """A library that notes what is asked for."""

    def __init__(self) -> None:
        self.asked: list[object] = []

    def retrieve(self, task: Task, budget: int) -> Sequence[Passage]:
        self.asked.append(task.name)
        return [Passage(title="Exemplar", text="an exemplar kernel")]

    def cards(self, names: Sequence[str], task: Task, budget: int) -> Sequence[Passage]:
        self.asked.append(tuple(names))
        return [Passage(title=name, text=f"the card of {name}") for name in names]


def make_context(answers: Sequence[str | Completion | Exception], **budget: float) -> RunContext:
    header = TrajectoryHeader(
        run_id="run",
        task=toy_task(),
        model="scripted",
        toolchain="toy",
        budget=Budget(**budget),
        sampling=Sampling(seed=7),
        created=datetime(2026, 1, 1, tzinfo=UTC),
    )
    return RunContext(
        header=header,
        model=ScriptedClient(answers, by_attempt=True),
        toolchain=ToyToolchain(),
        store=MemoryStore(),
        library=Shelf(),
        check=toy_check,
    )


async def finished(context: RunContext) -> Trajectory:
    async with open_checkpoints(None) as saver:
        await run_loop(context, saver)
    return context.store.load("run")


def requests(context: RunContext) -> list[ModelRequest]:
    assert isinstance(context.model, ScriptedClient)
    return context.model.requests


FOUR = [toy_answer("unknown-api"), toy_answer("wrong-tail"), toy_answer("missing-sync"), toy_answer()]


async def test_each_failure_is_answered_at_its_level_until_the_kernel_passes() -> None:
    context = make_context(FOUR)
    run = await finished(context)
    assert run.outcome is Outcome.SOLVED
    assert [a.turn for a in run.attempts] == [Turn.DRAFT, Turn.REPAIR_API, Turn.REPAIR_KERNEL, Turn.REPAIR_KERNEL]
    assert [a.verdict.stage for a in run.attempts] == [Stage.CHECK, Stage.VERIFY, Stage.VERIFY, Stage.VERIFY]
    assert [[d.code for d in a.verdict.all_diagnostics][:1] for a in run.attempts][::2] == [
        ["unknown-api"],
        ["missing-sync"],
    ]
    assert [a.verdict.passed for a in run.attempts] == [False, False, False, True]
    # what each turn was told is what its prompt holds
    asked = requests(context)
    assert [r.attempt for r in asked] == [0, 1, 2, 3]
    assert "an exemplar kernel" in asked[0].messages[1].content
    assert "Step0(z, x, y, n);  // toy: unknown-api" in asked[1].messages[1].content
    assert "the card of Add" in asked[1].messages[1].content
    assert "tail: FAILED" in asked[2].messages[1].content
    assert "missing-sync (hazard)" in asked[3].messages[1].content
    assert "attempt 0 (draft) failed at check: unknown-api" in asked[3].messages[1].content
    assert [d.code for d in asked[1].diagnostics] == ["unknown-api"]
    assert [tuple(a.messages) for a in run.attempts] == [r.messages for r in asked]


async def test_the_request_carries_task_sampling_and_turn() -> None:
    context = make_context([toy_answer()])
    await finished(context)
    (request,) = requests(context)
    assert request.task == context.task
    assert request.sampling == context.header.sampling
    assert request.turn is Turn.DRAFT


async def test_a_compiler_error_is_an_api_repair() -> None:
    context = make_context([toy_answer("syntax"), toy_answer()])
    run = await finished(context)
    assert [a.verdict.stage for a in run.attempts] == [Stage.COMPILE, Stage.VERIFY]
    assert run.attempts[1].turn is Turn.REPAIR_API
    assert "It does not compile." in requests(context)[1].messages[1].content


async def test_an_unreadable_answer_is_a_format_repair_that_keeps_the_last_kernel() -> None:
    context = make_context(["I cannot see why.", toy_answer("unknown-api"), "```cpp\nvoid", toy_answer()])
    run = await finished(context)
    assert [a.turn for a in run.attempts][1:] == [Turn.REPAIR_FORMAT, Turn.REPAIR_API, Turn.REPAIR_FORMAT]
    assert [a.kernel is None for a in run.attempts] == [True, False, True, False]
    last = requests(context)[3].messages[1].content
    assert "truncated-answer" in last
    assert "toy: unknown-api" in last
    assert run.solved


async def test_a_refusal_ends_the_run() -> None:
    run = await finished(make_context([Completion(text="cannot compose sort", finish_reason="refusal")]))
    assert run.outcome is Outcome.REFUSED
    assert len(run.attempts) == 1


async def test_the_budget_of_turns_counts_model_calls() -> None:
    context = make_context([toy_answer("wrong-tail")] * 5, turns=3)
    run = await finished(context)
    assert run.outcome is Outcome.TURNS
    assert len(run.attempts) == len(requests(context)) == 3


async def test_the_budget_of_tokens_ends_the_run_and_bounds_the_last_answer() -> None:
    answer = Completion(text=toy_answer("wrong-tail"), prompt_tokens=1000, completion_tokens=500)
    context = make_context([answer] * 5, tokens=3500)
    run = await finished(context)
    assert run.outcome is Outcome.TOKENS
    assert len(run.attempts) == 2
    bound = [r.sampling.max_tokens for r in requests(context)]
    assert 0 < bound[1] < bound[0] < 3500


async def test_tokens_are_estimated_where_the_endpoint_does_not_count() -> None:
    context = make_context([toy_answer("wrong-tail")] * 5, tokens=2500)
    run = await finished(context)
    assert run.outcome is Outcome.TOKENS
    assert 1 <= len(run.attempts) < 5


async def test_the_budget_of_seconds_ends_a_model_that_does_not_answer() -> None:
    class Silent(ScriptedClient):
        async def complete(self, request: ModelRequest) -> Completion:
            await asyncio.sleep(3600)
            raise AssertionError

    context = make_context([], seconds=0.3)
    context = replace(context, model=Silent([]))
    run = await finished(context)
    assert run.outcome is Outcome.SECONDS
    assert run.attempts == ()


async def test_failures_of_the_machine_are_raised_and_the_run_goes_on_later() -> None:
    context = make_context([ModelUnavailableError("the endpoint is down")])
    async with open_checkpoints(None) as saver:
        with pytest.raises(ModelUnavailableError):
            await run_loop(context, saver)
        assert context.store.load("run").outcome is None
        context = replace(context, model=ScriptedClient([toy_answer()], by_attempt=True))
        await run_loop(context, saver)
    assert context.store.load("run").outcome is Outcome.SOLVED


async def test_a_broken_toolchain_is_never_shown_to_the_model_and_costs_no_second_answer() -> None:
    broken = [True]

    def fail(what: str) -> None:
        if broken:
            broken.pop()
            raise ToolchainError("no compiler")

    context = make_context([toy_answer()])
    context = replace(context, toolchain=ToyToolchain(fail))
    async with open_checkpoints(None) as saver:
        with pytest.raises(ToolchainError):
            await run_loop(context, saver)
        await run_loop(context, saver)
    assert context.store.load("run").outcome is Outcome.SOLVED
    assert len(requests(context)) == 1


async def test_an_ended_run_is_left_as_it_is() -> None:
    context = make_context([toy_answer()])
    events: list[Event] = []
    context = replace(context, on_event=events.append)
    async with open_checkpoints(None) as saver:
        await run_loop(context, saver)
        before = len(events)
        await run_loop(context, saver)
    assert len(events) == before
    assert len(requests(context)) == 1


async def test_events_tell_the_run_in_order() -> None:
    context = make_context([toy_answer("unknown-api"), toy_answer()])
    events: list[Event] = []
    context = replace(context, on_event=events.append)
    await finished(context)
    told = [getattr(e, "step", e.kind) for e in events]
    assert told == [
        *("run-started", "retrieve", "draft", "answered", "check", "attempt-judged"),
        *("repair", "answered", "check", "compile", "verify", "attempt-judged", "run-ended"),
    ]
    assert [e.turn for e in events if getattr(e, "step", "") == "repair"] == [Turn.REPAIR_API]


async def test_halves_of_surrogate_pairs_in_an_answer_do_no_harm() -> None:
    run = await finished(make_context([toy_answer() + "\ud83d", toy_answer()]))
    assert run.solved


async def test_checkpoints_hold_no_sources() -> None:
    context = make_context(FOUR)
    from agentkernel.graphs.loop import build_loop, thread

    async with open_checkpoints(None) as saver:
        await run_loop(context, saver)
        state = (await build_loop(saver).aget_state(thread(context))).values
    assert len(str(state)) < 2000
    assert "__aicore__" not in str(state)
