"""Arrays in files without a name: what they hold, when they can be linked, and that nothing is left behind."""

import os
from pathlib import Path

import numpy as np
import pytest

from agentkernel import shared_arrays
from agentkernel.shared_arrays import SHARED_BYTES, data_offset, empty, file_bytes, link, memory_base

LARGE = (SHARED_BYTES // 4 + 3,)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    base = memory_base()
    if base is None:
        return tmp_path
    made = base / f"test-{os.getpid()}-{tmp_path.name}"
    made.mkdir()
    return made


@pytest.fixture(autouse=True)
def _clean(folder: Path):
    yield
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


def test_a_linked_file_holds_the_values_at_the_offset_that_the_runner_expects(folder: Path) -> None:
    array = empty(LARGE, np.float32)
    array[:] = np.arange(LARGE[0])
    if not link(array, folder / "x"):
        assert memory_base() is None
        return
    data = (folder / "x").read_bytes()
    assert len(data) == file_bytes(array.nbytes)
    assert data[data_offset(array.nbytes) :] == array.tobytes()


def test_the_name_goes_and_the_values_stay(folder: Path) -> None:
    array = empty(LARGE, np.int32)
    array[:] = 7
    for _ in range(2):  # a second run of the same inputs names the file anew
        link(array, folder / "x")
        (folder / "x").unlink(missing_ok=True)
    assert (array == 7).all()
    assert list(folder.iterdir()) == []


def test_another_shape_of_the_whole_is_linked_a_part_or_an_ordinary_array_is_not(folder: Path) -> None:
    array = empty(LARGE, np.float32)
    linked = link(array.reshape(-1, 1), folder / "x")
    assert linked == (memory_base() is not None)
    assert not link(array[:-1], folder / "y")
    assert not link(array[::-1], folder / "y")
    assert not link(np.zeros(LARGE, np.float32), folder / "y")
    assert not link(empty((3,), np.float32), folder / "y")
    assert not (folder / "y").exists()


def test_a_name_that_cannot_be_made_says_so(folder: Path) -> None:
    assert not link(empty(LARGE, np.float32), folder / "no such folder" / "x")


def test_descriptors_are_closed_with_the_last_array_of_a_file() -> None:
    def open_files() -> int:
        return len(os.listdir("/proc/self/fd"))

    before = open_files()
    arrays = [empty(LARGE, np.float32) for _ in range(4)]
    view = arrays[0][5:]
    assert open_files() >= before
    arrays.clear()
    view[0] = 1
    del view
    assert open_files() == before


def test_a_machine_without_files_in_memory_gives_ordinary_arrays(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(shared_arrays, "memory_base", lambda: None)
    array = empty(LARGE, np.float32)
    assert array.shape == LARGE
    assert not link(array, folder / "x")
