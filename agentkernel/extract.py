"""Taking a kernel out of a model's answer.

Answers come as models give them: a fenced block, the `<kernel_impl>` block that KernelGen-LM was trained to give,
several files (`==== path ====` headings, `// file: path` lines, fences that name their path), with or without reasoning
in front. Reasoning is set aside first, so that a draft inside it is never taken for the answer. Where no kernel can be
taken, the result says why in `Diagnostic`s of the level `format`, which the next turn of the loop answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from agentkernel._answer import Block, blocks_of, looks_like_source
from agentkernel.diagnostic import Diagnostic, Level
from agentkernel.kernel import Kernel
from agentkernel.task import Path, Task
from agentkernel.trajectory import Completion

_REASONING = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_OPEN_THINK = re.compile(r"<think>", re.IGNORECASE)
_CLOSE_THINK = re.compile(r"</think>", re.IGNORECASE)
_IMPL = re.compile(r"<kernel_impl>(.*?)</kernel_impl>", re.DOTALL | re.IGNORECASE)
_OPEN_IMPL = re.compile(r"<kernel_impl>", re.IGNORECASE)
_REFUSALS = frozenset({"refusal", "content_filter"})
_EXCERPT = 400
"""Characters of a refusal that are kept as evidence: enough for the reason, too little to fill a prompt."""


class _FormatError(Exception):
    """The answer holds no kernel; carries the finding. Never leaves this module."""

    def __init__(self, code: str, message: str, hint: str = "", **evidence: object) -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(code=code, level=Level.FORMAT, message=message, hint=hint, evidence=dict(evidence))


def extract(completion: Completion, task: Task) -> Kernel | tuple[Diagnostic, ...]:
    """Take the kernel out of an answer.

    Args:
        completion: The answer, reasoning tags included where the endpoint leaves them in.
        task: What was asked for; gives the entry name, and with `path` which files must be there.

    Returns:
        The kernel with LF line ends, or format findings that say why there is none: `refused`, `empty-answer`,
        `truncated-answer`, `no-code-block`, `ambiguous-code`, `missing-file`, `bad-path`.
    """
    try:
        return _extract(completion, task)
    except _FormatError as error:
        return (error.diagnostic,)


def set_reasoning_aside(text: str) -> tuple[str, bool]:
    """The answer behind the reasoning, and whether the reasoning was left open.

    The opening tag may be missing (the prompt of KernelGen-LM ends with it) and so may the closing one (the answer was
    cut, or the model forgot it). What stands before a lone closing tag and after a lone opening one is reasoning.
    """
    rest = _REASONING.sub("", text)
    closings = list(_CLOSE_THINK.finditer(rest))
    if closings:
        rest = rest[closings[-1].end() :]
    opening = _OPEN_THINK.search(rest)
    return (rest, False) if opening is None else (rest[: opening.start()], True)


def _extract(completion: Completion, task: Task) -> Kernel:
    text = completion.text.replace("\r\n", "\n").replace("\r", "\n")
    if completion.finish_reason in _REFUSALS:
        reason = text.strip()[:_EXCERPT] or "no reason was given"
        raise _FormatError("refused", f"the model declined: {reason}", reason=reason)
    answer, open_reasoning = set_reasoning_aside(text)
    if completion.finish_reason == "length":
        where = "inside its reasoning" if open_reasoning or not answer.strip() else "before its end"
        raise _FormatError(
            "truncated-answer",
            f"the answer was cut {where} at the token limit",
            "answer with the code alone and keep reasoning short",
            completion_tokens=completion.completion_tokens,
        )
    if not answer.strip():
        raise _FormatError("empty-answer", _empty_message(text, completion, open_reasoning), "give the code")
    return _kernel(_files(_candidates(answer, task.entry), task), task)


def _empty_message(text: str, completion: Completion, open_reasoning: bool) -> str:
    if open_reasoning:
        return "the reasoning was opened with <think> and never closed, so there is no answer behind it"
    if text.strip() or completion.reasoning.strip():
        return "there is reasoning but no answer behind it"
    return "the answer is empty"


def _candidates(answer: str, entry: str) -> list[Block]:
    """Blocks of code that the answer may mean, `<kernel_impl>` before everything else."""
    # a mention of the opening tag in prose may stand before the real one
    closed = [_OPEN_IMPL.split(match.group(1))[-1] for match in _IMPL.finditer(answer)]
    if closed:
        inner = _only(_distinct(closed), entry)
        # inside the tags everything is meant as code: a missing fence, or one that is not closed, does no harm
        return [b for b in blocks_of(inner) if b.is_source] or [Block(text=inner)]
    if _OPEN_IMPL.search(answer):
        raise _FormatError("truncated-answer", "<kernel_impl> is opened and never closed", "close it: </kernel_impl>")
    blocks = blocks_of(answer)
    found = [b for b in blocks if b.is_source]
    if not all(b.closed for b in found):
        raise _FormatError("truncated-answer", "the last code block is not closed", "give the code to its end")
    if not found and not blocks and looks_like_source(answer):
        return [Block(text=answer)]
    if not found:
        raise _FormatError("no-code-block", "the answer holds no block of C++", "put the code into one ```cpp block")
    return found


def _files(blocks: list[Block], task: Task) -> dict[str, str]:
    """Text by path. Blocks without a path are one file; which of them is decided by the entry function."""
    filled = [b for b in blocks if b.text.strip()]
    if not filled:
        raise _FormatError("empty-answer", "the code block is empty", "give the code")
    named = [b for b in filled if b.path]
    files: dict[str, str] = {}
    for block in named:
        path = _checked_path(block.path)
        if files.setdefault(path, block.text) != block.text:
            raise _FormatError(
                "ambiguous-code", f"{path} is given twice with different contents", "give every file once", path=path
            )
    anonymous = _distinct(b.text for b in filled if not b.path)
    if not any(_defines(text, task.entry) for text in files.values()) and anonymous:
        main = f"op_kernel/{task.entry}.cpp"
        files = {main: _only(anonymous, task.entry), **{p: t for p, t in files.items() if p != main}}
    if task.path is Path.FULL:
        _require_both_sides(files)
    return files


def _only(texts: list[str], entry: str) -> str:
    """The one text that is meant: the only one, else the only one with the entry function, else with any kernel."""
    kernels = [text for text in texts if "__aicore__" in text and "__global__" in text]
    for meant in (texts, [text for text in texts if _defines(text, entry)], kernels):
        if len(meant) == 1:
            return meant[0]
    raise _FormatError(
        "ambiguous-code",
        f"the answer holds {len(texts)} code blocks and it is not clear which one is the kernel {entry}",
        "give one block, or name the file of each",
        blocks=len(texts),
    )


def _distinct(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def _defines(source: str, entry: str) -> bool:
    return re.search(rf"\b{re.escape(entry)}\s*\(", source) is not None and "__global__" in source


def _checked_path(path: str) -> str:
    plain = PurePosixPath(path)
    if plain.is_absolute() or ".." in plain.parts or "\\" in path:
        raise _FormatError(
            "bad-path", f"{path!r} is not a path inside the kernel", "use a plain relative path", path=path
        )
    return str(plain)


def _require_both_sides(files: dict[str, str]) -> None:
    missing = [side for side in ("op_host/", "op_kernel/") if not any(path.startswith(side) for path in files)]
    if missing:
        raise _FormatError(
            "missing-file",
            f"no file under {' and '.join(missing)} in the answer",
            "give host tiling and kernel, each under a heading that names its path",
            missing=missing,
        )


def _kernel(files: dict[str, str], task: Task) -> Kernel:
    return Kernel(files={path: text.strip("\n") + "\n" for path, text in files.items()}, entry=task.entry)
