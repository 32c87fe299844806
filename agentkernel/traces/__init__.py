"""Traces: run folders that can be read back, resumed and re-judged."""

from agentkernel.traces.base import TraceStore
from agentkernel.traces.fork import fork
from agentkernel.traces.memory import MemoryStore
from agentkernel.traces.rejudge import Rejudged, rejudge
from agentkernel.traces.store import FolderStore

__all__ = ["FolderStore", "MemoryStore", "Rejudged", "TraceStore", "fork", "rejudge"]
