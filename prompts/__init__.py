"""Every word that a model reads: templates, their loader, and the budget that keeps a prompt below a model's limit."""

from agentkernel.prompts.budget import Prompt, Section, estimate_tokens
from agentkernel.prompts.compose import Passage, PromptOptions, Round, draft_prompt, repair_prompt, repair_turn

__all__ = [
    "Passage",
    "Prompt",
    "PromptOptions",
    "Round",
    "Section",
    "draft_prompt",
    "estimate_tokens",
    "repair_prompt",
    "repair_turn",
]
