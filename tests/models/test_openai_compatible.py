"""OpenAICompatibleClient against a real HTTP server: the protocol, every failure, retries, secrets."""

from __future__ import annotations

import asyncio
import base64
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
import structlog.testing

from agentkernel.errors import (
    ConfigError,
    ContextLengthError,
    ModelAuthError,
    ModelError,
    ModelNotFoundError,
    ModelRequestError,
    ModelUnavailableError,
)
from agentkernel.models import Backoff, ModelClient, ModelRequest, OpenAICompatibleClient
from agentkernel.models.faults import retry_after
from agentkernel.testing import model_client
from agentkernel.testing.model_client import ClientFactory, request
from agentkernel.testing.server import (
    Answer,
    Behaviour,
    CutStream,
    Garbage,
    ModelServer,
    Silence,
    Status,
    StreamError,
    context_length,
    rate_limited,
    server_error,
    unauthorized,
    unknown_model,
)
from agentkernel.trajectory import Sampling

FAST = Backoff(initial=0.001, jitter=0.001)
KEY = "sk-verysecret-0123456789"


def client_of(server: ModelServer, **options: Any) -> OpenAICompatibleClient:
    return OpenAICompatibleClient("tiny", server.base_url, **{"backoff": FAST, "max_retries": 2, **options})


def factory(**options: Any) -> ClientFactory:
    @contextmanager
    def make(answers: Sequence[str]) -> Iterator[ModelClient]:
        with ModelServer(answers) as server:
            yield client_of(server, **options)

    return make


MODES = [{"streaming": True}, {"streaming": False}, {"streaming": True, "protocol": "completions"}]
both = pytest.mark.parametrize("streaming", [True, False], ids=["stream", "whole"])


@pytest.mark.parametrize("check", model_client.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("options", MODES, ids=["stream", "whole", "completions"])
async def test_conformance(options: dict[str, Any], check: Any) -> None:
    await check(factory(**options))


def test_conformance_over_event_loops() -> None:
    model_client.it_works_in_one_event_loop_after_another(factory())


@both
async def test_counts_reasoning_and_finish_reason_arrive(streaming: bool) -> None:
    for field in ("reasoning_content", "reasoning"):
        answer = Answer("one two", reasoning="let me think", reasoning_field=field, finish_reason="length")
        with ModelServer([answer]) as server:
            got = await client_of(server, streaming=streaming).complete(request("a b c"))
        assert (got.text, got.reasoning, got.finish_reason) == ("one two", "let me think", "length")
        assert (got.prompt_tokens, got.completion_tokens, got.model) == (6, 5, "tiny")


async def test_a_request_carries_messages_sampling_and_extras() -> None:
    asked = ModelRequest(messages=request().messages, sampling=Sampling(temperature=0.1, max_tokens=7, seed=3))
    with ModelServer(["x"]) as server:
        await client_of(server, extra_body={"top_k": 5}, api_key="k").complete(asked)
    sent = server.requests[0]
    assert sent.path == "/v1/chat/completions"
    assert sent.headers["authorization"] == "Bearer k"
    assert sent.body == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "You write kernels."},
            {"role": "user", "content": "Write a kernel."},
        ],
        "temperature": 0.1,
        "top_p": 0.9,
        "max_tokens": 7,
        "seed": 3,
        "top_k": 5,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


async def test_fields_that_a_model_refuses_can_be_left_out() -> None:
    with ModelServer(["x"]) as server:
        await client_of(server, omit=("temperature", "top_p")).complete(request())
    assert not {"temperature", "top_p"} & set(server.requests[0].body)


async def test_the_completions_protocol_sends_the_chatml_prompt() -> None:
    with ModelServer(["thought</think>answer"]) as server:
        got = await client_of(server, protocol="completions").complete(request())
    sent = server.requests[0]
    assert sent.path == "/v1/completions"
    assert sent.body["prompt"] == (
        "<|im_start|>user\nYou write kernels.\n\nWrite a kernel.<|im_end|>\n<|im_start|>assistant\n<think>"
    )
    assert sent.body["stop"] == ["<|im_end|>"]
    assert got.text == "thought</think>answer"
    assert got.completion_tokens == 1


