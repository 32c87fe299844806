"""Prompts say what they must, fit their limit, and never drop what is wrong.

The golden texts are written by `python tests/prompts/test_prompts.py` and reviewed as a diff.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from agentkernel.diagnostic import Diagnostic, Level, Location
from agentkernel.errors import ConfigError
from agentkernel.extract import extract
from agentkernel.kernel import Kernel
from agentkernel.prompts import (
    Passage,
    Prompt,
    PromptOptions,
    Round,
    Section,
    draft_prompt,
    estimate_tokens,
    repair_prompt,
    repair_turn,
)
from agentkernel.prompts.budget import fit
from agentkernel.prompts.compose import history_line
from agentkernel.prompts.loader import fenced, render
from agentkernel.task import AttrSpec, Case, Reference, Task, TensorSpec
from agentkernel.trajectory import Completion, Turn
from agentkernel.verdict import CaseResult, ErrorStats, Stage, Verdict

GOLDEN = Path(__file__).parent / "golden"
TASK = Task(
    name="axpy-float16",
    description="Scale one vector and add another.",
    level="L1",
    entry="axpy",
    inputs=(
        TensorSpec(name="x", dtype="float16", shape=("n",)),
        TensorSpec(name="y", dtype="float16", shape=("n",), description="added as it is"),
    ),
    outputs=(TensorSpec(name="z", dtype="float16", shape=("n",)),),
    attrs=(AttrSpec(name="alpha", type="float", default=1.5),),
    cases=tuple(Case(name=f"n{n}", dims={"n": n}) for n in (1, 16, 17, 4096)),
    reference=Reference(formula="z = alpha * x + y"),
)
STATIC = Task.model_validate(
    {**TASK.model_dump(), "name": "axpy-static", "shape_mode": "static", "cases": [TASK.cases[1].model_dump()]}
)
KERNEL = Kernel.from_source(
    '#include "kernel_operator.h"\nusing namespace AscendC;\n'
    'extern "C" __global__ __aicore__ void axpy(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)\n'
    "{\n    AxpyAdd(zLocal, xLocal, alpha, count);\n    DataCopy(zGm, zLocal, count);\n}\n",
    "axpy",
)
MAIN = KERNEL.main_file
UNKNOWN = Diagnostic(
    code="unknown-api",
    level=Level.API,
    message="AxpyAdd is not an Ascend C function.",
    location=Location(file=MAIN, line=5, column=5, end_column=12),
    hint="use Axpy(dst, src, scalar, count)",
    apis=("Axpy",),
)
MISSING_SYNC = Diagnostic(
    code="missing-sync",
    level=Level.HAZARD,
    message="MTE3 reads what V writes and nothing orders them.",
    location=Location(file=MAIN, line=6),
    related=((Location(file=MAIN, line=5), "the write by V"),),
)
WRONG = Diagnostic(
    code="wrong-values",
    level=Level.NUMERIC,
    message="z differs from the reference in the last 1 of 17 elements.",
    evidence={"pattern": "tail", "expected": [0.5], "got": [0.0]},
)
CARD = Passage(title="Axpy", text="`Axpy(dst, src, scalar, count)`: dst = scalar * src + dst, for half and float.")


def checked(*diagnostics: Diagnostic) -> Round:
    verdict = Verdict(passed=False, stage=Stage.CHECK, toolchain="simulator", diagnostics=diagnostics)
    return Round(kernel=KERNEL, verdict=verdict)


def ran() -> Round:
    error = ErrorStats(output="z", mean_relative=0.06, max_relative=1.0, threshold=2**-10, mismatched=1, total=17)
    cases = (
        CaseResult(case="n16", passed=False, diagnostics=(MISSING_SYNC,)),
        CaseResult(case="n17", passed=False, diagnostics=(MISSING_SYNC, WRONG), errors=(error,)),
    )
    return Round(kernel=KERNEL, verdict=Verdict(passed=False, stage=Stage.VERIFY, toolchain="simulator", cases=cases))


def unreadable() -> tuple[Diagnostic, ...]:
    result = extract(Completion(text="Here is my plan.", finish_reason="length", completion_tokens=9), TASK)
    assert isinstance(result, tuple)
    return result


OPERATOR = Task(
    name="norms",
    description="Norms of a list.",
    level="L2",
    entry="norms",
    path="full",
    inputs=(
        TensorSpec(name="x", dtype="float32", shape=("*parts", "n"), param_type="dynamic"),
        TensorSpec(name="gamma", dtype="float32", shape=("n",), param_type="optional"),
        TensorSpec(name="state", dtype="float32", shape=(8,)),
    ),
    outputs=(
        TensorSpec(name="y", dtype="float32", shape=("*parts", "n"), param_type="dynamic"),
        TensorSpec(name="state", dtype="float32", shape=(8,)),
        TensorSpec(name="rstd", dtype="float32", shape=(1,), compare=False),
    ),
    attrs=(
        AttrSpec(name="axes", type="list_int", default=(0, 1)),
        AttrSpec(name="scales", type="list_float", default=(0.5,)),
        AttrSpec(name="mode", type="string", default='a "b"'),
    ),
    cases=(
        Case(name="two", dims={"n": 4}, shapes={"parts": ((2, 3), ())}, attrs={"mode": "c"}),
        Case(name="one", dims={"n": 5}, shapes={"parts": ((7,),)}, absent=("gamma",), attrs={"axes": (3,)}),
    ),
    reference=Reference(python="def reference(inputs, attrs): ..."),
)
ON_DEVICE = Task.model_validate(
    OPERATOR.model_dump()
    | {"path": "device", "attrs": ()}
    | {"cases": [case.model_dump() | {"attrs": {}} for case in OPERATOR.cases]}
)

PROMPTS: dict[str, Callable[[], Prompt]] = {
    "draft": lambda: draft_prompt(TASK, [CARD]),
    "draft_static": lambda: draft_prompt(STATIC, options=PromptOptions(answer="kernel_impl")),
    "repair_api": lambda: repair_prompt(
        TASK, checked(UNKNOWN), cards=[CARD], history=[history_line(0, Turn.DRAFT, checked(UNKNOWN).verdict)]
    ),
    "repair_kernel": lambda: repair_prompt(TASK, ran(), hint="Look at the tail."),
    "draft_list": lambda: draft_prompt(ON_DEVICE),
    "draft_operator": lambda: draft_prompt(OPERATOR),
    "repair_format": lambda: repair_prompt(TASK, None, unreadable()),
}


def text_of(prompt: Prompt) -> str:
    return "".join(f"[{m.role}]\n{m.content}\n\n" for m in prompt.messages)


@pytest.mark.parametrize("name", PROMPTS)
def test_prompts_read_as_reviewed(name: str) -> None:
    assert text_of(PROMPTS[name]()) == (GOLDEN / f"{name}.txt").read_text("utf-8")


@pytest.mark.parametrize("name", PROMPTS)
def test_equal_inputs_give_equal_prompts(name: str) -> None:
    assert PROMPTS[name]() == PROMPTS[name]()


def test_the_answer_is_asked_for_in_the_form_that_the_model_was_trained_on() -> None:
    assert PromptOptions.for_model("AscendKernelGen/KernelGen-LM-4B").answer == "kernel_impl"
    assert PromptOptions.for_model("qwen3-coder").answer == "fence"


def test_the_turn_follows_the_level_of_the_first_error() -> None:
    assert repair_turn(checked(UNKNOWN).verdict) is Turn.REPAIR_API
    assert repair_turn(ran().verdict) is Turn.REPAIR_KERNEL
    cheat = UNKNOWN.model_copy(update={"level": Level.CHEAT, "code": "harness-access"})
    assert repair_turn(checked(cheat).verdict) is Turn.REPAIR_API
    nothing = Verdict(passed=False, stage=Stage.EXTRACT, toolchain="simulator", diagnostics=unreadable())
    assert repair_turn(nothing) is Turn.REPAIR_FORMAT


def test_an_unreadable_answer_keeps_the_kernel_before_it_and_its_findings() -> None:
    text = text_of(repair_prompt(TASK, checked(UNKNOWN), unreadable()))
    assert "AxpyAdd(zLocal" in text
    assert "unknown-api" in text
    assert "truncated-answer" in text


def test_a_hint_on_a_kernel_that_passes_asks_to_follow_it() -> None:
    good = Round(kernel=KERNEL, verdict=Verdict(passed=True, stage=Stage.VERIFY, toolchain="simulator"))
    text = text_of(repair_prompt(TASK, good, hint="Use double buffering."))
    assert "Use double buffering." in text
    assert "Follow the hint" in text


def many(count: int) -> Round:
    places = [Location(file=MAIN, line=5 + i % 2) for i in range(count)]
    found = [UNKNOWN.model_copy(update={"message": f"number {i}.", "location": p}) for i, p in enumerate(places)]
    found = [d.model_copy(update={"code": f"unknown-api-{i}"}) for i, d in enumerate(found)]
    return checked(*found)


LONG = Kernel.from_source("\n".join(f"int line{n};" for n in range(1, 2001)) + "\n", "axpy")


def test_a_long_prompt_is_shortened_in_order_and_stays_below_the_limit() -> None:
    passages = [Passage(title=f"P{i}", text="word " * 400) for i in range(8)]
    options = PromptOptions(limit=4000)
    prompt = draft_prompt(TASK, passages, options=options)
    assert prompt.tokens <= 4000
    assert sum(estimate_tokens(m.content) for m in prompt.messages) <= prompt.tokens
    assert prompt.shortened == ("passages",)
    assert "## P0" in text_of(prompt)
    assert "## P7" not in text_of(prompt)


def test_a_kernel_that_does_not_fit_is_shown_around_the_places_in_question() -> None:
    place = Location(file=LONG.main_file, line=1000)
    verdict = checked(UNKNOWN.model_copy(update={"location": place})).verdict
    prompt = repair_prompt(TASK, Round(kernel=LONG, verdict=verdict), cards=[CARD], options=PromptOptions(limit=3000))
    text = text_of(prompt)
    assert prompt.tokens <= 3000
    assert "kernel" in prompt.shortened
    assert "int line1000;" in text
    assert "int line1;" in text
    assert "int line500;" not in text
    assert "are left out here" in text
    assert "unknown-api" in text


def test_findings_that_do_not_fit_are_counted() -> None:
    prompt = repair_prompt(TASK, many(60), options=PromptOptions(limit=1500))
    text = text_of(prompt)
    assert "findings" in prompt.shortened
    assert "unknown-api-0" in text
    assert "... and 58 more" in text
    assert "unknown-api-59 x 1" in text


def test_a_task_that_does_not_fit_is_an_error_that_names_the_part() -> None:
    huge = TASK.model_copy(update={"description": "word " * 20000})
    with pytest.raises(ConfigError, match="'task'"):
        draft_prompt(huge)


def test_another_counter_decides_what_fits() -> None:
    passages = [Passage(title="P", text="a b c")]
    prompt = draft_prompt(TASK, passages, options=PromptOptions(limit=600), count=lambda text: len(text.split()))
    assert prompt.tokens < 600
    assert not prompt.shortened


def test_a_language_or_chip_without_templates_is_named() -> None:
    with pytest.raises(ConfigError, match="targets/no-such-chip"):
        draft_prompt(TASK.model_copy(update={"target": "no-such-chip"}))


def test_a_template_variable_that_is_not_given_is_an_error() -> None:
    from jinja2 import UndefinedError

    with pytest.raises(UndefinedError):
        render("ascendc/hint")


def test_sections_are_shortened_one_after_the_other() -> None:
    sections = [Section(name="a", variants=("aaaa", "aa", "")), Section(name="b", variants=("bbbb", "b"))]
    text, tokens, shortened = fit(sections, ["b", "a"], limit=8, count=len)
    assert (text, tokens, shortened) == ("aaaa\n\nb", 7, ("b",))
    text, _, shortened = fit(sections, ["b", "a"], limit=4, count=len)
    assert (text, shortened) == ("b", ("a", "b"))


def test_a_fence_is_longer_than_any_inside() -> None:
    assert fenced("a\n```\nb").startswith("````cpp\n")


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for golden_name, build in PROMPTS.items():
        (GOLDEN / f"{golden_name}.txt").write_text(text_of(build()), "utf-8")
