"""Whole operators: the host side tiles a call, the kernel is compiled for its types and key and launched with it."""

from __future__ import annotations

import hashlib
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import BaseModel, ConfigDict

from agentkernel.diagnostic import Diagnostic, Level
from agentkernel.errors import ToolchainError
from agentkernel.kernel import Kernel
from agentkernel.simulator.chips import load_chip
from agentkernel.simulator.core_groups import Images
from agentkernel.simulator.gm_buffers import GmArgument
from agentkernel.simulator.host import (
    Column,
    HostBuild,
    HostSimulator,
    HostTensor,
    OpDescription,
    OperatorCall,
    Platform,
    TilingOutcome,
    columns_of,
    match_column,
    tiling_header,
)
from agentkernel.simulator.kernel_facts import KernelFacts
from agentkernel.simulator.launches import Launchable, Machine, Options, launch
from agentkernel.simulator.operator_calls import ArrayCall, host_call_of, launch_arguments
from agentkernel.simulator.source_pass import PreparedSource
from agentkernel.simulator.variants import (
    Variant,
    compile_variant,
    entry_names,
    look_through,
    operator_arguments,
    operator_kernel,
    type_macros,
)
from agentkernel.simulator.workshop import Workshop
from agentkernel.toolchains.base import Run

MAX_WORKSPACE = 1 << 36
"""More than the 64 GiB that a card has."""


class Operator(BaseModel):
    """An operator whose host side compiled, with its device source."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    description: OpDescription
    host: HostBuild
    kernel: Kernel
    soc: str = ""
    """Chip of the definition whose parameters count; empty: the common ones."""


class VariantBuild(BaseModel):
    """A kernel, compiled for one variant or not."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    variant: Variant
    images: Images | None
    prepared: PreparedSource
    diagnostics: tuple[Diagnostic, ...]

    @property
    def ok(self) -> bool:
        """Whether it compiled."""
        return self.images is not None


class OperatorRun(BaseModel):
    """What became of one call, as far as it came."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True, extra="forbid")

    column: Column | None = None
    tiling: TilingOutcome | None = None
    build: VariantBuild | None = None
    blocks: int = 0
    """Blocks of the launch: vector cores, cube cores or groups of both, by the kernel's type."""
    run: Run | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    """Of all stages, in order."""

    @property
    def completed(self) -> bool:
        """Whether the kernel ran to its end."""
        return self.run is not None and self.run.completed