@pytest.mark.parametrize("how", ["ignore", "refuse"])
async def test_an_endpoint_without_stream_usage_still_answers_uncounted(how: str) -> None:
    with ModelServer(["first", "second"], stream_options=how) as server:
        client = client_of(server)
        got = [await client.complete(request()) for _ in range(2)]
    assert [c.text for c in got] == ["first", "second"]
    assert got[0].completion_tokens is None
    assert len(server.requests) == (3 if how == "refuse" else 2), "a refusal is remembered"


async def test_a_model_that_wants_max_completion_tokens_gets_it() -> None:
    refusal = (
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    )

    def script(asked: Any) -> Behaviour | str:
        return Status(400, refusal, "unsupported_parameter") if "max_tokens" in asked.body else "fine"

    with ModelServer(script) as server:
        assert (await client_of(server).complete(request())).text == "fine"
    assert server.requests[-1].body["max_completion_tokens"] == 16384


PASSING = {
    "408": Status(408),
    "409": Status(409),
    "429": rate_limited(),
    "500": server_error(),
    "502-html": Status(502, text="<html>Bad Gateway</html>"),
    "503": Status(503, "overloaded"),
    "garbage-html": Garbage(),
    "garbage-json": Garbage("{not json", "application/json"),
    "garbage-sse": Garbage("data: {not json\n\n", "text/event-stream"),
    "garbage-utf8-number": Garbage("data: 5\n\n", "text/event-stream"),
    "empty": Garbage("", "application/json"),
    "no-choices": Garbage('{"id": "x", "choices": []}', "application/json"),
    "wrong-types": Garbage('{"choices": [{"index": 0, "message": {"content": 5}}]}', "application/json"),
    "choices-is-text": Garbage('{"choices": "none"}', "application/json"),
}
STREAM_ONLY = {
    "cut": CutStream("half of an answer that is long enough"),
    "cut-at-once": CutStream(""),
    "ended-without-finish": CutStream("half of an answer", abrupt=False),
    "error-event": StreamError("half of an answer"),
    "error-event-uncoded": StreamError("half of an answer", code=None),
}


@pytest.mark.parametrize(
    ("streaming", "fault"),
    [(s, f) for f in PASSING.values() for s in (True, False)] + [(True, f) for f in STREAM_ONLY.values()],
    ids=[f"{n}-{s}" for n in PASSING for s in ("stream", "whole")] + list(STREAM_ONLY),
)
async def test_a_passing_fault_is_asked_again_and_leaves_nothing_in_the_answer(
    streaming: bool, fault: Behaviour
) -> None:
    with ModelServer([fault, fault, "right"]) as server:
        got = await client_of(server, streaming=streaming).complete(request())
    assert got.text == "right"
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("fault", "error", "said"),
    [
        (server_error(), ModelUnavailableError, "status 500: The server had an error.*asked 3 times"),
        (rate_limited(), ModelUnavailableError, "status 429"),
        (CutStream("half"), ModelUnavailableError, "connection failed"),
        (CutStream("half", abrupt=False), ModelUnavailableError, "cut after 4 characters"),
        (Garbage(), ModelRequestError, "does not answer as an OpenAI-compatible endpoint.*ends in /v1"),
        (Garbage('{"choices": []}', "application/json"), ModelRequestError, "no event stream but application/json"),
        (Garbage("data: {no\n\n", "text/event-stream"), ModelRequestError, "not JSON"),
    ],
)
async def test_a_fault_that_stays_is_named_when_no_attempt_is_left(
    fault: Behaviour, error: type[ModelError], said: str
) -> None:
    with ModelServer([fault] * 3) as server:
        with pytest.raises(error, match=said) as caught:
            await client_of(server).complete(request())
        assert server.base_url in str(caught.value)
    assert len(server.requests) == 3
    assert caught.value.retryable is (error is ModelUnavailableError)


