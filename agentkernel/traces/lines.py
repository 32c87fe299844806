"""The written form of an attempt: one JSON object in which long texts are references to the blob store."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from agentkernel.trajectory import Attempt

FORMAT = 1
"""Version of the layout of run folders; a reader refuses any other."""

_INLINE = 200
"""Longest text, in characters, that stands in the line itself; kernel sources never do."""


def pack(attempt: Attempt, put: Callable[[str], str]) -> str:
    """One line for an attempt.

    Args:
        attempt: What to write.
        put: Keeps a text and returns its digest.
    """
    data = attempt.model_dump(mode="json")
    for message in data["messages"]:
        message["content"] = _out(message["content"], put)
    if data["completion"] is not None:
        for key in ("text", "reasoning"):
            data["completion"][key] = _out(data["completion"][key], put)
    if data["kernel"] is not None:
        data["kernel"]["files"] = {name: {"sha256": put(text)} for name, text in data["kernel"]["files"].items()}
    return json.dumps({"format": FORMAT, **data}, ensure_ascii=False, separators=(",", ":"))


def unpack(line: str, get: Callable[[str], str]) -> Attempt:
    """The attempt of a line.

    Raises:
        ValueError: The line is not JSON, of another format version, or no attempt.
        StoreError: A text that it refers to is missing or damaged (raised by `get`).
    """
    data = check_format(json.loads(line))
    for message in data["messages"]:
        message["content"] = _in(message["content"], get)
    if data["completion"] is not None:
        for key in ("text", "reasoning"):
            data["completion"][key] = _in(data["completion"][key], get)
    if data["kernel"] is not None:
        data["kernel"]["files"] = {name: _in(text, get) for name, text in data["kernel"]["files"].items()}
    return Attempt.model_validate_json(json.dumps(data))


def check_format(data: Any) -> dict[str, Any]:
    """The object without its `format` field.

    Raises:
        ValueError: It is no object, or of another version.
    """
    if not isinstance(data, dict):
        raise ValueError("not a JSON object")
    version = data.pop("format", None)
    if version != FORMAT:
        raise ValueError(f"format {version!r}, where this version of agentkernel reads format {FORMAT}")
    return data


def _out(text: str, put: Callable[[str], str]) -> str | dict[str, str]:
    return text if len(text) <= _INLINE else {"sha256": put(text)}


def _in(value: str | dict[str, str], get: Callable[[str], str]) -> str:
    return value if isinstance(value, str) else get(value["sha256"])
