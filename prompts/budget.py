"""The token budget of a prompt: sections that can be shortened, in a fixed order, until the whole fits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from pydantic import BaseModel, ConfigDict, Field

from agentkernel.errors import ConfigError
from agentkernel.trajectory import Message

CHARS_PER_TOKEN = 3.5
"""Code and English through the tokenizers of the Qwen and Llama families give 3.6 to 4.2 characters a token; the
estimate stays on the safe side."""
MESSAGE_TOKENS = 8
"""Role marks and separators of one chat message, on the safe side."""

TokenCounter = Callable[[str], int]
"""Tokens of a text. A tokenizer's own count may be given instead of the estimate."""


def estimate_tokens(text: str) -> int:
    """Tokens of a text without a tokenizer: characters over 3.5, rounded up; a character beyond ASCII counts as one."""
    wide = sum(1 for char in text if not char.isascii())
    return wide + math.ceil((len(text) - wide) / CHARS_PER_TOKEN)


class Section(BaseModel):
    """A part of a prompt in several lengths."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    variants: tuple[str, ...] = Field(min_length=1)
    """Fullest first, each shorter than the one before. A last variant that is empty leaves the section out."""


class Prompt(BaseModel):
    """Messages for a model, with what was shortened to make them fit."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    messages: tuple[Message, ...]
    tokens: int
    """By the counter that the prompt was fitted with."""
    shortened: tuple[str, ...] = ()
    """Names of sections that are not in their fullest form."""


def fit(
    sections: Sequence[Section],
    order: Sequence[str],
    *,
    limit: int,
    overhead: int = 0,
    count: TokenCounter = estimate_tokens,
) -> tuple[str, int, tuple[str, ...]]:
    """Shorten sections until their text fits.

    Args:
        sections: In the order of the text; those with an empty variant chosen are left out.
        order: Names of sections in the order in which they are shortened, each to its last variant before the next.
            A section that is not named is never shortened.
        limit: Largest number of tokens.
        overhead: Tokens that are spent outside the sections.
        count: Tokens of a text.

    Returns:
        The text, its tokens with the overhead, and the names of the sections that were shortened.

    Raises:
        ConfigError: It does not fit even in its shortest form.
    """
    level = {section.name: 0 for section in sections}
    size = {section.name: [count(variant) for variant in section.variants] for section in sections}

    def total() -> int:
        return overhead + sum(size[name][level[name]] for name in level) + len(level)  # one token for each blank line

    for name in order:
        while total() > limit and name in level and level[name] + 1 < len(size[name]):
            level[name] += 1
    if total() > limit:
        largest = max(level, key=lambda name: size[name][level[name]])
        raise ConfigError(
            f"the prompt needs {total()} tokens and may have {limit}; its largest part is {largest!r}",
            hint="raise the prompt limit or shorten the task's description",
        )
    chosen = [section.variants[level[section.name]] for section in sections]
    text = "\n\n".join(part for part in chosen if part)
    return text, total(), tuple(name for name in level if level[name] > 0)
