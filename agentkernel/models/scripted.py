"""A model that gives prepared answers: tests, demonstrations, and runs that must come out the same every time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from agentkernel.errors import ConfigError, ModelError
from agentkernel.models.base import ModelRequest
from agentkernel.trajectory import Completion


class ScriptedClient:
    """Answers the n-th request with the n-th of its answers; an exception among them is raised.

    Args:
        answers: Texts, completions or exceptions.
        name: Name in trajectories.
        by_attempt: Choose by the request's attempt index rather than by counting requests, so that a run resumed in
            another process goes on where it was, and every sample gets the same answers.
    """

    def __init__(
        self,
        answers: Sequence[str | Completion | Exception],
        *,
        name: str = "scripted",
        by_attempt: bool = False,
    ) -> None:
        self._answers = tuple(answers)
        self._name = name
        self._by_attempt = by_attempt
        self.requests: list[ModelRequest] = []
        """Every request so far."""

    @classmethod
    def from_file(cls, path: str | Path) -> ScriptedClient:
        """Read answers from JSON lines, one `Completion` a line (`{"text": "..."}` at least), chosen by attempt.

        Raises:
            ConfigError: The file cannot be read, or a line is no completion; the message names the line.
        """
        file = Path(path)
        try:
            lines = file.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"cannot read the script {file}: {error}", hint="give a file of JSON lines") from error
        answers = []
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                answers.append(Completion.model_validate(json.loads(line)))
            except (json.JSONDecodeError, ValidationError) as error:
                why = str(error).splitlines()[0]
                raise ConfigError(
                    f"{file}:{number} is no completion: {why}", hint='each line is like {"text": "the answer"}'
                ) from error
        return cls(answers, name=f"script:{file.name}", by_attempt=True)

    @property
    def name(self) -> str:
        """The name it was given."""
        return self._name

    async def complete(self, request: ModelRequest) -> Completion:
        """Give the next answer.

        Raises:
            ModelError: The script has no further answer.
        """
        index = request.attempt if self._by_attempt else len(self.requests)
        self.requests.append(request)
        if index >= len(self._answers):
            raise ModelError(
                f"the script {self._name!r} has {len(self._answers)} answers and was asked for number {index + 1}",
                hint="add answers, or lower the budget of turns",
            )
        answer = self._answers[index]
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Completion) else Completion(text=answer, model=self._name)
