"""The composer behind the model seam: answers a request with a plan in words and a kernel."""

from __future__ import annotations

import asyncio
import time

from agentkernel.composer.composition import Composition, compose
from agentkernel.composer.errors import Refusal
from agentkernel.errors import ConfigError
from agentkernel.models.base import ModelRequest
from agentkernel.trajectory import Completion, Turn

_STYLES_PER_SEED = 1000
"""Distance between the styles of two sampling seeds: repairs of one sample do not repeat another sample's drafts."""
_BAR = "=" * 18
"""Around the path of each of several files, as KernelGen-LM was trained to write it."""


class ComposerClient:
    """Writes kernels from the task itself; messages are not read.

    The style seed is the sampling seed and the attempt's index, so a repair turn tries the next style.
    """

    @property
    def name(self) -> str:
        """`composer`."""
        return "composer"

    async def complete(self, request: ModelRequest) -> Completion:
        """Compose the request's task.

        Raises:
            ConfigError: The request carries no task.
        """
        if request.task is None:
            raise ConfigError("the composer needs the task itself", hint="set ModelRequest.task")
        start = time.monotonic()
        seed = style_seed(request.sampling.seed, request.attempt)
        try:
            composition = await asyncio.to_thread(compose, request.task, seed)
        except Refusal as refusal:
            text, reason = f"The composer refuses: {refusal}.", "refusal"
        else:
            text, reason = _answer(composition, request.turn, request.attempt), "stop"
        return Completion(text=text, finish_reason=reason, model=self.name, seconds=time.monotonic() - start)


def style_seed(sampling_seed: int | None, attempt: int) -> int:
    """Style of an attempt: consecutive for one sampling seed, far from those of another."""
    return abs(sampling_seed or 0) * _STYLES_PER_SEED + attempt


def _answer(composition: Composition, turn: Turn, attempt: int) -> str:
    kernel = composition.kernel
    lines = ["Plan:", *(f"- {note}" for note in composition.notes)]
    if turn is not Turn.DRAFT:
        first = (
            f"This is style {composition.seed}, attempt {attempt}: I compile the formula by rules and cannot read the "
            "findings, so I write the kernel again with other choices."
        )
        lines.insert(0, first)
    if kernel.host_files:
        code = [part for name, text in kernel.files.items() for part in (f"{_BAR} {name} {_BAR}", *_fenced(text))]
    else:
        code = ["<kernel_impl>", *_fenced(kernel.files[kernel.main_file]), "</kernel_impl>"]
    return "\n".join([*lines, "", *code])


def _fenced(source: str) -> tuple[str, ...]:
    return ("```cpp", source.rstrip("\n"), "```")