@both
@pytest.mark.parametrize(
    ("fault", "error", "said"),
    [
        (unauthorized(), ModelAuthError, "answered 401.*set MY_KEY"),
        (Status(403, "no access"), ModelAuthError, "answered 403: no access.*set MY_KEY"),
        (unknown_model(), ModelNotFoundError, "The model `tiny` does not exist"),
        (
            Status(400, "model 'tiny' not found, try pulling it first"),
            ModelNotFoundError,
            "check the model name 'tiny'",
        ),
        (context_length(), ContextLengthError, "lower max_tokens"),
        (Status(400, "too long", "context_length_exceeded"), ContextLengthError, "too long"),
        (
            Status(400, "'max_tokens' is too large: 9. This model's maximum context length is 8 tokens"),
            ContextLengthError,
            "maximum context",
        ),
        (
            Status(400, "The decoder prompt (length 1200) is longer than the maximum model length of 1024."),
            ContextLengthError,
            "decoder prompt",
        ),
        (Status(500, "the request exceeds the available context size"), ContextLengthError, "available context size"),
        (Status(400, "temperature must be at most 2"), ModelRequestError, "temperature must be at most 2"),
        (Status(422, "extra fields not permitted"), ModelRequestError, "answered 422"),
        (Status(418), ModelRequestError, "answered 418"),
        (Status(429, "You exceeded your quota", "insufficient_quota"), ModelRequestError, "no credit left"),
    ],
)
async def test_a_lasting_fault_is_raised_at_once(
    fault: Status, error: type[ModelError], said: str, streaming: bool
) -> None:
    with ModelServer([fault, "never asked for"]) as server:
        with pytest.raises(error, match=said) as caught:
            await client_of(server, streaming=streaming, key_variable="MY_KEY").complete(request())
        assert type(caught.value) is error
    assert len(server.requests) == 1


async def test_a_refusal_inside_a_stream_counts_like_a_status() -> None:
    words = "This model's maximum context length is 8 tokens"
    with ModelServer([StreamError("", words, code=400)]) as server, pytest.raises(ContextLengthError):
        await client_of(server).complete(request())


@both
async def test_a_silent_server_is_given_up(streaming: bool) -> None:
    options: dict[str, Any] = {"idle_timeout": 0.2} if streaming else {"timeout": 0.2}
    with ModelServer([Silence("half of"), "right"]) as server:
        got = await client_of(server, streaming=streaming, **options).complete(request())
        assert server.hang_ups.acquire(timeout=10), "the silent connection was closed"
    assert got.text == "right"


async def test_silence_that_stays_is_named() -> None:
    with ModelServer([Silence()] * 2) as server, pytest.raises(ModelUnavailableError, match=r"silent for 0\.1 s"):
        await client_of(server, idle_timeout=0.1, max_retries=1).complete(request())


async def test_an_answer_that_drips_for_ever_meets_the_whole_timeout() -> None:
    given_up = pytest.raises(ModelUnavailableError, match=r"no whole answer within 0\.3 s")
    with ModelServer([Answer("x" * 1000, piece=1, delay=0.02)]) as server, given_up:
        await client_of(server, timeout=0.3, max_retries=0).complete(request())


async def test_nobody_listening_is_named() -> None:
    with ModelServer([]) as server:
        url = server.base_url
    client = OpenAICompatibleClient("tiny", url, backoff=FAST, max_retries=1)
    with pytest.raises(ModelUnavailableError, match=f"{url}.*connection failed.*asked 2 times"):
        await client.complete(request())


async def test_cancelling_closes_the_stream() -> None:
    with ModelServer([Answer("x" * 10_000, piece=1, delay=0.02)]) as server:
        call = asyncio.create_task(client_of(server).complete(request()))
        while not server.requests:
            await asyncio.sleep(0.01)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert await asyncio.to_thread(server.hang_ups.acquire, timeout=10), "the server was told to stop"
    assert len(server.requests) == 1


class TestRetryAfter:
    """RFC 9110, section 10.2.3."""

    def test_seconds_and_dates_are_read(self) -> None:
        now = datetime(2026, 1, 1, tzinfo=UTC)
        later = format_datetime(now + timedelta(seconds=90), usegmt=True)
        assert retry_after({"retry-after": "7"}) == 7
        assert retry_after({"retry-after": later}, now) == 90
        assert retry_after({"retry-after": later}, now + timedelta(hours=1)) == 0
        assert retry_after({"retry-after-ms": "1500", "retry-after": "9"}) == 1.5

    @pytest.mark.parametrize("value", ["", "soon", "-5", "1e9", "nan", "inf", "Mon, 99 Foo 2026"])
    def test_what_cannot_be_read_says_nothing(self, value: str) -> None:
        assert retry_after({"retry-after": value}) is None
        assert retry_after({}) is None

    @pytest.mark.parametrize(("asked", "cap", "waited"), [("0.2", 300, 0.2), ("9999", 0.1, 0.1)])
    async def test_it_is_waited_for_up_to_the_cap(self, asked: str, cap: float, waited: float) -> None:
        backoff = Backoff(initial=0, jitter=0, retry_after_maximum=cap)
        with ModelServer([rate_limited(asked), "right"]) as server, structlog.testing.capture_logs() as logs:
            await client_of(server, backoff=backoff).complete(request())
        assert [log["wait_s"] for log in logs] == [waited]

    async def test_without_it_waits_grow_and_vary(self) -> None:
        backoff = Backoff(initial=0.01, maximum=0.03, jitter=0.005)
        with ModelServer([server_error()] * 4 + ["right"]) as server, structlog.testing.capture_logs() as logs:
            await client_of(server, backoff=backoff, max_retries=4).complete(request())
        for log, base in zip(logs, (0.01, 0.02, 0.03, 0.03), strict=True):
            assert base - 0.001 <= log["wait_s"] <= 0.036


