"""The real toolchain: bisheng compiles a direct-launch program, which runs on a card.

It follows the same device-path contract as the simulator. **It has not been run on a card yet**: what is tested is
everything around the two programs of CANN (finding them, what is written for them, how their answers are read).
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import weakref
from pathlib import Path
from string import Template

from pydantic import BaseModel, ConfigDict

from agentkernel.diagnostic import Diagnostic, Level
from agentkernel.errors import ToolchainError
from agentkernel.kernel import Kernel
from agentkernel.launch import arguments
from agentkernel.simulator import compiler_output, messages
from agentkernel.simulator.gm_buffers import Buffer, read_output, task_arguments, write_buffers
from agentkernel.simulator.outcome import not_written, still_poison
from agentkernel.simulator.processes import run as run_process
from agentkernel.simulator.source_pass import PreparedSource, prepare
from agentkernel.task import Case, Task
from agentkernel.toolchains.base import Arrays, Build, Run

ARCH = {"ascend910b": "dav-2201"}
"""bisheng's name of a chip's architecture."""
COMPILE_SECONDS = 600.0

HINT = (
    "install the driver of your card and the CANN toolkit, 8.5 or later (hiascend.com, Ascend community edition), and "
    "run `source <toolkit>/set_env.sh`; without a card use the simulator"
)

_MAIN = Template("""\
// Loads the arguments from files, launches the kernel once, writes the outputs back.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>
#include "acl/acl.h"
#include "$prelude"
#include "$main_file"

static void check(aclError status, const char* what) {
  if (status == ACL_SUCCESS) return;
  std::fprintf(stderr, "cann: %s failed with %d\\n", what, static_cast<int>(status));
  std::exit(70);
}

struct Argument {
  std::string role, path;
  size_t bytes = 0, offset = 0;
  uint8_t* device = nullptr;
};

