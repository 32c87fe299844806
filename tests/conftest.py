"""What holds for all tests."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Let SIGINT arrive, for tests of ctrl-C, also where a shell started the run in its background and ignores it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
