"""Full-path tasks in the simulator: the candidate's host side tiles each case and its kernel is compiled for that."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from agentkernel.diagnostic import Diagnostic, Level
from agentkernel.kernel import Kernel
from agentkernel.launch import output_arguments
from agentkernel.operators import ATTR_METHODS, GE_TYPES, operator_name
from agentkernel.simulator.host import OpDescription, Parameter
from agentkernel.simulator.launches import Options
from agentkernel.simulator.operator_calls import ArrayCall, OutputSpec
from agentkernel.simulator.operators import Operator, OperatorSimulator
from agentkernel.task import Case, CaseTensor, Task, TensorSpec
from agentkernel.toolchains.base import Arrays, Build, Run


class FullPath:
    """Builds and runs kernels that bring their host side. Thread-safe.

    Args:
        chip: Name of the chip's data.
        insecure: Run candidates even where no system-call filter holds.
        tell: Is told before something takes long.
    """

    def __init__(self, *, chip: str, insecure: bool = False, tell: Callable[[str], None] | None = None) -> None:
        self._simulator = OperatorSimulator(chip=chip, insecure=insecure, tell=tell)
        self._operators: dict[str, Operator] = {}
        self._lock = threading.Lock()

    def build(self, kernel: Kernel, task: Task) -> Build:
        """Compile both sides: the kernel for every variant that the tiling of the task's cases asks for.

        A case whose tiling fails is found when it is run; the others are compiled here.

        Raises:
            ConfigError: No operator type belongs to the task's entry.
            ToolchainError: There is no compiler, a runtime cannot be built, or the disk is full.
        """
        op_type = operator_name(task.entry)
        if not kernel.host_files:
            return _failed(kernel, task, (_no_host_side(),))
        operator, found = self._simulator.open(kernel.host_files, kernel.device_side.files, op_type, soc=task.target)
        if operator is None:
            return _failed(kernel, task, found)
        found = (*found, *differences(operator.description, task))
        if not _any_error(found):
            found = (*found, *self._compile(operator, task))
        if _any_error(found):
            return _failed(kernel, task, found)
        artifact = str(operator.host.object)
        with self._lock:
            self._operators[artifact] = operator
        return Build(ok=True, kernel=kernel, task=task, artifact=artifact, diagnostics=found)

    def _compile(self, operator: Operator, task: Task) -> tuple[Diagnostic, ...]:
        """What the compilers say of the variants that the cases need, each message once."""
        found: dict[str, Diagnostic] = {}
        for case in task.cases:
            planned = self._simulator.plan(operator, _call(task, case, {}))
            if planned.build is not None:
                found |= {diagnostic.model_dump_json(): diagnostic for diagnostic in planned.build.diagnostics}
        return tuple(found.values())

    def knows(self, build: Build) -> bool:
        """Whether a build is one of this object, and still there."""
        with self._lock:
            return build.artifact in self._operators and Path(build.artifact).exists()

    def run(self, build: Build, case: Case, inputs: Arrays, options: Options) -> Run:
        """Tile one case and launch the kernel with what comes out, in the way that the options say.

        Raises:
            ToolchainError: Something of ours failed.
            SandboxError: The walls that candidate code needs could not be set up.
        """
        with self._lock:
            operator = self._operators[build.artifact]
        label = f"{build.task.name}.{case.name}"
        done = self._simulator.call(operator, _call(build.task, case, inputs), label=label, options=options)
        if done.run is None:
            return Run(completed=False, diagnostics=done.diagnostics)
        before = tuple(d for d in done.diagnostics if d not in done.run.diagnostics and d not in build.diagnostics)
        return done.run.model_copy(update={"diagnostics": (*before, *done.run.diagnostics)})

    def close(self) -> None:
        """Remove builds from disk."""
        self._operators.clear()
        self._simulator.close()


def _call(task: Task, case: Case, inputs: Arrays) -> ArrayCall:
    import numpy as np

    def value(tensor: CaseTensor) -> NDArray[Any]:
        if tensor.name in inputs:
            return inputs[tensor.name]
        # tiling sees shapes and types alone: no memory stands behind this array
        return np.broadcast_to(np.zeros((), tensor.dtype.numpy), tensor.shape)

    arrays = {tensor.name: value(tensor) for tensor in task.inputs_of(case)}
    specs = {t.name: OutputSpec(shape=t.shape, dtype=t.dtype.numpy) for t in task.outputs_of(case)}
    return ArrayCall(
        inputs=tuple(task.value_of(spec, case, arrays) for spec in task.inputs),
        outputs=tuple(task.value_of(spec, case, specs) for _, spec in output_arguments(task)),
        attrs=task.attr_values(case),
        updated=task.in_place,
    )


def differences(op: OpDescription, task: Task) -> tuple[Diagnostic, ...]:
    """Where a definition is not that of the task's operator: parameters, their order, types and places, attributes."""
    found = [
        *_parameters("input", op.inputs, task.inputs),
        *_parameters("output", op.outputs, tuple(spec for _, spec in output_arguments(task))),
    ]
    known = {attribute.name: attribute.kind for attribute in op.attrs}
    for spec in task.attrs:
        if spec.name not in known:
            found.append(_differs(f"The definition has no attribute `{spec.name}`.", f'Add Attr("{spec.name}").'))
        elif known[spec.name] != spec.type:
            message = f"The attribute `{spec.name}` is of type {known[spec.name]} instead of {spec.type}."
            found.append(_differs(message, f'Write Attr("{spec.name}").{ATTR_METHODS[spec.type]}(...).'))
    return tuple(found)


def _parameters(kind: str, given: tuple[Parameter, ...], wanted: tuple[TensorSpec, ...]) -> list[Diagnostic]:
    names, right = [p.name for p in given], [spec.name for spec in wanted]
    if names != right:
        message = f"The definition's {kind}s are {', '.join(names) or 'none'} instead of {', '.join(right)}."
        return [_differs(message, f"Declare the {kind}s with these names in this order.")]
    found = []
    for parameter, spec in zip(given, wanted, strict=True):
        if str(spec.dtype) not in parameter.dtypes:
            message = f"The {kind} `{spec.name}` does not list {GE_TYPES[spec.dtype]}."
            found.append(_differs(message, f"Add ge::{GE_TYPES[spec.dtype]} to its DataType."))
        if parameter.on_host and not spec.on_host:
            message = f"The definition lets the host side see the values of `{spec.name}`."
            found.append(_differs(message, "Leave ValueDepend, Scalar and ScalarList out: tiling works on shapes."))
        if parameter.option != spec.param_type:
            message = f"The {kind} `{spec.name}` has ParamType {parameter.option.upper()}."
            found.append(_differs(message, f"Write ParamType({spec.param_type.upper()}) for it."))
    return found


def _differs(message: str, hint: str) -> Diagnostic:
    return Diagnostic(code="host-definition", level=Level.HOST, message=message, hint=hint)


def _no_host_side() -> Diagnostic:
    return Diagnostic(
        code="missing-file",
        level=Level.FORMAT,
        message="The kernel has no file under op_host/.",
        hint="A full-path task asks for host tiling and kernel.",
    )


def _any_error(found: tuple[Diagnostic, ...]) -> bool:
    return any(diagnostic.is_error for diagnostic in found)


def _failed(kernel: Kernel, task: Task, found: tuple[Diagnostic, ...]) -> Build:
    return Build(ok=False, kernel=kernel, task=task, diagnostics=found)
