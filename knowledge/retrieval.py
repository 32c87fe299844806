"""What of the knowledge base helps with a task: kernels to learn from, rules, and API cards, inside a token budget."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from agentkernel.dtypes import DType
from agentkernel.knowledge.cards import cards
from agentkernel.knowledge.exemplars import Exemplar, load_exemplars
from agentkernel.knowledge.index import load_index
from agentkernel.knowledge.pitfalls import Pitfall, load_pitfalls
from agentkernel.task import Path, ShapeMode, Task


class Retrieved(BaseModel):
    """One passage for a prompt."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["exemplar", "pitfalls", "card"]
    title: str
    text: str
    """Markdown."""


_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "exp": ("Exp",), "log": ("Ln",), "ln": ("Ln",), "log2": ("Log2",), "log1p": ("Adds", "Ln"),
    "expm1": ("Exp", "Adds"),
    "sqrt": ("Sqrt",), "rsqrt": ("Sqrt", "Div", "Rsqrt"), "abs": ("Abs",), "sum": ("ReduceSum",),
    "mean": ("ReduceSum", "Muls"), "max": ("ReduceMax", "Max", "Maxs"), "min": ("ReduceMin", "Min", "Mins"),
    "maximum": ("Max", "Maxs"), "minimum": ("Min", "Mins"), "clip": ("Maxs", "Mins"), "where": ("Compare", "Select"),
    "relu": ("Relu",), "sigmoid": ("Exp", "Adds", "Div"), "tanh": ("Exp", "Div", "Tanh"), "erf": ("Erf",),
    "floor": ("Cast",), "ceil": ("Cast",), "round": ("Cast",), "trunc": ("Cast",), "argmax": ("ReduceMax",),
    "argmin": ("ReduceMin",), "cumsum": ("Add",), "square": ("Mul",), "sign": ("Compare", "Select"),
    "gather": ("Gather",), "transpose": ("Transpose", "DataCopyPad"), "take": ("Gather",),
}  # fmt: skip
"""APIs by function of a reference."""

_OPERATORS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\*\*", ("Mul",)), (r"(?<!\*)\*(?!\*)", ("Mul", "Muls")), (r"(?<!/)/(?!/)", ("Div",)), (r"\+", ("Add", "Adds")),
    (r"[\w)] *-", ("Sub",)), (r"[<>]|[!=]=", ("Compare", "CompareScalar", "Select")),
    (r"&|\||~|\^", ("And", "Or", "Not")), (r"<<|>>", ("ShiftLeft", "ShiftRight")),
)  # fmt: skip
"""APIs by operator of a reference (a regular expression)."""

_SUBJECTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\b(?:sum|mean|max|min|argmax|argmin|cumsum|var|std)\b", ("reduction", "reduce", "rows", "scalar")),
    (r"\bwhere\b|[<>]|[!=]=|\bsign\b|\bclip\b", ("compare", "select")),
    (r"\b(?:exp|log|tanh|sigmoid|erf|rsqrt|sqrt|silu|gelu|gelu_tanh|softplus)\b|/", ("numeric", "activation")),
    (r"\b(?:gather|take)\b", ("gather",)),
    (r"<<|>>|&|\||\^", ("integer",)),
)
"""Subjects by words of a reference."""

_BASICS = ("TQue", "TPipe")
_DTYPE_WORDS = frozenset(
    word for dtype in DType for word in (dtype.value, dtype.ascendc, dtype.value.replace("float", "fp"))
) | {"fp16", "bf16", "fp32", "half", "static", "dynamic"}
_PITFALLS = 12
"""Rules of a draft prompt: enough for one per subject, few enough to be read."""
_WORTH = 3
"""Score below which a second kernel is not worth its tokens."""


def retrieve(task: Task, budget: int) -> tuple[Retrieved, ...]:
    """Passages for a task, most useful first, inside a token budget.

    The same task and budget always give the same passages. A kernel that answers the task's own operator is never among
    them.

    Args:
        task: What is to be written.
        budget: Tokens for all passages together.
    """
    from agentkernel.prompts.budget import estimate_tokens

    found: list[Retrieved] = []
    left = budget
    ranked = [_kernel(e) for e, score in rank_exemplars(task) if score >= _WORTH]
    plan = [*ranked[:1], *_rules(task)]
    for passage in plan:
        cost = estimate_tokens(passage.text)
        if cost <= left:
            found.append(passage)
            left -= cost
    for card in cards(apis_of(task), left, target=task.target):
        found.append(Retrieved(kind="card", title=card.title, text=card.text))
        left -= estimate_tokens(card.text)
    for passage in ranked[1:2]:
        cost = estimate_tokens(passage.text)
        if cost <= left:
            found.append(passage)
    return tuple(found)


def subjects_of(task: Task) -> tuple[str, ...]:
    """Subjects of a task, as tags of exemplars and pitfalls name them, in order of first mention."""
    tags: dict[str, None] = dict.fromkeys(task.tags)
    text = _reference(task)
    for pattern, words in _SUBJECTS:
        if re.search(pattern, text):
            tags.update(dict.fromkeys(words))
    dtypes = _dtypes(task)
    tags.update(dict.fromkeys(d.value for d in dtypes))
    if any(not d.is_float for d in dtypes):
        tags["integer"] = None
    if len(dtypes) > 1 or any(d in (DType.FLOAT16, DType.BFLOAT16) for d in dtypes):
        tags["cast"] = None
    if any(len(t.shape) > 1 for t in (*task.inputs, *task.outputs)):
        tags["rows"] = None
    ranks = {len(t.shape) for t in task.inputs}
    if len(ranks) > 1:
        tags["broadcast"] = None
    if task.attrs:
        tags["attribute"] = None
    tags.update(dict.fromkeys(_kinds(task)))
    tags["static" if task.shape_mode is ShapeMode.STATIC else "tail"] = None
    if "reduction" not in tags:
        tags["elementwise"] = None
    return tuple(tags)


