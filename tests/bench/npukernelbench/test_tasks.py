"""Task folders of a checkout become tasks; their values come from the benchmark's own code."""

import shutil

import numpy as np
import pytest

from agentkernel.bench.npukernelbench.cases import read_rows
from agentkernel.bench.npukernelbench.checkout import task_folder
from agentkernel.bench.npukernelbench.files import table_of, write_tasks
from agentkernel.bench.npukernelbench.machinery import Machinery
from agentkernel.bench.npukernelbench.provider import provide, provide_plain
from agentkernel.bench.npukernelbench.tasks import load_benchmark_task, make_tasks
from agentkernel.bench.suites import suite
from agentkernel.dtypes import DType
from agentkernel.errors import TaskError
from agentkernel.judge.reference import same_precision
from agentkernel.task import Path, ShapeMode, Task


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """Values of these tasks are kept where nobody else looks for theirs."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("values")
        patch.setattr("agentkernel.bench.npukernelbench.provider.cache_folder", lambda: folder)
        yield folder


@pytest.fixture(scope="module")
def machinery(worker, ops):
    return Machinery(worker, {"Twice": ops})


@pytest.fixture(scope="module")
def rows(checkout):
    return {row.case_id: row for row in read_rows(checkout.find("Twice").cases_file)}


def made(checkout, rows, machinery, mode):
    return list(make_tasks(checkout.find("Twice"), rows, mode=mode, machinery=machinery))


def test_a_static_task_stands_for_one_case(checkout, rows, machinery):
    (task,) = made(checkout, [rows[1]], machinery, ShapeMode.STATIC)
    assert (task.name, task.entry, task.level) == ("npukb-twice-1", "twice", "L1")
    assert [(t.name, t.dtype, t.shape) for t in (*task.inputs, *task.outputs)] == [
        ("x", DType.FLOAT16, (3, 40)),
        ("y", DType.FLOAT16, (3, 40)),
    ]
    assert "doubled" in task.description and "shape=[3, 40]" in task.description
    assert [case.name for case in task.cases] == ["case-1"]


def test_a_dynamic_task_stands_for_cases_that_differ_in_sizes(checkout, rows, machinery):
    tasks = made(checkout, [rows[0], rows[1], rows[4]], machinery, ShapeMode.DYNAMIC)
    assert [[case.name for case in task.cases] for task in tasks] == [["case-0", "case-4"], ["case-1"]]
    first = tasks[0]
    assert first.dim_names == ("xD0", "yD0")
    assert [case.dims["xD0"] for case in first.cases] == [64, 300000]


def test_values_come_from_the_benchmark(checkout, rows, machinery):
    (task,) = made(checkout, [rows[1]], machinery, ShapeMode.STATIC)
    inputs, expected = provide(task, task.cases[0], machinery)
    assert inputs["x"].dtype == np.float16 and inputs["x"].shape == (3, 40)
    assert expected["y"].dtype == np.float64
    assert np.array_equal(expected["y"], 2.0 * inputs["x"])
    again, _ = provide(task, task.cases[0])  # kept: needs neither torch nor bindings
    assert np.array_equal(again["x"], inputs["x"])


def test_the_reference_in_the_inputs_precision_is_the_second_yardstick(checkout, rows, machinery):
    (task,) = made(checkout, [rows[1]], machinery, ShapeMode.STATIC)
    inputs, expected = provide(task, task.cases[0], machinery)
    plain = provide_plain(task, task.cases[0])
    assert plain["y"].dtype == np.float64 and plain["y"].shape == expected["y"].shape
    np.testing.assert_array_equal(plain["y"], plain["y"].astype(np.float16))
    same = same_precision(task, task.cases[0], inputs, DType.FLOAT16)
    np.testing.assert_array_equal(same["y"], plain["y"])


def test_what_is_to_be_written_is_chosen_behind_the_folder(checkout, machinery):
    place = checkout.find("Twice").path
    chosen = [load_benchmark_task(f"{place}#{w}", machinery) for w in ("", "1", "full", "1,full")]
    assert [task.path for task in chosen] == [Path.DEVICE, Path.DEVICE, Path.FULL, Path.FULL]
    assert [task.cases[0].name for task in chosen] == ["case-0", "case-1", "case-0", "case-1"]


def test_tasks_are_read_back_from_their_text(checkout, rows, machinery):
    (task,) = made(checkout, [rows[0]], machinery, ShapeMode.STATIC)
    assert Task.model_validate_json(task.model_dump_json()) == task


def test_a_case_whose_inputs_cannot_be_made_is_refused_with_the_reason(checkout, rows, machinery):
    with pytest.raises(TaskError, match="rand is for floats"):
        made(checkout, [rows[2]], machinery, ShapeMode.STATIC)


def test_a_checkout_that_is_gone_is_named(checkout, rows, machinery, tmp_path):
    folder = tmp_path / "level1" / "Math" / "Twice"
    shutil.copytree(checkout.find("Twice").path, folder)
    (task,) = make_tasks(task_folder(folder), [rows[0]], mode=ShapeMode.STATIC, machinery=machinery)
    shutil.rmtree(folder)
    with pytest.raises(TaskError, match="no task folder"):
        provide(task, task.cases[0], machinery)


def test_other_folders_are_no_tasks_of_the_benchmark(checkout, tmp_path):
    assert load_benchmark_task(str(tmp_path)) is None
    assert load_benchmark_task(str(tmp_path / "missing")) is None
    with pytest.raises(TaskError, match=r"no case '9'.*#N with N of 0, 1, 2"):
        load_benchmark_task(f"{checkout.find('Twice').path}#9")


def test_task_files_read_back_as_the_same_tasks(checkout, machinery, tmp_path):
    """What cannot be said is left out with its reason, and nothing else is."""
    options = {"mode": ShapeMode.STATIC, "path": Path.DEVICE, "most": 200, "cases": None, "machinery": machinery}
    place = tmp_path / "level1" / "Math" / "Twice"
    shutil.copytree(checkout.find("Twice").path, place)
    table = place / "validation" / "test_cases.csv"
    table.write_text("".join(line for line in table.read_text().splitlines(keepends=True) if "hang" not in line))
    (place / "api_desc.md").write_text("costs $5 and $x")
    (written,) = write_tasks([task_folder(place)], tmp_path / "out", **options)
    assert written.tasks == ("npukb-twice-0", "npukb-twice-1")
    assert len(written.left_out) == 1 and "rand is for floats" in written.left_out[0]
    assert written.skipped == 1
    assert table_of([written]).endswith("1 of 1 of the benchmark's tasks became tasks")
    tasks = suite(tmp_path / "out")
    assert [task.name for task in tasks] == ["npukb-twice-0", "npukb-twice-1"]
    assert "costs $5 and $x" in tasks[0].description
    assert tasks[0].reference.external is not None
