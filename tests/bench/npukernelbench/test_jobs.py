"""Child processes measure, prepare and finish cases; what fails is told by its step."""

import json

import numpy as np
import pytest

from agentkernel.bench.npukernelbench import tensors
from agentkernel.bench.npukernelbench.cases import read_rows
from agentkernel.bench.npukernelbench.jobs import Job
from agentkernel.bench.npukernelbench.worker import Limits, Worker

from .conftest import HERE


@pytest.fixture
def job(checkout, ops, tmp_path):
    task = checkout.find("Twice")
    rows = {row.case_id: row for row in read_rows(task.cases_file)}

    def make(action, case, **more):
        folder = tmp_path / f"case{case}"
        folder.mkdir(exist_ok=True)
        return Job(action=action, task=task.path, row=rows[case].to_dict(), seed=case, folder=folder, ops=ops, **more)

    return make


def test_sizes_are_measured_without_values(worker, job):
    assert worker.do(job("measure", 4)).result == {"elements": 300000}


def test_preparing_gives_reference_and_recorded_call(worker, job):
    order = job("prepare", 1)
    result = worker.do(order).result
    (call,) = result["calls"]
    assert call["name"] == "aclnnTwice"
    x, y = (argument["value"] for argument in call["arguments"])
    given = tensors.load(x, order.folder)
    assert given.dtype == np.float16 and given.shape == (3, 40) and y["shape"] == [3, 40]
    assert np.array_equal(tensors.load(result["native"][0], order.folder), given + given)
    double = tensors.load(result["double"][0], order.folder)
    assert double.dtype == np.float64 and np.array_equal(double, 2.0 * given)


def test_equal_seeds_give_equal_inputs(worker, job):
    order = job("prepare", 0)
    first = worker.do(order).result["calls"][0]["arguments"][0]["value"]
    values = tensors.load(first, order.folder)
    worker.do(order)
    assert np.array_equal(tensors.load(first, order.folder), values)


def test_finishing_judges_what_the_run_wrote(worker, job):
    order = job("prepare", 0)
    expected = worker.do(order).result["native"][0]
    right = tensors.load(expected, order.folder)
    for values, verdict in ((right, True), (right + 1, False), (np.full_like(right, np.nan), False)):
        reply = {1: [tensors.save(values, order.folder, "written")]}
        result = worker.do(job("finish", 0, replies=(reply,))).result
        assert result["official"] is verdict
        assert np.array_equal(tensors.load(result["outputs"][0], order.folder), values, equal_nan=True)


def test_a_generator_that_raises_is_named(worker, job):
    ended = worker.do(job("prepare", 2))
    assert ended.failed == "inputs"
    assert "rand is for floats" in ended.result["why"]


def test_a_generator_that_hangs_is_ended_and_the_next_case_runs(job):
    with Worker(paths=(HERE / "fake",), limits=Limits(seconds=1)) as worker:
        ended = worker.do(job("prepare", 3))
        assert ended.timed_out and ended.result is None
        assert worker.do(job("measure", 0)).result == {"elements": 64}


def test_missing_bindings_are_told_apart(worker, job):
    ended = worker.do(job("prepare", 0).model_copy(update={"ops": None}))
    assert ended.failed == "bindings"


def test_jobs_survive_json(job):
    order = job("finish", 0, replies=({1: [{"dtype": "float32", "shape": [2], "file": "a"}]},))
    assert Job.model_validate(json.loads(order.model_dump_json())) == order
