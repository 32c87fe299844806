"""The API oracle: what a compiler for the chip would reject, found in the source before any compiler starts."""

from __future__ import annotations

from agentkernel.knowledge.oracle.check import check

__all__ = ["check"]
