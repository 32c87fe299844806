"""Cancelling work that blocks in threads: who waits says when nobody waits any more, who works asks.

A thread cannot be stopped from outside. Whoever runs blocking work in one announces an event around it; the places that
wait for child processes look at the announced event, end the child when it is set, and raise `AbandonedError`, which
nobody sees because nobody waits.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Result = TypeVar("Result")

_ANNOUNCED: ContextVar[threading.Event | None] = ContextVar("agentkernel-abandoned", default=None)


class AbandonedError(Exception):
    """Ends work whose result nobody waits for."""


@contextmanager
def abandoned_by(event: threading.Event) -> Iterator[None]:
    """Announce the event to everything that is called inside, threads with a copied context included."""
    token = _ANNOUNCED.set(event)
    try:
        yield
    finally:
        _ANNOUNCED.reset(token)


def announced() -> threading.Event | None:
    """The event to look at while waiting, None where work is never abandoned."""
    return _ANNOUNCED.get()


def raise_if_abandoned() -> None:
    """Leave work that nobody waits for.

    Raises:
        AbandonedError: The announced event is set.
    """
    event = announced()
    if event is not None and event.is_set():
        raise AbandonedError("nobody waits for this any more")


async def in_thread(function: Callable[[], Result]) -> Result:
    """Run something that blocks in a thread; when the caller is cancelled, its child processes are killed.

    Called on an event loop's own thread, it would keep ctrl-C from being heard until it returns.
    """
    import asyncio

    abandoned = threading.Event()
    try:
        with abandoned_by(abandoned):
            return await asyncio.to_thread(function)
    finally:
        abandoned.set()
