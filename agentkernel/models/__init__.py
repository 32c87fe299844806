"""Model clients: endpoints, recordings, scripts."""

from agentkernel.models.base import ModelClient, ModelRequest
from agentkernel.models.factory import make_client
from agentkernel.models.framing import ChatMl
from agentkernel.models.openai_compatible import Backoff, OpenAICompatibleClient
from agentkernel.models.replay import RecordingClient, ReplayClient
from agentkernel.models.scripted import ScriptedClient

__all__ = [
    "Backoff",
    "ChatMl",
    "ModelClient",
    "ModelRequest",
    "OpenAICompatibleClient",
    "RecordingClient",
    "ReplayClient",
    "ScriptedClient",
    "make_client",
]
