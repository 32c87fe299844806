"""`agentkernel bench list` says what the tasks of a suite have beyond single tensors."""

import pytest

from agentkernel.cli.bench import list_tasks


def test_lists_optional_tensors_and_updates_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert list_tasks("operators") == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line}
    assert lines["scale-list-operator"].endswith("float32  (lists of tensors)")
    assert lines["momentum-operator"].endswith("(tensors updated in place)")
    assert lines["softmax-operator"].endswith("float32")
