"""A small real HTTP server that speaks the OpenAI chat and completions protocol and does what a script tells it.

It listens on 127.0.0.1, on a free port, in threads of its own, and answers the n-th request with the n-th behaviour:

    with ModelServer(["first answer", rate_limited(retry_after="1"), CutStream("half of an ans")]) as server:
        client = OpenAICompatibleClient("any", server.base_url)

Tests of clients and of whole loops use it instead of mocks: sockets, SSE framing and HTTP errors are real.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Answer:
    """A proper answer, streamed in pieces where the request asks for a stream."""

    text: str
    reasoning: str = ""
    """Sent as `reasoning_field`, before the text."""
    reasoning_field: str = "reasoning_content"
    """vLLM's older name; newer servers say `reasoning`."""
    finish_reason: str = "stop"
    piece: int = 16
    """Characters per delta."""
    delay: float = 0.0
    """Seconds before each delta: slow tokens."""
    usage: bool = True
    """Whether tokens are counted; a stream counts them only where `stream_options.include_usage` asks."""


@dataclass(frozen=True)
class Status:
    """An error status with a JSON body `{"error": {...}}`, or with a text body."""

    status: int
    message: str = ""
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    text: str | None = None
    """Sent as text/html instead of JSON, as a proxy's error page is."""


@dataclass(frozen=True)
class CutStream:
    """A stream that breaks off: these characters arrive, then the connection closes without an end."""

    text: str
    abrupt: bool = True
    """Break the chunked transfer in the middle; False ends it properly, yet without a finish reason or `[DONE]`."""


@dataclass(frozen=True)
class StreamError:
    """A stream that carries these characters and then an error event, as vLLM reports an engine that died."""

    text: str
    message: str = "engine died"
    code: int | None = 500


@dataclass(frozen=True)
class Silence:
    """Headers and these characters, then nothing until the client hangs up or `seconds` are over."""

    text: str = ""
    seconds: float = 30.0


@dataclass(frozen=True)
class Garbage:
    """Status 200 with a body that is not the protocol."""

    body: str = "<html>It works!</html>"
    content_type: str = "text/html"


Behaviour = Answer | Status | CutStream | StreamError | Silence | Garbage


@dataclass(frozen=True)
class RecordedRequest:
    """What a client sent."""

    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: Mapping[str, Any]


def rate_limited(retry_after: str = "0") -> Status:
    """429 with a `Retry-After` header (seconds or an HTTP date)."""
    return Status(429, "Rate limit reached", "rate_limit_exceeded", {"Retry-After": retry_after})


def server_error() -> Status:
    """500, as a crashed worker gives it."""
    return Status(500, "The server had an error while processing your request")


def unauthorized() -> Status:
    """401, repeating the key's end as real endpoints do."""
    return Status(401, "Incorrect API key provided: {key}", "invalid_api_key")


def unknown_model() -> Status:
    """404 for a model that is not served."""
    return Status(404, "The model `{model}` does not exist.", "model_not_found")


def context_length() -> Status:
    """400 in vLLM's words for a prompt that is too long."""
    return Status(
        400,
        "This model's maximum context length is 1024 tokens. However, you requested 2000 tokens (1500 in the messages, "
        "500 in the completion). Please reduce the length of the messages or completion.",
    )


class ModelServer:
    """Runs the script; a context manager.

    Args:
        script: One behaviour per request, in order (a text is an `Answer`); or a function of the request. A request
            past the script's end gets status 400, which no client repeats.
        api_key: Where set, every other key gets 401 without using up a behaviour.
        stream_options: `honour` them; `ignore` them; or `refuse` requests that carry them with 400, again without
            using up a behaviour.
    """

    def __init__(
        self,
        script: Sequence[Behaviour | str] | Callable[[RecordedRequest], Behaviour | str],
        *,
        api_key: str | None = None,
        stream_options: str = "honour",
    ) -> None:
        self._script = script
        self._api_key = api_key
        self._stream_options = stream_options
        self._lock = threading.Lock()
        self._used = 0
        self.requests: list[RecordedRequest] = []
        """Every request that came, refused ones included."""
        self.hang_ups = threading.Semaphore(0)
        """Released whenever a client closed its connection before the answer's end."""
        self.closing = threading.Event()
        owner = self

        class Handler(_Handler):
            server_owner = owner

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        """URL to give to a client, ending in /v1."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def behaviour(self, request: RecordedRequest) -> Behaviour:
        """Record a request and give what to do with it."""
        with self._lock:
            self.requests.append(request)
            if self._api_key is not None and request.headers.get("authorization") != f"Bearer {self._api_key}":
                return unauthorized()
            if self._stream_options == "refuse" and "stream_options" in request.body:
                return Status(400, "Unrecognized request argument supplied: stream_options")
            if callable(self._script):
                found = self._script(request)
            elif self._used < len(self._script):
                found = self._script[self._used]
                self._used += 1
            else:
                return Status(400, f"the script of {len(self._script)} answers is used up")
            return Answer(found) if isinstance(found, str) else found

    def counts_usage(self, request: RecordedRequest) -> bool:
        """Whether this request's stream ends with token counts."""
        asked = request.body.get("stream_options") or {}
        return self._stream_options == "honour" and bool(asked.get("include_usage"))


class _HangUpError(Exception):
    """The client closed the connection."""


