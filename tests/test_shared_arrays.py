"""Arrays in files without a name: what the files hold, which arrays have one, and that nothing is left behind."""

import os

import numpy as np
import pytest

from agentkernel import shared_arrays
from agentkernel.shared_arrays import SHARED_BYTES, data_offset, descriptor_of, empty, file_bytes, memory_base

LARGE = (SHARED_BYTES // 4 + 3,)
in_memory = memory_base() is not None


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_the_file_holds_the_values_at_the_offset_that_the_runner_expects() -> None:
    array = empty(LARGE, np.float32)
    array[:] = np.arange(LARGE[0])
    descriptor = descriptor_of(array)
    assert (descriptor is not None) == in_memory
    if descriptor is not None:
        size = file_bytes(array.nbytes)
        assert os.fstat(descriptor).st_size == size
        assert os.pread(descriptor, size, 0)[data_offset(array.nbytes) :] == array.tobytes()


def test_the_descriptor_is_for_reading_alone() -> None:
    array = empty(LARGE, np.float32)
    descriptor = descriptor_of(array)
    if descriptor is not None:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.pwrite(descriptor, b"x", 0)


def test_another_shape_of_the_whole_has_the_file_a_part_or_an_ordinary_array_has_none() -> None:
    array = empty(LARGE, np.float32)
    assert (descriptor_of(array.reshape(-1, 1)) is not None) == in_memory
    for other in (array[:-1], array[::-1], np.zeros(LARGE, np.float32), empty((3,), np.float32)):
        assert descriptor_of(other) is None


def test_files_are_closed_with_the_last_array_of_theirs() -> None:
    before = open_files()
    arrays = [empty(LARGE, np.float32) for _ in range(4)]
    view = arrays[0][5:]
    arrays.clear()
    view[0] = 1
    assert view[0] == 1
    del view
    assert open_files() == before


def test_a_machine_without_files_in_memory_gives_ordinary_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_arrays, "memory_base", lambda: None)
    array = empty(LARGE, np.float32)
    assert array.shape == LARGE
    assert descriptor_of(array) is None
