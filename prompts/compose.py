"""Prompts for the turns of the loop, put together from sections and fitted into the model's limit.

A repair prompt stands by itself: it holds the task, the kernel in question and what was found, not the conversation
before it. So it stays short over many turns, and a recorded turn is a training sample as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from agentkernel.diagnostic import Diagnostic, Level
from agentkernel.kernel import Kernel
from agentkernel.launch import output_arguments, signature, tiling_fields, tiling_struct
from agentkernel.operators import ATTR_METHODS, GE_TYPES, literal, operator_name
from agentkernel.prompts.budget import MESSAGE_TOKENS, Prompt, Section, TokenCounter, estimate_tokens, fit
from agentkernel.prompts.loader import render
from agentkernel.render import Finding, case_lines, findings_of, for_model
from agentkernel.task import Case, Path, ShapeMode, Task
from agentkernel.trajectory import Message, Turn
from agentkernel.verdict import Stage, Verdict

SHORTENED = ("passages", "history", "cards", "cases", "kernel", "findings")
"""Sections in the order in which they are shortened. What is wrong comes last, and is counted where it is not shown."""

_CUBE = frozenset({"cube", "matmul", "GMM"})
"""Tags of tasks that are for the cube cores."""
_CASES = (8, 3)
"""Test cases whose sizes are listed, from fullest to shortest."""
_FINDINGS = (20, 10, 5, 2)
"""Findings that are spelled out; the first form is already more than one turn can mend."""
_CASE_LINES = 12
_WINDOWS = (16, 6, 2)
"""Lines of source kept around each place in question where the whole kernel does not fit."""


class PromptOptions(BaseModel):
    """What decides the form of prompts besides the task."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    limit: int = Field(default=16384, ge=512)
    """Largest number of prompt tokens: KernelGen-LM is served with a context of 32768, half of it for the answer."""
    answer: Literal["fence", "kernel_impl"] = "fence"
    """Form that the answer is asked for; every form is read."""

    @classmethod
    def for_model(cls, name: str) -> PromptOptions:
        """The form that a model was trained on, by its name; a fenced block for every other."""
        return cls(answer="kernel_impl") if "kernelgen" in name.lower().replace("-", "") else cls()


class Passage(BaseModel):
    """A piece of reference text: an API card, a pitfall, a kernel to learn from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    text: str


class Round(BaseModel):
    """A kernel and what was found about it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kernel: Kernel
    verdict: Verdict


def repair_turn(verdict: Verdict) -> Turn:
    """The kind of turn that answers a verdict: by the level of its first error, else by how far it came."""
    if verdict.stage is Stage.EXTRACT:
        return Turn.REPAIR_FORMAT
    if verdict.failure_level in (Level.API, Level.HOST) or verdict.stage in (Stage.CHECK, Stage.COMPILE):
        return Turn.REPAIR_API
    return Turn.REPAIR_KERNEL


def history_line(index: int, turn: Turn, verdict: Verdict) -> str:
    """One line about an attempt: where it ended and why."""
    codes = dict.fromkeys(d.code for d in verdict.all_diagnostics if d.is_error)
    passed = f", {sum(c.passed for c in verdict.cases)} of {len(verdict.cases)} cases passed" if verdict.cases else ""
    end = "passed" if verdict.passed else f"failed at {verdict.stage}{passed}: {', '.join(codes) or 'no finding'}"
    return f"attempt {index} ({turn}) {end}"


def draft_prompt(
    task: Task,
    passages: Sequence[Passage] = (),
    *,
    hint: str = "",
    options: PromptOptions | None = None,
    count: TokenCounter = estimate_tokens,
) -> Prompt:
    """The first prompt of a run.

    Args:
        task: What to write.
        passages: Reference text, most useful first; the last ones are left out first.
        hint: Words of a person.
        options: Limit and form of the answer.
        count: Tokens of a text.

    Raises:
        ConfigError: The task alone does not fit, or there are no templates for its language, path or target.
    """
    options = options or PromptOptions()
    sections = [*_task_sections(task), _passages("passages", passages), *_hint(task, hint), _answer(task, options)]
    closing = Section(name="closing", variants=(render(f"{task.language}/draft", task=task),))
    return _fitted(task, [*sections, closing], options, count)


