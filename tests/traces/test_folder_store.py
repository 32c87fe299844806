"""FolderStore: conformance, crashes, damage, locks, refusals of the file system."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agentkernel.diagnostic import Level
from agentkernel.errors import StoreError
from agentkernel.testing import trace_store
from agentkernel.testing.samples import sample_attempt, sample_header
from agentkernel.testing.trace_store import StoreFactory
from agentkernel.traces import FolderStore, MemoryStore
from agentkernel.traces.files import storage
from agentkernel.trajectory import Completion, Outcome


@pytest.mark.parametrize("check", trace_store.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("kind", ["folder", "memory"])
def test_conformance(kind: str, check: Callable[[StoreFactory], None], tmp_path: Path) -> None:
    memory = MemoryStore()
    check(lambda: FolderStore(tmp_path / "store") if kind == "folder" else memory)


def a_run(root: Path, attempts: int = 2) -> FolderStore:
    store = FolderStore(root)
    store.begin(sample_header())
    for index in range(attempts):
        store.append("run-1", sample_attempt(index, Level.API))
    return store


def test_the_layout_can_be_read_by_a_person(tmp_path: Path) -> None:
    store = a_run(tmp_path)
    store.journal("run-1", 2, Completion(text="the third answer"))
    store.finish("run-1", Outcome.TURNS)
    run = tmp_path / "run-1"
    assert json.loads((run / "header.json").read_text())["header"]["task"]["name"] == "add-float16"
    assert json.loads((run / "outcome.json").read_text()) == {"format": 1, "outcome": "turns"}
    assert json.loads((run / "completions/2.json").read_text())["completion"]["text"] == "the third answer"
    assert "version 1" in (run / "kernels/1/op_kernel/add_float16.cpp").read_text()
    lines = (run / "attempts.jsonl").read_text().splitlines()
    assert [json.loads(line)["index"] for line in lines] == [0, 1]
    assert all(json.loads(line)["format"] == 1 for line in lines)


def test_sources_and_long_texts_stand_once_in_the_blobs_not_in_the_lines(tmp_path: Path) -> None:
    a_run(tmp_path)
    text = (tmp_path / "run-1/attempts.jsonl").read_text()
    line = json.loads(text.splitlines()[0])
    digest = line["kernel"]["files"]["op_kernel/add_float16.cpp"]["sha256"]
    assert "kernel_operator.h" in (tmp_path / "blobs" / digest[:2] / digest).read_text()
    assert "sha256" in line["messages"][1]["content"]
    assert line["messages"][0]["content"] == "You write Ascend C kernels."


def test_a_half_written_last_line_is_no_attempt_and_is_cut_off_by_the_next(tmp_path: Path) -> None:
    a_run(tmp_path).close()
    file = tmp_path / "run-1/attempts.jsonl"
    with file.open("a") as f:
        f.write('{"format": 1, "index": 2, "tur')
    store = FolderStore(tmp_path)
    assert len(store.load("run-1").attempts) == 2
    store.append("run-1", sample_attempt(2))
    assert [a.index for a in store.load("run-1").attempts] == [0, 1, 2]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (b"{not json}\n", "attempts.jsonl:2"),
        (b'{"format": 1, "index": 1}\n', "attempts.jsonl:2"),
        (b'{"format": 99, "index": 1}\n', "format 99"),
        (b"[1, 2]\n", "not a JSON object"),
        (b"\xff\xfe\n", "not UTF-8"),
    ],
)
def test_a_damaged_line_is_named(damage: bytes, said: str, tmp_path: Path) -> None:
    a_run(tmp_path, attempts=1).close()
    with (tmp_path / "run-1/attempts.jsonl").open("ab") as f:
        f.write(damage)
    with pytest.raises(StoreError, match=r"attempts\.jsonl:2") as caught:
        FolderStore(tmp_path).load("run-1")
    assert said in str(caught.value)


def test_a_line_out_of_order_is_damage(tmp_path: Path) -> None:
    a_run(tmp_path).close()
    file = tmp_path / "run-1/attempts.jsonl"
    first, second = file.read_text().splitlines()
    file.write_text(f"{second}\n{first}\n")
    with pytest.raises(StoreError, match=r"attempts\.jsonl:1 is damaged: it holds attempt 1"):
        FolderStore(tmp_path).load("run-1")


@pytest.mark.parametrize("name", ["header.json", "outcome.json", "completions/0.json"])
@pytest.mark.parametrize("content", ["", '{\n"format": 1,\n oops', '{"format": 1}', '{"format": 2}', "null"])
def test_a_damaged_file_is_named(name: str, content: str, tmp_path: Path) -> None:
    store = a_run(tmp_path)
    store.journal("run-1", 0, Completion(text="x"))
    store.finish("run-1", Outcome.TURNS)
    (tmp_path / "run-1" / name).write_text(content)

    def read() -> None:
        fresh = FolderStore(tmp_path)
        fresh.load("run-1")
        fresh.journaled("run-1", 0)

    line = 3 if "oops" in content else 1
    with pytest.raises(StoreError, match=f"{name}:{line} is damaged"):
        read()


def test_a_changed_or_lost_text_is_named_with_the_line_that_needs_it(tmp_path: Path) -> None:
    store = a_run(tmp_path)
    digest = store.put("a text")
    blob = tmp_path / "blobs" / digest[:2] / digest
    blob.write_text("another")
    with pytest.raises(StoreError, match="does not match its name"):
        store.get(digest)
    assert store.put("a text") == digest, "putting it again mends it"
    assert store.get(digest) == "a text"
    line = json.loads((tmp_path / "run-1/attempts.jsonl").read_text().splitlines()[1])
    lost = line["kernel"]["files"]["op_kernel/add_float16.cpp"]["sha256"]
    (tmp_path / "blobs" / lost[:2] / lost).unlink()
    with pytest.raises(StoreError, match=r"attempts\.jsonl:2 refers to a lost text"):
        store.load("run-1")


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Writes past `size` bytes of a file fail, as they do on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_write_that_fails_half_way_leaves_everything_as_it_was(tmp_path: Path) -> None:
    store = a_run(tmp_path)
    before = (tmp_path / "run-1/attempts.jsonl").read_bytes()
    with file_size_limit(len(before) + 20), pytest.raises(StoreError, match="file-size limit"):
        store.append("run-1", sample_attempt(2))
    assert (tmp_path / "run-1/attempts.jsonl").read_bytes() == before
    with file_size_limit(1000), pytest.raises(StoreError, match="cannot write"):
        store.put("x" * 2000)
    assert not list(tmp_path.rglob(".tmp-*"))
    store.append("run-1", sample_attempt(2))
    assert len(store.load("run-1").attempts) == 3


def test_a_full_disk_is_named() -> None:
    full = pytest.raises(StoreError, match=r"cannot write a header: No space left.*free space")
    with full, storage("write a header"):
        Path("/dev/full").write_bytes(b"x")


def test_a_root_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="choose another folder"):
        FolderStore(tmp_path / "file").begin(sample_header())


def test_a_folder_without_permission_is_named(tmp_path: Path) -> None:
    """A user without rights is needed, and root has all: so as nobody where the tests run as root."""
    program = textwrap.dedent("""
        import os, sys
        from agentkernel.errors import StoreError
        from agentkernel.testing.samples import sample_header
        from agentkernel.traces import FolderStore
        if os.getuid() == 0:
            os.setuid(65534)
        try:
            FolderStore(sys.argv[1] + "/store").begin(sample_header())
        except StoreError as error:
            print(error)
    """)
    tmp_path.chmod(0o555)
    out = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True)
    assert "no permission" in out.stdout


def run_python(program: str, *args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


HOLDER = """
    import sys
    from agentkernel.testing.samples import sample_header
    from agentkernel.traces import FolderStore
    store = FolderStore(sys.argv[1])
    store.begin(sample_header())
    print("begun", flush=True)
    sys.stdin.readline()
