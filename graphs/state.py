"""State of the graphs: hashes and small values. Sources, prompts and verdicts lie in the store under their digest."""

from __future__ import annotations

import operator
from typing import Annotated, TypedDict


class LoopState(TypedDict, total=False):
    """State of one run, as it is checkpointed after every node. An empty digest means that there is none."""

    attempt: int
    """Index of the attempt that is being made."""
    turn: str
    """What that attempt answers (`Turn`)."""
    knowledge: str
    """Digest of the retrieved passages."""
    prompt: str
    """Digest of the messages that were sent; empty for a kernel by hand."""
    kernel: str
    """Digest of the attempt's kernel; empty where none could be taken out of the answer."""
    checked: str
    """Digest of what the API oracle found without rejecting the kernel."""
    verdict: str
    """Digest of the attempt's verdict; empty while it is being judged."""
    last_kernel: str
    """Digest of the latest kernel that was judged, which a repair starts from."""
    last_verdict: str
    """Digest of that kernel's verdict."""
    hint: str
    """Digest of a person's words for the next turn."""
    history: Annotated[list[str], operator.add]
    """One line for each judged attempt."""
    tokens: Annotated[int, operator.add]
    """Prompt and completion tokens so far, estimated where the endpoint does not count; nodes add to it."""
    seconds: Annotated[float, operator.add]
    """Time spent in nodes that ended, over all resumptions; nodes add to it."""
    outcome: str
    """How the run ends (`Outcome`); empty while it goes on."""


class Update(TypedDict, total=False):
    """What a node gives back; the same keys as `LoopState`, increments for history, tokens and seconds."""

    attempt: int
    turn: str
    knowledge: str
    prompt: str
    kernel: str
    checked: str
    verdict: str
    last_kernel: str
    last_verdict: str
    hint: str
    history: list[str]
    tokens: int
    seconds: float
    outcome: str


def start() -> LoopState:
    """The state before the first node."""
    return LoopState(
        attempt=0,
        turn="draft",
        knowledge="",
        prompt="",
        kernel="",
        checked="",
        verdict="",
        last_kernel="",
        last_verdict="",
        hint="",
        history=[],
        tokens=0,
        seconds=0.0,
        outcome="",
    )


class SearchState(TypedDict, total=False):
    """State of a search over several samples."""

    plan: str
    """Digest of the header that the samples' headers are made from."""
    samples: int
    results: Annotated[list[str], operator.add]
    """`run id=outcome` of every sample that ended."""


class SampleState(TypedDict):
    """What one sample of a search is given."""

    plan: str
    index: int
