"""Making a model client from one word of a command line."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentkernel.errors import ConfigError
from agentkernel.models.base import ModelClient

OPENAI_URL = "https://api.openai.com/v1"
_FORMS = "composer, MODEL, openai:MODEL, completions:MODEL, replay:FOLDER or script:FILE.jsonl"


def make_client(
    spec: str, *, base_url: str | None = None, environment: Mapping[str, str] | None = None, **options: Any
) -> ModelClient:
    """The client that a specification names.

    - `composer`: the embedded composer, no language model;
    - `MODEL` or `openai:MODEL`: chat protocol of an OpenAI-compatible endpoint (the prefix allows for model names that
      look like another form);
    - `completions:MODEL`: raw completions in ChatML framing, as KernelGen-LM was published;
    - `replay:FOLDER`: a recording;
    - `script:FILE.jsonl`: prepared answers, one JSON completion a line, by attempt.

    Args:
        spec: One of the forms above.
        base_url: Endpoint; by default AGENTKERNEL_BASE_URL, else OPENAI_BASE_URL, else OpenAI's own where a key is set.
        environment: Variables to read instead of the process's own. The key is AGENTKERNEL_API_KEY, else
            OPENAI_API_KEY.
        options: Further arguments of `OpenAICompatibleClient`; only for the endpoint forms.

    Raises:
        ConfigError: The form is unknown, an endpoint is not configured, or a file is missing.
    """
    kind, colon, rest = spec.partition(":")
    if not colon and kind != "composer":
        kind, rest = "openai", spec
    if kind in ("openai", "completions"):
        env = os.environ if environment is None else environment
        return _endpoint(kind, rest, base_url, env, options)
    if options:
        raise ConfigError(f"the options {', '.join(sorted(options))} are for endpoints, not for {spec!r}")
    if spec == "composer":
        from agentkernel.composer.client import ComposerClient

        return ComposerClient()
    if kind == "replay" and rest:
        from agentkernel.models.replay import ReplayClient

        if not Path(rest).is_dir():
            raise ConfigError(f"no recording at {rest}", hint="give the folder that a RecordingClient wrote")
        return ReplayClient(rest)
    if kind == "script" and rest:
        from agentkernel.models.scripted import ScriptedClient

        return ScriptedClient.from_file(rest)
    raise ConfigError(
        f"unknown model {spec!r}", hint=f"use {_FORMS}; write openai:NAME for a model whose own name has a colon"
    )


def _endpoint(
    kind: str, model: str, base_url: str | None, env: Mapping[str, str], options: Mapping[str, Any]
) -> ModelClient:
    from agentkernel.models.openai_compatible import OpenAICompatibleClient

    if not model.strip():
        raise ConfigError("the model has no name", hint=f"use {_FORMS}")
    variable = next((v for v in ("AGENTKERNEL_API_KEY", "OPENAI_API_KEY") if env.get(v)), None)
    url = base_url or env.get("AGENTKERNEL_BASE_URL") or env.get("OPENAI_BASE_URL") or (OPENAI_URL if variable else "")
    if not url:
        raise ConfigError(
            f"no endpoint is configured for the model {model!r}",
            hint="set AGENTKERNEL_BASE_URL (http://host:port/v1), or OPENAI_API_KEY for OpenAI, or use composer",
        )
    return OpenAICompatibleClient(
        model,
        url,
        env[variable] if variable else None,
        **{
            "protocol": "completions" if kind == "completions" else "chat",
            "key_variable": variable or "OPENAI_API_KEY",
            **options,
        },
    )
