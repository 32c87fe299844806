"""Files of outputs: what a run finds in one, when the next run may have it, and what is kept."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentkernel.shared_arrays import file_bytes
from agentkernel.simulator.output_files import OutputFile, OutputFiles

SIZE = 1 << 16


@pytest.fixture
def files() -> Iterator[OutputFiles]:
    made = OutputFiles(Path("/dev/shm"), kept_bytes=4 * SIZE)
    yield made
    made.close()


def take(files: OutputFiles, fill: bytes, size: int = SIZE) -> OutputFile:
    taken = files.take(size)
    assert taken is not None
    taken.write(0, [fill * size])
    return taken


def test_a_file_that_nothing_refers_to_is_used_again_and_holds_the_new_fill(files: OutputFiles) -> None:
    first = take(files, b"a")
    number = first.descriptor
    assert first.read(SIZE)[:] == b"a" * SIZE
    del first
    again = take(files, b"b")
    assert again.descriptor == number
    assert again.read(SIZE)[:] == b"b" * SIZE


def test_the_bytes_of_an_output_keep_its_file_from_other_runs(files: OutputFiles) -> None:
    first = take(files, b"a")
    number = first.descriptor
    values = first.read(SIZE)
    del first
    assert take(files, b"b").descriptor != number
    assert values[:] == b"a" * SIZE


def test_what_lies_before_the_data_is_zero_also_in_a_used_file(files: OutputFiles) -> None:
    del_me = take(files, b"a")
    del del_me
    shorter = files.take(SIZE - 512)
    assert shorter is not None
    shorter.write(512, [b"b" * (SIZE - 512)])
    assert shorter.read(SIZE - 512)[:512] == bytes(512)


def test_a_file_far_larger_than_the_output_is_left_for_another(files: OutputFiles) -> None:
    large = take(files, b"a", 4 * SIZE)
    number = large.descriptor
    del large
    assert take(files, b"b").descriptor != number


def test_no_more_is_kept_than_allowed(files: OutputFiles) -> None:
    before = len(os.listdir("/proc/self/fd"))
    several = [take(files, b"a") for _ in range(6)]
    several.clear()
    assert len(os.listdir("/proc/self/fd")) - before == 4 * SIZE // file_bytes(SIZE)


def test_nothing_is_kept_after_the_end() -> None:
    before = len(os.listdir("/proc/self/fd"))
    files = OutputFiles(Path("/dev/shm"))
    late, early = take(files, b"a"), take(files, b"a")
    del early
    files.close()
    del late
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_file_system_without_unnamed_files_has_none() -> None:
    assert OutputFiles(Path("/proc")).take(SIZE) is None


def test_a_file_that_comes_back_while_another_is_looked_for_waits_its_turn(files: OutputFiles) -> None:
    first = take(files, b"a")
    number = first.descriptor
    with files._lock:  # the garbage collector may end an output in the middle of `take`
        del first
    assert take(files, b"b").descriptor == number
