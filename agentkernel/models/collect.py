"""Putting an OpenAI-compatible answer together: from one JSON body, or from the deltas of a stream."""

from __future__ import annotations

from typing import Any

from agentkernel.models.faults import TransientError
from agentkernel.trajectory import Completion


class Collector:
    """Gathers one choice of a chat or text completion.

    The openai library builds its objects without checking them, so every field that is read here is checked here.
    """

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._finish = ""
        self._model = ""
        self._usage: Any = None
        self._choices = 0

    @property
    def empty(self) -> bool:
        """Whether no choice came so far."""
        return not self._choices

    def add(self, answer: object) -> None:
        """Take in one chunk of a stream, or a whole answer.

        Raises:
            TransientError: It does not follow the protocol.
        """
        choices = getattr(answer, "choices", None)
        if choices is not None and not isinstance(choices, list):
            raise TransientError("`choices` is not a list", protocol=True)
        if choices is None and getattr(answer, "usage", None) is None:
            raise TransientError(f"an answer without `choices`: {str(answer)[:120]!r}", protocol=True)
        self._usage = getattr(answer, "usage", None) or self._usage
        self._model = _string(getattr(answer, "model", None), "model") or self._model
        for choice in choices or []:
            if getattr(choice, "index", 0) in (0, None):
                self._choice(choice)

    def _choice(self, choice: object) -> None:
        self._choices += 1
        part = getattr(choice, "delta", None) or getattr(choice, "message", None)
        if part is not None:
            self._text.append(_string(getattr(part, "content", None), "content"))
            # vLLM renamed the field from the first to the second; some servers send both with the same text
            thought = _string(getattr(part, "reasoning_content", None), "reasoning_content")
            self._reasoning.append(thought or _string(getattr(part, "reasoning", None), "reasoning"))
        else:
            self._text.append(_string(getattr(choice, "text", None), "text"))
        self._finish = _string(getattr(choice, "finish_reason", None), "finish_reason") or self._finish

    def completion(self, *, seconds: float, streamed: bool) -> Completion:
        """The gathered answer.

        Raises:
            TransientError: There was no choice, or the stream ended without a finish reason, that is, it was cut.
        """
        if self.empty:
            raise TransientError("an answer without a single choice", protocol=True)
        if streamed and not self._finish:
            raise TransientError(f"the stream was cut after {sum(map(len, self._text))} characters")
        return Completion(
            text=whole("".join(self._text)),
            reasoning=whole("".join(self._reasoning)),
            finish_reason=self._finish or "stop",
            prompt_tokens=_count(self._usage, "prompt_tokens"),
            completion_tokens=_count(self._usage, "completion_tokens"),
            model=self._model,
            seconds=seconds,
        )


def whole(text: str) -> str:
    """The text as valid Unicode: surrogate halves that JSON escapes left apart are joined, lone ones become U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _string(value: object, field: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TransientError(f"`{field}` is not a string", protocol=True)
    return value


def _count(usage: object, field: str) -> int | None:
    value = getattr(usage, field, None)
    return value if isinstance(value, int) and value >= 0 else None