class _Handler(BaseHTTPRequestHandler):
    """One connection; the request is served by the behaviour that the owner names."""

    server_owner: ModelServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: tests read `requests`."""

    def do_GET(self) -> None:
        """`/v1/models`, which some clients ask to see whether a server is up."""
        self._json(200, {"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_POST(self) -> None:
        """Chat and text completions."""
        raw = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        headers = {key.lower(): value for key, value in self.headers.items()}
        request = RecordedRequest(self.path, headers, json.loads(raw or b"{}"))
        if self.path not in ("/v1/chat/completions", "/v1/completions"):
            self._json(404, {"detail": "Not Found"})
            return
        try:
            self._serve(request, self.server_owner.behaviour(request))
        except (_HangUpError, BrokenPipeError, ConnectionResetError):
            self.close_connection = True
            self.server_owner.hang_ups.release()

    def _serve(self, request: RecordedRequest, behaviour: Behaviour) -> None:
        match behaviour:
            case Status():
                self._status(request, behaviour)
            case Garbage():
                self._bytes(200, behaviour.content_type, behaviour.body.encode())
            case Answer() if not request.body.get("stream"):
                self._json(200, _whole(request, behaviour))
            case Answer():
                self._stream(_deltas(request, behaviour, self.server_owner.counts_usage(request)), behaviour.delay)
                self._chunk(b"")
            case CutStream():
                self._stream(_pieces(request, behaviour.text), done=False)
                if behaviour.abrupt:
                    self._close()
                else:
                    self._chunk(b"")
            case StreamError():
                error = {"error": {"message": behaviour.message, "type": "server_error", "code": behaviour.code}}
                self._stream([*_pieces(request, behaviour.text), error])
                self._chunk(b"")
            case Silence():
                if request.body.get("stream"):
                    self._stream(_pieces(request, behaviour.text), done=False)
                self._wait(behaviour.seconds)
                self._close()

    def _status(self, request: RecordedRequest, status: Status) -> None:
        if status.text is not None:
            self._bytes(status.status, "text/html", status.text.encode(), status.headers)
            return
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        message = status.message.replace("{model}", str(request.body.get("model"))).replace("{key}", key)
        error = {"message": message, "type": "invalid_request_error", "param": None, "code": status.code}
        self._bytes(status.status, "application/json", json.dumps({"error": error}).encode(), status.headers)

    def _json(self, status: int, body: object) -> None:
        self._bytes(status, "application/json", json.dumps(body).encode())

    def _bytes(self, status: int, content_type: str, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for key, value in (headers or {}).items():
            self.send_header(key, value)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, events: Sequence[object] | Iterator[object], delay: float = 0.0, *, done: bool = True) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in events:
            self._wait(delay)
            self._chunk(f"data: {json.dumps(event)}\n\n".encode())
        if done:
            self._chunk(b"data: [DONE]\n\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _wait(self, seconds: float) -> None:
        """Wait, but not longer than the client and the server live.

        Raises:
            _HangUpError: The client closed the connection meanwhile.
        """
        step = 0.01
        for _ in range(round(seconds / step)):
            if self.server_owner.closing.wait(step):
                return
            self.connection.setblocking(False)
            try:
                gone = self.connection.recv(1, socket.MSG_PEEK) == b""
            except BlockingIOError:
                gone = False
            finally:
                self.connection.setblocking(True)
            if gone:
                raise _HangUpError

    def _close(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)


def _words(text: str) -> int:
    """Count "tokens": words, so that a test can foresee the number."""
    return len(text.split())


def _usage(request: RecordedRequest, answer: Answer) -> dict[str, int]:
    messages = request.body.get("messages") or [{"content": request.body.get("prompt", "")}]
    prompt = sum(_words(m["content"]) for m in messages)
    completion = (_words(answer.text) + _words(answer.reasoning)) * int(request.body.get("n") or 1)
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _head(request: RecordedRequest, *, streamed: bool) -> dict[str, Any]:
    chat = request.path.endswith("/chat/completions")
    kind = ("chat.completion" if chat else "text_completion") + (".chunk" if streamed and chat else "")
    return {"id": "scripted-1", "object": kind, "created": 0, "model": request.body.get("model", "")}


def _whole(request: RecordedRequest, answer: Answer) -> dict[str, Any]:
    if request.path.endswith("/chat/completions"):
        message = {"role": "assistant", "content": answer.text}
        if answer.reasoning:
            message[answer.reasoning_field] = answer.reasoning
        part: dict[str, Any] = {"message": message}
    else:
        part = {"text": answer.text, "logprobs": None}
    choices = [part | {"index": i, "finish_reason": answer.finish_reason} for i in range(request.body.get("n") or 1)]
    body = _head(request, streamed=False) | {"choices": choices}
    return body | {"usage": _usage(request, answer)} if answer.usage else body


def _deltas(request: RecordedRequest, answer: Answer, counted: bool) -> Iterator[object]:
    yield from _pieces(request, answer.reasoning, answer.piece, answer.reasoning_field)
    yield from _pieces(request, answer.text, answer.piece)
    part: dict[str, Any] = {"delta": {}} if request.path.endswith("/chat/completions") else {"text": ""}
    head = _head(request, streamed=True)
    choices = range(request.body.get("n") or 1)
    yield head | {"choices": [part | {"index": i, "finish_reason": answer.finish_reason} for i in choices]}
    if counted and answer.usage:
        yield head | {"choices": [], "usage": _usage(request, answer)}


def _pieces(request: RecordedRequest, text: str, size: int = 16, name: str = "content") -> Iterator[object]:
    head = _head(request, streamed=True)
    chat = request.path.endswith("/chat/completions")
    for start in range(0, len(text), size):
        piece = text[start : start + size]
        part: dict[str, Any] = {"delta": {"role": "assistant", name: piece}} if chat else {"text": piece}
        for index in range(request.body.get("n") or 1):
            yield head | {"choices": [part | {"index": index, "finish_reason": None}]}
