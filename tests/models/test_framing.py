"""ChatML framing, as KernelGen-LM was published."""

from __future__ import annotations

import pytest

from agentkernel.models import ChatMl
from agentkernel.trajectory import Message


def messages(*turns: tuple[str, str]) -> tuple[Message, ...]:
    return tuple(Message.model_validate({"role": role, "content": text}) for role, text in turns)


def test_one_user_turn_is_framed_byte_for_byte_as_published() -> None:
    prompt = ChatMl(parenthesise=True).prompt(messages(("user", "Write add.")))
    assert prompt == "<|im_start|>user\n\\(Write add.)<|im_end|>\n<|im_start|>assistant\n<think>"


def test_the_parentheses_and_the_opened_reasoning_are_options() -> None:
    framed = ChatMl(think=False).prompt(messages(("user", "Write add.")))
    assert framed == "<|im_start|>user\nWrite add.<|im_end|>\n<|im_start|>assistant\n"


@pytest.mark.parametrize(
    ("fold", "start"),
    [
        (True, "<|im_start|>user\nBe right.\n\nWrite add.<|im_end|>\n"),
        (False, "<|im_start|>system\nBe right.<|im_end|>\n<|im_start|>user\nWrite add.<|im_end|>\n"),
    ],
)
def test_a_system_message_is_folded_into_the_first_user_turn(fold: bool, start: str) -> None:
    asked = messages(("system", "Be right."), ("user", "Write add."))
    assert ChatMl(fold_system=fold).prompt(asked).startswith(start)


def test_a_system_message_alone_becomes_the_user_turn() -> None:
    assert ChatMl().prompt(messages(("system", "Be right."))).startswith("<|im_start|>user\nBe right.<|im_end|>\n")


def test_earlier_reasoning_is_left_out() -> None:
    asked = messages(("user", "a"), ("assistant", "a long thought\n</think>\n\nint x;"), ("user", "b"))
    assert "<|im_start|>assistant\nint x;<|im_end|>\n<|im_start|>user\nb<|im_end|>\n" in ChatMl().prompt(asked)
    assert "thought" not in ChatMl().prompt(asked)
