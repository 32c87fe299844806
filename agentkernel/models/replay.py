"""Recording what a model answered, and answering from such a recording without the model.

A recording is a folder of JSON-lines files, one per question. Its name is the SHA-256 of the messages and the sampling
settings; its first line repeats them for a reader; each further line is one answer with the index of the attempt it
was given for, so that a run whose two turns ask the same question is replayed in order even when it is resumed.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from agentkernel.errors import ReplayMissError
from agentkernel.models.base import ModelClient, ModelRequest
from agentkernel.traces.files import append_line, read_lines
from agentkernel.trajectory import Completion, Message, Sampling


class _Question(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    messages: tuple[Message, ...]
    sampling: Sampling
    model: str
    """Name of the model that answered; not part of the key."""


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    attempt: int
    completion: Completion


def request_key(request: ModelRequest) -> str:
    """SHA-256 (hex) over the messages and sampling settings of a request."""
    asked = {
        "messages": [m.model_dump() for m in request.messages],
        "sampling": request.sampling.model_dump(),
    }
    canonical = json.dumps(asked, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


class RecordingClient:
    """Asks another client and keeps every answer.

    Args:
        inner: The client that is asked.
        folder: Where answers go; made when the first comes. Recordings of several runs may share it.
    """

    def __init__(self, inner: ModelClient, folder: str | Path) -> None:
        self._inner = inner
        self._folder = Path(folder)

    @property
    def name(self) -> str:
        """Name of the client that is asked."""
        return self._inner.name

    async def complete(self, request: ModelRequest) -> Completion:
        """Ask, keep, answer.

        Raises:
            ModelError: What the inner client raises; nothing is kept then.
            StoreError: The answer cannot be written.
        """
        completion = await self._inner.complete(request)
        file = self._folder / f"{request_key(request)}.jsonl"
        if not file.exists():
            question = _Question(messages=request.messages, sampling=request.sampling, model=self.name)
            append_line(file, question.model_dump_json())
        append_line(file, _Answer(attempt=request.attempt, completion=completion).model_dump_json())
        return completion


class ReplayClient:
    """Answers from a recording; asked again for the same attempt, it gives the next answer that was recorded for it.

    Args:
        folder: Folder that a `RecordingClient` wrote.
    """

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)
        self._given: dict[tuple[str, int], int] = {}

    @property
    def name(self) -> str:
        """`replay:` and the folder's name."""
        return f"replay:{self._folder.name}"

    async def complete(self, request: ModelRequest) -> Completion:
        """Give the recorded answer.

        Raises:
            ReplayMissError: The recording does not hold this question, or no further answer to it, or it is damaged.
        """
        key = request_key(request)
        file = self._folder / f"{key}.jsonl"
        if not file.exists():
            raise ReplayMissError(
                f"{self._folder} holds no answer to attempt {request.attempt} (question {key[:12]})",
                hint="the prompts or the sampling changed since; record again",
            )
        answers = [a.completion for a in self._answers(file) if a.attempt == request.attempt]
        count = self._given.get((key, request.attempt), 0)
        if count >= len(answers):
            raise ReplayMissError(
                f"{file} holds {len(answers)} answers for attempt {request.attempt}, and one more was asked for",
                hint="record again with as many samples",
            )
        self._given[(key, request.attempt)] = count + 1
        return answers[count]

    def _answers(self, file: Path) -> list[_Answer]:
        answers = []
        for number, line in read_lines(file):
            try:
                if number == 1:
                    _Question.model_validate_json(line)
                else:
                    answers.append(_Answer.model_validate_json(line))
            except ValidationError as error:
                raise ReplayMissError(f"{file}:{number} is damaged", hint="record again") from error
        return answers
