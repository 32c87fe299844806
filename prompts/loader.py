"""Templates: Jinja2 files under `templates/`, one folder a language and one file a target chip."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentkernel.errors import ConfigError

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).parent / "templates"


def render(name: str, /, **values: Any) -> str:
    """Render a template; a name that it uses and that is not given is an error.

    Args:
        name: Path below `templates/`, without `.j2`.
        values: What the template may use.

    Raises:
        ConfigError: There is no such template.
    """
    from jinja2 import TemplateNotFound

    try:
        template = _environment().get_template(f"{name}.j2")
    except TemplateNotFound as error:
        raise ConfigError(
            f"there is no prompt template {name!r}", hint=f"templates are the .j2 files of {_TEMPLATES.name}/"
        ) from error
    return template.render(**values).strip("\n")


def fenced(text: str, label: str = "cpp") -> str:
    """A Markdown code block that is longer than any run of backticks inside it."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    mark = "`" * max(3, longest + 1)
    return f"{mark}{label}\n{text.rstrip()}\n{mark}"


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(  # plain text: HTML escaping would change code
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    environment.filters["fenced"] = fenced
    return environment
