"""TraceStore: the seam behind which runs are kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from agentkernel.trajectory import Attempt, Completion, Outcome, Trajectory, TrajectoryHeader


@runtime_checkable
class TraceStore(Protocol):
    """Append-only memory of runs. Every method raises `StoreError` where the medium fails.

    Writes are idempotent: a graph node that runs again after a kill repeats its writes without doubling anything.
    """

    def put(self, text: str) -> str:
        """Keep a text and return its SHA-256 (hex of the UTF-8 bytes)."""
        ...

    def get(self, digest: str) -> str:
        """The text of a digest.

        Raises:
            StoreError: Nothing is kept under it, or what is kept does not match it.
        """
        ...

    def begin(self, header: TrajectoryHeader) -> None:
        """Open a run. Opening it again with an equal header changes nothing.

        Raises:
            StoreError: The run exists with another header.
        """
        ...

    def journal(self, run_id: str, attempt: int, completion: Completion) -> None:
        """Keep a completion the moment it arrives, before anything is done with it: a killed run never pays twice."""
        ...

    def journaled(self, run_id: str, attempt: int) -> Completion | None:
        """The completion kept for an attempt, None where there is none."""
        ...

    def append(self, run_id: str, attempt: Attempt) -> None:
        """Keep an attempt. Keeping one of the same index again changes nothing."""
        ...

    def finish(self, run_id: str, outcome: Outcome) -> None:
        """Mark a run as ended."""
        ...

    def load(self, run_id: str) -> Trajectory:
        """Read a run back, ended or not.

        Raises:
            StoreError: There is no such run, or its files are damaged (the message says which line).
        """
        ...

    def runs(self) -> Iterator[str]:
        """Ids of all runs, oldest first."""
        ...