def repair_prompt(
    task: Task,
    last: Round | None,
    unreadable: Sequence[Diagnostic] = (),
    *,
    cards: Sequence[Passage] = (),
    passages: Sequence[Passage] = (),
    history: Sequence[str] = (),
    hint: str = "",
    options: PromptOptions | None = None,
    count: TokenCounter = estimate_tokens,
) -> Prompt:
    """A prompt that answers what was found.

    Args:
        task: What to write.
        last: The last attempt that gave a kernel, None where none did.
        unreadable: Findings of the level `format` about the latest answer, where no kernel could be taken out of it.
        cards: Cards of the APIs that the findings touch, most useful first.
        passages: Other reference text, most useful first.
        history: One line for each earlier attempt, oldest first.
        hint: Words of a person.
        options: Limit and form of the answer.
        count: Tokens of a text.

    Raises:
        ConfigError: It does not fit even in its shortest form, or there are no templates for the task.
    """
    options = options or PromptOptions()
    sections = [*_task_sections(task), _passages("passages", passages), _history(task, history)]
    if last is not None:
        sections += [_kernel(task, last), _findings(task, last)]
    if unreadable:
        text = render(f"{task.language}/findings_format", findings=for_model(unreadable))
        sections.append(Section(name="unreadable", variants=(text,)))
    sections += [_passages("cards", cards), *_hint(task, hint), _answer(task, options)]
    turn = Turn.REPAIR_FORMAT if unreadable or last is None else repair_turn(last.verdict)
    passed = last is not None and last.verdict.passed
    closing = render(f"{task.language}/repair", task=task, turn=turn.value, passed=passed)
    return _fitted(task, [*sections, Section(name="closing", variants=(closing,))], options, count)


def _fitted(task: Task, sections: Sequence[Section], options: PromptOptions, count: TokenCounter) -> Prompt:
    target = render(f"targets/{task.target}", cube=bool(_CUBE & set(task.tags)))
    system = render(f"{task.language}/system", target=target)
    overhead = count(system) + 2 * MESSAGE_TOKENS
    text, tokens, shortened = fit(sections, SHORTENED, limit=options.limit, overhead=overhead, count=count)
    messages = (Message(role="system", content=system), Message(role="user", content=text))
    return Prompt(messages=messages, tokens=tokens, shortened=shortened)


def _task_sections(task: Task) -> list[Section]:
    static = task.shape_mode is ShapeMode.STATIC
    fields = tiling_fields(task)
    contract = render(
        f"{task.language}/contract_{task.path.value}",
        task=task,
        static=static,
        signature=signature(task),
        kinds={spec.param_type for spec in (*task.inputs, *task.outputs)},
        struct=tiling_struct(task),
        first_field=fields[0][1] if fields else "",
        **(_operator(task) if task.path is Path.FULL else {}),
    )
    cases = tuple(
        render(
            f"{task.language}/cases",
            static=static,
            ranges=task.sizes,
            cases=[{"sizes": _sizes(task, case)} for case in task.cases[:shown]],
            more=len(task.cases[shown:]),
        )
        for shown in _CASES
    )
    return [
        Section(name="task", variants=(render(f"{task.language}/task", task=task, static=static),)),
        Section(name="cases", variants=_shrinking(cases)),
        Section(name="contract", variants=(contract,)),
    ]


def _operator(task: Task) -> dict[str, Any]:
    """Names under which a full-path task is registered."""
    return {
        "op": operator_name(task.entry),
        "ge": {str(dtype): name for dtype, name in GE_TYPES.items()},
        "declared": [spec for _, spec in output_arguments(task)],
        "attr_methods": ATTR_METHODS,
        "attr_types": {spec.type for spec in task.attrs},
        "literals": {spec.name: literal(spec.default) for spec in task.attrs},
    }


def _sizes(task: Task, case: Case) -> str:
    values: dict[str, object] = {**case.dims}
    values |= {f"*{name}": " ".join(str(list(axes)) for axes in shapes) for name, shapes in case.shapes.items()}
    values |= {name: list(v) if isinstance(v, tuple) else v for name, v in task.attr_values(case).items()}
    parts = [f"{name} = {value}" for name, value in values.items()]
    return ", ".join([*parts, *(f"without {name}" for name in case.absent)])