class OperatorSimulator:
    """Builds and runs whole operators. Methods may be called from several threads at once.

    Args:
        chip: Name of the chip's data.
        options: How kernels are run.
        platform: What the host side is told about its chip; by default that chip.
        insecure: Run code even where no system-call filter holds.
        tell: Is told before something takes long.
    """

    def __init__(
        self,
        *,
        chip: str = "ascend910b",
        options: Options | None = None,
        platform: Platform | None = None,
        insecure: bool = False,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self._chip = load_chip(chip)
        self._options = options or Options()
        self._platform = platform or Platform.of_chip(self._chip)
        self._workshop = Workshop(insecure=insecure, tell=tell)
        self._lock = threading.Lock()
        self._builds: dict[str, VariantBuild] = {}
        self._facts: dict[str, KernelFacts | None] = {}
        self.host = HostSimulator(insecure=insecure, tell=tell)
        """The host side."""

    def open(
        self,
        host_files: Mapping[str, str] | Path,
        kernel_files: Mapping[str, str],
        op_type: str,
        *,
        soc: str = "",
        include_dirs: Sequence[Path] = (),
        defines: Mapping[str, str] | None = None,
    ) -> tuple[Operator | None, tuple[Diagnostic, ...]]:
        """Build an operator's host side and read its definition.

        Args:
            host_files: As `HostSimulator.build_host`.
            kernel_files: Texts below op_kernel by path.
            op_type: The operator.
            soc: Chip of the definition whose parameters count, e.g. `ascend910b`.
            include_dirs: Further folders with host headers.
            defines: Macros of host code.

        Returns:
            The operator (None where that failed), and what was found.

        Raises:
            ToolchainError: There is no compiler, or a runtime cannot be built.
        """
        built = self.host.build_host(host_files, include_dirs=include_dirs, defines=defines)
        if not built.ok:
            return None, built.diagnostics
        description, problems = self.host.describe(built)
        op = description.operator(op_type)
        if op is None:
            return None, (*built.diagnostics, *problems, _no_operator(op_type))
        names = entry_names(op_type)
        text = "\n".join(kernel_files.values())
        entry = next((name for name in names if f"{name}(" in text.replace(" (", "(")), names[0])
        kernel = operator_kernel(kernel_files, entry)
        return Operator(description=op, host=built, kernel=kernel, soc=soc), (*built.diagnostics, *problems)

    def variant(self, operator: Operator, column: Column, tiling_key: int) -> Variant:
        """The binary that a column and a key need."""
        classes = self.host.describe(operator.host)[0].classes
        return Variant(
            entry=operator.kernel.entry,
            arguments=operator_arguments(operator.description),
            macros=type_macros(operator.description, column, operator.soc),
            tiling_key=tiling_key,
            tiling_header=tiling_header(classes, operator.description.type, tiling_key),
        )

    def facts(self, operator: Operator, variant: Variant) -> KernelFacts | None:
        """Keys and core types of a kernel; None where it cannot be preprocessed.

        Raises:
            ToolchainError: The compiler does not start.
        """
        same = variant.model_copy(update={"tiling_key": 0, "tiling_header": ""})
        key = _digest(operator.kernel, same)
        with self._lock:
            if key in self._facts:
                return self._facts[key]
        runtime, walls = self._workshop.prepare()
        with tempfile.TemporaryDirectory(prefix="look.", dir=self._workshop.builds) as folder:
            Path(folder).chmod(0o755)
            found = look_through(operator.kernel, variant, runtime, walls, Path(folder))
        with self._lock:
            self._facts[key] = found
        return found

    def build(self, kernel: Kernel, variant: Variant) -> VariantBuild:
        """Compile a kernel for a variant; the same for the same is compiled once.

        Raises:
            ToolchainError: There is no compiler, the runtime cannot be built, or the disk is full.
        """
        key = _digest(kernel, variant)
        with self._lock:
            known = self._builds.get(key)
        if known is not None:
            return known
        runtime, walls = self._workshop.prepare()
        with self._workshop.new_build() as folder:
            prepared, compiled = compile_variant(kernel, variant, runtime, walls, folder)
        if compiled.images is not None:
            compiled.images.share()
        built = VariantBuild(
            variant=variant, images=compiled.images, prepared=prepared, diagnostics=compiled.diagnostics
        )
        with self._lock:
            self._builds[key] = built
        return built

    def launch(
        self,
        build: VariantBuild,
        arguments: Sequence[GmArgument],
        blocks: int,
        *,
        label: str = "launch",
        options: Options | None = None,
    ) -> Run:
        """Launch a compiled variant.

        Args:
            build: The variant.
            arguments: What its kernel takes, in order.
            blocks: Blocks to launch.
            label: Name of the run in timelines.
            options: How this kernel is run; by default as all.

        Raises:
            ToolchainError: It did not compile, or the runner failed.
            SandboxError: A wall could not be set up.
        """
        if build.images is None:
            raise ToolchainError("a kernel that did not compile cannot be run", hint="look at the build's diagnostics")
        runtime, walls = self._workshop.prepare()
        return launch(
            Launchable(images=build.images, prepared=build.prepared),
            arguments,
            blocks=blocks,
            machine=Machine(runtime=runtime, walls=walls, chip=self._chip, outputs=self._workshop.outputs),
            options=options or self._options,
            base=self._workshop.runs,
            label=label,
        )

    def plan(self, operator: Operator, call: ArrayCall) -> OperatorRun:
        """Tile one call and compile what it needs. Values are looked at only where the host side may see them.

        Raises:
            ToolchainError: The call does not fit the definition, or something of ours failed.
            SandboxError: A wall could not be set up.
        """
        op = operator.description
        host_call = host_call_of(op, call)
        columns, problems = columns_of(op, operator.soc)
        if problems:
            return OperatorRun(diagnostics=problems)
        column = match_column(columns, host_call.inputs, host_call.outputs)
        if column is None:
            return OperatorRun(diagnostics=(_no_variant(op, columns, host_call),))
        tiling = self.host.run_tiling(operator.host, op.type, host_call, self._platform)
        found = [*tiling.diagnostics]
        if tiling.ok and tiling.workspace_bytes > MAX_WORKSPACE:
            found.append(_workspace(tiling.workspace_bytes))
        variant = self.variant(operator, column, tiling.tiling_key)
        facts = self.facts(operator, variant) if not _failed(found) else None
        if facts is not None and (wrong := facts.check(tiling.tiling_key)) is not None:
            found.append(wrong)
        if _failed(found):
            return OperatorRun(column=column, tiling=tiling, diagnostics=tuple(found))
        group = None if facts is None else facts.group_of(tiling.tiling_key)
        build = self.build(operator.kernel, variant.model_copy(update={"group": group}))
        return OperatorRun(
            column=column,
            tiling=tiling,
            build=build,
            blocks=tiling.block_dim,
            diagnostics=(*found, *build.diagnostics),
        )

    def call(
        self, operator: Operator, call: ArrayCall, *, label: str = "launch", options: Options | None = None
    ) -> OperatorRun:
        """Tile, compile and launch one call. Candidates' faults are diagnostics of the result.

        Args:
            operator: The operator.
            call: Its arguments.
            label: Name of the run in timelines.
            options: How this kernel is run; by default as all.

        Raises:
            ToolchainError: The call does not fit the definition, or something of ours failed.
            SandboxError: A wall could not be set up.
        """
        planned = self.plan(operator, call)
        if planned.build is None or not planned.build.ok or planned.tiling is None:
            return planned
        arguments = launch_arguments(operator.description, call, planned.tiling)
        run = self.launch(planned.build, arguments, planned.blocks, label=label, options=options)
        return planned.model_copy(update={"run": run, "diagnostics": (*planned.diagnostics, *run.diagnostics)})

    def close(self) -> None:
        """Remove builds from disk. Calling it again changes nothing."""
        self.host.close()
        self._builds.clear()
        self._workshop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _digest(kernel: Kernel, variant: Variant) -> str:
    return hashlib.sha256(f"{kernel.digest}|{variant.model_dump_json()}".encode()).hexdigest()


def _failed(found: Sequence[Diagnostic]) -> bool:
    return any(diagnostic.is_error for diagnostic in found)


def _no_operator(op_type: str) -> Diagnostic:
    message = f"The host code registers no operator `{op_type}`."
    hint = f"Name the operator's class {op_type} and write OP_ADD({op_type})."
    return Diagnostic(code="host-no-operator", level=Level.HOST, message=message, hint=hint)


def _no_variant(op: OpDescription, columns: Sequence[Column], call: OperatorCall) -> Diagnostic:
    def types(arguments: Sequence[object]) -> list[str]:
        first = [a[0] if isinstance(a, tuple) and a else a for a in arguments]
        return [a.dtype if isinstance(a, HostTensor) else "none" for a in first]

    asked = ", ".join(types((*call.inputs, *call.outputs)))
    known = "; ".join(str(column) for column in columns[:8])
    return Diagnostic(
        code="host-no-variant",
        level=Level.HOST,
        message=f"The definition of `{op.type}` lists no combination of types for ({asked}).",
        hint=f"It lists {len(columns)}: {known}.",
        evidence={"asked": asked},
    )


def _workspace(size: int) -> Diagnostic:
    message = f"The tiling function asks for a workspace of {size} bytes, more than a card has."
    hint = "Look for an overflow, and for a size that is computed from an unset field."
    return Diagnostic(code="host-workspace", level=Level.HOST, message=message, hint=hint)
