"""Poison for outputs, written while the runner starts; it waits for the end before it loads the candidate."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from agentkernel.simulator.gm_buffers import Buffer
from agentkernel.simulator.output_files import OutputFile


class Poisoning:
    """The large outputs of one launch, and the pipe that tells the runner that they are poisoned.

    Args:
        buffers: All arguments; those whose poison `write_buffers` left out are written.
    """

    def __init__(self, buffers: Sequence[Buffer]) -> None:
        self._buffers = [buffer for buffer in buffers if isinstance(buffer.keeper, OutputFile)]
        self._reader = self._writer = -1
        self._error: OSError | None = None

    def __enter__(self) -> Self:
        if self._buffers:
            self._reader, self._writer = os.pipe()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._reader >= 0:
            os.close(self._reader)
        self._close_writer()

    @property
    def descriptors(self) -> tuple[int, ...]:
        """What the runner inherits."""
        return (self._reader,) if self._reader >= 0 else ()

    @property
    def line(self) -> str:
        """The launch file's directive; empty where nothing has to be waited for."""
        return f"ready\tfd:{self._reader}\n" if self._reader >= 0 else ""

    def write(self) -> None:
        """Poison the outputs and say so. Where that fails the runner ends without having loaded the candidate."""
        try:
            for buffer in self._buffers:
                buffer.poison()
        except OSError as error:
            self._error = error
            self._close_writer()
        if self._writer >= 0:
            with contextlib.suppress(BrokenPipeError):  # the runner has ended; its status says why
                os.write(self._writer, b"1")

    def raise_if_failed(self) -> None:
        """To be called when the runner has ended.

        Raises:
            OSError: The disk is full.
        """
        if self._error is not None:
            raise self._error

    def _close_writer(self) -> None:
        if self._writer >= 0:
            os.close(self._writer)
            self._writer = -1
