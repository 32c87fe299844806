"""Where the values of a case come from."""

import numpy as np
import pytest
from pydantic import ValidationError

from agentkernel.bench.suites import load_task
from agentkernel.errors import TaskError
from agentkernel.judge import case_values, make_inputs, reference
from agentkernel.task import External, Reference

EXTERNAL = External(provider="npukernelbench", source={"folder": "/nowhere"})


def test_a_formula_is_evaluated_on_drawn_inputs():
    task = load_task("add-float16")
    case = task.cases[0]
    inputs, expected = case_values(task, case)
    assert all(np.array_equal(values, inputs[name]) for name, values in make_inputs(task, case).items())
    assert all(np.array_equal(values, expected[name]) for name, values in reference(task, case, inputs).items())


def test_an_external_source_stands_for_formula_and_python():
    with pytest.raises(ValidationError, match="either a formula or python source or external"):
        Reference(formula="y = x", external=EXTERNAL)
    with pytest.raises(ValidationError, match="either"):
        Reference()


def test_values_of_an_external_source_cannot_be_computed_from_inputs():
    task = load_task("add-float16").model_copy(update={"reference": Reference(external=EXTERNAL)})
    with pytest.raises(TaskError, match="come from npukernelbench"):
        reference(task, task.cases[0], {})
    with pytest.raises(TaskError, match="no task folder"):
        case_values(task, task.cases[0])


def test_tasks_without_an_external_source_keep_their_digest():
    task = load_task("add-float16")
    assert "external" not in task.model_dump_json()
    external = task.model_copy(update={"reference": Reference(external=EXTERNAL)})
    assert external.digest != task.digest
    assert type(task).model_validate_json(external.model_dump_json()) == external