def _kinds(task: Task) -> Iterator[str]:
    specs = (*task.inputs, *task.outputs)
    if any(spec.is_list for spec in specs):
        yield "tensor-list"
    if any(spec.param_type == "optional" for spec in specs):
        yield "optional-tensor"
    if task.in_place:
        yield "in-place"


def apis_of(task: Task) -> tuple[str, ...]:
    """Names of Ascend C that a kernel for the task most likely calls, most specific first."""
    text = _reference(task)
    names: dict[str, None] = {}
    for word in re.findall(r"[a-z_]\w*(?=\s*\()", text):
        names.update(dict.fromkeys(_FUNCTIONS.get(word, ())))
    names["DataCopyPad"] = None
    if "tensor-list" in _kinds(task):
        names.update(dict.fromkeys(("ListTensorDesc", "TensorDesc")))
    for pattern, apis in _OPERATORS:
        if re.search(pattern, text):
            names.update(dict.fromkeys(apis))
    if "cast" in subjects_of(task):
        names["Cast"] = None
    if "broadcast" in subjects_of(task):
        names["Duplicate"] = None
    names.update(dict.fromkeys(_BASICS))
    index = load_index(task.target)
    return tuple(n for n in names if n in index)


def rank_exemplars(task: Task) -> tuple[tuple[Exemplar, int], ...]:
    """Exemplars with their scores, best first; answers to the task's own operator are left out."""
    wanted = set(subjects_of(task))
    dtypes = {d.value for d in _dtypes(task)}
    scored = []
    for exemplar in load_exemplars():
        if answers(exemplar, task):
            continue
        theirs = {d.value for d in _dtypes(exemplar.task)}
        score = 2 * len(wanted & set(exemplar.tags)) + 2 * len(dtypes & theirs)
        score += 2 * (exemplar.task.shape_mode is task.shape_mode) + (exemplar.task.level == task.level)
        scored.append((-score, exemplar.name, exemplar))
    return tuple((exemplar, -negative) for negative, _, exemplar in sorted(scored, key=lambda s: s[:2]))


def answers(exemplar: Exemplar, task: Task) -> bool:
    """Whether an exemplar is an answer to the task's operator: the same name, entry or formula."""
    names = {_operator(task.name), _operator(task.entry)}
    theirs = {*exemplar.solves, _operator(exemplar.task.entry), _operator(exemplar.name)}
    if names & theirs or exemplar.task.name == task.name:
        return True
    mine, other = _formula(task), _formula(exemplar.task)
    return bool(mine) and mine == other


# ---- pieces


def _kernel(exemplar: Exemplar) -> Retrieved:
    task = exemplar.task
    text = f"{exemplar.lesson}\nIt computes: {task.description}\n\n```cpp\n{exemplar.source.strip()}\n```"
    return Retrieved(kind="exemplar", title=exemplar.title, text=text)


def _rules(task: Task) -> Iterator[Retrieved]:
    chosen = rank_pitfalls(task)[:_PITFALLS]
    if chosen:
        text = "\n".join(f"- {p.text}" for p in chosen)
        yield Retrieved(kind="pitfalls", title="Rules that kernels break most often", text=text)


def rank_pitfalls(task: Task) -> tuple[Pitfall, ...]:
    """Rules that matter for a task, best first."""
    wanted, names = set(subjects_of(task)), set(apis_of(task))
    names |= {"DataCopy", "InitBuffer", "EnQue", "DeQue", "AllocTensor", "FreeTensor"}
    if task.path is Path.DEVICE:
        wanted |= {"queue", "copy"}
    scored = []
    for position, pitfall in enumerate(load_pitfalls()):
        fit = len(wanted & set(pitfall.tags)) + len(names & set(pitfall.apis))
        if fit:
            scored.append((-(fit + 2 * pitfall.weight), position, pitfall))
    return tuple(pitfall for _, _, pitfall in sorted(scored, key=lambda s: s[:2]))


def _reference(task: Task) -> str:
    return task.reference.formula or task.reference.python or ""


def _dtypes(task: Task) -> tuple[DType, ...]:
    return tuple(dict.fromkeys(t.dtype for t in (*task.inputs, *task.outputs)))


def _operator(name: str) -> str:
    """An operator's name without dtypes and shape modes: `softmax-float16` and `softmax_static` give `softmax`."""
    words: Sequence[str] = re.split(r"[-_]", name.lower())
    return "_".join(w for w in _without(words) if w != "custom")


def _without(words: Iterable[str]) -> list[str]:
    return [w for w in words if w not in _DTYPE_WORDS and w != "exemplar"]


def _formula(task: Task) -> str:
    """The formula with names numbered and spaces removed, so that renaming does not hide an equal operator."""
    if not task.reference.formula:
        return ""
    order: dict[str, str] = {}
    known = {t.name for t in (*task.inputs, *task.outputs)} | {a.name for a in task.attrs}

    def number(match: re.Match[str]) -> str:
        word = match.group()
        if word not in known and not re.search(rf"^\s*{word}\s*=", task.reference.formula or "", re.MULTILINE):
            return word
        return order.setdefault(word, f"v{len(order)}")

    return re.sub(r"\s+", "", re.sub(r"[A-Za-z_]\w*", number, task.reference.formula))
