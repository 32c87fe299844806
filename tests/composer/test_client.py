"""The composer behind the model seam."""

from __future__ import annotations

import pytest

from agentkernel.bench.suites import load_task
from agentkernel.composer import compose
from agentkernel.composer.client import ComposerClient, style_seed
from agentkernel.errors import ConfigError
from agentkernel.extract import extract
from agentkernel.kernel import Kernel
from agentkernel.models.base import ModelClient, ModelRequest
from agentkernel.trajectory import Message, Sampling, Turn

MESSAGES = (Message(role="user", content="Write it."),)


def ask(task_name: str, **more: object) -> ModelRequest:
    return ModelRequest.model_validate({"messages": MESSAGES, "task": load_task(task_name), **more})


def test_it_is_a_client() -> None:
    assert isinstance(ComposerClient(), ModelClient)
    assert ComposerClient().name == "composer"


async def test_the_answer_is_a_plan_and_a_kernel_that_extraction_takes() -> None:
    task = load_task("softmax-float32")
    completion = await ComposerClient().complete(ask(task.name))
    assert completion.finish_reason == "stop" and completion.model == "composer"
    assert completion.text.startswith("Plan:\n- ")
    assert completion.text.count("<kernel_impl>") == 1
    kernel = extract(completion, task)
    assert isinstance(kernel, Kernel)
    assert kernel.files == {"op_kernel/softmax_custom.cpp": kernel.files["op_kernel/softmax_custom.cpp"]}
    assert (
        kernel.files["op_kernel/softmax_custom.cpp"].strip() == next(iter(compose(task).kernel.files.values())).strip()
    )


async def test_a_repair_turn_says_so_and_tries_the_next_style() -> None:
    client = ComposerClient()
    first = await client.complete(ask("add-float32", sampling=Sampling(seed=2)))
    second = await client.complete(ask("add-float32", sampling=Sampling(seed=2), attempt=1, turn=Turn.REPAIR_KERNEL))
    assert "attempt 1" in second.text and "attempt" not in first.text
    assert extract(first, load_task("add-float32")) != extract(second, load_task("add-float32"))


async def test_a_refusal_is_a_completion_that_names_the_reason() -> None:
    completion = await ComposerClient().complete(ask("cumsum-float32"))
    assert completion.finish_reason == "refusal"
    assert "cumsum-float32" in completion.text and "Python source" in completion.text


async def test_without_a_task_there_is_nothing_to_compose() -> None:
    with pytest.raises(ConfigError, match="task"):
        await ComposerClient().complete(ModelRequest(messages=MESSAGES))


def test_samples_and_attempts_have_styles_of_their_own() -> None:
    styles = [style_seed(seed, attempt) for seed in range(20) for attempt in range(20)]
    assert len(set(styles)) == len(styles)
    assert style_seed(None, 0) == 0 and min(styles) >= 0
