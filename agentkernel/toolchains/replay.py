"""Record what a toolchain says, and say it again without that toolchain.

A recording is a folder: `calls.jsonl` with one JSON object a call, and one `.npz` file for the outputs of each run.
"""

from __future__ import annotations

import hashlib
import json
import threading
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from agentkernel.errors import StoreError, ToolchainError
from agentkernel.kernel import Kernel
from agentkernel.task import Case, Task
from agentkernel.toolchains.base import Arrays, Build, Run, Toolchain

CALLS = "calls.jsonl"


class RecordingToolchain:
    """Passes every call to another toolchain and keeps its answers.

    Args:
        inner: The toolchain that does the work.
        folder: Folder of the recording; made where it does not exist, continued where it does.
    """

    def __init__(self, inner: Toolchain, folder: str | Path) -> None:
        self._inner = inner
        self._folder = Path(folder)
        self._lock = threading.Lock()
        self._write({"call": "toolchain", "name": inner.name, "versions": inner.versions})

    @property
    def name(self) -> str:
        """The recorded toolchain's name."""
        return self._inner.name

    @property
    def versions(self) -> dict[str, str]:
        """The recorded toolchain's versions."""
        return self._inner.versions

    def build(self, kernel: Kernel, task: Task) -> Build:
        """Build with the inner toolchain and keep the result.

        Raises:
            ToolchainError: The inner toolchain failed; failures are not kept.
            StoreError: The recording cannot be written.
        """
        build = self._inner.build(kernel, task)
        kept = build.model_dump(mode="json", exclude={"kernel", "task"})
        self._write({"call": "build", "key": build_key(kernel, task), "build": kept})
        return build

    def run(self, build: Build, case: Case, inputs: Arrays) -> Run:
        """Run with the inner toolchain and keep the result.

        Raises:
            ToolchainError: The inner toolchain failed; failures are not kept.
            StoreError: The recording cannot be written.
        """
        run = self._inner.run(build, case, inputs)
        key = run_key(build, case, inputs)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            bits = {name: array.view(f"V{array.dtype.itemsize}") for name, array in run.outputs.items()}
            with (self._folder / f"{key}.npz").open("wb") as file:
                np.savez_compressed(file, **bits)  # type: ignore[arg-type]  # numpy's stub has allow_pickle among them
        except OSError as error:
            raise StoreError(f"cannot write the recording {self._folder}: {error}", hint="free some space") from error
        self._write({"call": "run", "key": key, "run": run.model_dump(mode="json", exclude={"outputs"})})
        return run

    def _write(self, entry: dict[str, Any]) -> None:
        try:
            with self._lock:
                self._folder.mkdir(parents=True, exist_ok=True)
                with (self._folder / CALLS).open("a", encoding="utf-8") as file:
                    file.write(json.dumps(entry) + "\n")
        except OSError as error:
            raise StoreError(f"cannot write the recording {self._folder}: {error}", hint="free some space") from error


class ReplayToolchain:
    """Answers from a recording; a call that was not recorded is an error.

    Args:
        folder: Folder that a `RecordingToolchain` wrote.

    Raises:
        StoreError: There is no recording, or it is damaged.
    """

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)
        self._name = "replay"
        self._versions: dict[str, str] = {}
        self._builds: dict[str, dict[str, Any]] = {}
        self._runs: dict[str, dict[str, Any]] = {}
        try:
            lines = (self._folder / CALLS).read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise StoreError(f"there is no recording at {self._folder}: {error}", hint="record one first") from error
        for number, line in enumerate(lines, start=1):
            self._take(number, line)

    def _take(self, number: int, line: str) -> None:
        try:
            entry = json.loads(line)
            if entry["call"] == "toolchain":
                self._name, self._versions = entry["name"], entry["versions"]
            elif entry["call"] == "build":
                self._builds[entry["key"]] = entry["build"]
            else:
                self._runs[entry["key"]] = entry["run"]
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(
                f"line {number} of {self._folder / CALLS} is damaged: {error}", hint="record again"
            ) from error

    @property
    def name(self) -> str:
        """The recorded toolchain's name."""
        return self._name

    @property
    def versions(self) -> dict[str, str]:
        """The recorded toolchain's versions."""
        return dict(self._versions)

    def build(self, kernel: Kernel, task: Task) -> Build:
        """The recorded build.

        Raises:
            ToolchainError: The recording does not hold it.
        """
        kept = self._builds.get(build_key(kernel, task))
        if kept is None:
            raise ToolchainError(
                f"the recording holds no build of {task.name} with kernel {kernel.digest[:12]}", hint="record again"
            )
        return Build.model_validate({**kept, "kernel": kernel, "task": task})

    def run(self, build: Build, case: Case, inputs: Arrays) -> Run:
        """The recorded run.

        Raises:
            ToolchainError: The build is not a successful one, or the recording does not hold the run.
            StoreError: The recording's arrays are damaged.
        """
        if not build.ok:
            raise ToolchainError("a kernel that did not compile cannot be run", hint="look at the build's diagnostics")
        key = run_key(build, case, inputs)
        kept = self._runs.get(key)
        if kept is None:
            raise ToolchainError(
                f"the recording holds no run of {build.task.name}/{case.name} with these inputs", hint="record again"
            )
        return Run.model_validate({**kept, "outputs": self._outputs(key, build.task)})

    def _outputs(self, key: str, task: Task) -> dict[str, NDArray[Any]]:
        dtypes = {tensor.name: tensor.dtype.numpy for tensor in task.outputs}
        try:
            with (self._folder / f"{key}.npz").open("rb") as file, np.load(file) as arrays:
                return {name: arrays[name].view(dtypes[name]) for name in arrays.files}
        except (OSError, ValueError, KeyError, BadZipFile) as error:
            raise StoreError(f"the recording {key}.npz is damaged: {error}", hint="record again") from error


def build_key(kernel: Kernel, task: Task) -> str:
    """Key of a build: kernel and task."""
    return hashlib.sha256(f"{kernel.digest} {task.digest}".encode()).hexdigest()[:32]


def run_key(build: Build, case: Case, inputs: Arrays) -> str:
    """Key of a run: kernel, task, case and the bytes of every input."""
    total = hashlib.sha256(f"{build.kernel.digest} {build.task.digest} {case.model_dump_json()}".encode())
    for name in sorted(inputs):
        array = np.ascontiguousarray(inputs[name])
        total.update(f"{name} {array.dtype} {array.shape} ".encode())
        total.update(array.tobytes())
    return total.hexdigest()[:32]