def _passages(name: str, passages: Sequence[Passage]) -> Section:
    """All passages, then one less at a time, then none."""
    counts = range(len(passages), 0, -1)
    return Section(name=name, variants=(*(_passage_text(passages[:n], name) for n in counts), ""))


def _passage_text(passages: Sequence[Passage], name: str) -> str:
    title = "The APIs in question" if name == "cards" else "For reference"
    return "\n\n".join([f"# {title}", *(f"## {p.title}\n\n{p.text.strip()}" for p in passages)])


def _history(task: Task, history: Sequence[str]) -> Section:
    """All lines, then the last three, then none."""
    kept = [history, history[-3:]] if len(history) > 1 else []
    texts = [render(f"{task.language}/history", history=lines) for lines in kept]
    return Section(name="history", variants=(*_shrinking(texts), "") if texts else ("",))


def _hint(task: Task, hint: str) -> list[Section]:
    return [Section(name="hint", variants=(render(f"{task.language}/hint", hint=hint),))] if hint.strip() else []


def _answer(task: Task, options: PromptOptions) -> Section:
    return Section(
        name="answer", variants=(render(f"{task.language}/answer", form=_form(task, options), entry=task.entry),)
    )


def _form(task: Task, options: PromptOptions) -> str:
    """Several files have headings, in the form that KernelGen-LM was trained to give them."""
    return "files" if task.path is Path.FULL else options.answer


def _findings(task: Task, last: Round) -> Section:
    found = findings_of(last.verdict)
    texts = [_findings_text(task, last, found, limit) for limit in _FINDINGS]
    return Section(name="findings", variants=_shrinking(texts))


def _findings_text(task: Task, last: Round, found: Sequence[Finding], limit: int) -> str:
    text = for_model(found, last.kernel, limit=limit)
    if repair_turn(last.verdict) is Turn.REPAIR_API:
        return render(f"{task.language}/findings_api", stage=last.verdict.stage.value, findings=text)
    lines = list(case_lines(last.verdict))
    shown = min(_CASE_LINES, max(limit, 1))
    more = [f"and {len(lines) - shown} more"] if len(lines) > shown else []
    return render(
        f"{task.language}/findings_kernel",
        passed=last.verdict.passed,
        stage=last.verdict.stage.value,
        cases=[*lines[:shown], *more],
        findings=text,
    )


def _kernel(task: Task, last: Round) -> Section:
    """The whole kernel, then only what stands around the places in question."""
    title = "Your last kernel"
    whole = render(f"{task.language}/kernel", title=title, files=last.kernel.files)
    excerpts = [
        render(f"{task.language}/kernel", title=f"{title} (excerpt)", files=_excerpts(last, around))
        for around in _WINDOWS
    ]
    return Section(name="kernel", variants=_shrinking([whole, *excerpts]))


def _excerpts(last: Round, around: int) -> dict[str, str]:
    places: dict[str, set[int]] = {}
    for d in last.verdict.all_diagnostics:
        for location in (d.location, *(place for place, _ in d.related)):
            if location is not None:
                places.setdefault(location.file, set()).add(location.line)
    return {path: _windows(text, places.get(path, set()), around) for path, text in last.kernel.files.items()}


def _windows(text: str, lines: set[int], around: int) -> str:
    """Lines near the given ones; each gap is a comment that says which lines are left out."""
    source = text.rstrip("\n").split("\n")
    # the head of a file tells what the names mean, so it is always kept
    keep = {n for line in {1, *lines} for n in range(line - around, line + around + 1) if 1 <= n <= len(source)}
    out: list[str] = []
    gap = 0
    for number, line in enumerate([*source, ""], start=1):
        if number in keep or number > len(source):
            if gap:
                out.append(f"// ... lines {number - gap} to {number - 1} are left out here ...")
            gap = 0
            out.append(line)
        else:
            gap += 1
    return "\n".join(out[:-1])


def _shrinking(texts: Sequence[str]) -> tuple[str, ...]:
    """The texts that are shorter than all before them."""
    kept: list[str] = []
    for text in texts:
        if not kept or len(text) < len(kept[-1]):
            kept.append(text)
    return tuple(kept)
