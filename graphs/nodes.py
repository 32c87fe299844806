"""Nodes of the loop: functions from a state to an update, with every effect through the seams of the context.

A node that is killed runs again from its start, so what it does must come out the same a second time: texts are kept
under their digest, an attempt under its index, and a completion is journaled before anything is done with it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from langgraph.runtime import Runtime
from pydantic import BaseModel, ConfigDict

from agentkernel.diagnostic import Diagnostic
from agentkernel.events import Answered, AttemptJudged, RunEnded, Step, StepStarted
from agentkernel.extract import extract
from agentkernel.graphs.context import MESSAGES, PASSAGES, RunContext
from agentkernel.graphs.state import LoopState, Update
from agentkernel.kernel import Kernel
from agentkernel.models.base import ModelRequest
from agentkernel.prompts import Passage, Prompt, Round, draft_prompt, estimate_tokens, repair_prompt, repair_turn
from agentkernel.prompts.compose import history_line
from agentkernel.toolchains.base import Build
from agentkernel.trajectory import Attempt, Completion, Outcome, Turn
from agentkernel.verdict import Stage, Verdict
from agentkernel.verify import CaseRun, compile_step, conclude


class Node(Protocol):
    """A node as LangGraph calls it."""

    def __call__(self, state: LoopState, *, runtime: Runtime[RunContext]) -> Awaitable[Update]:
        """Make the step."""
        ...


KNOWLEDGE_SHARE = 0.5
"""Largest part of a prompt that retrieved text may fill; the task, the kernel and the findings need the rest."""
CARDS_SHARE = 0.25


class Checked(BaseModel):
    """What the API oracle found without rejecting the kernel."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    diagnostics: tuple[Diagnostic, ...]
    seconds: float


