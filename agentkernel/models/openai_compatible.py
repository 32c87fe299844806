"""A model behind an OpenAI-compatible HTTP endpoint (OpenAI, vLLM, SGLang, llama.cpp, TGI, ...)."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import time
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote, urlsplit, urlunsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from agentkernel.errors import ConfigError, ModelError
from agentkernel.models.base import ModelRequest
from agentkernel.models.collect import Collector
from agentkernel.models.faults import Endpoint, TransientError, status_fault, words
from agentkernel.models.framing import END, ChatMl
from agentkernel.trajectory import Completion

if TYPE_CHECKING:
    from openai import APIError, AsyncOpenAI
    from tenacity import RetryCallState

_NO_KEY = "EMPTY"
"""Sent where no key is set: the openai library wants one, and servers that check none are commonly given this."""


class Backoff(BaseModel):
    """How long to wait between attempts: exponential with jitter, never shorter than `Retry-After` asks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    initial: float = Field(default=1.0, ge=0)
    """Seconds before the second attempt; doubles with every further one."""
    maximum: float = Field(default=60.0, ge=0)
    """Largest exponential wait in seconds."""
    jitter: float = Field(default=1.0, ge=0)
    """Up to so many random seconds are added, so that parallel samples do not return together."""
    retry_after_maximum: float = Field(default=300.0, ge=0)
    """Longest `Retry-After` that is waited for, in seconds; a longer one counts as this much."""


