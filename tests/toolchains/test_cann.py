"""CANN: what is missing is named; with stand-ins for its two programs the whole way is walked."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from agentkernel.diagnostic import Level
from agentkernel.errors import ToolchainError
from agentkernel.testing import toolchain as suite
from agentkernel.toolchains.cann import CannToolchain, find_cann

# Stands for what bisheng would build: reads the job as the generated host program does, and adds.
PROGRAM = """\
#!{python}
import sys
import numpy as np
rows = [line.split(None, 3) for line in open(sys.argv[1])]
arrays = {{}}
for role, size, offset, path in rows:
    path = path.strip()
    if role == "in":
        arrays[len(arrays)] = np.fromfile(path, np.float32, int(size) // 4, offset=int(offset))
    if role == "out":
        with open(path, "r+b") as file:
            file.seek(int(offset))
            file.write((arrays[0] + arrays[1])[:{count}].tobytes())
{extra}
"""

BISHENG = """\
#!/bin/sh
case "$(cat op_kernel/*.cpp)" in *AddVectors*)
  echo "op_kernel/conformance_add.cpp:37:5: error: use of undeclared identifier 'AddVectors'"; exit 1;; esac
grep -q 'conformance_add<<<1, nullptr, stream>>>(all\\[0\\].device' main.asc || {{ echo "no launch"; exit 1; }}
cp {program} program
"""


@pytest.fixture
def cann(tmp_path, monkeypatch):
    """A folder that looks like CANN, with stand-ins on PATH."""
    home, programs = tmp_path / "cann", tmp_path / "bin"
    for folder in (home, programs):
        folder.mkdir()
    (home / "version.cfg").write_text("# comment\nruntime_running_version=[8.5.0]\n")
    built = programs / "built"

    def set_up(count: str = "", extra: str = "") -> None:
        for path, text in (
            (built, PROGRAM.format(python=sys.executable, count=count, extra=extra)),
            (programs / "bisheng", BISHENG.format(program=built)),
            (programs / "npu-smi", "#!/bin/sh\n"),
        ):
            path.write_text(text)
            path.chmod(0o755)

    set_up()
    monkeypatch.setenv("ASCEND_HOME_PATH", str(home))
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    return set_up


def test_everything_that_is_missing_is_named(monkeypatch, tmp_path):
    for name in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainError) as raised:
        CannToolchain()
    for word in ("ASCEND_HOME_PATH", "bisheng", "npu-smi"):
        assert word in raised.value.message
    assert "set_env.sh" in raised.value.hint and "simulator" in raised.value.hint


def test_a_folder_that_is_none_is_named(monkeypatch):
    monkeypatch.setenv("ASCEND_HOME_PATH", "/no/such/folder")
    with pytest.raises(ToolchainError, match="/no/such/folder"):
        find_cann()


def test_an_installed_cann_is_found(cann):
    found = find_cann()
    assert found.version == "8.5.0" and found.bisheng.name == "bisheng"


@pytest.mark.parametrize("check", suite.CHECKS, ids=lambda check: check.__name__)
def test_the_suite_with_stand_ins(check, cann):
    from contextlib import nullcontext

    check(lambda: nullcontext(CannToolchain()))


def test_errors_of_bisheng_have_the_authors_line(cann):
    build = CannToolchain().build(suite.BROKEN, suite.TASK)
    found = build.diagnostics[0]
    assert (found.code, found.location.line) == ("unknown-name", 37)


def test_a_wrong_entry_does_not_reach_the_compiler(cann):
    kernel = suite.GOOD.model_copy(update={"files": {"op_kernel/conformance_add.cpp": "int a;\n"}})
    build = CannToolchain().build(kernel, suite.TASK)
    assert [d.code for d in build.diagnostics] == ["no-kernel-entry"]


def run(toolchain):
    case = suite.TASK.cases[0]
    return toolchain.run(toolchain.build(suite.GOOD, suite.TASK), case, suite.inputs_of(case))


def test_elements_that_still_hold_poison_were_not_written(cann):
    cann(count="60")
    done = run(CannToolchain())
    assert done.unwritten == {"z": 4}
    assert done.diagnostics[0].evidence["first"] == 60
    np.testing.assert_array_equal(done.outputs["z"][:60], suite.outputs_of(suite.TASK.cases[0])["z"][:60])


STOPPED = "sys.stderr.write('cann: the kernel failed with 507015\\n'); sys.exit(1)"


@pytest.mark.parametrize(("extra", "code"), [(STOPPED, "crash"), ("while True: pass", "time-limit")])
def test_a_kernel_that_fails_on_the_card_is_data(cann, extra, code):
    cann(extra=extra)
    done = run(CannToolchain(timeout=3.0))
    assert not done.completed
    assert [(d.code, d.level) for d in done.diagnostics] == [(code, Level.RUNTIME)]


def test_a_card_that_does_not_answer_is_no_fault_of_the_kernel(cann):
    cann(extra="sys.stderr.write('cann: aclrtSetDevice failed with 507033\\n'); sys.exit(70)")
    with pytest.raises(ToolchainError, match="aclrtSetDevice"):
        run(CannToolchain())


def test_an_unknown_chip_is_named(cann):
    task = suite.TASK.model_copy(update={"target": "ascend999"})
    with pytest.raises(ToolchainError, match="ascend999"):
        CannToolchain().build(suite.GOOD, task)
