"""ChatML framing: messages as the raw prompt of a completions endpoint, as KernelGen-LM was served."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from agentkernel.trajectory import Message

END = "<|im_end|>"
"""Ends every turn; also the stop string, because the published script gives none."""


class ChatMl(BaseModel):
    """How messages become one prompt string (facts: sockets, 3.3; script of the KernelGen-LM release).

    Every message is a turn `<|im_start|>role`, newline, text, `<|im_end|>`, newline. The prompt ends with an opened
    assistant turn.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    think: bool = True
    """Open `<think>` in the assistant turn, so that generation starts inside the reasoning: the answer then holds a
    closing tag without an opening one."""
    parenthesise: bool = False
    r"""Wrap every user text in `\(` and `)`: a quirk of the published script, for repeating it byte for byte."""
    fold_system: bool = True
    """Put system messages in front of the first user text: the published prompts have no system turn."""

    def prompt(self, messages: Sequence[Message]) -> str:
        """The raw prompt for some messages.

        Reasoning of earlier assistant turns is left out, as the chat templates of the Qwen3 family do.
        """
        turns = _folded(messages) if self.fold_system else list(messages)
        parts = [f"<|im_start|>{m.role}\n{self._text(m)}{END}\n" for m in turns]
        return "".join(parts) + "<|im_start|>assistant\n" + ("<think>" if self.think else "")

    def _text(self, message: Message) -> str:
        if message.role == "user" and self.parenthesise:
            return f"\\({message.content})"
        if message.role == "assistant":
            return message.content.rpartition("</think>")[2].lstrip("\n")
        return message.content


def _folded(messages: Sequence[Message]) -> list[Message]:
    system = [m.content for m in messages if m.role == "system"]
    turns = [m for m in messages if m.role != "system"]
    first = next((i for i, m in enumerate(turns) if m.role == "user"), None)
    if not system:
        return turns
    if first is None:
        return [Message(role="user", content="\n\n".join(system)), *turns]
    turns[first] = Message(role="user", content="\n\n".join([*system, turns[first].content]))
    return turns