int main(int argc, char** argv) {
  if (argc != 2) return 70;
  std::vector<Argument> all;
  std::ifstream job(argv[1]);
  for (Argument a; job >> a.role >> a.bytes >> a.offset && std::getline(job >> std::ws, a.path);) all.push_back(a);
  check(aclInit(nullptr), "aclInit");
  check(aclrtSetDevice(0), "aclrtSetDevice");
  aclrtStream stream = nullptr;
  check(aclrtCreateStream(&stream), "aclrtCreateStream");
  std::vector<char> host;
  for (Argument& a : all) {
    check(aclrtMalloc(reinterpret_cast<void**>(&a.device), a.bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    if (a.role == "workspace") continue;
    host.resize(a.bytes);
    std::ifstream file(a.path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(a.offset));
    file.read(host.data(), static_cast<std::streamsize>(a.bytes));
    check(aclrtMemcpy(a.device, a.bytes, host.data(), a.bytes, ACL_MEMCPY_HOST_TO_DEVICE), "copy to the device");
  }
  $entry<<<$blocks, nullptr, stream>>>($arguments);
  const aclError ran = aclrtSynchronizeStream(stream);
  if (ran != ACL_SUCCESS) {
    std::fprintf(stderr, "cann: the kernel failed with %d\\n", static_cast<int>(ran));
    return 1;
  }
  for (const Argument& a : all) {
    if (a.role != "out") continue;
    host.resize(a.bytes);
    check(aclrtMemcpy(host.data(), a.bytes, a.device, a.bytes, ACL_MEMCPY_DEVICE_TO_HOST), "copy from the device");
    std::fstream file(a.path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(a.offset));
    file.write(host.data(), static_cast<std::streamsize>(a.bytes));
  }
  return 0;
}
""")


class Cann(BaseModel):
    """An installed CANN."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    home: Path
    """Folder of the toolkit, as its set_env.sh exports it."""
    bisheng: Path
    version: str


def find_cann() -> Cann:
    """The CANN of this shell's environment.

    Raises:
        ToolchainError: Something is missing; the message names each missing thing.
    """
    named = os.environ.get("ASCEND_HOME_PATH") or os.environ.get("ASCEND_TOOLKIT_HOME") or ""
    home = Path(named) if named else None
    missing = []
    if home is None:
        missing.append("ASCEND_HOME_PATH is not set")
    elif not home.is_dir():
        missing.append(f"ASCEND_HOME_PATH names {home}, which is no folder")
    places = [home / "bin", home / "compiler" / "ccec_compiler" / "bin"] if home is not None else []
    found = shutil.which("bisheng") or next((str(p / "bisheng") for p in places if (p / "bisheng").exists()), None)
    if found is None:
        missing.append("the compiler `bisheng` is not on PATH")
    if shutil.which("npu-smi") is None:
        missing.append("`npu-smi` is not on PATH, so there is no driver")
    if missing or home is None or found is None:
        raise ToolchainError(f"CANN cannot be used: {'; '.join(missing)}", hint=HINT)
    return Cann(home=home, bisheng=Path(found), version=_version(home))


def _version(home: Path) -> str:
    for name in ("version.cfg", "version.info", "compiler/version.info"):
        path = home / name
        if path.is_file():
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                key, _, value = line.partition("=")
                if "version" in key.lower() and value:
                    return value.strip().strip("[]")
    return "unknown"


class CannToolchain:
    """Compiles with bisheng and runs on card 0.

    Args:
        timeout: Wall-clock seconds for one case.

    Raises:
        ToolchainError: CANN, its compiler or the driver is missing.
    """

    def __init__(self, *, timeout: float = 120.0) -> None:
        self._cann = find_cann()
        self._timeout = timeout
        self.folder = Path(tempfile.mkdtemp(prefix="agentkernel-cann-"))
        """Where builds lie until the object goes."""
        self._finalizer = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    @property
    def name(self) -> str:
        """`cann`."""
        return "cann"

    @property
    def versions(self) -> dict[str, str]:
        """Version of CANN and path of the compiler."""
        return {"cann": self._cann.version, "bisheng": str(self._cann.bisheng)}

    def build(self, kernel: Kernel, task: Task) -> Build:
        """Compile a kernel with the host program that launches it.

        Raises:
            ToolchainError: bisheng does not start, or knows no such chip, or the task has more than single tensors.
        """
        _require_single_tensors(task)
        start = time.perf_counter()
        prepared = prepare(kernel, task)
        artifact, found = "", prepared.diagnostics
        if prepared.ok:
            folder = Path(tempfile.mkdtemp(prefix="build.", dir=self.folder))
            found = (*found, *self._compile(prepared, task, folder))
            if not any(diagnostic.is_error for diagnostic in found):
                artifact = str(folder / "program")
        return Build(
            ok=bool(artifact),
            kernel=kernel,
            task=task,
            artifact=artifact,
            diagnostics=found,
            seconds=time.perf_counter() - start,
        )

    def _compile(self, prepared: PreparedSource, task: Task, folder: Path) -> tuple[Diagnostic, ...]:
        if task.target not in ARCH:
            raise ToolchainError(f"no bisheng architecture is known for {task.target!r}", hint=f"known: {list(ARCH)}")
        for name, text in prepared.kernel.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        # the kernel's own copy of the structure wins; GET_TILING_DATA's default is the toolchain's business here
        struct = prepared.prelude.partition("using ")[0] if "{" in prepared.prelude else ""
        (folder / "tiling_data.h").write_text('#include "kernel_operator.h"\n' + struct, encoding="utf-8")
        values = ", ".join(f"all[{index}].device" for index in range(len(arguments(task))))
        main = _MAIN.substitute(
            prelude="tiling_data.h",
            main_file=prepared.main_file,
            entry=task.entry,
            blocks=task.block_dim,
            arguments=values,
        )
        (folder / "main.asc").write_text(main, encoding="utf-8")
        home = self._cann.home
        command: list[str | Path] = [self._cann.bisheng, "-O2", "-std=c++17", f"--npu-arch={ARCH[task.target]}"]
        command += ["-fno-caret-diagnostics", "-fno-color-diagnostics", f"-I{home / 'include'}", "-I."]
        command += ["-xasc", "main.asc", "-xnone", f"-L{home / 'lib64'}", "-lascendcl", "-o", "program"]
        try:
            done = run_process(command, cwd=folder, timeout=COMPILE_SECONDS, with_stdout=True)
        except OSError as error:
            raise ToolchainError(f"cannot start {self._cann.bisheng}: {error}", hint=HINT) from error
        if done.returncode == 0:
            return ()
        found = messages.to_diagnostics(compiler_output.parse(done.output), prepared)
        if found:
            return found
        last = messages.shorten(done.output.strip().rsplit("\n", 1)[-1])
        return (
            Diagnostic(
                code="compile-limit" if done.timed_out else "compile-error",
                level=Level.API,
                message=f"bisheng failed with status {done.returncode}: {last}",
            ),
        )

    def run(self, build: Build, case: Case, inputs: Arrays) -> Run:
        """Launch a build on card 0 and read the outputs back.

        Raises:
            ToolchainError: The build is not a successful one, an input is not as declared, or the card does not answer.
        """
        if not build.ok:
            raise ToolchainError("a kernel that did not compile cannot be run", hint="look at the build's diagnostics")
        task = build.task
        with tempfile.TemporaryDirectory(prefix="run.", dir=self.folder) as temporary:
            buffers = write_buffers(task_arguments(task, case, inputs), Path(temporary))
            job = Path(temporary) / "job"
            job.write_text("".join(_job_line(buffer) for buffer in buffers), encoding="utf-8")
            try:
                done = run_process([build.artifact, job], timeout=self._timeout)
            except OSError as error:
                raise ToolchainError(f"cannot start the built program: {error}", hint="build again") from error
            if done.returncode == 70:
                raise ToolchainError(f"the card did not answer: {done.output.strip()}", hint="look at `npu-smi info`")
            if done.timed_out or done.returncode != 0:
                return Run(completed=False, diagnostics=(_failure(done.timed_out, done.output),), seconds=done.seconds)
            by_name = {buffer.name: buffer for buffer in buffers}
            outputs = {
                t.name: read_output(t.dtype.numpy, task.shape_of(t, case), by_name[t.name]) for t in task.outputs
            }
        # only in a float is poison (a NaN of its own) surely not a value that the kernel wrote
        holes = {t.name: int(still_poison(outputs[t.name]).size) for t in task.outputs if t.dtype.is_float}
        unwritten = {name: count for name, count in holes.items() if count}
        return Run(
            completed=True,
            outputs=outputs,
            unwritten=unwritten,
            diagnostics=tuple(
                not_written(t.name, unwritten[t.name], outputs[t.name]) for t in task.outputs if t.name in unwritten
            ),
            seconds=done.seconds,
            sandbox=("session",),
        )


def _require_single_tensors(task: Task) -> None:
    """Raise for a task whose arguments the host program does not make: blocks of lists, null and repeated addresses."""
    if task.beyond_single_tensors:
        raise ToolchainError(
            f"{task.name} has {task.beyond_single_tensors}, which this toolchain's launch does not carry",
            hint="judge it in the simulator, or export it with --form msopgen and build the package",
        )


def _job_line(buffer: Buffer) -> str:
    return f"{buffer.role} {buffer.size} {buffer.offset if buffer.path else 0} {buffer.path or '-'}\n"


def _failure(timed_out: bool, output: str) -> Diagnostic:
    if timed_out:
        return Diagnostic(
            code="time-limit",
            level=Level.RUNTIME,
            message="The kernel did not end within its time limit on the card.",
            hint="Look for a wait without its set, or a loop that does not end.",
        )
    return Diagnostic(
        code="crash",
        level=Level.RUNTIME,
        message=f"The card stopped the kernel: {messages.shorten(output.strip()) or 'no reason was given'}.",
        hint="Check alignment, bounds and synchronisation; the simulator names them.",
    )
