"""Refusal: the composer names what it cannot compose."""

from __future__ import annotations


class Refusal(Exception):  # noqa: N818 - a result that callers show, not a fault of the program
    """A task that the rules do not cover. Data for the client: a completion with finish reason `refusal`.

    Args:
        what: The operation, node or property that is not composable, in words (`a prefix sum`).
        why: The fact behind it (`Compare takes int32 for EQ only on Ascend 910B`).
    """

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")
        self.what = what
        self.why = why
