"""The room's public names, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from agentkernel import knowledge


@pytest.mark.parametrize("name", knowledge.__all__)
def test_every_public_name_can_be_had(name: str) -> None:
    assert getattr(knowledge, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_here"):
        _ = knowledge.nothing_here


def test_importing_the_room_loads_neither_parser_nor_models() -> None:
    code = "import sys, agentkernel.knowledge; print(sorted({'tree_sitter', 'yaml', 'pydantic'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
