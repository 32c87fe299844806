"""Task files: YAML that holds one task, or a family of tasks that differ in a few words.

A file is the data of `agentkernel.task.Task` and, optionally, `variants`: the values of `$words` that its texts use.
A mapping of lists gives all combinations, a list of mappings gives exactly those:

    name: add-$dtype
    inputs: [{name: x, dtype: $dtype, shape: [n]}]
    variants: {dtype: [float16, float32]}

A text that is nothing but `$word` becomes the value itself, number or text; `$$` is a dollar sign.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from agentkernel.errors import TaskError
from agentkernel.task import Task

Lines = dict[tuple[str | int, ...], int]
"""Line of every key and item, by its path."""

_WORD = re.compile(r"\$(\$|[A-Za-z_]\w*)")


class _Loader(yaml.SafeLoader):
    """SafeLoader that reads numbers as YAML 1.2 does: `1e-5` is one."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9][0-9_]*(\.[0-9_]*)?[eE][-+]?[0-9]+$"), list("-+0123456789")
)


def read_tasks(path: Path, suite: str = "") -> tuple[Task, ...]:
    """The tasks of a file, in the order of its variants.

    Args:
        path: A YAML file.
        suite: Name of the suite that the tasks belong to.

    Raises:
        TaskError: The file cannot be read, is not YAML or does not describe tasks; the message has file and line.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"cannot read {path}: {error}", hint="a task file is UTF-8 text") from error
    data, lines = _parse(path, text)
    variants = _variants(path, lines, data.pop("variants", None))
    tasks = [_task(path, lines, _filled(path, lines, data, variant), suite) for variant in variants]
    names = [task.name for task in tasks]
    for name in names:
        if names.count(name) > 1:
            raise _error(path, lines, ("name",), f"two variants have the name {name!r}", "use every $word in the name")
    return tuple(tasks)


def _parse(path: Path, text: str) -> tuple[dict[str, Any], Lines]:
    lines: Lines = {}
    try:
        data = _loaded(path, text, lines)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark is not None else 1
        raise TaskError(f"{path}:{line}: not YAML: {error.problem}", hint="check indentation and quotes") from error
    except yaml.YAMLError as error:
        raise TaskError(f"{path}: not YAML: {error}", hint="check the file's characters") from error
    if not isinstance(data, dict):
        raise TaskError(f"{path}:1: a task file is a mapping", hint="it begins with `name: ...`")
    return data, lines


def _loaded(path: Path, text: str, lines: Lines) -> object:
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        _walk(path, node, (), lines)
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _walk(path: Path, node: yaml.Node, at: tuple[str | int, ...], lines: Lines) -> None:
    """Remember the line of every key and item, and refuse keys that are given twice (YAML keeps the last one)."""
    lines.setdefault(at, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            name = str(key.value)
            if (*at, name) in lines and name != "<<":
                line = key.start_mark.line + 1
                raise TaskError(f"{path}:{line}: the key {name!r} is given twice", hint="keep one of them")
            lines[(*at, name)] = key.start_mark.line + 1
            _walk(path, value, (*at, name), lines)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _walk(path, item, (*at, index), lines)


def _error(path: Path, lines: Lines, at: tuple[str | int, ...], message: str, hint: str) -> TaskError:
    known = next(lines[at[:end]] for end in range(len(at), -1, -1) if at[:end] in lines)
    return TaskError(f"{path}:{known}: {message}", hint=hint)


def _variants(path: Path, lines: Lines, given: object) -> list[dict[str, Any]]:
    if given is None:
        return [{}]
    if isinstance(given, dict) and given and all(isinstance(values, list) and values for values in given.values()):
        return [dict(zip(given, values, strict=True)) for values in itertools.product(*given.values())]
    if isinstance(given, list) and given and all(isinstance(one, dict) and one for one in given):
        return given
    raise _error(
        path,
        lines,
        ("variants",),
        "variants are neither a mapping of lists nor a list of mappings",
        "for example `variants: {dtype: [float16, float32]}`",
    )


def _filled(path: Path, lines: Lines, data: dict[str, Any], variant: dict[str, Any]) -> dict[str, Any]:
    used: set[str] = set()

    def fill(value: Any, at: tuple[str | int, ...]) -> Any:
        if isinstance(value, dict):
            return {key: fill(item, (*at, str(key))) for key, item in value.items()}
        if isinstance(value, list):
            return [fill(item, (*at, index)) for index, item in enumerate(value)]
        if not isinstance(value, str):
            return value
        words = [word for word in _WORD.findall(value) if word != "$"]
        for word in words:
            if word not in variant:
                known = ", ".join(f"${name}" for name in variant) or "none, there are no variants"
                raise _error(path, lines, at, f"unknown word ${word}", f"known: {known}; write $$ for a dollar sign")
        used.update(words)
        if words and value == f"${words[0]}":
            return variant[words[0]]
        return _WORD.sub(lambda match: "$" if match[1] == "$" else str(variant[match[1]]), value)

    filled: dict[str, Any] = fill(data, ())
    for word in variant:
        if word not in used:
            raise _error(path, lines, ("variants",), f"nothing uses ${word}", "remove it from variants")
    return filled


def _task(path: Path, lines: Lines, data: dict[str, Any], suite: str) -> Task:
    try:
        return Task.model_validate({**data, "suite": suite} if suite else data)
    except ValidationError as error:
        first = error.errors()[0]
        at = tuple(first["loc"]) or _of_case(first["msg"], data)
        where = ".".join(map(str, at)) or str(data.get("name", "task"))
        message = f"{where}: {first['msg'].removeprefix('Value error, ')}"
        more = error.error_count() - 1
        hint = "see agentkernel.task for the fields" + (f"; {more} more error(s) in this task" if more else "")
        raise _error(path, lines, _known(at, data), message, hint) from error


def _of_case(message: str, data: dict[str, Any]) -> tuple[str | int, ...]:
    """The place of the case that a message about a whole task names as `task/case: ...`."""
    name = message.removeprefix("Value error, ").removeprefix(f"{data.get('name')}/").partition(":")[0]
    cases = data.get("cases")
    for index, case in enumerate(cases if isinstance(cases, list) else ()):
        if isinstance(case, dict) and case.get("name") == name:
            return ("cases", index)
    return ()


def _known(at: tuple[str | int, ...], data: Any) -> tuple[str | int, ...]:
    """The part of an error's path that names data (validators append names of their own)."""
    steps: list[str | int] = []
    for step in _steps(at, data):
        steps.append(step)
    return tuple(steps)


def _steps(at: tuple[str | int, ...], data: Any) -> Iterator[str | int]:
    for step in at:
        inside = step in data if isinstance(data, dict) else isinstance(data, list) and step in range(len(data))
        if not inside:
            return
        data = data[step]
        yield step
