"""Host code, built once and asked often: its definition, its tiling, its inference."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import BaseModel, ConfigDict

from agentkernel.diagnostic import Diagnostic, Level, Location
from agentkernel.errors import ToolchainError
from agentkernel.simulator import symbolise
from agentkernel.simulator.host import findings
from agentkernel.simulator.host.calls import DtypeOutcome, OperatorCall, Platform, ShapeOutcome, TilingOutcome
from agentkernel.simulator.host.compile import compile_host
from agentkernel.simulator.host.description import HostDescription, OpDescription
from agentkernel.simulator.host.ge_types import type_numbered
from agentkernel.simulator.host.headers import check_classes
from agentkernel.simulator.host.process import LIMITS, HostMachine, HostRun, run_host
from agentkernel.simulator.host.records import Dtypes, RawClass, RawOp, Shapes, Tiling
from agentkernel.simulator.host.runtime import open_host_runtime
from agentkernel.simulator.host.source import HostSource, prepare_host, read_folder
from agentkernel.simulator.sandbox import Limits
from agentkernel.simulator.workshop import Workshop

TILING_CAPACITY = 8192
"""Bytes that tiling data may take at least; more where a registered structure is larger."""
MAX_BLOCKS = 65535


class HostBuild(BaseModel):
    """Host code of one operator, compiled or not."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    object: Path | None
    """The shared object; None where there are errors."""
    source: HostSource
    diagnostics: tuple[Diagnostic, ...]
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether it compiled."""
        return self.object is not None


class HostSimulator:
    """Compiles op_host sources and runs what they register, each time in a process of its own behind walls.

    Builds are kept by content until `close`. Methods may be called from several threads at once.

    Args:
        insecure: Run host code even where no system-call filter holds.
        limits: What one run of host code may use.
        tell: Is told before something takes long: the first use of a compiler builds the runtimes with it.
    """

    def __init__(
        self, *, insecure: bool = False, limits: Limits = LIMITS, tell: Callable[[str], None] | None = None
    ) -> None:
        self._limits = limits
        self._tell = tell
        self._workshop = Workshop(insecure=insecure, tell=tell)
        self._lock = threading.Lock()
        self._machine: HostMachine | None = None
        self._builds: dict[str, HostBuild] = {}
        self._descriptions: dict[Path, tuple[HostDescription, tuple[Diagnostic, ...]]] = {}

    def build_host(
        self,
        files: Mapping[str, str] | Path,
        *,
        include_dirs: Sequence[Path] = (),
        defines: Mapping[str, str] | None = None,
    ) -> HostBuild:
        """Compile the host code of one operator; equal files are compiled once.

        Args:
            files: Texts by path, or a folder whose sources and headers are read. Sources that include headers of the
                aclnn layer are left out (`HostBuild.source.skipped`).
            include_dirs: Further folders with headers. They are trusted.
            defines: Macros and their values.

        Raises:
            ToolchainError: There is no compiler, a runtime cannot be built, or a file cannot be read.
        """
        try:
            texts = read_folder(files) if isinstance(files, Path) else dict(files)
        except OSError as error:
            raise ToolchainError(f"cannot read {files}: {error.strerror or error}", hint="check the folder") from error
        folders = tuple(Path(folder).resolve() for folder in include_dirs)
        macros = tuple(sorted((defines or {}).items()))
        text = json.dumps([sorted(texts.items()), [str(folder) for folder in folders], macros])
        key = hashlib.sha256(text.encode()).hexdigest()
        with self._lock:
            known = self._builds.get(key)
        if known is None:
            known = self._build(texts, folders, macros)
            with self._lock:
                self._builds[key] = known
        return known

    def describe(self, build: HostBuild) -> tuple[HostDescription, tuple[Diagnostic, ...]]:
        """What a build defines, and what is wrong with it.

        Raises:
            ToolchainError: The build is not a successful one, or the runner failed.
        """
        target = _object_of(build)
        with self._lock:
            known = self._descriptions.get(target)
        if known is None:
            run = run_host(target, "describe", self._prepare(), self._workshop.runs)
            found = findings.how_it_ended(run, self._prepare().limits, _places(target, build))
            description = HostDescription(
                operators=tuple(record.description() for record in run.records.every(RawOp)),
                classes=tuple(record.description() for record in run.records.every(RawClass)),
            )
            found += check_classes(description.classes)
            if not found and not description.operators:
                message = "The host code registers no operator."
                hint = "Define a class derived from OpDef and name it in OP_ADD."
                found.append(Diagnostic(code="host-no-operator", level=Level.HOST, message=message, hint=hint))
            known = (description, tuple(found))
            with self._lock:
                self._descriptions[target] = known
        return known

    def run_tiling(self, build: HostBuild, op_type: str, call: OperatorCall, platform: Platform) -> TilingOutcome:
        """Run TilingParse (where it is registered) and the tiling function for one call.

        Raises:
            ToolchainError: The build is not a successful one, the call does not fit the definition, or the runner
                failed.
        """
        run, start = self._call(build, "tiling", op_type, call, platform)
        if isinstance(run, Diagnostic):
            return TilingOutcome(diagnostics=(run,))
        found = findings.how_it_ended(run, self._prepare().limits, _places(_object_of(build), build))
        record = run.records.one(Tiling)
        seconds = time.perf_counter() - start
        if record is None:
            return TilingOutcome(diagnostics=tuple(found), printed=run.printed, seconds=seconds)
        if record.status != 0:
            found.append(findings.failed_status("tiling", record.status, run.printed))
        elif not found:
            found += _check_tiling(record, self._capacity(build))
        return TilingOutcome(
            diagnostics=tuple(found),
            printed=run.printed,
            seconds=seconds,
            block_dim=record.block_dim,
            tiling_key=record.key,
            workspaces=record.workspaces,
            data=bytes.fromhex(record.data),
            schedule_mode=record.schedule_mode,
            local_memory=record.local_memory,
            atomic=record.atomic,
        )

    def infer_shape(self, build: HostBuild, op_type: str, call: OperatorCall) -> ShapeOutcome:
        """Run shape inference. The shapes of the call's outputs are not looked at; their number is.

        Raises:
            ToolchainError: As `run_tiling`.
        """
        run, start = self._call(build, "infer_shape", op_type, call, Platform())
        if isinstance(run, Diagnostic):
            return ShapeOutcome(diagnostics=(run,))
        found = findings.how_it_ended(run, self._prepare().limits, _places(_object_of(build), build))
        record = run.records.one(Shapes)
        if record is not None and record.status != 0:
            found.append(findings.failed_status("infer_shape", record.status, run.printed))
        return ShapeOutcome(
            diagnostics=tuple(found),
            printed=run.printed,
            seconds=time.perf_counter() - start,
            shapes=record.shapes if record is not None else (),
        )

    def infer_dtype(self, build: HostBuild, op_type: str, call: OperatorCall) -> DtypeOutcome:
        """Run type inference.

        Raises:
            ToolchainError: As `run_tiling`.
        """
        run, start = self._call(build, "infer_dtype", op_type, call, Platform())
        if isinstance(run, Diagnostic):
            return DtypeOutcome(diagnostics=(run,))
        found = findings.how_it_ended(run, self._prepare().limits, _places(_object_of(build), build))
        record = run.records.one(Dtypes)
        if record is not None and record.status != 0:
            found.append(findings.failed_status("infer_dtype", record.status, run.printed))
        return DtypeOutcome(
            diagnostics=tuple(found),
            printed=run.printed,
            seconds=time.perf_counter() - start,
            dtypes=tuple(type_numbered(n).name for n in record.dtypes) if record is not None else (),
        )

    def close(self) -> None:
        """Remove builds from disk. Calling it again changes nothing."""
        self._builds.clear()
        self._descriptions.clear()
        self._workshop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _prepare(self) -> HostMachine:
        with self._lock:
            if self._machine is None:
                runtime, walls = self._workshop.prepare()
                host = open_host_runtime(runtime.compiler, tell=self._tell)
                self._machine = HostMachine(runtime=runtime, host=host, walls=walls, limits=self._limits)
            return self._machine

    def _build(
        self, texts: Mapping[str, str], folders: tuple[Path, ...], macros: tuple[tuple[str, str], ...]
    ) -> HostBuild:
        start = time.perf_counter()
        source = prepare_host(texts)
        machine = self._prepare()
        with self._workshop.new_build("host.") as folder:
            target, diagnostics = compile_host(
                source, machine.runtime, machine.host, machine.walls, folder, include_dirs=folders, defines=macros
            )
        if target is not None:
            os.chmod(target, 0o644)
        return HostBuild(object=target, source=source, diagnostics=diagnostics, seconds=time.perf_counter() - start)

    def _call(
        self, build: HostBuild, action: str, op_type: str, call: OperatorCall, platform: Platform
    ) -> tuple[HostRun | Diagnostic, float]:
        start = time.perf_counter()
        description, problems = self.describe(build)
        op = description.operator(op_type)
        if op is None:
            return _unknown(op_type, description, problems), start
        run = run_host(
            _object_of(build), action, self._prepare(), self._workshop.runs,
            op=op, call=call, platform=platform, capacity=self._capacity(build),
        )  # fmt: skip
        return run, start

    def _capacity(self, build: HostBuild) -> int:
        description, _ = self.describe(build)
        return max([TILING_CAPACITY, *(one.size + 8 for one in description.classes)])


def _object_of(build: HostBuild) -> Path:
    if build.object is None or not build.object.exists():
        raise ToolchainError("host code that did not compile cannot be run", hint="look at the build's diagnostics")
    return build.object


def _places(target: Path, build: HostBuild) -> findings.Places:
    def place(sites: tuple[int, ...]) -> Location | None:
        found = symbolise.resolve(target, sites, build.source)
        return next((found[site] for site in sites if site in found), None)

    return functools.cache(place)


def _unknown(op_type: str, description: HostDescription, problems: Sequence[Diagnostic]) -> Diagnostic:
    for problem in problems:  # whatever kept it from registering says more than that it is not there
        if problem.is_error:
            return problem
    known: list[OpDescription] = list(description.operators)
    names = ", ".join(f"`{op.type}`" for op in known) or "none"
    return Diagnostic(
        code="host-no-operator",
        level=Level.HOST,
        message=f"The host code registers no operator `{op_type}`; it registers {names}.",
        hint=f"Name the operator's class {op_type} and write OP_ADD({op_type}).",
    )


def _check_tiling(record: Tiling, capacity: int) -> list[Diagnostic]:
    found = []
    if not 1 <= record.block_dim <= MAX_BLOCKS:
        message = f"The tiling function set a block dim of {record.block_dim}."
        hint = f"Call SetBlockDim with 1 to {MAX_BLOCKS}; it is 0 until then."
        found.append(Diagnostic(code="host-block-dim", level=Level.HOST, message=message, hint=hint))
    if record.size > capacity:
        message = f"The tiling data are said to hold {record.size} bytes, and their buffer has {capacity}."
        hint = "Pass GetDataSize() of the structure to SetDataSize."
        found.append(Diagnostic(code="host-tiling-size", level=Level.HOST, message=message, hint=hint))
    return found
