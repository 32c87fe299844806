"""Conformance suite of the ModelClient seam.

A test of a new client runs every check:

    @pytest.mark.parametrize("check", model_client.CHECKS, ids=lambda check: check.__name__)
    async def test_client(check):
        await check(make)

`make(answers)` gives a context manager whose value is a client that will answer with these texts, one a request, in
order. A client over HTTP stands on `agentkernel.testing.server.ModelServer`; one over a recording records them first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager

from agentkernel.errors import ModelError
from agentkernel.models.base import ModelClient, ModelRequest
from agentkernel.trajectory import Completion, Message

ClientFactory = Callable[[Sequence[str]], AbstractContextManager[ModelClient]]

AWKWARD = (
    "",
    "\n\n  indented\r\nand windows lines\r\n",
    "</think>\n<kernel_impl>\n```cpp\nint a; // größer ≤ \U0001f9ea\n```\n</kernel_impl>",
    'data: [DONE]\n\ndata: {"choices": []}\n',
    "x" * 20_000,
)
"""Answers that must come through unchanged."""


def request(text: str = "Write a kernel.", attempt: int = 0) -> ModelRequest:
    """A request of a system and a user message."""
    messages = (Message(role="system", content="You write kernels."), Message(role="user", content=text))
    return ModelRequest(messages=messages, attempt=attempt)


async def it_is_a_client(make: ClientFactory) -> None:
    """It has the seam's members, and a name that stays."""
    with make(["a"]) as client:
        assert isinstance(client, ModelClient)
        before = client.name
        await client.complete(request())
        assert before and client.name == before


async def answers_come_in_order_and_unchanged(make: ClientFactory) -> None:
    """Text is as the model gave it: line ends, Unicode, fences, protocol look-alikes. Empty is an answer too."""
    with make(AWKWARD) as client:
        got = [(await client.complete(request(attempt=i))).text for i in range(len(AWKWARD))]
    assert got == list(AWKWARD)


async def a_completion_is_well_formed(make: ClientFactory) -> None:
    """Counts are absent or not negative, the finish reason is named, time is not negative."""
    with make(["one two three"]) as client:
        completion = await client.complete(request())
    assert type(completion) is Completion
    assert completion.finish_reason
    for count in (completion.prompt_tokens, completion.completion_tokens):
        assert count is None or count >= 0
    assert completion.seconds >= 0


async def requests_can_run_at_once(make: ClientFactory) -> None:
    """Samples are drawn in parallel: every request gets an answer, and none is given twice."""
    answers = [f"answer {i}" for i in range(8)]
    with make(answers) as client:
        got = await asyncio.gather(*(client.complete(request(attempt=i)) for i in range(len(answers))))
    assert sorted(c.text for c in got) == sorted(answers)


async def running_out_is_a_model_error(make: ClientFactory) -> None:
    """Where no answer can be had, a ModelError says so."""
    with make(["only"]) as client:
        await client.complete(request())
        try:
            await client.complete(request(attempt=1))
        except ModelError as error:
            assert error.message
            return
    raise AssertionError("a ModelError was expected")


def it_works_in_one_event_loop_after_another(make: ClientFactory) -> None:
    """`asyncio.run` twice with one client: nothing is bound to the first loop. Call it outside of any loop."""
    with make(["first", "second"]) as client:
        first = asyncio.run(client.complete(request()))
        second = asyncio.run(client.complete(request(attempt=1)))
    assert (first.text, second.text) == ("first", "second")


CHECKS: tuple[Callable[[ClientFactory], Awaitable[None]], ...] = (
    it_is_a_client,
    answers_come_in_order_and_unchanged,
    a_completion_is_well_formed,
    requests_can_run_at_once,
    running_out_is_a_model_error,
)
"""Every asynchronous check; `it_works_in_one_event_loop_after_another` is called by itself."""