async def test_retries_are_logged_with_their_reason() -> None:
    with ModelServer([server_error(), "right"]) as server, structlog.testing.capture_logs() as logs:
        await client_of(server).complete(request())
    assert [(e["event"], e["attempt"], e["of"], e["model"], e["log_level"]) for e in logs] == [
        ("model-retry", 1, 3, "tiny", "warning")
    ]
    assert "status 500" in logs[0]["reason"]


@pytest.mark.parametrize(
    "fault",
    [
        unauthorized(),
        Status(400, "bad key {key} in the request"),
        Status(500, "while serving {key}"),
        Status(400, "y" * 390 + " {key}"),
        StreamError("half", f"engine died serving {KEY}"),
    ],
)
async def test_the_key_appears_in_no_error_and_no_log(
    fault: Behaviour, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    import traceback

    caplog.set_level(logging.DEBUG)
    with ModelServer(lambda _: fault) as server:
        client = OpenAICompatibleClient("tiny", server.base_url, KEY, backoff=FAST, max_retries=1)
        with pytest.raises(ModelError) as caught:
            await client.complete(request())
        url = server.base_url.replace("http://", "http://user:hunter22@")
        assert "hunter22" not in repr(vars(OpenAICompatibleClient("tiny", url)))
        with pytest.raises(ModelError) as denied:
            await OpenAICompatibleClient("tiny", url, max_retries=0).complete(request())
    told = str(denied.value)
    told += "".join(traceback.format_exception(caught.value)) + repr(client) + caplog.text + "".join(capfd.readouterr())
    told += repr(vars(client))
    basic = base64.b64encode(b"user:hunter22").decode()
    for secret in (KEY, KEY[:12], "hunter22", basic):
        assert secret not in told


async def test_logs_keep_off_stdout_where_nothing_is_configured(capsys: pytest.CaptureFixture[str]) -> None:
    with ModelServer([server_error(), "right"]) as server:
        await client_of(server).complete(request())
    assert capsys.readouterr().out == ""


async def test_lone_surrogates_become_replacement_characters() -> None:
    body = r'{"choices": [{"index": 0, "message": {"content": "a\ud83d b \ud83d\ude00"}, "finish_reason": "stop"}]}'
    with ModelServer([Garbage(body, "application/json")]) as server:
        got = await client_of(server, streaming=False).complete(request())
    assert got.text == "a\ufffd b \U0001f600"


async def test_user_and_password_of_the_url_are_sent_as_basic_authorization() -> None:
    with ModelServer(["right"]) as server:
        url = server.base_url.replace("http://", "http://user:p%40ss@")
        assert (await OpenAICompatibleClient("tiny", url, "k").complete(request())).text == "right"
    assert server.requests[0].headers["authorization"] == "Basic " + base64.b64encode(b"user:p@ss").decode()


@pytest.mark.parametrize(
    "url", ["", "localhost:8000/v1", "ftp://host/v1", "http://", "http://[::1", "http://h:x/v1", "http://h/v1?key=1"]
)
def test_a_url_that_is_none_is_refused_when_the_client_is_made(url: str) -> None:
    with pytest.raises(ConfigError, match="base URL"):
        OpenAICompatibleClient("tiny", url)


@pytest.mark.parametrize("limit", [{"timeout": 0}, {"idle_timeout": -1}, {"max_retries": -1}])
def test_limits_that_are_none_are_refused(limit: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="must be positive"):
        OpenAICompatibleClient("tiny", "http://h/v1", **limit)
