"""The guide names every function of the formula language, and its task file is one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentkernel.bench.suites import validate
from agentkernel.bench.taskfile import read_tasks
from agentkernel.formula.functions import FUNCTIONS

GUIDE = (Path(__file__).parents[2] / "docs" / "tasks.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_function_is_in_the_guide(name: str) -> None:
    assert re.search(rf"`{name}[`(]", GUIDE)
    assert FUNCTIONS[name].usage.startswith(f"{name}(")


def test_the_task_file_of_the_guide_is_valid(tmp_path: Path) -> None:
    found = re.search(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
    assert found is not None
    path = tmp_path / "scale.yaml"
    path.write_text(found[1], encoding="utf-8")
    tasks = read_tasks(path)
    assert [task.name for task in tasks] == ["scale-float16", "scale-float32"]
    assert validate(tasks) == ()
