"""MemoryStore: runs that last as long as the object, for tests and for callers who keep nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from agentkernel.errors import StoreError
from agentkernel.trajectory import Attempt, Completion, Outcome, Trajectory, TrajectoryHeader


class MemoryStore:
    """TraceStore over dictionaries."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._headers: dict[str, TrajectoryHeader] = {}
        self._attempts: dict[str, list[Attempt]] = {}
        self._completions: dict[tuple[str, int], Completion] = {}
        self._outcomes: dict[str, Outcome] = {}

    def put(self, text: str) -> str:
        """Keep a text and return its SHA-256.

        Raises:
            StoreError: It holds lone surrogates.
        """
        try:
            digest = hashlib.sha256(text.encode()).hexdigest()
        except UnicodeEncodeError as error:
            raise StoreError("a text with lone surrogates cannot be kept: it is not valid Unicode") from error
        self._texts[digest] = text
        return digest

    def get(self, digest: str) -> str:
        """The text of a digest.

        Raises:
            StoreError: It is not there.
        """
        if digest not in self._texts:
            raise StoreError(f"no text {digest[:12]} in this store")
        return self._texts[digest]

    def begin(self, header: TrajectoryHeader) -> None:
        """Open a run, or open it again with an equal header.

        Raises:
            StoreError: The run exists with another header.
        """
        if self._headers.setdefault(header.run_id, header) != header:
            raise StoreError(f"the run {header.run_id} exists with another header", hint="choose another run id")
        self._attempts.setdefault(header.run_id, [])

    def journal(self, run_id: str, attempt: int, completion: Completion) -> None:
        """Keep a completion the moment it arrives; one that is kept already stays."""
        self._known(run_id)
        self._completions.setdefault((run_id, attempt), completion)

    def journaled(self, run_id: str, attempt: int) -> Completion | None:
        """The completion kept for an attempt, None where there is none."""
        return self._completions.get((run_id, attempt))

    def append(self, run_id: str, attempt: Attempt) -> None:
        """Keep an attempt; one whose index is kept already changes nothing.

        Raises:
            StoreError: Its index leaves a gap.
        """
        kept = self._known(run_id)
        if attempt.index > len(kept):
            raise StoreError(f"{run_id}: attempt {attempt.index} would follow {len(kept)} kept attempts, leaving a gap")
        if attempt.index == len(kept):
            kept.append(attempt)

    def finish(self, run_id: str, outcome: Outcome) -> None:
        """Mark a run as ended."""
        self._known(run_id)
        self._outcomes[run_id] = outcome

    def load(self, run_id: str) -> Trajectory:
        """Read a run back, ended or not.

        Raises:
            StoreError: There is no such run.
        """
        attempts = tuple(self._known(run_id))
        return Trajectory(header=self._headers[run_id], attempts=attempts, outcome=self._outcomes.get(run_id))

    def runs(self) -> Iterator[str]:
        """Ids of all runs, oldest first."""
        yield from sorted(self._headers, key=lambda run_id: (self._headers[run_id].created, run_id))

    def _known(self, run_id: str) -> list[Attempt]:
        if run_id not in self._attempts:
            raise StoreError(f"no run {run_id!r} in this store", hint="begin it first")
        return self._attempts[run_id]
