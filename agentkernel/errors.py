"""Infrastructure failures: the machine, the endpoint or the caller's input is at fault, never the candidate kernel.

The whole model of failure has two families that never mix. A *candidate failure* (it does not parse, compile, run or
compute the right numbers) is data: `Diagnostic`s in a `Verdict`, shown to the model. Everything in this module is the
other family: an exception that says what happened, what to do next (`hint`) and whether trying again can help
(`retryable`). It reaches the caller and is never shown to a model as evidence.
"""

from __future__ import annotations

from typing import ClassVar


class AgentKernelError(Exception):
    """Base of every error raised by this library.

    Args:
        message: What happened, and where.
        hint: What to do next; one sentence.
    """

    retryable: ClassVar[bool] = False
    """Whether the same call may succeed later without anything being changed."""

    exit_code: ClassVar[int] = 2
    """Exit status of the command line when this error ends it."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class TaskError(AgentKernelError):
    """A task file or task name is wrong: unknown, malformed, or its reference cannot be evaluated. Fix the task."""


class ConfigError(AgentKernelError):
    """An option, an environment variable or a combination of them is wrong. Change it and call again."""


class ToolchainError(AgentKernelError):
    """The toolchain itself failed: no compiler, too old a one, a broken cache, no CANN. Not the candidate's fault."""

    exit_code = 3


class SandboxError(ToolchainError):
    """The limits that candidate code must run under could not be set up, so it was not run."""


class ModelError(AgentKernelError):
    """A model endpoint did not give a completion."""

    exit_code = 4


class ModelAuthError(ModelError):
    """401 or 403: the key is missing, wrong, or has no right to this model. Set the key and call again."""


class ModelNotFoundError(ModelError):
    """404: the endpoint does not serve this model or path. Check the model name and the base URL."""


class ContextLengthError(ModelError):
    """The prompt and the requested completion do not fit the model's context. Lower max_tokens or the prompt budget."""


class ModelRequestError(ModelError):
    """Another 4xx answer, or one that does not follow the protocol. The request must change."""


class ModelUnavailableError(ModelError):
    """Retries are used up on 408, 409, 429, 5xx, a cut stream or a connection error. Trying later may help."""

    retryable = True


class ReplayMissError(ModelError):
    """A recorded model was asked something that its recording does not hold. Record again."""


class StoreError(AgentKernelError):
    """A run folder cannot be written or read: disk full, no permission, damaged or foreign content."""

    exit_code = 5