"""


def test_a_run_has_one_writing_process_until_that_ends(tmp_path: Path) -> None:
    holder = run_python(HOLDER, str(tmp_path))
    assert holder.stdout is not None
    assert holder.stdout.readline() == "begun\n"
    store = FolderStore(tmp_path)
    with pytest.raises(StoreError, match=f"being written by process {holder.pid}"):
        store.append("run-1", sample_attempt(0))
    assert store.load("run-1").attempts == (), "reading takes no lock"
    store.begin(sample_header("run-2"))
    holder.kill()
    holder.communicate()
    store.append("run-1", sample_attempt(0))
    assert len(store.load("run-1").attempts) == 1


def test_finishing_lets_go_of_the_run(tmp_path: Path) -> None:
    finishing = HOLDER.replace(
        'print("begun", flush=True)',
        'from agentkernel.trajectory import Outcome; store.finish("run-1", Outcome.TURNS); print("done", flush=True)',
    )
    holder = run_python(finishing, str(tmp_path))
    assert holder.stdout is not None
    assert holder.stdout.readline() == "done\n"
    store = FolderStore(tmp_path)
    store.append("run-1", sample_attempt(0))
    holder.communicate("\n")
    assert store.load("run-1").outcome is Outcome.TURNS


def test_two_processes_write_different_runs_of_one_store(tmp_path: Path) -> None:
    program = """
        import sys
        from agentkernel.testing.samples import sample_attempt, sample_header
        from agentkernel.traces import FolderStore
        from agentkernel.trajectory import Outcome
        store = FolderStore(sys.argv[1])
        store.begin(sample_header(sys.argv[2]))
        for index in range(10):
            store.append(sys.argv[2], sample_attempt(index))
        store.finish(sys.argv[2], Outcome.SOLVED)
    """
    writers = [run_python(program, str(tmp_path), f"run-{i}") for i in range(2)]
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    loaded = [FolderStore(tmp_path).load(f"run-{i}") for i in range(2)]
    assert loaded[0].attempts == loaded[1].attempts
    assert len(loaded[0].attempts) == 10


def test_a_kill_at_any_moment_leaves_a_run_that_can_be_read_and_continued(tmp_path: Path) -> None:
    program = """
        import sys
        from agentkernel.testing.samples import sample_attempt, sample_header
        from agentkernel.traces import FolderStore
        store = FolderStore(sys.argv[1])
        store.begin(sample_header())
        for index in range(100000):
            store.append("run-1", sample_attempt(index))
            if index == int(sys.argv[2]):
                print("go", flush=True)
    """
    for moment in (0, 3, 7):
        root = tmp_path / str(moment)
        writer = run_python(program, str(root), str(moment))
        assert writer.stdout is not None
        assert writer.stdout.readline() == "go\n"
        writer.kill()
        writer.communicate()
        store = FolderStore(root)
        kept = store.load("run-1").attempts
        assert len(kept) > moment
        store.append("run-1", sample_attempt(len(kept)))
        assert store.load("run-1").attempts == tuple(sample_attempt(i) for i in range(len(kept) + 1))


def test_files_follow_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        a_run(tmp_path)
    finally:
        os.umask(old)
    assert (tmp_path / "run-1/header.json").stat().st_mode & 0o777 == 0o640


def test_the_name_of_the_blob_folder_is_no_run_id(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no run id"):
        FolderStore(tmp_path).begin(sample_header("blobs"))


def test_folders_without_a_header_are_no_runs(tmp_path: Path) -> None:
    a_run(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "readme.txt").write_text("mine")
    assert list(FolderStore(tmp_path).runs()) == ["run-1"]


def test_an_awkwardly_named_kernel_keeps_a_readable_copy_with_its_names(tmp_path: Path) -> None:
    trace_store.kernels_of_any_file_names_come_back(lambda: FolderStore(tmp_path))
    folder = tmp_path / "run-1/kernels/0"
    names = json.loads((folder / "NAMES.json").read_text())
    assert names["1.txt"] == "a/b"
    assert (folder / "1.txt").read_text() == "file inside a file"
