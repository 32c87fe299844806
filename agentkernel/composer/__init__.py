"""The composer: compiles a formula into a kernel by rules. It is not a language model."""

from agentkernel.composer.composition import Composition, compose
from agentkernel.composer.errors import Refusal

__all__ = ["Composition", "Refusal", "compose"]
