"""What is known about Ascend C: the API index, cards, pitfalls, exemplar kernels, retrieval, and the API oracle.

Names load when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentkernel.knowledge.cards import Card
    from agentkernel.knowledge.exemplars import Exemplar, load_exemplars
    from agentkernel.knowledge.index import Api, Index, load_index
    from agentkernel.knowledge.oracle import check
    from agentkernel.knowledge.pitfalls import Pitfall, load_pitfalls, pitfalls_for
    from agentkernel.knowledge.retrieval import Retrieved, retrieve

_HOMES = {
    "Api": "index",
    "Card": "cards",
    "Exemplar": "exemplars",
    "Index": "index",
    "Pitfall": "pitfalls",
    "Retrieved": "retrieval",
    "check": "oracle",
    "load_exemplars": "exemplars",
    "load_index": "index",
    "load_pitfalls": "pitfalls",
    "pitfalls_for": "pitfalls",
    "retrieve": "retrieval",
}

__all__ = [
    "Api",
    "Card",
    "Exemplar",
    "Index",
    "Pitfall",
    "Retrieved",
    "check",
    "load_exemplars",
    "load_index",
    "load_pitfalls",
    "pitfalls_for",
    "retrieve",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"agentkernel.knowledge.{_HOMES[name]}"), name)