class OpenAICompatibleClient:
    """Asks one model of one endpoint; chat protocol, or raw completions in ChatML framing.

    Asked again, after a wait: 408, 409, 429, 5xx, failed connections, streams that are cut or go silent, answers that
    are not the protocol (not JSON, no choices). Raised at once: 401 and 403, 404, a request too long for the model's
    context, every other 4xx. A connection is opened per request, so a client can be used from any event loop.
    Cancelling a call closes its stream, which tells the server to stop generating.

    Args:
        model: Name that the endpoint knows.
        base_url: `http(s)://host[:port]/v1`, or whatever stands before `/chat/completions`. `user:password@` before
            the host is sent as Basic authorization in place of the key.
        api_key: Key; None for servers that check none. Never written to logs, errors or traces.
        timeout: Seconds for one whole answer, waiting in the server's queue included.
        idle_timeout: Seconds without a byte after which a stream counts as dead.
        connect_timeout: Seconds to open a connection.
        max_retries: Further attempts after the first.
        backoff: Waits between attempts.
        streaming: Stream answers, so that a dead server is noticed after `idle_timeout` and not after `timeout`.
        protocol: `chat` for `/chat/completions`, `completions` for `/completions`.
        framing: How messages become a prompt under `completions`.
        extra_body: Further fields of the request's JSON (`top_k`, `chat_template_kwargs`, ...).
        omit: Fields not to send, for models that refuse them: `temperature`, `top_p`, `seed`, `max_tokens`.
        key_variable: Environment variable that errors tell the user to set.

    Raises:
        ConfigError: The base URL is not an http(s) URL, or a limit is not positive.
    """

    def __init__(
        self,
        model: str,
        base_url: str,
        api_key: str | None = None,
        *,
        timeout: float = 1200.0,
        idle_timeout: float = 300.0,
        connect_timeout: float = 15.0,
        max_retries: int = 4,
        backoff: Backoff | None = None,
        streaming: bool = True,
        protocol: Literal["chat", "completions"] = "chat",
        framing: ChatMl | None = None,
        extra_body: Mapping[str, Any] | None = None,
        omit: Collection[str] = (),
        key_variable: str = "OPENAI_API_KEY",
    ) -> None:
        if min(timeout, idle_timeout, connect_timeout) <= 0 or max_retries < 0:
            raise ConfigError(
                f"timeouts must be positive and max_retries at least 0, not {timeout}, {idle_timeout}, "
                f"{connect_timeout} and {max_retries}"
            )
        url, password = _split_url(base_url)
        self.endpoint = Endpoint(url=url, model=model, key_variable=key_variable)
        self._password = SecretStr(password)
        self._key = SecretStr(api_key or _NO_KEY)
        self._timeout = timeout
        self._idle_timeout = idle_timeout
        self._connect_timeout = connect_timeout
        self._max_retries = max_retries
        self._backoff = backoff or Backoff()
        self._streaming = streaming
        self._protocol = protocol
        self._framing = framing or ChatMl()
        self._extra_body = dict(extra_body or {})
        self._omit = frozenset(omit)
        # learnt from the endpoint's refusals, see _adapt
        self._ask_usage = True
        self._limit_field = "max_tokens"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.endpoint.model!r}, {self.endpoint.url!r}, protocol={self._protocol!r})"

    @property
    def name(self) -> str:
        """The model's name at the endpoint."""
        return self.endpoint.model

    async def complete(self, request: ModelRequest) -> Completion:
        """Answer one request.

        Raises:
            ModelAuthError: 401 or 403.
            ModelNotFoundError: 404, or the endpoint does not know the model.
            ContextLengthError: Prompt and `max_tokens` do not fit the model's context.
            ModelRequestError: Another 4xx; or, on every attempt, an answer that is not the protocol.
            ModelUnavailableError: No attempt brought an answer.
        """
        from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt

        retrying = AsyncRetrying(
            stop=stop_after_attempt(self._max_retries + 1),
            retry=retry_if_exception_type(TransientError),
            wait=self._wait,
            before_sleep=self._log_retry,
            reraise=True,
        )
        try:
            return await retrying(self._attempt, request)
        except TransientError as fault:
            # `from None`, here and below: the library's exceptions quote bodies and requests as they were sent
            raise fault.final(self.endpoint, self._max_retries + 1) from None

    async def _attempt(self, request: ModelRequest) -> Completion:
        from openai import APIConnectionError, APIError, APIResponseValidationError, APIStatusError, APITimeoutError

        try:
            async with asyncio.timeout(self._timeout):
                return await self._ask(request)
        except APITimeoutError:
            idle = self._idle_timeout if self._streaming else self._timeout
            raise TransientError(f"silent for {idle:g} s") from None
        except APIConnectionError as error:
            cause = error.__cause__ or error
            raise TransientError(f"connection failed: {self._clean(str(cause)) or type(cause).__name__}") from None
        except APIStatusError as error:
            if not self._adapt(error):
                raise self._fault(error.status_code, error.body, error.response.headers) from None
            return await self._attempt(request)
        except APIResponseValidationError as error:
            raise TransientError(f"not the protocol: {self._clean(error.message)}", protocol=True) from None
        except APIError as error:  # an error event inside a stream
            code = str(error.body.get("code")) if isinstance(error.body, Mapping) else ""
            status = int(code) if re.fullmatch("[45][0-9][0-9]", code) else 500
            raise self._fault(status, error.body or error.message, {}) from None
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise TransientError(f"not JSON ({type(error).__name__})", protocol=True) from None
        except TimeoutError:
            raise TransientError(f"no whole answer within {self._timeout:g} s") from None

    async def _ask(self, request: ModelRequest) -> Completion:
        start = time.monotonic()
        collector = Collector()
        async with self._open() as client:
            create: Any = client.chat.completions.create if self._protocol == "chat" else client.completions.create
            answer = await create(**self._body(request))
            if not self._streaming:
                collector.add(answer)
            else:
                async with answer:
                    async for chunk in answer:
                        collector.add(chunk)
                    kind = answer.response.headers.get("content-type", "of no type")
                    if collector.empty and "event-stream" not in kind:
                        raise TransientError(f"it is no event stream but {kind} (try streaming=False)", protocol=True)
        return collector.completion(seconds=time.monotonic() - start, streamed=self._streaming)

    def _open(self) -> AsyncOpenAI:
        from httpx2 import Timeout
        from openai import AsyncOpenAI

        read = self._idle_timeout if self._streaming else self._timeout
        password = self._password.get_secret_value()
        return AsyncOpenAI(
            api_key=self._key.get_secret_value(),
            # the URL that the HTTP library writes into its own log
            base_url=self.endpoint.url,
            default_headers={"Authorization": _basic(password)} if password else None,
            timeout=Timeout(read, connect=self._connect_timeout),
            max_retries=0,
        )

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        sampling = request.sampling
        body: dict[str, Any] = {
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            self._limit_field: sampling.max_tokens,
        }
        if sampling.seed is not None:
            body["seed"] = sampling.seed
        body = {key: value for key, value in body.items() if key not in self._omit}
        body["model"] = self.endpoint.model
        if self._protocol == "chat":
            body["messages"] = [m.model_dump() for m in request.messages]
        else:
            body |= {"prompt": self._framing.prompt(request.messages), "stop": [END]}
        if self._streaming:
            body["stream"] = True
            if self._ask_usage:
                body["stream_options"] = {"include_usage": True}
        if self._extra_body:
            body["extra_body"] = self._extra_body
        return body

    def _adapt(self, error: APIError) -> bool:
        """Change what this client sends where that loses nothing and the endpoint refuses it; False for no change."""
        said = words(error.body, self._clean)
        if getattr(error, "status_code", 0) not in (400, 422):
            return False
        if self._streaming and self._ask_usage and "stream_options" in said:
            self._ask_usage = False
        elif self._limit_field == "max_tokens" and "max_completion_tokens" in said and "nsupported" in said:
            self._limit_field = "max_completion_tokens"
        else:
            return False
        _log().warning("model-adapted", endpoint=self.endpoint.url, model=self.name, refused=said)
        return True

    def _fault(self, status: int, body: object, headers: Mapping[str, str]) -> ModelError | TransientError:
        return status_fault(status, body, headers, self.endpoint, self._clean)

    def _clean(self, text: str) -> str:
        """The text without this client's secrets, should an endpoint repeat them."""
        password = self._password.get_secret_value()
        secrets = (self._key.get_secret_value(), _basic(password), password.partition(":")[2])
        for secret in secrets if password else secrets[:1]:
            if secret and secret != _NO_KEY:
                text = text.replace(secret.removeprefix("Basic "), "***")
        return text

    def _wait(self, state: RetryCallState) -> float:
        from tenacity import wait_exponential, wait_random

        b = self._backoff
        wait = (wait_exponential(multiplier=b.initial, max=b.maximum) + wait_random(0, b.jitter))(state)
        fault = state.outcome.exception() if state.outcome else None
        asked = fault.retry_after if isinstance(fault, TransientError) else None
        return max(wait, min(asked or 0.0, b.retry_after_maximum))

    def _log_retry(self, state: RetryCallState) -> None:
        fault = state.outcome.exception() if state.outcome else None
        _log().warning(
            "model-retry",
            endpoint=self.endpoint.url,
            model=self.name,
            attempt=state.attempt_number,
            of=self._max_retries + 1,
            wait_s=round(state.upcoming_sleep, 3),
            reason=str(fault),
        )


def _log() -> Any:
    """A structlog logger over the standard one, so that an application that configures neither keeps a clean stdout."""
    import logging

    import structlog

    return structlog.wrap_logger(logging.getLogger("agentkernel.models"))


def _split_url(base_url: str) -> tuple[str, str]:
    """The URL as it may be shown, and its `user:password`, decoded; empty where it has none.

    Raises:
        ConfigError: It is not an http(s) URL, or it has a query.
    """
    hint = "give it as http://host:port/v1 (AGENTKERNEL_BASE_URL)"
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ConfigError("the base URL of the model endpoint cannot be read", hint=hint) from None
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise ConfigError("the base URL of the model endpoint is not a plain http(s) URL with a host", hint=hint)
    place = f"[{host}]" if ":" in host else host
    url = urlunsplit((parts.scheme, f"{place}:{port}" if port else place, parts.path.rstrip("/"), "", ""))
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return url, f"{user}:{password}" if user or password else ""


def _basic(password: str) -> str:
    return "Basic " + base64.b64encode(password.encode()).decode()
