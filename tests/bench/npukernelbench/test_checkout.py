"""A folder is taken for a checkout only where it is a usable one."""

import shutil

import pytest

from agentkernel.bench.npukernelbench.checkout import open_checkout, task_folder
from agentkernel.errors import ConfigError

from .conftest import HERE


def test_tasks_have_names_levels_and_entries(checkout):
    task = checkout.find("Twice")
    assert (task.key, task.entry) == ("level1/Math/Twice", "twice")
    assert task.answer is not None
    assert "doubled" in task.description
    assert checkout.find("level1/Math/Twice") == task


def test_an_unknown_task_is_refused_with_near_names(checkout):
    with pytest.raises(ConfigError, match="did you mean Twice"):
        checkout.find("twic")


def test_a_folder_that_is_no_checkout_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="no checkout of NPUKernelBench"):
        open_checkout(tmp_path)
    (tmp_path / "tasks").mkdir()
    with pytest.raises(ConfigError, match="holds no tasks"):
        open_checkout(tmp_path)
    assert task_folder(tmp_path) is None


def test_a_damaged_commit_is_refused_with_the_good_one(tmp_path):
    shutil.copytree(HERE / "synthetic", tmp_path / "copy")
    build = tmp_path / "copy/tasks/level1/Math/Twice/answer/0/CMakeLists.txt"
    build.write_text("// a comment of the wrong language\n" + build.read_text())
    with pytest.raises(ConfigError, match=r"damaged.*git checkout"):
        open_checkout(tmp_path / "copy")
    assert open_checkout(tmp_path / "copy", broken=True).tasks
