"""What a failed request to an OpenAI-compatible endpoint means: which error, and whether asking again can help."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from pydantic import BaseModel, ConfigDict

from agentkernel.errors import (
    ContextLengthError,
    ModelAuthError,
    ModelError,
    ModelNotFoundError,
    ModelRequestError,
    ModelUnavailableError,
)

_CONTEXT = re.compile(
    r"context_length_exceeded|exceed_context_size"
    r"|maximum context length|context length of|model'?s context (length|window|size)|available context size"
    r"|longer than the maximum model length|longer than the model's|max_model_len"
    r"|inputs` tokens \+ `max_new_tokens`|prompt is too long|too many tokens in the prompt",
    re.IGNORECASE,
)
"""Wordings of OpenAI, vLLM (chat, decoder-prompt and max_tokens checks), SGLang, llama.cpp and TGI."""

_UNKNOWN_MODEL = re.compile(r"model_not_found|model\b.{0,120}\b(does not exist|not found)", re.IGNORECASE | re.DOTALL)
_KEY = re.compile(r"\bsk-[A-Za-z0-9_*-]{4,}|(?<=Bearer )\S+")
_SHOWN = 400
"""Characters of an endpoint's own words that an error repeats."""


class Endpoint(BaseModel):
    """What errors say about the endpoint; holds no secret."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    """Base URL without user and password."""
    model: str
    key_variable: str
    """Environment variable that holds the key."""


class TransientError(Exception):
    """One attempt failed in a way that the next may not. Never leaves the client: the last one becomes an error.

    Args:
        reason: What happened; no secrets.
        retry_after: Seconds that the endpoint asks to wait, None where it does not say.
        protocol: Whether the answer broke the protocol (garbage, no choices), rather than not coming.
    """

    def __init__(self, reason: str, *, retry_after: float | None = None, protocol: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after
        self.protocol = protocol

    def final(self, endpoint: Endpoint, attempts: int) -> ModelError:
        """The error to raise when no attempt is left.

        Garbage is asked for again, because a proxy that restarts gives some; where it stays, the request must change.
        """
        times = "once" if attempts == 1 else f"{attempts} times"
        if self.protocol:
            return ModelRequestError(
                f"{endpoint.url} does not answer as an OpenAI-compatible endpoint: {self.reason} (asked {times})",
                hint="check the base URL; it usually ends in /v1",
            )
        return ModelUnavailableError(
            f"{endpoint.url} gave no completion of {endpoint.model}: {self.reason} (asked {times})",
            hint="check that the endpoint is up, or try again later",
        )


def status_fault(
    status: int,
    body: object,
    headers: Mapping[str, str],
    endpoint: Endpoint,
    clean: Callable[[str], str],
) -> ModelError | TransientError:
    """What an error status means.

    Args:
        status: HTTP status, or the code that an error event inside a stream carries.
        body: The answer's parsed JSON, its text, or None.
        headers: Response headers, lower-case names.
        endpoint: For the message.
        clean: Takes the caller's secrets out of a text.
    """
    said = words(body, clean)
    where = f"{endpoint.url} answered {status}" + (f": {said}" if said else "")
    code = str(body.get("code") or body.get("type") or "") if isinstance(body, Mapping) else ""
    if status in (401, 403):
        return ModelAuthError(where, hint=f"set {endpoint.key_variable} to a key with access to {endpoint.model}")
    if status == 404 or (400 <= status < 500 and _UNKNOWN_MODEL.search(f"{code} {said}")):
        return ModelNotFoundError(where, hint=f"check the model name {endpoint.model!r} and the base URL")
    if status != 429 and _CONTEXT.search(f"{code} {said}"):
        return ContextLengthError(where, hint="lower max_tokens or shorten the prompt")
    if "insufficient_quota" in code:
        return ModelRequestError(where, hint="the account behind the key has no credit left")
    if status in (408, 409, 429) or status >= 500:
        return TransientError(f"status {status}" + (f": {said}" if said else ""), retry_after=retry_after(headers))
    return ModelRequestError(where, hint="the endpoint refuses this request; see its words above")


def words(body: object, clean: Callable[[str], str]) -> str:
    """The endpoint's own words in an error body, one line, shortened, without keys."""
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        found = inner.get("message") or inner.get("detail") or "" if isinstance(inner, Mapping) else inner
    else:
        found = body
    text = _KEY.sub("***", clean(" ".join(str(found or "").split())))
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds to wait by `Retry-After` (seconds or an HTTP date, RFC 9110 section 10.2.3), or `retry-after-ms`.

    None where the header is absent or says nothing that can be read; never negative.
    """
    if (ms := _number(headers.get("retry-after-ms"))) is not None:
        return ms / 1000
    value = headers.get("retry-after")
    if value is None or (seconds := _number(value)) is not None:
        return seconds if value is not None else None
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())


def _number(text: str | None) -> float | None:
    if text is None or not re.fullmatch(r"\s*\d+(\.\d+)?\s*", text):
        return None
    return float(text)