class _StoppedError(Exception):
    """The run ends here with an outcome, without another attempt. Never leaves this module."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome)
        self.outcome = outcome


def node(step: Step) -> Callable[[Callable[[LoopState, RunContext], Awaitable[Update]]], Node]:
    """Make a node of a function: announce the step, hand over the context, add the time it took."""

    def wrap(function: Callable[[LoopState, RunContext], Awaitable[Update]]) -> Node:
        async def run(state: LoopState, runtime: Runtime[RunContext]) -> Update:
            context = runtime.context
            begin = time.monotonic()
            turn = _next_turn(state, context) if step == "repair" else Turn(state["turn"])
            context.emit(StepStarted(run_id=context.run_id, step=step, attempt=state["attempt"], turn=turn))
            update = await function(state, context)
            return {**update, "seconds": time.monotonic() - begin}

        run.__name__ = step
        run.__doc__ = function.__doc__
        return run

    return wrap


@node("retrieve")
async def retrieve(state: LoopState, context: RunContext) -> Update:
    """Look up reference text for the task."""
    budget = int(context.prompts.limit * KNOWLEDGE_SHARE)
    passages = await asyncio.to_thread(context.library.retrieve, context.task, budget)
    return {"knowledge": context.store.put(PASSAGES.dump_json(tuple(passages)).decode())}


@node("draft")
async def draft(state: LoopState, context: RunContext) -> Update:
    """Ask for the first kernel."""
    prompt = draft_prompt(context.task, _knowledge(state, context), options=context.prompts, count=context.count)
    return await _turn(state, context, Turn.DRAFT, prompt, ())


@node("repair")
async def repair(state: LoopState, context: RunContext) -> Update:
    """Ask for a better kernel, with what was found about the last one."""
    last = _last_round(state, context)
    verdict = context.fetch(Verdict, state["verdict"])
    unreadable = verdict.diagnostics if verdict.stage is Stage.EXTRACT else ()
    judged = last.verdict.all_diagnostics if last is not None else ()
    hint = context.store.get(state["hint"]) if state["hint"] else ""
    names = list(dict.fromkeys(name for d in judged for name in d.apis))
    cards: Sequence[Passage] = ()
    if names:
        budget = int(context.prompts.limit * CARDS_SHARE)
        cards = await asyncio.to_thread(context.library.cards, names, context.task, budget)
    prompt = repair_prompt(
        context.task,
        last,
        unreadable,
        cards=cards,
        passages=_knowledge(state, context) if last is None else (),
        history=state["history"],
        hint=hint,
        options=context.prompts,
        count=context.count,
    )
    return await _turn(state, context, _next_turn(state, context), prompt, (*unreadable, *judged))


@node("check")
async def check(state: LoopState, context: RunContext) -> Update:
    """Judge the source against the API index, before any compiler."""
    kernel = context.fetch(Kernel, state["kernel"])
    begin = time.monotonic()
    found = await context.blocking(lambda: context.check(kernel, context.task))
    checked = Checked(diagnostics=found, seconds=time.monotonic() - begin)
    if any(d.is_error for d in found):
        return {"verdict": context.keep(_conclude(context, checked, None, ()))}
    return {"checked": context.keep(checked)}


@node("compile")
async def compile_(state: LoopState, context: RunContext) -> Update:
    """Compile the kernel."""
    build = await _build(state, context)
    if build.ok:
        return {}
    return {"verdict": context.keep(_conclude(context, context.fetch(Checked, state["checked"]), build, ()))}


@node("verify")
async def verify(state: LoopState, context: RunContext) -> Update:
    """Run every case and compare with the reference."""
    # a resumed run builds again: the artifact died with the process that was killed
    build = context.builds.get(state["kernel"]) or await _build(state, context)
    runs = await context.run_cases(build)
    return {"verdict": context.keep(_conclude(context, context.fetch(Checked, state["checked"]), build, runs))}


async def record(state: LoopState, runtime: Runtime[RunContext]) -> Update:
    """Keep the attempt, and decide whether the run ends with it."""
    context = runtime.context
    verdict = context.fetch(Verdict, state["verdict"])
    outcome = _outcome(state, context, verdict)
    return {**keep_attempt(state, context, verdict), "outcome": outcome.value if outcome is not None else ""}


def keep_attempt(state: LoopState, context: RunContext, verdict: Verdict) -> Update:
    """Put the attempt into the store and go on to the next index."""
    attempt = Attempt(
        index=state["attempt"],
        turn=Turn(state["turn"]),
        messages=MESSAGES.validate_json(context.store.get(state["prompt"])) if state["prompt"] else (),
        completion=context.store.journaled(context.run_id, state["attempt"]) if state["prompt"] else None,
        kernel=context.fetch(Kernel, state["kernel"]) if state["kernel"] else None,
        verdict=verdict,
        hint=context.store.get(state["hint"]) if state["hint"] else "",
    )
    context.store.append(context.run_id, attempt)
    context.emit(_judged(context.run_id, attempt))
    update: Update = {
        "attempt": attempt.index + 1,
        "history": [history_line(attempt.index, attempt.turn, verdict)],
        "hint": "",
    }
    if state["kernel"]:
        update |= {"last_kernel": state["kernel"], "last_verdict": state["verdict"]}
    return update


async def finish(state: LoopState, runtime: Runtime[RunContext]) -> Update:
    """Mark the run as ended."""
    context = runtime.context
    outcome = Outcome(state["outcome"])
    context.store.finish(context.run_id, outcome)
    if outcome is Outcome.SOLVED and context.solved is not None:
        context.solved.set()
    context.emit(
        RunEnded(
            run_id=context.run_id,
            outcome=outcome,
            attempts=state["attempt"],
            tokens=state["tokens"],
            seconds=state["seconds"],
        )
    )
    return {}


# --- asking


async def _turn(
    state: LoopState, context: RunContext, turn: Turn, prompt: Prompt, diagnostics: Sequence[Diagnostic]
) -> Update:
    """One turn of the model: ask, journal, take the kernel out of the answer."""
    attempt = state["attempt"]
    sent = context.store.put(MESSAGES.dump_json(prompt.messages).decode())
    kept = context.store.journaled(context.run_id, attempt)
    completion = kept
    if completion is None:
        try:
            completion = await _within_budget(state, context, turn, prompt, diagnostics)
        except _StoppedError as stop:
            return {"outcome": stop.outcome.value}
        context.store.journal(context.run_id, attempt, completion)
    context.emit(
        Answered(
            run_id=context.run_id,
            attempt=attempt,
            turn=turn,
            prompt_tokens=completion.prompt_tokens,
            completion_tokens=completion.completion_tokens,
            seconds=completion.seconds,
            journaled=kept is not None,
        )
    )
    update: Update = {"turn": turn.value, "prompt": sent, "tokens": _spent(prompt, completion), "checked": ""}
    taken = extract(completion, context.task)
    if isinstance(taken, Kernel):
        return {**update, "kernel": context.keep(taken), "verdict": ""}
    verdict = Verdict(passed=False, stage=Stage.EXTRACT, toolchain=context.toolchain.name, diagnostics=taken)
    return {**update, "kernel": "", "verdict": context.keep(verdict)}


async def _within_budget(
    state: LoopState, context: RunContext, turn: Turn, prompt: Prompt, diagnostics: Sequence[Diagnostic]
) -> Completion:
    budget, sampling = context.header.budget, context.header.sampling
    if budget.tokens is not None:
        left = budget.tokens - state["tokens"] - prompt.tokens
        if left < 1:
            raise _StoppedError(Outcome.TOKENS)
        sampling = sampling.model_copy(update={"max_tokens": min(sampling.max_tokens, left)})
    seconds = None if budget.seconds is None else budget.seconds - state["seconds"]
    if seconds is not None and seconds <= 0:
        raise _StoppedError(Outcome.SECONDS)
    request = ModelRequest(
        messages=prompt.messages,
        sampling=sampling,
        turn=turn,
        attempt=state["attempt"],
        task=context.task,
        diagnostics=tuple(diagnostics),
    )
    try:
        async with asyncio.timeout(seconds) as limit:
            completion = await _unless_solved(context, request)
    except TimeoutError:
        if limit.expired():
            raise _StoppedError(Outcome.SECONDS) from None
        raise
    # JSON may carry halves of surrogate pairs, which are no text and could not be kept
    whole = {name: getattr(completion, name).encode("utf-8", "replace").decode() for name in ("text", "reasoning")}
    return completion.model_copy(update=whole)


async def _unless_solved(context: RunContext, request: ModelRequest) -> Completion:
    """Ask, but stop waiting as soon as another sample has solved the task."""
    if context.solved is None:
        return await context.model.complete(request)
    call = asyncio.ensure_future(context.model.complete(request))
    solved = asyncio.ensure_future(context.solved.wait())
    try:
        await asyncio.wait({call, solved}, return_when=asyncio.FIRST_COMPLETED)
        if not call.done():
            raise _StoppedError(Outcome.STOPPED)
        return call.result()
    finally:
        for waiting in (call, solved):
            waiting.cancel()
        await asyncio.gather(call, solved, return_exceptions=True)


def _spent(prompt: Prompt, completion: Completion) -> int:
    """Tokens of a turn, estimated where the endpoint does not count."""
    asked = prompt.tokens if completion.prompt_tokens is None else completion.prompt_tokens
    if completion.completion_tokens is not None:
        return asked + completion.completion_tokens
    return asked + estimate_tokens(completion.reasoning + completion.text)


# --- judging


async def _build(state: LoopState, context: RunContext) -> Build:
    kernel = context.fetch(Kernel, state["kernel"])
    build = await context.blocking(lambda: compile_step(kernel, context.task, context.toolchain))
    context.builds[state["kernel"]] = build
    return build


def _conclude(context: RunContext, checked: Checked, build: Build | None, runs: Sequence[CaseRun]) -> Verdict:
    seconds = {Stage.CHECK.value: checked.seconds}
    if build is not None:
        seconds[Stage.COMPILE.value] = build.seconds
    if runs:
        seconds[Stage.RUN.value] = sum(run.result.seconds for run in runs)
    return conclude(context.toolchain, check=checked.diagnostics, build=build, runs=runs, seconds=seconds)


def _outcome(state: LoopState, context: RunContext, verdict: Verdict) -> Outcome | None:
    """How the run ends after an attempt, None where it goes on."""
    budget = context.header.budget
    refused = verdict.stage is Stage.EXTRACT and any(d.code == "refused" for d in verdict.diagnostics)
    ends = {
        Outcome.SOLVED: verdict.passed,
        Outcome.REFUSED: refused,
        Outcome.TURNS: state["attempt"] + 1 >= budget.turns,
        Outcome.TOKENS: budget.tokens is not None and state["tokens"] >= budget.tokens,
        Outcome.SECONDS: budget.seconds is not None and state["seconds"] >= budget.seconds,
        Outcome.STOPPED: context.solved is not None and context.solved.is_set(),
    }
    return next((outcome for outcome, holds in ends.items() if holds), None)


def _next_turn(state: LoopState, context: RunContext) -> Turn:
    return repair_turn(context.fetch(Verdict, state["verdict"]))


def _last_round(state: LoopState, context: RunContext) -> Round | None:
    if not state["last_kernel"]:
        return None
    return Round(
        kernel=context.fetch(Kernel, state["last_kernel"]), verdict=context.fetch(Verdict, state["last_verdict"])
    )


def _knowledge(state: LoopState, context: RunContext) -> tuple[Passage, ...]:
    return PASSAGES.validate_json(context.store.get(state["knowledge"])) if state["knowledge"] else ()


def _judged(run_id: str, attempt: Attempt) -> AttemptJudged:
    verdict = attempt.verdict
    return AttemptJudged(
        run_id=run_id,
        attempt=attempt.index,
        turn=attempt.turn,
        passed=verdict.passed,
        stage=verdict.stage,
        codes=tuple(dict.fromkeys(d.code for d in verdict.all_diagnostics if d.is_error)),
        cases_passed=sum(case.passed for case in verdict.cases),
        cases=len(verdict.cases),
        kernel_us=verdict.kernel_us,
    )
